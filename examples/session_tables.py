"""Five questions about the sessions in a folder: session_tables.py FOLDER (needs agentlines[arrow] and duckdb)."""

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
    "How many tokens does a model take?": """
        SELECT model, count(*) AS responses, sum(input_tokens)::BIGINT AS input, sum(output_tokens)::BIGINT AS output
        FROM usage_unique GROUP BY model ORDER BY output DESC, model""",
    "What does a model cost?": """
        SELECT model, round(sum(cost), 6) AS dollars
        FROM (SELECT session, model, arg_max(cost, line) AS cost FROM model_costs GROUP BY session, model)
        GROUP BY model ORDER BY dollars DESC, model""",
    "Where do retries come from?": """
        SELECT kind, status, count(*) AS errors FROM errors GROUP BY kind, status ORDER BY errors DESC, kind, status""",
    "What could not be read?": "SELECT code, count(*) AS lines FROM problems GROUP BY code ORDER BY lines DESC, code",
}

database = duckdb.connect()  # in memory; a file keeps the tables
database.execute(SCHEMA.read_text(encoding="utf-8"))
files = sorted(path for path in Path(sys.argv[1]).rglob("*") if path.suffix in {".jsonl", ".ndjson"})
for name, batch in tables.read_all(files):
    database.register("batch", pa.Table.from_batches([batch]))
    database.execute(f"INSERT INTO {name} SELECT * FROM batch")  # noqa: S608 - the names are ours
for question, query in QUESTIONS.items():
    print(f"\n{question}")
    for row in [database.sql(query).columns, *database.sql(query).fetchall()]:
        print(*row, sep="\t")
