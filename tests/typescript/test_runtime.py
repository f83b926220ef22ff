"""The code of the TypeScript package at work: `runtime/*.test.mjs`, as an ES module and as CommonJS."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import toolchain
from polywire.checks import check
from polywire.plan import make_plan
from polywire.render import render
from polywire.targets.typescript import TARGET

HERE = Path(__file__).resolve().parent
TESTS = sorted((HERE / "runtime").glob("*.test.mjs"))
PARCEL = HERE.parent / "specs" / "parcel"


@pytest.fixture(scope="module")
def parcel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of a spec that uses what the real one does not."""
    model = check(PARCEL).model
    assert model is not None
    folder = tmp_path_factory.mktemp("parcel")
    for path, contents in render(TARGET, make_plan(model)).items():
        (folder / path).write_bytes(contents)
    return folder


@pytest.mark.parametrize("form", ["esm", "cjs"])
@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.name.removesuffix(".test.mjs"))
def test_the_package_does_what_its_tests_say(
    file: Path, form: str, parcel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = toolchain.node()
    if node is None:
        pytest.skip("there is no Node; `make test` says why")
    monkeypatch.setenv("FORM", form)
    monkeypatch.setenv("PARCEL", str(parcel))
    done = node.run("node", "--test", file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\S+ skipped 0$", done.stdout, re.MULTILINE), done.stdout
