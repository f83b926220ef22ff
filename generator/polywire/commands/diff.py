"""The command `polywire diff`: command-line arguments → two specs, their differences, and an exit status."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polywire.commands.options import WRONG_USE, complete_dialect, default_spec, dialects_of, spec_option
from polywire.evolve.diff.sides import FaultySpecError, Named, known, read_both, releases, spec_folder
from polywire.ground.errors import WrongUseError
from polywire.ground.find import BUNDLED
from polywire.ground.git import GitError
from polywire.source.revision import revision

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from polywire.evolve.diff.report import Format

DIFFERENCES = 1

BASE = "base"
"""The label of the spec itself next to its dialects."""


# --- the arguments ---------------------------------------------------------------------------------------------


def named(sides: tuple[str, ...], dialects: tuple[str, ...], spec: Path) -> tuple[Named, Named]:
    """Return the two sides. A missing side is the spec itself; a separate --dialect is applied to it.

    A single revision is A, so that the older side comes first; any other single side is B.
    """
    over: tuple[str | None, ...]
    if len(sides) > 2 or len(dialects) > 2:
        raise WrongUseError("expected at most two")
    if not sides:
        if not dialects:
            raise WrongUseError(f"nothing to compare with{_choice(spec)}")
        sides, over = ("", ""), (None, *dialects)[-2:]
    else:
        if dialects and any(_is_dialect(side, spec) for side in sides):
            raise WrongUseError("a dialect is already named; --dialect is for folders")
        sides = (*sides, "") if len(sides) == 1 and revision(sides[0]) is not None else ("", *sides)[-2:]
        over = dialects * 2 if len(dialects) == 1 else dialects or (None, None)
    before, after = (_named(side, dialect, spec) for side, dialect in zip(sides, over, strict=True))
    return before, after


def _choice(spec: Path) -> str:
    there = dialects_of(spec)
    return f": name a dialect ({', '.join(there)}) or a folder" if there else ": name the folder of another spec"


def _is_dialect(side: str, spec: Path) -> bool:
    """Return whether a name is that of a dialect, which takes precedence over a folder; `./NAME` is always a folder."""
    is_folder = "/" in side or side == BUNDLED or Path(side).is_dir()
    return side in dialects_of(spec) or not (is_folder or revision(side) is not None)


def _named(side: str, dialect: str | None, spec: Path) -> Named:
    if not side:
        return Named(spec_folder(spec), known(spec, dialect), dialect or BASE)
    at = revision(side)
    if at is not None:
        return Named(spec_folder(spec), dialect, f"{side} in {dialect}" if dialect else side, at)
    if _is_dialect(side, spec):
        return Named(spec_folder(spec), known(spec, side), side)
    folder = spec_folder(Path(side))
    return Named(folder, known(folder, dialect), f"{side} in {dialect}" if dialect else side)


def _complete_side(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [*map(CompletionItem, complete_dialect(ctx, parameter, incomplete)), CompletionItem(incomplete, type="dir")]


# --- the command -----------------------------------------------------------------------------------------------


@click.command(
    epilog="\b\nExamples:\n  polywire diff their-dialect\n  polywire diff their-dialect our-dialect --format markdown\n"
    "  polywire diff ../before/spec spec\n  polywire diff ../before/spec spec --dialect their-dialect\n"
    "  polywire diff git:HEAD~1\n  polywire diff --at 1.0.0 1.2.0\n\n"
    "\b\nExit status:\n  0  the same on the wire\n  1  there are differences\n  2  wrong usage, or a spec with"
    " errors\n",
)
@click.argument("sides", metavar="[A] [B]", nargs=-1, shell_complete=_complete_side)
@spec_option(default_spec, exists=False)
@click.option(
    "--dialect",
    "dialects",
    metavar="NAME",
    multiple=True,
    shell_complete=complete_dialect,
    help="With folders: apply it to both; given twice, the first to A and the second to B. Without: as A and B.",
)
@click.option(
    "--at",
    nargs=2,
    metavar="V W",
    help="Two releases of the spec, as A and B.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="Text, a JSON object, or a Markdown table.",
)
def diff(
    sides: tuple[str, ...], dialects: tuple[str, ...], spec: Path, at: tuple[str, str] | None, form: Format
) -> None:
    """Print what of B differs on the wire from A.

    With --at these are two releases of the spec.

    A and B are names of dialects, folders of specs, `bundled`, or git:REVISION for the spec at that revision. If only
    one is given, it is compared with the spec itself: as B, or as A if it is a revision. A dialect is compared with the
    spec at the release that the dialect is laid over. Docs, names in the languages, and the division of a spec into
    files and mixins are ignored.
    """
    from polywire.evolve.diff.compare import compare
    from polywire.evolve.diff.report import Comparison

    if at is not None and (sides or dialects):
        raise click.UsageError("--at compares two releases of the spec itself; remove the other names")
    try:
        old, new = read_both(*(named(sides, dialects, spec) if at is None else releases(spec, at)))
    except (WrongUseError, GitError) as error:
        raise click.UsageError(str(error)) from error
    except FaultySpecError as error:
        click.echo(error.report.render(colour=True), nl=False, err=True)
        sys.exit(WRONG_USE)
    comparison = Comparison(old, new, compare(old.model, new.model))
    click.echo(comparison.render(form, colour=True), nl=False)  # click removes the colours when writing to a file
    sys.exit(DIFFERENCES if comparison.differences else 0)
