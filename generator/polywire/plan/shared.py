"""Unions → the members that their variants share, for accessors that need no match.

A member is shared if at least two variants include it from the same mixin, so that the spec declares it to be the same,
and at least half of the variants have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from polywire.model.nodes import Field, Model, Struct, Union
from polywire.model.walk import structs_of
from polywire.source.types import Type


@dataclass(frozen=True, slots=True)
class SharedMember:
    """A member that the variants of a union share."""

    key: str
    type: Type
    fields: Mapping[str, Field]
    """The structs that have a member with this key and type, with their fields; some may not include the mixin."""


def shared_members(model: Model, union: Union) -> tuple[SharedMember, ...]:
    """The shared members of a union, including those of nested unions, in the order of its variants."""
    structs = [model.struct(name) for name in structs_of(union.dispatch)]
    holders: dict[str, list[tuple[Struct, Field]]] = {}
    counts: Counter[tuple[str | None, str]] = Counter()
    for struct in structs:
        for each in struct.wire_fields:
            counts[each.origin, each.name] += 1
            if not each.flatten:
                holders.setdefault(each.name, []).append((struct, each))
    found: dict[str, Type] = {}
    for struct in structs:
        for each in struct.wire_fields:
            if each.origin is not None and counts[each.origin, each.name] > 1 and not each.flatten:
                found.setdefault(each.name, each.type)
    shared = (
        SharedMember(key, type_, {struct.name: each for struct, each in holders[key] if each.type == type_})
        for key, type_ in found.items()
    )
    return tuple(each for each in shared if 2 * len(each.fields) >= len(structs))
