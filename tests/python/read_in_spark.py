"""Files of lines → their rows, as a cluster of Spark reads them: read_in_spark.py FOLDER PARTS OUT SESSIONS.

The tables and views that the generated SQL creates have the rows of FOLDER, and OUT has a Parquet file of each. An
executor is killed while the many files of PARTS are read, whose entries are in OUT/parts.parquet. Last, the example
answers its questions about SESSIONS.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import spark_sessions  # type: ignore[import-not-found]
from agentlines import tables
from pyspark import TaskContext  # type: ignore[import-not-found]
from pyspark.sql import DataFrame, SparkSession

TASKS = 16
"""How many tasks read the parts."""


def main(folder: Path, parts: Path, out: Path) -> None:
    spark = SparkSession.builder.getOrCreate()
    files = distributed(spark, folder, 4).cache()
    for statement in spark_sessions.SCHEMA.read_text(encoding="utf-8").split(";\n"):
        if statement.strip():
            spark.sql(statement)
    for name in tables.NAMES:
        files.mapInArrow(partial(spark_sessions.read, name), tables.ddl(name)).write.insertInto(name)
    for row in spark.sql("SHOW TABLES").collect():  # views, too
        pq.write_table(spark.table(row.tableName).toArrow(), out / f"{row.tableName}.parquet")
    files = distributed(spark, parts, TASKS)
    rows = files.mapInArrow(partial(killed, out), tables.ddl("entries"))
    pq.write_table(rows.repartition(2, "uuid").toArrow(), out / "parts.parquet")


def distributed(spark: SparkSession, folder: Path, tasks: int) -> DataFrame:
    return spark.createDataFrame([(str(path),) for path in folder.iterdir()], "path string").repartition(tasks)


def killed(out: Path, batches: Iterable[Any]) -> Iterator[Any]:
    """Read files as the example does; in the middle of a task in the middle of the job, kill the executor once."""
    is_chosen = TaskContext.get().partitionId() == TASKS // 2
    for batch in batches:
        for at in range(batch.num_rows):
            if is_chosen and at == batch.num_rows // 2:
                kill_executor_once(out / "killed")
            yield from spark_sessions.read("entries", iter([batch.slice(at, 1)]))


def kill_executor_once(record: Path) -> None:
    """Kill the executor, which is the parent of the daemon that has started this process.

    A second attempt has the number 0, too, if Spark repeats the stage. So it is a file that tells.
    """
    try:
        record.touch(exist_ok=False)
    except FileExistsError:
        record.with_name("read again").touch()
        return
    status = Path(f"/proc/{os.getppid()}/status").read_text(encoding="utf-8")
    (executor,) = (int(line.split()[1]) for line in status.splitlines() if line.startswith("PPid:"))
    assert b"CoarseGrainedExecutorBackend" in Path(f"/proc/{executor}/cmdline").read_bytes()
    os.kill(executor, signal.SIGKILL)
    signal.pause()  # until the daemon ends this process


if __name__ == "__main__":
    *folders, sessions = sys.argv[1:]
    main(*map(Path, folders))
    sys.argv = [spark_sessions.__file__, sessions]
    runpy.run_path(spark_sessions.__file__, run_name="__main__")  # it takes the session, and ends it
