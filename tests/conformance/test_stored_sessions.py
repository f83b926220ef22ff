"""Stored sessions, read strictly by the packages of the release that stored them, in every language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from _pytest.mark.structures import ParameterSet

from corpora import CAPTURES
from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.conformance.case import load
from polywire.conformance.protocols import Protocols
from polywire.conformance.runner import run
from polywire.conformance.testee import Testee, Workshop, declared
from sampling import sample, turn

ROOT = CAPTURES.parents[1]
SESSIONS = CAPTURES / "sessions"
RELEASES = sorted(folder.name for folder in SESSIONS.iterdir())
TESTEES = {
    each.name: each
    for each in declared(BUNDLED_TESTEES)
    if each.name in {"python", "jsonschema-rs", "typescript", "go", "rust"}
}


def runs() -> Iterator[ParameterSet]:
    """Every testee and release; `make test-all` has one release for each testee, that of Rust in turn with others."""
    for name, testee in TESTEES.items():
        for release in RELEASES:
            sampled = turn("stored sessions in Rust") if name == "rust" else pytest.mark.full
            mark = sampled if release in sample(RELEASES, 1, f"stored {name}") else pytest.mark.nightly
            yield pytest.param(testee, release, id=f"{name}-{release}", marks=mark)


@pytest.mark.parametrize(("testee", "release"), [*runs()])
def test_a_package_of_the_release_reads_all_of_it_strictly(testee: Testee, release: str) -> None:
    protocols = Protocols(ROOT / "spec", release=release)
    cases = load([SESSIONS / release], protocols, root=ROOT)
    with Workshop(ROOT) as workshop:
        result = run(cases, testee, workshop, protocols.default, folder=ROOT, patience=60)
    if result.cannot_run is not None:
        pytest.skip(f"{testee.name} cannot run here: {result.cannot_run}")
    assert {case.mode for case in cases} == {"strict"}
    assert (result.count("passed"), result.problems) == (len(cases), ())
