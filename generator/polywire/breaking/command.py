"""The commands `polywire breaking` and `polywire changelog`: two named specs → the changes between them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from click.core import ParameterSource

from polywire.diff.sides import FaultySpecError, Named, known, read, releases, spec_folder
from polywire.errors import WrongUseError
from polywire.git import GitError
from polywire.options import complete_target, configured, configured_for, known_targets, spec_options
from polywire.source.revision import revision
from polywire.words import suggestion

if TYPE_CHECKING:
    from polywire.breaking.changelog import Format as ListFormat
    from polywire.breaking.report import Format, Outcome

Command = TypeVar("Command", bound=Callable[..., object])

BREAKS = 1
WRONG_USE = 2

_AGAINST = click.option(
    "--against",
    metavar="DIR|git:REVISION",
    help="The old spec: a folder, or the folder of the spec at a git revision (git:v1.2.0).",
)
_AT = click.option(
    "--at", nargs=2, metavar="V W", help="Two releases of the spec, the older first, instead of --against."
)


def _targets_or_configured(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Default to the targets of `polywire.toml`, if the spec is that file's."""
    if not value and ctx.get_parameter_source("spec") is ParameterSource.DEFAULT:
        config = configured()
        return () if config is None else tuple(output.target for output in config.outputs)
    return known_targets(ctx, parameter, value)


_TARGETS = click.option(
    "--target",
    "targets",
    metavar="NAME",
    multiple=True,
    callback=_targets_or_configured,
    shell_complete=complete_target,
    help="Only look for code breaks in this target; can be repeated.  [default: those of polywire.toml, or all]",
)


def _examples(*lines: str) -> str:
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


@click.command(
    epilog=_examples(
        "polywire breaking --against git:main",
        "polywire breaking --at 1.0.0 1.2.0",
        "polywire breaking --against git:v1.2.0 --side sdk --target python",
        "polywire breaking --against ../before/spec --format json",
        "polywire breaking --against git:origin/main --category wire --allow-major --format github",
    )
    + "\n\n\b\nExit status:\n  0  nothing breaks, or breaks are allowed\n  1  something breaks\n"
    "  2  wrong usage, or a spec with errors\n",
)
@_AGAINST
@_AT
@spec_options
@click.option(
    "--side",
    "sides",
    metavar="PEER",
    multiple=True,
    help="The peer that uses the new spec, while all others use the old one; can be repeated.  [default: each in turn]",
)
@_TARGETS
@click.option(
    "--category",
    "categories",
    type=click.Choice(["wire", "behaviour", "source"]),
    multiple=True,
    help="Only this category: what peers misread, changed verdicts or constructors, or code that stops compiling;"
    " can be repeated.  [default: all]",
)
@click.option("--allow-major", is_flag=True, help="Allow breaks if the major version of the packages was raised.")
@click.option(
    "--write-baseline",
    is_flag=True,
    help="Write the findings to the baseline file of [breaking] in polywire.toml.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github", "markdown", "report"]),
    help="Text, a JSON object, annotations for GitHub, Markdown tables, or a Markdown report to publish with a"
    " release.  [default: report with --at, else text]",
)
def breaking(
    *,
    against: str | None,
    at: tuple[str, str] | None,
    spec: Path,
    dialect: str | None,
    sides: tuple[str, ...],
    targets: tuple[str, ...],
    categories: tuple[str, ...],
    allow_major: bool,
    write_baseline: bool,
    form: Format | None,
) -> None:
    """Compare the spec with an older one, and report what the change breaks.

    A finding is an error if a peer, a verdict or user code breaks, and a note otherwise. It has the place in the
    new spec and the place in the old one.

    The table [breaking] of the polywire.toml of this spec sets the defaults of the options, the severity of rules,
    and the findings to ignore.
    """
    from polywire.policy import BaselineError
    from polywire.vendor import judged

    config = configured_for(spec)
    if config is not None:
        said = config.breaking
        sides, categories, allow_major = (
            sides or said.sides,
            categories or said.categories,
            allow_major or said.allow_major,
        )
    outcome = _outcome(against, at, spec, dialect, sides, targets, categories, allowed=allow_major)
    try:
        if write_baseline:
            click.echo(judged.write_baseline(config, "breaking", judged.weighed(outcome)), err=True)
        outcome, entries, known = judged.breaking(outcome, config)
    except BaselineError as error:
        raise click.UsageError(str(error)) from error
    if entries is not None:
        click.echo(entries.render(colour=True), nl=False, err=True)
    if known:
        click.echo(known, err=True)
    chosen: Format = form or ("text" if at is None else "report")
    click.echo(outcome.render(chosen, colour=True), nl=False)  # click removes the colours when writing to a file
    sys.exit(BREAKS if outcome.failed or (entries is not None and entries.failed) else 0)


@click.command(
    epilog=_examples(
        "polywire changelog --against git:v1.2.0",
        "polywire changelog --against ../before/spec --target python --format text",
    ),
)
@_AGAINST
@_AT
@spec_options
@_TARGETS
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "text"]),
    default="markdown",
    show_default=True,
    help="Markdown for a CHANGELOG, or plain text.",
)
def changelog(
    *,
    against: str | None,
    at: tuple[str, str] | None,
    spec: Path,
    dialect: str | None,
    targets: tuple[str, ...],
    form: ListFormat,
) -> None:
    """List the changes since an older spec: breaks first, then what is new, renamed or deprecated."""
    from polywire.breaking.changelog import changelog as listed

    click.echo(listed(_outcome(against, at, spec, dialect, (), targets, ()), form, releases=at), nl=False)


def _outcome(
    against: str | None,
    at: tuple[str, str] | None,
    spec: Path,
    dialect: str | None,
    sides: tuple[str, ...],
    targets: tuple[str, ...],
    categories: tuple[str, ...],
    *,
    allowed: bool = False,
) -> Outcome:
    from polywire.breaking import CATEGORIES, find
    from polywire.breaking.report import Outcome

    try:
        old, new = map(read, _sides(against, at, spec, dialect))
    except (WrongUseError, GitError) as error:
        raise click.BadParameter(str(error), param_hint="--against" if at is None else "--at") from error
    except FaultySpecError as error:
        click.echo(error.report.render(colour=True), nl=False, err=True)
        sys.exit(WRONG_USE)
    peers = new.model.protocol.peers
    for side in sides:
        if side not in peers:
            raise click.BadParameter(f"no peer {side!r}{suggestion(side, peers)}", param_hint="--side")
    found = find(old.model, new.model, sides, [*new.texts], targets)
    wanted = {category.upper() for category in categories} or {*CATEGORIES}
    return Outcome(old, new, tuple(part for finding in found for part in finding.only(wanted)), allowed)


def _sides(against: str | None, at: tuple[str, str] | None, spec: Path, dialect: str | None) -> tuple[Named, Named]:
    """Return the old and the new spec."""
    if (against is None) == (at is None):
        raise click.UsageError("name the old spec with --against DIR|git:REVISION, or two releases with --at V W")
    if at is not None and dialect is not None:
        raise click.UsageError("--at compares releases of the spec itself; remove --dialect")
    if at is not None:
        return releases(spec, at)
    return _was(against or "", spec, dialect), Named(spec, dialect, dialect or spec.as_posix())


def _was(against: str, spec: Path, dialect: str | None) -> Named:
    """Return the old spec."""
    at = revision(against)
    label = f"{against} in {dialect}" if dialect else against
    if at is not None:
        return Named(spec, dialect, label, at)
    folder = spec_folder(Path(against))
    return Named(folder, known(folder, dialect), label)
