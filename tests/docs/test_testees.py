"""The testees of `examples/testees/`: the page on conformance shows them in full, they are short, and they pass."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import toolchain
from corpora import PROTOCOLS, written
from polywire.conformance.case import LIMITS
from polywire.conformance.judge import ANSWERS, MODES, OPS
from polywire.conformance.runner import run
from polywire.conformance.testee import Testee, Workshop
from polywire.ground.engine import CODES

ROOT = Path(__file__).resolve().parents[2]
TESTEES = ROOT / "examples" / "testees"
PAGE = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
PACKAGE = {"PYTHONPATH": str(ROOT / "generated" / "python")}
SHOWN = {"handmade.py": "python", "testee.mjs": "js", "testee.py": "python"}
"""By program: the info string of its Markdown block."""

COMPLETE = ["testee.mjs", "testee.py"]
RUNS = re.findall(r"^\$ (polywire conformance .+)\n((?:.*\n)*?)```", PAGE, re.MULTILINE)
"""The commands on the page, with the output shown for each."""


def command(program: str, request: pytest.FixtureRequest, folder: Path) -> tuple[str, ...]:
    """Return the command of a testee in any of the languages."""
    if program.endswith(".py"):
        return (sys.executable, str(TESTEES / program))
    node: toolchain.Toolchain = request.getfixturevalue("node")
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "agentlines").symlink_to(ROOT / "generated" / "typescript")
    return tuple(node.command("node", shutil.copy(TESTEES / program, folder)))


def test_the_page_shows_every_testee_as_it_is() -> None:
    assert sorted(path.name for path in TESTEES.iterdir() if path.is_file()) == sorted(SHOWN)
    for program, language in SHOWN.items():
        assert f"```{language}\n{(TESTEES / program).read_text(encoding='utf-8')}```\n" in PAGE, program


@pytest.mark.parametrize("program", SHOWN)
def test_a_testee_has_less_than_40_lines(program: str) -> None:
    assert len((TESTEES / program).read_text(encoding="utf-8").splitlines()) < 40


@pytest.mark.parametrize("program", COMPLETE)
def test_a_complete_testee_claims_everything_but_sessions_and_filters_and_agrees_with_every_written_case(
    program: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    cases = written()
    testee = Testee(program, command(program, request, tmp_path), TESTEES, environment=PACKAGE)
    with Workshop(ROOT) as workshop:
        result = run(cases, testee, workshop, PROTOCOLS.default, folder=ROOT, patience=60)
    assert result.abilities is not None
    assert result.abilities.unclaimed == ()
    assert result.abilities.types == set(PROTOCOLS.default.model.declarations)
    own = [
        (case, verdict)
        for case, verdict in zip(cases, result.verdicts, strict=True)
        if case.protocol == PROTOCOLS.default and case.script is None and not case.only
    ]
    assert [f"{case.name}: {verdict.problems}" for case, verdict in own if verdict.outcome != "passed"] == []
    assert len(own) > 1000
    assert result.problems == ()


@pytest.mark.parametrize("program", COMPLETE)
def test_a_complete_testee_says_that_it_has_no_such_type(
    program: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    asked = b'{"id": 5, "op": "decode", "type": "Telepathy", "mode": "lenient", "json": "{}"}\n'
    words, environment = command(program, request, tmp_path), {**os.environ, **PACKAGE}
    done = subprocess.run(words, input=asked, capture_output=True, check=True, env=environment)
    assert re.sub(r"\s", "", done.stdout.decode()) == '{"id":5,"problem":"notypeTelepathy"}'


@pytest.mark.parametrize("program", COMPLETE)
def test_only_a_newline_ends_a_request(program: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    asked = (
        '{"id": 5, "op": "decode", "type": "WireMessage", "mode": "lenient", "json": "{\\"type\\": \\"a\u2028\\"}"}\n'
    )
    words, environment = command(program, request, tmp_path), {**os.environ, **PACKAGE}
    done = subprocess.run(words, input=asked.encode(), capture_output=True, check=True, env=environment)
    assert b'"variant":"Unknown"' in done.stdout.replace(b" ", b"")


@pytest.mark.parametrize(("typed", "printed"), RUNS, ids=[typed.split("/testees/")[1][:12] for typed, _ in RUNS])
def test_what_the_page_says_a_run_prints_is_what_it_prints(typed: str, printed: str) -> None:
    words = [sys.executable, "-m", "polywire", *shlex.split(typed)[1:]]
    bin_ = str(Path(sys.executable).parent)
    environment = {**os.environ, **PACKAGE, "PATH": os.pathsep.join((bin_, os.environ["PATH"])), "COLUMNS": "80"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert measured(done.stdout) == measured(printed), done.stderr


def measured(printed: str) -> list[str]:
    """Return the output of a run without times, and with numbers replaced, since the number of cases grows."""
    kept = [line for line in printed.splitlines() if not line.startswith(("seconds", "cases/s"))]
    return [re.sub(r"\b\d+\b", "N", " ".join(line.split())) for line in kept]


def test_the_page_shows_a_run_that_agrees_and_one_that_does_not() -> None:
    assert [" 0 failed" in printed for _, printed in RUNS] == [True, False]


def test_the_page_names_every_code_of_an_error_and_everything_that_can_be_claimed() -> None:
    named = set(re.findall(r"`([a-z0-9_]+)`", PAGE))
    assert named >= {*CODES, *MODES, *OPS, *ANSWERS, *LIMITS}
