# pyright: basic
"""Lines of files → rows of tables, by the description of the tables (`tables.json`).

Of a line, only the tags and the values of columns are read. What cannot be read is a row of the table `problems`, and
loses nothing else. At any time there is one line in memory, and one batch of rows.

Arrow is needed for `schema`, `read` and `read_all` only, and is imported when these are called.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache, partial
from hashlib import sha256
from importlib import import_module
from json import JSONEncoder, dumps
from operator import itemgetter

from ._json import (
    MAX_DEPTH,
    MAX_DIGITS,
    Fault,
    depth_fault,
    holds_long_number,
    kind,
    long_text,
    parse,
    pointer,
    scan,
    too_deep,
    wrong_type,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, BinaryIO, TypeAlias

    Row: TypeAlias = tuple[Any, ...]
    File: TypeAlias = str | os.PathLike[str]
    Path: TypeAlias = tuple[str | int, ...]
    Decide: TypeAlias = Callable[[dict[str, Any]], str | None]
    """What an object is, by its tags; None for an Unknown. Raises a fault."""
    Skip: TypeAlias = Callable[[str, int, bytes, int], tuple[int, int]]
    """File, number of a line, block, its position → the position and the number after the lines that were read."""
    Steps: TypeAlias = list[Any]
    """The names of each member on the way, or `_EACH`."""

__all__ = ["MAX_BYTES", "MAX_LINE", "MAX_ROWS", "PROBLEMS", "MissingArrowError", "Tables"]

PROBLEMS = "problems"
"""The table of what could not be read."""

MAX_ROWS = 8192
MAX_BYTES = 16 << 20
"""The limits of a batch."""

MAX_LINE = 1 << 26
"""The maximum length of a line, in bytes."""

_BLOCK = 1 << 20
"""The number of bytes that are read at once; what is left of the last line is added."""

_SHOWN = 1024
"""The maximum length of a text in `problems`, in bytes."""

_LAYOUT = 2
"""The number of the layout of descriptions that the extension reads, and of columns that it returns."""

_EACH = "*"
_BUILT_IN = ("file", "line", "row")
_LARGEST = 2**53 - 1


class MissingArrowError(ImportError):
    """Arrow is not installed; the message names the extra that installs it."""


# --- what an object is -----------------------------------------------------------------------------------------

_ABSENT: Any = object()
_KINDS: dict[str, type] = {"string": str, "boolean": bool, "integer": int}


def _decision(found: Any) -> str | Decide:
    """A decision of the description as a function; a name needs none."""
    if isinstance(found, str):
        return found
    return _by_keys(found) if "keys" in found else _by_tag(found)


def _decide(found: Any) -> Decide:
    then = _decision(found)
    return then if callable(then) else lambda _, name=then: name  # type: ignore[misc]  # the default binds the name


def _settle(then: str | Decide | None, value: dict[str, Any]) -> str | None:
    return then(value) if callable(then) else then


def _by_keys(found: Any) -> Decide:
    cases = [(each["has"], each["lacks"], _decision(each["then"])) for each in found["keys"]]
    code = found["otherwise"]

    def decide(value: dict[str, Any]) -> str | None:
        for has, lacks, then in cases:
            if all(key in value for key in has) and not any(key in value for key in lacks):
                return _settle(then, value)
        if code is not None:
            raise Fault(code, "no variant has these members")
        return None

    return decide


def _by_tag(found: Any) -> Decide:
    key, base, code = found["by"], found["base"], found["otherwise"]
    of = _KINDS[base]
    cases = {value: _decision(then) for value, then in found["cases"]}
    prefixes = [(prefix, _decision(then)) for prefix, then in found["prefixes"]]
    patterns = [(_glob(pattern), name) for pattern, name in found["patterns"]]
    absent = None if found["absent"] is None else _decision(found["absent"])

    def decide(value: dict[str, Any]) -> str | None:
        tag = value.get(key, _ABSENT)
        if type(tag) is not of:
            if tag is _ABSENT:
                if absent is None:
                    raise Fault("missing_field", "expected a tag, got none", key)
                return _settle(absent, value)
            if base != "integer" or type(tag) is not float:
                raise Fault("wrong_type", f"expected {base}, got {kind(tag)}", key)
            tag = _whole(tag)
        if base == "integer" and not _is_integer(tag):
            raise Fault("out_of_range", "expected an integer of 53 bits", key)
        then = cases.get(tag)
        if then is None:
            then = next((then for prefix, then in prefixes if tag.startswith(prefix)), None)
        if then is None:
            then = next((name for is_like, name in patterns if is_like(tag)), None)
        if then is None and base == "boolean":
            then = absent
        if then is not None:
            return _settle(then, value)
        if code is not None:
            raise Fault(code, "the tag has another value", key)
        return None

    return decide


def _is_integer(value: Any) -> bool:
    return type(value) is int and -_LARGEST <= value <= _LARGEST


def _whole(value: float) -> Any:
    return int(value) if value.is_integer() else value


def _glob(pattern: str) -> Callable[[Any], Any]:
    fits = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL).fullmatch
    return lambda tag: not isinstance(tag, str) or fits(tag)


# --- values of columns -----------------------------------------------------------------------------------------


class _Misfit(Exception):
    """A value that a column cannot hold. `always`: also if the spec allows values of its kind."""

    def __init__(self, code: str, *path: str | int, always: bool = False) -> None:
        super().__init__(code)
        self.code = code
        self.path: Path = path
        self.always = always


_SURROGATES = re.compile("[\ud800-\udfff]")


def _string(value: Any) -> str:
    if type(value) is not str:
        raise _Misfit("wrong_type")
    return value if value.isascii() else _SURROGATES.sub("\ufffd", value)


def _boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise _Misfit("wrong_type")
    return value


def _integer(value: Any) -> int:
    of = type(value)
    if of is float:
        if value - value:
            raise _Misfit("out_of_range", always=True)
        value = int(value) if value.is_integer() else _LARGEST + 1
    elif of is not int:
        raise _Misfit("wrong_type")
    if not -_LARGEST <= value <= _LARGEST:
        raise _Misfit("out_of_range")
    return value  # type: ignore[no-any-return]  # its class was compared


def _number(value: Any) -> float:
    of = type(value)
    if of is not float and of is not int:
        raise _Misfit("wrong_type")
    try:
        found = float(value)
    except OverflowError:
        found = float("inf")
    if found - found:
        raise _Misfit("out_of_range", always=True)
    return found


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise _Misfit("wrong_type")
    return value


_MINUTE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2})")
_IN_MINUTE = re.compile(r":([0-9]{2})(?:\.([0-9]+))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))")
_MINUTE_LENGTH = len("1970-01-01T00:00")


def _timestamp(value: Any) -> int:
    """The microseconds since 1970, rounded down."""
    if type(value) is not str:
        raise _Misfit("wrong_type")
    return _microseconds(value)


@lru_cache(maxsize=16)
def _microseconds(value: str) -> int:
    found = _IN_MINUTE.fullmatch(value, _MINUTE_LENGTH)
    minute = _minute(value[:_MINUTE_LENGTH])
    if found is None or minute is None:
        raise _Misfit("bad_format")
    second, fraction, sign, hours, minutes = found.groups()
    seconds = int(second)
    if minute < _FIRST_MINUTE or seconds > 59:
        raise _Misfit("bad_format", always=True)
    seconds += minute * 60
    if sign is not None:
        ahead, over = int(hours), int(minutes)
        if ahead > 23 or over > 59:
            raise _Misfit("bad_format", always=True)
        ahead = ahead * 3600 + over * 60
        seconds += ahead if sign == "-" else -ahead
    return seconds * 1_000_000 + (int(f"{fraction:0<6.6}") if fraction else 0)


_FIRST_MINUTE = -1_100_000_000
"""A number below those of all minutes since the year 0."""


@lru_cache(maxsize=256)
def _minute(text: str) -> int | None:
    """The minutes since 1970; None if the format is wrong, and a number that is too low if there is no such minute."""
    found = _MINUTE.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute = map(int, found.groups())
    days = _days(year, month, day)
    if days is None or hour > 23 or minute > 59:
        return _FIRST_MINUTE - 1
    return days * 1440 + hour * 60 + minute


def _days(y: int, m: int, d: int) -> int | None:
    """The days since 1970-01-01 in the Gregorian calendar; None for a day that it does not have."""
    leap = y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
    if not 1 <= m <= 12 or not 1 <= d <= (0, 31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[m]:
        return None
    y -= m <= 2
    of_year = (153 * (m - 3 if m > 2 else m + 9) + 2) // 5 + d - 1
    return y * 365 + y // 4 - y // 100 + y // 400 + of_year - 719468


_write = JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def _json(value: Any) -> str:
    """Compact JSON, in received order. A lone surrogate is an escape, as UTF-8 cannot hold it."""
    try:
        text = _write(value)
    except ValueError:
        way = _infinite(value)
        if way is not None:
            raise _Misfit("out_of_range", *way, always=True) from None
        text = long_text(value, _write)  # an integer has more digits than this process writes
    return text if text.isascii() else _SURROGATES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _infinite(value: Any) -> Path | None:
    """The way to the first number that overflows a double."""
    if type(value) is float:
        return () if value - value else None
    inner = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    ways = ((key, _infinite(item)) for key, item in inner)
    return next(((key, *way) for key, way in ways if way is not None), None)


_CONVERT: dict[str, Callable[[Any], Any]] = {
    "string": _string,
    "boolean": _boolean,
    "integer": _integer,
    "number": _number,
    "timestamp": _timestamp,
    "json": _json,
}


# --- pointers --------------------------------------------------------------------------------------------------


def _getter(steps: Steps) -> Callable[[Any], Any]:
    """The value at the end of a pointer; None if it is absent or null."""

    def get(value: Any) -> Any:
        for names in steps:
            if type(value) is not dict:
                return None
            value = _member(value, names)
        return value

    return get


def _member(value: dict[str, Any], names: Iterable[str]) -> Any:
    """The value of the first name that is neither absent nor null."""
    for name in names:
        found = value.get(name)
        if found is not None:
            return found
    return None


def _values(value: Any, steps: Steps, keys: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The value of every row, where `_EACH` is every item or entry, with the indices and keys of these."""
    for at, names in enumerate(steps, 1):
        if names == _EACH:
            inner = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
            for key, item in inner:
                if at < len(steps):
                    yield from _values(item, steps[at:], (*keys, key))
                elif item is not None:
                    yield (*keys, key), item
            return
        value = _member(value, names) if type(value) is dict else None
        if value is None:
            return
    yield keys, value


def _path(value: Any, steps: Steps, keys: Path = ()) -> Path:
    """The names of the members that a pointer has led through, with the indices and keys where it has `_EACH`."""
    path: list[Any] = []
    left = iter(keys)
    for names in steps:
        step = next(left) if names == _EACH else next(name for name in names if value.get(name) is not None)
        path.append(step)
        value = value[step]
    return tuple(path)


# --- tables ----------------------------------------------------------------------------------------------------


class _Line:
    """A line that is an object."""

    __slots__ = ("file", "is_known", "number", "raw", "value")

    def __init__(self, file: str, number: int, raw: bytes, value: dict[str, Any], *, is_known: bool) -> None:
        self.file = file
        self.number = number
        self.raw = raw
        self.value = value
        self.is_known = is_known


class _Column:
    """A column: how its value is read, with its problems."""

    __slots__ = ("allows", "convert", "get", "is_line", "is_list", "name", "of", "steps", "type")

    def __init__(self, name: str, column: Mapping[str, Any], *, has_rows: bool) -> None:
        self.name = name
        self.of: str = column["of"]
        self.steps: Steps = column.get("at", [])
        self.get = _getter(self.steps)
        self.type: str = column["type"]
        self.convert = _CONVERT[self.type]
        self.is_list: bool = column["list"]
        self.allows = frozenset(column.get("allows", ()))
        self.is_line = self.of == "line" and not self.steps and not has_rows
        """Whether the value is the line itself, which is its original text."""

    def others(self) -> frozenset[type]:
        """The classes of values that the spec allows, and no value of the column has."""
        own = {list} if self.is_list else _CLASSES[self.type]
        return frozenset(of for of, each in _KIND_OF.items() if each in self.allows and of not in own)

    def read(self, line: _Line, value: Any, keys: Path, table: _Table, problems: list[Row] | None) -> Any:
        """The value in a row; None if there is none, or if it does not fit."""
        if self.is_line:
            return line.raw.decode()
        source = line.value if self.of == "line" else value
        found = keys[-1] if self.of == "key" else self.get(source)
        if found is None:
            return None
        try:
            if not self.is_list:
                return self.convert(found)
            items = _list(found)
        except _Misfit as misfit:
            if problems is not None and (
                misfit.always or not line.is_known or _KIND_OF[type(found)] not in self.allows
            ):
                problems.append(self._problem(line, source, found, keys, table, misfit))
            return None
        return [self._item(line, source, each, at, keys, table, problems) for at, each in enumerate(items)]

    def _item(
        self, line: _Line, source: Any, item: Any, at: int, keys: Path, table: _Table, problems: list[Row] | None
    ) -> Any:
        if item is None:
            return None
        try:
            return self.convert(item)
        except _Misfit as misfit:
            if problems is not None:
                misfit.path = (at, *misfit.path)
                problems.append(self._problem(line, source, item, keys, table, misfit))
            return None

    def _problem(self, line: _Line, source: Any, found: Any, keys: Path, table: _Table, misfit: _Misfit) -> Row:
        start = () if self.of == "line" else table.path(line, keys)
        way = (*start, *(() if self.of == "key" else _path(source, self.steps)), *misfit.path)
        try:
            text = _clipped(_json(found).encode())
        except _Misfit:  # a number that overflows has no JSON text
            text = None
        return line.file, line.number, table.name, self.name, _SURROGATES.sub("\ufffd", pointer(way)), misfit.code, text


_FITS = {
    "string": "type(v) is str and v.isascii()",
    "boolean": "type(v) is bool",
    "integer": f"type(v) is int and -{_LARGEST} <= v <= {_LARGEST}",
    "number": "type(v) is float and not v - v",
}
"""When a value is taken as it is."""


def _compiled(columns: Iterable[_Column]) -> Callable[[_Line, Any, Path, int], Row]:
    """Line, value of a row, the indices and keys that lead to it, number of the row → the row.

    It is for lines of known types. The function is compiled from the columns, as a call for each of them takes longer
    than the rest. It does not report problems, but raises `_Misfit`.
    """
    names: dict[str, Any] = {"member": _member, "NOTHING": {}}
    body: list[str] = []
    objects: dict[str, str] = {}

    def member(of: str, steps: Steps) -> str:
        found = object_at(of, steps[:-1])
        keys = steps[-1]
        return f"{found}.get({keys[0]!r})" if len(keys) == 1 else f"member({found}, {keys!r})"

    def object_at(of: str, steps: Steps) -> str:
        place = f"{of} {steps!r}"
        if place not in objects:
            value = member(of, steps) if steps else of
            name = f"o{len(objects)}"
            body.append(f"{name} = {value}\n if type({name}) is not dict: {name} = NOTHING")
            objects[place] = name
        return objects[place]

    def value_of(column: _Column) -> str:
        if column.is_line:
            return "source.raw.decode()"
        convert = f"convert{len(names)}"
        names[convert] = _items(column.convert) if column.is_list else column.convert
        if not column.steps:
            return f"{convert}({'keys[-1]' if column.of == 'key' else column.of})"
        null = f"(v := {member(column.of, column.steps)}) is None"
        others = column.others()
        if others:
            kinds = f"kinds{len(names)}"
            names[kinds] = others
            null += f" or type(v) in {kinds}"
        fits = "False" if column.is_list else _FITS.get(column.type, "False")
        return f"None if {null} else v if {fits} else {convert}(v)"

    values = "".join(f", {value_of(column)}" for column in columns)
    begin = ["def read(source, row, keys, number):", "line = source.value"]
    source = "\n ".join([*begin, *body, f"return (source.file, source.number, number{values})"])
    exec(source, names)  # noqa: S102 - names of members are in it as literals only
    read: Callable[[_Line, Any, Path, int], Row] = names["read"]
    return read


def _items(convert: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    return lambda value: [None if item is None else convert(item) for item in _list(value)]


_KIND_OF = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}

_CLASSES: dict[str, set[type]] = {
    "string": {str},
    "boolean": {bool},
    "integer": {int, float},
    "number": {int, float},
    "timestamp": {str},
    "json": {*_KIND_OF},
}
"""The classes of the values that a column may hold, of which not all fit."""


class _Table:
    """A table: its rows in a line."""

    __slots__ = ("_columns", "_decides", "_read", "_steps", "_types", "name")

    def __init__(self, name: str, table: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        self.name = name
        self._steps: Steps = table["rows"]
        has_rows = bool(self._steps)
        self._columns = [_Column(each, column, has_rows=has_rows) for each, column in table["columns"].items()]
        self._read = _compiled(self._columns)
        chosen = table.get("is")
        self._decides = [] if chosen is None else [_decide(values[each]) for each in chosen["values"]]
        self._types: frozenset[str | None] | None = None if chosen is None else frozenset(chosen["types"])

    def rows(self, line: _Line, problems: list[Row] | None = None) -> Iterable[Row]:
        """The rows of a line. Before a row is yielded, what does not fit in it is added to `problems`."""
        if self._steps or self._types is not None:
            return self._inner_rows(line, problems)
        return (self._row(line, line.value, (), 0, None, problems),)

    def _inner_rows(self, line: _Line, problems: list[Row] | None) -> Iterator[Row]:
        first: Row | None = None
        number = 0
        for keys, value in _values(line.value, self._steps):
            if self._types is None or self._is_chosen(value):
                row = self._row(line, value, keys, number, first, problems)
                first = first or row
                number += 1
                yield row

    def _row(
        self, line: _Line, value: Any, keys: Path, number: int, first: Row | None, problems: list[Row] | None
    ) -> Row:
        if line.is_known:
            try:
                return self._read(line, value, keys, number)
            except _Misfit:
                pass
        # What is read from the line is the same in all rows, and so are its problems.
        values = (
            first[at] if first and each.of == "line" else each.read(line, value, keys, self, problems)
            for at, each in enumerate(self._columns, len(_BUILT_IN))
        )
        return (line.file, line.number, number, *values)

    def path(self, line: _Line, keys: Path) -> Path:
        """The place of a row's value."""
        return _path(line.value, self._steps, keys)

    def _is_chosen(self, value: Any) -> bool:
        if type(value) is not dict:
            return False
        for decide in self._decides:
            try:
                if decide(value) in self._types:  # type: ignore[operator]  # only asked if there are types
                    return True
            except Fault:
                pass
        return False


class _Reader:
    """The rows of some tables of one root."""

    def __init__(self, description: Mapping[str, Any], root: str, names: Iterable[str]) -> None:
        self._decide = _decide(description["roots"][root])
        self._wanted = frozenset(names)
        self._problems = PROBLEMS in self._wanted
        own = {name: each for name, each in description["tables"].items() if each["root"] == root}
        tables = {
            name: _Table(name, each, description["values"])
            for name, each in own.items()
            if name in self._wanted or self._problems
        }
        self._by_type: dict[str, list[_Table]] = {}
        for name, table in tables.items():
            for struct in own[name]["lines"]:
                self._by_type.setdefault(struct, []).append(table)
        self._of_unknowns = [table for name, table in tables.items() if own[name]["unknowns"]]

    def rows(self, files: Iterable[File], skip: Skip | None = None) -> Iterator[tuple[str, Row] | None]:
        """Yield each row with the name of its table, in the order of the files and lines.

        `skip` reads lines in another way, from a position in a block on. None is yielded whenever it has read some.
        """
        for file in files:
            shown = _SURROGATES.sub("\ufffd", os.fsdecode(file))
            try:
                stream = open(file, "rb")  # noqa: SIM115 - it is closed below
            except (OSError, ValueError) as error:
                yield from self._unreadable(shown, error)
                continue
            number = 1
            with stream:
                try:
                    for block in _blocks(stream):
                        start = 0
                        while start < len(block):
                            if skip is not None:
                                before, (start, number) = start, skip(shown, number, block, start)
                                if start > before:
                                    yield None
                                    continue
                            end = block.find(b"\n", start)
                            if end < 0:
                                end = len(block)
                            raw = block[start:end].removesuffix(b"\r")
                            if raw[:1] == b"{" or raw.strip(b" \t\r"):
                                yield from self._of_line(shown, number, raw)
                            start, number = end + 1, number + 1
                except OSError as error:
                    yield from self._unreadable(shown, error)

    def _unreadable(self, file: str, error: Exception) -> Iterator[tuple[str, Row]]:
        if self._problems:
            yield PROBLEMS, (file, None, None, None, "", "unreadable", _clipped(str(error).encode(errors="replace")))

    def _of_line(self, file: str, number: int, raw: bytes) -> Iterator[tuple[str, Row]]:
        try:
            value = _object(raw)
            name = self._decide(value)
        except Fault as fault:
            if self._problems:
                yield PROBLEMS, (file, number, None, None, fault.path, fault.code, _clipped(raw))
            return
        line = _Line(file, number, raw, value, is_known=name is not None)
        problems: list[Row] | None = [] if self._problems else None
        for table in self._of_unknowns if name is None else self._by_type.get(name, ()):
            is_wanted = table.name in self._wanted
            for row in table.rows(line, problems):
                if is_wanted:
                    yield table.name, row
                if problems:
                    yield from ((PROBLEMS, each) for each in problems)
                    problems.clear()


def _object(raw: bytes) -> dict[str, Any]:
    """The object that a line is, with the verdicts of `decode`."""
    value: Any = _ABSENT
    if len(raw) > MAX_LINE:
        raise Fault("too_long", f"the line is longer than {MAX_LINE} bytes")
    try:
        text = raw.decode()
        if len(text) <= MAX_DIGITS or not holds_long_number(raw, MAX_DIGITS):
            value, end = scan(text, 0)
            if end != len(text):
                value = _ABSENT
    except Exception:  # noqa: BLE001, S110 - white space, a number that overflows, or a fault: `parse` distinguishes them
        pass
    if value is _ABSENT:
        value = parse(raw)
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH and too_deep(value):
        raise depth_fault()
    if type(value) is not dict:
        wrong_type("object", value)
    return value


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield what a file contains, in blocks that end with a line. Of a line that is too long, the rest is left out."""
    while block := stream.read(_BLOCK):
        if not block.endswith(b"\n"):
            rest = stream.readline(MAX_LINE + 2)
            block += rest
            if len(rest) > MAX_LINE:
                while rest and not rest.endswith(b"\n"):
                    rest = stream.readline(_BLOCK)
            elif not rest.endswith(b"\n"):
                yield block
                return  # what is appended from here on may be the rest of the last line
        yield block


def _clipped(raw: bytes) -> str:
    """The beginning of a text, at most 1 KiB of UTF-8."""
    text = raw[: _SHOWN + 3].decode("utf-8", "replace")  # with the rest of the last character, which tells if it is one
    return text.encode()[:_SHOWN].decode("utf-8", "ignore")


# --- batches ---------------------------------------------------------------------------------------------------

_SPARK = {
    "string": "STRING",
    "boolean": "BOOLEAN",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "timestamp": "TIMESTAMP",
    "json": "STRING",
}


class Tables:
    """The tables of a package."""

    def __init__(self, description: Mapping[str, Any], distribution: str, extension: Any = None) -> None:
        """`extension` is the module `polywire_native`, which reads the lines that have nothing unusual."""
        self._description = description
        self._distribution = distribution
        self._extension = extension if getattr(extension, "TABLES_LAYOUT", None) == _LAYOUT else None
        self.names: tuple[str, ...] = (*description["tables"], PROBLEMS)

    @property
    def fingerprint(self) -> str:
        """A text that differs if a table differs."""
        return sha256(dumps(self._description).encode()).hexdigest()

    def schema(self, name: str) -> Any:
        """The Arrow schema of a table."""
        arrow = self._arrow()
        types = {
            "string": arrow.utf8(),
            "boolean": arrow.bool_(),
            "integer": arrow.int64(),
            "number": arrow.float64(),
            "timestamp": arrow.timestamp("us", "UTC"),
            "json": arrow.utf8(),
        }
        return arrow.schema(
            [
                arrow.field(column, arrow.list_(types[of]) if is_list else types[of], nullable=nullable)
                for column, of, is_list, nullable in self._columns(name)
            ]
        )

    def ddl(self, name: str) -> str:
        """The columns of a table in Spark's notation."""
        listed = (
            (column, f"ARRAY<{_SPARK[of]}>" if is_list else _SPARK[of])
            for column, of, is_list, _ in self._columns(name)
        )
        return ", ".join(f"`{column}` {of}" for column, of in listed)

    def read(self, name: str, files: Iterable[File], root: str | None = None) -> Iterator[Any]:
        """Yield the rows of a table in files of lines, as Arrow record batches.

        For `problems`, these are the problems of all tables of the root.
        """
        self._columns(name)
        if name != PROBLEMS:
            of = self._description["tables"][name]["root"]
            if root not in {None, of}:
                raise ValueError(f"the table {name} belongs to the root {of}, not to {root}")
            root = of
        return (batch for _, batch in self._batches([name], files, root))

    def read_all(self, files: Iterable[File], root: str | None = None) -> Iterator[tuple[str, Any]]:
        """Yield the rows of all tables of a root, as names of tables and Arrow record batches. Reads each line once."""
        return self._batches(self.names, files, root)

    def rows(self, names: Iterable[str], files: Iterable[File], root: str | None = None) -> Iterator[tuple[str, Row]]:
        """Yield the rows of some tables of a root as tuples, with the names of their tables. Needs no Arrow.

        A timestamp is the number of microseconds since 1970.
        """
        rows = _Reader(self._description, self._root(root), names).rows(files)
        return (row for row in rows if row is not None)

    def _batches(self, names: Iterable[str], files: Iterable[File], root: str | None) -> Iterator[tuple[str, Any]]:
        arrow, root, names = self._arrow(), self._root(root), (*names,)
        schemas = {name: self.schema(name) for name in self.names}
        collected: _Rows | _NativeRows = _Rows(arrow, schemas)
        if self._extension is not None:
            reader = self._extension.table_reader(dumps(self._description), root, names)
            if reader is not NotImplemented:
                collected = _NativeRows(arrow, schemas, self._extension, reader)
        rows = _Reader(self._description, root, names).rows(files, collected.skip)
        return _batched(rows, collected)

    def _root(self, root: str | None) -> str:
        roots = self._description["roots"]
        if root is not None and root not in roots:
            raise ValueError(f"{root!r} is no root with tables; expected one of {', '.join(roots)}")
        return next(iter(roots)) if root is None else root

    def _columns(self, name: str) -> Iterator[tuple[str, str, bool, bool]]:
        """The name and the type of each column, whether it is a list, and whether it may be null."""
        if name not in self.names:
            raise ValueError(f"{name!r} is no table; expected one of {', '.join(self.names)}")
        if name == PROBLEMS:
            columns = self._description["problems"].items()
            return iter([(each, of["type"], False, each not in {"file", "path", "code"}) for each, of in columns])
        own = self._description["tables"][name]["columns"]
        built_in = [(each, "string" if each == "file" else "integer", False, False) for each in _BUILT_IN]
        return iter([*built_in, *((each, of["type"], of["list"], True) for each, of in own.items())])

    def _arrow(self) -> Any:
        try:
            return import_module("pyarrow")
        except ImportError:
            message = f"tables are Arrow batches, which need pyarrow: install the extra {self._distribution}[arrow]"
            raise MissingArrowError(message) from None


def _batched(rows: Iterator[tuple[str, Row] | None], collected: _Rows | _NativeRows) -> Iterator[tuple[str, Any]]:
    for each in rows:
        if each is None or collected.add(*each):
            yield from collected.take()
    yield from collected.take(rest=True)


class _Rows:
    """Collects rows in batches. Those of all tables that are collected are at most `MAX_BYTES` long together."""

    skip = None

    def __init__(self, arrow: Any, schemas: Mapping[str, Any]) -> None:
        self._arrow = arrow
        self._schemas = schemas
        self._size_of = {name: _sizes(arrow, schema) for name, schema in schemas.items()}
        self._rows: dict[str, list[Row]] = {}
        self._sizes = dict.fromkeys(schemas, 0)
        self._size = 0
        self._full: list[tuple[str, list[Row]]] = []

    def add(self, name: str, row: Row) -> bool:
        """Add a row. Returns whether a batch is full."""
        size = self._size_of[name](row)
        if self._size + size > MAX_BYTES:
            self._close(*self._rows)
        self._size += size
        self._sizes[name] += size
        own = self._rows.setdefault(name, [])
        own.append(row)
        if len(own) == MAX_ROWS:
            self._close(name)
        return bool(self._full)

    def _close(self, *names: str) -> None:
        for name in names:
            self._size -= self._sizes[name]
            self._sizes[name] = 0
            self._full.append((name, self._rows.pop(name)))

    def take(self, *, rest: bool = False) -> Iterator[tuple[str, Any]]:
        """Yield the batches that are full, and on request, the rest."""
        if rest:
            self._close(*self._rows)
        for name, rows in self._full:
            columns, schema = zip(*rows, strict=True), self._schemas[name]
            arrays = [self._arrow.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
            yield name, self._arrow.RecordBatch.from_arrays(arrays, schema=schema)
        self._full.clear()


class _NativeRows:
    """The same in the extension, which reads the lines that have nothing unusual itself."""

    def __init__(self, arrow: Any, schemas: Mapping[str, Any], extension: Any, reader: Any) -> None:
        self._arrow = arrow
        self._schemas = schemas
        self.skip: Skip = partial(extension.read_lines, reader)
        self._add = partial(extension.add_row, reader)
        self._take = partial(extension.take_batches, reader)

    def add(self, name: str, row: Row) -> bool:
        is_full: bool = self._add(name, row)
        if is_full is NotImplemented:
            raise RuntimeError(f"the extension has not taken a row of {name}")
        return is_full

    def take(self, *, rest: bool = False) -> Iterator[tuple[str, Any]]:
        for name, columns in self._take(rest):
            schema = self._schemas[name]
            arrays = [self._array(field.type, *column) for field, column in zip(schema, columns, strict=True)]
            yield name, self._arrow.RecordBatch.from_arrays(arrays, schema=schema)

    def _array(self, type_: Any, length: int, *buffers: Any) -> Any:
        """An array in the memory of the extension; the last buffer of a list is the column of its items."""
        own, items = [*buffers], []
        if self._arrow.types.is_list(type_):
            items = [self._array(type_.value_type, *own.pop())]
        given = [None if each is None else self._arrow.foreign_buffer(*each) for each in own]
        return self._arrow.Array.from_buffers(type_, length, given, children=items)


def _sizes(arrow: Any, schema: Any) -> Callable[[Row], int]:
    """A function that returns the size of a row in a batch, in bytes."""
    texts = [at for at, field in enumerate(schema) if arrow.types.is_string(field.type)]
    lists = [at for at, field in enumerate(schema) if arrow.types.is_list(field.type)]
    texts_of = itemgetter(*texts) if len(texts) > 1 else itemgetter(slice(1))

    def size(row: Row) -> int:
        found = 8 * len(row) + len("".join(filter(None, texts_of(row))).encode())
        for at in lists:
            for item in row[at] or ():
                found += 8 + (len(item.encode()) if type(item) is str else 0)
        return found

    return size
