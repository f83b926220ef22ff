"""The package under the other versions of Python that it promises, as far as they stand beside the one that runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import Result

ROOT = Path(__file__).resolve().parents[2]
TESTEE = ROOT / "tests" / "conformance" / "testees" / "python.py"


def beside() -> list[Path]:
    """Interpreters from 3.10 on, installed in a folder next to this one's, as version managers do."""
    here = Path(sys.base_prefix)
    found = (folder / "bin" / "python" for folder in here.parent.glob("3.*") if folder != here)
    return sorted(python for python in found if python.exists() and minor(python) >= 10)


def minor(python: Path) -> int:
    """The 12 of `3.12.1/bin/python`."""
    return int(python.parent.parent.name.split(".")[1])


@pytest.mark.parametrize("python", beside(), ids=lambda python: python.parent.parent.name)
def test_every_written_case_holds_under_another_version(
    python: Path, ask_written: Callable[[Sequence[str], str], Result]
) -> None:
    asked = ask_written([str(python), str(TESTEE), "stdlib", "{generated}"], "python")
    assert "0 failed, 0 skipped" in asked.output
    assert asked.exit_code == 0, asked.output
