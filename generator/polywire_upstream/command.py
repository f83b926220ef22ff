"""The commands `polywire compare` and `polywire upstream`: options → files, and an exit status."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from polywire.commands.options import WRONG_USE, OutFolder, default_spec, spec_option, typescript_option
from polywire.ground.errors import WrongUseError
from polywire.ground.paths import link_below
from polywire.ground.words import counted

if TYPE_CHECKING:
    from polywire_upstream.record import Snapshot

FINDINGS = 1
Result = TypeVar("Result")

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_FROM = "The folder of the package, or the folder in which it is installed.  [default: fetched with npm]"

_spec = spec_option(default_spec)


def _carried_out(work: Callable[[], Result]) -> Result:
    try:
        return work()
    except WrongUseError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(WRONG_USE)


@click.command(
    short_help="Compare the spec with upstream's declarations.",
    epilog="\b\nExamples:\n  polywire compare --at 0.2.33\n"
    "  polywire compare --at 0.2.33 --with typescript node_modules/PACKAGE\n"
    "  polywire compare --at 0.2.33 --with snapshot spec/releases/0.2.33.json --format json\n",
)
@click.option("--at", "release", metavar="RELEASE", required=True, help="A release listed in releases.toml.")
@click.option(
    "--with",
    "source",
    type=(click.Choice(["typescript", "snapshot"]), click.Path(exists=True, path_type=Path)),
    metavar="KIND PATH",
    help="`typescript` and the folder of the package or of its installation, or `snapshot` and a file.  [default:"
    " the snapshot in the spec]",
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="The output."
)
@typescript_option
@_spec
def compare(*, release: str, source: tuple[str, Path] | None, form: str, compiler: Path | None, spec: Path) -> None:
    """Compare a release of the spec with upstream's declarations, in both directions.

    Intended differences are listed with reasons in releases/differences.toml in the folder of the spec. Exits with
    1 if there is any other difference, or an entry that matches none.
    """
    from polywire_upstream import record, report, run

    def work() -> run.Compared:
        run.check_listed(run.configuration(spec), release)
        if source is None:
            return run.compare(spec, release, run.kept(spec, release))
        kind, path = source
        if kind == "snapshot":
            return run.compare(spec, release, record.load(path))
        return run.compare(spec, release, run.take(path, release, run.configuration(spec), compiler))

    compared = _carried_out(work)
    click.echo(report.text(compared) if form == "text" else report.as_json(compared), nl=False)
    if compared.failed:
        sys.exit(FINDINGS)


@click.group(short_help="Follow upstream releases.")
def upstream() -> None:
    """Follow the releases of the program that the spec describes. See docs/following-upstream.md."""


@upstream.command()
@click.argument("release")
@click.option("--from", "folder", type=_FOLDER, help=_FROM)
@typescript_option
@_spec
def snapshot(*, release: str, folder: Path | None, compiler: Path | None, spec: Path) -> None:
    """Write what RELEASE declares to releases/RELEASE.json in the spec's folder."""
    taken, _ = _carried_out(lambda: taken_from(spec, release, folder, compiler))
    path = _carried_out(lambda: keep(spec, taken))
    versions = ", ".join(f"{name} {version}" for name, version in taken.packages.items())
    click.echo(f"{path}: {len(taken.declarations)} declarations of {versions}")


@upstream.command()
@click.argument("release")
@click.option("--out", type=OutFolder(), required=True, help="The folder for the patch, the worklist and the report.")
@click.option("--from", "folder", type=_FOLDER, help=_FROM)
@click.option(
    "--captures",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="Captured traffic and stored lines: a file, or a folder of .ndjson and .jsonl files; can be repeated.",
)
@click.option(
    "--program",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The file with the code of the program, to read its validation schemas as well.",
)
@typescript_option
@_spec
def follow(
    *,
    release: str,
    out: Path,
    folder: Path | None,
    captures: tuple[Path, ...],
    program: Path | None,
    compiler: Path | None,
    spec: Path,
) -> None:
    """Write what RELEASE asks of the spec: a patch, a worklist and a report.

    `patch -p1 -d SPEC` applies the patch. The worklist has what declarations do not tell, and what the patch does not
    have. The snapshot is kept in releases/ in the spec's folder.
    """
    from polywire_upstream import run, worklist
    from polywire_upstream.draft import Question

    known = _carried_out(lambda: run.configuration(spec))
    _carried_out(lambda: run.neighbours(spec, known, release))
    taken, pins = _carried_out(lambda: taken_from(spec, release, folder, compiler))
    followed, seen = _carried_out(lambda: run.follow(spec, taken, known, captures))
    findings = None if program is None else _carried_out(lambda: run.schemas_of(taken, known, program))
    followed.questions += [Question("pin", *pin, ("the version that it was built with",)) for pin in pins.items()]
    _carried_out(lambda: keep(spec, taken))
    out.mkdir(parents=True, exist_ok=True)
    files = {
        "spec.patch": followed.patch,
        "worklist.md": worklist.worklist(followed, seen, findings),
        "report.md": worklist.report(followed),
    }
    for name, text in files.items():
        (out / name).write_text(text, encoding="utf-8", newline="\n")
    differences, items = counted(len(followed.differences), "difference"), counted(len(followed.questions), "item")
    by_hand = f"{len(followed.undone)} to be made by hand"
    click.echo(f"{out}: {differences} from {followed.step.before} to {release}, {by_hand}; {items} in worklist.md")


@upstream.command()
@click.argument("release")
@click.option(
    "--program",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="The file with the code of the program: a script, or an executable that contains one.",
)
@_spec
def schemas(*, release: str, program: Path, spec: Path) -> None:
    """Print what the validation schemas in a program of RELEASE say that its declarations do not.

    The program is read, not run. Exits 2 if none of the declared lines is found in it.
    """
    from polywire_upstream import run, worklist

    findings = _carried_out(lambda: run.schemas(spec, release, program))
    click.echo("\n".join(worklist.of_schemas(findings)), nl=False)


def keep(spec: Path, taken: Snapshot) -> Path:
    """Write a snapshot into the folder of snapshots. Raises `WrongUseError` if a link leads out of it."""
    from polywire_upstream import record, run

    path = run.snapshots(spec) / f"{taken.release}.json"
    link = link_below(spec, path)
    if link is not None:
        raise WrongUseError(f"{link} is a link, and {path} is not written through it; remove it")
    path.parent.mkdir(exist_ok=True)
    path.write_text(record.dump(taken), encoding="utf-8", newline="\n")
    return path


def taken_from(
    spec: Path, release: str, folder: Path | None, compiler: Path | None = None
) -> tuple[Snapshot, dict[str, str]]:
    """Return the snapshot of a release, from a folder or fetched, and the package versions that it leaves open."""
    from polywire_upstream import config, fetch, run

    known = run.configuration(spec)
    config.check_version(release)
    if folder is not None:
        return run.take(folder, release, known, compiler), {}
    with tempfile.TemporaryDirectory() as place:
        pins = fetch.fetch(release, known, Path(place))
        return run.take(Path(place), release, known, compiler), pins
