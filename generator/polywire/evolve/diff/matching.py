"""Two models → the correspondence of their declarations and fields, and whether two types mean the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import repeat

from polywire.ground.json_values import equal
from polywire.model.nodes import Field, Model, Struct
from polywire.model.walk import without_alias
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type

_TEXTS = frozenset({"string", "uuid", "timestamp"})
SAME: frozenset[str] = frozenset()
OTHER = frozenset({"type"})


class Matching:
    """The correspondence of two models. Declarations are matched by name, or by a former name."""

    def __init__(self, before: Model, after: Model) -> None:
        self.before = before
        self.after = after
        self.peers = dict(_renamed_peers(before.protocol.peers, after.protocol.peers))
        """Renamed peers: the name in the first model → the name in the second."""
        self.controls = dict(_renamed_controls(before, after))
        """Renamed controls: the name in the first model → the name in the second."""
        self._counterparts: dict[str, str] = {}
        for one, other in _counterparts(before, after):
            if one not in self._counterparts and other not in self._counterparts.values():
                self._counterparts[one] = other

    def counterpart(self, name: str) -> str | None:
        """Return the second model's name of a declaration in the first."""
        return self._counterparts.get(name)

    def origin(self, name: str | None) -> str | None:
        """Return the second model's name for a `from` of the first."""
        return self.peers.get(name or "", name)

    # --- types ---

    def aspects(self, before: Type, after: Type) -> frozenset[str]:
        """Return the rules by which two types differ; none if all values of one are values of the other."""
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
        """Compare the members regardless of their order, since values are distinguished by their JSON kind."""
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
        """Return the current and former keys of a field."""
        renamed = (model.renamed.get(name, {}) for name in line(struct, model))
        had = {old for fields in renamed for old, now in fields.items() if now == field.name}
        return frozenset({field.name, *had, *([field.about.formerly] if field.about.formerly else [])})


def _counterparts(before: Model, after: Model) -> Iterator[tuple[str, str]]:
    """Yield possible pairs of declarations, most certain first."""
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
    """Yield pairs of controls that only one side has, of which one declares the other as its former or later name."""
    old, new = ({control.key: control.about for control in model.controls} for model in (before, after))
    for key, about in new.items():
        yield from ((one, key) for one in old if one not in new and key not in old and one == about.formerly)
    for key, about in old.items():
        others = (about.later, about.formerly)
        yield from ((key, one) for one in new if one not in old and key not in new and one in others)


def _renamed_peers(before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Match renamed peers by position: peers have nothing else but their name."""
    if len(before) == len(after):
        yield from (
            (old, new) for old, new in zip(before, after, strict=True) if old not in after and new not in before
        )


def line(struct: Struct, model: Model) -> Iterator[str]:
    """Yield a struct and the mixins that its fields come from."""
    yield struct.name
    for name in struct.include:
        mixin = model.declarations.get(name)
        if isinstance(mixin, Struct):
            yield from line(mixin, model)


def _members(type_: Type, model: Model) -> Iterator[Type]:
    """Yield the members of an inline union, including those of aliases in it, or any other type itself."""
    plain = without_alias(type_, model.declarations)
    if isinstance(plain, Choice):
        for member in plain.members:
            yield from _members(member, model)
    else:
        yield type_


def renamed_keys(
    before: Mapping[str, frozenset[str]], after: Mapping[str, frozenset[str]]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of keys that name the same field, given the keys that only one side has and all their names."""
    left = dict(after)
    for key, names in before.items():
        found = next((other for other, others in left.items() if names & others), None)
        if found is not None:
            del left[found]
            yield key, found
