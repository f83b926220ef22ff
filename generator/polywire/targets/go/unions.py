"""Unions of the spec → Go: sealed interfaces, or one flat struct for all variants; Unknowns; the way to a variant.

A flat struct has the fields of its variants, as far as they go together, and gives the variants themselves through its
`As…` methods. What of a variant does not fit is held inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from polywire.model.nodes import Alias, Choice, Dispatch, Keys, Leaf, Model, Ref, Struct, Switch, Union
from polywire.model.walk import structs_of
from polywire.targets.go.docs import documentation
from polywire.targets.go.layout import quoted
from polywire.targets.go.names import Names, mixed, override
from polywire.targets.go.shapes import Shape, Shapes, is_flat
from polywire.targets.go.structs import MAX_BITS, GoField, GoStruct, Structs, flat_unions
from polywire.targets.naming import words

Node = dict[str, object]
"""A step of a dispatch, as the templates walk it."""


@dataclass(frozen=True, slots=True)
class Getter:
    """A method that gives a field."""

    method: str
    go: str
    name: str
    """The field, or the expression of a constant."""
    key: str = ""
    shape: Shape | None = None


@dataclass(frozen=True, slots=True)
class LeafView:
    """A variant of a flat struct."""

    spec: str
    own: str
    go: str
    accessor: str
    shared: tuple[str, ...]
    """Fields that the flat struct has too."""
    fits: bool
    """Whether that is all of them."""
    tags: tuple[tuple[str, str], ...]
    """Field and literal of the constant tags."""
    foreign: tuple[GoField, ...] = ()
    """Fields of other variants with the same tags that it lacks."""
    mark: int | None = None
    """The bit that remembers that this is the variant, where another that has the same tags comes before it."""


@dataclass(slots=True)
class FlatView:
    """A flat struct."""

    name: str
    doc: str
    embeds: list[GoStruct]
    fields: dict[str, GoField] = field(default_factory=dict)
    """By name in Go."""
    hidden: set[str] = field(default_factory=set)
    """Fields whose key another has too."""
    leaves: list[LeafView] = field(default_factory=list)
    unknowns: list[str] = field(default_factory=list)
    discriminators: list[str] = field(default_factory=list)
    """Fields by which variants are told apart."""


@dataclass(frozen=True, slots=True)
class UnionView:
    """A union: its reader and writer."""

    spec: str
    own: str
    go: str
    doc: str
    flat: bool
    shared: bool
    """Whether it has no type of its own."""
    node: Node
    cases: tuple[tuple[str, str], ...]
    """For an interface: Go type and writer of each variant."""
    unknowns: tuple[str, ...]
    getters: tuple[Getter, ...]
    """The methods of its interface, if that is how its variants are known."""
    raw: tuple[tuple[str, str, str], ...] = ()
    """Field, type and key of its discriminators."""


@dataclass(frozen=True, slots=True)
class UnknownView:
    """The struct of objects whose tag nothing answers to."""

    name: str
    doc: str
    discriminators: tuple[tuple[str, str], ...]
    """Key and field."""
    markers: tuple[str, ...]
    getters: tuple[Getter, ...]


@dataclass(frozen=True, slots=True)
class EitherView:
    """A flat struct for a text or an object."""

    spec: str
    own: str
    go: str
    doc: str
    text: Shape
    variant: str
    variant_own: str
    fields: tuple[GoField, ...]


class Unions:
    """The unions of a model."""

    def __init__(self, model: Model, names: Names, shapes: Shapes, structs: Structs) -> None:
        self._model = model
        self._names = names
        self._shapes = shapes
        self._structs = structs
        self._groups = flat_unions(model)
        self.flats = {name: self._flat(name, group) for name, group in self._groups.items()}

    # Flat structs.

    def group(self, name: str) -> list[Union]:
        """The unions that share a flat struct."""
        return self._groups[name]

    def _flat(self, name: str, group: list[Union]) -> FlatView:
        leaves = list(dict.fromkeys(leaf for union in group for leaf in structs_of(union.dispatch)))
        made = [self._structs.go(leaf) for leaf in leaves]
        union = self._model.union(name)
        common = [e for e in made[0].embeds if all(any(o is e for o in other.embeds) for other in made)]
        go = self._names.type(name)
        flat = FlatView(go, documentation(union.about, go), common)
        served = {key for each in common for key in each.promoted()}
        for tags in (True, False):
            for each in made:
                for key, place in each.promoted().items():
                    if place.tag == tags and key not in served:
                        self._add(flat, place)
        taken: set[str] = set()
        for leaf, struct in zip(leaves, made, strict=True):
            flat.leaves.append(self._leaf(flat, leaf, struct, group, taken))
        flat.leaves = [replace(leaf, foreign=self._foreign(flat, leaf)) for leaf in flat.leaves]
        if len(group) > 1:
            _mark(flat)
        flat.unknowns = list(dict.fromkeys(u for each in group for u in self._unknowns_of(each)))
        flat.discriminators = [self._names.member(key) for key in _keys(group)]
        return flat

    def _foreign(self, flat: FlatView, leaf: LeafView) -> tuple[GoField, ...]:
        alike = [other for other in flat.leaves if other.tags == leaf.tags and other.own != leaf.own]
        names = dict.fromkeys(name for other in alike for name in other.shared if name not in leaf.shared)
        return tuple(flat.fields[name] for name in names)

    def _add(self, flat: FlatView, place: GoField) -> None:
        if place.name not in flat.fields:
            if any(other.key == place.key for other in flat.fields.values()):
                flat.hidden.add(place.name)
            flat.fields[place.name] = place

    def _leaf(self, flat: FlatView, leaf: str, struct: GoStruct, group: list[Union], taken: set[str]) -> LeafView:
        promoted = struct.promoted().values()
        common = {place.name for each in flat.embeds for place in each.promoted().values()}
        shared = [
            place.name
            for place in promoted
            if place.name not in common and place.name in flat.fields and flat.fields[place.name].go == place.go
        ]
        view = self._structs.view(leaf)
        tags = tuple(
            (m.name, m.constant) for m in view.members if m.role == "constant" and m.shape.kind in {"text", "bool"}
        )
        accessor = f"As{self._stem(leaf, group)}"
        if accessor in taken:
            accessor = f"As{struct.name}"
        taken.add(accessor)
        return LeafView(
            leaf, view.own, struct.name, accessor, tuple(shared), len(shared) + len(common) == len(list(promoted)), tags
        )

    def _stem(self, leaf: str, group: list[Union]) -> str:
        """What the accessor of a variant is called after: its tag."""
        struct = self._model.struct(leaf)
        constants = [tag.constant for union in group for tag in struct.tags if tag.key == union.by and tag.constant]
        if constants:
            return mixed(words(str(constants[0])))
        return self._names.own(leaf)

    # Unknowns.

    def _unknowns_of(self, union: Union) -> list[str]:
        """The Unknowns that can stand where a union is asked for."""
        return list(dict.fromkeys(_unknown_names(union.dispatch, self._model, self._names, None)))

    def unknowns(self) -> list[UnknownView]:
        """The Unknowns, one for each name, with the discriminators of all unions that share it."""
        by_name: dict[str, list[Union]] = {}
        markers: dict[str, list[Union]] = {}
        for union in self._model.unions:
            if union.open:
                by_name.setdefault(self._names.unknown(union), []).append(union)
            for name in self._unknowns_of(union):
                markers.setdefault(name, []).append(union)
        return [self._unknown(name, unions, markers.get(name, [])) for name, unions in by_name.items()]

    def _unknown(self, name: str, unions: list[Union], stands_in: list[Union]) -> UnknownView:
        listed = [self._names.own(union.name) for union in unions]
        keys = [key for key in _keys(unions) if self._names.member(key) != "Raw"]
        text = listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} or {listed[-1]}"
        getters = [getter for union in unions for getter in self.getters(union)]
        return UnknownView(
            name,
            f"{name} is an object of {text} that nothing declared answers to, kept as it came.",
            tuple((key, self._names.member(key)) for key in keys),
            tuple(self._names.own(u.name) for u in stands_in if not is_flat(u) and not self.getters(u)),
            tuple({getter.method: getter for getter in getters}.values()),
        )

    # Interfaces.

    def getters(self, union: Union) -> tuple[Getter, ...]:
        """The methods by which variants of a union are known, if the spec says which struct all of them embed."""
        mixin = override(union.about, "embed")
        enum = override(union.about, "tag")
        if mixin is None or enum is None:
            return ()
        tag = self._names.member(union.by)
        own = Getter(f"Get{tag}", self._names.type(enum), tag, union.by)
        return (own, *self.mixin_getters(mixin))

    def mixin_getters(self, mixin: str) -> tuple[Getter, ...]:
        """The methods that a struct has which others embed."""
        return tuple(
            Getter(f"Get{place.name}", place.go, place.name, key, place.shape)
            for key, place in self._structs.go(mixin).fields.items()
        )

    def tag_getters(self) -> dict[str, list[Getter]]:
        """Go type → the methods that give its tag."""
        found: dict[str, list[Getter]] = {}
        for union in self._model.unions:
            getters = self.getters(union)
            if not getters:
                continue
            enum = self._model.enum(override(union.about, "tag") or "")
            for go, struct in self._carriers(union):
                tag = struct.tag(union.by)
                at = next((i for i, v in enumerate(enum.values) if tag is not None and v.wire == tag.constant), None)
                value = self._names.value(enum, at) if at is not None else f"v.{getters[0].name}"
                found.setdefault(go, [])
                if all(each.method != getters[0].method for each in found[go]):
                    found[go].append(Getter(getters[0].method, getters[0].go, value))
        return found

    def _carriers(self, union: Union) -> Iterator[tuple[str, Struct]]:
        for leaf in structs_of(union.dispatch):
            yield self._names.type(leaf), self._model.struct(leaf)
        for leaf, flat in wraps(union.dispatch, self._model):
            if flat is not None:
                yield self._names.type(flat), self._model.struct(leaf)

    def markers(self) -> dict[str, list[str]]:
        """Go type → the interfaces that it belongs to by a method without use otherwise."""
        found: dict[str, list[str]] = {}
        for union in self._model.unions:
            if is_flat(union) or self.getters(union):
                continue
            for go in dict.fromkeys(go for go, _ in self._carriers(union)):
                found.setdefault(go, []).append(self._names.own(union.name))
        return found

    def views(self) -> list[UnionView]:
        """Every union of the spec."""
        return [self._view(union) for union in self._model.unions]

    def _view(self, union: Union) -> UnionView:
        flat = is_flat(union)
        cases: dict[str, str] = {}
        if not flat:
            for leaf, wrap in wraps(union.dispatch, self._model):
                if wrap is not None:
                    cases.setdefault(self._names.type(wrap), self._names.own(wrap))
                cases.setdefault(self._names.type(leaf), self._names.own(leaf))
        getters = self.getters(union)
        go = self._names.type(union.name)
        return UnionView(
            union.name,
            self._names.own(union.name),
            go,
            documentation(union.about, go),
            flat,
            override(union.about, "as") is not None,
            self._node(union.dispatch, None, self._names.type(union.name) if flat else None) or {},
            tuple(cases.items()),
            tuple(self._unknowns_of(union)),
            getters,
            tuple(self._raw(union)) if getters else (),
        )

    def _raw(self, union: Union) -> Iterator[tuple[str, str, str]]:
        """The discriminators alone, with the types that the unions give them."""
        seen: dict[str, str] = {}
        for switch in _switches(union.dispatch):
            enum = override(self._model.union(switch.union).about, "tag")
            strings = any(isinstance(value, str) for value, _ in switch.cases)
            if strings:
                seen[switch.key] = self._names.type(enum) if enum else seen.get(switch.key, "string")
        for key, go in seen.items():
            yield self._names.member(key), go if key == union.by else f"*{go}", key

    def _node(self, dispatch: Dispatch | None, unknown: str | None, flat: str | None) -> Node | None:
        here = None
        match dispatch:
            case None:
                return None
            case Leaf(struct=struct):
                return {"kind": "leaf", "own": self._names.own(struct), "go": self._names.type(struct), "flat": flat}
            case Switch(union=name) | Keys(union=name):
                union = self._model.union(name)
                if unknown is None and union.open:
                    unknown = self._names.unknown(union)
                here = unknown if union.open else None
                if flat is None and is_flat(union):
                    flat = self._names.type(name)
        if isinstance(dispatch, Keys):
            keys = list(dict.fromkeys(key for each, _ in dispatch.cases for key in (*each.has, *each.lacks)))
            return {
                "kind": "keys",
                "keys": [quoted(key) for key in keys],
                "cases": [
                    (
                        sum(1 << keys.index(key) for key in (*each.has, *each.lacks)),
                        sum(1 << keys.index(key) for key in each.has),
                        self._node(then, unknown, flat),
                    )
                    for each, then in dispatch.cases
                ],
                "unknown": here,
            }
        boolean = any(isinstance(value, bool) for value, _ in dispatch.cases)
        return {
            "kind": "flag" if boolean else "tag",
            "key": quoted(dispatch.key),
            "field": self._names.member(dispatch.key),
            "cases": [
                (quoted(value) if isinstance(value, str) else str(value).lower(), self._node(then, unknown, flat))
                for value, then in dispatch.cases
            ],
            "others": [(quoted(glob), self._node(Leaf(struct), unknown, flat)) for glob, struct in dispatch.others],
            "absent": self._node(dispatch.absent, unknown, flat),
            "unknown": here,
            "doubt": unknown,
        }

    # A text or an object.

    def eithers(self) -> list[EitherView]:
        """The flat structs for a text or an object."""
        return [self._either(a, a.type) for a in self._model.aliases if is_flat(a) and isinstance(a.type, Choice)]

    def _either(self, alias: Alias, choice: Choice) -> EitherView:
        text = next(m for m in choice.members if self._shapes.of(m).kind == "text")
        (variant,) = (m.name for m in choice.members if isinstance(m, Ref) and self._shapes.of(m).struct)
        struct = self._structs.go(variant)
        go = self._names.type(alias.name)
        return EitherView(
            alias.name,
            self._names.own(alias.name),
            go,
            documentation(alias.about, go),
            self._shapes.of(text),
            struct.name,
            self._names.own(variant),
            tuple(place for place in struct.promoted().values() if not place.tag),
        )


def _mark(flat: FlatView) -> None:
    """Give a mark to each variant of a flat struct that its tags alone do not tell from one before it."""
    again = [i for i, leaf in enumerate(flat.leaves) if any(leaf.tags == each.tags for each in flat.leaves[:i])]
    for bit, i in enumerate(again[:MAX_BITS]):
        flat.leaves[i] = replace(flat.leaves[i], mark=bit)


def _switches(dispatch: Dispatch | None) -> Iterator[Switch]:
    match dispatch:
        case Switch(cases=cases, absent=absent):
            yield dispatch
            for _, then in cases:
                yield from _switches(then)
            yield from _switches(absent)
        case Keys(cases=conditions):
            for _, then in conditions:
                yield from _switches(then)


def _keys(unions: list[Union]) -> list[str]:
    """The discriminators of unions that are text, outermost first."""
    return list(
        dict.fromkeys(
            switch.key
            for union in unions
            for switch in _switches(union.dispatch)
            if any(isinstance(value, str) for value, _ in switch.cases)
        )
    )


def wraps(dispatch: Dispatch | None, model: Model, flat: str | None = None) -> Iterator[tuple[str, str | None]]:
    """Every variant with the flat union that it stands in there, if any."""
    match dispatch:
        case Leaf(struct=struct):
            yield struct, flat
        case Switch(union=name, cases=cases, others=others, absent=absent):
            if flat is None and is_flat(model.union(name)):
                flat = name
            for _, then in cases:
                yield from wraps(then, model, flat)
            for _, struct in others:
                yield struct, flat
            yield from wraps(absent, model, flat)
        case Keys(cases=conditions):
            for _, then in conditions:
                yield from wraps(then, model, flat)


def _unknown_names(dispatch: Dispatch | None, model: Model, names: Names, unknown: str | None) -> Iterator[str]:
    if isinstance(dispatch, (Switch, Keys)):
        union = model.union(dispatch.union)
        if unknown is None and union.open:
            unknown = names.unknown(union)
        if unknown is not None and (union.open or (isinstance(dispatch, Switch) and dispatch.others)):
            yield unknown
        thens = [then for _, then in dispatch.cases]
        if isinstance(dispatch, Switch) and dispatch.absent is not None:
            thens.append(dispatch.absent)
        for then in thens:
            yield from _unknown_names(then, model, names, unknown)
