"""Writes the lines of a client: the set-up of a session, prompts of several kinds, and an interrupt.

    python write_session.py [IMAGE ...] > lines-for-the-cli
    python write_session.py [IMAGE ...] -- COMMAND [ARGUMENT ...]

One prompt asks about each IMAGE. The lines go to standard output or to the standard input of the command, which is
started. Each message is checked before it is written.
"""

import asyncio
import base64
import sys
from pathlib import Path

import agentproto as ap

TYPES: dict[str, ap.ImageMediaType] = {".gif": "image/gif", ".jpg": "image/jpeg", ".png": "image/png"}


def about_image(path: Path) -> ap.UserMessage:
    """Make a prompt with an image in it."""
    data = base64.b64encode(path.read_bytes()).decode()
    image = ap.ImageBlockParam(source=ap.Base64ImageSource(media_type=TYPES[path.suffix], data=data))
    return ap.new_prompt([image, ap.TextBlockParam(text=f"What does {path.name} show?")])


def conversation(images: list[Path]) -> list[ap.StdinMessage]:
    """Make the messages of a session, in order."""
    return [
        ap.request(ap.InitializeRequest(system_prompt="Answer in one sentence.")),
        ap.request(ap.SetPermissionModeRequest(mode=ap.PermissionModeValue.PLAN)),
        ap.request(ap.SetModelRequest(model=None)),  # null; without `model`, the member is absent
        ap.new_prompt("Which files are here?"),
        *map(about_image, images),
        ap.request(ap.InterruptRequest()),
    ]


def write(messages: list[ap.StdinMessage]) -> None:
    """Write to standard output."""
    out = ap.Writer(sys.stdout.buffer)
    for message in messages:
        out.write(message)


async def write_to(command: list[str], messages: list[ap.StdinMessage]) -> int:
    """Start a command and write to its standard input; return its exit code."""
    process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE)
    if process.stdin is not None:
        out = ap.AsyncWriter(process.stdin)
        for message in messages:
            await out.write(message)
        process.stdin.close()
    return await process.wait()


def main(arguments: list[str]) -> int:
    """Write a session; return the exit code."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    images, command = arguments[:end], arguments[end + 1 :]
    try:
        messages = conversation([Path(image) for image in images])
        if command:
            return asyncio.run(write_to(command, messages))
        write(messages)
    except ap.EncodeError as error:
        print(f"a message does not fit the protocol: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
