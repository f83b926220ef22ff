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
from collections import Counter
from collections.abc import Callable
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, TypeVar

import click
from click import formatting

from polywire import __version__
from polywire.errors import WrongUseError
from polywire.options import (
    WRONG_USE,
    OutFolder,
    configured_for,
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
    from polywire.plan import Plan
    from polywire.run import Made, Run
    from polywire.targets.base import Target
    from polywire.vendor.config import Config

Command = TypeVar("Command", bound=Callable[..., object])

FINDINGS = 1
MISSING = 3
INTERNAL = 70
"""EX_SOFTWARE of sysexits.h."""

_ELSEWHERE = {
    "breaking": ("polywire.breaking.command", "Report what a change of the spec breaks."),
    "changelog": ("polywire.breaking.command", "Write a changelog of the spec."),
    "compare": ("polywire.upstream.command", "Compare the spec with upstream's declarations."),
    "conformance": ("polywire.conformance.command", "Run conformance cases against bindings."),
    "diff": ("polywire.diff.command", "Show how two dialects or specs differ on the wire."),
    "fuzz": ("polywire.conformance.fuzz", "Fuzz bindings for disagreements."),
    "import": ("polywire.importing.command", "Import a schema, declarations or traffic as a spec."),
    "init": ("polywire.vendor.init", "Write a polywire.toml."),
    "upstream": ("polywire.upstream.command", "Follow upstream releases."),
    "watch": ("polywire.vendor.watch", "Generate after every save."),
}
"""Commands defined beside their logic: the name, the module that contains a click command of that name, and its line in
the list of commands, which is shown without importing any of these modules."""


class _Failure(click.ClickException):
    """The command cannot be carried out; the message says why and what to do."""

    exit_code = WRONG_USE


class _Missing(_Failure):
    """A tool needed for an add-on is not installed. Has its own exit status, so that callers can install the tool."""

    exit_code = MISSING


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
    """The group of commands; those in `_ELSEWHERE` are imported when they are looked up."""

    context_class = _Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_ELSEWHERE])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _ELSEWHERE:
            return super().get_command(ctx, cmd_name)
        module, line = _ELSEWHERE[cmd_name]
        command: click.Command = getattr(
            importlib.import_module(module), f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        )
        command.short_help = line
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (click's)
        lines = {name: line for name, (_, line) in _ELSEWHERE.items()}
        lines |= {name: command.short_help or "" for name, command in self.commands.items()}
        with formatter.section("Commands"):
            formatter.write_dl(sorted(lines.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and name not in self.list_commands(ctx):
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
        click.echo(importlib.import_module("polywire.internal").describe(error), err=True)
        sys.exit(INTERNAL)


def _verbatim(title: str, *lines: str) -> str:
    """Format lines for the end of a help text so that click does not rewrap them (the backspace marks them)."""
    return "\n".join(["\b", title, *(f"  {line}" for line in lines)])


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_verbatim(
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
    "By default, the polywire.toml in this folder or a parent folder sets what is generated and where, and --target"
    " selects from its targets. --spec, --dialect and --out override the whole file."
)


@cli.command(
    short_help="Generate the bindings.",
    help=f"""Generate the bindings of a spec. Either all files are written or, if anything fails, none.

    The spec is checked first, as by `polywire lint`. Only files that differ are written. Files that are no longer
    generated are removed, unless they were edited by hand.

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
@click.option("--exit-non-zero-on-change", is_flag=True, help="Exit with 1 if a file was written or removed.")
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
    click.echo(f"{_counts(made)}: {tally(counts) or 'nothing to do'}")
    if counts.keys() - {"left out"} and exit_non_zero_on_change:
        click.echo("to fix: add what changed to the commit")
        sys.exit(FINDINGS)


def _note(change: Change) -> str:
    if change.action == "kept":
        return " (edited by hand and no longer generated: remove it yourself)"
    if change.action == "left out":
        return f": {change.why}"
    return " (was edited by hand)" if change.by_hand else ""


@cli.command(
    short_help="Check that generated files are up to date.",
    help=f"""Check that the files on disk are what the spec generates, without changing them.

    Takes the options of `polywire generate`. For every file that differs, prints the reason and the start of a
    diff, then the command that fixes it.

    {_RULE}""",
    epilog=_verbatim(
        "Reasons:",
        "stale           the spec, polywire.toml or polywire changed since the file was generated",
        "edited by hand  the file was changed after it was generated",
        "missing         the file does not exist",
        "left over       the file is no longer generated",
        "foreign         a file in a generated folder that polywire did not write",
        "untracked       with --tracked: the file is not in git",
        "ignored         with --tracked: the file is not in git, and .gitignore excludes it",
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
    help="For untrusted branches: fail if a target has templates in the repository, instead of rendering them.",
)
@click.option("--tracked", is_flag=True, help="Also report generated files that are not in git.")
@_format_option("Text, a JSON array, or annotations for GitHub.")
def check(*, tracked: bool, form: Format, **asked: Any) -> None:
    from polywire import drift, output
    from polywire.git import GitError
    from polywire.vendor.tracked import untracked

    wanted = _asked(form, **asked)
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
        click.echo(f"{_counts(made)}: up to date")


def _counts(made: Made) -> str:
    files = f"{counted(sum(map(len, made.trees.values())), 'file')} of {counted(len(made.trees), 'target')}"
    return f"{files} and {counted(len(made.add_ons), 'add-on')}" if made.add_ons else files


def _asked(form: Format = "text", **asked: Any) -> Run:
    """Return the run that was asked for; exit if the config has errors or the flags do not go together."""
    from polywire import run
    from polywire.vendor.config import ConfigError

    try:
        wanted = run.asked(**asked)
    except ConfigError as error:
        _end_with(error.report, form, WRONG_USE)
    except WrongUseError as error:
        raise click.UsageError(str(error)) from error
    if wanted.aside is not None:
        click.echo(f"{wanted.aside} is not used: options on the command line override it", err=True)
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
    """Check the releases of the spec that are to be covered."""
    from polywire import checks
    from polywire.model.releases import UnknownReleaseError

    try:
        return checks.check(*args, **asked)
    except UnknownReleaseError as error:
        raise click.UsageError(str(error)) from error


def _checked_model(spec: Path, dialect: str | None, span: Span) -> Model:
    """Return the model of a spec without errors; if it has errors, print them and exit."""
    report = _report(spec, dialect, span, targets=configured_targets(spec))
    if report.failed or report.model is None:
        _end_with(report, "text", FINDINGS)
    _print_warnings(len(report.findings))
    return report.model


def _print_warnings(number: int) -> None:
    if number:
        click.echo(f"{counted(number, 'warning')} in the spec: run polywire lint", err=True)


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
@target_option("Check names for this target only; can be repeated.")
@click.option("--strict", is_flag=True, help="Treat missing docs as errors.")
@click.option(
    "--write-baseline", is_flag=True, help="Write the findings to the baseline file of [lint] in polywire.toml."
)
@_format_option("Text, a JSON array, or annotations for GitHub.")
def lint(
    spec: Path,
    dialect: str | None,
    at: str | None,
    span: str | None,
    form: Format,
    targets: tuple[str, ...],
    *,
    strict: bool,
    write_baseline: bool,
) -> None:
    """Check the spec, and report all errors and warnings in file order.

    By default, checks every release, all releases together, and every dialect.

    Names are checked for the given targets, or for those of the polywire.toml of this spec, or else for all.

    The table [lint] of that file sets the severity of rules and the findings to ignore.

    Exits with 1 if there is an error.
    """
    from polywire import checks

    config = configured_for(spec)
    strict = strict or (config is not None and config.lint.strict)
    asked = targets or configured_targets(spec)
    releases = _span(at, span)
    whole = not (dialect or at or span or targets)
    if dialect or at or span:
        report = _report(spec, dialect, releases, strict=strict, targets=asked)
    else:
        report = checks.check_all(spec, strict=strict, targets=asked)
    if config is not None or write_baseline:
        report = _judged(report, config, whole=whole, write_baseline=write_baseline)
    _print_report(report, form)
    sys.exit(FINDINGS if report.failed else 0)


def _judged(report: Report, config: Config | None, *, whole: bool, write_baseline: bool) -> Report:
    """Apply `[lint]` of `polywire.toml` to the report."""
    from polywire.policy import BaselineError
    from polywire.vendor import judged

    try:
        if write_baseline:
            click.echo(judged.write_baseline(config, "lint", judged.subjects(report)), err=True)
        report, known = judged.lint(report, config, whole=whole)
    except BaselineError as error:
        raise _Failure(str(error)) from error
    if known:
        click.echo(known, err=True)
    return report


def _print_report(report: Report, form: Format = "text", *, err: bool = False) -> None:
    click.echo(report.render(form, colour=True), nl=False, err=err)  # click removes the colours when writing to a file


@cli.command(
    short_help="Print the JSON Schema of specs or of polywire.toml.",
    epilog=_verbatim(
        "Examples:", "polywire schema > spec/polywire.schema.json", "polywire schema config > polywire.schema.json"
    ),
)
@click.argument("of", type=click.Choice(["spec", "config"]), default="spec")
def schema(of: str) -> None:
    """Print the JSON Schema with which editors complete and check a spec or a polywire.toml.

    Refer to it in the first line of a spec file: # yaml-language-server: $schema=polywire.schema.json

    In a polywire.toml: #:schema polywire.schema.json
    """
    schemas = importlib.import_module({"spec": "polywire.schema", "config": "polywire.vendor.schema"}[of])
    click.echo(schemas.emit(), nl=False)


@cli.command(
    short_help="Show a declaration and its uses.",
    epilog=_verbatim("Examples:", "polywire show SomeMessage", "polywire show some_request"),
)
@click.argument("name", shell_complete=lambda ctx, _, text: _complete_declared(ctx, text))
@spec_options
@release_options
def show(name: str, spec: Path, dialect: str | None, at: str | None, span: str | None) -> None:
    """Show a declaration with its mixins, controls and overlays applied, and where it is used.

    NAME is a type, message, union, enum, alias, control or tool.
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
    short_help="Identify the messages in captured traffic.",
    epilog=_verbatim(
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
def explain(
    file: BinaryIO, root: str | None, spec: Path, dialect: str | None, at: str | None, span: str | None
) -> None:
    """Identify the messages in captured traffic: decode each line of FILE or of standard input.

    Lists everything that the spec does not declare, and prints a dialect that declares it. Exits with 1 if a line
    does not decode.
    """
    from polywire import explain as explains

    model = _checked_model(spec, dialect, _span(at, span))
    if root is not None and root not in model.declarations:
        raise click.BadParameter(f"the spec has no {root!r}{suggestion(root, model.declarations)}", param_hint="--type")
    explanation = explains.explain(model, file, root)
    click.echo(explains.render(explanation), nl=False)
    sys.exit(FINDINGS if any(line.fault for line in explanation.lines) else 0)


@cli.command(
    short_help="Write a reference of the spec as HTML.",
    epilog=_verbatim(
        "Examples:",
        "polywire docs --out docs/reference",
        "polywire docs --spec ../their-spec --out build/theirs",
        "polywire docs --out docs/reference --check",
    ),
)
@click.option("--out", type=OutFolder(), required=True, help="The folder for the pages. Other files in it are kept.")
@click.option("--check", "checked", is_flag=True, help="Only check: exit with 1 if the pages are not up to date.")
@spec_options
@release_options
def docs(out: Path, spec: Path, dialect: str | None, at: str | None, span: str | None, *, checked: bool) -> None:
    """Write a reference of the spec as static pages: open index.html in a browser.

    Each declaration has a page with its members or variants, examples, its name and use in each language, and what
    uses it. The pages need no server and no network. Only the search needs JavaScript.

    With a polywire.toml for this spec, its package names are used and only its targets are shown.
    """
    from polywire import output
    from polywire.docs import site
    from polywire.errors import RenderError
    from polywire.header import header

    model = _checked_model(spec, dialect, _span(at, span))
    try:
        tree = {"": site.site(*_documented(spec, model))}
        step = output.compare if checked else output.write
        found = step(out, tree, header(model), whole=True, manifest=site.MANIFEST)
    except (RenderError, output.OutputError) as error:
        raise _Failure(str(error)) from error
    click.echo(site.summary(out, len(tree[""]), found))
    sys.exit(FINDINGS if checked and found else 0)


def _documented(spec: Path, model: Model) -> tuple[Plan, list[tuple[Target, Plan]]]:
    """Return the plan of a spec, and the plan of the package of each target that is shown."""
    from polywire.plan import make_plan
    from polywire.run import part
    from polywire.targets import registry
    from polywire.vendor.config import ConfigError

    plan, config = make_plan(model), configured_for(spec)
    names = [*registry()] if config is None else [each.target for each in config.outputs]
    targets = [target for name, target in registry().items() if name in names and target.title]
    try:
        return plan, [(target, part(config, plan, target)) for target in targets]
    except ConfigError as error:
        _end_with(error.report, "text", WRONG_USE)


def _complete_declared(ctx: click.Context, incomplete: str) -> list[str | CompletionItem]:
    from polywire.model.build import build
    from polywire.source import load

    model = build(load(Path(ctx.params.get("spec") or default_spec()))).model
    return [name for name in (model.declarations if model else ()) if name.startswith(incomplete)]


@cli.command(
    short_help="Print a completion script for a shell.",
    epilog=_verbatim(
        "Examples:",
        "polywire completion bash > ~/.local/share/bash-completion/completions/polywire",
        'eval "$(polywire completion zsh)"',
        "polywire completion fish > ~/.config/fish/completions/polywire.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands, options, targets and dialects in SHELL."""
    from click.shell_completion import get_completion_class

    complete = get_completion_class(shell)
    if complete is None:
        raise _Failure(f"this version of click does not support completion in {shell}")
    click.echo(complete(cli, {}, "polywire", "_POLYWIRE_COMPLETE").source())
