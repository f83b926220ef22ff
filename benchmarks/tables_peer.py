"""Reads the sessions of a folder in one of several ways: `tables_peer.py WAY FOLDER [PART OF]` prints how many rows.

`pure` and `native` read all tables of the package. `hand` is what an engineer writes for these sessions: `json.loads`,
and code for each table, which checks nothing. `duckdb` lets DuckDB infer one table of all lines.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

GENERATED = Path(__file__).resolve().parent.parent / "generated" / "python"

Row = tuple[Any, ...]


def package(*, native: bool) -> Any:
    """Import the tables of the package as on a machine with or without the extension, and without orjson."""
    os.environ["POLYWIRE_NATIVE"] = "1" if native else "0"
    sys.modules["orjson"] = None  # type: ignore[assignment]  # makes the import fail
    sys.path.insert(0, str(GENERATED))
    from agentlines import tables

    return tables


def read(files: Sequence[Path], *, native: bool) -> int:
    """Read all tables with the package."""
    return sum(batch.num_rows for _, batch in package(native=native).read_all(files))


def read_by_hand(files: Sequence[Path]) -> int:
    """Read the same tables without it."""
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

    tables = package(native=False)
    schemas = {name: tables.schema(name) for name in tables.NAMES}
    rows: dict[str, list[Row]] = {name: [] for name in schemas}
    count = 0

    def batch(name: str) -> int:
        own, rows[name] = rows[name], []
        columns = zip(zip(*own, strict=True), schemas[name], strict=True)
        arrays = [pa.array(values, field.type) for values, field in columns]
        found: int = pa.RecordBatch.from_arrays(arrays, schema=schemas[name]).num_rows
        return found

    for file in files:
        with file.open("rb") as lines:
            for number, raw in enumerate(lines, 1):
                for name, row in by_hand(str(file), number, raw):
                    rows[name].append(row)
                    if len(rows[name]) == 8192:
                        count += batch(name)
    return count + sum(batch(name) for name in schemas if rows[name])


def by_hand(file: str, number: int, raw: bytes) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a line."""
    entry = json.loads(raw)
    get = entry.get
    message = get("message") or {}
    content = message.get("content")
    kind, session, time = get("type"), get("sessionId"), when(get("timestamp"))
    uuid, sidechain = get("uuid"), get("isSidechain")
    yield "entries", (
        file, number, 0, kind, get("subtype"), uuid, get("parentUuid"), session, time, get("agentId"), sidechain,
        get("version"), get("cwd"), get("gitBranch"), content if isinstance(content, str) else None,
        raw.rstrip(b"\r\n").decode(),
    )  # fmt: skip
    if kind == "assistant":
        model, response, usage = message.get("model"), message.get("id"), message.get("usage") or {}
        yield "usage", (
            file, number, 0, session, time, response, model, sidechain, message.get("stop_reason"),
            usage.get("input_tokens"), usage.get("output_tokens"), usage.get("cache_read_input_tokens"),
            usage.get("cache_creation_input_tokens"),
        )  # fmt: skip
        calls = [each for each in content if each["type"] in {"tool_use", "server_tool_use", "mcp_tool_use"}]
        for at, each in enumerate(calls):
            arguments = text(each["input"])
            yield "tool_calls", (
                file, number, at, session, time, response, model, sidechain, each["id"], each["name"], each["type"],
                arguments,
            )  # fmt: skip
    elif kind == "user" and isinstance(content, list):
        for at, each in enumerate(each for each in content if each["type"] == "tool_result"):
            result = each.get("content")
            shown = result if isinstance(result, str) else None
            failed = each.get("is_error")
            yield "tool_results", (file, number, at, session, time, each["tool_use_id"], failed, shown, text(result))
    elif kind == "cost-state":
        for at, (model, each) in enumerate(get("modelUsage", {}).items()):
            yield "model_costs", (
                file, number, at, session, model, each["costUSD"], each["inputTokens"], each["outputTokens"],
                each["cacheReadInputTokens"], each["cacheCreationInputTokens"],
            )  # fmt: skip
    elif kind == "attachment" and get("attachment")["type"].startswith("hook_"):
        hook = get("attachment")
        yield "hooks", (
            file, number, 0, session, time, hook["type"], hook.get("hookEvent"), hook.get("hookName"),
            hook.get("toolUseID"), hook.get("command"), hook.get("exitCode"), hook.get("durationMs"),
            hook.get("decision"), text(hook.get("content")),
        )  # fmt: skip
    if kind in {"assistant", "user"} and isinstance(content, list):
        for at, each in enumerate(each for each in content if each["type"] == "text"):
            yield "texts", (file, number, at, session, uuid, time, message.get("role"), sidechain, each["text"])
    error = get("error")
    if error is not None:
        status = error.get("status") if isinstance(error, dict) else None
        yield "errors", (
            file, number, 0, session, time, kind, get("retryAttempt"), get("retryInMs"), status, text(error)
        )  # fmt: skip


def text(value: Any) -> str | None:
    """Return a value as JSON."""
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def when(value: str | None) -> datetime | None:
    """Parse a time."""
    return None if value is None else datetime.fromisoformat(value.replace("Z", "+00:00"))


def read_with_duckdb(files: Sequence[Path]) -> int:
    """Let DuckDB infer one table of all lines, with objects as JSON, and write it to memory."""
    import duckdb

    database = duckdb.connect(config={"threads": 1})
    names = [str(file) for file in files]
    options = "format = 'newline_delimited', union_by_name = true, maximum_depth = 1, maximum_object_size = 70000000"
    database.execute(f"CREATE TABLE lines AS SELECT * FROM read_json($1, {options})", [names])  # noqa: S608 - the options are ours
    found: int = database.sql("SELECT count(*) FROM lines").fetchall()[0][0]
    return found


WAYS = {
    "pure": lambda files: read(files, native=False),
    "native": lambda files: read(files, native=True),
    "hand": read_by_hand,
    "duckdb": read_with_duckdb,
}

if __name__ == "__main__":
    way, folder, *rest = sys.argv[1:]
    part, of = map(int, rest or (0, 1))
    print(WAYS[way](sorted(Path(folder).iterdir())[part::of]))
