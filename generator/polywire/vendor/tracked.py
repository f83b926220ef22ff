"""Generated files on disk → those that are missing in the repository, and so never reach anybody else.

They are missing in every clone, while nothing looks wrong on the disk where they were generated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from polywire import git
from polywire.output import Drift, written
from polywire.run import Run


def untracked(run: Run, drifts: Iterable[Drift]) -> Iterator[Drift]:
    """Yield the files that polywire wrote but git does not have, except files that have drifted anyway.

    Raises `polywire.git.GitError`.
    """
    known = {drift.path for drift in drifts}
    folders = tuple(f"{run.folders[target.name]}/" for target in run.targets)
    ours = [path for path in written(run.out, run.manifest) if path == run.manifest or path.startswith(folders)]
    tracked = _files(run.out, "--cached", paths=ours)
    addable = _files(run.out, "--others", "--exclude-standard", paths=ours)
    for path in ours:
        if path not in known | tracked and run.out.joinpath(path).is_file():
            yield Drift("untracked" if path in addable else "ignored", path, None, None, by_hand=True)


def _files(folder: Path, *which: str, paths: list[str]) -> frozenset[str]:
    """Return those of some files that are in the index, or that could be added to it."""
    tops = sorted({path.partition("/")[0] for path in paths})
    told = git.told(folder, "--literal-pathspecs", "ls-files", "-z", *which, "--", *tops)
    return frozenset(told.split("\0")) & frozenset(paths)
