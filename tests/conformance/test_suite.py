"""Every declared testee does with every case what the case says: written ones, derived ones, and real traffic."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from conformance.table import PROPERTY, handed_on
from polywire.conformance import report
from polywire.conformance.case import Case, load
from polywire.conformance.derived import derived
from polywire.conformance.judge import ANSWERS, MODES, in_sight
from polywire.conformance.protocols import Protocols
from polywire.conformance.runner import Result, run
from polywire.conformance.testee import Testee, Workshop, declared

ROOT = Path(__file__).resolve().parents[2]
TESTEES = declared(ROOT / "tests" / "conformance" / "testees.toml")
PROTOCOLS = Protocols(ROOT / "spec")
PARCEL = ROOT / "tests" / "specs" / "parcel"
OLD_TRAFFIC = "tests/captures/0.2.37"
RANDOM = 3


def written() -> list[Case]:
    """The fixtures."""
    return load([ROOT / "tests" / "fixtures"], PROTOCOLS, root=ROOT)


def captured() -> list[Case]:
    """The captures."""
    return load([ROOT / OLD_TRAFFIC, ROOT / "tests" / "captures" / "0.3.330"], PROTOCOLS, root=ROOT)


def drawn() -> list[Case]:
    """Instances of every type of the spec."""
    return derived(PROTOCOLS.default, seed=0, random=RANDOM)


def drawn_elsewhere() -> list[Case]:
    """Instances of a spec that uses what the real one does not."""
    return derived(PROTOCOLS.get(PARCEL, None), seed=0, random=RANDOM)


CORPORA = {"fixtures": written, "captures": captured, "derived": drawn, "parcel": drawn_elsewhere}
SAMPLED = ("derived", "parcel")
"""The corpora of which a slow testee is put a sample; of these there is a faster testee of the same schemas."""


@cache
def corpus(name: str) -> list[Case]:
    """The cases of a corpus, gathered once."""
    return CORPORA[name]()


def put_to(testee: Testee) -> list[Case]:
    """All cases, as one run; a slow testee is put each so many-th of the derived ones, in both modes."""
    return [
        case
        for name in CORPORA
        for at, case in enumerate(corpus(name))
        if name not in SAMPLED or at // len(MODES) % testee.every == 0
    ]


def called(case: Case, testee: Testee) -> str:
    """The row of the table that a case is counted in."""
    if case.kind != "derived":
        return case.group
    name = "derived" if case.protocol == PROTOCOLS.default else "parcel"
    return name if testee.every == 1 else f"{name}, 1 in {testee.every}"


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """Where other specs are rendered for the testees."""
    with Workshop(ROOT) as made:
        yield made


def shown(cases: list[Case], result: Result) -> str:
    """The disagreements, as the command prints them."""
    console = Console(width=160)
    with console.capture() as capture:
        report.show(console, report.Run(cases, [result]), most=10)
    return capture.get()


@pytest.mark.parametrize("testee", TESTEES, ids=lambda testee: testee.name)
def test_a_testee_agrees_with_every_case(
    testee: Testee, workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    cases = put_to(testee)
    result = run(cases, testee, workshop, PROTOCOLS.default, folder=ROOT, patience=60)
    record_property(PROPERTY, handed_on(report.column(cases, result, lambda case: called(case, testee))))
    if result.cannot_run is not None:
        assert os.environ.get("CI") != "true", f"{testee.name} cannot run: {result.cannot_run}"
        pytest.skip(f"{testee.name} cannot run here: {result.cannot_run}")
    if result.count("failed"):
        pytest.fail(shown(cases, result), pytrace=False)
    passed = {case.kind for case, verdict in zip(cases, result.verdicts, strict=True) if verdict.outcome == "passed"}
    assert passed == {"written", "captured", "derived"}
    assert skipped_beyond_the_rules(cases, result) == []
    if result.abilities is not None and result.abilities.sees_text:
        assert surprises(cases, result) == []


def skipped_beyond_the_rules(cases: list[Case], result: Result) -> list[str]:
    """Cases that were not put to a binding of ours, which claims everything; a schema alone cannot see some."""
    said = result.abilities
    assert said is not None
    assert said.spec
    assert said.modes == MODES
    assert said.answers == (ANSWERS if said.sees_text else {"ok"})
    return [
        case.name
        for case, verdict in zip(cases, result.verdicts, strict=True)
        if verdict.outcome == "skipped" and (said.sees_text or in_sight(case))
    ]


def surprises(cases: list[Case], result: Result) -> list[str]:
    """Lines of the old traffic with anything in them that the spec does not know; it is of the spec's version."""
    return [
        f"{case.name}: {verdict.variant} {verdict.unknown}"
        for case, verdict in zip(cases, result.verdicts, strict=True)
        if case.group == OLD_TRAFFIC and (verdict.unknown != () or verdict.variant == "Unknown")
    ]


def test_every_type_of_every_spec_has_instances_that_lenient_mode_takes_and_some_that_it_does_not() -> None:
    for name, protocol in (("derived", PROTOCOLS.default), ("parcel", PROTOCOLS.get(PARCEL, None))):
        lenient = [case for case in corpus(name) if case.mode == "lenient"]
        taken = {case.type for case in lenient if getattr(case.expect, "ok", False)}
        refused = {case.type for case in lenient if not getattr(case.expect, "ok", True)}
        assert taken == set(protocol.model.declarations)
        assert taken - refused == set()


def test_all_captured_lines_are_cases() -> None:
    assert Counter(case.group for case in corpus("captures")) == {OLD_TRAFFIC: 278, "tests/captures/0.3.330": 409}


def test_a_sample_is_put_to_none_but_a_testee_whose_schemas_another_one_sees_whole() -> None:
    sampled = {testee.name: testee.target for testee in TESTEES if testee.every > 1}
    assert sampled == {"jsonschema": "jsonschema"}
    assert {testee.name for testee in TESTEES if testee.target == "jsonschema" and testee.every == 1} == {
        "ajv",
        "jsonschema-rs",
    }
    (slow,) = (testee for testee in TESTEES if testee.every > 1)
    drawn = [case for case in put_to(slow) if case.kind == "derived"]
    assert {case.mode for case in drawn} == MODES
    assert {case.protocol for case in drawn} == {PROTOCOLS.default, PROTOCOLS.get(PARCEL, None)}
    assert len({case.type for case in drawn}) > len(PROTOCOLS.default.model.declarations) / 2
