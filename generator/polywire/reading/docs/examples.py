"""A model → JSON for each declaration: the examples of the spec, or an instance derived from it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from polywire.model.nodes import Example, Model
from polywire.oracle import instances
from polywire.oracle.instances import Instance
from polywire.reading.docs.prose import verbatim
from polywire.writing.render import json_text

MOST = 3
"""Maximum number of examples of one declaration; a page says how many more there are."""

LONGEST = 20_000
"""Maximum length of an example in characters."""

_SHORT = 1_500
"""Maximum length, in characters, of an instance that is easy to read."""

_TELLING = ("full", "present", "nested", "variant", "minimal")
"""Families of instances, those with the most members first."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A formatted example."""

    text: Markup
    doc: str | None
    is_derived: bool = False


def examples(model: Model) -> dict[str, tuple[Shown, ...]]:
    """Return the examples of each declaration that has any."""
    found = {name: tuple(shown(each.examples)) for name, each in model.declarations.items()}
    missing = {name for name, given in found.items() if not given}
    derived: dict[str, list[Instance]] = {}
    for each in instances.derive(model, random=0, only=missing):
        if each.strict.ok:
            derived.setdefault(each.type, []).append(each)
    return found | {name: (_derived(each),) for name, each in derived.items()}


def shown(given: Iterable[Example]) -> Iterable[Shown]:
    """Return the examples that a page has room for."""
    fitting = [each for each in given if len(each.text) <= LONGEST]
    return (Shown(_laid_out(each.text), each.doc) for each in fitting[:MOST])


def _derived(sound: list[Instance]) -> Shown:
    return Shown(_laid_out(min(sound, key=_readable).text), None, is_derived=True)


def _readable(each: Instance) -> tuple[bool, bool, int, int]:
    """Return a sort key for readability, best first: short, without odd characters, and with many members."""
    is_odd = not each.text.isascii() or "\\" in each.text
    family = _TELLING.index(each.family) if each.family in _TELLING else len(_TELLING)
    return len(each.text) > _SHORT, is_odd, family, each.number


def _laid_out(text: str) -> Markup:
    return verbatim(json_text(json.loads(text)))
