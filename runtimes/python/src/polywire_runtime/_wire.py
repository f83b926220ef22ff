"""Lines ↔ objects: the fast way first, the slow pass for whatever it hands over.

The fast way takes what is common and valid. It stops at anything else, and then `_slow` reads the same input again by
the protocol's tables: it repairs what may be repaired, keeps what is unknown, and finds the first error. Where orjson
does not parse, lines that repeat earlier ones have a faster way yet (`_repeats`).
"""

from __future__ import annotations

from json import JSONDecoder, scanner

from . import _codec, model
from ._support import MAX_DEPTH, MAX_DIGITS, FastPathMiss, holds_long_number, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._slow import Examined

__all__ = ["TYPES", "decode", "encode", "examine", "from_dict", "to_dict", "type_name"]

_UNUSUAL = (FastPathMiss, KeyError, TypeError, AttributeError, ValueError, StopIteration, RecursionError)
"""What the fast way runs into when input is not what it takes for granted."""

_loads: Any = loads
_ENCODERS = _codec.ENCODERS
_kind = type
"""Where a parameter is called `type`."""

_SPACE = " \t\n\r"
_SHORT = 2 * (MAX_DEPTH + 1)
"""A shorter text cannot be nested too deep: each level takes two brackets."""

_SHORT_OF_OBJECTS = 5 * MAX_DEPTH + 2
"""Nor can one without arrays: each object but the innermost has a key, which takes two quotes and a colon at least."""

_ARRAY = ord("[")
"""Looked for as a number: bytes in bytes take nine times as long, since Python tries them as a number first. What is
longer than a byte is looked for by `find`, which does not."""

_HEAD = 96
"""Characters at the front of a line by which a reader of others like it is found: the tags of what is nested twice
stand there."""

_ROUNDED = 768
"""Digits up to which orjson rounds every number correctly; beyond, not one that lies near the middle of two doubles."""


def _refuse(_: object) -> Any:
    raise FastPathMiss


_ROOT: Callable[[Any], Any] = _codec.DECODERS.get(_codec.ROOT, _refuse)
_ROOT_KEY, _ROOT_TABLE = _codec.ROOT_KEY, _codec.ROOT_TABLE
"""A root that one key decides is dispatched in place, as a call takes as long as the rest of it."""


def _float(text: str) -> float:
    value = float(text)
    if value - value:
        raise FastPathMiss  # it overflowed
    return value


def _hand_over(_text: str, _at: int) -> Any:
    raise FastPathMiss


_make_scanner: Any = getattr(scanner, "c_make_scanner", None)
_scan: Any = _make_scanner(JSONDecoder(parse_float=_float, parse_constant=_refuse)) if _make_scanner else _hand_over
"""The library's scanner, if it is the one in C; the one in Python takes more than JSON, which the slow pass sees to."""


def _parse(data: Any) -> Any:
    """Any JSON text that is certain to be fine."""
    if isinstance(data, str):
        text = data
        if not text.isascii():
            text.encode()
    else:
        text = str(data, "utf-8")
    if len(text) > MAX_DIGITS and holds_long_number(text.encode(), MAX_DIGITS):
        raise FastPathMiss
    value, end = _scan(text, 0)
    if end != len(text) and text[end:].strip(_SPACE):
        raise FastPathMiss
    if end >= _SHORT and not _is_shallow(text.encode()):
        raise FastPathMiss
    return value


_readers: dict[str, Callable[[str], Any]] = {}
"""The first `_HEAD` characters of lines that repeat each other → what reads them; `_repeats` makes these."""

_learner: Any = None
_learning = True


def _learn(text: str) -> None:
    """Show a line that was read as any message to what looks for repetition, as long as that wants to see more."""
    global _learner, _learning
    learner = _learner
    if learner is None:
        from ._repeats import Learner

        learner = _learner = Learner(_readers, _HEAD, lambda text: _decoder(None)(_parse(text)))
    if not learner.look(text):
        _learner, _learning = None, False


def _decode_alone(data: Any, type: Any = None, strict: bool = False) -> Any:
    """Read one JSON text as `type`, any message where none is given; raise DecodeError."""
    if not strict:
        try:
            text = data.decode()
            if type is None:
                read = _readers.get(text[:_HEAD])
                if read is not None:
                    message = read(text)
                    if message is not None:
                        return message
            if len(text) > MAX_DIGITS and holds_long_number(data, MAX_DIGITS):
                raise FastPathMiss
            value, end = _scan(text, 0)
            if end == len(text):
                if type is None:
                    message = _ROOT_TABLE[value[_ROOT_KEY]](value) if _ROOT_KEY else _ROOT(value)
                else:
                    message = _decoder(type)(value)
                if (
                    end < _SHORT_OF_OBJECTS
                    and (end < _SHORT or "[" not in text or len(data.replace(b"[", b"[[[[")) < _SHORT_OF_OBJECTS)
                ) or len(data) - len(data.replace(b"[", b"").replace(b"{", b"")) <= MAX_DEPTH:
                    if _learning and type is None:
                        _learn(text)
                    return message
        except _UNUSUAL:
            pass
    return _decode(data, type, strict)


def _decode_with_orjson(data: Any, type: Any = None, strict: bool = False) -> Any:
    """Read one JSON text as `type`, any message where none is given; raise DecodeError."""
    if not strict:
        try:
            value = _loads(data)
            if type is None:
                message = _ROOT_TABLE[value[_ROOT_KEY]](value) if _ROOT_KEY else _ROOT(value)
            else:
                message = _decoder(type)(value)
            if _kind(data) is not bytes:
                data = data.encode() if isinstance(data, str) else bytes(data)
            size = len(data)
            if size < _SHORT_OF_OBJECTS and (
                size < _SHORT or _ARRAY not in data or len(data.replace(b"[", b"[[[[")) < _SHORT_OF_OBJECTS
            ):
                return message
            brackets = size - len(data.replace(b"[", b"").replace(b"{", b""))
            if brackets <= MAX_DEPTH and (size <= _ROUNDED or not holds_long_number(data, _ROUNDED)):
                return message
        except _UNUSUAL:
            pass
    return _decode(data, type, strict)


decode = _decode_alone if loads is None else _decode_with_orjson
# `strict` may be given by position too: a keyword-only parameter makes every call of a function slower.
decode.__name__ = decode.__qualname__ = "decode"


def _is_shallow(data: Any) -> bool:
    """Whether a text has too few brackets to be nested too deep.

    The text is what counts, since a value that a later duplicate overwrites is gone. To replace a byte is the quickest
    way to count it. An array needs no key, so each one makes room for three bytes' worth of nesting. What reads most
    lines says the same in place, since a call takes as long as the counting.
    """
    size = len(data)
    if size < _SHORT_OF_OBJECTS and len(data.replace(b"[", b"[[[[")) < _SHORT_OF_OBJECTS:
        return True
    return size - len(data.replace(b"[", b"").replace(b"{", b"")) <= MAX_DEPTH


def _decode(data: Any, type: Any, strict: bool) -> Any:
    """The standard library's parser once more, for what is only spelt unusually; then the slow pass."""
    if not strict:
        try:
            return _decoder(type)(_parse(data))
        except _UNUSUAL:
            pass
    from . import _slow

    return _slow.decode(data, type_name(type), strict=strict)


def from_dict(value: Any, type: Any = None, *, strict: bool = False) -> Any:
    """Take a JSON value that is parsed already; raise DecodeError. What is kept untouched is shared with it."""
    from . import _slow

    _slow.check(value)
    if not strict:
        try:
            return _decoder(type)(value)
        except _UNUSUAL:
            pass
    return _slow.from_dict(value, type_name(type), strict=strict)


def examine(data: Any, type: Any = None, *, strict: bool = False) -> Examined:
    """Read like `decode`, and tell which type was chosen and what lenient mode let pass."""
    from . import _slow

    return _slow.examine(data, type_name(type), strict=strict)


def encode(message: Any, type: Any = None) -> bytes:
    """Write an object as one line of JSON, without the line end; raise EncodeError if a value does not fit."""
    try:
        if type is None:
            line = _ENCODERS[_kind(message)](message).encode()
            if len(line) <= MAX_DIGITS or not holds_long_number(line, MAX_DIGITS):
                return line
    except _UNUSUAL:
        pass
    from . import _slow

    return _slow.encode(message, None if type is None else type_name(type))


def to_dict(message: Any) -> dict[str, Any]:
    """Give an object as plain JSON data, its own copy; raise EncodeError if a value does not fit."""
    from . import _slow

    data = encode(message)
    value: dict[str, Any] = _slow.parse(data)
    return value


# --- what people say instead of a declared name ----------------------------------------------------


TYPES = (*_codec.STRUCTS.values(), *_codec.ALIASES.values())
"""Every declared name."""

_class = type
_by_identity: dict[int, str] = {}


def type_name(type: Any) -> str:
    """The declared name of a class, a union or enum of this package, or of a name itself."""
    if type is None:
        return _codec.ROOT
    if isinstance(type, str):
        if type in TYPES:
            return type
    elif isinstance(type, _class):
        for each in type.__mro__:
            name = _codec.STRUCTS.get(each)
            if name is not None:
                return name
    if not _by_identity:
        for alias, name in _codec.ALIASES.items():
            _by_identity[id(getattr(model, alias))] = name
    name = _by_identity.get(id(type))
    if name is None:
        for alias, name in _codec.ALIASES.items():
            if getattr(model, alias) == type:
                return name
        raise TypeError(f"{type!r} is no type of this package")
    return name


def _decoder(type: Any) -> Callable[[Any], Any]:
    """The fast decoder of a type; KeyError if it has none."""
    return _codec.DECODERS[type_name(type)]
