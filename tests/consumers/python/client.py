"""Follows a session on standard input, and answers its requests for permissions on standard output.

Files may be read, nothing else is allowed. What goes on is told on standard error.
"""

import sys

import agentproto as ap


def verdict(asked: ap.PermissionRequest) -> ap.PermissionResult:
    """May the tool run? Known tools have typed inputs."""
    match ap.tool_input(asked.tool_name, asked.input):
        case ap.FileReadInput():
            return ap.new_permission_allow(asked.input)
        case ap.BashInput(command=command):
            return ap.new_permission_deny(f"No commands here: {command}")
        case _:
            return ap.new_permission_deny(f"No {asked.tool_name} here.")


def tell(line: str) -> None:
    """Says what goes on."""
    print(line, file=sys.stderr)


def main() -> None:
    """Reads to the end of the input."""
    answers = ap.Writer(sys.stdout.buffer)
    for item in ap.Reader(sys.stdin.buffer):
        match item:
            case ap.SystemInitMessage(model=model, tools=tools):
                tell(f"session with {model} and {len(tools)} tools")
            case ap.AssistantMessage(message=message):
                for block in message.content:
                    match block:
                        case ap.TextBlock(text=text):
                            tell(f"assistant: {text}")
                        case ap.ToolUseBlock(name=name):
                            tell(f"call of {name}")
                        case _:
                            pass
            case ap.ControlRequest(request=ap.PermissionRequest() as asked):
                result = verdict(asked)
                answers.write(ap.reply(item, result))
                tell(f"{asked.tool_name}: {result.behavior}")
            case ap.ResultSuccess(result=text):
                tell(f"done: {text}")
            case ap.UnknownMessage(type=kind):
                tell(f"newer than this client: {kind}")
            case ap.BadLine(line=number, error=error):
                tell(f"line {number}: {error.code} at {error.path or 'the top'}")
            case _:
                pass


main()
