"""TOML text → the position of each key and each item of a list, which the standard library's parser does not report.

Only for text that has already been parsed, so no errors are handled here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from polywire.ground.parsing import toml_table

Path: TypeAlias = "tuple[str | int, ...]"
"""The path to a value: keys of tables, and indices in lists."""

Spot: TypeAlias = "tuple[int, int]"
"""Line and column, both from 1."""

_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRINGS = (
    re.compile(r'"""(?:\\.|[^\\])*?"{3,5}(?!")', re.DOTALL),
    re.compile(r"'''.*?'{3,5}(?!')", re.DOTALL),
    re.compile(r'"(?:\\.|[^"\\])*"'),
    re.compile(r"'[^']*'"),
)
_OTHER = re.compile(r"[^,\]}\r\n#]+")  # numbers, booleans, dates


def places(text: str) -> dict[Path, Spot]:
    """Return the position of each value's key, of each item in a list, and of each table's header."""
    breaks = [-1, *(match.start() for match in re.finditer("\n", text))]
    found: dict[Path, Spot] = {}
    line = 1
    for path, index in sorted(_Scanner(text).run(), key=lambda each: each[1]):
        while line < len(breaks) and breaks[line] < index:
            line += 1
        found.setdefault(path, (line, index - breaks[line - 1]))
    return found


class _Scanner:
    """One pass over the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def run(self) -> Iterator[tuple[Path, int]]:
        """Yield each path and its index in the text."""
        table: Path = ()
        counts: dict[Path, int] = {}
        """The number of headers so far of each array of tables."""
        self._skip()
        while self._at < len(self._text):
            start = self._at
            if self._text[start] == "[":
                width = 2 if self._text.startswith("[[", start) else 1
                self._at += width
                table = ()
                for key in (keys := self._keys())[:-1]:
                    table = _current((*table, key), counts)
                table = (*table, keys[-1])
                if width == 2:
                    counts[table] = counts.get(table, 0) + 1
                table = _current(table, counts)
                yield from ((table[:depth], start) for depth in range(1, len(table) + 1))
                self._skip()
                self._at += width
            else:
                yield from self._pair(table)
            self._skip()

    def _pair(self, above: Path) -> Iterator[tuple[Path, int]]:
        start = self._at
        keys = self._keys()
        yield from ((above + keys[:depth], start) for depth in range(1, len(keys) + 1))
        self._skip()
        self._at += 1  # the sign between key and value
        self._skip()
        yield from self._value(above + keys)

    def _value(self, path: Path) -> Iterator[tuple[Path, int]]:
        opening = self._text[self._at]
        if opening not in "[{":
            self._at = (self._string() or _match(_OTHER, self._text, self._at)).end()
            return
        self._at += 1
        self._skip()
        count = 0
        while self._text[self._at] not in "]}":
            if opening == "[":
                yield (*path, count), self._at
                yield from self._value((*path, count))
                count += 1
            else:
                yield from self._pair(path)
            self._skip()
            if self._text[self._at] == ",":
                self._at += 1
                self._skip()
        self._at += 1

    def _keys(self) -> tuple[str, ...]:
        keys = [self._key()]
        while self._text[self._at] == ".":
            self._at += 1
            keys.append(self._key())
        return tuple(keys)

    def _key(self) -> str:
        self._skip()
        quoted = self._string()
        found = quoted or _match(_BARE, self._text, self._at)
        self._at = found.end()
        self._skip()
        return str(toml_table(f"key = {found[0]}".encode())["key"]) if quoted else found[0]

    def _string(self) -> re.Match[str] | None:
        return next((found for form in _STRINGS if (found := form.match(self._text, self._at))), None)

    def _skip(self) -> None:
        self._at = _match(_GAP, self._text, self._at).end()


def _current(table: Path, counts: dict[Path, int]) -> Path:
    """Return the path of a table; in an array of tables, that of the last one so far."""
    return (*table, counts[table] - 1) if table in counts else table


def _match(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str]:
    found = pattern.match(text, at)
    if found is None:
        raise ValueError(f"no TOML at {at}")
    return found
