"""Structs of the plan → their declarations, constructors and the rows that their codecs are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from polywire.engine import kind
from polywire.errors import RenderError
from polywire.model.nodes import (
    NULL,
    About,
    Alias,
    Array,
    Choice,
    Enum,
    Field,
    Json,
    Map,
    Ref,
    Scalar,
    Struct,
    Tag,
    Type,
)
from polywire.plan import Plan
from polywire.plan.fill import ByRule, Filled, Fixed, plain_constructor
from polywire.plan.members import Member, StructPlan
from polywire.plan.rows import kinds
from polywire.targets.rust import layout
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import constant, float_literal, initializer, key, quoted, signature
from polywire.targets.rust.names import Names, override
from polywire.targets.rust.shapes import Shapes

MOST_PARAMETERS = 7
"""As many parameters as clippy lets a function have."""

NO_FIELD = "_none"
"""Stands for the field of a constant, which has none."""

FLATTENED = quoted("\0")
"""Stands for the key of a flattened field, which has none: no key is spelt so in JSON."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a constructor."""

    name: str
    type: str

    @property
    def text(self) -> str:
        """As it is declared."""
        return f"{self.name}: {self.type}"


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field as it is declared."""

    name: str
    type: str
    line: str
    doc: str
    deprecation: str | None


@dataclass(frozen=True, slots=True)
class NewView:
    """`new` of a struct."""

    doc: str
    signature: str
    too_many: bool
    """Whether it has more parameters than clippy allows."""
    parameters: tuple[Parameter, ...]
    fields: tuple[str, ...]
    """The line of each field in a literal."""
    is_default: bool
    """Whether the derived default is the same."""


@dataclass(frozen=True, slots=True)
class StructView:
    """A struct as it is declared."""

    name: str
    doc: str
    deprecation: str | None
    fields: tuple[FieldView, ...]
    new: NewView
    implements_default: bool
    """Whether `Default` has to be written out."""


@dataclass(frozen=True, slots=True)
class StructsFileView:
    """What `structs.rs` says."""

    structs: tuple[StructView, ...]


@dataclass(frozen=True, slots=True)
class RowView:
    """A member as the codec has it: the place of its key, the key, its role, the field, and what the role needs."""

    at: int
    key: str
    role: str
    field: str
    more: str | None = None


@dataclass(frozen=True, slots=True)
class RecordView:
    """The codec of a struct."""

    name: str
    spec_name: str
    """A literal."""
    place: int
    rows: tuple[RowView, ...]
    fields: tuple[RowView, ...]
    """Those of the rows that a field has."""
    needed: str
    """Places of the constants, which are always there."""
    extra: str | None
    """What becomes of undeclared members, where it is not the usual."""


class Structs:
    """The structs of a plan."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes) -> None:
        self._plan = plan
        self._model = plan.model
        self._names = names
        self._shapes = shapes

    def views(self) -> tuple[StructView, ...]:
        """Every struct as it is declared, in that order."""
        return tuple(self._view(each.struct) for each in self._plan.structs.values())

    def records(self, places: Mapping[str, int]) -> tuple[RecordView, ...]:
        """The codec of every struct, each of which has a place in the tables."""
        return tuple(self._record(each, places[each.struct.name]) for each in self._plan.structs.values())

    def _view(self, struct: Struct) -> StructView:
        new = self._new(struct)
        return StructView(
            name=self._names.type(struct.name),
            doc=layout.doc(documentation(struct.about, f"`{struct.name}`.")),
            deprecation=layout.deprecation(struct.about.deprecated),
            fields=tuple(self._fields(struct)),
            new=new,
            implements_default=not new.parameters and not new.is_default,
        )

    def _record(self, plan: StructPlan, place: int) -> RecordView:
        struct = plan.struct
        rows = tuple(self._row(struct, member, at) for at, member in enumerate(plan.members))
        return RecordView(
            name=self._names.type(struct.name),
            spec_name=quoted(struct.name),
            place=place,
            rows=rows,
            fields=tuple(row for row in rows if row.field != NO_FIELD),
            needed=" ".join(str(row.at) for row in rows if row.field == NO_FIELD),
            extra=self._extra(struct),
        )

    # What is declared.

    def _fields(self, struct: Struct) -> Iterator[FieldView]:
        for tag in filter(is_mark, struct.tags):
            says = f"Whether the optional tag `{tag.key}`, which is {quoted(str(tag.constant))}, is written."
            yield self._field(self._names.tag(tag), "bool", says, None)
        for each in struct.wire_fields:
            text = documentation(each.about, f"The member `{each.name}`.")
            yield self._field(self._names.field(each), self._shapes.field(struct, each), text, each.about.deprecated)

    def _field(self, name: str, type_: str, text: str, deprecated: str | None) -> FieldView:
        deprecation = layout.deprecation(deprecated, 4)
        return FieldView(name, type_, layout.field(name, type_), layout.doc(text, 4), deprecation)

    def _extra(self, struct: Struct) -> str | None:
        flat = next((each for each in struct.wire_fields if each.flatten), None)
        if flat is not None:
            return f"into {self._names.field(flat)}"
        if struct.extra is None or struct.extra == Scalar("json"):
            return None
        return f"typed {self._shapes.of(struct.extra)}"

    # How it is read and written.

    def _row(self, struct: Struct, member: Member, at: int) -> RowView:
        match member:
            case Member(role="constant", key=name, constant=value):
                return _const(name, value, at)
            case Member(role="tag", tag=Tag() as tag):
                return self._tag(tag, member.field, at)
            case Member(field=Field() as field):
                return self._of_field(struct, field, at)
            case _:
                raise ValueError(member)

    def _tag(self, tag: Tag, varying: Field | None, at: int) -> RowView:
        if tag.constant is not None:
            role, field = ("mark", self._names.tag(tag)) if is_mark(tag) else ("constant", NO_FIELD)
            return RowView(at, key(tag.key), role, field, constant(tag.constant))
        if varying is None:
            raise RenderError(f"target rust: no field has the values of the tag {tag.key}")
        role = "maybe_tag" if tag.optional else "tag"
        return RowView(at, key(tag.key), role, self._names.field(varying), self._fits(tag, varying))

    def _fits(self, tag: Tag, varying: Field) -> str:
        """The test of a varying tag's value."""
        type_ = self._shapes.of(varying.type)
        values = tag.values or tuple(str(each.wire) for each in self._model.enum(tag.enum or "").values)
        known = f"matches!(value.as_str(), {' | '.join(map(quoted, values))})" if values else "false"
        form = f" || glob({quoted(tag.others)}, value.as_str())" if tag.others else ""
        return f"|value: &{type_}| {known}{form}"

    def _of_field(self, struct: Struct, each: Field, at: int) -> RowView:
        name = self._names.field(each)
        if each.flatten:
            return RowView(at, FLATTENED, "flat" if each.required else "maybe_flat", name)
        if each.claimed:
            type_ = self._shapes.value(struct, each)
            test = " || ".join(self._equals(value) for value in each.claimed)
            return RowView(at, key(each.name), "claimed", name, f"|value: &{type_}| {test}")
        return RowView(at, key(each.name), self._shapes.presence(each), name)

    def _equals(self, value: str | bool) -> str:
        if isinstance(value, bool):
            return "*value" if value else "!*value"
        return f"*value == {quoted(value)}"

    # How one is made.

    def _new(self, struct: Struct) -> NewView:
        parameters: list[Parameter] = []
        fields = self.marks(struct)
        for each in plain_constructor(struct).members:
            name = self._names.field(each.field)
            fields.append((name, self._plain(struct, each, name, parameters)))
        trivial = all(value in {"None", "Presence::Absent"} for _, value in fields)
        return NewView(
            doc=layout.doc(self._new_doc(struct, parameters), 4),
            signature=signature("pub fn new", [each.text for each in parameters], " -> Self {"),
            too_many=len(parameters) > MOST_PARAMETERS,
            parameters=tuple(parameters),
            fields=tuple(initializer(name, value) for name, value in fields),
            is_default=not parameters and trivial,
        )

    def _plain(self, struct: Struct, filled: Filled, name: str, parameters: list[Parameter]) -> str:
        """What `new` gives a field; the parameter for it, if there is one, joins the others."""
        match filled.value:
            case Fixed(value=fixed):
                return self.fixed(struct, filled.field, fixed)
            case ByRule.ABSENT:
                return self.absent(filled.field)
            case _:
                parameter, value = self.given(struct, filled.field, name)
                parameters.append(parameter)
                return value

    def _new_doc(self, struct: Struct, parameters: Sequence[Parameter]) -> str:
        """What is said of `new`: what the spec says of a constructor that takes the same."""
        plain = (each.constructor for each in self._plan.constructors if each.is_plain and each.struct == struct)
        about = next((each.about for each in plain), About())
        return documentation(about, "Creates one from its required members." if parameters else "Creates one.")

    def marks(self, struct: Struct) -> list[tuple[str, str]]:
        """The fields that say that a tag is there, with what a constructor gives them."""
        return [(self._names.tag(tag), "true") for tag in filter(is_mark, struct.tags)]

    def given(self, struct: Struct, each: Field, name: str) -> tuple[Parameter, str]:
        """The parameter of that name for a field, and what it gives the field."""
        type_ = self._shapes.of(each.type, _named(each))
        field = self._shapes.field(struct, each)
        if self._shapes.presence(each) == "presence":
            return Parameter(name, f"impl Into<{field}>"), f"{name}.into()"
        if field != self._shapes.value(struct, each) and (each.required or not each.construct_required):
            boxed = self._shapes.boxed(struct, each)
            return Parameter(name, f"Option<{type_}>"), f"{name}.map(Box::new)" if boxed else name
        if type_ == "String" or type_ in self._shapes.choices:
            return Parameter(name, f"impl Into<{type_}>"), self.present(struct, each, f"{name}.into()")
        return Parameter(name, type_), self.present(struct, each, name)

    def present(self, struct: Struct, each: Field, value: str) -> str:
        """A value, as an expression, as the field holds it."""
        field, plain = self._shapes.field(struct, each), self._shapes.value(struct, each)
        if self._shapes.boxed(struct, each):
            value = f"Box::new({value})"
        if field == plain:
            return value
        return f"Presence::Present({value})" if self._shapes.presence(each) == "presence" else f"Some({value})"

    def maybe(self, struct: Struct, each: Field, value: str) -> str:
        """What an option, as an expression, gives a field."""
        match self._shapes.presence(each):
            case "presence":
                return f"{value}.map_or(Presence::Absent, Presence::Present)"
            case "required" if self._shapes.field(struct, each) == self._shapes.value(struct, each):
                return f"{value}.unwrap_or_default()"
            case _:
                return value

    def absent(self, each: Field) -> str:
        """What a field holds that is not there."""
        return "Presence::Absent" if self._shapes.presence(each) == "presence" else "None"

    def null(self, each: Field) -> str:
        """What a field holds whose value is null."""
        return "Presence::Null" if self._shapes.presence(each) == "presence" else "None"

    def fixed(self, struct: Struct, each: Field, value: Json) -> str:
        """What a field holds whose value the spec says."""
        if value is None and "null" not in kinds(self._model, each.type):
            return self.null(each)
        return self.present(struct, each, self._literal(each.type, value, _named(each)))

    def _literal(self, type_: Type, value: Json, name: str | None = None) -> str:
        """A value as an expression; `name` is what the enum of an inline union is called."""
        declared = self._model.declarations[type_.name] if isinstance(type_, Ref) else None
        match declared, type_, value:
            case Alias(type=inner), _, _:
                return self._literal(inner, value)
            case Enum() as enum, _, _:
                at = next((at for at, each in enumerate(enum.values) if each.wire == value), None)
                name = self._names.type(enum.name)
                return f"{quoted(str(value))}.into()" if at is None else f"{name}::{self._names.value(enum, at)}"
            case None, Scalar(kind="json"), None:
                return "Json::NULL"
            case None, Choice() as choice, _:
                return self._of_kind(choice, value, name)
            case None, Scalar(kind="json"), bool() | int() | float() | str():
                return f"{self._scalar(value)}.into()"
            case None, Scalar(kind="number"), int() | float():
                return float_literal(value)
            case None, Scalar(kind="string" | "uuid" | "timestamp"), str():
                return f"{quoted(value)}.into()"
            case None, Scalar(kind="boolean" | "integer"), bool() | int():
                return self._scalar(value)
            case None, Array(item=item), list():
                return f"vec![{', '.join(self._literal(item, each, name) for each in value)}]"
            case None, Map(), dict() if not value:
                return "Map::new()"
            case None, Scalar(kind="object"), dict() if not value:
                return "Object::new()"
            case _:
                raise RenderError(f"target rust: a default of {value!r} cannot be written as {type_}")

    def _of_kind(self, choice: Choice, value: Json, name: str | None) -> str:
        """A value of an inline union."""
        of = self._shapes.of(choice, name)
        some = [member for member in choice.members if member != NULL]
        wide = kind(value) if kind(value) != "integer" else "number"
        at = next((at for at, member in enumerate(some) if wide in kinds(self._model, member)), None)
        if value is None and at is None:
            return "None" if len(some) == 1 else f"{of}::Null"
        if at is None:
            raise RenderError(f"target rust: a default of {value!r} cannot be written as {choice}")
        literal = self._literal(some[at], value, name)
        if len(some) == 1:
            return f"Some({literal})"
        variant = self._shapes.choice(choice, name).variants[at]
        return f"{of}::{variant.name}({f'Box::new({literal})' if variant.boxed else literal})"

    def _scalar(self, value: str | bool | float) -> str:
        match value:
            case bool():
                return "true" if value else "false"
            case str():
                return quoted(value)
            case int():
                return f"{value}_i64"
            case _:
                return float_literal(value)


def _named(each: Field) -> str | None:
    return override(each.about, "type")


def is_mark(tag: Tag) -> bool:
    """Whether a field says that a constant tag is there."""
    return tag.constant is not None and tag.optional


def _const(name: str, value: str | bool | float | None, at: int) -> RowView:
    if isinstance(value, (bool, str)):
        return RowView(at, key(name), "constant", NO_FIELD, constant(value))
    return RowView(at, key(name), "number", NO_FIELD, float_literal(value or 0))
