"""Options shared by several commands: spec, dialect, targets and output folder.

If there is a `polywire.toml`, it provides the defaults.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from polywire.ground.find import BUNDLED, WITHOUT_SPEC, bundled_spec, find
from polywire.ground.paths import output_fault
from polywire.ground.words import suggestion

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from polywire.vendor.config import Config

Command = TypeVar("Command", bound=Callable[..., object])

WRONG_USE = 2


def configured() -> Config | None:
    """Load the `polywire.toml` that applies to the working folder; if it has errors, print them and exit."""
    from polywire.vendor import config

    file = find()
    if file is None:
        return None
    try:
        return _loaded(file)
    except config.ConfigError as error:
        click.echo(error.report.render(colour=True), nl=False, err=True)
        raise click.exceptions.Exit(WRONG_USE) from error


def _loaded(file: Path) -> Config:
    """Load a file, once per command. Raises `ConfigError`."""
    from polywire.vendor import config

    context = click.get_current_context(silent=True)
    if context is None:
        return config.load(file)
    known: dict[Path, Config] = context.meta.setdefault(__name__, {})
    if file not in known:
        known[file] = config.load(file)
    return known[file]


def default_spec() -> str:
    """Return the default spec: that of `polywire.toml`, or the folder `spec`."""
    config = configured()
    return "spec" if config is None else str(config.spec)


def configured_for(spec: Path) -> Config | None:
    """Return the `polywire.toml` above the working folder; None unless it is valid and for this spec."""
    file = find()
    if file is None:
        return None
    from polywire.vendor import config as configuration

    try:
        config = _loaded(file)
    except configuration.ConfigError:
        return None
    return config if config.spec.resolve() == spec.resolve() else None


def configured_targets(spec: Path) -> tuple[str, ...] | None:
    """Return the targets of that file."""
    config = configured_for(spec)
    return None if config is None else tuple(output.target for output in config.outputs)


class SpecFolder(click.Path):
    """The folder of a spec; if it is missing, the error gives the next step."""

    def __init__(self, *, exists: bool = True) -> None:
        super().__init__(exists=exists, file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # click's signature
        if value == BUNDLED:
            return bundled_spec()
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            raise click.BadParameter(f"{error.message} {WITHOUT_SPEC}", ctx, param) from error


class OutFolder(click.Path):
    """A folder to write to, which must not be one that controls a tool.

    An empty value is refused: `Path` would turn it into the working folder.
    """

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # click's signature
        if value == "":
            self.fail("the folder is empty; write . for the working folder", param, ctx)
        folder = Path(str(super().convert(value, param, ctx)))
        if fault := output_fault(folder):
            self.fail(f"{str(folder)!r} {fault}; choose another folder", param, ctx)
        return folder


def spec_options(command: Command) -> Command:
    """`--spec` and `--dialect`, for read-only commands."""
    return spec_option(default_spec)(_dialect_option(_dialect_or_configured)(command))


def release_options(command: Command) -> Command:
    """`--at` and `--span`, which choose releases of the spec."""
    at = click.option("--at", metavar="RELEASE", help="Use this release of the protocol.")
    span = click.option(
        "--span",
        metavar="A..B",
        help="The releases to cover, both ends included; either may be omitted.  [default: all]",
    )
    return at(span(command))


def output_options(command: Command) -> Command:
    """`--spec`, `--dialect`, `--at`, `--span`, `--out`, `--target` and `--config`, for commands that generate.

    Also adds `--no-add-ons`, for machines without the tools that add-ons need.
    """
    out = click.option(
        "--out",
        type=OutFolder(),
        help="The output folder, with a folder per target.  [default: generated, generated/dialects/NAME with"
        " --dialect, or generated/releases/NAME with --at or --span]",
    )
    target = target_option("Only this target; can be repeated.  [default: those of polywire.toml, or all]")
    config = click.option(
        "--config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="The polywire.toml to use.  [default: the one in this folder or a parent folder]",
    )
    add_ons = click.option(
        "--add-ons/--no-add-ons",
        default=None,
        help="Whether to include the add-ons, which separate tools generate from the output: the flavours of the"
        " Python package. A tool is only needed if its input changed.  [default: all with a polywire.toml, none with"
        " --dialect, else those that exist and those whose tool is installed]",
    )
    return spec_option(None)(_dialect_option(_known_dialect)(release_options(out(target(config(add_ons(command)))))))


def spec_option(default: Callable[[], str] | None, *, exists: bool = True) -> Callable[[Command], Command]:
    """`--spec`, eager because the dialects are looked up in it. Pass `exists=False` if the spec may not be needed."""
    return click.option(
        "--spec",
        type=SpecFolder(exists=exists),
        default=default,
        is_eager=True,
        help="The folder with protocol.yaml, or `bundled` for the spec that comes with polywire.  [default: that of"
        " polywire.toml, or spec]",
    )


typescript_option = click.option(
    "--typescript",
    "compiler",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of the TypeScript compiler to run, such as node_modules/typescript; its code is trusted."
    "  [default: the version that polywire pins, installed into its cache with npm]",
)


def _dialect_option(callback: Callable[..., str | None]) -> Callable[[Command], Command]:
    return click.option(
        "--dialect",
        metavar="NAME",
        callback=callback,
        shell_complete=complete_dialect,
        help="Apply the overlay dialects/NAME.yaml to the spec.",
    )


# --- dialects --------------------------------------------------------------------------------------------------


def dialects_of(spec: Path) -> list[str]:
    """Return the names of a spec's dialects. Imports the modules that read specs only here, so that help stays fast."""
    from polywire.source import dialects

    return dialects(spec)


def _known_dialect(ctx: click.Context, _: click.Parameter, value: str | None) -> str | None:
    if value is not None:
        known = dialects_of(ctx.params.get("spec") or Path(default_spec()))
        if value not in known:
            raise click.BadParameter(f"no dialect {value!r}{suggestion(value, known)}")
    return value


def _dialect_or_configured(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Default to the dialect of `polywire.toml`, if the spec is that file's."""
    if value is None and ctx.get_parameter_source("spec") is ParameterSource.DEFAULT:
        config = configured()
        return None if config is None else config.dialect
    return _known_dialect(ctx, parameter, value)


def complete_dialect(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str | CompletionItem]:
    """Return the dialects whose names start with the given text."""
    spec = ctx.params.get("spec") or default_spec()
    return [name for name in dialects_of(Path(spec)) if name.startswith(incomplete)]


# --- targets ---------------------------------------------------------------------------------------------------


def target_option(text: str) -> Callable[[Command], Command]:
    """`--target`, for commands that apply to some of the targets."""
    return click.option(
        "--target",
        "targets",
        metavar="NAME",
        multiple=True,
        callback=known_targets,
        shell_complete=complete_target,
        help=text,
    )


def known_targets(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Check that each of the given names is a target."""
    from polywire.targets import registry

    for name in value:
        if name not in registry():
            raise click.BadParameter(f"no target {name!r}{suggestion(name, registry())}")
    return value


def complete_target(_: click.Context, __: click.Parameter, incomplete: str) -> list[str | CompletionItem]:
    """Return the names of targets that start with the given text."""
    from polywire.targets import registry

    return [name for name in registry() if name.startswith(incomplete)]
