"""The command `polywire watch`: a change of the spec, `polywire.toml` or templates → a run of `polywire generate`.

Each run is a separate process: an error ends the run but not the watch, and the files written before are kept. One save
causes many events, which watchfiles (an optional dependency) combines.
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

from polywire.commands.options import output_options
from polywire.ground.find import find

_QUIET = 50
"""Milliseconds without an event after which a save is considered complete."""
_LONGEST = 1000
"""Milliseconds after which a run starts even if events continue."""
_BEAT = 200
"""Milliseconds after which the watch reports that it is running."""


@dataclass(frozen=True, slots=True)
class Watched:
    """Where changes matter: in one file, and in any file of some folders."""

    config: Path | None
    folders: frozenset[Path]

    @property
    def all(self) -> frozenset[Path]:
        """The folders to watch. An editor may replace a file by a new one, so files cannot be watched themselves."""
        return self.folders | ({self.config.parent} if self.config else frozenset())

    def matters(self, path: Path) -> bool:
        """Return whether a change of the file can affect the output; editors' own files cannot."""
        left_over = path.name.startswith(".") or path.name.endswith(("~", ".swp", ".tmp"))
        return path == self.config or (path.parent in self.folders and not left_over)


def watched(asked: dict[str, Any]) -> Watched:
    """Return what determines the requested output; for a config with errors, only that file."""
    from polywire.ground.errors import WrongUseError
    from polywire.vendor import run
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
    """Yield whether something changed, after every save and at regular intervals."""
    from watchfiles import watch as events

    for changes in events(
        *where.all,
        watch_filter=lambda _, path: where.matters(Path(path)),
        debounce=_LONGEST,
        step=_QUIET,
        rust_timeout=_BEAT,
        yield_on_timeout=True,
        recursive=False,  # folders created later are found at the next change
    ):
        yield bool(changes)


def rounds(asked: dict[str, Any]) -> Iterator[None]:
    """Yield when to generate: at once, and after every change. Changes during a run are noticed after it."""
    while True:
        where = watched(asked)
        with closing(_changes(where)) as changes:
            next(changes)  # from here on no change is missed
            yield
            for _ in filter(None, changes):
                if watched(asked) != where:
                    break
                yield


def _words(asked: dict[str, Any]) -> list[str]:
    """Return the equivalent command line of `polywire generate`."""
    single = [(f"--{name}", asked[name]) for name in ("spec", "dialect", "at", "span", "out", "config")]
    given = [*single, *(("--target", name) for name in asked["targets"])]
    flags = {None: [], True: ["--add-ons"], False: ["--no-add-ons"]}[asked["add_ons"]]
    return [str(word) for pair in given if pair[1] is not None for word in pair] + flags


_PROGRAM = "import sys; sys.path[:] = filter(None, sys.path); from polywire.commands.cli import main; main()"
"""Runs polywire. `-m polywire` would run a folder `polywire` of the working folder."""


def _generate(words: list[str]) -> None:
    with subprocess.Popen([sys.executable, "-c", _PROGRAM, "generate", *words]) as process:  # noqa: S603 (ourselves)
        try:
            process.wait()
        except KeyboardInterrupt:
            process.wait()  # let it finish what it has started to write
            raise


@click.command(
    epilog="\b\nExamples:\n  polywire watch\n  polywire watch --target python\n"
    "  polywire watch --spec ../protocol/spec --out trial\n",
)
@output_options
def watch(**asked: Any) -> None:
    """Generate now, and again after every change of the spec, polywire.toml or its templates. Ctrl-C stops it.

    Takes the options of `polywire generate`. If the spec has errors, they are shown, and the files generated last
    are kept. Needs watchfiles: pip install watchfiles
    """
    try:
        import watchfiles  # noqa: F401 - only checks that it is installed
    except ModuleNotFoundError as error:
        raise click.UsageError("polywire watch needs watchfiles: pip install watchfiles") from error
    words = _words(asked)
    with contextlib.suppress(KeyboardInterrupt):
        for _ in rounds(asked):
            click.clear()  # only on a terminal
            _generate(words)
            click.echo("waiting for changes; press Ctrl-C to stop")
    click.echo()
