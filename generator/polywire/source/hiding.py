"""YAML text → the same text with characters replaced that YAML would read as its own; no position changes.

Type expressions such as `T[]` and `"a" | "b"` are no plain scalars of YAML everywhere. A text in which their signs are
replaced by characters for private use can be read, so that one run reports all of them, and whatever else is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import yaml

from polywire.source.expr import leading

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""PyYAML's own parser, which is slower, reads where PyYAML is built without libyaml."""

_QUESTION = re.compile(r"(?<=[^\s\[\]{},])\?")
"""A `?` inside a plain scalar, which ends it in braces, but only for PyYAML's own parser."""
_ASCII = 128
_PRIVATE = range(0xF0000, 0xFFF80, _ASCII)


@dataclass(frozen=True, slots=True)
class Hidden:
    """A text with hidden characters: each is as far from `base` as the character that it stands for is from 0."""

    text: str
    base: int = 0

    @classmethod
    def of(cls, text: str, expressions: Iterable[tuple[int, str]] = ()) -> Hidden:
        """Hide the signs of the expressions at these offsets, and what the parser of `LOADER` cannot read."""
        base = next((each for each in _PRIVATE if not re.search(f"[{chr(each)}-{chr(each + _ASCII - 1)}]", text)), 0)
        hidden = list(text)
        for offset, expression in expressions if base else ():
            hidden[offset : offset + len(expression)] = [
                char if char.isalnum() or not char.isascii() else chr(base + ord(char)) for char in expression
            ]
        found = "".join(hidden)
        if base and LOADER is yaml.SafeLoader:
            found = _QUESTION.sub(chr(base + ord("?")), found)
        return cls(found, base if found != text else 0)

    def shown(self, text: str) -> str:
        """The characters that a part of the text stands for."""
        return text.translate({self.base + code: code for code in range(_ASCII)}) if self.base else text

    def is_expression(self, text: str) -> bool:
        """Whether a part of the text has hidden signs of an expression."""
        signs = range(self.base, self.base + _ASCII) if self.base else ()
        return any(ord(char) in signs and char != chr(self.base + ord("?")) for char in text)


def unquoted(text: str) -> Iterator[tuple[int, str]]:
    """Yield the offset of each type expression that YAML cannot read without quotes, and the expression."""
    offset = 0
    for line in text.splitlines(keepends=True):
        if _SUSPECT.search(line):
            yield from ((offset + start, found) for start, found in _in_line(_SINGLE.sub(r'"\1"', line)))
        offset += len(line)


def _in_line(line: str) -> Iterator[tuple[int, str]]:
    end = 0
    for start in (found.end() for found in _START.finditer(line)):
        found = leading(line[start:]) if start >= end else ""
        if found and _END.match(line, start + len(found)) and _is_broken(found):
            yield start, found
            end = start + len(found)


def _is_broken(expression: str) -> bool:
    """Return whether the expression, in braces and without quotes, is something else for YAML."""
    try:
        return len(yaml.safe_load(f"{{x: {expression}}}")) > 1
    except yaml.YAMLError:
        return True


_SUSPECT = re.compile(r"""[\w)>\]]\[|["'\]]\s*\||\|\s*["'\[]|<\s*\w+\s*,""")
_SINGLE = re.compile(r"'([^'\"\\]*)'")
_START = re.compile(r"""(?:[:,-][ \t]+|[\[{]\s*)(?=[\w"(\[-])""")
_END = re.compile(r"\s*[,}\]]|\s*$|[ \t]+#")
