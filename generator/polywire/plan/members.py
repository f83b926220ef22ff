"""Structs → their members in wire order: what each is, whether it has to be there, and how its value is decoded."""

from __future__ import annotations

import dataclasses
from typing import Literal, TypeAlias

from polywire.model.nodes import Field, Model, Struct, Tag, Type
from polywire.plan.rows import kinds, type_code
from polywire.records import dataclass

Role: TypeAlias = Literal["tag", "constant", "field", "flattened"]
"""tag: part of the struct's identity · constant: always there with one value, and identifies nothing · field: any other
member with a key of its own · flattened: its value's members stand in the struct's object."""

Presence: TypeAlias = Literal["required", "required nullable", "optional", "optional nullable"]
"""Which of absent, null and a value a member may be; `optional nullable` tells all three apart."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a struct's object."""

    key: str
    """The key on the wire; of a flattened one the field's name, which does not travel."""
    role: Role
    presence: Presence
    constant: str | bool | int | float | None = None
    """The one value of a constant, and of a tag that does not vary."""
    tag: Tag | None = None
    field: Field | None = None
    """The declaration of a field, and of a tag that varies."""
    operation: object = dataclasses.field(default=None, hash=False)
    """How the value is decoded, as `polywire.plan.rows` writes types; None for what is constant."""

    @property
    def claimed(self) -> tuple[str | bool | int, ...]:
        """Values of a union's discriminator that sibling variants answer to."""
        return () if self.field is None else self.field.claimed


@dataclass(frozen=True, slots=True)
class StructPlan:
    """A struct with its members in the order of encoders."""

    struct: Struct
    members: tuple[Member, ...]
    demanded: tuple[Field, ...]
    """The fields that whoever makes one has to give."""


def struct_plan(model: Model, struct: Struct) -> StructPlan:
    """Tags, constants, then fields; what never travels is left out."""
    varying = {field.tag.key: field for field in struct.wire_fields if field.tag is not None}
    members = [_tag(model, tag, varying.get(tag.key)) for tag in struct.tags]
    members += [Member(const.key, "constant", "required", const.value) for const in struct.consts]
    members += [_field(model, each) for each in struct.wire_fields if each.tag is None]
    return StructPlan(struct, tuple(members), tuple(each for each in struct.wire_fields if is_demanded(each)))


def is_demanded(field: Field) -> bool:
    """Whether a constructor asks for a field: it must be given, and the spec has no default for it."""
    return must_be_given(field) and not field.has_default


def must_be_given(field: Field) -> bool:
    """Whether a new object has the field, though readers may tolerate its absence."""
    return field.required or field.construct_required


def as_new(struct: Struct) -> Struct:
    """A struct as whoever makes a new object meets it: with the fields, types and presence of the newest release.

    It is the struct itself where readers meet the same.
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
    """Whether null is a value of a field, because it says so or because its type has it."""
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
