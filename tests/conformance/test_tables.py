"""The rows and problems that the reader of packages finds in drawn and captured lines are those of the reference."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from compiled import model_if_accepted
from drawn import draw
from drawn_tables import drawn_lines, joined, with_drawn_tables
from polywire.conformance.protocols import Protocol, Protocols
from polywire.model.nodes import Model
from polywire.oracle.instances import DeriveError
from polywire.oracle.tables import Problem, clipped, tables_of
from polywire.plan.tables import document, tables_plan
from sampling import SEED, number
from table_lines import EDGES, ROOTS, SPECS, lines
from toolchain import ROOT

sys.path.insert(0, str(ROOT / "runtimes" / "python" / "src"))
from polywire_runtime._tables import PROBLEMS, Tables, _clipped

from native_tables import native_rows

COUNT = number(300, 6000)
"""The number of lines that are drawn for a root."""

FEW = number(20, 1000)
"""How often tables are drawn."""

LINES = 60
"""The number of lines for each of these."""


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
    assert repr(native) == repr(found)  # zeros have signs
    found = {name: [row for row in rows if row[1] not in expected.doubtful] for name, rows in found.items()}
    problems = [as_problem(row, expected.problems) for row in found.pop(PROBLEMS)]
    kept = {name: [row for row in rows if row[1] not in expected.doubtful] for name, rows in expected.rows.items()}
    for name, rows in kept.items():
        for one, other in zip(found[name], rows, strict=True):
            assert one == other, name
            assert repr(one) == repr(other), name
    assert problems == [each for each in expected.problems if each.line not in expected.doubtful]
    return {**{name: len(rows) for name, rows in kept.items()}, PROBLEMS: len(problems)}


def compare_alone(model: Model, root: str, file: Path) -> None:
    """Compare the rows of each table, and the problems, when they are read alone and with all others."""
    description = document(model, tables_plan(model), docs=False)
    tables = Tables(description, "package")
    rows = [*tables.rows(tables.names, [file], root)]
    for name in tables.names:
        expected = [row for of, row in rows if of == name]
        assert [row for _, row in tables.rows([name], [file], root)] == expected, name
        assert [row for _, row in native_rows(description, [name], [file], root)] == expected, name


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


FOLDERS = sorted(path.parent for path in (ROOT / "tests" / "specs").glob("*/protocol.yaml"))


@pytest.mark.parametrize("drawing", range(FEW))
def test_drawn_tables_have_the_rows_and_problems_of_the_reference(drawing: int, tmp_path: Path) -> None:
    rng = Random(f"tables {SEED} {drawing}")  # noqa: S311 - tests, not secrets
    compare_drawn(Protocols(rng.choice(FOLDERS)).default, rng, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("drawing", range(number(20, 600)))
def test_drawn_tables_of_drawn_specs_have_the_rows_and_problems_of_the_reference(drawing: int, tmp_path: Path) -> None:
    seed = f"tables {SEED} {drawing}"
    rng = Random(seed)  # noqa: S311 - tests, not secrets
    models = (model_if_accepted(draw(f"{seed} {at}"), tmp_path / f"{at}", ()) for at in count())
    model = next(each for each in models if each is not None)
    compare_drawn(Protocol(tmp_path, None, None, model), rng, tmp_path)


def compare_drawn(protocol: Protocol, rng: Random, folder: Path) -> None:
    model = with_drawn_tables(protocol.model, rng, rng.randint(1, 8))
    file = folder / "lines.ndjson"
    for root in tables_plan(model).roots:
        try:
            drawn = [*drawn_lines(replace(protocol, model=model), root, rng, LINES)]
        except DeriveError:
            continue  # the root has no instance
        file.write_bytes(joined(drawn, rng))
        compare(model, root, file)
        compare_alone(model, root, file)


def test_the_text_of_a_problem_is_that_of_the_reference() -> None:
    rng = Random(f"texts {SEED}")  # noqa: S311 - tests, not secrets
    pieces = (*map(str.encode, "aé\u2028\U0001f600"), b"\xf0\x9f\x98", b"\xff", b"\xe2\x80", b"\xed\xa0\x80", b"\xc3")
    for _ in range(500):
        raw = b"a" * rng.randint(1010, 1024) + b"".join(rng.choices(pieces, k=rng.randint(0, 9)))
        assert _clipped(raw) == clipped(raw), raw[-40:]


@pytest.mark.parametrize("release", [path.name for path in sorted((ROOT / "tests/captures/sessions").iterdir())])
def test_captured_sessions_have_the_rows_of_the_reference_and_no_problem(release: str) -> None:
    files = sorted((ROOT / "tests" / "captures" / "sessions" / release).glob("*.ndjson"))
    for file in files:
        found = compare(SPECS["agentlines"].default.model, "TranscriptEntry", file, leave=False)
        assert (found["entries"], found[PROBLEMS]) == (len(file.read_bytes().splitlines()), 0)
