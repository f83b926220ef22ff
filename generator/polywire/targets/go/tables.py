"""The plan's rows → the tables of the Go package, as its validator reads them (`runtimes/go/tables.go`).

A row that fits on a line is one expression; of the others the template lays out the lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from polywire.plan.rows import Row
from polywire.targets.go.layout import literal, quoted

SCALARS = frozenset({"string", "boolean", "number", "integer", "uuid", "timestamp", "json", "object", "null"})
"""Types that are no names of declarations."""

FLAGS = ("required", "nullable", "flatten")
"""The constants of a field's flags, from the lowest bit."""


@dataclass(frozen=True, slots=True)
class DispatchView:
    """A step of a dispatch: a leaf is its text alone, any other a row with lines."""

    kind: Literal["leaf", "switch", "keys"]
    text: str
    """The leaf, or what stands before the cases."""
    pad: str = ""
    cases: tuple[DispatchCase, ...] = ()
    after: str = ""
    """What stands between the cases and `absent`."""
    absent: DispatchView | None = None


@dataclass(frozen=True, slots=True)
class DispatchCase:
    """A case of a step: what has to hold, and the step that follows."""

    condition: str
    then: DispatchView


@dataclass(frozen=True, slots=True)
class RowView:
    """The row of one declaration."""

    name: str
    kind: Literal["line", "union", "struct"]
    text: str = ""
    """The row, where it is one line; whether a union is open."""
    dispatch: DispatchView | None = None
    tags: tuple[str, ...] = ()
    consts: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    extra: str = ""


def row_views(rows: Mapping[str, Row]) -> tuple[RowView, ...]:
    """Every row."""
    return tuple(_row(quoted(name), row) for name, row in rows.items())


def _row(name: str, row: Row) -> RowView:
    match row:
        case ("enum", base, open_, values):
            numbers = literal(base == "integer")
            return RowView(name, "line", f"&enumRow{{{numbers}, {literal(open_)}, {_values(values)}}}")
        case ("alias", of):
            return RowView(name, "line", f"&aliasRow{{{rule(of)}}}")
        case ("union", open_, _, dispatch):
            return RowView(name, "union", literal(open_), _dispatch(dispatch, "\t"))
        case ("struct", (), (), (), None):
            return RowView(name, "line", "&structRow{}")
        case (_, tags, consts, fields, extra):
            return RowView(
                name,
                "struct",
                tags=tuple(map(_tag, tags)),
                consts=tuple(f"{{{quoted(key)}, {tree(value)}}}" for key, value in consts),
                fields=tuple(map(_field, fields)),
                extra="" if extra is None else rule(extra),
            )
    raise AssertionError(row)


def rule(operation: Any) -> str:
    """A type."""
    match operation:
        case str():
            return f"{'scalar' if operation in SCALARS else 'named'}({quoted(operation)})"
        case ("[]", item, low, high):
            return f"&listOf{{{rule(item)}, {low or 0}, {-1 if high is None else high}}}"
        case ("{}", value, key):
            return f"&mapOf{{{rule(value)}, {quoted(key or '')}}}"
        case (_, members):
            of_kinds = ", ".join(f"{quoted(kind)}: {rule(member)}" for kind, member in members.items())
            return f"&oneKind{{{_texts(members)}, map[string]rule{{{of_kinds}}}}}"
    raise AssertionError(operation)


def tree(value: object) -> str:
    """A scalar as the validator's trees have it."""
    match value:
        case bool() | None:
            return literal(value)
        case str():
            return quoted(value)
        case _:
            return f"number({quoted(repr(value))})"


def _values(values: Iterable[object]) -> str:
    return f"[]any{{{', '.join(map(tree, values))}}}"


def _texts(values: Iterable[str]) -> str:
    return f"[]string{{{', '.join(map(quoted, values))}}}"


def _tag(tag: Row) -> str:
    match tag:
        case (key, optional, constant):
            rest = f'{tree(constant)}, nil, "", ""'
        case (key, optional, _, str() as enum, others):
            rest = f"nil, nil, {quoted(enum)}, {quoted(others or '')}"
        case (key, optional, _, values, others):
            rest = f'nil, {_values(values)}, "", {quoted(others or "")}'
    return f"{{{quoted(key)}, {literal(optional)}, {rest}}}"


def _field(field: Row) -> str:
    key, of, bits, *claimed = field
    flags = " | ".join(name for at, name in enumerate(FLAGS) if bits >> at & 1) or "0"
    return f"{{{quoted(key)}, {rule(of)}, {flags}, {_values(claimed[0]) if claimed else 'nil'}}}"


def _dispatch(dispatch: Any, pad: str) -> DispatchView:
    inner = pad + "\t"
    match dispatch:
        case None:
            return DispatchView("leaf", "nil")
        case str():
            return DispatchView("leaf", f"leaf({quoted(dispatch)})")
        case ("switch", union, key, cases, others, absent):
            globs = ", ".join(f"{{{quoted(pattern)}, {quoted(name)}}}" for pattern, name in others)
            return DispatchView(
                "switch",
                f"&bySwitch{{{quoted(union)}, {quoted(key)}, []caseRow{{",
                pad,
                tuple(DispatchCase(tree(value), _dispatch(then, inner)) for value, then in cases.items()),
                f"}}, []otherRow{{{globs}}}, ",
                _dispatch(absent, pad),
            )
        case (_, union, cases):
            return DispatchView(
                "keys",
                f"&byKeys{{{quoted(union)}, []keysRow{{",
                pad,
                tuple(
                    DispatchCase(f"{_texts(has)}, {_texts(lacks)}", _dispatch(then, inner))
                    for has, lacks, then in cases
                ),
                "}}",
            )
    raise AssertionError(dispatch)
