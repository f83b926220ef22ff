"""Two sets of compact types → every structural difference, in both directions, each reported once.

Starting with pairs of names, types are compared from the outside in. If both sides refer to a declaration, these become
another pair, which is compared once and separately; if one side has an inline type, it is compared in place. Objects of
two unions are paired by the constants that distinguish them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, TypeAlias

from polywire_upstream.declarations import in_order, parts

Type: TypeAlias = Any
Table: TypeAlias = Mapping[str, Type]

RULES: Mapping[str, str] = {
    "missing-declaration": "an upstream declaration without a counterpart in the spec",
    "extra-declaration": "a declaration of the spec that is not reachable from an upstream one",
    "missing-field": "a member that only upstream declares",
    "extra-field": "a member that only the spec declares",
    "presence": "required on one side, optional on the other",
    "null": "null is a value on one side only",
    "missing-variant": "an object of a union that only upstream declares",
    "extra-variant": "an object of a union that only the spec declares",
    "missing-value": "a value that only upstream declares",
    "extra-value": "a value that only the spec declares",
    "missing-type": "a kind of JSON that only upstream declares",
    "extra-type": "a kind of JSON that only the spec declares",
    "integer": "a number upstream, an integer in the spec",
    "format": "any text upstream, a text with a format in the spec",
    "values": "any text upstream, a list of values in the spec",
    "open": "a closed list of values or union upstream, an open one in the spec",
    "wider": "the type in the spec is less specific than upstream's",
    "narrower": "any value upstream, a more specific type in the spec",
    "rest": "undeclared members are typed on one side only",
    "opaque": "not JSON upstream, or not declared, but a value in the spec",
}


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """One difference. `place` starts with upstream's declaration; `owner` is the spec's, `member` its subject."""

    place: str
    rule: str
    upstream: str
    spec: str
    owner: str = ""
    member: str = ""
    type: str = ""
    """What upstream declares there, as JSON of the compact form, for the `missing-` rules."""


@dataclass(frozen=True, slots=True)
class DeclaredObject:
    """An object: its members with whether they are required, and the type of other members."""

    fields: Mapping[str, tuple[Type, bool]]
    rest: Type | None = None
    name: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing of its members, as upstream's `{}`."""
        return not self.fields and self.rest is None

    def constants(self) -> dict[str, frozenset[Any]]:
        """Return the values of required members that only allow certain ones."""
        found = {}
        for key, (type_, required) in self.fields.items():
            values = literals(type_)
            if values and required:
                found[key] = frozenset((type(each).__name__, each) for each in values)
        return found


def literals(type_: Type) -> list[Any] | None:
    """Return the values of a type that only allows certain ones."""
    found = [each["is"] if isinstance(each, dict) and "is" in each else None for each in parts(type_)]
    return None if None in found else found


def spell(type_: Type) -> str:
    """Write a type for people."""
    if isinstance(type_, str):
        return type_.removeprefix("#")
    if isinstance(type_, list):
        inner = spell(type_[0])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if "is" in type_:
        return json.dumps(type_["is"], ensure_ascii=False)
    if "enum" in type_:
        return " | ".join(json.dumps(each, ensure_ascii=False) for each in type_["enum"])
    if "any of" in type_:
        return " | ".join(map(spell, sorted(type_["any of"], key=lambda each: each == "null")))
    if "all of" in type_:
        return " & ".join(map(spell, type_["all of"]))
    if "tuple" in type_:
        return f"[{', '.join(map(spell, type_['tuple']))}]"
    if "map" in type_:
        return f"map<{spell(type_['map'])}>"
    if "opaque" in type_:
        return str(type_["opaque"])
    return "{" + ", ".join(f"{key}: {spell(each)}" for key, each in type_["fields"].items()) + "}"


def cut(text: str, most: int = 160) -> str:
    """Shorten a long text, such as a union of everything that can be on a line."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def names_in(type_: Type) -> Iterator[str]:
    """Yield every name of a declaration in a type."""
    if isinstance(type_, str) and type_.startswith("#"):
        yield type_[1:]
    elif isinstance(type_, list):
        for each in type_:
            yield from names_in(each)
    elif isinstance(type_, dict):
        for key, each in type_.items():
            if key == "fields":
                for inner in each.values():
                    yield from names_in(inner)
            elif key not in ("is", "enum"):
                yield from names_in(each)


@dataclass(frozen=True, slots=True)
class Sorted:
    """The alternatives of a type by JSON kind."""

    any: bool
    null: bool
    boolean: frozenset[bool]
    string: frozenset[str]
    """Names of string scalars."""
    number: frozenset[str]
    values: tuple[Any, ...]
    open: bool
    arrays: tuple[Type, ...]
    objects: tuple[DeclaredObject, ...]
    maps: tuple[Type, ...]
    object: bool
    opaque: tuple[str, ...]


class Side:
    """One side: its declarations, and which of them were visited."""

    def __init__(self, table: Table, scalars: Mapping[str, str]) -> None:
        self.table = table
        self.seen: set[str] = set()
        self._scalars = scalars
        self._json: dict[str, bool] = {}

    def alternatives(self, type_: Type, path: tuple[str, ...] = ()) -> Iterator[tuple[Type, str | None]]:
        """Yield the alternatives of a type, resolving names and unions; an object comes with its declaration's name."""
        if isinstance(type_, str) and type_.startswith("#"):
            name = type_[1:]
            if name in path:
                return
            self.seen.add(name)
            if name not in self.table:
                yield f"missing:{name}", None
                return
            if self._is_json(name):
                yield "any", None
                return
            for each, inner in self.alternatives(self.table[name], (*path, name)):
                yield each, inner or (name if self._is_object(self.table[name]) else None)
        elif isinstance(type_, str) and type_.startswith("module:"):
            known = self._scalars.get(type_.removeprefix("module:"), type_)
            yield type_ if known.startswith("#") else known, None
        elif isinstance(type_, dict) and "any of" in type_:
            if type_.get("open"):
                yield "open", None
            for each in type_["any of"]:
                yield from self.alternatives(each, path)
        elif isinstance(type_, dict) and ("all of" in type_ or type_.get("bases")):
            yield from ((each, None) for each in self._merged(type_, path))
        else:
            yield type_, None

    def _is_json(self, name: str) -> bool:
        """Return whether a declaration is any JSON value, spelt out: its lists and maps contain it again."""
        if name not in self._json:
            self._json[name] = False
            found = [each for each, _ in self.alternatives(self.table[name], (name,))]
            inner = [each[0] for each in found if isinstance(each, list)]
            inner += [each["map"] for each in found if isinstance(each, dict) and "map" in each]
            words = {each for each in found if isinstance(each, str)}
            self._json[name] = words >= {"string", "number", "boolean", "null"} and (
                len(inner) > 1 and all(_reference(each) == name or "any" in parts(each) for each in inner)
            )
        return self._json[name]

    def says_more(self, maps: Iterable[Type]) -> bool:
        """Return whether maps of these values are more specific than `object`."""
        return any(not self.sort(each).any for each in maps)

    def is_union(self, name: str) -> bool:
        """Return whether a declaration is a union of other declarations."""
        return len(parts(self.table.get(name, "any"))) > 1 and literals(self.table[name]) is None

    def known_as(self, type_: Type) -> str | None:
        """Return the spec's name of an external type that is not expanded, ignoring null."""
        named = [each for each in parts(type_) if each not in ("null", "undefined")]
        if len(named) != 1 or not isinstance(named[0], str):
            return None
        known = self._scalars.get(named[0].removeprefix("module:"), "")
        return known[1:] if known.startswith("#") else None

    def see_all(self, name: str) -> None:
        """Mark a declaration and everything it leads to as visited."""
        ahead = [name]
        while ahead:
            each = ahead.pop()
            self.seen.add(each)
            ahead += [other for other in names_in(self.table.get(each)) if other not in self.seen]

    def _is_object(self, type_: Type) -> bool:
        return isinstance(type_, dict) and ("fields" in type_ or "all of" in type_)

    def _merged(self, type_: Type, path: tuple[str, ...]) -> Iterator[Type]:
        """Yield the objects of a type with bases, one for each combination of the alternatives of its bases."""
        own = [{key: each for key, each in type_.items() if key != "bases"}] if "fields" in type_ else []
        of = [_distinct(self.alternatives(one, path)) for one in type_.get("bases", type_.get("all of", []))]
        if prod(map(len, of)) > _MOST_COMBINATIONS:
            yield {"opaque": cut(spell(type_))}
            return
        for combination in product(*of):
            objects = [each for each in (*combination, *own) if each != "object"]
            if not objects:
                yield "object"
                continue
            if not all(isinstance(each, dict) and ("fields" in each or "map" in each) for each in objects):
                yield {"opaque": spell({"all of": objects})}
                continue
            fields: dict[str, Type] = {}
            rest = None
            for each in objects:
                for key, inner in each.get("fields", {}).items():
                    fields.pop(_other(key), None)
                    fields[key] = inner
                rest = each.get("rest", each.get("map", rest))
            yield {"fields": fields, **({} if rest is None else {"rest": rest})}

    def sort(self, type_: Type) -> Sorted:
        """Return the alternatives of a type by JSON kind."""
        words: set[str] = set()
        values: list[Any] = []
        arrays: list[Type] = []
        objects: list[DeclaredObject] = []
        maps: list[Type] = []
        opaque: list[str] = []
        is_open = False
        for each, name in self.alternatives(type_):
            if isinstance(each, list):
                if self._is_opaque(each[0]):
                    opaque.append(spell(each[0]))
                else:
                    arrays.append(each[0])
            elif isinstance(each, str):
                (opaque.append(each) if _is_opaque(each) else words.add(each))
            elif "fields" in each:
                objects.append(self._declared_object(each, name))
            elif "map" in each:
                maps.append(each["map"])
            elif "tuple" in each:
                arrays.append(_any_of(each["tuple"]))
            elif "enum" in each or "is" in each:
                values += each.get("enum", [each.get("is")])
                is_open |= bool(each.get("open"))
            else:
                opaque.append(str(each["opaque"]))
        booleans = {each for each in values if isinstance(each, bool)} | (
            {True, False} if "boolean" in words else set()
        )
        return Sorted(
            any="any" in words,
            null="null" in words,
            boolean=frozenset(booleans),
            string=frozenset(words & {"string", "uuid", "timestamp"}),
            number=frozenset(words & {"number", "integer"}),
            values=tuple(each for each in values if not isinstance(each, bool)),
            open=is_open or "open" in words,
            arrays=tuple(arrays),
            objects=_once(objects),
            maps=tuple(maps),
            object="object" in words,
            opaque=tuple(opaque),
        )

    def _is_opaque(self, type_: Type) -> bool:
        found = [each for each, _ in self.alternatives(type_)]
        return bool(found) and all(isinstance(each, str) and _is_opaque(each) for each in found)

    def _declared_object(self, type_: Type, name: str | None) -> DeclaredObject:
        fields = {key.removesuffix("?"): _field(each, key) for key, each in type_["fields"].items()}
        return DeclaredObject(
            {key: each for key, each in fields.items() if each[0] != "never"}, type_.get("rest"), name
        )


_MOST_COMBINATIONS = 10_000


def _distinct(found: Iterable[tuple[Type, str | None]]) -> list[Type]:
    return list({json.dumps(each): each for each, _ in found}.values())


def _other(key: str) -> str:
    return key[:-1] if key.endswith("?") else f"{key}?"


def _field(type_: Type, key: str) -> tuple[Type, bool]:
    """Treat a member that may be `undefined` as optional, which is the same on the wire."""
    kept = [each for each in parts(type_) if each != "undefined"]
    if not kept:
        return "never", False
    some = len(kept) < len(parts(type_))
    return ({"any of": kept} if some and len(kept) > 1 else kept[0] if some else type_), not (key.endswith("?") or some)


def _is_opaque(word: str) -> bool:
    return word == "function" or word.startswith(("live:", "missing:", "module:"))


class Comparison:
    """Compares `upstream` with `spec`; see `run`."""

    def __init__(self, upstream: Table, spec: Table, scalars: Mapping[str, str]) -> None:
        self._up = Side(upstream, scalars)
        self._spec = Side(spec, {})
        self._found: dict[Difference, None] = {}
        self._work: list[tuple[str, str]] = []
        self._inside: set[str] = set()
        self._pairs: dict[tuple[str, str], None] = {}
        self._owner = ""
        self._known: dict[str, str] = {}

    def run(
        self, pairs: Iterable[tuple[str, str]], expected: Iterable[str] = (), others: Iterable[tuple[str, str]] = ()
    ) -> list[Difference]:
        """Return the differences of pairs of names and everything they lead to.

        A name without a counterpart in the spec is paired with itself. `others` are compared if nothing leads to their
        declaration in the spec: it may have the name of something else. `expected` are names of the spec.
        """
        first, then = dict(pairs), dict(others)
        self._known = then | first
        for up, spec in first.items():
            self._pair(up, spec)
        self._finish()
        for up, spec in then.items():
            if spec not in self._spec.seen:
                self._pair(up, spec)
                self._finish()
        for name in sorted(set(expected) - self._spec.seen):
            self._say(name, "extra-declaration", "nothing", name, owner=name)
        return sorted(self._found)

    def _finish(self) -> None:
        """Compare the pairs that were found, and those that they lead to."""
        while self._work:
            up, spec = self._work.pop()
            self._owner = spec
            self._spec.seen.add(spec)
            self._up.seen.add(up)
            if up not in self._up.table or spec not in self._spec.table:
                self._of_absent(up, spec)
                continue
            self._compare(*self._apart(self._up.table[up], self._spec.table[spec]), up, "", as_pair=False)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of names that were compared."""
        return sorted(self._pairs)

    def _of_absent(self, up: str, spec: str) -> None:
        if up in self._up.table:
            self._say(up, "missing-declaration", spell(self._up.table[up]), "nothing", type_=self._up.table[up])
        elif spec in self._spec.table:
            self._say(up, "extra-declaration", "nothing", spec)

    def _pair(self, up: str, spec: str) -> None:
        if (up, spec) not in self._pairs:
            self._pairs[up, spec] = None
            self._work.append((up, spec))

    def _say(
        self,
        place: str,
        rule: str,
        upstream: str,
        spec: str,
        *,
        owner: str | None = None,
        member: str = "",
        type_: Type = None,
    ) -> None:
        declared = "" if type_ is None else json.dumps(type_, ensure_ascii=False, separators=(",", ":"))
        self._found[
            Difference(place, rule, upstream, spec, self._owner if owner is None else owner, member, declared)
        ] = None

    def _apart(self, up: Type, spec: Type) -> tuple[Type, Type]:
        """Return the types without the unions that are variants on both sides, which are compared as separate pairs."""
        ours, theirs = parts(up), parts(spec)
        for each in ours[:]:
            name = each[1:] if isinstance(each, str) and each.startswith("#") else ""
            other = f"#{self._known.get(name)}"
            if other in theirs and len(ours) > 1 and len(theirs) > 1 and self._up.is_union(name):
                self._pair(name, other[1:])
                ours.remove(each)
                theirs.remove(other)
        if len(ours) == len(parts(up)):
            return up, spec
        is_open = {"open": True} if isinstance(spec, dict) and spec.get("open") else {}
        return {"any of": ours}, {"any of": theirs, **is_open}

    # --- types ---

    def _compare(self, up: Type, spec: Type, place: str, member: str, *, as_pair: bool = True) -> None:
        both = json.dumps([up, spec])
        if both not in self._inside:  # a list may contain itself without a name of its own in between
            self._inside.add(both)
            self._compare_once(up, spec, place, member, as_pair=as_pair)
            self._inside.remove(both)

    def _compare_once(self, up: Type, spec: Type, place: str, member: str, *, as_pair: bool) -> None:
        mine, theirs = self._up.sort(up), self._spec.sort(spec)

        def say(rule: str) -> None:
            self._say(place, rule, spell(up), spell(spec), member=member, type_=up)

        if as_pair and mine.null != theirs.null and not mine.any and not theirs.any:
            say("null")
        if self._settled(up, spec, as_pair=as_pair):
            return
        if mine.any or theirs.any:
            if mine.any != theirs.any and not mine.opaque:
                say("narrower" if mine.any else "wider")
            return
        if bool(mine.opaque) != bool(theirs.opaque) or (mine.opaque and _all_opaque(mine) != _all_opaque(theirs)):
            self._say(place, "opaque", ", ".join(mine.opaque) or spell(up), spell(spec), member=member)
        self._texts(mine, theirs, place, member, say)
        self._numbers(mine, theirs, say)
        self._booleans(mine, theirs, say)
        if bool(mine.arrays) != bool(theirs.arrays):
            say("missing-type" if mine.arrays else "extra-type")
        elif mine.arrays:
            self._compare(_any_of(mine.arrays), _any_of(theirs.arrays), f"{place}/[]", member)
        self._objects(mine, theirs, place, member, say)

    def _settled(self, up: Type, spec: Type, *, as_pair: bool) -> bool:
        """Return whether both refer to a declaration, so that these pair up, or the spec declares an external type."""
        one, other = _reference(up), _reference(spec)
        if as_pair and one in self._up.table and other in self._spec.table:
            self._pair(str(one), str(other))
            return True
        if other is not None and self._up.known_as(up) == other:
            self._spec.see_all(other)
            return True
        return False

    def _texts(self, mine: Sorted, theirs: Sorted, place: str, member: str, say: Callable[[str], None]) -> None:
        values = [each for each in mine.values if isinstance(each, str)]
        known = [each for each in theirs.values if isinstance(each, str)]
        ours, other = bool(values or mine.string), bool(known or theirs.string)
        if ours != other:
            say("missing-type" if ours else "extra-type")
        elif mine.string:
            rule = _of_formats(mine.string, theirs.string)
            if rule is not None:
                say(rule)
        elif values and theirs.string and not known:
            say("wider")
        else:
            self._values(values, theirs, place, member)

    def _values(self, values: Sequence[str], theirs: Sorted, place: str, member: str) -> None:
        known = [each for each in theirs.values if isinstance(each, str)]
        for each in values:
            if each not in known and not theirs.string:
                self._say(f"{place}/={each}", "missing-value", json.dumps(each), "nothing", member=each)
        for each in known:
            if each not in values:
                self._say(f"{place}/={each}", "extra-value", "nothing", json.dumps(each), member=each)
        if theirs.open and known:
            self._say(place, "open", "closed", "open", member=member)

    def _booleans(self, mine: Sorted, theirs: Sorted, say: Callable[[str], None]) -> None:
        if bool(mine.boolean) != bool(theirs.boolean):
            say("missing-type" if mine.boolean else "extra-type")
        elif mine.boolean != theirs.boolean:
            say("wider" if mine.boolean < theirs.boolean else "narrower")

    def _numbers(self, mine: Sorted, theirs: Sorted, say: Callable[[str], None]) -> None:
        values = {each for each in mine.values if not isinstance(each, str)}
        known = {each for each in theirs.values if not isinstance(each, str)}
        if bool(values or mine.number) != bool(known or theirs.number):
            say("missing-type" if values or mine.number else "extra-type")
        elif mine.number and not theirs.number:
            say("values")
        elif "number" in mine.number and "integer" in theirs.number:
            say("integer")
        elif values and not mine.number and values != known:
            say("wider")

    # --- objects ---

    def _objects(self, mine: Sorted, theirs: Sorted, place: str, member: str, say: Callable[[str], None]) -> None:
        ours, other = _is_map(mine), _is_map(theirs)
        some, others = bool(mine.objects) or ours, bool(theirs.objects) or other
        typed, known = self._up.says_more(mine.maps), self._spec.says_more(theirs.maps)
        if some != others:
            if mine.opaque and not some:
                return
            say("missing-type" if some else "extra-type")
        elif ours and other and not mine.objects and not theirs.objects:
            if mine.maps and theirs.maps:
                self._compare(_any_of(mine.maps), _any_of(theirs.maps), f"{place}/*", member)
            elif typed or known:
                say("wider" if typed else "narrower")
        elif mine.objects and theirs.objects:
            if ours != other:
                say("missing-type" if ours else "extra-type")
            self._things(mine, theirs, place, member)
        elif typed or known or not all(each.is_empty for each in (*mine.objects, *theirs.objects)):
            say("wider" if mine.objects else "narrower")

    def _things(self, mine: Sorted, theirs: Sorted, place: str, member: str) -> None:
        if len(mine.objects) == 1 and len(theirs.objects) == 1:
            self._matched(mine.objects, theirs.objects, place, place, member)
            return
        if theirs.open:
            self._say(place, "open", "closed", "open", member=member)
        groups, alone, extra = _groups(mine.objects, theirs.objects)
        for up, spec in groups:
            self._matched(up, spec, f"{place}/{_label(up[0])}", place, member)
        for each in alone:
            where = f"{place}/{each.name or _label(each)}"
            self._say(where, "missing-variant", _name(each), "nothing", member=member, type_=_object(each))
        for each in extra:
            self._say(
                f"{place}/{each.name or _label(each)}", "extra-variant", "nothing", _name(each), member=each.name or ""
            )

    def _matched(
        self, up: Sequence[DeclaredObject], spec: Sequence[DeclaredObject], place: str, _outer: str, member: str
    ) -> None:
        one, other = _one_name(up), _one_name(spec)
        if one is not None and other is not None and (place != one or self._owner != other):
            self._pair(one, other)
            return
        if one is not None:
            place = one
        previous = self._owner
        if other is not None:
            self._owner = other
        self._fields(_joined(up), _joined(spec), place, member)
        self._owner = previous

    def _fields(self, up: DeclaredObject, spec: DeclaredObject, place: str, outer: str) -> None:
        for key, (type_, required) in up.fields.items():
            where = f"{place}/{key}"
            if key not in spec.fields:
                text = f"{'required' if required else 'optional'} {spell(type_)}"
                self._say(where, "missing-field", text, "nothing", member=key, type_=type_)
                continue
            known, always = spec.fields[key]
            if required != always and known != "function":
                words = ("required", "optional")
                self._say(where, "presence", *(words if required else reversed(words)), member=key, type_=type_)
            self._compare(type_, known, where, key)
        for key, (type_, required) in spec.fields.items():
            if key not in up.fields:
                text = f"{'required' if required else 'optional'} {spell(type_)}"
                self._say(f"{place}/{key}", "extra-field", "nothing", text, member=key)
        if (up.rest is None) != (spec.rest is None):
            texts = ("none" if each is None else spell(each) for each in (up.rest, spec.rest))
            self._say(f"{place}/*", "rest", *texts, member=outer)
        elif up.rest is not None:
            self._compare(up.rest, spec.rest, f"{place}/*", outer)


def _of_formats(ours: frozenset[str], theirs: frozenset[str]) -> str | None:
    """Return the rule that a string of upstream breaks if the spec restricts it to values or a format, if any."""
    if not theirs:
        return "values"
    if "string" in ours:
        return None if "string" in theirs else "format"
    return None if ours == theirs else "wider"


def _all_opaque(kinds: Sorted) -> bool:
    return not (
        kinds.string or kinds.number or kinds.boolean or kinds.values or kinds.arrays or kinds.objects or kinds.maps
    )


def _is_map(kinds: Sorted) -> bool:
    return bool(kinds.maps) or kinds.object


def _any_of(types: Iterable[Type]) -> Type:
    """Return a union without repetitions, however often lists in lists repeat their items."""
    kept = list({json.dumps(each): each for type_ in types for each in _members(type_)}.values())
    return kept[0] if len(kept) == 1 else {"any of": kept}


def _members(type_: Type) -> Iterator[Type]:
    if isinstance(type_, dict) and type_.keys() == {"any of"}:
        for each in type_["any of"]:
            yield from _members(each)
    else:
        yield type_


def _once(objects: Sequence[DeclaredObject]) -> tuple[DeclaredObject, ...]:
    """Drop repeated objects: lists of one to four items declare the same item ten times."""
    found: list[DeclaredObject] = []
    for each in objects:
        if each not in found:
            found.append(each)
    return tuple(found)


def _reference(type_: Type) -> str | None:
    """Return the only name in a type, ignoring null."""
    named = [each for each in parts(type_) if each not in ("null", "undefined")]
    one = named[0] if len(named) == 1 else None
    return one[1:] if isinstance(one, str) and one.startswith("#") else None


def _name(object_: DeclaredObject) -> str:
    return object_.name or _label(object_)


def _label(object_: DeclaredObject) -> str:
    """Return what distinguishes an object from its siblings: its name, its constants, or else its required members."""
    if object_.name is not None:
        return object_.name
    constants = [f"{key}={next(iter(each))[1]}" for key, each in sorted(object_.constants().items()) if len(each) == 1]
    return f"<{','.join(constants or sorted(key for key, each in object_.fields.items() if each[1]))}>"


def _one_name(objects: Sequence[DeclaredObject]) -> str | None:
    return objects[0].name if len(objects) == 1 else None


def _object(object_: DeclaredObject) -> Type:
    if object_.name is not None:
        return f"#{object_.name}"
    return {"fields": {key if required else f"{key}?": each for key, (each, required) in object_.fields.items()}}


def _matching(up: DeclaredObject, spec: DeclaredObject) -> tuple[int, int, int] | None:
    """Return how well two objects match; None if a constant distinguishes them."""
    mine, theirs = up.constants(), spec.constants()
    common = mine.keys() & theirs.keys()
    if any(not mine[key] & theirs[key] for key in common):
        return None
    if any(key not in up.fields for key in theirs if key not in common):
        return None  # one lacks what identifies the other
    shared = len(up.fields.keys() & spec.fields.keys())
    if (up.fields, up.rest) == (spec.fields, spec.rest):
        return (len(common) + 1, shared, int(up.name == spec.name))
    return (len(common), 2 * shared - len(up.fields.keys() ^ spec.fields.keys()), int(up.name == spec.name))


def _groups(
    ups: Sequence[DeclaredObject], specs: Sequence[DeclaredObject]
) -> tuple[list[tuple[list[DeclaredObject], list[DeclaredObject]]], list[DeclaredObject], list[DeclaredObject]]:
    """Group the matching objects of two unions; also return those of either side that match nothing."""
    links: dict[int, set[int]] = {}
    for number, up in enumerate(ups):
        best = _best([_matching(up, spec) for spec in specs])
        if best is not None:
            links.setdefault(best, set()).add(number)
    taken = {number for numbers in links.values() for number in numbers}
    extra = []
    for number, spec in enumerate(specs):
        if number in links:
            continue
        best = _best([_matching(up, spec) for up in ups])
        host = next((other for other, numbers in links.items() if best in numbers), None)
        if best is not None and host is not None and _splits(ups[best], specs[host], spec):
            links[number] = {best}
        else:
            extra.append(spec)
    merged: list[tuple[set[int], set[int]]] = []
    for spec_number, numbers in links.items():
        same = next((each for each in merged if each[0] & numbers), None)
        if same is None:
            merged.append((set(numbers), {spec_number}))
        else:
            same[0].update(numbers)
            same[1].add(spec_number)
    groups = [([ups[each] for each in sorted(a)], [specs[each] for each in sorted(b)]) for a, b in merged]
    return groups, [up for number, up in enumerate(ups) if number not in taken], extra


def _splits(up: DeclaredObject, first: DeclaredObject, second: DeclaredObject) -> bool:
    """Return whether the spec splits one upstream object: a constant with both values upstream distinguishes two."""
    mine, one, other = up.constants(), first.constants(), second.constants()
    keys = [key for key in one.keys() & other.keys() if not one[key] & other[key]]
    return bool(keys) and all(
        key in up.fields and (key not in mine or (one[key] | other[key]) <= mine[key]) for key in keys
    )


def _best(matchings: Sequence[tuple[int, int, int] | None]) -> int | None:
    known = [(each, -index) for index, each in enumerate(matchings) if each is not None and (each[0] or each[1] > 0)]
    return -max(known)[1] if known else None


def _joined(objects: Sequence[DeclaredObject]) -> DeclaredObject:
    """Return one object that accepts everything that the given ones accept."""
    if len(objects) == 1:
        return objects[0]
    fields: dict[str, tuple[Type, bool]] = {}
    for key in dict.fromkeys(key for each in objects for key in each.fields):
        have = [each.fields[key] for each in objects if key in each.fields]
        types = in_order(list({json.dumps(type_): type_ for type_, _ in have}.values()))
        fields[key] = (_any_of(types), len(have) == len(objects) and all(required for _, required in have))
    return DeclaredObject(fields, next((each.rest for each in objects if each.rest is not None), None))
