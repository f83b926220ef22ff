"""Declarations → what the guard templates lay out: one function a struct, union, list, map and choice.

A guard is exact: it lets through whatever lenient decoding takes without taking a null away, once it is known that
everything in the value is JSON. So what a decoder gets from `JSON.parse` and a guard lets through is decoded already.
Only an object that has another flattened into it is left to the slow pass.

A guard counts as it goes: it gives the least number of characters that the JSON text of the value takes. How much
longer the text is bounds what there can be in it that no guard has seen: brackets, and numbers that overflow.
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
from polywire.model.walk import structs_of
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


KEPT = {"json": Check("function", "jsonLeast", name="Json"), "object": Check("function", "objectLeast", name="Object")}
"""What is kept as it came is measured by functions that every package has."""


@dataclass(frozen=True, slots=True)
class Helper:
    """A function for an array, a map, a choice by kind, or a named type that is none of them."""

    name: str
    what: Literal["array", "map", "choice", "check"]
    item: Check | None = None
    keys: tuple[str, ...] = ()
    """The keys of a closed map."""
    members: tuple[tuple[str, Check], ...] = ()
    """Of a choice: the check by the kind of the value."""

    def member(self, kind: str) -> Check | None:
        return dict(self.members).get(kind)


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
        """Whether it is checked where it stands, and not by a function that measures it."""
        return self.check.kind not in {"function", "choice"}

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

    model: Model
    names: Names
    taken: set[str]
    """Identifiers that mean something else."""
    helpers: dict[str, Helper] = field(default_factory=dict)
    _functions: dict[tuple[str, str], str] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    """The aliases that are being followed."""
    _depths: dict[str, int | None] = field(default_factory=dict)

    def function(self, prefix: str, stem: str) -> str:
        """A name of our own for a function, the same for the same words."""
        if (prefix, stem) not in self._functions:
            name = prefix + stem
            while name in self.taken:
                name += "_"
            self.taken.add(name)
            self._functions[prefix, stem] = name
        return self._functions[prefix, stem]

    def fits(self, name: str) -> str:
        """The guard of a declaration, of an open union with its Unknown."""
        return self.function("fits", self.names.type(name))

    # Types.

    def check(self, type_: Type) -> Check:
        match type_:
            case Scalar(kind=kind):
                return KEPT[kind] if kind in KEPT else Check(SCALARS[kind])
            case Ref(name=name):
                return self._declared(name)
            case Array(item=item):
                return self._helper(f"every{_stem(self.check(item))}", "array", item=self.check(item))
            case Map(value=value, key=key):
                enum = self.model.enum(key) if key else None
                keys = tuple(str(each.wire) for each in enum.values) if enum and not enum.open else ()
                by = f"By{self.names.type(enum.name)}" if enum and keys else ""
                return self._helper(f"entries{_stem(self.check(value))}{by}", "map", item=self.check(value), keys=keys)
            case Choice(members=members):
                found = [pair for member in members for pair in self._by_kind(member)]
                return self._helper("either" + "Or".join(_stem(check) for _, check in found), "choice", members=found)

    def _by_kind(self, type_: Type) -> list[tuple[str, Check]]:
        """The kinds of value that a member of a choice takes, each with how it is checked."""
        check = self.check(type_)
        if check.kind == "choice":
            return list(self.helpers[check.function].members)
        return [(kind, check) for kind in kinds(self.model, type_)]

    def _helper(
        self,
        stem: str,
        what: Literal["array", "map", "choice", "check"],
        *,
        item: Check | None = None,
        keys: tuple[str, ...] = (),
        members: Iterable[tuple[str, Check]] = (),
    ) -> Check:
        name = self.function("", stem)
        self.helpers.setdefault(name, Helper(name, what, item, keys, tuple(members)))
        return Check("choice" if what == "choice" else "function", name)

    def _declared(self, name: str) -> Check:
        declared = self.model.declarations[name]
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

    def named(self, declared: Enum | Alias) -> Helper:
        """The guard of an enum or alias by its name."""
        if isinstance(declared, Enum):
            check = self._of_enum(declared) if declared.open else self._values(declared)
        else:
            check = self._declared(declared.name)
        return Helper(self.fits(declared.name), "check", check)

    # Structs.

    def struct(self, struct: Struct) -> StructView:
        members = [
            *(self._tag(tag) for tag in struct.tags),
            *(Member(const.key, Check("values", values=(const.value,)), True, False) for const in struct.consts),
            *(
                Member(
                    each.name,
                    self.check(each.type),
                    each.required,
                    each.nullable or "null" in kinds(self.model, each.type),
                    each.claimed,
                )
                for each in struct.wire_fields
                if each.tag is None and not each.flatten
            ),
        ]
        return StructView(
            spec_name=struct.name,
            fits=self.fits(struct.name),
            body=self.function("body", self.names.type(struct.name)),
            members=tuple(sorted(members, key=lambda member: not member.required)),
            extra=None if struct.extra in (None, Scalar("json")) else self.check(struct.extra or Scalar("json")),
            flattens=any(each.flatten for each in struct.wire_fields),
            evident=any(member.required and member.key not in OF_EVERY_ARRAY for member in members),
        )

    def _tag(self, tag: Tag) -> Member:
        values: tuple[str | bool, ...] = tag.values
        if tag.constant is not None:
            values = (tag.constant,)
        elif tag.enum is not None:
            values = tuple(str(each.wire) for each in self.model.enum(tag.enum).values)
        return Member(tag.key, Check("values", values=values), not tag.optional, False, tag=tag, pattern=tag.others)

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
            match self.model.declarations[name]:
                case Enum():
                    found: int | None = 0
                case Alias(type=type_):
                    found = self.depth(type_, within)
                case Union(dispatch=dispatch):
                    found = _deepest(self.depth(Ref(struct), within) for struct in structs_of(dispatch))
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
        knows = self.function("knows", self.names.type(union.name)) if union.open else None
        evident = step.what == "switch" and step.absent is None and step.key not in OF_EVERY_ARRAY
        return UnionView(union.name, self.names.type(union.name), self.fits(union.name), knows, step, evident)

    def _step(self, dispatch: Dispatch, seen: frozenset[str], *, doubtful: bool) -> Step:
        """A dispatch behind the discriminators that were seen; `doubtful` if a union around it is open."""
        match dispatch:
            case Leaf(struct=struct):
                return Step("struct", body=self._body(struct, seen))
            case Switch(union=union, key=key, cases=cases, others=others, absent=absent):
                open_ = self.model.union(union).open
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
                open_ = self.model.union(union).open
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
        if any(tag.key not in seen for tag in self.model.struct(struct).tags):
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
