"""Prose of the spec → the text of doc comments."""

from __future__ import annotations

from collections.abc import Mapping

from polywire.model.nodes import About
from polywire.targets.common.prose import description
from polywire.targets.go.names import VOCABULARY

VERBS = VOCABULARY.words["verbs"]

_INSERTED = {"verbs": "", "things": "is", "results": "is the", "contents": "holds", "questions": "says"}

OPENINGS = {word: verb for words, verb in _INSERTED.items() for word in VOCABULARY.words[words]}
"""The first word of a description → the words to insert after the name, with which a Go doc comment begins."""

MAKES = {**dict.fromkeys(VERBS, ""), **dict.fromkeys(("A", "An", "One", "The"), "creates")}
"""The same for constructors."""


def documentation(about: About, name: str, openings: Mapping[str, str] = OPENINGS) -> str:
    """The doc comment of a declaration, which begins with its name."""
    text = description(about)
    if not text:
        return f"{name} has no description."
    first, _, rest = text.partition(" ")
    verb = openings.get(first)
    if verb is None:
        return f"{name}: {text}"
    return " ".join(filter(None, (name, verb, first.lower(), rest)))
