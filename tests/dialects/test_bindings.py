"""Every dialect's bindings, generated and built: Python, its system's own language, and the schemas.

They are put the written cases of the dialect and one in `STEP` of its derived ones. `make dialects` puts all of them,
and to every testee there is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

import toolchain
from conformance.table import PROPERTY, handed_on
from polywire.cli import cli
from polywire.conformance import report
from polywire.conformance.case import Case, load
from polywire.conformance.derived import derived
from polywire.conformance.protocols import Protocols
from polywire.conformance.runner import Result, run_all
from polywire.conformance.testee import Testee, Workshop, declared
from polywire.source import dialects

ROOT = Path(__file__).resolve().parents[2]
TESTEES = {testee.name: testee for testee in declared(ROOT / "tests" / "conformance" / "testees.toml")}
PROTOCOLS = Protocols(ROOT / "spec")
WHOLE = os.environ.get("DIALECTS") == "whole"
STEP = 1 if WHOLE else 24

OWN = {
    "goat-spec": "go",
    "goat-doc": "go",
    "miriad": "typescript",
    "chorus": "typescript",
    "rusty_claw": "rust",
    "rusty_claw-code": "rust",
}
"""By dialect: the testee of its system's own language, which is put to the test where there is one."""


def held_to(dialect: str) -> list[Testee]:
    """Who is held to a dialect."""
    names = list(TESTEES) if WHOLE else ["python", OWN[dialect], "jsonschema-rs"]
    return [TESTEES[name] for name in names if name in TESTEES]


@cache
def written() -> list[Case]:
    return load([ROOT / "tests" / "fixtures"], PROTOCOLS, root=ROOT)


def cases(dialect: str) -> list[Case]:
    """The written cases of a dialect, and as many of the derived ones as are wanted, each in both modes."""
    protocol = PROTOCOLS.get(None, dialect)
    drawn = derived(protocol, seed=0, random=1 if WHOLE else 0)
    own = [case for case in written() if case.protocol == protocol]
    return [*own, *(case for number, case in enumerate(drawn) if number // 2 % STEP == 0)]


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """Where the bindings are generated."""
    with Workshop(ROOT) as made:
        yield made


def test_every_dialect_has_its_language() -> None:
    assert sorted(OWN) == dialects(ROOT / "spec")


@pytest.mark.parametrize("dialect", OWN)
def test_the_bindings_of_a_dialect_agree_with_its_cases(
    dialect: str, workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    protocol, found = PROTOCOLS.get(None, dialect), cases(dialect)
    results = list(run_all(found, held_to(dialect), workshop, protocol, folder=ROOT, patience=60))
    for result in results:
        record_property(PROPERTY, handed_on(report.column(found, result, lambda _: f"dialect {dialect}")))
    absent = [result for result in results if result.cannot_run is not None]
    assert [problem(found, result) for result in results if result.count("failed")] == []
    assert all(result.count("passed") > len(found) / 2 for result in results if result not in absent)
    if absent:
        pytest.skip(", ".join(f"{result.testee} cannot run here: {result.cannot_run}" for result in absent))


def problem(found: list[Case], result: Result) -> str:
    """The disagreements, as the command prints them."""
    console = Console(width=160)
    with console.capture() as capture:
        report.show(console, report.Run(found, [result]), most=5)
    return capture.get()


def test_the_declarations_of_a_dialect_compile(node: toolchain.Toolchain, workshop: Workshop, tmp_path: Path) -> None:
    typescript = TESTEES["typescript"]
    for dialect in (d for d in OWN if typescript in held_to(d)):
        (*_, folder) = workshop.command(typescript, PROTOCOLS.get(None, dialect))
        (tmp_path / f"{dialect}.d.ts").write_bytes((Path(folder) / "index.d.ts").read_bytes())
    options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipDefaultLibCheck", "--lib", "es2018"]
    compiler = toolchain.NODE_PACKAGES / "node_modules" / "typescript" / "bin" / "tsc"
    files = sorted(path.name for path in tmp_path.iterdir())
    assert len(files) == (len(OWN) if WHOLE else 2)
    done = node.run("node", compiler, *options, *files, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_the_runner_is_asked_for_a_dialect_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    asked = ["conformance", "--dialect", "miriad", "--testee", "python", "--cases", "tests/fixtures/envelopes"]
    ran = CliRunner().invoke(cli, asked)
    assert ran.exit_code == 0, ran.output
    assert "7 passed, 0 failed" in ran.output
    assert "dialect miriad" in ran.output
