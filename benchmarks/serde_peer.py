"""The open JSON Schema → the same types in Rust, with serde's derive.

Tags are serde's internal tags. In a careful port, undeclared members of a record are kept in a flattened map, as in our
crate; a plain one drops them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from schema import Either, ListOf, MapOf, Member, Named, Plain, Protocol, Schema, Tagged, Type, Values

PLAIN = {
    "string": "String",
    "integer": "i64",
    "number": "f64",
    "boolean": "bool",
    "object": "Map<String, Value>",
    "any": "Value",
}
HEAD = """\
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
"""
DERIVE = "#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]"


class Peer:
    """The text of one module; enums have numbers as names, since nobody reads them."""

    def __init__(self, protocol: Protocol, *, plain: bool) -> None:
        self.protocol = protocol
        self.plain = plain
        self.enums: dict[Type, str] = {}
        self.waiting: list[tuple[str, Tagged | Either]] = []
        self.records = {name: f"R{number}" for number, name in enumerate(protocol.records())}
        self.numbers = count()

    def module(self) -> Iterator[str]:
        """Yield every declaration, with the root as `Message`."""
        yield HEAD
        yield f"pub type Message = {self.type(self.protocol.type_of(self.protocol.root))};"
        for name, identifier in self.records.items():
            yield from self.record(identifier, self.protocol.members(name))
        while self.waiting:
            yield from self.enum(*self.waiting.pop())

    def record(self, identifier: str, members: list[Member]) -> Iterator[str]:
        yield f"{DERIVE}\npub struct {identifier} {{"
        for number, member in enumerate(members):
            if isinstance(member.type, Values) and len(member.type.values) == 1:
                continue  # a tag or a constant, which is in the enclosing enum
            text, optional = self.type(member.type), not member.required
            if optional and not text.startswith("Option<"):
                text = f"Option<{text}>"
            absent = ', default, skip_serializing_if = "Option::is_none"' if optional else ""
            yield f'    #[serde(rename = "{member.key}"{absent})]\n    pub f{number}: {text},'
        yield "}" if self.plain else "    #[serde(flatten)]\n    pub extra: Map<String, Value>,\n}"

    def type(self, of: Type) -> str:
        match of:
            case Plain(kind):
                return PLAIN[kind]
            case Values(values):
                return "bool" if isinstance(values[0], bool) else "String" if isinstance(values[0], str) else "i64"
            case ListOf(item):
                return f"Vec<{self.type(item)}>"
            case MapOf(value):
                return f"std::collections::BTreeMap<String, {self.type(value)}>"
            case Named(name):
                return self.records[name]
            case Either(members) if Plain("null") in members:
                rest = tuple(member for member in members if member != Plain("null"))
                return f"Option<{self.type(rest[0] if len(rest) == 1 else Either(rest))}>"
            case Tagged() | Either():
                return self.name(of)

    def name(self, of: Tagged | Either) -> str:
        """Return the name of the enum for a union; equal unions share one."""
        if of not in self.enums:
            self.enums[of] = f"E{next(self.numbers)}"
            self.waiting.append((self.enums[of], of))
        return self.enums[of]

    def enum(self, identifier: str, of: Tagged | Either) -> Iterator[str]:
        if isinstance(of, Either):
            cases = [((), member) for member in of.members]
            yield f"{DERIVE}\n#[serde(untagged)]\npub enum {identifier} {{"
        else:
            cases = list(of.cases)
            yield f'{DERIVE}\n#[serde(tag = "{of.key}")]\npub enum {identifier} {{'
        for number, (values, case) in enumerate(cases):
            if values:
                aliases = "".join(f', alias = "{value}"' for value in values[1:])
                yield f'    #[serde(rename = "{values[0]}"{aliases})]'
            yield f"    V{number}({self.type(case)}),"
        yield "}"


def module(schema: Schema, *, plain: bool = False) -> str:
    """Return the types of the schema's root in Rust."""
    return "\n".join(Peer(Protocol(schema), plain=plain).module()) + "\n"
