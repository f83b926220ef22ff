"""Generated files on disk → those that are missing in the repository, and so never reach anybody else.

They are missing in every clone, while nothing looks wrong on the disk where they were generated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from polywire.ground.git import Repository
from polywire.vendor.run import Made
from polywire.writing.comparing import written
from polywire.writing.results import Drift


def untracked(made: Made, drifts: Iterable[Drift]) -> Iterator[Drift]:
    """Yield the files that polywire wrote but git does not have, except files that have drifted anyway.

    Raises `polywire.ground.git.GitError`.
    """
    known = {drift.path for drift in drifts}
    run, folders = made.run, tuple(f"{folder}/" for folder in made.trees)
    ours = [path for path in written(run.out, run.manifest) if path == run.manifest or path.startswith(folders)]
    repository = Repository.of(run.out)
    tracked = _files(repository, run.out, ours, "--cached")
    addable = _files(repository, run.out, ours, "--others", "--exclude-standard")
    for path in ours:
        if path not in known | tracked and run.out.joinpath(path).is_file():
            yield Drift("untracked" if path in addable else "ignored", path, None, None, by_hand=True)


def _files(repository: Repository, folder: Path, paths: list[str], *which: str) -> frozenset[str]:
    """Return those of some files in a folder that are in the index, or that could be added to it."""
    below = repository.path(folder)
    prefix = f"{below}/" if below else ""
    tops = sorted({prefix + path.partition("/")[0] for path in paths})
    found = repository.output("--literal-pathspecs", "ls-files", "-z", *which, "--", *tops).split("\0")
    return frozenset(each.removeprefix(prefix) for each in found) & frozenset(paths)
