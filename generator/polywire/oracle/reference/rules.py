"""A JSON value and the rows of a plan → the decoded value, or all faults in it.

This implements the decoding rules literally, row by row, regardless of speed. Reading continues after a fault, so that
all faults are found, any of which a binding may report. `polywire.plan.rows` describes the rows.

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
    FORMATS,
    MAX_DEPTH,
    MAX_INTEGER,
    Fault,
    glob,
    pointer,
)
from polywire.ground.json_values import double, dumps, equal, kind
from polywire.model.nodes import Dispatch, Keys, Leaf, OnError, Switch
from polywire.oracle.reference.text import Object, Text
from polywire.plan.rows import (
    AliasRow,
    ArrayRule,
    BoundedRule,
    ChoiceRule,
    ConstantRow,
    EnumRow,
    FieldRow,
    LiteralRule,
    MapRule,
    MemberRow,
    NamedRule,
    Row,
    Rule,
    ScalarRule,
    StructRow,
    TagRow,
    TupleRule,
    UnionRow,
)
from polywire.source.types import ScalarKind

Plan: TypeAlias = Mapping[str, Row]
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

    def outcomes(self, root: str | Rule, text: Text, *, strict: bool) -> Outcomes:
        """Return the possible results for a parsed text as `root`, a declared name or any rule.

        If a key occurs more than once, there are two readings: one that checks overwritten values, and one that does
        not.
        """
        if text.faults:
            return Outcomes((), _once((*text.faults, *text.free)))
        root = NamedRule(root) if isinstance(root, str) else root
        readings = [_Reading(self, root, text.value, strict=strict, overwritten=False)]
        if text.duplicates:
            readings.append(_Reading(self, root, text.value, strict=strict, overwritten=True))
        accepted: list[Decoded] = []
        for each in readings:
            if each.decoded is not None and not any(_same(each.decoded, other) for other in accepted):
                accepted.append(each.decoded)
        return Outcomes(tuple(accepted), _once((*(f for each in readings for f in each.faults), *text.free)))

    def decode(self, root: str | Rule, value: Any, *, strict: bool) -> Decoded:
        """Decode a JSON value as `root`. Raises its first fault."""
        return self.outcomes(root, Text(value), strict=strict).first()

    def struct(self, row: StructRow) -> _Struct:
        """Return a struct's row, prepared for reading."""
        if row.name not in self._structs:
            self._structs[row.name] = _Struct(self.plan, row)
        return self._structs[row.name]

    def enum(self, name: str) -> EnumRow:
        """Return the row of an enum."""
        row = self.plan[name]
        assert isinstance(row, EnumRow)  # noqa: S101 (a valid plan)
        return row

    def union(self, name: str) -> UnionRow:
        """Return the row of a union."""
        row = self.plan[name]
        assert isinstance(row, UnionRow)  # noqa: S101 (a valid plan)
        return row

    def without_alias(self, rule: Rule) -> Row | Rule:
        """Return the row or rule that a rule stands for."""
        row = self.plan[rule.name] if isinstance(rule, NamedRule) else rule
        return self.without_alias(row.rule) if isinstance(row, AliasRow) else row

    def expected(self, rule: Rule) -> str:
        """Return the JSON kind that a rule expects, for messages."""
        match rule:
            case ScalarRule(kind=kind):
                return "string" if kind in FORMATS else kind
            case BoundedRule(scalar=scalar):
                return self.expected(scalar)
            case LiteralRule(value=value):
                return str(_wide_kind(value))
            case ArrayRule() | TupleRule():
                return "array"
            case MapRule():
                return "object"
            case ChoiceRule(kinds=kinds):
                return " or ".join(kind for kind, _ in kinds)
            case NamedRule(name=name):
                row = self.plan[name]
                if isinstance(row, AliasRow):
                    return self.expected(row.rule)
                return row.base if isinstance(row, EnumRow) else "object"


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
    rule: Rule
    required: bool


class _Struct:
    """The row of a struct: its members in wire order, and the type of all others."""

    def __init__(self, plan: Plan, row: StructRow) -> None:
        self.name = row.name
        self.extra = row.extra
        self.members = [_member(plan, row.name, each) for each in row.members]
        self.declared = frozenset(each.key for each in self.members if isinstance(each, _Member))
        self.flat = next((each for each in self.members if isinstance(each, _Flat)), None)


_ABSENT = object()


def _member(plan: Plan, struct: str, row: MemberRow) -> _Member | _Flat:
    """Return a member, prepared for reading."""
    match row:
        case ConstantRow():
            return _tag(struct, row, (row.value,)) if row.is_tag else _const(row)
        case TagRow(enum=str() as enum):
            declared = plan[enum]
            return _tag(enum, row, declared.values if isinstance(declared, EnumRow) else ())
        case TagRow(values=values):
            return _tag(struct, row, values)
        case FieldRow(flattened=True):
            return _Flat(row.key, row.rule, row.required)
        case FieldRow():
            return _field(struct, row)


def _tag(owner: str, row: ConstantRow | TagRow, values: tuple[Any, ...]) -> _Member:
    """Return a tag; `owner` is what an unknown value is unknown to."""
    expected = str(kind(next(iter(values), "")))

    def read(reading: _Reading, value: Any, path: Path) -> Any:
        found, sound = _tag_value(reading, value, path, expected)
        if not sound:
            return found
        if isinstance(row, ConstantRow):
            if found != row.value:
                reading.fault("wrong_constant", path, f"expected {_show(row.value)}, got {_show(found)}")
        elif row.prefix is not None:
            if not found.startswith(row.prefix):
                message = f"expected a text that begins with {_show(row.prefix)}, got {_show(found)}"
                reading.fault("unknown_value", path, message)
        elif found not in values:
            message = f"expected {_one_of(values)}, got {_show(found)}"
            if row.others is not None and _is_like(row.others, found):
                reading.let_pass(path, "unknown_value", owner, found, message)
            else:
                reading.fault("unknown_value", path, message)
        return found

    return _Member(row.key, row.required, read)


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


def _const(row: ConstantRow) -> _Member:
    expected = _wide_kind(row.value)

    def read(reading: _Reading, value: Any, path: Path) -> Any:
        if _wide_kind(value) != expected:
            reading.wrong_type(str(expected), value, path)
        elif not equal(value, row.value):
            reading.fault("wrong_constant", path, f"expected {_show(row.value)}, got {_show(value)}")
        return row.value

    return _Member(row.key, True, read)


def _field(struct: str, row: FieldRow) -> _Member:
    def read(reading: _Reading, value: Any, path: Path) -> Any:
        if value is None and row.nullable:
            return None
        if value is None and not row.required:
            message = f"expected {reading.rules.expected(row.rule)}, got null"
            reading.let_pass(path, "wrong_type", struct, value, message)
            return _ABSENT
        if is_claimed(value, row.claimed, row.claimed_prefixes):
            reading.fault("wrong_constant", path, f"{_show(value)} belongs to another variant")
        if row.on_error is not None and not reading.strict:
            return reading.repaired(struct, row.rule, row.on_error, value, path)
        return reading.read(row.rule, value, path)

    return _Member(row.key, row.required, read)


def is_claimed(value: Any, claimed: tuple[str | bool | int, ...], prefixes: tuple[str, ...]) -> bool:
    """Return whether siblings that claim some values, and strings with some prefixes, claim a discriminator's value."""
    return (isinstance(value, str) and value.startswith(prefixes)) or any(equal(value, each) for each in claimed)


# --- one reading -----------------------------------------------------------------------------------------------


class _Reading:
    """One pass over one document; its methods read types, and the functions below read scalars.

    A reader returns the decoded value. After a fault the value is never used, so it may be anything.
    """

    def __init__(self, rules: Rules, root: Rule, value: Any, *, strict: bool, overwritten: bool) -> None:
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
            name = root.name if isinstance(root, NamedRule) else ""
            variant = self._variant if isinstance(rules.without_alias(root), UnionRow) else name
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

    def read(self, rule: Rule, value: Any, path: Path) -> Any:
        """Read a value by any rule. Raises `KeyError` for a name that the plan does not have."""
        match rule:
            case ScalarRule(kind=kind):
                return _SCALARS[kind](self, value, path)
            case BoundedRule(scalar=scalar, low=low, high=high):
                return self.bounded(value, path, scalar.kind, low, high)
            case LiteralRule(value=constant):
                return self.literal(value, path, constant)
            case NamedRule(name=name):
                return self.declared(self.rules.plan[name], value, path)
            case ArrayRule(item=item, low=low, high=high):
                return self.array(value, path, item, low, high)
            case TupleRule(items=items):
                return self.tuple_(value, path, items)
            case MapRule(value=item, key=enum):
                return self.map(value, path, item, enum)
            case ChoiceRule(kinds=kinds):
                return self.inline(value, path, dict(kinds))

    def declared(self, row: Row, value: Any, path: Path) -> Any:
        """Read a value by the row of a declaration."""
        match row:
            case EnumRow():
                return self.enum(value, path, row)
            case AliasRow(rule=rule):
                return self.read(rule, value, path)
            case StructRow():
                return self.struct(value, path, row)
            case UnionRow():
                return self.union(value, path, row)

    def array(self, value: Any, path: Path, item: Rule, low: int | None, high: int | None) -> Any:
        if kind(value) != "array":
            return self.wrong_type("array", value, path)
        self._judge_length(value, path, low, high)
        return [self.read(item, each, (*path, index)) for index, each in enumerate(value)]

    def _judge_length(self, value: Any, path: Path, low: int | None, high: int | None) -> None:
        if len(value) < (low or 0) or (high is not None and len(value) > high):
            expected = f"{low or 0} to {high}" if high is not None else f"at least {low}"
            self.let_pass(path, "out_of_bounds", "", value, f"expected {expected} items, got {len(value)}")

    def repaired(self, struct: str, rule: Rule, on_error: OnError, value: Any, path: Path) -> Any:
        """Read a value in lenient mode and repair it if it does not fit; `_ABSENT` if the field becomes absent."""
        read = self._skipping(struct, rule) if on_error.skip else partial(self.read, rule)
        if not on_error.absent and not on_error.replaces:
            return read(value, path)
        made, fault = self._tried(read, value, path)
        if fault is None:
            return made
        self._passed.append(Passed(path, fault.code, struct, value, fault.message))
        if on_error.absent:
            return _ABSENT
        return None if on_error.value is None else self.read(rule, on_error.value, path)

    def _skipping(self, struct: str, rule: Rule) -> Callable[[Any, Path], Any]:
        """Return the reader of a list that leaves out the items that do not fit."""
        plain = self.rules.without_alias(rule)
        assert isinstance(plain, ArrayRule)  # noqa: S101 (a valid plan)
        item, low, high = plain.item, plain.low, plain.high

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
        found = [len(each) for each in lists[:2]]
        _json(self, value, path)
        if [len(each) for each in lists[:2]] != found:
            return made, None  # its faults stay: it contains a number that overflows
        fault = (*self._found[before[0] :], *self._beside[before[1] :])[0]
        for each, length in zip(lists, before, strict=True):
            del each[length:]
        return made, fault

    def tuple_(self, value: Any, path: Path, types: tuple[Rule, ...]) -> Any:
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

    def bounded(self, value: Any, path: Path, scalar: ScalarKind, low: float | None, high: float | None) -> Any:
        before = len(self._found)
        made = _SCALARS[scalar](self, value, path)
        if len(self._found) == before:
            size = len(made) if scalar == "string" else made
            if (low is not None and size < low) or (high is not None and size > high):
                what = "characters" if scalar == "string" else scalar
                message = f"expected {_between(low, high)} ({what}), got {_show(size)}"
                self.let_pass(path, "out_of_bounds", scalar, value, message)
        return made

    def map(self, value: Any, path: Path, item: Rule, enum: str | None) -> Any:
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
        row = self.rules.enum(enum)
        if key not in map(str, row.values):
            message = f"{_show(key)} is not a value of {enum}"
            if row.open:
                self.let_pass(path, "unknown_value", enum, key, message)
            else:
                self.fault("unknown_value", path, message)

    def inline(self, value: Any, path: Path, members: Mapping[str, Rule]) -> Any:
        member = members.get(_wide_kind(value) or "")
        if member is None:
            return self.wrong_type(" or ".join(members), value, path)
        return self.read(member, value, path)

    def enum(self, value: Any, path: Path, row: EnumRow) -> Any:
        if _wide_kind(value) != ("string" if row.base == "string" else "number"):
            return self.wrong_type(row.base, value, path)
        value = _whole(value)
        if value in row.values:
            return value
        message = f"{_show(value)} is not a value of {row.name}"
        if not row.open:
            return self.fault("unknown_value", path, message)
        self.let_pass(path, "unknown_value", row.name, value, message)
        return self.read(ScalarRule(row.base), value, path)

    def struct(self, value: Any, path: Path, row: StructRow) -> Any:
        if kind(value) != "object":
            return self.wrong_type("object", value, path)
        struct, name = self.rules.struct(row), row.name
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
        extra = self._extra(struct, value, made, path)
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
        return _ABSENT if not rest and not flat.required else self.read(flat.rule, rest, path)

    def _extra(
        self, struct: _Struct, members: Mapping[str, Any], made: Mapping[str, Any], path: Path
    ) -> dict[str, Any]:
        """Return all other members, with those that lenient mode removed, which are not checked against a type."""
        taken = {key: members[key] for key in members if key in struct.declared and key not in made}
        if struct.flat is not None:
            return taken
        found: dict[str, Any] = {}
        for key in sorted(members.keys() - struct.declared):
            place = (*path, key)
            for version in self.versions(members, key):
                self._undeclared(struct, key, version, place)
            found[key] = self._undeclared(struct, key, members[key], place)
        found |= taken
        return {key: found[key] for key in members if key in found}

    def _undeclared(self, struct: _Struct, key: str, value: Any, path: Path) -> Any:
        if struct.extra is None:
            self.let_pass(path, "unknown_field", struct.name, value, f"{_show(key)} is not a field of {struct.name}")
        return self.read(struct.extra or ScalarRule("json"), value, path)

    # Unions.

    def union(self, value: Any, path: Path, row: UnionRow) -> Any:
        if kind(value) != "object":
            return self.wrong_type("object", value, path)
        choice = _Choice(self, value, path)
        struct = choice.follow(row.dispatch)
        if choice.refused:
            return None
        made = None
        if struct is not None:
            before = [(each, len(each)) for each in (self._found, self._beside, self._passed, self._steps)]
            made = self.read(NamedRule(struct), value, path)
            if choice.doubt is not None and any(len(each) > length for each, length in before[:2]):
                for each, length in before:  # an unknown value of a known form whose content does not have that form
                    del each[length:]
                self.let_pass(*choice.doubt)
                struct = None
        if struct is None:
            made = self.read(ScalarRule("json"), value, path)
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

    def follow(self, dispatch: Dispatch | None) -> str | None:
        """Return the struct that the discriminators select; None for an Unknown, or if the object is rejected."""
        match dispatch:
            case None:
                return None
            case Leaf(struct=struct):
                return struct
            case Switch(union=name) | Keys(union=name):
                union = self._reading.rules.union(name)
                self._reading.step(self._path, name)
                if union.open and self.unknown is None:
                    self.unknown = union.unknown
                return self._by_tag(dispatch) if isinstance(dispatch, Switch) else self._by_keys(dispatch)

    def _refuse(self, code: str, path: Path, message: str) -> None:
        self.refused = True
        self._reading.fault(code, path, message)

    def _by_keys(self, keys: Keys) -> str | None:
        for each, then in keys.cases:
            if all(key in self._members for key in each.has) and not any(key in self._members for key in each.lacks):
                return self.follow(then)
        self._unanswered(keys.union, "no_variant", self._path, f"no variant of {keys.union} has these members")
        return None

    def _by_tag(self, switch: Switch) -> str | None:
        key, cases = switch.key, dict(switch.cases)
        path = (*self._path, key)
        if key not in self._members:
            if switch.absent is None:
                self._refuse("missing_field", path, f"expected member {_show(key)}, got none")
            return self.follow(switch.absent)

        def judge(tag: Any) -> Dispatch | None:
            """Return the dispatch that a tag selects."""
            tag, sound = _tag_value(self._reading, tag, path, str(kind(next(iter(cases), ""))))
            if not sound:
                self.refused = True
                return None
            if tag in cases:
                return cases[tag]
            for prefix, then in switch.prefixes:
                if tag.startswith(prefix):
                    return then
            message = (
                f"expected {_one_of([*cases, *(f'{prefix}…' for prefix, _ in switch.prefixes)])}, got {_show(tag)}"
            )
            for pattern, struct in switch.others:
                if _is_like(pattern, tag):
                    return self._catch_all(struct, key, tag, path, message)
            if switch.absent is not None and isinstance(tag, bool):
                return switch.absent
            self._unanswered(switch.union, "unknown_variant", path, message)
            return None

        for version in self._reading.versions(self._members, key):
            judge(version)
            self.refused, self.doubt = False, None
        return self.follow(judge(self._members[key]))

    def _catch_all(self, struct: str, key: str, tag: str, path: Path, message: str) -> Leaf | None:
        """Handle an unknown value of a known form: the result is this struct if the content fits, else the Unknown."""
        if self._reading.strict:
            self._refuse("unknown_value", path, message)
            return None
        row = self._reading.rules.plan[struct]
        members = row.members if isinstance(row, StructRow) else ()
        enum = next((each.enum for each in members if isinstance(each, TagRow) and each.key == key), None)
        if self.unknown is not None:
            self.doubt = (path, "unknown_value", enum or struct, tag, message)
        return Leaf(struct)

    def _unanswered(self, union: str, code: str, path: Path, message: str) -> None:
        """Handle an object that matches no variant: an open union keeps it untyped in lenient mode."""
        if self._reading.strict or not self._reading.rules.union(union).open:
            self._refuse(code, path, message)
        else:
            self._reading.let_pass(path, code, union, self._members, message)


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
