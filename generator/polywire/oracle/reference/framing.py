"""The bytes of a whole stream → its messages, by the framing of the protocol.

Readers split streams in pieces of any size; this module, with which they are compared, sees all bytes at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from polywire.ground.engine import Fault

HEADER = 4096
"""The maximum length of a header section in bytes, with its line ends."""

SHOWN = 1024
"""The number of bytes reported of a malformed header, or of a message that exceeds the limit."""

_NAME = re.compile(rb"[A-Za-z0-9_-]+")
"""The name of a header."""

_LENGTH = re.compile(rb"[ \t]*([0-9]{1,15})[ \t]*")
"""The value of `Content-Length`. With more digits, no program would wait for the end."""

_LINE_END = re.compile(rb"\r\n|\n|\r")
"""The end of a line of an event stream."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A message on a stream."""

    content: bytes
    length: int
    """The length that the stream states; greater than that of the content if the stream ends too early."""
    fault: Fault | None = None
    """What is wrong with the stream. The content is then the header, or the beginning of the message."""


def frames(framing: str, data: bytes) -> Iterator[Frame]:
    """Yield the messages of a complete stream, with blank ones."""
    match framing:
        case "content-length":
            return _bodies(data)
        case "sse":
            return _events(data)
        case _:
            return _lines(data)


def framed(framing: str, content: bytes) -> bytes:
    """Return a message without line feeds as a writer writes it."""
    match framing:
        case "content-length":
            return b"Content-Length: %d\r\n\r\n%b" % (len(content), content)
        case "sse":
            return b"data: %b\n\n" % content
        case _:
            return content + b"\n"


def _lines(data: bytes) -> Iterator[Frame]:
    lines = data.split(b"\n")
    for line in lines if lines[-1] else lines[:-1]:
        content = line.removesuffix(b"\r")
        yield Frame(content, len(content))


def _bodies(data: bytes) -> Iterator[Frame]:
    at = 0
    while at < len(data):
        try:
            length, start = _header(data[at : at + HEADER + 1])
        except _MalformedError as malformed:
            header, reason = malformed.args
            yield Frame(header[:SHOWN], 0, Fault("invalid_json", "", reason))
            return
        content = data[at + start : at + start + length]
        at += start + length
        early = Fault("invalid_json", "", f"the stream ends after {len(content)} of {length} bytes")
        yield Frame(content, length, early if len(content) < length else None)


class _MalformedError(Exception):
    """A header section that does not say how long the message is: the section as far as it was read, and why."""


def _header(data: bytes) -> tuple[int, int]:
    """Return the length that a header section states, and its own length. One byte more than `HEADER` is enough."""
    length: int | None = None
    start = 0
    while True:
        end = data.find(b"\n", start, HEADER)
        if end < 0:
            reason = "the header is too long" if len(data) > HEADER else "the stream ends in a header"
            raise _MalformedError(data[:HEADER], reason)
        line = data[start:end].removesuffix(b"\r")
        if not line and length is not None:
            return length, end + 1
        name, colon, value = line.partition(b":")
        until = data[: start + len(line)]
        if not colon or _NAME.fullmatch(name) is None:
            raise _MalformedError(until, "a line of the header has no name" if line else "no Content-Length")
        if name.lower() == b"content-length":
            found = _LENGTH.fullmatch(value)
            if found is None or length is not None:
                raise _MalformedError(until, "Content-Length is no number, or is repeated")
            length = int(found[1])
        start = end + 1


def _events(data: bytes) -> Iterator[Frame]:
    event: list[bytes] = []
    for line in (*_LINE_END.split(data.removeprefix(b"\xef\xbb\xbf")), b""):
        if line == b"data" or line.startswith(b"data:"):
            event.append(line[5:].removeprefix(b" "))
        elif not line and event:
            content = b"\n".join(event)
            yield Frame(content, len(content))
            event = []
