"""The command `polywire docs`: a spec → its reference."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polywire.commands.options import (
    WRONG_USE,
    OutFolder,
    configured_for,
    release_options,
    spec_options,
)
from polywire.commands.running import (
    FINDINGS,
    Failure,
    checked_model,
    end_with,
    releases_of,
    verbatim,
)

if TYPE_CHECKING:
    from polywire.model.nodes import Model
    from polywire.plan import Plan
    from polywire.reading.docs.source import SourceLinks
    from polywire.targets.common.base import Target


def _checked_source(_context: click.Context, _param: click.Parameter, value: str | None) -> SourceLinks | None:
    from polywire.reading.docs.source import source_links

    try:
        return None if value is None else source_links(value)
    except ValueError as error:
        raise click.BadParameter(f"{value}: {error}") from error


@click.command(
    short_help="Write a reference of the spec as HTML.",
    epilog=verbatim(
        "Examples:",
        "polywire docs --out docs/reference",
        "polywire docs --spec ../their-spec --out build/theirs",
        "polywire docs --out docs/reference --check",
        "polywire docs --out docs/reference --source 'https://example.org/repo/blob/main/spec/{file}#L{line}'",
    ),
)
@click.option("--out", type=OutFolder(), required=True, help="The folder for the pages. Other files in it are kept.")
@click.option("--check", "checked", is_flag=True, help="Only check: exit with 1 if the pages are not up to date.")
@click.option(
    "--source",
    metavar="URL",
    callback=_checked_source,
    help="Link declarations to their lines of the spec: an https address with {file} and {line}.",
)
@spec_options
@release_options
def docs(
    out: Path,
    source: SourceLinks | None,
    spec: Path,
    dialect: str | None,
    at: str | None,
    span: str | None,
    *,
    checked: bool,
) -> None:
    """Write a reference of the spec as static pages: open index.html in a browser.

    Each declaration has a page with its members or variants, examples, its name and use in each language, and what
    uses it. The pages need no server and no network, and can be read without JavaScript.

    With a polywire.toml for this spec, its package names are used and only its targets are shown.
    """
    from polywire.ground.errors import RenderError
    from polywire.reading.docs import site
    from polywire.targets.common.header import header
    from polywire.writing.comparing import compare
    from polywire.writing.output import write
    from polywire.writing.results import OutputError

    model = checked_model(spec, dialect, releases_of(at, span))
    try:
        tree = {"": site.site(*_documented(spec, model), source)}
        step = compare if checked else write
        found = step(out, tree, header(model), whole=True, manifest=site.MANIFEST)
    except (RenderError, OutputError) as error:
        raise Failure(str(error)) from error
    click.echo(site.summary(out, len(tree[""]), found))
    sys.exit(FINDINGS if checked and found else 0)


def _documented(spec: Path, model: Model) -> tuple[Plan, list[tuple[Target, Plan]]]:
    """Return the plan of a spec, and the plan of the package of each target that is shown."""
    from polywire.plan import make_plan
    from polywire.targets import registry
    from polywire.vendor.config import ConfigError
    from polywire.vendor.run import part

    plan, config = make_plan(model), configured_for(spec)
    names = [*registry()] if config is None else [each.target for each in config.outputs]
    targets = [target for name, target in registry().items() if name in names and target.title]
    try:
        return plan, [(target, part(config, plan, target)) for target in targets]
    except ConfigError as error:
        end_with(error.report, "text", WRONG_USE)
