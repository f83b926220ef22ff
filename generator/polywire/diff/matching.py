"""Two models → which declarations and fields of them answer to each other, and whether two types mean the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import repeat

from polywire.engine import equal
from polywire.model.nodes import Array, Choice, Field, LiteralType, Map, Model, Ref, Scalar, Struct, TupleType, Type
from polywire.model.walk import without_alias

_TEXTS = frozenset({"string", "uuid", "timestamp"})
SAME: frozenset[str] = frozenset()
OTHER = frozenset({"type"})


class Matching:
    """What of one model is what of the other. Declarations answer to each other by name, or by a name they had."""

    def __init__(self, before: Model, after: Model) -> None:
        self.before = before
        self.after = after
        self.peers = dict(_renamed_peers(before.protocol.peers, after.protocol.peers))
        """What peers of the first model are called in the second, if otherwise."""
        self.controls = dict(_renamed_controls(before, after))
        """What controls of the first model are called in the second, if otherwise."""
        self._counterparts: dict[str, str] = {}
        for one, other in _counterparts(before, after):
            if one not in self._counterparts and other not in self._counterparts.values():
                self._counterparts[one] = other

    def counterpart(self, name: str) -> str | None:
        """What is called so in the first model, as the second calls it."""
        return self._counterparts.get(name)

    def origin(self, name: str | None) -> str | None:
        """A `from` of the first model, as the second says it."""
        return self.peers.get(name or "", name)

    # --- types ---

    def aspects(self, before: Type, after: Type) -> frozenset[str]:
        """The rules by which two types differ; none if all values of one are values of the other."""
        return self._aspects(before, after, frozenset())

    def _aspects(self, before: Type, after: Type, seen: frozenset[tuple[Type, Type]]) -> frozenset[str]:
        if (before, after) in seen:
            return SAME
        seen |= {(before, after)}
        match before, after:
            case Ref(), Ref() if self.counterpart(before.name) == after.name:
                return SAME
            case Scalar(), Scalar():
                same_but_form = {before.kind, after.kind} <= _TEXTS
                if before.kind == after.kind and before != after:
                    return frozenset({"bounds"})
                return SAME if before == after else frozenset({"format"}) if same_but_form else OTHER
            case Array(), Array():
                bounds = SAME if (before.low, before.high) == (after.low, after.high) else frozenset({"bounds"})
                return bounds | self._aspects(before.item, after.item, seen)
            case LiteralType(), LiteralType():
                return SAME if equal(before.value, after.value) else OTHER
            case TupleType(), TupleType() if len(before.items) == len(after.items):
                return frozenset().union(*map(self._aspects, before.items, after.items, repeat(seen)))
            case Map(), Map():
                keys = SAME if self._same_name(before.key, after.key) else OTHER
                return keys | self._aspects(before.value, after.value, seen)
        plain = without_alias(before, self.before.declarations), without_alias(after, self.after.declarations)
        if plain != (before, after):
            return self._aspects(*plain, seen)
        if isinstance(before, Choice) or isinstance(after, Choice):
            return self._aspects_of_choices([*_members(before, self.before)], [*_members(after, self.after)], seen)
        return OTHER

    def _aspects_of_choices(
        self, before: list[Type], after: list[Type], seen: frozenset[tuple[Type, Type]]
    ) -> frozenset[str]:
        """Members are told apart by their JSON kind, so their order means nothing."""
        if len(before) != len(after):
            return OTHER
        for member in [*before]:
            like = next((each for each in after if not self._aspects(member, each, seen)), None)
            if like is not None:
                before.remove(member)
                after.remove(like)
        return SAME.union(*(self._aspects(*pair, seen) for pair in zip(before, after, strict=True)))

    def _same_name(self, before: str | None, after: str | None) -> bool:
        return before == after if before is None or after is None else self.counterpart(before) == after

    # --- fields ---

    def names_of(self, model: Model, struct: Struct, field: Field) -> frozenset[str]:
        """The keys that a field of a struct has, or once had."""
        renamed = (model.renamed.get(name, {}) for name in line(struct, model))
        had = {old for fields in renamed for old, now in fields.items() if now == field.name}
        return frozenset({field.name, *had, *([field.about.formerly] if field.about.formerly else [])})


def _counterparts(before: Model, after: Model) -> Iterator[tuple[str, str]]:
    """What may answer to each other, the surest first."""
    for name, declared in before.declarations.items():
        if declared.about.later in after.declarations:
            yield name, str(declared.about.later)
    yield from ((name, name) for name in before.declarations if name in after.declarations)
    requests = {control.key: control.request for control in after.controls}
    called = dict(_renamed_controls(before, after))
    keys = ((c.request, called.get(c.key, c.key)) for c in before.controls)
    yield from ((request, requests[key]) for request, key in keys if key in requests)
    for name, declared in after.declarations.items():
        if declared.about.formerly in before.declarations:
            yield str(declared.about.formerly), name
    for name, declared in before.declarations.items():
        if declared.about.formerly in after.declarations:
            yield name, str(declared.about.formerly)


def _renamed_controls(before: Model, after: Model) -> Iterator[tuple[str, str]]:
    """Controls that only one side has, of which one says that it was or will be the other."""
    old, new = ({control.key: control.about for control in model.controls} for model in (before, after))
    for key, about in new.items():
        yield from ((one, key) for one in old if one not in new and key not in old and one == about.formerly)
    for key, about in old.items():
        others = (about.later, about.formerly)
        yield from ((key, one) for one in new if one not in old and key not in new and one in others)


def _renamed_peers(before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Peers have nothing but a name and a place among the others: one that is gone is the new one at its place."""
    if len(before) == len(after):
        yield from (
            (old, new) for old, new in zip(before, after, strict=True) if old not in after and new not in before
        )


def line(struct: Struct, model: Model) -> Iterator[str]:
    """A struct and the mixins that its fields are from."""
    yield struct.name
    for name in struct.include:
        mixin = model.declarations.get(name)
        if isinstance(mixin, Struct):
            yield from line(mixin, model)


def _members(type_: Type, model: Model) -> Iterator[Type]:
    """The members of an inline union, those of aliases in it included; another type is the only one."""
    plain = without_alias(type_, model.declarations)
    if isinstance(plain, Choice):
        for member in plain.members:
            yield from _members(member, model)
    else:
        yield type_


def renamed_keys(
    before: Mapping[str, frozenset[str]], after: Mapping[str, frozenset[str]]
) -> Iterator[tuple[str, str]]:
    """Of keys that only one side has, with all names each had: those that are one field under two names."""
    left = dict(after)
    for key, names in before.items():
        found = next((other for other, others in left.items() if names & others), None)
        if found is not None:
            del left[found]
            yield key, found
