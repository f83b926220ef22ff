"""The framing `ndjson`: a line feed ends a message; a carriage return before it is not a part of the message."""

from __future__ import annotations

from ._splitter import SHOWN, Splitter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Framing", "frame"]


def frame(message: bytes) -> bytes:
    """A message as it is written to a stream."""
    return message + b"\n"


class Framing(Splitter):
    """Splits bytes into lines."""

    __slots__ = ("keep", "passed", "places", "searched")

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.keep = max(limit + 1, SHOWN)  # a carriage return at the end is not counted
        self.searched: bytes = b""
        """The chunk that the next two are about."""
        self.places: list[int] = []
        """Where each text that the filter looks for occurs next; empty if that is not known."""
        self.passed: int = 0
        """Where the lines end that were looked at together."""

    def skip(self, filter: Any) -> None:
        """Skip the next lines in the chunk that cannot be wanted, all at once if each is short and begins an object."""
        chunk, start = self.chunk, self.at
        if self.size:
            return
        if self.searched is not chunk:
            self.searched, self.places, self.passed = chunk, [], 0
        if start < self.passed:
            return  # one of these lines is of another kind
        end = chunk.rfind(b"\n", start, filter.first(chunk, start, self.places)) + 1
        if start < end <= start + self.limit:
            self.passed = end
            count = chunk.count(b"\n", start, end)
            if chunk.count(b"\n{", start, end - 1) + chunk.startswith(b"{", start) == count:
                self.at, self.line, self.skipped = end, self.line + count, self.skipped + count

    def cut(self) -> bool:
        """Split off the next line; False if its end has not arrived."""
        while True:
            chunk, start, size = self.chunk, self.at, self.size
            length = len(chunk)
            end = chunk.find(b"\n", start)
            if end >= 0:
                break
            if start < length:
                kept = chunk[start : start + max(self.keep - size, 0)]
                self.held += kept
                self.size, self.chunk, self.at = size + length - start, b"", 0
                if self.size > self.limit + 1:
                    del self.held[SHOWN:]
            elif self.advance():
                pass
            elif self.finished and size:
                end = length
                break
            else:
                return False
        raw = chunk[start : min(end, start + max(self.keep - size, 0))]
        held = self.held
        if size:
            raw = b"".join((held, raw))
            held = bytearray()
            size += end - start
        else:
            size = end - start
        if size == len(raw) and raw[-1:] == b"\r":
            raw = raw[:-1]
            size -= 1
        fault = None
        if size > self.limit:
            raw = raw[:SHOWN]
            fault = self.too_long()
        self.raw, self.fault, self.held, self.size, self.at = raw, fault, held, 0, end + 1
        return True
