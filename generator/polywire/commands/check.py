"""The command `polywire check`: a run → how the files on disk differ from it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from polywire.commands.options import (
    output_options,
)
from polywire.commands.running import (
    FINDINGS,
    OUTPUTS,
    Failure,
    asked_run,
    format_option,
    make_run,
    totals,
    verbatim,
)

if TYPE_CHECKING:
    from polywire.checks.report import Format


@click.command(
    short_help="Check that generated files are up to date.",
    help=f"""Check that the files on disk are what the spec generates, without changing them.

    Takes the options of `polywire generate`. For every file that differs, prints the reason and the start of a
    diff, then the command that fixes it.

    {OUTPUTS}""",
    epilog=verbatim(
        "Reasons:",
        "stale           the spec, polywire.toml or polywire changed since the file was generated",
        "edited by hand  the file was changed after it was generated",
        "missing         the file does not exist",
        "left over       the file is no longer generated",
        "foreign         a file in a generated folder that polywire did not write",
        "untracked       with --tracked: the file is not in git",
        "ignored         with --tracked: the file is not in git, and .gitignore excludes it",
    )
    + "\n\n"
    + verbatim("Examples:", "polywire check", "polywire check --target python", "polywire check --format github"),
)
@output_options
@click.option(
    "--no-templates",
    "templates",
    is_flag=True,
    flag_value=False,
    default=True,
    help="For untrusted branches: fail if a target has templates in the repository, instead of rendering them.",
)
@click.option("--tracked", is_flag=True, help="Also report generated files that are not in git.")
@format_option("Text, a JSON array, or annotations for GitHub.")
def check(*, tracked: bool, form: Format, **asked: Any) -> None:
    from polywire.ground.git import GitError
    from polywire.vendor import drift
    from polywire.vendor.tracked import untracked
    from polywire.writing.comparing import compare
    from polywire.writing.results import OutputError

    wanted = asked_run(form, **asked)
    made = make_run(wanted, form)
    run = made.run
    try:
        drifts = made.put(compare)
        drifts += untracked(made, drifts) if tracked else ()
    except (OutputError, GitError) as error:
        raise Failure(str(error)) from error
    if drifts or form == "json":
        click.echo(drift.render(run, drifts, form), nl=False)
    if drifts:
        sys.exit(FINDINGS)
    if form == "text":
        click.echo(f"{totals(made)}: up to date")
