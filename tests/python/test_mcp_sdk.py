"""A server of the official MCP SDK behind the process adapter: the CLI lists its tools and calls one."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import agentlines as al
import pytest

README = Path(__file__).resolve().parents[2] / "generated" / "python" / "README.md"

LONG = 600.0
"""A timeout in seconds that no test reaches, unless something hangs."""

pytestmark = pytest.mark.full

CODE = """
import json, sys
def say(**members):
    print(json.dumps(members), flush=True)
def hear():
    return json.loads(sys.stdin.readline())
def call(id, method, **params):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if id is not None:
        message["id"] = id
    request = {"subtype": "mcp_message", "server_name": "counter", "message": message}
    say(type="control_request", request_id=method, request=request)
    response = hear()["response"]
    return response.get("response", response.get("error"))
setup = hear()
client = {"name": "cli", "version": "1"}
say(type="keep_alive", value=[
    setup["request"]["sdkMcpServers"],
    call(0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client),
    call(None, "notifications/initialized"),
    call("list", "tools/list"),
    call(2, "tools/call", name="count", arguments={"text": "fünf"}),
    call(3, "tools/call", name="drop", arguments={}),
    call(4, "resources/burn"),
])
list(sys.stdin)
"""
"""A program in place of the CLI: it uses the server and reports the answers that it receives."""


def inside(name: str, server: Any) -> al.McpSdkServerConfigWithInstance:
    """The server that the README's code makes of a function."""
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    [block] = [each for each in blocks if "def inside(" in each]
    names: dict[str, Any] = {}
    exec(block, names)  # noqa: S102 - our own README
    made: al.McpSdkServerConfigWithInstance = names["inside"](name, server)
    return made


@asynccontextmanager
async def counter() -> AsyncIterator[Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]]:
    """A server with a tool, as a function from the JSON of an MCP message to the JSON of the answer."""
    mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed; `make .venv/ports.stamp` fetches it")
    from mcp.server import Server
    from mcp.shared.memory import create_client_server_memory_streams
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    async def list_tools(*_: Any) -> Any:
        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        return mcp.types.ListToolsResult(tools=[mcp.types.Tool(name="count", input_schema=schema)])

    async def call_tool(_: Any, params: Any) -> Any:
        if params.name != "count":
            raise mcp.MCPError(code=-32602, message=f"no tool {params.name}")
        text = mcp.types.TextContent(type="text", text=str(len(params.arguments["text"])))
        return mcp.types.CallToolResult(content=[text])

    server = Server("own", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    async with create_client_server_memory_streams() as ((answers, requests), (read, write)):
        running = asyncio.ensure_future(server.run(read, write, server.create_initialization_options()))

        async def serve(message: dict[str, Any]) -> dict[str, Any] | None:
            await requests.send(SessionMessage(jsonrpc_message_adapter.validate_python(message)))
            if "id" not in message:
                return None
            answer = (await answers.receive()).message  # the program sends one request at a time
            found: dict[str, Any] = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
            return found

        try:
            yield serve
        finally:
            await requests.aclose()
            await running


def test_a_tool_of_the_official_sdk_is_listed_and_called() -> None:
    async def main() -> None:
        async with counter() as serve:
            servers = {"counter": inside("counter", serve)}
            options = al.QueryOptions(executable=sys.executable, executable_args=["-c", CODE], mcp_servers=servers)
            async with al.AsyncProcess("sdk", al.launch(options)) as process:
                event = await anext(process)
        assert isinstance(event, al.SessionMessage)
        assert isinstance(event.message, al.KeepAliveMessage)
        named, begun, notified, listed, called, refused, unknown = event.message.extra["value"]
        assert (named, notified["mcp_response"]["result"]) == (["counter"], {})
        assert begun["mcp_response"]["result"]["serverInfo"]["name"] == "own"
        assert listed["mcp_response"]["id"] == "list"
        assert [tool["name"] for tool in listed["mcp_response"]["result"]["tools"]] == ["count"]
        assert called["mcp_response"]["result"]["content"] == [{"type": "text", "text": "4"}]
        assert refused["mcp_response"]["error"]["message"] == "no tool drop"
        assert unknown["mcp_response"]["error"]["code"] == -32601

    asyncio.run(asyncio.wait_for(main(), LONG))
