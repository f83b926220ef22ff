"""Definitions shared by the engines of all languages: error codes, limits, flags of rows, and JSON values.

`polywire.plan.rows` describes the rows themselves; `polywire.reference` is the generator's own engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from json import JSONEncoder
from typing import Any

REQUIRED, NULLABLE, FLATTEN = 1, 2, 4
"""Flags in the row of a field."""

MAX_DEPTH = 128
"""Maximum nesting of `{` and `[` that is accepted."""

MAX_DIGITS = 4300
"""Maximum digits of an integer literal that parsers accept: conversion takes quadratic time."""

MAX_INTEGER = 2**53 - 1
"""The largest `integer`: up to this value, every integer is exactly representable as a double."""

CODES = (
    "too_long",
    "invalid_utf8",
    "invalid_json",
    "too_deep",
    "wrong_type",
    "missing_field",
    "unknown_variant",
    "no_variant",
    "wrong_constant",
    "unknown_value",
    "out_of_range",
    "bad_format",
    "out_of_bounds",
    "unknown_field",
)
"""All error codes, in order of precedence when several apply to one value."""

KINDS = ("null", "boolean", "number", "string", "array", "object")
"""The kinds of JSON value that an inline union distinguishes."""

FORMATS = {
    "uuid": re.compile(r"\A[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z"),
    "timestamp": re.compile(
        r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})\Z"
    ),
}


class Fault(Exception):  # noqa: N818 (the field's term: a fault has a code and a place)
    """One error in a document: a code from `CODES`, a JSON Pointer, and a message for people."""

    def __init__(self, code: str, path: str = "", message: str = "") -> None:
        super().__init__(code, path, message)
        self.code = code
        self.path = path
        self.message = message

    def __str__(self) -> str:
        where = f" at {self.path}" if self.path else ""
        return f"{self.code}{where}: {self.message}" if self.message else f"{self.code}{where}"


def pointer(path: Iterable[str | int]) -> str:
    """Convert keys and indices to a JSON Pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def glob(pattern: str) -> Callable[[str], object]:
    """Compile a pattern, in which `*` matches any text including none, into a test of a whole string."""
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL).fullmatch


# --- JSON values -----------------------------------------------------------------------------------------------

_ENCODER = JSONEncoder(separators=(",", ":"), allow_nan=False)


def dumps(value: Any) -> str:
    """Write a JSON value as one line of ASCII; floats in their shortest exact form, lone surrogates as escapes."""
    return _ENCODER.encode(value)


_KIND_OF: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    tuple: "array",
    dict: "object",
}


def kind(value: object) -> str | None:
    """The kind of a JSON value: "null" "boolean" "integer" "number" "string" "array" "object"; None for other values.

    An int is "integer", a float "number"; subclasses count as their base class.
    """
    found = _KIND_OF.get(type(value))
    if found is None:
        found = next((name for base, name in _KIND_OF.items() if isinstance(value, base)), None)
    return found


def equal(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal: kinds strictly, numbers as doubles, order of members ignored."""
    match kind(one), kind(other):
        case "object", "object":
            return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
        case "array", "array":
            return len(one) == len(other) and all(map(equal, one, other))
        case ("integer" | "number", "integer" | "number"):
            return bool(one == other) or double(one) == double(other) is not None
        case here, there:
            return here == there and bool(one == other)


def double(value: float) -> float | None:
    """Convert a finite number to a double; return None if it overflows."""
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if found - found == 0 else None
