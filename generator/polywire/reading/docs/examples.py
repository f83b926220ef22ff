"""A model → JSON for each declaration: the examples of the spec, or an instance derived from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from markupsafe import Markup

from polywire.model.graphs import min_depths
from polywire.model.nodes import Example, Model
from polywire.oracle import reference
from polywire.oracle.instances import DeriveError, write
from polywire.oracle.instances.maker import ImpossibleError
from polywire.oracle.instances.values import Style
from polywire.oracle.reference.text import read
from polywire.reading.docs.plausible import PlausibleMaker
from polywire.reading.docs.prose import verbatim
from polywire.source.types import Ref, Type
from polywire.writing.render import json_text

MOST = 3
"""Maximum number of examples of one declaration; a page says how many more there are."""

LONGEST = 20_000
"""Maximum length of an example in characters."""

_SHORT = 1_500
"""Maximum length, in characters, of an instance that is easy to read."""

_WAYS: tuple[tuple[Style, int], ...] = (("full", 4), ("full", 3), ("full", 2), ("full", 1), ("minimal", 1))
"""Styles and depths of an instance, those with the most members first."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A formatted example."""

    text: Markup
    doc: str | None
    is_derived: bool = False


def examples(model: Model) -> dict[str, tuple[Shown, ...]]:
    """Return the examples of each declaration."""
    depths, rules = min_depths(model), reference.rules(model)
    found: dict[str, tuple[Shown, ...]] = {}
    for name, each in model.declarations.items():
        found[name] = tuple(shown(each.examples)) or tuple(
            Shown(_laid_out(text), None, is_derived=True) for text in _derived(model, name, depths, rules)
        )
    return found


def shown(given: Iterable[Example]) -> Iterable[Shown]:
    """Return the examples that a page has room for."""
    fitting = [each for each in given if len(each.text) <= LONGEST]
    return (Shown(_laid_out(each.text), each.doc) for each in fitting[:MOST])


def _derived(model: Model, name: str, depths: Mapping[Type, int], rules: reference.Rules) -> list[str]:
    """Return an instance that strict mode accepts, with as many members as are easy to read; none if there is none."""
    found: list[str] = []
    for style, deepest in _WAYS:
        with suppress(DeriveError, ImpossibleError):
            text = write(PlausibleMaker(model, depths, deepest).whole(Ref(name), style))
            outcomes = rules.outcomes(name, read(text), strict=True)
            if outcomes.accepted and not outcomes.faults:
                found.append(text)
                if len(text) <= _SHORT:
                    break
    return sorted(found, key=len)[:1]


def _laid_out(text: str) -> Markup:
    return verbatim(json_text(json.loads(text)))
