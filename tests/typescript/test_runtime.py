"""Runs the tests of the TypeScript package's code: `runtime/*.test.mjs`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import toolchain
from polywire.targets.typescript import TARGET
from rendered import generate, model_of

HERE = Path(__file__).resolve().parent
TESTS = sorted((HERE / "runtime").glob("*.test.mjs"))
SPECS = HERE.parent / "specs"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The packages of specs with features that the real one lacks, by the variables that name their folders."""
    specs = {"PARCEL": "parcel", "SHELF": "jsonrpc", "FORMS": "forms"}
    return {
        variable: generate(TARGET, model_of(SPECS / name), tmp_path_factory.mktemp(name))
        for variable, name in specs.items()
    }


@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.name.removesuffix(".test.mjs"))
def test_the_package_does_what_its_tests_say(
    file: Path, packages: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    node = toolchain.node()
    if node is None:
        pytest.skip("there is no Node; `make test` says why")
    for variable, folder in packages.items():
        monkeypatch.setenv(variable, str(folder))
    done = node.run("node", "--test", file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\S+ skipped 0$", done.stdout, re.MULTILINE), done.stdout
