"""The definition of a rule: an id, a purpose, a severity, and the function that finds violations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from polywire.checks.context import RuleContext
from polywire.ground.finding import Severity
from polywire.ground.location import SourceLocation

Category: TypeAlias = Literal[
    "reading", "resolving", "overlay", "types", "history", "naming", "values", "controls", "docs"
]


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation at one location. The rule itself has the id and the severity."""

    place: SourceLocation
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as data. `run` is None for faults found while reading and resolving."""

    id: str
    purpose: str
    severity: Severity
    category: Category
    run: Callable[[RuleContext], Iterable[Violation]] | None = None
    strict: Severity | None = None
    """The severity with `strict`, if it differs."""
    needs_sound: bool = False
    """Whether its results are meaningless while the shape of the model is in doubt."""


SHAPE: frozenset[Category] = frozenset({"reading", "resolving", "overlay", "history", "types"})
"""Categories whose errors leave the shape of the model in doubt."""
