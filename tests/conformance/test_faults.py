"""Mutation tests of the suite: every fault planted in a port fails cases of the rule that it violates.

`make test-all` plants some of the faults, chosen by `SEED`; `make test-nightly` plants all.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import agentlines
import pytest
from click.testing import CliRunner, Result

from conformance.faults.objects import OBJECTS, encoded
from conformance.faults.planted import Fault, faults, orders
from conformance.faults.port import Port
from corpora import PROTOCOLS, is_long
from polywire.commands.conformance import conformance
from polywire.conformance.case import Case, load
from polywire.conformance.derived import derived
from polywire.conformance.judge import Abilities, Verdict, judge
from polywire.conformance.protocols import Protocol, Protocols
from polywire.targets import registry
from rendered import generate
from sampling import sample, third

pytestmark = third("ports with a fault")

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
PARCEL = PROTOCOLS.get(ROOT / "tests" / "specs" / "parcel", None)
FORMS = PROTOCOLS.get(ROOT / "tests" / "specs" / "forms", None)
SHELF = PROTOCOLS.get(ROOT / "tests" / "specs" / "jsonrpc", None)
DESK = PROTOCOLS.get(ROOT / "tests" / "specs" / "desk", None)
SMALL = (PARCEL, FORMS, SHELF, DESK)
FAULTS = faults()


@cache
def written() -> dict[str, Case]:
    """The written cases, by their names relative to the fixtures folder; they apply to a port that reads every type."""
    cases = load([FIXTURES], PROTOCOLS, root=FIXTURES)
    own = (PROTOCOLS.default, PARCEL, SHELF, DESK)
    return {case.name: case for case in cases if case.protocol in own and not case.only}


def short() -> dict[str, Case]:
    """The written cases without those of very many steps."""
    return {name: case for name, case in written().items() if not is_long(case)}


@cache
def drawn() -> dict[str, Case]:
    """Cases derived from the small spec, which has features that the protocol does not use."""
    return {case.name: case for case in derived(PARCEL, seed=0, random=1)}


@cache
def of_forms() -> dict[str, Case]:
    """The written and derived cases of the spec that has every form of type, tag and repair."""
    cases = load([FORMS.folder / "cases"], Protocols(FORMS.folder), root=ROOT)
    return {case.name: case for case in (*cases, *derived(FORMS, seed=0, random=1))}


@pytest.fixture(scope="session")
def parcel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the packages of the small specs, each in a subfolder of the spec's name."""
    out = tmp_path_factory.mktemp("small")
    for protocol in SMALL:
        generate(registry()["python"], protocol.model, out / protocol.folder.name)
    return out


def failures(cases: Mapping[str, Case], fault: Fault | None, parcel: Path, parser: str = "stdlib") -> dict[str, str]:
    """Run cases on ports of their specs, and return the problems of each case that fails."""
    ports: dict[Protocol, Port] = {}
    verdicts: dict[str, Verdict] = {}
    for name, case in cases.items():
        protocol = case.protocol
        if protocol not in ports:
            small = protocol in SMALL
            ports[protocol] = (
                Port(fault, parcel / protocol.folder.name, parser=parser) if small else Port(fault, parser=parser)
            )
        verdicts[name] = judge(case, ports[protocol].answer(case.request()), Abilities("port", language="python"))
    return {name: "; ".join(each.problems) for name, each in verdicts.items() if each.outcome == "failed"}


@pytest.mark.parametrize("parser", ["stdlib", "orjson"])
def test_without_a_fault_the_port_passes_everything(parser: str, parcel: Path) -> None:
    captured = {case.name: case for case in load([ROOT / "tests" / "captures"], PROTOCOLS, root=ROOT)}
    assert failures(short() | captured | drawn() | of_forms(), None, parcel, parser) == {}


@pytest.mark.parametrize("name", OBJECTS)
def test_without_a_fault_the_port_writes_what_it_should(name: str) -> None:
    _, expected = OBJECTS[name]
    assert encoded(Port().package, agentlines, name) == expected


@pytest.mark.parametrize("fault", sample(FAULTS, 40), ids=lambda fault: fault.name)
def test_a_planted_fault_is_noticed_by_the_cases_of_the_rule_that_it_breaks(fault: Fault, parcel: Path) -> None:
    assert fault.cases
    types, forms, objects = fault.of("parcel"), fault.of("forms"), fault.of("encode")
    named = {name: written()[name] for name in fault.cases if name.split("/")[0] not in {"parcel", "forms", "encode"}}
    of_types = {name: case for name, case in drawn().items() if case.type in types}
    of_types |= {name: case for name, case in of_forms().items() if case.type in forms}
    found = failures(named | of_types, fault, parcel)
    assert [name for name in named if name not in found] == []
    assert (types | forms) - {of_types[name].type for name in found if name in of_types} == set()
    package = Port(fault).package
    assert [name for name in objects if encoded(package, agentlines, name) == OBJECTS[name][1]] == []


@pytest.mark.parametrize("order", sample(orders(), 1), ids=lambda order: order.name)
def test_a_port_may_look_for_faults_in_any_order(order: Fault, parcel: Path) -> None:
    asked = {name: case for name, case in short().items() if not name.startswith("minefield/nesting")}
    assert failures(asked | drawn() | of_forms(), order, parcel) == {}


def command(port: str, group: str, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Run the command on a group of the written cases, with a port that has the named fault, or none."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, [ROOT / "tests", ROOT / "generated" / "python"])))
    words = shlex.join([sys.executable, "-m", "conformance.faults.port", port])
    return CliRunner().invoke(conformance, ["--command", words, "--cases", group, "--show", "1000"])


COMMANDED = [
    fault
    for fault in FAULTS
    if not fault.of("parcel") | fault.of("forms") | fault.of("encode") and fault.parser == "stdlib"
]


@pytest.mark.parametrize("fault", COMMANDED[:: len(COMMANDED) // 4], ids=lambda fault: fault.name)
def test_the_command_fails_for_a_port_with_a_fault(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    group = f"tests/fixtures/{fault.cases[0].split('/')[0]}"
    result = command(fault.name, group, monkeypatch)
    assert result.exit_code == 1, result.output
    for name in fault.cases:
        assert f": tests/fixtures/{name} (" in result.output


def test_the_command_passes_for_the_same_port_without_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    result = command("", "tests/fixtures/tags", monkeypatch)
    assert result.exit_code == 0, result.output
