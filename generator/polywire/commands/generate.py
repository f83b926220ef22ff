"""The command `polywire generate`: a run → files."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from polywire.commands.options import (
    output_options,
)
from polywire.commands.running import (
    FINDINGS,
    OUTPUTS,
    Failure,
    Missing,
    asked_run,
    make_run,
    totals,
    verbatim,
)

if TYPE_CHECKING:
    from polywire.writing.results import Change


@click.command(
    short_help="Generate the bindings.",
    help=f"""Generate the bindings of a spec. Either all files are written or, if anything fails, none.

    The spec is checked first, as by `polywire lint`. Only files that differ are written. Files that are no longer
    generated are removed, unless they were edited by hand.

    {OUTPUTS}""",
    epilog=verbatim(
        "Examples:",
        "polywire generate",
        "polywire generate --target python --target jsonschema",
        "polywire generate --spec ../their-spec --out vendor/theirs",
        "polywire generate --dialect goat-doc",
        "polywire generate --config services/gateway/polywire.toml",
    ),
)
@output_options
@click.option("--exit-non-zero-on-change", is_flag=True, help="Exit with 1 if a file was written or removed.")
def generate(*, exit_non_zero_on_change: bool, **asked: Any) -> None:
    from polywire.vendor.drift import COLOURS, tally
    from polywire.writing.output import write
    from polywire.writing.results import OutputError, ToolError

    made = make_run(asked_run(**asked))
    run = made.run
    try:
        changes = made.put(write)
    except ToolError as error:
        raise Missing(str(error)) from error
    except OutputError as error:
        raise Failure(str(error)) from error
    for change in changes:
        click.echo(f"{click.style(change.action, fg=COLOURS[change.action])} {run.out / change.path}{_note(change)}")
    actions = Counter(change.action for change in changes)
    click.echo(f"{totals(made)}: {tally(actions) or 'nothing to do'}")
    if actions.keys() - {"left out"} and exit_non_zero_on_change:
        click.echo("to fix: add what changed to the commit")
        sys.exit(FINDINGS)


def _note(change: Change) -> str:
    if change.action == "kept":
        return " (edited by hand and no longer generated: remove it yourself)"
    if change.action == "left out":
        return f": {change.why}"
    return " (was edited by hand)" if change.by_hand else ""
