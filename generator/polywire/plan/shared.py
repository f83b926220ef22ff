"""The structs of a union → the members that most of them share, read without a match; mixins that several types share.

A member is shared if more than half of the structs have a field with its key, from a mixin or not, and all of these
have one and the same type: three of four, but not one of two. It may be absent or null in some of them. Tags are not
members in this sense.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from polywire.model.nodes import Field, Model, Struct
from polywire.source.types import Type


@dataclass(frozen=True, slots=True)
class SharedMember:
    """A member that most variants of a union share."""

    key: str
    type: Type
    fields: Mapping[str, Field] = field(hash=False)
    """The field of each struct that has it."""
    is_everywhere: bool
    """Whether every struct of the union has it."""


def shared_members(model: Model, structs: tuple[str, ...]) -> tuple[SharedMember, ...]:
    """The shared members, in the order in which the structs first have them."""
    having: dict[str, dict[str, Field]] = {}
    for name in structs:
        for each in model.struct(name).wire_fields:
            if not each.flatten and each.tag is None:
                having.setdefault(each.name, {})[name] = each
    return tuple(
        SharedMember(key, types.pop(), fields, len(fields) == len(structs))
        for key, fields in having.items()
        if len(types := {each.type for each in fields.values()}) == 1 and 2 * len(fields) > len(structs) > 1
    )


def shared_structs(model: Model) -> tuple[Struct, ...]:
    """The structs that at least two others include, if any of their members are on the wire."""
    counted = Counter(name for struct in model.structs for name in struct.include)
    return tuple(struct for struct in model.structs if counted[struct.name] > 1 and struct.wire_fields)
