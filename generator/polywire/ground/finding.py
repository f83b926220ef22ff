"""A finding: one thing wrong with a spec, where it is, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from polywire.ground.location import SourceLocation

Severity: TypeAlias = Literal["error", "warning", "note"]

BAD_EXAMPLE = "bad-example"
"""The rule about examples, which describe what travels but do not decide it."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of a file that is right without further thought: what to write instead of a text at a place."""

    place: SourceLocation
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Finding:
    """`rule` is the stable id (`unknown-name`), `message` what was found and expected, `hint` the next step."""

    rule: str
    severity: Severity
    place: SourceLocation
    message: str
    hint: str | None = None
    details: tuple[str, ...] = ()
    """Consequences of the finding, one sentence each."""
    fix: Fix | None = None
