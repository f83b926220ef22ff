"""The fixture folders of the rules, and the copies of them that tests check.

A case is a spec folder with `expected.txt`, which lists every finding as `file:line:column severity rule`, and
`expected.strict.txt` if strict checking changes the findings. `expected.hints.txt` lists the hints of cases in which
people write what other languages have. Large files and symbolic links are not committed:
`NAME.size` contains the size in bytes of a file NAME, and `NAME.link` the target of a symbolic link NAME.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from polywire.checks import Report

FIXTURES = Path(__file__).parent / "fixtures"
LINE = b"# a comment of no consequence\n"


def cases() -> list[Path]:
    """List the folders with expected findings; each is below the folder of its rule."""
    return sorted(path.parent for path in FIXTURES.rglob("expected.txt"))


def rule_of(case: Path) -> str:
    return case.relative_to(FIXTURES).parts[0]


def materialise(case: Path, folder: Path) -> tuple[Path, str | None]:
    """Copy a case, create its large files and symbolic links, and return the folder and the dialect under test."""
    shutil.copytree(case, folder, ignore=shutil.ignore_patterns("expected*.txt", "*.size", "*.link"))
    for size in case.glob("*.size"):
        wanted = int(size.read_text())
        (folder / size.stem).write_bytes((LINE * (wanted // len(LINE) + 1))[: wanted - 1] + b"\n")
    for link in case.glob("*.link"):
        (folder / link.stem).symlink_to(link.read_text().strip())
    return folder, next((path.stem for path in (folder / "dialects").glob("*.yaml")), None)


def describe(report: Report) -> str:
    """Format the findings as in `expected.txt`."""
    return "".join(f"{f.place} {f.severity} {f.rule}\n" for f in report.findings)


def hints(report: Report) -> str:
    """Format the places and hints as in `expected.hints.txt`."""
    return "".join(f"{f.place} {f.hint}\n" for f in report.findings if f.hint)
