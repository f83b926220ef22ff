"""The package under another supported version of Python, of those that are installed next to the running one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from sampling import sample, turn
from toolchain import TESTEES

pytestmark = turn("other versions of Python")

TESTEE = TESTEES / "python.py"


def beside() -> list[Path]:
    """The interpreters from 3.10 on that are installed in a folder next to this one's, as by version managers."""
    here = Path(sys.base_prefix)
    found = (folder / "bin" / "python" for folder in here.parent.glob("3.*") if folder != here)
    return sorted(python for python in found if python.exists() and minor(python) >= 10)


def minor(python: Path) -> int:
    """The minor version of an interpreter, such as the 12 in `3.12.1/bin/python`."""
    return int(python.parent.parent.name.split(".")[1])


def test_every_written_case_holds_under_other_versions(ask_written: Callable[..., Result]) -> None:
    others = sample(beside(), 1)
    if not others:
        pytest.skip("there is no other version of Python beside the one that runs")
    names = [python.parent.parent.name.replace(".", "_") for python in others]
    commands = {
        name: [str(python), str(TESTEE), "stdlib", "{generated}"] for name, python in zip(names, others, strict=True)
    }
    asked = ask_written("python", **commands)
    assert "0 failed, 0 skipped" in asked.output
    assert asked.exit_code == 0, asked.output
    heading = asked.output.splitlines()[0].split()
    assert heading == names
