"""What the pages about limits and troubleshooting state: numbers, messages and ids are those of polywire."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from polywire.checks import RULES
from polywire.commands.cli import cli
from polywire.ground.engine import CODES, MAX_DEPTH, MAX_DIGITS, MAX_INTEGER
from polywire.oracle.reference import LIMIT
from polywire.source.tree import MAX_BYTES
from polywire.vendor.drift import COLOURS

ROOT = Path(__file__).resolve().parents[2]
LIMITS = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
TROUBLE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")


def cells(page: str, heading: str) -> list[str]:
    """Return the first cell of each row of the table with a heading."""
    _, table = page.split(f"| {heading} |", 1)
    rows = table.split("\n\n", 1)[0].splitlines()[2:]
    return [row.strip("| ").split(" | ")[0] for row in rows]


def test_the_limits_are_those_of_the_engines() -> None:
    assert f"| length of a line | {LIMIT >> 20} MiB;" in LIMITS
    assert f"| {MAX_DEPTH} levels | `too_deep` |" in LIMITS
    assert f"| {MAX_DIGITS:,} | `out_of_range`;" in LIMITS
    assert f"at most {MAX_INTEGER.bit_length()} bits: ±{MAX_INTEGER:,}." in LIMITS
    assert f"up to {MAX_BYTES >> 20} MiB per file" in LIMITS


@pytest.mark.parametrize("page", [LIMITS, TROUBLE], ids=["limits", "troubleshooting"])
def test_every_code_is_one_of_the_packages(page: str) -> None:
    named = {each for each in re.findall(r"`([a-z]+_[a-z_]+)`", page) if each != "unknown_message"}
    assert named
    assert named <= {*CODES}


def test_every_message_of_the_table_is_one_that_polywire_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "generator").rglob("*.py"))
    first, *others = cells(TROUBLE, "message")
    assert first.strip("`") in CliRunner().invoke(cli, ["init"]).output
    for cell in others:
        for text in re.findall(r"`([^`]+)`", cell):
            rule = re.fullmatch(r"(?:error|warning)\[([a-z-]+)(…?)\]", text)
            if rule is not None:
                found = [each for each in RULES if each == rule[1] or (rule[2] and each.startswith(rule[1]))]
                assert found, text
                graded = {RULES[each].severity for each in found if f"[{each}]" not in TROUBLE}
                assert (graded or {RULES[rule[1]].severity}) == {text.split("[")[0]}, text
            elif not text.startswith("polywire ") and text != "T[]":
                assert text in COLOURS or text in sources, text
