# pyright: basic
"""Rows → functions that turn objects into JSON text: one line of ASCII. Every value is checked while it is written."""

from __future__ import annotations

from functools import partial
from json import JSONDecoder

from ._base import UNSET
from ._decoder import MAX_INTEGER, TEXTS, Decoders, claims, glob, is_claimed, no_such_variant, refuse_claimed, whole
from ._json import Fault, TooDeep, is_deep_text, json_text, kind, one_of, overflow, plain, quote, show, wrong_type
from ._rows import (
    COMPILING,
    NULLABLE,
    REQUIRED,
    ROOM,
    Source,
    class_of,
    declared_class,
    has_no_parts,
    is_flat,
    is_recursive,
    row,
    structs_of,
)
from ._table import RECURSIVE, UNKNOWNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

__all__ = ["Encoders"]


# --- helpers of the compiled functions for unusual values ------------------------------------------------------


def _text(value: Any, *steps: str | int) -> str:
    """An instance of a subclass of str as a plain str."""
    if not isinstance(value, str):
        wrong_type("string", value, *steps)
    return str.__str__(value)


def _whole(value: Any, *steps: str) -> Any:
    """A number as an int if it has no fraction, else unchanged."""
    return int.__int__(value) if isinstance(value, int) and type(value) is not bool else whole(value, *steps)


def _integer(value: Any, *steps: str) -> int:
    """A number as an int; refuse one with a fraction, or beyond ±(2^53-1)."""
    found = _whole(value, *steps)
    if type(found) is not int or not -MAX_INTEGER <= found <= MAX_INTEGER:
        raise Fault("out_of_range", f"expected an integer within ±{MAX_INTEGER}, got {show(value)}", *steps)
    return found


def _number(value: Any, *steps: str) -> float:
    """A number as a finite float."""
    if type(value) is bool or not isinstance(value, (int, float)):
        wrong_type("number", value, *steps)
    try:
        found = float(value)
    except OverflowError:
        overflow(*steps)
    if found - found:
        overflow(*steps)
    return found


def _instance(value: Any, of: type) -> None:
    """Refuse a value that is not an instance of a class; instances of subclasses are written like the class."""
    if not isinstance(value, of):
        raise Fault("wrong_type", f"expected {of.__name__}, got {kind(value)}")
    _no_more_fields(type(value), of)


def _no_more_fields(of: Any, declared: Any) -> None:
    """Refuse a subclass with fields of its own, which would be lost."""
    if more := [name for name in of.__polywire_fields__ if name not in declared.__polywire_fields__]:
        found = f"{declared.__name__} has no members for the fields that {of.__name__} adds: {', '.join(more)}"
        raise Fault("unknown_field", f"{found}; put what is to be written into extra")


def _items(value: Any) -> Any:
    """The items of a tuple, or of an instance of a subclass of list."""
    if not isinstance(value, (list, tuple)):
        wrong_type("array", value)
    return value


def _texts(items: Any) -> list[str]:
    """Strings as instances of str, where some are instances of a subclass."""
    return [_text(item, step) for step, item in enumerate(items)]


def _entries(value: Any) -> Any:
    """The entries of a mapping; its keys must be strings."""
    if type(value) is not dict and not isinstance(value, dict):
        wrong_type("object", value)
    if TEXTS.issuperset(map(type, value)):
        return value.items()
    return [(_key(key), item) for key, item in value.items()]


def _key(key: Any) -> str:
    if not isinstance(key, str):
        wrong_type("only strings as keys", key)
    return str.__str__(key)


def _wrong_constant(value: Any, expected: object, *steps: str) -> None:
    if type(expected) is bool and type(value) is not bool:
        wrong_type("boolean", value, *steps)
    if (value if type(expected) is bool else _text(value, *steps)) != expected:
        raise Fault("wrong_constant", f"expected {show(expected)}, got {show(value)}", *steps)


def _literal(value: Any, expected: Any, *steps: str) -> None:
    """Refuse a value that is not the literal; numbers compare as doubles."""
    if isinstance(expected, (bool, str)):
        _wrong_constant(value, expected, *steps)
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        wrong_type("number", value, *steps)
    if value != expected:
        raise Fault("wrong_constant", f"expected {show(expected)}, got {show(value)}", *steps)


def _unknown_prefix(value: Any, prefix: str, *steps: str) -> NoReturn:
    raise Fault("unknown_value", f"expected a text that begins with {show(prefix)}, got {show(value)}", *steps)


def _count(value: Any, size: int) -> NoReturn:
    raise Fault("out_of_bounds", f"expected {size} to {size} items, got {len(value)}")


def _unknown_text(value: Any, name: str, *steps: str) -> None:
    _unknown_value(_text(value, *steps), name, *steps)


def _unknown_value(value: Any, name: str, *steps: str) -> None:
    raise Fault("unknown_value", f"{show(value)} is not a value of {name}", *steps)


def _unknown_tag(value: Any, values: tuple[str | int, ...], *steps: str) -> None:
    found = value if type(values[0]) is int else _text(value, *steps)
    raise Fault("unknown_value", f"expected {one_of(values)}, got {show(found)}", *steps)


_scan: Any = JSONDecoder(parse_int=str, parse_float=str).raw_decode


def _flattened(text: str, record: Any, keys: Any) -> tuple[set[str], str]:
    """The members of an object that is flattened into another one: their keys, and the text that follows other members.

    A declared member of the other object takes precedence if it is present.
    """
    taken, members, at = set[str](), list[str](), 1
    while at < len(text) - 1:
        key, colon = _scan(text, at)
        _, end = _scan(text, colon + 1)
        if key not in keys or not _is_there(record, *keys[key]):
            taken.add(key)
            members.append(f",{text[at:end]}")
        at = end + 1
    return taken, "".join(members)


_SCOPE: dict[str, Any] = {
    "BOOLEANS": {True: "true", False: "false"},
    "Fault": Fault,
    "NOTHING": "",
    "NULL": "null",
    "UNSET": UNSET,
    "claimed": refuse_claimed,
    "count": _count,
    "literal": _literal,
    "wrong_constant": _wrong_constant,
    "entries": _entries,
    "flattened": _flattened,
    "instance": _instance,
    "integer": _integer,
    "items": _items,
    "join": ",".join,
    "number": _number,
    "quote": quote,
    "TEXTS": TEXTS,
    "text": _text,
    "texts": _texts,
    "unknown_tag": _unknown_tag,
    "unknown_text": _unknown_text,
    "unknown_prefix": _unknown_prefix,
    "unknown_value": _unknown_value,
    "whole": _whole,
    "wrong_type": wrong_type,
}

_KINDS = {
    "string": "isinstance({0}, str)",
    "array": "isinstance({0}, (list, tuple))",
    "boolean": "type({0}) is bool",
    "number": "isinstance({0}, (int, float))",
    "null": "{0} is None",
    "object": "True",
}
"""The test for each kind of value, in the order in which they are tried; any other value is checked as an object."""


_BUILT_IN = {
    "string": ("", "", "{{quote({v})}}"),
    "boolean": ("if type({v}) is not bool:", '    wrong_type("boolean", {v}{step})', "{{BOOLEANS[{v}]}}"),
    "integer": ("if type({v}) is not int or {v} >> 53:", "    {v} = integer({v}{step})", "{{{v}!r}}"),
    "number": ("if type({v}) is not float or {v} - {v}:", "    {v} = number({v}{step})", "{{{v}!r}}"),
    "json": ("{v} = json_text({v})", "", "{{{v}}}"),
    "object": ('if not isinstance({v}, dict): wrong_type("object", {v})', "{v} = json_text({v})", "{{{v}}}"),
    "null": ("if {v} is not None:", '    wrong_type("null", {v}{step})', "null"),
}
"""The checks for the values of built-in types, and the part of a format string that writes them."""

_CAREFUL = ("if type({v}) is not str:", "    {v} = text({v}{step})", "{{quote({v})}}")
"""The checks for strings if a fault has to be located: `quote` refuses other values, but does not tell the place."""

_TEXTS = ("string", "uuid", "timestamp")


class _Writers:
    """Finds the function that writes the objects of a class, among the variants of a union or among all classes."""

    def __init__(self, encoders: Encoders, known: dict[type, Any], union: str | None = None) -> None:
        self._encoders = encoders
        self._known = known
        self._union = union
        self._names = None if union is None else frozenset(structs_of(row(union)[4]))

    def find(self, of: type) -> Any:
        """The function for a class; it is registered for later calls."""
        name = declared_class(of)
        if name in UNKNOWNS:
            found = self._encoders.unknown(UNKNOWNS[name] if self._union is None else (self._union,))
        elif name is not None and (self._names is None or name in self._names):
            found = self._encoders.struct(name) if self._union is not None else self._encoders.root(name)
        else:
            return self._refuse
        _no_more_fields(of, class_of(name))
        self._known[of] = found
        return found

    def _refuse(self, value: Any) -> str:
        if self._union is None:
            got = type(value).__name__
            advice = "pass the type as well to write another value"
            raise Fault("wrong_type", f"expected an object of this package, got {got}; {advice}")
        raise Fault("wrong_type", f"expected a variant of {row(self._union)[1]}, got {kind(value)}")


class Encoders:
    """The functions that write, each made on first use.

    `decoders` check the objects of Unknowns. With `careful`, a value that is not a string is located; otherwise it
    raises TypeError. `room` is the number of levels that an untouched value may have.
    """

    def __init__(self, decoders: Decoders, *, careful: bool = False, room: int = ROOM) -> None:
        self._decoders = decoders
        self._careful = careful
        self._mode = ", careful" if careful else ""
        self._text: Callable[[Any], str] = partial(json_text, room=room)
        self._writers: dict[str, Any] = {}
        self._structs: dict[str, Any] = {}
        self._names = 0
        self.classes: dict[type, Any] = {}
        """The functions for the objects of each class, as far as they are registered."""
        self.find = _Writers(self, self.classes).find
        self._scope: dict[str, Any] = {**_SCOPE, "json_text": self._text, "more": self._more()}

    def writer(self, type_: Any) -> Any:
        """The function that writes values of a type."""
        key = str(type_)
        found = self._writers.get(key)
        if found is None:
            with COMPILING:
                source = Source("def write(v):")
                part = self._value(source, type_, "v")
                source(f"return {_formatted(part)}")
                found = self._writers[key] = source.compile("write", f"write {type_}{self._mode}", self._scope)
        return found

    def root(self, type_: Any) -> Any:
        """The function that writes whole documents of a type; checks the depth if the type may nest without limit."""
        is_struct = isinstance(type_, str) and row(type_)[0] == "struct"
        write = self.struct(type_) if is_struct else self.writer(type_)
        if not is_recursive(type_):
            return write

        def measured(value: Any) -> str:
            text: str = write(value)
            if is_deep_text(text):
                raise TooDeep
            return text

        return measured

    def _first(self, name: str, value: Any) -> str:
        """Stand in for the function of a struct until that function is made."""
        text: str = self.struct(name)(value)
        return text

    def struct(self, name: str) -> Any:
        """The function that writes the objects of a struct."""
        found = self._structs.get(name)
        if found is None:
            with COMPILING:
                found = self._structs[name] = self._scope[f"write_{name}"] = self._compiled(name)
        return found

    def unknown(self, unions: tuple[str, ...]) -> Callable[[Any], str]:
        """The function that writes an Unknown, which must be valid for one of `unions`."""

        def write(value: Any) -> str:
            raw = value.raw
            if type(raw) is not dict:
                wrong_type("object", raw)
            faults = list[Fault]()
            for union in unions:
                try:
                    self._decoders.reader(union)(raw)
                except Fault as fault:
                    faults.append(fault)
                else:
                    return self._text(raw)
            raise faults[0]

        return write

    def _name(self, stem: str) -> str:
        """A new name."""
        self._names += 1
        return f"{stem}{self._names}"

    def _constant(self, name: str, value: object) -> str:
        """Add a value to the globals of the functions."""
        self._scope[name] = value
        return name

    # Objects.

    def _compiled(self, name: str) -> Any:
        """The function for an object: it writes the members as texts, and a format string joins them at the end.

        Adjacent optional members share a text, so that an absent one costs only a test.
        """
        _, _, members, extra, _ = row(name)
        source = Source(f"def write_{name}(o):")
        flat = next((m for m in members if is_flat(m)), None)
        own = [m for m in members if m is not flat]
        self._constant(f"keys_{name}", {m[1]: ("", None) if m[0] == "=" else (m[2], _absent(m)) for m in own})
        located = not all(map(has_no_parts, own))
        parts = {}
        optional = None
        with source.block("try:", when=located):
            for member in members:
                if member is flat:
                    optional = None
                elif _absent(member) is ... or member[0] == "=":
                    optional = None
                    parts[member[1]] = self._always(source, member, located=located)
                else:
                    if optional is None:
                        optional = self._name("t")
                        source(f"{optional} = ''")
                        parts[member[1]] = f"{{{optional}}}"
                    self._optional(source, member, optional, located=located)
        if located:
            source("except Fault as fault:", "    fault.steps.append(at)", "    raise")
        flattened = "" if flat is None else self._flat(source, name, flat)
        text = "".join(flattened if m is flat else parts.get(m[1], "") for m in members)
        begins = text.startswith(",")
        if begins:
            text = "{{" + text[1:]
        if extra is not None:
            text += self._typed_extra(source, name, extra)
        else:
            more = f"more(o, e, keys_{name}{', taken' if flat is not None else ''})"
            source("e = o._extra")
            text += f"{{{more} if e else NOTHING}}"
        if begins:
            source(f"return {_formatted(text + '}}')}")
        else:
            source(f'return "{{" + ({_formatted(text)})[1:] + "}}"')
        return source.compile(f"write_{name}", f"write_{name}{self._mode}", self._scope)

    def _always(self, source: Source, member: Any, *, located: bool) -> str:
        """Check a member that is always present; return the part of a format string that writes it after others."""
        lead = _lead(member)
        if member[0] == "=":
            return lead + _escaped(json_text(member[2], 0))
        if _is_text(member) and not self._careful:
            return f"{lead}{{quote(o.{member[2]})}}"
        v = self._name("v")
        source(f"{v} = o.{member[2]}")
        return lead + self._member(source, member, v, self._place(source, member, located=located))

    def _optional(self, source: Source, member: Any, text: str, *, located: bool) -> None:
        """Check a member that may be absent, and write it after the text of others."""
        v = self._name("v")
        source(f"{v} = o.{member[2]}", f"if {v} is not {'UNSET' if _absent(member) is UNSET else 'None'}:")
        with source.block():
            step = self._place(source, member, located=located)
            part = self._member(source, member, v, step)
            source(f"{text} = {_formatted(f'{{{text}}}{_lead(member)}{part}')}")

    def _place(self, source: Source, member: Any, *, located: bool) -> str:
        """The last argument of refusals, the place of a member; or the assignment for a handler that adds the place."""
        if not located:
            return f", {member[1]!r}"
        source(f"at = {member[1]!r}")
        return ""

    def _member(self, source: Source, member: Any, v: str, step: str) -> str:
        """Check the value of a member that is present; return the part of a format string that writes it."""
        how, _, _, *rest = member
        if how == "?" and type(rest[0]) is int:
            source(f"literal({v}, {rest[0]!r}{step})")
            return _escaped(json_text(rest[0], 0))
        if how == "?":
            source(f"if {v} != {rest[0]!r} or type({v}) is not {type(rest[0]).__name__}:")
            source(f"    wrong_constant({v}, {rest[0]!r}{step})")
            return _escaped(json_text(rest[0], 0))
        if how == "#":
            return self._varying_tag(source, v, step, *rest)
        flags, type_, *more = rest
        if not flags & NULLABLE:
            part = self._value(source, type_, v, step)
        else:
            text = self._name("t")
            source(f"if {v} is None:", f"    {text} = NULL", "else:")
            with source.block():
                source(f"{text} = {_formatted(self._value(source, type_, v, step))}")
            part = f"{{{text}}}"
        if more and (tests := claims(v, *more[:2])):
            source(f"if {tests}:", f"    claimed({v}{step})")
        return part

    def _varying_tag(
        self, source: Source, v: str, step: str, _: bool, values: Any, others: str | None, prefix: str | None = None
    ) -> str:
        if prefix is not None:
            part = self._value(source, "string", v, step)
            if not self._careful:
                source(f"if not isinstance({v}, str):", f"    text({v}{step})")
            source(f"if not {v}.startswith({prefix!r}):", f"    unknown_prefix({v}, {prefix!r}{step})")
            return part
        known = row(values)[4] if isinstance(values, str) else values
        name = self._constant(self._name("tags"), tuple(known))
        test = f"{v} not in {name}"
        is_number = any(type(value) is int for value in known)
        if others is not None:
            test += "" if is_number else f" and not {self._constant(self._name('fits'), glob(others))}({v})"
        part = self._value(source, "integer" if is_number else "string", v, step)
        if is_number and others is not None:
            return part
        source(f"if {test}:", f"    unknown_tag({v}, {name}{step})")
        return part

    def _flat(self, source: Source, name: str, flat: Any) -> str:
        """Check a flattened member, whose members are written among the others; return the part that writes them."""
        _, _, attribute, flags, type_, *_ = flat
        v, text = self._name("v"), self._name("t")
        source(f"{v} = o.{attribute}")
        absent = f"if {v} is {'UNSET' if flags & NULLABLE else 'None'}:"
        with source.block(absent, f"    taken, {text} = (), NOTHING", "else:", when=not flags & REQUIRED):
            part = self._value(source, type_, v)
            source(f"taken, {text} = flattened({_formatted(part)}, o, keys_{name})")
        return f"{{{text}}}"

    def _more(self) -> Callable[..., str]:
        """The function that writes extra members after declared ones; declared members that are set have priority."""
        write, careful = self._text, self._careful

        def more(record: Any, extra: Any, keys: dict[str, tuple[str, Any]], taken: Any = ()) -> str:
            members = list[str]()
            for key, value in _entries(extra) if careful else extra.items():
                if (key in keys and _is_there(record, *keys[key])) or key in taken:
                    continue
                if type(value) is str and key not in keys:
                    members.append(f",{quote(key)}:{quote(value)}")
                    continue
                try:
                    member = self._declared(record, key, value) if key in keys else write(value)
                except Fault as fault:
                    fault.steps.append(key)
                    raise
                members.append(f",{quote(key)}:{member}")
            return "".join(members)

        return more

    def _declared(self, record: Any, key: str, value: Any) -> str:
        """Write an entry of `extra` under the key of a declared member that is not set; it must be valid for that."""
        value = plain(value)
        match next(member for member in row(declared_class(type(record)) or "")[2] if member[1] == key):
            case ["?", _, _, expected]:
                _literal(value, expected)
            case ["#", _, _, _, _, _, prefix]:
                if not _text(value).startswith(prefix):
                    _unknown_prefix(value, prefix)
            case ["#", _, _, _, values, others]:
                known = row(values)[4] if isinstance(values, str) else values
                if any(type(each) is int for each in known):
                    value = _integer(value)
                    if value not in known and others is None:
                        _unknown_tag(value, known)
                elif value not in known and (others is None or not glob(others)(_text(value))):
                    _unknown_tag(value, known)
            case [_, _, _, _, _, _, _, ["absent" | "skip absent", _]]:
                pass  # any value that lenient mode kept
            case [_, _, _, _, type_, *more] if value is not None:
                self._decoders.reader(type_)(value)
                if is_claimed(value, *more[:2]):
                    refuse_claimed(value)
        return self._text(value)

    def _typed_extra(self, source: Source, name: str, extra: Any) -> str:
        """Check extra members of a declared type; return the part that writes them."""
        self._scope |= {"declared": self._declared, "is_there": _is_there}
        out = self._name("l")
        source(f"{out} = []", "if o._extra:")
        with source.block():
            source("e = entries(o._extra)", "try:", "    for at, x in e:")
            with source.block(levels=2):
                source(f"if at in keys_{name}:", f"    if not is_there(o, *keys_{name}[at]):")
                source("        x = declared(o, at, x)", f"        {out}.append({_formatted(',{quote(at)}:{x}')})")
                source("    continue")
                part = self._value(source, extra, "x")
                source(f"{out}.append({_formatted(',{quote(at)}:' + part)})")
            source("except Fault as fault:", "    fault.steps.append(at)", "    raise")
        return f"{{NOTHING.join({out})}}"

    # Values.

    def _value(self, source: Source, type_: Any, v: str, step: str = "") -> str:
        """Check the value of a variable; return the part of a format string that writes it.

        `step` is the last argument of refusals, for values whose step is not added by an exception handler.
        """
        if not isinstance(type_, str):
            how, *rest = type_
            return _COMPOSED[how](self, source, v, *rest)
        if type_ in _BUILT_IN or type_ in _TEXTS:
            test, refusal, part = _BUILT_IN["string" if type_ in _TEXTS else type_]
            if type_ in _TEXTS and self._careful:
                test, refusal, part = _CAREFUL
            source(*(line.format(v=v, step=step) for line in (test, refusal) if line))
            return part.format(v=v)
        match row(type_):
            case ["enum", declared, base, is_open, values]:
                return self._enum(source, v, step, type_, declared, base, is_open, values)
            case ["alias", _, meant] if type_ not in RECURSIVE:
                return self._value(source, meant, v, step)
            case ["alias", _, meant]:
                self._scope.setdefault(f"write_{type_}", partial(self._first_recursive, type_, meant))
                source(f"{v} = write_{type_}({v})")
            case ["struct", *_]:
                self._scope.setdefault(f"class_{type_}", class_of(type_))
                self._scope.setdefault(f"write_{type_}", partial(self._first, type_))
                source(f"if type({v}) is not class_{type_}:", f"    instance({v}, class_{type_})")
                source(f"{v} = write_{type_}({v})")
            case _:
                writers: dict[type, Any] = self._scope.setdefault(f"writers_{type_}", {})
                self._scope.setdefault(f"writer_{type_}", _Writers(self, writers, type_).find)
                source("try:", f"    f = writers_{type_}[type({v})]")
                source("except KeyError:", f"    f = writer_{type_}(type({v}))", f"{v} = f({v})")
        return f"{{{v}}}"

    def _first_recursive(self, name: str, meant: Any, value: Any) -> str:
        """Stand in for the function of an alias that may contain itself, until that function is made."""
        with COMPILING:
            source = Source(f"def write_{name}(v):")
            source(f"return {_formatted(self._value(source, meant, 'v'))}")
            write = source.compile(f"write_{name}", f"write_{name}{self._mode}", self._scope)
        text: str = write(value)
        return text

    def _enum(
        self, source: Source, v: str, step: str, name: str, declared: str, base: str, is_open: bool, values: Any
    ) -> str:
        if base == "string":
            part = self._value(source, "string", v, step)
        else:
            source(f"if type({v}) is not int:", f"    {v} = whole({v}{step})")
            part = f"{{{v}!r}}"
        if not is_open:
            known = self._constant(f"values_{name}", frozenset(values))
            refuse = "unknown_text" if base == "string" else "unknown_value"
            source(f"if {v} not in {known}:", f"    {refuse}({v}, {declared!r}{step})")
        elif base != "string":
            self._value(source, "integer", v, step)
        return part

    def _array(self, source: Source, v: str, item: Any, _: int | None, __: int | None) -> str:
        source(f"if type({v}) is not list:", f"    {v} = items({v})")
        if item == "string":
            source(f"if not TEXTS.issuperset(map(type, {v})):", f"    {v} = texts({v})")
            return f"[{{join(map(quote, {v}))}}]"
        out, x = self._name("l"), self._name("x")
        source(f"{out} = []", "try:", f"    for {x} in {v}:")
        with source.block(levels=2):
            source(f"{out}.append({_formatted(self._value(source, item, x))})")
        source("except Fault as fault:", f"    fault.steps.append(len({out}))", "    raise")
        return f"[{{join({out})}}]"

    def _map(self, source: Source, v: str, item: Any, enum: str | None) -> str:
        out, k, x = self._name("l"), self._name("k"), self._name("x")
        source(f"{out} = []", f"{v} = entries({v})", "try:", f"    for {k}, {x} in {v}:")
        with source.block(levels=2):
            if enum is not None and not row(enum)[3]:
                known = self._constant(f"keys_of_{enum}", frozenset(map(str, row(enum)[4])))
                source(f"if {k} not in {known}:", f"    unknown_value({k}, {row(enum)[1]!r})")
            part = self._value(source, item, x)
            source(f"{out}.append({_formatted(f'{{quote({k})}}:' + part)})")
        source("except Fault as fault:", f"    fault.steps.append({k})", "    raise")
        return f"{{{{{{join({out})}}}}}}"

    def _choice(self, source: Source, v: str, members: dict[str, Any]) -> str:
        text, head = self._name("s"), "if"
        for kind_, test in _KINDS.items():
            if kind_ in members:
                source(f"{head} {test.format(v)}:")
                with source.block():
                    source(f"{text} = {_formatted(self._value(source, members[kind_], v))}")
                head = "elif"
        source("else:", f"    wrong_type({' or '.join(members)!r}, {v})")
        return f"{{{text}}}"

    def _literal(self, source: Source, v: str, value: Any) -> str:
        source(f"literal({v}, {value!r})")
        return _escaped(json_text(value, 0))

    def _tuple(self, source: Source, v: str, types: list[Any]) -> str:
        source(f"{v} = items({v})", f"if len({v}) != {len(types)}:", f"    count({v}, {len(types)})")
        at, out, x = self._name("i"), self._name("l"), self._name("x")
        source(f"{out} = []", "try:")
        with source.block():
            for step, type_ in enumerate(types):
                source(f"{at} = {step}", f"{x} = {v}[{step}]")
                source(f"{out}.append({_formatted(self._value(source, type_, x))})")
        source("except Fault as fault:", f"    fault.steps.append({at})", "    raise")
        return f"[{{join({out})}}]"

    def _bounded(self, source: Source, v: str, scalar: str, _: Any, __: Any) -> str:
        return self._value(source, scalar, v)

    def _variants(self, source: Source, v: str, union: str, structs: list[str]) -> str:
        classes = f"only_{'_'.join(structs)}"
        self._scope |= {classes: tuple(map(class_of, structs)), "no_such_variant": no_such_variant}
        source(f"if not isinstance({v}, {classes}):", f"    no_such_variant({v}, {classes})")
        return self._value(source, union, v)


_COMPOSED: dict[str, Callable[..., str]] = {
    "[]": Encoders._array,
    "{}": Encoders._map,
    "|": Encoders._choice,
    "=": Encoders._literal,
    "()": Encoders._tuple,
    "<": Encoders._bounded,
    "+": Encoders._variants,
}


def _absent(member: Any) -> Any:
    """The value that represents an absent member; `...` if the member is always present."""
    match member:
        case [".", _, _, flags, *_]:
            return ... if flags & REQUIRED else UNSET if flags & NULLABLE else None
        case ["#", _, _, optional, *_]:
            return None if optional else ...
        case _:
            return None


def _lead(member: Any) -> str:
    """The text between the previous members and the value of a member, as a part of a format string."""
    return _escaped(f",{quote(member[1])}:")


def _is_text(member: Any) -> bool:
    """Whether a member is a required string without further conditions."""
    return bool(member[0] == "." and member[4] in _TEXTS and member[3] == REQUIRED and len(member) == 5)


def _is_there(record: Any, attribute: str, absent: Any) -> bool:
    """Whether a declared member is written."""
    return not attribute or getattr(record, attribute) is not absent


def _escaped(text: str) -> str:
    """Text as a part of a format string."""
    return text.replace("{", "{{").replace("}", "}}")


def _formatted(part: str) -> str:
    """The expression for a part of a format string; braces in it contain names, calls and subscripts, but no quotes."""
    inner = part[1:-1]
    alone = part == f"{{{inner}}}" and not {"{", "}", "!"} & set(inner)
    return inner if alone else "f" + repr(part)
