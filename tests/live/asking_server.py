"""An MCP server on standard input and output with one tool, `greet`, which asks the user for a name.

It does not use the official SDK, which speaks the newest version of MCP, where a server cannot ask within a call.
"""

from __future__ import annotations

import json
import sys
from typing import Any

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def say(**members: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **members}), flush=True)


def text(value: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}]}


called: Any = None
"""The id of the tool call that waits for the user."""

for line in sys.stdin:
    match json.loads(line):
        case {"id": id_, "method": "initialize"}:
            about = {"name": "asking", "version": "1"}
            say(id=id_, result={"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": about})
        case {"id": id_, "method": "tools/list"}:
            tool = {"name": "greet", "description": "Greets.", "inputSchema": {"type": "object"}}
            say(id=id_, result={"tools": [tool]})
        case {"id": called, "method": "tools/call"}:
            question = {"message": "Who is there?", "requestedSchema": SCHEMA}
            say(id="ask", method="elicitation/create", params=question)
        case {"id": "ask", "result": {"action": "accept", "content": {"name": name}}}:
            say(id=called, result=text(f"Hello {name}!"))
        case {"id": "ask", "result": {"action": action}}:
            say(id=called, result=text(f"The user said: {action}."))
        case {"id": "ask", "error": _}:
            say(id=called, result=text("Nobody can be asked."))
        case {"id": id_, "method": _}:
            say(id=id_, error={"code": -32601, "message": "no such method"})
