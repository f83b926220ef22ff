"""A spec folder and a git revision → the files of the folder at that revision, read from git into memory.

Nothing is checked out or written: a tree in git may contain any names, also those of folders above it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from polywire.ground.git import GitError, Object, Objects, Repository
from polywire.ground.paths import entry_fault
from polywire.source.files import UnsafeFileError

PREFIX = "git:"
"""The prefix of a revision where a folder could be given as well."""

_SUBMODULE = 0o160000
_MAX_TREE = 1 << 24
_MAX_LINK = 1 << 12
_MAX_LINKS = 40
"""As on Linux: a path through more links is taken for one that never ends."""


def revision(text: str) -> str | None:
    """The revision that a text names, or None if it has no such prefix."""
    return text.removeprefix(PREFIX) if text.startswith(PREFIX) else None


@contextmanager
def files_at(folder: Path, named: str, shown: Path) -> Iterator[RevisionFiles]:
    """The files of `folder` at the revision. The folder itself need not exist any more. Raises `GitError`."""
    repository = Repository.of(folder)
    commit = _commit(repository, named)
    prefix = repository.path(folder)
    with repository.objects() as objects:
        top = _tree(objects, f"{commit}^{{tree}}")
        for name in filter(None, prefix.split("/")):
            entry = top.entries.get(name)
            if top.fault is not None:
                raise GitError(f"{PREFIX}{named} has a folder above {prefix} that {top.fault}")
            if entry is None or not stat.S_ISDIR(entry.mode):
                raise GitError(f"{PREFIX}{named} has no folder {prefix}: choose a revision that contains the spec")
            top = _tree(objects, entry.object)
        yield RevisionFiles(shown, objects, top)


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of a tree: a file, a link, a folder or a submodule."""

    mode: int
    object: str


@dataclass(frozen=True, slots=True)
class _Tree:
    """A folder in git."""

    entries: dict[str, _Entry]
    fault: str | None
    """Why git would refuse to check it out."""


@dataclass(frozen=True, slots=True)
class RevisionFiles:
    """The files of a folder in git. See `polywire.source.files.Files`."""

    folder: Path
    _objects: Objects
    _top: _Tree
    _trees: dict[str, _Tree] = field(default_factory=dict)
    """The trees that were read, by object."""

    def read(self, path: str, limit: int) -> bytes:
        found = self._find(path)
        if not isinstance(found, _Entry):
            raise OSError(0, "not a regular file")
        return _blob(self._objects, found.object, limit)

    def names(self, path: str) -> list[str]:
        try:
            found = self._find(path)
        except OSError:
            return []
        return list(found.entries) if isinstance(found, _Tree) else []

    def _find(self, path: str) -> _Entry | _Tree:
        """Return the file or folder at a path. Links are resolved as a file system does, but only within the folder."""
        above: list[_Tree] = []
        here: _Entry | _Tree = self._top
        left = deque(path.split("/"))
        links = 0
        while left:
            name = left.popleft()
            if name in ("", "."):
                continue
            if not isinstance(here, _Tree):
                raise _error(errno.ENOTDIR)
            if name == "..":
                if not above:
                    raise UnsafeFileError(f"{path} is a link that leaves the spec's folder")
                here = above.pop()
                continue
            if here.fault is not None:
                raise UnsafeFileError(f"{path} is in a folder in git that {here.fault}; git would not check it out")
            entry = here.entries.get(name)
            if entry is None or stat.S_IFMT(entry.mode) == _SUBMODULE:
                raise _error(errno.ENOENT)
            if stat.S_ISLNK(entry.mode):
                links += 1
                target = _blob(self._objects, entry.object, _MAX_LINK).decode("utf-8", "surrogateescape")
                if links > _MAX_LINKS:
                    raise _error(errno.ELOOP)
                if target.startswith("/"):
                    raise UnsafeFileError(f"{path} is a link that leaves the spec's folder")
                left.extendleft(reversed(target.split("/")))
                continue
            above.append(here)
            here = self._tree(entry.object) if stat.S_ISDIR(entry.mode) else entry
        return here

    def _tree(self, name: str) -> _Tree:
        if name not in self._trees:
            self._trees[name] = _tree(self._objects, name)
        return self._trees[name]


def _blob(objects: Objects, name: str, limit: int) -> bytes:
    found = objects.read(name, limit)
    if found.kind != "blob":
        raise GitError(f"git object {name} is a {found.kind}, expected a file: the repository is damaged")
    return found.data


def _tree(objects: Objects, name: str) -> _Tree:
    found = objects.read(name, _MAX_TREE)
    if found.kind != "tree":
        raise GitError(f"git object {name} is a {found.kind}, expected a folder: the repository is damaged")
    if found.size > _MAX_TREE:
        raise GitError(f"git object {name} is a folder of more than {_MAX_TREE} bytes")
    entries: dict[str, _Entry] = {}
    fault = None
    try:
        for text, entry in _entries(found):
            wrong = entry_fault(text)
            if wrong is not None:
                fault = f"has an entry {text!r}, which {wrong}"
            elif entries.setdefault(text, entry) is not entry:
                fault = f"has two entries {text!r}"
    except ValueError as error:
        raise GitError(f"git object {name} is not a well-formed folder: the repository is damaged") from error
    return _Tree(entries, fault)


def _entries(tree: Object) -> Iterator[tuple[str, _Entry]]:
    """Yield the entries of a tree: the mode in octal, a space, the name, a zero byte, and the hash of the object.

    Raises `ValueError` if the tree is malformed.
    """
    data, at = tree.data, 0
    while at < len(data):
        end = data.index(b"\0", at)
        mode, _, name = data[at:end].partition(b" ")
        at = end + 1 + len(tree.name) // 2
        yield name.decode("utf-8", "surrogateescape"), _Entry(int(mode, 8), data[end + 1 : at].hex())


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _commit(repository: Repository, named: str) -> str:
    if not named:
        raise GitError(f"{PREFIX} is not a revision: write {PREFIX}HEAD, {PREFIX}main, {PREFIX}v1.2.0")
    found = repository.run("rev-parse", "--quiet", "--verify", "--end-of-options", f"{named}^{{commit}}")
    if found.returncode:
        raise GitError(
            f"unknown git revision {named!r}: fetch it first (a shallow clone has only the newest), or use another"
        )
    return found.stdout.decode().strip()
