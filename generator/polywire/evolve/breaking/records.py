"""The findings of a comparison, and the rules that produce them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from polywire.evolve.breaking.impact import Impact
from polywire.evolve.diff.records import Difference
from polywire.ground.location import SourceLocation
from polywire.targets.common.api_surface import ApiItem

Category: TypeAlias = Literal["WIRE", "BEHAVIOUR", "TABLE", "SOURCE"]
Severity: TypeAlias = Literal["error", "note"]
Packages: TypeAlias = "Mapping[str, tuple[list[ApiItem], list[ApiItem]]]"
"""By language: the API of its package before and after."""

CATEGORIES: dict[Category, str] = {
    "WIRE": "Peers on different versions misread each other.",
    "BEHAVIOUR": "Valid input is now kept as unknown or refused in strict mode, or constructors write something else.",
    "TABLE": "Queries and stored tables no longer fit.",
    "SOURCE": "Code that uses a package no longer compiles or type-checks.",
}
"""Each category, and what it breaks; the worst first."""


@dataclass(frozen=True, slots=True)
class Case:
    """A difference and its impact."""

    difference: Difference
    effect: Impact
    """The impact in the directions that matter for the selected peers."""
    whole: Impact
    """The impact in all directions."""
    required: bool = False
    """For a member that only one side has: whether it is always present."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as data."""

    id: str
    category: Category
    severity: Severity
    purpose: str
    """What it finds."""
    advice: str
    """What to do instead, or about it."""
    differences: frozenset[str] = frozenset()
    """The differences (`polywire.evolve.diff.RULES`) that it covers; none for rules about user code."""
    handler: Callable[[Case], bool] | None = None
    """Whether the rule applies to one of these differences; None for rules that compare packages."""
    phrase: str = ""
    """What happened, in the words of a finding."""


@dataclass(frozen=True, slots=True)
class Direction:
    """A writer with one version and a reader with the other."""

    writer: str
    reader: str
    newer: Literal["writer", "reader"]
    verdict: Literal["same", "unknown", "lost", "refused"] = "same"
    """What happens to the message: see `polywire.evolve.breaking.compatibility.Verdict`."""


@dataclass(frozen=True, slots=True)
class Before:
    """The text in the old spec, and its location."""

    text: str | None
    place: SourceLocation


@dataclass(frozen=True, slots=True)
class Finding:
    """One effect of a change of the spec."""

    rule: Rule
    subject: str
    """The declaration, member, value, … as named in the new spec, or in the old spec if it was removed."""
    message: str
    place: SourceLocation
    """The location in the new spec; for a removal, that of the enclosing declaration."""
    before: Before
    directions: tuple[Direction, ...] = ()
    """The affected directions."""
    languages: tuple[str, ...] = ()
    """The languages whose user code no longer compiles, or writes something else."""
    types: tuple[str, ...] = ()
    """The types that have it from a mixin."""
    after: str | None = None
    """The text in the new spec, for changes on the wire."""
    consequences: tuple[Finding, ...] = ()
    """Findings that follow from this one and would not occur without it."""

    @property
    def parts(self) -> tuple[str, str] | None:
        """The declaration and the part that the finding is about, if it is about a part."""
        if match := _MEMBER.fullmatch(self.subject):
            return match[1], match[2]
        if match := _PART.fullmatch(self.subject):
            return match[2], match[1]
        return None

    def only(self, categories: Collection[str]) -> Iterator[Finding]:
        """Yield the finding and its consequences, as far as they are in the given categories."""
        left = tuple(each for each in self.consequences if each.rule.category in categories)
        if self.rule.category in categories:
            yield replace(self, consequences=left)
        else:
            yield from left

    @property
    def at(self) -> str:
        """The subject as written in `polywire.toml`: `Declaration.part`."""
        return ".".join(self.parts or (self.subject.replace("`", ""),))


_MEMBER = re.compile(r"`([^`.]+)\.([^`]+)`")
_PART = re.compile(r"`([^`]+)` of `([^`]+)`")
