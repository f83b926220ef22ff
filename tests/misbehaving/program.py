"""A fake CLI that misbehaves in the way that its name says.

`kinds.toml` describes what each kind does, and what its client sees. A kind is a function here, in which `-` is `_`. A
program `drawn-END-SEED` does things that are drawn, and ends as its name says.
A program that lives on writes CLOSE when its client is to close it. Nothing depends on time: a program waits for a
line, for the end of its input, or until nobody reads its output. A jump of the clock is not among the kinds, since a
program cannot set the clock of its client.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, NoReturn

ANSWER = {"commands": [], "output_style": "x", "available_output_styles": [], "models": [], "account": {}}
ALIVE = b'{"type":"keep_alive"}\n'
CLOSE = b'{"type":"keep_alive","value":"close"}\n'
LIMIT = 1 << 20
"""The limit of a line that the clients set, in bytes."""

# What a child process runs that keeps the pipes until nobody reads the output.
HOLD = "import select; poll = select.poll(); poll.register(1, 0); poll.poll()"


def write(data: bytes, to: int = 1) -> None:
    """Write everything, in pieces that the pipe takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(to, rest) :]


def response(id_: str, answer: object = ANSWER) -> bytes:
    payload = {"subtype": "success", "request_id": id_, "response": answer}
    return json.dumps({"type": "control_response", "response": payload}).encode() + b"\n"


def request(id_: str, subtype: str = "interrupt", **more: object) -> bytes:
    payload = {"subtype": subtype, **more}
    return json.dumps({"type": "control_request", "request_id": id_, "request": payload}).encode() + b"\n"


def permission(number: int) -> bytes:
    return request(f"r{number}", "can_use_tool", tool_name="Bash", input={}, tool_use_id="t")


def heard() -> str:
    """Read the request of the client, and return its id."""
    message: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    return str(message["request_id"])


def answer() -> None:
    """Answer the request of the client."""
    write(response(heard()))


def wait_for_the_end_of_the_input() -> None:
    while sys.stdin.buffer.read(1 << 16):
        pass


def hold() -> NoReturn:
    """Live until nobody reads the output."""
    poll = select.poll()
    poll.register(1, 0)
    poll.poll()
    os._exit(0)


def finish() -> None:
    """Behave from now on."""
    write(CLOSE)
    wait_for_the_end_of_the_input()


def answer_and_finish() -> None:
    answer()
    finish()


# Programs that end.


def exits_at_once() -> None:
    write(b"no credentials\n", 2)
    sys.exit(7)


def exits_at_once_after_a_flood() -> None:
    write(ALIVE * 3000)
    write(b"no credits\n", 2)
    sys.exit(7)


def exits_after_the_answer() -> None:
    write(response(heard()) + ALIVE)


def is_killed() -> None:
    heard()
    write(ALIVE)
    os.kill(os.getpid(), signal.SIGKILL)


def exits_in_a_line() -> None:
    write(ALIVE + ALIVE[:9])
    sys.exit(3)


def exits_in_an_answer() -> None:
    line = response(heard())
    write(line[: len(line) // 2])


exits_at_once_without_reading_a_long_line = exits_at_once


# Programs that do not end.


def ignores_the_end_of_its_input() -> None:
    answer()
    write(CLOSE)
    hold()


def ignores_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    write(CLOSE)
    hold()


def is_stopped() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    answer()
    write(CLOSE)
    os.kill(os.getpid(), signal.SIGSTOP)


def never_reads() -> None:
    write(CLOSE)
    hold()


never_reads_a_long_line = never_reads


def forks_and_exits() -> None:
    if os.fork() == 0:
        hold()
    write(ALIVE)
    sys.exit(5)


def forks_and_behaves() -> None:
    if os.fork() == 0:
        hold()
    answer_and_finish()


def forks_and_leaves_a_line_without_an_end() -> None:
    if os.fork() == 0:
        hold()
    answer()
    write(CLOSE + ALIVE[:-1])
    wait_for_the_end_of_the_input()


def forks_and_exits_without_reading_a_long_line() -> None:
    if os.fork() == 0:
        os.close(1)
        os.close(2)
        poll = select.poll()
        poll.register(0, 0)
        poll.poll()  # until nobody writes to the input
        os._exit(0)
    sys.exit(5)


def fork_a_flood() -> None:
    """Leave a child process that never stops to write to the standard error."""
    write(b"x" * 100, 2)
    if os.fork() == 0:
        os.close(0)
        os.close(1)
        try:
            while True:
                write(b"x" * 100, 2)
        except BrokenPipeError:
            os._exit(0)


def forks_a_flood_and_behaves() -> None:
    fork_a_flood()
    answer_and_finish()


def forks_a_flood_and_exits() -> None:
    heard()
    fork_a_flood()
    write(ALIVE)
    sys.exit(5)


def executes_and_exits() -> None:
    subprocess.Popen([sys.executable, "-c", HOLD])
    write(ALIVE)
    sys.exit(5)


def executes_and_behaves() -> None:
    subprocess.Popen([sys.executable, "-c", HOLD])
    answer_and_finish()


# Programs that close a stream.


def closes_its_output() -> None:
    heard()
    write(ALIVE)
    os.close(1)
    wait_for_the_end_of_the_input()


def closes_its_input() -> None:
    os.close(0)
    write(CLOSE)
    hold()


def closes_its_standard_error() -> None:
    write(b"the last words\n", 2)
    os.close(2)
    answer_and_finish()


# Programs that write too much.


def writes_invalid_utf_8_to_its_standard_error() -> None:
    write(b"\xff\xfe|\xe2\x82|\xed\xa0\x80|\xf0\x9f\x98\xc3\xa9", 2)
    answer_and_finish()


def floods_its_standard_error() -> None:
    write(b"".join(b"%0100d\n" % number for number in range(50_000)), 2)
    answer_and_finish()


def floods_its_standard_error_without_lines() -> None:
    write(b"x" * 5_000_000 + "é".encode() * 50_000 + b"\xff", 2)
    answer_and_finish()


def flood() -> None:
    try:
        while True:
            write(CLOSE * 1000)
    except BrokenPipeError:
        os._exit(1)


def floods_its_output() -> None:
    threading.Thread(target=flood).start()
    wait_for_the_end_of_the_input()
    os._exit(0)


floods_its_output_without_reading = flood


def floods_its_output_before_it_reads_a_long_line() -> None:
    write((b'{"type":"keep_alive","value":"' + b"x" * 4000 + b'"}\n') * 2000)
    answer_and_finish()


def floods_its_output_before_the_answer() -> None:
    write(ALIVE * 5000)
    answer_and_finish()


def floods_its_output_after_the_answer() -> None:
    answer()
    write(ALIVE * 5000)
    finish()


def sends_requests_without_reading() -> None:
    number = 0
    while True:
        write(b"".join(request(f"r{number + i}", "unknown") for i in range(1000)))
        number += 1000


def sends_requests_with_one_id() -> None:
    write(b"".join(permission(number) for number in range(1500)) + permission(5) * 1500)
    answer_and_finish()


# Programs that answer wrongly.


def answers_nobody() -> None:
    write(response("nobody") * 3000)
    answer_and_finish()


def answers_before_the_request() -> None:
    write(response("1"))
    answer_and_finish()


def answers_twice() -> None:
    write(response(heard()) * 2)
    finish()


def answers_with_another_type() -> None:
    write(response(heard(), {"commands": 1}))
    finish()


def answers_with_an_error() -> None:
    error = {"subtype": "error", "request_id": heard(), "error": "not today"}
    write(json.dumps({"type": "control_response", "response": error}).encode() + b"\n")
    finish()


def cancels_nothing() -> None:
    write(b'{"type":"control_cancel_request","request_id":"nobody"}\n' * 3000)
    answer_and_finish()


# Programs that write no JSON, or no lines.


def writing(*lines: bytes) -> Callable[[], None]:
    def kind() -> None:
        write(b"".join(lines))
        answer_and_finish()

    return kind


writes_text = writing(b"Loading...\n", ALIVE, b"\n  \n", ALIVE[:-1] + b"\r\n")
writes_invalid_utf_8 = writing(b'{"type":"keep_alive","value":"\xff"}\n', b"\xc3\n", ALIVE)
writes_nul_bytes = writing(b"\0" * 100 + b"\n", b'{"type":"keep_alive\0"}\n', ALIVE)
writes_deep_nesting = writing(
    b"[" * 200_000 + b"]" * 200_000 + b"\n",
    b'{"type":"keep_alive","value":' + b'{"a":' * 100_000 + b"0" + b"}" * 100_001 + b"\n",
    ALIVE,
)
writes_deep_nesting_without_an_end = writing(
    b"[" * 500_000 + b"\n", b'{"type":"keep_alive","value":' * 30_000 + b"\n", ALIVE
)
writes_a_line_at_the_limit = writing(
    b'{"type":"keep_alive"}'.ljust(LIMIT) + b"\n", b'{"type":"keep_alive"}'.ljust(LIMIT + 1) + b"\n"
)
writes_a_line_far_over_the_limit = writing(b"x" * 30_000_000 + b"\n", ALIVE)


def writes_a_line_without_an_end() -> None:
    answer()
    write(CLOSE + b"x" * 30_000_000)
    wait_for_the_end_of_the_input()


def behaves() -> None:
    answer_and_finish()


# Programs that are drawn. Lines with several faults are not among what they write, since each has its code.


def fork(*closed: int) -> None:
    """Leave a child process that holds some of the pipes, and does nothing."""
    if os.fork() == 0:
        for each in closed:
            os.close(each)
        hold()


def write_slowly(data: bytes) -> None:
    for each in data:
        write(bytes([each]))


PIECES: tuple[Callable[[], None], ...] = (
    *(lambda: write(ALIVE), lambda: write(ALIVE * 100), lambda: write_slowly(ALIVE), lambda: write(ALIVE[:9])),
    *(lambda: write(ALIVE[:-1] + b"\r\n"), lambda: write(b"\n \r\n"), lambda: write(b"\xef\xbb\xbf" + ALIVE)),
    *(lambda: write(b"Loading...\n"), lambda: write(b"[]\n"), lambda: write(b"\0\n"), lambda: write(b"\xc3\n")),
    *(partial(write, b'{"type":"keep_alive"}'.ljust(LIMIT + more) + b"\r\n") for more in (-1, 0, 1)),
    *(lambda: write(response("nobody")), lambda: write(response("1", {**ANSWER, "extra": 1}))),
    *(lambda: write(permission(1)), lambda: write(request("u", "unknown")), lambda: write(request("", "interrupt"))),
    *(lambda: write(b'{"type":"control_cancel_request","request_id":"r1"}\n'), lambda: write(response("1") * 2)),
    *(lambda: write(b"warning\n", 2), lambda: write(b"\xff", 2), lambda: write(b"x" * 70_000, 2)),
    *(fork, lambda: fork(0), lambda: fork(2), lambda: fork(0, 2)),
)


def drawn(end: str, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - a test
    heard() if random.random() < 0.5 else None
    for piece in random.choices(PIECES, k=random.randrange(12)):
        piece()
    if end == "exits":
        os._exit(random.choice((0, 3, 255)))
    if end == "is killed":
        os.kill(os.getpid(), signal.SIGKILL)
    write(b"\n" + CLOSE + random.choice((b"", ALIVE[:9], ALIVE[:-1])))
    if end == "holds":
        hold()
    wait_for_the_end_of_the_input()
    os._exit(random.choice((0, 4)))


if __name__ == "__main__":
    name = sys.argv[0].rpartition("/")[2]
    if name.startswith("drawn-"):
        _, end, number = name.split("-")
        drawn(end, int(number))
    else:
        globals()[name.replace("-", "_")]()
