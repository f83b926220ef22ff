"""Tables as Arrow batches, in DuckDB by the generated SQL, and as Parquet files that the command writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toolchain import ROOT

sys.path.insert(0, str(ROOT / "generated" / "python"))
from agentlines import _tables, _tables_command, tables

SESSIONS = sorted((ROOT / "tests" / "captures" / "sessions").glob("*/*.ndjson"))
SCHEMAS = ROOT / "generated" / "jsonschema"


def rows_of(name: str, files: list[Path]) -> list[tuple[Any, ...]]:
    return [row for _, row in tables._TABLES.rows([name], files)]


def test_the_package_does_not_import_its_tables() -> None:
    program = "import sys, agentlines; print('agentlines.tables' in sys.modules, 'agentlines._tables' in sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", program], env=with_package(), capture_output=True, text=True, check=True
    )
    assert found.stdout == "False False\n"


def with_package() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "generated" / "python")}


def test_forked_sessions_count_once_without_copies() -> None:
    """Responses and calls that are repeated in another file are the same response and the same call."""
    files = [path for path in SESSIONS if path.name.startswith("resume_1")]
    calls = rows_of("usage", [*files, *files])
    assert len({row[5] for row in calls}) < len(calls)


@pytest.mark.full
def test_batches_have_the_rows_of_the_reader_in_the_schema() -> None:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

    found: dict[str, list[Any]] = {}
    for name, batch in tables.read_all(SESSIONS):
        assert batch.schema == tables.schema(name)
        batch.validate(full=True)
        found.setdefault(name, []).append(batch)
    for name, batches in found.items():
        assert pa.Table.from_batches([*tables.read(name, SESSIONS)]).equals(pa.Table.from_batches(batches))
        plain = pa.Table.from_batches(batches)
        times = [at for at, field in enumerate(plain.schema) if pa.types.is_timestamp(field.type)]
        for at in times:
            plain = plain.set_column(at, plain.schema.names[at], plain.column(at).cast(pa.int64()))
        assert [tuple(row.values()) for row in plain.to_pylist()] == rows_of(name, SESSIONS)


@pytest.mark.full
def test_a_batch_is_limited_by_rows_and_by_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.jsonl"
    line = json.dumps({"type": "user", "message": {"role": "user", "content": "x" * 1000}})
    file.write_text(f"{line}\n" * 100)
    monkeypatch.setattr(_tables, "MAX_ROWS", 32)
    assert [batch.num_rows for batch in tables.read("entries", [file])] == [32, 32, 32, 4]
    monkeypatch.setattr(_tables, "MAX_BYTES", 25_000)  # a row has the text twice
    sizes = [batch.num_rows for batch in tables.read("entries", [file])]
    assert (sum(sizes), max(sizes)) == (100, 11)


def wide(count: int) -> bytes:
    """Return a line with some rows, each of which repeats a text of the line."""
    blocks = [{"type": "text", "text": str(at)} for at in range(count)]
    line = {"type": "user", "sessionId": "x" * 4000, "message": {"role": "user", "content": blocks}}
    return json.dumps(line).encode()


LONG = b'{"type":"user","message":{"content":"' + b"\xc3\xa9" * ((32 << 20) - 20) + b'"}}'
FILES = {
    "many": b'{"type":"mode","mode":"x"}\n' * 20_000,
    "long": b"\n".join([b'{"type":"mode"}', LONG, b'{"type":"tag"}']),
    "too long": b"\n".join([b'{"type":"mode"}', LONG.replace(b'"}}', b"." * 100 + b'"}}'), b'{"type":"tag"}']),
    "too long at the end": LONG.replace(b'"}}', b"." * 100 + b'"}}'),
    "large rows": b"".join(b'{"type":"tag","tag":"%s"}\r\n' % (b"y" * 700_001) for _ in range(60)),
    "many rows of a line": wide(9000) + b"\n" + wide(5000),
    "some faults": b'{"type":"mode"}\n{"type":1}\n\n \t\r\n{"type":"user","timestamp":"x"}\n[]\n\xff' * 9000,
    "a return at the end": b'{"type":"mode"}\r',
    "nothing": b"",
}
"""Files that need several blocks or batches, or that have faults."""


@pytest.mark.full
@pytest.mark.parametrize("name", FILES)
def test_batches_are_the_same_with_the_extension_and_within_the_limits(name: str, tmp_path: Path) -> None:
    import polywire_native

    (tmp_path / "lines").write_bytes(FILES[name])
    plain = _tables.Tables(tables._TABLES._description, "agentlines")
    native = _tables.Tables(tables._TABLES._description, "agentlines", polywire_native)
    last: tuple[str, int, int] | None = None
    for (one, batch), (other, found) in zip(
        plain.read_all([tmp_path / "lines"]), native.read_all([tmp_path / "lines"]), strict=True
    ):
        found.validate(full=True)
        assert (one, batch) == (other, found)
        assert batch.num_rows <= _tables.MAX_ROWS
        assert batch.num_rows == 1 or batch.get_total_buffer_size() < 1.1 * _tables.MAX_BYTES
        last = (one, batch.num_rows, batch.column(1)[-1].as_py())
    assert (last is None) == (name == "nothing")


@pytest.mark.full
def test_files_with_long_lines_are_read_as_they_are(tmp_path: Path) -> None:
    """A line of the maximum length is read, and the lines after a longer one have their numbers."""
    problems = {}
    for name in ("long", "too long", "too long at the end"):
        (tmp_path / name).write_bytes(FILES[name])
        rows = [*tables._TABLES.rows(["entries", "problems"], [tmp_path / name])]
        problems[name] = [(row[1], row[5]) for table, row in rows if table == "problems"]
        assert [row[1] for table, row in rows if table == "entries"] == {
            "long": [1, 2, 3], "too long": [1, 3], "too long at the end": []
        }[name]  # fmt: skip
    assert problems == {"long": [], "too long": [(2, "too_long")], "too long at the end": [(1, "too_long")]}


@pytest.mark.full
def test_the_sql_for_duckdb_has_the_columns_of_the_schemas_and_keeps_the_last_copies() -> None:
    import duckdb
    import pyarrow as pa

    database = duckdb.connect()
    for _ in range(2):  # it can be run again
        database.execute((SCHEMAS / "agentlines.duckdb.sql").read_text())
    for name in tables.NAMES:
        empty = pa.Table.from_batches([], schema=tables.schema(name))
        database.register("empty", empty)
        columns = "SELECT column_name, column_type FROM (DESCRIBE {})"
        assert database.sql(columns.format(name)).fetchall() == database.sql(columns.format("empty")).fetchall()
    for name, batch in tables.read_all([*SESSIONS, *SESSIONS[:1]]):
        database.register("batch", pa.Table.from_batches([batch]))
        database.execute(f"INSERT INTO {name} SELECT * FROM batch")  # noqa: S608 - the names are ours
    keys = {"entries": "uuid", "tool_calls": "id", "tool_results": "id", "usage": "message"}
    for name, key in keys.items():
        last: dict[Any, tuple[Any, ...]] = {}
        at = tables.schema(name).names.index(key)
        for row in sorted(rows_of(name, SESSIONS), key=lambda row: row[:3]):
            last[(row[:3] if row[at] is None else row[at])] = row[:3]
        query = f"SELECT DISTINCT file, line, row FROM {name}_unique ORDER BY ALL"  # noqa: S608
        assert database.sql(query).fetchall() == sorted(last.values())


COUNTERS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
MODEL = "claude-opus-5-5"
UNRECORDED: dict[str, tuple[str, dict[tuple[str, str], int]]] = {
    "compact_auto": ("a summary for a compaction", {(MODEL, "input_tokens"): 12, (MODEL, "output_tokens"): 24}),
    "compact_manual": ("a summary for a compaction", {(MODEL, "input_tokens"): 12, (MODEL, "output_tokens"): 24}),
    "tool_use_summary": ("a summary of calls", {(MODEL, "input_tokens"): 12, (MODEL, "output_tokens"): 24}),
    "web_tools": ("the request of a tool for the web", {(MODEL, "input_tokens"): 12, (MODEL, "output_tokens"): 24}),
    "interrupt_stream": ("the rest of an interrupted response", {(MODEL, "output_tokens"): 23}),
    "subagent": (
        "the responses to a subagent, in another file",
        {("claude-haiku-5-5", "input_tokens"): 36, ("claude-haiku-5-5", "output_tokens"): 72},
    ),
}
"""The sessions that state more tokens than their entries have: for which requests, and how many."""


def tokens(rows: list[tuple[Any, ...]], name: str, keep: str) -> dict[tuple[str, str], int]:
    """Add up the last rows by a column, by model and counter."""
    names = tables.schema(name).names
    found: dict[tuple[str, str], int] = {}
    for row in {row[names.index(keep)]: row for row in rows}.values():
        for counter in COUNTERS:
            key = row[names.index("model")], counter
            found[key] = found.get(key, 0) + (row[names.index(counter)] or 0)
    return found


@pytest.mark.full
def test_tokens_of_responses_are_those_that_the_session_states_last() -> None:
    different, stating = {}, set()
    for file in [path for path in SESSIONS if path.name != "entries.ndjson"]:
        counted, stated = tokens(rows_of("usage", [file]), "usage", "message"), rows_of("model_costs", [file])
        if stated:
            stating.add(file.parent.name)
            of_session = tokens(stated, "model_costs", "model")
            more = {
                key: count - counted.get(key, 0) for key, count in of_session.items() if count != counted.get(key, 0)
            }
            assert all(of_session.get(key, 0) == count for key, count in counted.items() if key not in more)
            different |= {file.stem: more} if more else {}
    assert different == {name: more for name, (_, more) in UNRECORDED.items()}
    assert stating == {"0.3.332"}  # the releases before it store no totals


@pytest.mark.full
def test_tokens_of_a_subagent_are_in_its_own_file() -> None:
    files = [
        ROOT / "tests/captures/sessions/0.3.332" / name for name in ("subagent.ndjson", "subagent.subagent.ndjson")
    ]
    counted = tokens(rows_of("usage", files), "usage", "message")
    assert counted == tokens(rows_of("model_costs", files), "model_costs", "model")


@pytest.mark.full
def test_the_command_writes_a_parquet_file(tmp_path: Path) -> None:
    import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]

    out = tmp_path / "calls.parquet"
    folder = ROOT / "tests" / "captures" / "sessions" / "0.3.332"
    command = [sys.executable, "-m", "agentlines.tables", "tool_calls", str(folder), "--out", str(out)]
    found = subprocess.run(command, env=with_package(), capture_output=True, text=True, check=True)
    rows = rows_of("tool_calls", [path for path in SESSIONS if path.parent == folder])
    assert found.stderr == f"{out}: {len(rows)} rows of tool_calls\n"
    assert pq.read_table(out).num_rows == len(rows)
    assert pq.read_schema(out).equals(tables.schema("tool_calls"))
    assert [path.name for path in tmp_path.iterdir()] == ["calls.parquet"]


@pytest.mark.full
def test_the_command_writes_to_no_file_that_is_there_already(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("mine", encoding="utf-8")
    part = tmp_path / "calls.parquet.part"
    part.symlink_to(other)
    command = [sys.executable, "-m", "agentlines.tables", "tool_calls", "x", "--out", str(tmp_path / "calls.parquet")]
    found = subprocess.run(command, env=with_package(), capture_output=True, text=True, check=False)
    assert (found.returncode, part.is_symlink(), other.read_text(encoding="utf-8")) == (2, True, "mine")
    assert "File exists" in found.stderr


@pytest.mark.full
def test_the_command_continues_with_the_files_that_it_has_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import pyarrow.parquet as pq

    files = [tmp_path / f"{number}.jsonl" for number in range(6)]
    for number, file in enumerate(files):
        file.write_text(f'{{"type":"mode","uuid":"{number}"}}\n')
    out = tmp_path / "entries.parquet"
    arguments = ["entries", str(tmp_path), "--out", str(out)]
    opened: list[str] = []

    def opens(file: Any, *more: Any) -> Any:
        opened.append(Path(file).name)
        if stop and opened[-1] == stop:
            raise KeyboardInterrupt
        return open(file, *more)  # noqa: PTH123 - in place of `open`

    monkeypatch.setattr(_tables_command, "_PART", 1)
    monkeypatch.setattr(_tables, "open", opens, raising=False)
    stop = "4.jsonl"
    assert _tables_command.run(tables._TABLES, "program", arguments) == 130
    assert capsys.readouterr().err == f"program: interrupted; the same command continues from {out}.parts\n"
    assert not out.exists()
    with files[1].open("a") as more:
        more.write('{"type":"mode","uuid":"more"}\n')
    opened, stop = [], ""
    assert _tables_command.run(tables._TABLES, "program", arguments) == 0
    assert opened == ["1.jsonl", "4.jsonl", "5.jsonl"]
    assert pq.read_table(out).column("uuid").to_pylist() == ["0", "1", "more", "2", "3", "4", "5"]
    assert sorted(tmp_path.iterdir()) == sorted([*files, out])


@pytest.mark.full
@pytest.mark.parametrize(
    "name", [b"calls:today.parquet", b"s3://bucket/a.parquet", b"file:a", b"\xff.parquet", b"a%20b#c"]
)
def test_the_command_takes_no_name_for_that_of_a_service(name: bytes, tmp_path: Path) -> None:
    """Arrow does so, and cannot open files whose names are not UTF-8."""
    import pyarrow.parquet as pq

    (tmp_path / "a.jsonl").write_text('{"type":"mode"}\n')
    command = [sys.executable, "-m", "agentlines.tables", "entries", "a.jsonl", "--out", os.fsdecode(name)]
    subprocess.run(command, env=with_package(), check=True, capture_output=True, cwd=tmp_path)
    with (tmp_path / os.fsdecode(name)).open("rb") as file:
        assert pq.read_table(file).num_rows == 1
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 2


@pytest.mark.full
def test_the_command_removes_its_own_parts_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_text('{"type":"mode"}\n')
    kept = tmp_path / "out.parts" / "mine.parquet"
    for path in (kept, kept.with_name(f"{'0' * 64}.parquet"), kept.with_name(f"{'1' * 64}.parquet.new")):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    arguments = ["entries", str(tmp_path / "a.jsonl"), "--out"]
    assert _tables_command.run(tables._TABLES, "p", [*arguments, str(tmp_path / "out")]) == 0
    assert [*kept.parent.iterdir()] == [kept]
    (tmp_path / "linked.parts").symlink_to("out.parts")
    assert _tables_command.run(tables._TABLES, "p", [*arguments, str(tmp_path / "linked")]) == 0
    assert [*kept.parent.iterdir()] == [kept]
    capsys.readouterr()
    assert _tables_command.run(tables._TABLES, "p", [*arguments, str(kept.parent)]) == 2
    assert capsys.readouterr().err == f"p: [Errno 21] Is a directory: '{kept.parent}'\n"
    assert not (tmp_path / "out.parts.parts").exists()


@pytest.mark.full
@pytest.mark.parametrize(
    ("more", "problem"),
    [(["--out", ""], "Is a directory: ''"), (["--root", "No", "--out", "out"], "'No' is no root with tables")],
)
def test_the_command_writes_nothing_if_its_arguments_are_wrong(
    more: list[str], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _tables_command.run(tables._TABLES, "p", ["entries" if "" in more else "problems", "a.jsonl", *more]) == 2
    assert problem in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []


@pytest.mark.full
def test_the_command_reads_a_file_again_that_was_replaced_by_one_of_the_same_size_and_age(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So does a file that could not be read before, as its permissions have another time than its contents."""
    import pyarrow.parquet as pq

    files = [tmp_path / f"{number}.jsonl" for number in range(2)]
    for file in files:
        file.write_text('{"type":"mode","uuid":"1"}\n')

    def opens(file: Any, *more: Any) -> Any:
        if Path(file) == stop:
            raise KeyboardInterrupt
        return open(file, *more)  # noqa: PTH123 - in place of `open`

    monkeypatch.setattr(_tables_command, "_PART", 1)
    monkeypatch.setattr(_tables, "open", opens, raising=False)
    arguments = ["entries", str(tmp_path), "--out", str(tmp_path / "entries.parquet")]
    stop: Path | None = files[1]
    assert _tables_command.run(tables._TABLES, "program", arguments) == 130
    before = files[0].stat()
    while files[0].stat().st_ctime_ns == before.st_ctime_ns:
        files[0].write_text('{"type":"mode","uuid":"2"}\n')
        os.utime(files[0], ns=(before.st_atime_ns, before.st_mtime_ns))
    stop = None
    assert _tables_command.run(tables._TABLES, "program", arguments) == 0
    assert pq.read_table(tmp_path / "entries.parquet").column("uuid").to_pylist() == ["2", "1"]


@pytest.mark.full
def test_a_terminal_sees_how_much_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text('{"type":"mode"}\n' * 100)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert _tables_command.run(tables._TABLES, "p", ["entries", str(tmp_path), "--out", str(tmp_path / "x")]) == 0
    bars = capsys.readouterr().err.split("\r\033[K")
    assert [bar[:46] for bar in bars[1:3]] == [
        f"[{'':24}]   0% 1 of 2 files: ",
        f"[{'#' * 12:24}]  50% 2 of 2 files: ",
    ]


@pytest.mark.full
def test_a_terminal_gets_no_control_characters_of_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a\n\x1b]0;b\x07é.jsonl").write_text('{"type":"mode"}\n')
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert _tables_command.run(tables._TABLES, "p", ["entries", str(tmp_path), "--out", str(tmp_path / "x")]) == 0
    assert capsys.readouterr().err.split("\r\033[K")[1].endswith("/a\ufffd\ufffd]0;b\ufffdé.jsonl")


@pytest.mark.full
def test_ten_thousand_files_and_a_folder_without_permission(tmp_path: Path) -> None:
    """Whoever may read everything, such as root, gives up that right first.

    Paths are relative, since the folders around that of the test may be closed to others.
    """
    import pyarrow.parquet as pq

    folder = tmp_path / "sessions"
    for number in range(100):
        (folder / f"{number:02}").mkdir(parents=True)
        for other in range(100):
            (folder / f"{number:02}" / f"{other:02}.jsonl").write_text(f'{{"type":"mode","uuid":"{number} {other}"}}\n')
    closed = folder / "closed"
    closed.mkdir(mode=0)
    (folder / "00" / "closed.jsonl").touch(mode=0)
    tmp_path.chmod(0o777)
    program = """
import os
from agentlines.tables import _TABLES
from agentlines._tables_command import run
run(_TABLES, "program", ["entries", "none", "--out", "first"])  # imports what only root may read
if os.getuid() == 0:
    os.setgid(65534), os.setuid(65534)
for table in ("entries", "problems"):
    status = run(_TABLES, "program", [table, "sessions", "--out", table])
    assert status == 0
"""
    try:
        subprocess.run(
            [sys.executable, "-c", program], env=with_package(), check=True, capture_output=True, cwd=tmp_path
        )
    finally:
        closed.chmod(0o700)
    found = pq.read_table(tmp_path / "entries").column("uuid").to_pylist()
    assert sorted(found) == sorted(f"{number} {other}" for number in range(100) for other in range(100))
    problems = pq.read_table(tmp_path / "problems").to_pylist()
    assert sorted((row["file"], row["code"], row["line"]) for row in problems) == sorted(
        [("sessions/closed", "unreadable", None), ("sessions/00/closed.jsonl", "unreadable", None)]
    )
    assert all("Permission denied" in row["text"] for row in problems)


def test_the_page_has_the_members_of_the_description_and_the_limits() -> None:
    page = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
    found = json.loads((SCHEMAS / "agentlines.tables.json").read_text())
    table = found["tables"]["tool_calls"]
    keys = {*found, *found["roots"]["TranscriptEntry"], *table, *table["is"], *table["columns"]["id"], "keys", "allows"}
    named = {each for line in page.split("\n") for each in line.split("`")[1::2]}
    assert keys - named == {"$comment", "protocol"}
    assert (_tables.MAX_ROWS, _tables.MAX_BYTES, _tables.MAX_LINE) == (8192, 16 << 20, 64 << 20)
    assert "at most 8,192 rows of a table, and 16 MiB" in page
    for name in ("schema", "ddl", "read", "read_all"):
        assert f"| `{name}(" in page
        assert callable(getattr(tables, name))


@pytest.mark.full
def test_the_example_answers_its_questions(tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_text('{"type":')
    for path in SESSIONS:
        if path.parent.name == "0.3.332":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    command = [sys.executable, str(ROOT / "examples" / "session_tables.py"), str(tmp_path)]
    found = subprocess.run(command, env=with_package(), capture_output=True, text=True, check=True)
    assert len((ROOT / "examples" / "session_tables.py").read_text().splitlines()) < 40
    answers = [each.split("\n") for each in found.stdout.strip().split("\n\n")]
    assert [(each[0], each[2]) for each in answers] == [
        ("Which tools fail?", "Bash\t17\t4"),
        ("How many tokens does a model take?", "claude-opus-5-5\t83\t190984\t2871"),
        ("What does a model cost?", "claude-opus-5-5\t0.83604"),
        ("Where do retries come from?", "assistant\tNone\t1"),
        ("What could not be read?", "invalid_json\t1"),
    ]
