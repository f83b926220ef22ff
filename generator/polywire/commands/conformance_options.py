"""Shared parts of the commands that run testees: options and defaults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from polywire.commands.options import Command, default_spec, spec_option

FIXTURES = Path("tests", "fixtures")
TESTEES = Path("tests", "conformance", "testees.toml")
"""Where a repository declares its own testees, which replace those of polywire's own bindings."""

BUNDLED_TESTEES = Path(__file__).parents[1] / "conformance" / "testees.toml"
"""The testees of polywire's own bindings."""


def _default_testees() -> str:
    return str(TESTEES if TESTEES.is_file() else BUNDLED_TESTEES)


def names(more: str = "") -> Callable[[Command], Command]:
    """The option that selects declared testees; `more` adds to the description of the default."""
    help_text = f"Only this declared testee.  [default: all{more}]"
    return click.option("--testee", "names", metavar="NAME", multiple=True, help=help_text)


def paths(help_text: str) -> Callable[[Command], Command]:
    """The argument for files of cases."""
    kind = click.Path(path_type=Path)
    return click.option("--cases", "paths", metavar="PATH", multiple=True, type=kind, help=help_text)


def type_name(what: str) -> Callable[[Command], Command]:
    """The option for one type; `what` names what is selected by it."""
    return click.option("--type", "type_name", metavar="TYPE", help=f"Only {what} of this type.")


def seed(what: str) -> Callable[[Command], Command]:
    """The option for the seed that generates `what`."""
    return click.option("--seed", metavar="N", default=0, show_default=True, help=f"What {what} are made from.")


def show(help_text: str) -> Callable[[Command], Command]:
    """The option for the amount of output."""
    return click.option("--show", metavar="N", default=20, show_default=True, help=help_text)


commands = click.option(
    "--command", "commands", metavar="TEXT", multiple=True, help="A testee of your own: the command to run."
)
spec = spec_option(default_spec)
testees = click.option(
    "--testees",
    "declaration",
    default=_default_testees,
    type=click.Path(path_type=Path),
    help=f"The file that declares testees.  [default: {TESTEES.as_posix()} if it exists, or else polywire's own for"
    " all targets]",
)
patience = click.option(
    "--patience", default=10.0, show_default=True, help="Seconds to wait for an answer of a testee."
)
