"""Declarations → what each guard checks: one function a struct, union, array, map and choice.

A guard is exact: it accepts whatever lenient decoding accepts without taking a null away, provided that everything in
the value is JSON. So a value from `JSON.parse` that a guard accepts is decoded already. Only an object that has another
flattened into it is left to the engine.

A guard counts as it goes: it gives the least number of characters that the JSON text of the value takes. How much
longer the text is bounds what it can contain that no guard has seen: brackets, and numbers that overflow.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from polywire.model.nodes import (
    Alias,
    Array,
    Choice,
    Dispatch,
    Enum,
    Keys,
    Leaf,
    Map,
    Model,
    Ref,
    Scalar,
    Struct,
    Switch,
    Tag,
    Type,
    Union,
)
from polywire.plan import Plan
from polywire.plan import members as planned
from polywire.plan.members import StructPlan
from polywire.plan.rows import kinds
from polywire.targets.typescript.names import Names

OF_EVERY_OBJECT = frozenset(
    {
        *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor"),
        *("hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"),
    }
)
"""Keys under which an object has something even if it has no member of that name."""

OF_EVERY_ARRAY = OF_EVERY_OBJECT | frozenset(
    {
        *("at", "concat", "copyWithin", "entries", "every", "fill", "filter", "find", "findIndex", "findLast"),
        *("findLastIndex", "flat", "flatMap", "forEach", "includes", "indexOf", "join", "keys", "lastIndexOf"),
        *("length", "map", "pop", "push", "reduce", "reduceRight", "reverse", "shift", "slice", "some", "sort"),
        *("splice", "toReversed", "toSorted", "toSpliced", "unshift", "values", "with"),
    }
)
"""Keys under which an array has something, so that having it does not tell an object."""

MOST_VALUES = 3
"""A longer list of values is a function of its own."""

Kind: TypeAlias = Literal["string", "boolean", "integer", "number", "null", "values", "function", "choice"]

SCALARS: dict[str, Kind] = {
    "string": "string",
    "uuid": "string",
    "timestamp": "string",
    "boolean": "boolean",
    "integer": "integer",
    "number": "number",
    "null": "null",
}


@dataclass(frozen=True, slots=True)
class Check:
    """How a value of one type is checked."""

    kind: Kind
    function: str = ""
    """The function that checks it."""
    values: tuple[str | float | bool, ...] = ()
    """Of a closed enum, a tag or a constant."""
    name: str = ""
    """The declaration that it is the check of."""

    @property
    def direct(self) -> bool:
        """Whether the value is checked in place, and not by a function that measures it."""
        return self.kind not in {"function", "choice"}


KEPT = {"json": Check("function", "jsonLeast", name="Json"), "object": Check("function", "objectLeast", name="Object")}
"""What is kept as it came is measured by functions that every package has."""


@dataclass(frozen=True, slots=True)
class NamedCheck:
    """The function of an enum or alias."""

    name: str
    check: Check


@dataclass(frozen=True, slots=True)
class ArrayCheck:
    """The function of an array type."""

    name: str
    item: Check


@dataclass(frozen=True, slots=True)
class MapCheck:
    """The function of a map type."""

    name: str
    item: Check
    keys: tuple[str, ...]
    """The keys that are admitted; empty if all are."""


@dataclass(frozen=True, slots=True)
class ChoiceCheck:
    """The function of a choice by JSON kind."""

    name: str
    members: tuple[tuple[str, Check], ...]
    """The check by the kind of the value."""

    def member(self, kind: str) -> Check | None:
        """The check of values of a kind."""
        return dict(self.members).get(kind)


Helper: TypeAlias = "NamedCheck | ArrayCheck | MapCheck | ChoiceCheck"


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a struct's object."""

    key: str
    check: Check
    required: bool
    nullable: bool
    claimed: tuple[str | bool, ...] = ()
    tag: Tag | None = None
    """The tag that it is, which a union looks at before."""
    pattern: str | None = None
    """The form of unknown values of a tag that are admitted too."""

    @property
    def direct(self) -> bool:
        """Whether it is checked in place, and not by a function that measures it."""
        return self.check.direct

    @property
    def adds(self) -> bool:
        """Whether its length is not known from the type alone."""
        return not self.required or (self.tag is None and (self.check.kind == "string" or not self.direct))

    @property
    def simple(self) -> bool:
        """Whether its check needs no variable."""
        return self.required and self.direct and not self.nullable and not self.claimed

    @property
    def least(self) -> int:
        """The least number of characters that it takes in a JSON text: key, quotes, colon, value, comma."""
        value = least(self.check)
        return len(self.key) + 4 + (min(value, 4) if self.nullable else value)

    @property
    def own(self) -> bool:
        """Whether one has to ask if the object itself has it."""
        return self.key in OF_EVERY_OBJECT


@dataclass(frozen=True, slots=True)
class StructView:
    """One struct as the guards see it."""

    spec_name: str
    fits: str
    body: str
    """The function that relies on somebody else having looked at the tags, and at whether it is an object."""
    members: tuple[Member, ...]
    """The ones that always are there first."""
    extra: Check | None
    """Of values under undeclared keys; None if any JSON stands there."""
    flattens: bool
    evident: bool
    """Whether a member tells that it is an object and no array."""

    @property
    def tags(self) -> tuple[Member, ...]:
        return tuple(m for m in self.members if m.tag is not None)

    @property
    def others(self) -> tuple[Member, ...]:
        """What the body looks at."""
        return tuple(m for m in self.members if m.tag is None)

    @property
    def least(self) -> int:
        """The least number of characters of its JSON text that is known from the type alone."""
        return 1 + sum(m.least for m in self.members if m.required)


@dataclass(frozen=True, slots=True)
class UnionView:
    """One union as the guards see it."""

    spec_name: str
    type: str
    fits: str
    knows: str | None
    """The function that tells a known variant from an Unknown of an open union."""
    dispatch: Step
    evident: bool
    """Whether the discriminator tells that it is an object and no array."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a dispatch: the end of it, a switch on a discriminator, or conditions on keys."""

    what: Literal["struct", "switch", "keys"]
    body: str = ""
    open: bool = False
    """Whether its union takes what no variant answers to."""
    doubtful: bool = False
    """Whether an object that a catch-all does not fit is an Unknown."""
    key: str = ""
    own: bool = False
    cases: tuple[tuple[tuple[str | bool, ...], Step], ...] = ()
    """Values of the discriminator that lead the same way, and where."""
    kinds: tuple[str, ...] = ()
    """The kinds of JSON value that the discriminator may have."""
    others: tuple[tuple[str, str], ...] = ()
    """Form of an unknown value, and the body of the struct that takes it."""
    absent: Step | None = None
    conditions: tuple[tuple[tuple[str, ...], tuple[str, ...], Step], ...] = ()


@dataclass(slots=True)
class Guards:
    """The guards of a model."""

    plan: Plan
    names: Names
    taken: set[str]
    """The names in `guards.js` that mean something else."""
    helpers: dict[str, Helper] = field(default_factory=dict)
    choices: dict[str, ChoiceCheck] = field(default_factory=dict)
    _functions: dict[tuple[str, str, object], str] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    """The aliases that are being followed."""
    _depths: dict[str, int | None] = field(default_factory=dict)

    @property
    def _model(self) -> Model:
        return self.plan.model

    def function(self, prefix: str, stem: str, of: object = None) -> str:
        """The name of a function, the same for the same words and the same thing that it checks."""
        key = prefix, stem, of
        if key not in self._functions:
            name = prefix + stem
            while name in self.taken:
                name += "_"
            self.taken.add(name)
            self._functions[key] = name
        return self._functions[key]

    def fits(self, name: str) -> str:
        """The guard of a declaration, of an open union with its Unknown."""
        return self.function("fits", self.names.type(name))

    def knows(self, union: Union) -> str:
        """The function that tells the variants of an open union from its Unknown."""
        return self.function("knows", self.names.type(union.name))

    # Types.

    def check(self, type_: Type) -> Check:
        match type_:
            case Scalar(kind=kind):
                return KEPT[kind] if kind in KEPT else Check(SCALARS[kind])
            case Ref(name=name):
                return self._declared(name)
            case Array(item=item):
                check = self.check(item)
                name = self.function("every", _stem(check), check)
                return self._called(ArrayCheck(name, check))
            case Map(value=value, key=key):
                check = self.check(value)
                enum = self._model.enum(key) if key else None
                keys = tuple(str(each.wire) for each in enum.values) if enum and not enum.open else ()
                by = f"By{self.names.type(enum.name)}" if enum and keys else ""
                return self._called(MapCheck(self.function("entries", _stem(check) + by, (check, keys)), check, keys))
            case Choice(members=members):
                found = tuple(pair for member in members for pair in self._by_kind(member))
                name = self.function("either", "Or".join(_stem(check) for _, check in found), found)
                self.choices[name] = ChoiceCheck(name, found)
                return self._called(self.choices[name])

    def _by_kind(self, type_: Type) -> list[tuple[str, Check]]:
        """The kinds of value that a member of a choice takes, each with how it is checked."""
        check = self.check(type_)
        if check.kind == "choice":
            return list(self.choices[check.function].members)
        return [(kind, check) for kind in kinds(self._model, type_)]

    def _called(self, helper: ArrayCheck | MapCheck | ChoiceCheck) -> Check:
        self.helpers.setdefault(helper.name, helper)
        return Check("choice" if isinstance(helper, ChoiceCheck) else "function", helper.name)

    def _declared(self, name: str) -> Check:
        declared = self._model.declarations[name]
        if isinstance(declared, Enum):
            return self._of_enum(declared)
        if not isinstance(declared, Alias) or name in self._open:
            return Check("function", self.fits(name), name=self.names.type(name))
        self._open.append(name)
        try:
            return self.check(declared.type)
        finally:
            self._open.pop()

    def _of_enum(self, enum: Enum) -> Check:
        if enum.open:
            return Check("integer" if enum.base == "integer" else "string")
        if len(enum.values) > MOST_VALUES:
            return Check("function", self.fits(enum.name), name=self.names.type(enum.name))
        return self._values(enum)

    def _values(self, enum: Enum) -> Check:
        return Check("values", values=tuple(each.wire for each in enum.values), name=self.names.type(enum.name))

    def named(self, declared: Enum | Alias) -> NamedCheck:
        """The guard of an enum or alias by its name."""
        if isinstance(declared, Enum):
            check = self._of_enum(declared) if declared.open else self._values(declared)
        else:
            check = self._declared(declared.name)
        return NamedCheck(self.fits(declared.name), check)

    # Structs.

    def struct(self, plan: StructPlan) -> StructView:
        struct = plan.struct
        members = [self._member(each) for each in plan.members if each.role != "flattened"]
        return StructView(
            spec_name=struct.name,
            fits=self.fits(struct.name),
            body=self.function("body", self.names.type(struct.name)),
            members=tuple(sorted(members, key=lambda member: not member.required)),
            extra=None if struct.extra in (None, Scalar("json")) else self.check(struct.extra or Scalar("json")),
            flattens=any(each.role == "flattened" for each in plan.members),
            evident=any(member.required and member.key not in OF_EVERY_ARRAY for member in members),
        )

    def _member(self, member: planned.Member) -> Member:
        required = member.presence in ("required", "required nullable")
        nullable = member.presence in ("required nullable", "optional nullable")
        if member.tag is not None:
            check, pattern = Check("values", values=self._tag_values(member.tag)), member.tag.others
            return Member(member.key, check, required, nullable, tag=member.tag, pattern=pattern)
        if member.field is None:
            constant = () if member.constant is None else (member.constant,)
            return Member(member.key, Check("values", values=constant), required, nullable)
        return Member(member.key, self.check(member.field.type), required, nullable, member.claimed)

    def _tag_values(self, tag: Tag) -> tuple[str | bool, ...]:
        if tag.constant is not None:
            return (tag.constant,)
        return tag.values if tag.enum is None else tuple(str(v.wire) for v in self._model.enum(tag.enum).values)

    def depth(self, type_: Type, within: tuple[str, ...] = ()) -> int | None:
        """How many levels a value of a type can have without what is kept as it came; None where there is no end."""
        match type_:
            case Scalar():
                return 0
            case Array(item=inner) | Map(value=inner):
                below = self.depth(inner, within)
                return None if below is None else 1 + below
            case Choice(members=members):
                return _deepest(self.depth(member, within) for member in members)
            case Ref(name=name):
                return None if name in within else self._depth_of(name, (*within, name))

    def _depth_of(self, name: str, within: tuple[str, ...]) -> int | None:
        if name not in self._depths:
            match self._model.declarations[name]:
                case Enum():
                    found: int | None = 0
                case Alias(type=type_):
                    found = self.depth(type_, within)
                case Union():
                    found = _deepest(self.depth(Ref(struct), within) for struct in self.plan.unions[name].structs)
                case Struct() as struct:
                    extra = () if struct.extra is None else (struct.extra,)
                    types = (*(each.type for each in struct.wire_fields), *extra)
                    below = _deepest(self.depth(each, within) for each in types)
                    found = None if below is None else 1 + below
            self._depths[name] = found
        return self._depths[name]

    # Unions.

    def union(self, union: Union) -> UnionView:
        step = self._step(union.dispatch, frozenset(), doubtful=False)
        knows = self.knows(union) if union.open else None
        evident = step.what == "switch" and step.absent is None and step.key not in OF_EVERY_ARRAY
        return UnionView(union.name, self.names.type(union.name), self.fits(union.name), knows, step, evident)

    def _step(self, dispatch: Dispatch, seen: frozenset[str], *, doubtful: bool) -> Step:
        """A dispatch behind the discriminators that were seen; `doubtful` if a union around it is open."""
        match dispatch:
            case Leaf(struct=struct):
                return Step("struct", body=self._body(struct, seen))
            case Switch(union=union, key=key, cases=cases, others=others, absent=absent):
                open_ = self._model.union(union).open
                seen |= {key}
                by_way: dict[Dispatch, list[str | bool]] = {}
                for value, then in cases:
                    by_way.setdefault(then, []).append(value)
                return Step(
                    "switch",
                    open=open_,
                    doubtful=doubtful or open_,
                    key=key,
                    own=key in OF_EVERY_OBJECT,
                    cases=tuple((tuple(v), self._step(d, seen, doubtful=doubtful or open_)) for d, v in by_way.items()),
                    kinds=tuple(dict.fromkeys(_kind(value) for value, _ in cases)) or ("string",),
                    others=tuple((pattern, self._body(struct, seen)) for pattern, struct in others),
                    absent=None if absent is None else self._step(absent, seen, doubtful=doubtful or open_),
                )
            case Keys(union=union, cases=conditions):
                open_ = self._model.union(union).open
                return Step(
                    "keys",
                    open=open_,
                    doubtful=doubtful or open_,
                    conditions=tuple(
                        (each.has, each.lacks, self._step(then, seen, doubtful=doubtful or open_))
                        for each, then in conditions
                    ),
                )

    def _body(self, struct: str, seen: frozenset[str]) -> str:
        """What is left to look at, all of it if a tag was not seen."""
        if any(tag.key not in seen for tag in self._model.struct(struct).tags):
            return self.fits(struct)
        return self.function("body", self.names.type(struct))


LEAST: dict[str, int] = {"string": 2, "boolean": 4, "integer": 1, "number": 1, "null": 4}
"""The least number of characters of a value by its kind, as far as it is known before the value is."""


def least(check: Check) -> int:
    """The same for a check; what a function measures counts as nothing."""
    if check.kind == "values":
        return min(map(_least_of, check.values))
    return LEAST.get(check.kind, 0)


def _least_of(value: str | bool | float) -> int:
    """The same for one value; of a number a text may have shorter forms than ours."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return LEAST["number"] if is_number else len(json.dumps(value, ensure_ascii=False))


def _deepest(depths: Iterable[int | None]) -> int | None:
    found = 0
    for depth in depths:
        if depth is None:
            return None
        found = max(found, depth)
    return found


def _kind(value: str | bool) -> str:
    return "boolean" if isinstance(value, bool) else "string"


def _stem(check: Check) -> str:
    """The part of a function's name that says what it is of."""
    name = check.name or check.function or check.kind
    return name[:1].upper() + name[1:]
