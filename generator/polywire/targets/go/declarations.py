"""Enums, aliases, callbacks and tuples in Go → their declarations as formatted text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polywire.model.nodes import Alias, Enum
from polywire.targets.common.prose import description
from polywire.targets.go.docs import documentation
from polywire.targets.go.layout import Row, blocks, comment, literal
from polywire.targets.go.names import is_mixed, is_sealed, override
from polywire.targets.go.shapes import Alternative
from polywire.targets.go.tables import Tables
from polywire.targets.go.unions import Unions


@dataclass(frozen=True, slots=True)
class EnumView:
    """An enum: its type, and its constants."""

    own: str
    go: str
    doc: str
    base: str
    """The built-in type of its values."""
    is_typed: bool
    """Whether its type is another than the built-in type."""
    rows: str


@dataclass(frozen=True, slots=True)
class SealedView:
    """An interface for values of several kinds."""

    own: str
    go: str
    doc: str
    cases: tuple[Alternative, ...]
    """The values whose types are declared for it alone."""


def enum_view(enum: Enum, tables: Tables) -> EnumView:
    """The declaration of an enum."""
    go = tables.names.type(enum.name)
    is_typed = override(enum.about, "layout") != "string"
    rows: Iterator[Row] = (
        (description(value.about), (tables.names.value(enum, at), *[go] * is_typed, f"= {literal(value.wire)}"))
        for at, value in enumerate(enum.values)
    )
    doc, base = comment(documentation(enum.about, go)), "int64" if enum.base == "integer" else "string"
    return EnumView(tables.names.own(enum.name), go, doc, base, is_typed, blocks(rows))


def named(tables: Tables) -> Iterator[tuple[str, tuple[str, str]]]:
    """The declarations of callbacks and of aliases that are not structs: name, doc comment and type."""
    for alias in tables.model.aliases:
        if not is_mixed(alias) and not is_sealed(tables.model, alias):
            go = tables.names.type(alias.name)
            yield go, (comment(documentation(alias.about, go)), tables.shapes.definition(alias))
    for name, (signature, where) in tables.structs.callbacks.items():
        yield name, (comment(f"{name} is the type of {where}."), signature)


def sealed_view(alias: Alias, unions: Unions) -> SealedView:
    """The declaration of an interface for values of several kinds."""
    tables = unions.tables
    go = tables.names.type(alias.name)
    own = tuple(each for each in tables.shapes.cases(alias) if each.shape.kind not in {"own", "any"})
    types = ", ".join([*(each.go for each in own), *(f"*{name}" for name in unions.held(alias))])
    doc = comment(f"{documentation(alias.about, go)}\n\nIt is one of these types: {types}.")
    return SealedView(tables.names.own(alias.name), go, doc, own)


def tuple_type(size: int) -> tuple[str, str]:
    """The type of arrays with a fixed number of items: its parameters, and the lines between its brackets."""
    rows: Iterator[Row] = ((None, (f"V{at}", f"T{at}")) for at in range(size))
    return ", ".join(f"T{at}" for at in range(size)), blocks(rows)
