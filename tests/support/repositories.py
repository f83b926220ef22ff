"""Git repositories for tests, hostile ones included: objects and configurations that git itself would not write."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

_ALONE = {
    **{f"GIT_{role}_{what}": "nobody" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


def git(folder: Path, *words: str, given: bytes | None = None, **variables: str) -> str:
    """Run git without anybody's settings and return its output."""
    words = ("-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *words)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        input=given,
        check=True,
        capture_output=True,
        env={**environment, **_ALONE, **variables},
    )
    return done.stdout.decode().strip()


def commit_all(folder: Path) -> None:
    """Commit everything in a repository, as it is."""
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message", "All")


def commit_tree(folder: Path, tree: str) -> None:
    """Make a commit of a tree the newest."""
    git(folder, "reset", "--quiet", "--soft", git(folder, "commit-tree", tree, "-m", "Tree"))


def blob(folder: Path, data: bytes) -> str:
    """Write a file into the objects of a repository; return its hash."""
    return git(folder, "hash-object", "-w", "--stdin", given=data)


def tree(folder: Path, entries: Iterable[tuple[str, str, str]]) -> str:
    """Write a tree of modes, names and hashes in that order, whatever they are; return its hash."""
    data = b"".join(
        f"{mode} {name}\0".encode("utf-8", "surrogateescape") + bytes.fromhex(thing) for mode, name, thing in entries
    )
    return git(folder, "hash-object", "-t", "tree", "-w", "--stdin", "--literally", given=data)


def files_of(folder: Path, top: Path) -> list[tuple[str, str, str]]:
    """Write the files of a folder into the objects of a repository; return the entries of their tree."""
    entries = []
    for path in sorted(top.iterdir(), key=lambda path: f"{path.name}/" if path.is_dir() else path.name):
        if path.is_dir():
            entries.append(("40000", path.name, tree(folder, files_of(folder, path))))
        else:
            entries.append(("100644", path.name, blob(folder, path.read_bytes())))
    return entries


def bare(folder: Path, settings: Mapping[str, str]) -> None:
    """Turn a folder into a repository in which git would run commands, if it were started there.

    Its HEAD is a commit that it lacks. Every file can be part of a tree in git.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("objects", "refs"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "keep").touch()
    (folder / "HEAD").write_text(f"{'1' * 40}\n", encoding="utf-8")
    (folder / "config").touch()
    for key, value in settings.items():
        git(folder, "config", "--file", "config", key, value)


def fetching(command: str) -> dict[str, str]:
    """Settings by which git runs a command when an object is missing."""
    return {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": "ssh://nowhere.invalid/repository",
        "core.sshCommand": command,
    }
