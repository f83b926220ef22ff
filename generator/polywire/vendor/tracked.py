"""Generated files on disk → those of them that are not in the repository, and so never get to anybody else.

Whoever clones the repository finds them missing; on the disk where they were made nothing looks wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from polywire import git
from polywire.output import Drift, written
from polywire.run import Run


def untracked(run: Run, drifts: Iterable[Drift]) -> Iterator[Drift]:
    """What git does not have of what polywire wrote, but for files that have drifted anyway.

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
    """Those of some files that the index has, or that it could have."""
    tops = sorted({path.partition("/")[0] for path in paths})
    told = git.told(folder, "--literal-pathspecs", "ls-files", "-z", *which, "--", *tops)
    return frozenset(told.split("\0")) & frozenset(paths)
