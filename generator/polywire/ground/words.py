"""Numbers and misspelt names → text about them for people."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

_FEW = 12
"""Maximum number of names listed in an error message."""


def counted(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def nearest(word: str, known: Iterable[str]) -> list[str]:
    """Return the known name nearest to `word` (none or one), ignoring case."""
    from difflib import get_close_matches  # only needed for a misspelt name

    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), folded, n=1, cutoff=0.7)
    # In a short word, two swapped letters are too large a difference for that.
    swapped = (name for name in folded if sorted(name) == sorted(word.casefold()))
    return [folded[name] for name in near or islice(swapped, 1)]


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return a suggestion for an unknown name, to be appended to the error message."""
    names = sorted(known)
    near = nearest(word, names)
    if near:
        return f"; did you mean {near[0]!r}?"
    return "" if len(names) > _FEW else f"; there is {', '.join(names) or 'none'}"
