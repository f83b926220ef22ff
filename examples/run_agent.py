"""An agent with its own tool: it runs a CLI, allows only that tool, and prints the agent's text.

python run_agent.py cli "How long is this sentence?"
"""

import asyncio
import sys
from typing import Any

import agentlines as al

SERVER = {"name": "own", "version": "1"}
ABOUT: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": SERVER}
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOL = {"name": "count", "description": "Counts the characters of a text.", "inputSchema": SCHEMA}


def serve(message: al.JSONRPCMessage) -> al.JSONRPCMessage | None:
    """Answer as the MCP server that provides the tool."""
    match message:
        case al.JSONRPCRequest(id=id_, method="initialize"):
            result: dict[str, Any] = ABOUT
        case al.JSONRPCRequest(id=id_, method="tools/list"):
            result = {"tools": [TOOL]}
        case al.JSONRPCRequest(id=id_, method="tools/call", params={"arguments": {"text": str(text)}}):
            result = {"content": [{"type": "text", "text": str(len(text))}]}
        case al.JSONRPCRequest(method=method):
            raise ValueError(f"this server does not handle {method} with these parameters")
        case _:
            return None  # a notification
    return al.JSONRPCResponse(id=id_, result=result)


def may_run(name: str, _: dict[str, Any]) -> al.PermissionResult:
    """Decide whether a tool may run."""
    return al.PermissionResultAllow() if name == "mcp__counter__count" else al.new_permission_deny("Only counting.")


async def main(program: str, prompt: str) -> None:
    """Send the prompt, and print the agent's text until the turn ends."""
    server = al.McpSdkServerConfigWithInstance(name="counter", instance=serve)
    options = al.QueryOptions(mcp_servers={"counter": server}, can_use_tool=may_run)
    async with al.AsyncProcess("sdk", al.launch(options), program=program) as process:
        await process.write(al.new_prompt(prompt))
        async for event in process:
            match event:
                case al.SessionMessage(message=al.AssistantMessage(message=message)):
                    print(*(block.text for block in message.content if isinstance(block, al.TextBlock)))
                case al.SessionMessage(message=al.ResultSuccess() | al.ResultError() as result):
                    return print(f"the turn ended: {result.subtype}", file=sys.stderr)
                case _:
                    pass
    sys.exit(f"the process ended: {process.stderr}")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
