"""Programs that are no testees, for tests of what the runner does with them.

    unruly.py HABIT FOLDER

FOLDER contains the pipes by which a program reports that it hangs and is resumed (`events.Watch`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

BLOCK = b"x" * (1 << 16)
NAMES = {"language": "unruly", "version": "0", "types": []}


def answer(identity: int, **members: object) -> None:
    os.write(1, json.dumps({"id": identity, **members}).encode() + b"\n")


def requests() -> list[int]:
    """Read one request, and describe the program if that is requested; return the ids of other requests."""
    request = json.loads(sys.stdin.buffer.readline() or "null")
    if request is None:
        sys.exit(0)
    if request["op"] == "describe":
        answer(request["id"], **NAMES)
        return []
    return [request["id"]]


def decoded(identity: int) -> None:
    answer(identity, ok=False, code="wrong_type", path="", message="no")


def hang(folder: Path) -> None:
    (folder / "hangs").write_bytes(b"x")
    (folder / "go").read_bytes()


def floods_without_a_line_end(_: Path) -> None:
    while not requests():
        pass
    while True:
        os.write(1, BLOCK)


def floods_with_lines(folder: Path) -> None:
    """Repeat an answer that was right once."""
    while not (found := requests()):
        pass
    (folder / "flooding").touch()
    while True:
        decoded(found[0])


def floods_with_blank_lines(_: Path) -> None:
    while not requests():
        pass
    while True:
        os.write(1, b"\n" * (1 << 16))


def floods_standard_error(_: Path) -> None:
    """Write 200 MB to standard error at the first request, and exit."""
    while not requests():
        pass
    for _ in range(200_000_000 // len(BLOCK)):
        os.write(2, BLOCK)
    os.write(2, b"\nlast words\n")
    os._exit(5)


def start_a_child(folder: Path) -> None:
    """Start a process that holds all pipes, and the pipe `child` of the folder, until it is killed."""
    source, kept = os.pipe()  # it holds both ends, so that its input never ends
    with (folder / "child").open("wb") as held:
        code = "import sys; sys.stdin.buffer.read()"
        subprocess.Popen([sys.executable, "-c", code], stdin=source, pass_fds=[held.fileno(), kept])


def leaves_a_child(folder: Path) -> None:
    """Exit at the first request."""
    start_a_child(folder)
    while not requests():
        pass
    os._exit(3)


def leaves_a_child_at_the_end(folder: Path) -> None:
    start_a_child(folder)
    while True:
        for each in requests():
            decoded(each)


def is_silent(folder: Path) -> None:
    hang(folder)


def is_silent_at_every_request(folder: Path) -> None:
    while True:
        if requests():
            hang(folder)


def never_reads(folder: Path) -> None:
    answer(0, **NAMES)
    hang(folder)


HABITS: dict[str, Callable[[Path], None]] = {
    name: each
    for name, each in list(globals().items())
    if callable(each) and getattr(each, "__module__", "") == __name__
}

if __name__ == "__main__":
    HABITS[sys.argv[1]](Path(sys.argv[2]))
