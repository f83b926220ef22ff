"""The reader of tables in Go, in `examples/`: its rows are those of the reader in Python, in text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from corpora import CAPTURES
from drawn_tables import drawn_lines, with_drawn_tables
from polywire.model.nodes import Model
from polywire.oracle.tables import tables_of
from polywire.plan.tables import document, tables_plan
from sampling import SEED, number, turn
from table_lines import EDGES, ROOTS, SPECS, lines
from toolchain import ROOT

sys.path.insert(0, str(ROOT / "runtimes" / "python" / "src"))
from polywire_runtime._tables import Tables

PROGRAM = ROOT / "examples" / "session_tables.go"
COUNT = number(300, 6000)
"""The number of lines that are drawn for a root."""

FILES: dict[str, list[Path]] = {
    "TranscriptEntry": sorted((CAPTURES / "sessions").glob("*/*.ndjson")),
    "WireMessage": sorted(CAPTURES.glob("[0-9]*/*.ndjson")),
}
"""Captured files, by root."""

Rows = Callable[[dict[str, Any], str, list[Path]], list[str]]


@cache
def description(name: str) -> dict[str, Any]:
    model = SPECS[name].default.model
    return document(model, tables_plan(model))


def as_text(row: tuple[Any, ...]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


@pytest.fixture
def printed(command: Callable[[Path], list[str]], tmp_path: Path) -> Rows:
    """A function that runs the program on files, and returns the lines that it prints for a table of a description."""

    def start(described: dict[str, Any], table: str, files: list[Path]) -> list[str]:
        path = tmp_path / "described.tables.json"
        path.write_text(json.dumps(described), encoding="utf-8")
        words = [*command(PROGRAM), str(path), table, *map(str, files)]
        done = subprocess.run(words, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode().split("\n")[:-1]

    return start


@turn("tables in Go")
@pytest.mark.parametrize(("name", "root"), ROOTS)
def test_the_reader_in_go_prints_the_rows_of_the_reader_in_python(
    name: str, root: str, printed: Rows, tmp_path: Path
) -> None:
    drawn = tmp_path / "lines.ndjson"
    drawn.write_bytes(certain(SPECS[name].default.model, root, lines(SPECS[name].default, root, COUNT)))
    files = [drawn, *FILES.get(root, [])]
    assert len(files) > 50 or name == "ledger"
    counts = compare(printed, description(name), root, files)
    assert all(counts.values()), counts


@turn("tables in Go")
@pytest.mark.parametrize("drawing", range(number(5, 200)))
def test_the_reader_in_go_prints_the_rows_of_drawn_tables(drawing: int, printed: Rows, tmp_path: Path) -> None:
    rng = Random(f"tables in Go {SEED} {drawing}")  # noqa: S311 - tests, not secrets
    protocol = SPECS["ledger"].default
    model = with_drawn_tables(protocol.model, rng, rng.randint(1, 8))
    file = tmp_path / "lines.ndjson"
    for root in tables_plan(model).roots:
        drawn = drawn_lines(replace(protocol, model=model), root, rng, 60)
        file.write_bytes(certain(model, root, drawn))
        compare(printed, document(model, tables_plan(model)), root, [file])


def compare(printed: Rows, described: dict[str, Any], root: str, files: list[Path]) -> dict[str, int]:
    """Compare the rows of each table of a root. Returns their numbers."""
    tables, counts = Tables(described, "package"), {}
    for table in [each for each, of in described["tables"].items() if of["root"] == root]:
        expected = [as_text(row) for _, row in tables.rows([table], files, root)]
        assert printed(described, table, files) == expected, table
        counts[table] = len(expected)
    return counts


def certain(model: Model, root: str, drawn: Iterable[bytes]) -> bytes:
    """Return a file of the lines that each reader must read, or must not: whether overwritten values count is free."""
    data = b"\n".join(drawn)
    doubtful = tables_of(model, root, "", data).doubtful
    return b"\n".join(line for number_, line in enumerate(data.split(b"\n"), 1) if number_ not in doubtful)


def test_the_page_shows_what_the_reader_prints(printed: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
    ((words, output),) = re.findall(r"^\$ cd examples && go run session_tables.go (.*)\n(.*)\n```", page, re.MULTILINE)
    path, table, *files = words.split()
    monkeypatch.chdir(PROGRAM.parent)
    assert json.loads(Path(path).read_bytes())["tables"][table] == description("agentlines")["tables"][table]
    assert printed(description("agentlines"), table, [*map(Path, files)]) == [output]


@turn("tables in Go")
def test_the_reader_in_go_spells_every_value_as_the_reader_in_python(printed: Rows, tmp_path: Path) -> None:
    file = tmp_path / "values.ndjson"
    file.write_bytes(b"\n".join(EDGES))
    tables = Tables(description("ledger"), "package")
    expected = [as_text(row) for _, row in tables.rows(["entries"], [file])]
    assert len(expected) > len(EDGES) / 2
    assert printed(description("ledger"), "entries", [file]) == expected
