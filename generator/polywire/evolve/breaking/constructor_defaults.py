"""Two models → changes of the values that constructors and envelopes fill in themselves.

A program that passes the same arguments still compiles, and peers read its output as before, but the content differs. A
language is affected if its package has the constructor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from polywire.evolve.breaking.records import Before, Finding, Packages
from polywire.evolve.breaking.rules import RULES
from polywire.evolve.diff.matching import Matching
from polywire.evolve.diff.members import paired
from polywire.ground.engine import pointer
from polywire.ground.json_values import Json, dumps
from polywire.ground.location import NOWHERE, SourceLocation
from polywire.model.nodes import Pointer, Struct
from polywire.plan import Plan
from polywire.plan.controls import ControlsPlan
from polywire.plan.fill import ByRule, ConstructorPlan, Filled, Fixed, Given, Made, plain_constructor
from polywire.targets.common.api_surface import ApiItem, ApiPath

NOTHING = "nothing"


def default_changes(matching: Matching, before: Plan, after: Plan, packages: Packages) -> Iterator[Finding]:
    """Yield the findings, each with all languages and all types that it is about."""
    groups: dict[tuple[str, SourceLocation], _Group] = {}
    shown = {language: (_starts(old), _starts(new)) for language, (old, new) in packages.items()}
    for pair in _pairs(matching, before, after):
        languages = [each for each, (old, new) in shown.items() if pair.before.way in old and pair.after.way in new]
        for old, new in pair.changes() if languages else ():
            group = groups.setdefault((new.subject, new.place), _Group(old, new))
            group.languages.update(dict.fromkeys(languages))
            group.types.update(dict.fromkeys(new.types))
    for group in groups.values():
        yield group.finding()


@dataclass(frozen=True, slots=True)
class _Put:
    """The value that one side puts at a place."""

    text: str = NOTHING
    how: Literal["given", "set", "default", "rule"] = "rule"
    in_spec: str | None = None
    """The value as written in the spec."""
    subject: str = ""
    """The subject of the value in the spec, if it has one."""
    place: SourceLocation = NOWHERE
    types: tuple[str, ...] = ()
    """The type that contains it, if the field is from a mixin."""


@dataclass(slots=True)
class _Group:
    """One change, in all constructors that are affected."""

    old: _Put
    new: _Put
    languages: dict[str, None] = field(default_factory=dict)
    types: dict[str, None] = field(default_factory=dict)

    def finding(self) -> Finding:
        old, new = self.old, self.new
        rule = RULES["set-changed" if "set" in {old.how, new.how} else "default-changed"]
        languages, types = tuple(sorted(self.languages)), tuple(self.types) if len(self.types) > 1 else ()
        message = f"{new.subject} {rule.phrase} ({', '.join(languages)}: {old.text} → {new.text})"
        return Finding(rule, new.subject, message, new.place, Before(old.in_spec, old.place), (), languages, types)


# --- constructors on both sides --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pair:
    """A constructor or envelope, on both sides."""

    before: _Maker
    after: _Maker
    old: _Puts
    new: _Puts

    def changes(self) -> Iterator[tuple[_Put, _Put]]:
        """Yield the values that changed and that callers do not pass. Members that only one side has are left out."""
        for way in dict.fromkeys((*self.old.puts, *self.new.puts)):
            old, new = self.old.at(way), self.new.at(way)
            hows = {old.how, new.how}
            if way in self.old.puts and way in self.new.puts:
                counts = hows & {"set", "default"}
            else:  # a place that only one side fills, unless the other side does not have the member
                counts = hows & {"set"} if way[:-1] not in self.old.made & self.new.made else set()
            if counts and old.text != new.text and "given" not in hows:
                yield self._of_one_thing(old, new)

    def _of_one_thing(self, old: _Put, new: _Put) -> tuple[_Put, _Put]:
        """Report what only one side sets or has as a change of the other side's constructor."""
        if new.how == "set" or not old.subject:
            old = replace(old, place=self.before.place)
        if old.how == "set" != new.how or not new.subject:
            new = replace(new, subject=old.subject, place=self.after.place)
        return old, new


def _starts(package: Iterable[ApiItem]) -> frozenset[ApiPath]:
    """Return the prefixes of the paths of a package's items."""
    return frozenset(each.of[:length] for each in package for length in range(1, len(each.of) + 1))


@dataclass(frozen=True, slots=True)
class _Maker:
    """A constructor or envelope of one side."""

    way: ApiPath
    """The prefix of its items' paths in a package."""
    made: Made
    place: SourceLocation
    name: str = ""


def _pairs(matching: Matching, before: Plan, after: Plan) -> Iterator[_Pair]:
    named = {(each.struct.name, each.constructor.name): each for each in after.constructors}
    for old in before.model.structs:
        new = after.model.declarations.get(matching.counterpart(old.name) or "")
        if isinstance(new, Struct):
            yield _pair(matching, _plain(old), _plain(new))
            for each in (one for one in before.constructors if one.struct.name == old.name):
                counterpart = named.get((new.name, each.constructor.name))
                if counterpart is not None:
                    yield _pair(matching, _named(each), _named(counterpart))
    if before.controls is not None and after.controls is not None:
        for side, other in zip(_envelopes(before.controls), _envelopes(after.controls), strict=False):
            yield _pair(matching, side, other)


def _plain(struct: Struct) -> _Maker:
    return _Maker((struct.name, "new"), plain_constructor(struct), struct.place)


def _named(plan: ConstructorPlan) -> _Maker:
    constructor = plan.constructor
    way = (plan.struct.name, "constructors", constructor.name)
    return _Maker(way, plan.made, constructor.place, constructor.name)


def _envelopes(controls: ControlsPlan) -> Iterator[_Maker]:
    """Yield the envelopes of requests and responses; a package has them if it has pairs of these."""
    for envelope in (controls.request, controls.response) if controls.pairs else ():
        yield _Maker((controls.pairs[0].control.request, "answer"), envelope.made, envelope.struct.place)


def _pair(matching: Matching, before: _Maker, after: _Maker) -> _Pair:
    def now(struct: Struct) -> Mapping[str, str]:
        counterpart = matching.after.declarations.get(matching.counterpart(struct.name) or "")
        return paired(struct, counterpart, matching) if isinstance(counterpart, Struct) else {}

    return _Pair(before, after, _puts(before, now), _puts(after, lambda _: {}))


# --- values on one side ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Puts:
    """The values that a constructor of one side fills in; places use the names of the new spec."""

    puts: dict[Pointer, _Put] = field(default_factory=dict)
    made: set[Pointer] = field(default_factory=set)
    """The places of the objects that it creates."""

    def at(self, way: Pointer) -> _Put:
        """Return the value at a place, or at the closest enclosing place that has one."""
        there = (self.puts[way[:end]] for end in range(len(way), 0, -1) if way[:end] in self.puts)
        return next(there, _Put())


def _puts(maker: _Maker, now: Callable[[Struct], Mapping[str, str]]) -> _Puts:
    """Return the values that a constructor fills in; `now` maps a struct's members to their names in the new spec."""
    found = _Puts()

    def enter(made: Made, called: Pointer) -> None:
        found.made.add(called)
        names = now(made.struct)
        for each in made.members:
            own = each.field.name
            name = called if each.field.flatten else (*called, names.get(own, own))
            if isinstance(each.value, Made):
                enter(each.value, name)
            elif not each.field.flatten:
                found.puts[name] = _put(maker, made.struct, each, name)

    enter(maker.made, ())
    return found


def _put(maker: _Maker, struct: Struct, filled: Filled, name: Pointer) -> _Put:
    each = filled.field
    subject = f"`{each.origin or struct.name}.{each.name}`"
    types = (struct.name,) if each.origin else ()
    match filled.value:
        case Given(added=False):
            return _Put(how="given")
        case Fixed(value=value, by="set"):
            text = f"{pointer(filled.place)}: {dumps(value)}"
            return _Put(_text(value), "set", text, f"`{pointer(name)}` of `{maker.name}`", maker.place)
        case Fixed(value=value):
            return _Put(_text(value), "default", f"default: {dumps(value)}", subject, each.place, types)
        case ByRule() as rule:
            return _Put(_BY_RULE[rule], "rule", None, subject, each.place, types)
        case _:
            return _Put("", "given", None, subject, each.place, types)


_BY_RULE = {
    ByRule.ABSENT: NOTHING,
    ByRule.NULL: "`null`",
    ByRule.FRESH_UUID: "a new UUID",
    ByRule.EMPTY_LIST: "`[]`",
    ByRule.EMPTY_OBJECT: "`{}`",
}


def _text(value: Json) -> str:
    return f"`{dumps(value)}`"
