"""Reads a session on standard input, and answers its permission requests on standard output.

Reading files is allowed, everything else is denied. Progress is logged to standard error.
"""

import sys

import agentlines as al


def verdict(asked: al.PermissionRequest) -> al.PermissionResult:
    """Decide whether the tool may run. Known tools have typed inputs."""
    match al.tool_input(asked.tool_name, asked.input):
        case al.FileReadInput():
            return al.new_permission_allow(asked.input)
        case al.BashInput(command=command):
            return al.new_permission_deny(f"No commands here: {command}")
        case _:
            return al.new_permission_deny(f"No {asked.tool_name} here.")


def tell(line: str) -> None:
    """Log a line."""
    print(line, file=sys.stderr)


def main() -> None:
    """Read to the end of the input."""
    answers = al.Writer(sys.stdout.buffer)
    for item in al.Reader(sys.stdin.buffer):
        match item:
            case al.SystemInitMessage(model=model, tools=tools):
                tell(f"session with {model} and {len(tools)} tools")
            case al.AssistantMessage(message=message):
                for block in message.content:
                    match block:
                        case al.TextBlock(text=text):
                            tell(f"assistant: {text}")
                        case al.ToolUseBlock(name=name):
                            tell(f"call of {name}")
                        case _:
                            pass
            case al.ControlRequest(request=al.PermissionRequest() as asked):
                result = verdict(asked)
                answers.write(al.reply(item, result))
                tell(f"{asked.tool_name}: {result.behavior}")
            case al.ResultSuccess(result=text):
                tell(f"done: {text}")
            case al.UnknownMessage(type=kind):
                tell(f"newer than this client: {kind}")
            case al.BadLine(line=number, error=error):
                tell(f"line {number}: {error.code} at {error.path or 'the top'}")
            case _:
                pass


main()
