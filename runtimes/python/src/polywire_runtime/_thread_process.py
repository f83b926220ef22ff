# pyright: basic
"""A session with a process, for programs with threads."""

from __future__ import annotations

import os
import select
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from inspect import isawaitable
from queue import SimpleQueue
from subprocess import PIPE, Popen
from threading import Condition, Event, Lock, Thread, current_thread

from ._base import UNSET
from ._framing import frame
from ._process import ENDING, PATIENCE, PeerProcess, ProcessError
from ._streams import Reader
from ._wire import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from typing_extensions import Self

    from ._base import Unset
    from ._pairs import TypedCode, TypedData, TypedId, TypedMessage, TypedNotice, TypedReason, TypedRequest, TypedResult
    from ._process import FailedAnswer
    from ._session import SessionEvent, SessionRequest
    from ._streams import BadLine

__all__ = ["Process"]


class _Pipe:
    """A stream of the process. `end` ends it although other processes have it open, except on Windows."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.can_end = hasattr(select, "poll")
        self._lock = Lock()
        self._waker: int | None = None
        if self.can_end:
            self._woken, self._waker = os.pipe()

    def _ready(self, events: int, timeout: int | None) -> dict[int, int]:
        """Wait for events of the stream or for `end`, and return which of the two descriptors are ready."""
        poll = select.poll()
        poll.register(self._file.fileno(), events)
        poll.register(self._woken, select.POLLIN)
        return dict(poll.poll(timeout))

    def end(self) -> None:
        with self._lock:
            if self._waker is not None:
                os.close(self._waker)
            self._waker = None

    def close(self) -> None:
        self._file.close()
        if self.can_end:
            self.end()
            os.close(self._woken)


class _Input(_Pipe):
    """The stream that the process reads."""

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        if self.can_end:
            os.set_blocking(file.fileno(), False)

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            if self.can_end and self._woken in self._ready(select.POLLOUT, None):
                raise BrokenPipeError
            rest = rest[os.write(self._file.fileno(), rest) :]


class _Output(_Pipe):
    """A stream that the process writes to.

    What the pipe holds when it is ended is still read: a function of the program may have delayed the reader.
    """

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self._is_waiting = False
        self._has_ended = False
        self.received = 0

    def read(self, size: int) -> bytes:
        self._is_waiting = True
        if self.can_end:
            ready = self._ready(select.POLLIN, None)
            is_over, self._has_ended = self._has_ended, self._woken in ready
            if is_over or self._file.fileno() not in ready:
                return b""
        data = os.read(self._file.fileno(), size)
        self._is_waiting = False
        self.received += 1
        return data

    read1 = read

    def is_silent(self) -> bool:
        """Whether everything is read that has come."""
        return self._is_waiting and not (self.can_end and self._ready(select.POLLIN, 0))


class Process(PeerProcess):
    """A process that speaks the protocol, for threads: an iterator over events and each BadLine.

        with Process(peer, launch) as process:
            for event in process:
                ...

    Its output is read while the program takes events or waits for answers. If the program takes no events, the process
    blocks. Requests that functions answer, and answers to `request`, are not events. Threads can share it.

    Functions that answer requests run in threads. If the peer cancels a request, its function goes on, and the result
    is sent only if cancelled requests are answered.
    """

    started: dict[str, Future[Any]]
    """The answers to the initial requests, by control."""
    _popen: Popen[bytes]

    def _new_lock(self) -> Condition:
        self._condition = Condition()
        return self._condition

    # Starting.

    def start(self) -> Self:
        """Start the process and send the initial requests. Raises OSError if the program does not exist."""
        if self._is_started:
            raise RuntimeError("the process is started already")
        self._lines: SimpleQueue[tuple[bytes, Future[None]] | None] = SimpleQueue()
        self._is_abandoned = False
        self._exited = Event()
        self._done = Event()
        self._popen = Popen(
            self._command, cwd=self._launch.cwd, env=self._environment(), stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        self._is_started = True
        self._input = _Input(self._popen.stdin)
        self._outputs = _Output(self._popen.stdout), _Output(self._popen.stderr)
        try:
            with self._condition:  # the requests are pending before a thread can find that the process has ended
                self._readers = [_begun(self._read), _begun(self._read_errors)]
                _begun(self._write_lines)
                _begun(self._watch)
                self._begin()
        except BaseException:
            self.close(grace=0, patience=0)
            raise
        return self

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def returncode(self) -> int | None:
        """The exit status, negative for a signal; None while the process runs."""
        return self._popen.returncode if self._is_started else None

    # Sending.

    def request(self, payload: TypedRequest, timeout: float | None = None) -> Any:
        """Send a request and return its result, as the result type of the request.

        Raises ControlError if the peer answers with an error, DecodeError if the result is invalid, and ProcessError if
        the process ends first or too many events are waiting. After `timeout` seconds, it cancels the request and
        raises TimeoutError.
        """
        self._ready()
        id_, future = self._ask(payload)
        try:
            return future.result(timeout)
        except TooLate:  # before 3.11, it is not the built-in TimeoutError
            raise TimeoutError(f"no answer within {timeout} seconds") from None
        finally:
            self._give_up(id_)

    def notify(self, payload: TypedNotice) -> None:
        """Send a notification."""
        self._send(self.session.notify(payload))

    def write(self, message: TypedMessage) -> None:
        """Write a message. Raises EncodeError and writes nothing if the message is invalid."""
        self._send(encode(message))

    def reply(self, request: SessionRequest | TypedId, result: TypedResult | Unset | None = UNSET) -> None:
        """Answer a request that is not answered by a function."""
        self._check_runs()
        self._send(self.session.reply(request, result))

    def refuse(
        self,
        request: SessionRequest | TypedId,
        message: TypedReason,
        *,
        code: TypedCode = None,
        data: TypedData = UNSET,
    ) -> None:
        """Refuse a request that is not answered by a function."""
        self._check_runs()
        self._send(self.session.refuse(request, message, code=code, data=data))

    def _send(self, line: bytes) -> None:
        """Send a line, and wait until it is written to the process."""
        self._ready()
        with self._condition:
            self._check_runs()
            written = self._put(line)
        written.result()

    def _ready(self) -> None:
        """Raise ProcessError if nothing can be sent; give a process that may be about to end the time to do so."""
        if self._is_started and self._is_ending() and not self._is_closing:
            self._done.wait(ENDING)
        self._check_runs()

    def _put(self, line: bytes) -> Future[None]:
        written: Future[None] = Future()
        self._lines.put((line, written))
        return written

    def _tell(self, line: bytes) -> None:
        def count(_: object) -> None:
            with self._condition:
                self._unread -= len(line)

        self._unread += len(line)
        self._put(line).add_done_callback(count)

    def _write_lines(self) -> None:
        """Write the queued lines, so that no other thread blocks on a process that does not read."""
        while (each := self._lines.get()) is not None:
            line, written = each
            if self._is_broken:
                written.set_exception(self._unwritten())
                continue
            try:
                self._input.write(frame(line))
            except OSError:
                self._is_broken = True
                if not self._is_closing and not self._done.wait(ENDING):
                    self._deafened()
                written.set_exception(self._unwritten())
            except Exception as error:  # noqa: BLE001 - raised where the line was sent
                written.set_exception(error)
            else:
                written.set_result(None)
        self._input.close()

    def _unwritten(self) -> ProcessError:
        return self._ended(None if self._exited.is_set() else "the process has closed its input")

    # Receiving.

    def _future(self) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # it cannot be cancelled; a caller can only stop waiting
        return future

    def _changed(self) -> None:
        self._condition.notify_all()

    def _read(self) -> None:
        try:
            reader = Reader(self._outputs[0], limit=self._limit)
            for item in reader:
                self._take(item, reader._lines.length)
                with self._condition:
                    while self._is_full():
                        self._condition.wait()
            discarding = Thread(target=self._discard, daemon=True)
            discarding.start()
            if not self._exited.wait(ENDING):
                self._outlast(reader)
                self._exited.wait()
            self._outputs[0].end()  # what child processes write behind a malformed header may not end
            discarding.join()
        except Exception as error:  # noqa: BLE001 - raised where events are taken
            self._fail(error)

    def _discard(self) -> None:
        """Read what is behind a malformed header; the process must not block."""
        try:
            while self._outputs[0].read(65_536):
                pass
        except OSError as error:
            self._fail(error)

    def _read_errors(self) -> None:
        while True:
            data = self._outputs[1].read(65_536)
            try:
                self._tail.feed(data)
            except Exception as error:  # noqa: BLE001 - raised where events are taken
                self._fail(error)
            if not data:
                return

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> SessionEvent | FailedAnswer | BadLine:
        self._check_started()
        with self._condition:
            while not self._events and not self._is_over:
                self._condition.wait()
            if self._events:
                event: SessionEvent | FailedAnswer | BadLine = self._taken()
                return event
        if self._failure is not None:
            raise self._failure
        raise StopIteration

    # Functions.

    def _call(
        self, asked: SessionRequest, function: Callable[[Any], Any], result: Callable[[Any], Any], size: int
    ) -> object:
        call = object()

        def called() -> Any:
            returned = function(asked.payload)
            return result(_awaited(returned) if isawaitable(returned) else returned)

        _begun(lambda: self._called(asked, called, call, size))
        return call

    def _called(self, asked: SessionRequest, function: Callable[[], Any], call: object, size: int) -> None:
        freed = size
        try:
            result = function()
        except BaseException as error:  # noqa: BLE001 - reported to the peer
            freed = self._raised(asked, error, call, size)
        else:
            freed = self._replied(asked, result, call, size)
        finally:
            self._returned(asked, call, freed)

    def _withdraw(self, _: object) -> bool:
        return False  # the thread goes on

    # Ending.

    def wait(self) -> int:
        """Wait until the process has ended and its output is read; return the exit status.

        Unless the process is closed, all of its output is read first; the last events may still wait to be taken.
        """
        self._check_started()
        self._done.wait()
        code = self.returncode
        assert code is not None
        return code

    def close(self, *, grace: float = PATIENCE, patience: float = PATIENCE) -> int:
        """End the process: close its input, terminate it after `grace` seconds, kill it after `patience` seconds more.

        Returns the exit status. An exception in between, such as KeyboardInterrupt, kills the process immediately.
        """
        self._check_started()
        with self._condition:
            self._is_closing = True
            self._changed()
        self._lines.put(None)
        popen = self._popen
        try:
            if not self._exited.wait(grace):
                popen.terminate()
                if not self._exited.wait(patience):
                    popen.kill()
                    self._exited.wait()
            for reader in self._readers:
                if reader is not current_thread():
                    reader.join(min(patience, ENDING))
        except BaseException:
            popen.kill()
            self._exited.wait()
            raise
        self._is_abandoned = True  # child processes may keep its output open
        self._end_output()
        self._finish()
        return self.wait()

    def _kill(self) -> None:
        self._popen.kill()

    def _watch(self) -> None:
        self._popen.wait()
        self._exited.set()
        self._input.end()  # child processes may keep it open
        received = -1
        while any(each.is_alive() for each in self._readers):
            before, received = received, self._outputs[0].received
            if self._is_abandoned or (before == received and self._is_silent()):
                break
            for reader in self._readers:
                reader.join(ENDING)
        self._end_output()
        self._finish()
        for reader, output in zip(self._readers, self._outputs, strict=True):
            if output.can_end:
                reader.join()
            if not reader.is_alive():
                output.close()

    def _end_output(self) -> None:
        """End the output as if the pipes were closed, so that a last line without a line break is read.

        A function of the program that a reader calls, such as that for the standard error, may take longer.
        """
        for reader, output in zip(self._readers, self._outputs, strict=True):
            output.end()
            if output.can_end and reader is not current_thread():
                reader.join(ENDING)

    def _is_silent(self) -> bool:
        """Whether everything is read that has come; it is not while the program takes no events.

        The standard error has no say: child processes that log may never be silent.
        """
        return not self._readers[0].is_alive() or self._outputs[0].is_silent()

    def _finish(self) -> None:
        super()._finish()
        self._lines.put(None)
        self._done.set()


def _awaited(awaitable: Any) -> Any:
    """The result of a coroutine function, in an event loop of its own."""

    async def waited() -> Any:
        return await awaitable

    import asyncio  # few programs with threads need it

    return asyncio.run(waited())


def _begun(function: Callable[[], object]) -> Thread:
    thread = Thread(target=function, daemon=True)
    thread.start()
    return thread
