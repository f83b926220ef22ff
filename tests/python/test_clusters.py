"""Tables on many machines: the examples for Spark and Ray, and the SQL for Spark, on clusters that lose a worker."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sampling import turn
from toolchain import ROOT, VENV

sys.path.insert(0, str(ROOT / "generated" / "python"))
from agentlines import tables

CAPTURES = ROOT / "tests" / "captures"
SESSIONS = sorted((CAPTURES / "sessions").glob("*/*.ndjson"))
EXAMPLES = ROOT / "examples"
PROGRAMS = Path(__file__).parent

JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""What a program needs that ends within a minute."""

SETTINGS = {
    "spark.driver.extraJavaOptions": JAVA,
    "spark.executor.extraJavaOptions": JAVA,
    "spark.executor.memory": "512m",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "Asia/Kolkata",  # rows do not depend on it
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}

UNIQUE = ("entries", "results", "tool_calls", "tool_results", "usage")
"""The tables with a view without copies."""

ANSWERS = {
    "Which tools fail?": ["Bash", "17", "4"],
    "How many tokens does a model write?": ["claude-opus-5-5", "2871"],
}
"""By question of an example: the first row of the answer."""


@pytest.mark.parametrize("example", ["spark_sessions.py", "ray_sessions.py"])
def test_an_example_is_short(example: str) -> None:
    assert len((EXAMPLES / example).read_text(encoding="utf-8").splitlines()) < 40


@pytest.mark.full
def test_the_functions_for_clusters_read_the_files_that_they_get() -> None:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

    read = runpy.run_path(str(EXAMPLES / "spark_sessions.py"))["read"]
    batches = [pa.RecordBatch.from_pydict({"path": [*map(str, files)]}) for files in (SESSIONS[:2], [], SESSIONS[2:])]
    calls = pa.Table.from_batches(tables.read("tool_calls", SESSIONS))
    assert pa.Table.from_batches(read("tool_calls", iter(batches))).equals(calls)

    read = runpy.run_path(str(EXAMPLES / "ray_sessions.py"))["read"]
    assert pa.Table.from_batches(batch for name, batch in read(SESSIONS) if name == "tool_calls").equals(calls)


def environment_with(cluster: str) -> dict[str, str]:
    """The environment of a program that uses a cluster, which is installed if it is not yet."""
    subprocess.run(["make", "--no-print-directory", f".venv/{cluster}.stamp"], cwd=ROOT, check=True)
    paths = (VENV / cluster, ROOT / "generated" / "python", EXAMPLES)
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}


def run(program: str, folder: Path, environment: dict[str, str], *arguments: Path) -> dict[str, list[str]]:
    """Run a program on a cluster whose files are in a folder. Returns the first row of each answer, by question."""
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / program), *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pattern = r"^(\w.*\?)\n(?:.*\n)+?[│0] +((?:Bash|claude-opus-5-5) .*)$"
    return {question: re.findall(r"[\w-]+", row) for question, row in re.findall(pattern, done.stdout, re.MULTILINE)}


def written(folder: Path) -> list[Path]:
    """Folders: all sessions and some faults, all sessions in hundreds of files, an empty one, sessions of a release."""
    whole, parts, out, sessions = folders = [folder / name for name in ("whole", "parts", "out", "sessions")]
    for each in folders:
        each.mkdir()
    for path in (CAPTURES / "sessions" / "0.3.332").iterdir():
        shutil.copy(path, sessions)
    (whole / "broken.jsonl").write_text('{"type":', encoding="utf-8")
    for path in [*SESSIONS, *(CAPTURES / "0.3.330").glob("*.out.ndjson")]:
        shutil.copy(path, whole / f"{path.parent.name}-{path.name}")
    for path in SESSIONS:
        lines = path.read_bytes().splitlines(keepends=True)
        for at in range(0, len(lines), 5):
            (parts / f"{path.parent.name}-{path.stem}-{at}.ndjson").write_bytes(b"".join(lines[at : at + 5]))
    assert len([*parts.iterdir()]) > 300
    return [whole, parts, out, sessions]


def in_duckdb(folder: Path) -> dict[str, Any]:
    """The rows of the tables and views of files of lines, by DuckDB, as Arrow tables."""
    import duckdb
    import pyarrow as pa

    database = duckdb.connect()
    database.execute((ROOT / "generated" / "jsonschema" / "agentlines.duckdb.sql").read_text(encoding="utf-8"))
    database.execute("SET TimeZone = 'UTC'")
    files = [*folder.iterdir()]
    for name in tables.NAMES:
        database.register("batches", pa.Table.from_batches(tables.read(name, files), tables.schema(name)))
        database.execute(f"INSERT INTO {name} SELECT * FROM batches")  # noqa: S608 - the names are ours
    names = [*tables.NAMES, *(f"{name}_unique" for name in UNIQUE)]
    return {name: database.table(name).to_arrow_table() for name in names}


def columns(table: Any) -> list[tuple[str, str]]:
    """The names and types of columns. Engines name the time zone and the items of lists in their own way."""
    return [(field.name, re.sub(r"(, tz=|<)[^:\]]+", r"\1", str(field.type))) for field in table.schema]


def rows(table: Any) -> list[tuple[Any, ...]]:
    """The sorted rows of a table; times as microseconds, and None before other values."""
    import pyarrow as pa

    for at, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            assert (field.type.unit, field.type.tz is None) == ("us", False)
            table = table.set_column(at, field.name, table.column(at).cast(pa.int64()))
    found = [tuple(row.values()) for row in table.to_pylist()]
    return sorted(found, key=lambda row: [(each is not None, each) for each in row])


@turn("tables in Spark")
def test_spark_has_the_rows_of_duckdb_although_it_loses_an_executor(tmp_path: Path) -> None:
    import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]

    if shutil.which("java") is None:
        pytest.skip("Java is missing: there is none on PATH")
    whole, parts, out, sessions = written(tmp_path)
    settings = {**SETTINGS, "spark.sql.warehouse.dir": str(tmp_path / "warehouse")}
    words = [f"--conf '{name}={value}'" for name, value in settings.items()]
    environment = {
        **environment_with("spark"),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_SUBMIT_ARGS": " ".join(["--master local-cluster[2,1,1024]", *words, "pyspark-shell"]),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": str(tmp_path / "workers"),
    }
    answers = run("read_in_spark.py", tmp_path, environment, whole, parts, out, sessions)
    assert answers == ANSWERS
    assert {path.name for path in out.iterdir() if not path.suffix} == {"killed", "read again"}
    found, expected = {path.stem: pq.read_table(path) for path in out.glob("*.parquet")}, in_duckdb(whole)
    assert rows(found.pop("parts")) == rows(in_duckdb(parts)["entries"])
    assert found.keys() == expected.keys()
    for name, table in expected.items():
        assert table.num_rows > 0
        assert columns(found[name]) == columns(table)
        assert rows(found[name]) == rows(table)


@turn("tables in Ray")
def test_ray_has_the_rows_of_duckdb_although_it_loses_a_node(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    _, parts, out, sessions = written(tmp_path)
    environment = {
        **environment_with("ray"),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # listen on loopback only, as on these systems
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    answers = run("read_in_ray.py", tmp_path, environment, parts, out, sessions)
    assert answers == ANSWERS
    assert {path.name for path in out.iterdir() if not path.suffix} == {"killed", "read again"}
    found = {path.stem: rows(pq.read_table(path)) for path in out.glob("*.parquet")}
    assert len(found) == 8
    assert found == {
        name: rows(table) for name, table in in_duckdb(parts).items() if name in tables.NAMES and table.num_rows
    }
