"""Two models → the user code that no longer compiles, determined from the API of each language's package.

A match over an open enum or union has a case for unknown values, or is not exhaustive to begin with; so adding to an
open enum or union breaks no code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from polywire.evolve.breaking.places import section
from polywire.evolve.breaking.records import Before, Finding, Packages
from polywire.evolve.breaking.rules import RULES
from polywire.evolve.diff.matching import Matching
from polywire.evolve.diff.members import members, paired
from polywire.ground.location import SourceLocation
from polywire.model.nodes import Declaration, Enum, Field, Model, Struct, Union
from polywire.targets.common.api_surface import SESSION, ApiItem, ApiPath

_OWN = "fields"
_POSITIONAL = frozenset({"constructors", "new", "session"})

_NAMED = {
    "array": "the values",
    "decoder": "the decoder",
    "either": "all",
    "guard": "the guard",
    "known": "the known values",
    "raw": "the discriminators",
    "shared": "what they share",
    "unknown": "the Unknown",
    "view": "the view of the Unknown",
    "viewer": "what reads the Unknown",
}
"""What is generated for a declaration, in words."""

_HEADINGS = {"package": "packages", "peer": "peers", "root": "roots", "session": "control"}
"""Generated items that belong to no declaration: the key of the spec that defines them."""


def broken(matching: Matching, packages: Packages, entry: SourceLocation) -> Iterator[Finding]:
    """Yield the findings about user code; findings about one thing in several languages are combined.

    `entry` is the location for what the new spec has nowhere.
    """
    counterparts = _Counterparts(matching, entry)
    groups: dict[tuple[object, ...], _Group] = {}
    for language, package in packages.items():
        for change in _Package(*package, counterparts).changes():
            place, was = counterparts.place(change), counterparts.was(change)
            key = (change.rule, place, was.place, change.way[1:2], () if change.way[0] else change.way[2:])
            group = groups.setdefault(key, _Group(change, place, was))
            group.text.setdefault(language, change.text)
            group.types.setdefault(change.way[0])
    for group in groups.values():
        yield _finding(group, counterparts)


@dataclass(frozen=True, slots=True)
class _Change:
    """One change that breaks code in one language."""

    rule: str
    way: ApiPath
    """Its subject in the new spec, or in the old spec if it was removed."""
    text: str
    """The old and the new form in that language."""


@dataclass(slots=True)
class _Group:
    """The same change in several languages, and in all types that have it from a mixin."""

    change: _Change
    place: SourceLocation
    was: Before
    text: dict[str, str] = field(default_factory=dict)
    types: dict[str, None] = field(default_factory=dict)


def _finding(group: _Group, counterparts: _Counterparts) -> Finding:
    rule, subject = RULES[group.change.rule], counterparts.subject(group.change)
    by_text: dict[str, list[str]] = {}
    for language, text in group.text.items():
        by_text.setdefault(text, []).append(language)
    text = "; ".join(f"{', '.join(languages)}: {text}" for text, languages in by_text.items())
    types = tuple(group.types) if len(group.types) > 1 else ()
    return Finding(
        rule, subject, f"{subject} {rule.phrase} ({text})", group.place, group.was, (), tuple(group.text), types
    )


# --- one language ----------------------------------------------------------------------------------------------


class _Package:
    """The API of one language's package, before and after."""

    def __init__(self, before: list[ApiItem], after: list[ApiItem], counterparts: _Counterparts) -> None:
        self._before = before
        self._after = {each.of: each for each in after}
        self._counterparts = counterparts

    def changes(self) -> Iterator[_Change]:
        met: set[ApiPath] = set()
        for old in self._before:
            way = self._counterparts.way(old.of)
            new = self._after.get(way) if way is not None else None
            if new is not None:
                met.add(new.of)
                yield from self._of_pair(old, new)
            elif len(old.of) == 1 or _is_alone(old.of) or self._there(_parent(old.of)):
                yield _Change("code-name-removed", old.of, f"`{old.name}`")
        for new in self._after.values():
            if new.needed and new.of not in met and _parent(new.of) in met:
                yield _Change("code-argument-needed", new.of, _typed(new))

    def _of_pair(self, old: ApiItem, new: ApiItem) -> Iterator[_Change]:
        what = new.of[1:2]
        if what == ("match",):
            yield from self._of_matches(old, new)
            return
        if old.name != new.name and not self._follows(new):
            rule = "code-package-renamed" if what == ("package",) else "code-name-changed"
            yield _Change(rule, new.of, f"`{old.name}` → `{new.name}`")
        if not _takes(new, self._renamed(old.type)) or (new.absent and not old.absent):
            rule = "code-signature-changed" if what and what[0] in _POSITIONAL else "code-type-changed"
            yield _Change(rule, new.of, f"{_typed(old)} → {_typed(new)}")
        elif new.needed and not old.needed:
            yield _Change("code-argument-needed", new.of, _typed(new))

    def _there(self, way: ApiPath) -> bool:
        """Return whether the new package still has an item of the old one."""
        return self._after.get(self._counterparts.way(way) or ()) is not None

    def _of_matches(self, old: ApiItem, new: ApiItem) -> Iterator[_Change]:
        """Compare an enum or union as far as code can match over it."""
        if old.type != new.type:
            yield _Change("code-openness-changed", new.of, f"{old.type} → {new.type}")
        elif old.complete is not None and new.complete is not None:
            listed = {self._counterparts.member(old.of[0], name) for name in old.complete}
            more = [name for name in new.complete if name not in listed]
            if more:
                yield _Change("code-match-incomplete", new.of, ", ".join(f"`{name}`" for name in more))

    def _follows(self, new: ApiItem) -> bool:
        """Return whether a name only changed with its declaration, whose renaming is reported by itself."""
        return len(new.of) == 2 and new.of[0] in self._other_names

    @cached_property
    def _other_names(self) -> frozenset[str]:
        pairs = (
            (old, self._after.get(self._counterparts.way(old.of) or ())) for old in self._before if len(old.of) == 1
        )
        return frozenset(new.of[0] for old, new in pairs if new is not None and new.name != old.name)

    def _renamed(self, type_: str) -> str:
        """Return a type with all names replaced by the new ones, so that a renaming is reported only once."""
        return self._names.sub(lambda match: self._now[match[0]], type_) if self._now else type_

    @cached_property
    def _now(self) -> Mapping[str, str]:
        pairs = (
            (old, self._after.get(self._counterparts.way(old.of) or ())) for old in self._before if len(old.of) <= 2
        )
        return {old.name: new.name for old, new in pairs if new is not None and old.name != new.name}

    @cached_property
    def _names(self) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{'|'.join(map(re.escape, self._now))})\b")


def _is_alone(way: ApiPath) -> bool:
    """Return whether an item belongs to no declaration and has parts of its own."""
    return way[:2] == SESSION[:2] and len(way) == len(SESSION)


def _parent(way: ApiPath) -> ApiPath:
    """Return the item that contains this one: a constructor for arguments, a declaration for everything else."""
    return way[: 3 if len(way) > 3 else 1]


def _takes(new: ApiItem, old: str) -> bool:
    """Return whether code for the old type works with the new one; an argument may also accept more types."""
    return set(old.split(" | ")) <= set(new.type.split(" | ")) if new.argument else old == new.type


def _typed(shown: ApiItem) -> str:
    text = f"{shown.name}{'?' if shown.absent else ''}{': ' if shown.type else ''}{shown.type}"
    return f"`{text}`"


# --- mapping between the two specs -----------------------------------------------------------------------------


class _Counterparts:
    """The mapping between items of the two specs, as far as packages show them."""

    def __init__(self, matching: Matching, entry: SourceLocation) -> None:
        self._matching = matching
        self._entry = entry
        self._back = {
            counterpart: name
            for name in matching.before.declarations
            if (counterpart := matching.counterpart(name)) is not None
        }
        self._paired: dict[str, Mapping[str, str]] = {}

    def back(self, name: str) -> str:
        """Return the old name of a declaration in the new spec, if the old spec has it."""
        return self._back.get(name, name)

    def way(self, way: ApiPath) -> ApiPath | None:
        """Return the path in the new spec, or None if it has no such declaration."""
        name = self._matching.counterpart(way[0]) if way[0] else ""
        if name is None:
            return None
        return (name, *way[1:2], *(self.member(way[0], each, way[1]) for each in way[2:]))

    def member(self, declaration: str, name: str, what: str = "") -> str:
        """Return the new name of a member, a value or a variant of a declaration in the old spec."""
        declared = self._matching.before.declarations.get(declaration)
        if what in {"sent", "session"}:
            return self._matching.peers.get(name, name)
        match declared, self._matching.after.declarations.get(self._matching.counterpart(declaration) or ""):
            case Struct() as old, Struct() as new if what == _OWN:
                if declaration not in self._paired:
                    self._paired[declaration] = paired(old, new, self._matching)
                return self._paired[declaration].get(name, name)
            case Enum(), Enum(values=values):
                return next((value.name for value in values if value.about.formerly == name), name)
            case Union(), Union():
                return self._matching.counterpart(name) or name
        return name

    # Locations.

    def place(self, change: _Change) -> SourceLocation:
        """Return the location in the new spec; for a removal, that of the enclosing declaration."""
        if change.rule != "code-name-removed" or not change.way[0]:
            return _place(self._matching.after, change.way, self._entry)
        way = self.way((_owner(self._matching.before, change.way),))
        if way is None or len(change.way) == 1:
            return section(self._matching, _place(self._matching.before, change.way, self._entry), self._entry)
        return _place(self._matching.after, way, self._entry)

    def was(self, change: _Change) -> Before:
        """Return the location in the old spec, and the text there."""
        way = change.way if change.rule == "code-name-removed" else self._way_back(change.way)
        declared = self._matching.before.declarations.get(way[0])
        member = members(declared).get(way[2]) if isinstance(declared, Struct) and way[1:2] == (_OWN,) else None
        return Before(None if member is None else member.text, _place(self._matching.before, way, self._entry))

    def _way_back(self, way: ApiPath) -> ApiPath:
        old = self.back(way[0])
        if way[1:2] != (_OWN,):
            return (old, *way[1:])
        self.member(old, way[2], _OWN)
        keys = {new: key for key, new in self._paired.get(old, {}).items()}
        return (old, _OWN, keys.get(way[2], way[2]))

    def subject(self, change: _Change) -> str:
        """Return the subject in the words of the spec: `Order`, `Order.total`, a value or a variant."""
        gone = change.rule == "code-name-removed"
        if not change.way[0]:
            return _undeclared(change.way)
        owner = _owner(self._matching.before if gone else self._matching.after, change.way)
        match change.way:
            case (_, "fields", key):
                return f"`{owner}.{key}`"
            case (_, "views", key):
                return f"`{key}` of the Unknown of `{owner}`"
            case (_, "sent", peer):
                return f"`{owner}` from `{peer}`"
            case (_, "answer"):
                return f"the answer to `{owner}`"
            case (_, "new"):
                return f"`new` of `{owner}`"
            case (_, "constructors", name, argument):
                return f"`{argument}` of `{name}`"
            case (_, _, name):
                return f"`{name}` of `{owner}`"
            case (_, what) if what in _NAMED:
                return f"{_NAMED[what]} of `{owner}`"
        return f"`{owner}`"


def _undeclared(way: ApiPath) -> str:
    """Describe an item that belongs to no declaration in the words of the spec."""
    match way:
        case ("", "package"):
            return "the package"
        case ("", "session", name):
            return f"`{name}`"
        case ("", "session", session, "peer", name):
            return f"the peer `{name}` of `{session}`"
        case ("", "session", session, name):
            return f"`{name}` of `{session}`"
        case ("", what, name, *_):
            return f"the {what} of `{name}`"
    return "what a line is read as"


def _field(model: Model, way: ApiPath) -> Field | None:
    declared = model.declarations.get(way[0])
    fields = declared.fields if isinstance(declared, Struct) and way[1:2] == (_OWN,) else ()
    return next((each for each in fields if each.name == way[2]), None)


def _owner(model: Model, way: ApiPath) -> str:
    """Return the declaration that a path leads to; for a field from a mixin, the mixin."""
    found = _field(model, way)
    return found.origin if found is not None and found.origin is not None else way[0]


def _place(model: Model, way: ApiPath, entry: SourceLocation) -> SourceLocation:
    declared = model.declarations.get(way[0])
    if declared is None:
        what = "peer" if way[3:4] == ("peer",) else way[1]
        heading = model.headings.get((entry.file, _HEADINGS.get(what, "")), entry)
        named = {tool.pattern: tool.place for tool in model.tools} | {tree.name: tree.place for tree in model.trees}
        return named.get(way[-1], heading)
    return _parts(declared, way[1:2]).get("".join(way[2:3]), declared.place)


def _parts(declared: Declaration, what: ApiPath) -> dict[str, SourceLocation]:
    """Return the locations of a declaration's parts."""
    match declared, what:
        case Struct(tags=tags, consts=consts, fields=fields), ("fields",):
            fixed = {tag.key: tag.place for tag in tags} | {const.key: const.place for const in consts}
            return fixed | {field.name: field.place for field in fields}
        case Struct(constructors=constructors), ("constructors",):
            return {each.name: each.place for each in constructors}
        case Enum(values=values), ("values",):
            return {value.name: value.place for value in values}
    return {}
