"""The tables of a spec → what readers need to turn lines into rows, and the statements that create the tables in SQL.

A line is an object of a root. Its tags decide which struct it is, or that it is an Unknown; nothing else about it is
checked. A table has the values in these lines to which its pointers lead. A pointer looks up one key after the other in
the JSON, whether or not the type of the object declares the member. All names of a renamed member are tried, the newest
first, and the first that is neither absent nor null counts.

`document` has the same as JSON, which is written as `tables.json`: docs/tables.md describes it for readers in other
languages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from polywire.ground.engine import Kind
from polywire.ground.json_values import dumps
from polywire.model.nodes import (
    EACH,
    Column,
    ColumnType,
    Dispatch,
    Enum,
    Keys,
    Leaf,
    Model,
    RowTable,
    Struct,
    Switch,
    Tag,
    Union,
)
from polywire.model.tables import Lost, Step, column_at, leaves, root_of, rows_of
from polywire.model.walk import alternatives
from polywire.plan.rows import kinds
from polywire.source.types import NULL, Array, LiteralType, Ref, Scalar, ScalarKind, Type

LAYOUT = 1
"""The number of the layout of `document`; it changes if a reader of the layout before it would be wrong."""

PROBLEMS = "problems"
"""The built-in table of what could not be read."""

BUILT_IN: Mapping[str, tuple[ColumnType, str]] = {
    "file": ("string", "The file, as the reader was given it."),
    "line": ("integer", "The number of the line in the file, from 1."),
    "row": ("integer", "The number of the row in the line, from 0."),
}
"""The first columns of every table, with their docs. They are never null, and identify a row."""

OF_PROBLEMS: Mapping[str, tuple[ColumnType, str]] = {
    "file": ("string", "The file, as the reader was given it."),
    "line": ("integer", "The number of the line in the file, from 1; null if the file could not be read."),
    "table": ("string", "The table with the value; null for a line."),
    "column": ("string", "The column with the value; null for a line."),
    "path": ("string", "A JSON Pointer into the line; empty for the whole line."),
    "code": ("string", "The code of the error, as of decoders, or `unreadable` for a file."),
    "text": ("string", "The line, the value as JSON, or why the file could not be read: the first KiB."),
}
"""The columns of the table of problems, with their docs."""

PROBLEMS_DOC = "Lines that are no JSON objects, values that do not fit, and files that could not be read."

REQUIRED = frozenset({"file", "line", "row"})
REQUIRED_OF_PROBLEMS = frozenset({"file", "path", "code"})
"""The columns that are never null."""

# --- decisions -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ByTag:
    """A decision by a member. An object is of the first case that applies, in the order of these fields."""

    key: str
    base: Literal["string", "boolean", "integer"]
    """The kind of the value; another one is an error."""
    cases: tuple[tuple[str | bool | int, Decision], ...]
    prefixes: tuple[tuple[str, Decision], ...] = ()
    """The beginnings of strings, the longest first."""
    patterns: tuple[tuple[str, str], ...] = ()
    """Globs, and the struct of what matches; `*` matches any integer."""
    absent: Decision | None = None
    """For objects without the member, and for booleans without a case; None if it must be present."""
    otherwise: str | None = None
    """The code of the error for any other value; None if the object is an Unknown then."""


@dataclass(frozen=True, slots=True)
class ByKeys:
    """A decision by the presence of members: the first case with all keys of the first list and none of the second."""

    cases: tuple[tuple[tuple[str, ...], tuple[str, ...], Decision], ...]
    otherwise: str | None = None
    """The code of the error for an object without a case; None if it is an Unknown then."""


Decision: TypeAlias = "str | ByTag | ByKeys"
"""What an object is, by its tags; a string is the name of the struct."""


def decision(model: Model, type_: Type) -> Decision | None:
    """How to tell what an object of a type is; None if the type has no objects of declared types."""
    for each in alternatives(type_, model.declarations):
        match model.declarations.get(each.name) if isinstance(each, Ref) else None:
            case Struct() as struct:
                return _of_struct(model, struct)
            case Union() as union:
                return _of_union(model, union.dispatch)
    return None


def _of_union(model: Model, dispatch: Dispatch) -> Decision:
    match dispatch:
        case Leaf(struct=struct):
            return struct
        case Keys(union=union, cases=cases):
            found = tuple((variant.has, variant.lacks, _of_union(model, then)) for variant, then in cases)
            return ByKeys(found, None if model.union(union).open else "no_variant")
        case Switch() as switch:
            return ByTag(
                key=switch.key,
                base=switch.base,
                cases=tuple((value, _of_union(model, then)) for value, then in switch.cases),
                prefixes=tuple((prefix, _of_union(model, then)) for prefix, then in switch.prefixes),
                patterns=switch.others,
                absent=None if switch.absent is None else _of_union(model, switch.absent),
                otherwise=None if model.union(switch.union).open else "unknown_variant",
            )


def _of_struct(model: Model, struct: Struct) -> Decision:
    """A type that is no variant: an object with other tags is an error."""
    found: Decision = struct.name
    for tag in reversed(struct.tags):
        values = _values(model, tag)
        base: Literal["string", "boolean", "integer"] = "string"
        if values and not isinstance(values[0], str):
            base = "boolean" if isinstance(values[0], bool) else "integer"
        found = ByTag(
            key=tag.key,
            base=base,
            cases=tuple((value, found) for value in values),
            prefixes=() if tag.prefix is None else ((tag.prefix, found),),
            patterns=() if tag.others is None else ((tag.others, struct.name),),
            absent=found if tag.optional else None,
            otherwise="wrong_constant" if tag.constant is not None else "unknown_value",
        )
    return found


def _values(model: Model, tag: Tag) -> tuple[str | bool | int, ...]:
    if tag.constant is not None:
        return (tag.constant,)
    return tag.values if tag.enum is None else tuple(value.wire for value in model.enum(tag.enum).values)


# --- types of columns ------------------------------------------------------------------------------------------

_SCALARS: Mapping[ScalarKind, ColumnType] = {
    "string": "string",
    "uuid": "string",
    "timestamp": "timestamp",
    "boolean": "boolean",
    "integer": "integer",
    "number": "number",
}
_WIDER: Mapping[frozenset[ColumnType], ColumnType] = {
    frozenset({"integer", "number"}): "number",
    frozenset({"string", "timestamp"}): "string",
}
"""Two types whose values have one kind of JSON → the type that holds both."""

_HOLDS: Mapping[ColumnType, frozenset[ColumnType]] = {
    "string": frozenset({"string", "timestamp"}),
    "timestamp": frozenset({"string", "timestamp"}),
    "integer": frozenset({"integer", "number"}),
    "number": frozenset({"integer", "number"}),
    "boolean": frozenset({"boolean"}),
}
"""The types of which a column of a type holds at least some values; `json` holds all."""

_KINDS: Mapping[ColumnType, Kind] = {
    "string": "string",
    "timestamp": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
}


@dataclass(frozen=True, slots=True)
class ValueType:
    """The type of a column: one value, or a list of them."""

    type: ColumnType
    is_list: bool = False


_JSON = ValueType("json")


def value_type(model: Model, types: Sequence[Type]) -> ValueType:
    """The type of a column for values of some types."""
    found = {_one(model, type_) for given in types for type_ in alternatives(given, model.declarations)}
    found.discard(None)
    lists = {each.is_list for each in found if each is not None}
    scalars = frozenset(each.type for each in found if each is not None)
    if len(lists) != 1:
        return _JSON
    joined = next(iter(scalars)) if len(scalars) == 1 else _WIDER.get(scalars, "json")
    return ValueType(joined, lists.pop()) if joined != "json" else _JSON


def _one(model: Model, type_: Type) -> ValueType | None:
    """The type of a column for one type that is neither an alias nor a choice; None for null."""
    match type_:
        case Scalar(kind=kind) | LiteralType(kind=kind):
            return None if type_ == NULL else ValueType(_SCALARS.get(kind, "json"))
        case Ref(name=name) if isinstance(enum := model.declarations.get(name), Enum):
            return ValueType("integer" if enum.base == "integer" else "string")
        case Array(item=item):
            if any(isinstance(each, Array) for each in alternatives(item, model.declarations)):
                return _JSON  # an alias may contain lists of itself
            inner = value_type(model, (item,))
            return _JSON if inner.type == "json" else ValueType(inner.type, is_list=True)
        case _:
            return _JSON


def holds(model: Model, types: Sequence[Type], type_: ColumnType) -> bool:
    """Whether a column of a type can hold some value of these types."""
    if type_ == "json":
        return True
    plain = [each for given in types for each in alternatives(given, model.declarations)]
    if Scalar("json") in plain:
        return True
    found = [_one(model, each) for each in plain]
    return any(each is not None and not each.is_list and each.type in _HOLDS[type_] for each in found)


def _left_out(model: Model, types: Sequence[Type], type_: ColumnType) -> tuple[Kind, ...]:
    """The kinds of JSON values that the spec allows, and of which a column with a stated type holds none or not all."""
    if type_ == "json":
        return ()
    plain = [each for given in types for each in alternatives(given, model.declarations)]
    found = ((each, kind) for each in plain for kind in kinds(model, each) if kind != "null")
    return tuple(dict.fromkeys(kind for each, kind in found if not _holds_all(model, each, kind, type_)))


def _holds_all(model: Model, given: Type, kind: Kind, type_: ColumnType) -> bool:
    """Whether a column of a type holds all values of one kind of a given type."""
    if kind != _KINDS[type_]:
        return False
    return type_ in {"string", "number", "boolean"} or _one(model, given) == ValueType(type_)


# --- tables ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """A column: where its values are, and of which type they are."""

    column: Column
    type: ValueType
    source: Literal["line", "row", "key"]
    """Where `steps` start; `key` is the key or index at the last item or entry."""
    steps: tuple[Step, ...]
    allows: tuple[Kind, ...]
    """The kinds of values that are null without a problem, as the spec allows them."""
    doc: str | None
    """Its doc, or that of its member."""

    @property
    def name(self) -> str:
        return self.column.name


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A table: which lines it reads, where its rows are, and its columns."""

    table: RowTable
    root: str
    structs: tuple[str, ...]
    """The structs that its lines can be."""
    unknowns: bool
    """Whether its lines are also the Unknowns of the root."""
    steps: tuple[Step, ...]
    """The way to the value of a row; `(EACH,)` is every item of a list or entry of a map."""
    decisions: tuple[Decision, ...]
    """With `types`: what a value can be; it has a row if one of these decides for one of the types."""
    types: tuple[str, ...] | None
    """The structs of the values that have a row; None for any value."""
    columns: tuple[ColumnPlan, ...]

    @property
    def name(self) -> str:
        return self.table.name


@dataclass(frozen=True, slots=True)
class TablesPlan:
    """All tables of a spec."""

    tables: tuple[TablePlan, ...]
    roots: Mapping[str, Decision]
    """What a line is, for each root that has tables; the one with the most tables first."""


def tables_plan(model: Model) -> TablesPlan:
    """The plan of the tables, without those that are invalid (`lint` reports them)."""
    found = tuple(each for table in model.tables if (each := _table(model, table)) is not None)
    counts = {root: sum(each.root == root for each in found) for root in model.protocol.roots}
    ranked = sorted((root for root, count in counts.items() if count), key=lambda root: -counts[root])
    decisions = ((root, decision(model, Ref(root))) for root in ranked)
    return TablesPlan(found, {root: made for root, made in decisions if made is not None})


def _table(model: Model, table: RowTable) -> TablePlan | None:
    root, rows = root_of(model, table), rows_of(model, table)
    if root is None or isinstance(rows, Lost) or not table.lines:
        return None
    columns = tuple(each for column in table.columns if (each := _column(model, table, column)) is not None)
    there = [made for type_ in rows.types if (made := decision(model, type_)) is not None]
    return TablePlan(
        table=table,
        root=root,
        structs=_structs(model, table.lines),
        unknowns=any(name in _same(model, root) for name in table.lines),
        steps=rows.steps,
        decisions=() if table.types is None else tuple(dict.fromkeys(there)),
        types=None if table.types is None else _structs(model, table.types),
        columns=columns,
    )


def _same(model: Model, root: str) -> set[str]:
    """The types that a root is another name for, or one of which its lines are."""
    return {each.name for each in alternatives(Ref(root), model.declarations) if isinstance(each, Ref)}


def _structs(model: Model, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(struct for name in names for struct in leaves(model.declarations, Ref(name))))


def _column(model: Model, table: RowTable, column: Column) -> ColumnPlan | None:
    spot = column_at(model, table, column)
    if isinstance(spot, Lost):
        return None
    derived = value_type(model, spot.types)
    type_ = derived if column.type is None else ValueType(column.type)
    return ColumnPlan(
        column=column,
        type=type_,
        source="key" if column.key else "line" if column.of_line or not table.rows else "row",
        steps=spot.steps,
        allows=() if column.type is None else _left_out(model, spot.types, column.type),
        doc=column.about.doc or spot.doc,
    )


# --- the same as JSON ------------------------------------------------------------------------------------------


def document(model: Model, plan: TablesPlan, *, docs: bool = True) -> dict[str, Any]:
    """The description of all tables, as a JSON value; without `docs`, only what readers need."""
    names = {each: _named(model, table, each) for table in plan.tables for each in table.decisions}
    wanted = {
        each: {type_ for table in plan.tables if each in table.decisions for type_ in table.types or ()}
        for each in names
    }
    found: dict[str, Any] = {
        "layout": LAYOUT,
        "protocol": model.protocol.name,
        "roots": {root: _json(each) for root, each in plan.roots.items()},
        "values": {name: _json(_pruned(each, wanted[each])) for each, name in names.items()},
        "tables": {table.name: _table_json(table, names) for table in plan.tables},
        "problems": {name: {"type": type_, "doc": doc} for name, (type_, doc) in OF_PROBLEMS.items()},
    }
    for each in () if docs else (*found["tables"].values(), {"columns": found["problems"]}):
        for described in (each, *each["columns"].values()):
            described.pop("doc", None)
            described.pop("deprecated", None)
    return found


def pieces_of(value: Any) -> list[str]:
    """A member of the description as compact JSON, split where a line may end."""
    if not isinstance(value, dict):
        return [dumps(value)]
    found = [f"{dumps(name)}:{dumps(each)}" for name, each in value.items()]
    return ["{" + found[0], *(f",{each}" for each in found[1:]), "}"] if found else ["{}"]


def _pruned(found: Decision, wanted: Collection[str]) -> Decision:
    """A decision without the cases of types that no table wants: such a value has no row in either way."""
    if not isinstance(found, ByTag) or found.base != "string" or found.prefixes or found.patterns:
        return found
    cases = ((value, _pruned(then, wanted)) for value, then in found.cases)
    return replace(found, cases=tuple((value, then) for value, then in cases if _reaches(then, wanted)))


def _reaches(found: Decision | None, wanted: Collection[str]) -> bool:
    match found:
        case None | str():
            return found in wanted
        case ByTag():
            return bool(found.cases or found.prefixes or found.patterns) or _reaches(found.absent, wanted)
        case ByKeys():
            return True


def _named(model: Model, table: TablePlan, wanted: Decision) -> str:
    """The type in the spec that a decision is about."""
    rows = rows_of(model, table.table)
    types = () if isinstance(rows, Lost) else rows.types
    return next(each.name for each in types if isinstance(each, Ref) and decision(model, each) == wanted)


def _table_json(plan: TablePlan, names: Mapping[Decision, str]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "doc": plan.table.about.doc or "",
        "root": plan.root,
        "lines": list(plan.structs),
        "unknowns": plan.unknowns,
        "rows": [_step(step) for step in plan.steps],
    }
    if plan.types is not None:
        found["is"] = {"values": [names[each] for each in plan.decisions], "types": list(plan.types)}
    found["columns"] = {each.name: _column_json(each) for each in plan.columns}
    return {**found, "unique": list(plan.table.unique)}


def _column_json(plan: ColumnPlan) -> dict[str, Any]:
    found: dict[str, Any] = {"type": plan.type.type, "list": plan.type.is_list, "of": plan.source}
    if plan.source != "key":
        found["at"] = [_step(step) for step in plan.steps]
    if plan.allows:
        found["allows"] = list(plan.allows)
    if plan.doc:
        found["doc"] = plan.doc
    if plan.column.about.deprecated:
        found["deprecated"] = plan.column.about.deprecated
    return found


def _step(step: Step) -> list[str] | str:
    return EACH if step == (EACH,) else list(step)


def _json(found: Decision) -> Any:
    match found:
        case str():
            return found
        case ByKeys(cases=cases, otherwise=otherwise):
            listed = [{"has": [*has], "lacks": [*lacks], "then": _json(then)} for has, lacks, then in cases]
            return {"keys": listed, "otherwise": otherwise}
        case ByTag():
            return {
                "by": found.key,
                "base": found.base,
                "cases": [[value, _json(then)] for value, then in found.cases],
                "prefixes": [[prefix, _json(then)] for prefix, then in found.prefixes],
                "patterns": [list(each) for each in found.patterns],
                "absent": None if found.absent is None else _json(found.absent),
                "otherwise": found.otherwise,
            }
