"""JSON values: their kinds, equality, and how they are written."""

from __future__ import annotations

from json import JSONEncoder
from typing import Any, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

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
