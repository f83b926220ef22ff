"""Writes the lines of a client: the initialization of a session, prompts of several kinds, and an interrupt.

    python write_session.py [IMAGE ...] > lines-for-the-cli
    python write_session.py [IMAGE ...] -- COMMAND [ARGUMENT ...]

One prompt asks about each IMAGE. The lines are written to standard output or, if a COMMAND is given, to the standard
input of that command, which the program starts. Each message is checked before it is written.
"""

import asyncio
import base64
import sys
from pathlib import Path

import agentlines as al

TYPES: dict[str, al.ImageMediaType] = {".gif": "image/gif", ".jpg": "image/jpeg", ".png": "image/png"}


def about_image(path: Path) -> al.UserMessage:
    """Build a prompt that contains an image."""
    data = base64.b64encode(path.read_bytes()).decode()
    image = al.ImageBlockParam(source=al.Base64ImageSource(media_type=TYPES[path.suffix], data=data))
    return al.new_prompt([image, al.TextBlockParam(text=f"What does {path.name} show?")])


def conversation(images: list[Path]) -> list[al.StdinMessage]:
    """Build the messages of a session, in order."""
    return [
        al.request(al.InitializeRequest(system_prompt=["Answer in one sentence."])),
        al.request(al.SetPermissionModeRequest(mode=al.PermissionModeValue.PLAN)),
        al.request(al.SetModelRequest(model=None)),  # null; without `model`, the member is absent
        al.new_prompt("Which files are here?"),
        *map(about_image, images),
        al.request(al.InterruptRequest()),
    ]


def write(messages: list[al.StdinMessage]) -> None:
    """Write the messages to standard output."""
    out = al.Writer(sys.stdout.buffer)
    for message in messages:
        out.write(message)


async def write_to(command: list[str], messages: list[al.StdinMessage]) -> int:
    """Start a command and write the messages to its standard input; return its exit code."""
    process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE)
    if process.stdin is not None:
        out = al.AsyncWriter(process.stdin)
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
    except al.EncodeError as error:
        print(f"a message does not fit the protocol: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
