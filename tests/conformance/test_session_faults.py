"""Mutation tests of the session scripts: every fault planted in the sessions of TypeScript and Go fails a script.

Go compiles each fault, so `make test-all` plants only some in Go, and only in its turn; `make test-nightly` plants all.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import toolchain
from conformance.faults.sessions import GO, NOTICED, TYPESCRIPT
from corpora import PROTOCOLS
from polywire.conformance.case import Case, load
from polywire.conformance.judge import Abilities, judge
from polywire.targets import registry
from rendered import generate, model_of
from sampling import sample, third, turn

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "tests" / "fixtures" / "sessions"
SPECS = {
    "": ROOT / "spec",
    "jsonrpc": ROOT / "tests" / "specs" / "jsonrpc",
    "answered": ROOT / "tests" / "specs" / "desk",
}
"""The spec of the scripts in each folder."""

FAULTS: dict[str, Mapping[str, Mapping[str, str]]] = {"typescript": TYPESCRIPT, "go": GO}

SESSIONS = {"typescript": "runtime/session.js", "go": "*/session.go"}
"""Where the session of a package is."""

TURN = turn("faults in sessions of Go")
"""When faults are planted in Go."""


def group_of(script: str) -> str:
    """Return the folder of a script."""
    return script.rpartition("/")[0]


@cache
def scripts() -> dict[str, Case]:
    """The scripts, by name."""
    return {case.name: case for case in load([SCRIPTS], PROTOCOLS, root=SCRIPTS)}


@cache
def builder() -> Any:
    """Import the module that builds the testee of the Go package."""
    spec = spec_from_file_location("testee_go", toolchain.TESTEES / "go" / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Port:
    """A package in which session faults are planted, and its testee."""

    def __init__(self, language: str, group: str, folder: Path) -> None:
        self.language, self.folder, self.package = language, folder, folder / "package"
        generate(registry()[language], model_of(SPECS[group]), self.package)
        [self.session] = self.package.glob(SESSIONS[language])
        self.text = self.session.read_text(encoding="utf-8")

    def command(self, tool: toolchain.Toolchain) -> list[str]:
        """Build the testee of the package in its current state if necessary, and return its command."""
        if self.language == "typescript":
            return tool.command("node", toolchain.TESTEES / "typescript" / "testee.mjs", self.package)
        program = self.folder / "testee"
        builder().build(tool, self.package, program)
        return [str(program), builder().NAME]

    def failures(self, tool: toolchain.Toolchain, names: Iterable[str], changes: Mapping[str, str]) -> set[str]:
        """Change the session, run scripts, and return the names of those that fail."""
        text = self.text
        for old, new in changes.items():
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        self.session.write_text(text, encoding="utf-8")
        cases = [scripts()[name] for name in names]
        lines = "".join(json.dumps({**case.request(), "id": number}) + "\n" for number, case in enumerate(cases))
        done = subprocess.run(self.command(tool), input=lines.encode(), capture_output=True, check=False, timeout=600)
        answers = {each["id"]: each for each in map(json.loads, done.stdout.splitlines())}
        abilities = Abilities(self.language, language=self.language)
        return {
            case.name
            for number, case in enumerate(cases)
            if number not in answers or judge(case, answers[number], abilities).outcome == "failed"
        }


@pytest.fixture(
    scope="module",
    params=[pytest.param(each, marks=TURN if each == "go" else third("faults in sessions")) for each in FAULTS],
)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def tool(language: str, request: pytest.FixtureRequest) -> toolchain.Toolchain:
    found: toolchain.Toolchain = request.getfixturevalue({"typescript": "node", "go": "go"}[language])
    return found


@pytest.fixture(scope="module")
def ports(language: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Port]:
    return {group: Port(language, group, tmp_path_factory.mktemp("port")) for group in SPECS}


def test_without_a_fault_every_script_passes(ports: dict[str, Port], tool: toolchain.Toolchain) -> None:
    names = {name for noticed in NOTICED.values() for name in noticed.split()}
    for group, port in ports.items():
        assert port.failures(tool, {name for name in names if group_of(name) == group}, {}) == set()


def test_a_planted_fault_is_noticed(ports: dict[str, Port], language: str, tool: toolchain.Toolchain) -> None:
    unnoticed: dict[str, set[str]] = {}
    faults = [*FAULTS[language].items()]
    for fault, changes in sample(faults, 6) if language == "go" else faults:
        named = NOTICED[fault].split()
        # compiling is slow, and fastest for a small spec
        groups = sorted({group_of(name) for name in named}, reverse=True)[: 1 if language == "go" else None]
        for group in groups:
            names = {name for name in named if group_of(name) == group}
            if missed := names - ports[group].failures(tool, names, changes):
                unnoticed[fault] = missed
    assert unnoticed == {}


def test_every_fault_is_planted_somewhere() -> None:
    assert set(NOTICED) == {fault for faults in FAULTS.values() for fault in faults}


@pytest.mark.parametrize("target", FAULTS)
def test_every_text_that_a_fault_changes_occurs_once(target: str) -> None:
    [session] = (ROOT / "generated" / target).glob(SESSIONS[target])
    text = session.read_text(encoding="utf-8")
    assert [old for changes in FAULTS[target].values() for old in changes if text.count(old) != 1] == []
