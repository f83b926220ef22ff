"""The command line → calls of the modules that do the work; their results → lines of output and an exit status.

This module contains no logic of its own. Commands import the modules they need, so that `--help` and completion stay
fast.

Exit status: 0 success · 1 there are findings (errors in the spec, drifted output, a disagreement) · 2 the command could
not be carried out as given (unknown option, target or dialect; a folder that is missing or cannot be written) · 3 a
tool needed for an add-on is missing, and nothing was written.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import os
import sys

import click
from click import formatting

from polywire import __version__
from polywire.commands.added import added
from polywire.commands.options import WRONG_USE
from polywire.commands.running import verbatim
from polywire.ground.words import suggestion

INTERNAL = 70
"""EX_SOFTWARE of sysexits.h."""

_COMMANDS = {
    "breaking": "Report what a change of the spec breaks.",
    "changelog": "Write a changelog of the spec.",
    "check": "Check that generated files are up to date.",
    "completion": "Print a completion script for a shell.",
    "conformance": "Run conformance cases against bindings.",
    "diff": "Show how two dialects or specs differ on the wire.",
    "docs": "Write a reference of the spec as HTML.",
    "fuzz": "Fuzz bindings for disagreements.",
    "generate": "Generate the bindings.",
    "init": "Write a polywire.toml.",
    "lint": "Check the spec.",
    "schema": "Print the JSON Schema of specs or of polywire.toml.",
    "show": "Show a declaration and its uses.",
    "watch": "Generate after every save.",
}
"""Each command, a function of its name in a module of its name here, and its line in the list of commands."""


class _Formatter(click.HelpFormatter):
    """click's formatter, without its call to `shutil` for the terminal width, which loads every archive module."""

    def __init__(self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None) -> None:
        if width is None and formatting.FORCED_WIDTH is None:
            width = max(min(_columns(), max_width or 80) - 2, 50)
        super().__init__(indent_increment, width, max_width)


def _columns() -> int:
    """Return the width of the terminal, as `shutil.get_terminal_size` does."""
    with contextlib.suppress(KeyError, ValueError):
        if (stated := int(os.environ["COLUMNS"])) > 0:
            return stated
    with contextlib.suppress(AttributeError, OSError, ValueError):  # there is no output, or it is not a terminal
        if (found := os.get_terminal_size(sys.__stdout__.fileno()).columns) > 0:  # type: ignore[union-attr]
            return found
    return 80


class _Context(click.Context):
    formatter_class = _Formatter


class _Commands(click.Group):
    """The group of commands, which are imported when they are looked up."""

    context_class = _Context

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's)
        return sorted({*_COMMANDS, *added()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's)
        if cmd_name in _COMMANDS:
            command: click.Command = getattr(importlib.import_module(f"{__package__}.{cmd_name}"), cmd_name)
            command.short_help = _COMMANDS[cmd_name]
            return command
        elsewhere = added().get(cmd_name)
        return None if elsewhere is None else elsewhere()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (click's)
        lines = _COMMANDS | {name: load().get_short_help_str(100) for name, load in added().items()}
        with formatter.section("Commands"):
            formatter.write_dl(sorted(lines.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and name not in _COMMANDS and name not in self.list_commands(ctx):
            ctx.fail(f"no command {name!r}{suggestion(name, self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


def main() -> None:
    """Run the command line and exit. Characters that the terminal cannot show are escaped, in any locale."""
    gc.disable()  # a run is short and its objects live to the end, so collecting would only cost time
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        cli(prog_name="polywire")
    except OSError as error:  # a fault of the machine, such as a full disk, and not a bug
        click.echo(f"Error: {error}", err=True)
        sys.exit(WRONG_USE)
    except Exception as error:  # noqa: BLE001 - an unexpected exception is a bug, and is reported as one
        click.echo(importlib.import_module("polywire.commands.internal").describe(error), err=True)
        sys.exit(INTERNAL)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=verbatim(
        "Exit status:",
        "0   success",
        "1   findings, drift or disagreements",
        "2   wrong usage",
        "3   a tool is missing",
        "70  a bug in polywire",
    ),
)
@click.version_option(__version__, "-V", "--version", prog_name="polywire", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Generate bindings for every language from one YAML spec of a wire protocol."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False
