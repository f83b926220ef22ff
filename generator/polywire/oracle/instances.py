"""A model and a seed → valid and faulty instances of every declared type, each with the expected result in both modes.

The walk over the model uses no decoder: the expected result of an instance follows from how it was constructed, so
these cases are an independent oracle. An instance is a valid value with at most one fault (two, in the family about
several faults); the path and code of a fault are those of the rule that it was constructed to break.

`_Maker` builds valid values of any type; `_Prober` varies them and yields probes, which are values with their expected
outcome; `derive` collects the probes of each declaration as a root.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, TypeVar

from polywire.ground.engine import MAX_INTEGER, pointer
from polywire.model.graphs import min_depths
from polywire.model.nodes import Alias, Dispatch, Enum, Field, Keys, Leaf, Model, Struct, Switch, Tag, Union
from polywire.model.walk import spell, without_alias
from polywire.oracle.bounds import another, outside, within
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type

T = TypeVar("T")
Path: TypeAlias = "tuple[str | int, ...]"
Members: TypeAlias = "dict[str, object]"
Kind: TypeAlias = Literal["null", "boolean", "number", "string", "array", "object"]
Style: TypeAlias = Literal["minimal", "full", "random"]


class DeriveError(Exception):
    """No instances can be derived for a type, or two derivations contradict each other."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The expected result in one mode: one of some errors, or a variant and the sorted pointers let pass."""

    errors: tuple[tuple[str, str], ...] = ()
    """Code and path of each fault; any one of them may be reported."""
    variant: str | None = None
    unknown: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the instance must be accepted."""
        return not self.errors


@dataclass(frozen=True, slots=True)
class Instance:
    """One JSON text for a type. A valid text round-trips to the same value in every mode that accepts it."""

    type: str
    number: int
    family: str
    note: str
    text: str
    lenient: Outcome
    strict: Outcome
    ordered: str | None = None
    """The same value with members in the order in which encoders write them, if that is known."""
    repaired: str | None = None
    """The value after lenient mode repaired it, if it differs."""


def derive(model: Model, *, seed: int = 0, random: int = 2, only: Collection[str] | None = None) -> list[Instance]:
    """Derive the instances of every declared type, or of those in `only`; the same seed gives the same instances.

    `random` is the number of random instances of each type, besides the systematic ones. Raises `DeriveError` if a type
    has none.
    """
    depths = min_depths(model)
    endless = [name for name in model.declarations if Ref(name) not in depths]
    if endless:
        raise DeriveError(f"no finite instance of {', '.join(endless)}: each would have to contain itself")
    found: list[Instance] = []
    for name in model.declarations:
        if only is None or name in only:
            found += _of_type(model, name, depths, Random(f"{seed}:{name}"), random)  # noqa: S311 - cases, not secrets
    return found


def _of_type(model: Model, name: str, depths: Mapping[Type, int], rng: Random, random: int) -> list[Instance]:
    prober = _Prober(_Maker(model, depths, rng), random)
    seen: dict[str, _Probe] = {}
    found: list[Instance] = []
    for probe in prober.root(name):
        text = write(probe.value)
        if (other := seen.setdefault(text, probe)) is not probe:
            if not other.agrees(probe):
                raise DeriveError(f"{name}: {text} is derived twice with different outcomes: {other} and {probe}")
            continue
        variant = probe.variant or name
        found.append(
            Instance(
                name,
                len(found) + 1,
                probe.family,
                probe.note,
                text,
                lenient=_outcome(probe.lenient, variant, probe.kept),
                strict=_outcome(probe.strict, variant, ()),
                ordered=None if probe.ordered is None else write(probe.ordered),
                repaired=None if probe.output is _AS_IT_CAME else write(probe.output),
            )
        )
    if not any(instance.lenient.ok for instance in found):
        raise DeriveError(f"no instance of {name} could be derived")
    return found


def _outcome(faults: _Faults, variant: str, kept: Iterable[Path]) -> Outcome:
    if faults:
        return Outcome(errors=tuple((code, pointer(path)) for code, path in faults))
    return Outcome(variant=variant, unknown=tuple(sorted(map(pointer, kept))))


# --- values and their text -------------------------------------------------------------------------------------


class Spelled(str):
    """A number with its exact spelling: `1.0`, `1e400`."""

    __slots__ = ()


def write(value: object) -> str:
    """Write plain data and spelled numbers as compact JSON, with members in their given order."""
    match value:
        case Spelled():
            return str(value)
        case dict():
            return "{" + ",".join(f"{_scalar(key)}:{write(member)}" for key, member in value.items()) + "}"
        case list():
            return "[" + ",".join(map(write, value)) + "]"
        case _:
            return _scalar(value)


_scalar: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


_TEXTS: Final = (
    "text",
    "",
    "zażółć gęślą jaźń, 日本語",
    "a\u2028b\u2029c\u0085d",
    "\U0001f600\U00010348",
    'quote " backslash \\ slash / </script> ${x} {{ y }}',
    "\x00\x01\x1f\x7f\t\n\r",
    "e\u0301 is not \u00e9; \ufeff\ufffd",
    '{"type":"text"}',
    "null",
)
_UUIDS: Final = (
    "123e4567-e89b-12d3-a456-426614174000",
    "00000000-0000-0000-0000-000000000000",
    "ABCDEF01-2345-6789-aBcD-Ef0123456789",
)
_NO_UUIDS: Final = (
    "",
    "123e4567e89b12d3a456426614174000",
    "123e4567-e89b-12d3-a456-426614174000\n",
    "{123e4567-e89b-12d3-a456-426614174000}",
    "123e4567-e89b-12d3-a456-42661417400g",
    "\u0661\u0662\u0663e4567-e89b-12d3-a456-426614174000",
)
_TIMES: Final = (
    "2025-01-02T03:04:05Z",
    "2025-01-02T03:04:05.678901234Z",
    "2025-12-31T23:59:60+14:00",
    "0000-99-99T99:99:99-00:00",
)
_NO_TIMES: Final = (
    "",
    "2025-01-02",
    "2025-01-02 03:04:05Z",
    "2025-01-02T03:04:05",
    "2025-01-02T03:04:05Z\n",
    "2025-01-02t03:04:05z",
    "2025-01-02T03:04:05.Z",
    "\u0662\u0660\u0662\u0665-01-02T03:04:05Z",
)
_INTEGERS: Final = tuple(map(Spelled, ("0", "-1", "9007199254740991", "-9007199254740991", "1.0", "-0", "1E2")))
_NO_INTEGERS: Final = tuple(
    map(Spelled, ("1.5", "9007199254740992", "-9007199254740992", "5e-324", "1.7976931348623157e308", "1e400"))
)
_NUMBERS: Final = tuple(
    map(
        Spelled,
        (
            "0",
            "-1",
            "9007199254740991",
            "-9007199254740991",
            "1.0",
            "5e-324",
            "1.7976931348623157e308",
            "-0.0",
            "0.1",
            "1E+2",
            "9007199254740993",
            "123456789012345678901234567890",
        ),
    )
)
_NO_NUMBERS: Final = tuple(map(Spelled, ("1e400", "-1e400")))
_ANYTHING: Final[tuple[object, ...]] = (
    {"a": [None, True, {"b": "c"}], "\u2028": Spelled("1.5"), "": {}},
    None,
    False,
    Spelled("0"),
    "",
    [],
    {},
    Spelled("123456789012345678901234567890"),
    [[["\U0001f600"]]],
)
_OBJECTS: Final = tuple(value for value in _ANYTHING if isinstance(value, dict))
_KEYS: Final = ("polywire_key", "a/b~c", "", "\u2028 \u017c", "__proto__", "constructor")

_SAMPLES: Final[Mapping[str, Sequence[object]]] = {
    "string": _TEXTS,
    "boolean": (True, False),
    "number": _NUMBERS,
    "integer": _INTEGERS,
    "uuid": _UUIDS,
    "timestamp": _TIMES,
    "json": _ANYTHING,
    "object": _OBJECTS,
    "null": (None,),
}

_OF_KIND: Final[Mapping[Kind, object]] = {
    "null": None,
    "boolean": True,
    "number": Spelled("7"),
    "string": "text",
    "array": [],
    "object": {},
}

_SCALAR_KINDS: Final[Mapping[str, frozenset[Kind]]] = {
    "string": frozenset({"string"}),
    "boolean": frozenset({"boolean"}),
    "number": frozenset({"number"}),
    "integer": frozenset({"number"}),
    "uuid": frozenset({"string"}),
    "timestamp": frozenset({"string"}),
    "json": frozenset(_OF_KIND),
    "object": frozenset({"object"}),
    "null": frozenset({"null"}),
}

_UNHEARD: Final = "polywire_unheard_of"
"""The stem of tags, enum values and keys that occur in no spec."""


def _kind(value: object) -> Kind:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float() | Spelled():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


# --- routes through a union ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Route:
    """The members that an object must have for a dispatch to lead to the struct."""

    struct: str = ""
    pins: tuple[tuple[str, str | bool | int], ...] = ()
    absent: frozenset[str] = frozenset()
    present: frozenset[str] = frozenset()

    @property
    def keys(self) -> frozenset[str]:
        """The keys that the dispatch examines."""
        return self.absent | self.present | {key for key, _ in self.pins}

    def pinned(self, key: str, value: str | bool | int) -> _Route:
        return replace(self, pins=(*self.pins, (key, value)))

    def without(self, keys: Iterable[str]) -> _Route:
        return replace(self, absent=self.absent.union(keys))


def _routes(dispatch: Dispatch, so_far: _Route = _Route()) -> Iterator[_Route]:
    """Yield every way to a struct except catch-alls, in declared order."""
    match dispatch:
        case Leaf(struct=struct):
            yield replace(so_far, struct=struct)
        case Switch(key=key, cases=cases, absent=absent):
            for value, then in cases:
                yield from _routes(then, so_far.pinned(key, value))
            for prefix, then in dispatch.prefixes:
                yield from _routes(then, so_far.pinned(key, _beginning(dispatch, prefix)))
            if absent is not None:
                yield from _routes(absent, so_far.without([key]))
                for value in _unclaimed(dispatch):
                    yield from _routes(absent, so_far.pinned(key, value))
        case Keys(cases=conditions):
            for variant, then in conditions:
                way = replace(
                    so_far, absent=so_far.absent.union(variant.lacks), present=so_far.present.union(variant.has)
                )
                yield from _routes(then, way)


def _unclaimed(switch: Switch) -> list[bool]:
    """Return the booleans that no case matches; none if the discriminator is not a boolean."""
    claimed = [value for value, _ in switch.cases]
    return [value for value in (True, False) if value not in claimed] if switch.base == "boolean" else []


def _beginning(switch: Switch, prefix: str) -> str:
    """Return a text that starts with the prefix but matches neither a case nor a longer prefix."""
    longer = tuple(other for other, _ in switch.prefixes if other != prefix and other.startswith(prefix))
    texts = (f"{prefix}{rest}" for rest in ("x", "", *map(chr, range(0x21, 0x7F)), "polywire_unheard_of"))
    return next(text for text in texts if switch.case(text) is None and not text.startswith(longer))


# --- valid values ----------------------------------------------------------------------------------------------


class _ImpossibleError(Exception):
    """An object cannot have the requested members: no struct can follow the route in this place."""


_DEEPEST: Final = 4
_MOST_NODES: Final = 300


class _Maker:
    """Builds valid values of any type, which strict mode accepts too."""

    def __init__(self, model: Model, min_depths: Mapping[Type, int], rng: Random) -> None:
        self.model = model
        self.rng = rng
        self._min_depths = min_depths
        self._nodes = 0
        self._turns: dict[str, int] = {}

    def whole(self, type_: Type, style: Style) -> object:
        """Build a value with a fresh budget for its size."""
        self._nodes = 0
        return self.value(type_, style, 0)

    def whole_object(self, struct: str, style: Style, route: _Route | None = None) -> Members:
        self._nodes = 0
        return self.build(self.model.struct(struct), style, 0, route or _Route())

    def value(self, type_: Type, style: Style, depth: int) -> object:
        self._nodes += 1
        if depth >= _DEEPEST or self._nodes > _MOST_NODES:
            style = "minimal"
        match type_:
            case Scalar(kind=kind) if type_.is_bounded:
                return self.sample(spell(type_), within(type_), style)
            case Scalar(kind=kind):
                return self.sample(kind, _SAMPLES[kind], style)
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

    def build(self, struct: Struct, style: Style, depth: int, route: _Route) -> Members:
        """Build an object of the struct at the end of the route. Raises `_ImpossibleError`."""
        members: Members = {}
        pins = dict(route.pins)
        for tag in struct.tags:
            if (value := self._tag(tag, style, pins, route)) is not None:
                members[tag.key] = value
        for const in struct.consts:
            if const.key in route.absent:
                raise _ImpossibleError
            members[const.key] = const.value
        for each in struct.wire_fields:
            if each.tag is None and self._wanted(struct, each, style, depth, route):
                members |= self._field(struct, each, style, depth, route)
        if struct.extra is not None and style != "minimal" and depth < _DEEPEST:
            key = self.free_key(declared_keys(struct) | route.keys)
            members[key] = self.value(struct.extra, style, depth + 1)
        if not route.present <= members.keys() or any(members.get(key, value) != value for key, value in pins.items()):
            raise _ImpossibleError
        return members

    def _tag(
        self, tag: Tag, style: Style, pins: Mapping[str, str | bool | int], route: _Route
    ) -> str | bool | int | None:
        """Return the tag's value, or None if the tag is left out."""
        if tag.key in route.absent:
            if tag.optional:
                return None
            raise _ImpossibleError
        if tag.key in pins:
            return pins[tag.key]
        if tag.optional and (style == "minimal" or (style == "random" and self.rng.random() < 0.5)):
            return None
        return (
            tag.constant
            if tag.constant is not None
            else self.sample(f"tag {tag.key}", tag_values(self.model, tag), style)
        )

    def _wanted(self, struct: Struct, each: Field, style: Style, depth: int, route: _Route) -> bool:
        """Return whether to include the field. Raises `_ImpossibleError` if it is required but cannot be included."""
        if each.flatten:
            needed = route.present - declared_keys(struct)
            return each.required or bool(needed) or self._taken(each, style, depth)
        if each.name in route.absent or ((each.claimed or each.claimed_prefixes) and self._unclaimed(each) is None):
            if each.required:
                raise _ImpossibleError
            return False
        pinned = any(key == each.name for key, _ in route.pins)
        return each.required or pinned or each.name in route.present or self._taken(each, style, depth)

    def _taken(self, each: Field, style: Style, depth: int) -> bool:
        """Return whether the style includes an optional field; fields that would nest too deeply are left out."""
        if style == "minimal" or (depth >= _DEEPEST - 1 and self._min_depths[each.type] > 1):
            return False
        return style == "full" or self.rng.random() < 0.5

    def _field(self, struct: Struct, each: Field, style: Style, depth: int, route: _Route) -> Members:
        if each.flatten:
            outer = declared_keys(struct)
            within = replace(route, absent=route.absent | outer, present=route.present - outer, pins=())
            try:
                return self.flattened(each.type, style, depth, within)
            except _ImpossibleError:
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
        candidates: Sequence[object] = _UNCLAIMED[min(kinds(self.model, each.type))]
        if not candidates:
            candidates = [self.sample("unclaimed", _TEXTS, "full") for _ in _TEXTS]
        prefixes = each.claimed_prefixes
        free = (c for c in candidates if not (isinstance(c, str) and c.startswith(prefixes)))
        return next((c for c in free if not _is_one_of(c, each.claimed)), None)

    def flattened(self, type_: Type, style: Style, depth: int, route: _Route) -> Members:
        """Build members for a flattened field, without those that must be absent on the route."""
        match resolved(self.model, type_):
            case Struct() as struct:
                return self.build(struct, style, depth, route)
            case Union(dispatch=dispatch):
                return self._first(dispatch, style, depth, route)
            case _:
                own = () if style == "minimal" else (self.free_key(route.absent),)
                return {key: self.sample("json", _ANYTHING, style) for key in (*sorted(route.present), *own)}

    def free_key(self, taken: Collection[str]) -> str:
        """Return a key that is not in `taken`, a different one each time."""
        return next(key for key in self.turn("key", _KEYS, len(_KEYS) + 1) if key not in taken)

    def _named(self, name: str, style: Style, depth: int) -> object:
        match self.model.declarations[name]:
            case Enum(values=values):
                return self.sample(name, values, style).wire
            case Alias(type=type_):
                return self.value(type_, style, depth)
            case Struct() as struct:
                return self.build(struct, style, depth, _Route())
            case Union(dispatch=dispatch):
                try:
                    return self._first(dispatch, style, depth, _Route())
                except _ImpossibleError:
                    raise DeriveError(f"no variant of {name} can be built") from None

    def _first(self, dispatch: Dispatch, style: Style, depth: int, route: _Route) -> Members:
        """Build an object of the first variant that is compatible with the route's keys. Raises `_ImpossibleError`."""
        for way in self._by_height(dispatch, style):
            both = replace(way, absent=way.absent | route.absent, present=way.present | route.present)
            if both.absent.isdisjoint(key for key, _ in way.pins):
                with suppress(_ImpossibleError):
                    return self.build(self.model.struct(way.struct), style, depth, both)
        raise _ImpossibleError

    def _by_height(self, dispatch: Dispatch, style: Style) -> list[_Route]:
        """Return the routes in the order to try: shallowest first for the minimal style, otherwise at random."""
        routes = list(_routes(dispatch))
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
            return self.turn("key", _KEYS, 2)
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


def kinds(model: Model, type_: Type) -> frozenset[Kind]:
    """Return the JSON kinds that values of a type can have."""
    match resolved(model, type_):
        case Scalar(kind=kind):
            return _SCALAR_KINDS[kind]
        case LiteralType(value=value):
            return frozenset({_KIND_OF_LITERAL[type(value)]})
        case Array() | TupleType():
            return frozenset({"array"})
        case Choice(members=members):
            return frozenset(kind for member in members for kind in kinds(model, member))
        case Enum(base="integer"):
            return frozenset({"number"})
        case Enum():
            return frozenset({"string"})
        case _:
            return frozenset({"object"})


_KIND_OF_LITERAL: Final[Mapping[type, Kind]] = MappingProxyType(
    {str: "string", bool: "boolean", int: "number", float: "number"}
)


def _is_one_of(value: object, claimed: Iterable[object]) -> bool:
    return any(type(value) is type(each) and value == each for each in claimed)


# --- probes ----------------------------------------------------------------------------------------------------

_Faults: TypeAlias = "tuple[tuple[str, Path], ...]"
"""Faults, each with a code and a path."""

_AS_IT_CAME: Final = object()
"""Marks an output equal to the input value."""

_WRONG_KIND: Final = (("wrong_type", ()),)


@dataclass(frozen=True, slots=True)
class _Probe:
    """A value and the expected result in each mode: a fault (code, path), or none and the paths that were let pass."""

    value: object
    family: str
    note: str
    lenient: _Faults = ()
    strict: _Faults = ()
    kept: tuple[Path, ...] = ()
    variant: str | None = None
    """For unions: the struct that was chosen."""
    ordered: object = None
    """The value with its members in the order of encoders, if that is known."""
    output: object = _AS_IT_CAME
    """The output if lenient mode repairs the value."""

    @property
    def sound(self) -> bool:
        return not self.strict

    def under(self, step: str | int, value: object) -> _Probe:
        """Return the probe with its value nested at `step` of another value."""
        moved = self._moved(lambda path: (step, *path), value)
        if self.output is _AS_IT_CAME:
            return moved
        output = copy(value)
        output[step] = self.output  # type: ignore[index]  # it has the probe's value there
        return replace(moved, output=output)

    def instead(self, value: object) -> _Probe:
        """Return the probe with its members merged into another object."""
        moved = self._moved(lambda path: path, value)
        if self.output is _AS_IT_CAME:
            return moved
        assert isinstance(value, dict)  # noqa: S101 - it has the members of the probe's value
        assert isinstance(self.value, dict)  # noqa: S101 - only probes of objects are merged into other objects
        assert isinstance(self.output, dict)  # noqa: S101 - likewise
        around = {key: each for key, each in value.items() if key not in self.value}
        return replace(moved, output=around | self.output)

    def agrees(self, other: _Probe) -> bool:
        """Return whether both probes expect the same result."""
        return (self.lenient, self.strict, sorted(map(pointer, self.kept)), self.variant) == (
            other.lenient,
            other.strict,
            sorted(map(pointer, other.kept)),
            other.variant,
        ) and (self.output is _AS_IT_CAME) == (other.output is _AS_IT_CAME)

    def _moved(self, move: Callable[[Path], Path], value: object) -> _Probe:
        def faults(old: _Faults) -> _Faults:
            return tuple((code, move(path)) for code, path in old)

        return _Probe(
            value, self.family, self.note, faults(self.lenient), faults(self.strict), tuple(map(move, self.kept))
        )


def _sound(value: object, family: str, note: str, variant: str | None = None, *, ordered: object = None) -> _Probe:
    return _Probe(value, family, note, variant=variant, ordered=ordered)


def _broken(value: object, family: str, note: str, code: str, path: Path = ()) -> _Probe:
    return _Probe(value, family, note, lenient=((code, path),), strict=((code, path),))


def _kept(value: object, family: str, note: str, code: str, path: Path = (), variant: str | None = None) -> _Probe:
    return _Probe(value, family, note, strict=((code, path),), kept=(path,), variant=variant)


_Member: TypeAlias = "tuple[str, list[_Probe]]"
"""A key, and probes of the whole object that differ only in that member."""


class _Prober:
    """Yields variations of valid values, one rule each."""

    def __init__(self, maker: _Maker, random: int) -> None:
        self.maker = maker
        self.model = maker.model
        self.rng = maker.rng
        self.random = random
        self.open: list[str] = []
        """The aliases that the current probe is inside of: a recursive alias is not entered twice."""

    def root(self, name: str) -> Iterator[_Probe]:
        """Yield every probe of a declared type."""
        match self.model.declarations[name]:
            case Enum() as enum:
                yield from self.enum(enum, every=True)
            case Alias(type=type_):
                yield from self._alias(type_)
            case Struct() as struct:
                yield from self.wrong_kinds(Ref(name))
                yield from self.struct(struct)
            case Union() as union:
                yield from self.wrong_kinds(Ref(name))
                yield from self.union(union)

    def _alias(self, type_: Type) -> Iterator[_Probe]:
        if isinstance(type_, Ref):
            for probe in self.root(type_.name):
                union = isinstance(resolved(self.model, type_), Union)
                yield probe if union else replace(probe, variant=None)
            return
        for style in ("minimal", "full", *["random"] * self.random):
            yield _sound(self.maker.whole(type_, style), style, f"{style}")  # type: ignore[arg-type]  # a Style each
        # A choice with a union among its members reports no variant.
        yield from (replace(probe, variant=None) for probe in self.type(type_, every=True))

    # --- types of fields ---------------------------------------------------------------------------------------

    def type(self, type_: Type, *, every: bool = False) -> Iterator[_Probe]:
        """Yield probes of a type expression, with every sample if `every` is set, otherwise with some in rotation."""
        yield from self.wrong_kinds(type_)
        match type_:
            case Scalar(kind=kind) if type_.is_bounded:
                yield from self.bounded(type_)
            case Scalar(kind=kind):
                yield from self.scalar(kind, every=every)
            case LiteralType(value=value):
                yield _sound(value, "value", f"the literal {write(value)}")
                yield _broken(another(value), "constant", f"another value than {write(value)}", "wrong_constant")
            case TupleType(items=items):
                yield from self.tuple_(items)
            case Array():
                yield from self.array(type_)
            case Map():
                yield from self.map(type_)
            case Choice(members=members):
                for member in members:
                    yield from (probe for probe in self.type(member, every=every) if probe.lenient != _WRONG_KIND)
            case Ref(name=name):
                yield from self.named(name)

    def wrong_kinds(self, type_: Type) -> Iterator[_Probe]:
        """Yield a value of each JSON kind that the type does not have."""
        right = kinds(self.model, type_)
        for kind, value in _OF_KIND.items():
            if kind not in right:
                yield _broken(value, "wrong kind", f"{kind} for {' or '.join(sorted(right))}", "wrong_type")

    def scalar(self, kind: str, *, every: bool) -> Iterator[_Probe]:
        samples = _SAMPLES[kind]
        for value in samples if every else self.maker.turn(kind, samples, 3):
            yield _sound(value, "value", f"{kind} {write(value)}")
        for code, family, wrong in _WRONG.get(kind, ()):
            for value in wrong if every else self.maker.turn(f"no {kind}", wrong, 2):
                make = _kept if code == "bad_format" else _broken
                yield make(value, family, f"{write(value)} for {kind}", code)
        if kind in {"json", "object"}:
            too_large = {"a": [Spelled("1"), Spelled("1e400")]}
            yield _broken(too_large, "out of range", "overflow in untouched JSON", "out_of_range", ("a", 1))

    def bounded(self, scalar: Scalar) -> Iterator[_Probe]:
        kind = scalar.kind
        for value in within(scalar):
            yield _sound(value, "value", f"{write(value)} within bounds")
        for value in outside(scalar):
            yield _kept(value, "bounds", f"{write(value)} out of bounds", "out_of_bounds")
        for code, family, wrong in _WRONG.get(kind, ()):
            yield _broken(self.maker.turn(f"no {kind}", wrong, 1)[0], family, f"no {kind}", code)

    def tuple_(self, items: Sequence[Type]) -> Iterator[_Probe]:
        whole = [self.maker.whole(item, "minimal") for item in items]
        yield _sound(whole, "value", f"{len(items)} items")
        yield _broken(whole[:-1], "bounds", "an item less", "out_of_bounds")
        yield _broken([*whole, whole[-1]], "bounds", "an item more", "out_of_bounds")
        for at, item in enumerate(items):
            for probe in self.type(item):
                yield probe.under(at, [*whole[:at], probe.value, *whole[at + 1 :]])

    def array(self, array: Array) -> Iterator[_Probe]:
        low = array.low or 0
        filler = [self.maker.whole(array.item, "minimal") for _ in range(low + 1)]
        if low == 0:
            yield _sound([], "value", "no items")
        for at, probe in enumerate(self.type(array.item)):
            # The fault is in the first and the last item alternately.
            index = 0 if at % 2 or low < 2 else low - 1
            items = filler[: max(low, 1)]
            items[index] = probe.value
            yield probe.under(index, items)
        if array.high is not None:
            most = [self.maker.whole(array.item, "minimal") for _ in range(array.high + 1)]
            yield _sound(most[:-1], "value", f"{array.high} items, the most")
            yield _kept(most, "bounds", f"{array.high + 1} items where {array.high} are the most", "out_of_bounds")
        if low:
            yield _sound(filler[:low], "value", f"{low} items, the least")
            yield _kept(filler[: low - 1], "bounds", f"{low - 1} items where {low} are the least", "out_of_bounds")

    def map(self, map_: Map) -> Iterator[_Probe]:
        yield _sound({}, "value", "no entries")
        enum = None if map_.key is None else self.model.enum(map_.key)
        names = list(_KEYS) if enum is None else [str(value.wire) for value in enum.values]
        for probe in self.type(map_.value):
            key = self.maker.turn(f"key of {map_.key}", names, 1)[0]
            yield probe.under(key, {key: probe.value})
        if enum is not None:
            key = _unheard(names)
            value = {names[0]: self.maker.whole(map_.value, "minimal"), key: self.maker.whole(map_.value, "minimal")}
            make = _kept if enum.open else _broken
            yield make(value, "unknown value", f"key that {enum.name} lacks", "unknown_value", (key,))

    def enum(self, enum: Enum, *, every: bool = False) -> Iterator[_Probe]:
        if every:
            yield from self.wrong_kinds(Ref(enum.name))
        for value in enum.values if every else self.maker.turn(enum.name, enum.values, 2):
            yield _sound(value.wire, "value", f"{enum.name} {value.name}")
        make = _kept if enum.open else _broken
        known = [value.wire for value in enum.values]
        if enum.base == "string":
            yield make(_unheard(map(str, known)), "unknown value", f"value that {enum.name} lacks", "unknown_value")
            return
        whole = [int(value) for value in known]
        strange = next(n for n in range(max(whole) + 1, max(whole) + 3) if n not in whole)
        yield make(strange, "unknown value", f"value that {enum.name} lacks", "unknown_value")
        yield _sound(Spelled(f"{whole[0]}.0"), "value", f"{enum.name} with a fraction of nothing")
        fault = ("out_of_range" if enum.open else "unknown_value", ())
        yield _Probe(Spelled("0.5"), "out of range", "fraction for integer", (fault,), (("unknown_value", ()),))

    def named(self, name: str) -> Iterator[_Probe]:
        """Probe a reference to a declaration with a few samples: the declaration itself is probed as a root."""
        match self.model.declarations[name]:
            case Enum() as enum:
                yield from self.enum(enum)
            case Alias() if name in self.open:
                yield _sound(self.maker.whole(Ref(name), "minimal"), "nested", f"a {name}")
            case Alias(type=type_):
                self.open.append(name)
                yield from (probe for probe in self.type(type_) if probe.lenient != _WRONG_KIND)
                self.open.pop()
            case Struct() as struct:
                yield _sound(self.maker.whole(Ref(name), "random"), "nested", f"a {name}")
                yield from self.few(struct)
            case Union() as union:
                yield _sound(self.maker.whole(Ref(name), "random"), "nested", f"a {name}")
                yield from self._few_of(union)

    def few(self, struct: Struct, route: _Route | None = None) -> Iterator[_Probe]:
        """Yield some faults of a struct's own members, none of them examined by the route, and an unknown field."""
        way = route or _Route()
        base = self._base(struct, way)
        if base is None:
            return
        simple = [f for f in struct.wire_fields if not f.flatten and f.tag is None and f.name not in way.keys]
        needed = [f for f in simple if f.required]
        if needed:
            chosen = self.rng.choice(needed)
            yield self._dropped(base, chosen.name)
        if simple:
            chosen = self.rng.choice(simple)
            wrong = [p for p in self.wrong_kinds(chosen.type) if p.value is not None]
            if wrong:
                probe = _repaired(chosen, self.rng.choice(wrong))
                yield probe.under(chosen.name, base | {chosen.name: probe.value})
        if struct.extra is None and not _flat(struct):
            key = _unheard([*declared_keys(struct), *way.keys])
            yield _kept(base | {key: None}, "unknown field", f"field that {struct.name} lacks", "unknown_field", (key,))

    def _few_of(self, union: Union) -> Iterator[_Probe]:
        routes = list(_routes(union.dispatch))
        for route in self.rng.sample(routes, min(2, len(routes))):
            yield from self.few(self.model.struct(route.struct), route)
        ends = [probe for probe in self.dispatch(union.dispatch, _Route(), opened=False) if not probe.sound]
        yield from self.rng.sample(ends, min(3, len(ends)))

    # --- structs -----------------------------------------------------------------------------------------------

    def struct(self, struct: Struct, route: _Route | None = None) -> Iterator[_Probe]:
        """Yield all probes of a struct as the root, or flattened in an object that keeps the route's absent keys."""
        way = route or _Route()
        base = self._base(struct, way)
        if base is None:
            return
        yield _sound(base, "minimal", "minimal", ordered=base)
        full = self.maker.whole_object(struct.name, "full", way)
        yield _sound(full, "full", "full", ordered=full)
        yield _sound(dict(reversed(full.items())), "reordered", "full, members in reverse", ordered=full)
        for _ in range(self.random):
            drawn = self.maker.whole_object(struct.name, "random", way)
            yield _sound(drawn, "random", "drawn at random", ordered=drawn)
        members = [member for member in self._members(struct, base, way) if member[1]]
        for _, probes in members:
            yield from probes
        yield from self._presence(struct, base, full, way)
        yield from self._flattened(struct, base, way)
        yield from self._asked(struct, base)
        extras = list(self._extra(struct, base, way))
        yield from extras
        if not _flat(struct):
            yield from self._pairs(base, [*members, *([("", extras)] if extras else [])])

    def _base(self, struct: Struct, route: _Route) -> Members | None:
        try:
            return self.maker.whole_object(struct.name, "minimal", route)
        except _ImpossibleError:
            return None

    def _members(self, struct: Struct, base: Members, route: _Route) -> Iterator[_Member]:
        """Yield the members in the order in which faults are reported: tags, constants, fields."""
        for tag in struct.tags:
            if tag.key not in route.absent:
                yield tag.key, list(self._tag(tag, base))
        for const in struct.consts:
            yield const.key, list(self._constant(const.key, const.value, base))
        for each in struct.wire_fields:
            if each.tag is None and not each.flatten and each.name not in route.absent:
                yield each.name, list(self._field(each, base))

    def _tag(self, tag: Tag, base: Members) -> Iterator[_Probe]:
        if tag.constant is not None:
            yield from self._constant(tag.key, tag.constant, base, optional=tag.optional, tagged=True)
            return
        values = tag_values(self.model, tag)
        if not tag.optional:
            yield self._dropped(base, tag.key)
        for kind, value in _OF_KIND.items():
            if kind != _kind(values[0]):
                yield _broken(
                    base | {tag.key: value}, "wrong kind", f"{kind} for tag {tag.key}", "wrong_type", (tag.key,)
                )
        for value in values:
            yield _sound(base | {tag.key: value}, "value", f"tag {tag.key} {value}")
        if isinstance(values[0], int):
            yield from _spelled_tags(tag.key, values[0], base)
        if tag.others != "*":
            strange = base | {tag.key: _other_than(values, tag.prefix)}
            yield _broken(strange, "unknown value", f"tag {tag.key} that it does not have", "unknown_value", (tag.key,))
        if tag.others is not None:
            like = base | {tag.key: _other_like(tag.others, values)}
            yield _kept(like, "unknown value", f"unknown tag like {tag.others}", "unknown_value", (tag.key,))

    def _constant(
        self, key: str, value: float | str, base: Members, *, optional: bool = False, tagged: bool = False
    ) -> Iterator[_Probe]:
        if not optional:
            yield self._dropped(base, key)
        else:
            yield _sound({k: v for k, v in base.items() if k != key}, "absent", f"{key} absent")
            yield _sound(base | {key: value}, "present", f"{key} present")
        right = _kind(value)
        for kind, other in _OF_KIND.items():
            if kind != right:
                yield _broken(base | {key: other}, "wrong kind", f"{kind} for constant {key}", "wrong_type", (key,))
        if tagged and right == "number":
            yield from _spelled_tags(key, int(value), base)
        for strange in _other_constants(value):
            yield _broken(
                base | {key: strange}, "wrong constant", f"another constant at {key}", "wrong_constant", (key,)
            )

    def _field(self, each: Field, base: Members) -> Iterator[_Probe]:
        key = each.name
        if each.required:
            yield self._dropped(base, key)
        admits_null = each.nullable or "null" in kinds(self.model, each.type)
        if admits_null:
            yield _sound(base | {key: None}, "null", f"{key} null")
        elif not each.required:
            yield _kept(base | {key: None}, "null", f"{key} null though it may only be absent", "wrong_type", (key,))
        for claimed in (*each.claimed, *(f"{prefix}x" for prefix in each.claimed_prefixes)):
            yield _broken(
                base | {key: claimed}, "wrong constant", f"{key} as a sibling has it", "wrong_constant", (key,)
            )
        for tried in self.type(each.type):
            null_settled = tried.value is None and (admits_null or not each.required)
            if not null_settled and not _is_claimed(tried.value, each):
                probe = _repaired(each, tried)
                moved = probe.under(key, base | {key: probe.value})
                yield replace(moved, note=f"{key}: {probe.note}")

    def _dropped(self, base: Members, key: str) -> _Probe:
        rest = {k: v for k, v in base.items() if k != key}
        return _broken(rest, "missing", f"{key} missing", "missing_field", (key,))

    def _presence(self, struct: Struct, base: Members, full: Members, route: _Route) -> Iterator[_Probe]:
        """Yield probes with only one optional field present, and with only one absent."""
        for each in struct.wire_fields:
            if each.required or each.flatten or each.tag is not None or each.name in route.keys:
                continue
            if each.name in full:
                rest = {k: v for k, v in full.items() if k != each.name}
                yield _sound(rest, "absent", f"full, but {each.name} absent")
                yield _sound(base | {each.name: full[each.name]}, "present", f"minimal, but {each.name} there")

    def _extra(self, struct: Struct, base: Members, route: _Route) -> Iterator[_Probe]:
        """Probe undeclared keys: extra content or unknown fields. Those next to a flattened field belong to it."""
        if _flat(struct):
            return
        taken = declared_keys(struct) | route.keys
        if struct.extra is not None:
            for probe in self.type(struct.extra):
                key = self.maker.free_key(taken)
                yield replace(probe.under(key, base | {key: probe.value}), note=f"extra content: {probe.note}")
            return
        strangers = [key for key in (*_KEYS, *(f.name for f in struct.fields if not f.travels)) if key not in taken]
        for key in (*strangers[:2], *strangers[len(_KEYS) :]):
            value = self.maker.turn("json", _ANYTHING, 1)[0]
            yield _kept(base | {key: value}, "unknown field", f"field {key!r}", "unknown_field", (key,))
        # These two sort the other way round in UTF-16.
        first, second = "\ufffd", "\U0001f600"
        if not taken.isdisjoint((first, second)):
            return
        two = base | {second: 1, first: [{}]}
        yield _Probe(
            two,
            "unknown field",
            "two fields, in code-point order",
            strict=(("unknown_field", (first,)), ("unknown_field", (second,))),
            kept=((first,), (second,)),
        )
        overflow = base | {first: Spelled("1e400")}
        yield _broken(overflow, "out of range", "overflow in an unknown field", "out_of_range", (first,))

    def _flattened(self, struct: Struct, base: Members, route: _Route) -> Iterator[_Probe]:
        """Yield the probes of the flattened field, merged with the outer members."""
        flat = _flat(struct)
        if flat is None:
            return
        outer = declared_keys(struct)
        around = {key: value for key, value in base.items() if key in outer}
        for probe in self._inner(flat.type, route.without(outer)):
            if not isinstance(probe.value, dict) or not outer.isdisjoint(probe.value):
                continue
            if probe.value or flat.required:
                yield replace(probe.instead(around | probe.value), note=f"flattened {flat.name}: {probe.note}")

    def _asked(self, struct: Struct, base: Members) -> Iterator[_Probe]:
        """Yield each control as the payload of its envelope; a flattened payload was probed with all its variants."""
        protocol = self.model.protocol.control
        if protocol is None:
            return
        for control in self.model.controls:
            form = protocol.notify if control.is_notification else protocol.request
            if form is not None and form.struct == struct.name and form.payload:
                asked = base | {form.payload[0]: self.maker.whole_object(control.request, "minimal")}
                yield _sound(asked, "nested", f"asks {control.key}")

    def _inner(self, type_: Type, route: _Route) -> Iterator[_Probe]:
        match resolved(self.model, type_):
            case Struct() as struct:
                yield from self.struct(struct, route)
            case Union() as union:
                yield from self.union(union, route)
            case _:
                for key in _KEYS:
                    if key not in route.keys:
                        yield _sound({key: self.maker.turn("json", _ANYTHING, 1)[0]}, "value", f"key {key!r}")

    def _pairs(self, base: Members, members: Sequence[_Member]) -> Iterator[_Probe]:
        """Yield probes with faults in two members: either may be reported, unless it is let pass."""
        faulty = [(key, [p for p in probes if not p.sound and p.output is _AS_IT_CAME]) for key, probes in members]
        faulty = [(key, probes) for key, probes in faulty if probes]
        if len(faulty) < 2:
            return
        for _ in range(4):
            i, j = sorted(self.rng.sample(range(len(faulty)), 2))
            first, second = self.rng.choice(faulty[i][1]), self.rng.choice(faulty[j][1])
            yield _Probe(
                _merged(base, first, second),
                "two faults",
                f"{first.note}; {second.note}",
                lenient=first.lenient + second.lenient,
                strict=first.strict + second.strict,
                kept=first.kept + second.kept,
            )

    # --- unions ------------------------------------------------------------------------------------------------

    def union(self, union: Union, route: _Route | None = None) -> Iterator[_Probe]:
        """Yield all probes of a union as the root, or flattened in an object that keeps the route's absent keys."""
        way = route or _Route()
        for found in _routes(union.dispatch, way):
            yield from self._variant(found)
        yield from self.dispatch(union.dispatch, way, opened=False)

    def _variant(self, route: _Route) -> Iterator[_Probe]:
        struct = self.model.struct(route.struct)
        if not route.absent.isdisjoint(key for key, _ in route.pins) or (base := self._base(struct, route)) is None:
            return
        name = struct.name
        yield _sound(base, "variant", f"{name}, minimal", name, ordered=base)
        full = self.maker.whole_object(struct.name, "full", route)
        yield _sound(full, "variant", f"{name}, full", name, ordered=full)
        yield _sound(dict(reversed(full.items())), "reordered", f"{name}, members in reverse", name, ordered=full)
        for probe in self.few(struct, route):
            yield replace(probe, note=f"{struct.name}: {probe.note}", variant=struct.name)

    def dispatch(self, dispatch: Dispatch, route: _Route, *, opened: bool) -> Iterator[_Probe]:
        """Probe the faults on the way to a variant. `opened`: an outer union is open."""
        match dispatch:
            case Switch():
                yield from self._switch(dispatch, route, opened=opened)
            case Keys():
                yield from self._by_keys(dispatch, route)
                for variant, then in dispatch.cases:
                    way = replace(
                        route, present=route.present.union(variant.has), absent=route.absent.union(variant.lacks)
                    )
                    yield from self.dispatch(then, way, opened=opened or self.model.union(dispatch.union).open)

    def _switch(self, switch: Switch, route: _Route, *, opened: bool) -> Iterator[_Probe]:
        key = switch.key
        base = self._some(switch, route)
        if base is None or key in route.absent:
            return
        union = self.model.union(switch.union)
        if switch.absent is None and key not in route.present:  # a key that a condition requires cannot be missing
            yield self._dropped(base, key)
        right = "number" if switch.base == "integer" else switch.base
        for kind, value in _OF_KIND.items():
            if kind != right:
                yield _broken(
                    base | {key: value}, "wrong kind", f"{kind} for discriminator {key}", "wrong_type", (key,)
                )
        for value in _NO_INTEGERS if right == "number" else ():
            note = f"{value} for discriminator {key}"
            yield _broken({**base, key: value}, "out of range", note, "out_of_range", (key,))
        for value in self._unanswered(switch):
            make = _kept if union.open else _broken
            strange = {**base, key: value}
            yield _unknown(
                make(strange, "unknown variant", f"{key} {value!r}, which none has", "unknown_variant", (key,))
            )
            bare = {
                **dict(route.pins),
                key: value,
                "whatever": {"a": [None, Spelled("123456789012345678901234567890")]},
            }
            if route.present <= bare.keys():
                yield _unknown(make(bare, "unknown variant", "untouched content", "unknown_variant", (key,)))
        for pattern, struct in switch.others:
            yield from self._catch_all(switch, pattern, struct, route, opened=opened or union.open)
        for value, then in switch.cases:
            yield from self.dispatch(then, route.pinned(key, value), opened=opened or union.open)
        for prefix, then in switch.prefixes:
            way = route.pinned(key, _beginning(switch, prefix))
            yield from self.dispatch(then, way, opened=opened or union.open)
        if switch.absent is not None:
            yield from self.dispatch(switch.absent, route.without([key]), opened=opened or union.open)

    def _unanswered(self, switch: Switch) -> list[str | bool | int]:
        """Return values of the discriminator that match no variant."""
        known = [value for value, _ in switch.cases]
        if switch.base == "boolean":
            return [] if switch.absent is not None else list(_unclaimed(switch))
        if switch.base == "integer":
            return [] if switch.others else [_other_than(known), *(each for each in (0, -1) if each not in known)]
        texts, prefixes = list(map(str, known)), tuple(prefix for prefix, _ in switch.prefixes)
        strange = [_unheard(texts), "", *(f"{text}\n" for text in texts[:1]), *(f" {each}" for each in prefixes[:1])]
        return [
            t
            for t in strange
            if t not in texts
            and not t.startswith(prefixes)
            and not any(_globs(t, pattern) for pattern, _ in switch.others)
        ]

    def _catch_all(self, switch: Switch, pattern: str, name: str, route: _Route, *, opened: bool) -> Iterator[_Probe]:
        key = switch.key
        like = _other_like(pattern, [value for value, _ in switch.cases])
        if isinstance(like, str) and like.startswith(tuple(prefix for prefix, _ in switch.prefixes)):
            return
        struct = self.model.struct(name)
        way = replace(route, struct=name).pinned(key, like)
        base = self._base(struct, way)
        if base is None:
            return
        note = f"unknown {key} like {pattern}"
        yield _kept(base, "unknown value", note, "unknown_value", (key,), name)
        for probe in self.few(struct, way):
            if not probe.lenient:
                kept = ((key,), *probe.kept)
                yield replace(
                    probe, strict=(("unknown_value", (key,)),), kept=kept, variant=name, note=f"{note}: {probe.note}"
                )
            elif opened:
                misfit = _kept(probe.value, "unknown variant", f"{note}, misfit: {probe.note}", "unknown_value", (key,))
                yield _unknown(misfit)
            else:
                yield replace(probe, strict=(("unknown_value", (key,)),))

    def _by_keys(self, dispatch: Keys, route: _Route) -> Iterator[_Probe]:
        """Probe an object that matches no condition, if one exists."""
        keys = list(dict.fromkeys(key for variant, _ in dispatch.cases for key in (*variant.has, *variant.lacks)))
        bare: Members = {**dict(route.pins), **dict.fromkeys(route.present)}
        candidates = [bare, *(bare | {key: None} for key in keys), bare | dict.fromkeys(keys)]
        make = _kept if self.model.union(dispatch.union).open else _broken
        for candidate in candidates:
            if not route.absent.isdisjoint(candidate) or any(
                all(key in candidate for key in variant.has) and not any(key in candidate for key in variant.lacks)
                for variant, _ in dispatch.cases
            ):
                continue
            yield _unknown(make(candidate, "unknown variant", "members that fit no variant", "no_variant"))
            strange = candidate | {_unheard(keys): [None]}
            yield _unknown(make(strange, "unknown variant", "members that fit no variant, and another", "no_variant"))

    def _some(self, dispatch: Dispatch, route: _Route) -> Members | None:
        """Build a valid object of any variant that can be built."""
        for way in _routes(dispatch, route):
            if way.absent.isdisjoint(key for key, _ in way.pins):
                base = self._base(self.model.struct(way.struct), way)
                if base is not None:
                    return base
        return None


_WRONG: Final[Mapping[str, Sequence[tuple[str, str, Sequence[object]]]]] = {
    "uuid": (("bad_format", "format", _NO_UUIDS),),
    "timestamp": (("bad_format", "format", _NO_TIMES),),
    "integer": (("out_of_range", "out of range", _NO_INTEGERS),),
    "number": (("out_of_range", "out of range", _NO_NUMBERS),),
    "json": (("out_of_range", "out of range", _NO_NUMBERS),),
}


def _repaired(each: Field, probe: _Probe) -> _Probe:
    """Adjust the probe of a field's value to the repair that the field declares for lenient mode."""
    on_error = each.on_error
    if on_error is None or not probe.lenient or _overflows(probe.value):
        return probe
    if on_error.skip and isinstance(probe.value, list):
        ((_, (index, *_)),) = probe.lenient  # only an item of a list can have a fault here
        rest = [item for at, item in enumerate(probe.value) if at != index]
        return replace(probe, lenient=(), kept=((index,),), output=rest)
    if on_error.absent:
        return replace(probe, lenient=(), kept=((),))
    if on_error.replaces:
        return replace(probe, lenient=(), kept=((),), output=on_error.value)
    return probe


def _overflows(value: object) -> bool:
    """Return whether a number in a value overflows a double, so that no peer can represent it."""
    match value:
        case Spelled():
            return math.isinf(float(value))
        case list():
            return any(map(_overflows, value))
        case dict():
            return any(map(_overflows, value.values()))
        case _:
            return False


def _spelled_tags(key: str, value: int, base: Members) -> Iterator[_Probe]:
    """Probe an integer tag in another spelling, and with numbers that are not integers."""
    yield _sound(base | {key: Spelled(f"{value}.0")}, "value", f"tag {key} with a fraction of nothing")
    for wrong in _NO_INTEGERS:
        yield _broken(base | {key: wrong}, "out of range", f"{wrong} for tag {key}", "out_of_range", (key,))


def _other_than(values: Collection[str | bool | int], prefix: str | None = None) -> str | int:
    """Return a value of the same kind that is not one of `values` and does not start with `prefix`."""
    numbers = [value for value in values if isinstance(value, int)]
    if numbers:
        return max(numbers) + 1 if max(numbers) < MAX_INTEGER else min(numbers) - 1
    text = _unheard(map(str, values))
    return text if prefix is None or not text.startswith(prefix) else f"\x00{text}" if prefix[0] != "\x00" else text[1:]


def _other_like(pattern: str, values: Collection[str | bool | int]) -> str | int:
    """Return a value that matches the pattern but is not one of `values`; `*` matches integers too."""
    if any(isinstance(value, int) for value in values):
        return _other_than(values)
    return _like(pattern, list(map(str, values)))


def _is_claimed(value: object, each: Field) -> bool:
    """Return whether a sibling claims a value of a discriminator."""
    if isinstance(value, Spelled):
        return any(_kind(c) == "number" and float(value) == c for c in each.claimed)
    if isinstance(value, str) and value.startswith(each.claimed_prefixes):
        return True
    return _is_one_of(value, each.claimed)


_UNCLAIMED: Final[Mapping[Kind, Sequence[object]]] = MappingProxyType(
    {"boolean": (False, True), "number": tuple(range(100, 164)), "string": ()}
)
"""By kind of discriminator: values that siblings cannot all claim; none for texts, which are generated."""


def _unknown(probe: _Probe) -> _Probe:
    return probe if probe.lenient else replace(probe, variant="Unknown")


def _flat(struct: Struct) -> Field | None:
    return next((field for field in struct.wire_fields if field.flatten), None)


def _merged(base: Members, first: _Probe, second: _Probe) -> Members:
    """Merge the changes of two probes into the base."""
    merged = dict(base)
    for probe in (first, second):
        changed = probe.value
        assert isinstance(changed, dict)  # noqa: S101 - probes of a struct's members are objects
        for key in base.keys() - changed.keys():
            merged.pop(key, None)
        merged |= {key: value for key, value in changed.items() if key not in base or value is not base[key]}
    return merged


def _other_constants(value: float | str) -> list[object]:
    match value:
        case bool():
            return [not value]
        case str():
            return [_unheard([value]), value + "\n", value.swapcase() if value.swapcase() != value else value + " "]
        case _:
            return [value + 1 if value < MAX_INTEGER else value - 1]


def _unheard(known: Iterable[str]) -> str:
    """Return a text that is not one of the known ones."""
    taken = set(known)
    text = _UNHEARD
    while text in taken:
        text += "_"
    return text


def _like(pattern: str, known: Iterable[str]) -> str:
    """Return a text that matches the pattern but is not one of the known ones."""
    taken = set(known)
    filling = _UNHEARD
    while pattern.replace("*", filling) in taken:
        filling += "_"
    return pattern.replace("*", filling)


def _globs(text: str, pattern: str) -> bool:
    """Return whether a text matches the pattern, in which `*` matches any text."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.DOTALL) is not None
