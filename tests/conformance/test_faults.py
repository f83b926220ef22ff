"""The suite is tested itself: it notices every fault that is planted in a port, and by the rule that it breaks."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.faults.planted import Fault, faults, hasty_faults, orders, planted
from conformance.faults.port import Port
from polywire.conformance.case import Case, load
from polywire.conformance.command import conformance
from polywire.conformance.judge import Abilities, Verdict, judge
from polywire.conformance.protocols import Protocols
from polywire.conformance.runner import run
from polywire.conformance.testee import Testee, Workshop

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FIXTURES = ROOT / "tests" / "fixtures"
PROTOCOLS = Protocols(ROOT / "spec")
FAULTS = faults()


@cache
def written() -> dict[str, Case]:
    """The written cases, by their names below the fixtures: what anybody's port is held to."""
    cases = load([FIXTURES], PROTOCOLS, root=FIXTURES)
    return {case.name: case for case in cases if case.protocol == PROTOCOLS.default}


def verdict(case: Case, port: Port) -> Verdict:
    return judge(case, port.answer(case.request()), Abilities("port", language="python"))


def failures(cases: dict[str, Case], port: Port) -> dict[str, str]:
    """What is said of each case that fails."""
    verdicts = {name: verdict(case, port) for name, case in cases.items()}
    return {name: "; ".join(each.problems) for name, each in verdicts.items() if each.outcome == "failed"}


def test_without_a_fault_the_port_passes_everything() -> None:
    captured = load([ROOT / "tests" / "captures"], PROTOCOLS, root=ROOT)
    assert failures(written() | {case.name: case for case in captured}, Port()) == {}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_noticed_by_the_cases_of_the_rule_that_it_breaks(fault: Fault) -> None:
    assert fault.cases
    groups = {name.split("/")[0] for name in fault.cases} - {"minefield"}
    asked = {name: case for name, case in written().items() if name.split("/")[0] in groups or name in fault.cases}
    found = failures(asked, Port(fault))
    assert {name: found.get(name, "NOT NOTICED") for name in fault.cases if name not in found} == {}


@pytest.mark.parametrize("order", orders(), ids=lambda order: order.name)
def test_a_port_may_look_for_faults_in_any_order(order: Fault) -> None:
    asked = {name: case for name, case in written().items() if not name.startswith("minefield/nesting")}
    assert failures(asked, Port(order)) == failures(asked, Port())


def test_no_two_faults_are_one() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert len({(fault.file, *sorted(fault.changes.items())) for fault in FAULTS}) == len(FAULTS)


def command(port: str, group: str, monkeypatch: pytest.MonkeyPatch) -> Result:
    """The command over a group of the written cases, with a port that has the fault of that name, or none."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, [ROOT / "tests", ROOT / "generated" / "python"])))
    words = shlex.join([sys.executable, "-m", "conformance.faults.port", port])
    return CliRunner().invoke(conformance, ["--command", words, "--cases", group, "--show", "1000"])


@pytest.mark.parametrize("fault", FAULTS[:: len(FAULTS) // 4], ids=lambda fault: fault.name)
def test_the_command_fails_for_a_port_with_a_fault(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    group = f"tests/fixtures/{fault.cases[0].split('/')[0]}"
    result = command(fault.name, group, monkeypatch)
    assert result.exit_code == 1, result.output
    for name in fault.cases:
        assert f": tests/fixtures/{name} (" in result.output


def test_the_command_passes_for_the_same_port_without_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    result = command("", "tests/fixtures/tags", monkeypatch)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("fault", hasty_faults(), ids=lambda fault: fault.name)
def test_a_fault_of_the_straight_line_code_alone_is_noticed_too(fault: Fault, tmp_path: Path) -> None:
    copied = shutil.copytree(ROOT / "generated" / "python", tmp_path / "python")
    file = copied / "agentproto" / fault.file
    file.write_text(planted(fault, file.read_text(encoding="utf-8")), encoding="utf-8")
    testee = Testee("python", ("{python}", "{here}/testees/python.py", "stdlib", str(copied)), HERE)
    cases = [written()[name] for name in fault.cases]
    with Workshop(ROOT) as workshop:
        result = run(cases, testee, workshop, PROTOCOLS.default, folder=ROOT)
    assert [verdict.outcome for verdict in result.verdicts] == ["failed"] * len(cases)
