"""The command `polywire diff`: what is named on the command line → two specs, what differs, and an exit status."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polywire.words import suggestion

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from polywire.diff.report import Format, Spec

DIFFERENCES = 1
WRONG_USE = 2

BASE = "base"
"""What the spec itself is called beside its dialects."""


@dataclass(frozen=True, slots=True)
class Named:
    """One side as it was asked for."""

    folder: Path
    dialect: str | None
    label: str


class WrongUseError(ValueError):
    """What was asked for is not there, or not clear; the message says what, and what to do."""


# --- what is asked for -----------------------------------------------------------------------------------------


def named(sides: tuple[str, ...], dialects: tuple[str, ...], spec: Path) -> tuple[Named, Named]:
    """The two sides. One that is not named is the spec itself; a dialect that is given apart is laid over."""
    over: tuple[str | None, ...]
    if len(sides) > 2 or len(dialects) > 2:
        raise WrongUseError("two are compared, not more")
    if not sides:
        if not dialects:
            raise WrongUseError(f"nothing to compare with{_choice(spec)}")
        sides, over = ("", ""), (None, *dialects)[-2:]
    else:
        if dialects and any(_is_dialect(side, spec) for side in sides):
            raise WrongUseError("a dialect is named already; --dialect is for folders")
        sides, over = ("", *sides)[-2:], dialects * 2 if len(dialects) == 1 else dialects or (None, None)
    before, after = (_named(side, dialect, spec) for side, dialect in zip(sides, over, strict=True))
    return before, after


def _choice(spec: Path) -> str:
    known = _dialects(spec)
    return f": name a dialect ({', '.join(known)}) or a folder" if known else ": name the folder of another spec"


def _is_dialect(side: str, spec: Path) -> bool:
    """A name alone is that of a dialect if there is one; `./NAME` is a folder in any case."""
    return side in _dialects(spec) or not ("/" in side or Path(side).is_dir())


def _named(side: str, dialect: str | None, spec: Path) -> Named:
    if not side:
        return Named(_folder(spec), _known(spec, dialect), dialect or BASE)
    if _is_dialect(side, spec):
        return Named(_folder(spec), _known(spec, side), side)
    folder = _folder(Path(side))
    return Named(folder, _known(folder, dialect), f"{side} in {dialect}" if dialect else side)


def _folder(path: Path) -> Path:
    if not (path / "protocol.yaml").is_file():
        raise WrongUseError(f"{path}: no spec there (no protocol.yaml); name a folder that has one")
    return path


def _known(folder: Path, dialect: str | None) -> str | None:
    known = _dialects(folder)
    if dialect is not None and dialect not in known:
        raise WrongUseError(f"{folder} has no dialect {dialect!r}{suggestion(dialect, known)}")
    return dialect


def _dialects(spec: Path) -> list[str]:
    from polywire.source import dialects

    return dialects(spec)


def _complete_dialect(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    known = _dialects(Path(ctx.params.get("spec") or "spec"))
    return [CompletionItem(name) for name in known if name.startswith(incomplete)]


def _complete_side(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [*_complete_dialect(ctx, parameter, incomplete), CompletionItem(incomplete, type="dir")]


# --- the command -----------------------------------------------------------------------------------------------


@click.command(
    short_help="Print what differs on the wire between dialects or specs.",
    epilog="\b\nExamples:\n  polywire diff their-dialect\n  polywire diff their-dialect our-dialect --format markdown\n"
    "  polywire diff ../before/spec spec\n  polywire diff ../before/spec spec --dialect their-dialect\n\n"
    "\b\nExit status:\n  0  the same on the wire\n  1  there are differences\n  2  wrong use, or a spec with errors\n",
)
@click.argument("sides", metavar="[A] [B]", nargs=-1, shell_complete=_complete_side)
@click.option(
    "--spec",
    default="spec",
    show_default=True,
    is_eager=True,
    type=click.Path(path_type=Path),
    help="The folder of the spec whose dialects are named, and which is compared if only one is named.",
)
@click.option(
    "--dialect",
    "dialects",
    metavar="NAME",
    multiple=True,
    shell_complete=_complete_dialect,
    help="With folders: lay it over both; given twice, the first over A and the second over B. Without: as A and B.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="Text for people, a JSON object, or a Markdown table.",
)
def diff(sides: tuple[str, ...], dialects: tuple[str, ...], spec: Path, form: Format) -> None:
    """Print what of B differs on the wire from A.

    A and B are names of dialects, or folders of specs. With one of them, it is compared with the spec itself. Prose,
    names in the languages, and how a spec is cut into files and mixins make no difference.
    """
    from polywire.diff.compare import compare
    from polywire.diff.report import Comparison

    try:
        before, after = named(sides, dialects, spec)
    except WrongUseError as error:
        raise click.UsageError(str(error)) from error
    old, new = _read(before), _read(after)
    comparison = Comparison(old, new, compare(old.model, new.model))
    click.echo(comparison.render(form, colour=True), nl=False)  # click takes the colour out again for a file
    sys.exit(DIFFERENCES if comparison.differences else 0)


def _read(side: Named) -> Spec:
    """The model of a side; of a spec with errors, prints them and exits."""
    from polywire.checks import check
    from polywire.diff.report import Spec

    report = check(side.folder, side.dialect)
    if report.failed or report.model is None:
        click.echo(report.render(colour=True), nl=False, err=True)
        sys.exit(WRONG_USE)
    return Spec(side.label, side.folder, report.model)
