"""Streams of lines ↔ messages: a decoder of bytes in chunks of any size, and sync and async readers and writers.

Only a line feed ends a line. A line that cannot be decoded is returned as a `BadLine`. Every object here can be
resumed: after an exception, a timeout, a cancellation or an early exit from a loop, the next call continues where the
last one stopped.

CPython runs signal handlers, and so raises KeyboardInterrupt, after calls and at backward jumps, but never between
plain stores. Therefore, a result and the state that belongs to it are stored here without a call in between.
"""

from __future__ import annotations

import os
from _thread import RLock
from collections import deque
from errno import EAGAIN, EPIPE
from io import BufferedIOBase, IOBase, TextIOBase

from ._base import DecodeError, Generic
from ._framing import Framing, frame
from ._wire import decode, encode, on_fresh_stack

TYPE_CHECKING = False
if not TYPE_CHECKING:
    _T_co = None

    def overload(function):
        """Mark a signature for type checkers."""
        return function

else:
    from collections.abc import Awaitable, Iterable
    from typing import Any, Protocol, TypeVar, overload

    from typing_extensions import TypeForm

    from ._table import Root

    _T = TypeVar("_T")
    _T_co = TypeVar("_T_co", covariant=True)

    class Readable(Protocol):
        """A binary stream, such as `sys.stdin.buffer`."""

        def read(self, size: int, /) -> bytes | None: ...

    class AsyncReadable(Protocol):
        """An asynchronous binary stream, such as `asyncio.StreamReader`."""

        def read(self, size: int, /) -> Awaitable[bytes | None]: ...

    class Writable(Protocol):
        """A binary stream, such as `sys.stdout.buffer`."""

        def write(self, data: bytes, /) -> int | None: ...
        def flush(self) -> object: ...

    class AsyncWritable(Protocol):
        """An asynchronous binary stream, such as `asyncio.StreamWriter`."""

        def write(self, data: bytes, /) -> object: ...
        def drain(self) -> Awaitable[object]: ...


__all__ = ["LIMIT", "AsyncReader", "AsyncWriter", "BadLine", "LineDecoder", "Reader", "Writer"]

LIMIT = 64 * 1024 * 1024
"""The default of the maximum length of a line that is read, in bytes without its end."""

_CHUNK = 64 * 1024
"""The number of bytes to read at once, and the number to write at once of a long line after a short write."""

_BUFFERED = 4096
"""The number of bytes to write at once to a buffered stream. Its buffer takes that many either completely or not at
all; with more, it is unknown how many it has taken if it raises."""

_BLANK = b" \t\r\n"

_REPR = 80
"""The number of characters of a line or an error in a representation."""


class BadLine:
    """A line that could not be decoded.

    `line` is its number, starting at 1; `raw` is the line without its end, or the first 1024 bytes of a line that is
    too long or of a malformed header, after which nothing can be read; `error` is the DecodeError.
    """

    __slots__ = ("error", "line", "raw")
    __match_args__ = ("line", "raw", "error")

    line: int
    raw: bytes
    error: DecodeError

    def __init__(self, line: int, raw: bytes, error: DecodeError) -> None:
        self.line = line
        self.raw = raw
        self.error = error

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BadLine):
            return NotImplemented
        return self.line == other.line and self.raw == other.raw and self.error == other.error

    def __hash__(self) -> int:
        return hash((self.line, self.raw, self.error))

    def __repr__(self) -> str:
        raw, error = repr(self.raw[:_REPR]), repr(self.error)
        if len(self.raw) > _REPR:
            raw = f"{raw}... ({len(self.raw)} bytes)"
        if len(error) > 3 * _REPR:
            error = f"{error[: 3 * _REPR]}...)"
        return f"BadLine(line={self.line!r}, raw={raw}, error={error})"


class _Items(Framing):
    """The state of a reader: bytes → messages → items.

    `prepare` makes the next item. The caller takes it with the statements below, as the last step before it returns.
    Until then the message is kept, so an exception at any place in between loses nothing:

        item = lines.item
        lines.item, lines.raw, lines.ready, lines.line = None, None, False, lines.line + 1
    """

    __slots__ = ("filter", "item", "length", "ready", "received", "strict", "type")

    def __init__(self, type: Any, limit: int, only: Any, *, strict: bool) -> None:
        super().__init__(limit)
        self.type = type
        self.strict = strict
        self.filter: Any = None
        """Skips messages of other types than the wanted ones; None if all are wanted."""
        if only is not None:
            from ._filter import filter_for  # few programs need it

            self.filter = filter_for(type, tuple(only), strict)
        self.received: list[Any] = []
        """The unprocessed result of a read: empty, or one item."""
        self.length = 0
        """The length of the kept part of the last item's message."""
        self.item: Any = None
        self.ready = False

    def prepare(self) -> bool:
        """Make the next item unless it exists; False if that needs more bytes.

        If decoding raises anything but DecodeError, the message is kept, and the next call decodes it again.
        """
        while not self.ready:
            raw = self.raw
            if raw is None:
                if self.filter is not None:
                    self.skip(self.filter)
                if not self.cut():
                    return False
                continue
            if self.fault is not None:
                item: Any = BadLine(self.line + 1, raw, DecodeError(*self.fault))
            elif raw[:1] != b"{" and not raw.strip(_BLANK):
                self.raw, self.line = None, self.line + 1
                continue
            elif self.filter is not None and self.filter.skips(raw):
                self.raw, self.line, self.skipped = None, self.line + 1, self.skipped + 1
                continue
            else:
                try:
                    item = decode(raw, self.type, self.strict) if self.filter is None else self.filter.decode(raw)
                except DecodeError as error:
                    item = BadLine(self.line + 1, raw, error)
                except RecursionError as error:
                    item = self._decode_afresh(raw, error)
            if item is self.filter and item is not None:
                self.raw, self.line, self.skipped = None, self.line + 1, self.skipped + 1
                continue
            self.item, self.ready, self.length = item, True, len(raw)
        return True

    def _decode_afresh(self, raw: bytes, cause: RecursionError) -> Any:
        """Decode on the stack of a new thread, because the caller's stack is too deep for this message."""
        try:
            if self.filter is not None:
                return on_fresh_stack(cause, self.filter.decode, raw)
            return on_fresh_stack(cause, decode, raw, self.type, self.strict)
        except DecodeError as error:
            return BadLine(self.line + 1, raw, error)

    def look(self, stream: object) -> None:
        """Use the result of reading from `stream` as the next chunk. All earlier data has been consumed."""
        received = self.received[0]
        if received is None:
            self.received = []
            raise BlockingIOError(EAGAIN, "the stream has nothing to read yet; read on when it has")
        if type(received) is not bytes:
            self.received = []
            received = _bytes(received, f"{_name(stream)}.read()")
        if received:
            self.chunk, self.at, self.received = received, 0, []
        else:
            self.finished, self.received = True, []


def _bytes(data: Any, source: str) -> bytes:
    """A copy of any bytes-like object; `source` names the method that returned or received it."""
    if isinstance(data, str):
        raise TypeError(f"{source}: expected bytes, got text; use the binary stream, such as sys.stdin.buffer")
    if hasattr(data, "__await__"):
        if hasattr(data, "close"):
            data.close()  # otherwise Python warns that it was never awaited
        raise TypeError(f"{source}: expected bytes, got an awaitable; use AsyncReader for asynchronous streams")
    try:
        return bytes(memoryview(data))
    except TypeError:
        raise TypeError(f"{source}: expected bytes, got {_name(data)}") from None


def _refuse_text(stream: object, reader: str, instead: str) -> None:
    if isinstance(stream, TextIOBase):
        raise TypeError(
            f"{reader} needs a binary stream, got text ({_name(stream)}); use its buffer, such as {instead}"
        )


def _read1(stream: object) -> Any:
    """The method that reads from a stream without waiting for more than is available; None if that is `read`."""
    if getattr(type(stream), "read1", None) is BufferedIOBase.read1:
        return None  # declared by the base class, but not implemented
    return getattr(stream, "read1", None)


def _blocks(stream: Any) -> bool:
    """Whether a read waits for data, as it does for everything except files in non-blocking mode."""
    try:
        return os.get_blocking(stream.fileno())
    except (AttributeError, OSError, TypeError, ValueError):
        return True


def _name(value: object) -> str:
    return type(value).__name__


class LineDecoder(Generic[_T_co]):
    """Decodes bytes in chunks of any size to messages, with a BadLine for each line that cannot be decoded.

    An iterator over the lines in the data. It stops at an incomplete line, and continues with more data:

        for item in decoder.feed(data):
            ...

    Lines are decoded one at a time, on demand. The next loop starts with the items that the last one left.

    `type` is a type of this package, by default any message; `strict` refuses unknown content; `limit` is the maximum
    length of a line in bytes, without its end. `only` is a list of types that are wanted: classes, unions and Unknowns.
    The lines of others are skipped without decoding them, and mostly without reading them.
    """

    __slots__ = ("_lines",)

    @overload
    def __init__(
        self: LineDecoder[Root], type: None = None, *, strict: bool = False, limit: int = LIMIT, only: None = None
    ) -> None: ...
    @overload
    def __init__(
        self: LineDecoder[_T], type: TypeForm[_T], *, strict: bool = False, limit: int = LIMIT, only: None = None
    ) -> None: ...
    @overload
    def __init__(
        self: LineDecoder[_T],
        type: object = None,
        *,
        strict: bool = False,
        limit: int = LIMIT,
        only: Iterable[TypeForm[_T]],
    ) -> None: ...
    def __init__(
        self, type: object = None, *, strict: bool = False, limit: int = LIMIT, only: Iterable[Any] | None = None
    ) -> None:
        self._lines = _Items(type, limit, only, strict=strict)

    @property
    def line(self) -> int:
        """The number of the last line that was read, starting at 1 and including blank lines."""
        return self._lines.line

    @property
    def skipped(self) -> int:
        """The number of lines that were skipped because of `only`."""
        return self._lines.skipped

    def feed(self, data: bytes | bytearray | memoryview) -> LineDecoder[_T_co]:
        """Add bytes, and return the decoder itself to iterate over. Nothing is decoded yet."""
        lines = self._lines
        if lines.finished:
            raise ValueError("finish() was called, no more data can be fed; make a new LineDecoder")
        if type(data) is not bytes:
            data = _bytes(data, "feed()")
        if data and not lines.closed:
            lines.chunks.append(data)
        return self

    def finish(self) -> LineDecoder[_T_co]:
        """End the data; the last line needs no line feed. Returns the decoder itself to iterate over."""
        self._lines.finished = True
        return self

    def __iter__(self) -> LineDecoder[_T_co]:
        return self

    def __next__(self) -> _T_co | BadLine:
        lines = self._lines
        if not lines.prepare():
            raise StopIteration
        item: _T_co | BadLine = lines.item
        lines.item, lines.raw, lines.ready, lines.line = None, None, False, lines.line + 1
        return item


class Reader(Generic[_T_co]):
    """Iterates over the messages of a binary stream, with a BadLine for each line that cannot be decoded.

    A line is returned as soon as it is complete, and lines are decoded on demand. After an early exit from a loop or an
    exception from the stream, the next call continues: no line is lost or returned twice. A non-blocking stream without
    data raises BlockingIOError. The end of the stream is final; to follow a growing file, feed a LineDecoder.

    `type` is a type of this package, by default any message; `strict` refuses unknown content; `limit` is the maximum
    length of a line in bytes, without its end. `only` is a list of types that are wanted: classes, unions and Unknowns.
    The lines of others are skipped without decoding them, and mostly without reading them. Only one thread at a time
    can read.
    """

    __slots__ = ("_busy", "_lines", "_read1", "_stream")

    @overload
    def __init__(
        self: Reader[Root],
        stream: Readable,
        type: None = None,
        *,
        strict: bool = False,
        limit: int = LIMIT,
        only: None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Reader[_T],
        stream: Readable,
        type: TypeForm[_T],
        *,
        strict: bool = False,
        limit: int = LIMIT,
        only: None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Reader[_T],
        stream: Readable,
        type: object = None,
        *,
        strict: bool = False,
        limit: int = LIMIT,
        only: Iterable[TypeForm[_T]],
    ) -> None: ...
    def __init__(
        self,
        stream: Readable,
        type: object = None,
        *,
        strict: bool = False,
        limit: int = LIMIT,
        only: Iterable[Any] | None = None,
    ) -> None:
        _refuse_text(stream, "Reader", "sys.stdin.buffer")
        if not callable(getattr(stream, "read", None)):
            raise TypeError(
                f"Reader needs a binary stream with read(), got {_name(stream)}; feed data to a LineDecoder"
            )
        self._stream = stream
        self._read1 = _read1(stream)
        self._lines = _Items(type, limit, only, strict=strict)
        self._busy = False

    @property
    def line(self) -> int:
        """The number of the last line that was read, starting at 1 and including blank lines."""
        return self._lines.line

    @property
    def skipped(self) -> int:
        """The number of lines that were skipped because of `only`."""
        return self._lines.skipped

    def __iter__(self) -> Reader[_T_co]:
        return self

    def __next__(self) -> _T_co | BadLine:
        if self._busy:
            raise RuntimeError("this Reader is being read from already, in another thread or further up the stack")
        self._busy = True
        try:
            lines = self._lines
            while not lines.prepare():
                if lines.finished or lines.closed:
                    raise StopIteration
                self._receive()
                lines.look(self._stream)
            item: _T_co | BadLine = lines.item
            lines.item, lines.raw, lines.ready, lines.line = None, None, False, lines.line + 1
            return item
        finally:
            self._busy = False

    def _receive(self) -> None:
        """Read a chunk. `extend` stores the result of the read, by `map`, before a signal handler can run."""
        received = self._lines.received
        stream = self._stream
        if received and received[0] != b"":
            return  # an earlier call was interrupted after it had read
        del received[:]
        if self._read1 is None:
            received.extend(map(stream.read, (_CHUNK,)))
            return
        received.extend(map(self._read1, (_CHUNK,)))
        if received == [b""] and not _blocks(stream):
            del received[0]  # `read1` does not distinguish the end from a pipe without data; `read` does
            received.extend(map(stream.read, (1,)))


class AsyncReader(Generic[_T_co]):
    """Iterates over the messages of an asynchronous stream, such as `asyncio.StreamReader`, like Reader.

    After a timeout or a cancellation, the next call continues. Nothing is lost if the stream's `read` loses nothing.
    Tasks can share a reader; each line goes to one of them. The line limit of a StreamReader does not apply.

    `type` is a type of this package, by default any message; `strict` refuses unknown content; `limit` is the maximum
    length of a line in bytes, without its end. `only` is a list of types that are wanted: classes, unions and Unknowns.
    The lines of others are skipped without decoding them, and mostly without reading them.
    """

    __slots__ = ("_lines", "_lock", "_stream")

    @overload
    def __init__(
        self: AsyncReader[Root],
        stream: AsyncReadable,
        type: None = None,
        *,
        strict: bool = False,
        limit: int = LIMIT,
        only: None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: AsyncReader[_T],
        stream: AsyncReadable,
        type: TypeForm[_T],
        *,
        strict: bool = False,
        limit: int = LIMIT,
        only: None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: AsyncReader[_T],
        stream: AsyncReadable,
        type: object = None,
        *,
        strict: bool = False,
        limit: int = LIMIT,
        only: Iterable[TypeForm[_T]],
    ) -> None: ...
    def __init__(
        self,
        stream: AsyncReadable,
        type: object = None,
        *,
        strict: bool = False,
        limit: int = LIMIT,
        only: Iterable[Any] | None = None,
    ) -> None:
        from asyncio import Lock  # a program that uses this has already imported it

        if isinstance(stream, IOBase):
            raise TypeError(f"AsyncReader needs an asynchronous stream, got {_name(stream)}; use Reader")
        if not callable(getattr(stream, "read", None)):
            raise TypeError(
                f"AsyncReader needs a stream with an asynchronous read(), such as asyncio.StreamReader, got "
                f"{_name(stream)}; feed data to a LineDecoder"
            )
        self._stream = stream
        self._lines = _Items(type, limit, only, strict=strict)
        self._lock = Lock()

    @property
    def line(self) -> int:
        """The number of the last line that was read, starting at 1 and including blank lines."""
        return self._lines.line

    @property
    def skipped(self) -> int:
        """The number of lines that were skipped because of `only`."""
        return self._lines.skipped

    def __aiter__(self) -> AsyncReader[_T_co]:
        return self

    async def __anext__(self) -> _T_co | BadLine:
        lines = self._lines
        while not lines.prepare():
            if lines.finished or lines.closed:
                raise StopAsyncIteration
            async with self._lock:
                if lines.prepare() or lines.finished or lines.closed:
                    continue  # another task has read while this one waited
                waiting = self._stream.read(_CHUNK)
                if not hasattr(waiting, "__await__"):
                    raise TypeError(f"{_name(self._stream)}.read() is not asynchronous; use Reader")
                received = await waiting
                lines.received = [received]
                lines.look(self._stream)
        item: _T_co | BadLine = lines.item
        lines.item, lines.raw, lines.ready, lines.line = None, None, False, lines.line + 1
        return item


class Writer:
    """Writes messages to a binary stream, one per line, and flushes each.

    A message is encoded before anything is written: after an EncodeError, nothing has been written. If the stream
    raises, for example BlockingIOError from a non-blocking stream, the writer keeps the rest of the line and writes it
    in `flush` or at the next `write`; do not write the message again. A KeyboardInterrupt can arrive before the writer
    has taken the message, but never truncates or repeats a line. Threads can share a writer, and a signal handler can
    write to it.
    """

    __slots__ = ("_at", "_busy", "_lines", "_lock", "_stream", "_taken")

    def __init__(self, stream: Writable) -> None:
        _refuse_text(stream, "Writer", "sys.stdout.buffer")
        if hasattr(stream, "drain"):
            raise TypeError(f"Writer needs a blocking stream, got {_name(stream)}; use AsyncWriter")
        for name in ("write", "flush"):
            if not callable(getattr(stream, name, None)):
                raise TypeError(f"Writer needs a binary stream with write() and flush(), got {_name(stream)}")
        self._stream = stream
        self._lock = RLock()
        self._busy = False
        self._lines: deque[bytes] = deque()
        self._at = 0
        """The number of bytes of the first line that are written."""
        self._taken: list[Any] = []
        """The result of the stream's `write` that is not added to `_at` yet: empty, or one item."""

    @property
    def pending(self) -> int:
        """The number of bytes that the stream has not accepted yet; greater than 0 only after it raised."""
        with self._lock:
            self._count()
            return sum(map(len, self._lines)) - self._at

    def write(self, message: object) -> None:
        """Write one message as a line, and flush. Raises EncodeError and writes nothing if the message is invalid."""
        self.write_line(encode(message))

    def write_line(self, line: bytes) -> None:
        """Write a message that is encoded already, without line feeds, such as a line of a session, and flush."""
        framed = frame(line)
        with self._lock:
            self._lines.append(framed)
            self._write()

    def flush(self) -> None:
        """Write the data that is left after an exception from the stream, and flush the stream."""
        with self._lock:
            self._write()

    def _write(self) -> None:
        if self._busy:
            return  # called by the stream or a signal handler; the interrupted call writes this line too
        self._busy = True
        try:
            self._write_lines()
            self._stream.flush()
            while self._lines:
                self._write_lines()
                self._stream.flush()
        finally:
            self._busy = False

    def _write_lines(self) -> None:
        """Write all lines, each one completely before the next."""
        stream, lines = self._stream, self._lines
        buffered = isinstance(stream, BufferedIOBase)
        self._count()
        while lines:
            line = lines[0]
            if self._at == len(line):
                self._at = 0
                del lines[0]
                continue
            if buffered:
                part = line[self._at : self._at + _BUFFERED]
            else:
                part = line[self._at : self._at + _CHUNK] if self._at else line
            before = self._at
            try:
                # `extend` stores the result of `write`, by `map`, before a signal handler can run.
                self._taken.extend(map(stream.write, (part,)))
            except BlockingIOError as error:
                self._taken.append(getattr(error, "characters_written", 0))
                self._count()
                raise
            self._count()
            if self._at == before:
                raise BlockingIOError(
                    EAGAIN, f"{_name(stream)}.write() took nothing; call flush() when the stream can be written to"
                )

    def _count(self) -> None:
        """Count the bytes that the stream has accepted."""
        if not self._taken:
            return
        taken, rest = self._taken[0], len(self._lines[0]) - self._at
        if taken is None:
            self._taken = []
        elif isinstance(taken, int) and 0 <= taken <= rest:
            self._at, self._taken = self._at + taken, []
        else:
            self._taken = []
            raise OSError(f"{_name(self._stream)}.write() returned {taken!r}, expected a number up to {rest}")


class AsyncWriter:
    """Writes messages to an asynchronous stream, such as `asyncio.StreamWriter`, one per line.

    `write` passes the whole line to the stream and then waits until the stream is ready for more. Cancelling it only
    ends the wait: the line is written, and must not be written again. Tasks can share a writer; the lines are in the
    order of the calls.
    """

    __slots__ = ("_lock", "_stream")

    def __init__(self, stream: AsyncWritable) -> None:
        from asyncio import Lock  # a program that uses this has already imported it

        if isinstance(stream, IOBase):
            raise TypeError(f"AsyncWriter needs an asynchronous stream, got {_name(stream)}; use Writer")
        for name in ("write", "drain"):
            if not callable(getattr(stream, name, None)):
                raise TypeError(
                    f"AsyncWriter needs a stream with write() and drain(), such as asyncio.StreamWriter, got "
                    f"{_name(stream)}; a Writer to an io.BytesIO gives the bytes to send to others"
                )
        self._stream = stream
        self._lock = Lock()

    async def write(self, message: object) -> None:
        """Write one message as a line. Raises EncodeError and writes nothing if the message is invalid."""
        await self.write_line(encode(message))

    async def write_line(self, line: bytes) -> None:
        """Write a message that is encoded already, without line feeds, such as a line of a session."""
        is_closing = getattr(self._stream, "is_closing", None)
        if is_closing is not None and is_closing():
            raise BrokenPipeError(EPIPE, f"{_name(self._stream)} is closing, and would drop the message")
        self._stream.write(frame(line))
        async with self._lock:  # before 3.11, one task at a time may wait in `StreamWriter.drain`
            await self._stream.drain()
