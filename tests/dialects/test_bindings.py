"""The bindings of every dialect, generated, built, and run on cases derived from the dialect.

`make test-all` runs some cases of each family, and tests only some dialects on testees that are compiled or variants;
`make test-nightly` runs all cases of all dialects on all testees.

The written cases of dialects are run by `tests/conformance/test_suite.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

import toolchain
from conformance.table import PROPERTY, handed_on
from corpora import DIALECTS, PROTOCOLS, dialects_of, of_each_family
from polywire.commands.cli import cli
from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.conformance import report
from polywire.conformance.case import Case
from polywire.conformance.derived import derived
from polywire.conformance.judge import MODES
from polywire.conformance.runner import run
from polywire.conformance.testee import Testee, Workshop, declared
from sampling import SEED

pytestmark = pytest.mark.full  # builds the packages of every dialect

ROOT = Path(__file__).resolve().parents[2]
TESTEES = {testee.name: testee for testee in declared(BUNDLED_TESTEES)}
FAMILY = 2
"""How many derived cases of each type and kind of fault `make test-all` runs."""


@cache
def cases(dialect: str) -> list[Case]:
    """Return the derived cases of a dialect; cached."""
    return derived(PROTOCOLS.get(None, dialect), seed=SEED, random=1)


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """The workshop in which the bindings are generated."""
    with Workshop(ROOT) as made:
        yield made


@pytest.mark.parametrize(
    ("testee", "dialect"),
    [
        pytest.param(testee, dialect, id=f"{testee.name}-{dialect}")
        for testee in TESTEES.values()
        for dialect in dialects_of(testee)
    ],
)
def test_the_binding_of_a_dialect_agrees_with_its_cases(
    testee: Testee, dialect: str, workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    pairs = [case for at, case in enumerate(cases(dialect)) if at // len(MODES) % testee.every == 0]
    found = of_each_family(pairs, FAMILY, testee)
    result = run(found, testee, workshop, PROTOCOLS.get(None, dialect), folder=ROOT, patience=60)
    parts = "" if len(found) == len(cases(dialect)) else f", {len(found)} of {len(cases(dialect))}"
    row = f"dialect {dialect}{parts}"
    record_property(PROPERTY, handed_on(report.column(found, result, lambda _: row)))
    if result.cannot_run is not None:
        assert os.environ.get("CI") != "true", f"{testee.name} cannot run: {result.cannot_run}"
        pytest.skip(f"{testee.name} cannot run here: {result.cannot_run}")
    console = Console(width=160)
    with console.capture() as problems:
        report.show(console, report.Run(found, [result]), most=5)
    assert result.count("failed") == 0, problems.get()
    assert result.abilities is not None
    assert result.count("passed") > len(found) * len(result.abilities.modes) / 4


def test_the_declarations_of_a_dialect_compile(node: toolchain.Toolchain, workshop: Workshop, tmp_path: Path) -> None:
    for dialect in DIALECTS:
        (*_, folder) = workshop.command(TESTEES["typescript"], PROTOCOLS.get(None, dialect))
        for path in Path(folder).rglob("*.d.ts"):
            copy = tmp_path / dialect / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipDefaultLibCheck", "--lib", "es2018"]
    compiler = toolchain.NODE_PACKAGES / "node_modules" / "typescript" / "bin" / "tsc"
    files = sorted(f"{path.name}/index.d.ts" for path in tmp_path.iterdir())
    assert len(files) == len(DIALECTS) > 1
    done = node.run("node", compiler, *options, *files, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_the_runner_is_asked_for_a_dialect_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    asked = ["conformance", "--dialect", "miriad", "--testee", "python", "--cases", "tests/fixtures/envelopes"]
    ran = CliRunner().invoke(cli, asked)
    assert ran.exit_code == 0, ran.output
    assert "7 passed, 0 failed" in ran.output
    assert "dialect miriad" in ran.output
