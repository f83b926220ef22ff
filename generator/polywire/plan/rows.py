"""The model → the tables that every engine interprets: a row for each declaration, in the model's order.

A row says all that an engine needs to decode, encode and examine values of a type. A *rule* says how one value is read:
it is a type expression in which every alternative of an inline union is found by the JSON kind of the value. What only
people and constructors need (docs, defaults, versions) is left out, and so are members that are never sent. Rows and
rules are frozen values without references to the model's declarations, so that equal models give equal tables; a target
spells them with `polywire.targets.common.tables`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from polywire.ground.engine import FLATTEN, KINDS, NULLABLE, REQUIRED, Kind
from polywire.model.nodes import Alias, Declaration, Enum, Field, Keys, Model, OnError, Struct, Switch, Tag, Union
from polywire.model.walk import alternatives
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, ScalarKind, TupleType, Type

_SCALAR_KINDS: Mapping[ScalarKind, tuple[Kind, ...]] = {
    "string": ("string",),
    "uuid": ("string",),
    "timestamp": ("string",),
    "number": ("number",),
    "integer": ("number",),
    "boolean": ("boolean",),
    "object": ("object",),
    "null": ("null",),
    "json": KINDS,
}
"""Built-in type → the JSON kinds of its values."""

# --- rules -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScalarRule:
    """A built-in type. `json` is any value, and `object` an object that is kept unchanged."""

    kind: ScalarKind


@dataclass(frozen=True, slots=True)
class BoundedRule:
    """A string, integer or number with inclusive bounds, each or None, which strict mode checks.

    The bounds of a string are those of its length in code points.
    """

    scalar: ScalarRule
    low: int | float | None
    high: int | float | None


@dataclass(frozen=True, slots=True)
class LiteralRule:
    """Exactly this value; numbers are compared as doubles."""

    value: str | bool | int | float


@dataclass(frozen=True, slots=True)
class NamedRule:
    """A declaration: the row under this name."""

    name: str


@dataclass(frozen=True, slots=True)
class ArrayRule:
    """An array with any number of items; strict mode checks the inclusive bounds of that number, each or None."""

    item: Rule
    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class TupleRule:
    """An array with exactly these items."""

    items: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class MapRule:
    """An object with any keys, or with the values of an enum as keys."""

    value: Rule
    key: str | None
    """The enum's name."""


@dataclass(frozen=True, slots=True)
class ChoiceRule:
    """An inline union: the JSON kind of a value selects its rule."""

    kinds: tuple[tuple[Kind, Rule], ...]
    """JSON kind → rule, in the order of the alternatives; an alias with several kinds has several entries."""
    type: Choice = field(compare=False)
    """The type expression, for targets that have a type for each alternative."""


Rule: TypeAlias = "ScalarRule | BoundedRule | LiteralRule | NamedRule | ArrayRule | TupleRule | MapRule | ChoiceRule"

# --- rows ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EnumRow:
    """An enum. An open one also accepts other values of its base, which strict mode rejects."""

    name: str
    base: Literal["string", "integer"]
    open: bool
    values: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class AliasRow:
    """Another name for a rule; it may contain itself."""

    name: str
    rule: Rule


@dataclass(frozen=True, slots=True)
class ConstantRow:
    """A member with one value: a constant tag, or a constant that does not identify the struct."""

    key: str
    value: str | bool | int | float
    is_tag: bool = False
    """Whether it is a tag. A number then has to be an integer."""
    required: bool = True
    """Whether it may not be absent; one that is absent stays absent."""


@dataclass(frozen=True, slots=True)
class TagRow:
    """A tag whose value varies: one of `values`, a value of `enum`, or any string that begins with `prefix`."""

    key: str
    rule: Rule
    """The type of its value."""
    required: bool = True
    values: tuple[str | int, ...] = ()
    """All strings or all integers."""
    enum: str | None = None
    others: str | None = None
    """The glob of unknown values that are accepted too (`*`: any integer)."""
    prefix: str | None = None


@dataclass(frozen=True, slots=True)
class FieldRow:
    """Any other member."""

    key: str
    """The key on the wire; for a flattened one, the field's name, which is not on the wire."""
    rule: Rule
    required: bool
    nullable: bool = False
    flattened: bool = False
    """Whether the members of its value are members of the struct's object."""
    claimed: tuple[str | bool | int, ...] = ()
    """Values of a union's discriminator that belong to sibling variants."""
    claimed_prefixes: tuple[str, ...] = ()
    """The beginnings of strings that belong to sibling variants."""
    on_error: OnError | None = None
    """How lenient mode repairs a value that does not fit."""

    @property
    def flags(self) -> int:
        """The presence as a sum of `REQUIRED`, `NULLABLE` and `FLATTEN` (`polywire.ground.engine`)."""
        return REQUIRED * self.required | NULLABLE * self.nullable | FLATTEN * self.flattened


MemberRow: TypeAlias = "ConstantRow | TagRow | FieldRow"


@dataclass(frozen=True, slots=True)
class StructRow:
    """A struct: its members in wire order, and the rule of all values under other keys."""

    name: str
    members: tuple[MemberRow, ...]
    extra: Rule | None
    """None if lenient mode keeps other members untyped and strict mode rejects them."""


@dataclass(frozen=True, slots=True)
class UnionRow:
    """A union, with the decision between its variants (`polywire.model.nodes.Dispatch`)."""

    name: str
    open: bool
    unknown: str
    """The name of its Unknown."""
    dispatch: Switch | Keys


Row: TypeAlias = "EnumRow | AliasRow | StructRow | UnionRow"


def rows(model: Model) -> dict[str, Row]:
    """Every declaration of a model as a row, by name."""
    return {name: _row(model, declaration) for name, declaration in model.declarations.items()}


def rule_of(model: Model, type_: Type) -> Rule:
    """The rule of a type expression."""
    match type_:
        case Scalar(kind=kind, low=low, high=high):
            return BoundedRule(ScalarRule(kind), low, high) if type_.is_bounded else ScalarRule(kind)
        case LiteralType(value=value):
            return LiteralRule(value)
        case TupleType(items=items):
            return TupleRule(tuple(rule_of(model, item) for item in items))
        case Ref(name=name):
            return NamedRule(name)
        case Array(item=item, low=low, high=high):
            return ArrayRule(rule_of(model, item), low, high)
        case Map(value=value, key=key):
            return MapRule(rule_of(model, value), key)
        case Choice(members=members):
            alternatives = ((kinds(model, member), rule_of(model, member)) for member in members)
            return ChoiceRule(tuple((kind, of) for found, of in alternatives for kind in found), type_)


def kinds(model: Model, type_: Type) -> tuple[Kind, ...]:
    """The JSON kinds of the values of a type; none for an undeclared name, and for an alias of nothing but itself."""
    found = (kind for each in alternatives(type_, model.declarations) for kind in _kinds(model, each))
    return tuple(dict.fromkeys(found))


def _kinds(model: Model, type_: Type) -> tuple[Kind, ...]:
    """The JSON kinds of a type that is neither an alias nor a choice."""
    match type_:
        case Scalar(kind=kind) | LiteralType(kind=kind):
            return _SCALAR_KINDS[kind]
        case Array() | TupleType():
            return ("array",)
        case Map():
            return ("object",)
        case Ref(name=name) if name in model.declarations:
            declared = model.declarations[name]
            return _SCALAR_KINDS[declared.base] if isinstance(declared, Enum) else ("object",)
        case _:
            return ()


def is_nullable(model: Model, field: Field) -> bool:
    """Whether null is a valid value of a field, because the field allows it or because its type does."""
    return field.nullable or "null" in kinds(model, field.type)


def _row(model: Model, declaration: Declaration) -> Row:
    match declaration:
        case Enum(name=name, base=base, open=open_, values=values):
            return EnumRow(name, base, open_, tuple(value.wire for value in values))
        case Alias(name=name, type=type_):
            return AliasRow(name, rule_of(model, type_))
        case Union(name=name, open=open_, unknown=unknown, dispatch=dispatch):
            return UnionRow(name, open_, unknown, dispatch)
        case Struct(name=name, extra=extra):
            return StructRow(
                name, tuple(_members(model, declaration)), None if extra is None else rule_of(model, extra)
            )


def _members(model: Model, struct: Struct) -> Iterator[MemberRow]:
    for tag in struct.tags:
        yield _tag(model, tag, struct)
    for const in struct.consts:
        yield ConstantRow(const.key, const.value)
    for each in struct.wire_fields:
        if each.tag is None:
            yield FieldRow(
                key=each.name,
                rule=rule_of(model, each.type),
                required=each.required,
                nullable=is_nullable(model, each),
                flattened=each.flatten,
                claimed=each.claimed,
                claimed_prefixes=each.claimed_prefixes,
                on_error=each.on_error,
            )


def _tag(model: Model, tag: Tag, struct: Struct) -> MemberRow:
    if tag.constant is not None:
        return ConstantRow(tag.key, tag.constant, is_tag=True, required=not tag.optional)
    type_ = next(each.type for each in struct.wire_fields if each.tag is not None and each.tag.key == tag.key)
    return TagRow(tag.key, rule_of(model, type_), not tag.optional, tag.values, tag.enum, tag.others, tag.prefix)
