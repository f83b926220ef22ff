"""Files in memory → files on disk, all or nothing; or a comparison of the two.

`write` and `compare` read the folder in the same way (`_Folder`) and agree on every file; only the last step differs.

A run that is killed leaves the old tree, the new tree, or a tree that the next run repairs. Every new file, including
the new manifest, is first written in full next to its destination under a temporary name; then the files are renamed
into place, obsolete files are removed, and the manifest is renamed last. If a manifest was staged but never renamed,
the next run uses it to recognise polywire's files that no manifest lists yet.

Only files written by polywire are ever overwritten or removed: those that a manifest lists, that carry the generated
mark, or that already have exactly the contents to be written.
"""

from __future__ import annotations

import contextlib
import difflib
import fnmatch
import hashlib
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from polywire.ground.parsing import json_value
from polywire.ground.paths import path_fault
from polywire.targets.common.base import AddOnError, MissingToolError
from polywire.targets.common.header import Header, is_marked
from polywire.writing.render import json_text

if TYPE_CHECKING:
    from polywire.ground.json_values import Json
    from polywire.targets.common.base import AddOn

MANIFEST = "manifest.json"
_STAGED_MANIFEST = ".polywire-manifest.tmp"
_TEMPORARY = ".polywire-*.tmp"
_LOCK_SECONDS = 60.0

_WRITERS = 8
"""Number of files written in parallel: syncing several to disk takes no longer than syncing one."""

_BYSTANDERS = (
    *("__pycache__", "*.pyc", "*.egg-info", "build", "dist", ".venv", ".*_cache"),
    *("node_modules", "package-lock.json", "target", "Cargo.lock"),
    *(".git", ".DS_Store"),
)
"""Files that tools leave next to generated files; they are ignored."""

Trees: TypeAlias = Mapping[str, Mapping[str, bytes]]
"""Folder of a target or an add-on below the output folder → path below that → contents. Folders do not nest.

Of an add-on, a tree only has the files that polywire itself renders until those of its tool are added (see `AddOns`). A
folder without a name is the output folder itself, and is then the only one.
"""

Runtime: TypeAlias = Mapping[str, frozenset[str]]
"""Folder of a target below the output folder → the paths below that which are copies of a runtime."""

NO_RUNTIME: Runtime = MappingProxyType({})

AddOns: TypeAlias = "Mapping[str, AddOn]"
"""Folder of an add-on below the output folder, which is also in `Trees` → how its tool generates the other files.

An add-on's entry in the manifest has the hash of its input. While that hash and the tool's files are unchanged, they
are up to date, and the tool is not needed.
"""


class OutputError(Exception):
    """The output folder cannot be used as requested; nothing was lost. The message says what the obstacle is."""


class ToolError(OutputError):
    """An `OutputError` because the tool that generates an add-on is missing."""


# --- results of the two entry points ---------------------------------------------------------------------------

Action: TypeAlias = Literal["created", "updated", "removed", "kept", "left out"]


@dataclass(frozen=True, slots=True)
class Change:
    """The change that `write` made to one file.

    `kept` is an obsolete file that was edited by hand; `left out` is an add-on that could not be generated.
    """

    action: Action
    path: str
    """Below the output folder."""
    by_hand: bool = False
    """The file had been edited by hand."""
    why: str = ""
    """Why it was left out."""


Kind: TypeAlias = Literal["stale", "edited by hand", "missing", "left over", "foreign", "untracked", "ignored"]


@dataclass(frozen=True, slots=True)
class Drift:
    """One file on disk that differs from what would be generated.

    stale: as generated, but from another spec or by another generator · edited by hand: differs from what the manifest
    lists · missing: not on disk · left over: generated once, and no longer · foreign: in a generated folder, but not
    written by polywire · untracked, ignored: as generated, but not in the repository (see `polywire.vendor.tracked`).
    """

    kind: Kind
    path: str
    """Below the output folder."""
    found: bytes | None
    """The contents on disk, or None if there is no file."""
    wanted: bytes | None
    """The contents that would be generated, or None if there is no such file."""
    by_hand: bool = False
    """Generating again does not fix it: polywire removes only the files that its manifest lists."""

    def diff(self) -> Iterator[str]:
        """Yield the unified diff from the file on disk to the generated file, line by line without line ends."""
        yield from unified_diff(self.path, self.found, self.wanted)


# --- the manifest ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entry:
    """The manifest's entry for one target: the hash of its input, and of each file by path below `out`."""

    generator: str
    protocol: str
    made_of: str
    """The hash of the spec, or for an add-on that of its input."""
    files: Mapping[str, str]
    add_on: bool = False
    runtime: frozenset[str] = frozenset()
    """The files that are copies of a runtime, the same for every spec except for names."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Every target's `Entry`, by name."""

    targets: Mapping[str, Entry]

    @property
    def files(self) -> dict[str, str]:
        """The hash of every file of every target by path below `out`."""
        return {path: digest for entry in self.targets.values() for path, digest in entry.files.items()}

    def encode(self) -> bytes:
        """Return the contents of the manifest: sorted, so that the order of runs does not show."""
        targets: Json = {
            name: {
                "generator": entry.generator,
                "protocol": entry.protocol,
                "input" if entry.add_on else "spec": entry.made_of,
                "files": {path: entry.files[path] for path in sorted(entry.files)},
                **({"runtime": [*sorted(entry.runtime)]} if entry.runtime else {}),
            }
            for name, entry in sorted(self.targets.items())
        }
        note = "Written by polywire generate. DO NOT EDIT."
        return (json_text({"$comment": note, "polywire": 1, "targets": targets}) + "\n").encode()


_NO_MANIFEST = Manifest({})


def _decode_manifest(contents: bytes | None) -> Manifest:
    """Decode a manifest as far as possible: a broken one lists nothing, and is rewritten."""
    try:
        document = json_value(contents or b"")
        return Manifest({
            name: Entry(
                generator=_text(entry["generator"]),
                protocol=_text(entry["protocol"]),
                made_of=_text(entry["input" if "input" in entry else "spec"]),
                add_on="input" in entry,
                files={path: _text(digest) for path, digest in entry["files"].items() if _is_below(path, name)},
                runtime=frozenset(path for path in entry.get("runtime", ()) if path in entry["files"]),
            )
            for name, entry in document["targets"].items()
            if not name or path_fault(name) is None
        })  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError):
        return _NO_MANIFEST


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a string, got {type(value).__name__}")
    return value


def _is_intact(contents: bytes) -> bool:
    """Return whether polywire could have written this manifest."""
    return _decode_manifest(contents).encode() == contents


def _is_below(path: str, target: str) -> bool:
    """Return whether a path from a manifest, which may have been edited, is that of a file in the target's folder."""
    return path_fault(path) is None and path.startswith(f"{target}/" if target else "")


def _below(target: str, path: str) -> str:
    """The path of a target's file below the output folder."""
    return f"{target}/{path}" if target else path


# --- the folder as it should be and as it is -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Folder:
    """The output folder, read once: the files that it should have (`wanted`), and those that belong to polywire."""

    root: Path
    wanted: Mapping[str, bytes]
    listing: str
    """The file name of the manifest."""
    manifest: bytes
    """The manifest that matches `wanted`."""
    known: Manifest
    """The files that polywire wrote, as far as the manifest on disk and an interrupted run show."""
    gone: Mapping[str, bytes]
    """Files written for these targets that are no longer generated, with their current contents."""
    interrupted: bool
    """Whether a run staged its manifest and did not rename it."""
    strays: tuple[Path, ...]
    """Other temporary files of interrupted runs."""

    def read(self, path: str) -> bytes | None:
        """Return a file's contents, or None if it does not exist. Raises `OutputError` unless it is a plain file."""
        return _read(self.root, path)

    def is_ours(self, path: str, found: bytes) -> bool:
        """Return whether polywire may replace the file. An empty file may always be replaced."""
        return not found or path in self.known.files or is_marked(found)

    def is_as_written(self, path: str, found: bytes) -> bool:
        return digest_of(found) == self.known.files.get(path)

    def may_prune(self, path: str, found: bytes) -> bool:
        """Return whether an obsolete file may be removed: it is as generated, or at least has the generated mark."""
        return self.is_as_written(path, found) or is_marked(found)


def digest_of(contents: bytes) -> str:
    """Return the hash of a file for the manifest."""
    return hashlib.sha256(contents).hexdigest()


def _survey(
    root: Path,
    trees: Trees,
    header: Header,
    listing: str,
    *,
    whole: bool,
    add_ons: AddOns | None,
    runtime: Runtime,
) -> _Folder:
    """Read the folder. With `whole`, targets known only from the manifest are removed, otherwise left alone."""
    wanted = {_below(target, path): contents for target, files in trees.items() for path, contents in files.items()}
    staged = _read(root, _STAGED_MANIFEST)
    listed = _known(root, listing).targets
    known = Manifest({name: entry for name, entry in listed.items() if name or "" in trees})
    own = add_ons or {}
    fresh = {
        target: Entry(
            generator=header.generator,
            protocol=f"{header.protocol} {header.version}" + (f" ({header.dialect})" if header.dialect else ""),
            made_of=own[target].input if target in own else header.spec,
            files={_below(target, path): digest_of(contents) for path, contents in files.items()},
            add_on=target in own,
            runtime=frozenset(_below(target, path) for path in runtime.get(target, ())),
        )
        for target, files in trees.items()
    }

    others = {
        name: entry
        for name, entry in known.targets.items()
        if name not in trees and (not whole or (entry.add_on and (add_ons is None or name in add_ons)))
    }
    gone = sorted(known.files.keys() - Manifest(others).files.keys() - wanted.keys())
    return _Folder(
        root=root,
        wanted=wanted,
        listing=listing,
        manifest=Manifest(others | fresh).encode(),
        known=known,
        gone={path: found for path in gone if (found := _peek(root, path)) is not None},
        interrupted=staged is not None,
        strays=tuple(dict.fromkeys(_strays(root, {*trees, *known.targets}))),
    )


def _known(root: Path, listing: str) -> Manifest:
    """Return the files that polywire wrote, as far as the manifest on disk and an interrupted run show."""
    return _salvaged(root, _decode_manifest(_read(root, listing)), _decode_manifest(_read(root, _STAGED_MANIFEST)))


def _salvaged(root: Path, before: Manifest, staged: Manifest) -> Manifest:
    """Return the manifest of the last complete run, with the files that an interrupted run had put in place."""
    targets = dict(before.targets)
    for name, entry in staged.targets.items():
        base = targets.get(name, replace(entry, files={}))
        if entry.add_on and (name not in targets or base.made_of != entry.made_of):
            base = replace(base, made_of="")  # its tool's files may be of two runs
        in_place = {
            path: digest
            for path, digest in entry.files.items()
            if (found := _peek(root, path)) is not None and digest_of(found) == digest
        }
        targets[name] = replace(base, files={**base.files, **in_place})
    return Manifest(targets)


def _resolved(out: Path) -> Path:
    """Resolve the folder; `out` itself may be a symbolic link, but nothing below it may be one."""
    try:
        root = out.resolve()
        mode = root.stat().st_mode if root.exists() else stat.S_IFDIR
    except (OSError, RuntimeError) as error:
        raise OutputError(f"{out}: {_reason(error)}") from error
    if not stat.S_ISDIR(mode):
        raise OutputError(f"{out}: expected a folder, found a file; choose another folder with --out")
    return root


def _mode(root: Path, path: str) -> int | None:
    """Return the mode of a file or folder, or None if it does not exist. Raises `OutputError` if a link leads to it."""
    here, mode = root, stat.S_IFDIR
    for part in path.split("/"):
        if not stat.S_ISDIR(mode):
            return None
        here /= part
        try:
            mode = here.lstat().st_mode
        except FileNotFoundError:
            return None
        except OSError as error:
            raise OutputError(f"{here}: {_reason(error)}") from error
        if stat.S_ISLNK(mode):
            raise OutputError(f"{here}: is a symbolic link, and polywire does not write through links; remove it")
    return mode


def _read(root: Path, path: str) -> bytes | None:
    mode = _mode(root, path)
    if mode is None or stat.S_ISDIR(mode):
        return None  # a file where a folder should be, or the reverse, is left to `_refuse_what_is_not_ours`
    if not stat.S_ISREG(mode):
        raise OutputError(f"{root / path}: is not a regular file, and polywire does not replace it; remove it")
    try:
        return (root / path).read_bytes()
    except OSError as error:
        raise OutputError(f"{root / path}: {_reason(error)}") from error


def _peek(root: Path, path: str) -> bytes | None:
    """Like `_read`, for files that will not be written: anything but a plain file is ignored."""
    try:
        return _read(root, path)
    except OutputError:
        return None


def _strays(root: Path, folders: Iterable[str]) -> Iterator[Path]:
    yield from (path for path in sorted(root.glob(_TEMPORARY)) if path.name != _STAGED_MANIFEST)
    found = {
        Path(below) / name
        for folder in folders
        for below, _, names in _walk(root, folder)
        for name in fnmatch.filter(names, _TEMPORARY)
        if name != _STAGED_MANIFEST
    }
    yield from sorted(found)


def _walk(root: Path, folder: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk through a folder, if there is one. Raises `OutputError` if a link leads to it: `os.walk` would follow it."""
    _mode(root, folder)
    return os.walk(root / folder)


def _reason(error: BaseException) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


# --- writing ---------------------------------------------------------------------------------------------------


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
    root = _resolved(out)
    with _new_folders() as new:
        try:
            _make_folders(root, new)
        except OSError as error:
            raise OutputError(f"{out}: {_reason(error)}") from error
        with _locked(root):
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
    folder = _survey(root, trees, header, manifest, whole=whole, add_ons=add_ons, runtime=runtime)
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
        raise OutputError(f"{what}: {_reason(error)}; fix this and generate again, no file is lost") from error
    changes = [_change(folder, path, found[path]) for path in differing]
    changes += [Change("removed" if path in going else "kept", path) for path in folder.gone]
    changes += repaired
    changes += left_out
    return sorted(changes, key=lambda change: change.path)


def _completed(root: Path, listing: str, trees: Trees, add_ons: AddOns, *, every: bool) -> tuple[Trees, list[Change]]:
    """Add the files of their tools to add-ons; also return the add-ons that are left out. Raises `OutputError`."""
    known = _known(root, listing)
    complete = dict(trees)
    left_out = []
    for name, add_on in add_ons.items():
        made = _up_to_date(root, name, add_on, trees, known)
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


def _up_to_date(root: Path, name: str, add_on: AddOn, trees: Trees, known: Manifest) -> Mapping[str, bytes] | None:
    """Return the files of an add-on's tool from the disk, or None if it has to generate them."""
    entry = known.targets.get(name)
    if entry is None or entry.made_of != add_on.input:
        return None
    made: dict[str, bytes] = {}
    for path, digest in _of_tool(name, entry, trees):
        found = _read(root, path)
        if found is None or digest_of(found) != digest:
            return None
        made[path.removeprefix(f"{name}/")] = found
    return made


def _of_tool(name: str, entry: Entry, trees: Trees) -> Iterator[tuple[str, str]]:
    """Yield the paths of the files of an add-on's tool, each with its hash."""
    rendered = {_below(name, path) for path in trees[name]}
    yield from ((path, digest) for path, digest in entry.files.items() if path not in rendered)


def _change(folder: _Folder, path: str, found: bytes | None) -> Change:
    if found is None:
        return Change("created", path)
    return Change("updated", path, by_hand=path in folder.known.files and not folder.is_as_written(path, found))


def _repaired_manifest(folder: _Folder, found: Mapping[str, bytes | None]) -> Iterator[Change]:
    """Yield changes of the manifest other than keeping in step with its files, which are not reported."""
    manifest = folder.read(folder.listing)
    if manifest is None and not folder.interrupted and any(contents is not None for contents in found.values()):
        yield Change("created", folder.listing)
    elif manifest is not None and not _is_intact(manifest):
        yield Change("updated", folder.listing, by_hand=True)


def _refuse_what_is_not_ours(folder: _Folder, found: Mapping[str, bytes | None], going: Iterable[str]) -> None:
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


def _recover(folder: _Folder) -> None:
    """Record what an interrupted run had put in place, then remove its leftovers; safe to be killed at any point."""
    if folder.interrupted:
        note = folder.root / f".polywire-{os.getpid()}-recovered.tmp"
        _store(note, folder.known.encode())
        os.replace(note, folder.root / folder.listing)  # noqa: PTH105  (tests count the calls of os.replace)
        (folder.root / _STAGED_MANIFEST).unlink()
    for stray in folder.strays:
        stray.unlink(missing_ok=True)


def _replace(folder: _Folder, differing: Mapping[str, bytes], going: Iterable[str]) -> None:
    """Stage every new file, rename them into place, remove obsolete files, and rename the manifest last."""
    root = folder.root
    early = [path for path in going if _collides(path, differing)]
    staged: list[tuple[Path, Path]] = []
    touched = {root}
    temporary: list[Path] = [root / _STAGED_MANIFEST]
    new: list[Path] = []
    try:
        _store(root / _STAGED_MANIFEST, folder.manifest)
        for path in early:
            _remove(root, path)
        for index, path in enumerate(differing):
            place = root / path
            _make_folders(place.parent, new)
            temporary.append(place.with_name(f".polywire-{os.getpid()}-{index}.tmp"))
            staged.append((temporary[-1], place))
            touched.update((place.parent, place.parent.parent))
        with ThreadPoolExecutor(_WRITERS) as pool:
            list(pool.map(_store, temporary[1:], differing.values()))
    except BaseException:
        # Nothing is in place yet, so the whole run can be undone.
        for note in reversed(temporary):
            with contextlib.suppress(OSError):
                note.unlink(missing_ok=True)
        _remove_empty(new)
        raise
    for source, place in staged:
        os.replace(source, place)  # noqa: PTH105  (tests count the calls of os.replace)
    for path in going:
        if path not in early:
            _remove(root, path)
    for parent in sorted(touched):
        _sync_folder(parent)
    os.replace(root / _STAGED_MANIFEST, root / folder.listing)  # noqa: PTH105  (as above)
    _sync_folder(root)


def _collides(path: str, new: Iterable[str]) -> bool:
    """Return whether a file must be removed before others can be written: one path is a folder of the other."""
    return any(other.startswith(path + "/") or path.startswith(other + "/") for other in new)


def _store(path: Path, contents: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    with open(descriptor, "wb") as file:  # noqa: PTH123  (a descriptor has no Path)
        file.write(contents)
        file.flush()
        os.fsync(file.fileno())


def _remove(root: Path, path: str) -> None:
    """Remove a file, and the folders that become empty."""
    place = root / path
    place.unlink(missing_ok=True)
    for parent in place.parents:
        if parent == root:
            return
        try:
            parent.rmdir()
        except OSError:
            return  # not empty


@contextlib.contextmanager
def _new_folders() -> Iterator[list[Path]]:
    """A list of new folders, outermost first; if the block fails, those that are empty are removed."""
    new: list[Path] = []
    try:
        yield new
    except BaseException:
        _remove_empty(new)
        raise


def _remove_empty(folders: list[Path]) -> None:
    for folder in reversed(folders):
        with contextlib.suppress(OSError):  # it is not empty, or gone
            folder.rmdir()


def _make_folders(folder: Path, new: list[Path]) -> None:
    """Create a folder and its parents, and add the new ones to `new`."""
    try:
        folder.mkdir()
    except FileExistsError:
        if not folder.is_dir():
            raise
    except FileNotFoundError:
        _make_folders(folder.parent, new)
        _make_folders(folder, new)
    else:
        new.append(folder)


def _sync_folder(path: Path) -> None:
    """Make renames in a folder durable; some systems cannot do this and do not need it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def _locked(root: Path, *, shared: bool = False) -> Iterator[None]:
    """Keep other runs out of the folder. The lock is on the folder: it leaves no file and ends with the process."""
    if sys.platform == "win32" or not root.exists():  # there, only atomic renames keep files whole
        yield
        return
    try:
        descriptor = os.open(root, os.O_RDONLY)
    except OSError as error:
        raise OutputError(f"{root}: {_reason(error)}") from error
    try:
        _wait_for_lock(descriptor, root, shared=shared)
        yield
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int, root: Path, *, shared: bool) -> None:
    give_up = time.monotonic() + _LOCK_SECONDS
    while not _try_lock(descriptor, shared=shared):
        if time.monotonic() > give_up:
            raise OutputError(f"{root}: locked by another polywire process for more than {_LOCK_SECONDS:.0f} s")
        time.sleep(0.02)


def _try_lock(descriptor: int, *, shared: bool) -> bool:
    import fcntl

    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks; the renames are still atomic
    return True


# --- comparing -------------------------------------------------------------------------------------------------


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
    root = _resolved(out)
    with _locked(root, shared=True):
        known = _known(root, manifest)
        complete = dict(trees)
        outdated: list[Drift] = []
        for name, add_on in (add_ons or {}).items():
            made = _up_to_date(root, name, add_on, trees, known)
            if made:
                complete[name] = {**trees[name], **made}
            else:
                del complete[name]
                if all_add_ons or name in known.targets:
                    outdated += _add_on_drifts(root, name, add_on, trees, known)
        folder = _survey(root, complete, header, manifest, whole=whole, add_ons=add_ons, runtime=runtime)
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
    return (manifest, *_known(_resolved(out), manifest).files)


def _drift(folder: _Folder, path: str, wanted: bytes) -> Drift | None:
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
    for path, digest in _of_tool(name, entry, trees):
        found = _read(root, path)
        if found is None:
            yield Drift("missing", path, None, None)
        elif digest_of(found) != digest:
            yield Drift("edited by hand", path, found, None)
        elif entry.made_of != add_on.input:
            yield Drift("stale", path, found, None)


def _manifest_drift(folder: _Folder) -> Iterator[Drift]:
    found = folder.read(folder.listing)
    if found is None:
        yield Drift("missing", folder.listing, None, folder.manifest)
    elif found != folder.manifest:
        yield Drift("stale" if _is_intact(found) else "edited by hand", folder.listing, found, folder.manifest)


def _unlisted(folder: _Folder, targets: Iterable[str]) -> Iterator[Drift]:
    """Yield files that no manifest lists: temporary, marked (perhaps of a lost manifest) and foreign ones."""
    strays = {stray.relative_to(folder.root).as_posix() for stray in folder.strays}
    strays |= {_STAGED_MANIFEST} if folder.interrupted else set()
    known = {*folder.wanted, *folder.known.files, *strays, folder.listing}
    yield from (Drift("left over", stray, None, None) for stray in strays)
    for target in targets:
        for path in _files_below(folder.root, target):
            if path not in known:
                found = _peek(folder.root, path)
                marked = found is not None and is_marked(found)
                yield Drift("left over" if marked else "foreign", path, found, None, by_hand=True)


def _files_below(root: Path, target: str) -> Iterator[str]:
    for below, folders, names in _walk(root, target):
        folders[:] = sorted(name for name in folders if not _is_bystander(name))
        links = [name for name in folders if (Path(below) / name).is_symlink()]
        for name in [*names, *links]:
            if not _is_bystander(name):
                yield (Path(below) / name).relative_to(root).as_posix()


def _is_bystander(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in _BYSTANDERS)


def unified_diff(path: str, found: bytes | None, wanted: bytes | None) -> Iterator[str]:
    """Yield a unified diff without line ends; bytes that are not text, and control characters, are escaped."""
    before, after = _lines(found), _lines(wanted)
    yield from difflib.unified_diff(
        before,
        after,
        "/dev/null" if found is None else f"a/{path}",
        "/dev/null" if wanted is None else f"b/{path}",
        lineterm="",
    )


_VISIBLE = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))}


def _lines(contents: bytes | None) -> list[str]:
    if not contents:
        return []
    text = contents.decode("utf-8", errors="backslashreplace")
    lines = text.translate(_VISIBLE).split("\n")
    if lines[-1]:
        lines[-1] += "\\ No newline at end of file"
    else:
        lines.pop()
    return lines
