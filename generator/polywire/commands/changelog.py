"""The command `polywire changelog`: two named specs → the list of changes between them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from polywire.commands.options import spec_options
from polywire.commands.running import verbatim
from polywire.commands.two_specs import AGAINST, AT, TARGETS, outcome_of

if TYPE_CHECKING:
    from polywire.evolve.breaking.changelog import Format as ListFormat


@click.command(
    epilog=verbatim(
        "Examples:",
        "polywire changelog --against git:v1.2.0",
        "polywire changelog --against ../before/spec --target python --format text",
    ),
)
@AGAINST
@AT
@spec_options
@TARGETS
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
    from polywire.evolve.breaking.changelog import changelog as listed

    click.echo(listed(outcome_of(against, at, spec, dialect, (), targets, ()), form, releases=at), nl=False)
