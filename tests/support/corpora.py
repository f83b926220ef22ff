"""The cases of this repository and their specs, which a process reads once, and the samples that tests take of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from polywire.conformance.case import Case, load
from polywire.conformance.protocols import Protocols
from polywire.conformance.testee import Testee
from polywire.source import dialects
from sampling import sample, sample_each, turn
from toolchain import ROOT

FIXTURES = ROOT / "tests" / "fixtures"
CAPTURES = ROOT / "tests" / "captures"

PROTOCOLS = Protocols(ROOT / "spec")
"""The spec, its dialects, and other specs that cases name; each is built when it is first needed."""

DIALECTS = dialects(ROOT / "spec")

INTERPRETED = {"python-stdlib", "jsonschema", "ajv"}

VARIANTS = {*INTERPRETED, "rust-from-str", "rust-from-value", "rust-flatten"}
"""Testees that run the package of another testee in another way; they get fewer cases, in turns."""


def when(testee: Testee) -> list[pytest.MarkDecorator]:
    """The marks of a check of a testee: none, or those of a variant, which has its turn."""
    if testee.name in INTERPRETED:
        return [turn(testee.name, INTERPRETED, 1)]
    return [turn("serde in Rust")] if testee.name in VARIANTS else []


@cache
def written() -> list[Case]:
    """Load the cases of the fixtures."""
    return load([FIXTURES], PROTOCOLS, root=ROOT)


@cache
def captured() -> list[Case]:
    """Load the cases of the captures."""
    return load([CAPTURES], PROTOCOLS, root=ROOT)


LONG = 15_000
"""Only `make test-all` runs scripts of more steps than this."""


def is_long(case: Case) -> bool:
    """Return whether a case is a script of so many steps that it takes as long as hundreds of other cases."""
    return case.script is not None and sum(step.times for step in case.script.steps) > LONG


def of_each_family(cases: Sequence[Case], size: int, testee: Testee) -> list[Case]:
    """Return at most `size` derived cases of each type and kind of fault; each testee gets others."""
    return sample_each(cases, size, lambda case: (case.type, case.group), testee.name)


@cache
def dialects_of(testee: Testee) -> list[str]:
    """Return the dialects that are tested on a testee: a third, or fewer if it is slow to build or a variant."""
    if testee.target == "rust":
        return sample(DIALECTS, 0 if testee.name in VARIANTS else 1, testee.target)
    return sample(DIALECTS, 1 if testee.name in VARIANTS else len(DIALECTS) // 3, testee.name)
