"""Prose of the spec → the text of doc comments."""

from __future__ import annotations

from polywire.model.nodes import About
from polywire.targets.rust.layout import ESCAPED


def documentation(about: About, fallback: str) -> str:
    """What a declaration's comment says; the fallback where the spec says nothing."""
    return description(about) or fallback


def description(about: About) -> str | None:
    """What the comment of a field or value says, if anything."""
    parts = [about.doc or ""]
    if about.observed:
        parts[0] += " Seen on the wire, though not declared upstream."
    if about.deprecated:
        parts.append(f"Deprecated: {about.deprecated}")
    return "\n\n".join(part.strip() for part in parts if part.strip()) or None


def text(markdown: str) -> str:
    """Markdown of the spec, whole and as it stands, but for what is invisible or moves text about."""
    return "\n".join(map(ESCAPED, markdown.strip().splitlines()))
