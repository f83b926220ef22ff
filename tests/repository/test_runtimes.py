"""The page about the runtimes lists every source file, in the order in which to read them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

RUNTIMES = Path(__file__).resolve().parents[2] / "runtimes"

COPIED = {
    "Python": ("python/src/polywire_runtime", "*.py"),
    "TypeScript": ("typescript/src", "*.js"),
    "Go": ("go", "**/*.go"),
    "Rust": ("rust/src", "*.rs"),
}
"""Heading → the folder of the sources, and their names."""


@pytest.mark.parametrize("language", COPIED)
def test_every_source_has_its_place_in_the_reading_order(language: str) -> None:
    folder, pattern = COPIED[language]
    sources = {path.relative_to(RUNTIMES / folder).as_posix() for path in (RUNTIMES / folder).glob(pattern)}
    text = (RUNTIMES / "README.md").read_text(encoding="utf-8").split(f"\n### {language}\n")[1].split("\n### ")[0]
    listed = [name for row in re.findall(r"^\| (`.+?) \|", text, re.MULTILINE) for name in re.findall(r"`(.+?)`", row)]
    copied = {each for each in sources if not re.search(r"_test\.go$|sample|^lib\.rs$|__init__", each)}
    assert sorted(listed) == sorted(copied)
