"""The open JSON Schema → pydantic models as written by somebody who cares about speed.

datamodel-code-generator turns the schema's `anyOf` into plain unions, whose members pydantic tries one after another;
beating those proves little. Here unions are tagged, and an open union falls back to a dict.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model

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
CONFIG = ConfigDict(extra="allow", strict=True, defer_build=True)


def annotation(of: Type) -> Any:
    """Return a type as a pydantic annotation; records are referred to by name, so that they may be recursive."""
    match of:
        case Plain(kind):
            return PLAIN[kind]
        case Values(values):
            return Literal[values]
        case ListOf(item):
            return list[annotation(item)]  # type: ignore[misc]  # an annotation built at run time
        case MapOf(value):
            return dict[str, annotation(value)]  # type: ignore[misc]  # an annotation built at run time
        case Either(members):
            return united([annotation(member) for member in members])
        case Named(name):
            return Annotated[name, ...]  # type: ignore[valid-type]  # a string alone cannot be joined by `|`
        case Tagged(key, cases, is_open):
            known = Annotated[united([annotation(case) for _, case in cases]), Field(discriminator=key)]
            return Annotated[united([known, dict[str, Any]]), Field(union_mode="left_to_right")] if is_open else known


def united(members: list[Any]) -> Any:
    """Return a union of the members."""
    return reduce(or_, members)


def validator(schema: Schema) -> Callable[[bytes], object]:
    """Return `validate_json` of the schema's root, with a model for each reachable record."""
    protocol = Protocol(schema)
    made: dict[str, Any] = {name: model(protocol, name) for name in protocol.records()}
    for each in made.values():
        each.model_rebuild(_types_namespace=made)
    adapter: TypeAdapter[object] = TypeAdapter(
        annotation(protocol.type_of(protocol.root)), config=ConfigDict(defer_build=True)
    )
    adapter.rebuild(_types_namespace=made)
    return adapter.validate_json


def model(protocol: Protocol, name: str) -> type[BaseModel]:
    """Return the model of a record; tags keep their names, since discriminators refer to them."""
    tags = protocol.tags(name)
    fields: dict[str, Any] = {}
    for number, member in enumerate(protocol.members(name)):
        attribute = member.key if member.key in tags else f"field_{number}"
        of = Values(tags[member.key]) if member.key in tags else member.type
        fields[attribute] = (annotation(of), Field(... if member.required else None, alias=member.key))
    return create_model(name, __config__=CONFIG, **fields)
