"""A client that answers requests: it allows only tools that read, and has a hook that denies network access.

python answer_requests.py cli "Make a folder."
"""

import asyncio
import sys
from typing import Any

import agentlines as al


def may_run(name: str, given: dict[str, Any]) -> al.PermissionResult:
    """Decide whether a tool may run, based on its typed input."""
    match al.tool_input(name, given):
        case al.FileReadInput() | al.GlobInput() | al.GrepInput():
            return al.PermissionResultAllow()
        case al.BashInput(command=command):
            return al.new_permission_deny(f"Not without a person: {command}")
        case _:
            return al.new_permission_deny(f"{name} is not allowed here.")


def before_tool(event: al.HookInput, _: str | None) -> al.HookJSONOutput:
    """The hook: deny WebFetch, which needs a network, and make no decision about other tools."""
    match event:
        case al.PreToolUseHookInput(tool_name="WebFetch"):
            verdict = al.PreToolUseHookSpecificOutput(
                permission_decision="deny", permission_decision_reason="WebFetch needs a network."
            )
            return al.SyncHookJSONOutput(hook_specific_output=verdict)
        case _:
            return al.SyncHookJSONOutput()


async def main(program: str, prompt: str) -> None:
    """Send the prompt, and wait until the turn ends."""
    options = al.QueryOptions(can_use_tool=may_run, hooks={"PreToolUse": [al.HookMatcher(hooks=[before_tool])]})
    async with al.AsyncProcess("sdk", al.launch(options), program=program) as process:
        await process.write(al.new_prompt(prompt))
        async for event in process:
            match event:
                case al.SessionMessage(message=al.ResultSuccess() | al.ResultError() as result):
                    return print(f"the turn ended: {result.subtype}", file=sys.stderr)
                case _:
                    pass
    sys.exit(f"the process ended: {process.stderr}")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
