"""The cases of `tests/specs/forms`: every form of type expression, tag and tolerance, at every place that allows it.

The written cases are in the folder of the spec, and further cases are derived from it for every type.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from corpora import when
from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.conformance import report
from polywire.conformance.case import Case, Expect, load
from polywire.conformance.coverage import measure
from polywire.conformance.derived import derived
from polywire.conformance.judge import MODES, in_sight
from polywire.conformance.protocols import Protocols
from polywire.conformance.runner import run
from polywire.conformance.testee import Testee, Workshop, declared
from sampling import SEED

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "tests" / "specs" / "forms"
PROTOCOLS = Protocols(SPEC)
TARGETS = {"go", "jsonschema", "python", "rust", "typescript"}
"""The targets that support all forms."""

TESTEES = [each for each in declared(BUNDLED_TESTEES) if each.target in TARGETS]


@cache
def written() -> list[Case]:
    return load([SPEC / "cases"], PROTOCOLS, root=ROOT)


@cache
def drawn() -> list[Case]:
    return derived(PROTOCOLS.default, seed=SEED, random=3)


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with Workshop(ROOT) as made:
        yield made


LATER = {"go", "python-native", "rust"}
"""The testees that only `make test-all` runs: those that are compiled, and the one that shares its package."""


@pytest.mark.parametrize(
    "testee",
    [
        pytest.param(
            each,
            marks=when(each) or (pytest.mark.full if not LATER.isdisjoint((each.name, each.target)) else ()),
            id=each.name,
        )
        for each in TESTEES
    ],
)
def test_a_testee_agrees_with_every_case(testee: Testee, workshop: Workshop) -> None:
    cases = [*written(), *drawn()[:: testee.every]]
    result = run(cases, testee, workshop, PROTOCOLS.default, folder=ROOT, patience=60)
    if result.cannot_run is not None:
        assert os.environ.get("CI") != "true", f"{testee.name} cannot run: {result.cannot_run}"
        pytest.skip(f"{testee.name} cannot run here: {result.cannot_run}")
    if result.count("failed"):
        console = Console(width=160)
        with console.capture() as capture:
            report.show(console, report.Run(cases, [result]), most=10)
        pytest.fail(capture.get(), pytrace=False)
    said = result.abilities
    assert said is not None
    skipped = [
        case.name
        for case, verdict in zip(cases, result.verdicts, strict=True)
        if verdict.outcome == "skipped" and (said.sees_text or in_sight(case))
    ]
    assert skipped == [] or said.modes != MODES


def test_every_type_has_cases_that_must_be_accepted_and_cases_that_must_be_refused() -> None:
    lenient = [case for case in drawn() if case.mode == "lenient" and isinstance(case.expect, Expect)]
    taken = {case.type for case in lenient if case.expect.accepts}  # type: ignore[union-attr]  # no stream
    refused = {case.type for case in lenient if case.expect.refuses}  # type: ignore[union-attr]
    assert taken == refused == set(PROTOCOLS.default.model.declarations)


def test_the_cases_reach_every_element_of_the_spec() -> None:
    coverage = measure([*written(), *drawn()], PROTOCOLS.default)
    assert [each.element for each in coverage.reaches if not each.total] == []
