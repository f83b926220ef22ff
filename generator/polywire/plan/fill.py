"""A struct, the caller's values and the spec's fixed values → the value of each member of a new object.

The rules apply to constructors and to the envelopes of requests and responses, in every language. For each field of
the struct, the first rule that matches decides:

1. A pointer leads into it: the object there is filled by the same rules.
2. The caller passes a value, or the spec sets one.
3. The spec has a default.
4. It may be left out, and is not required by constructors: it is absent.
5. Null is a valid value: null. It is a `uuid`: a new one. It is a list, a map or an object: an empty one.
6. It becomes an additional parameter, so that no incomplete object can be created.

Tags and constants need no rule: every new object has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Literal, TypeAlias

from polywire.ground.json_values import Json, equal
from polywire.model.nodes import Constructor, Field, Model, Pointer, Struct, Union
from polywire.model.walk import structs_of, without_alias
from polywire.plan.members import must_be_given
from polywire.source.types import Array, Map, Ref, Scalar, Type


@dataclass(frozen=True, slots=True)
class Given:
    """A value that the caller passes, by the name of the parameter."""

    name: str
    added: bool = False
    """Whether it is an additional parameter, because nothing else fills the field (rule 6)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A value that nothing fills: an additional parameter of a constructor, and an error in an envelope."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value from the spec: under `set` of a constructor, or a field's `default`."""

    value: Json = field(hash=False)
    by: Literal["set", "default"]


class ByRule(Enum):
    """A value that needs neither the caller nor the spec."""

    ABSENT = "absent"
    NULL = "null"
    FRESH_UUID = "a new UUID"
    EMPTY_LIST = "[]"
    EMPTY_OBJECT = "{}"


@dataclass(frozen=True, slots=True)
class Made:
    """A new object, with the values of its fields in wire order."""

    struct: Struct
    members: tuple[Filled, ...]
    union: str | None = None
    """The union of which the struct is a variant here, if the field's type is one."""

    @property
    def everything(self) -> Iterator[Filled]:
        """Every member, including those of nested objects, in wire order."""
        for member in self.members:
            yield member
            if isinstance(member.value, Made):
                yield from member.value.everything

    @property
    def asked(self) -> tuple[Filled, ...]:
        """The members that nothing else fills."""
        return tuple(each for each in self.everything if isinstance(each.value, Asked))

    @property
    def draws_uuid(self) -> bool:
        """Whether any member is filled with a new UUID."""
        return any(each.value is ByRule.FRESH_UUID for each in self.everything)


Value: TypeAlias = "Given | Asked | Fixed | ByRule | Made"


@dataclass(frozen=True, slots=True)
class Filled:
    """A field and its value; the place of a flattened field is that of the enclosing object."""

    field: Field
    place: Pointer
    value: Value

    @property
    def key(self) -> str:
        """The key of the member, which is that of a tag if the field is its value."""
        return self.field.name if self.field.tag is None else self.field.tag.key


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a constructor, and the field that it fills."""

    name: str
    """The name in the spec; for an additional parameter, the field's name, or its path if that name is taken."""
    place: Pointer
    field: Field
    named: bool
    """Whether the spec names it; otherwise it is added by rule 6."""
    required: bool
    """Whether the caller must pass it."""
    is_uuid: bool
    """Whether it is a UUID: if the field is required and the caller passes none, the constructor generates one."""


@dataclass(frozen=True, slots=True)
class ConstructorPlan:
    """A constructor of the spec."""

    constructor: Constructor
    parameters: tuple[Parameter, ...]
    """The parameters named in the spec, in its order, then those added by rule 6."""
    made: Made

    @property
    def struct(self) -> Struct:
        """The struct that it creates."""
        return self.made.struct

    @property
    def is_plain(self) -> bool:
        """Whether its parameters are exactly the required fields, in their order, and it sets nothing."""
        demanded = [(f.name,) for f in self.struct.wire_fields if must_be_given(f) and not f.has_default]
        return not self.constructor.set and [p.pointer for p in self.constructor.params] == demanded


def constructor_plan(model: Model, struct: Struct, constructor: Constructor) -> ConstructorPlan:
    """What a constructor takes and creates. Raises `LookupError` for an invalid pointer, which `lint` reports."""
    given = {param.pointer: param.name for param in constructor.params}
    made = fill(model, struct, given, dict(constructor.set))
    ends = {each.place: each.field for each in made.everything if isinstance(each.value, Given)}
    lost = [param.name for param in constructor.params if param.pointer not in ends]
    if lost:
        raise LookupError(f"{constructor.name}: no field for {', '.join(lost)}")
    named = [_parameter(model, p.name, p.pointer, ends[p.pointer], named=True) for p in constructor.params]
    taken = {_folded(each.name) for each in named}
    added = [_parameter(model, _free(each, taken), each.place, each.field, named=False) for each in made.asked]
    return ConstructorPlan(constructor, (*named, *added), _passed(made, iter(added)))


def _passed(made: Made, added: Iterator[Parameter]) -> Made:
    """The object in which additional parameters, in their order, fill what nothing else does."""

    def value(filled: Filled) -> Value:
        match filled.value:
            case Made() as inner:
                return _passed(inner, added)
            case Asked():
                return Given(next(added).name, added=True)
            case other:
                return other

    return replace(made, members=tuple(replace(each, value=value(each)) for each in made.members))


def _free(filled: Filled, taken: set[str]) -> str:
    """The field's name, or one derived from its path if another parameter has that name in some language."""
    name = filled.field.name
    if _folded(name) in taken:
        name = "_".join((*filled.place, *((name,) if filled.field.flatten else ())))
    while _folded(name) in taken:
        name += "_2"
    taken.add(_folded(name))
    return name


def _folded(name: str) -> str:
    """A key that is equal for names differing only in case and separators, which languages change."""
    return "".join(filter(str.isalnum, name)).casefold()


def _parameter(model: Model, name: str, place: Pointer, field: Field, *, named: bool) -> Parameter:
    uuid = _is_uuid(model, field.type)
    return Parameter(name, place, field, named, must_be_given(field) and not uuid, uuid)


def plain_constructor(struct: Struct) -> Made:
    """An object of the required fields and the defaults only."""
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
    """The object in which some pointers are given, filled by the rules above."""
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
        """The next keys of the pointers that lead beyond a place."""
        ways = (*self.given, *self.fixed)
        return {way[len(place)] for way in ways if len(way) > len(place) and way[: len(place)] == place}

    def _constants(self, place: Pointer) -> dict[str, Json]:
        """The values that the spec sets in the object at a place, by key."""
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
    """The value of a field that depends only on its type."""
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
    """The struct of a type, or the first variant of a union, that has fields with these keys; None if none has.

    A key may also be a tag or constant of the variant, if it has the value in `constants`.
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
    """The keys for which a struct has a field, or a tag or constant with the given value."""
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
