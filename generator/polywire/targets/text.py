"""Text of the spec → text that hides nothing and breaks out of nothing, in whatever language a target writes.

What must not stand as it is is the same everywhere; only the spelling of an escape differs.
"""

from __future__ import annotations

import re

from polywire.records import dataclass

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\xa0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ud800-\udfff\ufe00-\ufe0f\ufeff"
    "\ufff9-\uffff\U000e0000-\U000e0fff]"
)
"""Characters that are invisible, move others about, or that UTF-8 cannot hold."""

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

_MARKUP = re.compile(r"[\\*_{}\[\]<>()#+!|~&]")


@dataclass(frozen=True, slots=True)
class Escapes:
    """How a language spells a character by its number, as formats of `str.format`."""

    byte: str
    """Below U+0100."""
    beyond: str
    """Above U+FFFF."""
    within: str = "\\u{:04x}"
    """Between those."""

    def __call__(self, text: str) -> str:
        """Text with every character escaped that must not stand as it is."""
        return _UNSAFE.sub(self._spelt, text)

    def _spelt(self, match: re.Match[str]) -> str:
        code = ord(match[0])
        spelling = self.byte if code < 0x100 else self.within if code < 0x10000 else self.beyond
        return _SHORT.get(match[0]) or spelling.format(code)

    def visible(self, text: str) -> str:
        """Text on one line."""
        return self(text.replace("\n", " "))

    def page(self, markdown: str) -> str:
        """Markdown, whole and as it stands, but for what is invisible or moves text about."""
        return "\n".join(map(self, markdown.strip().splitlines()))

    def lines(self, text: str) -> str:
        """Text of several lines, in which nothing but their ends moves text about."""
        return "\n".join(map(self, text.split("\n")))

    def quoted(self, text: str) -> str:
        """A string literal, where both quotes make one: in double quotes unless the other kind saves escapes."""
        body = self(text.replace("\\", "\\\\"))
        if body.count('"') > body.count("'"):
            return "'" + body.replace("'", "\\'") + "'"
        return '"' + body.replace('"', '\\"') + '"'

    def markdown(self, text: str) -> str:
        """Prose as Markdown that is nothing but prose; what stands in backquotes stays code."""
        parts = code_spans(self.visible(text))
        return "".join(f"`{part}`" if at % 2 else _MARKUP.sub(r"\\\g<0>", part) for at, part in enumerate(parts))


VISIBLE = Escapes(byte="\\u{:04x}", beyond="\\u{{{:x}}}")
"""How text for people shows a character that cannot be seen, whatever the language."""


def code_spans(text: str) -> list[str]:
    """Prose cut at its backquotes: what is at odd places is code. A backquote without a partner is an apostrophe."""
    parts = text.split("`")
    return parts if len(parts) % 2 else ["'".join(parts)]


def fit(width: int, flat: str, broken: str) -> str:
    """`flat` where it is one line of at most `width` columns, else `broken`: how formatters break lines."""
    return flat if len(flat) <= width and "\n" not in flat else broken
