"""The command `polywire show`: a name → what the model knows about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from polywire.commands.options import (
    default_spec,
    release_options,
    spec_options,
)
from polywire.commands.running import (
    checked_model,
    format_option,
    releases_of,
    verbatim,
)
from polywire.ground.words import suggestion

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


@click.command(
    short_help="Show a declaration and its uses.",
    epilog=verbatim("Examples:", "polywire show SomeMessage", "polywire show some_request"),
)
@click.argument("name", shell_complete=lambda ctx, _, text: _complete_declared(ctx, text))
@spec_options
@release_options
@format_option("Text, or a JSON object.", ("text", "json"))
def show(name: str, spec: Path, dialect: str | None, at: str | None, span: str | None, form: str) -> None:
    """Show a declaration with its mixins, controls and overlays applied, and where it is used.

    NAME is a type, message, union, enum, alias, control, tool, tree or table.
    """
    from polywire.reading import show as shows

    model = checked_model(spec, dialect, releases_of(at, span))
    try:
        shown = shows.show(model, name)
    except shows.NoSuchName as error:
        raise click.BadParameter(
            f"the spec has no {name!r}{suggestion(name, error.near or model.declarations)}"
        ) from error
    click.echo(shows.to_json(shown) if form == "json" else shows.render(shown), nl=False)


def _complete_declared(ctx: click.Context, incomplete: str) -> list[str | CompletionItem]:
    from polywire.model.build import build
    from polywire.source import load

    model = build(load(Path(ctx.params.get("spec") or default_spec()))).model
    if model is None:
        return []
    names = [*model.declarations, *(tree.name for tree in model.trees), *(table.name for table in model.tables)]
    return [name for name in names if name.startswith(incomplete)]
