"""CONTRIBUTING.md says what every folder of the generator and of the tests is for."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import toolchain

PAGE = (toolchain.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
LEFT = re.compile(r"^\| (.*?) \|", re.MULTILINE)


def folders(below: str) -> list[str]:
    """The folders that have files in git, one level below a folder."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", below]
    done = subprocess.run(listing, cwd=toolchain.ROOT, check=True, capture_output=True, text=True)
    depth = len(Path(below).parts)
    paths = (Path(line) for line in done.stdout.splitlines() if (toolchain.ROOT / line).is_file())
    return sorted({path.parts[depth] for path in paths if len(path.parts) > depth + 1})


def named(heading: str) -> list[str]:
    """The folders in the first column of the table with that heading."""
    table = PAGE.partition(f"| {heading} | ")[2].partition("\n\n")[0]
    return [name for row in LEFT.findall(table) for name in re.findall(r"`([^`]+)/`", row)]


@pytest.mark.parametrize("below", ["generator/polywire", "tests"])
def test_contributing_names_every_folder_once(below: str) -> None:
    heading = f"folder of `{below}/`"
    assert len(folders(below)) > 10
    assert sorted(named(heading)) == folders(below)


def test_contributing_names_every_package_of_the_generator() -> None:
    others = [f"generator/{name}" for name in folders("generator") if name != "polywire"]
    assert [name for name in others if name not in named("folder")] == []
    assert others != []
