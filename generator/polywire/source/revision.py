"""A spec folder and a git revision → a temporary copy of the folder at that revision.

Nothing is checked out: the files are read from git's object store into a temporary folder, which is deleted afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from polywire import git
from polywire.git import GitError

PREFIX = "git:"
"""The prefix of a revision where a folder could be given as well."""

_LINK = "120000"
_SUBMODULE = "160000"


def revision(text: str) -> str | None:
    """The revision that a text names, or None if it has no such prefix."""
    return text.removeprefix(PREFIX) if text.startswith(PREFIX) else None


@contextmanager
def folder_at(folder: Path, named: str) -> Iterator[Path]:
    """A copy of `folder` at the revision. The folder itself must still exist. Raises `GitError`."""
    commit = _commit(folder, named)
    prefix = git.told(folder, "rev-parse", "--show-prefix").rstrip("\n").rstrip("/")
    listed = git.run(folder, "ls-tree", "-r", "-z", "--full-tree", f"{commit}:{prefix}")
    if listed.returncode or not listed.stdout:
        raise GitError(f"{PREFIX}{named} has no folder {prefix or '.'}: choose a revision that contains the spec")
    entries = [_Entry.read(entry) for entry in listed.stdout.split(b"\0") if entry]
    with TemporaryDirectory(prefix="polywire-") as name:
        for entry in sorted(entries, key=lambda entry: entry.mode == _LINK):  # links last: write through none
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
    """Write one entry of the tree; submodules are left out."""
    if entry.mode == _SUBMODULE:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    data = git.run(folder, "cat-file", "blob", entry.thing).stdout
    if entry.mode == _LINK:
        path.symlink_to(data.decode("utf-8", "surrogateescape"))
    else:
        path.write_bytes(data)


def _commit(folder: Path, named: str) -> str:
    if not named:
        raise GitError(f"{PREFIX} is not a revision: write {PREFIX}HEAD, {PREFIX}main, {PREFIX}v1.2.0")
    git.told(folder, "rev-parse", "--show-toplevel")
    found = git.run(folder, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{named}^{{commit}}")
    if found.returncode:
        raise GitError(
            f"unknown git revision {named!r}: fetch it first (a shallow clone has only the newest), or use another"
        )
    return found.stdout.decode().strip()
