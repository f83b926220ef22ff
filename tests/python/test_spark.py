"""Tables on many machines: the example for Spark, and the generated SQL, on a local cluster that loses an executor."""

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
EXAMPLE = ROOT / "examples" / "spark_sessions.py"
PROGRAM = Path(__file__).with_name("read_in_spark.py")

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


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) < 40


@pytest.mark.full
def test_the_function_for_spark_reads_the_files_of_each_batch() -> None:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

    read = runpy.run_path(str(EXAMPLE))["read"]
    batches = [pa.RecordBatch.from_pydict({"path": [*map(str, files)]}) for files in (SESSIONS[:2], [], SESSIONS[2:])]
    found = pa.Table.from_batches(read("tool_calls", iter(batches)))
    assert found.equals(pa.Table.from_batches(tables.read("tool_calls", SESSIONS)))


@pytest.fixture
def spark() -> dict[str, str]:
    """The environment of a program that runs on a cluster of two workers, which is installed if it is not yet."""
    if shutil.which("java") is None:
        pytest.skip("there is no Java on PATH")
    subprocess.run(["make", "--no-print-directory", ".venv/spark.stamp"], cwd=ROOT, check=True)
    return {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(map(str, (VENV / "spark", ROOT / "generated" / "python", EXAMPLE.parent))),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def run(spark: dict[str, str], folder: Path, *arguments: Path) -> str:
    """Run the program on a cluster whose files are in a folder. Returns its output."""
    settings = {**SETTINGS, "spark.sql.warehouse.dir": str(folder / "warehouse")}
    words = [f"--conf '{name}={value}'" for name, value in settings.items()]
    submitted = " ".join(["--master local-cluster[2,1,1024]", *words, "pyspark-shell"])
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *map(str, arguments)],
        cwd=folder,
        env={**spark, "PYSPARK_SUBMIT_ARGS": submitted, "SPARK_WORKER_DIR": str(folder / "workers")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def written(folder: Path) -> tuple[Path, Path]:
    """Two folders: all captured sessions with some faults, and the same sessions in hundreds of files."""
    whole, parts = folder / "whole", folder / "parts"
    whole.mkdir()
    parts.mkdir()
    (whole / "broken.jsonl").write_text('{"type":', encoding="utf-8")
    for path in [*SESSIONS, *(CAPTURES / "0.3.330").glob("*.out.ndjson")]:
        shutil.copy(path, whole / f"{path.parent.name}-{path.name}")
    for path in SESSIONS:
        lines = path.read_bytes().splitlines(keepends=True)
        for at in range(0, len(lines), 5):
            (parts / f"{path.parent.name}-{path.stem}-{at}.ndjson").write_bytes(b"".join(lines[at : at + 5]))
    assert len([*parts.iterdir()]) > 300
    return whole, parts


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
    names = [
        name
        for (name,) in database.sql(
            "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal"
        ).fetchall()
    ]
    return {name: database.table(name).to_arrow_table() for name in names if name != "batches"}


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
def test_a_cluster_that_loses_an_executor_has_the_rows_of_duckdb(spark: dict[str, str], tmp_path: Path) -> None:
    import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]

    whole, parts = written(tmp_path)
    out, sessions = tmp_path / "out", tmp_path / "sessions"
    out.mkdir()
    shutil.copytree(CAPTURES / "sessions" / "0.3.332", sessions)
    answers = run(spark, tmp_path, whole, parts, out, sessions).strip().split("\n\n")
    expected = in_duckdb(whole)
    found = {path.stem: pq.read_table(path) for path in out.glob("*.parquet")}
    assert found.keys() == {*expected, "parts"}
    for name, table in expected.items():
        assert columns(found[name]) == columns(table)
        assert table.num_rows > 0
        assert rows(found[name]) == rows(table)
    assert {path.name for path in out.iterdir() if not path.suffix} == {"killed", "read again"}
    assert rows(found["parts"]) == rows(in_duckdb(parts)["entries"])
    assert [(each.split("\n")[0], each.split("\n")[2].split()) for each in answers] == [
        ("Which tools fail?", ["0", "Bash", "17", "4"]),
        ("How many tokens does a model write?", ["0", "claude-opus-5-5", "2871"]),
    ]
