# pyright: basic
"""The common part of the process adapters: it dispatches events and passes answers to the callers. It never blocks.

The class of an adapter adds how it transfers bytes, waits, and calls functions.
"""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from collections import deque
from dataclasses import dataclass

from ._base import UNSET
from ._control import ControlError
from ._functions import Answerers, receiver
from ._pairs import SESSION
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
    from ._pairs import TypedId, TypedPeer, TypedRequest, TypedSession
    from ._streams import AsyncReader, Reader

__all__ = ["FailedAnswer", "PeerProcess", "ProcessError", "StandardError"]

KEPT = 65_536
"""The number of characters of standard error that are kept."""

WAITING = 256
"""The number of waiting events and running function calls at which reading pauses, unless a request is pending."""

BACKLOG = 4096
"""The default limit of the same number while a request is pending."""

HELD = LIMIT
"""The limit of the total size of their lines in bytes, in both cases."""

UNREAD = 1_048_576
"""The number of bytes of answers that may wait for a process that sends requests but does not read."""

ENDING = 1.0
"""The number of seconds that a process has to end after it has closed its output or its input.

Whatever then fails has the exit status and the standard error, which say why. After its end, its output ends too if
nothing comes for as long: child processes may keep it open.
"""

PATIENCE = 5.0
"""The number of seconds that a process has to end by itself, and again after it is told to terminate."""


_MALFORMED = "the output of the process cannot be read behind a malformed header"


class ProcessError(Exception):
    """The process has ended or is being ended, has closed its output or its input, or has too many untaken events.

    `returncode` is its exit status, negative for a signal and None if it is not known; `stderr` is the last part of its
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


@dataclass(frozen=True)
class FailedAnswer:
    """A function raised `error`, or its result is invalid; the request with the payload is refused."""

    id: TypedId
    payload: TypedRequest
    error: BaseException


class StandardError:
    """Keeps the last part of the standard error of a process, and passes all of it on."""

    def __init__(self, told: Callable[[str], object] | None) -> None:
        self.text = ""
        self._told = told
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> None:
        """Add the next bytes; an empty chunk marks the end."""
        text = self._decoder.decode(data, not data)
        self.text = (self.text + text)[-KEPT:]
        if text and self._told is not None:
            told, self._told = self._told, None  # not called again after it has raised
            told(text)
            self._told = told


class PeerProcess:
    """A process and the session with it."""

    session: TypedSession
    """The session. This object does not notice direct calls of its methods."""
    started: dict[str, Any]
    """The answers to the initial requests, as futures by control."""

    def __init__(
        self,
        peer: TypedPeer,
        launch: Launch,
        *,
        program: str | os.PathLike[str] | None = None,
        answers: Mapping[Any, Callable[[Any], object]] | None = None,
        stderr: Callable[[str], object] | None = None,
        limit: int = LIMIT,
        backlog: int = BACKLOG,
        refuse_unknown: bool = True,
    ) -> None:
        """Prepare a process, which `start` or a `with` block starts; this side is `peer`.

        The functions in the options of the launch are called. `program` takes precedence over that of the launch.
        `answers` maps types of other requests to functions that answer them: a function takes the payload, and its
        result is sent. An exception of a function refuses the request, and is an event. `stderr` is called with the
        text that the process writes to its standard error. `limit` is the maximum length of a line in bytes.
        `backlog` is the number of events that may wait while a request is pending; the default is 4096. If
        `refuse_unknown` is false, unknown requests are events for the program to answer.

        Raises ValueError if there is no program, if two functions are given for a request, or if the options have a
        function or an object that a process does not use.
        """
        found = program or launch.program
        if not found:
            raise ValueError("expected a program: neither the launch nor the argument names one")
        script = [] if launch.script is None else [launch.script]
        session: Any = Session(peer, refuse_unknown=refuse_unknown)
        self.session = session
        self.started = {}
        self._lock = self._new_lock()
        self._command = [os.fspath(found), *launch.program_arguments, *script, *launch.arguments]
        self._launch = launch
        self._answerers = Answerers(launch.functions, dict(answers or {}))
        self._limit = limit
        self._backlog = backlog
        self._tail = StandardError(receiver(launch.functions, "stderr", stderr))
        self._events: deque[tuple[Any, int]] = deque()
        """The events that the program has not taken, each with the size of its line in bytes."""
        self._askers: dict[Any, Any] = {}
        """The futures of pending requests, by the id of the request."""
        self._running: dict[Any, Any] = {}
        """The function calls in progress, by the id of the request."""
        self._cancelled: set[Any] = set()
        """Those of them whose requests the peer has cancelled."""
        self._calls = 0
        """The number of function calls in progress, including those whose requests are cancelled."""
        self._held = 0
        """The total size of the lines of waiting events and of function calls in progress."""
        self._unread = 0
        """The number of bytes of answers that the process has not read."""
        self._is_started = False
        self._is_closing = False
        self._is_over = False
        self._failure: BaseException | None = None
        """The reason why the events end; None at the end of the output."""
        self._muted: str | None = None
        """Why the output of the process has ended although it goes on."""
        self._is_broken = False
        """Whether a line could not be written, because the process has closed its input or has ended."""
        self._is_unreachable = False
        """Whether it has closed its input, and goes on."""

    # Implemented by each adapter.

    def _new_lock(self) -> AbstractContextManager[Any]:
        """A lock that guards the state above."""
        raise NotImplementedError

    @property
    def returncode(self) -> int | None:
        """The exit status, negative for a signal; None while the process runs."""
        raise NotImplementedError

    def _future(self) -> Any:
        raise NotImplementedError

    def _changed(self) -> None:
        """Wake everything that waits for an event, or for room for one."""
        raise NotImplementedError

    def _put(self, line: bytes) -> Any:
        """Send a line without waiting until the process reads it."""
        raise NotImplementedError

    def _tell(self, line: bytes) -> None:
        """Send the answer to a request, and count it as unread until the process has read it."""
        raise NotImplementedError

    def _call(
        self, asked: SessionRequest, function: Callable[[Any], Any], result: Callable[[Any], Any], size: int
    ) -> Any:
        """Start calling a function and then `result`, and return a handle for `_withdraw`."""
        raise NotImplementedError

    def _withdraw(self, call: Any) -> bool:
        """Cancel a function call whose result is not needed; False if that is impossible."""
        raise NotImplementedError

    def _kill(self) -> None:
        raise NotImplementedError

    # For the program.

    @property
    def stderr(self) -> str:
        """The last part of the standard error."""
        return self._tail.text

    def _environment(self) -> dict[str, str]:
        return self._launch.environment.over(os.environ)

    # Requests.

    def _begin(self) -> None:
        """Send the initial requests. If the process has ended, they fail when its output is read."""
        for control, payload in self._launch.requests.items():
            self.started[control] = self._send_request(from_value(payload, SESSION["payload"]))[1]

    def _ask(self, payload: Any) -> tuple[Any, Any]:
        """Send a request, and return its id and the future of its answer."""
        with self._lock:
            self._check_session()
            if self._has(self._backlog):
                raise self._unread_events()
            return self._send_request(payload)

    def _send_request(self, payload: Any) -> tuple[Any, Any]:
        id_, line = self.session.request(payload)
        future = self._askers[_key(id_)] = self._future()
        self._changed()  # waiting events no longer block reading, which the answer needs
        self._put(line)
        return id_, future

    def _give_up(self, id_: Any) -> None:
        """Stop waiting for an answer, and cancel the request if the protocol has cancellations."""
        with self._lock:
            if self._askers.pop(_key(id_), None) is None or self._is_over or SESSION["cancel"] is None:
                return
            try:
                self._put(self.session.cancel(id_))
            except (ProcessError, SessionError):
                pass  # it is answered already, or never will be

    def _check_runs(self) -> None:
        """Raise ProcessError if nothing can be sent."""
        self._check_session()
        if self._is_broken:
            raise self._ended("the process has closed its input")

    def _check_session(self) -> None:
        """Raise ProcessError if the session is over."""
        self._check_started()
        if self._failure is not None:
            raise self._failed(self._failure) from self._failure
        if self.returncode is not None or self._is_over:
            raise self._ended()
        if self._is_closing:
            raise self._ended("the process is being ended")

    def _is_ending(self) -> bool:
        """Whether the process may be about to end, or has ended with output to be read."""
        return not self._is_over and (self.returncode is not None or (self._is_broken and not self._is_unreachable))

    def _check_started(self) -> None:
        if not self._is_started:
            raise RuntimeError("the process is not started; call start() or use a with statement")

    def _ended(self, message: str | None = None) -> ProcessError:
        code = self.returncode
        if message is None:
            message = self._muted if self._muted is not None and code is None else f"the process ended ({code})"
        return ProcessError(message, code, self.stderr)

    def _failed(self, error: BaseException) -> ProcessError:
        message = error.message if isinstance(error, ProcessError) else f"{type(error).__name__}: {_text(error)}"
        return self._ended(message)

    # Receiving.

    def _is_full(self) -> bool:
        """Whether reading has to pause until the program takes events."""
        if self._is_closing or self._is_over or self._askers:
            return False  # a program that waits for an answer takes no events
        return self._has(min(WAITING, self._backlog))

    def _has(self, count: int) -> bool:
        """Whether `count` events and calls are waiting or in progress, or the size of their lines is at its limit."""
        return len(self._events) + self._calls >= count or self._held >= HELD

    def _unread_events(self) -> ProcessError:
        return self._ended(
            f"{len(self._events)} events wait and {self._calls} functions are called ({self._held} bytes of lines), "
            "so that no answer can be read: take events while a request awaits its answer"
        )

    def _take(self, item: Any, size: int) -> None:
        """Process what was read from a line of `size` bytes."""
        with self._lock:
            event = item if isinstance(item, BadLine) else self.session.receive(item)
            if not self._is_handled(event, item, size) and not self._is_dropped():
                self._events.append((event, size))
                self._held += size
                self._changed()
            if self._askers and self._has(self._backlog):
                self._reject(self._unread_events())

    def _is_dropped(self) -> bool:
        """Whether new events are dropped: after their end, or because the process is being ended and enough wait."""
        return self._is_over or (self._is_closing and self._has(WAITING))

    def _taken(self) -> Any:
        """Take the next event for the program."""
        event, size = self._events.popleft()
        self._held -= size
        self._changed()
        return event

    def _is_handled(self, event: Any, message: Any, size: int) -> bool:
        """Process an event that settles a pending request or is answered here; False if it is for the program."""
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
            if call is None:
                return False
            self._cancelled.add(call)
            return self._withdraw(call)
        if isinstance(event, SessionRequest):
            self._running.pop(_key(event.id), None)  # a call for a cancelled request, whose id this one has now
            found = self._answerers.find(event.payload)
            if found is not None and not self._is_dropped():
                self._calls += 1
                self._held += size
                self._running[_key(event.id)] = self._call(event, *found, size)
            return found is not None
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

    # Answers by functions.

    def _replied(self, asked: SessionRequest, result: Any, call: Any, size: int) -> int:
        """Handle a function that returned. Returns the size that is no longer held."""
        if self._is_closing or self._is_over:
            return size
        try:
            line = asked.reply(result)
        except Exception as error:  # noqa: BLE001 - the result is invalid, or no longer needed
            return self._raised(asked, error, call, size)
        self._answer(line)
        return size

    def _raised(self, asked: SessionRequest, error: BaseException, call: Any, size: int) -> int:
        """Handle a function that raised. Returns the size that is no longer held: none if there is an event of it."""
        if self._is_closing or self._is_over:
            return size
        message: Any = _text(error) or type(error).__name__  # Any: protocols without errors take no message
        try:
            line = asked.refuse(message)
        except SessionError:
            pass  # the peer no longer needs it
        except Exception:  # noqa: BLE001 - the protocol has no errors, or none that can report this
            self._fail(error)
        else:
            with self._lock:  # the event comes before whatever the peer writes after the answer
                is_event = call not in self._cancelled and not self._is_dropped()
                if is_event:
                    self._events.append((FailedAnswer(asked.id, asked.payload, error), size))
                    self._changed()
                self._answer(line)
            return 0 if is_event else size
        return size

    def _returned(self, asked: SessionRequest, call: Any, freed: int) -> None:
        """Clean up after a function has finished; `freed` is the size that is no longer held."""
        with self._lock:
            self._calls -= 1
            self._held -= freed
            self._cancelled.discard(call)
            if self._running.get(_key(asked.id)) is call:
                del self._running[_key(asked.id)]
            self._changed()

    def _answer(self, line: bytes) -> None:
        """Send an answer; end a process that sends requests but does not read."""
        with self._lock:
            if self._is_closing or self._is_over:
                return
            self._tell(line)
            if self._unread > UNREAD:
                self._fail(self._ended("the process does not read the answers to its requests"))
                self._kill()

    # Ending.

    def _outlast(self, reader: Reader[Any] | AsyncReader[Any]) -> None:
        """End the events of a process whose output has ended, and that goes on."""
        is_malformed = reader._lines.closed
        with self._lock:
            self._is_over = True
            self._muted = _MALFORMED if is_malformed else "the process has closed its output"
            self._reject(self._ended())
            self._changed()

    def _deafened(self) -> None:
        """Fail the requests to a process that has closed its input, unless it has ended with output to be read."""
        with self._lock:
            if self.returncode is not None:
                return
            self._is_unreachable = True
            self._reject(self._ended("the process has closed its input"))

    def _fail(self, error: BaseException) -> None:
        """End the events with an error."""
        with self._lock:
            if not self._is_over:
                self._failure = error
                self._is_over = True
                self._reject(self._failed(error))
            self._changed()

    def _reject(self, error: ProcessError) -> None:
        """Fail all pending requests."""
        for future in self._askers.values():
            if not future.done():
                future.set_exception(error)
        self._askers.clear()

    def _finish(self) -> None:
        """Finish after the process has ended and all of its output is read."""
        with self._lock:
            self._is_over = True
            self._reject(self._ended())
            for call in list(self._running.values()):
                self._withdraw(call)
            self._changed()


def _text(error: BaseException) -> str:
    """The text of an error of the program, whose `__str__` may fail as well."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - reported with the error
        return ""
