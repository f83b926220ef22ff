"""Several conditions on one value (`AllOf`) → the shape that meets all of them.

Objects become one object with the others as its bases, and members that several of them declare have what all of their
shapes accept. Scalars have joined bounds. If no value meets all conditions, the first one is kept, and that is noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from polywire_import.lookup import kind_of
from polywire_import.shapes import (
    AllOf,
    AnyObject,
    Anything,
    Array,
    Catalog,
    Literal,
    Map,
    Member,
    Object,
    OneOf,
    Ref,
    Scalar,
    Shape,
    Tuple,
    walk,
)

MOST_NESTED = 40
"""Maximum nesting of conditions inside each other; recursive types that refine each other have no end."""
MOST_PAIRS = 2_000
"""Maximum number of pairs of alternatives that are compared in one place."""


def meet(catalog: Catalog) -> None:
    """Replace every `AllOf` of a catalog by the shape that meets all conditions; adds to its notes."""
    if any(isinstance(each, AllOf) for declared in catalog.declarations.values() for each in walk(declared.shape)):
        _Meeting(catalog).run()


class _Meeting:
    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._done: dict[str, Shape] = {}
        self._begun: set[str] = set()
        self._depth = 0

    def run(self) -> None:
        for name in self._catalog.declarations:
            self._declared(name)
        for name, shape in self._done.items():
            declared = self._catalog.declarations[name]
            self._catalog.declarations[name] = replace(declared, shape=shape)

    def _declared(self, name: str) -> Shape | None:
        """Return the shape of a declaration without `AllOf`; None while it is being worked out."""
        if name not in self._done:
            if name in self._begun or name not in self._catalog.declarations:
                return None
            self._begun.add(name)
            self._done[name] = self._settled(self._catalog.declarations[name].shape)
        return self._done[name]

    def _settled(self, shape: Shape) -> Shape:
        match shape:
            case AllOf(parts=parts):
                met = self._all([self._settled(each) for each in parts], shape.place)
                return replace(met, title=shape.title) if isinstance(met, Object) and shape.title else met
            case OneOf(members=members):
                return replace(shape, members=tuple(map(self._settled, members)))
            case Array(item=item):
                return replace(shape, item=self._settled(item))
            case Tuple(items=items):
                return Tuple(tuple(map(self._settled, items)))
            case Map(value=value, key=key):
                return Map(self._settled(value), None if key is None else self._settled(key))
            case Object():
                choices = [self._settled(each) for each in shape.choices]
                return replace(
                    shape,
                    members=tuple(replace(each, shape=self._settled(each.shape)) for each in shape.members),
                    bases=tuple(map(self._settled, shape.bases)),
                    extra=None if shape.extra is None else self._settled(shape.extra),
                    choices=tuple(each for each in choices if isinstance(each, OneOf)),
                )
        return shape

    def _behind(self, shape: Shape) -> Shape | None:
        """Return the shape behind references; None if it is not known, since it is being worked out."""
        seen: set[str] = set()
        found: Shape | None = shape
        while isinstance(found, Ref):
            if found.name in seen:
                return None
            seen.add(found.name)
            found = self._declared(found.name)
        return found

    # --- conditions ---

    def _all(self, parts: Sequence[Shape], place: str) -> Shape:
        telling: list[Shape] = list(dict.fromkeys(each for each in parts if not isinstance(each, Anything)))
        if all(map(self._is_object, telling)) and telling != [AnyObject()]:
            telling = [each for each in telling if not isinstance(each, AnyObject)]
        if len(telling) < 2:
            return telling[0] if telling else parts[0]
        self._depth += 1
        try:
            if self._depth > MOST_NESTED:
                self._catalog.note("lost", place, "only the first of several conditions is kept: they have no end")
                return telling[0]
            if all(map(self._is_object, telling)):
                return self._object(telling, place)
            met = telling[0]
            for each in telling[1:]:
                both = self._both(met, each, place)
                if both is None:
                    message = "no value meets all conditions; only the first of them is kept"
                    self._catalog.note("lost", place, message)
                    return telling[0]
                met = both
            return met
        finally:
            self._depth -= 1

    def _is_object(self, shape: Shape) -> bool:
        """Return whether all values are objects; a declaration that is being worked out is taken for one."""
        behind = self._behind(shape)
        if isinstance(behind, OneOf):
            return all(map(self._is_object, behind.members))
        return behind is None or isinstance(behind, (Object, AnyObject, Map))

    def _alternatives(self, shape: Shape) -> list[Shape]:
        """Return the alternatives of a shape; those of one kind of objects stay together under their name."""
        if self._is_object(shape):
            return [shape]
        behind = self._behind(shape)
        if isinstance(behind, OneOf):
            return list(dict.fromkeys(one for each in behind.members for one in self._alternatives(each)))
        return [] if behind is None else [behind]

    def _both(self, one: Shape, other: Shape, place: str) -> Shape | None:
        """Return what two shapes both accept, None if that is nothing; a name for exactly that is kept."""
        if one == other or isinstance(other, Anything):
            return one
        if isinstance(one, Anything):
            return other
        left, right = self._alternatives(one), self._alternatives(other)
        if Anything() in left or Anything() in right:
            self._catalog.note("lost", place, "only one of several conditions is kept")
            return other if Anything() in left else one
        if len(left) * len(right) > MOST_PAIRS:
            self._catalog.note("lost", place, "only the first of several conditions is kept: they are too many")
            return one
        found = [both for a in left for b in right if (both := self._pair(a, b, place)) is not None]
        met = list(dict.fromkeys(found))
        if not met:
            return None
        for named, members in ((one, left), (other, right)):
            if set(met) == set(members):
                return named
        if len(met) == 1:
            return met[0]
        sides = [each for each in (self._behind(one), self._behind(other)) if isinstance(each, OneOf)]
        by = next((each.by for each in sides if each.by is not None), None)
        return OneOf(tuple(met), by, bool(sides) and all(each.open for each in sides), place)

    def _pair(self, one: Shape, other: Shape, place: str) -> Shape | None:
        """Return what two shapes without alternatives both accept, None if that is nothing."""
        if one == other:
            return one
        if self._is_object(one) and self._is_object(other):
            return self._all([one, other], place)
        match one, other:
            case Literal(), Scalar():
                return one if _fits(one.value, other) else None
            case Scalar(), Literal():
                return other if _fits(other.value, one) else None
            case Scalar(), Scalar():
                return _scalar(one, other)
            case Array(), Array():
                low, high = _joined(one.low, other.low, one.high, other.high)
                return Array(self._or_first(one.item, other.item, place), low, high)
            case Tuple(), Array():
                return Tuple(tuple(self._or_first(each, other.item, place) for each in one.items))
            case Array(), Tuple():
                return Tuple(tuple(self._or_first(one.item, each, place) for each in other.items))
            case Tuple(), Tuple() if len(one.items) == len(other.items):
                pairs = zip(one.items, other.items, strict=True)
                return Tuple(tuple(self._or_first(a, b, place) for a, b in pairs))
        return None

    def _or_first(self, one: Shape, other: Shape, place: str) -> Shape:
        return self._all([one, other], place)

    # --- objects ---

    def _object(self, parts: Sequence[Shape], place: str) -> Shape:
        """Return an object with the members of all parts: of references as bases, of unions as choices."""
        whole = [each for each in parts if isinstance(each, (Object, Map))]
        choices = [choice for each in parts if isinstance(each, Object) for choice in each.choices]
        choices += [each for each in parts if isinstance(each, OneOf)]
        bases = [base for each in parts for base in (each.bases if isinstance(each, Object) else [each])]
        bases = list(dict.fromkeys(base for base in bases if isinstance(base, (Ref, Object))))
        extras = [extra for each in whole if (extra := _extra(each)) is not None]
        members: dict[str, Member] = {}
        for each in whole:
            for member in each.members if isinstance(each, Object) else ():
                self._add(members, self._under(member, [other for other in whole if other is not each], place), place)
        if len(bases) == 1 and not members and not choices and not extras:
            return bases[0]
        self._refine(members, bases, place)
        keys = [each.key for each in whole if isinstance(each, Map)]
        if not members and not bases and not choices and len(keys) == len(whole):
            key = next((key for key in keys if key is not None), None)
            return Map(self._all(extras, place), key)
        if any(key is not None for key in keys):
            self._catalog.note("lost", place, "the keys are not checked")
        return Object(
            tuple(members.values()), tuple(bases), self._all(extras, place) if extras else None, tuple(choices),
            place=place,
        )  # fmt: skip

    def _add(self, members: dict[str, Member], member: Member, place: str) -> None:
        known = members.get(member.name)
        if known is None:
            members[member.name] = member
            return
        shape = self._all([known.shape, member.shape], member.place or place)
        first = known if not known.demanded else member
        both = known.demanded and member.demanded
        members[member.name] = replace(
            first, shape=shape, required=known.required or member.required, demanded=both, doc=known.doc or member.doc,
            on_error=known.on_error or member.on_error,
        )  # fmt: skip

    def _under(self, member: Member, others: Iterable[Object | Map], place: str) -> Member:
        """Return a member with what other conditions say about all keys that they do not list."""
        shape = member.shape
        for other in others:
            extra = _extra(other)
            if extra is not None and member.name not in {each.name for each in getattr(other, "members", ())}:
                shape = self._all([shape, extra], member.place or place)
        return member if shape == member.shape else replace(member, shape=shape, demanded=False)

    def _refine(self, members: dict[str, Member], bases: Sequence[Shape], place: str) -> None:
        """Join members with those of the bases that have the same names."""
        inherited: dict[str, list[Member]] = {}
        for base in bases:
            for name, member in self._members(base, frozenset()).items():
                inherited.setdefault(name, []).append(member)
        for name, known in inherited.items():
            if name not in members and all(each == known[0] for each in known):
                continue
            joined: dict[str, Member] = {}
            for each in (*known, *([members[name]] if name in members else [])):
                self._add(joined, each, place)
            if any(each == joined[name] for each in known) and len(set(known)) == 1:
                members.pop(name, None)
            else:
                members[name] = joined[name]

    def _members(self, shape: Shape, seen: frozenset[str]) -> dict[str, Member]:
        """Return the members of a base and its bases, as far as they are known."""
        if isinstance(shape, Ref):
            if shape.name in seen:
                return {}
            seen |= {shape.name}
        behind = self._behind(shape)
        if not isinstance(behind, Object):
            return {}
        found: dict[str, Member] = {}
        for base in behind.bases:
            found |= self._members(base, seen)
        for member in behind.members:
            known = found.get(member.name)
            found[member.name] = replace(known, required=True) if known and member.demanded else member
        return found


def _extra(shape: Object | Map) -> Shape | None:
    return shape.value if isinstance(shape, Map) else shape.extra


_KINDS = {"boolean": "boolean", "number": "number", "integer": "number"}


def _fits(value: str | float, scalar: Scalar) -> bool:
    """Return whether a constant is one of a scalar's values; the form of a text is not checked."""
    if kind_of(value) != _KINDS.get(scalar.name, "string"):
        return False
    if isinstance(value, float) and scalar.name == "integer" and not value.is_integer():
        return False
    size = len(value) if isinstance(value, str) else value
    return not (scalar.low is not None and size < scalar.low) and not (scalar.high is not None and size > scalar.high)


def _scalar(one: Scalar, other: Scalar) -> Scalar | None:
    if _KINDS.get(one.name, "string") != _KINDS.get(other.name, "string"):
        return None
    name = one.name if one.name not in {"string", "number"} else other.name
    return Scalar(name, *_joined(one.low, other.low, one.high, other.high))


_N = TypeVar("_N", bound=float)


def _joined(low: _N | None, low2: _N | None, high: _N | None, high2: _N | None) -> tuple[_N | None, _N | None]:
    """Return the bounds of what is within both pairs of bounds."""
    lows = [each for each in (low, low2) if each is not None]
    highs = [each for each in (high, high2) if each is not None]
    return max(lows, default=None), min(highs, default=None)
