"""Structs, unions and enums in Go → their declarations, ready to be laid out: types, fields, methods."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from polywire.model.nodes import Alias, Choice, Enum
from polywire.targets.go.codecs import all_of, reader
from polywire.targets.go.docs import documentation
from polywire.targets.go.layout import blocks, comment, literal, quoted
from polywire.targets.go.names import Names
from polywire.targets.go.rows import enum_rows, field_row, flat_rows, raw_rows, struct_rows, unknown_rows
from polywire.targets.go.shapes import Shape, Shapes, is_flat, known_function
from polywire.targets.go.structs import GoField, Member, Structs, WireStruct
from polywire.targets.go.unions import FlatStruct, Getter, GoEither, GoUnion, GoUnknown, Unions, Variant


@dataclass(frozen=True, slots=True)
class GetterView:
    """A method that gives a value, and what its comment says that is."""

    method: str
    go: str
    value: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class MarkView:
    """The bit that says which struct a value was decoded as, and what that is called."""

    bit: int
    own: str


@dataclass(frozen=True, slots=True)
class AccessorView:
    """A method that gives what a field of any type holds."""

    name: str
    field: str
    go: str
    is_struct: bool


@dataclass(frozen=True, slots=True)
class StructView:
    """A struct."""

    spec: str
    own: str
    name: str
    doc: str
    embeds: tuple[str, ...]
    rows: str
    is_mixin: bool
    marks: tuple[MarkView, ...]
    getters: tuple[GetterView, ...]
    markers: tuple[str, ...]
    accessors: tuple[AccessorView, ...]


@dataclass(frozen=True, slots=True)
class InterfaceView:
    """A union of structs of their own."""

    go: str
    own: str
    doc: str
    variants: str
    getters: tuple[GetterView, ...]
    raw: str
    """The fields of the struct of its discriminators, if it has one."""


@dataclass(frozen=True, slots=True)
class UnmarshalView:
    """The function that decodes a union."""

    own: str
    go: str
    spec: str


@dataclass(frozen=True, slots=True)
class TagValue:
    """A field that tells variants apart, and its value or type."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class VariantView:
    """A variant of a flat struct."""

    own: str
    go: str
    accessor: str
    condition: str
    shared: tuple[str, ...]
    fits: bool
    notes: bool
    """Whether it is noted as that variant, in the bit `mark`."""
    mark: int | None


@dataclass(frozen=True, slots=True)
class FlatView:
    """A struct with the fields of all variants of a union."""

    name: str
    spec: str
    doc: str
    embeds: tuple[str, ...]
    rows: str
    writer: str
    """The writer of one of any of its unions."""
    getters: tuple[GetterView, ...]
    markers: tuple[str, ...]
    unknowns: tuple[str, ...]
    same: str
    """The condition under which it still is the Unknown `x`."""
    tags: tuple[TagValue, ...]
    variants: tuple[VariantView, ...]


@dataclass(frozen=True, slots=True)
class EitherView:
    """A struct for a text or an object."""

    spec: str
    own: str
    go: str
    doc: str
    text: str
    variant: str
    variant_own: str
    rows: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnknownView:
    """The struct of objects of unknown type."""

    name: str
    doc: str
    rows: str
    markers: tuple[str, ...]
    getters: tuple[GetterView, ...]


@dataclass(frozen=True, slots=True)
class EnumView:
    """An enum: its type, its constants, and what knows them."""

    name: str
    doc: str
    definition: str
    rows: str
    known: str
    """The head of the function that knows its values."""
    about: str
    """The comment of that."""
    cases: str


@dataclass(frozen=True, slots=True)
class AliasView:
    """A name for a type."""

    name: str
    go: str
    doc: str


# --- structs ---------------------------------------------------------------------------------------------------


def struct_view(
    name: str,
    structs: Structs,
    unions: Unions,
    names: Names,
    tag_getters: dict[str, list[Getter]],
    markers: dict[str, list[str]],
) -> StructView:
    """The declaration of a struct."""
    go = structs.go(name)
    getters = list(tag_getters.get(go.name, []))
    if go.mixin:
        getters += [Getter(g.method, g.go, f"v.{g.name}", g.key) for g in unions.mixin_getters(name)]
    return StructView(
        spec=quoted(name),
        own=names.own(name),
        name=go.name,
        doc=comment(go.doc),
        embeds=tuple(each.name for each in go.embeds),
        rows=blocks(struct_rows(go)),
        is_mixin=go.mixin,
        marks=tuple(MarkView(each.mark, each.own) for each in structs.marked(name) if each.mark is not None),
        getters=tuple(map(_getter, getters)),
        markers=tuple(markers.get(go.name, ())),
        accessors=tuple(each for place in go.fields.values() for each in _accessors(place, structs)),
    )


def _getter(getter: Getter) -> GetterView:
    return GetterView(
        getter.method, getter.go, getter.name, f"what stands under {getter.key}" if getter.key else "the type"
    )


def _accessors(place: GoField, structs: Structs) -> list[AccessorView]:
    choice = structs.choice(place.shape)
    if choice is None or place.go != "any":
        return []
    return [
        AccessorView(f"{place.name}As{_accessor_word(each.shape)}", place.name, each.shape.go, each.shape.struct)
        for each in choice.members
        if each.kind != "null"
    ]


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
    variants = ", ".join(f"*{go}" for go in (*(go for go, _ in union.cases), *union.unknowns))
    return InterfaceView(
        go=union.go,
        own=union.own,
        doc=comment(union.doc),
        variants=comment(f"Its variants: {variants}."),
        getters=tuple(GetterView(each.method, each.go, "") for each in union.getters),
        raw=blocks(raw_rows(union)) if union.raw else "",
    )


def flat_view(
    name: str,
    flat: FlatStruct,
    structs: Structs,
    unions: Unions,
    tag_getters: dict[str, list[Getter]],
    markers: dict[str, list[str]],
) -> FlatView:
    """The declaration of a flat struct."""
    promoted = {key: place for each in flat.embeds for key, place in each.promoted().items()}
    types = {place.name: place.go for place in (*promoted.values(), *flat.fields.values())}
    several = len(unions.group(name)) > 1
    return FlatView(
        name=flat.name,
        spec=quoted(name),
        doc=comment(flat.doc),
        embeds=tuple(each.name for each in flat.embeds),
        rows=blocks(flat_rows(flat)),
        writer=f"{'stray' if several else 'write'}{flat.name}",
        getters=tuple(map(_getter, tag_getters.get(flat.name, []))),
        markers=tuple(markers.get(flat.name, ())),
        unknowns=tuple(flat.unknowns),
        same=" && ".join(f"string(v.{field}) == x.{field}" for field in flat.discriminators),
        tags=tuple(TagValue(field, types[field]) for field in flat.discriminators),
        variants=tuple(_variant(leaf, structs) for leaf in flat.leaves),
    )


def _variant(leaf: Variant, structs: Structs) -> VariantView:
    return VariantView(
        own=leaf.own,
        go=leaf.go,
        accessor=leaf.accessor,
        condition=told_by(leaf, structs) or "true",
        shared=leaf.shared,
        fits=leaf.fits,
        notes=leaf.mark is not None,
        mark=leaf.mark,
    )


def told_by(leaf: Variant, structs: Structs) -> str | None:
    """The condition under which a flat struct says by its tags that it is a variant; None if no tag tells."""
    view = structs.view(leaf.spec)
    tags = [m for m in view.members if m.role in {"constant", "tag"} and m.name in leaf.shared]
    if not tags:
        return None
    return all_of([condition for each in tags if (condition := _condition(each, view))]) or "true"


def _condition(member: Member, view: WireStruct) -> str:
    if member.role == "tag":
        return f"tag{view.own}{member.name}(string(v.{member.name}))"
    if member.shape.kind == "bool":
        return f"v.{member.name}" if member.constant == "true" else f"!v.{member.name}"
    if member.shape.kind != "text":
        return ""
    if not member.required:
        return f'v.{member.name} == "" || v.{member.name} == {member.constant}'
    return f"v.{member.name} == {member.constant}"


def discriminator_key(flat: FlatStruct) -> str:
    """The literal of the key of a flat struct's first discriminator."""
    first = flat.discriminators[0]
    return quoted(next((place.key for place in flat.fields.values() if place.name == first), first))


def either_view(either: GoEither) -> EitherView:
    """The declaration of a struct for a text or an object."""
    return EitherView(
        spec=quoted(either.spec),
        own=either.own,
        go=either.go,
        doc=comment(either.doc),
        text=either.text.go,
        variant=either.variant,
        variant_own=either.variant_own,
        rows=blocks([field_row(place) for place in either.fields]),
        fields=tuple(place.name for place in either.fields),
    )


def unknown_view(unknown: GoUnknown) -> UnknownView:
    """The declaration of an Unknown."""
    return UnknownView(
        name=unknown.name,
        doc=comment(unknown.doc),
        rows=blocks(unknown_rows(unknown)),
        markers=unknown.markers,
        getters=tuple(map(_unknown_getter, unknown.getters)),
    )


def _unknown_getter(getter: Getter) -> GetterView:
    value = f"{getter.go}(v.{getter.name})"
    if getter.shape is not None:
        how = "readUUID" if getter.shape.kind == "uuid" else reader(getter.shape)
        value = f"rawMember(v.Raw, {quoted(getter.key)}, {how})"
    return GetterView(getter.method, getter.go, value, getter.key)


# --- enums and aliases -----------------------------------------------------------------------------------------


def enum_view(enum: Enum, names: Names) -> EnumView:
    """The declaration of an enum."""
    go = names.type(enum.name)
    known = known_function(enum, go)
    alias = known != f"{go}.Known"
    return EnumView(
        name=go,
        doc=comment(documentation(enum.about, go)),
        definition=f"{'= ' if alias else ''}{'int' if enum.base == 'integer' else 'string'}",
        rows=blocks(enum_rows(enum, names)),
        known=f"{known}(v string)" if alias else f"(v {go}) Known()",
        about=f"{known} says whether a text" if alias else "Known says whether v",
        cases=", ".join(dict.fromkeys(literal(value.wire) for value in enum.values)),
    )


def alias_views(aliases: Iterable[Alias], names: Names, shapes: Shapes) -> tuple[AliasView, ...]:
    """The declarations of aliases, but for those that are structs."""
    return tuple(
        AliasView(
            names.type(alias.name),
            "any" if isinstance(alias.type, Choice) and alias.name in shapes.choices else shapes.of(alias.type).go,
            comment(documentation(alias.about, names.type(alias.name))),
        )
        for alias in aliases
        if not is_flat(alias)
    )
