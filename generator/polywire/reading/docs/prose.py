"""Text of the spec → the pieces that a page inserts: words, code, and links to declarations.

No address in a spec becomes a link: every link leads to a page of the reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from markupsafe import Markup

from polywire.source.types import Ref
from polywire.targets.common.text import VISIBLE, code_spans

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text; `href` is empty if it is not a link."""

    text: str
    href: str = ""
    is_code: bool = False


Text: TypeAlias = "tuple[Piece, ...]"
Prose: TypeAlias = "tuple[Text, ...]"
"""Paragraphs."""

Address: TypeAlias = "Callable[[str], str]"
"""Returns the address of a declaration's page; empty if there is no declaration of that name."""


def prose(doc: str | None, address: Address) -> Prose:
    """Split a doc into paragraphs. Code that is the name of a declaration becomes a link to it."""
    paragraphs = (part for part in _PARAGRAPH.split((doc or "").strip()) if part.strip())
    return tuple(
        tuple(
            Piece(part, address(part) if at % 2 else "", is_code=bool(at % 2))
            for at, part in enumerate(code_spans(" ".join(paragraph.split())))
            if part
        )
        for paragraph in paragraphs
    )


def brief(doc: str | None, most: int = 160) -> str:
    """Return the first sentence of a doc, or its beginning, as plain text."""
    text = " ".join((doc or "").split()).replace("`", "")
    sentence = re.match(r".*?[.!?](?= [A-Z0-9(\"']|$)", text)
    text = text if sentence is None else sentence[0]
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def linked(parts: Iterable[str | Ref], address: Address) -> Text:
    """Return a type in pieces, with links to the declarations in it."""
    return tuple(
        Piece(part, is_code=True) if isinstance(part, str) else Piece(part.name, address(part.name), is_code=True)
        for part in parts
    )


def verbatim(text: str) -> Markup:
    """Return code or JSON as the text of an element, and for no other context: its many quotes are not escaped."""
    shown = VISIBLE.lines(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return Markup(shown)  # noqa: S704 - nothing is left that has a meaning in an element's text
