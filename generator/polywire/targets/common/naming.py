"""A name of the spec in any case → words → a name in the case of a language.

`words` splits at changes of case and at characters that no identifier can contain, and keeps runs of capitals
(`priceUSD`) and digits with their letters (`ephemeral_5m`) together. A name that has only such characters is spelt by
code points. The casing functions join words again; `identifier` ensures that the result is an identifier. Languages
differ in tables (`Reserved`), not in code.

A name that is reserved by a language, or by the runtime of its packages, is not refused: it gets a suffix. That depends
on the name alone, so no declaration can change the name of another one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

_UPPER, _LOWER, _DIGIT, _OTHER = range(4)


def _kind(character: str) -> int:
    if not f"_{character}".isidentifier():
        return _OTHER  # for example a squared capital, which is a symbol
    if character.isupper():
        return _UPPER
    if character.isalpha():
        return _LOWER
    return _DIGIT if character.isdecimal() else _OTHER


@cache  # every target needs the words of every name, several times
def words(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: `replyToMessageID` → reply, to, message, id; `*/` → u2a, u2f."""
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
    return tuple(part.lower() for part in (*found, word) if part) or spelt(text)


def spelt(name: str) -> tuple[str, ...]:
    """The code points of a name, each as a word, for names without a character that a language allows."""
    return tuple(f"u{ord(character):x}" for character in name)


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


def pascal_stem(name: str) -> str:
    """The name itself if it is in ASCII and begins with a capital, otherwise `ParentToolUseId`."""
    plain = name.isascii() and name.isidentifier() and name[0].isupper()
    return name if plain else pascal(words(name))


@dataclass(frozen=True, slots=True)
class Reserved:
    """The names that are reserved for one kind of declaration in a package, and the suffix that avoids them."""

    what: str
    """The kind that cannot have these names, in the plural."""
    names: frozenset[str]
    suffix: str = "_"

    def apart(self, name: str) -> str:
        """The name, with the suffix added until it is not reserved."""
        while name in self.names:
            name += self.suffix
        return name


FREE = Reserved("anything", frozenset())
"""For names that collide with nothing."""


def pattern(form: str, reserved: Iterable[str]) -> str:
    """The pattern of names that match a pattern as a whole and are not reserved."""
    return rf"(?!(?:{'|'.join(sorted(reserved))})\Z){form}"


def identifier(name: str, reserved: Reserved, prefix: str) -> str:
    """`name` as an identifier: `prefix` is added if it is empty or begins with a digit, a suffix if it is reserved."""
    if not name or not (name[0].isalpha() or name[0] == "_"):
        name = prefix + name
    return reserved.apart(name)
