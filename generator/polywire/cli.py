"""The command line → calls of the modules that do the work, and what they return → lines and an exit status.

Nothing is decided here. Modules are imported by the commands that need them, so that `--help` and completion are quick.

Exit status: 0 all is well · 1 there are findings (a spec at fault, output that drifted, a disagreement) · 2 the command
could not be carried out as given (unknown option, target or dialect; a folder that is missing or cannot be written).
"""

from __future__ import annotations

import gc
import importlib
import io
import os
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from polywire import __version__
from polywire.words import counted, suggestion

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from polywire.checks import Format, Report
    from polywire.model.nodes import Model
    from polywire.output import Change, Drift, Trees
    from polywire.render import Header
    from polywire.targets.base import Target

Command = TypeVar("Command", bound=Callable[..., object])

FINDINGS = 1
WRONG_USE = 2

_ELSEWHERE = {"conformance": "polywire.conformance.command", "fuzz": "polywire.conformance.fuzz"}
"""Commands that live beside their logic: the name, and the module that has a click command of that name."""


class _Failure(click.ClickException):
    """Something that keeps a command from being carried out; the message says what, and what to do."""

    exit_code = WRONG_USE


class _Commands(click.Group):
    """The group of commands; those of `_ELSEWHERE` are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_ELSEWHERE])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _ELSEWHERE:
            return super().get_command(ctx, cmd_name)
        command: click.Command = getattr(importlib.import_module(_ELSEWHERE[cmd_name]), cmd_name)
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
    cli(prog_name="polywire")


def _verbatim(title: str, *lines: str) -> str:
    """Lines for the end of a help text, which click is not to fill (that is what the backspace tells it)."""
    return "\n".join(["\b", title, *(f"  {line}" for line in lines)])


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_verbatim("Exit status:", "0  all is well", "1  there are findings", "2  wrong use"),
)
@click.version_option(__version__, "-V", "--version", prog_name="polywire", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """One YAML spec of a wire protocol in, every language's bindings of it out."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False


# --- options that commands share -------------------------------------------------------------------------------


def _dialects(spec: Path) -> list[str]:
    return sorted(path.stem for path in (spec / "dialects").glob("*.yaml"))


def _known_dialect(ctx: click.Context, _: click.Parameter, value: str | None) -> str | None:
    known = _dialects(ctx.params.get("spec", Path("spec")))
    if value is not None and value not in known:
        raise click.BadParameter(f"no dialect {value!r}{suggestion(value, known)}")
    return value


def _complete_dialect(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str | CompletionItem]:
    spec = ctx.params.get("spec") or "spec"
    return [name for name in _dialects(Path(spec)) if name.startswith(incomplete)]


def _known_targets(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    from polywire.targets import registry

    for name in value:
        if name not in registry():
            raise click.BadParameter(f"no target {name!r}{suggestion(name, registry())}")
    return value


def _complete_target(_: click.Context, __: click.Parameter, incomplete: str) -> list[str | CompletionItem]:
    from polywire.targets import registry

    return [name for name in registry() if name.startswith(incomplete)]


class _SpecFolder(click.Path):
    """The folder of a spec; where there is none, the next step is said."""

    def __init__(self) -> None:
        super().__init__(exists=True, file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # as click has it
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            step = "Run polywire in the checkout's top folder, or name the spec with --spec."
            raise click.BadParameter(f"{error.message} {step}", ctx, param) from error


class _OutFolder(click.Path):
    """A folder to write to. Of an empty text `Path` would make the working folder, which nobody asked for."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # as click has it
        if value == "":
            self.fail("the name of the folder is empty; write . for the working folder", param, ctx)
        return super().convert(value, param, ctx)


def _spec_options(command: Command) -> Command:
    """`--spec` and `--dialect`. The first is eager, because the second is looked up in it."""
    help_ = "The folder with protocol.yaml."
    spec = click.option("--spec", type=_SpecFolder(), default="spec", show_default=True, is_eager=True, help=help_)
    dialect = click.option(
        "--dialect",
        metavar="NAME",
        callback=_known_dialect,
        shell_complete=_complete_dialect,
        help="Lay the overlay dialects/NAME.yaml over the spec.",
    )
    return spec(dialect(command))


def _output_options(command: Command) -> Command:
    out = click.option(
        "--out",
        type=_OutFolder(),
        help="The folder for the output, one folder a target in it.  [default: generated, or generated/dialects/NAME"
        " with --dialect]",
    )
    target = click.option(
        "--target",
        "targets",
        metavar="NAME",
        multiple=True,
        callback=_known_targets,
        shell_complete=_complete_target,
        help="Only this target; may be given several times.  [default: all]",
    )
    return _spec_options(out(target(command)))


# --- generate and check ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Made:
    """Everything that a run would write, in memory, and where to."""

    out: Path
    trees: Trees
    header: Header
    whole: bool


@cli.command(
    short_help="Write the bindings.",
    epilog=_verbatim(
        "Examples:",
        "polywire generate",
        "polywire generate --target python --target jsonschema",
        "polywire generate --spec ../their-spec --out vendor/theirs",
        "polywire generate --dialect goat-doc",
    ),
)
@_output_options
def generate(spec: Path, dialect: str | None, out: Path | None, targets: tuple[str, ...]) -> None:
    """Write what the spec generates: all of it, or, if anything fails, nothing.

    The spec is checked first, and an error in it is reported as `polywire lint` does. Only files whose bytes differ are
    touched; files that are no longer generated are removed, unless they were edited by hand.
    """
    from polywire import output

    made = _make(spec, dialect, out, targets)
    try:
        changes = output.write(made.out, made.trees, made.header, whole=made.whole)
    except output.OutputError as error:
        raise _Failure(str(error)) from error
    for change in changes:
        click.echo(f"{click.style(change.action, fg=_COLOURS[change.action])} {made.out / change.path}{_note(change)}")
    counts = Counter(change.action for change in changes)
    click.echo(f"{_extent(made.trees)}: {_tally(counts) or 'nothing to do'}")


def _note(change: Change) -> str:
    if change.action == "kept":
        return " (edited by hand and no longer generated: remove it yourself)"
    return " (was edited by hand)" if change.by_hand else ""


@cli.command(
    short_help="Fail if what is on disk is not what the spec generates.",
    epilog=_verbatim(
        "Reasons:",
        "stale           the spec, or polywire, changed since the file was generated",
        "edited by hand  the file is not what was generated",
        "missing         the file is not there",
        "left over       the file is no longer generated",
        "foreign         a file in a generated folder that polywire never wrote",
    )
    + "\n\n"
    + _verbatim("Examples:", "polywire check", "polywire check --target python"),
)
@_output_options
def check(spec: Path, dialect: str | None, out: Path | None, targets: tuple[str, ...]) -> None:
    """Compare what the spec generates with what is on disk, and change nothing.

    Takes what `polywire generate` takes. Every file that differs is named with the reason and the beginning of a
    unified diff, and the command that mends it is printed last.
    """
    from polywire import output

    made = _make(spec, dialect, out, targets)
    try:
        drifts = output.compare(made.out, made.trees, made.header, whole=made.whole)
    except output.OutputError as error:
        raise _Failure(str(error)) from error
    for drift in drifts:
        _print_drift(made.out, drift)
    if drifts:
        _print_mending(made.out, drifts, _generate_command(spec, dialect, out, targets))
        sys.exit(FINDINGS)
    click.echo(f"{_extent(made.trees)}: up to date")


def _extent(trees: Trees) -> str:
    return f"{counted(sum(map(len, trees.values())), 'file')} of {counted(len(trees), 'target')}"


def _make(spec: Path, dialect: str | None, out: Path | None, targets: tuple[str, ...]) -> _Made:
    from polywire import render
    from polywire.targets import registry

    model = _checked_model(spec, dialect)
    chosen: list[Target] = [target for name, target in registry().items() if not targets or name in targets]
    try:
        trees = render.render_all(chosen, model)
    except render.RenderError as error:
        raise _Failure(str(error)) from error
    place = out or (Path("generated", "dialects", dialect) if dialect else Path("generated"))
    return _Made(place, trees, render.header(model), whole=not targets)


def _checked_model(spec: Path, dialect: str | None) -> Model:
    """The model of a spec without errors; with errors, prints them and exits."""
    from polywire import checks

    report = checks.check(spec, dialect)
    if report.failed or report.model is None:
        _print_report(report, err=True)
        sys.exit(FINDINGS)
    if report.findings:
        click.echo(f"{counted(len(report.findings), 'warning')} about the spec: see polywire lint", err=True)
    return report.model


_COLOURS = {
    "created": "green",
    "updated": "yellow",
    "removed": "red",
    "kept": "magenta",
    "stale": "yellow",
    "edited by hand": "red",
    "missing": "yellow",
    "left over": "yellow",
    "foreign": "magenta",
}  # fmt: skip  (a table)
_DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


_LONGEST_DIFF = 60
"""Lines of one file's diff that a person reads; for all of it there is `git diff` after `polywire generate`."""


def _print_drift(out: Path, drift: Drift) -> None:
    """What differs, with the diff where there is something to compare; of a file on one side its size says enough."""
    only = drift.wanted if drift.found is None else drift.found if drift.wanted is None else None
    size = "" if only is None else f" ({counted(len(only), 'byte')})"
    click.echo(f"{click.style(drift.kind, fg=_COLOURS[drift.kind], bold=True)}: {out / drift.path}{size}")
    if drift.found is None or drift.wanted is None:
        return
    lines = drift.diff()
    for line in islice(lines, _LONGEST_DIFF):
        click.echo(click.style(line, fg=_DIFF_COLOURS.get(line[:1])))
    rest = sum(1 for _ in lines)
    if rest:
        click.echo(f"… and {counted(rest, 'more line')} of this diff")


def _print_mending(out: Path, drifts: list[Drift], command: str) -> None:
    counts = Counter(drift.kind for drift in drifts)
    click.echo(f"\n{counted(len(drifts), 'file')} in {out} not what the spec generates: {_tally(counts)}")
    if not all(drift.by_hand for drift in drifts):
        click.echo(f"to mend: {command}")
    for drift in drifts:
        if drift.by_hand:
            click.echo(f"to mend: move away or remove {shlex.quote(str(out / drift.path))}")


def _generate_command(spec: Path, dialect: str | None, out: Path | None, targets: tuple[str, ...]) -> str:
    words = ["polywire", "generate"]
    words += ["--spec", str(spec)] if spec != Path("spec") else []
    words += ["--dialect", dialect] if dialect else []
    words += ["--out", str(out)] if out else []
    words += [word for name in targets for word in ("--target", name)]
    return shlex.join(words)


def _tally(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in _COLOURS if counts.get(name))


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
@_spec_options
@click.option("--strict", is_flag=True, help="Missing docs are errors, not warnings.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="Text for people, a JSON array, or GitHub workflow commands.",
)
def lint(spec: Path, dialect: str | None, form: Format, *, strict: bool) -> None:
    """Report everything that is wrong with the spec, in file order.

    Exits 1 if a finding is an error.
    """
    from polywire import checks

    report = checks.check(spec, dialect, strict=strict)
    _print_report(report, form)
    sys.exit(FINDINGS if report.failed else 0)


def _print_report(report: Report, form: Format = "text", *, err: bool = False) -> None:
    click.echo(report.render(form, colour=True), nl=False, err=err)  # click takes the colour out again for a file


@cli.command(
    short_help="Print the JSON Schema of the spec language.",
    epilog=_verbatim("Examples:", "polywire schema > spec/polywire.schema.json"),
)
def schema() -> None:
    """Print the JSON Schema by which editors complete and check a spec as it is typed.

    A spec names it in the first line of its files: # yaml-language-server: $schema=polywire.schema.json
    """
    from polywire import schema as schemas

    click.echo(schemas.emit(), nl=False)


@cli.command(
    short_help="Print what the spec says about a name.",
    epilog=_verbatim("Examples:", "polywire show SomeMessage", "polywire show some_request"),
)
@click.argument("name", shell_complete=lambda ctx, _, text: _complete_declared(ctx, text))
@_spec_options
def show(name: str, spec: Path, dialect: str | None) -> None:
    """Print a declaration as it is once mixins, controls and overlays are worked out, and where it is used.

    NAME is that of a type, message, union, enum, alias, control or tool.
    """
    from polywire import show as shows

    model = _checked_model(spec, dialect)
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
@_spec_options
def explain(file: BinaryIO, root: str | None, spec: Path, dialect: str | None) -> None:
    """Decode each line of FILE (or of standard input) and say what it is.

    What the spec does not know is listed, with a dialect that would know it printed last. Exits 1 if a line does not
    decode.
    """
    from polywire import explain as explains

    model = _checked_model(spec, dialect)
    if root is not None and root not in model.declarations:
        raise click.BadParameter(f"the spec has no {root!r}{suggestion(root, model.declarations)}", param_hint="--type")
    explanation = explains.explain(model, file, root)
    click.echo(explains.render(explanation), nl=False)
    sys.exit(FINDINGS if any(line.fault for line in explanation.lines) else 0)


def _complete_declared(ctx: click.Context, incomplete: str) -> list[str | CompletionItem]:
    from polywire.model.build import build
    from polywire.source import load

    model = build(load(Path(ctx.params.get("spec") or "spec"))).model
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
