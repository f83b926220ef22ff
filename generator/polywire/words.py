"""Numbers and misspelt names → the words that people read about them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

_FEW = 12
"""As many names as a person reads in an error message."""


def counted(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def nearest(word: str, known: Iterable[str]) -> list[str]:
    """The known name nearest to `word` (none or one), whatever its case."""
    from difflib import get_close_matches  # only a misspelt name needs it

    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), folded, n=1, cutoff=0.7)
    # Of a short word, two letters in the wrong order are too much for that.
    swapped = (name for name in folded if sorted(name) == sorted(word.casefold()))
    return [folded[name] for name in near or islice(swapped, 1)]


def suggestion(word: str, known: Iterable[str]) -> str:
    """What may have been meant by a name that is not known, ready to stand behind the complaint."""
    names = sorted(known)
    near = nearest(word, names)
    if near:
        return f"; did you mean {near[0]!r}?"
    return "" if len(names) > _FEW else f"; there is {', '.join(names) or 'none'}"
