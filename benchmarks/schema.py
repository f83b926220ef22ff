"""The open JSON Schema → records, tagged unions and types as in a port of the protocol written by hand.

The peers in pydantic and serde are written from these. Unions are tagged, nested if there are several tags (`type`,
then `subtype`), because both libraries read tagged unions in one step; they try the members of a plain union one after
another. If variants cannot be distinguished by a string, the peer only gets the one with the fewest required members:
this spares it work that we do. An open enum is a string.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Schema: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Plain:
    """A JSON kind; `any` for any value."""

    kind: Literal["string", "integer", "number", "boolean", "null", "object", "any"]


@dataclass(frozen=True, slots=True)
class Values:
    """One of a few strings or numbers."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    item: Type


@dataclass(frozen=True, slots=True)
class MapOf:
    value: Type


@dataclass(frozen=True, slots=True)
class Either:
    """The first member that fits."""

    members: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A reference to a record by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Tagged:
    """The case selected by the string under `key`; an open union may also be any other object."""

    key: str
    cases: tuple[tuple[tuple[str, ...], Type], ...]
    open: bool = False


Type: TypeAlias = "Plain | Values | ListOf | MapOf | Either | Named | Tagged"


@dataclass(frozen=True, slots=True)
class Member:
    key: str
    type: Type
    required: bool


class Protocol:
    """The types of an open schema."""

    def __init__(self, schema: Schema) -> None:
        self.definitions: Mapping[str, Schema] = schema["$defs"]
        self.root: str = name_of(schema)

    @property
    def properties(self) -> int:
        """Return the number of properties in all definitions."""
        return sum(len(schema.get("properties", ())) for schema in self.definitions.values())

    def records(self) -> Iterator[str]:
        """Yield the names of all records reachable from the root, each before those it contains."""
        found, waiting = set(), [self.type_of(self.root)]
        while waiting:
            for name in names_in(waiting.pop()):
                if name not in found:
                    found.add(name)
                    yield name
                    waiting += [member.type for member in self.members(name)]

    def members(self, name: str) -> list[Member]:
        """Return the members of a record."""
        schema = self.definitions[name]
        required = schema.get("required", ())
        return [Member(key, self.type(value), key in required) for key, value in schema["properties"].items()]

    def type_of(self, name: str) -> Type:
        """Return the type of a definition."""
        return Named(name) if "properties" in self.definitions[name] else self.type(self.definitions[name])

    def type(self, schema: Schema) -> Type:
        """Return the type of a schema."""
        match schema:
            case {"$ref": _}:
                return self.type_of(name_of(schema))
            case {"anyOf": [*members]}:
                return self.union(members)
            case {"const": value}:
                return Values((value,))
            case {"enum": [*values]}:
                return Values(tuple(values))
            case {"type": [*kinds]}:
                return Either(tuple(self.type({**schema, "type": kind}) for kind in kinds))
            case {"type": "object", "additionalProperties": Mapping() as values}:
                return MapOf(self.type(values))
            case {"type": "array"}:
                return ListOf(self.type(schema["items"]))
            case {"type": str() as kind}:
                return Plain(kind)  # type: ignore[arg-type]  # the schema has no other kind
        return Plain("any")

    def union(self, members: list[Schema]) -> Type:
        """Return a union's type: open unions list the known variants first; others have members of different kinds."""
        if name_of(members[0]).endswith("-known"):
            known = self.type(members[0])
            return Tagged(known.key, known.cases, open=True) if isinstance(known, Tagged) else known
        names = [name_of(member) for member in members]
        if all("properties" in self.definitions.get(name, ()) for name in names):
            return self.tagged(names)
        if {"type": "string"} in members:
            members = [member for member in members if member.get("type") != "string"] + [{"type": "string"}]
        kinds = tuple(self.type(member) for member in members)
        return kinds[0] if len(kinds) == 1 else Either(kinds)

    def tagged(self, names: list[str], done: tuple[str, ...] = ()) -> Type:
        """Return a union of records tagged by the first key that is a string in all; groups by the next key."""
        if len(names) == 1:
            return Named(names[0])
        key = next((key for key in self.tags(names[0]) if key not in done and self.all_have(names, key)), None)
        if key is None:
            return Named(min(names, key=lambda name: len(self.definitions[name].get("required", ()))))
        groups: dict[tuple[str, ...], list[str]] = {}
        for name in names:
            groups.setdefault(self.tags(name)[key], []).append(name)
        cases = tuple((values, self.tagged(group, (*done, key))) for values, group in groups.items())
        return Tagged(key, cases) if len(cases) > 1 else cases[0][1]

    def all_have(self, names: list[str], key: str) -> bool:
        return all(key in self.tags(name) for name in names)

    def tags(self, name: str) -> dict[str, tuple[str, ...]]:
        """Return the required members of a record that allow only a few strings, with these."""
        schema = self.definitions[name]
        values = {key: self.values(schema["properties"][key]) for key in schema.get("required", ())}
        return {key: texts for key, texts in values.items() if texts and all(isinstance(text, str) for text in texts)}

    def values(self, schema: Schema) -> tuple[Any, ...]:
        """Return the values that a member may have, if there are few; an additional pattern is ignored."""
        match schema:
            case {"anyOf": [{"enum": [*values]}, {"pattern": _}]} | {"enum": [*values]}:
                return tuple(values)
            case {"const": value}:
                return (value,)
            case {"$ref": _} if "enum" in self.definitions[name_of(schema)]:
                return tuple(self.definitions[name_of(schema)]["enum"])
        return ()


def name_of(schema: Schema) -> str:
    """Return the name at the end of a reference; empty if the schema is not a reference."""
    return str(schema.get("$ref", "")).rsplit("/", 1)[-1]


def names_in(of: Type) -> Iterator[str]:
    """Yield the records that a type refers to."""
    match of:
        case Named(name):
            yield name
        case ListOf(inner) | MapOf(inner):
            yield from names_in(inner)
        case Either(members):
            for member in members:
                yield from names_in(member)
        case Tagged(_, cases):
            for _, case in cases:
                yield from names_in(case)
