"""Prose of the spec → the text of doc comments."""

from __future__ import annotations

from collections.abc import Mapping

from polywire.model.nodes import About
from polywire.targets.common.prose import description

VERBS = frozenset(
    {
        *("Adds", "Allows", "Applies", "Asks", "Calls", "Cancels", "Carries", "Changes", "Cites", "Creates", "Denies"),
        *("Edits", "Ends", "Fetches", "Finds", "Forwards", "Generates", "Gives", "Holds", "Interrupts", "Lists"),
        *("Makes", "Marks", "Moves", "Names", "Reads", "Reconnects", "Refuses", "Reloads", "Removes", "Renames"),
        *("Replaces", "Requests", "Restores", "Runs", "Says", "Searches", "Sends", "Sets", "Shows", "Stands", "Starts"),
        *("Stops", "Switches", "Takes", "Tells", "Ties", "Writes"),
    }
)
"""First words that are verbs, so they can directly follow the name."""

OPENINGS = {
    **dict.fromkeys(VERBS, ""),
    **dict.fromkeys(("A", "An", "Any", "One", "Sent", "What", "Where", "Who"), "is"),
    **dict.fromkeys(("Input", "Outcome", "Output", "Result", "Usage"), "is the"),
    **dict.fromkeys(("Details", "Fields", "Settings", "Statistics"), "holds"),
    **dict.fromkeys(("How", "Whether", "Which", "Why", "When"), "says"),
}
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
