"""Prose of the spec → the text of docstrings."""

from __future__ import annotations

from dataclasses import replace

from polywire.model.nodes import About
from polywire.targets.prose import history


def documentation(about: About, fallback: str) -> str:
    """What a declaration's docstring says; the fallback where the spec says nothing."""
    return description(about if about.doc else replace(about, doc=fallback)) or fallback


def description(about: About) -> str | None:
    """What a field's or value's docstring says, if anything."""
    parts = [about.doc or "", history(about) or ""]
    if about.deprecated:
        parts.append(f"Deprecated: {about.deprecated}")
    if about.observed:
        parts.append("Seen on the wire, though not declared upstream.")
    return "\n\n".join(part.strip() for part in parts if part.strip()) or None
