"""Reads what the CLI says, answers each request for a permission, and begins with a prompt.

    python answer_permission.py "Make a folder." < lines-from-the-cli > lines-for-the-cli

Connected to a CLI in both directions, this is a whole client: it lets tools that only read run, refuses the others, and
says on standard error what it did.
"""

import sys

import agentproto as ap

READING = (ap.FileReadInput, ap.GlobInput, ap.GrepInput)


def answer(asked: ap.PermissionRequest) -> ap.PermissionResult:
    """The verdict on one call of a tool, by the typed form of its input."""
    match ap.tool_input(asked.tool_name, asked.input):
        case ap.BashInput(command="ls" | "pwd"):
            return ap.new_permission_allow(asked.input)
        case ap.BashInput(command=command):
            return ap.new_permission_deny(f"Not without a person: {command}")
        case found if isinstance(found, READING):
            return ap.new_permission_allow(asked.input)
        case _:
            return ap.new_permission_deny(f"{asked.tool_name} is not allowed here.")


def main() -> None:
    """Writes the prompt, then an answer for each request."""
    to_cli = ap.Writer(sys.stdout.buffer)
    to_cli.write(ap.new_prompt(sys.argv[1] if len(sys.argv) > 1 else "Hello."))
    for item in ap.read(sys.stdin.buffer, ap.StdoutMessage):
        match item:
            case ap.ControlRequest(request=ap.PermissionRequest() as asked):
                verdict = answer(asked)
                to_cli.write(ap.reply(item, verdict))
                print(f"{verdict.behavior}: {asked.tool_name}", file=sys.stderr)
            case ap.ResultSuccess() | ap.ResultError():
                print(f"the turn ended: {item.subtype}", file=sys.stderr)
            case ap.BadLine(line=number, error=error):
                print(f"line {number}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
