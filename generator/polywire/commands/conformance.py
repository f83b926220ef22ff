"""The command `polywire conformance`: options → cases and testees → a run, its report, and an exit status."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polywire.commands import conformance_options as options
from polywire.commands.conformance_options import FIXTURES
from polywire.commands.running import FINDINGS, Failure
from polywire.ground.words import suggestion

if TYPE_CHECKING:
    from polywire.conformance.case import Case
    from polywire.conformance.protocols import Protocol, Protocols
    from polywire.conformance.report import Run
    from polywire.conformance.runner import Result

DERIVED = 2
"""The default number of random instances of each type, besides the systematic ones."""


class _Amount(click.IntRange):
    """A number from 0, with an error message in plain words."""

    name = "whole number"


@click.command(
    epilog="\b\nExamples:\n  polywire conformance\n  polywire conformance --testee python --type SomeMessage\n"
    '  polywire conformance --command "node testee.js" --cases tests/fixtures --cases traffic.ndjson\n'
    "  polywire conformance --init-fixtures\n",
)
@options.names()
@options.commands
@options.paths(
    f"Fixture files, folders of fixtures, or .ndjson captures.  [default: {FIXTURES.as_posix()}, and derived cases]"
)
@options.type_name("cases")
@click.option(
    "--dialect", metavar="NAME", help="Only cases of this dialect, which derived and captured cases then use."
)
@options.spec
@click.option("--at", "release", metavar="RELEASE", help="Test the packages of this release of the protocol.")
@click.option(
    "--derive",
    metavar="N",
    type=_Amount(min=0),
    help="Derive cases from the spec for every type: the systematic ones, and N random ones."
    f"  [default: {DERIVED}, and none with --cases]",
)
@options.seed("derived cases")
@click.option(
    "--init-fixtures",
    is_flag=True,
    help=f"Only create {FIXTURES.as_posix()} with first cases to copy, and run nothing.",
)
@click.option(
    "--json", "result", metavar="FILE", type=click.Path(path_type=Path), help="Write all outcomes to this file."
)
@click.option(
    "--html", "html", metavar="FILE", type=click.Path(path_type=Path), help="Write an HTML report to this file."
)
@options.testees
@options.patience
@options.show("The number of disagreements to print per testee.")
def conformance(
    names: tuple[str, ...],
    commands: tuple[str, ...],
    paths: tuple[Path, ...],
    type_name: str | None,
    dialect: str | None,
    spec: Path,
    release: str | None,
    derive: int | None,
    seed: int,
    init_fixtures: bool,
    result: Path | None,
    html: Path | None,
    declaration: Path,
    patience: float,
    show: int,
) -> None:
    """Run conformance cases against testees, and report every disagreement.

    A testee is a program that answers JSON requests, one per line; docs/conformance.md describes how to write one.
    Exits with 1 on any disagreement and with 2 on wrong usage. A testee that cannot run on this machine is skipped,
    unless it was selected with --testee or --command, or CI=true is set.
    """
    from rich.console import Console

    from polywire.commands.options import configured
    from polywire.conformance import page, report
    from polywire.conformance.case import CaseError
    from polywire.conformance.coverage import measured
    from polywire.conformance.progress import progress
    from polywire.conformance.protocols import Protocols
    from polywire.conformance.runner import in_order, run_all
    from polywire.conformance.testee import TesteeError, Workshop, choose, of_targets
    from polywire.oracle.instances import DeriveError

    root, config = Path.cwd(), configured()
    fixtures = (root if config is None else config.folder) / FIXTURES
    try:
        default = (protocols := Protocols(spec, dialect, release)).default
        if init_fixtures:
            sys.exit(_begin(fixtures, protocols, root))
        cases = gather(protocols, paths, root=root, fixtures=fixtures, derive=derive, seed=seed)
        cases = _wanted(cases, type_name, dialect, default)
        chosen = choose(names, commands, declaration)
        if config is not None and declaration == options.BUNDLED_TESTEES and not (names or commands):
            chosen, others = of_targets(chosen, [output.target for output in config.outputs])
            if others:
                left_out = ", ".join(testee.name for testee in others)
                click.echo(f"left out, as polywire.toml does not generate what they test: {left_out}", err=True)
        started, results = time.perf_counter(), []
        with Workshop(root, config) as workshop, progress(len(cases), [testee.name for testee in chosen]) as shown:
            for found in run_all(cases, chosen, workshop, default, folder=root, patience=patience, begins=shown.begins):
                shown.ended(found)
                results.append(found)
                if names or commands:
                    _must_have_run(found)
        results = in_order(results, chosen)
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
    sys.exit(FINDINGS if fails(run) else 0)


def gather(
    protocols: Protocols,
    paths: Sequence[Path],
    *,
    root: Path,
    fixtures: Path | None = None,
    derive: int | None = None,
    seed: int = 0,
) -> list[Case]:
    """Return the cases of a run: those of the paths, or of the fixtures if there are any, and the derived ones."""
    from polywire.conformance.case import load
    from polywire.conformance.derived import derived

    fixtures = root / FIXTURES if fixtures is None else fixtures
    cases = load(paths or ([fixtures] if fixtures.is_dir() else []), protocols, root=root)
    number = derive if derive is not None else None if paths else DERIVED
    return cases if number is None else [*cases, *derived(protocols.default, seed=seed, random=number)]


def _begin(folder: Path, protocols: Protocols, root: Path) -> int:
    """Create the folder of fixtures, report it, and return the exit status."""
    from polywire.conformance.first import FixturesExistError, write_first

    try:
        written = write_first(folder, protocols)
    except FixturesExistError as error:
        raise Failure(str(error)) from error
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}") from error
    for file in written:
        click.echo(f"created {os.path.relpath(file, root)}")
    return 0


def fails(run: Run) -> bool:
    """Return whether a run fails: on a disagreement, unreached elements, or under CI=true a testee that did not run."""
    skipped = os.environ.get("CI") == "true" and any(result.cannot_run is not None for result in run.results)
    return skipped or run.disagrees or bool(run.unreached)


def _wanted(cases: Sequence[Case], type_name: str | None, dialect: str | None, default: Protocol) -> list[Case]:
    """Return the cases selected by `--type` and `--dialect`. Raises `CaseError` if there are none."""
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
        raise CaseError("no cases left: no case matches --type and --dialect")
    return left


def _must_have_run(result: Result) -> None:
    """Raise `TesteeError` for a selected testee that cannot run: skipping it would look like success."""
    from polywire.conformance.testee import TesteeError

    if result.cannot_run is not None:
        raise TesteeError(f"testee {result.testee} cannot run here: {result.cannot_run}")


def _write(action: Callable[[], None], file: Path) -> None:
    try:
        action()
    except OSError as error:
        raise Failure(f"{file}: {error.strerror}") from error
