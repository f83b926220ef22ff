"""Structs, unions and enums in Go → their declarations as formatted text: types, fields, methods."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from polywire.model.nodes import Enum
from polywire.targets.common.prose import description
from polywire.targets.go.docs import documentation
from polywire.targets.go.layout import Row, blocks, comment, function, literal, quoted
from polywire.targets.go.names import Names
from polywire.targets.go.shapes import Shape, Shapes, is_flat, known_function
from polywire.targets.go.structs import GoStruct, Member, Structs
from polywire.targets.go.tables import Tables
from polywire.targets.go.unions import FlatStruct, Getter, GoEither, GoUnion, GoUnknown, Unions


@dataclass(frozen=True, slots=True)
class StructView:
    """A Go struct: for one struct of the spec, for all variants of a union, or for an Unknown."""

    name: str
    doc: str
    rows: str
    functions: tuple[str, ...]
    embeds: tuple[str, ...] = ()
    has_extra: bool = True
    """Whether it keeps undeclared members."""


@dataclass(frozen=True, slots=True)
class InterfaceView:
    """A union whose variants have separate structs."""

    go: str
    own: str
    doc: str
    getters: tuple[Getter, ...]
    raw: str
    """The fields of the struct with its discriminators, if it has one."""


@dataclass(frozen=True, slots=True)
class EnumView:
    """An enum: its type, its constants, and the functions that recognize its values."""

    name: str
    doc: str
    definition: str
    rows: str
    functions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TupleView:
    """The type of arrays with a fixed number of items."""

    name: str
    parameters: str
    rows: str


def tuple_view(size: int) -> TupleView:
    """The type of tuples with `size` items."""
    rows: list[Row] = [(None, (f"V{at}", f"T{at}")) for at in range(size)]
    return TupleView(f"Tuple{size}", ", ".join(f"T{at}" for at in range(size)), blocks(rows))


# --- fields ----------------------------------------------------------------------------------------------------

_TAG = re.compile(r"[A-Za-z0-9_.-]*[A-Za-z0-9_.]")
"""Keys that a struct tag can contain."""

UNTAGGED = '`json:"-"`'


def json_tag(key: str, omit: str = "") -> str:
    """The tag of a field; `omit` is the omit option, or empty."""
    return f'`json:"{key}{omit and f",{omit}"}"`' if _TAG.fullmatch(key) else UNTAGGED


def _field(place: Member, doc: str | None = None, *, optional: bool = False, hidden: bool = False) -> Row:
    omit = "omitzero" if place.form == "nullable" else "omitempty"
    tag = UNTAGGED if hidden else json_tag(place.key, omit if optional or not place.required else "")
    return doc or place.doc, (place.name, place.go, tag)


def _flat_fields(flat: FlatStruct) -> Iterator[Row]:
    """The fields of a flat struct, with the variants that have them; optional if not every variant has them."""
    for name, place in flat.fields.items():
        having = [leaf.go for leaf in flat.leaves if name in leaf.shared]
        somewhere = len(having) < len(flat.leaves)
        owners = f"In {', '.join(dict.fromkeys(having))}." if somewhere else ""
        doc = "\n\n".join(filter(None, (place.doc, owners)))
        yield _field(place, doc, optional=somewhere, hidden=name in flat.hidden)


# --- methods ---------------------------------------------------------------------------------------------------


def _function(head: str, statement: str, doc: str = "") -> str:
    text = function(f"func {head}", statement)
    return f"{comment(doc)}\n{text}" if doc else text


def _marker(go: str, union: str) -> str:
    return function(f"func (*{go}) is{union}()")


def _resolve(go: str, variable: str) -> str:
    return _function(f"(*{go}) resolve() any", f"return &{variable}")


def _json(go: str, written: str = "the object") -> Iterator[str]:
    head = f"(v {go}) MarshalJSON() ([]byte, error)"
    yield _function(head, "return marshal(declared(v))", f"MarshalJSON writes {written}.")
    yield _function(
        f"(v *{go}) UnmarshalJSON(data []byte) error",
        "return unmarshal(data, v)",
        "UnmarshalJSON reads the value in lenient mode. A null changes nothing.",
    )


def _converter(go: str, name: str, to: str, call: str, doc: str) -> str:
    """A method that returns what a call makes of the variable x, and whether it did."""
    return f"{comment(doc)}\nfunc (v {go}) {name}() (x {to}, ok bool) {{\n\tok = {call}\n\treturn x, ok\n}}"


def _getter(go: str, getter: Getter) -> str:
    value = f"{'&' * getter.is_address}v.{getter.name}" if getter.key else getter.name
    doc = f"{getter.method} returns {f'the member {getter.key}' if getter.key else 'the type'}."
    return _function(f"(v *{go}) {getter.method}() {getter.go}", f"return {value}", doc)


def _accessors(go: str, place: Member) -> Iterator[str]:
    """The methods that return the values that a field of type any may hold."""
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
    name = {"object": "Object", "float64": "Number", "any": "JSON", "tuple": "Tuple"}.get(shape.kind, shape.go)
    name = "".join(c for c in name if c.isalnum())
    return name[:1].upper() + name[1:]


# --- declarations ----------------------------------------------------------------------------------------------


class Declarations:
    """Builds the declarations of a package."""

    def __init__(self, names: Names, shapes: Shapes, structs: Structs, unions: Unions, tables: Tables) -> None:
        self._names = names
        self._shapes = shapes
        self._structs = structs
        self._unions = unions
        self._tables = tables
        self._getters: Mapping[str, list[Getter]] = unions.struct_getters()
        self._markers: Mapping[str, list[str]] = unions.markers()

    def structs(self) -> Iterator[StructView]:
        """The structs of the spec with their own Go type."""
        for name in self._structs.primaries():
            yield self._struct(name, self._structs.go(name))

    def _struct(self, name: str, go: GoStruct) -> StructView:
        mixed = self._unions.mixin_getters(name) if go.mixin else ()
        idle: list[Row] = [(each.doc, (each.name, each.go, UNTAGGED)) for each in go.idle]
        functions = (
            *self._shared(go.name, f"table{self._names.own(name)}", mixed),
            *(() if go.mixin else _json(go.name)),
            *(each for place in go.fields.values() for each in _accessors(go.name, place)),
        )
        rows = blocks([*map(_field, go.fields.values()), *idle])
        return StructView(go.name, comment(go.doc), rows, functions, tuple(each.name for each in go.embeds))

    def _shared(self, go: str, table: str, more: Iterable[Getter] = ()) -> Iterator[str]:
        """The methods that a struct has as a variant, and those that every struct has."""
        yield from (_getter(go, each) for each in (*self._getters.get(go, ()), *more))
        yield from (_marker(go, each) for each in self._markers.get(go, ()))
        yield _resolve(go, table)

    def flats(self) -> Iterator[StructView]:
        """The structs that represent all variants of a union, a text or an object, or an Unknown."""
        yield from map(self._flat, self._unions.flats.values())
        yield from map(self._either, self._unions.eithers())
        yield from map(self._unknown, self._unions.unknowns())

    def _flat(self, flat: FlatStruct) -> StructView:
        go = flat.name
        use = "It has the fields of all variants; fields that do not belong to the current variant are not written."
        functions = [
            *self._shared(go, f"flat{go}"),
            *_json(go, "the members that belong to the variant"),
            _function(f"(v {go}) isUnknown() bool", "return isUnknownFlat(v)"),
        ]
        for unknown in flat.unknowns:
            about = f"As{unknown} returns the object unchanged, if its tag is not declared."
            functions.append(_converter(go, f"As{unknown}", unknown, "asUnknown(v, &x)", about))
        for leaf in flat.leaves:
            about = f"{leaf.accessor} returns the variant {leaf.go}, if v is of that variant."
            call = f"asVariant(v, {self._tables.declared(leaf.spec)}, &x)"
            functions.append(_converter(go, leaf.accessor, leaf.go, call, about))
        embeds = tuple(each.name for each in flat.embeds)
        return StructView(go, comment(f"{flat.doc}\n\n{use}"), blocks(_flat_fields(flat)), tuple(functions), embeds)

    def _either(self, either: GoEither) -> StructView:
        go = either.go
        doc = f"{either.doc}\n\nIt is the text in Raw, or the object {either.variant} in the other fields."
        text: Row = (None, ("Raw", either.text.go, UNTAGGED))
        functions = (_resolve(go, f"either{go}"), *_json(go, "the text or the object"))
        return StructView(go, comment(doc), blocks([text, *map(_field, either.fields)]), functions)

    def _unknown(self, unknown: GoUnknown) -> StructView:
        go = unknown.name
        functions = (
            *(self._unknown_getter(each, unknown) for each in unknown.getters),
            *(self._view(each, go) for each in unknown.views),
            *(_marker(go, each) for each in unknown.markers),
            _resolve(go, f"unknown{go}"),
            _function(f"({go}) isUnknown() bool", "return true"),
            *_json(go, "the object unchanged"),
        )
        tags: list[Row] = [(None, (name, "string")) for _, name in unknown.discriminators]
        rows = blocks([*tags, ("Raw is the JSON of the object.", ("Raw", "json.RawMessage"))])
        return StructView(go, comment(unknown.doc), rows, functions, has_extra=False)

    def _unknown_getter(self, getter: Getter, unknown: GoUnknown) -> str:
        head = f"(v *{unknown.name}) {getter.method}() {getter.go}"
        doc = f"{getter.method} returns the member {getter.key}, if it is present and of this type."
        if any(field == getter.name for _, field in unknown.discriminators):
            return _function(head, f"return {getter.go}(v.{getter.name})", doc)
        return _function(head, f"return memberOf[{getter.go}](v.Raw, {quoted(getter.key)}, {self._rule(getter)})", doc)

    def _view(self, view: Getter, go: str) -> str:
        head = f"(v {go}) {view.method}() ({view.go}, bool)"
        doc = f"{view.method} returns the member {view.key}, if it is present and valid."
        return _function(head, f"return lookup[{view.go}](v.Raw, {quoted(view.key)}, {self._rule(view)})", doc)

    def _rule(self, getter: Getter) -> str:
        """The rule of a member; for a tag, the rule of its built-in type."""
        if getter.type is not None:
            return self._tables.type(getter.type)
        return {"bool": "isBool", "int": "isInteger"}.get(getter.shape.kind if getter.shape else "", "isString")

    def interfaces(self) -> Iterator[InterfaceView]:
        """The unions whose variants have separate structs."""
        for union in self._unions.interfaces():
            yield InterfaceView(union.go, union.own, _interface_doc(union), union.getters, blocks(_raw(union)))

    def enums(self, enums: Iterable[Enum]) -> Iterator[EnumView]:
        """The declarations of enums."""
        for enum in enums:
            yield self._enum(enum, self._names.type(enum.name))

    def _enum(self, enum: Enum, go: str) -> EnumView:
        known = known_function(enum, go)
        alias = known != f"{go}.Known"
        numbers = enum.base == "integer"
        head = f"{known}(v string) bool" if alias else f"(v {go}) Known() bool"
        has = "hasNumber(float64(v))" if numbers else "hasText(v)" if alias else "hasText(string(v))"
        doc = (
            f"{known if alias else 'Known'} reports whether {'a text' if alias else 'v'} is one of the declared values."
        )
        own = f"enum{self._names.own(enum.name)}"
        typed = () if alias else (go,)
        rows: list[Row] = [
            (description(value.about), (self._names.value(enum, at), *typed, f"= {literal(value.wire)}"))
            for at, value in enumerate(enum.values)
        ]
        return EnumView(
            name=go,
            doc=comment(documentation(enum.about, go)),
            definition=f"{'= ' if alias else ''}{'int64' if numbers else 'string'}",
            rows=blocks(rows),
            functions=(_function(head, f"return {own}.{has}", doc), *(() if alias else (_resolve(go, own),))),
        )

    def named(self) -> Iterator[tuple[str, str, str]]:
        """The declarations of callbacks and of aliases that are not structs: comment, name and type."""
        for alias in self._shapes.model.aliases:
            if not is_flat(alias):
                go = self._names.type(alias.name)
                yield comment(documentation(alias.about, go)), go, self._shapes.definition(alias)
        for name, signature, where in self._structs.callbacks():
            yield comment(f"{name} is the type of {where}."), name, signature


def _interface_doc(union: GoUnion) -> str:
    variants = ", ".join(f"*{each}" for each in (*union.variants, *union.unknowns))
    return comment(f"{union.doc}\n\nDecoders return one of these pointers: {variants}.")


def _raw(union: GoUnion) -> Iterator[Row]:
    """The discriminators of a union."""
    for name, go, key in union.raw:
        yield None, (name, go, json_tag(key, "omitempty" if go.startswith("*") else ""))
