"""The command `polywire fuzz`: options → documents and testees → findings, a report, and an exit status."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from polywire.commands import conformance_options as options
from polywire.commands.conformance_options import FIXTURES
from polywire.commands.running import FINDINGS, Failure
from polywire.ground.words import counted, suggestion

if TYPE_CHECKING:
    from polywire.conformance.findings import Examined, Finding, Tally
    from polywire.conformance.pool import Pool
    from polywire.conformance.protocols import Protocol

CASES = (FIXTURES, Path("tests", "captures"))
SECONDS = 60.0
_OF_DOCUMENTS = frozenset({"names", "commands", "paths", "type_name", "dialect", "spec", "declaration", "patience"})
"""The options, beside the seed, that decide what documents there are and who answers them."""


@click.command(
    epilog="\b\nExamples:\n  polywire fuzz --seconds 300 --seed 7\n  polywire fuzz --documents 100000 --testee go"
    " --testee python\n  polywire fuzz --seed 7 --first 4711 --documents 1\n  polywire fuzz --seconds 60"
    ' --command "node testee.js" --save tests/fixtures/found\n',
)
@click.option(
    "--seconds", metavar="S", type=click.FloatRange(min=0), help="How many seconds to send documents.  [default: 60]"
)
@click.option(
    "--documents", metavar="N", type=click.IntRange(min=1), help="How many documents to send, regardless of time."
)
@options.seed("documents")
@click.option(
    "--first",
    metavar="N",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="The number of the first document, to continue a run or to repeat a document.",
)
@options.names("; a slow one, declared with `every = N`, gets every Nth document")
@options.commands
@options.paths(
    "Fixtures and captures to start from, in addition to instances of every type.  [default: "
    f"{' and '.join(path.as_posix() for path in CASES)}, for the default spec; only the first with --dialect]"
)
@options.type_name("documents")
@click.option("--dialect", metavar="NAME", help="Apply the overlay dialects/NAME.yaml to the spec.")
@options.spec
@click.option(
    "--save", metavar="DIR", type=click.Path(path_type=Path), help="Write a fixture for each finding to this folder."
)
@options.show("The number of findings to minimise and print.")
@options.testees
@options.patience
def fuzz(
    seconds: float | None,
    documents: int | None,
    seed: int,
    first: int,
    names: tuple[str, ...],
    commands: tuple[str, ...],
    paths: tuple[Path, ...],
    type_name: str | None,
    dialect: str | None,
    spec: Path,
    save: Path | None,
    show: int,
    declaration: Path,
    patience: float,
) -> None:
    """Send mutated documents to all testees at once, and report what they disagree on.

    Documents are instances of every type, fixtures and lines of traffic, with changes in their structure and in their
    bytes, by themselves and in streams. A disagreement is a difference from polywire's reference in verdict, variant,
    code, path, value, order or unknowns, where the reference leaves no choice; a different answer to the testee's own
    output; or a testee that exits or hangs. Equal disagreements are one finding, which is minimised and printed as a
    case.

    The same seed gives the same documents, each by its number, as long as the spec and the cases are the same. Exits
    with 1 on any finding, and with 2 if the run could not be carried out. Ctrl-C ends the run early, with its report.
    """
    from rich.console import Console

    from polywire.commands.options import configured, default_spec
    from polywire.conformance import fuzz_report
    from polywire.conformance.case import CaseError, load
    from polywire.conformance.documents import Corpus
    from polywire.conformance.findings import Tally, fixture, search
    from polywire.conformance.pool import open_pool
    from polywire.conformance.process import StartError
    from polywire.conformance.protocols import Protocols
    from polywire.conformance.testee import TesteeError, Workshop, choose
    from polywire.oracle.instances import DeriveError

    root, config = Path.cwd(), configured()
    tally = Tally()
    try:
        protocols = Protocols(spec, dialect)
        protocol = protocols.default
        base = Path() if config is None else config.folder
        own = str(spec) == default_spec()
        # Captured lines are of the spec's own types, of which a dialect may lack some.
        usual = CASES[:1] if dialect else CASES
        given = paths or [base / path for path in usual if own and (base / path).exists()]
        cases = load(given, protocols, root=root)
        corpus = Corpus(protocol, cases, seed=seed, types=_types(type_name, protocol))
        testees = choose(names, commands, declaration)
        with (
            Workshop(root, config) as workshop,
            open_pool(testees, workshop, protocol, folder=root, patience=patience) as (workers, missing),
        ):
            _must_run(missing, asked=bool(names or commands))
            with suppress(KeyboardInterrupt), _progress() as progress:
                search(
                    islice(corpus.documents(first), documents),
                    workers,
                    protocol,
                    tally,
                    seconds=SECONDS if seconds is None and documents is None else seconds,
                    progress=progress,
                )
            shown = list(_minimised(tally, workers, protocol, show))
    except (CaseError, TesteeError, StartError, DeriveError, ValueError) as error:
        raise Failure(str(error)) from error
    console = Console(highlight=False)
    again = _again(click.get_current_context(), seed)
    fuzz_report.skipped(console, missing)
    for number, (finding, examined) in enumerate(shown, 1):
        entry = fixture(finding.key, examined, workers)
        fuzz_report.show(console, number, finding, examined, entry, again)
        if save is not None:
            _save(save, finding, entry)
    fuzz_report.conclude(console, tally, workers, seed, first, show)
    sys.exit(FINDINGS if tally.findings or workers.problems else 0)


def _again(context: click.Context, seed: int) -> str:
    """Return the command that makes the same documents and asks the same testees, without the number of a document."""
    words = ["polywire", "fuzz", "--seed", str(seed)]
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in _OF_DOCUMENTS and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            given = context.params[name]
            for value in given if isinstance(given, tuple) else (given,):
                words += [parameter.opts[0], str(value)]
    return shlex.join(words)


def _types(name: str | None, protocol: Protocol) -> tuple[str, ...] | None:
    """Return the types of the documents, or None for all. Raises `ValueError`."""
    known = protocol.model.declarations
    if name is not None and name not in known:
        raise ValueError(f"no type {name!r}{suggestion(name, known)}")
    return None if name is None else (name,)


def _must_run(missing: Mapping[str, str], *, asked: bool) -> None:
    """Raise `TesteeError` for testees that cannot run although they were selected or CI=true is set."""
    from polywire.conformance.testee import TesteeError

    if missing and (asked or os.environ.get("CI") == "true"):
        raise TesteeError("; ".join(f"testee {name} cannot run here: {why}" for name, why in missing.items()))


@contextmanager
def _progress() -> Iterator[Callable[[Tally], None]]:
    """Show the progress of a run on a terminal; the line is cleared at the end."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return

    def show(tally: Tally) -> None:
        line = f"{tally.documents:,} documents, {tally.rate:.0f} a second, {counted(len(tally.findings), 'finding')}"
        click.echo(f"\r\x1b[K{line}", nl=False, err=True)

    try:
        yield show
    finally:
        click.echo("\r\x1b[K", nl=False, err=True)


def _minimised(tally: Tally, workers: Pool, protocol: Protocol, most: int) -> Iterator[tuple[Finding, Examined]]:
    """Yield the findings to show, with the answers to their smallest documents."""
    from polywire.conformance.findings import examine, shrink

    findings = tally.ranked()[:most]
    for number, finding in enumerate(findings, 1):
        if sys.stderr.isatty():
            click.echo(f"\r\x1b[Kminimising {number} of {len(findings)} …", nl=False, err=True)
        with suppress(KeyboardInterrupt):
            shrink(finding, workers, protocol)
        yield finding, examine([finding.document], workers, protocol)[0]
    if findings and sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)


def _save(folder: Path, finding: Finding, entry: Mapping[str, object]) -> None:
    from polywire.conformance.findings import file_name, text_of

    file = folder / file_name(finding.key, entry)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(text_of(entry), encoding="utf-8")
    except OSError as error:
        raise Failure(f"{file}: {error.strerror}") from error
