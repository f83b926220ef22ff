"""A folder and arguments → the output of git for the repository that contains the folder."""

from __future__ import annotations

import subprocess
from pathlib import Path


class GitError(ValueError):
    """Git cannot answer the query; the message says why and what to do."""


def told(folder: Path, *words: str) -> str:
    """Return the output of git in a folder that must be in a repository. Raises `GitError`."""
    done = run(folder, *words)
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ").partition("\n")[0]
        raise GitError(f"{folder} is in no git repository that can be read ({reason})")
    return done.stdout.decode("utf-8", "surrogateescape")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run git, whatever its exit status. Raises `GitError` if git is not installed."""
    try:
        return subprocess.run(  # noqa: S603 (users' arguments come after --end-of-options, or after --)
            ["git", "-C", str(folder), *words],  # noqa: S607 (git from PATH, as users run it)
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise GitError("there is no git on PATH; install git to read a repository") from error
