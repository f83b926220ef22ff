"""What the spec says about a thing → what a comment beside it says, in languages whose comments are paragraphs."""

from __future__ import annotations

from polywire.model.nodes import About


def description(about: About) -> str | None:
    """What the comment of a field or value says, if anything."""
    parts = [about.doc or ""]
    if about.observed:
        parts[0] += " Seen on the wire, though not declared upstream."
    if about.deprecated:
        parts.append(f"Deprecated: {about.deprecated}")
    return "\n\n".join(part.strip() for part in parts if part.strip()) or None
