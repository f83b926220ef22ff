"""Where a peer announces its release → the path to the version number there, and the releases that numbers mean.

A number that is not listed means the last listed one that is not greater; a number below all listed ones means the
first. Numbers are compared by their numeric parts and by the text between them: `2.1.9` is below `2.1.33`.
"""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Model, Struct
from polywire.model.walk import without_alias
from polywire.plan.controls import FieldPath, way
from polywire.source.types import Scalar


@dataclass(frozen=True, slots=True)
class AnnouncedPlan:
    """The message in which a peer announces its release."""

    struct: Struct
    way: FieldPath
    releases: tuple[tuple[str, str], ...]
    """The version number of every covered release, and the release, the oldest first."""


def announced_plan(model: Model) -> AnnouncedPlan | None:
    """Where a peer announces its release; None if the protocol has no announcement or if it is not a string."""
    announced = model.protocol.announced
    declared = None if announced is None else model.declarations.get(announced.message)
    if announced is None or not isinstance(declared, Struct):
        return None
    found = way(model, declared, announced.at)
    if not found or without_alias(found[-1].field.type, model.declarations) != Scalar("string"):
        return None
    return AnnouncedPlan(declared, found, tuple((number, release) for release, number in announced.versions))
