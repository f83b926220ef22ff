"""The open JSON Schema → records, tagged unions and types, as somebody who ports the protocol by hand would have them.

The peers in pydantic and serde are written from these. Unions are tagged ones, nested where tags are (`type`, then
`subtype`), because both libraries read those in one step; they try the members of a plain union one after another.
Where variants cannot be told apart by a text, the peer gets the one with the fewest required members alone: it is
spared work that we do. An open enum is a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Schema: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Plain:
    """A kind of JSON, `any` for whatever it is."""

    kind: Literal["string", "integer", "number", "boolean", "null", "object", "any"]


@dataclass(frozen=True, slots=True)
class Values:
    """One of a few texts or numbers."""

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
    """A record, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Tagged:
    """The case whose texts the member `key` has one of; an open one may also be any other object."""

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
        """How many properties all definitions declare."""
        return sum(len(schema.get("properties", ())) for schema in self.definitions.values())

    def records(self) -> Iterator[str]:
        """The names of all records that the root can reach, a record before those in it."""
        found, waiting = set(), [self.type_of(self.root)]
        while waiting:
            for name in names_in(waiting.pop()):
                if name not in found:
                    found.add(name)
                    yield name
                    waiting += [member.type for member in self.members(name)]

    def members(self, name: str) -> list[Member]:
        """What a record declares."""
        schema = self.definitions[name]
        required = schema.get("required", ())
        return [Member(key, self.type(value), key in required) for key, value in schema["properties"].items()]

    def type_of(self, name: str) -> Type:
        """The type of a definition."""
        return Named(name) if "properties" in self.definitions[name] else self.type(self.definitions[name])

    def type(self, schema: Schema) -> Type:
        """Whatever a schema says."""
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
                return Plain(kind)  # type: ignore[arg-type]  # the schema has no other
        return Plain("any")

    def union(self, members: list[Schema]) -> Type:
        """An open union has its known variants first; other unions have members of different kinds."""
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
        """One record of several: by the first key that all of them have as a text, then each group by the next."""
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
        """The required members of a record that are one of a few texts, with these."""
        schema = self.definitions[name]
        values = {key: self.values(schema["properties"][key]) for key in schema.get("required", ())}
        return {key: texts for key, texts in values.items() if texts and all(isinstance(text, str) for text in texts)}

    def values(self, schema: Schema) -> tuple[Any, ...]:
        """The values that a member may have, if it has few; a pattern beside them adds none."""
        match schema:
            case {"anyOf": [{"enum": [*values]}, {"pattern": _}]} | {"enum": [*values]}:
                return tuple(values)
            case {"const": value}:
                return (value,)
            case {"$ref": _} if "enum" in self.definitions[name_of(schema)]:
                return tuple(self.definitions[name_of(schema)]["enum"])
        return ()


def name_of(schema: Schema) -> str:
    """The name that a reference ends in; empty if the schema is none."""
    return str(schema.get("$ref", "")).rsplit("/", 1)[-1]


def names_in(of: Type) -> Iterator[str]:
    """The records that a type names."""
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
