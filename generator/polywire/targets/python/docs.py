"""Prose of the spec → the text of docstrings."""

from __future__ import annotations

from dataclasses import replace

from polywire.model.nodes import About
from polywire.targets.common.prose import history


def documentation(about: About, fallback: str) -> str:
    """The docstring of a declaration; `fallback` if it has no description."""
    return description(about if about.doc else replace(about, doc=fallback)) or fallback


def description(about: About) -> str | None:
    """The docstring of a field or value, if it has a description."""
    parts = [about.doc or "", history(about) or ""]
    if about.deprecated:
        parts.append(f"Deprecated: {about.deprecated}")
    if about.observed:
        parts.append("Seen on the wire, though not declared upstream.")
    return "\n\n".join(part.strip() for part in parts if part.strip()) or None
