"""Two types → the type that contains both, if the spec language can express it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from polywire.model.dispatch import WrittenUnion
from polywire.model.nodes import Enum
from polywire.model.walk import spell
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type

_N = TypeVar("_N", int, float)
_WIDER = {("number", "integer"), ("string", "uuid"), ("string", "timestamp")}


_KINDS = {"uuid": "string", "timestamp": "string", "integer": "number"}
"""The JSON kind of those scalars whose name is not their kind."""
_FORMS = frozenset({"uuid", "timestamp"})


class NoJoinError(Exception):
    """Neither of two types contains the other."""

    def __init__(self, newer: Type, older: Type) -> None:
        super().__init__(f"{spell(newer)} and {spell(older)}")
        self.newer = f"`{spell(newer)}`"
        self.older = f"`{spell(older)}`"


class TypeJoin:
    """Joins types, given the joined declarations that they refer to."""

    def __init__(
        self, enums: Mapping[str, Enum], unions: Mapping[str, WrittenUnion], aliases: Mapping[str, Type]
    ) -> None:
        self._enums = enums
        self._unions = unions
        self._aliases = aliases
        self._open: set[tuple[Type, Type]] = set()

    def join(self, newer: Type, older: Type) -> Type:
        """The type that has all values of both. Raises `NoJoinError`."""
        if _same(newer, older):
            return newer
        if (newer, older) in self._open:  # an alias that contains itself
            raise NoJoinError(newer, older)
        self._open.add((newer, older))
        try:
            return self._join(newer, older)
        finally:
            self._open.discard((newer, older))

    def _join(self, newer: Type, older: Type) -> Type:
        members = list(self._members(newer))
        if Scalar("json") in members:
            return newer
        for member in self._members(older):
            if member == Scalar("json"):
                return older
            self._add(members, member)
        for whole in (newer, older):  # an alias that covers the other type keeps its name
            if {*map(spell, self._members(whole))} == {*map(spell, members)}:
                return whole
        return members[0] if len(members) == 1 else Choice(tuple(members))

    def _members(self, type_: Type) -> Iterator[Type]:
        """The alternatives of a type, with aliases resolved."""
        seen: set[str] = set()
        ahead = [type_]
        while ahead:
            one = ahead.pop(0)
            if isinstance(one, Choice):
                ahead[:0] = one.members
            elif isinstance(one, Ref) and one.name in self._aliases:
                if one.name not in seen:
                    seen.add(one.name)
                    ahead.insert(0, self._aliases[one.name])
            else:
                yield one

    def _add(self, members: list[Type], other: Type) -> None:
        """Widen the member of the same JSON kind, or add a new one."""
        kind = self._kind(other)
        for n, member in enumerate(members):
            if self._kind(member) == kind:
                members[n] = self._wider(member, other)
                return
        members.append(other)

    def _kind(self, type_: Type) -> str:
        match type_:
            case Scalar(kind):
                return _KINDS.get(kind, kind)
            case LiteralType():
                return _KINDS.get(type_.kind, type_.kind)
            case Array() | TupleType():
                return "array"
            case Ref(name) if name in self._enums:
                return "string" if self._enums[name].base == "string" else "number"
            case _:
                return "object"

    # --- types of one JSON kind ---

    def _wider(self, newer: Type, older: Type) -> Type:
        if _same(newer, older) or self._holds(newer, older):
            return newer
        if self._holds(older, newer):
            return older
        match newer, older:
            case Array(), Array():
                return Array(
                    self.join(newer.item, older.item), _lower(newer.low, older.low), _upper(newer.high, older.high)
                )
            case (Array() as many, TupleType() as some) | (TupleType() as some, Array() as many):
                return self._with_items(many, some)
            case TupleType(), TupleType() if len(newer.items) == len(older.items):
                return TupleType(tuple(map(self.join, newer.items, older.items)))
            case Scalar(), Scalar() if newer.is_bounded or older.is_bounded:
                return self._unbounded(newer, older)
            case Scalar() as bounded, other if bounded.is_bounded:
                return self._wider(Scalar(bounded.kind), other)
            case other, Scalar() as bounded if bounded.is_bounded:
                return self._wider(other, Scalar(bounded.kind))
            case LiteralType(bool()), LiteralType(bool()):
                return Scalar("boolean")
            case Map(), Map():
                return Map(self.join(newer.value, older.value), self._key(newer, older))
            case _:
                raise NoJoinError(newer, older)

    def _with_items(self, many: Array, some: TupleType) -> Array:
        """An array that also contains the values of a tuple."""
        item = many.item
        for each in some.items:
            item = self.join(item, each)
        count = len(some.items)
        return Array(item, _lower(many.low, count), _upper(many.high, count))

    def _unbounded(self, newer: Scalar, older: Scalar) -> Type:
        """Scalars with the wider bounds, or no bounds if only one has them."""
        wider = self._wider(Scalar(newer.kind), Scalar(older.kind))
        if not isinstance(wider, Scalar) or {newer.kind, older.kind} & _FORMS:
            return wider
        return Scalar(wider.kind, _lower(newer.low, older.low), _upper(newer.high, older.high))

    def _key(self, newer: Map, older: Map) -> str | None:
        """The enum of the keys of both maps, or None for any keys."""
        if newer.key is None or older.key is None or newer.key == older.key:
            return newer.key if newer.key == older.key else None
        wider = self._wider(Ref(newer.key), Ref(older.key))
        return wider.name if isinstance(wider, Ref) else None

    def _holds(self, wide: Type, narrow: Type) -> bool:
        """Whether every value of `narrow` is a value of `wide`; for scalars and declared names."""
        match wide, narrow:
            case Scalar(kind="object"), _:
                return self._kind(narrow) == "object"
            case Scalar(low=None, high=None, kind=kind), Scalar(kind=other):
                return (kind, other) in _WIDER or (kind == other and narrow.is_bounded)
            case Scalar(low=None, high=None, kind="string" | "number" | "integer" as kind), Ref(name) if (
                name in self._enums
            ):
                return kind == "string" or self._enums[name].base == "integer"
            case Scalar(low=None, high=None, kind=kind), LiteralType():
                return kind == narrow.kind or (kind, narrow.kind) in _WIDER
            case Ref(name), LiteralType(value) if name in self._enums:
                return any(each.wire == value and type(each.wire) is type(value) for each in self._enums[name].values)
            case Ref(name), Ref(other) if name in self._enums and other in self._enums:
                return self._enum_holds(self._enums[name], self._enums[other])
            case Ref(name), Ref(other) if name in self._unions:
                return self._union_holds(self._unions[name], other)
            case _:
                return False

    def _enum_holds(self, wide: Enum, narrow: Enum) -> bool:
        values = {value.wire for value in wide.values}
        return values >= {value.wire for value in narrow.values} and (wide.open or not narrow.open)

    def _union_holds(self, wide: WrittenUnion, narrow: str) -> bool:
        inner = self._unions.get(narrow)
        if inner is not None and inner.open and not wide.open:
            return False
        return narrow in set(self._inside(wide.name)) or (
            inner is not None and inner.by == wide.by and set(self._inside(wide.name)) >= set(self._inside(narrow))
        )

    def _inside(self, name: str) -> Iterator[str]:
        """All names that a union can reach."""
        seen: set[str] = set()
        ahead = [name]
        while ahead:
            union = self._unions.get(ahead.pop())
            for variant in union.variants if union is not None else ():
                if variant.name not in seen:
                    seen.add(variant.name)
                    ahead.append(variant.name)
        yield from seen


def _same(one: Type, other: Type) -> bool:
    """Whether two types are equal; in Python, a literal `1` equals `true`."""
    return one == other and spell(one) == spell(other)


def _lower(one: _N | None, other: _N | None) -> _N | None:
    return None if one is None or other is None else min(one, other)


def _upper(one: _N | None, other: _N | None) -> _N | None:
    return None if one is None or other is None else max(one, other)
