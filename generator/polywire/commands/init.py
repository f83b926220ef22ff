"""The command `polywire init`: flags → an equivalent `polywire.toml`, with a comment about each key."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polywire.commands.begin import FOLDER as NEW
from polywire.commands.begin import STARTERS, Beginning, begin
from polywire.commands.options import WRONG_USE, complete_target
from polywire.ground.find import BUNDLED, NAME
from polywire.ground.words import suggestion

if TYPE_CHECKING:
    from polywire.vendor.config import Key

FOLDER = "generated"
"""The default parent folder of the targets' folders."""

_HEAD = """\
# What polywire generates into this repository. `polywire generate` writes the files, `polywire check` fails if they
# differ. Both work in this folder and in every folder below it. Paths are relative to this file.
"""

_PACKAGE = re.compile(r"([a-z]\w*)\.([a-z]\w*)=(.+)")


def text_of(
    spec: str,
    targets: Mapping[str, str],
    packages: Mapping[str, Mapping[str, str]],
    dialect: str | None = None,
    roots: Iterable[str] = (),
    header: Iterable[str] = (),
    templates: str | None = None,
) -> str:
    """Return the contents of a `polywire.toml`; keys that are not set are included as comments."""
    from polywire.vendor.config import KEYS

    settings: dict[str, object] = {
        "spec": spec,
        "dialect": dialect,
        "at": None,
        "span": None,
        "roots": [*roots],
        "header": [*header],
        "templates": templates,
    }
    parts = [
        _HEAD,
        *(_entry(name, KEYS[name], value) for name, value in settings.items()),
        *("\n".join(_table(name, folder, packages.get(name, {}))) + "\n" for name, folder in targets.items()),
        _entry("lint", KEYS["lint"], None),
        f"{_comment(KEYS['breaking'].doc)}\n{KEYS['breaking'].example}\n",
    ]
    return "\n".join(parts)


def _entry(name: str, key: Key, value: object) -> str:
    words = _comment(key.doc)
    return f"{words}\n{name} = {_toml(value)}\n" if value else f"{words}\n{_comment(key.example)}\n"


def _comment(text: str) -> str:
    return "\n".join(f"# {line}" for part in text.split("\n") for line in _filled(part))


def _filled(doc: str) -> list[str]:
    import textwrap

    return textwrap.wrap(doc, 116, break_long_words=False, break_on_hyphens=False)


def _table(name: str, folder: str, packages: Mapping[str, str]) -> Iterator[str]:
    from polywire.targets import registry
    from polywire.vendor.config import target_keys

    yield f"[targets.{name}]"
    for key, about in target_keys(registry()[name]).items():
        value = folder if key == "out" else packages.get(key)
        yield f"{f'{key} = {_toml(value)}' if value else f'# {about.example}'}  # {about.doc}"


def _toml(value: object) -> str:
    """Write a text or a list of strings. JSON's escapes are TOML's, except for one character that TOML also escapes."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# --- the command -----------------------------------------------------------------------------------------------


def _targets(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Parse `NAME` or `NAME=FOLDER`; without any, return all targets."""
    from polywire.targets import registry

    folders: dict[str, str] = {}
    for word in given or registry():
        name, *folder = word.split("=", 1)
        if name not in registry():
            raise click.BadParameter(f"no target {name!r}{suggestion(name, registry())}")
        if name in folders:
            raise click.BadParameter(f"{name} is named twice")
        folders[name] = folder[0] if folder else f"{FOLDER}/{name}"
    return folders


def _packages(ctx: click.Context, _: click.Parameter, given: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Parse `TARGET.KEY=NAME`, for targets that are generated."""
    from polywire.targets import registry

    packages: dict[str, dict[str, str]] = {}
    for word in given:
        match = _PACKAGE.fullmatch(word)
        if match is None:
            raise click.BadParameter(f"expected TARGET.KEY=NAME, such as python.module=wire, got {word!r}")
        target, key, name = match.groups()
        if target not in ctx.params["targets"]:
            raise click.BadParameter(f"target {target!r} is not generated{suggestion(target, ctx.params['targets'])}")
        keys = registry()[target].package_keys - registry()[target].package_flags
        if key not in keys:
            raise click.BadParameter(f"the packages of {target} have no key {key!r}{suggestion(key, keys)}")
        packages.setdefault(target, {})[key] = name
    return packages


@click.command(
    epilog="\b\nExamples:\n  polywire init --starter tagged --target python\n"
    "  polywire init --target python=src/_wire --package python.module=wire --root SomeMessage\n"
    "  polywire init --spec ../protocol/spec --target go --target typescript=web/wire\n"
    '  polywire init --target go --header "SPDX-License-Identifier: MIT"\n'
    "  polywire init --from protocol.schema.json --root Message --target python\n",
)
@click.option(
    "--spec",
    metavar="FOLDER",
    help=f"The folder of the spec, or `{BUNDLED}` for the spec that comes with polywire.  [default: {NEW}]",
)
@click.option(
    "--starter",
    type=click.Choice([*STARTERS]),
    help="Start with a small commented spec in the folder of --spec: for tagged messages, or for JSON-RPC.",
)
@click.option(
    "--from",
    "source",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Start by importing a JSON Schema, TypeScript declarations (with --root) or captured lines, depending on"
    " the file name, into the folder of --spec. See `polywire import`.",
)
@click.option("--protocol", metavar="NAME", help="Start with a protocol whose spec comes with polywire.")
@click.option("--dialect", metavar="NAME", help="The dialect of the spec.")
@click.option(
    "--target",
    "targets",
    metavar="NAME[=FOLDER]",
    multiple=True,
    is_eager=True,
    callback=_targets,
    shell_complete=complete_target,
    help=f"A target and its output folder.  [default: all targets, in {FOLDER}/NAME]",
)
@click.option(
    "--package",
    "packages",
    metavar="TARGET.KEY=NAME",
    multiple=True,
    callback=_packages,
    help="The name of a target's package, if it differs from the spec.",
)
@click.option("--root", "roots", metavar="NAME", multiple=True, help="A type to keep; can be repeated.  [default: all]")
@click.option(
    "--header",
    metavar="LINE",
    multiple=True,
    help="A comment line for the top of every generated file; can be repeated.",
)
@click.option("--templates", metavar="FOLDER", help="A folder of templates that replace polywire's.")
@click.option("--force", is_flag=True, help="Overwrite an existing polywire.toml.")
def init(  # the command's options, by name
    *,
    spec: str | None,
    starter: str | None,
    source: Path | None,
    protocol: str | None,
    dialect: str | None,
    targets: dict[str, str],
    packages: dict[str, dict[str, str]],
    roots: tuple[str, ...],
    header: tuple[str, ...],
    templates: str | None,
    force: bool,
) -> None:
    """Write a polywire.toml into this folder, the settings of `polywire generate` and `polywire check`.

    If there is no spec yet, use --starter, --from or --protocol to start one.

    The file is only written if it is valid: names are looked up in the spec first.
    """
    place = Path(NAME)
    if place.is_symlink():
        raise click.UsageError(f"{NAME} is a link, and is not written through it; remove it")
    if place.exists() and not force:
        raise click.UsageError(f"{NAME} already exists; edit it, or overwrite it with --force")
    begun = begin(Beginning(starter, source, protocol), spec, roots)
    text = text_of(begun, targets, packages, dialect, () if source else roots, header, templates)
    _refuse_faults(place, text)
    place.write_text(text, encoding="utf-8", newline="\n")
    click.echo(f"created {NAME}")
    click.echo("next: polywire generate, and commit what it writes with polywire.toml")


def _refuse_faults(place: Path, text: str) -> None:
    """Exit if the settings in the text are invalid."""
    from polywire.ground.errors import RenderError
    from polywire.vendor import config, run

    try:
        run.make(run.by_config(config.parse(place, text.encode())))
    except (config.ConfigError, run.SpecError) as error:
        click.echo(error.report.render(colour=True), nl=False, err=True)
    except RenderError as error:
        click.echo(f"Error: {error}", err=True)
    else:
        return
    click.echo(f"{place} was not written; the errors above refer to its intended contents", err=True)
    sys.exit(WRONG_USE)
