"""What the clients in Python see of a program → what they print."""

from __future__ import annotations

import gc
import json
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import agentlines as al

LIMIT = 1 << 20
"""The limit of a line in bytes."""

LONG = 60.0
"""The seconds until whatever is left counts as left for good."""

KINDS = {
    al.FailedAnswer: "failed_answer",
    al.SessionAnswer: "answer",
    al.SessionCancellation: "cancellation",
    al.SessionFailure: "failure",
    al.SessionInvalidAnswer: "invalid_answer",
    al.SessionMessage: "message",
    al.SessionRequest: "request",
    al.SessionUnknownRequest: "unknown_request",
}


class Seen:
    """The events of a process and its end."""

    def __init__(self, kind: str, tasks: Callable[[], int] = lambda: 0) -> None:
        self.tasks = tasks
        self.before = left(tasks())
        self.told: dict[str, Any] = {"kind": kind, "request": None, "events": [], "end": None}

    def event(self, event: Any) -> bool:
        """Record an event; return whether the program is to be closed."""
        name, is_last = KINDS.get(type(event), ""), False
        match event:
            case al.BadLine(line=line, error=error):
                name = f"bad {line} {error.code}"
            case al.SessionStray(reason=reason):
                name = f"stray {reason}"
            case al.SessionMessage(message=message):
                is_last = b'"close"' in al.encode(message)
        events = self.told["events"]
        if events and events[-1][0] == name:
            events[-1][1] += 1
        else:
            events.append([name, 1])
        return is_last

    def request(self, error: BaseException | None) -> None:
        """Record the outcome of the request."""
        match error:
            case None:
                self.told["request"] = {"outcome": "answered"}
            case al.ProcessError():
                end = {"status": error.returncode, "stderr": error.stderr[-40:]}
                self.told["request"] = {"outcome": "process", "message": str(error), **end}
            case al.ControlError():
                self.told["request"] = {"outcome": "refused", "message": str(error)}
            case al.DecodeError():
                self.told["request"] = {"outcome": "invalid", "message": str(error)}
            case _:
                raise error

    def end(self, process: al.AsyncProcess | al.Process, status: int) -> None:
        """Record how the process ended."""
        self.told.update(status=status, stderr=process.stderr[-40:])

    def unstarted(self, error: OSError) -> None:
        self.told["unstarted"] = str(error)

    def is_quiet(self) -> bool:
        """Whether nothing is left of the process."""
        self.told["left"] = {name: [self.before[name], count] for name, count in left(self.tasks()).items()}
        return all(before == now for before, now in self.told["left"].values())

    def show(self) -> None:
        print(json.dumps(self.told), flush=True)


def left(tasks: int) -> dict[str, int]:
    """The threads, tasks, descriptors and child processes there are."""
    gc.collect()
    children = 0
    for thread in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
            children += len((thread / "children").read_text(encoding="ascii").split())
    return {
        "threads": threading.active_count(),
        "tasks": tasks,
        "descriptors": len([*Path("/proc/self/fd").iterdir()]),
        "children": children,
    }


def launch(size: int) -> al.Launch:
    """A launch whose only request is at least `size` bytes long."""
    return al.launch(al.QueryOptions(system_prompt="x" * size))
