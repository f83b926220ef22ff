# pyright: basic
"""A session with a process, for asyncio."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from functools import partial
from inspect import isawaitable

from ._base import UNSET
from ._framing import frame
from ._process import ENDING, PATIENCE, PeerProcess
from ._streams import AsyncReader
from ._wire import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from typing_extensions import Self

    from ._base import Unset
    from ._pairs import TypedCode, TypedData, TypedId, TypedMessage, TypedNotice, TypedReason, TypedRequest, TypedResult
    from ._process import FailedAnswer
    from ._session import SessionEvent, SessionRequest
    from ._streams import BadLine

__all__ = ["AsyncProcess"]


class _Output:
    """A stream that the process writes to."""

    def __init__(self) -> None:
        self.reader = asyncio.StreamReader()
        self.is_waiting = False
        """Whether everything is read that has come."""
        self.received = 0
        self._is_over = False

    async def read(self, size: int) -> bytes:
        self.is_waiting = True
        try:
            return await self.reader.read(size)
        finally:
            self.is_waiting = False

    def feed(self, data: bytes) -> None:
        if not self._is_over:
            self.received += 1
            self.reader.feed_data(data)

    def end(self) -> None:
        self._is_over = True
        self.reader.feed_eof()


class _Pipes(asyncio.SubprocessProtocol):
    """The standard streams of a process.

    It reports when the process itself has ended. In some releases of Python, `asyncio.subprocess.Process` waits until
    the pipes are closed as well, and child processes may keep them open.
    """

    def __init__(self) -> None:
        self.outputs = {1: _Output(), 2: _Output()}
        self.writable = asyncio.Event()
        self.writable.set()
        self.exited = asyncio.Event()
        self.drained: Callable[[], None] = lambda: None
        self.deaf: Callable[[], None] = lambda: None

    def connection_made(self, transport: Any) -> None:
        for fd, output in self.outputs.items():
            output.reader.set_transport(transport.get_pipe_transport(fd))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.outputs[fd].feed(data)

    def pipe_connection_lost(self, fd: int, error: Exception | None) -> None:
        if fd in self.outputs:
            self.outputs[fd].end()
            return
        if error is not None:  # a line was not written; else the next write notices the end of the input
            self.deaf()
        self.resume_writing()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.drained()
        self.writable.set()

    def process_exited(self) -> None:
        self.exited.set()
        self.resume_writing()


class AsyncProcess(PeerProcess):
    """A process that speaks the protocol, for asyncio: an asynchronous iterator over events and each BadLine.

        async with AsyncProcess(peer, launch) as process:
            async for event in process:
                ...

    Its output is read while the program takes events or waits for answers. If the program takes no events, the process
    blocks. Requests that functions answer, and answers to `request`, are not events. Everything except `start` can be
    cancelled without losing or truncating a line.

    Functions that answer requests, also those in the options, run in tasks and can be coroutine functions. If the peer
    cancels a request, its task is cancelled.
    """

    started: dict[str, asyncio.Future[Any]]
    """The answers to the initial requests, by control."""
    _transport: asyncio.SubprocessTransport
    _stdin: Any
    _pipes: _Pipes

    def _new_lock(self) -> nullcontext[None]:
        return nullcontext()

    # Starting.

    async def start(self) -> Self:
        """Start the process and send the initial requests. Raises OSError if the program does not exist."""
        if self._is_started:
            raise RuntimeError("the process is started already")
        self._news, self._room, self._done = asyncio.Event(), asyncio.Event(), asyncio.Event()
        pipe = asyncio.subprocess.PIPE
        transport, self._pipes = await asyncio.get_running_loop().subprocess_exec(
            _Pipes,
            *self._command,
            cwd=self._launch.cwd,
            env=self._environment(),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
        )
        self._pipes.drained = self._drained
        self._pipes.deaf = self._input_closed
        self._transport = transport
        self._stdin = transport.get_pipe_transport(0)
        self._is_started = True
        self._readers = [asyncio.ensure_future(each) for each in (self._read(), self._read_errors())]
        self._watcher = asyncio.ensure_future(self._watch())
        try:
            self._begin()
        except BaseException:
            await self.close(grace=0, patience=0)
            raise
        return self

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def returncode(self) -> int | None:
        """The exit status, negative for a signal; None while the process runs."""
        return self._transport.get_returncode() if self._is_started else None

    # Sending.

    async def request(self, payload: TypedRequest) -> Any:
        """Send a request and return its result, as the result type of the request.

        Raises ControlError if the peer answers with an error, DecodeError if the result is invalid, and ProcessError if
        the process ends first or too many events are waiting. Cancelling the call cancels the request.
        """
        await self._ready()
        id_, future = self._ask(payload)
        try:
            return await future
        finally:
            self._give_up(id_)

    async def notify(self, payload: TypedNotice) -> None:
        """Send a notification."""
        await self._send(self.session.notify(payload))

    async def write(self, message: TypedMessage) -> None:
        """Write a message. Raises EncodeError and writes nothing if the message is invalid."""
        await self._send(encode(message))

    async def reply(self, request: SessionRequest | TypedId, result: TypedResult | Unset | None = UNSET) -> None:
        """Answer a request that is not answered by a function."""
        self._check_runs()
        await self._send(self.session.reply(request, result))

    async def refuse(
        self,
        request: SessionRequest | TypedId,
        message: TypedReason,
        *,
        code: TypedCode = None,
        data: TypedData = UNSET,
    ) -> None:
        """Refuse a request that is not answered by a function."""
        self._check_runs()
        await self._send(self.session.refuse(request, message, code=code, data=data))

    async def _send(self, line: bytes) -> None:
        """Send a line, and wait until the process is ready for more. Cancelling the call only ends the wait."""
        await self._ready()
        self._put(line)
        await self._pipes.writable.wait()
        if not self._is_closing:
            await self._ready()

    async def _ready(self) -> None:
        """Raise ProcessError if nothing can be sent."""
        await self._settle_end()
        self._check_runs()

    async def _settle_end(self) -> None:
        """Give a process that may be about to end the time to do so."""
        if self._is_started and self._is_ending() and not self._is_closing:
            await _within(self._done.wait(), ENDING)

    def _input_closed(self) -> None:
        """Handle that a line cannot be written."""
        if not self._is_closing and not self._is_broken:
            self._is_broken = True
            self._deaf = asyncio.ensure_future(self._after_input())

    async def _after_input(self) -> None:
        if not await _within(self._done.wait(), ENDING):
            self._deafened()

    def _put(self, line: bytes) -> None:
        if self._stdin.is_closing():
            self._input_closed()
        else:
            self._stdin.write(frame(line))

    def _tell(self, line: bytes) -> None:
        self._put(line)
        if not self._pipes.writable.is_set():
            self._unread += len(line)

    def _drained(self) -> None:
        self._unread = 0

    # Receiving.

    def _future(self) -> asyncio.Future[Any]:
        future = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda done: done.cancelled() or done.exception())  # it may never be awaited
        return future

    def _changed(self) -> None:
        self._news.set()
        self._room.set()

    async def _read(self) -> None:
        try:
            reader = AsyncReader(self._pipes.outputs[1], limit=self._limit)
            async for item in reader:
                self._take(item, reader._lines.length)
                while self._is_full():
                    self._room.clear()
                    await self._room.wait()
            discarding = asyncio.ensure_future(self._discard())
            await self._await_exit(reader)
            self._pipes.outputs[1].end()  # what child processes write behind a malformed header may not end
            await discarding
        except Exception as error:  # noqa: BLE001 - raised where events are taken
            self._fail(error)

    async def _await_exit(self, reader: AsyncReader[Any]) -> None:
        if not await _within(self._pipes.exited.wait(), ENDING):
            self._outlast(reader)
            await self._pipes.exited.wait()

    async def _discard(self) -> None:
        """Read what is behind a malformed header; the process must not block."""
        while await self._pipes.outputs[1].read(65_536):
            pass

    async def _read_errors(self) -> None:
        while True:
            data = await self._pipes.outputs[2].read(65_536)
            try:
                self._tail.feed(data)
            except Exception as error:  # noqa: BLE001 - raised where events are taken
                self._fail(error)
            if not data:
                return

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionEvent | FailedAnswer | BadLine:
        self._check_started()
        while not self._events and not self._is_over:
            self._news.clear()
            await self._news.wait()
        if self._events:
            event: SessionEvent | FailedAnswer | BadLine = self._taken()
            return event
        if self._failure is not None:
            raise self._failure
        raise StopAsyncIteration

    # Functions.

    def _call(
        self, asked: SessionRequest, function: Callable[[Any], Any], result: Callable[[Any], Any], size: int
    ) -> asyncio.Task[Any]:
        task = asyncio.ensure_future(_called(function, asked.payload, result))
        task.add_done_callback(partial(self._called_back, asked, size))
        return task

    def _called_back(self, asked: SessionRequest, size: int, task: asyncio.Task[Any]) -> None:
        """Handle a function that has finished or was cancelled, perhaps before it was called."""
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is None:
            freed = self._replied(asked, task.result(), task, size)
        else:
            freed = self._raised(asked, error, task, size)
        self._returned(asked, task, freed)

    def _withdraw(self, call: asyncio.Task[Any]) -> bool:
        call.cancel()
        return True

    # Ending.

    async def wait(self) -> int:
        """Wait until the process has ended and its output is read; return the exit status.

        Unless the process is closed, all of its output is read first; the last events may still wait to be taken.
        """
        self._check_started()
        await self._done.wait()
        await self._pipes.exited.wait()  # it ended before that, unless the tasks were cancelled
        code = self.returncode
        assert code is not None
        return code

    async def close(self, *, grace: float = PATIENCE, patience: float = PATIENCE) -> int:
        """End the process: close its input, terminate it after `grace` seconds, kill it after `patience` seconds more.

        Returns the exit status. Cancelling the call kills the process immediately.
        """
        self._check_started()
        self._is_closing = True
        self._changed()
        self._stdin.close()
        exited = self._pipes.exited
        try:
            if not await _within(exited.wait(), grace):
                self._signal(self._transport.terminate)
                if not await _within(exited.wait(), patience):
                    self._kill()
                    await exited.wait()
            await _within(self._done.wait(), min(patience, ENDING))
        except BaseException:
            self._kill()
            await exited.wait()
            raise
        finally:
            self._transport.close()  # child processes may keep its output open
        return await self.wait()

    def _kill(self) -> None:
        self._signal(self._transport.kill)

    def _signal(self, send: Callable[[], object]) -> None:
        try:
            send()
        except ProcessLookupError:
            pass  # it has already ended

    async def _watch(self) -> None:
        try:
            await self._see_off()
        except asyncio.CancelledError:  # as asyncio.run does at its end, before the program has closed the process
            self._fail(self._ended("the tasks of the process were cancelled"))
            raise
        finally:
            self._finish()
            self._done.set()
        self._transport.close()

    async def _see_off(self) -> None:
        """Wait until the process has ended and its output is read."""
        await self._pipes.exited.wait()
        if self._stdin.get_write_buffer_size():
            self._stdin.abort()  # child processes may keep it open
        outputs = self._pipes.outputs
        received = outputs[1].received
        while (await asyncio.wait(self._readers, timeout=ENDING))[1]:
            before, received = received, outputs[1].received
            if before == received and self._is_silent():
                for each in outputs.values():
                    each.end()

    def _is_silent(self) -> bool:
        """Whether everything is read that has come; it is not while the program takes no events.

        The standard error has no say: child processes that log may never be silent.
        """
        return self._readers[0].done() or self._pipes.outputs[1].is_waiting


async def _called(function: Callable[[Any], Any], payload: Any, result: Callable[[Any], Any]) -> Any:
    returned = function(payload)
    return result(await returned if isawaitable(returned) else returned)


async def _within(waiting: Coroutine[Any, Any, object], seconds: float) -> bool:
    """Whether an awaitable completes within `seconds`."""
    task = asyncio.ensure_future(waiting)
    try:
        await asyncio.wait([task], timeout=seconds)
        return task.done() and not task.cancelled()
    finally:
        task.cancel()
