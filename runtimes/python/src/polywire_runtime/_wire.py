# pyright: basic
"""Lines ↔ objects: the public functions.

One set of functions decodes, and another one writes; the modes are parameters of their compilation (`_decoder`,
`_encoder`). Parsed values are decoded by the same functions as text.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock, start_new_thread

from ._aliases import TYPES, declared_name, is_lasting, type_name
from ._base import DecodeError, EncodeError, Generic
from ._decoder import Decoders
from ._encoder import Encoders
from ._json import (
    MAX_DEPTH,
    MAX_DIGITS,
    Fault,
    NeedsRepair,
    Overflow,
    Reparse,
    TooDeep,
    depth_fault,
    fast_loads,
    holds_long_integer,
    holds_long_number,
    is_deep_text,
    long_integer,
    parse,
    plain,
    pointer,
    scan,
    too_deep,
)
from ._native import NATIVE, number_of
from ._rows import ROOM, declared_class, is_recursive, row
from ._table import ROOT, ROWS, UNKNOWNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, overload

    from typing_extensions import TypeForm

    from ._decoder import Place
    from ._json import Data
    from ._table import Root

    _T = TypeVar("_T")
    _T_co = TypeVar("_T_co", covariant=True)
else:
    _T_co = None

__all__ = [
    "TYPES",
    "Examined",
    "decode",
    "encode",
    "examine",
    "from_dict",
    "from_value",
    "load_value",
    "on_fresh_stack",
    "read_value",
    "to_dict",
    "to_value",
    "view",
]

_WAYS: dict[tuple[bool, bool, bool, bool], Decoders] = {}


def _decoders(*, strict: bool = False, notes: bool = False, parsed: bool = True, deep: bool = False) -> Decoders:
    """The functions of a mode: for values from a parser or a program, and for deeply nested values or others."""
    found = _WAYS.get((strict, notes, parsed, deep))
    if found is None:
        room = MAX_DEPTH if deep else ROOM
        found = Decoders(strict=strict, notes=notes, parsed=parsed, room=room)
        _WAYS[strict, notes, parsed, deep] = found
    return found


# --- reading ---------------------------------------------------------------------------------------------------


def _read(data: Data) -> Any:
    """Text → value, with the standard library."""
    try:
        text: str = data if isinstance(data, str) else data.decode()  # type: ignore[union-attr]  # a memoryview has no decode
        if len(text) <= MAX_DIGITS or not holds_long_number(data, MAX_DIGITS):
            value, end = scan(text, 0)
            if end == len(text) and (text is not data or text.isascii()):
                return value
    except Exception:  # noqa: BLE001, S110 - a memoryview, leading white space or a fault: `parse` distinguishes them
        pass
    return parse(data, finite=True)


_NOT_PARSED: Any = object()
"""Marks a text that was not parsed."""

_parse: Callable[[Data], Any] = _read if fast_loads is None else fast_loads
"""Text → value, for texts of at most `_ROUNDED` bytes; orjson raises for some texts that the standard library reads."""

_ROUNDED = sys.maxsize if fast_loads is None else 768
"""The number of digits up to which the parser rounds every number correctly. With more digits, orjson does not, if the
number is near the midpoint of two doubles."""


def _load(data: Data) -> Any:
    """Text → value, with the fastest parser that reads the text exactly as the standard library does."""
    try:
        value = _parse(data)
    except ValueError:
        return _read(data)
    return _read(data) if len(data) > _ROUNDED and holds_long_number(data, _ROUNDED) else value


def load_value(data: Data) -> Any:
    """Parse a text as `decode` does first; it raises if the text is not read that way."""
    return _parse(data) if len(data) <= _ROUNDED else _load(data)


def read_value(data: Data, value: Any, type_: Any, *, strict: bool) -> Any:
    """Decode a text that `load_value` has parsed. Raises DecodeError."""
    try:
        return _reader(type_, strict=strict)(value)
    except (Fault, Reparse, TooDeep, RecursionError) as error:
        return _settle(error, data, type_, strict, value)


if TYPE_CHECKING:

    @overload
    def decode(data: Data, type: None = None, strict: bool = False) -> Root: ...
    @overload
    def decode(data: Data, type: TypeForm[_T], strict: bool = False) -> _T: ...
    @overload
    def decode(data: Data, type: str, strict: bool = False) -> Any: ...


def decode(data: Data, type: Any = None, strict: bool = False) -> Any:
    """Read one JSON text as `type`: a class, union, enum or alias of this package, or its name; None means any message.

    It may also be a list, a map or a union of these: `list[X]`, `dict[str, X]`, `X | Y | None`.
    Lenient mode keeps unknown content; strict mode refuses it. Raises DecodeError.
    """
    if NATIVE is not None:
        made = NATIVE.decode(data, None if type is None else number_of(type), strict)
        if made is not NotImplemented:
            return made
    try:
        value = _parse(data) if len(data) <= _ROUNDED else _load(data)  # as `load_value`, without a call
    except (Fault, ValueError, Overflow, RecursionError) as error:
        return _settle(error, data, type, strict)
    try:
        if type is not None or strict:
            return _reader(type, strict=strict)(value)
        try:
            read = _texts[value[_key]]
        except (KeyError, TypeError):
            read = _read_root
        return read(value)
    except (Fault, Reparse, TooDeep, RecursionError) as error:
        return _settle(error, data, type, strict, value)


_key = ""
_texts: dict[str, Callable[[Any], Any]] = {}
"""Each text under the discriminator of messages → the function for the objects; empty until the first use."""


def _first(value: Any) -> Any:
    """Stand in for the function that reads any message, until that function is made."""
    global _key, _read_root, _texts
    _read_root = _reader(None, strict=False)
    union = _decoders().union(ROOT) if row(ROOT)[0] == "union" and not is_recursive(ROOT) else None
    if union is not None and union.table is not None:
        _key, _texts = union.key, union.table
    return _read_root(value)


_read_root: Callable[[Any], Any] = _first

_readers: dict[tuple[int, bool], tuple[Any, Callable[[Any], Any]]] = {}
"""The id of a lasting type, and the mode → the type, and the function that decodes its values."""

_readers_by_name: dict[tuple[str, bool], Callable[[Any], Any]] = {}


def _reader(type_: Any, *, strict: bool) -> Callable[[Any], Any]:
    """The function that decodes parsed values of a type."""
    entry = _readers.get((id(type_), strict))
    if entry is not None and entry[0] is type_:
        return entry[1]
    name = type_name(type_)
    key = (name if isinstance(name, str) else str(name), strict)
    found = _readers_by_name.get(key)
    if found is None:
        found = _readers_by_name[key] = _measured(name, _decoders(strict=strict).reader(name))
    if type_ is None or is_lasting(type_):
        _readers[id(type_), strict] = (type_, found)
    return found


_class = type


def _measured(type_: Any, read: Callable[..., Any]) -> Callable[..., Any]:
    """Add a check of the depth to the function of a type that may nest without limit."""
    if not is_recursive(type_):
        return read

    def measure(value: Any, *noting: Any) -> Any:
        if too_deep(value):
            raise depth_fault()
        return read(value, *noting)

    return measure


def _settle(error: Exception, data: Data, type_: Any, strict: bool, value: Any = _NOT_PARSED) -> Any:
    """Decode again after the fast path has failed, or raise DecodeError for the fault.

    For a document that is nested too deeply, no other fault is reported.
    """
    try:
        if value is not _NOT_PARSED and too_deep(value):
            raise depth_fault()
        if isinstance(error, Fault) and (value is _NOT_PARSED or fast_loads is None):
            raise error
        if isinstance(error, TooDeep):
            return _decoders(strict=strict, deep=True).reader(type_name(type_))(value)
    except Fault as fault:
        raise _decode_error(fault) from None
    except Reparse:
        pass
    return _with_stack(_decode_again, data, type_, strict)


def _decode_again(data: Data, type_: Any, strict: bool) -> Any:
    try:
        return _read_value(parse(data), type_name(type_), strict=strict)
    except Fault as fault:
        raise _decode_error(fault) from None


def _read_value(value: Any, type_: Any, *, strict: bool, notes: list[Place] | None = None) -> Any:
    """Decode a value of any origin and depth as a type of the table; raise its fault."""
    if too_deep(value):
        raise depth_fault()
    if notes is None:
        return _decoders(strict=strict, parsed=False, deep=True).reader(type_)(value)
    return _decoders(notes=True, parsed=False, deep=True).reader(type_)(value, None, notes)


def _decode_error(fault: Fault) -> DecodeError:
    return DecodeError(fault.code, fault.path, fault.message)


def _with_stack(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function, on a new stack if the caller has left too little of the current one."""
    try:
        return function(*arguments)
    except RecursionError as error:
        return on_fresh_stack(error, function, *arguments)


def on_fresh_stack(cause: RecursionError, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a new thread; raise the cause if no thread can be started."""
    outcome: list[Any] = []
    done = allocate_lock()
    done.acquire()

    def run() -> None:
        try:
            outcome.append((True, function(*arguments)))
        except BaseException as error:  # noqa: BLE001 - it is raised in the calling thread
            outcome.append((False, error))
        finally:
            done.release()

    try:
        start_new_thread(run, ())
    except RuntimeError:
        raise cause from None
    done.acquire()
    ((succeeded, result),) = outcome
    if succeeded:
        return result
    raise result


if TYPE_CHECKING:

    @overload
    def from_dict(value: object, type: None = None, *, strict: bool = False) -> Root: ...
    @overload
    def from_dict(value: object, type: TypeForm[_T], *, strict: bool = False) -> _T: ...
    @overload
    def from_dict(value: object, type: str, *, strict: bool = False) -> Any: ...


def from_dict(value: object, type: Any = None, *, strict: bool = False) -> Any:
    """Read a parsed JSON value; the result shares the parts that are kept unchanged. Raises DecodeError."""
    return from_value(value, type_name(type), strict=strict)


def from_value(value: object, type_: Any, *, strict: bool = False) -> Any:
    """Read a JSON value as a type of the table. Raises DecodeError."""
    try:
        return _value_reader(type_, strict)(value)
    except (Fault, NeedsRepair, TooDeep, RecursionError):
        pass  # a fault, a repair, many levels, or subclasses and tuples that represent JSON
    return _with_stack(_from_value_again, value, type_, strict)


def view(raw: dict[str, Any], of: str, key: str) -> Any:
    """The value of a field in an object that is kept untouched; None if it is missing, null or invalid."""
    value = raw.get(key)
    if value is None:
        return None
    try:
        return from_value(value, next(member[4] for member in row(of)[2] if member[1] == key))
    except DecodeError:
        return None


_value_readers: dict[tuple[Any, bool], Any] = {}


def _value_reader(type_: Any, strict: bool) -> Any:
    """The function that decodes values of a type from a program."""
    key = (type_ if isinstance(type_, str) else str(type_), strict)
    found = _value_readers.get(key)
    if found is None:
        found = _value_readers[key] = _measured(type_, _decoders(strict=strict, parsed=False).reader(type_))
    return found


def _from_value_again(value: object, type_: Any, strict: bool) -> Any:
    try:
        value = plain(value)
        if holds_long_integer([value]):
            raise long_integer()  # a fault of the document, as in text
        return _read_value(value, type_, strict=strict)
    except Fault as fault:
        raise _decode_error(fault) from None


class Examined(Generic[_T_co]):
    """The result of `examine`: the object, the selected type, and where lenient mode accepted something unknown."""

    __slots__ = ("_name", "_places", "value")

    value: _T_co
    """The object."""

    def __init__(self, value: _T_co, name: str, places: list[Place]) -> None:
        self.value = value
        self._name = name
        self._places = places

    @property
    def variant(self) -> str:
        """The declared name of the innermost selected type; "Unknown" if no variant matches the object."""
        return _variant(self._name, self.value)

    @property
    def unknown(self) -> tuple[str, ...]:
        """JSON Pointers of the places where lenient mode accepted something unknown, sorted."""
        return tuple(sorted({_pointer(place) for place in self._places}))

    def __repr__(self) -> str:
        return f"Examined(value={self.value!r}, variant={self.variant!r}, unknown={self.unknown!r})"


def _pointer(place: Place) -> str:
    steps: list[str | int] = []
    while place is not None:
        place, step = place
        steps.append(step)
    return pointer(reversed(steps))


if TYPE_CHECKING:

    @overload
    def examine(data: Data, type: None = None, *, strict: bool = False) -> Examined[Root]: ...
    @overload
    def examine(data: Data, type: TypeForm[_T], *, strict: bool = False) -> Examined[_T]: ...
    @overload
    def examine(data: Data, type: str, *, strict: bool = False) -> Examined[Any]: ...


def examine(data: Data, type: Any = None, *, strict: bool = False) -> Examined[Any]:
    """Read like `decode`, and report the selected type and what was accepted as unknown. Raises DecodeError."""
    notes: list[Place] = []
    name = type_name(type)
    if strict:
        return Examined(decode(data, name, strict=True), name, notes)
    try:
        return Examined(_noting_reader(name)(_load(data), None, notes), name, notes)
    except (Fault, Reparse, Overflow, TooDeep, RecursionError):
        return Examined(_with_stack(_examine_again, data, name, notes), name, notes)


_noting_readers: dict[str, Any] = {}


def _noting_reader(type_: Any) -> Any:
    found = _noting_readers.get(str(type_))
    if found is None:
        found = _noting_readers[str(type_)] = _measured(type_, _decoders(notes=True).reader(type_))
    return found


def _examine_again(data: Data, type_: Any, notes: list[Place]) -> Any:
    """Like `_decode_again`, and note places."""
    notes.clear()
    try:
        return _read_value(parse(data), type_, strict=False, notes=notes)
    except Fault as fault:
        raise _decode_error(fault) from None


def _variant(name: Any, value: Any) -> str:
    if not isinstance(name, str):  # a composed type
        name = declared_class(_class(value)) or ""
    meant: Any = name
    while isinstance(meant, str) and meant in ROWS and row(meant)[0] == "alias":
        meant = row(meant)[2]
    if not isinstance(meant, str) or meant not in ROWS or row(meant)[0] != "union":
        return declared_name(name)
    found = _class(value).__name__
    return "Unknown" if found in UNKNOWNS else declared_name(found)


# --- writing ---------------------------------------------------------------------------------------------------

_encoders = Encoders(_decoders(parsed=False))
_careful_encoders = Encoders(_decoders(parsed=False, deep=True), careful=True, room=MAX_DEPTH)
_writers = _encoders.classes

_STOPS = (Fault, NeedsRepair, TooDeep, TypeError, AttributeError, RecursionError)
"""The exceptions that stop the fast path of writing; the careful functions then locate the fault."""


def encode(message: object, type: object = None, *, strict: bool = False) -> bytes:
    """Write an object as one line of JSON, without the line end. Raises EncodeError if a value is invalid.

    `type` is for values that do not imply their type, such as a list, or to require a certain type. With `strict`, what
    a strict reader would reject is an error as well.
    """
    if strict:
        return _encode_strictly(message, type)
    if NATIVE is not None:
        line: bytes = NATIVE.encode(message, None if type is None else number_of(type))
        if line is not NotImplemented:
            return line
    try:
        if type is None:
            try:
                write = _writers[message.__class__]
            except KeyError:
                write = _encoders.find(message.__class__)
            return write(message).encode()  # type: ignore[no-any-return]
        return _encoders.root(type_name(type))(message).encode()  # type: ignore[no-any-return]
    except _STOPS as error:
        return _settle_encoding(error, message, None if type is None else type_name(type))


def _encode_strictly(message: object, type_: Any) -> bytes:
    """Write an object, and read the result in strict mode."""
    line = encode(message, type_)
    name = declared_class(_class(message)) if type_ is None else type_
    if name in UNKNOWNS:
        name = next(union for union in UNKNOWNS[name] if _is_read(line, union))
    try:
        decode(line, name, strict=True)
    except DecodeError as error:
        raise EncodeError(error.code, error.path, error.message) from None
    return line


def _is_read(line: bytes, name: str) -> bool:
    try:
        decode(line, name)
    except DecodeError:
        return False
    return True


def _settle_encoding(error: Exception, message: object, type_: Any) -> bytes:
    """Write again after the fast path has failed, or raise EncodeError for the fault."""

    def again() -> bytes:
        write = _careful_encoders.find(message.__class__) if type_ is None else _careful_encoders.writer(type_)
        text: str = write(message)
        if is_deep_text(text):
            raise depth_fault()
        return text.encode()

    try:
        if isinstance(error, Fault):
            raise error
        encoded: bytes = _with_stack(again)
    except Fault as fault:
        raise EncodeError(fault.code, fault.path, fault.message) from None
    except (TooDeep, RecursionError):
        raise EncodeError("too_deep", "", f"nested deeper than {MAX_DEPTH} levels, or within itself") from None
    return encoded


def to_value(value: object, type_: Any) -> Any:
    """Convert an object, or plain data that lenient mode accepts, to plain data of a type. Raises EncodeError."""
    try:
        return _with_stack(parse, _encoders.writer(type_)(value))
    except _STOPS as error:
        if not isinstance(value, (dict, list, tuple)):
            return _with_stack(parse, _settle_encoding(error, value, type_))
    try:
        from_value(value, type_)
    except DecodeError as error:
        raise EncodeError(error.code, error.path, error.message) from None
    return value


def to_dict(message: object) -> dict[str, Any]:
    """Return an object as plain JSON data, as a copy. Raises EncodeError if a value is invalid."""
    value: dict[str, Any] = _with_stack(parse, encode(message))
    return value
