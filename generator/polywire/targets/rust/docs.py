"""Prose of the spec → the text of doc comments."""

from __future__ import annotations

from polywire.model.nodes import About
from polywire.targets.common.prose import paragraphs


def documentation(about: About, fallback: str) -> str:
    """The text of a doc comment; `fallback` if there is no description. Deprecation is expressed by an attribute."""
    return "\n\n".join(paragraphs(about)) or fallback
