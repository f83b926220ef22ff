"""JSON text → its value and the errors that a parser finds in it.

Text without errors is read by the standard library. All other text is read token by token, to list every error up to
the first syntax error: what follows has no meaning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from json import JSONDecoder
from typing import Any, NoReturn

from polywire.ground.engine import MAX_DEPTH, MAX_DIGITS, Fault


class Object(dict[str, Any]):
    """The members of an object with duplicate keys; the last value of each key wins."""

    __slots__ = ("overwritten",)

    def __init__(self) -> None:
        super().__init__()
        self.overwritten: list[tuple[str, Any]] = []
        """The overwritten values, with their keys."""


@dataclass(frozen=True, slots=True)
class Text:
    """The result of parsing a text."""

    value: Any = None
    """Undefined if there is a fault."""
    faults: tuple[Fault, ...] = ()
    """Faults, one of which every binding has to report."""
    free: tuple[Fault, ...] = ()
    """Faults of overwritten values only, which a binding may report."""
    duplicates: bool = False
    """Whether some object has a duplicate key."""


def read(data: bytes | str) -> Text:
    """Read one JSON text (RFC 8259, UTF-8)."""
    text, encoding = _text(data)
    if not encoding and (found := _sound(text)) is not None:
        return found
    scanner = _Scanner(text)
    end = scanner.scan()
    syntax = [] if end is None else [Fault("invalid_json", "", f"not JSON at character {end}")]
    certain = scanner.codes if end is None else scanner.codes | scanner.free
    return Text(
        scanner.value,
        (*encoding, *syntax, *_faults(certain)),
        _faults(scanner.free - certain),
        duplicates=scanner.duplicates,
    )


def _text(data: bytes | str) -> tuple[str, list[Fault]]:
    """Return the text and its encoding errors; invalid UTF-8 becomes U+FFFD, which is invalid JSON outside strings."""
    try:
        if isinstance(data, str):
            data.encode()  # a raw lone surrogate cannot have come from UTF-8
            return data, []
        return data.decode(), []
    except UnicodeDecodeError as error:
        return data.decode("utf-8", "replace"), [  # type: ignore[union-attr]  # only bytes are decoded
            Fault("invalid_utf8", "", f"not UTF-8 at byte {error.start}")
        ]
    except UnicodeEncodeError as error:
        return _SURROGATE.sub("\ufffd", data), [  # type: ignore[arg-type]  # only text is encoded
            Fault("invalid_utf8", "", f"lone surrogate at character {error.start}")
        ]


_SURROGATE = re.compile("[\ud800-\udfff]")

_MESSAGES = {
    "too_deep": f"nested deeper than {MAX_DEPTH} levels",
    "out_of_range": f"an integer literal of more than {MAX_DIGITS} digits",
}


def _faults(codes: frozenset[str]) -> tuple[Fault, ...]:
    return tuple(Fault(code, "", message) for code, message in _MESSAGES.items() if code in codes)


# --- text without errors ---------------------------------------------------------------------------------------


def _sound(text: str) -> Text | None:
    """Return the result of the standard library if it can read the text and the text has no errors."""
    repeats: list[Object] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        repeats.append(_repeated(pairs))
        return repeats[-1]

    try:
        value = JSONDecoder(object_pairs_hook=members, parse_constant=_refuse).decode(text)
    except (ValueError, RecursionError):
        return None
    if _too_deep(text) or (len(text) > MAX_DIGITS and _MANY_DIGITS.search(text)):
        return None
    return Text(value, duplicates=bool(repeats))


def _repeated(pairs: list[tuple[str, Any]]) -> Object:
    found = Object()
    for key, value in pairs:
        if key in found:
            found.overwritten.append((key, found[key]))
        found[key] = value
    return found


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_MANY_DIGITS = re.compile(f"[0-9]{{{MAX_DIGITS + 1}}}")
_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[^"\[\]{}]+', re.DOTALL)
"""Matches everything in a JSON text except its brackets."""
_LEVEL = {"[": 1, "{": 1, "]": -1, "}": -1}


def _too_deep(text: str) -> bool:
    """Return whether a JSON text nests deeper than `MAX_DEPTH`."""
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return False
    return max(accumulate(_LEVEL[mark] for mark in _BRACKETS.sub("", text)), default=0) > MAX_DEPTH


# --- any text --------------------------------------------------------------------------------------------------

_SPACE = re.compile("[ \t\n\r]*")
_TOKEN = re.compile(
    r"""
    (?P<mark>[{}\[\],:])
  | (?P<string>"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*")
  | (?P<float>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)(?![.eE]))
  | (?P<integer>-?(?:0|[1-9][0-9]*)(?![.eE0-9]))
  | (?P<word>true|false|null)
    """,
    re.VERBOSE,
)

_CUT_SHORT = re.compile(rf"-?[1-9][0-9]{{{MAX_DIGITS},}}[.eE]")
"""Matches a number that breaks off after its digits, which a parser may read as an integer literal that is too long."""

_SCALARS: dict[str, Callable[[str], Any]] = {
    "string": json.loads,
    "float": float,
    "integer": lambda token: int(token) if _fits(token) else 10**MAX_DIGITS,
    "word": json.loads,
}

_VALUE = {"[", "{", "string", "float", "integer", "word"}
_MAY_FOLLOW = {
    "start": _VALUE,
    "[": _VALUE | {"]"},
    "{": {"string", "}"},
    ":": _VALUE,
    "key": {":"},
    "item": {",", "]"},
    "member": {",", "}"},
    "next item": _VALUE,
    "next member": {"string"},
    "end": set[str](),
}
"""Position of the scanner → the tokens that may follow."""

_NONE = frozenset[str]()


def _fits(integer: str) -> bool:
    return len(integer.lstrip("-")) <= MAX_DIGITS


@dataclass(slots=True)
class _Open:
    """An array or object that has not ended yet, with the codes of the faults in it."""

    value: list[Any] | Object
    codes: frozenset[str]
    """Codes of the level itself and of an array's items."""
    key: str = ""
    members: dict[str, frozenset[str]] = field(default_factory=dict)
    """Codes of each member of an object."""

    @property
    def all_codes(self) -> frozenset[str]:
        return self.codes.union(*self.members.values())


class _Scanner:
    """Reads a text to its end or to its first syntax error."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[_Open] = []
        self._at = "start"
        self.value: Any = None
        self.codes = _NONE
        """Codes of the faults one of which every binding has to report."""
        self.free = _NONE
        """Codes of the faults in overwritten values."""
        self.duplicates = False

    def scan(self) -> int | None:
        """Return the position of the first syntax error, if there is one."""
        position = 0
        while (position := _SPACE.match(self._text, position).end()) < len(self._text):  # type: ignore[union-attr]  # always matches
            token = _TOKEN.match(self._text, position)
            kind = "" if token is None else token[0] if token.lastgroup == "mark" else str(token.lastgroup)
            if token is None or kind not in _MAY_FOLLOW[self._at]:
                return self._broken(position)
            self._take(kind, token[0])
            position = token.end()
        return None if self._at == "end" else self._broken(position)

    def _broken(self, position: int) -> int:
        self.codes = self.codes.union(*(each.all_codes for each in self._open))
        if "integer" in _MAY_FOLLOW[self._at] and _CUT_SHORT.match(self._text, position):
            self.codes |= {"out_of_range"}
        return position

    def _take(self, kind: str, token: str) -> None:
        match kind:
            case "[" | "{":
                codes = _NONE if len(self._open) < MAX_DEPTH else frozenset({"too_deep"})
                self._open.append(_Open([] if kind == "[" else Object(), codes))
                self._at = kind
            case "]" | "}":
                self._close(self._open.pop())
            case ",":
                self._at = f"next {self._at}"
            case ":":
                self._at = kind
            case "string" if self._at in {"{", "next member"}:
                self._open[-1].key = json.loads(token)
                self._at = "key"
            case _:
                codes = frozenset({"out_of_range"}) if kind == "integer" and not _fits(token) else _NONE
                self._add(_SCALARS[kind](token), codes)

    def _close(self, ended: _Open) -> None:
        """Close a level. Nothing is kept below the maximum depth, so that the value can still be walked."""
        self._add(ended.value if len(self._open) < MAX_DEPTH else type(ended.value)(), ended.all_codes)

    def _add(self, value: Any, codes: frozenset[str]) -> None:
        """Add a completed value."""
        if not self._open:
            self.value, self.codes, self._at = value, codes, "end"
            return
        parent = self._open[-1]
        if isinstance(parent.value, list):
            parent.value.append(value)
            parent.codes |= codes
            self._at = "item"
            return
        if parent.key in parent.value:
            parent.value.overwritten.append((parent.key, parent.value[parent.key]))
            self.free |= parent.members[parent.key]
            self.duplicates = True
        parent.value[parent.key] = value
        parent.members[parent.key] = codes
        self._at = "member"
