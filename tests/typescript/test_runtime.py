"""What the code of the TypeScript package does: `runtime/*.test.mjs`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import toolchain
from polywire.targets.typescript import TARGET
from rendered import generate, model_of

HERE = Path(__file__).resolve().parent
TESTS = sorted((HERE / "runtime").glob("*.test.mjs"))
PARCEL = HERE.parent / "specs" / "parcel"


@pytest.fixture(scope="module")
def parcel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of a spec that uses what the real one does not."""
    return generate(TARGET, model_of(PARCEL), tmp_path_factory.mktemp("parcel"))


@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.name.removesuffix(".test.mjs"))
def test_the_package_does_what_its_tests_say(file: Path, parcel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = toolchain.node()
    if node is None:
        pytest.skip("there is no Node; `make test` says why")
    monkeypatch.setenv("PARCEL", str(parcel))
    done = node.run("node", "--test", file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\S+ skipped 0$", done.stdout, re.MULTILINE), done.stdout
