"""Cases of readers that give only some types. They move to `tests/fixtures` when all languages have such readers."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from polywire.commands.cli import cli

CASES = Path(__file__).resolve().parent / "filter"


def test_only_wanted_types_are_given() -> None:
    done = CliRunner().invoke(cli, ["conformance", "--testee", "python", "--cases", str(CASES)])
    assert done.exit_code == 0, done.output
    assert f"{len([*CASES.glob('*/*.json')])} passed, 0 failed, 0 skipped" in done.output
