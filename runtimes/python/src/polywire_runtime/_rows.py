# pyright: basic
"""The package's table, and functions compiled from it.

Each declaration has a row: JSON text that is parsed when the type is first used. The key of the row is the name in this
package, and the row contains the name in the protocol:

    ["enum", name, base, open, [value, …]]               base is "string" or "integer"
    ["alias", name, type]
    ["struct", name, [member, …], extra, [local, …]]     extra is a type or null; local fields are never sent
    ["union", name, open, unknown, dispatch]             unknown is the class of its Unknown, or null

    member    ["=", key, value]                          a constant; tags come first
              ["=", key, value, true]                    a tag that is an integer
              ["?", key, attribute, value]               a constant that may be absent
              ["#", key, attribute, optional, values, others]
                                                         a tag that varies: values is a list or an enum's name, others
                                                         the glob of unknown values that belong here too, or null
              ["#", key, attribute, optional, [], null, prefix]
                                                         every text with this prefix
              [".", key, attribute, flags, type]         a field; flags: REQUIRED | NULLABLE | FLATTEN
              [".", key, attribute, flags, type, claimed]
                                                         claimed: values that belong to sibling variants
              [".", key, attribute, flags, type, claimed, prefixes]
                                                         prefixes: prefixes of texts that belong to sibling variants
              [".", key, attribute, flags, type, claimed, prefixes, repair]
                                                         repair: ["absent", null], ["skip", null],
                                                         ["skip absent", null], ["value", value] or
                                                         ["skip value", value], for an invalid value
    dispatch  struct
              ["switch", union, key, [[value, dispatch], …], [[glob, struct], …], dispatch if absent or null]
              ["switch", …, [[prefix, dispatch], …]]     the same, with prefixes, the longest first
              ["keys", union, [[has, lacks, dispatch], …]]
    type      "string" "boolean" "number" "integer" "uuid" "timestamp" "json" "object" "null", or a declared name
              ["[]", item, low, high]                    bounds or null
              ["{}", value, key]                         key is an enum's name or null
              ["|", {kind: type, …}]
              ["=", value]                               exactly this value
              ["()", [type, …]]                          an array of exactly these items, a tuple here
              ["<", scalar, low, high]                   a scalar with bounds, each or null
              ["+", union, [struct, …]]                  some variants; only callers compose it

The functions of a type are compiled to straight-line code when it is first used, as dataclasses and attrs compile
`__init__`. Data from a peer is never compiled.
"""

from __future__ import annotations

import linecache
from _thread import RLock
from importlib import import_module
from json import loads

from ._json import MAX_DEPTH
from ._table import AREAS, LEVELS, RECURSIVE, ROWS, UNKNOWNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = [
    "COMPILING",
    "FLATTEN",
    "NULLABLE",
    "REQUIRED",
    "ROOM",
    "Source",
    "class_of",
    "declared_class",
    "has_no_parts",
    "is_flat",
    "is_recursive",
    "repair_of",
    "row",
    "structs_of",
]

REQUIRED, NULLABLE, FLATTEN = 1, 2, 4

ROOM = MAX_DEPTH - LEVELS
"""Levels that an untouched value may have at any place; if one has more, the depth of the document is checked."""

COMPILING = RLock()
"""Held while functions are compiled, because the functions of one mode share their globals."""

_rows: dict[str, Any] = {}


def row(name: str) -> Any:
    """The row of a declared name; KeyError if there is none."""
    found = _rows.get(name)
    if found is None:
        found = _rows[name] = loads(ROWS[name])
    return found


_classes: dict[str, Any] = {}


def class_of(name: str) -> Any:
    """The class with that name, from the module of its area, which is imported if necessary."""
    found = _classes.get(name)
    if found is None:
        found = _classes[name] = getattr(import_module(f".{AREAS[name]}", __package__), name)
    return found


def declared_class(of: type) -> str | None:
    """The name of the class of this package that `of` is or extends; None if there is none."""
    for base in of.__mro__:
        name = base.__name__
        if (name in ROWS or name in UNKNOWNS) and base is class_of(name):
            return name
    return None


def is_recursive(type_: Any) -> bool:
    """Whether values of a type may nest without limit or, for a composed type, leave fewer levels than `ROOM`."""
    return not isinstance(type_, str) or type_ in RECURSIVE


def structs_of(dispatch: Any) -> Iterator[str]:
    """The structs that a dispatch can select."""
    match dispatch:
        case str():
            yield dispatch
        case ["switch", _, _, cases, others, absent, *prefixes]:
            for _, then in (*cases, *(each for listed in prefixes for each in listed)):
                yield from structs_of(then)
            yield from (struct for _, struct in others)
            yield from structs_of(absent)
        case ["keys", _, cases]:
            for _, _, then in cases:
                yield from structs_of(then)
        case _:
            pass


def is_flat(member: Any) -> bool:
    """Whether a member is flattened: the members of its value are written among the others."""
    return bool(member[0] == "." and member[3] & FLATTEN)


_SIMPLE = frozenset(("string", "boolean", "number", "integer", "uuid", "timestamp", "null"))
"""Types whose values have no parts, so that a fault concerns the value itself."""


def repair_of(member: Any) -> tuple[str, Any]:
    """The repair of an invalid member in lenient mode, and the value for it; the repair is "" if there is none."""
    return tuple(member[7]) if member[0] == "." and len(member) > 7 else ("", None)


def has_no_parts(member: Any) -> bool:
    """Whether a member's value has no parts, so that a fault can only concern the member itself."""
    return member[0] != "." or (_type_has_no_parts(member[4]) and not repair_of(member)[0])


def _type_has_no_parts(type_: Any) -> bool:
    if not isinstance(type_, str) or type_ in _SIMPLE:
        return isinstance(type_, str)
    found: Any = row(type_) if type_ in ROWS else [""]
    return found[0] == "enum" or (found[0] == "alias" and type_ not in RECURSIVE and _type_has_no_parts(found[2]))


class Source:
    """The text of a function, line by line."""

    def __init__(self, head: str) -> None:
        self._lines = [head]
        self._indent = 1

    def __call__(self, *lines: str) -> None:
        self._lines += ["    " * self._indent + line for line in lines if line]

    @property
    def indent(self) -> int:
        """The number of levels by which the next line is indented."""
        return self._indent

    def block(self, *heads: str, levels: int = 1, when: bool = True) -> _Block:
        """A context manager for the lines below heads such as `if …:`, or below the last line.

        If `when` is false, there are no heads, and nothing is indented.
        """
        if when:
            self(*heads)
        return _Block(self, levels * when)

    def shift(self, levels: int) -> None:
        """Indent the lines that follow."""
        self._indent += levels

    def compile(self, name: str, title: str, scope: dict[str, Any]) -> Any:
        """Compile the function, with `scope` as its globals; tracebacks show its text."""
        text = "\n".join(self._lines) + "\n"
        file = f"<{__package__} {title}>"
        exec(compile(text, file, "exec"), scope)  # noqa: S102 - from the package's own table
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        return scope[name]


class _Block:
    def __init__(self, source: Source, levels: int) -> None:
        self._source = source
        self._levels = levels

    def __enter__(self) -> None:
        self._source.shift(self._levels)

    def __exit__(self, *_: object) -> None:
        self._source.shift(-self._levels)
