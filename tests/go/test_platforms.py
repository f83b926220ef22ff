"""The Go package on other platforms than the one of the other tests, above all those with an int of 32 bits."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path

import pytest

from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.conformance.case import load
from polywire.conformance.protocols import Protocols
from polywire.conformance.runner import run
from polywire.conformance.testee import Testee, Workshop
from polywire.conformance.testees.go.run import NAME, build
from sampling import turn
from toolchain import Toolchain

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ROOT / "generated" / "go"
RUNTIME = ROOT / "runtimes" / "go"

NARROW = {"x86_64": "386", "AMD64": "386", "aarch64": "arm", "arm64": "arm"}
"""Machine → the architecture with an int of 32 bits whose programs it runs."""

BUILT = ("linux/arm", "js/wasm", "wasip1/wasm", "linux/s390x", "windows/amd64", "darwin/arm64")
"""Systems and architectures whose programs need an emulator or another machine: the package is compiled for them."""


def of_platform(go: Toolchain, system: str, architecture: str) -> Toolchain:
    """Return Go as a compiler for a platform.

    Go's runtime is optimised, unlike the rest: on 386, the garbage collector of one that is not crashes now and then.
    """
    flags = f"{go.variables['GOFLAGS']} -gcflags=runtime="
    more = {"GOOS": system, "GOARCH": architecture, "CGO_ENABLED": "0", "GOFLAGS": flags}
    return replace(go, variables={**go.variables, **more})


@pytest.fixture(scope="module")
def narrow(go: Toolchain) -> Toolchain:
    """Go for the architecture with an int of 32 bits that this machine runs. The standard library is compiled once."""
    architecture = NARROW.get(platform.machine())
    if platform.system() != "Linux" or architecture is None:
        pytest.skip(f"{platform.system()} on {platform.machine()} runs no programs with an int of 32 bits")
    return of_platform(go, "linux", architecture)


@turn("Go with an int of 32 bits")
def test_every_case_has_the_same_outcome_where_an_int_has_32_bits(narrow: Toolchain, tmp_path: Path) -> None:
    build(narrow, GENERATED, tmp_path / "program")
    protocols = Protocols(ROOT / "spec")
    folders = [ROOT / "tests" / "fixtures", *(ROOT / "tests" / "captures").iterdir()]
    cases = [each for each in load(folders, protocols, root=ROOT) if each.protocol == protocols.default]
    with Workshop(ROOT) as workshop:
        testee = Testee("go-32", (str(tmp_path / "program"), NAME), BUNDLED_TESTEES.parent)
        result = run(cases, testee, workshop, protocols.default, folder=ROOT)
    assert (result.cannot_run, result.problems) == (None, ())
    failed = [
        f"{case.name}: {'; '.join(verdict.problems)}"
        for case, verdict in zip(cases, result.verdicts, strict=True)
        if verdict.outcome == "failed"
    ]
    assert failed == []
    assert sum(verdict.outcome == "passed" for verdict in result.verdicts) > 2000


@turn("Go with an int of 32 bits")
def test_the_unit_tests_of_the_runtime_pass_where_an_int_has_32_bits(narrow: Toolchain) -> None:
    done = narrow.run("go", "test", "-vet=off", "./...", cwd=RUNTIME)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.nightly
@pytest.mark.parametrize("each", BUILT)
def test_the_package_compiles_for_other_platforms(go: Toolchain, each: str) -> None:
    done = of_platform(go, *each.split("/")).run("go", "build", "./...", cwd=GENERATED)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
