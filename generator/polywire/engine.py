"""What every engine shares, whatever its language: codes of faults, limits, flags of rows, and JSON values.

The rows themselves are described in `polywire.plan.rows`; the generator's own engine is `polywire.reference`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from json import JSONEncoder
from typing import Any

REQUIRED, NULLABLE, FLATTEN = 1, 2, 4
"""Flags of a field's row."""

MAX_DEPTH = 128
"""Levels of `{` and `[` that pass."""

MAX_DIGITS = 4300
"""Digits of the longest integer literal that a parser takes: converting one takes quadratic time."""

MAX_INTEGER = 2**53 - 1
"""The largest `integer`: up to here every one is a double of its own."""

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
"""Every code of a fault, in order of precedence where several meet at one value."""

KINDS = ("null", "boolean", "number", "string", "array", "object")
"""The kinds of JSON value that an inline union distinguishes."""

FORMATS = {
    "uuid": re.compile(r"\A[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z"),
    "timestamp": re.compile(
        r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})\Z"
    ),
}


class Fault(Exception):  # noqa: N818 (the word of the field: a fault has a code and a place)
    """One thing that is wrong with a document: a code of `CODES`, a JSON Pointer, and a message for people."""

    def __init__(self, code: str, path: str = "", message: str = "") -> None:
        super().__init__(code, path, message)
        self.code = code
        self.path = path
        self.message = message

    def __str__(self) -> str:
        where = f" at {self.path}" if self.path else ""
        return f"{self.code}{where}: {self.message}" if self.message else f"{self.code}{where}"


def pointer(path: Iterable[str | int]) -> str:
    """Keys and indices → JSON Pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def glob(pattern: str) -> Callable[[str], object]:
    """A pattern whose `*` stands for any text, nothing included → the test of a whole string."""
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
    """The kind of a JSON value: "null" "boolean" "integer" "number" "string" "array" "object"; None if it is none.

    An int is "integer", a float "number"; subclasses count as what they extend.
    """
    found = _KIND_OF.get(type(value))
    if found is None:
        found = next((name for base, name in _KIND_OF.items() if isinstance(value, base)), None)
    return found


def equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: kinds strictly, numbers as doubles, order of members ignored."""
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
    """A finite number as a double; None for what overflows one."""
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if found - found == 0 else None
