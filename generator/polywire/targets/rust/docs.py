"""Prose of the spec → the text of doc comments."""

from __future__ import annotations

from polywire.model.nodes import About
from polywire.targets.common.prose import paragraphs
from polywire.targets.rust import layout


def documentation(about: About, fallback: str) -> str:
    """The text of a doc comment; `fallback` if there is no description. Deprecation is expressed by an attribute."""
    return "\n\n".join(paragraphs(about)) or fallback


def above(about: About, fallback: str, indent: int = 0) -> str:
    """What is above an item: its documentation, and an attribute if it is deprecated."""
    return layout.above(documentation(about, fallback), about.deprecated, indent)
