"""Rules on tables: their names, the places of their values, and the types of their columns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from polywire.checks.context import RuleContext
from polywire.checks.rule import Rule, Violation
from polywire.checks.rules.controls import instead
from polywire.checks.rules.graph import DeadEnd
from polywire.ground.engine import MAX_DEPTH, pointer
from polywire.ground.location import SourceLocation
from polywire.model.nodes import EACH, Column, Field, Model, Pointer, RowTable
from polywire.model.tables import Lost, column_at, rows_of
from polywire.model.walk import spell
from polywire.plan.tables import BUILT_IN, PROBLEMS, holds, value_type
from polywire.source.tree import Listing

_NAME = re.compile("[a-z][a-z0-9_]*")

# --- pointers --------------------------------------------------------------------------------------------------


def lost_pointers_of_tables(context: RuleContext) -> Iterator[Violation]:
    """Pointers of tables that lead nowhere; it is enough that some variants of a union have the member."""
    for table in context.model.tables:
        if not table.lines:
            continue
        rows = rows_of(context.model, table)
        if isinstance(rows, Lost):
            yield _lost(table.rows, rows, context.at(table.place, "rows"))
            continue
        for column in table.columns:
            yield from _lost_column(context, table, column)


def _lost_column(context: RuleContext, table: RowTable, column: Column) -> Iterator[Violation]:
    place = context.at(column.place, "at")
    found = column_at(context.model, table, column)
    if column.key:
        return
    if not table.rows and column.at and not column.of_line:
        what = f"`{pointer(column.at)[1:]}` starts at the value of a row, but the table has no `rows`"
        yield Violation(place, what, f"write `{pointer(column.at)}`")
    elif isinstance(found, Lost):
        yield _lost(column.at, found, place, "" if column.of_line else "/")
    elif len(column.at) + len(table.rows) > MAX_DEPTH:
        yield Violation(place, f"it has more than {MAX_DEPTH} keys, the most levels that readers accept")


def _lost(way: Pointer, lost: Lost, place: SourceLocation, without: str = "") -> Violation:
    shown, key = pointer(way).removeprefix(without), way[lost.followed]
    if key == EACH:
        what = f"`{shown}` does not exist: there is no list and no map at the `*`"
        return Violation(place, what, "`*` stands for the items of a list or the entries of a map, in `rows`")
    names = [f"`{each.name}`" for each in lost.structs[:4]] or ["the value there"]
    known = dict.fromkeys(_key(field) for each in lost.structs for field in each.wire_fields)
    why = f"{' or '.join(names)} has no `{key}`"
    near = instead(way, DeadEnd(lost.followed, why, tuple(known)))
    hint = near.replace("`/", "`", 1) if near and without else near
    return Violation(place, f"`{shown}` does not exist: {why}", hint)


def _key(field: Field) -> str:
    return field.about.later or field.name


# --- names and types of columns --------------------------------------------------------------------------------


def _bad_table(context: RuleContext) -> Iterator[Violation]:
    views = {f"{table.name}_unique" for table in context.model.tables if table.unique}
    for table in context.model.tables:
        if not _NAME.fullmatch(table.name):
            yield Violation(table.place, f"`{table.name}` is not the name of a table", _A_NAME)
        elif table.name == PROBLEMS or table.name in views:
            what = "the table of problems" if table.name == PROBLEMS else "a view without copies"
            yield Violation(table.place, f"`{table.name}` is the name of {what}", "choose another name")
        if not table.columns:
            yield Violation(context.at(table.place, "columns"), f"`{table.name}` has no columns", "list at least one")
        for column in table.columns:
            yield from _bad_column(context, table, column)
        yield from _bad_unique(context, table)


_A_NAME = "names have lower-case letters, digits and `_`, and begin with a letter"


def _bad_column(context: RuleContext, table: RowTable, column: Column) -> Iterator[Violation]:
    if not _NAME.fullmatch(column.name):
        yield Violation(column.place, f"`{column.name}` is not the name of a column", _A_NAME)
    elif column.name in BUILT_IN:
        yield Violation(column.place, f"`{column.name}` is a column of every table", "choose another name")
    at, key = context.at(column.place, "at"), context.at(column.place, "key")
    if column.key and (at != column.place or EACH not in table.rows):
        why = "it is given `at` too" if at != column.place else "the table has no `*` in `rows`"
        yield Violation(key, f"`{column.name}` cannot be a key: {why}")
    elif not column.key and at == column.place and context.node(column.place, "doc") is not None:
        yield Violation(column.place, f"`{column.name}` has no value", "add `at`, a pointer, or `key: true`")
    elif column.type is not None:
        found = column_at(context.model, table, column)
        if not isinstance(found, Lost) and not holds(context.model, found.types, column.type):
            what = " or ".join(spell(type_) for type_ in found.types[:4])
            message = f"a column of the type {column.type} holds no value of the type {what}"
            yield Violation(context.at(column.place, "type"), message, "choose another `type`, such as json")


def _bad_unique(context: RuleContext, table: RowTable) -> Iterator[Violation]:
    columns = {column.name: column for column in table.columns}
    for name in table.unique:
        column, place = columns.get(name), _named(context, table, "unique", name)
        if column is None:
            yield Violation(
                place,
                f"`{table.name}` has no column `{name}`",
                f"its columns are {', '.join(columns)}" if columns else None,
            )
        elif not _is_scalar(context.model, table, column):
            message = f"`{name}` is a list or JSON, which do not identify a row"
            yield Violation(place, message, "name columns with strings, numbers, booleans or timestamps")


def _named(context: RuleContext, table: RowTable, key: str, name: str) -> SourceLocation:
    """The location of a name in a list of names."""
    written = context.node(table.place, key)
    for index, item in enumerate(written.items if isinstance(written, Listing) else ()):
        if getattr(item, "text", "") == name:
            return context.inside(context.at(table.place, key), (str(index),))
    return context.at(table.place, key)


def _is_scalar(model: Model, table: RowTable, column: Column) -> bool:
    found = column_at(model, table, column)
    if isinstance(found, Lost):
        return True  # reported as a bad pointer
    type_ = value_type(model, found.types)
    return column.type != "json" if column.type is not None else not type_.is_list and type_.type != "json"


RULES = (
    Rule(
        "bad-table",
        "Tables and their columns have valid names, and columns can hold their values.",
        "error",
        "values",
        _bad_table,
        needs_sound=True,
    ),
)
