# pyright: basic
"""The extension `polywire_native`, if it is installed: it decodes and writes as this package does, at native speed.

Its functions do the whole of a document, or return NotImplemented and leave all of it to the functions in Python: those
decide about every fault, repair, subclass and unusual text, so that nothing depends on whether the extension is there.
"""

from __future__ import annotations

from json import dumps
from os import environ

from ._aliases import is_lasting, type_name
from ._base import UNSET
from ._rows import class_of
from ._table import LAYOUT, ROOT, ROWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["EXTENSION", "NATIVE", "number_of"]


def _extension() -> Any:
    if environ.get("POLYWIRE_NATIVE") == "0":
        return None
    try:
        import polywire_native  # type: ignore[import, unused-ignore]  # it is optional
    except ImportError:  # it is not installed, or this is an interpreter that it refuses
        return None
    return polywire_native


EXTENSION: Any = _extension()
"""The extension; None if it is missing or switched off."""


class _Native:
    """The functions of the extension, bound to this package.

    `rule` returns the number of a type, and `filter` an object; NotImplemented is one that the extension lacks.
    """

    __slots__ = ("decode", "decode_wanted", "encode", "filter", "rule")

    decode: Callable[[Any, Any, bool], Any]
    """Data, type or None for messages, whether to be strict → the value."""
    decode_wanted: Callable[[Any, Any, bool], Any]
    """Data, filter, whether to be strict → the value, or None if it is of a type that is not wanted."""
    encode: Callable[[Any, Any], Any]
    """A value, its type or None → the line."""
    rule: Callable[[str], Any]
    """The JSON of a type of the table → its number."""
    filter: Callable[[Any, tuple[str, ...]], Any]
    """A type, the names of the classes that are wanted → the filter."""

    def __init__(self, functions: Any) -> None:
        self.decode, self.decode_wanted, self.encode, self.rule, self.filter = functions


def _load() -> _Native | None:
    """The functions of the extension, unless it was made for tables of another layout."""
    if getattr(EXTENSION, "LAYOUT", None) != LAYOUT:
        return None
    return _Native(EXTENSION.load(ROWS, class_of, UNSET, dumps(ROOT)))


NATIVE = _load()

_numbers: dict[int, tuple[Any, Any]] = {}
"""The id of a lasting type → the type, and its number."""

_numbers_by_name: dict[str, Any] = {}


def number_of(type_: Any) -> Any:
    """The number of a type that a caller has given. NotImplemented for what is no type, which others refuse."""
    entry = _numbers.get(id(type_))
    if entry is not None and entry[0] is type_:
        return entry[1]
    try:
        name = type_name(type_)
    except TypeError:
        return NotImplemented
    key = dumps(name)
    number = _numbers_by_name.get(key)
    if number is None:
        number = _numbers_by_name[key] = NotImplemented if NATIVE is None else NATIVE.rule(key)
    if type_ is None or is_lasting(type_):
        _numbers[id(type_)] = (type_, number)
    return number
