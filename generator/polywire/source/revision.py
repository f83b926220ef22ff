"""A spec's folder and a revision → the folder as git had it then, for as long as it is needed.

Nothing is checked out: the files are read from git's store into a folder of their own, which is gone afterwards.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

PREFIX = "git:"
"""What a revision is written with, where a folder could stand as well."""

_LINK = "120000"
_SUBMODULE = "160000"


class RevisionError(ValueError):
    """The folder cannot be had as it was; the message says why, and what to do."""


def revision(text: str) -> str | None:
    """The revision that a text names, or None if it names something else."""
    return text.removeprefix(PREFIX) if text.startswith(PREFIX) else None


@contextmanager
def folder_at(folder: Path, named: str) -> Iterator[Path]:
    """A copy of `folder` as it was at the revision; the folder itself has to be there still. Raises `RevisionError`."""
    commit = _commit(folder, named)
    prefix = _told(folder, "rev-parse", "--show-prefix").rstrip("\n").rstrip("/")
    listed = _git(folder, "ls-tree", "-r", "-z", "--full-tree", f"{commit}:{prefix}")
    if listed.returncode or not listed.stdout:
        raise RevisionError(
            f"{PREFIX}{named} has no folder {prefix or '.'}: name a revision in which the spec was there"
        )
    entries = [_Entry.read(entry) for entry in listed.stdout.split(b"\0") if entry]
    with TemporaryDirectory(prefix="polywire-") as name:
        for entry in sorted(entries, key=lambda entry: entry.mode == _LINK):  # so that nothing is written through one
            _put(folder, Path(name, entry.path), entry)
        yield Path(name)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of `git ls-tree`."""

    mode: str
    thing: str
    path: str

    @staticmethod
    def read(line: bytes) -> _Entry:
        about, _, path = line.decode("utf-8", "surrogateescape").partition("\t")
        mode, _, thing = about.split(" ")
        return _Entry(mode, thing, path)


def _put(folder: Path, path: Path, entry: _Entry) -> None:
    """One file of the tree; what is no file and no link is left out."""
    if entry.mode == _SUBMODULE:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    data = _git(folder, "cat-file", "blob", entry.thing).stdout
    if entry.mode == _LINK:
        path.symlink_to(data.decode("utf-8", "surrogateescape"))
    else:
        path.write_bytes(data)


def _commit(folder: Path, named: str) -> str:
    if not named:
        raise RevisionError(f"{PREFIX} is no revision: write {PREFIX}HEAD, {PREFIX}main, {PREFIX}v1.2.0")
    _told(folder, "rev-parse", "--show-toplevel")
    found = _git(folder, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{named}^{{commit}}")
    if found.returncode:
        raise RevisionError(
            f"git knows no revision {named!r}: fetch it first (a shallow clone has only the newest), or name another"
        )
    return found.stdout.decode().strip()


def _told(folder: Path, *words: str) -> str:
    """What git answers about a repository that the folder has to be in."""
    done = _git(folder, *words)
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ").partition("\n")[0]
        raise RevisionError(f"{folder} is in no git repository that can be read ({reason})")
    return done.stdout.decode("utf-8", "surrogateescape")


def _git(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 (what users name comes after --end-of-options)
            ["git", "-C", str(folder), *words],  # noqa: S607 (git of PATH, as people run it)
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise RevisionError(f"there is no git on PATH, and without it no {PREFIX}REVISION") from error
