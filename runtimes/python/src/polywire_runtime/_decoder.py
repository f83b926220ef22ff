# pyright: basic
"""Rows → functions that turn JSON values into objects.

A function takes a value. In the modes that note places, it also takes the place of the value, a chain of pairs (place
of the container, step), and the list of the places where something was tolerated. The path of a fault is collected
while the exception propagates, so valid input pays nothing for it.

`_decoder.compiled.txt`, beside this file in the repository of polywire, shows what is compiled for each kind of member.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import partial
from itertools import repeat, starmap

from ._base import UNSET
from ._json import (
    SCALARS,
    Fault,
    NeedsRepair,
    check_fast_value,
    check_text_value,
    check_value,
    fast_loads,
    one_of,
    overflow,
    show,
    wrong_type,
)
from ._rows import COMPILING, NULLABLE, REQUIRED, ROOM, Source, class_of, has_no_parts, is_flat, repair_of, row
from ._table import RECURSIVE, ROWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, NoReturn, TypeAlias

    Place: TypeAlias = "tuple[Place, str | int] | None"

__all__ = [
    "FORMATS",
    "MAX_INTEGER",
    "TEXTS",
    "Decoders",
    "Place",
    "claims",
    "glob",
    "is_claimed",
    "no_such_variant",
    "refuse_claimed",
    "whole",
]

MAX_INTEGER = 2**53 - 1
"""The largest integer on the wire: up to it, every integer has an exact and distinct double."""

TEXTS = frozenset((str,))

_LOOKUPS = 8
"""How many optional members are looked up before the number of members found is compared with that of the object."""

FORMATS: dict[str, Callable[[str], object]] = {
    "uuid": re.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}").fullmatch,
    "timestamp": re.compile(
        "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.][0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})"
    ).fullmatch,
}


# --- helpers of the compiled functions for unusual values ------------------------------------------------------


def _in_order(d: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
    """Extra members in the order in which they arrived."""
    return {key: extra[key] for key in d if key in extra}


def _missing(key: str) -> NoReturn:
    raise Fault("missing_field", f"expected member {show(key)}, got none", key)


_CONSTANT_KINDS = {str: "string", bool: "boolean", int: "number", float: "number"}


def _wrong_constant(expected: Any, value: Any, *steps: str) -> None:
    """Refuse a value that is not the constant; numbers compare as doubles."""
    kind = _CONSTANT_KINDS[type(expected)]
    if _CONSTANT_KINDS.get(type(value)) != kind:
        wrong_type(kind, value, *steps)
    if value != expected:
        raise Fault("wrong_constant", f"expected {show(expected)}, got {show(value)}", *steps)


def refuse_claimed(value: Any, *steps: str) -> NoReturn:
    raise Fault("wrong_constant", f"{show(value)} belongs to another variant", *steps)


def _unknown_value(value: Any, enum: str, *steps: str) -> NoReturn:
    raise Fault("unknown_value", f"{show(value)} is not a value of {enum}", *steps)


def no_such_variant(value: Any, classes: tuple[type, ...]) -> NoReturn:
    """Refuse an object of another variant than some."""
    raise Fault(
        "unknown_variant", f"expected {' or '.join(each.__name__ for each in classes)}, got {type(value).__name__}"
    )


def _unknown_tag(value: Any, values: Iterable[str], key: str) -> NoReturn:
    raise Fault("unknown_value", f"expected {one_of(values)}, got {show(value)}", key)


def _unknown_prefix(value: Any, prefix: str, key: str) -> NoReturn:
    raise Fault("unknown_value", f"expected a text that begins with {show(prefix)}, got {show(value)}", key)


def _wrong_tag(expected: int, value: Any, key: str) -> None:
    """Refuse a value that is not the tag; a number that is not an integer is out of range."""
    if _integer(value, key) != expected:
        raise Fault("wrong_constant", f"expected {expected}, got {show(value)}", key)


def claims(v: str, values: Any, prefixes: Any = ()) -> str:
    """The expression that tests whether the value of a discriminator belongs to a sibling variant."""
    tests = [f"{v} is {each}" if type(each) is bool else f"{v} == {each!r}" for each in values]
    if any(type(each) is int for each in values):
        tests = [f"type({v}) is not bool and ({' or '.join(tests)})"]
    if prefixes:
        tests.append(f"isinstance({v}, str) and {v}.startswith({tuple(prefixes)!r})")
    return " or ".join(tests)


def is_claimed(value: Any, values: Any = (), prefixes: Any = ()) -> bool:
    """Whether the value of a discriminator belongs to a sibling variant."""
    if type(value) is str and value.startswith(tuple(prefixes)):
        return True
    kind = _CONSTANT_KINDS.get(type(value))
    return any(kind == _CONSTANT_KINDS[type(each)] and value == each for each in values)


def _bad_format(name: str, value: str, *steps: str) -> NoReturn:
    raise Fault("bad_format", f"expected a {name}, got {show(value)}", *steps)


def _out_of_bounds(low: int | None, high: int | None, value: Any, *steps: str) -> NoReturn:
    expected = f"at least {low}" if high is None else f"{low or 0} to {high}"
    raise Fault("out_of_bounds", f"expected {expected} items, got {len(value)}", *steps)


def _beyond(low: float | None, high: float | None, size: float, value: Any) -> NoReturn:
    """Refuse a scalar that is out of bounds; the size of a text is its number of code points."""
    expected = f"at least {low}" if high is None else f"at most {high}" if low is None else f"{low} to {high}"
    what = "characters" if type(value) is str else "number"
    raise Fault("out_of_bounds", f"expected {expected} ({what}), got {size}")


def whole(value: Any, *steps: str) -> Any:
    """A number as an int if it has no fraction, else unchanged; refuse a value that is not a number."""
    if type(value) is float:
        return int(value) if value.is_integer() else value
    if type(value) is not int:
        wrong_type("integer", value, *steps)
    return value


def _integer(value: Any, *steps: str) -> int:
    """A JSON number as an int; refuse one with a fraction, or beyond ±(2^53-1)."""
    found = whole(value, *steps)
    if type(found) is not int or not -MAX_INTEGER <= found <= MAX_INTEGER:
        raise Fault("out_of_range", f"expected an integer within ±{MAX_INTEGER}, got {show(value)}", *steps)
    return found


def _number(value: Any, *steps: str) -> float:
    """A JSON number as a float; refuse one that overflows."""
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            overflow(*steps)
    if type(value) is not float:
        wrong_type("number", value, *steps)
    if value - value:
        overflow(*steps)
    return value


def _refuse_item(of: type, expected: str, value: Any) -> NoReturn:
    """Refuse the first item that has another class."""
    for step, item in value.items() if type(value) is dict else enumerate(value):
        if type(item) is not of:
            wrong_type(expected, item, step)
    raise AssertionError(value)


def _refuse_keys(value: Any) -> NoReturn:
    wrong_type("only strings as keys", next(key for key in value if type(key) is not str))


_BEFORE_UNKNOWN_VALUE = frozenset(("wrong_type", "missing_field", "unknown_variant", "no_variant", "wrong_constant"))


def _entry(fault: Fault, key: str, keys: frozenset[str], enum: str) -> Fault:
    """The fault of a map's entry, whose key may be unknown as well."""
    if key not in keys and not fault.steps and fault.code not in _BEFORE_UNKNOWN_VALUE:
        fault = Fault("unknown_value", f"{show(key)} is not a value of {enum}")
    fault.steps.append(key)
    return fault


def _any_value(_: Any) -> bool:
    """The test for the catch-all of integers."""
    return True


def glob(pattern: str) -> Callable[[str], object]:
    """A pattern in which `*` matches any text → the test for a whole string."""
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL).fullmatch


_SCOPE: dict[str, Any] = {
    "Fault": Fault,
    "NeedsRepair": NeedsRepair,
    "TEXTS": TEXTS,
    "UNSET": UNSET,
    "bad_format": _bad_format,
    "claimed": refuse_claimed,
    "entry": _entry,
    "in_order": _in_order,
    "integer": _integer,
    "missing": _missing,
    "number": _number,
    "beyond": _beyond,
    "out_of_bounds": _out_of_bounds,
    "refuse_item": _refuse_item,
    "refuse_keys": _refuse_keys,
    "unknown_prefix": _unknown_prefix,
    "no_such_variant": no_such_variant,
    "unknown_tag": _unknown_tag,
    "unknown_value": _unknown_value,
    "whole": whole,
    "wrong_constant": _wrong_constant,
    "wrong_tag": _wrong_tag,
    "wrong_type": wrong_type,
    **FORMATS,
}

_KINDS = {
    "string": "type({0}) is str",
    "array": "type({0}) is list",
    "object": "type({0}) is dict",
    "number": "type({0}) is int or type({0}) is float",
    "boolean": "type({0}) is bool",
    "null": "{0} is None",
}
"""The test for each kind of JSON value, the most common first."""


class _Union:
    """Selects the variant for the objects of a union, or of a part of one."""

    __slots__ = ("key", "miss", "read", "table")

    def __init__(self, read: Any, key: str = "", table: dict[str, Any] | None = None, miss: Any = None) -> None:
        self.read = read
        """Decodes a value."""
        self.key = key
        self.table = table
        """The function for each text under `key`, if nothing but that text selects the variant."""
        self.miss = miss
        """Decodes or refuses the values that are not in `table`."""


class _Switch:
    """A dispatch on one discriminator.

    `untouched` makes an Unknown from an object without a variant; if it is None, such objects are refused.
    """

    def __init__(self, key: str, unknown: Any, untouched: Callable[[Any, Any], Any] | None) -> None:
        self.key = key
        self.table: dict[tuple[type, Any], Any] = {}
        """Class and value of a tag → the function that decodes the object."""
        self.texts: dict[str, Any] = {}
        """The same for tags that are strings, by value only."""
        self.prefixes: list[tuple[str, Any]] = []
        """The prefixes of other texts, the longest first, and the functions that decode the objects."""
        self.others: list[tuple[Callable[[Any], object], Any]] = []
        self.absent: Any = None
        self._kinds: dict[type, str] = {}
        self._unknown = unknown
        self._untouched = untouched

    def add(self, value: Any, then: Any) -> None:
        """Register the function for the objects with a tag, or replace it by the one that was compiled since."""
        self.table[type(value), value] = then
        self._kinds[type(value)] = _CONSTANT_KINDS[type(value)]
        if type(value) is int:
            self._kinds[float] = "number"
        if type(value) is str:
            self.texts[value] = then

    def read(self, x: Any, *noting: Any) -> Any:
        """Decode a value of any kind."""
        if type(x) is not dict:
            wrong_type("object", x)
        if self.key not in x:
            if self.absent is None:
                _missing(self.key)
            return self.absent(x, *noting)
        tag = self._tag(x[self.key])
        then = self._then(tag)
        if then is not None:
            return then(x, *noting)
        if self._untouched is None:
            expected = one_of(value for _, value in self.table)
            raise Fault("unknown_variant", f"expected {expected}, got {show(tag)}", self.key)
        if noting:
            noting[1].append((noting[0], self.key))
        return self._untouched(self._unknown, x)

    def _tag(self, value: Any) -> Any:
        """The value of the discriminator; refuse one of another kind."""
        kinds = self._kinds or {str: "string"}
        if type(value) not in kinds:
            wrong_type(" or ".join(dict.fromkeys(kinds.values())), value, self.key)
        return _integer(value, self.key) if kinds[type(value)] == "number" else value

    def _then(self, tag: Any) -> Any:
        """The function for the objects with a tag; None if there is none."""
        then = self.table.get((type(tag), tag))
        if then is None:
            then = next((begun for prefix, begun in self.prefixes if tag.startswith(prefix)), None)
        if then is None:
            then = next((caught for fits, caught in self.others if fits(tag)), None)
        return self.absent if then is None and type(tag) is bool else then


def _by_text(switch: _Switch) -> Callable[[Any], Any]:
    """The function that decodes objects with a known tag by a single lookup in the table."""
    key, texts, otherwise = switch.key, switch.texts, switch.read

    def read(x: Any) -> Any:
        try:
            then = texts[x[key]] if type(x) is dict else otherwise
        except (KeyError, TypeError):
            then = otherwise
        return then(x)

    return read


def _by_text_noting(switch: _Switch) -> Callable[[Any, Place, list[Place]], Any]:
    key, texts, otherwise = switch.key, switch.texts, switch.read

    def read(x: Any, place: Place, notes: list[Place]) -> Any:
        try:
            then = texts[x[key]] if type(x) is dict else otherwise
        except (KeyError, TypeError):
            then = otherwise
        return then(x, place, notes)

    return read


class Decoders:
    """The functions of one decoding mode, each made on first use.

    `strict` refuses unknown content; `notes` records the places where something was tolerated. `parsed` states that
    the values come from a parser, so that all of them are JSON. `room` is the number of levels that an untouched value
    may have.
    """

    def __init__(self, *, strict: bool = False, notes: bool = False, parsed: bool = True, room: int = ROOM) -> None:
        self._strict = strict
        self._notes = notes
        self._parsed = parsed
        self._repairs = parsed or room != ROOM
        """Whether values are repaired. Values from a program are checked again, as plain JSON, before any repair."""
        self._readers: dict[str, Any] = {}
        self._unions: dict[str, _Union] = {}
        self._waiting: dict[str, list[tuple[_Switch, Any]]] = {}
        self._titles: dict[tuple[str, frozenset[str] | None], str] = {}
        self._scalars = SCALARS if parsed and fast_loads is None else SCALARS - {int, float}
        check = check_value if not parsed else check_text_value if fast_loads is None else check_fast_value
        self._check: Callable[[Any], None] = partial(check, room=room)
        self._scope: dict[str, Any] = {
            **_SCOPE,
            "SCALARS": self._scalars,
            "can_keep": self._can_keep,
            "check": self._check,
            "note_rest": self._note_rest,
            "refuse_rest": self._refuse_rest,
            "rest": self._rest(),
        }
        words = ["strict" if strict else "lenient"] + ["noting"] * notes + ["values"] * (not parsed)
        self._mode = ", ".join([*words, *["deep"] * (room != ROOM)])

    def reader(self, type_: Any) -> Any:
        """The function that decodes values of a type."""
        key = str(type_)
        found = self._readers.get(key)
        if found is None:
            with COMPILING:
                found = self._readers[key] = self._reader(type_)
        return found

    def _reader(self, type_: Any) -> Any:
        if isinstance(type_, str) and type_ in ROWS and row(type_)[0] == "union":
            return self.union(type_).read
        source = Source(f"def read({self._parameters('v')}):")
        self._value(source, type_, "v", "return {}", "p")
        return source.compile("read", f"read {type_}, {self._mode}", self._scope)

    def _parameters(self, value: str) -> str:
        return f"{value}, p, notes" if self._notes else value

    def _call(self, function: str, value: str, place: str) -> str:
        return f"{function}({value}, {place}, notes)" if self._notes else f"{function}({value})"

    def _constant(self, name: str, value: object) -> str:
        """Add a value to the globals of the functions."""
        self._scope[name] = value
        return name

    # Unions.

    def union(self, name: str) -> _Union:
        """The selection of the variant for the objects of a union."""
        found = self._unions.get(name)
        if found is None:
            found = self._dispatch(row(name)[4], None, frozenset())
            self._scope |= {f"table_{name}": found.table, f"miss_{name}": found.miss, f"choose_{name}": found.read}
            self._unions[name] = found
        return found

    def _follow(self, dispatch: Any, unknown: Any, known: frozenset[str]) -> Any:
        """The function for the target of a dispatch."""
        if isinstance(dispatch, str):
            return self._scope[self._struct(dispatch, known)]
        return self._dispatch(dispatch, unknown, known).read

    def _dispatch(self, dispatch: Any, unknown: Any, known: frozenset[str]) -> _Union:
        """`unknown` is the Unknown of the outermost open union so far; `known` contains the tags already checked."""
        how, union, *rest = dispatch
        is_open = row(union)[2]
        if is_open and unknown is None:
            unknown = class_of(row(union)[3])
        if how == "keys":
            return self._by_keys(union, is_open, unknown, known, *rest)
        key, cases, others, absent, *prefixes = rest
        switch = _Switch(key, unknown, None if self._strict or not is_open else self.untouched)
        told = known | {key}
        for value, then in cases:
            switch.add(value, self._follow(then, unknown, told))
            if isinstance(then, str):
                self._waiting.setdefault(self._struct(then, told), []).append((switch, value))
        for prefix, then in prefixes[0] if prefixes else ():
            switch.prefixes.append((prefix, self._follow(then, unknown, told)))
        for pattern, struct in others:
            fits = glob(pattern) if switch.texts or not switch.table else _any_value
            switch.others.append((fits, self._catch_all(struct, key, unknown, told)))
        if absent is not None:
            switch.absent = self._follow(absent, unknown, known)
        if switch.absent is not None or switch.prefixes or len(switch.texts) < len(switch.table):
            return _Union(switch.read)
        if not self._parsed:
            return _Union(switch.read if self._notes else _by_text(switch))
        return _Union(_by_text_noting(switch) if self._notes else _by_text(switch), key, switch.texts, switch.read)

    def _by_keys(self, union: str, is_open: bool, unknown: Any, known: frozenset[str], cases: Any) -> _Union:
        choices = [(has, lacks, self._follow(then, unknown, known)) for has, lacks, then in cases]

        def read(x: Any, *noting: Any) -> Any:
            if type(x) is not dict:
                wrong_type("object", x)
            for has, lacks, then in choices:
                if all(key in x for key in has) and not any(key in x for key in lacks):
                    return then(x, *noting)
            if self._strict or not is_open:
                raise Fault("no_variant", f"no variant of {row(union)[1]} has these members")
            if noting:
                noting[1].append(noting[0])
            return self.untouched(unknown, x)

        return _Union(read)

    def _catch_all(self, struct: str, key: str, unknown: Any, known: frozenset[str]) -> Any:
        """The function for unknown values of a known form: this struct if its body is valid, else the Unknown."""
        then = self._follow(struct, unknown, known)

        def caught(x: Any, *noting: Any) -> Any:
            if self._strict:
                raise Fault("unknown_value", f"{show(x[key])} is not a value of {row(struct)[1]}", key)
            mark = len(noting[1]) if noting else 0
            try:
                return then(x, *noting)
            except Fault:
                if unknown is None:
                    raise
            if noting:
                noting[1][mark:] = [(noting[0], key)]
            return self.untouched(unknown, x)

        return caught

    def untouched(self, unknown: Any, x: Any) -> Any:
        """An object as an Unknown."""
        self._check(x)
        made = object.__new__(unknown)
        made.raw = x
        return made

    # Objects.

    def _struct(self, name: str, known: frozenset[str] | None) -> str:
        """The global name of the function for an object. The function is compiled when it is first called.

        `known` contains the tags already checked; None means that the value may not be an object.
        """
        if known is not None:
            constants = frozenset(key for how, key, *_ in row(name)[2] if how == "=")
            known = known & constants
        title = self._titles.get((name, known))
        if title is None:
            title = f"read_{name}{'' if known is None else f'_{len(self._titles)}'}"
            self._scope[title] = self._stub(name, known, title)
            self._titles[name, known] = title
        return title

    def _stub(self, name: str, known: frozenset[str] | None, title: str) -> Any:
        def stub(*arguments: Any) -> Any:
            with COMPILING:
                made = self._scope[title]
                if made is stub:
                    made = self._compiled(name, known, title)
                    for switch, value in self._waiting.pop(title, ()):
                        switch.add(value, made)
            return made(*arguments)

        return stub

    def _compiled(self, name: str, known: frozenset[str] | None, title: str) -> Any:
        """The function for an object."""
        _, declared, members, extra, local = row(name)
        self._scope[f"new_{name}"] = starmap(object.__new__, repeat((class_of(name),)))
        source = Source(f"def {title}({self._parameters('d')}):")
        if known is None:
            source("if type(d) is not dict:", '    wrong_type("object", d)')
        self._members(source, name, [m for m in members if m[0] != "=" or known is None or m[1] not in known])
        self._rest_of(source, name, declared, members, extra, local)
        source("return o")
        return source.compile(title, f"{title}, {self._mode}", self._scope)

    def _members(self, source: Source, name: str, members: Any) -> None:
        """Read and check the required members, and create the object."""
        required = [m for m in members if _is_required(m)]
        if required:
            source("try:", *(f"    v{at} = d[{key!r}]" for at, (_, key, *_) in enumerate(required)))
            source("except KeyError as error:", "    missing(error.args[0])")
        source(f"o = next(new_{name})")
        later = []
        for at, member in enumerate(required):
            how, key, *rest = member
            if how == "=":
                value, *_ = rest
                test = f"v{at} is not {value}" if type(value) is bool else f"v{at} != {value!r}"
                test += "" if isinstance(value, (str, bool)) else f" or type(v{at}) is bool"
                refusal = "wrong_constant"
                if len(rest) > 1:
                    refusal = "wrong_tag"
                source(f"if {test}:", f"    {refusal}({value!r}, v{at}, {key!r})")
            elif has_no_parts(member):
                self._member(source, member, f"v{at}")
            else:
                later.append((f"v{at}", member))
        if later:
            source("try:")
            with source.block():
                for variable, member in later:
                    source(f"at = {member[1]!r}")
                    self._member(source, member, variable)
            source("except Fault as fault:", "    fault.steps.append(at)", "    raise")

    def _rest_of(self, source: Source, name: str, declared: str, members: Any, extra: Any, local: Any) -> None:
        """Read the optional members and the undeclared ones; set the attributes that are not members."""
        optional = [m for m in members if not _is_required(m) and not is_flat(m)]
        flat = next((m for m in members if is_flat(m)), None)
        count = sum(map(_is_required, members))
        keys = self._constant(f"keys_{name}", frozenset(m[1] for m in members if not is_flat(m)))
        nulls = self._constant(
            f"nulls_{name}", frozenset(m[1] for m in optional if m[0] == "." and not m[3] & NULLABLE)
        )
        absent: dict[str, list[str]] = {}
        for member in [*optional, *([flat] if flat is not None and not flat[3] & REQUIRED else [])]:
            absent.setdefault(_absent(member), []).append(f"o.{member[2]} = ")
        absent.setdefault("None", []).append("o._extra = ")
        absent["None"] += (f"o.{attribute} = " for attribute in local)
        source(*("".join(targets) + value for value, targets in absent.items()))
        if flat is not None and flat[3] & REQUIRED:
            with source.block(f"if len(d) == {count}:"):
                self._value(source, flat[4], "{}", f"o.{flat[2]} = {{}}", "p")
            source("else:")
        else:
            source(f"if len(d) != {count}:")
        with source.block():
            if optional:
                source(f"n = {count}")
            keeps = not self._strict and any(repair_of(member)[0].endswith("absent") for member in optional)
            if keeps:
                source("kept = {}")
            simple = [m for m in optional if has_no_parts(m)]
            parts = [m for m in optional if not has_no_parts(m)]
            for at in range(0, len(simple), _LOOKUPS):
                self._optional(source, simple[at : at + _LOOKUPS])
                if flat is None and at + _LOOKUPS < len(optional):
                    source("if len(d) == n:", "    return o")
            if parts:
                source("try:")
                with source.block():
                    self._optional(source, parts)
                source("except Fault as fault:", "    fault.steps.append(at)", "    raise")
            if flat is not None:
                self._flattened(source, flat, keys, nulls)
            elif extra is not None:
                self._typed_extra(source, extra, keys, nulls)
            else:
                self._untyped_extra(source, declared, keys, nulls, counted=bool(optional))
            if keeps:
                source("if kept:", "    o._extra = in_order(d, {**(o._extra or {}), **kept})")

    def _optional(self, source: Source, members: Any) -> None:
        """Read the optional members, which the new object has as absent."""
        for member in members:
            how, key, attribute, *rest = member
            tolerated = how == "." and not rest[0] & NULLABLE and not self._strict
            with (
                source.block(f"if {key!r} in d:", f"    v = d[{key!r}]"),
                source.block("if v is not None:", when=tolerated),
            ):
                source("n += 1")
                if how == "?":
                    value = rest[0]
                    test = f"v is not {value}" if type(value) is bool else f"v != {value!r}"
                    test += "" if isinstance(value, (str, bool)) else " or type(v) is bool"
                    refusal = "wrong_constant" if isinstance(value, (str, bool)) else "wrong_tag"
                    source(f"if {test}:", f"    {refusal}({value!r}, v, {key!r})", f"o.{attribute} = {value!r}")
                else:
                    source("" if has_no_parts(member) else f"at = {key!r}")
                    self._member(source, member, "v")

    def _member(self, source: Source, member: Any, v: str) -> None:
        """Check the value of a member that is present, and set it."""
        how, key, attribute, *rest = member
        put, place = f"o.{attribute} = {{}}", f"(p, {key!r})"
        step = f", {key!r}" if has_no_parts(member) else ""
        if how == "#":
            self._varying_tag(source, key, v, *rest)
            source(put.format(v))
            return
        flags, type_, *more = rest
        if more and (tests := claims(v, *more[:2])):
            source(f"if {tests}:", f"    claimed({v}{step})")
        if repair_of(member)[0] and not self._strict:
            nullable = bool(flags & NULLABLE)
            with source.block(f"if {v} is None:", f"    {put.format('None')}", "else:", when=nullable):
                self._repaired(source, member, v, put, place)
            return
        if not flags & NULLABLE:
            self._value(source, type_, v, put, place, step)
            return
        simple = has_no_parts(member)
        source(*[f"if {v} is not None:"] if simple else [f"if {v} is None:", f"    {put.format('None')}", "else:"])
        with source.block():
            self._value(source, type_, v, "" if simple else put, place, step)
        if simple:
            source(put.format(v))

    def _repaired(self, source: Source, member: Any, v: str, put: str, place: str) -> None:
        """Check a value; an invalid one is repaired if it can be kept."""
        _, key, _, _, type_, *_ = member
        how, instead = repair_of(member)
        if how == "skip":
            self._skipping(source, type_, v, put, place)
            return
        with self._tried(source, v, place) as came:
            if how.startswith("skip"):
                self._skipping(source, type_, v, put, place)
            else:
                self._value(source, type_, v, put, place)
        with source.block():
            if how.endswith("absent"):
                source(put.format(_absent(member)), "n -= 1", f"kept = {{**kept, {key!r}: {came}}}")
            elif instead is None:
                source(put.format("None"))
            else:
                source(f"{v} = {instead!r}")
                self._value(source, type_, v, put, place)

    def _can_keep(self, value: Any) -> bool:
        """Whether JSON text can represent a value: whether no number in it overflows."""
        try:
            self._check(value)
        except Fault:
            return False
        return True

    @contextmanager
    def _tried(self, source: Source, v: str, place: str) -> Iterator[str]:
        """Try the code written inside on a value; the next block, which follows it, repairs the value."""
        depth = source.indent
        came, mark = f"w{depth}", f"z{depth}"
        source(f"{came} = {v}")
        if self._notes:
            source(f"{mark} = len(notes)")
        with source.block("try:"):
            yield came
        source("except Fault:")
        with source.block():
            if self._repairs:
                source(f"if not can_keep({came}):", "    raise")
            else:
                source("raise NeedsRepair from None")
            if self._notes:
                source(f"notes[{mark}:] = [{place}]")

    def _skipping(self, source: Source, type_: Any, v: str, put: str, place: str) -> None:
        """Read a list without its invalid items."""
        while isinstance(type_, str):
            type_ = row(type_)[2]
        _, item, low, high = type_
        source(f"if type({v}) is not list:", f'    wrong_type("array", {v})')
        self._bounds(source, v, place, low, high)
        depth = source.indent
        i, x, out, q = f"i{depth}", f"x{depth}", f"l{depth}", f"q{depth}"
        source(f"{out} = []", f"{i} = -1")
        if self._notes:
            source(f"{q} = {place}")
        source("try:", f"    for {x} in {v}:")
        with source.block(levels=2):
            source(f"{i} += 1")
            with self._tried(source, x, f"({q}, {i})"):
                self._value(source, item, x, f"{out}.append({{}})", f"({q}, {i})")
        source("except Fault as fault:", f"    fault.steps.append({i})", "    raise", put.format(out))

    def _varying_tag(
        self,
        source: Source,
        key: str,
        v: str,
        optional: bool,
        values: Any,
        others: str | None,
        prefix: str | None = None,
    ) -> None:
        del optional
        if prefix is not None:
            source(f"if type({v}) is not str:", f'    wrong_type("string", {v}, {key!r})')
            source(f"if not {v}.startswith({prefix!r}):", f"    unknown_prefix({v}, {prefix!r}, {key!r})")
            return
        known = row(values)[4] if isinstance(values, str) else values
        name = self._constant(f"tags_{len(self._scope)}", frozenset(known))
        listed = self._constant(f"listed_{len(self._scope)}", tuple(known))
        numbers = any(type(value) is int for value in known)
        if numbers:
            source(f"{v} = integer({v}, {key!r})")
        else:
            source(f"if type({v}) is not str:", f'    wrong_type("string", {v}, {key!r})')
        if numbers and others is not None and not self._strict and not self._notes:
            return
        source(f"if {v} not in {name}:")
        with source.block():
            refusal = f"unknown_tag({v}, {listed}, {key!r})"
            if others is None or self._strict:
                source(refusal)
            else:
                if not numbers:
                    fits = self._constant(f"fits_{len(self._scope)}", glob(others))
                    source(f"if not {fits}({v}):", f"    {refusal}")
                if self._notes:
                    source(f"notes.append((p, {key!r}))")

    # Undeclared members.

    def _untyped_extra(self, source: Source, of: str, keys: str, nulls: str, *, counted: bool) -> None:
        with source.block("if len(d) != n:", when=counted):
            if self._strict:
                source(f"refuse_rest(d, {keys}, {of!r})")
                return
            if self._notes:
                source(f"note_rest(d, {keys}, {nulls}, p, notes)")
            source(f"o._extra = rest(d, {keys}, {nulls})" if counted else f"o._extra = rest(d, {keys})")

    def _rest(self) -> Callable[..., dict[str, Any] | None]:
        """The function for an object's undeclared members, and for nulls in members that are not nullable."""
        scalars, check, parsed = self._scalars, self._check, self._parsed

        def rest(d: dict[str, Any], keys: frozenset[str], nulls: frozenset[str] = frozenset()) -> dict[str, Any] | None:
            made, judged = {}, parsed
            for key, x in d.items():
                if key not in keys:
                    made[key] = x
                    if type(x) not in scalars:
                        judged = False
                elif x is None and key in nulls:
                    made[key] = None
            if not judged:
                check(made)
            return made or None

        return rest

    def _refuse_rest(self, d: dict[str, Any], keys: frozenset[str], of: str) -> NoReturn:
        """Refuse the first undeclared member; a fault in its value takes precedence."""
        key = next(key for key in d if key not in keys)
        if type(key) is not str:
            _refuse_keys(d)
        try:
            if type(d[key]) not in self._scalars:
                self._check(d[key])
        except Fault as fault:
            if not fault.steps:
                fault.steps.append(key)
                raise
        raise Fault("unknown_field", f"{show(key)} is not a field of {of}", key)

    def _note_rest(
        self, d: dict[str, Any], keys: frozenset[str], nulls: frozenset[str], place: Place, notes: list[Place]
    ) -> None:
        notes += [(place, key) for key, x in d.items() if key not in keys or (x is None and key in nulls)]

    def _flattened(self, source: Source, flat: Any, keys: str, nulls: str) -> None:
        _, _, attribute, flags, type_, *_ = flat
        source(f"r = {{key: x for key, x in d.items() if key not in {keys}}}")
        optional = not flags & REQUIRED
        with source.block("if r:", when=optional):
            self._value(source, type_, "r", f"o.{attribute} = {{}}", "p")
        self._nulls(source, nulls)

    def _nulls(self, source: Source, nulls: str) -> None:
        if self._notes:
            source(f"notes += [(p, key) for key in d if d[key] is None and key in {nulls}]")
        source(f"o._extra = {{key: None for key in d if d[key] is None and key in {nulls}}} or None")

    def _typed_extra(self, source: Source, extra: Any, keys: str, nulls: str) -> None:
        if not self._parsed:
            source("if not TEXTS.issuperset(map(type, d)):", "    refuse_keys(d)")
        source("e = {}", "try:", "    for k, x in d.items():")
        with source.block(levels=2):
            source(f"if k not in {keys}:")
            with source.block():
                self._value(source, extra, "x", "e[k] = {}", "(p, k)")
            if not self._strict:
                source(f"elif x is None and k in {nulls}:", "    e[k] = None")
                if self._notes:
                    source("    notes.append((p, k))")
        source("except Fault as fault:", "    fault.steps.append(k)", "    raise", "o._extra = e or None")

    # Values.

    def _value(self, source: Source, type_: Any, v: str, put: str, place: str, step: str = "") -> None:
        """Check the value of a variable; `put` is the statement that receives the decoded value.

        `step` is the last argument of refusals, for values whose step is not added by an exception handler.
        """
        if isinstance(type_, str):
            built_in = _BUILT_IN.get(type_)
            if built_in is not None:
                built_in(self, source, type_, v, put, place, step)
            else:
                kind, *rest = row(type_)
                _DECLARED[kind](self, source, type_, rest, v, put, place, step)
            return
        how, *rest = type_
        _COMPOSED[how](self, source, v, put, place, *rest)

    def _string(self, source: Source, _: str, v: str, put: str, __: str, step: str) -> None:
        source(f"if type({v}) is not str:", f'    wrong_type("string", {v}{step})', put.format(v))

    def _format(self, source: Source, name: str, v: str, put: str, place: str, step: str) -> None:
        source(f"if type({v}) is not str:", f'    wrong_type("string", {v}{step})')
        if self._strict:
            source(f"if not {name}({v}):", f'    bad_format("{name}", {v}{step})')
        elif self._notes:
            source(f"if not {name}({v}):", f"    notes.append({place})")
        source(put.format(v))

    def _boolean(self, source: Source, _: str, v: str, put: str, __: str, step: str) -> None:
        source(f"if type({v}) is not bool:", f'    wrong_type("boolean", {v}{step})', put.format(v))

    def _null(self, source: Source, _: str, v: str, put: str, __: str, step: str) -> None:
        source(f"if {v} is not None:", f'    wrong_type("null", {v}{step})', put.format(v))

    def _whole_number(self, source: Source, _: str, v: str, put: str, __: str, step: str) -> None:
        source(f"if type({v}) is not int or {v} >> 53:", f"    {v} = integer({v}{step})", put.format(v))

    def _double(self, source: Source, _: str, v: str, put: str, __: str, step: str) -> None:
        source(f"if type({v}) is not float or {v} - {v}:", f"    {v} = number({v}{step})", put.format(v))

    def _json(self, source: Source, _: str, v: str, put: str, __: str, ___: str) -> None:
        source(f"if type({v}) not in SCALARS:", f"    check({v})", put.format(v))

    def _object(self, source: Source, _: str, v: str, put: str, __: str, ___: str) -> None:
        source(f"if type({v}) is not dict:", f'    wrong_type("object", {v})', f"if {v}:", f"    check({v})")
        source(put.format(v))

    def _enum(self, source: Source, name: str, rest: Any, v: str, put: str, place: str, step: str) -> None:
        declared, base, is_open, values = rest
        refuses = self._strict or not is_open
        if base == "string":
            source(f"if type({v}) is not str:", f'    wrong_type("string", {v}{step})')
        else:
            source(f"if type({v}) is not int:", f"    {v} = whole({v}{step})")
        if refuses or self._notes or base != "string":
            known = self._constant(f"values_{name}", frozenset(values))
            source(f"if {v} not in {known}:")
            if refuses:
                source(f"    unknown_value({v}, {declared!r}{step})")
            elif self._notes:
                source(f"    notes.append({place})")
            if base != "string" and not refuses:
                source(f"    {v} = integer({v}{step})")
        source(put.format(v))

    def _alias(self, source: Source, name: str, rest: Any, v: str, put: str, place: str, step: str) -> None:
        _, type_ = rest
        if name in RECURSIVE:
            title = f"read_{name}"
            if title not in self._scope:
                self._scope[title] = partial(self._first_recursive, title, type_)
            source(put.format(self._call(title, v, place)))
        else:
            self._value(source, type_, v, put, place, step)

    def _first_recursive(self, title: str, type_: Any, *arguments: Any) -> Any:
        """Stand in for the function of an alias that may contain itself, until that function is made."""
        with COMPILING:
            source = Source(f"def {title}({self._parameters('v')}):")
            self._value(source, type_, "v", "return {}", "p")
            read = source.compile(title, f"{title}, {self._mode}", self._scope)
        return read(*arguments)

    def _declared_struct(self, source: Source, name: str, _: Any, v: str, put: str, place: str, __: str) -> None:
        source(put.format(self._call(self._struct(name, None), v, place)))

    def _declared_union(self, source: Source, name: str, _: Any, v: str, put: str, place: str, __: str) -> None:
        union = self.union(name)
        if union.table is None:
            source(put.format(self._call(f"choose_{name}", v, place)))
            return
        source(
            "try:", f"    f = table_{name}[{v}[{union.key!r}]]", "except (KeyError, TypeError):", f"    f = miss_{name}"
        )
        source(put.format(self._call("f", v, place)))

    def _array(
        self, source: Source, v: str, put: str, place: str, item: Any, low: int | None, high: int | None
    ) -> None:
        source(f"if type({v}) is not list:", f'    wrong_type("array", {v})')
        self._bounds(source, v, place, low, high)
        if item in ("string", "json"):
            self._plain_items(source, item, v, f"{v}" if self._parsed else f"{v}[:]", put)
            return
        depth = source.indent
        i, x, out, q = f"i{depth}", f"x{depth}", f"l{depth}", f"q{depth}"
        source(f"{out} = []")
        if self._notes:
            source(f"{q} = {place}", f"{i} = -1")
        source("try:", f"    for {x} in {v}:")
        with source.block(levels=2):
            if self._notes:
                source(f"{i} += 1")
            self._value(source, item, x, f"{out}.append({{}})", f"({q}, {i})")
        source("except Fault as fault:", f"    fault.steps.append(len({out}))", "    raise", put.format(out))

    def _bounds(self, source: Source, v: str, place: str, low: int | None, high: int | None) -> None:
        """Check the number of items of a list."""
        tests = [f"len({v}) < {low}"] * (low is not None) + [f"len({v}) > {high}"] * (high is not None)
        if tests and self._strict:
            source(f"if {' or '.join(tests)}:", f"    out_of_bounds({low}, {high}, {v})")
        elif tests and self._notes:
            source(f"if {' or '.join(tests)}:", f"    notes.append({place})")

    def _plain_items(self, source: Source, item: str, v: str, copy: str, put: str) -> None:
        """Check items that stay unchanged all at once, in C."""
        values = v
        if item == "string":
            source(f"if not TEXTS.issuperset(map(type, {values})):", f'    refuse_item(str, "string", {v})')
        else:
            source(f"if not SCALARS.issuperset(map(type, {values})):", f"    check({v})")
        source(put.format(copy))

    def _map(self, source: Source, v: str, put: str, place: str, item: Any, enum: str | None) -> None:
        source(f"if type({v}) is not dict:", f'    wrong_type("object", {v})')
        if not self._parsed:
            source(f"if not TEXTS.issuperset(map(type, {v})):", f"    refuse_keys({v})")
        depth = source.indent
        k, x, out, q = f"k{depth}", f"x{depth}", f"m{depth}", f"q{depth}"
        source(f"{out} = {{}}")
        if self._notes:
            source(f"{q} = {place}")
        source("try:", f"    for {k}, {x} in {v}.items():")
        with source.block(levels=2):
            self._value(source, item, x, f"{out}[{k}] = {{}}", f"({q}, {k})")
            if enum is not None:
                self._map_key(source, enum, k, q)
        source("except Fault as fault:")
        if enum is None:
            source(f"    fault.steps.append({k})", "    raise")
        elif self._strict or not row(enum)[3]:
            source(f"    raise entry(fault, {k}, keys_of_{enum}, {row(enum)[1]!r}) from None")
        else:
            source(f"    fault.steps.append({k})", "    raise")
        source(put.format(out))

    def _map_key(self, source: Source, enum: str, k: str, q: str) -> None:
        _, declared, _, is_open, values = row(enum)
        known = self._constant(f"keys_of_{enum}", frozenset(map(str, values)))
        if self._strict or not is_open:
            source(f"if {k} not in {known}:", f"    unknown_value({k}, {declared!r})")
        elif self._notes:
            source(f"if {k} not in {known}:", f"    notes.append(({q}, {k}))")

    def _choice(self, source: Source, v: str, put: str, place: str, members: dict[str, Any]) -> None:
        head = "if"
        for kind in sorted(members, key=list(_KINDS).index):
            source(f"{head} {_KINDS[kind].format(v)}:")
            with source.block():
                self._value(source, members[kind], v, put, place)
            head = "elif"
        source("else:", f"    wrong_type({' or '.join(members)!r}, {v})")

    def _literal(self, source: Source, v: str, put: str, _: str, value: Any) -> None:
        test = f"type({v}) is not str or {v} != {value!r}" if type(value) is str else f"{v} is not {value!r}"
        if type(value) in (int, float):
            source(f"wrong_constant({value!r}, {v})")
        else:
            source(f"if {test}:", f"    wrong_constant({value!r}, {v})")
        source(put.format(repr(value)))

    def _tuple(self, source: Source, v: str, put: str, place: str, types: list[Any]) -> None:
        size, depth = len(types), source.indent
        source(f"if type({v}) is not list:", f'    wrong_type("array", {v})')
        source(f"if len({v}) != {size}:", f"    out_of_bounds({size}, {size}, {v})")
        i, x, out, q = f"i{depth}", f"x{depth}", f"l{depth}", f"q{depth}"
        source(f"{out} = []")
        if self._notes:
            source(f"{q} = {place}")
        source("try:")
        with source.block():
            for at, type_ in enumerate(types):
                source(f"{i} = {at}", f"{x} = {v}[{at}]")
                self._value(source, type_, x, f"{out}.append({{}})", f"({q}, {at})")
        source("except Fault as fault:", f"    fault.steps.append({i})", "    raise", put.format(f"tuple({out})"))

    def _bounded(self, source: Source, v: str, put: str, place: str, scalar: str, low: Any, high: Any) -> None:
        self._value(source, scalar, v, "", place)
        size = f"len({v})" if scalar == "string" else v
        tests = [f"{size} < {low}"] * (low is not None) + [f"{size} > {high}"] * (high is not None)
        if self._strict:
            source(f"if {' or '.join(tests)}:", f"    beyond({low}, {high}, {size}, {v})")
        elif self._notes:
            source(f"if {' or '.join(tests)}:", f"    notes.append({place})")
        source(put.format(v))

    def _variants(self, source: Source, v: str, put: str, place: str, union: str, structs: list[str]) -> None:
        x, classes = f"u{source.indent}", self._constant(f"only_{'_'.join(structs)}", tuple(map(class_of, structs)))
        self._value(source, union, v, f"{x} = {{}}", place)
        source(f"if type({x}) not in {classes}:", f"    no_such_variant({x}, {classes})", put.format(x))


_BUILT_IN: dict[str, Callable[..., None]] = {
    "string": Decoders._string,
    "boolean": Decoders._boolean,
    "number": Decoders._double,
    "integer": Decoders._whole_number,
    "uuid": Decoders._format,
    "timestamp": Decoders._format,
    "json": Decoders._json,
    "object": Decoders._object,
    "null": Decoders._null,
}
_DECLARED: dict[str, Callable[..., None]] = {
    "enum": Decoders._enum,
    "alias": Decoders._alias,
    "struct": Decoders._declared_struct,
    "union": Decoders._declared_union,
}
_COMPOSED: dict[str, Callable[..., None]] = {
    "[]": Decoders._array,
    "{}": Decoders._map,
    "|": Decoders._choice,
    "=": Decoders._literal,
    "()": Decoders._tuple,
    "<": Decoders._bounded,
    "+": Decoders._variants,
}


def _is_required(member: Any) -> bool:
    """Whether a member has its own key and must be present."""
    match member:
        case ["=", *_]:
            return True
        case ["#", _, _, optional, *_]:
            return not optional
        case [".", _, _, flags, *_]:
            return bool(flags & REQUIRED) and not is_flat(member)
        case _:
            return False


def _absent(member: Any) -> str:
    """The value that represents an absent member."""
    return "UNSET" if member[0] == "." and member[3] & NULLABLE else "None"
