"""The command `polywire watch`: a change of the spec, `polywire.toml` or templates → a run of `polywire generate`.

Each run is a separate process: an error ends the run but not the watch, and the files written before are kept. One save
causes many events, which watchfiles (an optional dependency) combines.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
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
_BEAT = 50
"""Milliseconds after which the watch reports that it is running, before each run."""


@dataclass(frozen=True, slots=True)
class Watched:
    """Where changes matter: in some files, and in any file of some folders. They need not exist."""

    files: frozenset[Path]
    folders: frozenset[Path]

    @property
    def all(self) -> frozenset[Path]:
        """The folders to watch. A file or folder may be replaced by a new one, which only its folder shows."""
        wanted = self.folders.union(path.parent for path in self.files | self.folders)
        return frozenset(next(each for each in (path, *path.parents) if each.is_dir()) for path in wanted)

    def matters(self, path: Path) -> bool:
        """Return whether a change of the file can affect the output; editors' own files cannot."""
        if path in self.files or any(path in (folder, *folder.parents) for folder in self.folders):
            return True
        left_over = path.name.startswith(".") or path.name.endswith(("~", ".swp", ".tmp"))
        return path.parent in self.folders and not left_over


def watched(asked: dict[str, Any], before: Watched | None = None) -> Watched:
    """Return what determines the requested output; for a config with errors, that file and what it was `before`.

    Raises `UsageError` if there was nothing before, and no config.
    """
    from polywire.ground.errors import WrongUseError
    from polywire.vendor import run
    from polywire.vendor.config import ConfigError

    file = asked["config"] or find()
    files = frozenset() if file is None else _names(Path(file))
    try:
        wanted = run.asked(**asked)
    except (ConfigError, WrongUseError, OSError) as error:
        if before is not None:
            return Watched(files | before.files, before.folders)
        if not files:
            raise click.UsageError(str(error)) from error
        return Watched(files, frozenset())
    tops = _names(wanted.spec) | (_names(wanted.custom.templates) if wanted.custom.templates else frozenset())
    return Watched(files, tops.union(*map(_below, tops)))


def _names(path: Path) -> frozenset[Path]:
    """A path, and where it leads if it is a link."""
    return frozenset(map(Path, (os.path.abspath(path), os.path.realpath(path))))  # noqa: PTH100 (the first is the link)


def _below(top: Path) -> Iterator[Path]:
    """Yield the folders in a folder. Those that vanish meanwhile are left out."""
    for folder, names, _ in os.walk(top):
        names[:] = [name for name in names if not name.startswith(".")]
        yield from (Path(folder, name) for name in names)


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
    where = watched(asked)
    while True:
        # What is watched can be replaced by something new of the same name, so that each change needs a new watch.
        with suppress(FileNotFoundError), closing(_changes(where)) as changes:
            next(changes)  # from here on no change is missed
            yield
            next(filter(None, changes))
        where = watched(asked, where)


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
    with suppress(KeyboardInterrupt):
        for _ in rounds(asked):
            click.clear()  # only on a terminal
            _generate(words)
            click.echo("waiting for changes; press Ctrl-C to stop")
    click.echo()
