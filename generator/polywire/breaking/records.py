"""What a finding of a comparison is, and what a rule is that makes findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
    "WIRE": "A peer misreads what one of another version writes.",
    "BEHAVIOUR": "What was valid is kept as unknown, or refused by strict mode; or constructors write something else.",
    "SOURCE": "User code of a package no longer compiles, or no longer passes its type checker.",
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
