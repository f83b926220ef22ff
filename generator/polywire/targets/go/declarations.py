"""Structs, unions and enums in Go → their declarations, ready to be laid out: types, fields, methods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from polywire.model.nodes import Alias, Enum
from polywire.targets.go.docs import documentation
from polywire.targets.go.layout import blocks, comment, function, quoted
from polywire.targets.go.names import Names
from polywire.targets.go.rows import enum_rows, field_row, flat_rows, raw_rows, struct_rows, unknown_rows
from polywire.targets.go.shapes import Shape, Shapes, is_flat, known_function
from polywire.targets.go.structs import GoField, Structs
from polywire.targets.go.tables import Tables
from polywire.targets.go.unions import FlatStruct, Getter, GoEither, GoUnion, GoUnknown, Unions, Variant


@dataclass(frozen=True, slots=True)
class FunctionText:
    """A function of one statement: its comment, if it has one, and its text."""

    doc: str
    text: str


@dataclass(frozen=True, slots=True)
class StructView:
    """A struct, be it of one struct of the spec, of all variants of a union, or an Unknown."""

    name: str
    doc: str
    embeds: tuple[str, ...]
    rows: str
    functions: tuple[FunctionText, ...]


@dataclass(frozen=True, slots=True)
class InterfaceView:
    """A union of structs of their own."""

    go: str
    own: str
    doc: str
    variants: str
    getters: tuple[Getter, ...]
    raw: str
    """The fields of the struct of its discriminators, if it has one."""


@dataclass(frozen=True, slots=True)
class EitherView:
    """A struct for a text or an object."""

    go: str
    doc: str
    text: str
    variant: str
    rows: str
    functions: tuple[FunctionText, ...]


@dataclass(frozen=True, slots=True)
class EnumView:
    """An enum: its type, its constants, and what knows them."""

    name: str
    doc: str
    definition: str
    rows: str
    functions: tuple[FunctionText, ...]


@dataclass(frozen=True, slots=True)
class AliasView:
    """A name for a type."""

    name: str
    definition: str
    doc: str


# --- methods ---------------------------------------------------------------------------------------------------


def _function(head: str, statement: str, doc: str = "") -> FunctionText:
    return FunctionText(comment(doc) if doc else "", function(f"func {head}", statement))


def _markers(go: str, markers: Iterable[str]) -> Iterator[FunctionText]:
    for marker in markers:
        yield FunctionText("", f"func (*{go}) is{marker}() {{}}")


def _resolve(go: str, variable: str) -> FunctionText:
    return _function(f"(*{go}) resolve() any", f"return &{variable}")


def _equal(go: str) -> FunctionText:
    doc = "Equal reports whether two values are the same on the wire."
    return _function(f"(v {go}) Equal(other {go}) bool", "return equal(&v, &other)", doc)


def _json(go: str, written: str = "the object") -> Iterator[FunctionText]:
    yield _function(f"(v {go}) MarshalJSON() ([]byte, error)", "return marshal(&v)", f"MarshalJSON writes {written}.")
    yield _function(
        f"(v *{go}) UnmarshalJSON(data []byte) error",
        "return unmarshal(data, v)",
        "UnmarshalJSON reads the value in lenient mode. A null changes nothing.",
    )


def _getter(go: str, getter: Getter) -> FunctionText:
    value = f"v.{getter.name}" if getter.key else getter.name
    doc = f"{getter.method} returns {f'the member {getter.key}' if getter.key else 'the type'}."
    return _function(f"(v {go}) {getter.method}() {getter.go}", f"return {value}", doc)


# --- structs ---------------------------------------------------------------------------------------------------


def struct_view(
    name: str,
    structs: Structs,
    unions: Unions,
    names: Names,
    struct_getters: dict[str, list[Getter]],
    markers: dict[str, list[str]],
) -> StructView:
    """The declaration of a struct."""
    go = structs.go(name)
    getters = list(struct_getters.get(go.name, []))
    if go.mixin:
        getters += unions.mixin_getters(name)
    return StructView(
        name=go.name,
        doc=comment(go.doc),
        embeds=tuple(each.name for each in go.embeds),
        rows=blocks(struct_rows(go)),
        functions=(
            *(_getter(go.name, each) for each in getters),
            *_markers(go.name, markers.get(go.name, ())),
            _resolve(go.name, f"table{names.own(name)}"),
            _equal(go.name),
            *(() if go.mixin else _json(go.name)),
            *(each for place in go.fields.values() for each in _accessors(go.name, place)),
        ),
    )


def _accessors(go: str, place: GoField) -> Iterator[FunctionText]:
    if place.shape.choice is None or place.go != "any":
        return
    members = [each for each in place.shape.choice.members if each.kind != "null"]
    for each in members:
        held = each.shape.go
        name = f"{place.name}Value" if len(members) == 1 else f"{place.name}As{_accessor_word(each.shape)}"
        how = "heldStruct" if each.shape.struct else "held"
        doc = f"{name} returns {place.name} if it holds a {held}."
        yield _function(f"(v {go}) {name}() ({held}, bool)", f"return {how}[{held}](v.{place.name})", doc)


def _accessor_word(shape: Shape) -> str:
    if shape.kind == "list" and shape.item is not None:
        return f"{_accessor_word(shape.item)}s"
    if shape.kind == "map" and shape.item is not None:
        return f"{_accessor_word(shape.item)}Map"
    name = {"object": "Object", "float64": "Number", "any": "JSON"}.get(shape.kind, shape.go)
    name = "".join(c for c in name if c.isalnum())
    return name[:1].upper() + name[1:]


# --- unions ----------------------------------------------------------------------------------------------------


def interface_view(union: GoUnion) -> InterfaceView:
    """The declaration of an interface."""
    variants = ", ".join(f"*{go}" for go in (*union.variants, *union.unknowns))
    return InterfaceView(
        go=union.go,
        own=union.own,
        doc=comment(union.doc),
        variants=comment(f"Decoders return one of these pointers: {variants}."),
        getters=union.getters,
        raw=blocks(raw_rows(union)) if union.raw else "",
    )


def flat_view(
    flat: FlatStruct,
    tables: Tables,
    struct_getters: dict[str, list[Getter]],
    markers: dict[str, list[str]],
) -> StructView:
    """The declaration of a flat struct."""
    go = flat.name
    return StructView(
        name=go,
        doc=comment(flat.doc),
        embeds=tuple(each.name for each in flat.embeds),
        rows=blocks(flat_rows(flat)),
        functions=(
            *(_getter(go, each) for each in struct_getters.get(go, [])),
            *_markers(go, markers.get(go, ())),
            _resolve(go, f"flat{go}"),
            _equal(go),
            *_json(go, "the members that belong to the variant"),
            _function(f"(v {go}) isUnknown() bool", "return isUnknownFlat(&v)"),
            *(_as_unknown(go, each) for each in flat.unknowns),
            *(_as_variant(go, each, tables.of(each.spec)) for each in flat.leaves),
        ),
    )


def _as_unknown(go: str, unknown: str) -> FunctionText:
    doc = f"As{unknown} returns the object as it came, if its tag is not declared."
    return _function(f"(v {go}) As{unknown}() ({unknown}, bool)", f"return asUnknown[{unknown}](&v)", doc)


def _as_variant(go: str, leaf: Variant, rule: str) -> FunctionText:
    doc = f"{leaf.accessor} returns the variant {leaf.go}, if that is what it is."
    return _function(f"(v {go}) {leaf.accessor}() ({leaf.go}, bool)", f"return asVariant[{leaf.go}](&v, {rule})", doc)


def either_view(either: GoEither) -> EitherView:
    """The declaration of a struct for a text or an object."""
    return EitherView(
        go=either.go,
        doc=comment(either.doc),
        text=either.text.go,
        variant=either.variant,
        rows=blocks([field_row(place) for place in either.fields]),
        functions=(
            _resolve(either.go, f"either{either.go}"),
            _equal(either.go),
            *_json(either.go, "the text or the object"),
        ),
    )


def unknown_view(unknown: GoUnknown, tables: Tables) -> StructView:
    """The declaration of an Unknown."""
    return StructView(
        name=unknown.name,
        doc=comment(unknown.doc),
        embeds=(),
        rows=blocks(unknown_rows(unknown)),
        functions=(
            *(_unknown_getter(each, unknown, tables) for each in unknown.getters),
            *_markers(unknown.name, unknown.markers),
            _resolve(unknown.name, f"unknown{unknown.name}"),
            _function(f"({unknown.name}) isUnknown() bool", "return true"),
            *_json(unknown.name, "the object as it came"),
        ),
    )


def _unknown_getter(getter: Getter, unknown: GoUnknown, tables: Tables) -> FunctionText:
    head = f"(v {unknown.name}) {getter.method}() {getter.go}"
    doc = f"{getter.method} returns the member {getter.key}, if it is there and of this type."
    if any(field == getter.name for _, field in unknown.discriminators):
        return _function(head, f"return {getter.go}(v.{getter.name})", doc)
    rule = "isString" if getter.type is None else tables.rule(getter.type)
    return _function(head, f"return memberOf[{getter.go}](v.Raw, {quoted(getter.key)}, {rule})", doc)


# --- enums and aliases -----------------------------------------------------------------------------------------


def enum_view(enum: Enum, names: Names) -> EnumView:
    """The declaration of an enum."""
    go = names.type(enum.name)
    known = known_function(enum, go)
    alias = known != f"{go}.Known"
    numbers = enum.base == "integer"
    head = f"{known}(v string) bool" if alias else f"(v {go}) Known() bool"
    has = "hasNumber(float64(v))" if numbers else "hasText(v)" if alias else "hasText(string(v))"
    doc = f"{known if alias else 'Known'} reports whether {'a text' if alias else 'v'} is one of the declared values."
    own = f"enum{names.own(enum.name)}"
    functions = [_function(head, f"return {own}.{has}", doc)]
    if not alias:
        functions.append(_resolve(go, own))
    return EnumView(
        name=go,
        doc=comment(documentation(enum.about, go)),
        definition=f"{'= ' if alias else ''}{'int' if numbers else 'string'}",
        rows=blocks(enum_rows(enum, names)),
        functions=tuple(functions),
    )


def alias_views(aliases: Iterable[Alias], names: Names, shapes: Shapes) -> tuple[AliasView, ...]:
    """The declarations of aliases, but for those that are structs."""
    return tuple(
        AliasView(
            names.type(alias.name),
            f"{'' if shapes.is_defined(alias) else '= '}{shapes.of(alias.type).go}",
            comment(documentation(alias.about, names.type(alias.name))),
        )
        for alias in aliases
        if not is_flat(alias)
    )
