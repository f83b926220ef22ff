"""Two matching structs → the differences in their members."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from polywire.evolve.diff.matching import Matching, renamed_keys
from polywire.evolve.diff.records import Difference, Side
from polywire.ground.json_values import dumps
from polywire.ground.location import SourceLocation
from polywire.model.nodes import Const, Field, Model, OnError, Struct, Tag
from polywire.model.walk import spell
from polywire.reading.show import spell_field
from polywire.source.types import Scalar, Type

Made: TypeAlias = "Tag | Const | Field"


@dataclass(frozen=True, slots=True)
class Member:
    """A key of the struct's objects on the wire."""

    made: Made
    key: str
    text: str
    """The member as written in the spec language."""

    @property
    def place(self) -> SourceLocation:
        return self.made.place


def members(struct: Struct) -> dict[str, Member]:
    """Return the declared keys of a struct in wire order, without discriminators that are not declared."""
    found = [_tag(tag) for tag in struct.tags]
    found += [Member(const, const.key, f"{const.key}: {dumps(const.value)}") for const in struct.consts]
    fields = (f for f in struct.wire_fields if f.tag is None and not (f.claimed and f.place == struct.place))
    found += [Member(field, field.name, _field(field)) for field in fields]
    return {member.key: member for member in found}


def _tag(tag: Tag) -> Member:
    if tag.constant is not None:
        text = dumps(tag.constant)
    else:
        text = tag.enum or " | ".join(dumps(value) for value in tag.values) or f"{tag.prefix}…"
    others = f", or like {tag.others}" if tag.others else ""
    return Member(tag, tag.key, f"{tag.key}{'?' if tag.optional else ''}: {text}{others}")


def _field(field: Field) -> str:
    notes = f"{' (flattened)' if field.flatten else ''}{_repair(field.on_error)}"
    return f"{field.name}{'' if field.required else '?'}: {spell_field(field)}{notes}"


def _repair(on_error: OnError | None) -> str:
    if on_error is None:
        return ""
    ways = ["skip"] * on_error.skip + ["absent"] * on_error.absent
    return f" (on_error: {' '.join([*ways, *([dumps(on_error.value)] if on_error.replaces else [])])})"


def differences(before: Struct, after: Struct, matching: Matching) -> Iterator[Difference]:
    """Yield the differences between two structs in the order of the first one's members; additions come last."""
    old, new = members(before), members(after)
    pairs = paired(before, after, matching)
    here, there = Side(before.name, place=before.place), Side(after.name, place=after.place)
    if before.section == after.section == "messages" and matching.origin(before.origin) != after.origin:
        yield Difference("from", replace(here, text=before.origin), replace(there, text=after.origin))
    for key, member in old.items():
        side = _side(before, member)
        if key in pairs:
            other = new[pairs[key]]
            for rule in _rules(member, other, matching):
                yield Difference(rule, side, _side(after, other))
        else:
            yield Difference(_rule(member), side, there)
    for key, member in new.items():
        if key not in pairs.values():
            yield Difference(_rule(member), here, _side(after, member))
    yield from _extra(before, after, matching)


def paired(before: Struct, after: Struct, matching: Matching) -> dict[str, str]:
    """Return the corresponding keys of two structs."""
    old, new = members(before), members(after)
    same = {key: key for key in old if key in new}
    names = partial(_names, matching)
    gone = {k: names(matching.before, before, m) for k, m in old.items() if k not in same}
    come = {k: names(matching.after, after, m) for k, m in new.items() if k not in same}
    return same | dict(renamed_keys(gone, come))


def _names(matching: Matching, model: Model, struct: Struct, member: Member) -> frozenset[str]:
    return matching.names_of(model, struct, member.made) if isinstance(member.made, Field) else frozenset({member.key})


def _side(struct: Struct, member: Member) -> Side:
    return Side(struct.name, member.key, member.text, member.place)


def _rule(member: Member) -> str:
    match member.made:
        case Tag():
            return "tag"
        case Const():
            return "constant"
        case Field():
            return "field"


def _rules(before: Member, after: Member, matching: Matching) -> Iterator[str]:
    """Yield the rules by which two matching members differ."""
    match before.made, after.made:
        case Field() as old, Field() as new:
            yield from _rules_of_fields(old, new, matching)
        case Tag() as tag, Tag() as other:
            same = _meaning(tag) == _meaning(other)
            if not (same and (tag.enum is None or other.enum is None or matching.counterpart(tag.enum) == other.enum)):
                yield "tag"
        case Const(value=value), Const(value=other_value):
            if (type(value), value) != (type(other_value), other_value):
                yield "constant"
        case _:
            yield "field-role"


def _meaning(tag: Tag) -> tuple[object, ...]:
    """Return the meaning of a tag, regardless of the name of its enum."""
    values = frozenset((type(value), value) for value in tag.values)
    return type(tag.constant), tag.constant, values, tag.enum is None, tag.others, tag.optional, tag.prefix


def _rules_of_fields(before: Field, after: Field, matching: Matching) -> Iterator[str]:
    if before.name != after.name:
        yield "field-name"
    if before.required != after.required:
        yield "field-presence"
    if before.nullable != after.nullable and Scalar("json") not in (before.type, after.type):
        yield "field-null"  # null is part of the type `json`
    if before.flatten != after.flatten:
        yield "field-flatten"
    if before.on_error != after.on_error:
        yield "field-repair"
    yield from sorted(matching.aspects(before.type, after.type))


def _extra(before: Struct, after: Struct, matching: Matching) -> Iterator[Difference]:
    old, new = before.extra, after.extra
    if old == new or (old is not None and new is not None and not matching.aspects(old, new)):
        return
    yield Difference("extra", _extra_side(before, old), _extra_side(after, new))


def _extra_side(struct: Struct, extra: Type | None) -> Side:
    text = None if extra is None else f"any other key: {spell(extra)}"
    return Side(struct.name, text=text, place=struct.place)
