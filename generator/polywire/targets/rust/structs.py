"""Structs → their declarations, constructors and the rows that their codecs are made of."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Alias, Array, Const, Enum, Field, Json, Map, Model, Ref, Scalar, Struct, Tag, Type
from polywire.render import RenderError
from polywire.targets.prose import description
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
    """A parameter of `new`."""

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
    derives_default: bool

    @property
    def many(self) -> bool:
        """Whether `new` has more parameters than clippy likes."""
        return len(self.parameters) > MOST_PARAMETERS


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
        parameters, initial = self._constructor(struct)
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
                description(each.about) or f"What stands under `{each.name}`.",
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

    def _constructor(self, struct: Struct) -> tuple[tuple[Parameter, ...], tuple[tuple[str, str], ...]]:
        parameters: list[Parameter] = []
        initial: list[tuple[str, str]] = [(self._names.tag(tag), "true") for tag in struct.tags if _marks(tag)]
        for each in struct.wire_fields:
            name = self._names.field(each)
            if each.has_default:
                value = self._present(struct, each, self._literal(each.type, each.default))
            elif each.required or each.construct_required:
                value = self._given(struct, each, parameters)
            else:
                value = "Presence::Absent" if self._shapes.presence(each) == "presence" else "None"
            initial.append((name, value))
        return tuple(parameters), tuple(initial)

    def _given(self, struct: Struct, each: Field, parameters: list[Parameter]) -> str:
        """Add the parameter for a field; give what it gives the field."""
        name, type_ = self._names.field(each), self._shapes.of(each.type, _named(each))
        field = self._shapes.field(struct, each)
        if field.startswith("Presence<"):
            parameters.append(Parameter(name, f"impl Into<{field}>"))
            return f"{name}.into()"
        if field != self._shapes.value(struct, each) and each.required:
            parameters.append(Parameter(name, f"Option<{type_}>"))
            return f"{name}.map(Box::new)" if self._shapes.boxed(struct, each) else name
        if type_ == "String":
            parameters.append(Parameter(name, "impl Into<String>"))
            return self._present(struct, each, f"{name}.into()")
        parameters.append(Parameter(name, type_))
        return self._present(struct, each, f"Box::new({name})" if self._shapes.boxed(struct, each) else name)

    def _present(self, struct: Struct, each: Field, value: str) -> str:
        """A value as the field holds it."""
        field, plain = self._shapes.field(struct, each), self._shapes.value(struct, each)
        if field == plain:
            return value
        return f"Presence::Present({value})" if field.startswith("Presence<") else f"Some({value})"

    def _literal(self, type_: Type, value: Json) -> str:
        """A default as an expression."""
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
            case None, Scalar(kind="json"), bool() | int() | float() | str():
                return f"{self._scalar(value)}.into()"
            case None, Scalar(kind="number"), int() | float():
                return float_literal(value)
            case None, Scalar(kind="string" | "uuid" | "timestamp"), str():
                return f"{quoted(value)}.into()"
            case None, Scalar(kind="boolean" | "integer"), bool() | int():
                return self._scalar(value)
            case None, Array(item=item), list():
                return f"vec![{', '.join(self._literal(item, each) for each in value)}]"
            case None, Map(), dict() if not value:
                return "Map::new()"
            case None, Scalar(kind="object"), dict() if not value:
                return "Object::new()"
            case _:
                raise RenderError(f"target rust: a default of {value!r} cannot be written as {type_}")

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


def _marks(tag: Tag) -> bool:
    """Whether a field says that a constant tag is there."""
    return tag.constant is not None and tag.optional


def _const(const: Const, at: int) -> Row:
    if isinstance(const.value, (bool, str)):
        return Row(at, key(const.key), "constant", "_none", constant(const.value))
    return Row(at, key(const.key), "number", "_none", repr(float(const.value)))
