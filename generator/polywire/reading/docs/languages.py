"""Targets and their plans → the names in each language, and the code that reads the types.

Both come from the target: the names are those of the packages that it generates, and the code is one of its templates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from polywire.plan import Plan
from polywire.reading.docs.prose import verbatim
from polywire.targets.common.api_surface import ApiItem
from polywire.targets.common.base import Target
from polywire.writing import render

PARTS = ("fields", "values", "constructors")
"""The parts of a declaration that have a name in every language, as targets call them in their API."""


@dataclass(frozen=True, slots=True)
class Named:
    """The name of a member, value or function of a declaration in one language."""

    of: str
    """The name in the spec."""
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class InLanguage:
    """A declaration in one language."""

    title: str
    name: str
    code: Markup
    """Code that reads its JSON text from a variable `line`."""
    unknown: str
    """The type for objects that match no variant of an open union."""
    names: tuple[Named, ...]
    """The names of its members, values and constructors."""


def languages(parts: Iterable[tuple[Target, Plan]]) -> dict[str, list[InLanguage]]:
    """Return every declaration in each language that has a name for it."""
    found: dict[str, list[InLanguage]] = {}
    for target, plan in parts:
        surface = _by_declaration(target.api_surface(plan))
        code = render.reading(target)
        for reading in target.readings(plan):
            own = surface.get(reading.of, {})
            unknown = own.get("unknown", [])
            shown = InLanguage(
                title=target.title,
                name=reading.name,
                code=verbatim(code(reading).rstrip("\n")),
                unknown=unknown[0].name if unknown else "",
                names=tuple(Named(item.of[2], item.name, item.type) for kind in PARTS for item in own.get(kind, ())),
            )
            found.setdefault(reading.of, []).append(shown)
    return found


def _by_declaration(items: Iterable[ApiItem]) -> Mapping[str, Mapping[str, list[ApiItem]]]:
    """Group a package's API by declaration and by kind; parameters belong to their function."""
    found: dict[str, dict[str, list[ApiItem]]] = {}
    for item in items:
        name, *way = item.of
        kind = way[0] if way else ""
        if len(way) <= (2 if kind in PARTS else 1):
            found.setdefault(name, {}).setdefault(kind, []).append(item)
    return found
