"""Type expressions: what the spec language writes where a type belongs, once it is parsed.

A declared type is referred to by its name, never by its object.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

ScalarKind: TypeAlias = Literal["string", "boolean", "number", "integer", "uuid", "timestamp", "json", "object", "null"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A built-in type. `json` is any value, including null; `object` is a JSON object kept unchanged.

    `low` and `high` are inclusive bounds that strict mode checks: of the value of an `integer` or `number`, or of the
    number of code points of a `string`.
    """

    kind: ScalarKind
    low: int | float | None = None
    high: int | float | None = None

    @property
    def is_bounded(self) -> bool:
        return self.low is not None or self.high is not None


@dataclass(frozen=True, slots=True)
class LiteralType:
    """A type with exactly one value: a string, a boolean or a number."""

    value: str | bool | int | float

    @property
    def kind(self) -> ScalarKind:
        """The built-in type of the value."""
        if isinstance(self.value, str):
            return "string"
        if isinstance(self.value, bool):
            return "boolean"
        return "integer" if isinstance(self.value, int) else "number"


@dataclass(frozen=True, slots=True)
class Ref:
    """A declared enum, alias, struct or union, by its name in the spec."""

    name: str


@dataclass(frozen=True, slots=True)
class Array:
    """A JSON array; `low` and `high` are inclusive bounds that strict mode checks."""

    item: Type
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Map:
    """A JSON object with any keys, or with keys from the enum that `key` names."""

    value: Type
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """An inline union with at most one member of each JSON kind; null is a member like any other."""

    members: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class TupleType:
    """A JSON array with exactly these items."""

    items: tuple[Type, ...]


Type: TypeAlias = "Scalar | LiteralType | Ref | Array | TupleType | Map | Choice"

NULL = Scalar("null")


def or_null(type_: Type) -> Type:
    """A type that also admits null."""
    members = type_.members if isinstance(type_, Choice) else (type_,)
    return type_ if NULL in members or type_ == Scalar("json") else Choice((*members, NULL))


def mapped(type_: Type, change: Callable[[Type], Type]) -> Type:
    """A type in which each type directly inside it is replaced."""
    match type_:
        case Array(item=item):
            return replace(type_, item=change(item))
        case Map(value=value):
            return replace(type_, value=change(value))
        case TupleType(items=items):
            return replace(type_, items=tuple(map(change, items)))
        case Choice(members=members):
            return replace(type_, members=tuple(map(change, members)))
        case _:
            return type_
