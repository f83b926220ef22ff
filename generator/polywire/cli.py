"""The command line → calls of the modules that do the work, and what they return → lines and an exit status.

Nothing is decided here. Modules are imported by the commands that need them, so that `--help` and completion are quick.

Exit status: 0 all is well · 1 there are findings (a spec at fault, output that drifted, a disagreement) · 2 the command
could not be carried out as given (unknown option, target or dialect; a folder that is missing or cannot be written) · 3
a tool is missing that makes an add-on, and nothing was written.
"""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
from collections import Counter
from collections.abc import Callable
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, TypeVar

import click

from polywire import __version__
from polywire.errors import WrongUseError
from polywire.options import (
    WRONG_USE,
    configured_targets,
    default_spec,
    output_options,
    release_options,
    spec_options,
    target_option,
)
from polywire.words import counted, suggestion

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from polywire.checks import Format, Report
    from polywire.model.nodes import Model
    from polywire.model.releases import Span
    from polywire.output import Change
    from polywire.run import Made, Run

Command = TypeVar("Command", bound=Callable[..., object])

FINDINGS = 1
MISSING = 3
INTERNAL = 70
"""As EX_SOFTWARE of sysexits.h."""

_ELSEWHERE = {
    "breaking": "polywire.breaking.command",
    "changelog": "polywire.breaking.command",
    "compare": "polywire.upstream.command",
    "conformance": "polywire.conformance.command",
    "diff": "polywire.diff.command",
    "fuzz": "polywire.conformance.fuzz",
    "import": "polywire.importing.command",
    "init": "polywire.vendor.init",
    "upstream": "polywire.upstream.command",
    "watch": "polywire.vendor.watch",
}
"""Commands that live beside their logic: the name, and the module that has a click command of that name."""


class _Failure(click.ClickException):
    """Something that keeps a command from being carried out; the message says what, and what to do."""

    exit_code = WRONG_USE


class _Missing(_Failure):
    """What makes an add-on is not installed; whoever can install it tells this apart."""

    exit_code = MISSING


class _Commands(click.Group):
    """The group of commands; those of `_ELSEWHERE` are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_ELSEWHERE])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _ELSEWHERE:
            return super().get_command(ctx, cmd_name)
        command: click.Command = getattr(
            importlib.import_module(_ELSEWHERE[cmd_name]), f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        )
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and name not in self.list_commands(ctx):
            ctx.fail(f"no command {name!r}{suggestion(name, self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


def main() -> None:
    """Runs the command line and exits. What a terminal cannot show is shown escaped, in any locale."""
    gc.disable()  # a run is short, and what it makes lives to its end: collecting would only walk through it again
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        cli(prog_name="polywire")
    except OSError as error:  # of the machine, such as a full disk: no bug
        click.echo(f"Error: {error}", err=True)
        sys.exit(WRONG_USE)
    except Exception as error:  # noqa: BLE001 - whatever was not expected is a bug, and is reported as one
        click.echo(importlib.import_module("polywire.internal").describe(error), err=True)
        sys.exit(INTERNAL)


def _verbatim(title: str, *lines: str) -> str:
    """Lines for the end of a help text, which click is not to fill (that is what the backspace tells it)."""
    return "\n".join(["\b", title, *(f"  {line}" for line in lines)])


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_verbatim(
        "Exit status:",
        "0   all is well",
        "1   there are findings",
        "2   wrong use",
        "3   a tool is missing",
        "70  polywire has a bug",
    ),
)
@click.version_option(__version__, "-V", "--version", prog_name="polywire", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """One YAML spec of a wire protocol in, every language's bindings of it out."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def _format_option(help_: str) -> Callable[[Command], Command]:
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json", "github"]),
        default="text",
        show_default=True,
        help=help_,
    )


# --- generate and check ----------------------------------------------------------------------------------------

_RULE = (
    "Without --spec, --dialect and --out, the polywire.toml in this folder or above it says what is generated and where"
    " to, and --target chooses among its targets. With one of these three it is left aside."
)


@cli.command(
    short_help="Write the bindings.",
    help=f"""Write what the spec generates: all of it, or, if anything fails, nothing.

    The spec is checked first, and an error in it is reported as `polywire lint` does. Only files whose bytes differ are
    touched; files that are no longer generated are removed, unless they were edited by hand.

    {_RULE}""",
    epilog=_verbatim(
        "Examples:",
        "polywire generate",
        "polywire generate --target python --target jsonschema",
        "polywire generate --spec ../their-spec --out vendor/theirs",
        "polywire generate --dialect goat-doc",
        "polywire generate --config services/gateway/polywire.toml",
    ),
)
@output_options
@click.option("--exit-non-zero-on-change", is_flag=True, help="Exit 1 if anything was written or removed.")
def generate(*, exit_non_zero_on_change: bool, **asked: Any) -> None:
    from polywire import output
    from polywire.drift import COLOURS, tally

    made = _make(_asked(**asked))
    run = made.run
    try:
        changes = made.put(output.write)
    except output.ToolError as error:
        raise _Missing(str(error)) from error
    except output.OutputError as error:
        raise _Failure(str(error)) from error
    for change in changes:
        click.echo(f"{click.style(change.action, fg=COLOURS[change.action])} {run.out / change.path}{_note(change)}")
    counts = Counter(change.action for change in changes)
    click.echo(f"{_extent(made)}: {tally(counts) or 'nothing to do'}")
    if counts.keys() - {"left out"} and exit_non_zero_on_change:
        click.echo("to mend: add what changed to the commit")
        sys.exit(FINDINGS)


def _note(change: Change) -> str:
    if change.action == "kept":
        return " (edited by hand and no longer generated: remove it yourself)"
    if change.action == "left out":
        return f": {change.why}"
    return " (was edited by hand)" if change.by_hand else ""


@cli.command(
    short_help="Fail if what is on disk is not what the spec generates.",
    help=f"""Compare what the spec generates with what is on disk, and change nothing.

    Takes what `polywire generate` takes. Every file that differs is named with the reason and the beginning of a
    unified diff, and the command that mends it is printed last.

    {_RULE}""",
    epilog=_verbatim(
        "Reasons:",
        "stale           the spec, polywire.toml or polywire changed since the file was generated",
        "edited by hand  the file is not what was generated",
        "missing         the file is not there",
        "left over       the file is no longer generated",
        "foreign         a file in a generated folder that polywire never wrote",
        "untracked       with --tracked: the file was never added to git",
        "ignored         with --tracked: nor would be, as .gitignore has it",
    )
    + "\n\n"
    + _verbatim("Examples:", "polywire check", "polywire check --target python", "polywire check --format github"),
)
@output_options
@click.option(
    "--no-templates",
    "templates",
    is_flag=True,
    flag_value=False,
    default=True,
    help="For branches of strangers: render no templates of the repository, and leave out the targets that have any.",
)
@click.option("--tracked", is_flag=True, help="Look for generated files, too, that git was never given.")
@_format_option("Text for people, a JSON array, or GitHub workflow commands, which annotate the lines.")
def check(*, tracked: bool, form: Format, **asked: Any) -> None:
    from polywire import drift, output
    from polywire.git import GitError
    from polywire.vendor.tracked import untracked

    wanted = _asked(form, **asked)
    if wanted.skipped:
        click.echo(f"not checked, as they have templates of this repository: {', '.join(wanted.skipped)}", err=True)
    made = _make(wanted, form)
    run = made.run
    try:
        drifts = made.put(output.compare)
        drifts += untracked(run, drifts) if tracked else ()
    except (output.OutputError, GitError) as error:
        raise _Failure(str(error)) from error
    if drifts or form == "json":
        click.echo(drift.render(run, drifts, form), nl=False)
    if drifts:
        sys.exit(FINDINGS)
    if form == "text":
        click.echo(f"{_extent(made)}: up to date")


def _extent(made: Made) -> str:
    files = f"{counted(sum(map(len, made.trees.values())), 'file')} of {counted(len(made.trees), 'target')}"
    return f"{files} and {counted(len(made.add_ons), 'add-on')}" if made.add_ons else files


def _asked(form: Format = "text", **asked: Any) -> Run:
    """What is to be made, or the end of the program: a config at fault, or flags that do not go together."""
    from polywire import run
    from polywire.vendor.config import ConfigError

    try:
        wanted = run.asked(**asked)
    except ConfigError as error:
        _end_with(error.report, form, WRONG_USE)
    except WrongUseError as error:
        raise click.UsageError(str(error)) from error
    if wanted.aside is not None:
        click.echo(f"{wanted.aside} is left aside: flags say what to make", err=True)
    return wanted


def _make(run: Run, form: Format = "text") -> Made:
    from polywire.errors import RenderError
    from polywire.model.releases import UnknownReleaseError
    from polywire.run import SpecError, make
    from polywire.vendor.config import ConfigError

    try:
        made = make(run)
    except SpecError as error:
        _end_with(error.report, form, FINDINGS)
    except ConfigError as error:
        _end_with(error.report, form, WRONG_USE)
    except UnknownReleaseError as error:
        raise click.UsageError(str(error)) from error
    except RenderError as error:
        raise _Failure(str(error)) from error
    _print_warnings(made.warnings)
    return made


def _end_with(report: Report, form: Format, status: int) -> NoReturn:
    _print_report(report, form, err=form == "text")
    sys.exit(status)


def _span(at: str | None, span: str | None) -> Span:
    from polywire.model.releases import releases_asked

    try:
        return releases_asked(at, span)
    except WrongUseError as error:
        raise click.UsageError(str(error)) from error


def _report(*args: Any, **asked: Any) -> Report:
    """What a check of the spec finds, of releases that it has to describe."""
    from polywire import checks
    from polywire.model.releases import UnknownReleaseError

    try:
        return checks.check(*args, **asked)
    except UnknownReleaseError as error:
        raise click.UsageError(str(error)) from error


def _checked_model(spec: Path, dialect: str | None, span: Span) -> Model:
    """The model of a spec without errors; with errors, prints them and exits."""
    report = _report(spec, dialect, span, targets=configured_targets(spec))
    if report.failed or report.model is None:
        _end_with(report, "text", FINDINGS)
    _print_warnings(len(report.findings))
    return report.model


def _print_warnings(number: int) -> None:
    if number:
        click.echo(f"{counted(number, 'warning')} about the spec: see polywire lint", err=True)


# --- reading the spec ------------------------------------------------------------------------------------------


@cli.command(
    short_help="Check the spec.",
    epilog=_verbatim(
        "Examples:",
        "polywire lint",
        "polywire lint --strict --format github",
        "polywire lint --dialect goat-doc",
    ),
)
@spec_options
@release_options
@target_option("Check names for this target only; may be given several times.")
@click.option("--strict", is_flag=True, help="Missing docs are errors, not warnings.")
@_format_option("Text for people, a JSON array, or GitHub workflow commands.")
def lint(
    spec: Path,
    dialect: str | None,
    at: str | None,
    span: str | None,
    form: Format,
    targets: tuple[str, ...],
    *,
    strict: bool,
) -> None:
    """Report everything that is wrong with the spec, in file order.

    Each release is checked, all of them together, and each dialect, unless one of these is named.

    Names are checked for the targets given, or for those of the polywire.toml that names this spec, else for all.

    Exits 1 if a finding is an error.
    """
    from polywire import checks

    asked = targets or configured_targets(spec)
    releases = _span(at, span)
    if dialect or at or span:
        report = _report(spec, dialect, releases, strict=strict, targets=asked)
    else:
        report = checks.check_all(spec, strict=strict, targets=asked)
    _print_report(report, form)
    sys.exit(FINDINGS if report.failed else 0)


def _print_report(report: Report, form: Format = "text", *, err: bool = False) -> None:
    click.echo(report.render(form, colour=True), nl=False, err=err)  # click takes the colour out again for a file


@cli.command(
    short_help="Print the JSON Schema of the spec language, or of polywire.toml.",
    epilog=_verbatim(
        "Examples:", "polywire schema > spec/polywire.schema.json", "polywire schema config > polywire.schema.json"
    ),
)
@click.argument("of", type=click.Choice(["spec", "config"]), default="spec")
def schema(of: str) -> None:
    """Print the JSON Schema by which editors complete and check a spec, or a polywire.toml, as it is typed.

    A spec names it in the first line of its files: # yaml-language-server: $schema=polywire.schema.json

    A polywire.toml does so as well: #:schema polywire.schema.json
    """
    schemas = importlib.import_module({"spec": "polywire.schema", "config": "polywire.vendor.schema"}[of])
    click.echo(schemas.emit(), nl=False)


@cli.command(
    short_help="Print what the spec says about a name.",
    epilog=_verbatim("Examples:", "polywire show SomeMessage", "polywire show some_request"),
)
@click.argument("name", shell_complete=lambda ctx, _, text: _complete_declared(ctx, text))
@spec_options
@release_options
def show(name: str, spec: Path, dialect: str | None, at: str | None, span: str | None) -> None:
    """Print a declaration as it is once mixins, controls and overlays are worked out, and where it is used.

    NAME is that of a type, message, union, enum, alias, control or tool.
    """
    from polywire import show as shows

    model = _checked_model(spec, dialect, _span(at, span))
    try:
        click.echo(shows.render(shows.show(model, name)), nl=False)
    except shows.NoSuchName as error:
        raise click.BadParameter(
            f"the spec has no {name!r}{suggestion(name, error.near or model.declarations)}"
        ) from error


@cli.command(
    short_help="Say what lines of traffic are, and what is unknown in them.",
    epilog=_verbatim(
        "Examples:",
        "polywire explain session.ndjson",
        "tail -1 session.ndjson | polywire explain",
        "polywire explain --type SomeUnion values.ndjson",
    ),
)
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--type", "root", metavar="NAME", help="What each line is read as.  [default: the protocol's first root]")
@spec_options
@release_options
def explain(
    file: BinaryIO, root: str | None, spec: Path, dialect: str | None, at: str | None, span: str | None
) -> None:
    """Decode each line of FILE (or of standard input) and say what it is.

    What the spec does not know is listed, with a dialect that would know it printed last. Exits 1 if a line does not
    decode.
    """
    from polywire import explain as explains

    model = _checked_model(spec, dialect, _span(at, span))
    if root is not None and root not in model.declarations:
        raise click.BadParameter(f"the spec has no {root!r}{suggestion(root, model.declarations)}", param_hint="--type")
    explanation = explains.explain(model, file, root)
    click.echo(explains.render(explanation), nl=False)
    sys.exit(FINDINGS if any(line.fault for line in explanation.lines) else 0)


def _complete_declared(ctx: click.Context, incomplete: str) -> list[str | CompletionItem]:
    from polywire.model.build import build
    from polywire.source import load

    model = build(load(Path(ctx.params.get("spec") or default_spec()))).model
    return [name for name in (model.declarations if model else ()) if name.startswith(incomplete)]


@cli.command(
    short_help="Print the script that completes commands in a shell.",
    epilog=_verbatim(
        "Examples:",
        "polywire completion bash > ~/.local/share/bash-completion/completions/polywire",
        'eval "$(polywire completion zsh)"',
        "polywire completion fish > ~/.config/fish/completions/polywire.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes commands, options, targets and dialects in SHELL."""
    from click.shell_completion import get_completion_class

    complete = get_completion_class(shell)
    if complete is None:
        raise _Failure(f"this version of click completes nothing in {shell}")
    click.echo(complete(cli, {}, "polywire", "_POLYWIRE_COMPLETE").source())
