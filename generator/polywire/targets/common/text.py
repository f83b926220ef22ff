"""Text of the spec → safe text without hidden characters, in the language of any target.

The characters that must be escaped are the same everywhere; only the spelling of an escape differs.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\xa0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ud800-\udfff\ufe00-\ufe0f\ufeff"
    "\ufff9-\uffff\U000e0000-\U000e0fff]"
)
"""Characters that are invisible, that reorder others, or that UTF-8 cannot represent."""

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

_MARKUP = re.compile(r"[\\*_{}\[\]<>()#+!|~&]")


@dataclass(frozen=True, slots=True)
class Escapes:
    """The escapes of a language for a character code, as formats of `str.format`."""

    byte: str
    """For characters below U+0100."""
    beyond: str
    """For characters above U+FFFF."""
    within: str = "\\u{:04x}"
    """For the characters in between."""

    def __call__(self, text: str) -> str:
        """The text with every unsafe character escaped."""
        return _UNSAFE.sub(self._spelt, text)

    def _spelt(self, match: re.Match[str]) -> str:
        code = ord(match[0])
        spelling = self.byte if code < 0x100 else self.within if code < 0x10000 else self.beyond
        return _SHORT.get(match[0]) or spelling.format(code)

    def visible(self, text: str) -> str:
        """Text on one line."""
        return self(text.replace("\n", " "))

    def page(self, markdown: str) -> str:
        """Markdown with its markup; only invisible and reordering characters are escaped."""
        return "\n".join(map(self, markdown.strip().splitlines()))

    def lines(self, text: str) -> str:
        """Text of several lines, in which only line ends are left unescaped."""
        return "\n".join(map(self, text.split("\n")))

    def quoted(self, text: str) -> str:
        """A string literal for languages with two kinds of quotes.

        It uses single quotes if they save escapes, else double quotes.
        """
        body = self(text.replace("\\", "\\\\"))
        if body.count('"') > body.count("'"):
            return "'" + body.replace("'", "\\'") + "'"
        return '"' + body.replace('"', '\\"') + '"'

    def markdown(self, text: str) -> str:
        """Prose as Markdown without markup; text in backquotes stays code."""
        parts = code_spans(self.visible(text))
        return "".join(f"`{part}`" if at % 2 else _MARKUP.sub(r"\\\g<0>", part) for at, part in enumerate(parts))


VISIBLE = Escapes(byte="\\u{:04x}", beyond="\\u{{{:x}}}")
"""The escapes of invisible characters in text for people, in any language."""


def code_spans(text: str) -> list[str]:
    """Prose split at its backquotes: odd items are code. A backquote without a partner becomes an apostrophe."""
    parts = text.split("`")
    return parts if len(parts) % 2 else ["'".join(parts)]


def wrapped(line: str, width: int, further: str = "") -> list[str]:
    """Prose on lines of at most `width` columns, unless a word is longer; lines but the first begin with `further`."""
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False, subsequent_indent=further)
