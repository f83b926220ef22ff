"""The command `polywire schema`: the JSON Schemas for editors."""

from __future__ import annotations

import importlib

import click

from polywire.commands.running import (
    verbatim,
)


@click.command(
    short_help="Print the JSON Schema of specs or of polywire.toml.",
    epilog=verbatim(
        "Examples:",
        "polywire schema > spec/polywire.schema.json",
        "polywire schema config > polywire.config.schema.json",
    ),
)
@click.argument("of", type=click.Choice(["spec", "config"]), default="spec")
def schema(of: str) -> None:
    """Print the JSON Schema with which editors complete and check a spec or a polywire.toml.

    Refer to it in the first line of a spec file: # yaml-language-server: $schema=polywire.schema.json

    In a polywire.toml: #:schema ./polywire.config.schema.json
    """
    schemas = importlib.import_module({"spec": "polywire.source.schema", "config": "polywire.vendor.schema"}[of])
    click.echo(schemas.emit(), nl=False)
