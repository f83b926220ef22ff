"""Names of a source → names that a spec may declare, by one rule.

A name of ASCII letters, digits and underscores that starts with a capital letter is kept. Any other is cut into its
runs of ASCII letters and digits; the runs are capitalised and joined: `read/text_file` becomes `ReadTextFile`. If the
result does not start with a letter, `Type` is prepended; if it is a word of the language, `Value` is appended. At most
80 characters are kept. A name that is taken gets the first free number from 2 on. So does a name that would have the
same name as another type in some package: if `Number` is reserved in a language, it is `NumberType` there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from polywire.source.expr import RESERVED, UNREACHABLE
from polywire.targets import registry
from polywire.targets.common.naming import words

MOST = 80
_STAYS = re.compile(r"[A-Z][A-Za-z0-9_]*")
_WORD = re.compile(r"[A-Za-z0-9]+")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def declarable(text: str) -> str:
    """Return the declared name for a name of the source, before checking whether it is taken."""
    name = text[:MOST] if _STAYS.fullmatch(text[:MOST]) and _STAYS.fullmatch(text) else _joined(text)
    if not name[:1].isalpha():
        name = f"Type{name}"[:MOST]
    return f"{name}Value" if name in RESERVED | UNREACHABLE else name


def _joined(text: str) -> str:
    parts = _WORD.findall(text[: MOST * 4])
    return "".join(part[0].upper() + part[1:] for part in parts)[:MOST]


def sentence(text: str) -> str:
    """Return the words of a name: `toolCallUpdate` → `tool call update`; words in capitals are kept."""
    humps = [hump for word in _WORD.findall(text) for hump in _HUMPS.findall(word)]
    return " ".join(hump if hump.isupper() and len(hump) > 1 else hump.lower() for hump in humps)


def names_apart(texts: Iterable[str]) -> dict[str, str]:
    """Return names for those values or members of one declaration that some language cannot tell from others."""
    seen: Counter[str] = Counter()
    names = {}
    for each in texts:
        joined = "".join(words(each))
        spellings = {joined, joined.encode("ascii", "ignore").decode()} - {""}  # names in Go are ASCII
        seen.update(spellings)
        number = max((seen[spelling] for spelling in spellings), default=1)
        if number > 1:
            word = re.sub(r"\W+", "_", each, flags=re.ASCII).strip("_")
            names[each] = f"{word if word[:1].isalpha() else f'value_{word}'}{number}"
    return names


class Names:
    """The names of one spec; each is assigned only once."""

    def __init__(self, taken: Iterable[str] = (), *, same: Callable[[str], str] = str) -> None:
        """`same` returns the same text for names of which only one may be given."""
        self._same = same
        self._taken = set(map(same, taken))
        self._next: dict[str, int] = {}

    def give(self, text: str) -> str:
        """Assign a free name to a name of the source."""
        name = declarable(text)
        if self._clashes(name):
            number = self._next.get(name, 2)
            while self._clashes(f"{name}{number}"):
                number += 1
            self._next[name] = number + 1
            name = f"{name}{number}"
        self._taken.add(self._same(name))
        return name

    def is_taken(self, text: str) -> bool:
        """Return whether `give` would have to add a number."""
        return self._clashes(declarable(text))

    def _clashes(self, name: str) -> bool:
        return any(self._same(each) in self._taken for each in (name, *_namesakes(name)))


def _namesakes(name: str) -> Iterator[str]:
    """Yield the names that become the same name in some language."""
    for suffix, names in _reserved().items():
        if name in names:
            yield name + suffix
        if name.endswith(suffix) and name.removesuffix(suffix) in names:
            yield name.removesuffix(suffix)


@cache
def _reserved() -> dict[str, frozenset[str]]:
    """Return the names reserved in some language, by the suffix that they get there."""
    found: dict[str, frozenset[str]] = {}
    for target in registry().values():
        for reserved in target.reserved:
            if reserved.what == "declarations":
                found[reserved.suffix] = found.get(reserved.suffix, frozenset()) | reserved.names
    return found
