"""Two models → what constructors and envelopes put by themselves, where it is not what they put before.

A program that gives the same compiles as it did, and what it writes is read as it was; but it says something else. A
language is concerned as far as its package shows the constructor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from polywire.breaking.records import Before, Finding, Packages
from polywire.breaking.rules import RULES
from polywire.diff.matching import Matching
from polywire.diff.members import paired
from polywire.engine import dumps, pointer
from polywire.model.nodes import (
    NOWHERE,
    Array,
    Constructor,
    Envelope,
    Field,
    Json,
    Map,
    Model,
    Scalar,
    SourceLocation,
    Struct,
)
from polywire.model.walk import struct_with, without_alias
from polywire.targets.api_surface import ApiItem, Way

Pointer: TypeAlias = "tuple[str, ...]"

NOTHING = "nothing"


def default_changes(matching: Matching, packages: Packages) -> Iterator[Finding]:
    """The findings, each with all languages and all types that it is about."""
    groups: dict[tuple[str, SourceLocation], _Group] = {}
    for pair in _pairs(matching):
        languages = [language for language, (before, after) in packages.items() if pair.is_in(before, after)]
        for old, new in pair.changes() if languages else ():
            group = groups.setdefault((new.subject, new.place), _Group(old, new))
            group.languages.update(dict.fromkeys(languages))
            group.types.update(dict.fromkeys(new.types))
    for group in groups.values():
        yield group.finding()


@dataclass(frozen=True, slots=True)
class _Put:
    """What one side puts at a place."""

    text: str = NOTHING
    how: Literal["given", "set", "default", "rule"] = "rule"
    said: str | None = None
    """How the spec says it."""
    subject: str = ""
    """What the spec says it of, if it does."""
    place: SourceLocation = NOWHERE
    types: tuple[str, ...] = ()
    """The type that it is put into, if the field is from a mixin."""


@dataclass(slots=True)
class _Group:
    """One change, in all constructors that it shows in."""

    old: _Put
    new: _Put
    languages: dict[str, None] = field(default_factory=dict)
    types: dict[str, None] = field(default_factory=dict)

    def finding(self) -> Finding:
        old, new = self.old, self.new
        rule = RULES["set-changed" if "set" in {old.how, new.how} else "default-changed"]
        languages, types = tuple(sorted(self.languages)), tuple(self.types) if len(self.types) > 1 else ()
        told = f"{new.subject} {rule.said} ({', '.join(languages)}: {old.text} → {new.text})"
        return Finding(rule, new.subject, told, new.place, Before(old.said, old.place), (), languages, types)


# --- what there is on both sides -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pair:
    """A constructor, or an envelope, of both sides."""

    before: _Maker
    after: _Maker
    old: _Filled
    new: _Filled

    def is_in(self, before: Iterable[ApiItem], after: Iterable[ApiItem]) -> bool:
        """Whether a package has it on both sides."""
        return _shows(before, self.before.way) and _shows(after, self.after.way)

    def changes(self) -> Iterator[tuple[_Put, _Put]]:
        """What is put otherwise though nobody gives it. A member that only one side has is another matter."""
        for way in dict.fromkeys((*self.old.puts, *self.new.puts)):
            old, new = self.old.at(way), self.new.at(way)
            hows = {old.how, new.how}
            if way in self.old.puts and way in self.new.puts:
                counts = hows & {"set", "default"}
            else:  # of a place that only one side fills, unless it is a member that only one side has
                counts = hows & {"set"} if way[:-1] not in self.old.made & self.new.made else set()
            if counts and old.text != new.text and "given" not in hows:
                yield self._of_one_thing(old, new)

    def _of_one_thing(self, old: _Put, new: _Put) -> tuple[_Put, _Put]:
        """What only one side sets, or has, is said of the constructor on the other."""
        if new.how == "set" or not old.subject:
            old = replace(old, place=self.before.plan.place)
        if old.how == "set" != new.how or not new.subject:
            new = replace(new, subject=old.subject, place=self.after.plan.place)
        return old, new


def _shows(package: Iterable[ApiItem], start: Way) -> bool:
    return any(each.of[: len(start)] == start for each in package)


def _pairs(matching: Matching) -> Iterator[_Pair]:
    for old in matching.before.structs:
        new = matching.after.declarations.get(matching.counterpart(old.name) or "")
        if isinstance(new, Struct):
            yield _pair(matching, _Maker((old.name, "new"), old, _new(old)), _Maker((new.name, "new"), new, _new(new)))
            there = {each.name: each for each in new.constructors}
            for one in (each for each in old.constructors if each.name in there):
                yield _pair(matching, _named(old, one), _named(new, there[one.name]))
    yield from _envelopes(matching)


def _envelopes(matching: Matching) -> Iterator[_Pair]:
    """What requests and responses are put into; a package has that if it has pairs of them."""
    if matching.before.controls and matching.after.controls:
        envelopes = (
            [*_around(model.protocol.request, model), *_around(model.protocol.response, model)]
            for model in (matching.before, matching.after)
        )
        for old, new in zip(*envelopes, strict=False):
            yield _pair(matching, old, new)


def _around(envelope: Envelope | None, model: Model) -> Iterator[_Maker]:
    if envelope is not None:
        struct = model.struct(envelope.struct)
        plan = _Plan(frozenset({envelope.id, envelope.payload}), place=struct.place)
        yield _Maker((model.controls[0].request, "answer"), struct, plan)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a constructor is given, and what the spec fixes."""

    given: frozenset[Pointer]
    fixed: Mapping[Pointer, Json] = field(default_factory=dict)
    name: str = ""
    place: SourceLocation = NOWHERE


@dataclass(frozen=True, slots=True)
class _Maker:
    """A constructor or envelope of one side."""

    way: Way
    """How what a package shows of it begins."""
    struct: Struct
    plan: _Plan


def _named(struct: Struct, constructor: Constructor) -> _Maker:
    """A constructor of the spec."""
    given = frozenset(each.pointer for each in constructor.params)
    plan = _Plan(given, dict(constructor.set), constructor.name, constructor.place)
    return _Maker((struct.name, "constructors", constructor.name), struct, plan)


def _new(struct: Struct) -> _Plan:
    """The constructor that is given whatever is demanded."""
    given = frozenset((each.name,) for each in struct.wire_fields if _demanded(each))
    return _Plan(given, place=struct.place)


def _demanded(each: Field) -> bool:
    return not each.has_default and (each.required or each.construct_required)


def _pair(matching: Matching, before: _Maker, after: _Maker) -> _Pair:
    def now(struct: Struct) -> Mapping[str, str]:
        counterpart = matching.after.declarations.get(matching.counterpart(struct.name) or "")
        return paired(struct, counterpart, matching) if isinstance(counterpart, Struct) else {}

    old = _Filler(matching.before, before.plan, now).filled(before.struct)
    new = _Filler(matching.after, after.plan, lambda _: {}).filled(after.struct)
    return _Pair(before, after, old, new)


# --- what one side puts ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Filled:
    """What a constructor of one side puts where; places are in the words of the new spec."""

    puts: dict[Pointer, _Put] = field(default_factory=dict)
    made: set[Pointer] = field(default_factory=set)
    """The places of the objects that it makes."""

    def at(self, way: Pointer) -> _Put:
        """What is at a place, or is all there is of what the place would be in."""
        there = (self.puts[way[:end]] for end in range(len(way), 0, -1) if way[:end] in self.puts)
        return next(there, _Put())


class _Filler:
    """Fills a struct as constructors do: see `polywire.targets.rust.construct`."""

    def __init__(self, model: Model, plan: _Plan, now: Callable[[Struct], Mapping[str, str]]) -> None:
        self._model = model
        self._plan = plan
        self._ways = (*plan.given, *plan.fixed)
        self._now = now
        self._filled = _Filled()

    def filled(self, struct: Struct) -> _Filled:
        self._fill(struct, (), ())
        return self._filled

    def _fill(self, struct: Struct, at: Pointer, called: Pointer) -> None:
        """`called` is what the new spec calls the place."""
        self._filled.made.add(called)
        own = {each.name for each in struct.wire_fields if not each.flatten}
        now = self._now(struct)
        for each in struct.wire_fields:
            place = at if each.flatten else (*at, each.name)
            name = called if each.flatten else (*called, now.get(each.name, each.name))
            below = {way[len(place)] for way in self._ways if len(way) > len(place) and way[: len(place)] == place}
            inner = struct_with(self._model, each.type, below - own if each.flatten else below)
            if inner is not None:
                self._fill(inner, place, name)
            elif not each.flatten:
                self._filled.puts[name] = self._put(struct, each, place, name)

    def _put(self, struct: Struct, each: Field, place: Pointer, name: Pointer) -> _Put:
        if place in self._plan.given:
            return _Put(how="given")
        if place in self._plan.fixed:
            said = f"{pointer(place)}: {dumps(self._plan.fixed[place])}"
            subject = f"`{pointer(name)}` of `{self._plan.name}`"
            return _Put(_value(self._plan.fixed[place]), "set", said, subject, self._plan.place)
        subject = f"`{each.origin or struct.name}.{each.name}`"
        types = (struct.name,) if each.origin else ()
        if each.has_default:
            return _Put(_value(each.default), "default", f"default: {dumps(each.default)}", subject, each.place, types)
        text = self._by_rule(each) if _demanded(each) else NOTHING
        return _Put(text or "", "rule" if text else "given", None, subject, each.place, types)

    def _by_rule(self, each: Field) -> str | None:
        """What a required field gets that nothing is said of; None if the constructor asks for it."""
        if each.nullable:
            return _value(None)
        match without_alias(each.type, self._model.declarations):
            case Scalar(kind="uuid"):
                return "a new UUID"
            case Array():
                return _value([])
            case Map() | Scalar(kind="object"):
                return _value({})
        return None


def _value(value: Json) -> str:
    return f"`{dumps(value)}`"
