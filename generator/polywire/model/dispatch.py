"""Unions as written → decisions, with the proof that no object matches two variants.

A struct *claims* values of a key: those of its tag, a pattern of unknown values (`others`), or the absence of the key.
A union by that key maps each claimed value to the one variant that claims it. A variant that is a union by another key
claims what its structs claim, and contributes its own decision, restricted to those structs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum as PythonEnum
from functools import cached_property
from itertools import combinations
from typing import Final, TypeAlias, TypeVar

from polywire.ground.location import SourceLocation
from polywire.model.nodes import About, Dispatch, Enum, Example, Keys, Leaf, Struct, Switch, TagKind, Variant
from polywire.model.structs import AbsentTag
from polywire.source.report import Faults

BY_KEYS = "keys"
MAX_NESTING = 40
"""The maximum nesting depth of unions; each is a level of the decision."""


_D = TypeVar("_D", Switch, Keys)
_V = TypeVar("_V")


class _Absence(PythonEnum):
    ABSENT = "absent"


ABSENT: Final = _Absence.ABSENT


@dataclass(frozen=True, slots=True)
class Glob:
    """Unknown values that match a pattern."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """Values with this prefix that no sibling lists."""

    text: str


Claim: TypeAlias = "str | bool | int | Glob | Prefix | _Absence"


@dataclass(frozen=True, slots=True)
class WrittenUnion:
    """A union before its decision is computed."""

    name: str
    open: bool
    by: str
    variants: tuple[Variant, ...]
    unknown: str
    about: About
    place: SourceLocation
    examples: tuple[Example, ...] = ()
    views: tuple[str, ...] = ()


class Dispatcher:
    """Computes the decision of each union once."""

    def __init__(
        self,
        unions: Mapping[str, WrittenUnion],
        structs: Mapping[str, Struct],
        enums: Mapping[str, Enum],
        faults: Faults,
    ) -> None:
        self._unions = unions
        self._structs = structs
        self._enums = enums
        self._faults = faults
        self._decisions: dict[str, Switch | Keys] = {}
        self._entries: dict[str, tuple[Variant, ...]] = {}
        self._leaves: dict[str, tuple[str, ...]] = {}
        self._places: dict[str, dict[str, SourceLocation]] = {}
        self._reached: dict[str, frozenset[str]] = {}
        self._claims: dict[tuple[str, str], tuple[Claim, ...]] = {}
        self._reported: set[tuple[str, str, str]] = set()
        self._sound = _without_cycles(unions, faults)

    def all(self) -> dict[str, Switch | Keys]:
        """The decisions of all unions, computed smallest first, to report a fault at the innermost union."""
        for name in sorted(self._unions, key=lambda n: len(self.structs_of(n))):
            self.of(name)
        return {name: self._decisions[name] for name in self._unions}

    def of(self, name: str) -> Switch | Keys:
        """The decision of a union."""
        if name not in self._decisions:
            union = self._unions[name]
            self._decisions[name] = self._keys(union) if union.by == BY_KEYS else self._switch(union)
        return self._decisions[name]

    # --- the structure of unions ---

    def _variants(self, union: WrittenUnion) -> tuple[Variant, ...]:
        """The variants that can be followed, without those that lead into a cycle."""
        return tuple(v for v in union.variants if (union.name, v.name) in self._sound)

    def _flat(self, name: str) -> tuple[Variant, ...]:
        """The variants without duplicates; unions by the same key are merged, nested variants are dropped."""
        if name not in self._entries:
            union = self._unions[name]
            found: dict[str, Variant] = {}
            for variant in self._variants(union):
                inner = self._unions.get(variant.name)
                merged = inner is not None and inner.by == union.by and not _conditional(variant)
                for entry in self._flat(variant.name) if merged else (variant,):
                    found.setdefault(entry.name, entry)
            absorbed = {n for entry in found for n in self._inside(entry)}
            self._entries[name] = tuple(v for n, v in found.items() if n not in absorbed)
        return self._entries[name]

    def _inside(self, name: str) -> frozenset[str]:
        """Everything that a nested union can reach; empty for a struct."""
        if name not in self._unions:
            return frozenset()
        if name not in self._reached:
            direct = [v.name for v in self._variants(self._unions[name])]
            self._reached[name] = frozenset(direct).union(*(self._inside(n) for n in direct))
        return self._reached[name]

    def structs_of(self, name: str) -> tuple[str, ...]:
        """The structs that a value of the declaration can be."""
        if name not in self._unions:
            return (name,)
        if name not in self._leaves:
            found = (s for v in self._variants(self._unions[name]) for s in self.structs_of(v.name))
            self._leaves[name] = tuple(dict.fromkeys(found))
        return self._leaves[name]

    # --- by a discriminator ---

    def _claimed(self, struct: str, key: str) -> tuple[Claim, ...]:
        """The values of a key that a struct claims, in declared order."""
        if (struct, key) not in self._claims:
            self._claims[struct, key] = tuple(self._claim(self._structs[struct], key))
        return self._claims[struct, key]

    def _claim(self, struct: Struct, key: str) -> Iterator[Claim]:
        tag = struct.tag(key)
        if tag is None:
            self._prove_absence(struct, key)
            yield ABSENT
            return
        if tag.constant is not None:
            yield tag.constant
        yield from tag.values
        if tag.enum is not None:
            yield from (value.wire for value in self._enums[tag.enum].values)
        if tag.prefix is not None:
            yield Prefix(tag.prefix)
        if tag.others is not None:
            yield Glob(tag.others)
        if tag.optional:
            yield ABSENT

    def _prove_absence(self, struct: Struct, key: str) -> None:
        """Report a variant without a tag that does not state so: a forgotten tag must not match other objects."""
        stated = key in struct.untagged or any(const.key == key for const in struct.consts)
        if not stated and struct.section != "controls":
            message = f"{struct.name} is a variant of a union by `{key}`, and states nothing about `{key}`"
            hint = f"write `tag: {{{key}: VALUE}}`, or `tag: {{{key}: null}}` if it matches objects without `{key}`"
            self._faults.add("bad-tag", struct.place, message, hint)

    def _switch(self, union: WrittenUnion) -> Switch:
        claimants: dict[tuple[type, Claim], dict[str, Variant]] = {}
        for entry in self._flat(union.name):
            for struct in self.structs_of(entry.name):
                for claim in self._claimed(struct, union.by):
                    claimants.setdefault((type(claim), claim), {})[entry.name] = entry
        self._prove(union, claimants)
        first = {claim: next(iter(entries)) for (_, claim), entries in _of_one_kind(claimants).items()}
        cases = [(c, self._narrow(n, union.by, c)) for c, n in first.items() if isinstance(c, (str, int))]
        prefixes = [(c.text, self._narrow(n, union.by, c)) for c, n in first.items() if isinstance(c, Prefix)]
        return Switch(
            union=union.name,
            key=union.by,
            cases=tuple(cases),
            others=tuple((c.pattern, n) for c, n in first.items() if isinstance(c, Glob) and n in self._structs),
            absent=self._narrow(first[ABSENT], union.by, ABSENT) if ABSENT in first else None,
            prefixes=tuple(sorted(prefixes, key=lambda each: -len(each[0]))),
            base=_kind([claim for _, claim in claimants if claim is not ABSENT]),
        )

    def _narrow(self, name: str, key: str, claim: Claim) -> Dispatch:
        """The decision of a variant, restricted to the structs that make the claim."""
        decision = self._decision(name)
        return _cut(decision, lambda struct: claim in self._same(struct, key, claim)) or decision

    def _same(self, struct: str, key: str, claim: Claim) -> tuple[Claim, ...]:
        return tuple(c for c in self._claimed(struct, key) if type(c) is type(claim))

    def _decision(self, name: str) -> Dispatch:
        return self.of(name) if name in self._unions else Leaf(name)

    # --- the proof ---

    def _prove(self, union: WrittenUnion, claimants: Mapping[tuple[type, Claim], Mapping[str, Variant]]) -> None:
        both: dict[tuple[str, str], list[Claim]] = {}
        for (_, claim), entries in claimants.items():
            first, *others = entries
            for other in others:
                both.setdefault((first, other), []).append(claim)
        for (first, second), claims in both.items():
            if (first, second, union.by) not in self._reported:
                self._reported.add((first, second, union.by))
                self._ambiguous(union, first, second, claims)
        self._prove_globs(union, claimants)
        self._prove_kinds(union, [claim for _, claim in claimants])
        self._prove_constants(union)

    def _ambiguous(self, union: WrittenUnion, first: str, second: str, claims: Sequence[Claim]) -> None:
        values = [f"`{_shown(c)}`" for c in claims if isinstance(c, (str, int))]
        values += [f"any string that starts with `{c.text}`" for c in claims if isinstance(c, Prefix)]
        globs = [f"unknown values like `{c.pattern}`" for c in claims if isinstance(c, Glob)]
        absent = ["absent"] if ABSENT in claims else []
        what = ", ".join([*values[:5], *globs, *absent])
        hint = (
            f"add `{union.by}` to the tag of one of them"
            if absent
            else "move them to a union with another discriminator"
        )
        place = self._place_of(union, second)
        message = f"in {union.name}, {first} and {second} both match `{union.by}` = {what}"
        self._faults.add("ambiguous-union", place, message, hint)

    def _prove_globs(self, union: WrittenUnion, claimants: Mapping[tuple[type, Claim], Mapping[str, Variant]]) -> None:
        globs = [(c.pattern, n) for (_, c), names in claimants.items() if isinstance(c, Glob) for n in names]
        for (p, a), (q, b) in combinations(dict.fromkeys(globs), 2):
            if a != b and p != q and overlap(p, q):
                place = self._place_of(union, b)
                message = f"in {union.name}, unknown values can match both `{p}` of {a} and `{q}` of {b}"
                self._faults.add("ambiguous-union", place, message, "make the patterns mutually exclusive")
        for pattern, name in globs:
            if name in self._unions:
                message = f"`{pattern}` inside {name} cannot match unknown values of `{union.by}` for {union.name}"
                self._faults.add("bad-tag", self._place_of(union, name), message)

    def _prove_kinds(self, union: WrittenUnion, claims: Iterable[Claim]) -> None:
        kinds = sorted({_KIND_WORDS[_kind([c])] for c in claims if c is not ABSENT and not isinstance(c, Glob)})
        if len(kinds) > 1:
            message = f"`{union.by}` is {kinds[0]} in some variants of {union.name} and {kinds[1]} in others"
            self._faults.add("bad-tag", union.place, message)

    def _prove_constants(self, union: WrittenUnion) -> None:
        for name in self.structs_of(union.name):
            for const in self._structs[name].consts:
                if const.key == union.by:
                    message = f"`{const.key}` is the discriminator of {union.name}, and a constant of {name}"
                    self._faults.add("bad-tag", const.place, message, "write it under `tag`")

    def _place_of(self, union: WrittenUnion, entry: str) -> SourceLocation:
        """Where the entry is named as a variant, in the union itself or in one merged into it."""
        if union.name not in self._places:
            self._places[union.name] = {variant.name: variant.place for variant in self._flat(union.name)}
        return self._places[union.name].get(entry, union.place)

    # --- by keys ---

    def _keys(self, union: WrittenUnion) -> Keys:
        entries = self._flat(union.name)
        for entry in entries:
            self._prove_condition(union, entry)
        self._prove_lacks(union, entries)
        for first, second in _overlapping([entry for entry in entries if _conditional(entry)]):
            message = f"in {union.name}, an object can match both {first.name} and {second.name}"
            self._faults.add("ambiguous-union", second.place, message, "add a key that only one of them has")
        return Keys(union.name, tuple((entry, self._decision(entry.name)) for entry in entries))

    def _prove_condition(self, union: WrittenUnion, entry: Variant) -> None:
        place = entry.place
        if not _conditional(entry):
            message = f"{entry.name} in {union.name} has no condition"
            self._faults.add("ambiguous-union", place, message, "write `{name: …, when: {has: […], lacks: […]}}`")
        for key in sorted(set(entry.has) & set(entry.lacks)):
            self._faults.add("ambiguous-union", place, f"{entry.name} requires `{key}` to be both present and absent")
        for key, hint in self._undeclared(entry.name)(entry.has):
            message = f"{entry.name} is selected by `{key}`, which it does not declare"
            self._faults.add("unknown-name", place, message, hint)

    def _prove_lacks(self, union: WrittenUnion, entries: Sequence[Variant]) -> None:
        """Report keys under `lacks` that no variant declares, here or in an enclosing union."""
        lacked = [(entry, tuple(key for key in entry.lacks if key not in entry.has)) for entry in entries]
        if not any(keys for _, keys in lacked):
            return
        undeclared = self._undeclared(union.name, *self._enclosing.get(union.name, ()))
        for entry, keys in lacked:
            for key, hint in undeclared(keys):
                message = (
                    f"{entry.name} is selected by the absence of `{key}`, which no variant of {union.name} declares"
                )
                self._faults.add("unknown-name", entry.place, message, hint)

    def _undeclared(self, *names: str) -> Callable[[Iterable[str]], list[tuple[str, str | None]]]:
        """A function that returns the keys that no struct of the declarations has, with hints.

        It returns none if a struct accepts undeclared keys.
        """
        structs = [self._structs[struct] for name in names for struct in self.structs_of(name)]
        known = {key for struct in structs for key in _members(struct)}
        is_loose = any(map(_is_loose, structs))
        return lambda keys: [(key, self._faults.near(key, known)) for key in keys if not is_loose and key not in known]

    @cached_property
    def _enclosing(self) -> Mapping[str, list[str]]:
        """For each nested declaration, the unions that contain it."""
        found: dict[str, list[str]] = {}
        for name in self._unions:
            for inner in self._inside(name):
                found.setdefault(inner, []).append(name)
        return found


def _members(struct: Struct) -> Iterator[str]:
    yield from (tag.key for tag in struct.tags)
    yield from (const.key for const in struct.consts)
    yield from (field.name for field in struct.fields)


def _is_loose(struct: Struct) -> bool:
    """Whether it accepts keys that it does not declare itself."""
    return struct.extra is not None or any(field.flatten for field in struct.fields)


def _conditional(variant: Variant) -> bool:
    return bool(variant.has or variant.lacks)


def _overlapping(entries: Sequence[Variant]) -> Iterator[tuple[Variant, Variant]]:
    """Each variant whose condition can hold together with that of an earlier one, after the first of these.

    Sets of variants are integers with a bit for each, because thousands of variants have millions of pairs.
    """
    having: dict[str, int] = {}
    lacking: dict[str, int] = {}
    for at, entry in enumerate(entries):
        excluded = 0
        for own, opposite, keys in ((having, lacking, entry.has), (lacking, having, entry.lacks)):
            for key in keys:
                excluded |= opposite.get(key, 0)
                own[key] = own.get(key, 0) | 1 << at
        others = ~excluded & ((1 << at) - 1)
        if others:
            yield entries[(others & -others).bit_length() - 1], entry


_KIND_WORDS: Final[Mapping[TagKind, str]] = {"boolean": "a boolean", "integer": "an integer", "string": "a text"}


def _kind(claims: Sequence[Claim]) -> TagKind:
    """The built-in type of a discriminator, taken from the first of its claims."""
    first = next((claim for claim in claims if not isinstance(claim, Glob)), None)
    if isinstance(first, bool):
        return "boolean"
    return "integer" if isinstance(first, int) else "string"


_K = TypeVar("_K", bound="tuple[type, Claim]")


def _of_one_kind(claimants: Mapping[_K, _V]) -> Mapping[_K, _V]:
    """The claims of the same JSON kind as the first; the others are reported separately."""
    kind = _kind([claim for _, claim in claimants if claim is not ABSENT])
    return {k: v for k, v in claimants.items() if k[1] is ABSENT or isinstance(k[1], Glob) or _kind([k[1]]) == kind}


def _shown(claim: Claim) -> str:
    return str(claim).lower() if isinstance(claim, bool) else str(claim)


def overlap(first: str, second: str) -> bool:
    """Whether some text matches both patterns, in which `*` stands for any text."""
    reachable = {0}
    for char in first:
        reachable = _past(char, _past_stars(reachable, second), second)
    return len(second) in _past_stars(reachable, second)


def _past_stars(positions: set[int], pattern: str) -> set[int]:
    found = set(positions)
    for position in positions:
        at = position
        while at < len(pattern) and pattern[at] == "*":
            at += 1
            found.add(at)
    return found


def _past(char: str, positions: set[int], pattern: str) -> set[int]:
    """Positions in `pattern` after a text that matches `char`."""
    if char == "*":
        return set(range(min(positions), len(pattern) + 1)) if positions else set()
    found = {p + 1 for p in positions if p < len(pattern) and pattern[p] == char}
    return found | {p for p in positions if p < len(pattern) and pattern[p] == "*"}


# --- restricting decisions -------------------------------------------------------------------------------------


def _cut(decision: Dispatch, keep: Callable[[str], bool]) -> Dispatch | None:
    """The decision restricted to some structs; the same object if all are kept, None if none is."""
    match decision:
        case Leaf():
            return decision if keep(decision.struct) else None
        case Switch():
            return _cut_switch(decision, keep)
        case Keys():
            keys = tuple((v, c) for v, d in decision.cases if (c := _cut(d, keep)) is not None)
            return _same_or(decision, replace(decision, cases=keys), empty=not keys)


def _cut_switch(decision: Switch, keep: Callable[[str], bool]) -> Switch | None:
    cases = tuple((v, c) for v, d in decision.cases if (c := _cut(d, keep)) is not None)
    prefixes = tuple((v, c) for v, d in decision.prefixes if (c := _cut(d, keep)) is not None)
    others = tuple((glob, struct) for glob, struct in decision.others if keep(struct))
    absent = None if decision.absent is None else _cut(decision.absent, keep)
    cut = replace(decision, cases=cases, prefixes=prefixes, others=others, absent=absent)
    return _same_or(decision, cut, empty=not cut.ways and not others and absent is None)


def _same_or(old: _D, new: _D, *, empty: bool) -> _D | None:
    if empty:
        return None
    return old if new == old else new


# --- facts about structs ---------------------------------------------------------------------------------------


def absent_tags(
    decisions: Mapping[str, Switch | Keys], structs: Mapping[str, Struct]
) -> dict[str, dict[str, AbsentTag]]:
    """For each struct that is selected by an absent discriminator not in its tag: the values that siblings claim."""
    found: dict[str, dict[str, AbsentTag]] = {}
    for name, decision in decisions.items():
        for switch in _switches(decision):
            claimed, prefixes = tuple(v for v, _ in switch.cases), tuple(p for p, _ in switch.prefixes)
            for struct in _leaves(switch.absent) if switch.absent and (claimed or prefixes) else ():
                if switch.key not in _identity(structs[struct]):
                    keys = found.setdefault(struct, {})
                    before = keys.get(switch.key, AbsentTag(name, (), (), switch.base))
                    values = tuple(dict.fromkeys((*before.claimed, *claimed)))
                    keys[switch.key] = replace(
                        before, union=name, claimed=values, prefixes=tuple(dict.fromkeys((*before.prefixes, *prefixes)))
                    )
    return found


def _identity(struct: Struct) -> set[str]:
    return {tag.key for tag in struct.tags} | {const.key for const in struct.consts}


def tag_order(decisions: Iterable[Switch | Keys]) -> dict[str, tuple[str, ...]]:
    """For each struct, the discriminators on the longest path to it, outermost first."""
    longest: dict[str, tuple[str, ...]] = {}
    for decision in decisions:
        for struct, way in _ways(decision, ()):
            if len(way) > len(longest.get(struct, ())):
                longest[struct] = way
    return longest


def _ways(decision: Dispatch, way: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    match decision:
        case Leaf():
            yield decision.struct, way
        case Switch():
            for inner in decision.ways:
                yield from _ways(inner, (*way, decision.key))
            if decision.absent is not None:
                yield from _ways(decision.absent, (*way, decision.key))
        case Keys():
            for _, inner in decision.cases:
                yield from _ways(inner, way)


def _switches(decision: Dispatch) -> Iterator[Switch]:
    if isinstance(decision, Leaf):
        return
    if isinstance(decision, Switch):
        yield decision
    for then in decision.thens:
        yield from _switches(then)


def _leaves(decision: Dispatch) -> Iterator[str]:
    yield from (struct for struct, _ in _ways(decision, ()))


# --- cycles ----------------------------------------------------------------------------------------------------


def _without_cycles(unions: Mapping[str, WrittenUnion], faults: Faults) -> set[tuple[str, str]]:
    """The steps from a union to a variant that lead into no cycle and do not exceed the maximum nesting depth."""
    sound: set[tuple[str, str]] = set()
    height: dict[str, int] = {}
    way: list[str] = []

    def visit(name: str) -> int:
        if name not in height:
            way.append(name)
            height[name] = 1 + max((step(name, v) for v in unions[name].variants), default=0)
            way.pop()
        return height[name]

    def step(name: str, variant: Variant) -> int:
        if variant.name in way:
            round_ = " → ".join([*way[way.index(variant.name) :], variant.name])
            faults.add("union-cycle", variant.place, f"`{variant.name}` is a variant of itself: {round_}")
            return 0
        if variant.name in unions and len(way) >= MAX_NESTING:
            faults.add("union-cycle", variant.place, f"unions are nested more than {MAX_NESTING} levels deep")
            return 0
        sound.add((name, variant.name))
        return visit(variant.name) if variant.name in unions else 0

    for name in unions:
        visit(name)
    return sound
