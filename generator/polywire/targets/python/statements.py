"""Structs, unions and composed types → the functions of the codecs, as lines.

`wrong` gives the conditions under which a value is not of its type, `made` the expression that converts it, `text` the
expression that writes it; all of them work on a variable. They use `type(x)` rather than `x.__class__`: from Python
3.11 on, the first is an instruction and the second a search.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from polywire.targets.python.codec import Chooser, Member, StructView, UnionView
from polywire.targets.python.layout import (
    WIDTH,
    appended,
    assigned,
    bracketed,
    chained,
    fragment,
    guarded,
    quoted,
    refusals,
    scalar,
)
from polywire.targets.python.shapes import Shape
from polywire.targets.python.source import all_of, fstring

_MISS = "raise FastPathMiss"


_Checked = list[tuple[Member, list[str]]]
"""Members, each with the conditions under which it is refused."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the codecs."""

    lines: tuple[str, ...]


@dataclass(slots=True)
class Codecs:
    """The functions of one package's codecs, and what they use of the runtime."""

    uses: set[str] = field(default_factory=set)

    def _use(self, name: str) -> str:
        self.uses.add(name)
        return name

    # Expressions.

    def _wrong(self, shape: Shape, x: str) -> list[str]:
        """The conditions under which a value that was read is not of its type."""
        match shape.kind:
            case "string":
                return [f"type({x}) is not str"]
            case "boolean":
                return [f"type({x}) is not bool"]
            case "integer":
                return [f"type({x}) is not int", f"{x} >> 53"]
            case "enum":
                return _no_value(shape, x)
            case "json":
                return [self._unsafe(x)]
            case "object":
                return [f"type({x}) is not dict", self._unsafe(x)]
            case "null":
                return [f"{x} is not None"]
            case "slow":
                return [f"{x} is not d"]
            case "list" if not shape.converts:
                return [f"type({x}) is not list", self._other_types(shape, x)]
            case "map" if not shape.converts:
                closed = [f"not {values_name(shape)}.issuperset({x})"] if shape.values else []
                return [f"type({x}) is not dict", self._other_types(shape, f"{x}.values()"), *closed]
            case _:
                return []

    def _unsafe(self, x: str) -> str:
        return f"(type({x}) not in {self._use('SAFE')} and {self._use('unsafe')}({x}))"

    def _other_types(self, shape: Shape, items: str) -> str:
        types = self._use("STRINGS" if shape.item is not None and shape.item.kind == "string" else "BOOLEANS")
        return f"not {types}.issuperset(map(type, {items}))"

    def _faults(self, member: Member) -> list[str]:
        """The conditions under which a member's value is wrong; an addition makes sure of text."""
        wrong = [] if member.text else self._wrong(member.shape, member.local)
        return wrong + [
            f"{member.local} {'is' if value in {'True', 'False'} else '=='} {value}" for value in member.claimed
        ]

    def _made(self, shape: Shape, x: str) -> str:
        """The expression that converts a value."""
        if shape.kind == "number":
            return f"{self._use('number')}({x})"
        if shape.kind == "struct":
            return f"{'tagged' if shape.tagged else 'decode'}_{shape.name}({x})"
        if shape.kind == "union":
            if shape.switch is None:
                return f"choose_{shape.name}({x})"
            return f"DECODE_{shape.name}[{x}[{quoted(shape.switch)}]]({x})"
        if shape.beside_text is not None:
            return f"{x} if type({x}) is str else {self._made(shape.beside_text, x)}"
        if shape.kind == "choice" and shape.members[0].kind == "string":
            return f"{x} if type({x}) is str else decode_{shape.name}({x})"
        return f"decode_{shape.name}({x})" if shape.helper else x

    def _misfit(self, shape: Shape, x: str) -> list[str]:
        """The conditions under which a value cannot be written, as far as its writer does not tell."""
        match shape.kind:
            case "integer":
                return [f"type({x}) is not int", f"not {self._use('MIN')} <= {x} <= {self._use('MAX')}"]
            case "enum":
                return _no_value(shape, x)
            case "null":
                return [f"{x} is not None"]
            case "slow":
                return [f"{x} is not o"]
            case "struct":
                return [f"type({x}) is not {shape.name}"]
            case _:
                return []

    def _text(self, shape: Shape, x: str) -> str:
        """The expression that writes a value."""
        match shape.kind:
            case "string":
                return f"{self._use('quote')}({x})"
            case "boolean":
                return f"{self._use('boolean_text')}({x})"
            case "integer":
                return x
            case "enum":
                return x if shape.integers else f"{self._use('quote')}({x})"
            case "number" | "json" | "object":
                return f"{self._use(f'{shape.kind}_text')}({x})"
            case "union":
                return f"ENCODE_{shape.name}[type({x})]({x})"
            case "null" | "slow":
                return self._use("NULL")
            case _:
                return f"encode_{shape.name}({x})"

    # Statements.

    def _refuse(self, conditions: list[str], indent: int) -> list[str]:
        """The statements that hand over under any of some conditions."""
        if not conditions:
            return []
        pad = " " * indent
        return [
            line for guard in refusals(conditions, indent) for line in (f"{pad}{guard}", f"{pad}    {self._miss()}")
        ]

    def _refuse_unless_null(self, x: str, conditions: list[str], indent: int) -> list[str]:
        pad = " " * indent
        return [f"{pad}{guarded(x, conditions, indent)}", f"{pad}    {self._miss()}"] if conditions else []

    def _miss(self) -> str:
        self._use("FastPathMiss")
        return _MISS

    def _refuse_members(self, members: _Checked, before: list[str], after: list[str]) -> list[str]:
        """The statements that hand over under conditions of required members, and under others before and after.

        What may be null is part of the one statement where its condition is short.
        """
        conditions, blocks = list(before), list[str]()
        for member, found in members:
            if not member.nullable:
                conditions += found
                continue
            term = f"({member.local} is not None and {found[0]})" if len(found) == 1 else ""
            if term and len(term) <= WIDTH - 11:
                conditions.append(term)
            else:
                blocks += self._refuse_unless_null(member.local, found, 4)
        return [*self._refuse(conditions + after, 4), *blocks]

    # Decoders.

    def decoder(self, struct: StructView) -> Function:
        """The decoder of a struct, whose tags a union has looked at."""
        head = f"def decode_{struct.name}(d: Any) -> Any:"
        if struct.slow:
            return Function((head, f"    {self._miss()}"))
        lines = [head]
        if not struct.constants and not struct.required:
            lines += ["    if type(d) is not dict:", f"        {self._miss()}"]
        lines += self._check_required(struct)
        lines.append(f"    o = next(NEW_{struct.name})")
        for member in struct.required:
            lines += self._take_required(member)
        if struct.idle:
            lines += _all_are([f"o.{attr}" for attr in struct.idle], "None")
        if struct.optional:
            lines += self._take_optional(struct)
        return Function((*lines, *self._take_rest(struct), "    return o"))

    def _check_required(self, struct: StructView) -> list[str]:
        """Four integers share the check of their range, as a sign or a high bit of any shows in all of them."""
        constants = list[str]()
        for member in struct.constants:
            if not member.tag:
                constants.append(_differs(member))
                if member.shape.kind in {"integer", "number"}:
                    constants.append(f"type(d[{member.quoted}]) is bool")
        lines, checked, integers = list[str](), _Checked(), list[str]()
        for member in struct.required:
            found = self._faults(member)
            if self._is_held(member):
                lines.append(f"    {member.local} = d[{member.quoted}]")
            if member.shape.kind == "integer" and not member.nullable and not member.claimed:
                integers.append(member.local)
                found = found[:1]
            checked.append((member, found))
        groups = [integers[at : at + 4] for at in range(0, len(integers), 4)]
        ranges = [f"({' | '.join(each)}) >> 53" if len(each) > 1 else f"{each[0]} >> 53" for each in groups]
        return [*lines, *self._refuse_members(checked, constants, ranges)]

    def _is_held(self, member: Member) -> bool:
        """Whether a variable holds a required member while it is read, since its value is used more than once."""
        shape = member.shape
        return bool(self._faults(member)) or (member.nullable and shape.converts) or shape.kind == "choice"

    def _take_required(self, member: Member) -> list[str]:
        target, shape = f"o.{member.attr}", member.shape
        if not self._is_held(member) and shape.kind == "union" and shape.switch is not None:
            return [
                f"    {member.local} = d[{member.quoted}]",
                f"    {target} = {self._made(shape, member.local)}",
            ]
        source = member.local if self._is_held(member) else f"d[{member.quoted}]"
        value = f'{source} + ""' if member.text else self._made(shape, source)
        if shape.converts and member.nullable:
            value = f"None if {source} is None else {value}"
        return [f"    {assigned(target, value, 4)}"]

    def _take_optional(self, struct: StructView) -> list[str]:
        lines: list[str] = []
        for absent in ("None", "UNSET"):
            targets = [f"o.{member.attr}" for member in struct.optional if member.absent == absent]
            if targets:
                lines += _all_are(targets, absent if absent == "None" else self._use(absent))
        lines += ["    n = len(d)", f"    if n == {struct.always}:", "        o._extra = None", "        return o"]
        for member in struct.optional:
            lines += [f"    if {member.quoted} in d:", "        n -= 1"]
            value = f'd[{member.quoted}] + ""' if member.text else self._made(member.shape, member.local)
            if not member.text:
                lines.append(f"        {member.local} = d[{member.quoted}]")
            if member.is_null_apart:
                lines += self._refuse_unless_null(member.local, self._faults(member), 8)
                if member.shape.converts:
                    value = f"None if {member.local} is None else {value}"
            else:
                lines += self._refuse(self._faults(member), 8)
            lines.append(f"        {assigned(f'o.{member.attr}', value, 8)}")
        return lines

    def _take_rest(self, struct: StructView) -> list[str]:
        """What is left when all declared members are taken."""
        count = "n" if struct.optional else "len(d)"
        if struct.typed_extra:
            return [f"    if {count} != {struct.always}:", f"        {self._miss()}", "    o._extra = None"]
        rest = f"{self._use('rest')}(d, KEYS_{struct.name})"
        if struct.optional:
            return [f"    o._extra = None if n == {struct.always} else {rest}"]
        return [
            f"    if len(d) == {struct.always}:",
            "        o._extra = None",
            "        return o",
            f"    o._extra = {rest}",
        ]

    def tagged(self, struct: StructView) -> Function:
        """The decoder of a struct whose tags nobody has looked at."""
        conditions = [_differs(member) for member in struct.members if member.tag]
        return Function(
            (
                f"def tagged_{struct.name}(d: Any) -> Any:",
                *self._refuse(conditions, 4),
                f"    return decode_{struct.name}(d)",
            )
        )

    def composite_decoder(self, shape: Shape) -> Function:
        """The decoder of a list, map or choice.

        It loops, as a comprehension is a function of its own before Python 3.12, whose call takes as long as an item.
        """
        head = f"def decode_{shape.name}(x: Any) -> Any:"
        if shape.item is None:
            return Function((head, "    kind = type(x)", *self._decode_choice(shape), f"    {self._miss()}"))
        listed = shape.kind == "list"
        lines = [head, f"    if type(x) is not {shape.python}:", f"        {self._miss()}"]
        if shape.values:
            lines += [f"    if not {values_name(shape)}.issuperset(x):", f"        {self._miss()}"]
        refused, value = self._refuse(self._wrong(shape.item, "item"), 8), self._made(shape.item, "item")
        if not shape.item.converts:
            lines += [f"    for item in {'x' if listed else 'x.values()'}:", *refused, "    return x"]
        elif listed:
            lines += [
                "    items = []",
                "    for item in x:",
                *refused,
                f"        {appended(value, 8)}",
                "    return items",
            ]
        else:
            lines += ["    members = {}", "    for key, item in x.items():", *refused]
            lines += [f"        {assigned('members[key]', value, 8)}", "    return members"]
        return Function(tuple(lines))

    def _decode_choice(self, shape: Shape) -> list[str]:
        lines: list[str] = []
        for member in shape.members:
            wrong = [each for each in self._wrong(member, "x") if each not in _TOLD_BY_KIND]
            step = self._miss() if member.kind == "slow" else f"return {self._made(member, 'x')}"
            lines += [f"    {_if_read(member)}", *self._refuse(wrong, 8), f"        {step}"]
        return lines

    def chooser(self, chooser: Chooser) -> Function:
        """One step of a union's dispatch."""
        head = f"def choose_{chooser.name}(d: Any) -> Any:"
        if chooser.booleans:
            return Function((head, *self._choose_by_boolean(chooser)))
        no_object = ["    if type(d) is not dict:", f"        {_MISS}"]
        if chooser.conditions:
            return Function((head, *no_object, *_choose_by_keys(chooser), f"    {self._miss()}"))
        lines = [head]
        if chooser.absent is not None:
            self._miss()
            lines += [*no_object, *_choose_absent(chooser)]
        if chooser.cases or chooser.simple:
            return Function((*lines, f"    return DECODE_{chooser.name}[d[{chooser.quoted}]](d)"))
        return Function((*lines, f"    {self._miss()}"))

    def _choose_by_boolean(self, chooser: Chooser) -> list[str]:
        lines = [] if chooser.absent is None else _choose_absent(chooser)
        lines.append(f"    tag = d[{chooser.quoted}]")
        for value, function in chooser.cases:
            lines += [f"    if tag is {value}:", f"        return {function}(d)"]
        if chooser.absent is not None:
            lines += ["    if type(tag) is bool:", f"        return {chooser.absent}(d)"]
        return [*lines, f"    {self._miss()}"]

    # Encoders.

    def encoder(self, struct: StructView) -> Function:
        """The encoder of a struct."""
        head = f"def encode_{struct.name}(o: Any) -> str:"
        if struct.slow:
            return Function((head, f"    {self._miss()}"))
        held = [member for member in struct.required if self._is_held_to_write(member)]
        checks = [(member, self._misfit(member.shape, member.local)) for member in struct.required]
        return Function(
            (
                head,
                *(['    text = ""'] if struct.always == 0 else []),
                *(f"    {member.local} = o.{member.attr}" for member in held),
                *self._refuse_members(checks, [], []),
                *self._write(struct),
            )
        )

    def _is_held_to_write(self, member: Member) -> bool:
        """Whether a variable holds a required member while it is written."""
        shape = member.shape
        return bool(self._misfit(shape, member.local)) or member.is_null_apart or shape.kind in {"union", "integer"}

    def _write(self, struct: StructView) -> list[str]:
        """Pieces of text in wire order; from the first member that may be absent on, they are added to `text`."""
        lines, pieces, started = list[str](), list[tuple[str, bool]](), struct.always == 0
        for at, member in enumerate(struct.members):
            comma = "" if at == 0 and struct.always and not struct.optional_first else ","
            key = f"{comma}{json.dumps(member.key)}:"
            if member.constant is not None:
                pieces.append((fragment(key + json.dumps(member.constant)), False))
                continue
            if member.required:
                variable = member.local if self._is_held_to_write(member) else f"o.{member.attr}"
                pieces.append((fragment(key) + "{" + self._text_or_null(member, variable) + "}", True))
                continue
            if pieces:
                lines.append(f"    {fstring('text += ' if started else 'text = ', pieces, 4)}")
                pieces = []
            elif not started:
                lines.append('    text = ""')
            started = True
            lines += self._write_optional(member)
        return [*lines, *(self._end_added(struct, pieces) if started else self._end_at_once(struct, pieces))]

    def _write_optional(self, member: Member) -> list[str]:
        misfit, local = self._misfit(member.shape, member.local), member.local
        refuse = self._refuse_unless_null(local, misfit, 8) if member.is_null_apart else self._refuse(misfit, 8)
        text = fragment(f",{json.dumps(member.key)}:") + "{" + self._text_or_null(member, local) + "}"
        absent = member.absent if member.absent == "None" else self._use(member.absent)
        return [
            f"    {local} = o.{member.attr}",
            f"    if {local} is not {absent}:",
            *refuse,
            f"        {fstring('text += ', [(text, True)], 8)}",
        ]

    def _text_or_null(self, member: Member, x: str) -> str:
        text = self._text(member.shape, x)
        return f"{self._use('NULL')} if {x} is None else {text}" if member.is_null_apart else text

    def _end_added(self, struct: StructView, pieces: list[tuple[str, bool]]) -> list[str]:
        more = self._miss() if struct.typed_extra else f"text += {self._use('more')}(o._extra, KEYS_{struct.name})"
        text = "text[1:]" if struct.always == 0 or struct.optional_first else "text"
        return [
            *([f"    {fstring('text += ', pieces, 4)}"] if pieces else []),
            "    if o._extra:",
            f"        {more}",
            f'    return f"{{{{{{{text}}}}}}}"',
        ]

    def _end_at_once(self, struct: StructView, pieces: list[tuple[str, bool]]) -> list[str]:
        if struct.typed_extra:
            more = f"{self._use('fast_path_miss')}()"
        else:
            more = f"{self._use('more')}(o._extra, KEYS_{struct.name})"
        end = f"{{{more} if o._extra else {self._use('NOTHING')}}}}}}}"
        return [f"    {fstring('return ', [('{{', True), *pieces, (end, True)], 4)}"]

    def composite_encoder(self, shape: Shape) -> Function:
        """The encoder of a list, map or choice."""
        head = f"def encode_{shape.name}(x: Any) -> str:"
        if shape.item is None:
            return Function((head, "    kind = type(x)", *self._encode_choice(shape), f"    {self._miss()}"))
        lines = [head, f"    if type(x) is not {shape.python}:", f"        {self._miss()}"]
        if shape.values:
            lines += [f"    if not {values_name(shape)}.issuperset(x):", f"        {self._miss()}"]
        misfit = self._refuse(self._misfit(shape.item, "item"), 8)
        if misfit:
            lines += [f"    for item in {'x' if shape.kind == 'list' else 'x.values()'}:", *misfit]
        return Function((*lines, *(self._join_items if shape.kind == "list" else self._join_members)(shape.item)))

    def _join_items(self, item: Shape) -> list[str]:
        join = self._use("join")
        if item.kind == "string":
            return [f'    return f"[{{{join}(map({self._use("quote")}, x))}}]"']
        if item.kind == "integer" or (item.kind == "enum" and item.integers):
            return [f'    return f"[{{{join}(map(str, x))}}]"']
        items = bracketed("items = [", self._text(item, "item"), "for item in x", "]", 4)
        return [f"    {items}", f'    return f"[{{{join}(items)}}]"']

    def _join_members(self, item: Shape) -> list[str]:
        member = f'f"{{{self._use("quote")}(key)}}:{{{self._text(item, "item")}}}"'
        members = bracketed("members = [", member, "for key, item in x.items()", "]", 4)
        return [f"    {members}", f'    return f"{{{{{{{self._use("join")}(members)}}}}}}"']

    def _encode_choice(self, shape: Shape) -> list[str]:
        lines: list[str] = []
        for member in shape.members:
            misfit = [] if member.kind == "struct" else self._misfit(member, "x")
            refused = self._refuse([each for each in misfit if each not in _TOLD_BY_TYPE], 8)
            lines += [f"    {_if_written(member)}", *refused]
            lines.append(f"        return {'str(x)' if _is_integer(member) else self._text(member, 'x')}")
        return lines

    def unknown_encoder(self, union: UnionView) -> Function:
        """The encoder of a union's Unknown."""
        head = f"def encode_{union.name}_unknown(o: Any) -> str:"
        if not union.root.simple:
            return Function((head, f"    {self._miss()}"))
        table = f"DECODE_{union.name}"
        return Function((head, f"    return {self._use('unknown_text')}(o.raw, {table}, {union.root.quoted})"))


_TOLD_BY_KIND = frozenset(
    {
        *("type(x) is not str", "type(x) is not bool", "type(x) is not dict", "type(x) is not list"),
        *("x is not None", "x is not d"),
    }
)
"""Conditions that do not hold where a choice has looked at the type of what was read."""

_TOLD_BY_TYPE = frozenset({"type(x) is not int", "x is not None", "x is not o"})
"""Conditions that do not hold where a choice has looked at the type of what is to be written."""


def _is_integer(shape: Shape) -> bool:
    return shape.kind == "integer" or (shape.kind == "enum" and shape.integers)


def _if_read(shape: Shape) -> str:
    """How a choice tells a member by what the parser made of it."""
    if shape.kind == "null":
        return "if x is None:"
    if shape.kind == "slow":
        return "if kind is None:"
    if shape.kind == "number" or _is_integer(shape):
        return "if kind is int or kind is float:"
    return f"if kind is {'str' if shape.kind == 'enum' else shape.python}:"


def _if_written(shape: Shape) -> str:
    """How a choice tells a member by the object that is to be written."""
    if shape.kind == "null":
        return "if x is None:"
    if shape.kind == "slow":
        return "if kind is None:"
    if shape.kind == "struct":
        return f"if kind is {shape.name}:"
    if shape.kind == "union":
        return f"if kind in ENCODE_{shape.name}:"
    if shape.kind == "number":
        return "if kind is int or kind is float:"
    if _is_integer(shape):
        return "if kind is int:"
    return f"if kind is {'str' if shape.kind == 'enum' else shape.python}:"


def _no_value(shape: Shape, x: str) -> list[str]:
    """The conditions under which a value is none of a closed enum's."""
    kind = [f"type({x}) is not int"] if shape.integers else []
    one = len(shape.values) == 1
    return [*kind, f"{x} != {scalar(shape.values[0])}" if one else f"{x} not in {values_name(shape)}"]


def _differs(member: Member) -> str:
    """The condition under which a constant is another value."""
    operator = "is not" if isinstance(member.constant, bool) else "!="
    return f"d[{member.quoted}] {operator} {member.literal}"


def _all_are(targets: list[str], value: str) -> list[str]:
    return [f"    {line}" for line in chained(targets, value, 4)]


def _choose_absent(chooser: Chooser) -> list[str]:
    return [f"    if {chooser.quoted} not in d:", f"        return {chooser.absent}(d)"]


def _choose_by_keys(chooser: Chooser) -> list[str]:
    lines: list[str] = []
    for has, lacks, function in chooser.conditions:
        terms = [*(f"{key} in d" for key in has), *(f"{key} not in d" for key in lacks)]
        lines += [f"    {all_of(terms, 4)}", f"        return {function}(d)"]
    return lines


def values_name(shape: Shape) -> str:
    """The name of the set of a closed enum's values, or of a map's closed keys."""
    stem = shape.name or "_".join(str(value) for value in shape.values)
    return "VALUES_" + "".join(c if c.isascii() and c.isalnum() else "_" for c in stem)
