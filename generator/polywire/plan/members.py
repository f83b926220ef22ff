"""Structs → their members in wire order: the role of each, whether it must be present, and how its value is decoded."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal, TypeAlias

from polywire.model.nodes import Field, Model, Struct, Tag
from polywire.plan.rows import kinds, type_code
from polywire.source.types import Type

Role: TypeAlias = Literal["tag", "constant", "field", "flattened"]
"""tag: part of the struct's identity · constant: always present with one value, without identifying the struct · field:
any other member with its own key · flattened: the members of its value are members of the struct's object."""

Presence: TypeAlias = Literal["required", "required nullable", "optional", "optional nullable"]
"""Which of absent, null and a value a member may be; `optional nullable` distinguishes all three."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct's object."""

    key: str
    """The key on the wire; for a flattened member, the field's name, which is not on the wire."""
    role: Role
    presence: Presence
    constant: str | bool | int | float | None = None
    """The value of a constant or of a tag that does not vary."""
    tag: Tag | None = None
    field: Field | None = None
    """The declaration of a field, and of a tag that varies."""
    operation: object = dataclasses.field(default=None, hash=False)
    """How the value is decoded, as in `polywire.plan.rows`; None for a constant."""

    @property
    def claimed(self) -> tuple[str | bool | int, ...]:
        """The values of a union's discriminator that select sibling variants."""
        return () if self.field is None else self.field.claimed


@dataclass(frozen=True, slots=True)
class StructPlan:
    """A struct with its members in the order of encoders."""

    struct: Struct
    members: tuple[Member, ...]
    demanded: tuple[Field, ...]
    """The fields that a caller must give to create one."""


def struct_plan(model: Model, struct: Struct) -> StructPlan:
    """The members: tags, constants, then fields; members that are never sent are left out."""
    varying = {field.tag.key: field for field in struct.wire_fields if field.tag is not None}
    members = [_tag(model, tag, varying.get(tag.key)) for tag in struct.tags]
    members += [Member(const.key, "constant", "required", const.value) for const in struct.consts]
    members += [_field(model, each) for each in struct.wire_fields if each.tag is None]
    return StructPlan(struct, tuple(members), tuple(each for each in struct.wire_fields if is_demanded(each)))


def is_demanded(field: Field) -> bool:
    """Whether a constructor requires a field: a new object must have it, and the spec has no default for it."""
    return must_be_given(field) and not field.has_default


def must_be_given(field: Field) -> bool:
    """Whether a new object must have the field, though readers may accept its absence."""
    return field.required or field.construct_required


def as_new(struct: Struct) -> Struct:
    """A struct as it is for new objects: with the fields, types and presence of the newest release.

    It is the same object if there is no difference from what readers accept.
    """
    fields = tuple(field_as_new(each) for each in struct.fields if not each.retired)
    return struct if fields == struct.fields else dataclasses.replace(struct, fields=fields)


def field_as_new(field: Field) -> Field:
    """A field as the newest release has it."""
    if field.new is None:
        return field
    type_, nullable, required = field.new
    return dataclasses.replace(field, type=type_, nullable=nullable, required=required, new=None)


def presence(required: bool, nullable: bool) -> Presence:
    """The presence of a member."""
    if nullable:
        return "required nullable" if required else "optional nullable"
    return "required" if required else "optional"


def is_nullable(model: Model, field: Field) -> bool:
    """Whether null is a valid value of a field, because the field allows it or because its type does."""
    return field.nullable or "null" in kinds(model, field.type)


def _tag(model: Model, tag: Tag, varying: Field | None) -> Member:
    operation = None if varying is None else _operation(model, varying.type)
    return Member(tag.key, "tag", presence(not tag.optional, False), tag.constant, tag, varying, operation)


def _field(model: Model, field: Field) -> Member:
    return Member(
        key=field.name,
        role="flattened" if field.flatten else "field",
        presence=presence(field.required, is_nullable(model, field)),
        field=field,
        operation=_operation(model, field.type),
    )


def _operation(model: Model, type_: Type) -> object:
    return type_code(model, type_)
