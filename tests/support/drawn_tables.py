"""A model and a generator of random numbers → the model with other tables, and files of lines for their readers.

The tables are those that lint accepts: pointers lead somewhere, and a column can hold some value of its place. The
lines are instances of the root, mutated, with odd values in random places, and what may be between lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from typing import get_args

from polywire.conformance import tokens
from polywire.conformance.case import Case
from polywire.conformance.documents import Corpus, Stream
from polywire.conformance.protocols import Protocol
from polywire.model.join import with_flattened
from polywire.model.nodes import EACH, Column, ColumnType, Model, Pointer, RowTable
from polywire.model.tables import Lost, Spot, column_at, follow, lines_of, of_types, rows_of, structs_at, within
from polywire.plan.tables import holds
from polywire.source.types import Array, Map, Ref
from table_lines import VALUES

TYPES: tuple[ColumnType, ...] = get_args(ColumnType)

BETWEEN = (b"", b" \t\r", b"\r", b"\xef\xbb\xbf", b"\0", b"{", b"null", b"{}{}", b'{"type":"', b"\xff\xfe{\0}\0")
"""What is between lines, besides their ends."""


def with_drawn_tables(model: Model, rng: Random, count: int) -> Model:
    """Return the model with tables of random lines, rows and columns in place of its own."""
    roots = [root for root in model.protocol.roots if within(model, Ref(root))]
    drawn = (_table(model, f"t{number}", rng.choice(roots), rng) for number in range(count if roots else 0))
    return replace(model, tables=tuple(drawn))


def _table(model: Model, name: str, root: str, rng: Random) -> RowTable:
    inside = sorted(within(model, Ref(root)))
    lines = (root,) if rng.random() < 0.5 else tuple(rng.sample(inside, rng.randint(1, min(3, len(inside)))))
    table = RowTable(name, lines, ())
    if rng.random() < 0.7:
        table = replace(table, rows=_pointer(model, lines_of(table), rng, each=True))
    spot = rows_of(model, table)
    assert isinstance(spot, Spot)
    there = sorted({each for type_ in spot.types for each in within(model, type_)})
    there = [each for each in there if [*of_types(model, spot, (each,))]]
    if there and rng.random() < 0.5:
        table = replace(table, types=tuple(rng.sample(there, rng.randint(1, min(3, len(there))))))
    columns = (_column(model, table, f"c{number}", rng) for number in range(rng.randint(1, 8)))
    return replace(table, columns=tuple(columns))


def _column(model: Model, table: RowTable, name: str, rng: Random) -> Column:
    spot = rows_of(model, table)
    assert isinstance(spot, Spot)
    if spot.keys and EACH in table.rows and rng.random() < 0.2:
        column = Column(name, key=True)
    elif not table.rows or rng.random() < 0.3:
        column = Column(name, at=_pointer(model, lines_of(table), rng), of_line=True)
        column = replace(column, of_line=bool(column.at))
    else:
        kept = spot if table.types is None else replace(spot, types=tuple(of_types(model, spot, table.types)))
        column = Column(name, at=_pointer(model, replace(kept, steps=()), rng))
    found = column_at(model, table, column)
    assert not isinstance(found, Lost)
    type_ = rng.choice([None, *TYPES])
    return replace(column, type=type_) if type_ is not None and holds(model, found.types, type_) else column


def _pointer(model: Model, start: Spot, rng: Random, *, each: bool = False) -> Pointer:
    """Return a pointer to one of the values at or below a place."""
    found: Pointer = ()
    while rng.random() < 0.8:
        spot = follow(model, start, found, each=each)
        assert isinstance(spot, Spot)
        structs = [*with_flattened(model, [*structs_at(model, spot)])]
        keys = {field.about.later or field.name for one in structs for field in one.wire_fields if not field.flatten}
        keys |= {tag.key for one in structs for tag in one.tags if tag.constant is not None}
        keys |= {const.key for one in structs for const in one.consts}
        if each:
            keys.discard(EACH)
            if any(isinstance(type_, (Array, Map)) for type_ in spot.types):
                keys = {EACH}
        ahead = [key for key in sorted(keys) if not isinstance(follow(model, start, (*found, key), each=each), Lost)]
        if not ahead:
            break
        found = (*found, rng.choice(ahead))
    return found


def drawn_lines(protocol: Protocol, root: str, rng: Random, count: int, cases: Sequence[Case] = ()) -> Iterator[bytes]:
    """Yield instances of a root, cases, and mutants of both, some with values from `VALUES` in random places."""
    corpus = Corpus(protocol, cases, seed=rng.randrange(1 << 30), types={root, *within(protocol.model, Ref(root))})
    for document in islice(corpus.documents(), count):
        match document.content:
            case Stream(chunks=chunks):
                yield b"".join(chunks)
            case str() as text:
                yield spoilt(text, rng).encode("utf-8", "surrogatepass")
            case bytes() as content:
                yield content


def spoilt(text: str, rng: Random) -> str:
    """Return a line with some of its values replaced by odd ones."""
    try:
        tree = tokens.parse(text)
    except tokens.TokenError:
        return text
    for _ in range(rng.choice((0, 1, 1, 2, 5))):
        tree = _replaced(tree, rng)
    return tokens.text(tree)


def _replaced(tree: tokens.Node, rng: Random) -> tokens.Node:
    path: tuple[int, ...] = ()
    while (below := tokens.children(tokens.at(tree, path))) and rng.random() < 0.8:
        path = (*path, rng.randrange(len(below)))
    return tokens.replaced(tree, path, rng.choice(VALUES)) if path else tree


def joined(lines: Sequence[bytes], rng: Random) -> bytes:
    """Return a file of lines that end in several ways, with others between them."""
    ends = (b"\n", b"\n", b"\n", b"\n", b"\r\n", b" \r\r\n", b"\n\n")
    between = (rng.choice(BETWEEN) + b"\n" if rng.random() < 0.05 else b"" for _ in lines)
    data = b"".join(other + line + rng.choice(ends) for other, line in zip(between, lines, strict=True))
    return data.rstrip(b"\r\n") if rng.random() < 0.5 else data
