"""A client of the CLI that answers requests for permissions and calls of hooks, and refuses every other request.

    python answer_requests.py "Make a folder." < lines-from-the-cli > lines-for-the-cli

Connect it to a CLI in both directions. It registers a hook, sends the prompt, and lets only those tools run that read.
It reports what it does on standard error.
"""

import sys

import agentproto as ap

HOOK = "before-tool"
SETUP = "setup"


def may_run(asked: ap.PermissionRequest) -> ap.PermissionResult:
    """Decide on a call of a tool by the typed form of its input."""
    match ap.tool_input(asked.tool_name, asked.input):
        case ap.BashInput(command="ls" | "pwd") | ap.FileReadInput() | ap.GlobInput() | ap.GrepInput():
            return ap.new_permission_allow(asked.input)
        case ap.BashInput(command=command):
            return ap.new_permission_deny(f"Not without a person: {command}")
        case _:
            return ap.new_permission_deny(f"{asked.tool_name} is not allowed here.")


def before_tool(event: ap.HookInput) -> ap.HookJSONOutput:
    """Deny network access before the permission rules are asked; have no opinion on anything else."""
    match event:
        case ap.PreToolUseHookInput(tool_name="WebFetch" | "WebSearch" as name):
            verdict = ap.PreToolUseHookSpecificOutput(
                permission_decision="deny", permission_decision_reason=f"{name} needs a network."
            )
            return ap.SyncHookJSONOutput(hook_specific_output=verdict)
        case _:
            return ap.SyncHookJSONOutput()


def answer(asked: ap.ControlRequest) -> ap.ControlResponse:
    """Answer a request of the CLI."""
    match asked.request:
        case ap.PermissionRequest() as request:
            verdict = may_run(request)
            report(f"{verdict.behavior} {request.tool_name}")
            return ap.reply(asked, verdict)
        case ap.HookCallbackRequest(callback_id=called, input=event) if called == HOOK:
            report(f"hook {event.hook_event_name}")
            return ap.reply(asked, before_tool(event))
        case request:
            report(f"refuse {request.subtype}")
            return ap.refuse(asked, f"This client does not handle {request.subtype}.")


def report(text: str) -> None:
    """Tell the user."""
    print(text, file=sys.stderr)


def main() -> None:
    """Set the session up, send the prompt, and answer until the input ends."""
    to_cli = ap.Writer(sys.stdout.buffer)
    setup = ap.InitializeRequest(hooks={"PreToolUse": [ap.HookCallbackMatcher(hook_callback_ids=[HOOK])]})
    to_cli.write(ap.request(setup, SETUP))
    to_cli.write(ap.new_prompt(sys.argv[1] if len(sys.argv) > 1 else "Hello."))
    for item in ap.Reader(sys.stdin.buffer, ap.StdoutMessage):
        match item:
            case ap.ControlRequest():
                to_cli.write(answer(item))
            case ap.ControlResponse(response=ap.ControlSuccessResponse() | ap.ControlErrorResponse() as response):
                if response.request_id != SETUP:
                    continue
                try:
                    offer = ap.decode_response(setup, item)
                except (ap.ControlError, ap.DecodeError) as error:
                    sys.exit(f"the session cannot be set up: {error}")
                report(f"models: {', '.join(model.value for model in offer.models)}")
            case ap.ResultSuccess() | ap.ResultError():
                report(f"the turn ended: {item.subtype}")
            case ap.BadLine(line=number, error=error):
                report(f"line {number}: {error}")
            case _:
                pass


if __name__ == "__main__":
    main()
