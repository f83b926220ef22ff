"""Prose of the spec → the text of doc comments."""

from __future__ import annotations

from dataclasses import replace

from polywire.model.nodes import About
from polywire.targets.prose import description
from polywire.targets.rust.layout import ESCAPED


def documentation(about: About, fallback: str) -> str:
    """What a comment says; the fallback where the spec says nothing. What is deprecated an attribute says."""
    return description(replace(about, deprecated=None)) or fallback


def text(markdown: str) -> str:
    """Markdown of the spec, whole and as it stands, but for what is invisible or moves text about."""
    return "\n".join(map(ESCAPED, markdown.strip().splitlines()))
