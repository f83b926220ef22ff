"""Two questions about the sessions in a folder that all machines of a cluster have: spark_sessions.py FOLDER."""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
from agentlines import tables

SCHEMA = Path(__file__).parent.parent / "generated" / "jsonschema" / "agentlines.spark.sql"
QUESTIONS = {
    "Which tools fail?": """
        SELECT tool, count(*) AS calls, count_if(failed) AS failures
        FROM tool_calls_unique JOIN tool_results_unique USING (id) GROUP BY tool ORDER BY failures DESC, tool""",
    "How many tokens does a model write?": """
        SELECT model, sum(output_tokens) AS output FROM usage_unique GROUP BY model ORDER BY output DESC, model""",
}


def read(name: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table in the files of batches of paths."""
    for batch in batches:
        yield from tables.read(name, batch["path"].to_pylist())


if __name__ == "__main__":
    from pyspark.sql import SparkSession  # type: ignore[import-not-found, unused-ignore]

    with SparkSession.builder.getOrCreate() as spark:
        files = [(str(path),) for path in Path(sys.argv[1]).rglob("*") if path.suffix in {".jsonl", ".ndjson"}]
        paths = spark.createDataFrame(files, "path string").repartition(4 * spark.sparkContext.defaultParallelism)
        for name in tables.NAMES:  # a table is read when a query needs it
            paths.mapInArrow(partial(read, name), tables.ddl(name)).cache().createOrReplaceTempView(name)
        for statement in SCHEMA.read_text(encoding="utf-8").split(";\n"):
            if "_unique" in statement:
                spark.sql(statement.replace("REPLACE VIEW", "REPLACE TEMPORARY VIEW"))
        for question, query in QUESTIONS.items():
            print(f"\n{question}", spark.sql(query).toPandas(), sep="\n")
