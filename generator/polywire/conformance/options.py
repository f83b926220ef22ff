"""What the commands that ask testees have in common: options, defaults, and the error of a run that cannot be made."""

from __future__ import annotations

from pathlib import Path

import click

DISAGREEMENTS = 1
WRONG_USE = 2

SPEC = Path("spec")
FIXTURES = Path("tests", "fixtures")
TESTEES = Path("tests", "conformance", "testees.toml")


class Failure(click.ClickException):
    """A run that could not be made as asked."""

    exit_code = WRONG_USE


commands = click.option(
    "--command", "commands", metavar="TEXT", multiple=True, help="A testee of your own: the command to run."
)
spec = click.option(
    "--spec", default=SPEC, show_default=True, type=click.Path(path_type=Path), help="The spec's folder."
)
testees = click.option(
    "--testees",
    "declaration",
    default=TESTEES,
    show_default=True,
    type=click.Path(path_type=Path),
    help="The file that declares testees.",
)
patience = click.option(
    "--patience", default=10.0, show_default=True, help="Seconds a testee may be silent when it owes an answer."
)
