"""The command `polywire explain`: lines of traffic → what each is, and a dialect that declares what is not known."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

import click

from polywire.commands.options import release_options, spec_options
from polywire.commands.running import FINDINGS, checked_model, format_option, releases_of, verbatim
from polywire.ground.words import suggestion


@click.command(
    short_help="Identify the messages in captured traffic.",
    epilog=verbatim(
        "Examples:",
        "polywire explain session.ndjson",
        "tail -1 session.ndjson | polywire explain",
        "polywire explain --type SomeUnion values.ndjson",
    ),
)
@click.argument("file", type=click.File("rb"), default="-")
@click.option(
    "--type", "root", metavar="NAME", help="The type of each line.  [default: the first root of the protocol]"
)
@spec_options
@release_options
@format_option("Text, or a JSON object.", ("text", "json"))
def explain(
    file: BinaryIO, root: str | None, spec: Path, dialect: str | None, at: str | None, span: str | None, form: str
) -> None:
    """Identify the messages in captured traffic: decode each line of FILE or of standard input.

    Lists everything that the spec does not declare, and prints a dialect that declares it. Exits with 1 if a line
    does not decode.
    """
    from polywire_import import explain as explains

    model = checked_model(spec, dialect, releases_of(at, span))
    if root is not None and root not in model.declarations:
        raise click.BadParameter(f"the spec has no {root!r}{suggestion(root, model.declarations)}", param_hint="--type")
    explanation = explains.explain(model, file, root, at_release=bool(at or span))
    click.echo(explains.to_json(explanation) if form == "json" else explains.render(explanation), nl=False)
    if not explanation.lines:
        click.echo("there are no lines to explain", err=True)
    sys.exit(FINDINGS if any(line.fault for line in explanation.lines) else 0)
