"""A model → valid values of its types: minimal, full, or drawn at random."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from random import Random
from typing import Final

from polywire.model.nodes import Alias, Dispatch, Enum, Field, Model, Struct, Tag, Union
from polywire.model.walk import alternatives, spell, without_alias
from polywire.oracle.bounds import within
from polywire.oracle.instances.routes import Route, routes_of
from polywire.oracle.instances.values import (
    ANYTHING,
    KEYS,
    SAMPLES,
    TEXTS,
    UNCLAIMED,
    Members,
    Style,
    T,
    is_claimed,
    kind_of,
)
from polywire.plan.rows import kinds
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type


class DeriveError(Exception):
    """No instances can be derived for a type, or two derivations contradict each other."""


class ImpossibleError(Exception):
    """An object cannot have the requested members: no struct can follow the route in this place."""


_MOST_NODES: Final = 100


class Maker:
    """Builds valid values of any type, which strict mode accepts too."""

    deepest: int = 4
    """The depth from which on values are minimal."""

    def __init__(self, model: Model, min_depths: Mapping[Type, int], rng: Random) -> None:
        self.model = model
        self.rng = rng
        self._min_depths = min_depths
        self._nodes = 0
        self._turns: dict[str, int] = {}
        self._needed: dict[str, tuple[Field, ...]] = {}

    def whole(self, type_: Type, style: Style) -> object:
        """Build a value with a fresh budget for its size."""
        self._nodes = 0
        return self.value(type_, style, 0)

    def whole_object(self, struct: str, style: Style, route: Route | None = None) -> Members:
        self._nodes = 0
        return self.build(self.model.struct(struct), style, 0, route or Route())

    def value(self, type_: Type, style: Style, depth: int) -> object:
        self._nodes += 1
        if depth >= self.deepest or self._nodes > _MOST_NODES:
            style = "minimal"
        match type_:
            case Scalar(kind=kind) if type_.is_bounded:
                return self.sample(spell(type_), within(type_), style)
            case Scalar(kind=kind):
                return self.sample(kind, SAMPLES[kind], style)
            case LiteralType(value=value):
                return value
            case TupleType(items=items):
                return [self.value(item, style, depth + 1) for item in items]
            case Array(item=item):
                return [self.value(item, style, depth + 1) for _ in range(self._length(type_, style))]
            case Map():
                return {key: self.value(type_.value, style, depth + 1) for key in self._map_keys(type_, style)}
            case Choice(members=members):
                return self.value(self._member(members, style), style, depth)
            case Ref(name=name):
                return self._named(name, style, depth)

    def sample(self, of: str, samples: Sequence[T], style: Style) -> T:
        """Return one sample for `of`, the key that `turn` counts by."""
        match style:
            case "minimal":
                return samples[0]
            case "full":
                return self.turn(of, samples, 1)[0]
            case "random":
                return self.rng.choice(samples)

    def turn(self, of: str, samples: Sequence[T], number: int) -> list[T]:
        """Return the next samples for `of`: successive calls rotate through all of them."""
        at = self._turns.setdefault(of, self.rng.randrange(len(samples)))
        self._turns[of] = at + number
        return [samples[(at + step) % len(samples)] for step in range(min(number, len(samples)))]

    def build(self, struct: Struct, style: Style, depth: int, route: Route) -> Members:
        """Build an object of the struct at the end of the route. Raises `ImpossibleError`."""
        members: Members = {}
        pins = dict(route.pins)
        for tag in struct.tags:
            if (value := self._tag(tag, style, pins, route)) is not None:
                members[tag.key] = value
        for const in struct.consts:
            if const.key in route.absent:
                raise ImpossibleError
            members[const.key] = const.value
        for each in self._fields(struct, style, route):
            if each.tag is None and self._wanted(struct, each, style, depth, route):
                members |= self._field(struct, each, style, depth, route)
        if struct.extra is not None and style != "minimal" and depth < self.deepest:
            key = self.free_key(declared_keys(struct) | route.keys)
            members[key] = self.value(struct.extra, style, depth + 1)
        if not route.present <= members.keys() or any(members.get(key, value) != value for key, value in pins.items()):
            raise ImpossibleError
        return members

    def _fields(self, struct: Struct, style: Style, route: Route) -> tuple[Field, ...]:
        """Return the fields to consider: of hundreds of optional ones, a minimal object only has those of its route."""
        if style != "minimal" or route.present or route.pins:
            return struct.wire_fields
        found = self._needed.get(struct.name)
        if found is None:
            found = tuple(each for each in struct.wire_fields if each.required or each.flatten)
            self._needed[struct.name] = found
        return found

    def _tag(
        self, tag: Tag, style: Style, pins: Mapping[str, str | bool | int], route: Route
    ) -> str | bool | int | None:
        """Return the tag's value, or None if the tag is left out."""
        if tag.key in route.absent:
            if tag.optional:
                return None
            raise ImpossibleError
        if tag.key in pins:
            return pins[tag.key]
        if tag.optional and (style == "minimal" or (style == "random" and self.rng.random() < 0.5)):
            return None
        return (
            tag.constant
            if tag.constant is not None
            else self.sample(f"tag {tag.key}", tag_values(self.model, tag), style)
        )

    def _wanted(self, struct: Struct, each: Field, style: Style, depth: int, route: Route) -> bool:
        """Return whether to include the field. Raises `ImpossibleError` if it is required but cannot be included."""
        if each.flatten:
            needed = route.present - declared_keys(struct)
            return each.required or bool(needed) or self._taken(each, style, depth)
        if each.name in route.absent or ((each.claimed or each.claimed_prefixes) and self._unclaimed(each) is None):
            if each.required:
                raise ImpossibleError
            return False
        pinned = [value for key, value in route.pins if key == each.name]
        if not all(self._accepts(each.type, value) for value in pinned):
            raise ImpossibleError
        return each.required or bool(pinned) or each.name in route.present or self._taken(each, style, depth)

    def _taken(self, each: Field, style: Style, depth: int) -> bool:
        """Return whether the style includes an optional field; fields that would nest too deeply are left out.

        So are those of a random object once it is large.
        """
        if style == "minimal" or (depth >= self.deepest - 1 and self._min_depths[each.type] > 1):
            return False
        return style == "full" or (self.rng.random() < 0.5 and self._nodes <= _MOST_NODES)

    def _field(self, struct: Struct, each: Field, style: Style, depth: int, route: Route) -> Members:
        if each.flatten:
            outer = declared_keys(struct)
            within = replace(route, absent=route.absent | outer, present=route.present - outer, pins=())
            try:
                return self.flattened(each.type, style, depth, within)
            except ImpossibleError:
                if each.required or within.present:
                    raise
                return {}
        pins = dict(route.pins)
        if each.name in pins:
            return {each.name: pins[each.name]}
        if each.nullable and (
            (each.required and style == "minimal") or (style == "random" and self.rng.random() < 0.3)
        ):
            return {each.name: None}
        if each.claimed or each.claimed_prefixes:
            return {each.name: self._unclaimed(each)}
        return {each.name: self.value(each.type, style, depth + 1)}

    def _unclaimed(self, each: Field) -> object:
        """Return a value for a field used by siblings as discriminator that none of them claims; None if impossible."""
        of_type = (self.value(each.type, "full", 0) for _ in TEXTS)
        any_number = UNCLAIMED if spell(each.type) in {"integer", "number"} else ()
        for value in chain([self.value(each.type, "minimal", 0)], of_type, any_number):
            if not is_claimed(value, each):
                return value
        return None

    def _accepts(self, type_: Type, value: str | bool | int) -> bool:
        """Return whether a value of a discriminator is one of a type's values."""
        return any(
            (kind_of(each.value), each.value) == (kind_of(value), value)
            if isinstance(each, LiteralType)
            else kind_of(value) in kinds(self.model, each)
            for each in alternatives(type_, self.model.declarations)
        )

    def flattened(self, type_: Type, style: Style, depth: int, route: Route) -> Members:
        """Build members for a flattened field, without those that must be absent on the route."""
        match resolved(self.model, type_):
            case Struct() as struct:
                return self.build(struct, style, depth, route)
            case Union(dispatch=dispatch):
                return self._first(dispatch, style, depth, route)
            case _:
                own = () if style == "minimal" else (self.free_key(route.absent),)
                return {key: self.sample("json", ANYTHING, style) for key in (*sorted(route.present), *own)}

    def free_key(self, taken: Collection[str]) -> str:
        """Return a key that is not in `taken`, a different one each time."""
        return next(key for key in self.turn("key", KEYS, len(KEYS) + 1) if key not in taken)

    def _named(self, name: str, style: Style, depth: int) -> object:
        match self.model.declarations[name]:
            case Enum(values=values):
                return self.sample(name, values, style).wire
            case Alias(type=type_):
                return self.value(type_, style, depth)
            case Struct() as struct:
                return self.build(struct, style, depth, Route())
            case Union(dispatch=dispatch):
                try:
                    return self._first(dispatch, style, depth, Route())
                except ImpossibleError:
                    raise DeriveError(f"no variant of {name} can be built") from None

    def _first(self, dispatch: Dispatch, style: Style, depth: int, route: Route) -> Members:
        """Build an object of the first variant that is compatible with the route's keys. Raises `ImpossibleError`."""
        for way in self._by_height(dispatch, style):
            both = replace(way, absent=way.absent | route.absent, present=way.present | route.present)
            if both.absent.isdisjoint(key for key, _ in way.pins):
                with suppress(ImpossibleError):
                    return self.build(self.model.struct(way.struct), style, depth, both)
        raise ImpossibleError

    def _by_height(self, dispatch: Dispatch, style: Style) -> list[Route]:
        """Return the routes in the order to try: shallowest first for the minimal style, otherwise at random."""
        routes = list(routes_of(dispatch))
        if style != "minimal":
            self.rng.shuffle(routes)
            return routes
        return sorted(routes, key=lambda route: self._min_depths[Ref(route.struct)])

    def _member(self, members: Sequence[Type], style: Style) -> Type:
        if style == "minimal":
            return min(members, key=self._min_depths.__getitem__)
        return self.rng.choice(members)

    def _length(self, array: Array, style: Style) -> int:
        low = array.low or 0
        if style == "minimal":
            return low
        high = array.high if array.high is not None else max(low, 2)
        return (
            high
            if style == "full" and high <= max(low, 2)
            else self.rng.randint(max(low, min(1, high)), min(high, low + 2))
        )

    def _map_keys(self, map_: Map, style: Style) -> list[str]:
        if style == "minimal":
            return []
        if map_.key is None:
            return self.turn("key", KEYS, 2)
        values = [str(value.wire) for value in self.model.enum(map_.key).values]
        return self.rng.sample(values, min(2, len(values)))


def declared_keys(struct: Struct) -> frozenset[str]:
    """Return the keys that the struct itself declares; all other keys belong to what it flattens."""
    fields = (field.name for field in struct.wire_fields if not field.flatten)
    return frozenset((*(tag.key for tag in struct.tags), *(const.key for const in struct.consts), *fields))


def tag_values(model: Model, tag: Tag) -> tuple[str | int, ...]:
    """Return the possible values of a varying tag."""
    if tag.prefix is not None:
        return (f"{tag.prefix}x", tag.prefix, f"{tag.prefix}\u00e9\n")
    if tag.enum is None:
        return tag.values
    return tuple(value.wire for value in model.enum(tag.enum).values)


def resolved(model: Model, type_: Type) -> object:
    """Return the declaration or type that a type refers to, following aliases."""
    plain = without_alias(type_, model.declarations)
    return model.declarations[plain.name] if isinstance(plain, Ref) else plain
