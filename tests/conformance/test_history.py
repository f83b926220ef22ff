"""The cases of `tests/specs/history`: one package decodes the messages of every release of a protocol.

The written cases are messages of the oldest and the newest release; others are derived from the join of all releases.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.conformance.case import load
from polywire.conformance.derived import derived
from polywire.conformance.protocols import Protocols
from polywire.conformance.runner import run
from polywire.conformance.testee import Testee, Workshop, declared
from sampling import turn

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "tests" / "specs" / "history"
PROTOCOLS = Protocols(SPEC)
LATER = {"go": pytest.mark.full, "rust": turn("releases in Rust")}
TESTEES = [
    pytest.param(each, id=each.name, marks=LATER.get(each.name, ()))
    for each in declared(BUNDLED_TESTEES)
    if each.name in {"python", "jsonschema", "typescript", *LATER}
]


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with Workshop(ROOT) as made:
        yield made


@pytest.mark.parametrize("testee", TESTEES)
def test_a_package_of_all_releases_agrees_with_every_case(testee: Testee, workshop: Workshop) -> None:
    written = load([SPEC / "cases"], PROTOCOLS, root=ROOT)
    cases = [*written, *derived(PROTOCOLS.default, seed=0, random=1)[:: testee.every]]
    result = run(cases, testee, workshop, PROTOCOLS.default, folder=ROOT, patience=60)
    if result.cannot_run is not None:
        pytest.skip(f"{testee.name} cannot run here: {result.cannot_run}")
    assert (result.count("failed"), len(written)) == (0, 6)
    assert result.count("passed") > len(written)
