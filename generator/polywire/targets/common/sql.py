"""The tables of a plan → the statements that create them, for DuckDB and Spark: names, types and comments as SQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from polywire.model.nodes import ColumnType
from polywire.plan.tables import (
    BUILT_IN,
    OF_PROBLEMS,
    PROBLEMS,
    PROBLEMS_DOC,
    REQUIRED,
    REQUIRED_OF_PROBLEMS,
    TablePlan,
    TablesPlan,
    ValueType,
)


@dataclass(frozen=True, slots=True)
class Engine:
    """How a database spells names, texts and types."""

    name: str
    quote: str
    """The quotation mark of names, which is doubled inside."""
    escapes: Mapping[str, str]
    """What is written for characters in texts."""
    types: Mapping[ColumnType, str]
    list: str
    """The type of a list, with `*` for that of its items."""

    def identifier(self, name: str) -> str:
        return f"{self.quote}{name.replace(self.quote, self.quote * 2)}{self.quote}"

    def text(self, value: str) -> str:
        """A text as a literal in one line."""
        words = " ".join(value.split())
        return "'" + "".join(self.escapes.get(each, each) for each in words) + "'"

    def type(self, type_: ValueType) -> str:
        item = self.types[type_.type]
        return self.list.replace("*", item) if type_.is_list else item


DUCKDB = Engine(
    name="duckdb",
    quote='"',
    escapes=MappingProxyType({"'": "''"}),
    types=MappingProxyType(
        {
            "string": "VARCHAR",
            "boolean": "BOOLEAN",
            "integer": "BIGINT",
            "number": "DOUBLE",
            "timestamp": "TIMESTAMPTZ",
            "json": "VARCHAR",
        }
    ),
    list="*[]",
)
SPARK = Engine(
    name="spark",
    quote="`",
    escapes=MappingProxyType({"'": "\\'", "\\": "\\\\"}),
    types=MappingProxyType(
        {
            "string": "STRING",
            "boolean": "BOOLEAN",
            "integer": "BIGINT",
            "number": "DOUBLE",
            "timestamp": "TIMESTAMP",
            "json": "STRING",
        }
    ),
    list="ARRAY<*>",
)
ENGINES = (DUCKDB, SPARK)


@dataclass(frozen=True, slots=True)
class SqlColumn:
    """A column; `comment` is a literal."""

    name: str
    type: str
    required: bool
    comment: str | None


@dataclass(frozen=True, slots=True)
class SqlView:
    """The view without copies: the last one by `order` of the rows with equal values in `unique` is kept."""

    name: str
    comment: str
    columns: tuple[str, ...]
    unique: tuple[str, ...]
    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SqlTable:
    """A table, and its view without copies if copies can be identified."""

    name: str
    comment: str
    columns: tuple[SqlColumn, ...]
    view: SqlView | None = None


@dataclass(frozen=True, slots=True)
class SqlSchema:
    """All tables."""

    tables: tuple[SqlTable, ...]


def sql_schema(plan: TablesPlan, engine: Engine) -> SqlSchema:
    """The tables of a plan, and that of problems."""
    problems = ((name, ValueType(of), doc) for name, (of, doc) in OF_PROBLEMS.items())
    last = SqlTable(
        name=engine.identifier(PROBLEMS),
        comment=engine.text(PROBLEMS_DOC),
        columns=tuple(_columns(engine, problems, REQUIRED_OF_PROBLEMS)),
    )
    return SqlSchema((*(_table(each, engine) for each in plan.tables), last))


def _table(plan: TablePlan, engine: Engine) -> SqlTable:
    columns = (
        *((name, ValueType(of), doc) for name, (of, doc) in BUILT_IN.items()),
        *((each.name, each.type, each.doc) for each in plan.columns),
    )
    view = SqlView(
        name=engine.identifier(f"{plan.name}_unique"),
        comment=engine.text(f"The rows of {plan.name} without copies."),
        columns=tuple(engine.identifier(name) for name, _, _ in columns),
        unique=tuple(map(engine.identifier, plan.table.unique)),
        order=tuple(f"{engine.identifier(name)} DESC" for name in BUILT_IN),
    )
    return SqlTable(
        name=engine.identifier(plan.name),
        comment=engine.text(plan.table.about.doc or plan.name),
        columns=tuple(_columns(engine, columns, REQUIRED)),
        view=view if plan.table.unique else None,
    )


def _columns(
    engine: Engine, columns: Iterable[tuple[str, ValueType, str | None]], required: frozenset[str]
) -> Iterator[SqlColumn]:
    for name, type_, doc in columns:
        comment = engine.text(doc) if doc else None
        yield SqlColumn(engine.identifier(name), engine.type(type_), name in required, comment)
