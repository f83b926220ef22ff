"""The seed documents → the JSON examples in them, numbered in order.

An example is a fenced `json` block that is one JSON value, or otherwise each line of such a block that is not a
comment; or a JSON text in code, between `r#"` and `"#`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "seeds"
EXAMPLES = re.compile(r'^```json\n(?P<block>.*?)^```|r#"(?P<code>\{.*?\})"#', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Example:
    """One JSON example: the number of the document (`004`), its index in it from 1, and its text."""

    document: str
    number: int
    text: str

    def __str__(self) -> str:
        return f"{self.document}-{self.number}"


def document(number: str) -> str:
    """Return the text of a document."""
    (path,) = FOLDER.glob(f"{number}_*.txt")
    return path.read_text(encoding="utf-8")


def examples() -> list[Example]:
    """Return every example of every document, in order; none if there are no documents."""
    numbers = sorted(path.name[:3] for path in FOLDER.glob("*.txt"))
    return [Example(each, number, text) for each in numbers for number, text in enumerate(_texts(document(each)), 1)]


def _texts(document: str) -> Iterator[str]:
    for found in EXAMPLES.finditer(document):
        block = found["block"]
        if block is None:
            yield found["code"]
        elif _is_json(block):
            yield block.strip()
        else:
            yield from (line for line in block.splitlines() if line.strip() and not line.startswith("//"))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
