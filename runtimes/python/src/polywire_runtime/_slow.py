# pyright: basic
"""The slow pass: reads and writes by the protocol's tables whatever the straight-line code handed over.

Loaded when first needed.
"""

from __future__ import annotations

from . import _engine, model
from ._base import UNSET, DecodeError, EncodeError
from ._plan import CONSTANTS, FLAT, IDLE, PLAN, REQUIRED, STRUCTS, UNKNOWN_UNIONS, UNKNOWNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Examined", "check", "decode", "encode", "examine", "from_dict", "parse"]


class Examined:
    """What `examine` found: the object, the type that was chosen, and where lenient mode let something pass."""

    __slots__ = ("unknown", "value", "variant")

    def __init__(self, value: Any, variant: str, unknown: tuple[str, ...]) -> None:
        self.value = value
        self.variant = variant
        self.unknown = unknown

    def __repr__(self) -> str:
        return f"Examined(value={self.value!r}, variant={self.variant!r}, unknown={self.unknown!r})"


_FIELDS: dict[str, tuple[type, tuple[tuple[str, str, Any], ...]]] = {
    name: (
        getattr(model, class_name),
        tuple((key, attr, UNSET if three else None) for key, attr, three in fields),
    )
    for name, (class_name, fields) in STRUCTS.items()
}
"""Declared name → class, and for each field its key, its attribute, and what stands for absence."""

_UNKNOWNS: dict[str, type] = {name: getattr(model, each) for name, each in UNKNOWNS.items()}
"""An Unknown's name in the tables → its class."""

_NAMES = {each: name for name, (each, _) in _FIELDS.items()}
_UNKNOWN_TYPES: dict[type, tuple[str, ...]] = {getattr(model, each): unions for each, unions in UNKNOWN_UNIONS.items()}


def _build(what: str, name: str, members: dict[str, Any], extra: dict[str, Any]) -> object:
    """Make an object of what the engine read."""
    if what == "unknown":
        unknown: Any = object.__new__(_UNKNOWNS[name])
        unknown.raw = extra
        return unknown
    kind, fields = _FIELDS[name]
    made: Any = object.__new__(kind)
    for key, attr, absent in fields:
        setattr(made, attr, members.get(key, absent))
    for attr in IDLE.get(name, ()):
        setattr(made, attr, None)
    made._extra = extra or None
    return made


_decoder = _engine.Decoder(PLAN, _build)
_checker = _engine.Decoder(PLAN)


def parse(data: bytes | bytearray | memoryview | str) -> Any:
    """Read JSON text as plain data."""
    try:
        return _engine.parse(data)
    except _engine.Fault as fault:
        raise DecodeError(fault.code, fault.path, fault.message) from None


def check(value: Any) -> None:
    """Raise DecodeError for what is no JSON value."""
    try:
        _engine.check_parsed(value)
    except _engine.Fault as fault:
        raise DecodeError(fault.code, fault.path, fault.message) from None


def decode(data: bytes | bytearray | memoryview | str, type: str, *, strict: bool) -> Any:
    """Read JSON text as a declared type."""
    return from_dict(parse(data), type, strict=strict)


def from_dict(value: Any, type: str, *, strict: bool) -> Any:
    """Take a JSON value as a declared type."""
    return _examine(value, type, strict).value


def examine(data: bytes | bytearray | memoryview | str, type: str, *, strict: bool) -> Examined:
    """Read JSON text as a declared type, and tell what was chosen and what was let pass."""
    return _examine(parse(data), type, strict)


def _examine(value: Any, type: str, strict: bool) -> Examined:
    try:
        decoded = _decoder.decode(type, value, strict=strict)
    except _engine.Fault as fault:
        raise DecodeError(fault.code, fault.path, fault.message) from None
    return Examined(decoded.value, decoded.variant, tuple(decoded.unknown))


# --- writing ---------------------------------------------------------------------------------------


def encode(message: Any, name: str | None) -> bytes:
    """Write an object as one line of JSON: as the declared type of that name, else as what it is."""
    names = _names_of(type(message)) if name is None else (name,)
    if not names:
        raise EncodeError("wrong_type", "", f"expected an object of this package, got {type(message).__name__}")
    try:
        return _engine.dumps(_checked(_plain(message, ()), names)).encode()
    except _engine.Fault as fault:
        raise EncodeError(fault.code, fault.path, fault.message) from None
    except RecursionError:
        raise EncodeError("too_deep", "", "nested too deep, or within itself") from None


def _checked(plain: Any, names: tuple[str, ...]) -> Any:
    """Plain data as the type that it fits; the fault of the first if it fits none.

    Of several types, the unions of an Unknown, it is the first that does not know it: what is unknown to one may be
    known to another, and stays as it came all the same.
    """
    first: Exception | None = None
    found: list[_engine.Decoded] = []
    for name in names:
        try:
            found.append(_checker.decode(name, plain, strict=False))
        except _engine.Fault as fault:
            first = first or fault
    if not found:
        raise first or LookupError(names)
    return next((each for each in found if each.variant == "Unknown"), found[0]).value


def _names_of(kind: type) -> tuple[str, ...]:
    """The declared name of a class, or of the class that it extends; the unions of an Unknown."""
    for each in kind.__mro__:
        if each in _NAMES:
            return (_NAMES[each],)
        if each in _UNKNOWN_TYPES:
            return _UNKNOWN_TYPES[each]
    return ()


def _plain(value: Any, path: tuple[str | int, ...]) -> Any:
    """An object of this package, or a list or dict of them, as plain data; not checked otherwise."""
    if isinstance(value, list):
        return [_plain(item, (*path, at)) for at, item in enumerate(value)]
    if isinstance(value, dict):
        return {key: _plain(item, (*path, str(key))) for key, item in value.items()}
    for each in type(value).__mro__:
        if each in _NAMES:
            return _members(value, _NAMES[each], path)
        if each in _UNKNOWN_TYPES:
            return value.raw
    return value


def _members(value: Any, name: str, path: tuple[str | int, ...]) -> dict[str, Any]:
    made: dict[str, Any] = dict(CONSTANTS.get(name, {}))
    flat = FLAT.get(name)
    for key, attr, absent in _FIELDS[name][1]:
        member = getattr(value, attr, absent)
        if key in CONSTANTS.get(name, {}):
            continue
        if member is not absent or (absent is None and key in REQUIRED.get(name, ())):
            plain = _plain(member, path if key == flat else (*path, key))
            if key == flat and isinstance(plain, dict):
                made.update(plain)
            else:
                made[key] = plain
    for key, member in (value.extra or {}).items():
        made.setdefault(key, _plain(member, (*path, str(key))))
    return made
