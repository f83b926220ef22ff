"""Streams of lines ↔ messages: an incremental decoder, blocking and asynchronous readers, and a writer.

A line ends at a line feed and nowhere else. A line that does not decode comes out as a `BadLine` in its place; nothing
but the end of the stream ends it. No more than one line is held.
"""

from __future__ import annotations

from threading import Lock

from ._base import DecodeError
from ._wire import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import Any

__all__ = ["LIMIT", "BadLine", "LineDecoder", "Writer", "aread", "read"]

LIMIT = 64 * 1024 * 1024
"""The longest line that is read unless the caller says otherwise, in bytes without its end."""

_SHOWN = 1024
"""How much of a line that is too long is kept."""

_CHUNK = 64 * 1024

_BLANK = b" \t\r"


class BadLine:
    """A line that did not decode: its number (from 1), the line itself without its end, and the error.

    Of a line that is too long, `raw` has the first 1024 bytes.
    """

    __slots__ = ("error", "line", "raw")
    __match_args__ = ("line", "raw", "error")

    def __init__(self, line: int, raw: bytes, error: DecodeError) -> None:
        self.line = line
        self.raw = raw
        self.error = error

    def __repr__(self) -> str:
        return f"BadLine(line={self.line!r}, raw={self.raw!r}, error={self.error!r})"


class LineDecoder:
    """Bytes in any portions → messages and BadLines.

    `line` is the number of the last line that was looked at, blank ones included.
    """

    def __init__(self, type: Any = None, *, strict: bool = False, limit: int = LIMIT) -> None:
        self._type = type
        self._strict = strict
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self.line = 0

    def feed(self, data: bytes | bytearray | memoryview) -> list[Any]:
        """Take more bytes; give an item for each line that they complete."""
        return list(self.items(bytes(data)))

    def items(self, chunk: bytes) -> Iterator[Any]:
        """Like `feed`, one item at a time; to be exhausted before more is fed."""
        start = 0
        while True:
            end = chunk.find(b"\n", start)
            if end < 0:
                break
            self._take(chunk[start:end])
            start = end + 1
            yield from self._end()
        if start < len(chunk):
            self._take(chunk[start:])

    def finish(self) -> list[Any]:
        """End the stream; give an item if a last line without its end is pending."""
        return list(self._end()) if self._size else []

    def _take(self, part: bytes) -> None:
        """Add a part of the current line; of one that is too long for sure, only the beginning is kept."""
        held = self._size
        self._size += len(part)
        if held <= max(self._limit + 1, _SHOWN):
            self._parts.append(part)
        if self._size > self._limit + 1:
            self._parts = [b"".join(self._parts)[:_SHOWN]]

    def _end(self) -> Iterator[Any]:
        """The current line is complete."""
        self.line += 1
        raw = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        size = self._size
        self._parts = []
        self._size = 0
        if size == len(raw) and raw[-1:] == b"\r":
            raw = raw[:-1]
            size -= 1
        if size > self._limit:
            error = DecodeError("too_long", "", f"the line is longer than {self._limit} bytes")
            yield BadLine(self.line, raw[:_SHOWN], error)
        elif raw.strip(_BLANK):
            try:
                item = decode(raw, self._type, strict=self._strict)
            except DecodeError as error:
                item = BadLine(self.line, raw, error)
            yield item


def read(stream: Any, type: Any = None, *, strict: bool = False, limit: int = LIMIT) -> Iterator[Any]:
    """Yield the messages of a binary stream, and a BadLine for each line that does not decode.

    Never waits for more than a line: what a pipe has is taken as it comes.
    """
    lines = LineDecoder(type, strict=strict, limit=limit)
    take = getattr(stream, "read1", None) or stream.read
    while True:
        chunk = take(_CHUNK)
        if not chunk:
            break
        yield from lines.items(chunk)
    yield from lines.finish()


async def aread(stream: Any, type: Any = None, *, strict: bool = False, limit: int = LIMIT) -> AsyncIterator[Any]:
    """Yield the messages of an asyncio stream like `read`; its own limit of 64 KiB a line does not apply."""
    lines = LineDecoder(type, strict=strict, limit=limit)
    while True:
        chunk = await stream.read(_CHUNK)
        if not chunk:
            break
        for item in lines.items(chunk):
            yield item
    for item in lines.finish():
        yield item


class Writer:
    """Writes whole lines to a binary stream and flushes each; threads may share it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._lock = Lock()

    def write(self, message: Any) -> None:
        """Write one message; raise EncodeError, and write nothing, if it does not fit."""
        line = encode(message) + b"\n"
        with self._lock:
            self._stream.write(line)
            self._stream.flush()
