"""Structs → their members in wire order: the role of each, whether it must be present, and how its value is decoded."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal, TypeAlias

from polywire.model.nodes import Field, Model, Struct, Tag
from polywire.plan.rows import ConstantRow, FieldRow, MemberRow, StructRow

Role: TypeAlias = Literal["tag", "constant", "field", "flattened"]
"""tag: part of the struct's identity · constant: always present with one value, without identifying the struct · field:
any other member with its own key · flattened: the members of its value are members of the struct's object."""

Presence: TypeAlias = Literal["required", "required nullable", "optional", "optional nullable"]
"""Which of absent, null and a value a member may be; `optional nullable` distinguishes all three."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct's object: what engines know about it, and its declaration."""

    row: MemberRow
    tag: Tag | None = None
    field: Field | None = None
    """The declaration of a field, and of a tag that varies."""

    @property
    def key(self) -> str:
        """The key on the wire; for a flattened member, the field's name, which is not on the wire."""
        return self.row.key

    @property
    def role(self) -> Role:
        """The part that it plays in the object."""
        match self.row:
            case ConstantRow(is_tag=False):
                return "constant"
            case FieldRow(flattened=flattened):
                return "flattened" if flattened else "field"
            case _:
                return "tag"

    @property
    def presence(self) -> Presence:
        """Which of absent, null and a value it may be."""
        return presence(self.row.required, isinstance(self.row, FieldRow) and self.row.nullable)

    @property
    def constant(self) -> str | bool | int | float | None:
        """The value of a constant or of a tag that does not vary."""
        return self.row.value if isinstance(self.row, ConstantRow) else None


@dataclass(frozen=True, slots=True)
class StructPlan:
    """A struct with its members in the order of encoders."""

    struct: Struct
    members: tuple[Member, ...]
    demanded: tuple[Field, ...]
    """The fields that a caller must give to create one."""


def struct_plan(model: Model, row: StructRow) -> StructPlan:
    """The members of a row with their declarations."""
    struct = model.struct(row.name)
    varying = {each.name: each for each in struct.wire_fields if each.tag is not None}
    fields = {each.name: each for each in struct.wire_fields if each.tag is None}
    members = tuple(
        Member(each, field=fields[each.key])
        if isinstance(each, FieldRow)
        else Member(each, struct.tag(each.key), varying.get(each.key))
        for each in row.members
    )
    return StructPlan(struct, members, tuple(each for each in struct.wire_fields if is_demanded(each)))


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
