"""Objects that are alternatives in one place → how the spec language distinguishes them.

The options are, in this order: the values of a member that is a constant in them (a group of several is split again in
the same way); members that one must have and the other does not declare; and, if neither works, merging the
alternatives into one object that accepts everything they accept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from polywire_import.shapes import Member, OneOf, Shape

ABSENT = "absent"
"""Among the claims of a member: the member may be missing."""

Claim: TypeAlias = "tuple[str, object]"
"""The JSON kind of a discriminator's value, and the value."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One of the alternative objects: its members, and the possible values of the constant ones."""

    members: Mapping[str, Member]
    claims: Mapping[str, frozenset[Claim]]
    """By member: the values of a constant; includes ABSENT if the member may be missing."""

    def claim(self, key: str) -> frozenset[Claim] | None:
        """Return the claims on a discriminator; None if the member is present but not a constant."""
        if key not in self.members:
            return frozenset({(ABSENT, None)})
        return self.claims.get(key)

    @property
    def constant(self) -> str | None:
        """The first member's value that is always the same."""
        alone = (value for claims in self.claims.values() if len(claims) == 1 for _, value in claims)
        return next(map(str, alone), None)

    @property
    def required(self) -> frozenset[str]:
        return frozenset(name for name, member in self.members.items() if member.required)


@dataclass(frozen=True, slots=True)
class Switch:
    """Alternatives distinguished by a member's value; each case has its claims and the indices of its leaves."""

    key: str
    cases: tuple[tuple[frozenset[Claim], tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class ByKeys:
    """Alternatives distinguished by which members are present: what each group of leaves has and lacks."""

    cases: tuple[tuple[tuple[int, ...], tuple[str, ...], tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """Alternatives that are not distinguished."""


Decision: TypeAlias = "Switch | ByKeys | Merged"


def tell_apart(leaves: Sequence[Leaf], by: str | None = None, but: frozenset[str] = frozenset()) -> Decision:
    """Return how two or more leaves are distinguished; `by` is named by the source, `but` was used already."""
    return _switch(leaves, by, but) or _by_keys(leaves)


def _switch(leaves: Sequence[Leaf], by: str | None, but: frozenset[str]) -> Switch | None:
    keys = dict.fromkeys(key for leaf in leaves for key in leaf.claims if key not in but)
    best: tuple[tuple[int, ...], Switch] | None = None
    for order, key in enumerate(keys):
        found = _cases(leaves, key)
        if found is None:
            continue
        missing = sum(key not in leaf.members for leaf in leaves)
        apart = sum(_most_cases([leaves[n] for n in group], but | {key}) for _, group in found)
        score = (-1 if key == by else 0, -apart, -len(found), missing * len(keys) + order)
        if best is None or score < best[0]:
            best = score, Switch(key, found)
    return best[1] if best else None


def _most_cases(leaves: Sequence[Leaf], but: frozenset[str]) -> int:
    """Return how many groups of some leaves the values of one member can distinguish."""
    keys = dict.fromkeys(key for leaf in leaves for key in leaf.claims if key not in but)
    return max((len(found) for key in keys if (found := _cases(leaves, key)) is not None), default=1)


def _cases(leaves: Sequence[Leaf], key: str) -> tuple[tuple[frozenset[Claim], tuple[int, ...]], ...] | None:
    """Group the leaves by disjoint claims; return None if the member's value cannot distinguish any two."""
    owner: dict[Claim, int] = {}
    groups: dict[int, tuple[set[Claim], list[int]]] = {}
    kinds: set[str] = set()
    for number, leaf in enumerate(leaves):
        claims = leaf.claim(key)
        if claims is None:
            return None
        kinds |= {kind for kind, _ in claims}
        joined, members = set(claims), [number]
        for group in {owner[claim] for claim in claims if claim in owner}:
            more, others = groups.pop(group)
            joined |= more
            members = [*others, *members]
        groups[number] = joined, members
        owner.update(dict.fromkeys(joined, number))
    if len(groups) < 2 or len(kinds - {ABSENT}) != 1:
        return None
    ordered = sorted(groups.values(), key=lambda group: min(group[1]))
    return tuple((frozenset(claims), tuple(sorted(members))) for claims, members in ordered)


def _by_keys(leaves: Sequence[Leaf]) -> ByKeys | Merged:
    required = [leaf.required for leaf in leaves]
    declared = [frozenset(leaf.members) for leaf in leaves]
    group = list(range(len(leaves)))
    for second in range(len(leaves)):
        for first in range(second):
            if not (required[first] - declared[second] or required[second] - declared[first]):
                old, new = group[second], group[first]
                group = [new if each == old else each for each in group]
    together = [tuple(n for n, g in enumerate(group) if g == each) for each in dict.fromkeys(group)]
    if len(together) == 1:
        return Merged()
    has: list[dict[str, None]] = [{} for _ in together]
    lacks: list[dict[str, None]] = [{} for _ in together]
    for second, theirs in enumerate(together):
        for first, ours in enumerate(together[:second]):
            mine, yours = _telling(leaves, ours, theirs), _telling(leaves, theirs, ours)
            if mine is not None:
                has[first][mine] = lacks[second][mine] = None
                if yours is not None:
                    has[second][yours] = None
            elif yours is not None:
                has[second][yours] = lacks[first][yours] = None
            else:
                return Merged()
    return ByKeys(tuple((g, tuple(h), tuple(m)) for g, h, m in zip(together, has, lacks, strict=True)))


def _telling(leaves: Sequence[Leaf], ours: Iterable[int], theirs: Iterable[int]) -> str | None:
    """Return a member that all of ours must have and that none of theirs declares."""
    others = frozenset[str]().union(*(leaves[n].members for n in theirs))
    mine = list(ours)
    common = frozenset.intersection(*(leaves[n].required for n in mine))
    return next((key for key in leaves[mine[0]].members if key in common and key not in others), None)


# --- merging ---------------------------------------------------------------------------------------------------


def merged(leaves: Sequence[Leaf], place: str) -> tuple[Member, ...]:
    """Return the members of an object that accepts everything the leaves accept."""
    members = []
    for key in dict.fromkeys(key for leaf in leaves for key in leaf.members):
        each = [leaf.members[key] for leaf in leaves if key in leaf.members]
        shapes = tuple(dict.fromkeys(member.shape for member in each))
        shape: Shape = shapes[0] if len(shapes) == 1 else OneOf(shapes, place=f"{place}/{key}")
        required = len(each) == len(leaves) and all(member.required for member in each)
        members.append(replace(each[0], shape=shape, required=required))
    return tuple(members)


def subsumed(leaves: Sequence[Leaf]) -> Iterator[tuple[int, int]]:
    """Yield pairs of a leaf and another that accepts everything it accepts, member by member."""
    for small, leaf in enumerate(leaves):
        for large, other in enumerate(leaves):
            if small != large and _takes(other, leaf) and not (small < large and _takes(leaf, other)):
                yield small, large


def _takes(large: Leaf, small: Leaf) -> bool:
    if not small.members.keys() <= large.members.keys():
        return False
    shared = all(
        large.members[key].shape == member.shape and (member.required or not large.members[key].required)
        for key, member in small.members.items()
    )
    return shared and all(key in small.members for key in large.required)
