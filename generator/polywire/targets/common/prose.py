"""The description of a declaration → the text of its comment, in languages whose comments are paragraphs."""

from __future__ import annotations

from polywire.model.nodes import About


def history(about: About) -> str | None:
    """The releases that have it, unless all do."""
    if about.since is None:
        return None if about.until is None else f"Until {about.until}."
    return f"Since {about.since}." if about.until is None else f"Since {about.since}, until {about.until}."


def paragraphs(about: About, fallback: str = "") -> tuple[str, ...]:
    """What a comment says of a declaration, besides its deprecation, for which languages have forms of their own."""
    doc = (about.doc or fallback) + " Seen on the wire, though not declared upstream." * about.observed
    return tuple(filter(None, (doc.strip(), history(about))))


def description(about: About, fallback: str = "") -> str | None:
    """The comment of a field or value, if it has a description."""
    deprecated = (f"Deprecated: {about.deprecated}".strip(),) if about.deprecated else ()
    return "\n\n".join((*paragraphs(about, fallback), *deprecated)) or None


def documentation(about: About, fallback: str) -> str:
    """The comment of a declaration; `fallback` if it has no description."""
    return description(about, fallback) or fallback
