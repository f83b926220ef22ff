"""A client whose functions are all in its options; it prints what it was told besides."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

import agentlines as al


async def may_run(tool_name: str, _: dict[str, Any]) -> al.PermissionResult:
    if tool_name == "Bash":
        return al.PermissionResultAllow()
    if tool_name == "Write":
        return al.PermissionResultAllow(updated_input={})
    if tool_name == "Wait":
        await asyncio.Event().wait()
    if tool_name == "Raise":
        raise ValueError("broken")
    return al.new_permission_deny("no")


def hook(number: int) -> Callable[[al.HookInput, str | None], al.HookJSONOutput]:
    return lambda _, tool_use_id: al.SyncHookJSONOutput(system_message=f"{number} {tool_use_id or 'none'}")


def server(name: str) -> al.McpSdkServerConfigWithInstance:
    def serve(message: al.JSONRPCMessage) -> al.JSONRPCMessage | None:
        if isinstance(message, al.JSONRPCRequest):
            return al.JSONRPCResponse(id=message.id, result={"server": name})
        return None

    return al.McpSdkServerConfigWithInstance(name=name, instance=serve)


async def main(program: str) -> None:
    told: list[str] = []
    options = al.QueryOptions(
        can_use_tool=may_run,
        hooks={"PreToolUse": [al.HookMatcher(hooks=[hook(0), hook(1)]), al.HookMatcher(hooks=[hook(2)])]},
        mcp_servers={name: server(name) for name in ("first", "second")},
        on_elicitation=lambda _: al.ElicitationResult(action="decline"),
        on_user_dialog=lambda _: al.UserDialogCancelled(),
        stderr=told.append,
    )
    failed, others = [], 0
    async with al.AsyncProcess("sdk", al.launch(options), program=program) as process:
        async for event in process:
            if isinstance(event, al.FailedAnswer):
                failed.append(str(event.error))
            others += isinstance(event, al.SessionRequest)
        await process.wait()
    print(json.dumps({"failed": failed, "stderr": "".join(told), "others": others}))


asyncio.run(main(sys.argv[1]))
