"""A name of the spec, in whatever case it was written → words → a name in the case of a language.

`words` cuts at changes of case and at whatever no identifier can hold, and keeps runs of capitals (`priceUSD`) and
digits with their letters (`ephemeral_5m`) together. The casing functions join words again; `identifier` makes sure that
what comes out is one. Languages differ in tables (reserved words), not in code.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable
from functools import cache

_UPPER, _LOWER, _DIGIT, _OTHER = range(4)


def _kind(character: str) -> int:
    if character.isupper():
        return _UPPER
    if character.isalpha():
        return _LOWER
    return _DIGIT if character.isdecimal() else _OTHER


@cache  # every target asks for the words of every name, several times
def words(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: `parentToolUseID` → parent, tool, use, id."""
    found: list[str] = []
    word = ""
    text = unicodedata.normalize("NFKC", name)
    kinds = [_kind(character) for character in text]
    for at, character in enumerate(text):
        if kinds[at] == _OTHER:
            found.append(word)
            word = ""
            continue
        if word and kinds[at] == _UPPER and _starts_word(kinds, at):
            found.append(word)
            word = ""
        word += character
    return tuple(part.lower() for part in (*found, word) if part)


def _starts_word(kinds: list[int], at: int) -> bool:
    """Whether a capital begins a word: after a small letter or digit, or as the last of a run before a small letter."""
    if kinds[at - 1] != _UPPER:
        return True
    return at + 1 < len(kinds) and kinds[at + 1] == _LOWER


def snake(parts: Iterable[str]) -> str:
    """`like_this`."""
    return "_".join(parts)


def constant(parts: Iterable[str]) -> str:
    """`PARENT_TOOL_USE_ID`."""
    return "_".join(parts).upper()


def pascal(parts: Iterable[str]) -> str:
    """`ParentToolUseId`."""
    return "".join(part[:1].upper() + part[1:] for part in parts)


def identifier(name: str, reserved: Collection[str], prefix: str) -> str:
    """`name` as an identifier: after `prefix` if it is empty or begins with a digit, before `_` if it is reserved."""
    if not name or not (name[0].isalpha() or name[0] == "_"):
        name = prefix + name
    return name + "_" if name in reserved else name
