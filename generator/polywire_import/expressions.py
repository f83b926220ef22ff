"""Shapes → type expressions, with enums and named declarations for what an expression cannot contain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from polywire.source.expr import ExpressionError, parse
from polywire_import import alternatives
from polywire_import.draft import Draft, capitalised, sentence_case
from polywire_import.lookup import Alternative, kind_of
from polywire_import.names import declarable, sentence
from polywire_import.shapes import (
    Anything,
    Array,
    Declared,
    ImportingError,
    Literal,
    Map,
    Member,
    Null,
    Object,
    OneOf,
    Ref,
    Scalar,
    Shape,
    Tuple,
)
from polywire_import.yamltext import Tree

MOST_NESTED = 40
"""Maximum nesting of unnamed shapes: merging alternatives that contain themselves can give new ones without end."""


class Expressions(Draft):
    """The layer that writes expressions."""

    def _is_enum(self, members: Sequence[Shape]) -> bool:
        """Return whether the alternatives are named values of one kind, perhaps with any other value of that kind."""
        literals = [each for each in members if isinstance(each, Literal)]
        kinds = {kind_of(each.value) for each in literals}
        rest = [each for each in members if not isinstance(each, Literal)]
        if len(kinds) != 1 or any(isinstance(each.value, (bool, float)) for each in literals):
            return False
        any_text = isinstance(literals[0].value, str)
        return all(isinstance(each, Scalar) and each.name == ("string" if any_text else "integer") for each in rest)

    def _enum(
        self, name: str, members: Sequence[Shape], declared: Declared | None, place: str = "", *, is_open: bool
    ) -> None:
        literals = [each for each in members if isinstance(each, Literal)]
        where = declared.place if declared else place
        grows = is_open or len(literals) < len(members) or self._overrides.grows(name, where)
        body: dict[str, Tree] = {**self._about(name, declared, where), "open": grows}
        whole = isinstance(literals[0].value, int)
        if whole:
            body["base"] = "integer"
        values: dict[str, Tree] = {}
        for each in literals:
            if whole:
                key = _value_name(each, values)
                values[key] = {"value": each.value, "doc": each.doc or f"{sentence_case(sentence(key))}."}
            else:
                values[str(each.value)] = each.doc or f"{sentence_case(sentence(str(each.value))) or 'No text'}."
        body["values"] = values
        self._enter("enums", name, body)

    def _checked(self, text: str, place: str) -> str:
        try:
            uses = parse(text).uses
        except ExpressionError as error:
            raise ImportingError(f"types: {place}: {error.message} in {text!r}") from error
        known = {called: name for name, called in self._called.items()}
        for use in uses:
            if use.name in known:
                self._need(known[use.name])
        return text

    def _expression(self, shape: Shape, hint: str, place: str) -> str:
        """Return the type expression of a shape; a declaration that it needs is named after `hint`."""
        return " | ".join(dict.fromkeys(self._parts(shape, hint, place)))

    def _parts(self, shape: Shape, hint: str, place: str) -> list[str]:
        members = self._look.alternatives(shape)
        if any("any" in self._look.kinds_of(each) for each in members):
            return self._any(members, place)
        apart = self._apart(members)
        mixed = next((each for each in apart if isinstance(each, Ref) and len(self._look.kinds_of(each)) > 1), None)
        if mixed is not None:
            is_nullable = len(apart) > 1 and "null" not in self._look.kinds_of(mixed)
            return [self._need(mixed.name), *(["null"] if is_nullable else [])]
        by_kind: dict[str, list[Shape]] = {}
        for each in apart:
            by_kind.setdefault(self._look.kinds_of(each)[0], []).append(each)
        null = by_kind.pop("null", None)
        is_open = isinstance(shape, OneOf) and shape.open
        by = shape.by if isinstance(shape, OneOf) else None
        many = len(by_kind) + bool(null) > 1
        parts: list[str] = []
        for kind, alike in by_kind.items():
            around = OneOf(tuple(alike), by, is_open, place)
            make = {
                "string": self._make_string,
                "number": self._make_number,
                "boolean": self._make_boolean,
                "array": self._make_array,
                "object": self._make_object,
            }[kind]
            parts.extend(make(around, hint, place, many=many))
        return [*parts, *(["null"] if null else [])]

    def _any(self, members: Sequence[Shape], place: str) -> list[str]:
        if len(members) > 1 and not all(isinstance(each, (Anything, Null)) for each in members):
            self._catalog.note("fallback", place, "one of the alternatives is any value, so the type is `json`")
        only = members[0] if len(members) == 1 else None
        return [self._need(only.name)] if isinstance(only, Ref) else ["json"]

    def _apart(self, members: Sequence[Shape]) -> list[Shape]:
        """Split the alternatives so that each has one kind; a reference to a mixed one is kept alone or beside null."""
        done: list[Shape] = []
        queue = list(members)
        opened: set[Shape] = set()
        while queue:
            each = queue.pop(0)
            kinds = self._look.kinds_of(each)
            if each in opened:
                continue
            if isinstance(each, Ref) and len(kinds) > 1 and any(other != Null() for other in (*queue, *done)):
                opened.add(each)
                inner = self._look.alternatives(self._look.resolved(each))
                queue[:0] = [one for one in inner if one not in done and one not in queue]
                continue
            if each not in done:
                done.append(each)
        return done

    def _make_string(self, around: OneOf, hint: str, place: str, *, many: bool) -> list[str]:
        members = around.members
        refs = [each for each in members if isinstance(each, Ref)]
        if len(members) == 1:
            return [self._one_scalar(members[0], hint, place, many=many)]
        literals = [each for each in members if isinstance(each, Literal)]
        inner = [one for each in members for one in self._look.alternatives(self._look.resolved(each))]
        if self._is_enum([each for each in inner if not isinstance(each, Scalar)] or [Null()]):
            others = any(isinstance(each, Scalar) for each in inner)
            known = next((r for r in refs if self._is_enum(self._look.alternatives(self._look.resolved(r)))), None)
            if known is not None and not literals and len(refs) == 1:
                self._catalog.note("guessed", place, "any other text is taken too, so the enum is given as text")
                return ["string"]
            kept: tuple[Shape, ...] = tuple(dict.fromkeys(each for each in inner if isinstance(each, Literal)))
            if others:
                kept = (*kept, Scalar("string"))
            return [self._named(OneOf(kept, open=around.open, place=around.place), hint, place)]
        return ["string"]

    def _make_number(self, around: OneOf, hint: str, place: str, *, many: bool) -> list[str]:
        members = around.members
        if len(members) == 1:
            return [self._one_scalar(members[0], hint, place, many=many)]
        inner = [one for each in members for one in self._look.alternatives(self._look.resolved(each))]
        if self._is_enum(inner):
            return [self._named(OneOf(tuple(dict.fromkeys(inner)), open=around.open, place=place), hint, place)]
        whole = all(
            (isinstance(each, Scalar) and each.name == "integer") or (isinstance(each, Literal) and
            isinstance(each.value, int)) for each in inner
        )  # fmt: skip
        if any(isinstance(each, Literal) or each != Scalar(each.name) for each in inner if isinstance(each, (Scalar,
               Literal))):  # fmt: skip
            self._catalog.note("lost", place, "the allowed numbers are not checked")
        return ["integer" if whole else "number"]

    def _make_boolean(self, around: OneOf, hint: str, place: str, *, many: bool) -> list[str]:
        if len(around.members) == 1:
            return [self._one_scalar(around.members[0], hint, place, many=many)]
        return ["boolean"]

    def _one_scalar(self, shape: Shape, hint: str, place: str, many: bool) -> str:
        match shape:
            case Ref():
                return self._need(shape.name)
            case Scalar():
                return self._bounded(shape, place)
            case Literal(value=bool(value)) if many:
                return json.dumps(value)
            case Literal(value=bool() | float() as value):
                self._catalog.note("lost", place, f"that it is {json.dumps(value)} is not checked")
                return "boolean" if isinstance(value, bool) else "number"
            case Literal(value=value) if many and _is_writable(value):
                return json.dumps(value, ensure_ascii=False)
        return self._named(OneOf((shape,), place=place), hint, place)

    def _bounded(self, shape: Scalar, place: str) -> str:
        if shape.low is None and shape.high is None:
            return shape.name
        low, high = _bound(shape.low, shape.name), _bound(shape.high, shape.name)
        if low is None or high is None or (shape.low is not None and shape.high is not None and shape.low > shape.high):
            self._catalog.note("lost", place, f"the bounds {shape.low}..{shape.high} cannot be expressed")
            return shape.name
        return f"{shape.name}({low}..{high})"

    def _make_array(self, around: OneOf, hint: str, place: str, *, many: bool) -> list[str]:  # noqa: ARG002 (one of a table)
        members = around.members
        if len(members) == 1 and isinstance(members[0], Ref):
            return [self._need(members[0].name)]
        shapes = [self._look.resolved(each) for each in members]
        if len(shapes) == 1 and isinstance(shapes[0], Tuple):
            items = shapes[0].items
            texts = [self._expression(each, f"{hint}Item{n}", place) for n, each in enumerate(items, 1)]
            return [f"[{', '.join(texts)}]"]
        if len(shapes) > 1:
            self._catalog.note("guessed", place, "lists of different items are one list of any of the items")
        every = tuple(dict.fromkeys(item for each in shapes for item in _items(each))) or (Anything(),)
        inner = self._expression(OneOf(every, place=place) if len(every) != 1 else every[0], f"{hint}Item", place)
        lows = [each.low for each in shapes if isinstance(each, Array)]
        highs = [each.high for each in shapes if isinstance(each, Array)]
        bounds = _bounds(lows, highs) if len(lows) == len(shapes) else "[]"
        if bounds is None:
            self._catalog.note("lost", place, "the numbers of items cannot be expressed")
            bounds = "[]"
        return [f"({inner}){bounds}" if " | " in inner else f"{inner}{bounds}"]

    def _make_object(self, around: OneOf, hint: str, place: str, *, many: bool) -> list[str]:  # noqa: ARG002 (one of a table)
        members = around.members
        if len(members) == 1 and not around.open:
            return [self._one_object(members[0], hint, place)]
        loose = [each for each in members if not self._look.is_object(each)]
        if loose:
            return [self._loose(members, hint, place)]
        left = [] if around.open else self._without_subsumed(self._look.alternatives_in(members), place)
        if len(left) == 1:
            return [self._one_object(left[0].shape, hint, place)]
        return [self._named(around, hint, place)]

    def _one_object(self, shape: Shape, hint: str, place: str) -> str:
        match shape:
            case Ref():
                return self._need(shape.name)
            case Map():
                value = self._expression(shape.value, f"{hint}Value", place)
                key = self._key(shape.key, hint, place)
                return f"map<{key}{value}>" if key or value != "json" else "object"
            case Object() if not shape.members and not shape.bases and not shape.choices:
                return "object" if shape.extra is None else self._one_object(Map(shape.extra), hint, place)
            case Object():
                return self._named(shape, hint, place)
        return "object"

    def _key(self, key: Shape | None, hint: str, place: str) -> str:
        if key is None:
            return ""
        if self._is_enum(self._look.alternatives(self._look.resolved(key))):
            named = self._look.declared(key) if isinstance(key, Ref) else key
            return f"{self._expression(named, f'{hint}Key', place)}, "
        if self._look.resolved(key) != Scalar("string"):
            self._catalog.note("lost", place, "the keys are not checked")
        return ""

    def _loose(self, members: Sequence[Shape], hint: str, place: str) -> str:
        """Return the type for objects of which at least one accepts keys that are not listed."""
        shapes = [self._look.resolved(each) for each in members]
        if all(isinstance(each, Map) for each in shapes):
            values = tuple(dict.fromkeys(each.value for each in shapes if isinstance(each, Map)))
            return self._one_object(Map(OneOf(values, place=place)), hint, place)
        self._catalog.note("fallback", place, "one of the alternatives is any object, so the type is `object`")
        return "object"

    def _named(self, shape: Object | OneOf, hint: str, place: str) -> str:
        """Return the name of a declaration for a shape without a name, written now."""
        place = shape.place or place
        same = self._declared_unions().get((frozenset(shape.members), shape.open)) if isinstance(shape, OneOf) else None
        if same is not None:
            return self._need(same)
        key = (hint, shape)
        shared = self._shared.get(key) or self._open.get(shape)
        if shared is None:
            if len(self._open) > MOST_NESTED:
                self._catalog.note("fallback", place, "unnamed types are nested too deeply; this one is any value")
                return "json"
            wanted = self._overrides.text("names", place, declarable(hint))
            shared = self._shared[key] = self._open[shape] = self._names.give(wanted or hint)
            outer, self._using = self._using, set()
            if isinstance(shape, Object):
                self._struct(shared, shape, None, place)
            else:
                members = self._look.alternatives(shape)
                if all(self._look.is_object(each) for each in members):
                    self._union(shared, members, shape, None, place)
                else:
                    self._enum(shared, members, None, place, is_open=shape.open)
            self._using = outer
            del self._open[shape]
        self._using.add(shared)
        self._times[shared] += 1
        return shared

    def _declared_unions(self) -> Mapping[tuple[frozenset[Shape], bool], str]:
        """Return the unions of objects that the source names, by their alternatives."""
        if self._by_members is None:
            self._by_members = {
                (frozenset(shape.members), shape.open): name
                for name in reversed(self._called)
                if isinstance(shape := self._catalog.declarations[name].shape, OneOf)
                and all(isinstance(each, (Ref, Object)) for each in shape.members)
            }
        return self._by_members

    def _hint(self, owner: str, member: Member) -> str:
        """Return the name for an unnamed shape of a member: only the key if several members have the same shape."""
        alone = declarable(member.name)
        for inner in nameless(member.shape):
            if self._inline[member.name, inner] > 1 and alone not in self._declared_names:
                return alone
        return f"{owner}{capitalised(alone)}"

    def _without_subsumed(self, found: Sequence[Alternative], place: str) -> list[Alternative]:
        """Drop the alternatives that are subsumed by another one, if nothing distinguishes the alternatives."""
        if len(found) < 2 or not isinstance(
            alternatives.tell_apart([each.leaf for each in found]), alternatives.Merged
        ):
            return list(found)
        gone = dict(alternatives.subsumed([each.leaf for each in found]))
        for small, large in gone.items():
            names = (self._title(found[small], small), self._title(found[large], large))
            self._catalog.note("lost", place, f"{names[0]} is read as {names[1]}, which takes all that it takes")
        return [each for number, each in enumerate(found) if number not in gone]

    @staticmethod
    def _title(each: Alternative, number: int) -> str:
        return each.shape.name if isinstance(each.shape, Ref) else each.shape.title or f"alternative {number + 1}"


def nameless(shape: Shape) -> Iterator[Shape]:
    """Yield the shapes under a member that need a name and have none."""
    match shape:
        case Object() if shape.members or shape.choices:
            yield shape
        case OneOf():
            literals = sum(isinstance(each, Literal) for each in shape.members)
            if literals > 1:
                yield shape
            for each in shape.members:
                yield from nameless(each)
        case Array(item=item):
            yield from nameless(item)
        case Map(value=value):
            yield from nameless(value)


def _items(shape: Shape) -> Sequence[Shape]:
    match shape:
        case Array(high=0):
            return ()
        case Array(item=item):
            return (item,)
        case Tuple(items=items):
            return items
    return (Anything(),)


def _bound(value: float | None, name: str) -> str | None:
    """Return a bound as text; None if the number cannot be one."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**15 and (name != "string" or value >= 0) else None
    text = repr(value)
    return text if name == "number" and re.fullmatch(r"-?[0-9]{1,15}\.[0-9]{1,15}", text) else None


def _bounds(lows: Sequence[int | None], highs: Sequence[int | None]) -> str | None:
    """Return the bounds of a list as text; None if there are no such ones."""
    low = min((each or 0 for each in lows), default=0)
    high = None if any(each is None for each in highs) else max(each or 0 for each in highs)
    if low == 0 and high is None:
        return "[]"
    if low >= 10**15 or (high is not None and (low > high or high >= 10**15)):
        return None
    return f"[{low or 0}..{'' if high is None else high}]"


def _is_writable(value: object) -> bool:
    """Return whether an expression can contain the literal: a text of readable length without control characters."""
    return isinstance(value, int) or (isinstance(value, str) and value.isprintable() and len(value) <= 80)


def _value_name(each: Literal, taken: Mapping[str, Tree]) -> str:
    words = sentence(each.title) if each.title else ""
    value = str(each.value).replace("-", "minus_")
    name = words.replace(" ", "_").lower() if words[:1].isalpha() else f"value_{value}"
    return name if name not in taken else f"{name}_{value}"
