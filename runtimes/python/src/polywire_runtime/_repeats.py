# pyright: basic
"""Lines that repeat an earlier line but for some of its texts, read without a parser.

A stream is mostly such lines: a few words, in an object that is spelt like the one before. Once two lines have turned
out alike, a function is made that knows what stands between their texts, takes the texts out with the library's own
scanner of strings, and puts them where the ordinary decoder put them. It takes nothing else: what it does not know
goes the ordinary way. So nothing but the time depends on what was read before.

Which texts may vary is found by trying: a text that stands for anything (a tag, a value of a closed enum) is one that
the decoder refuses another word for. The rest decide nothing.
"""

from __future__ import annotations

import re
from json import decoder

from ._base import UNSET, Record
from ._codec import CLAIMED
from ._support import blanks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    _Reader = Callable[[str], Any]

__all__ = ["Learner"]

_LINES = 4096
"""Lines that are looked at before learning ends."""

_ATTEMPTS = 64
"""Readers that are made at most."""

_LONGEST = 1024
"""Characters of a line from which on the parser is not what takes the time."""

_KEPT = 256
"""Earlier lines that are kept to be compared, for as long as learning lasts."""

_MARK = "\ufdd1"
"""What stands for a text while it is found out where that goes; no character, so no text has it by chance."""

_string: Any = getattr(decoder, "scanstring", None)
"""The library's scanner of strings: text and the place behind a quote → what the string says, and the place behind it.

Without it there are no readers.
"""

_TEXTS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?', re.DOTALL)
"""A text with its quotes; a colon behind it makes it a key."""


class _NotAlikeError(Exception):
    """A line that no reader can be made of."""


class Learner:
    """Looks at lines that were decoded in the ordinary way, and enters a reader where two were alike.

    `readers` are by the first `head` characters of their lines; `message_of` decodes, or raises.
    """

    def __init__(self, readers: dict[str, _Reader], head: int, message_of: Callable[[str], Any]) -> None:
        self._readers = readers
        self._head = head
        self._message_of = message_of
        self._earlier: dict[str, str] = {}
        self._lines = _LINES
        self._attempts = _ATTEMPTS

    def look(self, text: str) -> bool:
        """Take one line, at best the second of its kind; tell whether to go on."""
        self._lines -= 1
        if len(text) < _LONGEST:
            head = text[: self._head]
            earlier = self._earlier.get(head)
            if earlier is not None and _bare(earlier) == _bare(text):
                self._attempts -= 1
                self._try(head, text)
            if len(self._earlier) == _KEPT:
                self._earlier.clear()
            self._earlier[head] = text
        return self._lines > 0 and self._attempts > 0

    def _try(self, head: str, text: str) -> None:
        try:
            self._readers[head] = _reader(text, len(head), self._message_of)
        except Exception:  # noqa: BLE001, S110 - the line was decoded already; whatever fails here, there is no reader
            pass


def _bare(text: str) -> str:
    """What is left of a line without its texts, but for keys."""
    return _TEXTS.sub(lambda found: found[0] if found[1] else "", text)


def _reader(text: str, head: int, message_of: Callable[[str], Any]) -> _Reader:
    """A function that gives the message of every line like `text`, and None for others.

    No text within the first `head` characters may vary, since lines are looked up by these.
    """
    spans = _varying(text, head, message_of)
    starts = [0, *(end for _, end in spans)]
    ends = [*(start + 1 for start, _ in spans), len(text)]  # a piece ends behind the quote that the scanner wants
    pieces = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    writer = _Writer(len(spans))
    message = writer.value(message_of(_marked(text, [f"{_MARK}{at}" for at in range(len(spans))], spans)))
    if sorted(writer.found) != sorted(writer.names):
        raise _NotAlikeError  # a text that did not come out, or twice
    lines = ["def read(text):"]
    scope: dict[str, Any] = {**writer.scope, "string": _string, "last": pieces[-1]}
    for number, (name, piece) in enumerate(zip(writer.names, pieces, strict=False)):
        scope[f"piece_{number}"] = piece
        position = f", {len(piece)}" if number == 0 else f", at + {len(piece)}"
        lines += [
            f"    if not text.startswith(piece_{number}{', at' if number else ''}):",
            "        return None",
            f"    {name}, at = string(text{position})",
        ]
    lines += ["    if text[at:] != last:", "        return None", *writer.lines, f"    return {message}"]
    exec("\n".join(lines), scope)  # noqa: S102 - names of this package, and literals as `repr` writes them
    read: _Reader = scope["read"]
    if read(text) != message_of(text):
        raise _NotAlikeError  # no reader is better than one that errs
    return read


def _varying(text: str, head: int, message_of: Callable[[str], Any]) -> list[tuple[int, int]]:
    """From where to where the texts stand, with their quotes, that may be any other text."""
    spans = []
    for found in _TEXTS.finditer(text):
        if found[1] is None:
            try:
                message_of(_marked(text, [_MARK], [found.span()]))
            except Exception:  # noqa: BLE001, S112 - whatever the decoder makes of it, the text is not any text
                continue
            if found.start() < head:
                raise _NotAlikeError  # lines like it begin otherwise
            spans.append(found.span())
    if not spans:
        raise _NotAlikeError
    return spans


def _marked(text: str, marks: list[str], spans: list[tuple[int, int]]) -> str:
    """The line with other words in place of some."""
    parts, at = [], 0
    for mark, (start, end) in zip(marks, spans, strict=True):
        parts += [text[at:start], f'"{mark}"']
        at = end
    return "".join([*parts, text[at:]])


class _Writer:
    """A message → the statements that make one like it, from texts by the names of their marks."""

    def __init__(self, texts: int) -> None:
        self.names = [f"text_{at}" for at in range(texts)]
        self.found: list[str] = []
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {"UNSET": UNSET}
        self._objects = 0

    def value(self, x: Any) -> str:
        """An expression for a value; its objects are made by `lines`."""
        if type(x) is list:
            return f"[{', '.join([self.value(item) for item in x])}]"
        if type(x) is dict:
            return f"{{{', '.join([f'{key!r}: {self.value(item)}' for key, item in x.items()])}}}"
        if isinstance(x, Record):
            return self._object(x)
        if x is UNSET:
            return "UNSET"
        if type(x) is str and x.startswith(_MARK):
            self.found.append(self.names[int(x[len(_MARK) :])])
            return self.found[-1]
        return repr(x)

    def _object(self, x: Record) -> str:
        kind = type(x)
        members = {slot: self.value(getattr(x, slot)) for slot in map(_slot, vars(kind)["__slots__"])}
        if any(members[attr] in self.names for attr in CLAIMED.get(kind.__name__, ())):
            raise _NotAlikeError
        name = f"object_{self._objects}"
        self._objects += 1
        self.scope[f"new_{kind.__name__}"] = blanks(kind)
        self.lines.append(f"    {name} = next(new_{kind.__name__})")
        self.lines += [f"    {name}.{attr} = {value}" for attr, value in members.items()]
        return name


def _slot(name: str) -> str:
    """The name by which a slot is seen bare."""
    return "_extra" if name == "extra" else name
