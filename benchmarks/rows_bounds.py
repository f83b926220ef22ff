"""Rows about any input: bounds on memory and steps, and the rejection of every mutant."""

from __future__ import annotations

from functools import partial

import bounds
import mutants
from measure import Figure
from rows import row

LANGUAGES = ("Python", "JavaScript", "Go", "Rust")


def memory(language: str) -> Figure:
    """Measure the worst line and mode."""
    value, worst = bounds.memory(bounds.counted(language))
    return Figure([value], worst)


def growth(language: str) -> Figure:
    """Measure the worst line and mode."""
    value, worst = bounds.growth(bounds.counted(language))
    return Figure([value], worst)


def accepted(who: str) -> Figure:
    """Count the mutants that are not rejected; the remark has the codes of the others."""
    return Figure([0.0], mutants.rejected(who))


for _language in LANGUAGES:
    row(
        f"{_language} memory, beyond 1 MB, any mode",
        "the line",
        must=100,
        unit="× the line",
        name=f"{_language.lower()}_bound_memory",
    )(partial(memory, _language))
    row(
        f"{_language} steps for each byte of a line, any mode",
        "a line a quarter as long",
        must=1.25,
        name=f"{_language.lower()}_bound_steps",
    )(partial(growth, _language))

for _who in mutants.WHO:
    row(
        f"{_who}: single-fault mutants accepted",
        f"{mutants.COUNT:,} mutants",
        must=0,
        unit="accepted",
        name=f"{_who.lower().replace(' with ', '_')}_mutants",
    )(partial(accepted, _who))
