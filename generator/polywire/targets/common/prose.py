"""The description of a declaration → the text of its comment, in languages whose comments are paragraphs."""

from __future__ import annotations

from polywire.model.nodes import About


def history(about: About) -> str | None:
    """The releases that have it, unless all do."""
    if about.since is None:
        return None if about.until is None else f"Until {about.until}."
    return f"Since {about.since}." if about.until is None else f"Since {about.since}, until {about.until}."


def description(about: About) -> str | None:
    """The comment of a field or value, if it has a description."""
    parts = [about.doc or ""]
    if about.observed:
        parts[0] += " Seen on the wire, though not declared upstream."
    parts.append(history(about) or "")
    if about.deprecated:
        parts.append(f"Deprecated: {about.deprecated}")
    return "\n\n".join(part.strip() for part in parts if part.strip()) or None
