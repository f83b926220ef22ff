"""The framing `content-length`, as in the Language Server Protocol: headers with the length of a message, the message.

A malformed header ends the stream, as it is unknown where the next message begins.
"""

from __future__ import annotations

import re
from collections import deque

from ._splitter import SHOWN, Splitter

__all__ = ["Framing", "frame"]

_HEADER = 4096
"""The maximum length of a header section in bytes, with its line ends."""

_NAME = re.compile(rb"[A-Za-z0-9_-]+")
"""The name of a header."""

_DIGITS = 15
"""The maximum number of digits of a length."""


def frame(message: bytes) -> bytes:
    """A message as it is written to a stream."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)


class Framing(Splitter):
    """Splits bytes into headers and messages."""

    __slots__ = ("begun", "header", "left", "stated")

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.header: bytes = b""
        """The header section so far."""
        self.begun: int = 0
        """Where its last line begins."""
        self.stated: int = -1
        """The length that the header states; -1 if it does not yet."""
        self.left: int = -1
        """The number of bytes of the message that have not arrived; -1 in a header."""

    def cut(self) -> bool:
        """Split off the next message; False if its end has not arrived."""
        while not self.closed:
            if self.left >= 0:
                if self.left == 0 or self.at < len(self.chunk):
                    if self._take():
                        return True
                elif not self.advance():
                    return self.finished and self._end_early()
            elif self.at < len(self.chunk):
                if self._read_header():
                    return True
            elif not self.advance():
                return self.finished and self.header != b"" and self._break(self.header, "the stream ends in a header")
        return False

    def _take(self) -> bool:
        """Take what the chunk has of the message; True if that completes it."""
        part = self.chunk[self.at : self.at + self.left]
        at, left = self.at + len(part), self.left - len(part)
        if left:
            kept = part if self.stated <= self.limit else part[: max(SHOWN - len(self.held), 0)]
            size = self.size + len(part)
            self.held += kept
            self.size, self.left, self.at = size, left, at
            return False
        fault = None
        raw = b"".join((self.held, part)) if self.held else part
        if self.stated > self.limit:
            raw, fault = raw[:SHOWN], self.too_long()
        held = bytearray()
        self.raw, self.fault, self.held, self.size, self.stated, self.left = raw, fault, held, 0, -1, -1
        self.at = at
        return True

    def _end_early(self) -> bool:
        """Report the beginning of a message whose rest is missing."""
        fault = ("invalid_json", "", f"the stream ends after {self.size} of {self.stated} bytes")
        if self.stated > self.limit:
            fault = self.too_long()
        raw, held = bytes(self.held), bytearray()
        self.raw, self.fault, self.held, self.size, self.stated, self.left = raw, fault, held, 0, -1, -1
        return True

    def _read_header(self) -> bool:
        """Read what the chunk has of a line of the header; True if that is malformed."""
        at, length = self.at, len(self.chunk)
        end = self.chunk.find(b"\n", at, at + _HEADER - len(self.header))
        if end < 0:
            header = self.header + self.chunk[at : at + _HEADER - len(self.header)]
            rest = at + len(header) - len(self.header)
            if rest < length:
                return self._break(header, "the header is too long")
            self.header, self.at = header, rest
            return False
        header = self.header + self.chunk[at:end]
        line = header[self.begun :]
        if line[-1:] == b"\r":
            line = line[:-1]
        name, colon, value = line.partition(b":")
        stated = self.stated
        if not line and stated >= 0:
            self.header, self.begun, self.left, self.at = b"", 0, stated, end + 1
            return False
        if not colon or _NAME.fullmatch(name) is None:
            reason = "a line of the header has no name" if line else "no Content-Length"
            return self._break(header[: self.begun + len(line)], reason)
        if name.lower() == b"content-length":
            digits = value.strip(b" \t")
            if stated >= 0 or not digits.isdigit() or len(digits) > _DIGITS:
                return self._break(header[: self.begun + len(line)], "Content-Length is no number, or is repeated")
            stated = int(digits)
        header += b"\n"
        self.header, self.begun, self.stated, self.at = header, len(header), stated, end + 1
        return False

    def _break(self, header: bytes, reason: str) -> bool:
        """Report a malformed header, as the last item."""
        raw, fault = header[:SHOWN], ("invalid_json", "", reason)
        chunks: deque[bytes] = deque()
        self.raw, self.fault, self.header, self.closed = raw, fault, b"", True
        self.chunks, self.chunk, self.at = chunks, b"", 0
        return True
