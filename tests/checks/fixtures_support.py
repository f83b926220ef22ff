"""The fixture folders of the rules: what a case is, and how it is laid out on disk to be checked.

A case is a spec folder with `expected.txt`, which lists every finding as `file:line:column severity rule`, and
`expected.strict.txt` where strictness changes something. `NAME.size` stands for a file NAME of that many bytes, and
`NAME.link` for a symbolic link NAME to what it says, neither of which belongs into a repository.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from polywire.checks import Report

FIXTURES = Path(__file__).parent / "fixtures"
LINE = b"# a comment of no consequence\n"


def cases() -> list[Path]:
    """Every folder that asserts something, below the folder of its rule."""
    return sorted(path.parent for path in FIXTURES.rglob("expected.txt"))


def rule_of(case: Path) -> str:
    return case.relative_to(FIXTURES).parts[0]


def materialise(case: Path, folder: Path) -> tuple[Path, str | None]:
    """A copy of a case in which everything stands for itself, and the dialect that it is about."""
    shutil.copytree(case, folder, ignore=shutil.ignore_patterns("expected*.txt", "*.size", "*.link"))
    for size in case.glob("*.size"):
        wanted = int(size.read_text())
        (folder / size.stem).write_bytes((LINE * (wanted // len(LINE) + 1))[: wanted - 1] + b"\n")
    for link in case.glob("*.link"):
        (folder / link.stem).symlink_to(link.read_text().strip())
    return folder, next((path.stem for path in (folder / "dialects").glob("*.yaml")), None)


def describe(report: Report) -> str:
    """The findings as `expected.txt` lists them."""
    return "".join(f"{f.place} {f.severity} {f.rule}\n" for f in report.findings)
