"""A model → JSON for each declaration: the examples of the spec, or else an instance that is derived from it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from polywire import instances
from polywire.docs.prose import verbatim
from polywire.instances import Instance
from polywire.model.nodes import Example, Model
from polywire.render import json_text

MOST = 3
"""Examples of one declaration; a page says how many more there are."""

LONGEST = 20_000
"""Characters of an example."""

_SHORT = 1_500
"""Characters up to which an instance can be taken in."""

_TELLING = ("full", "present", "nested", "variant", "minimal")
"""Families of instances, those with most members first."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An example, laid out."""

    text: Markup
    doc: str | None
    is_derived: bool = False


def examples(model: Model) -> dict[str, tuple[Shown, ...]]:
    """The examples of each declaration that has any."""
    found = {name: tuple(shown(each.examples)) for name, each in model.declarations.items()}
    missing = {name for name, given in found.items() if not given}
    derived: dict[str, list[Instance]] = {}
    for each in instances.derive(model, random=0, only=missing):
        if each.strict.ok:
            derived.setdefault(each.type, []).append(each)
    return found | {name: (_derived(each),) for name, each in derived.items()}


def shown(given: Iterable[Example]) -> Iterable[Shown]:
    """The first examples that a page has room for."""
    fitting = [each for each in given if len(each.text) <= LONGEST]
    return (Shown(_laid_out(each.text), each.doc) for each in fitting[:MOST])


def _derived(sound: list[Instance]) -> Shown:
    return Shown(_laid_out(min(sound, key=_readable).text), None, is_derived=True)


def _readable(each: Instance) -> tuple[bool, bool, int, int]:
    """How well an instance can be read, the lowest the best: it is short, without odd characters, and says much."""
    is_odd = not each.text.isascii() or "\\" in each.text
    family = _TELLING.index(each.family) if each.family in _TELLING else len(_TELLING)
    return len(each.text) > _SHORT, is_odd, family, each.number


def _laid_out(text: str) -> Markup:
    return verbatim(json_text(json.loads(text)))
