"""The command `polywire watch`: a change of the spec, `polywire.toml` or templates → a run of `polywire generate`.

Each run is a process of its own: what it finds wrong ends the run, not the watch, and what was written before stays. A
save is many events, which watchfiles (an extra of the package) puts together.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from polywire.options import output_options
from polywire.vendor.find import find

_QUIET = 50
"""Milliseconds without an event after which a save is over."""
_LONGEST = 1000
"""Milliseconds after which a run begins, though events go on."""
_BEAT = 200
"""Milliseconds after which it is known that the watch is on."""


@dataclass(frozen=True, slots=True)
class Watched:
    """Where a change matters: in one file, and in any file of some folders."""

    config: Path | None
    folders: frozenset[Path]

    @property
    def all(self) -> frozenset[Path]:
        """The folders to look at. An editor may put a new file in the place of the old, so a folder, not a file."""
        return self.folders | ({self.config.parent} if self.config else frozenset())

    def matters(self, path: Path) -> bool:
        """Whether a change of the file may change what is generated; one that an editor made for itself cannot."""
        left_over = path.name.startswith(".") or path.name.endswith(("~", ".swp", ".tmp"))
        return path == self.config or (path.parent in self.folders and not left_over)


def watched(asked: dict[str, Any]) -> Watched:
    """What decides about the output that is asked for; of a config at fault that is the config."""
    from polywire import run
    from polywire.errors import WrongUseError
    from polywire.vendor.config import ConfigError

    file = asked["config"] or find()
    config = None if file is None else Path(file).absolute().resolve()
    try:
        wanted = run.asked(**asked)
    except (ConfigError, WrongUseError) as error:
        if config is None:
            raise click.UsageError(str(error)) from error
        return Watched(config, frozenset())
    tops = [wanted.spec.resolve(), *([wanted.custom.templates.resolve()] if wanted.custom.templates else [])]
    below = (path for top in tops for path in top.rglob("*") if path.is_dir() and not path.name.startswith("."))
    return Watched(config, frozenset((*tops, *below)))


def _changes(where: Watched) -> Generator[bool, None, None]:
    """Whether something changed, after every save and at every beat."""
    from watchfiles import watch as events

    for changes in events(
        *where.all,
        watch_filter=lambda _, path: where.matters(Path(path)),
        debounce=_LONGEST,
        step=_QUIET,
        rust_timeout=_BEAT,
        yield_on_timeout=True,
        recursive=False,  # folders that are made later are found then
    ):
        yield bool(changes)


def rounds(asked: dict[str, Any]) -> Iterator[None]:
    """When to generate: at once, and after every change. What changes while a run is under way is seen after it."""
    while True:
        where = watched(asked)
        with closing(_changes(where)) as changes:
            next(changes)  # from here on nothing is missed
            yield
            for _ in filter(None, changes):
                if watched(asked) != where:
                    break
                yield


def _words(asked: dict[str, Any]) -> list[str]:
    """The command line of `polywire generate` that says the same."""
    single = [(f"--{name}", asked[name]) for name in ("spec", "dialect", "at", "span", "out", "config")]
    given = [*single, *(("--target", name) for name in asked["targets"])]
    flags = {None: [], True: ["--add-ons"], False: ["--no-add-ons"]}[asked["add_ons"]]
    return [str(word) for pair in given if pair[1] is not None for word in pair] + flags


def _generate(words: list[str]) -> None:
    with subprocess.Popen([sys.executable, "-m", "polywire", "generate", *words]) as process:  # noqa: S603 (ourselves)
        try:
            process.wait()
        except KeyboardInterrupt:
            process.wait()  # it ends what it has begun to write
            raise


@click.command(
    epilog="\b\nExamples:\n  polywire watch\n  polywire watch --target python\n"
    "  polywire watch --spec ../protocol/spec --out trial\n",
)
@output_options
def watch(**asked: Any) -> None:
    """Generate now, and again after every change of the spec, polywire.toml or its templates. Ctrl-C stops it.

    Takes the options of `polywire generate`. If the spec has errors, they are shown, and the files generated last
    are kept. Needs watchfiles: pip install "polywire[watch]"
    """
    try:
        import watchfiles  # noqa: F401 - whether it is there
    except ModuleNotFoundError as error:
        raise click.UsageError('polywire watch needs watchfiles: pip install "polywire[watch]"') from error
    words = _words(asked)
    with contextlib.suppress(KeyboardInterrupt):
        for _ in rounds(asked):
            click.clear()  # only on a terminal
            _generate(words)
            click.echo("waiting for changes; press Ctrl-C to stop")
    click.echo()
