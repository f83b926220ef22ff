"""A JSON value and the rows of a plan → the decoded value, or all faults in it.

This implements the decoding rules literally, row by row, regardless of speed. Reading continues after a fault, so that
all faults are found, any of which a binding may report. The rows of a plan, by declared name:

    ("enum", base, open, (value, …))                  base is "string" or "integer"
    ("alias", type)
    ("struct", tags, consts, fields, extra)           extra is a type, or None
    ("union", open, unknown, dispatch)                unknown is the name of its Unknown

    tag       (key, optional, constant)               a constant tag
              (key, optional, None, values, others)   a varying one: values is a tuple, or an enum's name; others is
                                                      the glob of unknown values that are accepted too, or None;
                                                      values are all strings or all integers
              (key, optional, None, (), None, prefix) every string that starts with the prefix
    const     (key, value)
    field     (key, type, flags)                      flags: REQUIRED | NULLABLE | FLATTEN
              (key, type, flags, claimed)             claimed: values that belong to sibling variants
              (key, type, flags, claimed, prefixes)   prefixes: those of texts that belong to sibling variants
              (key, type, flags, claimed, prefixes, repair)
                                                      repair: ("absent", None), ("skip", None),
                                                      ("skip absent", None), ("value", value) or
                                                      ("skip value", value), for values that do not fit
    dispatch  "Struct"
              ("switch", union, key, {value: dispatch, …}, ((glob, struct), …), absent dispatch or None)
              ("switch", …, ((prefix, dispatch), …))  the same with prefixes, the longest first
              ("keys", union, ((has, lacks, dispatch), …))
    type      "string" "boolean" "number" "integer" "uuid" "timestamp" "json" "object" "null", or a declared name
              ("[]", item, low, high)                 bounds or None
              ("{}", value, key)                      key is an enum's name, or None
              ("|", {kind: type, …})                  kind is one of KINDS
              ("=", value)                            exactly this value
              ("()", (type, …))                       an array of exactly these items
              ("<", scalar, low, high)                a scalar with bounds, each or None; code points for a string

An `integer` is decoded as an int, however it was spelt (`1.0`), and a `number` as a float, even if it was written as an
integer; untyped values stay as they were read. Strings contain lone surrogates if the text had them escaped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from polywire.ground.engine import (
    CODES,
    FLATTEN,
    FORMATS,
    MAX_DEPTH,
    MAX_INTEGER,
    NULLABLE,
    REQUIRED,
    Fault,
    glob,
    pointer,
)
from polywire.ground.json_values import double, dumps, equal, kind
from polywire.oracle.reference.text import Object, Text

Plan: TypeAlias = Mapping[str, tuple[Any, ...]]
Path: TypeAlias = "tuple[str | int, ...]"

sys.setrecursionlimit(max(sys.getrecursionlimit(), 1000 + 20 * MAX_DEPTH))  # a level takes up to a dozen frames


@dataclass(frozen=True, slots=True)
class Passed:
    """One thing that lenient mode let pass: its place, strict mode's code and message, and the declaration violated.

    `owner` is the declared struct, enum or union that does not know it, the built-in type whose format it violates, or
    "" for an array outside its bounds. `value` is the value there; for an unknown key of a map it is the key, for an
    unknown variant the whole object.
    """

    path: Path
    code: str
    owner: str
    value: Any
    message: str

    @property
    def pointer(self) -> str:
        return pointer(self.path)


@dataclass(frozen=True, slots=True)
class Step:
    """A declared union or struct, or an Unknown, that an object was read as.

    For a struct, `members` has the decoded tags, constants and fields that are present, by wire key, and a flattened
    field by its name; `extra` has everything else.
    """

    path: Path
    name: str
    members: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decoded:
    """The result of decoding a document, as plain data.

    `variant` is the innermost declared type that was chosen, "Unknown", or the requested name if that is not a union.
    """

    value: Any
    variant: str
    passed: tuple[Passed, ...]
    steps: tuple[Step, ...]
    """Outermost first, in reading order."""

    @property
    def unknown(self) -> list[str]:
        """The pointer of every place where lenient mode let something pass, sorted."""
        return sorted({each.pointer for each in self.passed})

    @property
    def trail(self) -> list[tuple[str, str]]:
        """The place and name of every step."""
        return [(pointer(step.path), step.name) for step in self.steps]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Every result that a binding may give for a document; exactly one unless the rules leave a choice."""

    accepted: tuple[Decoded, ...]
    faults: tuple[Fault, ...]
    """In declaration order, without duplicates of code and path."""

    def first(self) -> Decoded:
        """Return the first accepted result; raise the first fault if the document has to be rejected."""
        if not self.accepted:
            raise self.faults[0]
        return self.accepted[0]


class Rules:
    """The rules of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._structs: dict[str, _Struct] = {}

    def outcomes(self, root: Any, text: Text, *, strict: bool) -> Outcomes:
        """Return the possible results for a parsed text as `root`, a declared name or any type of the plan.

        If a key occurs more than once, there are two readings: one that checks overwritten values, and one that does
        not.
        """
        if text.faults:
            return Outcomes((), _once((*text.faults, *text.free)))
        readings = [_Reading(self, root, text.value, strict=strict, overwritten=False)]
        if text.duplicates:
            readings.append(_Reading(self, root, text.value, strict=strict, overwritten=True))
        accepted: list[Decoded] = []
        for each in readings:
            if each.decoded is not None and not any(_same(each.decoded, other) for other in accepted):
                accepted.append(each.decoded)
        return Outcomes(tuple(accepted), _once((*(f for each in readings for f in each.faults), *text.free)))

    def decode(self, root: Any, value: Any, *, strict: bool) -> Decoded:
        """Decode a JSON value as `root`. Raises its first fault."""
        return self.outcomes(root, Text(value), strict=strict).first()

    def struct(self, name: str) -> _Struct:
        """Return a struct's row, prepared for reading."""
        if name not in self._structs:
            self._structs[name] = _Struct(self.plan, name)
        return self._structs[name]

    def is_union(self, root: Any) -> bool:
        """Return whether a root is a union, or an alias of one."""
        while isinstance(root, str) and root in self.plan and self.plan[root][0] == "alias":
            root = self.plan[root][1]
        return isinstance(root, str) and root in self.plan and bool(self.plan[root][0] == "union")

    def expected(self, type_: Any) -> str:
        """Return the JSON kind that a type expects, for messages."""
        if not isinstance(type_, str):
            return _expected(self, type_)
        if type_ in _SCALARS:
            return "string" if type_ in FORMATS else type_
        row = self.plan[type_]
        if row[0] == "alias":
            return self.expected(row[1])
        return str(row[1]) if row[0] == "enum" else "object"


def _expected(rules: Rules, type_: Any) -> str:
    """Return the JSON kind that a composed type expects."""
    match type_[0]:
        case "[]" | "()":
            return "array"
        case "{}":
            return "object"
        case "=":
            return str(_wide_kind(type_[1]))
        case "<":
            return rules.expected(type_[1])
        case _:
            return " or ".join(type_[1])


def _between(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"at most {high}" if low is None else f"at least {low}"
    return f"{low} to {high}"


def _same(one: Decoded, other: Decoded) -> bool:
    """Return whether two readings of one document accept it with the same result."""
    return one.trail == other.trail and one.unknown == other.unknown and dumps(one.value) == dumps(other.value)


def _once(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    return tuple({(fault.code, fault.path): fault for fault in reversed([*faults])}.values())[::-1]


_PRECEDENCE = {code: at for at, code in enumerate(CODES)}


def _at_each_value(faults: Iterable[Fault]) -> list[Fault]:
    """Keep, among several faults at one value, the one with precedence."""
    found: dict[str, Fault] = {}
    for fault in faults:
        known = found.setdefault(fault.path, fault)
        if _PRECEDENCE[fault.code] < _PRECEDENCE[known.code]:
            found[fault.path] = fault
    return list(found.values())


# --- structs ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Member:
    """A declared member of a struct."""

    key: str
    required: bool
    read: Callable[[_Reading, Any, Path], Any]
    """Returns the decoded value, or `_ABSENT` if lenient mode removes a null."""


@dataclass(frozen=True, slots=True)
class _Flat:
    """The field of a struct that takes all undeclared members."""

    name: str
    type: Any
    required: bool


class _Struct:
    """The row of a struct: its members in wire order, and the type of all others."""

    def __init__(self, plan: Plan, name: str) -> None:
        _, tags, consts, fields, self.extra = plan[name]
        self.members: list[_Member | _Flat] = [
            *(_tag(plan, name, *tag) for tag in tags),
            *(_const(key, constant) for key, constant in consts),
            *(_field(name, *each) for each in fields),
        ]
        self.declared = frozenset(each.key for each in self.members if isinstance(each, _Member))
        self.flat = next((each for each in self.members if isinstance(each, _Flat)), None)


_ABSENT = object()


def _tag(
    plan: Plan,
    struct: str,
    key: str,
    optional: bool,
    constant: str | bool | int | None,
    values: tuple[str | int, ...] | str = (),
    others: str | None = None,
    prefix: str | None = None,
) -> _Member:
    owner = struct
    if isinstance(values, str):
        owner, values = values, plan[values][3]
    expected = str(kind(next(iter(values), "") if constant is None else constant))

    def read(reading: _Reading, value: Any, path: Path) -> Any:
        found, sound = _tag_value(reading, value, path, expected)
        if not sound:
            return found
        if constant is not None:
            if found != constant:
                reading.fault("wrong_constant", path, f"expected {_show(constant)}, got {_show(found)}")
        elif prefix is not None:
            if not found.startswith(prefix):
                message = f"expected a text that begins with {_show(prefix)}, got {_show(found)}"
                reading.fault("unknown_value", path, message)
        elif found not in values:
            message = f"expected {_one_of(values)}, got {_show(found)}"
            if others is not None and _is_like(others, found):
                reading.let_pass(path, "unknown_value", owner, found, message)
            else:
                reading.fault("unknown_value", path, message)
        return found

    return _Member(key, not optional, read)


def _tag_value(reading: _Reading, value: Any, path: Path, expected: str) -> tuple[Any, bool]:
    """Return the value of a tag, and whether it can be compared: it has the right kind, and is a valid number."""
    if expected != "integer":
        sound = kind(value) == expected
        return (value if sound else reading.wrong_type(expected, value, path)), sound
    before = reading.count
    return _integer(reading, value, path), reading.count == before


def _is_like(pattern: str, value: Any) -> bool:
    """Return whether a catch-all matches an unknown value of a tag; `*` matches any integer."""
    return not isinstance(value, str) or glob(pattern)(value) is not None


def _const(key: str, constant: Any) -> _Member:
    expected = _wide_kind(constant)

    def read(reading: _Reading, value: Any, path: Path) -> Any:
        if _wide_kind(value) != expected:
            reading.wrong_type(str(expected), value, path)
        elif not equal(value, constant):
            reading.fault("wrong_constant", path, f"expected {_show(constant)}, got {_show(value)}")
        return constant

    return _Member(key, True, read)


def _field(
    struct: str,
    key: str,
    type_: Any,
    flags: int,
    claimed: tuple[str | bool | int, ...] = (),
    prefixes: tuple[str, ...] = (),
    repair: tuple[str, Any] | None = None,
) -> _Member | _Flat:
    required, nullable = bool(flags & REQUIRED), bool(flags & NULLABLE)
    if flags & FLATTEN:
        return _Flat(key, type_, required)

    def read(reading: _Reading, value: Any, path: Path) -> Any:
        if value is None and nullable:
            return None
        if value is None and not required:
            message = f"expected {reading.rules.expected(type_)}, got null"
            reading.let_pass(path, "wrong_type", struct, value, message)
            return _ABSENT
        if _is_claimed(value, claimed, prefixes):
            reading.fault("wrong_constant", path, f"{_show(value)} belongs to another variant")
        if repair is not None and not reading.strict:
            return reading.repaired(struct, type_, repair, value, path)
        return reading.read(type_, value, path)

    return _Member(key, required, read)


def _is_claimed(value: Any, claimed: tuple[str | bool | int, ...], prefixes: tuple[str, ...]) -> bool:
    """Return whether a sibling claims a value of a discriminator."""
    if isinstance(value, str) and value.startswith(prefixes):
        return True
    return any(_wide_kind(value) == _wide_kind(each) and equal(value, each) for each in claimed)


# --- one reading -----------------------------------------------------------------------------------------------


class _Reading:
    """One pass over one document; its methods read types, and the functions below read scalars.

    A reader returns the decoded value. After a fault the value is never used, so it may be anything.
    """

    def __init__(self, rules: Rules, root: Any, value: Any, *, strict: bool, overwritten: bool) -> None:
        self.rules = rules
        self.strict = strict
        self._overwritten = overwritten
        self._found: list[Fault] = []
        self._beside: list[Fault] = []
        """Faults of overwritten values, which are not the values at their places."""
        self._passed: list[Passed] = []
        self._steps: list[Step] = []
        self._variant = ""  # the choice of the union that was read last, which is finally the outermost one
        made = self.read(root, value, ())
        self.faults = [*_at_each_value(self._found), *self._beside]
        self.decoded: Decoded | None = None
        if not self.faults:
            variant = self._variant if rules.is_union(root) else root if isinstance(root, str) else ""
            self.decoded = Decoded(made, variant, tuple(self._passed), tuple(self._steps))

    # Findings.

    def fault(self, code: str, path: Path, message: str) -> Any:
        """Record a fault; the value is replaced by None."""
        self._found.append(Fault(code, pointer(path), message))

    @property
    def count(self) -> int:
        """The number of faults found so far."""
        return len(self._found)

    def wrong_type(self, expected: str, value: object, path: Path) -> Any:
        return self.fault("wrong_type", path, f"expected {expected}, got {kind(value) or type(value).__name__}")

    def let_pass(self, path: Path, code: str, owner: str, value: Any, message: str) -> None:
        """Record what lenient mode tolerates; in strict mode it is a fault."""
        if self.strict:
            self.fault(code, path, message)
        else:
            self._passed.append(Passed(path, code, owner, value, message))

    def versions(self, members: Mapping[str, Any], key: str) -> Iterator[Any]:
        """Yield the overwritten values of a key, which are read only for their faults."""
        if not self._overwritten or not isinstance(members, Object):
            return
        for other, value in members.overwritten:
            if other == key:
                kept = self._found, self._passed, self._steps, self._variant
                self._found, self._passed, self._steps = [], [], []
                yield value
                self._beside += _at_each_value(self._found)
                self._found, self._passed, self._steps, self._variant = kept

    # Types.

    def read(self, type_: Any, value: Any, path: Path) -> Any:
        """Read a value as any type. Raises `KeyError` for a name that the plan does not have."""
        if not isinstance(type_, str):
            return _COMPOSED[type_[0]](self, value, path, *type_[1:])
        if type_ in _SCALARS:
            return _SCALARS[type_](self, value, path)
        row = self.rules.plan[type_]
        return _DECLARED[row[0]](self, value, path, type_, *row[1:])

    def array(self, value: Any, path: Path, item: Any, low: int | None, high: int | None) -> Any:
        if kind(value) != "array":
            return self.wrong_type("array", value, path)
        self._judge_length(value, path, low, high)
        return [self.read(item, each, (*path, index)) for index, each in enumerate(value)]

    def _judge_length(self, value: Any, path: Path, low: int | None, high: int | None) -> None:
        if len(value) < (low or 0) or (high is not None and len(value) > high):
            expected = f"{low or 0} to {high}" if high is not None else f"at least {low}"
            self.let_pass(path, "out_of_bounds", "", value, f"expected {expected} items, got {len(value)}")

    def repaired(self, struct: str, type_: Any, repair: tuple[str, Any], value: Any, path: Path) -> Any:
        """Read a value in lenient mode and repair it if it does not fit; `_ABSENT` if the field becomes absent."""
        how, instead = repair
        read = self._skipping(struct, type_) if how.startswith("skip") else partial(self.read, type_)
        if how == "skip":
            return read(value, path)
        made, fault = self._tried(read, value, path)
        if fault is None:
            return made
        self._passed.append(Passed(path, fault.code, struct, value, fault.message))
        if how.endswith("absent"):
            return _ABSENT
        return None if instead is None else self.read(type_, instead, path)

    def _skipping(self, struct: str, type_: Any) -> Callable[[Any, Path], Any]:
        """Return the reader of a list that leaves out the items that do not fit."""
        while isinstance(type_, str):
            type_ = self.rules.plan[type_][1]
        _, item, low, high = type_

        def read(value: Any, path: Path) -> Any:
            if kind(value) != "array":
                return self.wrong_type("array", value, path)
            self._judge_length(value, path, low, high)
            items = []
            for index, each in enumerate(value):
                place = (*path, index)
                made, fault = self._tried(partial(self.read, item), each, place)
                if fault is None:
                    items.append(made)
                else:
                    self._passed.append(Passed(place, fault.code, struct, each, fault.message))
            return items

        return read

    def _tried(self, read: Callable[[Any, Path], Any], value: Any, path: Path) -> tuple[Any, Fault | None]:
        """Read a value; if it does not fit but can be kept, return one of its faults, none of which are recorded."""
        lists: tuple[list[Any], ...] = (self._found, self._beside, self._passed, self._steps)
        before = [len(each) for each in lists]
        made = read(value, path)
        if [len(each) for each in lists[:2]] == before[:2]:
            return made, None
        at = len(self._found)
        _json(self, value, path)
        if len(self._found) > at:
            return made, None  # its faults stay: it contains a number that overflows
        fault = (*self._found[before[0] :], *self._beside[before[1] :])[0]
        for each, length in zip(lists, before, strict=True):
            del each[length:]
        return made, fault

    def tuple_(self, value: Any, path: Path, types: tuple[Any, ...]) -> Any:
        if kind(value) != "array":
            return self.wrong_type("array", value, path)
        if len(value) != len(types):
            self.fault("out_of_bounds", path, f"expected {len(types)} items, got {len(value)}")
        return [self.read(each, item, (*path, at)) for at, (each, item) in enumerate(zip(types, value, strict=False))]

    def literal(self, value: Any, path: Path, constant: Any) -> Any:
        expected = _wide_kind(constant)
        if _wide_kind(value) != expected:
            return self.wrong_type(str(expected), value, path)
        if not equal(value, constant):
            self.fault("wrong_constant", path, f"expected {_show(constant)}, got {_show(value)}")
        return constant

    def bounded(self, value: Any, path: Path, scalar: str, low: float | None, high: float | None) -> Any:
        before = len(self._found)
        made = _SCALARS[scalar](self, value, path)
        if len(self._found) == before:
            size = len(made) if scalar == "string" else made
            if (low is not None and size < low) or (high is not None and size > high):
                what = "characters" if scalar == "string" else scalar
                message = f"expected {_between(low, high)} ({what}), got {_show(size)}"
                self.let_pass(path, "out_of_bounds", scalar, value, message)
        return made

    def map(self, value: Any, path: Path, item: Any, enum: str | None) -> Any:
        if kind(value) != "object":
            return self.wrong_type("object", value, path)
        made = {}
        for key in sorted(value):
            self._key(enum, key, (*path, key))
            for version in self.versions(value, key):
                self.read(item, version, (*path, key))
            made[key] = self.read(item, value[key], (*path, key))
        return {key: made[key] for key in value}

    def _key(self, enum: str | None, key: str, path: Path) -> None:
        if enum is None:
            return
        _, _, open_, values = self.rules.plan[enum]
        if key not in map(str, values):
            message = f"{_show(key)} is not a value of {enum}"
            if open_:
                self.let_pass(path, "unknown_value", enum, key, message)
            else:
                self.fault("unknown_value", path, message)

    def inline(self, value: Any, path: Path, members: Mapping[str, Any]) -> Any:
        member = members.get(_wide_kind(value) or "")
        if member is None:
            return self.wrong_type(" or ".join(members), value, path)
        return self.read(member, value, path)

    def alias(self, value: Any, path: Path, _name: str, type_: Any) -> Any:
        return self.read(type_, value, path)

    def enum(self, value: Any, path: Path, name: str, base: str, open_: bool, values: tuple[str | int, ...]) -> Any:
        if _wide_kind(value) != ("string" if base == "string" else "number"):
            return self.wrong_type(base, value, path)
        value = _whole(value)
        if value in values:
            return value
        message = f"{_show(value)} is not a value of {name}"
        if not open_:
            return self.fault("unknown_value", path, message)
        self.let_pass(path, "unknown_value", name, value, message)
        return self.read(base, value, path)

    def struct(self, value: Any, path: Path, name: str, *_: object) -> Any:
        if kind(value) != "object":
            return self.wrong_type("object", value, path)
        struct = self.rules.struct(name)
        at = len(self._steps)
        self._steps.append(Step(path, name))
        made: dict[str, Any] = {}
        for member in struct.members:
            if isinstance(member, _Flat):
                found, key = self._flattened(struct, member, value, path), member.name
            else:
                found, key = self._member(member, value, path), member.key
            if found is not _ABSENT:
                made[key] = found
        extra = self._extra(name, struct, value, made, path)
        self._steps[at] = Step(path, name, made, extra)
        plain: dict[str, Any] = {}
        for key, each in made.items():
            plain.update(each or {} if struct.flat is not None and key == struct.flat.name else {key: each})
        return {**plain, **{key: each for key, each in extra.items() if key not in plain}}

    def _member(self, member: _Member, members: Mapping[str, Any], path: Path) -> Any:
        path = (*path, member.key)
        if member.key not in members:
            if member.required:
                self.fault("missing_field", path, f"expected member {_show(member.key)}, got none")
            return _ABSENT
        for version in self.versions(members, member.key):
            member.read(self, version, path)
        return member.read(self, members[member.key], path)

    def _flattened(self, struct: _Struct, flat: _Flat, members: Mapping[str, Any], path: Path) -> Any:
        rest = Object()
        rest.update({key: value for key, value in members.items() if key not in struct.declared})
        if isinstance(members, Object):
            rest.overwritten += [each for each in members.overwritten if each[0] not in struct.declared]
        return _ABSENT if not rest and not flat.required else self.read(flat.type, rest, path)

    def _extra(
        self, name: str, struct: _Struct, members: Mapping[str, Any], made: Mapping[str, Any], path: Path
    ) -> dict[str, Any]:
        """Return all other members, with those that lenient mode removed, which are not checked against a type."""
        taken = {key: members[key] for key in members if key in struct.declared and key not in made}
        if struct.flat is not None:
            return taken
        found: dict[str, Any] = {}
        for key in sorted(members.keys() - struct.declared):
            place = (*path, key)
            for version in self.versions(members, key):
                self._undeclared(name, struct, key, version, place)
            found[key] = self._undeclared(name, struct, key, members[key], place)
        found |= taken
        return {key: found[key] for key in members if key in found}

    def _undeclared(self, name: str, struct: _Struct, key: str, value: Any, path: Path) -> Any:
        if struct.extra is None:
            self.let_pass(path, "unknown_field", name, value, f"{_show(key)} is not a field of {name}")
        return self.read("json" if struct.extra is None else struct.extra, value, path)

    # Unions.

    def union(self, value: Any, path: Path, _name: str, _open: bool, _unknown: str, dispatch: Any) -> Any:
        if kind(value) != "object":
            return self.wrong_type("object", value, path)
        choice = _Choice(self, value, path)
        struct = choice.follow(dispatch)
        if choice.refused:
            return None
        made = None
        if struct is not None:
            before = [(each, len(each)) for each in (self._found, self._beside, self._passed, self._steps)]
            made = self.read(struct, value, path)
            if choice.doubt is not None and any(len(each) > length for each, length in before[:2]):
                for each, length in before:  # an unknown value of a known form whose content does not have that form
                    del each[length:]
                self.let_pass(*choice.doubt)
                struct = None
        if struct is None:
            made = self.read("json", value, path)
            self._steps.append(Step(path, choice.unknown or ""))
        self._variant = struct or "Unknown"
        return made

    def step(self, path: Path, union: str) -> None:
        self._steps.append(Step(path, union))


class _Choice:
    """One object on its way through the dispatch of a union and those nested in it."""

    def __init__(self, reading: _Reading, members: Mapping[str, Any], path: Path) -> None:
        self._reading = reading
        self._members = members
        self._path = path
        self.refused = False
        self.unknown: str | None = None
        """The Unknown of the outermost open union so far."""
        self.doubt: tuple[Path, str, str, Any, str] | None = None
        """What to let pass if a catch-all does not fit."""

    def follow(self, dispatch: Any) -> str | None:
        """Return the struct that the discriminators select; None for an Unknown, or if the object is rejected."""
        if dispatch is None or isinstance(dispatch, str):
            return dispatch
        how, union, *table = dispatch
        _, open_, unknown, _ = self._reading.rules.plan[union]
        self._reading.step(self._path, union)
        if open_ and self.unknown is None:
            self.unknown = unknown
        return self._by_keys(union, *table) if how == "keys" else self._by_tag(union, *table)

    def _refuse(self, code: str, path: Path, message: str) -> Any:
        self.refused = True
        return self._reading.fault(code, path, message)

    def _by_keys(self, union: str, cases: tuple[tuple[tuple[str, ...], tuple[str, ...], Any], ...]) -> str | None:
        for has, lacks, dispatch in cases:
            if all(key in self._members for key in has) and not any(key in self._members for key in lacks):
                return self.follow(dispatch)
        self._unanswered(union, "no_variant", self._path, f"no variant of {union} has these members")
        return None

    def _by_tag(
        self,
        union: str,
        key: str,
        cases: Mapping[str | bool | int, Any],
        others: tuple[tuple[str, str], ...],
        absent: Any,
        prefixes: tuple[tuple[str, Any], ...] = (),
    ) -> str | None:
        path = (*self._path, key)
        if key not in self._members:
            if absent is None:
                self._refuse("missing_field", path, f"expected member {_show(key)}, got none")
            return self.follow(absent)

        def judge(tag: Any) -> Any:
            """Return the dispatch that a tag selects."""
            tag, sound = _tag_value(self._reading, tag, path, str(kind(next(iter(cases), ""))))
            if not sound:
                self.refused = True
                return None
            if tag in cases:
                return cases[tag]
            for prefix, then in prefixes:
                if tag.startswith(prefix):
                    return then
            message = f"expected {_one_of([*cases, *(f'{prefix}…' for prefix, _ in prefixes)])}, got {_show(tag)}"
            for pattern, struct in others:
                if _is_like(pattern, tag):
                    return self._catch_all(struct, key, tag, path, message)
            if absent is not None and isinstance(tag, bool):
                return absent
            self._unanswered(union, "unknown_variant", path, message)
            return None

        for version in self._reading.versions(self._members, key):
            judge(version)
            self.refused, self.doubt = False, None
        return self.follow(judge(self._members[key]))

    def _catch_all(self, struct: str, key: str, tag: str, path: Path, message: str) -> Any:
        """Handle an unknown value of a known form: the result is this struct if the content fits, else the Unknown."""
        if self._reading.strict:
            return self._refuse("unknown_value", path, message)
        _, _, _, values, *_ = next(row for row in self._reading.rules.plan[struct][1] if row[0] == key)
        if self.unknown is not None:
            self.doubt = (path, "unknown_value", values if isinstance(values, str) else struct, tag, message)
        return struct

    def _unanswered(self, union: str, code: str, path: Path, message: str) -> None:
        """Handle an object that matches no variant: an open union keeps it untyped in lenient mode."""
        if self._reading.strict or not self._reading.rules.plan[union][1]:
            self._refuse(code, path, message)
        else:
            self._reading.let_pass(path, code, union, self._members, message)


_COMPOSED: dict[str, Callable[..., Any]] = {
    "[]": _Reading.array,
    "{}": _Reading.map,
    "|": _Reading.inline,
    "=": _Reading.literal,
    "()": _Reading.tuple_,
    "<": _Reading.bounded,
}

_DECLARED: dict[str, Callable[..., Any]] = {
    "enum": _Reading.enum,
    "alias": _Reading.alias,
    "struct": _Reading.struct,
    "union": _Reading.union,
}

# --- scalars ---------------------------------------------------------------------------------------------------


def _of_kind(expected: str) -> Callable[[_Reading, Any, Path], Any]:
    def read(reading: _Reading, value: Any, path: Path) -> Any:
        if kind(value) != expected:
            reading.wrong_type(expected, value, path)
        return value

    return read


def _number(reading: _Reading, value: Any, path: Path) -> Any:
    if _wide_kind(value) != "number":
        return reading.wrong_type("number", value, path)
    found = double(value)
    return _overflow(reading, path) if found is None else found


def _integer(reading: _Reading, value: Any, path: Path) -> Any:
    if _wide_kind(value) != "number":
        return reading.wrong_type("integer", value, path)
    whole = _whole(value)
    if not isinstance(whole, int) or abs(whole) > MAX_INTEGER:
        message = f"expected an integer within ±{MAX_INTEGER}, got {_show(value)}"
        return reading.fault("out_of_range", path, message)
    return whole


def _format(name: str) -> Callable[[_Reading, Any, Path], Any]:
    def read(reading: _Reading, value: Any, path: Path) -> Any:
        if kind(value) != "string":
            return reading.wrong_type("string", value, path)
        if not FORMATS[name].match(value):
            reading.let_pass(path, "bad_format", name, value, f"expected a {name}, got {_show(value)}")
        return value

    return read


def _json(reading: _Reading, value: Any, path: Path) -> Any:
    """Read untyped JSON, in which only numbers can be invalid."""
    match kind(value):
        case "number":
            if double(value) is None:
                _overflow(reading, path)
        case "array":
            for index, item in enumerate(value):
                _json(reading, item, (*path, index))
        case "object":
            for key in sorted(value):
                for version in reading.versions(value, key):
                    _json(reading, version, (*path, key))
                _json(reading, value[key], (*path, key))
    return value


def _object(reading: _Reading, value: Any, path: Path) -> Any:
    return _json(reading, value, path) if kind(value) == "object" else reading.wrong_type("object", value, path)


def _overflow(reading: _Reading, path: Path) -> None:
    reading.fault("out_of_range", path, "expected a finite number, got one that overflows a double")


_SCALARS: dict[str, Callable[[_Reading, Any, Path], Any]] = {
    "string": _of_kind("string"),
    "boolean": _of_kind("boolean"),
    "number": _number,
    "integer": _integer,
    "uuid": _format("uuid"),
    "timestamp": _format("timestamp"),
    "json": _json,
    "object": _object,
    "null": _of_kind("null"),
}


def _whole(value: Any) -> Any:
    """Return a float without a fraction as an int; anything else unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _wide_kind(value: object) -> str | None:
    found = kind(value)
    return "number" if found == "integer" else found


def _show(value: object) -> str:
    """Return a scalar as JSON, shortened for a message."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, float) and value - value != 0:
        return "a number that overflows a double"
    text = dumps(value) if kind(value) not in {None, "array", "object"} else str(kind(value))
    return text if len(text) <= 60 else text[:56] + ' …"'


def _one_of(values: Iterable[object]) -> str:
    shown = [_show(value) for value in values]
    if len(shown) > 8:
        shown = [*shown[:8], "…"]
    return ("one of " if len(shown) > 1 else "") + ", ".join(shown)
