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


@cache
def corpus(name: str) -> list[Case]:
    """The cases of a corpus, gathered once."""
    return CORPORA[name]()


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """Where other specs are rendered for the testees."""
    with Workshop(ROOT) as made:
        yield made


@pytest.fixture
def ask(workshop: Workshop, record_property: Callable[[str, object], None]) -> Callable[[Testee, str], Result]:
    """Runs a testee over a corpus and hands the counts on to the table."""

    def asked(testee: Testee, name: str) -> Result:
        cases = corpus(name)
        result = run(cases, testee, workshop, PROTOCOLS.default, folder=ROOT, patience=60)
        column = report.column(cases, result, lambda case: name if case.kind == "derived" else case.group)
        record_property(PROPERTY, handed_on(column))
        if result.cannot_run is not None:
            assert os.environ.get("CI") != "true", f"{testee.name} cannot run: {result.cannot_run}"
            pytest.skip(f"{testee.name} cannot run here: {result.cannot_run}")
        return result

    return asked


def shown(name: str, result: Result) -> str:
    """The disagreements, as the command prints them."""
    console = Console(width=160)
    with console.capture() as capture:
        report.show(console, report.Run(corpus(name), [result]), most=10)
    return capture.get()


@pytest.mark.parametrize("name", CORPORA)
@pytest.mark.parametrize("testee", TESTEES, ids=lambda testee: testee.name)
def test_a_testee_agrees_with_every_case(testee: Testee, name: str, ask: Callable[[Testee, str], Result]) -> None:
    result = ask(testee, name)
    if result.count("failed"):
        pytest.fail(shown(name, result), pytrace=False)
    assert result.count("passed") > 0
    assert skipped_beyond_the_rules(name, result) == []
    if name == "captures" and result.abilities is not None and result.abilities.sees_text:
        assert surprises(result) == []


def skipped_beyond_the_rules(name: str, result: Result) -> list[str]:
    """Cases that were not put to a binding of ours, which claims everything; a schema alone cannot see some."""
    said = result.abilities
    assert said is not None
    assert said.spec
    assert said.modes == MODES
    assert said.answers == (ANSWERS if said.sees_text else {"ok"})
    return [
        case.name
        for case, verdict in zip(corpus(name), result.verdicts, strict=True)
        if verdict.outcome == "skipped" and (said.sees_text or in_sight(case))
    ]


def surprises(result: Result) -> list[str]:
    """Lines of the old traffic with anything in them that the spec does not know; it is of the spec's version."""
    return [
        f"{case.name}: {verdict.variant} {verdict.unknown}"
        for case, verdict in zip(corpus("captures"), result.verdicts, strict=True)
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
