"""A struct, what its maker passes and what the spec fixes → what each member of a new object gets.

The rules hold for constructors and for the envelopes of requests and responses, in every language. For each field of
the struct, the first that applies:

1. A pointer leads into it: the object there is filled by the same rules.
2. The maker passes a value, or the spec sets one.
3. The spec has a default.
4. It may be left out, and nobody demands it: it is absent.
5. Null is a value of it: null. It is a `uuid`: a new one. It is a list, a map or an object: an empty one.
6. It becomes a parameter of its own, so that nothing incomplete can be made.

Tags and constants need no rule: a new object has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field
from enum import Enum
from typing import Literal, TypeAlias

from polywire.engine import equal
from polywire.model.nodes import Array, Constructor, Field, Json, Map, Model, Pointer, Ref, Scalar, Struct, Type, Union
from polywire.model.walk import structs_of, without_alias
from polywire.plan.members import must_be_given
from polywire.records import dataclass


@dataclass(frozen=True, slots=True)
class Given:
    """What the maker passes, by the name that the spec has for it."""

    name: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What a parameter of its own passes, since nothing else fills the field (rule 6)."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value of the spec: under `set` of a constructor, or a field's `default`."""

    value: Json = field(hash=False)
    by: Literal["set", "default"]


class ByRule(Enum):
    """What needs nothing of the maker or the spec."""

    ABSENT = "absent"
    NULL = "null"
    FRESH_UUID = "a new UUID"
    EMPTY_LIST = "[]"
    EMPTY_OBJECT = "{}"


@dataclass(frozen=True, slots=True)
class Made:
    """An object that is made, with what its fields get in wire order."""

    struct: Struct
    members: tuple[Filled, ...]
    union: str | None = None
    """The union that the struct is a variant of where it stands, if the field's type is one."""

    @property
    def everything(self) -> Iterator[Filled]:
        """Every member, and those of objects inside it, in wire order."""
        for member in self.members:
            yield member
            if isinstance(member.value, Made):
                yield from member.value.everything

    @property
    def asked(self) -> tuple[Filled, ...]:
        """The members that nothing fills."""
        return tuple(each for each in self.everything if isinstance(each.value, Asked))

    @property
    def draws_uuid(self) -> bool:
        """Whether some member gets a new UUID."""
        return any(each.value is ByRule.FRESH_UUID for each in self.everything)


Value: TypeAlias = "Given | Asked | Fixed | ByRule | Made"


@dataclass(frozen=True, slots=True)
class Filled:
    """A field and what it gets; the place of a flattened field is that of the object that it stands in."""

    field: Field
    place: Pointer
    value: Value


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a constructor, and the field that it fills."""

    name: str
    """As the spec calls it; for what no pointer names, the field's name, or its path where that name is taken."""
    place: Pointer
    field: Field
    named: bool
    """Whether the spec names it; else it is there by rule 6."""
    required: bool
    """Whether the caller must give it."""
    is_uuid: bool
    """Whether it is a UUID: where the field must be there and none is given, the constructor draws one."""


@dataclass(frozen=True, slots=True)
class ConstructorPlan:
    """A constructor of the spec."""

    constructor: Constructor
    parameters: tuple[Parameter, ...]
    """Those that the spec names, in its order, then those that rule 6 adds."""
    made: Made

    @property
    def struct(self) -> Struct:
        """What it makes."""
        return self.made.struct

    @property
    def is_plain(self) -> bool:
        """Whether it takes what the struct demands, in that order, and sets nothing."""
        demanded = [(f.name,) for f in self.struct.wire_fields if must_be_given(f) and not f.has_default]
        return not self.constructor.set and [p.pointer for p in self.constructor.params] == demanded


def constructor_plan(model: Model, struct: Struct, constructor: Constructor) -> ConstructorPlan:
    """What a constructor takes and makes. Raises `LookupError` for a pointer that leads nowhere, which `lint` finds."""
    given = {param.pointer: param.name for param in constructor.params}
    made = fill(model, struct, given, dict(constructor.set))
    ends = {each.place: each.field for each in made.everything if isinstance(each.value, Given)}
    lost = [param.name for param in constructor.params if param.pointer not in ends]
    if lost:
        raise LookupError(f"{constructor.name}: no field for {', '.join(lost)}")
    named = [_parameter(model, p.name, p.pointer, ends[p.pointer], named=True) for p in constructor.params]
    taken = {_folded(each.name) for each in named}
    added = [_parameter(model, _free(each, taken), each.place, each.field, named=False) for each in made.asked]
    return ConstructorPlan(constructor, (*named, *added), made)


def _free(filled: Filled, taken: set[str]) -> str:
    """The field's name, or one that says where the field is if another parameter has that name in some language."""
    name = filled.field.name
    if _folded(name) in taken:
        name = "_".join((*filled.place, *((name,) if filled.field.flatten else ())))
    while _folded(name) in taken:
        name += "_2"
    taken.add(_folded(name))
    return name


def _folded(name: str) -> str:
    """What two names have in common that differ in case and separators only, which languages change."""
    return "".join(filter(str.isalnum, name)).casefold()


def _parameter(model: Model, name: str, place: Pointer, field: Field, *, named: bool) -> Parameter:
    uuid = _is_uuid(model, field.type)
    return Parameter(name, place, field, named, must_be_given(field) and not uuid, uuid)


def plain_constructor(struct: Struct) -> Made:
    """What is made of the fields that a struct demands and of defaults alone."""
    return Made(struct, tuple(_plainly(each) for each in struct.wire_fields))


def _plainly(each: Field) -> Filled:
    if each.has_default:
        value: Value = Fixed(each.default, "default")
    else:
        value = Given(each.name) if must_be_given(each) else ByRule.ABSENT
    return Filled(each, () if each.flatten else (each.name,), value)


def fill(
    model: Model,
    struct: Struct,
    given: Mapping[Pointer, str],
    fixed: Mapping[Pointer, Json] | None = None,
) -> Made:
    """The object of which some places are given, by the rules above."""
    return _Filler(model, given, fixed or {}).made(struct, (), None)


@dataclass(frozen=True, slots=True)
class _Filler:
    model: Model
    given: Mapping[Pointer, str]
    fixed: Mapping[Pointer, Json]

    def made(self, struct: Struct, at: Pointer, union: str | None) -> Made:
        own = {each.name for each in struct.wire_fields if not each.flatten}
        own |= {tag.key for tag in struct.tags} | {const.key for const in struct.consts}
        members = []
        for each in struct.wire_fields:
            place = at if each.flatten else (*at, each.name)
            keys = self._next_keys(place)
            members.append(Filled(each, place, self._value(each, place, keys - own if each.flatten else keys)))
        return Made(struct, tuple(members), union)

    def _next_keys(self, place: Pointer) -> set[str]:
        """The keys that come next on pointers that lead on from a place."""
        ways = (*self.given, *self.fixed)
        return {way[len(place)] for way in ways if len(way) > len(place) and way[: len(place)] == place}

    def _constants(self, place: Pointer) -> dict[str, Json]:
        """What the spec sets in the object at a place, by key."""
        return {way[-1]: value for way, value in self.fixed.items() if way[:-1] == place}

    def _value(self, each: Field, place: Pointer, keys: AbstractSet[str]) -> Value:
        inner = struct_with(self.model, each.type, keys, self._constants(place))
        if inner is not None:
            return self.made(inner, place, _union_at(self.model, each.type))
        if place in self.given:
            return Given(self.given[place])
        if place in self.fixed:
            return Fixed(self.fixed[place], "set")
        if each.has_default:
            return Fixed(each.default, "default")
        if not must_be_given(each):
            return ByRule.ABSENT
        return ByRule.NULL if each.nullable else by_type(self.model, each.type)


def by_type(model: Model, type_: Type) -> Value:
    """What a field gets for its type alone."""
    match without_alias(type_, model.declarations):
        case Scalar(kind="uuid"):
            return ByRule.FRESH_UUID
        case Array():
            return ByRule.EMPTY_LIST
        case Map() | Scalar(kind="object"):
            return ByRule.EMPTY_OBJECT
        case _:
            return Asked()


def struct_with(
    model: Model, type_: Type, keys: AbstractSet[str], constants: Mapping[str, Json] | None = None
) -> Struct | None:
    """The struct of a type, or the first variant of a union, that has fields of those keys; none if there are none.

    A key may also be a tag of the variant with the value that `constants` has for it.
    """
    declared = _declared(model, type_) if keys else None
    match declared:
        case Struct():
            return declared
        case Union(dispatch=dispatch):
            variants = map(model.struct, structs_of(dispatch))
            return next((each for each in variants if keys <= _keys(each, constants or {})), None)
    return None


def _keys(struct: Struct, constants: Mapping[str, Json]) -> set[str]:
    """The keys that a struct has a field for, or a tag or constant of that value."""
    fixed = {**{tag.key: tag.constant for tag in struct.tags}, **{const.key: const.value for const in struct.consts}}
    same = {key for key, value in constants.items() if key in fixed and equal(fixed[key], value)}
    return same.union(field.name for field in struct.wire_fields)


def _union_at(model: Model, type_: Type) -> str | None:
    declared = _declared(model, type_)
    return declared.name if isinstance(declared, Union) else None


def _declared(model: Model, type_: Type) -> object:
    plain = without_alias(type_, model.declarations)
    return model.declarations[plain.name] if isinstance(plain, Ref) else None


def _is_uuid(model: Model, type_: Type) -> bool:
    return without_alias(type_, model.declarations) == Scalar("uuid")
