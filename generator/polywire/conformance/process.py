"""Requests → answers, through the process of a testee, which may be wrong, slow, hang or exit.

Requests are pipelined: one thread writes them, another reads the answers, and the caller judges meanwhile. If a process
exits, or does not answer for too long, a new one gets the unanswered requests one at a time and with a longer timeout.
The reported request is therefore the one that caused the failure, and a testee that is merely slow is not reported.

A testee may be any program. What it writes is held in bounded queues, so that it is blocked when it writes faster than
it is read; its whole process group is killed when it ends; and one clock counts the time that all waits for it took.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from polywire.conformance import jsontext

CANNOT_RUN = 77
"""The exit status of a testee that lacks something on this machine; its standard error says what."""

MOST_RESTARTS = 20
"""A testee that exits or hangs this often is abandoned."""

MOST_PROBLEMS = 50
"""A testee that writes this many unexpected answers is abandoned."""

MORE = 4
"""Factor for the timeout of a testee that once did not answer in time; it is applied once."""

LONGEST = 600.0
"""Maximum timeout in seconds after applying `MORE`."""

MOST_SILENCE = 6
"""A testee whose timeouts add up to this many times the patience is abandoned: one that hangs and is retried, and hangs
again."""

_CAREFUL = 2000
"""Maximum number of requests repeated one at a time; more than a pipe and a testee's buffer hold."""

_BATCH = 256
_LONGEST_LINE = 1 << 25
_READ = 1 << 18
_AHEAD = 4
"""How many pieces are read before they are needed. A piece is what one read returned, and the line that it ends."""
_TAIL = 500
_LAST_LINES = 3
_LAST_BYTES = 1 << 14
"""How much of the end of the standard error is kept."""
_LAST_SECONDS = 10.0
"""How long to wait for the end of the standard error of a killed child, which a process outside its group may hold."""


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


_Output: TypeAlias = "queue.Queue[bytes | End]"
"""Pieces of the output of a process, each of whole lines without the last line end; then why there are no more."""
Wait: TypeAlias = "Callable[[_Output, float], bytes | End | None]"
"""Takes a process's output from the queue; None if there is none for that many seconds."""


def wait(output: _Output, seconds: float) -> bytes | End | None:
    """Wait for a process in real time."""
    try:
        return output.get(timeout=seconds)
    except queue.Empty:
        return None


class Clock:
    """How long to wait for a testee, and for how long it has been silent, in all its processes."""

    def __init__(self, patience: float, wait: Wait = wait) -> None:
        """`patience` is the timeout in seconds for each pending answer."""
        self.patience = patience
        self.longer = max(patience, min(MORE * patience, LONGEST))
        """The timeout for a request that is repeated, and the least timeout for the first answer."""
        self.silent = 0.0
        """The sum of all timeouts, in seconds."""
        self._most = MOST_SILENCE * patience
        self._wait = wait

    @property
    def is_over(self) -> bool:
        """Whether the testee has been silent for too long."""
        return self.silent >= self._most

    def next(self, output: _Output, seconds: float) -> list[bytes] | End:
        """Return some whole lines, or the reason why there are none."""
        found = self._wait(output, seconds)
        if found is None:
            self.silent += seconds
            return End.SILENT
        return found if isinstance(found, End) else found.split(b"\n")


class Session:
    """A running testee: it is started at once, and restarted when it exits or hangs."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path | None = None,
        clock: Clock,
        startup: float = 0.0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`clock` is shared by all sessions of a testee; `startup` is the timeout in seconds for the first answer.

        A request that timed out is repeated with a timeout `MORE` times as long before it counts as a problem.
        """
        self._command = list(command)
        self._folder = folder
        self._clock = clock
        self._startup = max(clock.longer, startup)
        self._environment = None if environment is None else dict(environment)
        self._next_id = 0
        self._restarts = 0
        self._guessed: set[int] = set()
        """Requests with a problem that may be another's, so that their own answer may still come."""
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
            if (why := self._abandoned()) is not None:
                replies |= dict.fromkeys(waiting, Trouble(f"not asked: the testee {why} before", asked=False))
                break
            end = self._pipeline(waiting, replies, self._clock.patience)
            if end is not None:
                ending = self._ending(end, self._clock.patience)
                self._restart()
                if self._abandoned() is None:
                    self._carefully(waiting, replies, end, ending)
        return [replies[identity] for identity in lines]

    def close(self) -> None:
        """Close the input and check that the testee writes nothing more and exits with 0."""
        if self._abandoned() is not None:
            self.kill()
            return
        self._process.end_input()
        patience = self._clock.longer
        rest = self._receive(patience)
        while not isinstance(rest, End):
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
        patience = self._clock.longer
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
            self._clock.patience = patience  # it is slow, or the machine is busy
            self.notes.append(again)
        else:
            self.problems.append(again)

    def _abandoned(self) -> str | None:
        """Return why the testee gets no more requests."""
        if self._restarts >= MOST_RESTARTS:
            return f"was restarted {MOST_RESTARTS} times"
        if not self._clock.is_over:
            return None
        why = f"was silent for {self._clock.silent:g} s in all"
        if f"{why}: it gets no more requests" not in self.problems:
            self.problems.append(f"{why}: it gets no more requests")
        return why

    def _receive(self, patience: float) -> list[bytes] | End:
        return self._clock.next(self._process.output, patience)

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
            self._guessed.add(oldest)
            return
        identity = None if isinstance(reply, Trouble) else reply.get("id")
        if not isinstance(identity, int) or not 0 <= identity < self._next_id:
            self._complain(f"an answer to nothing: {_short(line)}")
        elif identity in waiting:
            del waiting[identity]
            replies[identity] = reply
        elif identity in self._guessed:
            self._guessed.discard(identity)
        else:
            self._complain(f"request {identity} is answered twice: {_short(line)}")
            if identity in replies and not isinstance(replies[identity], Trouble):
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


class _Process:
    """A child process with threads at its pipes, so that neither side ever blocks on the other's pipe.

    The child is the leader of a process group. Once it has exited, the rest of the group is killed: a descendant that
    keeps the pipes open would hide the end of the child, and survive the run.
    """

    def __init__(self, command: Sequence[str], folder: Path | None, environment: dict[str, str] | None) -> None:
        self._child = subprocess.Popen(  # noqa: S603 - running testees is what this is for
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        _RUNNING.add(self._child)
        self._requests: queue.SimpleQueue[Iterator[bytes] | None] = queue.SimpleQueue()
        self.output: _Output = queue.Queue(_AHEAD)
        """The output of the child, and finally the reason why there is no more."""
        self._is_stopped = False
        self._last = b""
        self._writer, self._reader, self._collector, self._waiter = (
            threading.Thread(target=work, daemon=True)
            for work in (self._write, self._read, self._collect_errors, self._await_exit)
        )
        for thread in (self._waiter, self._writer, self._reader, self._collector):
            thread.start()

    def send(self, lines: Iterable[bytes]) -> None:
        self._requests.put(iter(list(lines)))

    def end_input(self) -> None:
        self._requests.put(None)

    def stop(self) -> int:
        """Kill the child unless it has exited; return its status."""
        if not self._is_stopped:
            if self._waiter.is_alive():
                _kill(self._child)
                self._waiter.join()
            self._is_stopped = True
            self._requests.put(None)
            with contextlib.suppress(queue.Empty):  # the reader may wait for a free place
                while True:
                    self.output.get_nowait()
            self._collector.join(_LAST_SECONDS)
            _RUNNING.discard(self._child)
        return self._child.returncode

    def errors(self) -> str:
        """Return the end of the standard error of a stopped child."""
        lines = self._last.decode("utf-8", "replace").split("\n")
        return " / ".join([line.strip() for line in lines if line.strip()][-_LAST_LINES:])[-_TAIL:]

    # --- the threads -------------------------------------------------------------------------------------------

    def _await_exit(self) -> None:
        if hasattr(
            os, "waitid"
        ):  # the child is reaped only after its group is killed, so that no other can have its id
            with contextlib.suppress(ChildProcessError):  # where the system reaps children by itself
                os.waitid(os.P_PID, self._child.pid, os.WEXITED | os.WNOWAIT)
            _kill(self._child)
        self._child.wait()

    def _write(self) -> None:
        pipe = self._child.stdin
        assert pipe is not None  # noqa: S101 - Popen was called with PIPE
        try:
            while (lines := self._requests.get()) is not None:
                while batch := b"".join(islice(lines, _BATCH)):
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
        line = bytearray()
        while chunk := pipe.read1(_READ):  # type: ignore[attr-defined]  # a BufferedReader, typed as IO[bytes]
            whole, end, rest = chunk.rpartition(b"\n")
            if end:
                self._put(bytes(line) + whole)
                line.clear()
            line += rest
            if len(line) > _LONGEST_LINE:
                line.clear()
                self._put(End.ENDLESS)
                _kill(self._child)
                break
        if line:
            self._put(bytes(line))
        pipe.close()
        self._waiter.join()
        self._put(End.CLOSED)

    def _put(self, item: bytes | End) -> None:
        if not self._is_stopped:
            self.output.put(item)

    def _collect_errors(self) -> None:
        pipe = self._child.stderr
        assert pipe is not None  # noqa: S101 - Popen was called with PIPE
        while chunk := pipe.read1(_READ):  # type: ignore[attr-defined]  # as above
            self._last = (self._last + chunk)[-_LAST_BYTES:]
        pipe.close()


_RUNNING: set[subprocess.Popen[bytes]] = set()
"""Children that have not been waited for yet. They are killed if the run is aborted."""


@atexit.register
def _kill_all() -> None:
    for child in list(_RUNNING):
        _kill(child)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and its process group: a testee may be a script around the actual program."""
    if child.returncode is not None:
        return
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
    text = line[:1000].decode("utf-8", "backslashreplace")
    return text if len(text) <= 200 else f"{text[:200]} …"
