"""The command `polywire conformance`: options → cases and testees → a run, its report, and an exit status."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polywire.conformance import options
from polywire.conformance.options import DISAGREEMENTS, FIXTURES, Failure
from polywire.words import suggestion

if TYPE_CHECKING:
    from polywire.conformance.case import Case
    from polywire.conformance.protocols import Protocol, Protocols
    from polywire.conformance.report import Run
    from polywire.conformance.runner import Result

DERIVED = 2
"""How many instances of each type are drawn by default, besides the systematic ones."""


class _Amount(click.IntRange):
    """0 or more, called what people call it when it is something else."""

    name = "whole number"


@click.command(
    short_help="Check bindings against the cases.",
    epilog="\b\nExamples:\n  polywire conformance\n  polywire conformance --testee python --type SomeMessage\n"
    '  polywire conformance --command "node testee.js" --cases tests/fixtures --cases traffic.ndjson\n',
)
@options.names()
@options.commands
@options.paths(
    f"Fixture files, folders of them, .ndjson captures.  [default: {FIXTURES.as_posix()}, and derived cases]"
)
@options.type_name("cases")
@click.option("--dialect", metavar="NAME", help="Only cases of this dialect; derived and captured ones are of it.")
@options.spec
@click.option(
    "--derive",
    metavar="N",
    type=_Amount(min=0),
    help="Derive cases from the spec for every type: the systematic ones, and N drawn at random."
    f"  [default: {DERIVED}, and none with --cases]",
)
@options.seed("derived cases")
@click.option("--json", "result", metavar="FILE", type=click.Path(path_type=Path), help="Write every outcome here.")
@click.option("--html", "html", metavar="FILE", type=click.Path(path_type=Path), help="Write a page for people here.")
@options.testees
@options.patience
@options.show("How many disagreements to print for each testee.")
def conformance(
    names: tuple[str, ...],
    commands: tuple[str, ...],
    paths: tuple[Path, ...],
    type_name: str | None,
    dialect: str | None,
    spec: Path,
    derive: int | None,
    seed: int,
    result: Path | None,
    html: Path | None,
    declaration: Path,
    patience: float,
    show: int,
) -> None:
    """Run cases against testees and report every disagreement.

    A testee is a program that reads one JSON request a line and answers one line each; docs/conformance.md says how to
    write one. Exits 1 on any disagreement, 2 if the run could not be made as asked. A testee that cannot run on this
    machine is skipped, unless it was asked for by name or command, or CI=true is set.
    """
    from rich.console import Console

    from polywire.conformance import page, report
    from polywire.conformance.case import CaseError
    from polywire.conformance.coverage import measured
    from polywire.conformance.protocols import Protocols
    from polywire.conformance.runner import run_all
    from polywire.conformance.testee import TesteeError, Workshop, choose
    from polywire.instances import DeriveError

    root = Path.cwd()
    try:
        default = (protocols := Protocols(spec, dialect)).default
        cases = gather(protocols, paths, root=root, derive=derive, seed=seed)
        cases = _wanted(cases, type_name, dialect, default)
        chosen = choose(names, commands, declaration)
        started, results = time.perf_counter(), []
        with Workshop(root) as workshop:
            for found in run_all(cases, chosen, workshop, default, folder=root, patience=patience):
                click.echo(f"{found.testee}: {found.seconds:.1f} s", err=True) if sys.stderr.isatty() else None
                results.append(found)
                if names or commands:
                    _must_have_run(found)
    except (CaseError, TesteeError, DeriveError, ValueError) as error:
        raise Failure(str(error)) from error
    seconds = time.perf_counter() - started
    whole = None if paths or type_name is not None else default
    run = report.Run(cases, results, measured(cases), whole, seconds)
    if result is not None:
        _write(lambda: report.write_json(result, run), result)
    if html is not None:
        _write(lambda: page.write(html, run, default), html)
    report.show(Console(highlight=False), run, most=show)
    sys.exit(DISAGREEMENTS if fails(run) else 0)


def gather(
    protocols: Protocols, paths: Sequence[Path], *, root: Path, derive: int | None = None, seed: int = 0
) -> list[Case]:
    """The cases of a run: those of the paths, or of the checkout's fixtures, and the derived ones."""
    from polywire.conformance.case import load
    from polywire.conformance.derived import derived

    cases = load(paths or [root / FIXTURES], protocols, root=root)
    number = derive if derive is not None else None if paths else DERIVED
    return cases if number is None else [*cases, *derived(protocols.default, seed=seed, random=number)]


def fails(run: Run) -> bool:
    """Whether a run fails: on any disagreement, on what no case reached, and under CI=true if a testee did not run."""
    skipped = os.environ.get("CI") == "true" and any(result.cannot_run is not None for result in run.results)
    return skipped or run.disagrees or bool(run.unreached)


def _wanted(cases: Sequence[Case], type_name: str | None, dialect: str | None, default: Protocol) -> list[Case]:
    """The cases that `--type` and `--dialect` leave. Raises `CaseError` if that is none."""
    from polywire.conformance.case import CaseError

    known = {*default.model.declarations, *(case.type for case in cases)}
    if type_name is not None and type_name not in known:
        raise CaseError(f"no type {type_name!r}{suggestion(type_name, known)}")
    left = [
        case
        for case in cases
        if (type_name is None or case.type == type_name) and (dialect is None or case.protocol == default)
    ]
    if not left:
        raise CaseError("no cases left: --type and --dialect leave none over")
    return left


def _must_have_run(result: Result) -> None:
    """Raises `TesteeError` for a testee that was asked for and cannot run: skipping it would look like success."""
    from polywire.conformance.testee import TesteeError

    if result.cannot_run is not None:
        raise TesteeError(f"testee {result.testee} cannot run here: {result.cannot_run}")


def _write(action: Callable[[], None], file: Path) -> None:
    try:
        action()
    except OSError as error:
        raise Failure(f"{file}: {error.strerror}") from error
