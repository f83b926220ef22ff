"""The framing `sse`: event streams, in which the `data` lines of an event are the lines of a message.

Lines end with a carriage return, a line feed, or both. Other fields and comments are ignored.
"""

from __future__ import annotations

import re

from ._splitter import SHOWN, Splitter

__all__ = ["Framing", "frame"]

_LINE_END = re.compile(rb"[\r\n]")
_BOM = b"\xef\xbb\xbf"
_DECIDING = 9
"""The number of bytes of a line that show what it is: a byte order mark, `data:` and a space."""


def frame(message: bytes) -> bytes:
    """A message as it is written to a stream."""
    return b"data: %b\n\n" % message


class Framing(Splitter):
    """Splits bytes into the data of events."""

    __slots__ = ("after_return", "begun", "first", "has_data", "is_data")

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.begun: bytes = b""
        """The beginning of a line that does not show yet what it is."""
        self.is_data: bool | None = None
        """Whether the current line is one of the message; None if that is not known."""
        self.has_data: bool = False
        """Whether the event has such a line."""
        self.after_return: bool = False
        """Whether a carriage return ended the last line, so that a line feed would belong to it."""
        self.first: bool = True
        """Whether the current line is the first one of the stream."""

    def cut(self) -> bool:
        """Split off the data of the next event; False if its end has not arrived."""
        while True:
            if self.at < len(self.chunk):
                if self._read():
                    return True
            elif not self.advance():
                return self.finished and self._end()

    def _read(self) -> bool:
        """Read what the chunk has of a line; True if that ends an event with data."""
        chunk, at = self.chunk, self.at
        if self.after_return and chunk[at] == 10:
            self.after_return, self.at = False, at + 1
            return False
        found = _LINE_END.search(chunk, at)
        end = found.start() if found else len(chunk)
        if found and end - at <= len(_BOM) and self._is_empty(chunk[at:end]):
            raw = bytes(self.held) if self.has_data else None
            fault = self.too_long() if self.size > self.limit else None
            held, after_return = bytearray(), chunk[end] == 13
            self.raw, self.fault, self.held, self.size, self.has_data = raw, fault, held, 0, False
            self.begun, self.first, self.after_return, self.at = b"", False, after_return, end + 1
            return raw is not None
        begun, is_data, part = self._classified(chunk[at:end], is_whole=found is not None)
        kept = b""
        size, has_data = self.size, self.has_data
        if is_data:
            if self.is_data is None and has_data:
                part = b"\n" + part
            size, has_data = size + len(part), True
            kept = part[: max((SHOWN if size > self.limit else self.limit) - len(self.held), 0)]
        self.held += kept
        self.size, self.has_data, self.begun, self.is_data, self.at = size, has_data, begun, is_data, end
        self.after_return = False
        if found:
            after_return = chunk[end] == 13
            self.begun, self.is_data, self.first, self.after_return, self.at = b"", None, False, after_return, end + 1
        if size > self.limit:
            del self.held[SHOWN:]
        return False

    def _is_empty(self, part: bytes) -> bool:
        """Whether a part ends a line without any character."""
        line = self.begun + part
        return self.is_data is None and (line == b"" or (self.first and line == _BOM))

    def _classified(self, part: bytes, *, is_whole: bool) -> tuple[bytes, bool | None, bytes]:
        """What is left undecided of a line, whether it is one of the message, and what the part adds to that."""
        if self.is_data is not None:
            return b"", self.is_data, part
        line = self.begun + part
        if not is_whole and len(line) < _DECIDING:
            return line, None, b""
        if self.first and line[:3] == _BOM:
            line = line[3:]
        name, _, value = line.partition(b":")
        if name != b"data":
            return b"", False, b""
        return b"", True, value[1:] if value[:1] == b" " else value

    def _end(self) -> bool:
        """End the last event, as if an empty line followed."""
        if not self.has_data and not self.begun:
            return False
        self.chunk, self.at = b"\n\n", 0
        return self.cut()
