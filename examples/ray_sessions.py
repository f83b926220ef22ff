"""Two questions about the sessions in a folder that all machines of a cluster have: ray_sessions.py FOLDER."""

import sys
from pathlib import Path

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]
from agentlines import tables

SCHEMA = Path(__file__).parent.parent / "generated" / "jsonschema" / "agentlines.duckdb.sql"
QUESTIONS = {
    "Which tools fail?": """
        SELECT tool, count(*) AS calls, count(*) FILTER (failed) AS failures
        FROM tool_calls_unique JOIN tool_results_unique USING (id) GROUP BY tool ORDER BY failures DESC, tool""",
    "How many tokens does a model write?": """
        SELECT model, sum(output_tokens) AS output FROM usage_unique GROUP BY model ORDER BY output DESC, model""",
}


def read(files: list[Path]) -> list[tuple[str, pa.RecordBatch]]:
    """Return the rows of all tables in some of the files."""
    return [*tables.read_all(files)]


if __name__ == "__main__":
    import ray  # type: ignore[import-not-found, unused-ignore]

    ray.init()
    files = [path for path in Path(sys.argv[1]).rglob("*") if path.suffix in {".jsonl", ".ndjson"}]
    tasks = [ray.remote(read).remote(files[at : at + 100]) for at in range(0, len(files), 100)]
    database = duckdb.connect()
    database.execute(SCHEMA.read_text(encoding="utf-8"))
    for task in tasks:
        for name, batch in ray.get(task):
            database.register("batch", pa.Table.from_batches([batch]))
            database.execute(f"INSERT INTO {name} SELECT * FROM batch")  # noqa: S608 - the names are ours
    for question, query in QUESTIONS.items():
        print(f"\n{question}", database.sql(query), sep="\n")
