"""The rows and problems that the reader of packages finds in drawn and captured lines are those of the reference."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from polywire.model.nodes import Model
from polywire.oracle.tables import Problem, tables_of
from polywire.plan.tables import document, tables_plan
from sampling import number
from table_lines import EDGES, ROOTS, SPECS, lines
from toolchain import ROOT

sys.path.insert(0, str(ROOT / "runtimes" / "python" / "src"))
from polywire_runtime._tables import PROBLEMS, Tables

from native_tables import native_rows

COUNT = number(300, 6000)
"""The number of lines that are drawn for a root."""


def compare(model: Model, root: str, file: Path, *, leave: bool = True) -> dict[str, int]:
    """Compare what the reader, with and without the extension, and the reference find.

    `leave` is whether the extension may leave lines to Python. Returns the number of rows of each table, and of
    problems.
    """
    description = document(model, tables_plan(model), docs=False)
    tables = Tables(description, "package")
    expected = tables_of(model, root, str(file), file.read_bytes())
    found: dict[str, list[tuple[Any, ...]]] = {name: [] for name in (*expected.rows, PROBLEMS)}
    for name, row in tables.rows(tables.names, [file], root):
        found[name].append(row)
    native: dict[str, list[tuple[Any, ...]]] = {name: [] for name in found}
    for name, row in native_rows(description, tables.names, [file], root, leave=leave):
        native[name].append(row)
    assert native == found
    found = {name: [row for row in rows if row[1] not in expected.doubtful] for name, rows in found.items()}
    problems = [as_problem(row, expected.problems) for row in found.pop(PROBLEMS)]
    kept = {name: [row for row in rows if row[1] not in expected.doubtful] for name, rows in expected.rows.items()}
    for name, rows in kept.items():
        for one, other in zip(found[name], rows, strict=True):
            assert one == other, name
            assert [*map(type, one)] == [*map(type, other)], name
    assert problems == [each for each in expected.problems if each.line not in expected.doubtful]
    return {**{name: len(rows) for name, rows in kept.items()}, PROBLEMS: len(problems)}


def as_problem(row: tuple[Any, ...], expected: Iterable[Problem]) -> Problem | tuple[Any, ...]:
    """Return the problem of the reference that a row stands for: of a line that is no JSON, one code is enough."""
    file, line, table, column, path, code, text = row
    for each in expected:
        if (each.file, each.line, each.table, each.column, each.path, each.text) == (
            *(file, line, table, column, path, text),
        ) and code in each.codes:
            return each
    return row


def test_every_root_with_tables_is_read() -> None:
    assert [(name, root) for name, each in SPECS.items() for root in tables_plan(each.default.model).roots] == ROOTS


@pytest.mark.parametrize(("name", "root"), ROOTS)
def test_drawn_lines_have_the_rows_and_problems_of_the_reference(name: str, root: str, tmp_path: Path) -> None:
    file = tmp_path / "lines.ndjson"
    file.write_bytes(b"\n".join(lines(SPECS[name].default, root, COUNT)))
    found = compare(SPECS[name].default.model, root, file)
    assert found[PROBLEMS] > 0
    assert sum(found.values()) > COUNT / 4


def test_values_at_the_limits_of_columns_have_the_rows_and_problems_of_the_reference(tmp_path: Path) -> None:
    file = tmp_path / "lines.ndjson"
    file.write_bytes(b"\n".join(EDGES))
    found = compare(SPECS["ledger"].default.model, "Entry", file)
    assert found["entries"] > len(EDGES) / 2
    assert found[PROBLEMS] > len(EDGES) / 4


@pytest.mark.parametrize("release", [path.name for path in sorted((ROOT / "tests/captures/sessions").iterdir())])
def test_captured_sessions_have_the_rows_of_the_reference_and_no_problem(release: str) -> None:
    files = sorted((ROOT / "tests" / "captures" / "sessions" / release).glob("*.ndjson"))
    for file in files:
        found = compare(SPECS["agentlines"].default.model, "TranscriptEntry", file, leave=False)
        assert (found["entries"], found[PROBLEMS]) == (len(file.read_bytes().splitlines()), 0)
