"""Structs → their declarations, constructors and the rows that their codecs are made of."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.engine import kind
from polywire.errors import RenderError
from polywire.model.nodes import (
    NULL,
    About,
    Alias,
    Array,
    Choice,
    Const,
    Constructor,
    Enum,
    Field,
    Json,
    Map,
    Model,
    Ref,
    Scalar,
    Struct,
    Tag,
    Type,
)
from polywire.plan.rows import kinds
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import constant, float_literal, key, quoted
from polywire.targets.rust.names import Names
from polywire.targets.rust.shapes import Shapes

MOST_PARAMETERS = 7
"""As many parameters as clippy lets a function have."""

FLATTENED = quoted("\0")
"""Stands for the key of a flattened field, which has none: no key is spelt so in JSON."""


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field as it is declared."""

    name: str
    type: str
    doc: str | None
    deprecated: str | None


@dataclass(frozen=True, slots=True)
class Row:
    """A member as the codec has it: the place of its key, the key, its role, the field, and what the role needs."""

    at: int
    key: str
    role: str
    field: str
    more: str | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a constructor."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class StructView:
    """A struct."""

    name: str
    spec_name: str
    doc: str
    deprecated: str | None
    fields: tuple[FieldView, ...]
    rows: tuple[Row, ...]
    needed: tuple[int, ...]
    """Places of the constants, which are always there."""
    extra: str | None
    """What becomes of undeclared members, where it is not the usual."""
    parameters: tuple[Parameter, ...]
    initial: tuple[tuple[str, str], ...]
    """What `new` gives each field."""
    new_doc: str
    derives_default: bool


class Structs:
    """The structs of a model."""

    def __init__(self, model: Model, names: Names, shapes: Shapes) -> None:
        self._model = model
        self._names = names
        self._shapes = shapes

    def views(self) -> list[StructView]:
        """Every struct, in declared order."""
        return [self._view(struct) for struct in self._model.structs]

    def _view(self, struct: Struct) -> StructView:
        rows = self._rows(struct)
        parameters, initial = self._new(struct)
        trivial = all(value in {"None", "Presence::Absent"} for _, value in initial)
        return StructView(
            name=self._names.type(struct.name),
            spec_name=struct.name,
            doc=documentation(struct.about, f"`{struct.name}`."),
            deprecated=struct.about.deprecated,
            fields=tuple(self._fields(struct)),
            rows=tuple(rows),
            needed=tuple(row.at for row in rows if row.role in {"constant", "number"}),
            extra=self._extra(struct),
            parameters=parameters,
            initial=initial,
            new_doc=_new_doc(struct, parameters),
            derives_default=not parameters and trivial,
        )

    # What is declared.

    def _fields(self, struct: Struct) -> list[FieldView]:
        marks = [
            FieldView(
                self._names.tag(tag),
                "bool",
                f"Whether `{tag.key}` is written, which says {quoted(str(tag.constant))}; it may be left out.",
                None,
            )
            for tag in struct.tags
            if _marks(tag)
        ]
        return marks + [
            FieldView(
                self._names.field(each),
                self._shapes.field(struct, each),
                documentation(each.about, f"What stands under `{each.name}`."),
                each.about.deprecated,
            )
            for each in struct.wire_fields
        ]

    def _extra(self, struct: Struct) -> str | None:
        flat = next((each for each in struct.wire_fields if each.flatten), None)
        if flat is not None:
            return f"into {self._names.field(flat)}"
        if struct.extra is None or struct.extra == Scalar("json"):
            return None
        return f"typed {self._shapes.of(struct.extra)}"

    # How it is read and written.

    def _rows(self, struct: Struct) -> list[Row]:
        varying = {each.tag.key: each for each in struct.wire_fields if each.tag is not None}
        rows: list[Row] = []
        for tag in struct.tags:
            rows.append(self._tag(tag, varying.get(tag.key), len(rows)))
        for const in struct.consts:
            rows.append(_const(const, len(rows)))
        for each in struct.wire_fields:
            if each.tag is None:
                rows.append(self._row(struct, each, len(rows)))
        return rows

    def _tag(self, tag: Tag, varying: Field | None, at: int) -> Row:
        if tag.constant is not None:
            role = "mark" if tag.optional else "constant"
            field = self._names.tag(tag) if tag.optional else "_none"
            return Row(at, key(tag.key), role, field, constant(tag.constant))
        if varying is None:
            raise RenderError(f"target rust: no field has the values of the tag {tag.key}")
        role = "maybe_tag" if tag.optional else "tag"
        return Row(at, key(tag.key), role, self._names.field(varying), self._fits(tag, varying))

    def _fits(self, tag: Tag, varying: Field) -> str:
        """The test of a varying tag's value."""
        type_ = self._shapes.of(varying.type)
        values = tag.values or tuple(str(each.wire) for each in self._model.enum(tag.enum or "").values)
        known = f"matches!(value.as_str(), {' | '.join(map(quoted, values))})" if values else "false"
        form = f" || glob({quoted(tag.others)}, value.as_str())" if tag.others else ""
        return f"|value: &{type_}| {known}{form}"

    def _row(self, struct: Struct, each: Field, at: int) -> Row:
        name = self._names.field(each)
        if each.flatten:
            return Row(at, FLATTENED, "flat" if each.required else "maybe_flat", name)
        if each.claimed:
            type_ = self._shapes.value(struct, each)
            test = " || ".join(self._equals(value) for value in each.claimed)
            return Row(at, key(each.name), "claimed", name, f"|value: &{type_}| {test}")
        return Row(at, key(each.name), self._shapes.presence(each), name)

    def _equals(self, value: str | bool) -> str:
        if isinstance(value, bool):
            return "*value" if value else "!*value"
        return f"*value == {quoted(value)}"

    # How one is made.

    def _new(self, struct: Struct) -> tuple[tuple[Parameter, ...], tuple[tuple[str, str], ...]]:
        parameters: list[Parameter] = []
        initial = self.marks(struct)
        for each in struct.wire_fields:
            name = self._names.field(each)
            if each.has_default:
                value = self.fixed(struct, each, each.default)
            elif _demanded(each):
                parameter, value = self.given(struct, each, name)
                parameters.append(parameter)
            else:
                value = self.absent(each)
            initial.append((name, value))
        return tuple(parameters), tuple(initial)

    def marks(self, struct: Struct) -> list[tuple[str, str]]:
        """The fields that say that a tag is there, with what a constructor gives them."""
        return [(self._names.tag(tag), "true") for tag in struct.tags if _marks(tag)]

    def given(self, struct: Struct, each: Field, name: str) -> tuple[Parameter, str]:
        """The parameter of that name for a field, and what it gives the field."""
        type_ = self._shapes.of(each.type, _named(each))
        field = self._shapes.field(struct, each)
        if field.startswith("Presence<"):
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
        return f"Presence::Present({value})" if field.startswith("Presence<") else f"Some({value})"

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
    return each.about.targets.get("rust", {}).get("type")


def _demanded(each: Field) -> bool:
    """Whether constructors ask for a field."""
    return not each.has_default and (each.required or each.construct_required)


def _new_doc(struct: Struct, parameters: tuple[Parameter, ...]) -> str:
    """What is said of `new`: what the spec says of a constructor that takes the same."""
    about = next((each.about for each in struct.constructors if makes_the_same(struct, each)), About())
    return documentation(about, f"Makes one{' of what it has to have' if parameters else ''}.")


def makes_the_same(struct: Struct, constructor: Constructor) -> bool:
    """Whether a constructor is `new` by another name."""
    demanded = [(each.name,) for each in struct.wire_fields if _demanded(each)]
    return not constructor.set and [each.pointer for each in constructor.params] == demanded


def _marks(tag: Tag) -> bool:
    """Whether a field says that a constant tag is there."""
    return tag.constant is not None and tag.optional


def _const(const: Const, at: int) -> Row:
    if isinstance(const.value, (bool, str)):
        return Row(at, key(const.key), "constant", "_none", constant(const.value))
    return Row(at, key(const.key), "number", "_none", repr(float(const.value)))
