"""Files in memory → files on disk, all or nothing.

`write` and `compare` (`comparing.py`) read the folder in the same way (`folder.py`) and agree on every file.

A run that is killed leaves the old tree, the new tree, or a tree that the next run repairs. Every new file, including
the new manifest, is first written in full next to its destination under a temporary name; then the files are renamed
into place, obsolete files are removed, and the manifest is renamed last. If a manifest was staged but never renamed,
the next run uses it to recognise polywire's files that no manifest lists yet.

Only files written by polywire are ever overwritten or removed: those that a manifest lists, that carry the generated
mark, or that already have exactly the contents to be written.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

from polywire.targets.common.base import AddOnError, MissingToolError
from polywire.targets.common.header import Header
from polywire.writing.disk import (
    locked,
    make_folders,
    new_folders,
    reason,
    remove,
    remove_empty,
    resolved,
    store,
    sync_folder,
)
from polywire.writing.folder import STAGED, Folder, known_files, survey, up_to_date
from polywire.writing.manifest import MANIFEST, is_intact
from polywire.writing.results import NO_RUNTIME, AddOns, Change, OutputError, Runtime, ToolError, Trees

_WRITERS = 8
"""Number of files written in parallel: syncing several to disk takes no longer than syncing one."""


def write(
    out: Path,
    trees: Trees,
    header: Header,
    *,
    whole: bool,
    manifest: str = MANIFEST,
    add_ons: AddOns | None = None,
    all_add_ons: bool = True,
    runtime: Runtime = NO_RUNTIME,
) -> list[Change]:
    """Write `trees` into the folder, touching only files whose bytes differ. Returns the changes, by path.

    `whole` says that `trees` has all targets, so that a target or add-on known only from the manifest is removed.
    `add_ons` are all add-ons of the targets; if None, existing ones are left as they are. Unless `all_add_ons` is set,
    an add-on that was never generated is left out if its tool is missing. Raises `OutputError`; then either nothing was
    changed and no new folder remains, or, if the disk failed half-way, the next run repairs it.
    """
    root = resolved(out)
    with new_folders() as new:
        try:
            make_folders(root, new)
        except OSError as error:
            raise OutputError(f"{out}: {reason(error)}") from error
        with locked(root):
            return _write(root, trees, header, manifest, add_ons, runtime, whole=whole, all_add_ons=all_add_ons)


def _write(
    root: Path,
    trees: Trees,
    header: Header,
    manifest: str,
    add_ons: AddOns | None,
    runtime: Runtime,
    *,
    whole: bool,
    all_add_ons: bool,
) -> list[Change]:
    """Do the work of `write` once the folder exists and is locked."""
    trees, left_out = _completed(root, manifest, trees, add_ons or {}, every=all_add_ons)
    folder = survey(root, trees, header, manifest, whole=whole, add_ons=add_ons, runtime=runtime)
    found = {path: folder.read(path) for path in folder.wanted}
    going = [path for path, contents in folder.gone.items() if folder.may_prune(path, contents)]
    repaired = list(_repaired_manifest(folder, found))
    _refuse_what_is_not_ours(folder, found, going)
    differing = {path: contents for path, contents in folder.wanted.items() if found[path] != contents}
    try:
        _recover(folder)
        if differing or going or folder.read(manifest) != folder.manifest:
            _replace(folder, differing, going)
    except OSError as error:
        what = error.filename2 or error.filename or root
        raise OutputError(f"{what}: {reason(error)}; fix this and generate again, no file is lost") from error
    changes = [_change(folder, path, found[path]) for path in differing]
    changes += [Change("removed" if path in going else "kept", path) for path in folder.gone]
    changes += repaired
    changes += left_out
    return sorted(changes, key=lambda change: change.path)


def _completed(root: Path, listing: str, trees: Trees, add_ons: AddOns, *, every: bool) -> tuple[Trees, list[Change]]:
    """Add the files of their tools to add-ons; also return the add-ons that are left out. Raises `OutputError`."""
    known = known_files(root, listing)
    complete = dict(trees)
    left_out = []
    for name, add_on in add_ons.items():
        made = up_to_date(root, name, add_on, trees, known)
        if not made:
            try:
                made = add_on.make()
            except MissingToolError as error:
                if not every and name not in known.targets:
                    left_out.append(Change("left out", name, why=str(error)))
                    del complete[name]
                    continue
                raise ToolError(f"{root / name} cannot be made: {error}, or leave it as it is: --no-add-ons") from error
            except AddOnError as error:
                raise OutputError(f"{root / name}: {error}") from error
        complete[name] = {**trees[name], **made}
    return complete, left_out


def _change(folder: Folder, path: str, found: bytes | None) -> Change:
    if found is None:
        return Change("created", path)
    return Change("updated", path, by_hand=path in folder.known.files and not folder.is_as_written(path, found))


def _repaired_manifest(folder: Folder, found: Mapping[str, bytes | None]) -> Iterator[Change]:
    """Yield changes of the manifest other than keeping in step with its files, which are not reported."""
    manifest = folder.read(folder.listing)
    if manifest is None and not folder.interrupted and any(contents is not None for contents in found.values()):
        yield Change("created", folder.listing)
    elif manifest is not None and not is_intact(manifest):
        yield Change("updated", folder.listing, by_hand=True)


def _refuse_what_is_not_ours(folder: Folder, found: Mapping[str, bytes | None], going: Iterable[str]) -> None:
    leaving = set(going)
    for path, contents in {**folder.wanted, folder.listing: b""}.items():
        place = folder.root / path
        there = found.get(path)
        if there is not None and there != contents and not folder.is_ours(path, there):
            raise OutputError(
                f"{place}: polywire did not write this file; move it, or choose another folder with --out"
            )
        if place.is_dir() and not {p.relative_to(folder.root).as_posix() for p in place.rglob("*")} & leaving:
            raise OutputError(f"{place}: expected a file, found a folder; move it")
        for parent in PurePosixPath(path).parents:
            above = folder.root / parent
            if above.exists() and not above.is_dir() and str(parent) not in leaving:
                raise OutputError(f"{above}: expected a folder, found a file; move it")


def _recover(folder: Folder) -> None:
    """Record what an interrupted run had put in place, then remove its leftovers; safe to be killed at any point."""
    if folder.interrupted:
        note = folder.root / f".polywire-{os.getpid()}-recovered.tmp"
        store(note, folder.known.encode())
        os.replace(note, folder.root / folder.listing)  # noqa: PTH105  (tests count the calls of os.replace)
        (folder.root / STAGED).unlink()
    for stray in folder.strays:
        stray.unlink(missing_ok=True)


def _replace(folder: Folder, differing: Mapping[str, bytes], going: Iterable[str]) -> None:
    """Stage every new file, rename them into place, remove obsolete files, and rename the manifest last."""
    root = folder.root
    early = [path for path in going if _collides(path, differing)]
    staged: list[tuple[Path, Path]] = []
    touched = {root}
    temporary: list[Path] = [root / STAGED]
    new: list[Path] = []
    try:
        store(root / STAGED, folder.manifest)
        for path in early:
            remove(root, path)
        for index, path in enumerate(differing):
            place = root / path
            make_folders(place.parent, new)
            temporary.append(place.with_name(f".polywire-{os.getpid()}-{index}.tmp"))
            staged.append((temporary[-1], place))
            touched.update((place.parent, place.parent.parent))
        with ThreadPoolExecutor(_WRITERS) as pool:
            list(pool.map(store, temporary[1:], differing.values()))
    except BaseException:
        # Nothing is in place yet, so the whole run can be undone.
        for note in reversed(temporary):
            with contextlib.suppress(OSError):
                note.unlink(missing_ok=True)
        remove_empty(new)
        raise
    for source, place in staged:
        os.replace(source, place)  # noqa: PTH105  (tests count the calls of os.replace)
    for path in going:
        if path not in early:
            remove(root, path)
    for parent in sorted(touched):
        sync_folder(parent)
    os.replace(root / STAGED, root / folder.listing)  # noqa: PTH105  (as above)
    sync_folder(root)


def _collides(path: str, new: Iterable[str]) -> bool:
    """Return whether a file must be removed before others can be written: one path is a folder of the other."""
    return any(other.startswith(path + "/") or path.startswith(other + "/") for other in new)
