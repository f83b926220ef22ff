"""Structs, unions and enums in Go → their declarations as formatted text: types, fields, methods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from polywire.model.nodes import Alias, Enum
from polywire.targets.common.prose import description
from polywire.targets.go.docs import documentation
from polywire.targets.go.layout import UNTAGGED, Row, blocks, comment, json_tag, literal, quoted
from polywire.targets.go.names import Names, declares_interface, is_mixed, is_sealed, override
from polywire.targets.go.shapes import Shape, Shapes
from polywire.targets.go.structs import CONTEXT, GoStruct, Idle, Member, Structs
from polywire.targets.go.tables import Tables
from polywire.targets.go.unions import FlatStruct, Getter, GoUnknown, MethodView, Unions, Variant, method


@dataclass(frozen=True, slots=True)
class StructView:
    """A Go struct: for one struct of the spec, for all variants of a union, or for an Unknown."""

    name: str
    doc: str
    rows: str
    table: str
    """The variable with its table."""
    written: str = "the object"
    """A phrase for what its `MarshalJSON` writes; empty for a struct that others embed."""
    methods: tuple[MethodView, ...] = ()
    """Those of its unions, and those that also return whether a value is there: one that a field of type any may
    hold, a member of an Unknown, what a flat struct can be."""
    markers: tuple[str, ...] = ()
    """The unions that it belongs to."""
    unknown: str = ""
    """Whether a value is an Unknown, as an expression; empty if it never is."""
    is_unknown: bool = False


@dataclass(frozen=True, slots=True)
class Structures:
    """The structs of a file, and its imports."""

    imports: str
    """The lines with the packages, those of the standard library first."""
    structs: tuple[StructView, ...]


@dataclass(frozen=True, slots=True)
class EnumView:
    """An enum: its type, its constants, and the function that recognizes its values."""

    name: str
    doc: str
    table: str
    """The variable with its table."""
    known: str
    """The function, unless it is the method `Known`."""
    base: str
    """The built-in type of its values."""
    test: str
    """The call that recognizes a value."""
    rows: str


@dataclass(frozen=True, slots=True)
class SealedView:
    """An interface for values of several kinds."""

    own: str
    go: str
    doc: str
    rule: str
    cases: tuple[tuple[str, str, str], ...]
    """The types that are declared for it alone: comment, name and type."""
    tuples: tuple[str, ...]
    """Those of them that are tuples."""


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


def _field(place: Member, doc: str | None = None, *, optional: bool = False, hidden: bool = False) -> Row:
    omit = "omitzero" if place.form == "nullable" else "omitempty"
    tag = UNTAGGED if hidden else json_tag(place.key, omit if optional or not place.required else "")
    return doc or place.doc, (place.name, place.go, tag)


def _embeds(structs: list[GoStruct]) -> list[Row]:
    return [(None, (each.name,)) for each in structs]


def _idle(each: Idle) -> Row:
    return each.doc, (each.name, each.go, UNTAGGED)


def _flat_fields(flat: FlatStruct) -> Iterator[Row]:
    """The fields of a flat struct, with the variants that have them; optional if not every variant has them."""
    for name, place in flat.fields.items():
        having = [leaf.go for leaf in flat.leaves if name in leaf.shared]
        somewhere = len(having) < len(flat.leaves)
        owners = f"In {', '.join(dict.fromkeys(having))}." if somewhere else ""
        doc = "\n\n".join(filter(None, (place.doc, owners)))
        yield _field(place, doc, optional=somewhere, hidden=name in flat.hidden)


# --- methods ---------------------------------------------------------------------------------------------------


def _lookup(name: str, go: str, value: str, what: str) -> MethodView:
    """A method that also returns whether the value is there."""
    return MethodView(name, f"({go}, bool)", value, what, receiver="")


def _held(place: Member) -> Iterator[MethodView]:
    """The methods that return the values that a field of type any may hold."""
    if place.shape.choice is None or place.go != "any":
        return
    members = [each for each in place.shape.choice if each.kind != "null"]
    for each in members:
        go = each.go
        name = f"{place.name}Value" if len(members) == 1 else f"{place.name}As{_accessor_word(each.shape)}"
        value = f"{'heldStruct' if each.shape.struct else 'held'}[{go}](v.{place.name})"
        yield _lookup(name, go, value, f"{place.name} if it holds a {go}")


def _unknown(go: str) -> MethodView:
    return _lookup(f"As{go}", go, f"heldUnknown[{go}](v)", "the object unchanged, if its tag is not declared")


def _accessor_word(shape: Shape) -> str:
    if shape.kind == "list" and shape.item is not None:
        return f"{_accessor_word(shape.item)}s"
    if shape.kind == "map" and shape.item is not None:
        return f"{_accessor_word(shape.item)}Map"
    name = {"object": "Object", "float64": "Number", "any": "JSON", "tuple": "Tuple"}.get(shape.kind, shape.go)
    name = "".join(c for c in name if c.isalnum())
    return name[:1].upper() + name[1:]


def _structures(
    structs: Iterable[StructView], shapes: Iterable[Shape], idle: Iterable[Idle], *imports: str
) -> Structures:
    """The structs of a file, with the imports that their fields and methods need."""
    contexts = ["context"] * any(CONTEXT in each.go for each in idle)
    groups = ["\n".join(f'\t"{path}"' for path in (*contexts, *imports))]
    groups += ['\t"github.com/google/uuid"'] * any(shape.kind == "uuid" for shape in shapes)
    return Structures("\n\n".join(filter(None, groups)), tuple(structs))


# --- declarations ----------------------------------------------------------------------------------------------


class Declarations:
    """Builds the declarations of a package."""

    def __init__(self, names: Names, shapes: Shapes, structs: Structs, unions: Unions, tables: Tables) -> None:
        self._names = names
        self._shapes = shapes
        self._structs = structs
        self._unions = unions
        self._tables = tables
        self._methods: Mapping[str, Mapping[str, MethodView]] = unions.struct_methods()
        self._markers: Mapping[str, list[str]] = unions.markers()

    @cached_property
    def types(self) -> Structures:
        """The structs of the spec with their own Go type."""
        names = self._structs.primaries()
        held = [*map(self._structs.go, names)]
        shapes = (field.shape for struct in held for field in struct.fields.values())
        return _structures(map(self._struct, names, held), shapes, (each for struct in held for each in struct.idle))

    def _struct(self, name: str, go: GoStruct) -> StructView:
        mixed = (method(each, go.fields[each.key]) for each in self._unions.mixin_getters(name) if go.mixin)
        held = (each for place in go.fields.values() for each in _held(place))
        return StructView(
            name=go.name,
            doc=comment(go.doc),
            rows=blocks([*_embeds(go.embeds), *map(_field, go.fields.values()), *map(_idle, go.idle)]),
            table=f"table{self._names.own(name)}",
            written="" if go.mixin else "the object",
            methods=(*self._methods.get(go.name, {}).values(), *mixed, *held),
            markers=tuple(self._markers.get(go.name, ())),
        )

    @cached_property
    def flats(self) -> Structures:
        """The structs that represent all variants of a union, a text or an object, or an Unknown."""
        flats, unknowns = self._unions.flats.values(), self._unions.unknowns()
        methods = [each.getters for each in self._unions.views()] + [each.views for each in unknowns]
        shapes = [field.shape for flat in flats for field in flat.fields.values()]
        shapes += [each.shape for getters in methods for each in getters if each.shape is not None]
        structs = (*map(self._flat, flats), *map(self._unknown, unknowns))
        idle = (each for flat in flats for each in flat.idle)
        return _structures(structs, shapes, idle, *("encoding/json",) * bool(unknowns))

    def _flat(self, flat: FlatStruct) -> StructView:
        go = flat.name
        use = "It has the fields of all variants; fields that do not belong to the current variant are not written."
        others: list[Row] = [(None, (name, each.shape.go, UNTAGGED)) for name, each in flat.others]
        if others:
            fields = ", ".join(name for name, _ in flat.others)
            rest = ", or that of an object in the others" if flat.leaves else ""
            use = f"Set the field for one kind of value: {fields}{rest}. Without any, it is the empty text."
        return StructView(
            name=go,
            doc=comment(f"{flat.doc}\n\n{use}"),
            rows=blocks([*_embeds(flat.embeds), *others, *_flat_fields(flat), *map(_idle, flat.idle)]),
            table=f"flat{go}",
            written="the value in the field that is set" if others else "the members that belong to the variant",
            methods=(
                *self._methods.get(go, {}).values(),
                *map(_unknown, flat.unknowns),
                *map(self._variant, flat.leaves),
            ),
            markers=tuple(self._markers.get(go, ())),
            unknown="isUnknownFlat(v)",
        )

    def _variant(self, leaf: Variant) -> MethodView:
        value = f"variantAs[{leaf.go}](v, {self._tables.declared(leaf.spec)})"
        return _lookup(leaf.accessor, leaf.go, value, f"the variant {leaf.go}, if v is of that variant")

    def _unknown(self, unknown: GoUnknown) -> StructView:
        tags: list[Row] = [(None, (name, "string")) for _, name in unknown.discriminators]
        return StructView(
            name=unknown.name,
            doc=comment(unknown.doc),
            rows=blocks([*tags, ("Raw is the JSON of the object.", ("Raw", "json.RawMessage"))]),
            table=f"unknown{unknown.name}",
            written="the object unchanged",
            methods=(
                *(self._unknown_getter(each, unknown) for each in unknown.getters),
                *(_lookup(*self._read(each, "lookup", "valid")) for each in unknown.views),
            ),
            markers=(*unknown.markers, *self._markers.get(unknown.name, ())),
            unknown="true",
            is_unknown=True,
        )

    def _unknown_getter(self, getter: Getter, unknown: GoUnknown) -> MethodView:
        name, go, value, what = self._read(getter, "memberOf", "of this type")
        is_own = any(field == getter.name for _, field in unknown.discriminators)
        return MethodView(name, go, f"{go}(v.{getter.name})" if is_own else value, what)

    def _read(self, getter: Getter, function: str, how: str) -> tuple[str, str, str, str]:
        """A method that reads a member of an Unknown: its name, its type, its value, and what that is."""
        value = f"{function}[{getter.go}](v.Raw, {quoted(getter.key)}, {self._rule(getter)})"
        return getter.method, getter.go, value, f"the member {getter.key}, if it is present and {how}"

    def _rule(self, getter: Getter) -> str:
        """The rule of a member; for a tag, the rule of its built-in type."""
        if getter.type is not None:
            return self._tables.type(getter.type)
        return {"bool": "isBool", "int": "isInteger"}.get(getter.shape.kind if getter.shape else "", "isString")

    @property
    def enums(self) -> Iterator[EnumView]:
        """The declarations of enums."""
        return map(self._enum, self._shapes.model.enums)

    def _enum(self, enum: Enum) -> EnumView:
        go = self._names.type(enum.name)
        is_typed = override(enum.about, "layout") != "string"
        typed = (go,) if is_typed else ()
        rows: list[Row] = [
            (description(value.about), (self._names.value(enum, at), *typed, f"= {literal(value.wire)}"))
            for at, value in enumerate(enum.values)
        ]
        return EnumView(
            name=go,
            doc=comment(documentation(enum.about, go)),
            table=f"enum{self._names.own(enum.name)}",
            known="" if is_typed else f"Known{go}",
            base="int64" if enum.base == "integer" else "string",
            test="hasNumber(float64(v))" if enum.base == "integer" else "hasText(string(v))",
            rows=blocks(rows),
        )

    @property
    def named(self) -> Iterator[tuple[str, str, str]]:
        """The declarations of callbacks and of aliases that are not structs: comment, name and type."""
        for alias in self._shapes.model.aliases:
            if not is_mixed(alias) and not is_sealed(self._shapes.model, alias):
                go = self._names.type(alias.name)
                yield comment(documentation(alias.about, go)), go, self._shapes.definition(alias)
        for name, signature, where in self._structs.callbacks():
            yield comment(f"{name} is the type of {where}."), name, signature

    @cached_property
    def sealed(self) -> list[SealedView]:
        """The interfaces for values of several kinds."""
        model = self._shapes.model
        return [self._sealed(each) for each in model.aliases if declares_interface(model, each)]

    def _sealed(self, alias: Alias) -> SealedView:
        go = self._names.type(alias.name)
        own = [each for each in self._shapes.cases(alias) if each.shape.kind not in {"own", "any"}]
        types = ", ".join([*(each.go for each in own), *(f"*{name}" for name in self._unions.held(alias))])
        return SealedView(
            self._names.own(alias.name),
            go,
            comment(f"{documentation(alias.about, go)}\n\nIt is one of these types: {types}."),
            self._tables.declared(alias.name),
            tuple((comment(f"{each.go} is a value of {go}."), each.go, each.shape.go) for each in own),
            tuple(each.go for each in own if each.shape.kind == "tuple"),
        )
