"""A client of the CLI that answers requests for permissions and calls of hooks, and refuses every other request.

    python answer_requests.py "Make a folder." < lines-from-the-cli > lines-for-the-cli

Connect it to a CLI in both directions. It registers a hook, sends the prompt, and lets only those tools run that read.
It reports what it does on standard error.
"""

import sys

import agentlines as al

HOOK = "before-tool"
SETUP = "setup"


def may_run(asked: al.PermissionRequest) -> al.PermissionResult:
    """Decide on a call of a tool by the typed form of its input."""
    match al.tool_input(asked.tool_name, asked.input):
        case al.BashInput(command="ls" | "pwd") | al.FileReadInput() | al.GlobInput() | al.GrepInput():
            return al.new_permission_allow(asked.input)
        case al.BashInput(command=command):
            return al.new_permission_deny(f"Not without a person: {command}")
        case _:
            return al.new_permission_deny(f"{asked.tool_name} is not allowed here.")


def before_tool(event: al.HookInput) -> al.HookJSONOutput:
    """Deny network access before the permission rules are asked; have no opinion on anything else."""
    match event:
        case al.PreToolUseHookInput(tool_name="WebFetch" | "WebSearch" as name):
            verdict = al.PreToolUseHookSpecificOutput(
                permission_decision="deny", permission_decision_reason=f"{name} needs a network."
            )
            return al.SyncHookJSONOutput(hook_specific_output=verdict)
        case _:
            return al.SyncHookJSONOutput()


def answer(asked: al.ControlRequest) -> al.ControlResponse:
    """Answer a request of the CLI."""
    match asked.request:
        case al.PermissionRequest() as request:
            verdict = may_run(request)
            report(f"{verdict.behavior} {request.tool_name}")
            return al.reply(asked, verdict)
        case al.HookCallbackRequest(callback_id=called, input=event) if called == HOOK:
            report(f"hook {event.hook_event_name}")
            return al.reply(asked, before_tool(event))
        case request:
            report(f"refuse {request.subtype}")
            return al.refuse(asked, f"This client does not handle {request.subtype}.")


def report(text: str) -> None:
    """Tell the user."""
    print(text, file=sys.stderr)


def main() -> None:
    """Set the session up, send the prompt, and answer until the input ends."""
    to_cli = al.Writer(sys.stdout.buffer)
    setup = al.InitializeRequest(hooks={"PreToolUse": [al.HookCallbackMatcher(hook_callback_ids=[HOOK])]})
    to_cli.write(al.request(setup, SETUP))
    to_cli.write(al.new_prompt(sys.argv[1] if len(sys.argv) > 1 else "Hello."))
    for item in al.Reader(sys.stdin.buffer, al.StdoutMessage):
        match item:
            case al.ControlRequest():
                to_cli.write(answer(item))
            case al.ControlResponse(response=al.ControlSuccessResponse() | al.ControlErrorResponse() as response):
                if response.request_id != SETUP:
                    continue
                try:
                    offer = al.decode_response(setup, item)
                except (al.ControlError, al.DecodeError) as error:
                    sys.exit(f"the session cannot be set up: {error}")
                report(f"models: {', '.join(model.value for model in offer.models)}")
            case al.ResultSuccess() | al.ResultError():
                report(f"the turn ended: {item.subtype}")
            case al.BadLine(line=number, error=error):
                report(f"line {number}: {error}")
            case _:
                pass


if __name__ == "__main__":
    main()
