"""A folder → the git repository that contains it, and its contents. Git only reads: it runs and writes nothing.

The repository may come from a stranger: a branch of a pull request, an unpacked archive. Git itself reads it. A library
would lack some of git's formats (reftable, SHA-256, worktrees, multi-pack indexes), and everything in the configuration
of a repository that the commands below would run can be turned off, in all versions of git:

* The repository is the nearest `.git` at or above a folder. No tree in git can contain that name. Git is not started in
  another folder, where it would take files of the tree, such as `spec/HEAD`, `spec/config`, `spec/objects/` and
  `spec/refs/`, for a bare repository and follow its configuration.
* Git resolves `.git` once, and checks that its owner is trusted, which it does not if the repository is given to it.
  All other commands get the repository and its working tree explicitly.
* `_CLOSED` and `_SET` override the repository's own configuration, because an archive may contain a `.git`.
* `cat-file` without `--filters` and `--textconv` returns objects as they are stored. Missing ones are not fetched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_CLOSED: Mapping[str, str] = {
    "safe.bareRepository": "explicit",  # a repository is a `.git`
    "core.fsmonitor": "false",  # a command that lists changed files
    "core.hooksPath": os.devnull,
}
"""Settings that override those of the repository."""

_KEPT = ("GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_CONFIG_")
"""Variables that git may inherit: where a caller searches for repositories, and the caller's own configuration.

All others are removed: git sets some for its hooks, and they would redirect it to another repository.
"""

_SET: Mapping[str, str] = {
    # Every transport runs a command that the repository names. This overrides `protocol.*.allow`. Only versions from
    # 2.45 know that nothing is to be fetched; the others find that no transport is allowed.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",  # a revision is what was committed
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}


class GitError(ValueError):
    """Git cannot answer the query; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Object:
    """A git object, perhaps cut off."""

    name: str
    """Its hash, in hexadecimal."""
    kind: str
    size: int
    data: bytes
    """The first bytes, as many as were asked for."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository with a working tree."""

    top: Path
    """The folder that contains `.git`, resolved."""
    folder: Path
    """What `.git` is or refers to."""

    @staticmethod
    def of(folder: Path) -> Repository:
        """Return the repository that contains a folder. Raises `GitError`."""
        here = Path(os.path.realpath(folder))
        top = next((each for each in (here, *here.parents) if os.path.lexists(each / ".git")), None)
        if top is None:
            raise GitError(_unreadable(folder, "not a git repository, and neither is a folder above it"))
        done = _run(top, _environment(), "rev-parse", "--absolute-git-dir")
        if done.returncode:
            raise GitError(_unreadable(folder, _reason(done)))
        found = Path(os.path.realpath(_text(done.stdout).removesuffix("\n")))
        if found != _referred(top / ".git"):
            # Git found a repository above, or, before version 2.38, that `top` is a bare one.
            raise GitError(_unreadable(folder, f"not a git repository: {top / '.git'}"))
        return Repository(top, found)

    def path(self, folder: Path) -> str:
        """Return the path of a folder below the top, with `/`; empty for the top itself."""
        relative = Path(os.path.realpath(folder)).relative_to(self.top).as_posix()
        return "" if relative == "." else relative

    def output(self, *words: str) -> str:
        """Return the output of git. Raises `GitError`."""
        done = self.run(*words)
        if done.returncode:
            raise GitError(_unreadable(self.top, _reason(done)))
        return _text(done.stdout)

    def run(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        """Run git, whatever its exit status. Users' arguments come after --end-of-options, or after --."""
        return _run(self.top, self._environment(), *words)

    @contextmanager
    def objects(self) -> Iterator[Objects]:
        """A reader of objects."""
        words = _words("cat-file", "--batch")
        with subprocess.Popen(  # noqa: S603 (git, and fixed words)
            words,
            cwd=self.top,
            env=self._environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                yield Objects(process)
            finally:
                process.kill()

    def _environment(self) -> dict[str, str]:
        return {**_environment(), "GIT_DIR": str(self.folder), "GIT_WORK_TREE": str(self.top)}


class Objects:
    """Reads objects of a repository, one after another, in one process of git."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def read(self, name: str, limit: int) -> Object:
        """Return an object with at most `limit` of its bytes. Raises `GitError`."""
        into, out = self._process.stdin, self._process.stdout
        if into is None or out is None:
            raise RuntimeError("git was started without pipes")
        try:
            os.write(into.fileno(), f"{name}\n".encode())
        except OSError as error:
            raise _missing(name) from error
        words = out.readline().decode("ascii", "replace").split()
        if len(words) != 3:
            raise _missing(name)
        full, kind, size = words
        data = out.read(min(int(size), limit))
        left = int(size) + 1 - len(data)  # a line break ends it
        while left:
            passed = len(out.read(min(left, 1 << 16)))
            if not passed:
                raise _missing(name)
            left -= passed
        return Object(full, kind, int(size), data)


def _referred(path: Path) -> Path | None:
    """Return the folder that a `.git` is, or, as that of a submodule or a worktree does, refers to."""
    if path.is_dir():
        return path.resolve()
    try:
        link = path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    return Path(path.parent, link.removeprefix("gitdir:").strip()).resolve()


def _missing(name: str) -> GitError:
    return GitError(
        f"git cannot read object {name}: it is missing or damaged; if the clone is partial, fetch the rest, because"
        " polywire does not let git fetch"
    )


def _run(folder: Path, environment: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 (see `Repository.run`)
        _words(*words), cwd=folder, env=environment, capture_output=True, check=False, stdin=subprocess.DEVNULL
    )


def _words(*words: str) -> list[str]:
    settings = (word for key, value in _CLOSED.items() for word in ("-c", f"{key}={value}"))
    return [_program(), "--no-pager", *settings, *words]


def _program() -> str:
    """Return the path of git. Entries of PATH that depend on the working folder could lead into a stranger's tree."""
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if Path(folder).is_absolute() and (found := shutil.which(str(Path(folder, name)))):
            return found
    raise GitError("there is no git on PATH; install git to read a repository")


def _environment() -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_") or _is_kept(name)}
    return {**own, **_SET}


def _is_kept(name: str) -> bool:
    return name.upper().startswith(_KEPT)


def _unreadable(folder: Path, reason: str) -> str:
    return f"{folder} is in no git repository that can be read ({reason})"


def _reason(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ").partition("\n")[0]


def _text(output: bytes) -> str:
    return output.decode("utf-8", "surrogateescape")
