"""Prose of the spec → the text of docstrings."""

from __future__ import annotations

import re

from polywire.model.nodes import About
from polywire.targets.python.layout import visible

_MARKUP = re.compile(r"[\\*_{}\[\]<>()#+!|~&]")


def markdown(text: str) -> str:
    """Prose as Markdown that is nothing but prose; what stands in backquotes stays code."""
    parts = visible(text).split("`")
    if len(parts) % 2 == 0:
        parts = ["'".join(parts)]
    return "".join(f"`{part}`" if at % 2 else _MARKUP.sub(r"\\\g<0>", part) for at, part in enumerate(parts))


def documentation(about: About, fallback: str) -> str:
    """What a declaration's docstring says; the fallback where the spec says nothing."""
    return description(about) or fallback


def description(about: About) -> str | None:
    """What a field's or value's docstring says, if anything."""
    parts = [about.doc or ""]
    if about.deprecated:
        parts.append(f"Deprecated: {about.deprecated}")
    if about.observed:
        parts.append("Seen on the wire, though not declared upstream.")
    return "\n\n".join(part.strip() for part in parts if part.strip()) or None
