"""Prose of the spec → the text of doc comments."""

from __future__ import annotations

from collections.abc import Mapping

from polywire.model.nodes import About
from polywire.targets.prose import description

VERBS = frozenset(
    {
        *("Adds", "Asks", "Carries", "Changes", "Cites", "Edits", "Ends", "Fetches", "Finds", "Gives", "Holds"),
        *("Lists", "Makes", "Marks", "Names", "Reads", "Refuses", "Removes", "Replaces", "Runs", "Says", "Searches"),
        *("Sends", "Sets", "Shows", "Stands", "Starts", "Stops", "Switches", "Takes", "Tells", "Ties", "Writes"),
    }
)
"""First words that say what the name does, so that they can stand behind it."""

OPENINGS = {
    **dict.fromkeys(VERBS, ""),
    **dict.fromkeys(("A", "An", "One", "What", "Where", "Who"), "is"),
    **dict.fromkeys(("How", "Whether", "Which", "Why", "When"), "says"),
}
"""First word of a declaration's prose → the verb to put between its name and that, as Go begins a doc comment."""

MAKES = {**dict.fromkeys(VERBS, ""), **dict.fromkeys(("A", "An", "One", "The"), "makes")}
"""The same for a constructor."""


def documentation(about: About, name: str, openings: Mapping[str, str] = OPENINGS) -> str:
    """What a declaration's doc comment says: it begins with the name."""
    text = description(about)
    if not text:
        return f"{name} is declared without a description."
    first, _, rest = text.partition(" ")
    verb = openings.get(first)
    if verb is None:
        return f"{name}: {text}"
    return " ".join(filter(None, (name, verb, first.lower(), rest)))
