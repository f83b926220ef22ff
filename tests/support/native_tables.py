"""Rows that the native extension collects, as tuples: its buffers are read as the Arrow format describes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from ctypes import string_at
from functools import partial
from pathlib import Path
from typing import Any

import polywire_native
from agentlines._tables import _Reader


def native_rows(
    description: dict[str, Any], names: Sequence[str], files: Iterable[str | Path], root: str, *, leave: bool = True
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield each row with the name of its table.

    Those that the extension leaves to Python are among them; without `leave`, there must be none.
    """
    reader = polywire_native.table_reader(json.dumps(description), root, tuple(names))
    for found in _Reader(description, root, names).rows(files, partial(polywire_native.read_lines, reader)):
        if found is not None:
            assert leave, found
            polywire_native.add_row(reader, *found)
    for name, columns in polywire_native.take_batches(reader, True):
        own = description["problems"] if name == "problems" else description["tables"][name]["columns"]
        types = [(each["type"], each.get("list", False)) for each in own.values()]
        if name != "problems":
            types = [("string", False), ("integer", False), ("integer", False), *types]
        values = [
            decoded(column, kind, is_list=is_list) for column, (kind, is_list) in zip(columns, types, strict=True)
        ]
        yield from ((name, row) for row in zip(*values, strict=True))


def decoded(column: tuple[Any, ...], kind: str, *, is_list: bool) -> list[Any]:
    """Return the values of a column."""
    length, *buffers = column
    inner = buffers.pop() if is_list else None
    validity, *buffers = [None if each is None else string_at(*each[:2]) for each in buffers]
    if is_list or kind in {"string", "json"}:
        ends = memoryview(buffers[0]).cast("i")
        items = decoded(inner, kind, is_list=False) if is_list else buffers[1]
        values: list[Any] = [items[ends[at] : ends[at + 1]] for at in range(length)]
        if not is_list:
            values = [value.decode() for value in values]
    elif kind == "boolean":
        values = [bit(buffers[0], at) for at in range(length)]
    else:
        values = memoryview(buffers[0]).cast("d" if kind == "number" else "q").tolist()
    return [value if validity is None or bit(validity, at) else None for at, value in enumerate(values)]


def bit(bits: bytes, at: int) -> bool:
    """Return one of many bits."""
    return bool(bits[at // 8] >> at % 8 & 1)
