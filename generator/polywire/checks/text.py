"""Text of unknown origin → text that a terminal shows unchanged, at its expected width.

A spec may come from an untrusted source. A control or bidirectional character in a name or a comment must not erase a
finding, colour it or reverse it, so every character that a terminal would interpret is replaced by its escape.
"""

from __future__ import annotations

import re
import unicodedata

_TAB = 4
_WHOLE = 160  # a line of at most this many characters is shown whole
_BEFORE, _AFTER = 72, 56  # the characters shown on either side of the caret in a longer line
_ELLIPSIS = "…"
_PRINTABLE_ASCII = re.compile(r"[ -~]*")
_SHOWN = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No"})  # and P*, S*: see `_acts`


def visible(text: str) -> str:
    """`text` with every character that is not a letter, mark, digit, punctuation, symbol or plain space escaped."""
    if _PRINTABLE_ASCII.fullmatch(text):
        return text
    return "".join(_escape(c) if acts(c) else c for c in text)


def acts(char: str) -> bool:
    """Whether a terminal or editor interprets the character, hides it or shows something else instead."""
    if " " <= char <= "~":
        return False
    category = unicodedata.category(char)
    return category not in _SHOWN and category[0] not in "PS"


def excerpt(line: str, column: int) -> tuple[str, str]:
    """A source line made visible, cut to the surroundings of the 1-based column, and a caret to show below it."""
    at = min(max(column - 1, 0), len(line))
    start, end = (0, len(line)) if len(line) <= _WHOLE else (max(0, at - _BEFORE), at + _AFTER)
    before, after = line[start:at], line[at:end]
    lead = _show((_ELLIPSIS if start else "") + before)
    tail = _show(after, width(lead)) + (_ELLIPSIS if end < len(line) else "")
    return (lead + tail).rstrip(), " " * width(lead) + "^"


def width(text: str) -> int:
    """The number of terminal columns that visible text takes."""
    return sum(_cells(c) for c in text)


def _show(text: str, offset: int = 0) -> str:
    """`visible`, with tabs expanded to spaces; the text starts in column `offset`."""
    shown, column = [], offset
    for char in text:
        piece = " " * (_TAB - column % _TAB) if char == "\t" else visible(char)
        shown.append(piece)
        column += width(piece)
    return "".join(shown)


def _cells(char: str) -> int:
    if " " <= char <= "~":
        return 1
    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _escape(char: str) -> str:
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
