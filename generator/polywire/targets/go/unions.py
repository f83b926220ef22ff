"""Unions of the spec → Go: sealed interfaces, or one flat struct for all variants; Unknowns; the path to a variant.

A flat struct has those fields of its variants that are compatible, and returns the variants themselves by its `As…`
methods. Members of a variant that do not fit are held internally.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from polywire.model.nodes import About, Alias, Declaration, Dispatch, Enum, Leaf, Model, Struct, Union
from polywire.model.walk import without_alias
from polywire.plan import Plan
from polywire.source.types import Ref, Type
from polywire.targets.common.naming import words
from polywire.targets.go.docs import documentation
from polywire.targets.go.layout import Row, blocks, comment, json_tag
from polywire.targets.go.names import Names, declares_interface, is_mixed, mixed, override
from polywire.targets.go.shapes import Alternative, Shape, Shapes, is_flat
from polywire.targets.go.structs import GoStruct, Idle, Member, Structs, flat_unions


@dataclass(frozen=True, slots=True)
class Getter:
    """A method that returns a field."""

    method: str
    go: str
    name: str
    """The field."""
    key: str = ""
    shape: Shape | None = None
    type: Type | None = None


@dataclass(frozen=True, slots=True)
class MethodView:
    """A method that returns an expression."""

    name: str
    go: str
    """The type of the expression."""
    value: str
    what: str
    """A phrase for what it returns."""
    receiver: str = "*"
    """A star if the receiver is a pointer."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of a flat struct."""

    spec: str
    go: str
    accessor: str
    shared: tuple[str, ...]
    """Fields that the flat struct also has."""
    marked: bool
    """Whether a value records that it is this variant, because an earlier one has the same tags."""


@dataclass(slots=True)
class FlatStruct:
    """A flat struct."""

    name: str
    doc: str
    embeds: list[GoStruct]
    fields: dict[str, Member] = field(default_factory=dict)
    """The fields, by name in Go."""
    hidden: set[str] = field(default_factory=set)
    """Fields whose key another field has too."""
    leaves: list[Variant] = field(default_factory=list)
    unknowns: list[str] = field(default_factory=list)
    discriminators: list[tuple[str, str]] = field(default_factory=list)
    """Key and field of each member that distinguishes variants."""
    idle: list[Idle] = field(default_factory=list)
    """The fields that are never sent."""
    unions: list[str] = field(default_factory=list)
    """The unions that share it."""
    others: list[tuple[str, Alternative]] = field(default_factory=list)
    """The fields for values that are no objects with members, the one for a text first."""
    expected: str = ""
    """The kinds of its values, if there are others."""

    def promoted(self) -> dict[str, Member]:
        """Every field that can be selected, including those of embedded structs, by name in Go."""
        return {**{place.name: place for each in self.embeds for place in each.promoted().values()}, **self.fields}


@dataclass(frozen=True, slots=True)
class GoUnion:
    """A union."""

    spec: str
    own: str
    go: str
    doc: str
    flat: bool
    getters: tuple[Getter, ...]
    """The methods of its interface, besides the one that marks its variants."""
    raw: str
    """The fields of the struct with its discriminators, if it has one."""


@dataclass(frozen=True, slots=True)
class GoUnknown:
    """The struct of objects whose tag matches no variant."""

    name: str
    doc: str
    discriminators: tuple[tuple[str, str], ...]
    """Key and field of each discriminator."""
    markers: tuple[str, ...]
    getters: tuple[Getter, ...]
    views: tuple[Getter, ...]
    """Members that can be looked up."""


class Unions:
    """Builds the unions of a model."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes, structs: Structs) -> None:
        self._plan = plan
        self._model = model = plan.model
        self._names = names
        self._shapes = shapes
        self._structs = structs
        self._groups = flat_unions(model)
        self.flats = {name: self._flat_union(name, group) for name, group in self._groups.items()}
        self.flats |= {each.name: self._mixed(each) for each in model.aliases if is_mixed(each)}
        made: list[GoStruct | FlatStruct] = [*map(structs.go, structs.primaries()), *self.flats.values()]
        self._embeds = {each.name: each.embeds for each in made}
        self._fields = {each.name: {place.name: place for place in each.promoted().values()} for each in made}
        self._exact = frozenset(self._exactly())

    # Flat structs.

    def _flat_union(self, name: str, group: list[Union]) -> FlatStruct:
        leaves = list(dict.fromkeys(leaf for union in group for leaf in self._plan.unions[union.name].structs))
        return self._flat(name, self._model.union(name).about, leaves, group)

    def _mixed(self, alias: Alias) -> FlatStruct:
        """The struct for several kinds of values, which has the fields of those that are objects."""
        members = self._shapes.members(alias.type)
        named = {each.kind: override(alias.about, f"kinds.{each.kind}") for each in members}
        group, leaves = [], []
        for each in members:
            declared = self._declared(each.type)
            if named[each.kind] is None and declared is not None:
                group = [declared] if isinstance(declared, Union) else []
                leaves = list(self._plan.unions[declared.name].structs) if group else [declared.name]
        flat = self._flat(alias.name, alias.about, leaves, group)
        fields = [(name, each) for each in members if (name := named[each.kind]) is not None]
        flat.others = sorted(fields, key=lambda field: field[1].kind != "string")
        flat.expected = " or ".join(each.kind for each in members)
        return flat

    def _flat(self, name: str, about: About, leaves: list[str], group: list[Union]) -> FlatStruct:
        made = [self._structs.go(leaf) for leaf in leaves]
        embeds = made[0].embeds if made else []
        common = [e for e in embeds if all(any(o is e for o in other.embeds) for other in made)]
        go = self._names.type(name)
        flat = FlatStruct(go, documentation(about, go), common, unions=[each.name for each in group])
        served = {key for each in common for key in each.promoted()}
        for tags in (True, False):
            for each in made:
                for key, place in each.promoted().items():
                    if place.is_tag == tags and key not in served:
                        self._add(flat, place)
        for idle in (idle for struct in made for idle in struct.idle):
            if idle.name not in flat.fields and all(idle.name != other.name for other in flat.idle):
                flat.idle.append(idle)
        taken: set[str] = set()
        seen: list[tuple[tuple[str, str], ...]] = []
        for leaf, struct in zip(leaves, made, strict=True):
            identity = self._identity(leaf)
            marked = len(group) > 1 and identity in seen
            flat.leaves.append(self._leaf(flat, leaf, struct, group, taken, marked=marked))
            seen.append(identity)
        flat.unknowns = list(dict.fromkeys(u for each in group for u in self._unknowns_of(each)))
        members = ((key, self._names.member(key)) for key in self._keys(group))
        flat.discriminators = [(key, name) for key, name in members if name in flat.fields]
        return flat

    def _add(self, flat: FlatStruct, place: Member) -> None:
        if place.name not in flat.fields:
            if any(other.key == place.key for other in flat.fields.values()):
                flat.hidden.add(place.name)
            flat.fields[place.name] = place
        elif place.form == "pointer" and flat.fields[place.name].go == place.shape.go:
            flat.fields[place.name] = replace(flat.fields[place.name], form=place.form)

    def _identity(self, leaf: str) -> tuple[tuple[str, str], ...]:
        """Field and literal of each constant tag."""
        members = self._structs.views[leaf].members
        return tuple((m.name, m.constant) for m in members if m.constant and m.shape.kind != "number")

    def _leaf(
        self, flat: FlatStruct, leaf: str, struct: GoStruct, group: list[Union], taken: set[str], *, marked: bool
    ) -> Variant:
        promoted = struct.promoted().values()
        common = {place.name for each in flat.embeds for place in each.promoted().values()}
        shared = [
            place.name
            for place in promoted
            if place.name not in common
            and place.name in flat.fields
            and flat.fields[place.name].go in {place.go, f"*{place.go}"}
        ]
        accessor = f"As{self._stem(leaf, group)}"
        if accessor in taken:
            accessor = f"As{struct.name}"
        taken.add(accessor)
        return Variant(leaf, struct.name, accessor, (*shared, *common), marked)

    def _stem(self, leaf: str, group: list[Union]) -> str:
        """The stem of the name of a variant's accessor: its tag if it is constant, or else the name of the struct."""
        struct = self._model.struct(leaf)
        tags = (tag.constant for union in group for tag in struct.tags if tag.key == union.by)
        constant = next((each for each in tags if each is not None), None)
        return self._names.own(leaf) if constant is None else mixed(words(str(constant)))

    # Unknowns.

    def _unknowns_of(self, union: Union) -> list[str]:
        """The Unknowns that a value of a union may be."""
        return list(dict.fromkeys(map(self._names.unknown, _outermost_open(union.dispatch, self._model))))

    def unknowns(self) -> list[GoUnknown]:
        """The Unknowns, one for each name, with the discriminators of all unions that share it."""
        stands_in: dict[str, list[Union]] = {}
        for union in self._model.unions:
            for name in self._unknowns_of(union):
                stands_in.setdefault(name, []).append(union)
        return [
            self._unknown(name, list(each.unions), stands_in.get(name, []))
            for each in self._plan.unknowns
            for name in (self._names.unknown(each.union),)
        ]

    def _unknown(self, name: str, unions: list[Union], stands_in: list[Union]) -> GoUnknown:
        listed = [self._names.own(union.name) for union in unions]
        keys = [key for key in self._keys(unions) if self._names.member(key) != "Raw"]
        text = listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} or {listed[-1]}"
        # as a value of an enclosing union without an Unknown of its own, it has the methods of that interface too
        enclosing = [union for union in stands_in if not is_flat(union)]
        getters = [getter for union in (*unions, *enclosing) for getter in self.getters(union)]
        return GoUnknown(
            name,
            f"{name} is an object of {text} that matches no declared variant, kept unchanged.",
            tuple((key, self._names.member(key)) for key in keys),
            tuple(self._names.own(union.name) for union in enclosing),
            tuple({getter.method: getter for getter in getters}.values()),
            tuple(self._views(unions, {self._names.member(key) for key in keys})),
        )

    def _views(self, unions: list[Union], taken: set[str]) -> Iterator[Getter]:
        """The methods of an Unknown that look up members, with names that are not taken."""
        for view in dict.fromkeys(view for union in unions for view in self._plan.unions[union.name].views):
            member = next(m for m in self._structs.views[view.struct].members if m.key == view.field.name)
            method = f"Lookup{member.name}"
            while method in taken:
                method += "Member"
            taken.add(method)
            yield Getter(method, member.shape.go, member.name, member.key, member.shape, member.type)

    def _keys(self, unions: list[Union]) -> list[str]:
        """The discriminators of unions that are strings, the outermost first."""
        return list(dict.fromkeys(k for union in unions for k in self._plan.unions[union.name].text_discriminators))

    # Interfaces.

    def getters(self, union: Union) -> tuple[Getter, ...]:
        """The methods that all variants of a union have: for the tag if it has an enum type, and for shared fields."""
        mixin = override(union.about, "embed")
        enum = override(union.about, "tag")
        if mixin is None or enum is None:
            return self._shared(union)
        tag = self._names.member(union.by)
        own = Getter(f"Get{tag}", self._names.type(enum), tag, union.by)
        return (own, *self.mixin_getters(mixin))

    def _shared(self, union: Union) -> tuple[Getter, ...]:
        """Methods for the members that variants share, and for tags and constants of one Go type.

        A member that only some variants have, or must have, is returned as a pointer, unless another interface with one
        of these variants has the same method without one.
        """
        found: list[Getter] = []
        for name, places, is_exact in self._common(union):
            first = next(iter(places.values()))
            go = first.go if is_exact else _pointer(places)
            if go is not None and (is_exact or self._exact.isdisjoint((each, name) for each in places)):
                found.append(_getter(first, go))
        return tuple(found)

    def _common(self, union: Union) -> Iterator[tuple[str, dict[str, Member], bool]]:
        """The fields for which the variants of an interface can have a method.

        Each with its name, the field in each Go type, and whether all of them have it as one type.
        """
        fields = {} if is_flat(union) else {go: self._fields.get(go, {}) for go in self._carriers(union)}
        shared = {each.key for each in self._plan.unions[union.name].shared}
        taken = {name for each in fields.values() for name in each}
        for name in dict.fromkeys(name for each in fields.values() for name in each):
            places = {go: each[name] for go, each in fields.items() if name in each}
            place = next(iter(places.values()))
            is_exact = len({each.go for each in places.values()}) == 1 and len(places) == len(fields)
            if (place.key in shared or (place.is_tag and is_exact)) and f"Get{name}" not in taken:
                yield name, places, is_exact

    def _exactly(self) -> Iterator[tuple[str, str]]:
        """Go type and field of the methods that return a field as it is."""
        for union in self._model.unions:
            mixin = override(union.about, "embed")
            if mixin is not None:
                names = [place.name for place in self._structs.go(mixin).fields.values()]
                yield from ((go, name) for go in self._carriers(union) for name in names)
            yield from ((go, name) for name, places, is_exact in self._common(union) if is_exact for go in places)

    def mixin_getters(self, mixin: str) -> tuple[Getter, ...]:
        """The methods of a struct that others embed."""
        return tuple(_getter(place, place.go) for place in self._structs.go(mixin).fields.values())

    def struct_methods(self) -> dict[str, dict[str, MethodView]]:
        """Go type → the methods that it has as a variant of unions, by name."""
        found: dict[str, dict[str, MethodView]] = {}
        for union in self._model.unions:
            getters = self.getters(union)
            enum = override(union.about, "tag") if override(union.about, "embed") is not None else None
            for go, struct in self._carriers(union).items():
                methods = found.setdefault(go, {})
                for each in getters:
                    if enum is not None and each is getters[0]:
                        methods.setdefault(each.method, self._tag_method(each, self._model.enum(enum), struct))
                    elif not self._is_promoted(go, each.name):
                        methods.setdefault(each.method, method(each, self._fields.get(go, {}).get(each.name)))
        return found

    def _tag_method(self, getter: Getter, enum: Enum, struct: Struct) -> MethodView:
        tag = struct.tag(getter.key)
        at = next((i for i, v in enumerate(enum.values) if tag is not None and v.wire == tag.constant), None)
        value = self._names.value(enum, at) if at is not None else f"v.{getter.name}"
        return MethodView(getter.method, getter.go, value, "the type")

    def _is_promoted(self, go: str, name: str) -> bool:
        """Whether a struct promotes the field from an embedded one, which already has the method."""
        own = self._fields.get(go, {}).get(name)
        embeds = self._embeds.get(go, [])
        return any(each.mixin and any(place is own for place in each.promoted().values()) for each in embeds)

    def _carriers(self, union: Union) -> dict[str, Struct]:
        """The Go types of a union's values, each with one struct of the spec that it represents."""
        found: dict[str, Struct] = {}
        for leaf, flat in wraps(union.dispatch, self._model):
            found.setdefault(self._names.type(leaf if flat is None else flat), self._model.struct(leaf))
        return found

    def _declared(self, type_: Type) -> Declaration | None:
        """The declaration that a type refers to, if it is no alias."""
        plain = without_alias(type_, self._model.declarations)
        return self._model.declarations[plain.name] if isinstance(plain, Ref) else None

    def markers(self) -> dict[str, list[str]]:
        """Go type → the interfaces that it implements by a marker method."""
        found: dict[str, list[str]] = {}
        held: dict[str, Iterable[str]]
        held = {each.name: self._carriers(each) for each in self._model.unions if not is_flat(each)}
        held |= {each.name: self.held(each) for each in self._model.aliases if declares_interface(self._model, each)}
        for name, types in held.items():
            for go in types:
                found.setdefault(go, []).append(self._names.own(name))
        return found

    def held(self, alias: Alias) -> dict[str, None]:
        """The Go types of an interface's values that are declared structs, to which it holds pointers."""
        found: dict[str, None] = {}
        for each in self._shapes.cases(alias):
            declared = self._declared(each.type)
            if isinstance(declared, Union) and not is_flat(declared):
                found |= dict.fromkeys([*self._carriers(declared), *self._unknowns_of(declared)])
            elif each.shape.struct:
                found[each.go] = None
        return found

    def views(self) -> list[GoUnion]:
        """All unions of the spec."""
        return [self._view(union) for union in self._model.unions]

    def _view(self, union: Union) -> GoUnion:
        go = self._names.type(union.name)
        types = dict.fromkeys([*self._carriers(union), *self._unknowns_of(union)])
        returned = f"Decoders return one of these pointers: {', '.join(f'*{each}' for each in types)}."
        return GoUnion(
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


def _getter(place: Member, go: str) -> Getter:
    """The method that returns a field as a Go type."""
    return Getter(f"Get{place.name}", go, place.name, place.key, place.shape, place.type)


def method(getter: Getter, place: Member | None) -> MethodView:
    """The method of a struct with a field; without one, it returns nil."""
    if place is None:
        return MethodView(getter.method, getter.go, "nil", f"nil, as there is no member {getter.key}")
    address = "&" * (place.form == "plain" and place.go != getter.go)
    return MethodView(getter.method, getter.go, f"{address}v.{getter.name}", f"the member {getter.key}")


def _pointer(places: Mapping[str, Member]) -> str | None:
    """The pointer by which all of these fields can be returned, if there is one."""
    types = {each.shape.go for each in places.values()}
    forms = {each.form for each in places.values()}
    return f"*{types.pop()}" if len(types) == 1 and forms <= {"plain", "pointer"} else None


def wraps(dispatch: Dispatch, model: Model, flat: str | None = None) -> Iterator[tuple[str, str | None]]:
    """Every variant, with the flat union that contains it, if any."""
    if isinstance(dispatch, Leaf):
        yield dispatch.struct, flat
        return
    if flat is None and is_flat(model.union(dispatch.union)):
        flat = dispatch.union
    for then in dispatch.thens:
        yield from wraps(then, model, flat)


def _outermost_open(dispatch: Dispatch, model: Model) -> Iterator[Union]:
    """The open unions that decide first: also objects without a variant of a nested union become their Unknowns."""
    if isinstance(dispatch, Leaf):
        return
    union = model.union(dispatch.union)
    if union.open:
        yield union
        return
    for then in dispatch.thens:
        yield from _outermost_open(then, model)
