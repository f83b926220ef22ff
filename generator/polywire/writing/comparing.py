"""The files of an output folder that differ from those in memory. Nothing is written, and no add-on is generated."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from polywire.targets.common.header import Header, is_marked
from polywire.writing.disk import locked, peek, read, resolved, walk
from polywire.writing.folder import STAGED, Folder, known_files, of_tool, survey, up_to_date
from polywire.writing.manifest import MANIFEST, Manifest, digest_of, is_intact
from polywire.writing.results import NO_RUNTIME, AddOns, Drift, Runtime, Trees

if TYPE_CHECKING:
    from polywire.targets.common.base import AddOn

_BYSTANDERS = (
    *("__pycache__", "*.pyc", "*.egg-info", "build", "dist", ".venv", ".*_cache"),
    *("node_modules", "package-lock.json", "target", "Cargo.lock"),
    *(".git", ".DS_Store"),
)
"""Files that tools leave next to generated files; they are ignored."""


def compare(
    out: Path,
    trees: Trees,
    header: Header,
    *,
    whole: bool,
    manifest: str = MANIFEST,
    add_ons: AddOns | None = None,
    all_add_ons: bool = True,
    runtime: Runtime = NO_RUNTIME,
) -> list[Drift]:
    """Return how the folder differs from `trees`, by path. Only reads. Raises `OutputError`.

    Takes the arguments of `write`. No add-on is generated: the manifest shows whether one differs.
    """
    root = resolved(out)
    with locked(root, shared=True):
        known = known_files(root, manifest)
        complete = dict(trees)
        outdated: list[Drift] = []
        for name, add_on in (add_ons or {}).items():
            made = up_to_date(root, name, add_on, trees, known)
            if made:
                complete[name] = {**trees[name], **made}
            else:
                del complete[name]
                if all_add_ons or name in known.targets:
                    outdated += _add_on_drifts(root, name, add_on, trees, known)
        folder = survey(root, complete, header, manifest, whole=whole, add_ons=add_ons, runtime=runtime)
        drifts = [drift for path, contents in folder.wanted.items() if (drift := _drift(folder, path, contents))]
        drifts += [
            Drift("left over" if may_go else "foreign", path, found, None, by_hand=not may_go)
            for path, found in folder.gone.items()
            for may_go in (folder.may_prune(path, found),)
        ]
        drifts += _unlisted(folder, (name for name in trees if name in complete or name in known.targets))
        drifts += _manifest_drift(folder)
        drifts += outdated
    return sorted(drifts, key=lambda drift: drift.path)


def written(out: Path, manifest: str = MANIFEST) -> tuple[str, ...]:
    """Return the files of polywire below a folder as listed in its manifest, including the manifest itself."""
    return (manifest, *known_files(resolved(out), manifest).files)


def _drift(folder: Folder, path: str, wanted: bytes) -> Drift | None:
    found = folder.read(path)
    if found == wanted:
        return None
    if found is None:
        return Drift("missing", path, None, wanted)
    if path in folder.known.files:
        return Drift("stale" if folder.is_as_written(path, found) else "edited by hand", path, found, wanted)
    ours = folder.is_ours(path, found)
    return Drift("stale" if ours else "foreign", path, found, wanted, by_hand=not ours)


def _add_on_drifts(root: Path, name: str, add_on: AddOn, trees: Trees, known: Manifest) -> Iterator[Drift]:
    """Yield how the files of an add-on's tool differ from those generated from its input, which only the tool knows."""
    entry = known.targets.get(name)
    if entry is None:
        yield Drift("missing", name, None, None)
        return
    for path, digest in of_tool(name, entry, trees):
        found = read(root, path)
        if found is None:
            yield Drift("missing", path, None, None)
        elif digest_of(found) != digest:
            yield Drift("edited by hand", path, found, None)
        elif entry.made_of != add_on.input:
            yield Drift("stale", path, found, None)


def _manifest_drift(folder: Folder) -> Iterator[Drift]:
    found = folder.read(folder.listing)
    if found is None:
        yield Drift("missing", folder.listing, None, folder.manifest)
    elif found != folder.manifest:
        yield Drift("stale" if is_intact(found) else "edited by hand", folder.listing, found, folder.manifest)


def _unlisted(folder: Folder, targets: Iterable[str]) -> Iterator[Drift]:
    """Yield files that no manifest lists: temporary, marked (perhaps of a lost manifest) and foreign ones."""
    strays = {stray.relative_to(folder.root).as_posix() for stray in folder.strays}
    strays |= {STAGED} if folder.interrupted else set()
    known = {*folder.wanted, *folder.known.files, *strays, folder.listing}
    yield from (Drift("left over", stray, None, None) for stray in strays)
    for target in targets:
        for path in _files_below(folder.root, target):
            if path not in known:
                found = peek(folder.root, path)
                marked = found is not None and is_marked(found)
                yield Drift("left over" if marked else "foreign", path, found, None, by_hand=True)


def _files_below(root: Path, target: str) -> Iterator[str]:
    for below, folders, names in walk(root, target):
        folders[:] = sorted(name for name in folders if not _is_bystander(name))
        links = [name for name in folders if (Path(below) / name).is_symlink()]
        for name in [*names, *links]:
            if not _is_bystander(name):
                yield (Path(below) / name).relative_to(root).as_posix()


def _is_bystander(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in _BYSTANDERS)
