"""Sample values of every built-in type, and their text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias, TypeVar

from polywire.ground.engine import Kind
from polywire.model.nodes import Field
from polywire.oracle import reference

T = TypeVar("T")

Path: TypeAlias = "tuple[str | int, ...]"

Members: TypeAlias = "dict[str, object]"


Style: TypeAlias = Literal["minimal", "full", "random"]


class Spelled(str):
    """A number with its exact spelling: `1.0`, `1e400`."""

    __slots__ = ()


def write(value: object) -> str:
    """Write plain data and spelled numbers as compact JSON, with members in their given order."""
    match value:
        case Spelled():
            return str(value)
        case dict():
            return "{" + ",".join(f"{_scalar(key)}:{write(member)}" for key, member in value.items()) + "}"
        case list():
            return "[" + ",".join(map(write, value)) + "]"
        case _:
            return _scalar(value)


_scalar: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode

TEXTS: Final = (
    "text",
    "",
    "zażółć gęślą jaźń, 日本語",
    "a\u2028b\u2029c\u0085d",
    "\U0001f600\U00010348",
    'quote " backslash \\ slash / </script> ${x} {{ y }}',
    "\x00\x01\x1f\x7f\t\n\r",
    "e\u0301 is not \u00e9; \ufeff\ufffd",
    '{"type":"text"}',
    "null",
)

_UUIDS: Final = (
    "123e4567-e89b-12d3-a456-426614174000",
    "00000000-0000-0000-0000-000000000000",
    "ABCDEF01-2345-6789-aBcD-Ef0123456789",
)

NO_UUIDS: Final = (
    "",
    "123e4567e89b12d3a456426614174000",
    "123e4567-e89b-12d3-a456-426614174000\n",
    "{123e4567-e89b-12d3-a456-426614174000}",
    "123e4567-e89b-12d3-a456-42661417400g",
    "\u0661\u0662\u0663e4567-e89b-12d3-a456-426614174000",
)

_TIMES: Final = (
    "2025-01-02T03:04:05Z",
    "2025-01-02T03:04:05.678901234Z",
    "2025-12-31T23:59:60+14:00",
    "0000-99-99T99:99:99-00:00",
)

NO_TIMES: Final = (
    "",
    "2025-01-02",
    "2025-01-02 03:04:05Z",
    "2025-01-02T03:04:05",
    "2025-01-02T03:04:05Z\n",
    "2025-01-02t03:04:05z",
    "2025-01-02T03:04:05.Z",
    "\u0662\u0660\u0662\u0665-01-02T03:04:05Z",
)

_INTEGERS: Final = tuple(map(Spelled, ("0", "-1", "9007199254740991", "-9007199254740991", "1.0", "-0", "1E2")))

NO_INTEGERS: Final = tuple(
    map(Spelled, ("1.5", "9007199254740992", "-9007199254740992", "5e-324", "1.7976931348623157e308", "1e400"))
)

_NUMBERS: Final = tuple(
    map(
        Spelled,
        (
            "0",
            "-1",
            "9007199254740991",
            "-9007199254740991",
            "1.0",
            "5e-324",
            "1.7976931348623157e308",
            "-0.0",
            "0.1",
            "1E+2",
            "9007199254740993",
            "123456789012345678901234567890",
        ),
    )
)

NO_NUMBERS: Final = tuple(map(Spelled, ("1e400", "-1e400")))

ANYTHING: Final[tuple[object, ...]] = (
    {"a": [None, True, {"b": "c"}], "\u2028": Spelled("1.5"), "": {}},
    None,
    False,
    Spelled("0"),
    "",
    [],
    {},
    Spelled("123456789012345678901234567890"),
    [[["\U0001f600"]]],
)

_OBJECTS: Final = tuple(value for value in ANYTHING if isinstance(value, dict))

KEYS: Final = ("polywire_key", "a/b~c", "", "\u2028 \u017c", "__proto__", "constructor")

SAMPLES: Final[Mapping[str, Sequence[object]]] = {
    "string": TEXTS,
    "boolean": (True, False),
    "number": _NUMBERS,
    "integer": _INTEGERS,
    "uuid": _UUIDS,
    "timestamp": _TIMES,
    "json": ANYTHING,
    "object": _OBJECTS,
    "null": (None,),
}

OF_KIND: Final[Mapping[Kind, object]] = {
    "null": None,
    "boolean": True,
    "number": Spelled("7"),
    "string": "text",
    "array": [],
    "object": {},
}

UNHEARD: Final = "polywire_unheard_of"
"""The stem of tags, enum values and keys that occur in no spec."""


def kind_of(value: object) -> Kind:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float() | Spelled():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


UNCLAIMED: Final = tuple(range(100, 164))
"""Integers that the siblings of a variant cannot all claim."""


def is_claimed(value: object, field: Field) -> bool:
    """Return whether a sibling of a field's struct claims a value, however a number is written."""
    read = float(value) if isinstance(value, Spelled) else value
    return reference.is_claimed(read, field.claimed, field.claimed_prefixes)
