"""Definitions shared by the engines of all languages: error codes, limits and flags of rows.

`polywire.plan.rows` describes the rows themselves; `polywire.oracle.reference` is the generator's own engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

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

Kind: TypeAlias = Literal["null", "boolean", "number", "string", "array", "object"]
"""A kind of JSON value that an inline union distinguishes."""

KINDS: tuple[Kind, ...] = ("null", "boolean", "number", "string", "array", "object")
"""All of them."""

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
