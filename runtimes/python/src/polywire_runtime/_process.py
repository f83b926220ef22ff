# pyright: basic
"""What the adapters for processes have in common: events are sorted, answers reach whoever waits. It waits for nothing.

A class of an adapter adds how bytes travel, how it waits and how it calls functions.
"""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from collections import deque

from . import _pairs
from ._base import UNSET
from ._control import ControlError
from ._session import (
    Session,
    SessionAnswer,
    SessionCancellation,
    SessionError,
    SessionFailure,
    SessionInvalidAnswer,
    SessionRequest,
    SessionUnknownRequest,
    _key,
)
from ._streams import LIMIT, BadLine
from ._wire import from_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from typing import Any

    from ._launch import Launch

__all__ = ["PeerProcess", "ProcessError", "StandardError"]

KEPT = 65_536
"""How much of the standard error is kept, in characters."""

WAITING = 256
"""How many events and calls of functions may be under way before no more is read, unless a request is unanswered."""

BACKLOG = 4096
"""How many may be while a request awaits its answer, unless the program says otherwise."""

HELD = LIMIT
"""How many bytes their lines may have in either case."""

UNREAD = 1_048_576
"""How many bytes of answers may wait for a process that asks and does not read."""

PATIENCE = 5.0
"""How many seconds a process has to end by itself, and then when it is told to."""


class ProcessError(Exception):
    """The process has ended, is being ended, or has written so much that nobody takes that no answer can be read.

    `returncode` is its exit status, negative for a signal and None if it is not known; `stderr` is the end of its
    standard error.
    """

    message: str
    returncode: int | None
    stderr: str

    def __init__(self, message: str, returncode: int | None = None, stderr: str = "") -> None:
        super().__init__(message, returncode, stderr)
        self.message = message
        self.returncode = returncode
        self.stderr = stderr

    def __str__(self) -> str:
        return self.message


class StandardError:
    """Keeps the end of what a process writes on its standard error, and passes all of it on."""

    def __init__(self, told: Callable[[str], object] | None) -> None:
        self.text = ""
        self._told = told
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> None:
        """Take the next bytes; none are the end."""
        text = self._decoder.decode(data, not data)
        self.text = (self.text + text)[-KEPT:]
        if text and self._told is not None:
            told, self._told = self._told, None  # is called no more once it has raised
            told(text)
            self._told = told


class PeerProcess:
    """A process and the session with it."""

    def __init__(
        self,
        peer: str,
        launch: Launch,
        *,
        program: str | os.PathLike[str] | None = None,
        answers: Mapping[Any, Callable[[Any], Any]] | None = None,
        stderr: Callable[[str], object] | None = None,
        limit: int = LIMIT,
        backlog: int = BACKLOG,
        refuse_unknown: bool = True,
    ) -> None:
        found = program or launch.program
        if not found:
            raise ValueError("expected a program: neither the launch nor the argument names one")
        script = [] if launch.script is None else [launch.script]
        self.session: Session[Any] = Session(peer, refuse_unknown=refuse_unknown)
        """What it is told beside this object goes unnoticed here."""
        self.started: dict[str, Any] = {}
        """The answers to the requests of the start as futures, by control."""
        self._command = [os.fspath(found), *launch.program_arguments, *script, *launch.arguments]
        self._launch = launch
        self._answers = dict(answers or {})
        self._limit = limit
        self._backlog = backlog
        self._tail = StandardError(stderr)
        self._events: deque[tuple[Any, int]] = deque()
        """What the program has not taken, each with the size of its line in bytes."""
        self._askers: dict[Any, Any] = {}
        """The futures of whoever waits for an answer, by the id of the request."""
        self._running: dict[Any, Any] = {}
        """The functions that are called, by the id of the request."""
        self._calls = 0
        """How many there are, with those whose requests are cancelled."""
        self._held = 0
        """The size of the lines of events and calls that are under way."""
        self._unread = 0
        """How many bytes of answers the process has not read."""
        self._is_started = False
        self._is_closing = False
        self._is_over = False
        self._failure: BaseException | None = None
        """Why the events end; None at the end of the output."""

    # What a class of an adapter has.

    _lock: AbstractContextManager[Any]
    """Guards the state above."""

    @property
    def returncode(self) -> int | None:
        """The exit status, negative for a signal; None before the end."""
        raise NotImplementedError

    def _future(self) -> Any:
        raise NotImplementedError

    def _changed(self) -> None:
        """Wake whoever waits for an event, or for room for one."""
        raise NotImplementedError

    def _is_deaf(self) -> bool:
        """Whether the process has closed its input."""
        raise NotImplementedError

    def _put(self, line: bytes) -> Any:
        """Hand a line over, without waiting until the process reads it."""
        raise NotImplementedError

    def _tell(self, line: bytes) -> None:
        """Hand over an answer that nobody waits for."""
        raise NotImplementedError

    def _call(self, asked: SessionRequest, function: Callable[[Any], Any], size: int) -> Any:
        """Begin to call a function: what `_withdraw` takes."""
        raise NotImplementedError

    def _withdraw(self, call: Any) -> bool:
        """Tell a function that nobody wants its result; False if that is impossible."""
        raise NotImplementedError

    def _kill(self) -> None:
        raise NotImplementedError

    # What the program sees.

    @property
    def stderr(self) -> str:
        """The end of its standard error."""
        return self._tail.text

    def _environment(self) -> dict[str, str]:
        return self._launch.environment.over(os.environ)

    # Requests.

    def _begin(self) -> None:
        """Send the requests of the start."""
        for control, payload in self._launch.requests.items():
            self.started[control] = self._ask(from_value(payload, _pairs.PAYLOAD))[1]

    def _ask(self, payload: Any) -> tuple[Any, Any]:
        """Send a request: its id, and the future of its answer."""
        with self._lock:
            self._check_runs()
            if self._has(self._backlog):
                raise self._unread_events()
            id_, line = self.session.request(payload)
            future = self._askers[_key(id_)] = self._future()
            self._changed()  # what waits for the program no longer keeps the answer from being read
            self._put(line)
        return id_, future

    def _give_up(self, id_: Any) -> None:
        """Nobody waits for an answer any more; the peer is told where the protocol can."""
        with self._lock:
            if self._askers.pop(_key(id_), None) is None or self._is_over or _pairs.CANCELLATION is None:
                return
            try:
                self._put(self.session.cancel(id_))
            except (ProcessError, SessionError):
                pass  # it is answered, or never will be

    def _check_runs(self) -> None:
        """Raise ProcessError if nothing can be sent."""
        self._check_started()
        if self._failure is not None:
            raise self._ended(f"{type(self._failure).__name__}: {self._failure}") from self._failure
        if self.returncode is not None or self._is_over:
            raise self._ended()
        if self._is_closing:
            raise self._ended("the process is being ended")
        if self._is_deaf():
            raise self._ended("the process has closed its input")

    def _check_started(self) -> None:
        if not self._is_started:
            raise RuntimeError("the process is not started; call start() or use a with statement")

    def _ended(self, message: str | None = None) -> ProcessError:
        code = self.returncode
        return ProcessError(message or f"the process ended ({code})", code, self.stderr)

    # What came.

    def _is_full(self) -> bool:
        """Whether enough waits for the program, which may itself wait for an answer."""
        if self._is_closing or self._is_over or self._askers:
            return False  # who waits for an answer takes no events
        return self._has(min(WAITING, self._backlog))

    def _has(self, count: int) -> bool:
        """Whether so many events and calls are under way, or their lines have as many bytes as they may."""
        return len(self._events) + self._calls >= count or self._held >= HELD

    def _unread_events(self) -> ProcessError:
        return self._ended(
            f"{len(self._events)} events wait and {self._calls} functions are called ({self._held} bytes of lines), "
            "so that no answer can be read: take events while a request awaits its answer"
        )

    def _take(self, item: Any, size: int) -> None:
        """Take what was read from a line of so many bytes."""
        with self._lock:
            event = item if isinstance(item, BadLine) else self.session.receive(item)
            if not self._is_handled(event, item, size) and not self._is_dropped():
                self._events.append((event, size))
                self._held += size
                self._changed()
            if self._askers and self._has(self._backlog):
                self._reject(self._unread_events())

    def _is_dropped(self) -> bool:
        """Whether nobody sees what comes now, as the process is being ended and enough waits."""
        return (self._is_closing or self._is_over) and self._has(WAITING)

    def _taken(self) -> Any:
        """The next event, which the program takes."""
        event, size = self._events.popleft()
        self._held -= size
        self._changed()
        return event

    def _is_handled(self, event: Any, message: Any, size: int) -> bool:
        """Whether an event is done with, as it is what somebody waits for, or is answered."""
        if isinstance(event, SessionAnswer):
            return self._settle(event.id, event.result, None)
        if isinstance(event, SessionFailure):
            data = None if event.data is UNSET else event.data
            error = ControlError(event.message, message, event.code, data)
            return self._settle(event.id, None, error)
        if isinstance(event, SessionInvalidAnswer):
            return self._settle(event.id, None, event.error)
        if isinstance(event, SessionUnknownRequest) and event.line is not None:
            self._answer(event.line)
            return True
        if isinstance(event, SessionCancellation):
            call = self._running.get(_key(event.id))
            return call is not None and self._withdraw(call)
        if isinstance(event, SessionRequest):
            function = next((each for kind, each in self._answers.items() if isinstance(event.payload, kind)), None)
            if function is not None and not self._is_dropped():
                self._calls += 1
                self._held += size
                self._running[_key(event.id)] = self._call(event, function, size)
            return function is not None
        return False

    def _settle(self, id_: Any, result: Any, error: BaseException | None) -> bool:
        future = self._askers.pop(_key(id_), None)
        if future is None:
            return False
        if not future.done():
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)
        return True

    # Answers of functions.

    def _replied(self, asked: SessionRequest, result: Any) -> None:
        """A function returned."""
        if self._is_closing or self._is_over:
            return
        try:
            line = asked.reply(result)
        except Exception as error:  # noqa: BLE001 - a result that does not fit, or nobody wants
            self._raised(asked, error)
        else:
            self._answer(line)

    def _raised(self, asked: SessionRequest, error: BaseException) -> None:
        """A function raised."""
        if self._is_closing or self._is_over:
            return
        try:
            line = asked.refuse(str(error) or type(error).__name__)
        except SessionError:
            return  # the peer does not want it any more
        except Exception:  # noqa: BLE001 - the protocol has no errors, or none that could say this
            self._fail(error)
        else:
            self._answer(line)

    def _returned(self, asked: SessionRequest, call: Any, size: int) -> None:
        """A function is done with."""
        with self._lock:
            self._calls -= 1
            self._held -= size
            if self._running.get(_key(asked.id)) is call:
                del self._running[_key(asked.id)]
            self._changed()

    def _answer(self, line: bytes) -> None:
        """Send an answer; a process that asks and does not read is ended."""
        with self._lock:
            if self._is_closing or self._is_over:
                return
            self._tell(line)
            if self._unread > UNREAD:
                self._fail(self._ended("the process does not read the answers to its requests"))
                self._kill()

    # The end.

    def _fail(self, error: BaseException) -> None:
        """There are no more events, and this is why."""
        with self._lock:
            if not self._is_over:
                self._failure = error
                self._is_over = True
                self._reject(self._ended(f"{type(error).__name__}: {error}"))
            self._changed()

    def _reject(self, error: ProcessError) -> None:
        """Nobody gets an answer any more."""
        for future in self._askers.values():
            if not future.done():
                future.set_exception(error)
        self._askers.clear()

    def _finish(self) -> None:
        """The process has ended, and all of its output is read."""
        with self._lock:
            self._is_over = True
            self._reject(self._ended())
            for call in list(self._running.values()):
                self._withdraw(call)
            self._changed()
