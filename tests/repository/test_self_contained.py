"""The repository stands alone: nothing in it refers to files beside it, and no test is skipped for want of one."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ELSEWHERE = re.compile(
    rb"\.\./shared\b|shared/(?:seeds|facts|protocols|captures|reports)\b|\bfact[s]/|seeds/\d{3}"
    rb"|[\"']shared[\"'] / [\"']"
)
"""Paths of files that only some machines have. Citations name a public document instead."""

A_PROGRAM = re.compile(
    r"`make |cannot run here|is missing|compiler|version of Python|no Go$|has no Node|not a clone"
    r"|could not be built|runs no programs|os\.name|sys\.platform"
)
"""What the reason of a skipped test says: a program, or a system that cannot run the test."""


def test_no_file_refers_to_files_beside_the_repository(root: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout.split(b"\0")
    files = [root / os.fsdecode(name) for name in listed if name]
    assert len(files) > 2000
    texts = {path: path.read_bytes() for path in files if path.is_file()}
    found = {
        f"{path.relative_to(root)}:{len(text[: each.end()].splitlines())}: {each[0].decode()}"
        for path, text in texts.items()
        for each in ELSEWHERE.finditer(text)
    }
    assert found == set()


@pytest.mark.parametrize(
    "line", [b"see ../%b/design.md" % b"shared", b"(seeds/%03d)" % 4, b'ROOT / "%b" / "seeds"' % b"shared"]
)
def test_a_reference_to_a_file_beside_the_repository_is_found(line: bytes) -> None:
    assert ELSEWHERE.search(line)


def reasons(path: Path) -> Iterator[tuple[str, str]]:
    """Yield where a module skips tests, and the source of the call."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called = ast.unparse(node.func)
            if called in {"pytest.skip", "pytest.mark.skip", "pytest.mark.skipif", "pytest.importorskip"}:
                yield f"{path.name}:{node.lineno}", ast.unparse(node)


def test_a_test_is_skipped_only_if_a_program_is_missing(root: Path) -> None:
    found = [each for path in sorted((root / "tests").rglob("test_*.py")) for each in reasons(path)]
    found += reasons(root / "tests" / "conftest.py")
    assert len(found) > 20
    assert [(where, call) for where, call in found if not A_PROGRAM.search(call.rstrip("'\")"))] == []
