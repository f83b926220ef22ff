# pyright: basic
"""JSON text and the tables of a protocol → values, or the first fault with its code and path.

This is the slow pass of a package: the decoding rules, driven by tables. It decides whatever the straight-line decoders
hand over.

The tables (`Plan`) are a dict from declared names to rows, pure literals all of them:

    ("enum", base, open, (value, …))                  base is "string" or "integer"
    ("alias", type)
    ("struct", tags, consts, fields, extra)           extra is a type, or None
    ("union", open, unknown, dispatch)                unknown is the name of its Unknown

    tag       (key, optional, constant)               a constant tag
              (key, optional, None, values, others)   a varying one: values is a tuple, or an enum's name; others is
                                                      the glob of unknown values that are admitted too, or None
    const     (key, value)
    field     (key, type, flags)                      flags: REQUIRED | NULLABLE | FLATTEN
              (key, type, flags, claimed)             claimed: values that belong to sibling variants
    dispatch  "Struct"
              ("switch", union, key, {value: dispatch, …}, ((glob, struct), …), absent dispatch or None)
              ("keys", union, ((has, lacks, dispatch), …))
    type      "string" "boolean" "number" "integer" "uuid" "timestamp" "json" "object" "null", or a declared name
              ("[]", item, low, high)                 bounds or None
              ("{}", value, key)                      key is an enum's name, or None
              ("|", {kind: type, …})                  kind is one of KINDS

Values are plain data unless a `build` makes something of them. An `integer` is an int, however it was spelt (`1.0`);
a `number` is a float, also where an integer was written, so that no result depends on which parser made it; what is
kept untouched stays as it was read, integers exactly. Strings hold lone surrogates where the text had them
escaped.
"""

from __future__ import annotations

import re
from itertools import accumulate
from json import JSONDecodeError, JSONDecoder, JSONEncoder, scanner
from json.encoder import encode_basestring_ascii

from ._support import MAX_DEPTH, MAX_DIGITS, holds_long_number

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing is slow to import, and nothing here needs it at run time
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, NoReturn, TypeAlias

    Plan: TypeAlias = Mapping[str, tuple[Any, ...]]
    Path: TypeAlias = tuple[str | int, ...]
    Build: TypeAlias = Callable[[str, str, dict[str, Any], dict[str, Any]], object]
    Reader: TypeAlias = Callable[["_Run", Any, Path], Any]

__all__ = [
    "CODES",
    "FLATTEN",
    "KINDS",
    "MAX_DEPTH",
    "NULLABLE",
    "REQUIRED",
    "Decoded",
    "Decoder",
    "Fault",
    "Passed",
    "check",
    "check_parsed",
    "decode",
    "dumps",
    "equal",
    "glob",
    "kind",
    "parse",
    "pointer",
    "too_deep",
]

REQUIRED, NULLABLE, FLATTEN = 1, 2, 4

MAX_INTEGER = 2**53 - 1
"""The largest `integer`: up to here every one is a double of its own."""

CODES = (
    "too_long",
    "invalid_utf8",
    "invalid_json",
    "too_deep",
    "wrong_type",
    "missing_field",
    "unknown_variant",
    "no_variant",
    "wrong_constant",
    "unknown_value",
    "out_of_range",
    "bad_format",
    "out_of_bounds",
    "unknown_field",
)
"""Every code of a fault, in order of precedence where several meet at one place."""

KINDS = ("null", "boolean", "number", "string", "array", "object")
"""The kinds of JSON value that an inline union tells apart."""

FORMATS = {
    "uuid": re.compile(r"\A[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z"),
    "timestamp": re.compile(
        r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})\Z"
    ),
}


class Fault(Exception):
    """The first thing wrong with a document: a code of `CODES`, a JSON Pointer, and a message for people."""

    def __init__(self, code: str, path: str = "", message: str = "") -> None:
        super().__init__(code, path, message)
        self.code = code
        self.path = path
        self.message = message

    def __str__(self) -> str:
        where = f" at {self.path}" if self.path else ""
        return f"{self.code}{where}: {self.message}" if self.message else f"{self.code}{where}"


def pointer(path: Iterable[str | int]) -> str:
    """Keys and indices → JSON Pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


# --- text → JSON values ----------------------------------------------------------------------------------------


def parse(data: bytes | bytearray | memoryview | str) -> Any:
    """Read one JSON text (RFC 8259, UTF-8) and raise the parser's fault if it is none.

    A number that overflows a double is read as an infinity, which nothing else can be here; `Decoder` reports it as
    `out_of_range` at its place if its value counts. Depth is that of the text, overwritten duplicates included.
    """
    text = _text(data)
    if _LOOSE:
        _check_syntax(text)
    try:
        value = _load(text)
    except JSONDecodeError as error:
        raise Fault("invalid_json", "", f"{error.msg} at character {error.pos}") from None
    except RecursionError:
        if not too_deep(text):
            raise  # the caller left too little of the stack; the text is not to blame
        _check_syntax(text)
        raise _depth_fault() from None
    if too_deep(text):
        raise _depth_fault()
    return value


def _text(data: bytes | bytearray | memoryview | str) -> str:
    try:
        if isinstance(data, str):
            if not data.isascii():
                data.encode()  # a raw lone surrogate can't have come from UTF-8
            return data
        return str(data, "utf-8")
    except UnicodeDecodeError as error:
        raise Fault("invalid_utf8", "", f"not UTF-8 at byte {error.start}") from None
    except UnicodeEncodeError as error:
        raise Fault("invalid_utf8", "", f"lone surrogate at character {error.start}") from None


_LOOSE = getattr(scanner, "c_make_scanner", None) is None
"""Whether the library parses in Python, as outside CPython: that takes digits of any script, and signs in escapes."""


def _depth_fault() -> Fault:
    return Fault("too_deep", "", f"nested deeper than {MAX_DEPTH} levels")


def _refuse_constant(name: str) -> NoReturn:
    raise Fault("invalid_json", "", f"{name} is not JSON")


_CONVERTIBLE = 640
"""Digits that `int()` and `str()` convert in every process: none can set a lower limit."""


def _read_integer(text: str) -> int:
    """Decimal text → int, whatever the process's limit is."""
    digits = text.lstrip("-")
    if len(digits) > MAX_DIGITS:
        raise _long_integer()
    value = 0
    for at in range(0, len(digits), _CONVERTIBLE):
        part = digits[at : at + _CONVERTIBLE]
        value = value * 10 ** len(part) + int(part)
    return -value if text[0] == "-" else value


_DECODER = JSONDecoder(parse_constant=_refuse_constant)
_DECODER_OF_LONG_INTEGERS = JSONDecoder(parse_constant=_refuse_constant, parse_int=_read_integer)


def _load(text: str) -> Any:
    if len(text) > _CONVERTIBLE and holds_long_number(text.encode(), _CONVERTIBLE):
        return _DECODER_OF_LONG_INTEGERS.decode(text)
    return _DECODER.decode(text)


_STEP: dict[str, int] = {"[": 1, "{": 1, "]": -1, "}": -1, '"': 0}  # a quote that is left begins no string that ends
_NO_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[^"\[\]{}]+', re.DOTALL)


def too_deep(text: str) -> bool:
    """Whether a JSON text nests deeper than `MAX_DEPTH`, duplicates included; meaningless for text that is not JSON."""
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return False
    levels = accumulate(map(_STEP.__getitem__, _NO_BRACKETS.sub("", text)))
    return any(map(MAX_DEPTH.__lt__, levels))


_STRING = r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"'
_PLAIN = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null"
_VALUE = {"\1": ",", "\2": ",", "[": "i", "{": "m"}
_FOLLOWS: dict[str, dict[str, str]] = {
    "v": _VALUE,  # a value must come
    "i": {**_VALUE, "]": ","},  # an item, or the end of the array
    "m": {"\1": ":", "}": ","},  # a member, or the end of the object
    "k": {"\1": ":"},  # a key must come
    ":": {":": "v"},
    ",": {",": ",", "]": ",", "}": ","},  # after a value
}


def _check_syntax(text: str) -> None:
    """Raise `invalid_json` for what is not JSON: the library's parser may be loose, and needs a stack for what is deep.

    Strings become U+0001 and other scalars U+0002, which no JSON text contains, so that each token is one mark.
    """
    fault = Fault("invalid_json", "", "not JSON")
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


# --- JSON values → text ----------------------------------------------------------------------------------------


_ENCODER = JSONEncoder(separators=(",", ":"), allow_nan=False)


def dumps(value: Any, path: Path = ()) -> str:
    """Write a JSON value as one line of ASCII, checked: raises `Fault` for what is not JSON, below `path`.

    Everything outside ASCII is escaped, so lone surrogates survive; floats are written in their shortest exact form.
    """
    check(value, path)
    try:
        return _ENCODER.encode(value)
    except ValueError:  # an integer with more digits than this process lets str() write
        return "".join(_chunks(value))


def _chunks(value: Any) -> Iterator[str]:
    match kind(value):
        case "object":
            yield "{"
            for index, (key, member) in enumerate(value.items()):
                yield ("," if index else "") + encode_basestring_ascii(key) + ":"
                yield from _chunks(member)
            yield "}"
        case "array":
            yield "["
            for index, item in enumerate(value):
                yield "," if index else ""
                yield from _chunks(item)
            yield "]"
        case "integer":
            yield _write_integer(value)
        case _:
            yield _ENCODER.encode(value)


_BASE = 10**_CONVERTIBLE


def _write_integer(value: int) -> str:
    """An int → decimal text, whatever the process's limit is."""
    parts, rest = list[str](), abs(value)
    while rest >= _BASE:
        rest, low = divmod(rest, _BASE)
        parts.append(f"{low:0{_CONVERTIBLE}d}")
    return ("-" if value < 0 else "") + "".join([str(rest), *reversed(parts)])


# --- JSON values -----------------------------------------------------------------------------------------------


_KIND_OF: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    tuple: "array",
    dict: "object",
}


def kind(value: object) -> str | None:
    """The kind of a JSON value: "null" "boolean" "integer" "number" "string" "array" "object"; None if it is none.

    An int is "integer", a float "number"; subclasses count as what they extend.
    """
    found = _KIND_OF.get(type(value))
    if found is None:
        found = next((name for base, name in _KIND_OF.items() if isinstance(value, base)), None)
    return found


_TOO_LONG = 10**MAX_DIGITS


def check(value: Any, path: Path = ()) -> None:
    """Raise the first fault of a value that is to be kept untouched: not JSON, not finite, too deep or too long.

    What `parse` made can only have numbers that overflowed; what a program made can have anything.
    """
    match kind(value):
        case "integer":
            if not -_TOO_LONG < value < _TOO_LONG:
                raise _long_integer()
        case "number":
            if value - value != 0:
                raise _overflow(path)
        case "array":
            _check_level(path)
            for index, item in enumerate(value):
                if type(item) is not str:
                    check(item, (*path, index))
        case "object":
            _check_level(path)
            for key in _ordered(value, path):
                if type(value[key]) is not str:
                    check(value[key], (*path, key))
        case None:
            raise _wrong_type("JSON", value, path)


def check_parsed(value: Any) -> None:
    """Raise the first fault of data that is parsed already; those that a parser finds come first, as in text."""
    try:
        check(value)
    except Fault:
        _check_limits(value, 0)
        raise


def _check_limits(value: Any, level: int) -> None:
    """Raise the fault that a parser finds in the text of a value: nested too deep, or an integer too long."""
    match kind(value):
        case "integer":
            check(value)
        case "array" | "object" as found:
            if level == MAX_DEPTH:
                raise _depth_fault()
            for item in value if found == "array" else value.values():
                _check_limits(item, level + 1)


def _check_level(path: Path) -> None:
    """A path has a step for each level above: text was measured when it was parsed, what a program made is here."""
    if len(path) >= MAX_DEPTH:
        raise _depth_fault()


def _ordered(members: Mapping[str, Any], path: Path) -> list[str]:
    """Keys in code-point order; one that is no string is only possible in what a program made."""
    if not all(isinstance(key, str) for key in members):
        raise Fault("wrong_type", pointer(path), "expected only strings as keys")
    return sorted(members)


def equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: kinds strictly, numbers as doubles, order of members ignored."""
    match kind(one), kind(other):
        case "object", "object":
            return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
        case "array", "array":
            return len(one) == len(other) and all(map(equal, one, other))
        case ("integer" | "number", "integer" | "number"):
            return bool(one == other) or _double(one) == _double(other) is not None
        case here, there:
            return here == there and bool(one == other)


def _double(value: float) -> float | None:
    """A finite number as a double; None for what overflows one."""
    try:
        double = float(value)
    except OverflowError:
        return None
    return double if double - double == 0 else None


# --- faults ----------------------------------------------------------------------------------------------------


def _wrong_type(expected: str, value: object, path: Path) -> Fault:
    return Fault("wrong_type", pointer(path), f"expected {expected}, got {kind(value) or type(value).__name__}")


def _overflow(path: Path) -> Fault:
    return Fault("out_of_range", pointer(path), "expected a finite number, got one that overflows a double")


def _long_integer() -> Fault:
    return Fault("out_of_range", "", f"expected integers of at most {MAX_DIGITS} digits, got a longer one")


def _missing(key: str, path: Path) -> Fault:
    return Fault("missing_field", pointer((*path, key)), f"expected member {_show(key)}, got none")


def _show(value: object) -> str:
    """A scalar as JSON, cut to what a message can bear."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, float) and value - value != 0:
        return "a number that overflows a double"
    text = _ENCODER.encode(value) if kind(value) not in {None, "array", "object"} else str(kind(value))
    return text if len(text) <= 60 else text[:56] + ' …"'


def _one_of(values: Iterable[object]) -> str:
    shown = [_show(value) for value in values]
    if len(shown) > 8:
        shown = [*shown[:8], "…"]
    return ("one of " if len(shown) > 1 else "") + ", ".join(shown)


# --- decoding --------------------------------------------------------------------------------------------------


class Passed:
    """One thing that lenient mode let pass: its place, strict mode's code and message for it, and whose rule it is.

    `owner` is the declared struct, enum or union that does not know it, the built-in type whose form it lacks, or ""
    for an array outside its bounds. `value` is what stands there; for an unknown key of a map the key, for an unknown
    variant the whole object.
    """

    __slots__ = ("code", "message", "owner", "path", "value")

    def __init__(self, path: Path, code: str, owner: str, value: Any, message: str) -> None:
        self.path = path
        self.code = code
        self.owner = owner
        self.value = value
        self.message = message

    @property
    def pointer(self) -> str:
        return pointer(self.path)

    def __repr__(self) -> str:
        return f"Passed({self.pointer!r}, {self.code!r}, {self.owner!r})"


class Decoded:
    """What a document was decoded as.

    `variant` is the innermost declared type that was chosen, "Unknown", or the name asked for where that is no union.
    """

    __slots__ = ("_steps", "passed", "value", "variant")

    def __init__(
        self, value: Any, variant: str, passed: tuple[Passed, ...], steps: tuple[tuple[Path, str], ...]
    ) -> None:
        self.value = value
        self.variant = variant
        self.passed = passed
        self._steps = steps

    @property
    def unknown(self) -> list[str]:
        """The pointer of every place where lenient mode let something pass, sorted."""
        return sorted({each.pointer for each in self.passed})

    @property
    def trail(self) -> list[tuple[str, str]]:
        """Every declared union and struct on the way down, with its place: outermost first, in order of reading."""
        return [(pointer(path), name) for path, name in self._steps]

    def __repr__(self) -> str:
        return f"Decoded({self.value!r}, variant={self.variant!r}, unknown={self.unknown!r})"


class _Run:
    """One pass over one document."""

    __slots__ = ("passed", "steps", "strict", "variant")

    def __init__(self, *, strict: bool) -> None:
        self.strict = strict
        self.variant = ""  # the choice of the union that was read last, which in the end is the outermost
        self.passed: list[Passed] = []
        self.steps: list[tuple[Path, str]] = []

    def let_pass(self, path: Path, code: str, owner: str, value: Any, message: str) -> None:
        """Note what lenient mode tolerates; in strict mode it is a fault."""
        if self.strict:
            raise Fault(code, pointer(path), message)
        self.passed.append(Passed(path, code, owner, value, message))

    def mark(self) -> tuple[int, int]:
        return len(self.passed), len(self.steps)

    def back_to(self, mark: tuple[int, int]) -> None:
        del self.passed[mark[0] :], self.steps[mark[1] :]


def decode(plan: Plan, root: Any, value: Any, *, strict: bool, build: Build | None = None) -> Decoded:
    """Decode a JSON value as `root`, a declared name or any type of the plan; see `Decoder`."""
    return _decoder(plan, build).decode(root, value, strict=strict)


_RECENT: list[tuple[Plan, Any, Decoder]] = []


def _decoder(plan: Plan, build: Build | None) -> Decoder:
    for known, maker, decoder in _RECENT:
        if known is plan and maker == build:
            return decoder
    made = Decoder(plan, build)
    _RECENT[:] = [(plan, build, made), *_RECENT[:7]]
    return made


class Decoder:
    """The readers of a plan, each made when first needed.

    `build(what, name, members, extra)` makes a value of an object; without one, values are plain data.

    - `what` is "struct": `members` has what is there of the tags, constants and fields of the struct `name`, by wire
      key and in wire order, decoded; an absent one is not in it, a null is None, constants are among them, and a
      flattened field stands under its own name. `extra` has everything else in the order it came: unknown members
      untouched, or decoded where the struct declares extra content, and the nulls that a lenient repair took away.
    - `what` is "unknown": `name` is the union's name for its Unknown, `members` the discriminators that were read,
      `extra` the whole object, untouched.
    """

    def __init__(self, plan: Plan, build: Build | None = None) -> None:
        self.plan = plan
        self.build = build or self._plain
        self._declared: dict[str, Reader] = {}

    def decode(self, root: Any, value: Any, *, strict: bool) -> Decoded:
        """Decode a JSON value as `root`, a declared name or any type of the plan; raises `Fault`."""
        run = _Run(strict=strict)
        made = self.reader(root)(run, value, ())
        variant = run.variant if self._is_union(root) else root if isinstance(root, str) else ""
        return Decoded(made, variant, tuple(run.passed), tuple(run.steps))

    def _is_union(self, root: Any) -> bool:
        """Whether a root is a union, or an alias of one."""
        while isinstance(root, str) and root in self.plan and self.plan[root][0] == "alias":
            root = self.plan[root][1]
        return isinstance(root, str) and root in self.plan and bool(self.plan[root][0] == "union")

    def _plain(self, what: str, name: str, members: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
        if what == "unknown":
            return extra
        plain: dict[str, Any] = {}
        flat = self._flattened(name)
        for key, value in members.items():
            if key == flat:
                plain.update(value)
            else:
                plain[key] = value
        for key, value in extra.items():
            plain.setdefault(key, value)
        return plain

    def _flattened(self, struct: str) -> str | None:
        return next((field[0] for field in self.plan[struct][3] if field[2] & FLATTEN), None)

    def _expected(self, type_: Any) -> str:
        """The JSON kind that a type asks for, for messages."""
        if not isinstance(type_, str):
            return {"[]": "array", "{}": "object"}.get(type_[0]) or " or ".join(type_[1])
        if type_ in _BUILT_IN:
            return "string" if type_ in FORMATS else type_
        row = self.plan[type_]
        if row[0] == "alias":
            return self._expected(row[1])
        return str(row[1]) if row[0] == "enum" else "object"

    # Readers: each takes the run, a value and its path, and gives what the value is decoded as.

    def reader(self, type_: Any) -> Reader:
        """The reader of a type, made when first asked for; a name that the plan lacks is a `KeyError`."""
        if not isinstance(type_, str):
            return _COMPOSED[type_[0]](self, *type_[1:])
        if type_ in _BUILT_IN:
            return _BUILT_IN[type_]
        if type_ not in self._declared:
            row = self.plan[type_]
            self._declared[type_] = _DECLARED[row[0]](self, type_, *row[1:])
        return self._declared[type_]

    def array(self, item: Any, low: int | None, high: int | None) -> Reader:
        items = _Later(self, item)
        bounded = low is not None or high is not None
        least, most = low or 0, high if high is not None else float("inf")
        expected = f"{least} to {high} items" if high is not None else f"at least {least} items"

        def read(run: _Run, value: Any, path: Path) -> list[Any]:
            if kind(value) != "array":
                raise _wrong_type("array", value, path)
            _check_level(path)
            if bounded and not least <= len(value) <= most:
                run.let_pass(path, "out_of_bounds", "", value, f"expected {expected}, got {len(value)}")
            return [items.read(run, each, (*path, index)) for index, each in enumerate(value)]

        return read

    def map(self, item: Any, key_enum: str | None) -> Reader:
        items = _Later(self, item)
        open_, keys = True, frozenset[str]()
        if key_enum is not None:
            _, _, open_, values = self.plan[key_enum]
            keys = frozenset(str(value) for value in values)

        def read_entry(run: _Run, key: str, value: Any, path: Path) -> Any:
            if key_enum is None or key in keys:
                return items.read(run, value, path)
            message = f"{_show(key)} is no value of {key_enum}"
            if run.strict or not open_:
                _raise_worse(Fault("unknown_value", pointer(path), message), lambda: items.read(run, value, path))
            run.let_pass(path, "unknown_value", key_enum, key, message)
            return items.read(run, value, path)

        def read(run: _Run, value: Any, path: Path) -> dict[str, Any]:
            if kind(value) != "object":
                raise _wrong_type("object", value, path)
            _check_level(path)
            made = {key: read_entry(run, key, value[key], (*path, key)) for key in _ordered(value, path)}
            return {key: made[key] for key in value}

        return read

    def inline(self, members: Mapping[str, Any]) -> Reader:
        by_kind = {each: _Later(self, type_) for each, type_ in members.items()}
        if "number" in by_kind:
            by_kind["integer"] = by_kind["number"]
        expected = " or ".join(members)

        def read(run: _Run, value: Any, path: Path) -> Any:
            member = by_kind.get(kind(value) or "")
            if member is None:
                raise _wrong_type(expected, value, path)
            return member.read(run, value, path)

        return read

    def alias(self, _name: str, type_: Any) -> Reader:
        return self.reader(type_)

    def enum(self, name: str, base: str, open_: bool, values: tuple[str | int, ...]) -> Reader:
        known = frozenset(values)
        kinds = {"string"} if base == "string" else {"integer", "number"}

        def read(run: _Run, value: Any, path: Path) -> Any:
            if kind(value) not in kinds:
                raise _wrong_type(base, value, path)
            if base == "integer":
                value = _whole(value)
            if value in known:
                return value
            message = f"{_show(value)} is no value of {name}"
            if not open_:
                raise Fault("unknown_value", pointer(path), message)
            run.let_pass(path, "unknown_value", name, value, message)
            return _integer(run, value, path) if base == "integer" else value

        return read

    def struct(
        self,
        name: str,
        tags: tuple[tuple[Any, ...], ...],
        consts: tuple[tuple[str, Any], ...],
        fields: tuple[tuple[Any, ...], ...],
        extra: Any,
    ) -> Reader:
        members = [
            *((tag[0], self._tag(name, *tag)) for tag in tags),
            *((key, self._const(key, value)) for key, value in consts),
            *((field[0], self._field(name, *field)) for field in fields if not field[2] & FLATTEN),
        ]
        declared = frozenset(key for key, _ in members)
        flat = next(((len(tags) + len(consts) + at, each) for at, each in enumerate(fields) if each[2] & FLATTEN), None)
        if flat is not None:
            at, (key, type_, flags, *_) = flat
            members.insert(at, (key, self._flat(key, type_, flags, declared)))
        read_extra = self._extra(name, extra)

        def read(run: _Run, value: Any, path: Path) -> Any:
            if kind(value) != "object":
                raise _wrong_type("object", value, path)
            _check_level(path)
            run.steps.append((path, name))
            made: dict[str, Any] = {}
            for key, read_member in members:
                result = read_member(run, value, path)
                if result is not _ABSENT:
                    made[key] = result
            rest = _rest(value, made, declared) if flat is None else _nulls(value, made, declared)
            if rest:
                rest = read_extra(run, rest, declared, path)
            return self.build("struct", name, made, rest)

        return read

    # Members: each takes the run, the whole object and its path, and gives the member's value or _ABSENT.

    def _tag(
        self,
        struct: str,
        key: str,
        optional: bool,
        constant: str | bool | None,
        values: tuple[str, ...] | str = (),
        others: str | None = None,
    ) -> Reader:
        owner = struct
        if constant is not None:
            known: frozenset[str | bool] = frozenset((constant,))
        else:
            if isinstance(values, str):
                owner, values = values, self.plan[values][3]
            known = frozenset(values)
        sample = constant if constant is not None else ""
        expected, admits = kind(sample) or "", glob(others) if others is not None else None

        def read(run: _Run, members: Mapping[str, Any], path: Path) -> Any:
            if key not in members:
                if optional:
                    return _ABSENT
                raise _missing(key, path)
            value, path = members[key], (*path, key)
            if kind(value) != expected:
                raise _wrong_type(expected, value, path)
            if value in known:
                return value
            if constant is not None:
                raise Fault("wrong_constant", pointer(path), f"expected {_show(constant)}, got {_show(value)}")
            message = f"expected {_one_of(values)}, got {_show(value)}"
            if admits is None or not admits(value):
                raise Fault("unknown_value", pointer(path), message)
            run.let_pass(path, "unknown_value", owner, value, message)
            return value

        return read

    def _const(self, key: str, constant: Any) -> Reader:
        expected = _wide_kind(constant)

        def read(run: _Run, members: Mapping[str, Any], path: Path) -> Any:
            del run
            if key not in members:
                raise _missing(key, path)
            value = members[key]
            if _wide_kind(value) != expected:
                raise _wrong_type(str(expected), value, (*path, key))
            if not equal(value, constant):
                message = f"expected {_show(constant)}, got {_show(value)}"
                raise Fault("wrong_constant", pointer((*path, key)), message)
            return constant

        return read

    def _field(self, struct: str, key: str, type_: Any, flags: int, claimed: tuple[str | bool, ...] = ()) -> Reader:
        values = _Later(self, type_)
        required, nullable = flags & REQUIRED, flags & NULLABLE
        expected = self._expected(type_)

        def read(run: _Run, members: Mapping[str, Any], path: Path) -> Any:
            if key not in members:
                if required:
                    raise _missing(key, path)
                return _ABSENT
            value, path = members[key], (*path, key)
            if value is None:
                if nullable:
                    return None
                if not required:
                    run.let_pass(path, "wrong_type", struct, value, f"expected {expected}, got null")
                    return _ABSENT
            if claimed and any(value == each and type(value) is type(each) for each in claimed):
                raise Fault("wrong_constant", pointer(path), f"{_show(value)} belongs to another variant")
            return values.read(run, value, path)

        return read

    def _flat(self, key: str, type_: Any, flags: int, declared: frozenset[str]) -> Reader:
        del key
        values = _Later(self, type_)

        def read(run: _Run, members: Mapping[str, Any], path: Path) -> Any:
            rest = {key: value for key, value in members.items() if key not in declared}
            if not rest and not flags & REQUIRED:
                return _ABSENT
            return values.read(run, rest, path)

        return read

    def _extra(self, struct: str, type_: Any) -> Callable[[_Run, dict[str, Any], frozenset[str], Path], dict[str, Any]]:
        values = _Later(self, "json" if type_ is None else type_)

        def read_unknown(run: _Run, value: Any, path: Path) -> Any:
            message = f"{_show(path[-1])} is no field of {struct}"
            if run.strict:
                _raise_worse(Fault("unknown_field", pointer(path), message), lambda: check(value, path))
            run.let_pass(path, "unknown_field", struct, value, message)
            return values.read(run, value, path)

        def read_entry(run: _Run, value: Any, path: Path) -> Any:
            return (read_unknown if type_ is None else values.read)(run, value, path)

        def read(run: _Run, rest: dict[str, Any], declared: frozenset[str], path: Path) -> dict[str, Any]:
            made = {
                # a declared key is left over if lenient mode took its null away, and is exempt from the type
                key: None if key in declared else read_entry(run, rest[key], (*path, key))
                for key in _ordered(rest, path)
            }
            return {key: made[key] for key in rest}

        return read

    # Unions.

    def union(self, _name: str, _open: bool, _unknown: str, dispatch: Any) -> Reader:
        def read(run: _Run, value: Any, path: Path) -> Any:
            if kind(value) != "object":
                raise _wrong_type("object", value, path)
            choice = _Choice(self, run, value, path)
            struct = choice.follow(dispatch)
            if struct is None:
                made = choice.untouched()
            elif choice.doubt is None:
                made = self.reader(struct)(run, value, path)
            else:
                mark = run.mark()
                try:
                    made = self.reader(struct)(run, value, path)
                except Fault:  # an unknown value of a known form, but not the body of that form
                    run.back_to(mark)
                    run.let_pass(*choice.doubt)
                    struct, made = None, choice.untouched()
            run.variant = struct or "Unknown"
            return made

        return read


class _Later:
    """The reader of a part, made when it is first called, so that types may contain themselves."""

    __slots__ = ("read",)
    read: Reader

    def __init__(self, decoder: Decoder, type_: Any) -> None:
        def first(run: _Run, value: Any, path: Path) -> Any:
            self.read = decoder.reader(type_)
            return self.read(run, value, path)

        self.read = first


class _Choice:
    """One object on its way through the dispatch of a union and of those nested in it."""

    __slots__ = ("decoder", "doubt", "members", "path", "run", "tags", "unknown")

    def __init__(self, decoder: Decoder, run: _Run, members: Any, path: Path) -> None:
        self.decoder = decoder
        self.run = run
        self.members = members
        self.path = path
        self.tags: dict[str, Any] = {}
        self.unknown: str | None = None  # of the outermost open union so far
        self.doubt: tuple[Path, str, str, Any, str] | None = None  # what to let pass if a catch-all does not fit

    def follow(self, dispatch: Any) -> str | None:
        """The struct that the discriminators lead to; None if no variant answers and an open union takes the object."""
        if dispatch is None or isinstance(dispatch, str):
            return dispatch
        how, union, *table = dispatch
        _, open_, unknown, _ = self.decoder.plan[union]
        self.run.steps.append((self.path, union))
        if open_ and self.unknown is None:
            self.unknown = unknown
        return self._by_keys(union, *table) if how == "keys" else self._by_tag(union, *table)

    def _by_keys(self, union: str, cases: tuple[tuple[tuple[str, ...], tuple[str, ...], Any], ...]) -> str | None:
        for has, lacks, dispatch in cases:
            if all(key in self.members for key in has) and not any(key in self.members for key in lacks):
                return self.follow(dispatch)
        self._unanswered(union, "no_variant", self.path, f"no variant of {union} has these members")
        return None

    def _by_tag(
        self, union: str, key: str, cases: Mapping[str | bool, Any], others: tuple[tuple[str, str], ...], absent: Any
    ) -> str | None:
        if key not in self.members:
            if absent is None:
                raise _missing(key, self.path)
            return self.follow(absent)
        tag, place = self.members[key], (*self.path, key)
        kinds = {kind(value): None for value in cases} or {"string": None}
        if kind(tag) not in kinds:
            raise _wrong_type(" or ".join(map(str, kinds)), tag, place)
        self.tags[key] = tag
        if tag in cases:
            return self.follow(cases[tag])
        message = f"expected {_one_of(cases)}, got {_show(tag)}"
        for pattern, struct in others:
            if glob(pattern)(tag):
                return self._catch_all(struct, key, place, message)
        if absent is not None and isinstance(tag, bool):
            return self.follow(absent)
        self._unanswered(union, "unknown_variant", place, message)
        return None

    def _catch_all(self, struct: str, key: str, place: Path, message: str) -> str:
        """An unknown value of a known form: this struct if its body fits, else the Unknown."""
        if self.run.strict:
            raise Fault("unknown_value", pointer(place), message)
        _, _, _, values, _ = next(row for row in self.decoder.plan[struct][1] if row[0] == key)
        if self.unknown is not None:
            self.doubt = (
                place,
                "unknown_value",
                values if isinstance(values, str) else struct,
                self.tags[key],
                message,
            )
        return struct

    def _unanswered(self, union: str, code: str, place: Path, message: str) -> None:
        if not self.decoder.plan[union][1]:
            raise Fault(code, pointer(place), message)
        self.run.let_pass(place, code, union, self.members, message)

    def untouched(self) -> Any:
        """The object as the Unknown of the outermost open union."""
        check(self.members, self.path)
        unknown = self.unknown or ""
        self.run.steps.append((self.path, unknown))
        return self.decoder.build("unknown", unknown, self.tags, self.members)


# --- built-in types --------------------------------------------------------------------------------------------


def _string(run: _Run, value: Any, path: Path) -> Any:
    del run
    if kind(value) != "string":
        raise _wrong_type("string", value, path)
    return value


def _boolean(run: _Run, value: Any, path: Path) -> Any:
    del run
    if kind(value) != "boolean":
        raise _wrong_type("boolean", value, path)
    return value


def _null(run: _Run, value: Any, path: Path) -> Any:
    del run
    if value is not None:
        raise _wrong_type("null", value, path)


def _number(run: _Run, value: Any, path: Path) -> float:
    del run
    if kind(value) not in _NUMBERS:
        raise _wrong_type("number", value, path)
    double = _double(value)
    if double is None:
        raise _overflow(path)
    return double


def _integer(run: _Run, value: Any, path: Path) -> int:
    del run
    if kind(value) not in _NUMBERS:
        raise _wrong_type("integer", value, path)
    whole = _whole(value)
    if not isinstance(whole, int) or abs(whole) > MAX_INTEGER:
        raise Fault("out_of_range", pointer(path), f"expected an integer within ±{MAX_INTEGER}, got {_show(value)}")
    return whole


def _format(name: str) -> Reader:
    fits = FORMATS[name].match

    def read(run: _Run, value: Any, path: Path) -> Any:
        if kind(value) != "string":
            raise _wrong_type("string", value, path)
        if not fits(value):
            run.let_pass(path, "bad_format", name, value, f"expected a {name}, got {_show(value)}")
        return value

    return read


def _json(run: _Run, value: Any, path: Path) -> Any:
    del run
    check(value, path)
    return value


def _object(run: _Run, value: Any, path: Path) -> Any:
    del run
    if kind(value) != "object":
        raise _wrong_type("object", value, path)
    check(value, path)
    return value


_NUMBERS = frozenset({"integer", "number"})


def _whole(value: Any) -> Any:
    """A float without a fraction as an int; anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _wide_kind(value: object) -> str | None:
    found = kind(value)
    return "number" if found == "integer" else found


def glob(pattern: str) -> Callable[[str], object]:
    """A pattern whose `*` stands for any text, nothing included → the test of a whole string."""
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL).fullmatch


_ABSENT = object()


def _rest(value: Mapping[str, Any], made: Mapping[str, Any], declared: frozenset[str]) -> dict[str, Any]:
    """What of an object is not among its decoded members: the undeclared ones, and nulls that were taken away."""
    if len(value) == len(made):
        return {}
    return {key: member for key, member in value.items() if key not in declared or key not in made}


def _nulls(value: Mapping[str, Any], made: Mapping[str, Any], declared: frozenset[str]) -> dict[str, Any]:
    """The nulls alone: where a field is flattened, all that is undeclared is its own."""
    return {key: member for key, member in value.items() if key in declared and key not in made}


_PRECEDENCE = {code: at for at, code in enumerate(CODES)}


def _raise_worse(fault: Fault, attempt: Callable[[], object]) -> NoReturn:
    """Raise a fault, or the one that `attempt` meets at the same place if that has precedence."""
    try:
        attempt()
    except Fault as other:
        if other.path == fault.path and _PRECEDENCE[other.code] < _PRECEDENCE[fault.code]:
            raise
    raise fault


_BUILT_IN: dict[str, Reader] = {
    "string": _string,
    "boolean": _boolean,
    "number": _number,
    "integer": _integer,
    "uuid": _format("uuid"),
    "timestamp": _format("timestamp"),
    "json": _json,
    "object": _object,
    "null": _null,
}

_COMPOSED: dict[str, Callable[..., Reader]] = {
    "[]": Decoder.array,
    "{}": Decoder.map,
    "|": Decoder.inline,
}

_DECLARED: dict[str, Callable[..., Reader]] = {
    "enum": Decoder.enum,
    "alias": Decoder.alias,
    "struct": Decoder.struct,
    "union": Decoder.union,
}
