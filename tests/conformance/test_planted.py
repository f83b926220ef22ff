"""Every planted fault can be planted, which does not run it; `test_faults` runs some of them."""

from __future__ import annotations

from pathlib import Path

import agentlines
import pytest

from conformance.faults.planted import RULES, Fault, faults, orders, planted

PACKAGE = Path(agentlines.__file__).parent
FAULTS = faults()


@pytest.mark.parametrize("fault", [*FAULTS, *orders()], ids=lambda fault: fault.name)
def test_every_fault_has_one_place_in_the_runtime(fault: Fault) -> None:
    compile(planted(fault, (PACKAGE / fault.file).read_text(encoding="utf-8")), fault.file, "exec")


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_faults(rule: str) -> None:
    assert RULES[rule]


def test_no_two_faults_are_one() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert len({(fault.file, *sorted(fault.changes.items())) for fault in FAULTS}) == len(FAULTS)
