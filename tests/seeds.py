"""The seed documents → the JSON examples in them, numbered in order.

An example is a fenced `json` block that is one JSON value, or else each line of such a block that is no comment.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "seeds"
FENCE = re.compile(r"^```json\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Example:
    """One JSON example: the document's number (`004`), its own number in it from 1, and its text."""

    document: str
    number: int
    text: str

    def __str__(self) -> str:
        return f"{self.document}-{self.number}"


def examples() -> list[Example]:
    """Every example of every document, in order."""
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        texts = [text for block in FENCE.findall(path.read_text(encoding="utf-8")) for text in _texts(block)]
        found += [Example(path.name[:3], number, text) for number, text in enumerate(texts, 1)]
    return found


def _texts(block: str) -> list[str]:
    if _is_json(block):
        return [block.strip()]
    return [line for line in block.splitlines() if line.strip() and not line.startswith("//")]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
