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

    If it is not lines of JSON but a stream in the framing of the protocol, each message is decoded. Lists everything
    that the spec does not declare, and prints a dialect that declares it. Exits with 1 if a line does not decode.
    """
    from polywire_import import explain as explains

    model = checked_model(spec, dialect, releases_of(at, span))
    if root is not None and root not in model.declarations:
        raise click.BadParameter(f"the spec has no {root!r}{suggestion(root, model.declarations)}", param_hint="--type")
    explainer = explains.Explainer(model, root, at_release=bool(at or span))
    explained = explains.as_json if form == "json" else explains.as_text
    for piece in explained(explainer, explains.messages(file, model.protocol.framing)):
        click.echo(piece, nl=False)
    if not explainer.explained:
        click.echo("there are no lines to explain", err=True)
    sys.exit(FINDINGS if explainer.faults else 0)
