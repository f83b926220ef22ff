"""Requests → answers, through the process of a testee, which may be wrong, slow, hang or exit.

Requests are pipelined: one thread writes them, another reads the answers, and the caller judges meanwhile. If a process
exits, or does not answer for too long, a new one gets the unanswered requests one at a time and with a longer timeout.
The reported request is therefore the one that caused the failure, and a testee that is merely slow is not reported.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import IO, TypeAlias

from polywire.conformance import jsontext

CANNOT_RUN = 77
"""The exit status of a testee that lacks something on this machine; its standard error says what."""

MOST_RESTARTS = 20
"""A testee that exits or hangs this often is abandoned."""

MOST_PROBLEMS = 50
"""A testee that writes this many unexpected answers is abandoned."""

MORE = 4
"""Factor for the timeout of a testee that once did not answer in time."""

LONGEST = 600.0
"""Maximum timeout in seconds after applying `MORE`."""

_CAREFUL = 2000
"""Maximum number of requests repeated one at a time; more than a pipe and a testee's buffer hold."""

_BATCH = 256
_LONGEST_LINE = 1 << 28
_READ = 1 << 18
_TAIL = 500
_LAST_LINES = 3
_EXIT_SECONDS = 60.0
"""Seconds that a child which has closed its output gets to exit before it is killed."""


class CannotRunError(Exception):
    """The testee lacks something on this machine (its program, a library) and is skipped."""


class StartError(Exception):
    """The testee does not start, does not describe itself, or writes unexpected output."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """The reason why a request has no usable answer."""

    what: str
    """What happened, always in the same words."""
    detail: str = ""
    asked: bool = True
    """False if the testee had already been abandoned."""

    @property
    def message(self) -> str:
        return self.what + self.detail


Answer: TypeAlias = "dict[str, object]"
Reply: TypeAlias = "Answer | Trouble"


class End(Enum):
    """The reason why a process gives no more answers."""

    SILENT = "did not answer"
    """It is running, but did not answer in time."""
    CLOSED = "exited"
    """It has closed its output, and has exited or is about to."""
    ENDLESS = "wrote a line without end"


_Lines: TypeAlias = "list[bytes] | End"
Wait: TypeAlias = "Callable[[queue.SimpleQueue[_Lines], float], _Lines | None]"
"""Takes a process's output from the queue; None if there is none for that many seconds."""


def wait(lines: queue.SimpleQueue[_Lines], seconds: float) -> _Lines | None:
    """Wait for a process in real time."""
    try:
        return lines.get(timeout=seconds)
    except queue.Empty:
        return None


class Session:
    """A running testee: it is started at once, and restarted when it exits or hangs."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path | None = None,
        patience: float = 10.0,
        startup: float = 0.0,
        environment: Mapping[str, str] | None = None,
        wait: Wait = wait,
    ) -> None:
        """`patience` is the timeout in seconds for each pending answer; `startup` is for the first answer.

        A request that timed out is repeated with a timeout `MORE` times as long before it counts as a problem.
        """
        self._command = list(command)
        self._folder = folder
        self._patience = patience
        self._startup = max(_more(patience), startup)
        self._wait = wait
        self._environment = None if environment is None else dict(environment)
        self._next_id = 0
        self._restarts = 0
        self.problems: list[str] = []
        """Problems of the testee that belong to no single request."""
        self.notes: list[str] = []
        """Notes about the testee that are not problems."""
        self._process = self._start()

    def describe(self) -> Answer:
        """Return the testee's answer to `describe`. Raises `CannotRunError` or `StartError`."""
        identity = self._identity()
        self._process.send([_line(identity, {"op": "describe"})])
        lines = self._receive(self._startup)
        if isinstance(lines, End):
            ending = self._ending(lines, self._startup)
            if self._process.stop() == CANNOT_RUN:
                raise CannotRunError(self._process.errors() or "its standard error is empty")
            raise StartError(f"it {ending} when asked to describe itself{self._detail(lines)}")
        reply = _parse(lines[0])
        if isinstance(reply, Trouble) or reply.get("id") != identity or len(lines) > 1:
            self.kill()
            problem = reply.message if isinstance(reply, Trouble) else f"got {_short(lines[0])}"
            raise StartError(f"it does not describe itself: {problem}")
        return reply

    def ask(self, requests: Iterable[Mapping[str, object]]) -> list[Reply]:
        """Return one reply for each request, in order."""
        lines: dict[int, bytes] = {}
        for request in requests:
            identity = self._identity()
            lines[identity] = _line(identity, request)
        replies: dict[int, Reply] = {}
        waiting = dict(lines)
        while waiting:
            if self._restarts >= MOST_RESTARTS:
                given_up = Trouble(f"not asked: the testee was restarted {MOST_RESTARTS} times before", asked=False)
                replies |= dict.fromkeys(waiting, given_up)
                break
            end = self._pipeline(waiting, replies, self._patience)
            if end is not None:
                ending = self._ending(end, self._patience)
                self._restart()
                self._carefully(waiting, replies, end, ending)
        return [replies[identity] for identity in lines]

    def close(self) -> None:
        """Close the input and check that the testee writes nothing more and exits with 0."""
        if self._restarts >= MOST_RESTARTS:
            self.kill()
            return
        self._process.end_input()
        patience = _more(self._patience)
        rest = self._receive(patience)
        while isinstance(rest, list):
            self._complain(f"an answer to nothing: {_short(rest[0])}")
            rest = self._receive(patience)
        if rest is End.SILENT:
            self.kill()
            self.problems.append(f"did not exit within {patience:g} s of the end of its input")
        elif self._process.stop() != 0:
            self.problems.append(f"{self._ending(rest, patience)} at the end of its input{self._detail(rest)}")

    def kill(self) -> None:
        """Kill the process immediately."""
        self._process.stop()

    # --- the two ways of sending requests ----------------------------------------------------------------------

    def _pipeline(self, waiting: dict[int, bytes], replies: dict[int, Reply], patience: float) -> End | None:
        """Send all requests at once, removing answered ones from `waiting`. Return what ended this early, if any."""
        self._process.send(waiting.values())
        while waiting:
            lines = self._receive(patience)
            if isinstance(lines, End):
                return lines
            for line in lines:
                self._take(line, waiting, replies)
        return None

    def _carefully(self, waiting: dict[int, bytes], replies: dict[int, Reply], end: End, ending: str) -> None:
        """Send requests one at a time, with a longer timeout, to find the one that ended the process before."""
        patience = _more(self._patience)
        for identity in list(islice(waiting, _CAREFUL)):
            found = self._pipeline({identity: waiting[identity]}, replies, patience)
            if found is not None:
                what = f"the testee {self._ending(found, patience)} at this request"
                replies[identity] = Trouble(what, self._detail(found))
                del waiting[identity]
                self._restart()
                return
            del waiting[identity]
        again = f"{ending} once, but not when the same requests were sent one at a time"
        if end is End.SILENT:
            self._patience = patience  # it is slow, or the machine is busy
            self.notes.append(again)
        else:
            self.problems.append(again)

    def _receive(self, patience: float) -> _Lines:
        """Return some whole lines, or the reason why there are none."""
        lines = self._wait(self._process.lines, patience)
        return End.SILENT if lines is None else lines

    def _ending(self, end: End, patience: float) -> str:
        """Describe how the process ended, stopping it if it still runs."""
        if end is End.SILENT:
            return f"{end.value} within {patience:g} s"
        status = self._process.stop()
        if end is not End.CLOSED:
            return str(end.value)
        return f"{end.value} with status {status}" if status >= 0 else f"was killed by signal {-status}"

    def _detail(self, end: End) -> str:
        """Return the end of its standard error, and the most common mistake of a testee that does not answer."""
        self._process.stop()
        errors = self._process.errors()
        hint = "; does it flush every answer?" if end is End.SILENT else ""
        return (f"; its standard error ends with: {errors}" if errors else "") + hint

    def _take(self, line: bytes, waiting: dict[int, bytes], replies: dict[int, Reply]) -> None:
        reply = _parse(line)
        if isinstance(reply, Trouble) and waiting:
            # This is a guess at the request that it answers: answers usually come in the order of requests.
            oldest = next(iter(waiting))
            del waiting[oldest]
            replies[oldest] = reply
            return
        identity = None if isinstance(reply, Trouble) else reply.get("id")
        if not isinstance(identity, int) or not 0 <= identity < self._next_id:
            self._complain(f"an answer to nothing: {_short(line)}")
        elif identity in waiting:
            del waiting[identity]
            replies[identity] = reply
        elif not isinstance(replies.get(identity), Trouble):
            self._complain(f"request {identity} is answered twice: {_short(line)}")
            if identity in replies:
                replies[identity] = Trouble("answered twice", f", the second time: {_short(line)}")

    def _complain(self, problem: str) -> None:
        """Record a problem that belongs to no request. Raises `StartError` if there are too many."""
        self.problems.append(problem)
        if len(self.problems) >= MOST_PROBLEMS:
            raise StartError(f"given up: {problem}")

    def _identity(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def _restart(self) -> None:
        self._restarts += 1
        self._process.stop()
        self._process = self._start()

    def _start(self) -> _Process:
        try:
            return _Process(self._command, self._folder, self._environment)
        except FileNotFoundError as error:
            raise CannotRunError(f"no program {self._command[0]}") from error
        except OSError as error:
            raise StartError(f"{self._command[0]}: {error.strerror}") from error


def _more(patience: float) -> float:
    return max(patience, min(MORE * patience, LONGEST))


class _Process:
    """A child process with threads at both ends, so that neither side ever blocks on the other's pipe."""

    def __init__(self, command: Sequence[str], folder: Path | None, environment: dict[str, str] | None) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            self._child = subprocess.Popen(  # noqa: S603 - running testees is what this is for
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError:
            self._errors.close()
            raise
        _RUNNING.add(self._child)
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.lines: queue.SimpleQueue[_Lines] = queue.SimpleQueue()
        """The lines of the child, and finally the reason why there are no more."""
        self._status: int | None = None
        self._tail = ""
        for work in (self._write, self._read):
            threading.Thread(target=work, daemon=True).start()

    def send(self, lines: Iterable[bytes]) -> None:
        iterator = iter(lines)
        while batch := b"".join(islice(iterator, _BATCH)):
            self._requests.put(batch)

    def end_input(self) -> None:
        self._requests.put(None)

    def stop(self) -> int:
        """Kill the child unless it has exited or, having closed its output, is about to; return its status."""
        if self._status is None:
            closed = self._child.stdout is not None and self._child.stdout.closed
            try:
                self._status = self._child.wait(timeout=_EXIT_SECONDS if closed else 0)
            except subprocess.TimeoutExpired:
                _kill(self._child)
                self._status = self._child.wait()
            _RUNNING.discard(self._child)
            self._requests.put(None)
            self._errors.seek(0)
            lines = self._errors.read().decode("utf-8", "replace").split("\n")
            self._tail = " / ".join([line.strip() for line in lines if line.strip()][-_LAST_LINES:])[-_TAIL:]
            self._errors.close()
        return self._status

    def errors(self) -> str:
        """Return the end of the standard error of a stopped child."""
        return self._tail

    def _write(self) -> None:
        pipe = self._child.stdin
        assert pipe is not None  # noqa: S101 - Popen was called with PIPE
        try:
            while (batch := self._requests.get()) is not None:
                pipe.write(batch)
                if self._requests.empty():
                    pipe.flush()
            pipe.close()
        except OSError:
            # The child is gone; the reader notices and reports it.
            with contextlib.suppress(OSError):
                pipe.close()

    def _read(self) -> None:
        pipe = self._child.stdout
        assert pipe is not None  # noqa: S101 - Popen was called with PIPE
        held: list[bytes] = []
        size = 0
        while chunk := pipe.read1(_READ):  # type: ignore[attr-defined]  # a BufferedReader, typed as IO[bytes]
            *whole, rest = chunk.split(b"\n")
            if whole:
                whole[0] = b"".join([*held, whole[0]])
                held, size = [], 0
                self.lines.put(whole)
            held.append(rest)
            size += len(rest)
            if size > _LONGEST_LINE:
                self.lines.put(End.ENDLESS)
                _kill(self._child)
                break
        last = b"".join(held)
        if last:
            self.lines.put([last])
        pipe.close()
        self.lines.put(End.CLOSED)


_RUNNING: set[subprocess.Popen[bytes]] = set()
"""Children that have not been waited for yet. They are killed if the run is aborted."""


@atexit.register
def _kill_all() -> None:
    for child in list(_RUNNING):
        _kill(child)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and its descendants: a testee may be a script around the actual program."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()


def _line(identity: int, request: Mapping[str, object]) -> bytes:
    return json.dumps({"id": identity, **request}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _parse(line: bytes) -> Reply:
    try:
        value = jsontext.read(line)
    except jsontext.JsonError as error:
        return Trouble("an answer that is not JSON", f" ({error}): {_short(line)}")
    if not isinstance(value, dict):
        return Trouble("an answer that is not an object", f": {_short(line)}")
    if type(value.get("id")) is not int:
        return Trouble("an answer without the id of a request", f": {_short(line)}")
    return value


def _short(line: bytes) -> str:
    text = line.decode("utf-8", "backslashreplace")
    return text if len(text) <= 200 else f"{text[:200]} …"
