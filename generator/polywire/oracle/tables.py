"""The rules of tables as a reference: the rows and problems of lines, evaluated on the model, one pointer at a time.

Packages have the same results from the description that the plan makes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import count
from math import isfinite
from typing import Any, TypeAlias

from polywire.ground.engine import FORMATS, MAX_INTEGER, Fault, glob, pointer
from polywire.ground.json_values import kind
from polywire.model.nodes import EACH, Dispatch, Enum, Keys, Leaf, Model, RowTable, Struct, Switch, Union
from polywire.model.tables import Lost, column_at, leaves, root_of, rows_of, structs_at
from polywire.model.walk import alternatives
from polywire.oracle.reference import text
from polywire.plan.rows import kinds
from polywire.plan.tables import ColumnPlan, tables_plan
from polywire.source.types import LiteralType, Ref, Scalar, Type

Path: TypeAlias = "tuple[str | int, ...]"

_SHOWN = 1024


@dataclass(frozen=True, slots=True)
class Problem:
    """A row of the table of problems. Of a line that is no JSON, every binding reports one of several codes."""

    file: str
    line: int
    table: str | None
    column: str | None
    path: str
    codes: frozenset[str]
    text: str | None


@dataclass(frozen=True, slots=True)
class Found:
    """What lines have: the rows of each table, and the problems."""

    rows: dict[str, list[tuple[Any, ...]]]
    problems: list[Problem]
    doubtful: frozenset[int]
    """The lines of which a binding may report a fault, or not: only overwritten values have it."""


def tables_of(model: Model, root: str, file: str, data: bytes) -> Found:
    """Return the rows and problems of the lines of a file, for the tables of a root."""
    found = Found({each.name: [] for each in model.tables if root_of(model, each) == root}, [], frozenset())
    columns = {each.name: each.columns for each in tables_plan(model).tables}
    doubtful = set()
    for number, raw in enumerate(data.split(b"\n"), 1):
        line = raw.removesuffix(b"\r")
        if line.strip(b" \t\r"):
            read = text.read(line)
            doubtful |= {number} if read.free else set()
            _Line(model, columns, root, file, number, line, read).add(found)
    return Found(found.rows, found.problems, frozenset(doubtful))


class _Misfit(Exception):  # noqa: N818 (a value that does not fit)
    def __init__(self, code: str, *path: str | int, silent: bool = True) -> None:
        super().__init__(code)
        self.code = code
        self.path: Path = path
        self.silent = silent
        """Whether it is no problem if the spec allows values of this kind."""


class _Line:
    """One line."""

    def __init__(
        self,
        model: Model,
        columns: Mapping[str, Sequence[ColumnPlan]],
        root: str,
        file: str,
        number: int,
        raw: bytes,
        read: text.Text,
    ) -> None:
        self._model, self._columns, self._root, self._file, self._number = model, columns, root, file, number
        self._raw, self._read = raw, read
        self._known = True

    def add(self, found: Found) -> None:
        """Add the rows and problems of this line."""
        value, faults = self._read.value, self._read.faults
        if not faults and kind(value) != "object":
            faults = (Fault("wrong_type"),)
        if faults:
            codes = frozenset(fault.code for fault in faults)
            found.problems.append(self._problem(None, None, (), codes, clipped(self._raw)))
            return
        try:
            struct = _decided(self._model, Ref(self._root), value)
        except Fault as fault:
            path = tuple(fault.path[1:].split("/")) if fault.path else ()
            found.problems.append(self._problem(None, None, path, frozenset({fault.code}), clipped(self._raw)))
            return
        self._known = struct is not None
        for table in self._model.tables:
            if table.name in found.rows and self._has(table, struct):
                self._table(table, self._columns[table.name], value, found)

    def _has(self, table: RowTable, struct: str | None) -> bool:
        if struct is None:
            roots = [*alternatives(Ref(self._root), self._model.declarations)]
            return any(Ref(name) in roots for name in table.lines)
        return any(struct in leaves(self._model.declarations, Ref(name)) for name in table.lines)

    def _table(self, table: RowTable, columns: Sequence[ColumnPlan], line: Any, found: Found) -> None:
        numbers = count()
        reported: set[Problem] = set()
        for path, key, value in self._rows(table, line):
            row: list[Any] = [self._file, self._number, next(numbers)]
            for column in columns:
                problems: list[Problem] = []
                row.append(self._column(table, column, line, (path, key, value), problems))
                found.problems.extend(each for each in problems if column.source != "line" or each not in reported)
                reported.update(problems)
            found.rows[table.name].append(tuple(row))

    def _rows(self, table: RowTable, line: Any) -> Iterator[tuple[Path, Any, Any]]:
        spot = rows_of(self._model, table)
        if isinstance(spot, Lost):
            return
        ends: list[tuple[Path, Any, Any]] = [((), None, line)]
        for names in spot.steps:
            ends = [
                ((*path, at), at if names == (EACH,) else key, item)
                for path, key, value in ends
                for at, item in (_items(value) if names == (EACH,) else _member(value, names))
            ]
        for path, key, value in ends:
            if value is not None and (table.types is None or self._is_one(table, value)):
                yield path, key, value

    def _is_one(self, table: RowTable, value: Any) -> bool:
        spot = rows_of(self._model, table)
        wanted = {leaf for name in table.types or () for leaf in leaves(self._model.declarations, Ref(name))}
        if isinstance(spot, Lost) or kind(value) != "object" or not [*structs_at(self._model, spot)]:
            return False
        return any(_is(self._model, type_, value, wanted) for type_ in spot.types)

    def _column(
        self, table: RowTable, column: ColumnPlan, line: Any, row: tuple[Path, Any, Any], problems: list[Problem]
    ) -> Any:
        path, key, value = row
        if column.source == "key":
            way: Path = path
            found = key
        else:
            way, found = (path, value) if column.source == "row" else ((), line)
            if not column.steps and column.source == "line" and not table.rows:
                return self._raw.decode()
            for names in column.steps:
                at, found = next(_member(found, names), ("", None))
                way = (*way, at)
        if found is None:
            return None
        try:
            return self._listed(table, column, way, found, problems)
        except _Misfit as misfit:
            if not (misfit.silent and self._known and self._allows(table, column, found)):
                problems.append(self._misfit(table, column, (*way, *misfit.path), misfit.code, found))
            return None

    def _listed(self, table: RowTable, column: ColumnPlan, way: Path, found: Any, problems: list[Problem]) -> Any:
        if not column.type.is_list:
            return converted(column.type.type, found)
        if kind(found) != "array":
            raise _Misfit("wrong_type")
        return [self._item(table, column, (*way, at), item, problems) for at, item in enumerate(found)]

    def _item(self, table: RowTable, column: ColumnPlan, way: Path, item: Any, problems: list[Problem]) -> Any:
        try:
            return None if item is None else converted(column.type.type, item)
        except _Misfit as misfit:
            problems.append(self._misfit(table, column, (*way, *misfit.path), misfit.code, item))
            return None

    def _allows(self, table: RowTable, column: ColumnPlan, found: Any) -> bool:
        """Return whether the spec allows a value that a column with a stated type cannot hold."""
        spot = column_at(self._model, table, column.column)
        if column.column.type is None or isinstance(spot, Lost):
            return False
        own = "number" if kind(found) == "integer" else kind(found)
        plain = [each for type_ in spot.types for each in alternatives(type_, self._model.declarations)]
        allowed = [each for each in plain if own in kinds(self._model, each)]
        exact = column.type.type in {"integer", "timestamp"}
        return any(not exact or _kind_of(self._model, each) != column.type.type for each in allowed)

    def _misfit(self, table: RowTable, column: ColumnPlan, way: Path, code: str, found: Any) -> Problem:
        try:
            shown: str | None = clipped(converted("json", found).encode())
        except _Misfit:
            shown = None
        return self._problem(table.name, column.name, way, frozenset({code}), shown)

    def _problem(
        self, table: str | None, column: str | None, path: Path, codes: frozenset[str], shown: str | None
    ) -> Problem:
        return Problem(self._file, self._number, table, column, _replaced(pointer(path)), codes, shown)


def _kind_of(model: Model, type_: Type) -> str:
    """Return the kind of a type's values, `json` if it has several or none of a scalar."""
    match type_:
        case Scalar(kind=kind_) | LiteralType(kind=kind_):
            return kind_
        case Ref(name=name) if isinstance(enum := model.declarations.get(name), Enum):
            return enum.base
        case _:
            return "json"


def _is(model: Model, type_: Type, value: Any, wanted: Collection[str]) -> bool:
    try:
        return isinstance(type_, Ref) and _decided(model, type_, value) in wanted
    except Fault:
        return False


def _items(value: Any) -> Iterable[tuple[str | int, Any]]:
    if kind(value) == "array":
        return enumerate(value)
    return value.items() if kind(value) == "object" else ()


def _member(value: Any, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The first member of an object that is neither absent nor null."""
    if kind(value) == "object":
        for name in names:
            if value.get(name) is not None:
                yield name, value[name]
                return


# --- what an object is -----------------------------------------------------------------------------------------


def _decided(model: Model, type_: Ref, value: Any) -> str | None:
    """Return the struct that an object of a type is, by its tags, or None for an Unknown. Raises a fault."""
    for each in alternatives(type_, model.declarations):
        declared = model.declarations.get(each.name) if isinstance(each, Ref) else None
        if isinstance(declared, Union):
            return _followed(model, declared.dispatch, value)
        if isinstance(declared, Struct):
            _check(model, declared, value)
            return declared.name
    return None


def _check(model: Model, struct: Struct, value: Any) -> None:
    """Check the tags of an object that is no variant of a union."""
    for tag in struct.tags:
        values: Sequence[Any] = (tag.constant,) if tag.constant is not None else tag.values
        if tag.enum is not None:
            values = [each.wire for each in model.enum(tag.enum).values]
        if tag.key not in value:
            if tag.optional:
                continue
            raise Fault("missing_field", f"/{tag.key}")
        found = _tag(value[tag.key], "string" if tag.prefix is not None else str(kind(values[0])), tag.key)
        if found in values or (tag.prefix is not None and found.startswith(tag.prefix)):
            continue
        if tag.others is not None and _is_like(tag.others, found):
            continue
        raise Fault("wrong_constant" if tag.constant is not None else "unknown_value", f"/{tag.key}")


def _tag(value: Any, base: str, key: str) -> Any:
    own = kind(value)
    if base == "integer" and own in {"integer", "number"}:
        if value != value // 1 or abs(value) > MAX_INTEGER:
            raise Fault("out_of_range", f"/{key}")
        return int(value)
    if own != base:
        raise Fault("wrong_type", f"/{key}")
    return value


def _followed(model: Model, dispatch: Dispatch, value: Any) -> str | None:
    match dispatch:
        case Leaf(struct=struct):
            return struct
        case Keys(union=union, cases=cases):
            for variant, then in cases:
                if set(variant.has) <= value.keys() and value.keys().isdisjoint(variant.lacks):
                    return _followed(model, then, value)
            return _unknown(model, union, "no_variant", "")
        case Switch(key=key, absent=absent) if key not in value:
            if absent is None:
                raise Fault("missing_field", f"/{key}")
            return _followed(model, absent, value)
        case Switch():
            return _switched(model, dispatch, value)


def _switched(model: Model, switch: Switch, value: Any) -> str | None:
    tag = _tag(value[switch.key], switch.base, switch.key)
    then: Dispatch | None = switch.case(tag)
    prefixes = switch.prefixes if isinstance(tag, str) else ()
    if then is None:
        then = next((each for prefix, each in prefixes if tag.startswith(prefix)), None)
    if then is None:
        then = next((Leaf(name) for pattern, name in switch.others if _is_like(pattern, tag)), None)
    if then is None and isinstance(tag, bool):
        then = switch.absent
    if then is None:
        return _unknown(model, switch.union, "unknown_variant", f"/{switch.key}")
    return _followed(model, then, value)


def _is_like(pattern: str, tag: Any) -> bool:
    return not isinstance(tag, str) or glob(pattern)(tag) is not None


def _unknown(model: Model, union: str, code: str, path: str) -> str | None:
    if not model.union(union).open:
        raise Fault(code, path)
    return None


# --- values ----------------------------------------------------------------------------------------------------


def converted(type_: str, value: Any) -> Any:
    """Return a value as a column of a type holds it."""
    own = kind(value)
    match type_:
        case "string" if own == "string":
            return _replaced(value)
        case "boolean" if own == "boolean":
            return value
        case "integer" if own in {"integer", "number"}:
            if isinstance(value, float) and not isfinite(value):
                raise _Misfit("out_of_range", silent=False)
            if value != value // 1 or abs(value) > MAX_INTEGER:
                raise _Misfit("out_of_range")
            return int(value)
        case "number" if own in {"integer", "number"}:
            try:
                found = float(value)
            except OverflowError:
                found = float("inf")
            if not isfinite(found):
                raise _Misfit("out_of_range", silent=False)
            return found
        case "timestamp" if own == "string":
            return _microseconds(value)
        case "json":
            return _compact(value)
        case _:
            raise _Misfit("wrong_type")


_PARTS = re.compile(r"([0-9]{4})(-..-..T..:..:..)(?:\.([0-9]+))?(Z|[+-]..:..)", re.DOTALL)


def _microseconds(value: str) -> int:
    """Return the microseconds since 1970. The calendar repeats after 400 years, and `datetime` has no year 0."""
    parts = _PARTS.fullmatch(value)
    if parts is None or not FORMATS["timestamp"].match(value):
        raise _Misfit("bad_format")
    year = int(parts[1])
    zone = "+00:00" if parts[4] == "Z" else parts[4]
    try:
        if int(zone[1:3]) > 23 or int(zone[4:6]) > 59:
            raise ValueError  # noqa: TRY301 - like what `strptime` raises
        ahead = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6])) * (-1 if zone[0] == "-" else 1)
        at = datetime.strptime(f"{year % 400 + 2000}{parts[2]}+0000", "%Y-%m-%dT%H:%M:%S%z") - ahead
        if parts[2].endswith((":60", ":61")):
            raise ValueError  # noqa: TRY301 - like what `strptime` raises
    except ValueError:
        raise _Misfit("bad_format", silent=False) from None
    days = (year // 400 - 5) * 146097
    whole = (at - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(seconds=1) + days * 86400
    return whole * 10**6 + int((parts[3] or "").ljust(6, "0")[:6])


def _compact(value: Any, path: Path = ()) -> str:
    """Return compact JSON; a lone surrogate is an escape."""
    match kind(value):
        case "array":
            return f"[{','.join(_compact(item, (*path, at)) for at, item in enumerate(value))}]"
        case "object":
            members = (f"{_compact(key)}:{_compact(item, (*path, key))}" for key, item in value.items())
            return f"{{{','.join(members)}}}"
        case "string":
            return "".join(_escaped(each) for each in json.dumps(value, ensure_ascii=False))
        case "number" if not isfinite(value):
            raise _Misfit("out_of_range", *path, silent=False)
        case _:
            return json.dumps(value)


def _escaped(character: str) -> str:
    return f"\\u{ord(character):04x}" if "\ud800" <= character <= "\udfff" else character


def _replaced(value: str) -> str:
    return "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in value)


def clipped(raw: bytes) -> str:
    """Return the first KiB of a text as UTF-8, without a character that does not fit."""
    found = ""
    for each in raw[: _SHOWN + 4].decode("utf-8", "replace"):
        if len((found + each).encode()) > _SHOWN:
            break
        found += each
    return found
