# pyright: basic
"""JSON text ↔ plain values, and the rules for values that are kept untouched.

A `Fault` is raised where a value is invalid and collects the steps of its path while it propagates, so that valid input
pays nothing for paths. The public modules turn it into `DecodeError` or `EncodeError`.
"""

from __future__ import annotations

import re
from json import JSONDecodeError, JSONDecoder, JSONEncoder, encoder, scanner
from json.encoder import encode_basestring_ascii as quote

try:
    from orjson import loads as fast_loads  # type: ignore[import-not-found, unused-ignore]  # it is optional
except ImportError:
    fast_loads = None  # type: ignore[assignment, unused-ignore]  # the standard library does

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn, TypeAlias

    Data: TypeAlias = bytes | bytearray | memoryview | str

__all__ = [
    "MAX_DEPTH",
    "MAX_DIGITS",
    "SCALARS",
    "Fault",
    "NeedsRepair",
    "Overflow",
    "Reparse",
    "TooDeep",
    "check_fast_value",
    "check_text_value",
    "check_value",
    "depth_fault",
    "fast_loads",
    "holds_long_integer",
    "holds_long_number",
    "is_deep_text",
    "json_text",
    "kind",
    "long_integer",
    "long_text",
    "one_of",
    "overflow",
    "parse",
    "plain",
    "pointer",
    "quote",
    "scan",
    "show",
    "too_deep",
    "wrong_type",
]

MAX_DEPTH = 128
"""The maximum depth of `{` and `[` in a document."""

MAX_DIGITS = 4300
"""The maximum number of digits of an integer in a document: the time of a conversion is quadratic."""


class Fault(Exception):
    """The first error in a value: a code, a message for people, and the steps from the error to the root."""

    def __init__(self, code: str, message: str, *steps: str | int) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.steps: list[str | int] = list(steps)

    @property
    def path(self) -> str:
        """The place as a JSON Pointer."""
        return pointer(reversed(self.steps))


class TooDeep(Exception):
    """An untouched value has more levels than every type leaves room for: the depth of the document must be checked."""


class NeedsRepair(Exception):
    """A value from a program is invalid where its type has a repair: it is repaired as plain JSON."""


class Overflow(Exception):
    """A number in a text overflows a double; careful functions find its place."""


class Reparse(Exception):
    """The fast parser may have read a number differently from the standard library's parser."""


def pointer(path: Iterable[str | int]) -> str:
    """Keys and indices → JSON Pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


# --- kinds and messages ----------------------------------------------------------------------------------------


_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def kind(value: object) -> str:
    """The kind of a JSON value; for any other value, the name of its class."""
    return _KINDS.get(type(value)) or type(value).__name__


def show(value: object) -> str:
    """A value as JSON, truncated for a message."""
    match value:
        case bool() | None:
            return {True: "true", False: "false", None: "null"}[value]
        case int() if value.bit_length() > 128:
            return f"an integer of {value.bit_length()} bits"
        case float() if value - value != 0:
            return "a number that overflows a double"
        case int() | float():
            return repr(value)
        case str():
            return quote(value) if len(value) <= 56 else f"{quote(value[:56])[:56]} …"
        case _:
            return kind(value)


def one_of(values: Iterable[object]) -> str:
    """A list of values for a message."""
    shown = [show(value) for value in values]
    if len(shown) > 8:
        shown = [*shown[:8], "…"]
    return ("one of " if len(shown) > 1 else "") + ", ".join(shown)


def wrong_type(expected: str, value: object, *steps: str | int) -> NoReturn:
    """Refuse a value of the wrong kind."""
    raise Fault("wrong_type", f"expected {expected}, got {kind(value)}", *steps)


def overflow(*steps: str | int) -> NoReturn:
    """Refuse a number that overflows a double."""
    raise Fault("out_of_range", "expected a finite number, got one that overflows a double", *steps)


def long_integer() -> Fault:
    """The fault of an integer with too many digits. It concerns the document as a whole, like a syntax error."""
    return Fault("out_of_range", f"expected integers of at most {MAX_DIGITS} digits, got a longer one")


def depth_fault() -> Fault:
    """The fault of a document that is nested too deeply. No other fault is reported for it."""
    return Fault("too_deep", f"nested deeper than {MAX_DEPTH} levels")


# --- text → values ---------------------------------------------------------------------------------------------


def _refuse_constant(name: str) -> NoReturn:
    raise Fault("invalid_json", f"{name} is not JSON")


_make_scanner: Any = getattr(scanner, "c_make_scanner", None)


def _no_scanner(_text: str, _start: int) -> NoReturn:
    raise StopIteration  # on other interpreters than CPython, `parse` reads every text


def _finite(text: str) -> float:
    value = float(text)
    if value - value:
        raise Overflow
    return value


_FINITE = JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)

scan: Callable[[str, int], tuple[Any, int]] = _make_scanner(_FINITE) if _make_scanner else _no_scanner
"""The standard library's scanner: text and start → value and end. Raises for every text that needs `parse`."""


def parse(data: Data, *, finite: bool = False) -> Any:
    """Read one JSON text (RFC 8259, UTF-8); raise a fault if it is invalid.

    A number that overflows a double is read as an infinity or, if `finite`, raises Overflow. The depth is not checked.
    """
    text = _text(data)
    if (
        len(text) > MAX_DIGITS
        and holds_long_number(text, MAX_DIGITS)
        and _LONG_INTEGER.search(_STRINGS.sub('""', text))
    ):
        _check_syntax(text)
        raise long_integer()
    if _make_scanner is None:
        _check_syntax(text)
    try:
        return _load(text, _FINITE if finite else _DECODER)
    except JSONDecodeError as error:
        raise Fault("invalid_json", f"{error.msg} at character {error.pos}") from None
    except RecursionError:
        if not is_deep_text(text):
            raise  # the caller has left too little of the stack; the text is not the cause
        _check_syntax(text)
        raise depth_fault() from None


def _load(text: str, decoder: JSONDecoder) -> Any:
    try:
        return decoder.decode(text)
    except JSONDecodeError:
        raise
    except ValueError:  # in this process, the limit of int() is lower
        parse_float = decoder.parse_float
        return JSONDecoder(parse_constant=_refuse_constant, parse_float=parse_float, parse_int=_integer).decode(text)


def _text(data: Data) -> str:
    try:
        if isinstance(data, str):
            if not data.isascii():
                data.encode()  # a lone surrogate that is not escaped can't have come from UTF-8
            return data
        return str(data, "utf-8")
    except TypeError:
        got = type(data).__name__
        raise TypeError(f"expected bytes or text, got {got}; use from_dict() for parsed data") from None
    except UnicodeDecodeError as error:
        raise Fault("invalid_utf8", f"not UTF-8 at byte {error.start}") from None
    except UnicodeEncodeError as error:
        raise Fault("invalid_utf8", f"lone surrogate at character {error.start}") from None


_DECODER = JSONDecoder(parse_constant=_refuse_constant)

_DIGITS = bytes(ord("0") if chr(byte) in ".0123456789" else ord(" ") for byte in range(256))
"""Maps each digit, and the decimal point between digits, to a zero, and all other bytes to a space."""


def holds_long_number(data: Data, digits: int) -> bool:
    """Whether a text may contain a number of more than `digits` digits; a sample rules it out for nearly every text."""
    raw: Any = data.encode("utf-8", "replace") if isinstance(data, str) else bytes(data)
    sample = raw[:: digits // 6].translate(_DIGITS)
    return b"000000" in sample and b"0" * (digits + 1) in raw.translate(_DIGITS)


_STRING = r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"'
_STRINGS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)

_LONG_INTEGER = re.compile(rf"(?<![0-9.eE+-])-?[0-9]{{{MAX_DIGITS + 1},}}(?![0-9.eE])")

_CONVERTIBLE = 640
"""The number of digits that `int()` and `str()` convert in every process: the limit cannot be set lower."""


def _integer(text: str) -> int:
    """Decimal text → int, independent of the process's limit."""
    digits = text.lstrip("-")
    if len(digits) > MAX_DIGITS:
        raise long_integer()  # the digits of an incomplete number
    value = 0
    for at in range(0, len(digits), _CONVERTIBLE):
        part = digits[at : at + _CONVERTIBLE]
        value = value * 10 ** len(part) + int(part)
    return -value if text[0] == "-" else value


_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}
_NO_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[^"\[\]{}]+', re.DOTALL)


def is_deep_text(text: str) -> bool:
    """Whether a JSON text nests deeper than `MAX_DEPTH`; meaningless for text that is not JSON."""
    level = 0
    for bracket in _NO_BRACKETS.sub("", text):
        level += _STEP[bracket]
        if level > MAX_DEPTH:
            return True
    return False


_PLAIN = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null"
_VALUE = {"\1": ",", "\2": ",", "[": "i", "{": "m"}
_FOLLOWS: dict[str, dict[str, str]] = {
    "v": _VALUE,  # a value must follow
    "i": {**_VALUE, "]": ","},  # an item, or the end of the array
    "m": {"\1": ":", "}": ","},  # a member, or the end of the object
    "k": {"\1": ":"},  # a key must follow
    ":": {":": "v"},
    ",": {",": ",", "]": ",", "}": ","},  # after a value
}


def _check_syntax(text: str) -> None:
    """Raise `invalid_json` if a text is not JSON, in cases where the library's parser is lax, recursive or quadratic.

    Strings become U+0001 and other scalars U+0002, which no JSON text contains, so that each token is one character.
    """
    fault = Fault("invalid_json", "not JSON")
    if "\1" in text or "\2" in text:
        raise fault
    marks = re.sub("[ \t\n\r]+", "", re.sub(_PLAIN, "\2", re.sub(_STRING, "\1", text)))
    state, stack = "v", list[str]()
    for mark in marks:
        state = _FOLLOWS[state].get(mark, "")
        if not state:
            raise fault
        if mark in "[{":
            stack.append(mark)
        elif mark in "]},":
            if not stack or (mark != "," and stack.pop() + mark not in {"[]", "{}"}):
                raise fault
            if mark == ",":
                state = "v" if stack[-1] == "[" else "k"
    if stack or state != ",":
        raise fault


def too_deep(value: Any, most: int = MAX_DEPTH) -> bool:
    """Whether a JSON value is nested deeper than `most` levels."""
    level = [value] if type(value) in _CONTAINERS else []
    while level:
        if not most:
            return True
        most -= 1
        level = [
            item
            for each in level
            for item in (each.values() if type(each) is dict else each)
            if type(item) in _CONTAINERS
        ]
    return False


_CONTAINERS = frozenset((dict, list))


# --- values that are kept untouched ----------------------------------------------------------------------------


SCALARS = frozenset((str, bool, int, float, type(None)))
"""Types of parsed values that need no check of their contents."""

_LARGE = 2.0**63
"""From this number on, parsers may differ: one converts an integer to a float that another one keeps exact."""


def check_text_value(value: Any, room: int) -> None:
    """Raise TooDeep if an untouched value from a parser has more levels than `room`."""
    if too_deep(value, room):
        raise TooDeep


def check_fast_value(value: Any, room: int) -> None:
    """Like `check_text_value`, and raise Reparse for a float that may be an integer in the text."""
    level: list[Any] = [[value]]
    while level:
        if room < 0:
            raise TooDeep
        room -= 1
        below: list[Any] = []
        for each in level:
            for item in each.values() if type(each) is dict else each:
                of = type(item)
                if of is dict or of is list:
                    below.append(item)
                elif of is float and not -_LARGE < item < _LARGE:
                    raise Reparse
        level = below


_LONGEST = 10**MAX_DIGITS

_LITERALS = frozenset((bool, type(None)))


def check_value(value: Any, room: int) -> None:
    """Refuse an untouched value from a program that is not JSON or overflows. Raise TooDeep for too many levels."""
    level: list[Any] = [[value]]
    left = room
    while level:
        if left < 0:
            raise TooDeep
        left -= 1
        below: list[Any] = []
        for each in level:
            if type(each) is dict and not _TEXTS.issuperset(map(type, each)):
                _refuse(value, room)
            for item in each.values() if type(each) is dict else each:
                of = type(item)
                if of is str:
                    continue
                if of is dict or of is list:
                    below.append(item)
                elif of not in _LITERALS and not _is_number(of, item):
                    _refuse(value, room)
        level = below


def _is_number(of: type, value: Any) -> bool:
    """Whether a value of a class is a number that JSON text can represent."""
    return (of is int and -_LONGEST < value < _LONGEST) or (of is float and value - value == 0)


def _refuse(value: Any, room: int) -> None:
    """Raise the fault of an untouched value, with its place."""
    of = type(value)
    if of is int and not -_LONGEST < value < _LONGEST:
        raise long_integer()
    if of is float and value - value:
        overflow()
    if of is dict or of is list:
        if not room:
            raise TooDeep
        if of is dict and not _TEXTS.issuperset(map(type, value)):
            wrong_type("only strings as keys", next(key for key in value if type(key) is not str))
        for step, item in value.items() if of is dict else enumerate(value):
            try:
                _refuse(item, room - 1)
            except Fault as fault:
                fault.steps.append(step)
                raise
    elif of not in SCALARS:
        wrong_type("JSON", value)


_TEXTS = frozenset((str,))


def plain(value: Any, room: int = MAX_DEPTH) -> Any:
    """A value from a program as a parser would return it: subclasses and tuples are replaced by plain types.

    Values that are not JSON stay unchanged, so that the fault reports them.
    """
    match value:
        case dict() | list() | tuple() if not room:
            raise depth_fault()
        case dict():
            return {_key(key): plain(item, room - 1) for key, item in value.items()}
        case list() | tuple():
            return [plain(item, room - 1) for item in value]
        case str():
            return str.__str__(value)
        case bool() | None:
            return value
        case int():
            return int.__int__(value)
        case float():
            return float.__float__(value)
        case _:
            return value


def _key(key: Any) -> Any:
    return str.__str__(key) if isinstance(key, str) else key


def holds_long_integer(value: Any) -> bool:
    """Whether a value from a program contains an integer with too many digits."""
    containers = [value]
    while containers:
        items = [item for each in containers for item in (each.values() if type(each) is dict else each)]
        if any(type(item) is int and not -_LONGEST < item < _LONGEST for item in items):
            return True
        containers = [item for item in items if type(item) is dict or type(item) is list]
    return False


# --- values → text ---------------------------------------------------------------------------------------------


def _writer() -> Callable[[Any, int], Iterable[str]]:
    """The library's encoder, created once; it yields pieces of text for values that `check_value` has accepted."""
    make: Any = getattr(encoder, "c_make_encoder", None)
    if make is None:  # the interpreter has no accelerator
        write = JSONEncoder(separators=(",", ":"), allow_nan=False).encode
        return lambda value, _: (write(value),)
    pieces: Callable[[Any, int], Iterable[str]] = make(None, None, quote, None, ":", ",", False, False, False)
    return pieces


_pieces = _writer()


def json_text(value: Any, room: int = MAX_DEPTH) -> str:
    """An untouched value from a program as one line of ASCII; raise a fault if it is not JSON."""
    of = type(value)
    if of is str:
        return quote(value)
    if value is None or of is bool:
        return "null" if value is None else "true" if value else "false"
    if of is int and -_LARGE < value < _LARGE:
        return repr(value)
    try:
        _check_shape(value, room)
        text = "".join(_pieces(value, 0))
    except (ValueError, TypeError):
        check_value(plain(value), MAX_DEPTH)
        return long_text(plain(value))  # an integer has more digits than the limit of str() in this process
    if len(text) > MAX_DIGITS and holds_long_number(text, MAX_DIGITS):
        check_value(plain(value), MAX_DEPTH)
    return text


def _check_shape(value: Any, room: int) -> None:
    """Raise TypeError for keys that the library's encoder would convert to strings, and TooDeep for too many levels."""
    if isinstance(value, dict):
        if not _TEXTS.issuperset(map(type, value)) and not all(isinstance(key, str) for key in value):
            raise TypeError
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return
    if not room:
        raise TooDeep
    if not SCALARS.issuperset(map(type, value)):
        for item in value:
            if type(item) not in SCALARS:
                _check_shape(item, room - 1)


def long_text(value: Any, write: Callable[[str], str] = quote) -> str:
    """A JSON value as text, independent of the process's limit of digits. `write` gives the text of a string."""
    if type(value) is dict:
        return "{" + ",".join([f"{write(key)}:{long_text(item, write)}" for key, item in value.items()]) + "}"
    if type(value) is list:
        return "[" + ",".join([long_text(item, write) for item in value]) + "]"
    if type(value) is str:
        return write(value)
    return _decimal(value) if type(value) is int else "".join(_pieces(value, 0))


_BASE = 10**_CONVERTIBLE


def _decimal(value: int) -> str:
    """An int → decimal text, independent of the process's limit."""
    parts, rest = list[str](), abs(value)
    while rest >= _BASE:
        rest, low = divmod(rest, _BASE)
        parts.append(f"{low:0{_CONVERTIBLE}d}")
    return ("-" if value < 0 else "") + "".join([str(rest), *reversed(parts)])
