"""Prose of the spec → the text of doc comments."""

from __future__ import annotations

from dataclasses import replace

from polywire.model.nodes import About
from polywire.targets.common.prose import description
from polywire.targets.rust.layout import ESCAPED


def documentation(about: About, fallback: str) -> str:
    """The text of a doc comment; `fallback` if there is no description. Deprecation is expressed by an attribute."""
    return description(replace(about, deprecated=None)) or fallback


def text(markdown: str) -> str:
    """Markdown of the spec with its markup; only invisible and reordering characters are escaped."""
    return "\n".join(map(ESCAPED, markdown.strip().splitlines()))
