"""A folder and words → what git says of the repository that the folder is in."""

from __future__ import annotations

import subprocess
from pathlib import Path


class GitError(ValueError):
    """Git cannot say what was asked; the message says why, and what to do."""


def told(folder: Path, *words: str) -> str:
    """What git answers about a repository that the folder has to be in. Raises `GitError`."""
    done = run(folder, *words)
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ").partition("\n")[0]
        raise GitError(f"{folder} is in no git repository that can be read ({reason})")
    return done.stdout.decode("utf-8", "surrogateescape")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Whatever git makes of it. Raises `GitError` where there is no git."""
    try:
        return subprocess.run(  # noqa: S603 (what users name comes after --end-of-options, or after --)
            ["git", "-C", str(folder), *words],  # noqa: S607 (git of PATH, as people run it)
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise GitError("there is no git on PATH, and nothing else can say what a repository has") from error
