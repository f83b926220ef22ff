"""What `polywire breaking` and `polywire changelog` share: how two specs are named, and the changes between them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from polywire.commands.options import WRONG_USE, complete_target, configured, known_targets
from polywire.evolve.diff.sides import FaultySpecError, Named, known, read, releases, spec_folder
from polywire.ground.errors import WrongUseError
from polywire.ground.find import is_installed
from polywire.ground.git import GitError
from polywire.ground.words import suggestion
from polywire.source.revision import revision

if TYPE_CHECKING:
    from polywire.evolve.breaking.report import Outcome

AGAINST = click.option(
    "--against",
    metavar="DIR|git:REVISION",
    help="The old spec: a folder, or the folder of the spec at a git revision (git:v1.2.0).",
)
AT = click.option(
    "--at", nargs=2, metavar="V W", help="Two releases of the spec, the older first, instead of --against."
)


def _targets_or_configured(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Default to the targets of `polywire.toml`, if the spec is that file's."""
    if not value and ctx.get_parameter_source("spec") is ParameterSource.DEFAULT:
        config = configured()
        return () if config is None else tuple(output.target for output in config.outputs)
    return known_targets(ctx, parameter, value)


TARGETS = click.option(
    "--target",
    "targets",
    metavar="NAME",
    multiple=True,
    callback=_targets_or_configured,
    shell_complete=complete_target,
    help="Only look for code breaks in this target; can be repeated.  [default: those of polywire.toml, or all]",
)


def outcome_of(
    against: str | None,
    at: tuple[str, str] | None,
    spec: Path,
    dialect: str | None,
    sides: tuple[str, ...],
    targets: tuple[str, ...],
    categories: tuple[str, ...],
    *,
    allowed: bool = False,
) -> Outcome:
    """Return the changes between two specs that break something; exit if a spec has errors.

    `sides` are the peers that use the new spec, each in turn if there are none; no `targets` or `categories` are all.
    """
    from polywire.evolve.breaking import CATEGORIES, find
    from polywire.evolve.breaking.report import Outcome

    try:
        old, new = map(read, _sides(against, at, spec, dialect))
    except (WrongUseError, GitError) as error:
        raise click.BadParameter(str(error), param_hint="--against" if at is None else "--at") from error
    except FaultySpecError as error:
        click.echo(error.report.render(colour=True), nl=False, err=True)
        sys.exit(WRONG_USE)
    peers = new.model.protocol.peers
    for side in sides:
        if side not in peers:
            raise click.BadParameter(f"no peer {side!r}{suggestion(side, peers)}", param_hint="--side")
    found = find(old.model, new.model, sides, [*new.texts], targets)
    wanted = {category.upper() for category in categories} or {*CATEGORIES}
    return Outcome(old, new, tuple(part for finding in found for part in finding.only(wanted)), allowed)


def _sides(against: str | None, at: tuple[str, str] | None, spec: Path, dialect: str | None) -> tuple[Named, Named]:
    """Return the old and the new spec."""
    if (against is None) == (at is None):
        raise click.UsageError("name the old spec with --against DIR|git:REVISION, or two releases with --at V W")
    if at is not None and dialect is not None:
        raise click.UsageError("--at compares releases of the spec itself; remove --dialect")
    if at is not None:
        return releases(spec, at)
    return _was(against or "", spec, dialect), Named(spec, dialect, dialect or spec.as_posix())


def _was(against: str, spec: Path, dialect: str | None) -> Named:
    """Return the old spec."""
    at = revision(against)
    label = f"{against} in {dialect}" if dialect else against
    if at is not None:
        if is_installed(spec):
            raise WrongUseError(f"{against}: the spec that comes with polywire is in no git repository; use --at V W")
        return Named(spec, dialect, label, at)
    folder = spec_folder(Path(against))
    return Named(folder, known(folder, dialect), label)
