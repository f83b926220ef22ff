"""Requests → answers, through a testee's process that may be wrong, hang or die.

Requests are pipelined: one thread writes them, another reads the answers, and the caller judges meanwhile. When a
process dies or says nothing for too long, a fresh one gets the unanswered requests one at a time, so that the request
reported is the one that did it and not merely one that was on the way.
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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TypeAlias

from polywire.conformance import jsontext

CANNOT_RUN = 77
"""The exit status of a testee that lacks something on this machine; its standard error says what."""

MOST_DEATHS = 20
"""A testee that dies or hangs this often is given up."""

MOST_PROBLEMS = 50
"""A testee that prints this much that nobody asked for is given up."""

_CAREFUL = 2000
"""How many requests are repeated one at a time after a death; more than a pipe and a testee's buffer hold."""

_BATCH = 256
_LONGEST_LINE = 1 << 28
_READ = 1 << 18
_TAIL = 500
_LAST_LINES = 3
_LAST_SECONDS = 2.0


class CannotRunError(Exception):
    """The testee lacks something here (its program, a library): a reason to skip it."""


class StartError(Exception):
    """The testee does not start, does not describe itself, or talks without being asked."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a request has no usable answer."""

    message: str
    asked: bool = True
    """False if the testee had been given up before."""


Answer: TypeAlias = "dict[str, object]"
Reply: TypeAlias = "Answer | Trouble"


class Session:
    """A testee being asked: it is started at once, and started again when it dies."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path | None = None,
        patience: float = 10.0,
        startup: float = 0.0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`patience` is how many seconds a testee may be silent while it owes answers; `startup`, before the first."""
        self._command = list(command)
        self._folder = folder
        self._patience = patience
        self._startup = max(patience, startup)
        self._environment = None if environment is None else dict(environment)
        self._next_id = 0
        self._deaths = 0
        self.problems: list[str] = []
        """What is wrong with the testee apart from any single request."""
        self._process = self._start()

    def describe(self) -> Answer:
        """The testee's answer to `describe`. Raises `CannotRunError` or `StartError`."""
        identity = self._identity()
        self._process.send([_line(identity, {"op": "describe"})])
        lines = self._process.receive(self._startup)
        if isinstance(lines, str):
            status = self._process.stop()
            told = self._process.last_words()
            if status == CANNOT_RUN:
                raise CannotRunError(told or "it says no more")
            raise StartError(
                f"{lines} before it described itself" + (f"; it said: {told}" if told else "") + _hint(lines)
            )
        reply = _parse(lines[0])
        if isinstance(reply, Trouble) or reply.get("id") != identity or len(lines) > 1:
            self.kill()
            problem = reply.message if isinstance(reply, Trouble) else f"got {_short(lines[0])}"
            raise StartError(f"it does not describe itself: {problem}")
        return reply

    def ask(self, requests: Iterable[Mapping[str, object]]) -> list[Reply]:
        """One reply for each request, in their order."""
        lines: dict[int, bytes] = {}
        for request in requests:
            identity = self._identity()
            lines[identity] = _line(identity, request)
        replies: dict[int, Reply] = {}
        waiting = dict(lines)
        while waiting:
            if self._deaths >= MOST_DEATHS:
                given_up = Trouble(f"not asked: the testee died {MOST_DEATHS} times before", asked=False)
                replies |= dict.fromkeys(waiting, given_up)
                break
            trouble = self._pipeline(waiting, replies)
            if trouble:
                self._restart()
                self._carefully(waiting, replies, trouble)
        return [replies[identity] for identity in lines]

    def close(self) -> None:
        """Ends the input and sees that the testee says nothing more and exits with 0."""
        if self._deaths >= MOST_DEATHS:
            self.kill()
            return
        self._process.end_input()
        rest = self._process.receive(self._patience)
        while isinstance(rest, list):
            self._complain(f"an answer to nothing: {_short(rest[0])}")
            rest = self._process.receive(self._patience)
        status = self._process.stop()
        if rest == _SILENT:
            self.problems.append(f"does not exit at the end of its input (waited {self._patience:g} s)")
        elif status != 0:
            told = self._process.last_words()
            self.problems.append(
                f"exits with {status} at the end of its input" + (f"; it said: {told}" if told else "")
            )

    def kill(self) -> None:
        """Ends the process at once."""
        self._process.stop()

    # --- one way of asking and the other -----------------------------------------------------------------------

    def _pipeline(self, waiting: dict[int, bytes], replies: dict[int, Reply]) -> str | None:
        """Asks everything at once; what is answered leaves `waiting`. Returns what ended it early, if anything."""
        self._process.send(waiting.values())
        while waiting:
            lines = self._process.receive(self._patience)
            if isinstance(lines, str):
                return lines
            for line in lines:
                self._take(line, waiting, replies)
        return None

    def _carefully(self, waiting: dict[int, bytes], replies: dict[int, Reply], trouble: str) -> None:
        """Asks one at a time until the request that caused the trouble is found."""
        for identity in list(islice(waiting, _CAREFUL)):
            found = self._pipeline({identity: waiting[identity]}, replies)
            if found:
                told = self._process.stopped_words()
                replies[identity] = Trouble(
                    f"the testee {found} at this request" + (f"; it said: {told}" if told else "") + _hint(found)
                )
                del waiting[identity]
                self._restart()
                return
            del waiting[identity]
        self.problems.append(f"{trouble} once, and did not when the same requests came one at a time")

    def _take(self, line: bytes, waiting: dict[int, bytes], replies: dict[int, Reply]) -> None:
        reply = _parse(line)
        if isinstance(reply, Trouble) and waiting:
            # Whose answer it was meant to be is a guess: answers come in the order of their requests as a rule.
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
                replies[identity] = Trouble(f"answered twice, the second time: {_short(line)}")

    def _complain(self, problem: str) -> None:
        """Notes what belongs to no request. Raises `StartError` when there is no end of it."""
        self.problems.append(problem)
        if len(self.problems) >= MOST_PROBLEMS:
            raise StartError(f"given up: {problem}")

    def _identity(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def _restart(self) -> None:
        self._deaths += 1
        self._process.stop()
        self._process = self._start()

    def _start(self) -> _Process:
        try:
            return _Process(self._command, self._folder, self._environment)
        except FileNotFoundError as error:
            raise CannotRunError(f"no program {self._command[0]}") from error
        except OSError as error:
            raise StartError(f"{self._command[0]}: {error.strerror}") from error


_SILENT = "says nothing"
_GONE = "died"


def _hint(trouble: str) -> str:
    """What is wrong most often with a testee that is silent."""
    return "; does it flush every answer?" if trouble == _SILENT else ""


class _Process:
    """A child with threads at both ends, so that neither side ever waits for the other's pipe."""

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
        self._lines: queue.SimpleQueue[list[bytes] | str] = queue.SimpleQueue()
        self._status: int | None = None
        self._words = ""
        for work in (self._write, self._read):
            threading.Thread(target=work, daemon=True).start()

    def send(self, lines: Iterable[bytes]) -> None:
        iterator = iter(lines)
        while batch := b"".join(islice(iterator, _BATCH)):
            self._requests.put(batch)

    def end_input(self) -> None:
        self._requests.put(None)

    def receive(self, patience: float) -> list[bytes] | str:
        """Some whole lines, or how it comes that there are none."""
        try:
            return self._lines.get(timeout=patience)
        except queue.Empty:
            return _SILENT

    def stop(self) -> int:
        """Kills the child unless it has exited or, having closed its output, is about to; returns its status."""
        if self._status is None:
            closed = self._child.stdout is not None and self._child.stdout.closed
            try:
                self._status = self._child.wait(timeout=_LAST_SECONDS if closed else 0)
            except subprocess.TimeoutExpired:
                _kill(self._child)
                self._status = self._child.wait()
            _RUNNING.discard(self._child)
            self._requests.put(None)
            self._errors.seek(0)
            lines = self._errors.read().decode("utf-8", "replace").split("\n")
            self._words = " / ".join([line.strip() for line in lines if line.strip()][-_LAST_LINES:])[-_TAIL:]
            self._errors.close()
        return self._status

    def last_words(self) -> str:
        """The end of what a stopped child wrote to its standard error."""
        return self._words

    def stopped_words(self) -> str:
        """The same, of a child that may still be running: it is stopped."""
        status = self.stop()
        return f"exit status {status}" + (f", {self._words}" if self._words else "")

    def _write(self) -> None:
        pipe = self._child.stdin
        assert pipe is not None  # noqa: S101 - Popen was told to make it
        try:
            while (batch := self._requests.get()) is not None:
                pipe.write(batch)
                if self._requests.empty():
                    pipe.flush()
            pipe.close()
        except OSError:
            # The child is gone; the reader sees it too, and says so.
            with contextlib.suppress(OSError):
                pipe.close()

    def _read(self) -> None:
        pipe = self._child.stdout
        assert pipe is not None  # noqa: S101 - Popen was told to make it
        held: list[bytes] = []
        size = 0
        while chunk := pipe.read1(_READ):  # type: ignore[attr-defined]  # a BufferedReader, which IO[bytes] does not say
            *whole, rest = chunk.split(b"\n")
            if whole:
                whole[0] = b"".join([*held, whole[0]])
                held, size = [], 0
                self._lines.put(whole)
            held.append(rest)
            size += len(rest)
            if size > _LONGEST_LINE:
                self._lines.put("writes a line without end and")
                _kill(self._child)
                break
        last = b"".join(held)
        if last:
            self._lines.put([last])
        pipe.close()
        self._lines.put(_GONE)


_RUNNING: set[subprocess.Popen[bytes]] = set()
"""The children that nobody has waited for. A run that is broken off leaves none behind."""


@atexit.register
def _kill_all() -> None:
    for child in list(_RUNNING):
        _kill(child)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kills the child and what it started: a testee may be a script around the real program."""
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
        return Trouble(f"an answer that is not JSON ({error}): {_short(line)}")
    if not isinstance(value, dict):
        return Trouble(f"an answer that is no object: {_short(line)}")
    if type(value.get("id")) is not int:
        return Trouble(f"an answer without the id of a request: {_short(line)}")
    return value


def _short(line: bytes) -> str:
    text = line.decode("utf-8", "backslashreplace")
    return text if len(text) <= 200 else f"{text[:200]} …"
