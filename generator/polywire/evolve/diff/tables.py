"""Two models → the differences in tables: their lines, rows, types of values, copies and columns.

Two tables, or two columns, are the same if they have the same name, or if one states the name of the other as
`formerly`. What a table reads is compared as the plan resolves it, so that it does not matter how the spec is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias, TypeVar

from polywire.evolve.diff.matching import Matching
from polywire.evolve.diff.records import Difference, Side
from polywire.ground.engine import pointer
from polywire.model.nodes import EACH, Column, Model, RowTable
from polywire.model.tables import Step
from polywire.plan.tables import ColumnPlan, TablePlan, ValueType, tables_plan

_Named = TypeVar("_Named", TablePlan, ColumnPlan)
_Pair: TypeAlias = "tuple[tuple[str, ...], tuple[str, ...]]"
_Sides: TypeAlias = "Callable[..., tuple[Side, Side]]"


def of_tables(before: Model, after: Model, matching: Matching) -> Iterator[Difference]:
    old, new = ({each.name: each for each in tables_plan(model).tables} for model in (before, after))
    former = (_former(each.table for each in side.values()) for side in (new, old))
    for each, other in _pairs(old, new, former):
        if each is None or other is None:
            yield Difference("table", _table(each), _table(other))
        else:
            yield from _changes(each, other, matching)


def _former(named: Iterable[RowTable | Column]) -> dict[str, str]:
    """The earlier names that tables or columns state."""
    return {each.name: each.about.formerly for each in named if each.about.formerly is not None}


def _pairs(
    old: Mapping[str, _Named], new: Mapping[str, _Named], former: Iterable[Mapping[str, str]]
) -> Iterator[tuple[_Named | None, _Named | None]]:
    """Yield each of the old ones with its counterpart, and then the new ones that have none.

    `former` has the earlier names that the new ones and the old ones state.
    """
    renamed: dict[str, str] = _renamings({*old}, {*new}, former)
    for name, each in old.items():
        yield each, new.get(renamed.get(name, name))
    taken = {*old, *renamed.values()}
    yield from ((None, each) for name, each in new.items() if name not in taken)


def _renamings(old: set[str], new: set[str], former: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The new name of each old one that has another one now, or had it before."""
    formerly, later = former
    stated = [*((name, key) for key, name in formerly.items()), *later.items()]
    return {name: key for name, key in stated if name in old - new and key in new - old}


def _table(plan: TablePlan | None) -> Side:
    if plan is None:
        return Side()
    columns = ", ".join(each.name for each in plan.columns)
    return Side(plan.name, text=f"{', '.join(plan.table.lines)}: {columns}", place=plan.table.place)


def _changes(before: TablePlan, after: TablePlan, matching: Matching) -> Iterator[Difference]:
    def sides(old: str | None, new: str | None) -> tuple[Side, Side]:
        return (
            Side(before.name, text=old, place=before.table.place),
            Side(after.name, text=new, place=after.table.place),
        )

    if before.name != after.name:
        yield Difference("table-name", *sides(before.name, after.name))
    lines = _change((before.table.lines, after.table.lines), (before.structs, after.structs), matching)
    if lines is not None:
        stated = before.table.lines, after.table.lines
        yield Difference(
            "table-variants" if lines == "variants" else "table-lines",
            *sides(*_shown(stated, (before.structs, after.structs))),
        )
    if not _reads(before.steps, after.steps):
        yield Difference("table-rows", *sides(_way(before.steps), _way(after.steps)))
    stated = before.table.types or (), after.table.types or ()
    structs = before.types or (), after.types or ()
    types = _change(stated, structs, matching)
    if types is not None:
        rule = "table-variants" if types == "variants" else "table-is"
        yield Difference(rule, *sides(*_shown(stated, structs)))
    yield from _of_columns(before, after, sides)


def _of_columns(before: TablePlan, after: TablePlan, sides: _Sides) -> Iterator[Difference]:
    old, new = ({each.name: each for each in plan.columns} for plan in (before, after))
    former = (_former(each.column for each in side.values()) for side in (new, old))
    now: dict[str, str] = {}
    for each, other in _pairs(old, new, former):
        texts = _column(before, each), _column(after, other)
        if each is None or other is None:
            yield Difference("table-column", *texts)
            continue
        now[each.name] = other.name
        if each.name != other.name:
            yield Difference("table-column-name", *texts)
        if each.type != other.type:
            yield Difference("table-column-type", *texts)
        elif each.source != other.source or not _reads(each.steps, other.steps):
            places = _place(before, each), _place(after, other)
            yield Difference("table-column-place", *places)
    if [now.get(name, name) for name in before.table.unique] != [*after.table.unique]:
        unique = (_listed(each.unique) or None for each in _tables(before, after))
        yield Difference("table-unique", *sides(*unique))
    kept = [now[name] for name in old if name in now]
    if kept != [name for name in new if name in kept]:
        yield Difference("table-column-order", *sides(", ".join(old), ", ".join(new)))


def _tables(*plans: TablePlan) -> Iterator[RowTable]:
    return (each.table for each in plans)


def _change(stated: _Pair, structs: _Pair, matching: Matching) -> str | None:
    """What differs in types, if anything does: the stated ones, or only the variants that they stand for."""
    if _renamed(stated[0], matching) != {*stated[1]}:
        return "stated"
    return "variants" if _renamed(structs[0], matching) != {*structs[1]} else None


def _shown(stated: _Pair, structs: _Pair) -> Iterator[str | None]:
    """The stated types of both sides, or what they stand for if they are the same."""
    return (_listed(names) or None for names in (structs if stated[0] == stated[1] else stated))


def _renamed(names: tuple[str, ...], matching: Matching) -> set[str]:
    """The names that declarations of the old spec have in the new one."""
    return {matching.counterpart(name) or name for name in names}


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)


def _reads(before: tuple[Step, ...], after: tuple[Step, ...]) -> bool:
    """Whether one way reads the same members as another one, or as its earlier names."""
    return len(before) == len(after) and all(old[0] in new for old, new in zip(before, after, strict=True))


def _way(steps: tuple[Step, ...]) -> str:
    return pointer(EACH if step == (EACH,) else step[0] for step in steps) or '""'


def _column(table: TablePlan, plan: ColumnPlan | None) -> Side:
    return (
        Side() if plan is None else Side(table.name, plan.name, f"{plan.name}: {_type(plan.type)}", plan.column.place)
    )


def _place(table: TablePlan, plan: ColumnPlan) -> Side:
    way = "its key" if plan.source == "key" else _way(plan.steps)
    return Side(table.name, plan.name, way[1:] if plan.source == "row" else way, plan.column.place)


def _type(type_: ValueType) -> str:
    return f"{type_.type}[]" if type_.is_list else type_.type
