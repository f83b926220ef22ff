"""Every declared testee returns the expected outcome of every case.

`make test` runs the written and captured cases and a sample of the derived ones. `make test-all` runs some derived
cases of each family, and the cases of dialects on testees that are compiled; `make test-nightly` runs all of them.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from random import Random
from typing import TypeAlias

import pytest
from rich.console import Console

import sampling
from conformance.filters import filtered
from conformance.table import PROPERTY, handed_on
from corpora import DIALECTS, PROTOCOLS, captured, dialects_of, is_long, of_each_family, when, written
from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.conformance import report, trees
from polywire.conformance.case import Case, Expect, tree_case
from polywire.conformance.derived import derived
from polywire.conformance.judge import ANSWERS, MODES, in_sight
from polywire.conformance.protocols import Protocol
from polywire.conformance.runner import Result, run
from polywire.conformance.testee import Testee, Workshop, declared
from sampling import SEED
from toolchain import ROOT

TESTEES = declared(BUNDLED_TESTEES)
PARCEL = ROOT / "tests" / "specs" / "parcel"
FOREST = ROOT / "tests" / "specs" / "forest"
OLD_TRAFFIC = "tests/captures/0.2.37"
STORED = {
    "0.2.33": 34,
    "0.2.37": 271,
    "0.2.45": 34,
    "0.2.77": 35,
    "0.2.90": 34,
    "0.2.141": 43,
    "0.3.160": 41,
    "0.3.240": 48,
    "0.3.270": 67,
    "0.3.330": 67,
    "0.3.332": 1280,
    "0.3.333": 112,
}
"""Release → the number of its entries of stored sessions."""
RANDOM = 3

SAMPLES = {"derived": 2000, "parcel": 400}
"""Corpus of derived cases → how many of them `make test` runs."""

LATER = {"python-native"}
"""Testees without cases in `make test`: Python's has the same package, and Rust's the same engine."""

TYPES = 60
"""Of how many types, besides the roots, they are at least; of more than four times as many, they are of a quarter."""

FILTERS = 60
"""How many streams of which some types are wanted `make test` draws."""

TREES = (60, 2000)
"""How many cases are drawn of each tree in `make test`, and in `make test-nightly`."""

FAMILY = 1
"""How many derived cases of each type and kind of fault `make test-all` runs on a testee; each gets others."""

COMPILED = {"go": "dialects", "rust": "specs"}
"""Target whose testee is compiled → whether `make test` skips dialects or also other specs, since compiling each
takes longer than running its cases."""


def drawn_filters() -> list[Case]:
    """Draw streams of which some types are wanted, from the written cases of the real spec."""
    own = [case for case in corpus("fixtures") if case.protocol == PROTOCOLS.default]
    return [*filtered(own, FILTERS, SEED)]


def drawn_trees() -> list[Case]:
    """Draw trees of a spec that has some."""
    forest = PROTOCOLS.get(FOREST, None)
    cases = trees.drawn(forest.model, count=sampling.number(*TREES), seed=SEED)
    return [
        tree_case(forest, each, name=f"drawn tree {at}, seed {SEED}", group="drawn trees")
        for at, each in enumerate(cases, 1)
    ]


def drawn(name: str) -> list[Case]:
    """Derive instances of every type of a spec: of the real one, or of one with features that it does not use."""
    return derived(protocol_of(name), seed=SEED, random=RANDOM)


def protocol_of(name: str) -> Protocol:
    """Return the protocol of a corpus of derived cases."""
    return PROTOCOLS.default if name == "derived" else PROTOCOLS.get(PARCEL, None)


CORPORA = {
    "filters": drawn_filters,
    "trees": drawn_trees,
    "fixtures": written,
    "captures": captured,
    "derived": partial(drawn, "derived"),
    "parcel": partial(drawn, "parcel"),
}


@cache
def corpus(name: str) -> list[Case]:
    """Return the cases of a corpus, which are loaded once."""
    return CORPORA[name]()


@cache
def sampled_types(name: str) -> list[str]:
    """Choose the types of which `make test` derives cases: the roots, and a part of the others of a large spec."""
    model = protocol_of(name).model
    others = [each for each in model.declarations if each not in model.protocol.roots]
    return [*dict.fromkeys(model.protocol.roots), *sampling.sample(others, max(TYPES, len(others) // 4), name)]


@cache
def sample(name: str) -> list[Case]:
    """Choose a random sample of derived cases of the size in `SAMPLES`, balanced between types."""
    by_type = defaultdict(list)
    for case in derived(protocol_of(name), seed=SEED, random=RANDOM, only=sampled_types(name)):
        by_type[case.type].append(case)
    random = Random(SEED)  # noqa: S311 - not for secrets
    shuffled = [random.sample(cases, len(cases)) for cases in by_type.values()]
    ranked = [(rank, case) for cases in shuffled for rank, case in enumerate(cases)]
    return [case for _, case in sorted(ranked, key=lambda each: each[0])[: SAMPLES[name]]]


def quick(testee: Testee) -> list[Case]:
    """List the cases that `make test` runs on a testee."""
    written = [case for case in corpus("fixtures") if not left_for_later(case, testee)]
    drawn = (case for name in SAMPLES for case in sample(name) if not left_for_later(case, testee))
    trees = [case for case in corpus("trees") if not left_for_later(case, testee)]
    return [*written, *corpus("filters"), *trees, *corpus("captures"), *drawn]


def rest(testee: Testee) -> list[Case]:
    """List the cases that `make test-all` runs on a testee, which are all that remain in `make test-nightly`.

    A slow testee gets every nth pair of derived cases at most.
    """
    pairs = [case for name in SAMPLES for at, case in enumerate(corpus(name)) if at // len(MODES) % testee.every == 0]
    own = [*corpus("fixtures"), *corpus("trees")]
    later = [case for case in own if left_for_later(case, testee) and in_reach(case, testee)]
    return [*later, *of_each_family(pairs, FAMILY, testee)]


def in_reach(case: Case, testee: Testee) -> bool:
    """Return whether this run tests the dialect of a case on a testee that has to compile it."""
    return case.protocol.dialect is None or case.protocol.dialect in dialects_of(testee)


def left_for_later(case: Case, testee: Testee) -> bool:
    """Return whether a case needs a package that is slow to compile, or is a script of very many steps."""
    others = COMPILED.get(testee.target)
    return (
        (others is not None and case.protocol.dialect is not None)
        or (others == "specs" and case.protocol != PROTOCOLS.default)
        or is_long(case)
    )


def called(case: Case, counts: Mapping[str, int]) -> str:
    """Return the table row of a case; `counts` has the number of derived cases of each corpus that were run."""
    if case.kind != "derived":
        return case.group
    name = corpus_of(case)
    return f"{name}, {counts[name]} cases, seed {SEED}"


def corpus_of(case: Case) -> str:
    """Return the corpus of a derived case."""
    return "derived" if case.protocol == PROTOCOLS.default else "parcel"


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """The workshop in which the packages of other specs are generated for the testees."""
    with Workshop(ROOT) as made:
        yield made


def shown(cases: list[Case], result: Result) -> str:
    """Format the disagreements like the command."""
    console = Console(width=160)
    with console.capture() as capture:
        report.show(console, report.Run(cases, [result]), most=10)
    return capture.get()


Record: TypeAlias = Callable[[str, object], None]

WITH_SESSIONS = {"go", "python", "python-native", "python-stdlib", "rust", "typescript"}
"""Testees that must run the session scripts."""

WITH_TREES = {"go", "python", "python-native", "python-stdlib", "rust", "typescript"}
"""Testees that must run the cases of trees. The others declare that they have none."""


@pytest.mark.parametrize(
    "testee",
    [pytest.param(each, marks=when(each) or (pytest.mark.full if each.name in LATER else ())) for each in TESTEES],
    ids=lambda testee: testee.name,
)
def test_a_testee_agrees_with_every_written_and_captured_case_and_a_sample_of_the_derived(
    testee: Testee, workshop: Workshop, record_property: Record
) -> None:
    passed = agreement(testee, quick(testee), workshop, record_property)
    assert {case.kind for case in passed} == {"written", "captured", "derived"}
    assert any(case.script is not None for case in passed) == (testee.name in WITH_SESSIONS)
    has_trees = testee.name in WITH_TREES and COMPILED.get(testee.target) != "specs"  # these are for `rest`
    assert any(case.tree is not None for case in passed) == has_trees


@pytest.mark.parametrize(
    "testee",
    [pytest.param(each, marks=when(each) or pytest.mark.full) for each in TESTEES],
    ids=lambda testee: testee.name,
)
def test_a_testee_agrees_with_the_derived_cases_of_every_family(
    testee: Testee, workshop: Workshop, record_property: Record
) -> None:
    passed = agreement(testee, rest(testee), workshop, record_property)
    assert {case.kind for case in passed} >= {"derived"}


def agreement(testee: Testee, cases: list[Case], workshop: Workshop, record_property: Record) -> list[Case]:
    """Run cases on a testee and return those that passed; fail if a case fails or is skipped unnecessarily."""
    result = run(cases, testee, workshop, PROTOCOLS.default, folder=ROOT, patience=60)
    counts = Counter(corpus_of(case) for case in cases if case.kind == "derived")
    record_property(PROPERTY, handed_on(report.column(cases, result, lambda case: called(case, counts))))
    if result.cannot_run is not None:
        assert os.environ.get("CI") != "true", f"{testee.name} cannot run: {result.cannot_run}"
        pytest.skip(f"{testee.name} cannot run here: {result.cannot_run}")
    if result.count("failed"):
        pytest.fail(shown(cases, result), pytrace=False)
    assert skipped_beyond_the_rules(cases, result) == []
    assert result.abilities is not None
    if result.abilities.sees_text:
        assert surprises(cases, result) == []
    return [case for case, verdict in zip(cases, result.verdicts, strict=True) if verdict.outcome == "passed"]


THROUGH_A_LIBRARY = frozenset({"rust-from-str", "rust-from-value", "rust-flatten"})
"""Testees that decode serde values; they decline input that serde_json parses to another value, or to none."""


def skipped_beyond_the_rules(cases: list[Case], result: Result) -> list[str]:
    """List the cases that were skipped although the testee should support them.

    The generated bindings claim everything. A JSON schema cannot check some cases, and a library between the text and
    the binding decides some before the binding.
    """
    said = result.abilities
    assert said is not None
    assert said.spec
    if result.testee in THROUGH_A_LIBRARY:
        assert said.modes == {"lenient"}
        assert said.answers == {"ok", "code", "path", "json"}
        lenient = [case for case in cases if case.kind == "derived" and case.mode == "lenient"]
        assert sum(verdict.outcome == "passed" for verdict in result.verdicts) > len(lenient) // 2
        return []
    assert said.modes == MODES
    assert said.answers == (ANSWERS if said.sees_text else {"ok"})
    return [
        case.name
        for case, verdict in zip(cases, result.verdicts, strict=True)
        if verdict.outcome == "skipped"
        and (said.sees_text or in_sight(case))
        and (case.script is None or "session" in said.ops)
        and (case.tree is None or result.testee in WITH_TREES)
    ]


def surprises(cases: list[Case], result: Result) -> list[str]:
    """List messages of the old captures with unknown parts. There must be none, as their version is the spec's."""
    return [
        f"{case.name}: {verdict.variant} {verdict.unknown}"
        for case, verdict in zip(cases, result.verdicts, strict=True)
        if case.group == OLD_TRAFFIC and (verdict.unknown != () or verdict.variant == "Unknown")
    ]


@pytest.mark.full
def test_every_type_of_every_spec_has_instances_that_lenient_mode_takes_and_some_that_it_does_not() -> None:
    for name, protocol in (("derived", PROTOCOLS.default), ("parcel", PROTOCOLS.get(PARCEL, None))):
        lenient = [case for case in corpus(name) if case.mode == "lenient"]
        taken = {case.type for case in lenient if isinstance(case.expect, Expect) and case.expect.accepts}
        refused = {case.type for case in lenient if isinstance(case.expect, Expect) and case.expect.refuses}
        assert taken == set(protocol.model.declarations)
        assert taken - refused == set()


def test_all_captured_lines_are_cases() -> None:
    assert Counter(case.group for case in corpus("captures")) == {
        OLD_TRAFFIC: 278,
        "tests/captures/0.3.330": 409,
        **{f"tests/captures/sessions/{release}": lines for release, lines in STORED.items()},
    }


@pytest.mark.full
def test_every_case_runs_in_one_of_the_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "NIGHTLY", True)
    for testee in TESTEES:
        both = {id(case) for case in (*quick(testee), *rest(testee))}
        missing = [case for name in CORPORA for case in corpus(name) if id(case) not in both]
        assert {case.kind for case in missing if case.protocol.dialect is None} <= {"derived"}
        assert testee.every > 1 or {case.protocol.dialect for case in missing} <= {*DIALECTS} - {*dialects_of(testee)}


@pytest.mark.full
def test_every_family_of_derived_cases_is_tested_on_every_testee() -> None:
    for testee in (each for each in TESTEES if each.every == 1):
        tested = Counter((case.type, case.group) for case in rest(testee) if case.kind == "derived")
        assert tested.keys() == {(case.type, case.group) for name in SAMPLES for case in corpus(name)}
        assert sampling.NIGHTLY or max(tested.values()) == FAMILY


def test_the_sample_has_the_stated_size_all_types_chosen_and_both_modes() -> None:
    for name, size in SAMPLES.items():
        assert len({id(case) for case in sample(name)}) == len(sample(name)) == size
        assert {case.type for case in sample(name)} == {*sampled_types(name)}
        assert {case.mode for case in sample(name)} == MODES
        decoded = [case.expect for case in sample(name) if isinstance(case.expect, Expect)]
        assert any(each.accepts for each in decoded)
        assert any(each.refuses for each in decoded)


@pytest.mark.full
def test_only_a_testee_whose_schemas_others_see_whole_is_spared_derived_cases() -> None:
    spared = {testee.name: testee.target for testee in TESTEES if testee.every > 1}
    assert spared == {"jsonschema": "jsonschema"}
    assert {testee.name for testee in TESTEES if testee.target == "jsonschema" and testee.every == 1} == {
        "ajv",
        "jsonschema-rs",
    }
    (slow,) = (testee for testee in TESTEES if testee.every > 1)
    drawn = [case for case in rest(slow) if case.kind == "derived"]
    assert {case.mode for case in drawn} == MODES
    assert {case.protocol for case in drawn} == {PROTOCOLS.default, PROTOCOLS.get(PARCEL, None)}
    assert len({case.type for case in drawn}) > len(PROTOCOLS.default.model.declarations) / 2
