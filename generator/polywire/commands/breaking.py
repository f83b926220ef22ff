"""The command `polywire breaking`: two named specs → what a change from one to the other breaks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polywire.commands.options import configured_for, spec_options
from polywire.commands.running import FINDINGS, verbatim
from polywire.commands.two_specs import AGAINST, AT, TARGETS, outcome_of

if TYPE_CHECKING:
    from polywire.evolve.breaking.report import Format


@click.command(
    epilog=verbatim(
        "Examples:",
        "polywire breaking --against git:main",
        "polywire breaking --at 1.0.0 1.2.0",
        "polywire breaking --against git:v1.2.0 --side sdk --target python",
        "polywire breaking --against ../before/spec --format json",
        "polywire breaking --against git:origin/main --category wire --allow-major --format github",
    )
    + "\n\n\b\nExit status:\n  0  nothing breaks, or breaks are allowed\n  1  something breaks\n"
    "  2  wrong usage, or a spec with errors\n",
)
@AGAINST
@AT
@spec_options
@click.option(
    "--side",
    "sides",
    metavar="PEER",
    multiple=True,
    help="The peer that uses the new spec, while all others use the old one; can be repeated.  [default: each in turn]",
)
@TARGETS
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
    from polywire.checks.policy import BaselineError
    from polywire.vendor import judged

    config = configured_for(spec)
    if config is not None:
        configured = config.breaking
        sides, categories, allow_major = (
            sides or configured.sides,
            categories or configured.categories,
            allow_major or configured.allow_major,
        )
    outcome = outcome_of(against, at, spec, dialect, sides, targets, categories, allowed=allow_major)
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
    sys.exit(FINDINGS if outcome.failed or (entries is not None and entries.failed) else 0)
