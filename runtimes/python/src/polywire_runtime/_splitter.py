"""What the framings share: the bytes of a stream, in chunks of any size, and the message that is split off next.

CPython runs signal handlers, and so raises KeyboardInterrupt, after calls and at backward jumps, but never between
plain stores. Therefore, a framing first computes a step, and then stores its whole result without a call in between.
"""

from __future__ import annotations

from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["SHOWN", "Splitter"]

SHOWN = 1024
"""The number of bytes that are kept of a message that is too long, and of a malformed header."""


class Splitter:
    """The state of a framing. `cut` of the `Framing` in its module splits off messages."""

    __slots__ = (
        "at",
        "chunk",
        "chunks",
        "closed",
        "fault",
        "finished",
        "held",
        "limit",
        "line",
        "raw",
        "size",
        "skipped",
    )

    def __init__(self, limit: int) -> None:
        self.limit: int = limit
        """The maximum length of a message in bytes."""
        self.chunks: deque[bytes] = deque()
        """The chunks that were fed after `chunk`."""
        self.chunk: bytes = b""
        self.at: int = 0
        """The index where the rest of `chunk` begins."""
        self.finished: bool = False
        """Whether nothing follows the chunks."""
        self.closed: bool = False
        """Whether nothing more can be read, because it is unknown where the next message begins."""
        self.held: bytearray = bytearray()
        """The beginning of the next message, from earlier chunks; a part of it if it is too long."""
        self.size: int = 0
        """The full length of that beginning."""
        self.raw: bytes | None = None
        """A complete message whose item has not been taken yet."""
        self.fault: tuple[str, str, str] | None = None
        """Why that message cannot be decoded: a code, a path and a text."""
        self.line: int = 0
        """The number of messages whose items were taken or skipped, and of blank ones."""
        self.skipped: int = 0

    def skip(self, filter: Any) -> None:
        """Skip messages at the beginning of the chunk that a filter does not want, if a framing can find them fast."""

    def advance(self) -> bool:
        """Begin with the chunk after the current one, which is consumed; False if there is none."""
        if not self.chunks:
            return False
        self.chunk, self.at = self.chunks[0], 0
        del self.chunks[0]
        return True

    def too_long(self) -> tuple[str, str, str]:
        """The fault of a message over the limit."""
        return ("too_long", "", f"the message is longer than {self.limit} bytes")
