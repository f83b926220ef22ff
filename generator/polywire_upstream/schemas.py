"""The program's own code → what its validation schemas say about objects: members, presence, whole numbers.

Schemas are written as calls (`object({type: literal("x"), n: number().int().optional()})`), whose names a bundler may
have replaced. Calls are therefore recognised by their arguments: an object, one text, a list of strings, other schemas.
Calls without arguments are scalars; their kind is learnt from members that declarations also have. No code is run.
"""

from __future__ import annotations

import mmap
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from polywire.ground.errors import WrongUseError
from polywire_upstream.compare import DeclaredObject, Side, Table
from polywire_upstream.declarations import parts

Node: TypeAlias = Any
"""A text is `("text", value)`; a name `("name", dotted)`; a list `("list", nodes)`; an object `("object", pairs)`; a
call `("call", node, nodes)`; a member of a value `("of", node, name)`. A function without parameters is represented by
the value it returns."""

_LONGEST = 400_000
_MOST_DEPTH = 200
_START = re.compile(
    rb"(?<![\w$.])[\w$]+(?:\.[\w$]+)?\(\{"
    rb"(?:[\w$]+:[\w$.]+\([^(){}]{0,80}\)[^,{}]{0,40},){0,4}"
    rb"[\w$]+:[\w$.]+\(\"[\w./-]+\"\)"
)
"""Matches an object with a constant among its first members."""
_TOKEN = re.compile(
    r"""\s*(?:(?P<name>[A-Za-z_$][\w$]*)|(?P<number>\d[\w.]*)|(?P<arrow>=>)|(?P<dots>\.\.\.)|(?P<text>"(?:[^"\\]|\\.)*"|"""
    r"""'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)|(?P<regex>/(?:[^/\\\n]|\\.)+/[a-z]*)|(?P<sign>[^\s\w]))""",
    re.DOTALL,
)
_SCALARS = ("string", "number", "boolean", "any")


class _UnreadableError(ValueError):
    """The text is not an expression of this kind."""


@dataclass(frozen=True, slots=True)
class Field:
    """A member in a schema. `whole` is for numbers; `call` is the call that a scalar was written as.

    `required` is None if the member refers to another name, which may be anything.
    """

    required: bool | None
    whole: bool
    internal: bool
    call: str


@dataclass(frozen=True, slots=True)
class Object:
    """An object in a schema, with its constants."""

    constants: frozenset[tuple[str, str]]
    fields: Mapping[str, Field]


@dataclass(slots=True)
class SchemaFindings:
    """What schemas say beyond declarations, by place."""

    matched: int = 0
    """The number of objects found on both sides."""
    undeclared_objects: list[str] = field(default_factory=list)
    undeclared: dict[str, str] = field(default_factory=dict)
    """Members that only a schema has, with what is known about them."""
    presence: dict[str, str] = field(default_factory=dict)
    """Members that are required on one side only: what the schema says."""
    whole: dict[str, bool] = field(default_factory=dict)
    """Numbers: whether the schema requires a whole one."""


# --- text → expressions ----------------------------------------------------------------------------------------


class _Parser:
    """Parses one expression of the kind that schemas are written in."""

    def __init__(self, text: str, at: int = 0) -> None:
        self._text = text
        self._at = at
        self._kind, self._word = "", ""
        self._next()

    def _next(self) -> None:
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            if self._kind == "end":
                raise _UnreadableError("the end")
            self._kind, self._word = "end", ""
            return
        self._at = found.end()
        self._kind = str(found.lastgroup)
        self._word = found[self._kind]

    def _take(self, sign: str) -> bool:
        if self._word == sign and self._kind in ("sign", "arrow"):
            self._next()
            return True
        return False

    def _need(self, sign: str) -> None:
        if not self._take(sign):
            raise _UnreadableError(f"{self._word!r} in place of {sign!r}")

    def expression(self, depth: int = 0) -> Node:
        if depth > _MOST_DEPTH:
            raise _UnreadableError("too deep")
        node = self._postfixed(self._primary(depth), depth)
        while self._kind == "sign" and self._word == "+":
            self._next()
            other = self._postfixed(self._primary(depth), depth)
            node = ("text", node[1] + other[1]) if node[0] == other[0] == "text" else ("other",)
        return node

    def _primary(self, depth: int) -> Node:
        kind, word = self._kind, self._word
        if kind == "text":
            self._next()
            return ("text", word[1:-1])
        if kind == "name":
            self._next()
            return ("name", word)
        if kind in ("number", "regex"):
            self._next()
            return ("other",)
        if word == "[":
            return ("list", self._items("[", "]", depth))
        if word == "{":
            return self._object(depth)
        if word == "(":
            items = self._items("(", ")", depth)
            if self._take("=>"):
                return self.expression(depth + 1)
            return items[-1] if items else ("other",)
        if kind == "sign" and word in "!-":
            self._next()
            self._primary(depth)
            return ("other",)
        raise _UnreadableError(f"{word!r}")

    def _items(self, opening: str, closing: str, depth: int) -> list[Node]:
        self._need(opening)
        items = []
        while not self._take(closing):
            if self._kind == "dots":
                self._next()
                items.append(("spread", self.expression(depth + 1)))
            else:
                items.append(self.expression(depth + 1))
            if not self._take(","):
                self._need(closing)
                break
        return items

    def _object(self, depth: int) -> Node:
        self._need("{")
        pairs: list[tuple[str, Node]] = []
        while not self._take("}"):
            if self._kind == "dots":
                self._next()
                pairs.append(("...", self.expression(depth + 1)))
            else:
                key = self._word[1:-1] if self._kind == "text" else self._word
                self._next()
                pairs.append((key, self.expression(depth + 1) if self._take(":") else ("name", key)))
            if not self._take(","):
                self._need("}")
                break
        return ("object", pairs)

    def _postfixed(self, node: Node, depth: int) -> Node:
        while True:
            if self._kind == "sign" and self._word == ".":
                self._next()
                node = ("of", node, self._word)
                self._next()
            elif self._kind == "sign" and self._word == "(":
                node = ("call", node, self._items("(", ")", depth))
            else:
                return node


def parse(text: str, at: int = 0) -> Node | None:
    """Return the expression that starts at an index, or None for anything else."""
    try:
        return _Parser(text, at).expression()
    except (_UnreadableError, RecursionError):
        return None


# --- expressions → objects -------------------------------------------------------------------------------------

_OPTIONAL = {"optional", "nullish", "default", "catch", "prefault"}


def objects(text: str, start: int = 0) -> Iterator[Object]:
    """Yield the object that an expression is, and those nested in it."""
    node = parse(text, start)
    if node is not None:
        yield from _objects(node)


def _objects(node: Node) -> Iterator[Object]:
    match node:
        case ("call", inner, arguments):
            for each in arguments:
                if each[0] == "object":
                    yield _object(each[1])
                yield from _objects(each)
            yield from _objects(inner)
        case ("of", inner, _) | ("spread", inner):
            yield from _objects(inner)
        case ("list", items):
            for each in items:
                yield from _objects(each)
        case ("object", pairs):
            for _, each in pairs:
                yield from _objects(each)


def _object(pairs: Sequence[tuple[str, Node]]) -> Object:
    constants = frozenset((key, value) for key, node in pairs if (value := _literal(node)) is not None)
    return Object(constants, {key: _field(node) for key, node in pairs if key != "..."})


def _literal(node: Node) -> str | None:
    match node:
        case ("call", ("of", inner, "describe"), _):
            return _literal(inner)
        case ("call", callee, [("text", value)]) if _base_name(callee) is not None:
            return str(value)
    return None


def _base_name(callee: Node) -> str | None:
    """Return the name of a call that starts a schema: `object`, or `z.object`, whose package has any name."""
    match callee:
        case ("name", name):
            return str(name)
        case ("of", ("name", _), name):
            return str(name)
    return None


def _field(node: Node) -> Field:
    required, whole, internal = True, False, False
    while node[0] == "call" and node[1][0] == "of" and node[1][1][0] == "call":
        method, arguments = node[1][2], node[2]
        required &= method not in _OPTIONAL
        whole |= method == "int"
        internal |= method == "describe" and any(each[0] == "text" and "@internal" in each[1] for each in arguments)
        node = node[1][1]
    scalar = _base_name(node[1]) if node[0] == "call" and not node[2] else None
    known = whole or (node[0] == "call" and bool(node[2]) and node[2][0][0] in ("object", "text", "list"))
    return Field((required if known or not required else None), whole, internal, scalar or "")


# --- objects and declarations ----------------------------------------------------------------------------------


def read(program: Path) -> list[Object]:
    """Return the objects with constants in a program's schemas; the program is a script or contains scripts."""
    found: dict[tuple[frozenset[tuple[str, str]], tuple[str, ...]], Object] = {}
    with program.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for start in _START.finditer(data):
            text = data[start.start() : start.start() + _LONGEST].decode("utf-8", "replace")
            for each in objects(text):
                if each.constants:
                    found.setdefault((each.constants, tuple(sorted(each.fields))), each)
    return list(found.values())


def compare_schemas(
    found: Iterable[Object], table: Table, own: Iterable[str], scalars: Mapping[str, str], lines: Sequence[str]
) -> SchemaFindings:
    """Return what schemas say about the declared objects in `own`. Raises `WrongUseError` if they lack all lines."""
    side = Side(table, scalars)
    declared: dict[frozenset[tuple[str, str]], list[tuple[str, DeclaredObject]]] = defaultdict(list)
    for name in own:
        for object_ in side.sort(f"#{name}").objects:
            if object_.name == name:
                declared[_constants(object_)].append((name, object_))
    findings = SchemaFindings()
    like: dict[str, list[tuple[str, DeclaredObject, Object]]] = defaultdict(list)
    for each in found:
        best = max(declared.get(each.constants, []), key=lambda one: _shared(one[1], each), default=None)
        if best is not None and 2 * _shared(best[1], each) >= len(best[1].fields):
            like[best[0]].append((*best, each))
    pairs = [pair for same in like.values() for pair in _likest(same)]
    calls = _calls(side, pairs)
    known = {name for name, _, _ in pairs}
    top = {object_.name for name in lines if name in table for object_ in side.sort(f"#{name}").objects}
    if not known & top:
        raise WrongUseError("no schema of the program has an object that lines are declared to be")
    findings.matched = len(known)
    for name, object_, each in pairs:
        _compare(findings, side, name, object_, each, calls)
    keys = Counter(key for name in top & known for key, _ in _constants(_declared_object(side, str(name))))
    common = {key for key, number in keys.items() if 2 * number >= len(top & known)}
    findings.undeclared_objects = sorted(
        {
            _label(each.constants)
            for each in found
            if common <= {key for key, _ in each.constants} and each.constants not in declared
        }
    )
    return findings


def _likest(
    pairs: Sequence[tuple[str, DeclaredObject, Object]],
) -> Iterator[tuple[str, DeclaredObject, Object]]:
    """Yield the schemas that have the most members of a declared object; others have its constants by chance."""
    most = max(_shared(object_, each) for _, object_, each in pairs)
    yield from (pair for pair in pairs if _shared(pair[1], pair[2]) == most)


def _declared_object(side: Side, name: str) -> DeclaredObject:
    """Return the single object of a declaration."""
    return side.sort(f"#{name}").objects[0]


def _constants(object_: DeclaredObject) -> frozenset[tuple[str, str]]:
    return frozenset(
        (key, str(next(iter(values))[1]))
        for key, values in object_.constants().items()
        if len(values) == 1 and next(iter(values))[0] == "str"
    )


def _shared(object_: DeclaredObject, each: Object) -> int:
    return len(object_.fields.keys() & each.fields.keys())


def _kind(side: Side, type_: Any) -> str | None:
    """Return the scalar of a declared type."""
    words = {one for one, _ in side.alternatives(type_) if isinstance(one, str) and one not in ("null", "undefined")}
    words = {"string" if one in ("uuid", "timestamp") else one for one in words}
    whole = len(words) == 1 and not any(isinstance(one, (dict, list)) for one in parts(type_))
    return next(iter(words)) if whole and words <= set(_SCALARS) else None


def _calls(side: Side, pairs: Sequence[tuple[str, DeclaredObject, Object]]) -> dict[str, str]:
    """Return the scalar of each call without arguments, if at least nine in ten declared members agree."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for _, object_, each in pairs:
        for key, (type_, required) in object_.fields.items():
            kind, one = _kind(side, type_), each.fields.get(key)
            if kind is not None and one is not None and one.call:
                hidden = one.required is None and not required  # a schema of its own, which contains the `optional`
                votes[one.call]["" if hidden else kind] += 1
    most = {call: counts.most_common(1)[0] for call, counts in votes.items()}
    return {
        call: kind for call, (kind, number) in most.items() if kind and 10 * number >= 9 * sum(votes[call].values())
    }


_PRESENCE = {True: "required", False: "optional", None: ""}


def _compare(
    findings: SchemaFindings, side: Side, name: str, object_: DeclaredObject, each: Object, calls: Mapping[str, str]
) -> None:
    for key, one in each.fields.items():
        place = f"{name}/{key}"
        kind = "integer" if one.whole else calls.get(one.call, "")
        always = True if one.required is None and kind else one.required
        if key not in object_.fields:
            words = (_PRESENCE[always], kind, "internal" if one.internal else "")
            findings.undeclared.setdefault(place, " ".join(filter(None, words)))
            continue
        type_, required = object_.fields[key]
        if always is not None and required != always:
            findings.presence[place] = _PRESENCE[always]
        if _kind(side, type_) == "number":
            findings.whole[place] = one.whole


def _label(constants: frozenset[tuple[str, str]]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(constants))
