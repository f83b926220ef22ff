"""Unions of the spec → Go: sealed interfaces, or one flat struct for all variants; Unknowns; the path to a variant.

A flat struct has those fields of its variants that are compatible, and returns the variants themselves by its `As…`
methods. Members of a variant that do not fit are held internally.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from polywire.model.nodes import Alias, Declaration, Dispatch, Enum, Leaf, Model, Struct, Union
from polywire.model.walk import without_alias
from polywire.plan.rows import FieldRow
from polywire.plan.unions import UnknownPlan
from polywire.source.types import Ref, Type
from polywire.targets.common.naming import words
from polywire.targets.go.docs import documentation
from polywire.targets.go.layout import Row, blocks, comment, json_tag, quoted
from polywire.targets.go.names import declares_interface, is_mixed, mixed, override
from polywire.targets.go.shapes import Shape, is_flat
from polywire.targets.go.structs import (
    FlatStruct,
    GoStruct,
    Member,
    Method,
    Other,
    UnknownStruct,
    Variant,
    comma_ok,
    flat_unions,
)
from polywire.targets.go.tables import Tables

PLURALS = {"list": "s", "map": "Map"}
"""Kind of shape → the end of the name of an accessor, after that of its items."""

TAG_RULES = {"bool": "isBool", "int": "isInteger"}
"""Kind of shape of a tag that is no text → the rule of its built-in type."""


@dataclass(frozen=True, slots=True)
class Getter:
    """A method of an interface, which returns a field of its values."""

    name: str
    go: str
    place: Member
    enum: Enum | None = None
    """The enum of a tag, whose constants the method returns."""


@dataclass(frozen=True, slots=True)
class UnionView:
    """A union."""

    spec: str
    own: str
    go: str
    doc: str
    is_flat: bool
    getters: tuple[Getter, ...]
    """The methods of its interface, besides the one that marks its variants."""
    raw: str
    """The fields of the struct with its discriminators, if it has one."""

    @property
    def types(self) -> Iterator[str]:
        """The Go types that its methods mention."""
        return (each.go for each in self.getters)


class Unions:
    """Builds the unions of a package, and the structs and methods that it has because of them."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._plan = tables.plan
        self._model = model = tables.model
        self._names = tables.names
        self._structs = tables.structs
        self.flats = {name: self._flat(name, group) for name, group in flat_unions(model).items()}
        self.flats |= {each.name: self._mixed(each) for each in model.aliases if is_mixed(each)}
        self.unknowns = list(map(self._unknown, self._plan.unknowns))
        made: list[GoStruct] = [*self._structs.primaries.values(), *self.flats.values(), *self.unknowns]
        self._made = {each.name: each for each in made}
        self._fields = {each.name: {place.name: place for place in each.promoted()} for each in made}
        self._types = self._types_of_methods()
        self.views = [self._view(union) for union in model.unions]
        for union in model.unions:
            self._implement(union)
        for each in model.aliases:
            if declares_interface(model, each):
                self._mark(each, self.held(each))
        for name, go in self._structs.primaries.items():
            self._add(go.name, self._own_methods(name, go))
        for flat in self.flats.values():
            self._add(flat.name, self._conversions(flat))
        for unknown in self.unknowns:
            self._add(unknown.name, (method for _, method in unknown.views))

    # Flat structs.

    def _mixed(self, alias: Alias) -> FlatStruct:
        """The struct for several kinds of values, which has the fields of those that are objects."""
        members = self.tables.shapes.members(alias.type)
        named = {each.kind: override(alias.about, f"kinds.{each.kind}") for each in members}
        objects = (self._declared(each.type) for each in members if named[each.kind] is None)
        held = next((each for each in objects if each is not None), None)
        group, alone = ([held], None) if isinstance(held, Union) else ([], held)
        fields = [(name, each) for each in members if (name := named[each.kind]) is not None]
        fields.sort(key=lambda field: field[1].kind != "string")
        flat = self._flat(alias.name, group, fields, alone)
        flat.expected = " or ".join(each.kind for each in members)
        return flat

    def _flat(
        self, name: str, group: list[Union], others: Sequence[Other] = (), alone: Declaration | None = None
    ) -> FlatStruct:
        """The struct for the variants of unions or a struct, and for other values."""
        structs = (struct for union in group for struct in self._plan.unions[union.name].structs)
        leaves = [alone.name] if alone is not None else list(dict.fromkeys(structs))
        made = [self._structs.go(leaf) for leaf in leaves]
        common = [each for each in (made[0].embeds if made else ()) if all(each in other.embeds for other in made)]
        go = self._names.type(name)
        use = "It has the fields of all variants; fields that do not belong to the current variant are not written."
        if others:
            fields = ", ".join(name for name, _ in others)
            rest = ", or that of an object in the others" if leaves else ""
            use = f"Set the field for one kind of value: {fields}{rest}. Without any, it is the empty text."
        flat = FlatStruct(
            go,
            comment(f"{documentation(self._model.declarations[name].about, go)}\n\n{use}"),
            f"flat{go}",
            common,
            written="the value in the field that is set" if others else "the members that belong to the variant",
            unions=[each.name for each in group],
            others=others,
        )
        served = {place.key for each in common for place in each.promoted()}
        for tags in (True, False):
            for struct in made:
                for key, place in struct.by_key().items():
                    if place.is_tag == tags and key not in served:
                        _join(flat, place)
        seen: list[tuple[tuple[str, str], ...]] = []
        for leaf, struct in zip(leaves, made, strict=True):
            identity = self._identity(leaf)
            self._add_leaf(flat, leaf, struct, group, marked=len(group) > 1 and identity in seen)
            seen.append(identity)
        flat.discriminators = [(key, name) for key, name in self._keys(group) if name in flat.fields]
        return flat

    def _identity(self, leaf: str) -> tuple[tuple[str, str], ...]:
        """Field and literal of each constant tag."""
        members = self._structs.members[leaf]
        return tuple((m.name, m.constant) for m in members if m.constant and m.shape.kind != "number")

    def _add_leaf(self, flat: FlatStruct, leaf: str, struct: GoStruct, group: list[Union], *, marked: bool) -> None:
        for place in struct.by_key().values():
            if place.name in flat.fields and flat.fields[place.name].go in {place.go, f"*{place.go}"}:
                flat.owners[place.name].append(struct.name)
        for name, row in struct.idle.items():
            if name not in flat.fields:
                flat.idle.setdefault(name, row)
        accessor = f"As{self._stem(leaf, group)}"
        if any(each.accessor == accessor for each in flat.leaves):
            accessor = f"As{struct.name}"
        flat.leaves.append(Variant(leaf, struct.name, accessor, marked))

    def _stem(self, leaf: str, group: list[Union]) -> str:
        """The stem of the name of a variant's accessor: its tag if it is constant, or else the name of the struct."""
        struct = self._model.struct(leaf)
        tags = (tag.constant for union in group for tag in struct.tags if tag.key == union.by)
        constant = next((each for each in tags if each is not None), None)
        return self._names.own(leaf) if constant is None else mixed(words(str(constant)))

    def _conversions(self, flat: FlatStruct) -> Iterator[Method]:
        """The methods that return what a flat struct holds as its own type: an Unknown or a variant."""
        unions = map(self._model.union, flat.unions)
        for go in dict.fromkeys(unknown for union in unions for unknown in self._unknowns_of(union)):
            what = "the object unchanged, if its tag is not declared"
            yield comma_ok(f"As{go}", go, f"heldUnknown[{go}](v)", what)
        for leaf in flat.leaves:
            value = f"variantAs[{leaf.go}](v, {self.tables.declared(leaf.spec)})"
            yield comma_ok(leaf.accessor, leaf.go, value, f"the variant {leaf.go}, if v is of that variant")

    # Unknowns.

    def _unknowns_of(self, union: Union) -> list[str]:
        """The Unknowns that a value of a union may be."""
        opened = (opened for _, _, opened in values(union.dispatch, self._model) if opened is not None)
        return list(dict.fromkeys(map(self._names.unknown, opened)))

    def _unknown(self, plan: UnknownPlan) -> UnknownStruct:
        """The Unknown of some unions, with the discriminators of all of them and the methods that look up members."""
        name = self._names.unknown(plan.union)
        *others, last = (self._names.own(union.name) for union in plan.unions)
        of = f"{', '.join(others)} or {last}" if others else last
        text = f"{name} is an object of {of} that matches no declared variant, kept unchanged."
        tags = [(key, tag) for key, tag in self._keys(plan.unions) if tag != "Raw"]
        taken = {tag for _, tag in tags}
        views: list[tuple[str, Method]] = []
        for view in dict.fromkeys(view for union in plan.unions for view in self._plan.unions[union.name].views):
            place = next(m for m in self._structs.members[view.struct] if m.key == view.field.name)
            method = f"Lookup{place.name}"
            while method in taken:
                method += "Member"
            taken.add(method)
            value, what = self._read("lookup", place, place.shape.go), "if it is present and valid"
            views.append((place.key, comma_ok(method, place.shape.go, value, f"the member {place.key}, {what}")))
        return UnknownStruct(name, comment(text), f"unknown{name}", discriminators=tags, views=views)

    def _read(self, function: str, place: Member, go: str) -> str:
        """The expression that reads a member of an Unknown by its rule; a tag by the rule of its built-in type."""
        row = place.planned.row
        rule = self.tables.rule(row.rule) if isinstance(row, FieldRow) else TAG_RULES.get(place.shape.kind, "isString")
        return f"{function}[{go}](v.Raw, {quoted(place.key)}, {rule})"

    def _keys(self, unions: Iterable[Union]) -> list[tuple[str, str]]:
        """The discriminators of unions that are strings and their fields, the outermost first; each field is one's."""
        keys = dict.fromkeys(k for union in unions for k in self._plan.unions[union.name].text_discriminators)
        return [(key, name) for name, key in {self._names.member(key): key for key in reversed(keys)}.items()][::-1]

    # Interfaces.

    def getters(self, union: Union) -> tuple[Getter, ...]:
        """The methods of an interface: those offered that have the same type in all interfaces of each value."""
        holders = self._holders(union)
        return tuple(
            each for each in self._offered(union) if all(self._types[of, each.name] == {each.go} for of in holders)
        )

    def _types_of_methods(self) -> dict[tuple[str, str], set[str]]:
        """Go type and method → the types that interfaces have for it; without pointers, if that leaves any."""
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for union in self._model.unions:
            for getter, go in product(self._offered(union), self._holders(union)):
                found[go, getter.name].add(getter.go)
        return {key: {go for go in types if not go.startswith("*")} or types for key, types in found.items()}

    def _holders(self, union: Union) -> tuple[str, ...]:
        """The Go types of a union's values, with those of Unknowns."""
        return (*self._carriers(union), *self._unknowns_of(union))

    def _offered(self, union: Union) -> Iterator[Getter]:
        """The methods that all variants of a union have: for the tag if it has an enum type, and for shared fields."""
        mixin = override(union.about, "embed")
        enum = override(union.about, "tag")
        if mixin is None or enum is None:
            yield from self._shared(union)
            return
        name = self._names.member(union.by)
        tag = next(fields[name] for go in self._carriers(union) if name in (fields := self._fields[go]))
        yield _getter(tag, self._names.type(enum), self._model.enum(enum))
        yield from self._of_mixin(mixin)

    def _of_mixin(self, mixin: str) -> tuple[Getter, ...]:
        """The methods of a struct that others embed."""
        return tuple(_getter(place, place.go) for place in self._structs.go(mixin).fields.values())

    def _shared(self, union: Union) -> Iterator[Getter]:
        """Methods for the members that variants share, and for tags and constants of one Go type.

        A member that only some variants have, or must have, is returned as a pointer.
        """
        fields = {} if is_flat(union) else {go: self._fields[go] for go in self._carriers(union)}
        shared = {each.key for each in self._plan.unions[union.name].shared}
        taken = {name for each in fields.values() for name in each}
        for name in dict.fromkeys(name for each in fields.values() for name in each):
            places = [each[name] for each in fields.values() if name in each]
            is_exact = len({each.go for each in places}) == 1 and len(places) == len(fields)
            go = places[0].go if is_exact else _pointer(places)
            if go and (places[0].key in shared or (places[0].is_tag and is_exact)) and f"Get{name}" not in taken:
                yield _getter(places[0], go)

    def _implement(self, union: Union) -> None:
        """Give the values of a union the methods of its interface."""
        unknowns = self._unknowns_of(union)
        for getter in self.getters(union):
            for go, struct in self._carriers(union).items():
                self._add(go, self._method(getter, self._made[go], struct))
            what = f"the member {getter.place.key}, if it is present and of this type"
            for unknown in (each for each in self.unknowns if each.name in unknowns):
                # Where it is a pointer, it may be absent, which the unknown's own field does not say.
                is_own = getter.go[0] != "*" and any(name == getter.place.name for _, name in unknown.discriminators)
                read = f"v.{getter.place.name}"
                value = f"{getter.go}({read})" if is_own else self._read("memberOf", getter.place, getter.go)
                self._add(unknown.name, [Method(getter.name, getter.go, value, what)])
        if not is_flat(union):
            self._mark(union, self._holders(union))

    def _mark(self, interface: Union | Alias, types: Iterable[str]) -> None:
        """Give types the method that marks the values of an interface."""
        for go in types:
            self._made[go].markers.append(self._names.own(interface.name))

    def _add(self, go: str, methods: Iterable[Method]) -> None:
        """Give a type methods, except those that it has for another interface."""
        for method in methods:
            self._made[go].methods.setdefault(method.name, method)

    def _method(self, getter: Getter, go: GoStruct, struct: Struct) -> Iterator[Method]:
        """The method of a variant, unless it embeds a struct that has it."""
        place = self._fields[go.name].get(getter.place.name)
        if getter.enum is not None:
            tag = struct.tag(getter.place.key)
            values = enumerate(getter.enum.values)
            at = next((at for at, value in values if tag is not None and value.wire == tag.constant), None)
            value = f"v.{getter.place.name}" if at is None else self._names.value(getter.enum, at)
            yield Method(getter.name, getter.go, value, "the type")
        elif not any(each.is_mixin and any(place is other for other in each.promoted()) for each in go.embeds):
            yield _returning(getter, place)

    def _own_methods(self, name: str, go: GoStruct) -> Iterator[Method]:
        """The methods of a struct for fields that it declares itself: as a mixin, and for those of type any."""
        if go.is_mixin:
            yield from (_returning(each, each.place) for each in self._of_mixin(name))
        for place in go.fields.values():
            yield from _held(place)

    def _carriers(self, union: Union) -> dict[str, Struct]:
        """The Go types of a union's values, each with one struct of the spec that it represents."""
        found: dict[str, Struct] = {}
        for leaf, flat, _ in values(union.dispatch, self._model):
            found.setdefault(self._names.type(leaf if flat is None else flat.name), self._model.struct(leaf))
        return found

    def _declared(self, type_: Type) -> Declaration | None:
        """The declaration that a type refers to, if it is no alias."""
        plain = without_alias(type_, self._model.declarations)
        return self._model.declarations[plain.name] if isinstance(plain, Ref) else None

    def held(self, alias: Alias) -> dict[str, None]:
        """The Go types of an interface's values that are declared structs, to which it holds pointers."""
        found: dict[str, None] = {}
        for each in self.tables.shapes.cases(alias):
            declared = self._declared(each.type)
            if isinstance(declared, Union) and not is_flat(declared):
                found |= dict.fromkeys([*self._carriers(declared), *self._unknowns_of(declared)])
            elif each.shape.struct:
                found[each.go if declared is None else self._names.type(declared.name)] = None
        return found

    def _view(self, union: Union) -> UnionView:
        go = self._names.type(union.name)
        types = dict.fromkeys([*self._carriers(union), *self._unknowns_of(union)])
        returned = f"Decoders return one of these pointers: {', '.join(f'*{each}' for each in types)}."
        return UnionView(
            union.name,
            self._names.own(union.name),
            go,
            comment(f"{documentation(union.about, go)}\n\n{returned}"),
            is_flat(union),
            self.getters(union),
            blocks(self._raw(union)) if override(union.about, "embed") is not None else "",
        )

    def _raw(self, union: Union) -> Iterator[Row]:
        """The fields for the discriminators only, with the types that the unions give them."""
        seen: dict[str, str] = {}
        for switch in self._plan.unions[union.name].switches:
            enum = override(self._model.union(switch.union).about, "tag")
            if switch.base == "string":
                seen[switch.key] = self._names.type(enum) if enum else seen.get(switch.key, "string")
        for key, go in seen.items():
            type_, omit = (go, "") if key == union.by else (f"*{go}", "omitempty")
            yield None, (self._names.member(key), type_, json_tag(key, omit))


def _join(flat: FlatStruct, place: Member) -> None:
    """Add a field of a variant to a flat struct, or let the field there have its form if only that differs."""
    if place.name not in flat.fields:
        if any(other.key == place.key for other in flat.fields.values()):
            flat.hidden.add(place.name)
        flat.fields[place.name] = place
    elif place.form == "pointer" and flat.fields[place.name].go == place.shape.go:
        flat.fields[place.name] = replace(flat.fields[place.name], form=place.form)


def _getter(place: Member, go: str, enum: Enum | None = None) -> Getter:
    """The method that returns a field as a Go type."""
    return Getter(f"Get{place.name}", go, place, enum)


def _returning(getter: Getter, place: Member | None) -> Method:
    """The method of a struct with a field; without one, it returns nil."""
    if place is None:
        return Method(getter.name, getter.go, "nil", f"nil, as there is no member {getter.place.key}")
    address = "&" * (place.form == "plain" and place.go != getter.go)
    return Method(getter.name, getter.go, f"{address}v.{place.name}", f"the member {getter.place.key}")


def _held(place: Member) -> Iterator[Method]:
    """The methods that return the values that a field of type any may hold."""
    if place.shape.choice is None or place.go != "any":
        return
    members = [each for each in place.shape.choice if each.kind != "null"]
    for each in members:
        go = each.go
        name = f"{place.name}Value" if len(members) == 1 else f"{place.name}As{_accessor_word(each.shape)}"
        value = f"{'heldStruct' if each.shape.struct else 'held'}[{go}](v.{place.name})"
        yield comma_ok(name, go, value, f"{place.name} if it holds a {go}")


def _accessor_word(shape: Shape) -> str:
    if shape.item is not None and shape.kind in PLURALS:
        return _accessor_word(shape.item) + PLURALS[shape.kind]
    name = {"object": "Object", "float64": "Number", "any": "JSON", "tuple": "Tuple"}.get(shape.kind, shape.go)
    name = "".join(c for c in name if c.isalnum())
    return name[:1].upper() + name[1:]


def _pointer(places: Sequence[Member]) -> str | None:
    """The pointer by which all of these fields can be returned, if there is one."""
    types = {each.shape.go for each in places}
    forms = {each.form for each in places}
    return f"*{types.pop()}" if len(types) == 1 and forms <= {"plain", "pointer"} else None


def values(
    dispatch: Dispatch, model: Model, flat: Union | None = None, opened: Union | None = None
) -> Iterator[tuple[str, Union | None, Union | None]]:
    """Every variant, with the outermost flat union and the outermost open union that contain it, if any.

    Objects without a variant become the Unknown of the outermost open union, also if a nested one has no variant.
    """
    if isinstance(dispatch, Leaf):
        yield dispatch.struct, flat, opened
        return
    union = model.union(dispatch.union)
    flat = union if flat is None and is_flat(union) else flat
    opened = union if opened is None and union.open else opened
    for then in dispatch.thens:
        yield from values(then, model, flat, opened)
