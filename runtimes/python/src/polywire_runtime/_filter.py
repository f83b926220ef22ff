# pyright: basic
"""Readers that give only some kinds of messages: the choice of the others' lines, which are not decoded."""

from __future__ import annotations

from functools import lru_cache

from ._aliases import type_name
from ._base import RecordType
from ._decoder import Decoders
from ._json import MAX_DEPTH, Fault, parse, too_deep
from ._native import NATIVE, number_of
from ._rows import class_of, declared_class, row, structs_of
from ._table import UNKNOWNS
from ._wire import decode, load_value, read_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = ["filter_for"]


@lru_cache(maxsize=32)
def filter_for(type_: Any, only: tuple[Any, ...], strict: bool) -> Filter:
    """The filter for some types of a type; readers of many files share it."""
    return Filter(type_, only, strict=strict)


_ESCAPED = frozenset('"\\/')
"""Characters that JSON may escape, other than by `\\u`."""


class Filter:
    """Decodes lines of a union as some of its types, and skips the others."""

    def __init__(self, type_: Any, only: Iterable[Any], *, strict: bool) -> None:
        name = type_name(type_)
        found = row(name)
        if found[0] != "union":
            raise TypeError(f"only types of a union can be chosen, and {name} is none")
        self._type, self._strict = type_, strict
        unknown = found[3] if found[2] else None
        reached = frozenset(_reached(found[4], unknown))
        wanted = frozenset(each for one in only for each in _wanted(one, name, reached))
        if not wanted:
            raise ValueError("expected at least one type in `only`")
        self._wanted = wanted
        self._tags = _tags(found[4], unknown, wanted)
        self._select = _Selector(wanted, strict=strict).union(name).read
        self._native: Any = None if NATIVE is None else NATIVE.filter(number_of(type_), tuple(wanted))

    def skips(self, line: bytes) -> bool:
        """Whether a line is skipped unread: it has no tag of a wanted type, and none can be spelled in another way."""
        tags = self._tags
        if tags is None:
            return False
        for tag in tags:
            if tag in line:
                return False
        return b"\\u" not in line

    def first(self, data: bytes, start: int, places: list[int]) -> int:
        """Where a line of `data` that is not skipped unread can begin at the latest; its end if there is none.

        `places` is empty at first, and then has the next place of each text, so that no part is searched twice.
        """
        if self._tags is None:
            return start
        texts = (*self._tags, b"\\u")
        if not places:
            places += [-1] * len(texts)
        for number, text in enumerate(texts):
            if places[number] < start:
                found = data.find(text, start)
                places[number] = len(data) if found < 0 else found
        return min(places)

    def decode(self, line: bytes) -> Any:
        """Decode a line; the filter itself stands for one of another type. Raises DecodeError."""
        if NATIVE is not None:
            made = NATIVE.decode_wanted(line, self._native, self._strict)
            if made is not NotImplemented:
                return self if made is None else made
        try:
            value = load_value(line)
            is_wanted = self._select(value)
        except Exception:  # noqa: BLE001 - a fault, or a text that the fast parser refuses, or reads in another way
            if self._is_other(line):
                return self
            item = decode(line, self._type, self._strict)
        else:
            if not is_wanted and (line.count(b"[") + line.count(b"{") <= MAX_DEPTH or not too_deep(value)):
                return self
            item = read_value(line, value, self._type, strict=self._strict)
        return item if declared_class(type(item)) in self._wanted else self

    def _is_other(self, line: bytes) -> bool:
        """Whether a line is valid JSON of a type that is not wanted."""
        try:
            value = parse(line)
            return not self._select(value) and not too_deep(value)
        except (Fault, RecursionError):
            return False


def _wanted(type_: Any, union: str, reached: frozenset[str]) -> frozenset[str]:
    """The names of the classes of a type that are in a union; an enclosing union's Unknown may stand in for its own."""
    own = declared_class(type_) if isinstance(type_, RecordType) else None
    name = own if own in UNKNOWNS else type_name(type_)
    found = row(name) if name not in UNKNOWNS else ["unknown"]
    structs = structs_of(found[4]) if found[0] == "union" else [name]
    missing = frozenset(structs) - reached
    if missing:
        raise ValueError(f"{union} has no {', '.join(sorted(missing))}")
    return reached.intersection([*structs_of(found[4]), found[3]]) if found[0] == "union" else frozenset({name})


def _reached(dispatch: Any, unknown: str | None) -> Iterator[str]:
    """The classes that a dispatch can select; `unknown` is the Unknown of the outermost open union so far."""
    if isinstance(dispatch, str) or dispatch is None:
        yield from () if dispatch is None else (dispatch,)
        return
    how, union, *rest = dispatch
    if unknown is None and row(union)[2]:
        unknown = row(union)[3]
    if unknown is not None:
        yield unknown
    if how == "keys":
        for _, _, then in rest[0]:
            yield from _reached(then, unknown)
        return
    _, cases, others, absent, *prefixes = rest
    for _, then in (*cases, *(each for listed in prefixes for each in listed)):
        yield from _reached(then, unknown)
    yield from (struct for _, struct in others)
    yield from _reached(absent, unknown)


def _tags(dispatch: Any, unknown: str | None, wanted: frozenset[str]) -> tuple[bytes, ...] | None:
    """The JSON texts of the outermost tags of wanted types; None if one can also be selected in another way."""
    how, union, *rest = dispatch
    if how == "keys" or (row(union)[2] and row(union)[3] in wanted):
        return None
    _, cases, others, absent, *prefixes = rest
    ways = [*_reached(absent, unknown), *(struct for _, struct in others)]
    ways += [each for listed in prefixes for _, then in listed for each in _reached(then, unknown)]
    if not wanted.isdisjoint(ways):
        return None
    tags = [value for value, then in cases if not wanted.isdisjoint(_reached(then, unknown))]
    if not all(isinstance(tag, str) and tag.isprintable() and _ESCAPED.isdisjoint(tag) for tag in tags):
        return None
    return tuple(f'"{tag}"'.encode() for tag in tags)


def _yes(_: Any) -> bool:
    return True


def _no(_: Any) -> bool:
    return False


class _Selector(Decoders):
    """The decision of a union, which says in place of an object whether its type may be wanted."""

    def __init__(self, wanted: frozenset[str], *, strict: bool) -> None:
        super().__init__(strict=strict)
        self._wanted = {class_of(each) for each in wanted if each in UNKNOWNS}
        self._names = wanted

    def _follow(self, dispatch: Any, unknown: Any, known: frozenset[str]) -> Any:
        if isinstance(dispatch, str):
            return _yes if dispatch in self._names else _no
        return super()._follow(dispatch, unknown, known)

    def _catch_all(self, struct: str, key: str, unknown: Any, known: frozenset[str]) -> Any:
        if self._strict:
            return super()._catch_all(struct, key, unknown, known)
        return _yes if struct in self._names or unknown in self._wanted else _no

    def untouched(self, unknown: Any, _: Any) -> Any:
        return unknown in self._wanted
