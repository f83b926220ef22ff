"""What several commands do: they read a spec or a config, make a run, and end with findings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from polywire.commands.options import WRONG_USE, Command, configured_targets
from polywire.ground.errors import WrongUseError
from polywire.ground.words import counted

if TYPE_CHECKING:
    from polywire.checks import Report
    from polywire.checks.report import Format
    from polywire.model.nodes import Model
    from polywire.model.releases import Span
    from polywire.vendor.run import Made, Run

FINDINGS, MISSING = 1, 3
"""Exit statuses (see `polywire.commands.cli`)."""


class Failure(click.ClickException):
    """The command cannot be carried out; the message says why and what to do."""

    exit_code = WRONG_USE


class Missing(Failure):
    """A tool needed for an add-on is not installed. Has its own exit status, so that callers can install the tool."""

    exit_code = MISSING


def verbatim(title: str, *lines: str) -> str:
    """Format lines for the end of a help text so that click does not rewrap them (the backspace marks them)."""
    return "\n".join(["\b", title, *(f"  {line}" for line in lines)])


def format_option(help_: str, formats: Sequence[str] = ("text", "json", "github")) -> Callable[[Command], Command]:
    """The option `--format`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default="text",
        show_default=True,
        help=help_,
    )


OUTPUTS = (
    "By default, the polywire.toml in this folder or a parent folder sets what is generated and where, and --target"
    " selects from its targets. --spec, --dialect and --out override the whole file."
)
"""What the help texts of `generate` and `check` say about what is generated."""


def asked_run(form: Format = "text", **asked: Any) -> Run:
    """Return the run that was asked for; exit if the config has errors or the flags do not go together."""
    from polywire.vendor import run
    from polywire.vendor.config import ConfigError

    try:
        wanted = run.asked(**asked)
    except ConfigError as error:
        end_with(error.report, form, WRONG_USE)
    except WrongUseError as error:
        raise click.UsageError(str(error)) from error
    if wanted.aside is not None:
        click.echo(f"{wanted.aside} is not used: options on the command line override it", err=True)
    return wanted


def make_run(run: Run, form: Format = "text") -> Made:
    """Generate in memory what a run asks for; exit if it cannot be done."""
    from polywire.ground.errors import RenderError
    from polywire.model.releases import UnknownReleaseError
    from polywire.vendor.config import ConfigError
    from polywire.vendor.run import SpecError, make

    try:
        made = make(run)
    except SpecError as error:
        end_with(error.report, form, FINDINGS)
    except ConfigError as error:
        end_with(error.report, form, WRONG_USE)
    except UnknownReleaseError as error:
        raise click.UsageError(str(error)) from error
    except RenderError as error:
        raise Failure(str(error)) from error
    print_warnings(made.warnings)
    return made


def totals(made: Made) -> str:
    """Return the numbers of files, targets and add-ons in words."""
    add_ons = made.add_ons or {}
    own = [files for folder, files in made.trees.items() if folder not in add_ons]
    targets = f"{counted(sum(map(len, own)), 'file')} of {counted(len(own), 'target')}"
    return f"{targets} and {counted(len(add_ons), 'add-on')}" if add_ons else targets


def releases_of(at: str | None, span: str | None) -> Span:
    from polywire.model.releases import releases_asked

    try:
        return releases_asked(at, span)
    except WrongUseError as error:
        raise click.UsageError(str(error)) from error


def checked(*args: Any, **asked: Any) -> Report:
    """Check the releases of the spec that are to be covered."""
    from polywire import checks
    from polywire.model.releases import UnknownReleaseError

    try:
        return checks.check(*args, **asked)
    except UnknownReleaseError as error:
        raise click.UsageError(str(error)) from error


def checked_model(spec: Path, dialect: str | None, span: Span) -> Model:
    """Return the model of a spec without errors; if it has errors, print them and exit."""
    report = checked(spec, dialect, span, targets=configured_targets(spec))
    if report.failed or report.model is None:
        end_with(report, "text", FINDINGS)
    print_warnings(len(report.findings))
    return report.model


def print_warnings(number: int) -> None:
    if number:
        click.echo(f"{counted(number, 'warning')} in the spec: run polywire lint", err=True)


def print_report(report: Report, form: Format = "text", *, err: bool = False) -> None:
    click.echo(report.render(form, colour=True), nl=False, err=err)  # click removes the colours when writing to a file


def end_with(report: Report, form: Format, status: int) -> NoReturn:
    print_report(report, form, err=form == "text")
    sys.exit(status)
