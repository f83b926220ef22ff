"""The structs of a union → the members that all of them share, which are read without a match on the variant.

A member is shared if every struct has a field with its key and one and the same type, included from a mixin or not. It
may be absent or null in some of them. Tags are not members in this sense.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from polywire.model.nodes import Field, Model
from polywire.source.types import Type


@dataclass(frozen=True, slots=True)
class SharedMember:
    """A member that all variants of a union share."""

    key: str
    type: Type
    fields: Mapping[str, Field] = field(hash=False)
    """The field of each struct that a value of the union may be."""


def shared_members(model: Model, structs: tuple[str, ...]) -> tuple[SharedMember, ...]:
    """The members that all structs share, in the order of the first one."""
    fields = {
        name: {each.name: each for each in model.struct(name).wire_fields if not each.flatten and each.tag is None}
        for name in structs
    }
    first = fields[structs[0]] if structs else {}
    return tuple(
        SharedMember(key, own.type, {name: each[key] for name, each in fields.items()})
        for key, own in first.items()
        if all(key in each and each[key].type == own.type for each in fields.values())
    )
