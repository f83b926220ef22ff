"""The open JSON Schema → structs of msgspec as written by somebody who cares about speed.

A union of structs has one tag, whose values are strings, and nothing besides. So a case that a second tag divides
further is a struct without members, and whatever msgspec has no type for is any value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from operator import or_
from typing import Any

import msgspec

from schema import Either, ListOf, MapOf, Named, Plain, Protocol, Schema, Tagged, Type, Values

PLAIN: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": type(None),
    "object": dict[str, Any],
    "any": Any,
}


class Structs:
    """The structs of a protocol, one for each record and each tag that selects it."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._made: dict[tuple[str, str, str], Any] = {}

    def annotation(self, of: Type) -> Any:
        """Return a type as an annotation; Any for what msgspec cannot express."""
        match of:
            case Plain(kind):
                return PLAIN[kind]
            case ListOf(item):
                return list[self.annotation(item)]  # type: ignore[misc]  # an annotation built at run time
            case MapOf(value):
                return dict[str, self.annotation(value)]  # type: ignore[misc]  # an annotation built at run time
            case Named(name):
                return self.struct(name, "", "")
            case Tagged(key, cases, _) if cases:
                return reduce(or_, self.variants(key, cases))
            case Either((one, Plain("null"))) | Either((Plain("null"), one)):
                found = self.annotation(one)
                return Any if found is Any else found | None
            case Values(values) if all(isinstance(value, str) for value in values):
                return str
            case _:
                return Any

    def variants(self, key: str, cases: Any) -> Iterator[Any]:
        """Yield a struct for each tag."""
        for tags, case in cases:
            for tag in tags:
                yield self.struct(case.name if isinstance(case, Named) else "", key, tag)

    def struct(self, record: str, key: str, tag: str) -> Any:
        """Return the struct of a record, or an empty one, which a tag selects if there is one."""
        found = self._made.get((record, key, tag))
        if found is None:
            name = f"Struct{len(self._made)}"
            tagged = {"tag_field": key, "tag": tag} if key else {}
            self._made[record, key, tag] = Any  # within itself
            found = msgspec.defstruct(name, list(self.fields(record, key)), gc=False, **tagged)
            self._made[record, key, tag] = found
        return found

    def fields(self, record: str, key: str) -> Iterator[Any]:
        """Yield the fields of a struct, the required ones first."""
        members = self._protocol.members(record) if record else []
        numbered = [(f"field_{number}", member) for number, member in enumerate(members) if member.key != key]
        for name, member in sorted(numbered, key=lambda each: not each[1].required):
            default = {} if member.required else {"default": None}
            yield name, self.annotation(member.type), msgspec.field(name=member.key, **default)


def decoder(schema: Schema) -> Callable[[bytes], object]:
    """Return the function that decodes the schema's root."""
    protocol = Protocol(schema)
    root = Structs(protocol).annotation(protocol.type_of(protocol.root))
    return msgspec.json.Decoder(root).decode
