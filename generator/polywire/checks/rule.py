"""What a rule is: an id, what it is for, how grave a violation is, and the function that finds violations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

from polywire.checks.context import RuleContext
from polywire.finding import Severity
from polywire.model.nodes import SourceLocation
from polywire.records import dataclass

Category: TypeAlias = Literal[
    "reading", "resolving", "overlay", "types", "history", "naming", "values", "controls", "docs"
]


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where a rule is broken. What rule, and how grave, the rule itself says."""

    place: SourceLocation
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as data. `run` is None for faults that reading and resolving find on their way."""

    id: str
    purpose: str
    severity: Severity
    category: Category
    run: Callable[[RuleContext], Iterable[Violation]] | None = None
    strict: Severity | None = None
    """The severity under `strict`, where it differs."""
    needs_sound: bool = False
    """Whether its verdicts mean nothing as long as the shape of the model is in doubt."""


SHAPE: frozenset[Category] = frozenset({"reading", "resolving", "overlay", "history", "types"})
"""An error of one of these categories leaves the shape of the model in doubt."""
