"""The reader of tables in Go, in `examples/`: its rows are those of the reader in Python, in text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from corpora import CAPTURES
from polywire.plan.tables import document, tables_plan
from sampling import number, turn
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

Rows = Callable[[str, str, list[Path]], list[str]]


@cache
def description(name: str) -> dict[str, Any]:
    model = SPECS[name].default.model
    return document(model, tables_plan(model))


def as_text(row: tuple[Any, ...]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


@pytest.fixture
def printed(command: Callable[[Path], list[str]], tmp_path: Path) -> Rows:
    """A function that runs the program on files, and returns the lines that it prints for a table of a spec."""

    def start(name: str, table: str, files: list[Path]) -> list[str]:
        path = tmp_path / f"{name}.tables.json"
        path.write_text(json.dumps(description(name)), encoding="utf-8")
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
    drawn.write_bytes(b"\n".join(lines(SPECS[name].default, root, COUNT)))
    files = [drawn, *FILES.get(root, [])]
    assert len(files) > 50 or name == "ledger"
    tables = Tables(description(name), "package")
    for table in [each for each, of in description(name)["tables"].items() if of["root"] == root]:
        expected = [as_text(row) for _, row in tables.rows([table], files, root)]
        assert expected, table
        assert printed(name, table, files) == expected, table


def test_the_page_shows_what_the_reader_prints(printed: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
    ((words, output),) = re.findall(r"^\$ cd examples && go run session_tables.go (.*)\n(.*)\n```", page, re.MULTILINE)
    path, table, *files = words.split()
    monkeypatch.chdir(PROGRAM.parent)
    assert Path(path).exists()
    assert printed("agentlines", table, [*map(Path, files)]) == [output]


@turn("tables in Go")
def test_the_reader_in_go_spells_every_value_as_the_reader_in_python(printed: Rows, tmp_path: Path) -> None:
    file = tmp_path / "values.ndjson"
    file.write_bytes(b"\n".join(EDGES))
    tables = Tables(description("ledger"), "package")
    expected = [as_text(row) for _, row in tables.rows(["entries"], [file])]
    assert len(expected) > len(EDGES) / 2
    assert printed("ledger", "entries", [file]) == expected
