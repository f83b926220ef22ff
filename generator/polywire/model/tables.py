"""Pointers of tables → the values that they lead to: their types in every variant, and the names of the members.

A line can be of several types, and the values on the way can be unions. A pointer follows every struct that has the
member; that is also true of tags and constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from polywire.ground.location import SourceLocation
from polywire.model.declared import Item
from polywire.model.join import with_flattened
from polywire.model.nodes import EACH, Column, Declaration, Model, Pointer, RowTable, Struct, Union
from polywire.model.walk import alternatives, structs_of
from polywire.source.report import Faults
from polywire.source.tree import Listing, Node, Text
from polywire.source.types import Array, LiteralType, Map, Ref, Scalar, Type

Step: TypeAlias = "tuple[str, ...]"
"""The name of a member, and then its earlier names; `(EACH,)` for every item or entry."""

_KEYS: Mapping[type[Type], Type] = {Array: Scalar("integer"), Map: Scalar("string")}


@dataclass(frozen=True, slots=True)
class Spot:
    """The values at the end of a pointer."""

    types: tuple[Type, ...]
    """Their types, without aliases and inline unions."""
    steps: tuple[Step, ...] = ()
    keys: tuple[Type, ...] = ()
    """The types of the key or index at the last `EACH`."""
    doc: str | None = None
    """The doc of the last member, if it has one."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A pointer that leads nowhere."""

    followed: int
    """The number of keys that lead somewhere."""
    structs: tuple[Struct, ...]
    """The objects that lack the next one."""


def lines_of(table: RowTable) -> Spot:
    """The lines of a table, as the place where pointers start."""
    return Spot(tuple(Ref(name) for name in table.lines))


def follow(model: Model, start: Spot, pointer: Pointer, *, each: bool = False) -> Spot | Lost:
    """Follow a pointer. With `each`, `EACH` stands for every item of a list or entry of a map.

    A pointer has the newest names of members, also in the model of an earlier release.
    """
    spot = start
    for depth, key in enumerate(pointer):
        if each and key == EACH:
            inside = [type_ for type_ in spot.types if isinstance(type_, (Array, Map))]
            types: list[Type] = [type_.item if isinstance(type_, Array) else type_.value for type_ in inside]
            names: Step = (EACH,)
            doc = None
            keys = tuple(dict.fromkeys(_KEYS[type(type_)] for type_ in inside))
        else:
            found = [*_members(model, spot, key)]
            types, keys = [type_ for _, type_, _ in found], spot.keys
            names = tuple(dict.fromkeys((key, *(name for name, _, _ in found))))
            doc = next((doc for _, _, doc in found if doc), None)
        if not types:
            return Lost(depth, tuple(structs_at(model, spot)))
        plain = (type_ for given in types for type_ in alternatives(given, model.declarations))
        spot = Spot(tuple(dict.fromkeys(plain)), (*spot.steps, names), keys, doc)
    return spot


def rows_of(model: Model, table: RowTable) -> Spot | Lost:
    """The values that have a row, before `is` is applied."""
    return follow(model, lines_of(table), table.rows, each=True)


def column_at(model: Model, table: RowTable, column: Column) -> Spot | Lost:
    """The values of a column."""
    rows = rows_of(model, table)
    if isinstance(rows, Lost):
        return rows
    if column.key:
        return Spot(rows.keys) if rows.keys else Lost(0, ())
    if column.of_line:
        return follow(model, lines_of(table), column.at)
    kept = rows if table.types is None else replace(rows, types=tuple(of_types(model, rows, table.types)))
    return follow(model, replace(kept, steps=()), column.at)


def structs_at(model: Model, spot: Spot) -> Iterator[Struct]:
    """The structs that the objects at a place can be."""
    for type_ in spot.types:
        yield from (model.struct(name) for name in leaves(model.declarations, type_))


def leaves(declarations: Mapping[str, Declaration], type_: Type) -> tuple[str, ...]:
    """The structs that an object of a type can be."""
    match declarations.get(type_.name) if isinstance(type_, Ref) else None:
        case Struct(name=name):
            return (name,)
        case Union(dispatch=dispatch):
            return structs_of(dispatch)
        case _:
            return ()


def within(model: Model, type_: Type) -> frozenset[str]:
    """The structs that an object of a type can be, and the unions that distinguish them."""
    found: set[str] = set()
    ahead = [each.name for each in alternatives(type_, model.declarations) if isinstance(each, Ref)]
    while ahead:
        name = ahead.pop()
        if name in found:
            continue
        declared = model.declarations.get(name)
        if isinstance(declared, (Struct, Union)):
            found.add(name)
        if isinstance(declared, Union):
            ahead += [variant.name for variant in declared.variants]
            ahead += structs_of(declared.dispatch)
    return frozenset(found)


def root_of(model: Model, table: RowTable) -> str | None:
    """The first root to which all lines of a table belong."""
    return next((root for root in model.protocol.roots if within(model, Ref(root)).issuperset(table.lines)), None)


def of_types(model: Model, spot: Spot, names: tuple[str, ...]) -> Iterator[Type]:
    """The types at a place of which values that are one of the named types are."""
    wanted = dict.fromkeys(leaf for name in names for leaf in leaves(model.declarations, Ref(name)))
    there = {struct.name for struct in structs_at(model, spot)}
    yield from (Ref(name) for name in wanted if name in there)


def _members(model: Model, spot: Spot, key: str) -> Iterator[tuple[str, Type, str | None]]:
    """The names, types and docs of a member in every object at a place that has it."""
    for struct in with_flattened(model, [*structs_at(model, spot)]):
        for field in struct.wire_fields:
            if not field.flatten and key == (field.about.later or field.name):
                yield field.name, field.type, field.about.doc
        constants = ((tag.key, tag.constant) for tag in struct.tags)
        for name, value in (*constants, *((const.key, const.value) for const in struct.consts)):
            if name == key and value is not None:
                yield name, LiteralType(value), None


# --- the names of types ----------------------------------------------------------------------------------------


def check_types(model: Model, items: Iterable[Item], faults: Faults) -> None:
    """Report lines that are not lines of one root, and types that the value of a row cannot have."""
    written = {item.name: item.body for item in items if item.section == "tables"}
    roots = {root: within(model, Ref(root)) for root in model.protocol.roots}
    for table in model.tables:
        body = written[table.name]
        if root_of(model, table) is None:
            _check_lines(table, _named(body.get("lines")), roots, faults)
        rows = rows_of(model, table)
        if not isinstance(rows, Lost):
            _check_values(model, table, rows, _named(body.get("is")), faults)


def _check_lines(
    table: RowTable, places: Mapping[str, SourceLocation], roots: Mapping[str, frozenset[str]], faults: Faults
) -> None:
    first = next((name for name in table.lines if any(name in names for names in roots.values())), "")
    for name in (each for each in table.lines if each in places):
        of = [root for root, names in roots.items() if name in names]
        if not of:
            hint = f"the roots are {', '.join(roots)}"
            faults.add("unknown-name", places[name], f"`{name}` is not a line of a root", hint)
        elif not any(first in roots[root] for root in of):
            message = f"`{name}` is a line of `{of[0]}`, but `{first}` is not"
            hint = "the lines of a table belong to one root; write two tables"
            faults.add("unknown-name", places[name], message, hint)


def _check_values(
    model: Model, table: RowTable, rows: Spot, places: Mapping[str, SourceLocation], faults: Faults
) -> None:
    there = [*dict.fromkeys(struct.name for struct in structs_at(model, rows))]
    for name in (each for each in table.types or () if each in places):
        if table.lines and not [*of_types(model, rows, (name,))]:
            where = f"at `/{'/'.join(table.rows)}`" if table.rows else "a line of the table"
            hint = f"the values there are {', '.join(there[:8])}{', …' * (len(there) > 8)}" if there else None
            faults.add("unknown-name", places[name], f"`{name}` cannot be {where}", hint)


def _named(written: Node | None) -> dict[str, SourceLocation]:
    """The location of each name in a name or a list of names."""
    names = written.items if isinstance(written, Listing) else (written,)
    return {name.text: name.place for name in names if isinstance(name, Text)}


# --- what a release has ----------------------------------------------------------------------------------------


def with_tables(model: Model, *, whole: bool) -> Model:
    """The model without tables, columns and types that it lacks.

    For the `whole` spec, pointers that lead nowhere are kept, so that the rules report them.
    """
    there = model.declarations
    tables = tuple(
        replace(
            table,
            lines=tuple(name for name in table.lines if name in there),
            types=None if table.types is None else tuple(name for name in table.types if name in there),
        )
        for table in model.tables
    )
    return replace(model, tables=tables if whole else tuple(each for table in tables for each in _fitted(model, table)))


def _fitted(model: Model, table: RowTable) -> Iterator[RowTable]:
    """The table without types and columns that lead nowhere; nothing if it has no lines, no rows or no columns."""
    inside = [within(model, Ref(root)) for root in model.protocol.roots]
    lines = max(([name for name in table.lines if name in names] for names in inside), key=len, default=[])
    table = replace(table, lines=tuple(lines))
    rows = rows_of(model, table)
    if not lines or isinstance(rows, Lost):
        return
    if table.types is not None:
        table = replace(table, types=tuple(name for name in table.types if [*of_types(model, rows, (name,))]))
    columns = tuple(each for each in table.columns if not isinstance(column_at(model, table, each), Lost))
    if columns and table.types != ():
        kept = {column.name for column in columns}
        yield replace(table, columns=columns, unique=table.unique if kept.issuperset(table.unique) else ())
