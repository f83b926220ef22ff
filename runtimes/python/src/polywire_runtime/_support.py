# pyright: basic
"""What the generated codecs are made of: small checks and writers for single values.

A decoder or encoder that meets anything unusual raises `FastPathMiss`, and the slow pass decides what it is.
"""

from __future__ import annotations

from itertools import repeat, starmap
from json import encoder
from json.encoder import encode_basestring_ascii as quote
from os import urandom

from ._base import UNSET

try:
    from orjson import loads
except ImportError:
    loads = None  # type: ignore[assignment]  # the standard library does

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, NoReturn

__all__ = [
    "BOOLEANS",
    "MAX",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "MIN",
    "NOTHING",
    "NULL",
    "SAFE",
    "SCALARS",
    "STRINGS",
    "UNSET",
    "FastPathMiss",
    "blanks",
    "boolean_text",
    "fast_path_miss",
    "fresh_uuid",
    "holds_long_number",
    "join",
    "json_text",
    "loads",
    "more",
    "number",
    "number_text",
    "object_text",
    "quote",
    "rest",
    "unknown_text",
    "unsafe",
]


class FastPathMiss(Exception):
    """Something that straight-line code does not handle."""


MAX = 2**53 - 1
"""The largest integer of the wire: up to here every one is a double of its own."""

MIN = -MAX
"""The smallest; a name of its own, since `-MAX` would be worked out each time."""

MAX_DEPTH = 128
"""Levels of `{` and `[` that a document may have."""

MAX_DIGITS = 4300
"""Digits that an integer of a document may have: converting more takes quadratic time."""

STRINGS = frozenset((str,))
BOOLEANS = frozenset((bool,))
SCALARS = frozenset((str, bool, int, type(None)))
"""Types of untouched values that need no look inside; a float may be an infinity."""

SAFE = SCALARS if loads is not None else SCALARS | {float, dict, list}
"""Types of untouched values that a decoder takes as they are; see `unsafe`."""

NULL = "null"
NOTHING = ""

join = ",".join

_LARGE = 2.0**63
"""From here on parsers may differ: one makes a float of an integer that another keeps exact."""


def fast_path_miss() -> NoReturn:
    """Hand over to the slow pass."""
    raise FastPathMiss


def fresh_uuid() -> str:
    """A random UUID (version 4)."""
    digits = bytearray(urandom(16))
    digits[6] = digits[6] & 0x0F | 0x40
    digits[8] = digits[8] & 0x3F | 0x80
    text = digits.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


# --- reading ---------------------------------------------------------------------------------------


def blanks(kind: type) -> Iterator[Any]:
    """Objects without contents, as many as are asked for.

    The next of these takes about a quarter less than a call of object.__new__, for which Python makes a tuple first.
    """
    return starmap(object.__new__, repeat((kind,)))


def _holds_large_number(x: Any) -> bool:
    if type(x) is dict:
        x = x.values()
    elif type(x) is float:
        return not -_LARGE < x < _LARGE
    elif type(x) is not list:
        return True
    for item in x:
        if type(item) not in SCALARS and _holds_large_number(item):
            return True
    return False


def _holds_nothing(_: Any) -> bool:
    return False


_DIGITS = bytes(ord("0") if chr(byte) in ".0123456789" else ord(" ") for byte in range(256))
"""Makes a zero of each digit, and of the point that may stand between two."""


def holds_long_number(data: bytes | bytearray, digits: int) -> bool:
    """Whether a text may hold a number of more than `digits` digits; a sample clears nearly every text."""
    sample = data[:: digits // 6].translate(_DIGITS)
    return b"000000" in sample and b"0" * (digits + 1) in data.translate(_DIGITS)


unsafe = _holds_nothing if loads is None else _holds_large_number
"""Whether an untouched value holds a number that parsers may read differently.

With the library's parser nothing does: it keeps integers exact, and here refuses what overflows.
"""


def number(x: Any) -> float:
    """A JSON number as the float it is."""
    if type(x) is float:
        if x - x == 0:
            return x
    elif type(x) is int and MIN <= x <= MAX:
        return float(x)
    raise FastPathMiss


def rest(d: dict[str, Any], keys: frozenset[str]) -> dict[str, Any]:
    """What an object has beside its declared members."""
    extra = {key: x for key, x in d.items() if key not in keys}
    if unsafe(extra):
        raise FastPathMiss
    return extra


# --- writing ---------------------------------------------------------------------------------------


def boolean_text(x: Any) -> str:
    """`true` or `false`."""
    if x is True:
        return "true"
    if x is False:
        return "false"
    raise FastPathMiss


def number_text(x: Any) -> str:
    """A finite number in its shortest exact form."""
    if type(x) is float:
        if x - x == 0:
            return repr(x)
    elif type(x) is int and MIN <= x <= MAX:
        return str(x)
    raise FastPathMiss


def _writer() -> Callable[[Any, int], Iterable[str]]:
    """The library's encoder, made once; it gives the pieces of what `_look` has looked at."""
    make = getattr(encoder, "c_make_encoder", None)
    if make is None:  # an interpreter without the accelerator
        write = encoder.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
        return lambda x, _: (write(x),)
    pieces: Callable[[Any, int], Iterable[str]] = make(None, None, quote, None, ":", ",", False, False, False)
    return pieces


_pieces = _writer()
_glue = "".join

_ROOM = 64
"""Levels that an untouched value may have before somebody has to count."""


def _look(x: Any, room: int) -> None:
    """Make sure that all keys within an untouched value are texts, and that it is not deep."""
    if not room:
        raise FastPathMiss
    if type(x) is dict:
        join(x)  # takes nothing else
        x = x.values()
    if not SCALARS.issuperset(map(type, x)):
        for item in x:
            if type(item) is dict or type(item) is list:
                _look(item, room - 1)
            elif type(item) is not float and type(item) not in SCALARS:
                raise FastPathMiss


def json_text(x: Any) -> str:
    """An untouched value."""
    if type(x) is str:
        return quote(x)
    if type(x) is dict or type(x) is list:
        _look(x, _ROOM)
    elif type(x) is not float and type(x) not in SCALARS:
        raise FastPathMiss
    return _glue(_pieces(x, 0))


def object_text(x: Any) -> str:
    """An untouched object."""
    if type(x) is not dict:
        raise FastPathMiss
    if not x:
        return "{}"
    _look(x, _ROOM)
    return _glue(_pieces(x, 0))


def more(extra: Any, keys: frozenset[str]) -> str:
    """Extra content, behind the declared members."""
    if type(extra) is not dict or not keys.isdisjoint(extra):
        raise FastPathMiss
    return "".join([f",{quote(key)}:{json_text(item)}" for key, item in extra.items()])


def unknown_text(raw: Any, table: Mapping[str, object], key: str) -> str:
    """An Unknown, as long as its tag is none that is known."""
    if type(raw) is not dict or type(raw.get(key)) is not str or raw[key] in table:
        raise FastPathMiss
    return object_text(raw)
