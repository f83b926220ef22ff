"""A client that answers requests: it allows only tools that read, and has a hook that denies network access.

python answer_requests.py cli "Make a folder."
"""

import asyncio
import sys

import agentlines as al


def may_run(asked: al.PermissionRequest) -> al.PermissionResult:
    """Decide whether a tool may run, based on its typed input."""
    match al.tool_input(asked.tool_name, asked.input):
        case al.FileReadInput() | al.GlobInput() | al.GrepInput():
            return al.new_permission_allow(asked.input)
        case al.BashInput(command=command):
            return al.new_permission_deny(f"Not without a person: {command}")
        case _:
            return al.new_permission_deny(f"{asked.tool_name} is not allowed here.")


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


def call_hook(asked: al.HookCallbackRequest) -> al.HookJSONOutput:
    """Call the only hook."""
    return before_tool(asked.input, asked.tool_use_id)


async def main(program: str, prompt: str) -> None:
    """Send the prompt, and answer until the turn ends."""
    hook = al.HookMatcher(hooks=[before_tool])
    how = al.launch(al.QueryOptions(permission_prompt_tool_name="stdio", hooks={"PreToolUse": [hook]}))
    async with al.AsyncProcess(
        "sdk", how, program=program, answers={al.PermissionRequest: may_run, al.HookCallbackRequest: call_hook}
    ) as process:
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
