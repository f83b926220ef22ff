"""Starts a stub program with the official Python SDK, once for each record of options.

    run.py < RECORDS

A record is a line `{id, options, functions}` with the names of the SDK; `functions` maps places to numbers of
functions, where 0 is a single function that is not in a list. Writes the environment of this process, then a line for
each record: what the stub received, or the SDK's error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import anyio
from claude_agent_sdk import (
    AgentDefinition,
    ClaudeAgentOptions,
    HookMatcher,
    SystemMessage,
    create_sdk_mcp_server,
    query,
)

AT_ONCE = 2
"""The number of stubs that run at the same time."""


async def function(*_: object) -> dict[str, Any]:
    """A placeholder for every function; it is never called."""
    return {}


def complete(options: dict[str, Any], functions: dict[str, int]) -> ClaudeAgentOptions:
    """Options with the values that JSON cannot express."""
    for place, count in functions.items():
        *way, last = (key.replace("~1", "/").replace("~0", "~") for key in place.split("/")[1:])
        at: Any = options
        for key in way:
            at = at[int(key)] if isinstance(at, list) else at[key]
        at[last] = function if count == 0 else [function] * count
    for name, server in options.get("mcp_servers", {}).items():
        if server.get("type") == "sdk":
            server["instance"] = create_sdk_mcp_server(name)["instance"]
    if "hooks" in options:
        options["hooks"] = {
            event: [HookMatcher(**each) for each in matchers] for event, matchers in options["hooks"].items()
        }
    if "agents" in options:
        options["agents"] = {name: AgentDefinition(**each) for name, each in options["agents"].items()}
    return ClaudeAgentOptions(**options)


async def prompts() -> AsyncIterator[dict[str, Any]]:
    """One prompt; the input stays open after it."""
    yield {"type": "user", "session_id": "", "message": {"role": "user", "content": "?"}, "parent_tool_use_id": None}
    await anyio.sleep_forever()


async def run(record: dict[str, Any]) -> dict[str, Any]:
    """What the stub received, or the SDK's error."""
    try:
        options = complete(record["options"], record["functions"])
        async with aclosing(query(prompt=prompts(), options=options)) as messages:  # type: ignore[type-var]
            async for message in messages:
                if isinstance(message, SystemMessage) and message.subtype == "started":
                    return {"id": record["id"], "started": message.data}
    except Exception as error:  # noqa: BLE001 (whatever the SDK raises is its answer)
        return {"id": record["id"], "error": f"{type(error).__name__}: {error}"}
    return {"id": record["id"], "error": "the session ended"}


async def main() -> None:
    """Run all records."""
    records = [json.loads(line) for line in sys.stdin.buffer.read().split(b"\n") if line]

    async def work() -> None:
        while records:
            print(json.dumps(await run(records.pop(0))), flush=True)

    async with anyio.create_task_group() as group:
        for _ in range(AT_ONCE):
            group.start_soon(work)


if __name__ == "__main__":
    print(json.dumps({"own": dict(os.environ)}), flush=True)
    anyio.run(main)
