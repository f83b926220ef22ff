"""What a finding of a comparison is, and what a rule is that makes findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from polywire.breaking.impact import Impact
from polywire.diff.records import Difference
from polywire.model.nodes import SourceLocation
from polywire.targets.api_surface import ApiItem

Category: TypeAlias = Literal["WIRE", "BEHAVIOUR", "SOURCE"]
Severity: TypeAlias = Literal["error", "note"]
Packages: TypeAlias = "Mapping[str, tuple[list[ApiItem], list[ApiItem]]]"
"""By language: what its package shows before and after."""

CATEGORIES: dict[Category, str] = {
    "WIRE": "Peers on different versions misread each other.",
    "BEHAVIOUR": "Valid input is now kept as unknown or refused in strict mode, or constructors write something else.",
    "SOURCE": "Code that uses a package no longer compiles or type-checks.",
}
"""Each category, and what is broken in it; the worst first."""


@dataclass(frozen=True, slots=True)
class Case:
    """A difference, with what it does to whom."""

    difference: Difference
    effect: Impact
    """In the directions that count for those who are asked about."""
    whole: Impact
    """In all directions."""
    required: bool = False
    """Of a member that only one side has: whether it is always there."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as data."""

    id: str
    category: Category
    severity: Severity
    purpose: str
    """What is found."""
    advice: str
    """What to do instead, or about it."""
    differences: frozenset[str] = frozenset()
    """The differences (`polywire.diff.RULES`) that it is about; none where user code is."""
    handler: Callable[[Case], bool] | None = None
    """Whether a difference of these is of its kind; None where it is packages that are compared."""
    said: str = ""
    """What has happened, in the words of a finding."""


@dataclass(frozen=True, slots=True)
class Direction:
    """Who writes by one version what whom reads by the other."""

    writer: str
    reader: str
    newer: Literal["writer", "reader"]
    verdict: Literal["same", "unknown", "lost", "refused"] = "same"
    """What becomes of the message: see `polywire.breaking.compatibility.Verdict`."""


@dataclass(frozen=True, slots=True)
class Before:
    """What was said in the old spec."""

    text: str | None
    place: SourceLocation


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a change of the spec does."""

    rule: Rule
    subject: str
    """The declaration, member, value, … in the words of the new spec, or of the old where it is gone."""
    message: str
    place: SourceLocation
    """Where the new spec says it; of what is gone, where what held it is said."""
    before: Before
    directions: tuple[Direction, ...] = ()
    """Those in which it shows."""
    languages: tuple[str, ...] = ()
    """Those whose user code it stops, or makes write something else."""
    types: tuple[str, ...] = ()
    """The types that have it so from a mixin."""
    after: str | None = None
    """What the new spec says, of what travels."""
    consequences: tuple[Finding, ...] = ()
    """What follows from it, and would not be without it."""

    @property
    def parts(self) -> tuple[str, str] | None:
        """The declaration and its part that it is about, if it is about a part."""
        if match := _MEMBER.fullmatch(self.subject):
            return match[1], match[2]
        if match := _PART.fullmatch(self.subject):
            return match[2], match[1]
        return None

    def only(self, categories: Collection[str]) -> Iterator[Finding]:
        """It with its consequences, as far as they are of some categories."""
        left = tuple(each for each in self.consequences if each.rule.category in categories)
        if self.rule.category in categories:
            yield replace(self, consequences=left)
        else:
            yield from left

    @property
    def at(self) -> str:
        """What it is about, as `polywire.toml` names it: `Declaration.part`."""
        return ".".join(self.parts or (self.subject.replace("`", ""),))


_MEMBER = re.compile(r"`([^`.]+)\.([^`]+)`")
_PART = re.compile(r"`([^`]+)` of `([^`]+)`")
