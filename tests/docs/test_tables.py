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

from polywire.plan.tables import document, tables_plan
from sampling import number
from table_lines import CAPTURES, PROTOCOLS, ROOTS, lines
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
    model = PROTOCOLS[name].model
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


@pytest.mark.full
@pytest.mark.parametrize(("name", "root"), ROOTS)
def test_the_reader_in_go_prints_the_rows_of_the_reader_in_python(
    name: str, root: str, printed: Rows, tmp_path: Path
) -> None:
    drawn = tmp_path / "lines.ndjson"
    drawn.write_bytes(b"\n".join(lines(PROTOCOLS[name], root, COUNT)))
    files = [drawn, *FILES.get(root, [])]
    assert len(files) > 50 or name == "ledger"
    tables = Tables(description(name), "package")
    for table in [each for each, of in description(name)["tables"].items() if of["root"] == root]:
        expected = [as_text(row) for _, row in tables.rows([table], files, root)]
        assert expected, table
        assert printed(name, table, files) == expected, table


@pytest.mark.full
def test_the_page_shows_what_the_reader_prints(printed: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
    ((words, output),) = re.findall(r"^\$ cd examples && go run session_tables.go (.*)\n(.*)\n```", page, re.MULTILINE)
    path, table, *files = words.split()
    monkeypatch.chdir(PROGRAM.parent)
    assert Path(path).exists()
    assert printed("agentlines", table, [*map(Path, files)]) == [output]


VALUES = [
    *("0", "-0", "1", "123456789012345678901234567890", "1.0", "-0.0", "1e2", "1E+2", "0.1", "123456.789"),
    *("1e15", "1e16", "1.5e16", "9999999999999998.0", "1e-4", "0.0001", "1e-5", "5e-324", "1e-400", "1e400", "[1e400]"),
    *("9007199254740991", "9007199254740992", "9007199254740991.0", "-9007199254740992", "1" * 4300, "1" * 4301),
    *(r'"\ud800"', r'"\uDC00\ud800x"', r'"\ud83d\ude00"', r'"\ud83d\ud83d\ude00"', r'"\ufffd"', r'"\\ud800"'),
    *(r'"\u0000\u001f\b\f\n\r\t\/\"\\ \u007f\u2028<&>"', '"é\u2028\U0001f600"', '"\x7f"', '"\xff"'),
    *('{"b":1,"a":2,"b":{"a":[]}}', r'{"\ud800":1,"\ud801":2,"\ufffd":3}', '{ "a" : [ 1 , { } , [ ] ] }', "[1,,2]"),
    *("[" * 126 + "]" * 126, "[" * 127 + "]" * 127, "[" * 128 + "]" * 128, '"\x00"', "nan", "true", "null", '""'),
    *('"2026-11-29T01:02:03Z"', '"2026-11-29T01:02:03.1234567+05:30"', '"1969-12-31T23:59:59.9999999Z"'),
    *('"0000-02-29T00:00:00Z"', '"9999-12-31T23:59:59-23:59"', '"2026-02-29T00:00:00Z"', '"2026-11-29T24:00:00Z"'),
    *('"2026-11-29T01:02:60Z"', '"2026-11-29t01:02:03z"', '"2026-11-29T01:02:03"', '"2026-11-29T01:02:03,5Z"'),
    *('"2026-11-29T01:02:03+24:00"', '"2026-11-29T01:02:03+00:60"', '"2026-11-29T01:02:03Z\\n"'),
]
"""JSON values, at the limits of what a column holds and where languages spell the same value differently."""

LINES = [
    *(b" ", b"\t\r", b"\r", b"", b' {"type":"booking"} \r', b'{"type":"booking","more":\r1}\r\r', b"{}", b"[]", b"1"),
    *(
        b'{"type":"booking","more":"\xff"}',
        b'{"type":"booking","more":"\xed\xa0\x80"}',
        b'\xef\xbb\xbf{"type":"booking"}',
    ),
    *(
        b'{"type":"note"}{}',
        b'{"type":"no","type":"note"}',
        b'{"type":null}',
        b'{"\\u0074ype":"note"}',
        b'{"type":"book',
    ),
]
"""Lines with and without rows."""


@pytest.mark.full
def test_the_reader_in_go_spells_every_value_as_the_reader_in_python(printed: Rows, tmp_path: Path) -> None:
    file = tmp_path / "values.ndjson"
    members = ("more", "sum", "count", "at", "id", "flag", "labels", "counts", "firm")
    texts = [f'{{"type":"booking","{member}":{value}}}' for value in VALUES for member in members]
    file.write_bytes(b"\n".join([*(text.encode() for text in texts), *LINES]))
    tables = Tables(description("ledger"), "package")
    expected = [as_text(row) for _, row in tables.rows(["entries"], [file])]
    assert len(expected) > len(texts) / 2
    assert printed("ledger", "entries", [file]) == expected
