"""The output folder as it should be and as it is: what polywire wrote there, also in a run that was interrupted."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from polywire.targets.common.header import Header, is_marked
from polywire.writing.disk import peek, read, walk
from polywire.writing.manifest import Entry, Manifest, below, decode, digest_of
from polywire.writing.results import AddOns, Runtime, Trees

if TYPE_CHECKING:
    from polywire.targets.common.base import AddOn

STAGED = ".polywire-manifest.tmp"
TEMPORARY = ".polywire-*.tmp"


@dataclass(frozen=True, slots=True)
class Folder:
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
        return read(self.root, path)

    def is_ours(self, path: str, found: bytes) -> bool:
        """Return whether polywire may replace the file. An empty file may always be replaced."""
        return not found or path in self.known.files or is_marked(found)

    def is_as_written(self, path: str, found: bytes) -> bool:
        return digest_of(found) == self.known.files.get(path)

    def may_prune(self, path: str, found: bytes) -> bool:
        """Return whether an obsolete file may be removed: it is as generated, or at least has the generated mark."""
        return self.is_as_written(path, found) or is_marked(found)


def survey(
    root: Path,
    trees: Trees,
    header: Header,
    listing: str,
    *,
    whole: bool,
    add_ons: AddOns | None,
    runtime: Runtime,
) -> Folder:
    """Read the folder. With `whole`, targets known only from the manifest are removed, otherwise left alone."""
    wanted = {below(target, path): contents for target, files in trees.items() for path, contents in files.items()}
    staged = read(root, STAGED)
    listed = known_files(root, listing).targets
    known = Manifest({name: entry for name, entry in listed.items() if name or "" in trees})
    own = add_ons or {}
    fresh = {
        target: Entry(
            generator=header.generator,
            protocol=f"{header.protocol} {header.version}" + (f" ({header.dialect})" if header.dialect else ""),
            made_of=own[target].input if target in own else header.spec,
            files={below(target, path): digest_of(contents) for path, contents in files.items()},
            add_on=target in own,
            runtime=frozenset(below(target, path) for path in runtime.get(target, ())),
        )
        for target, files in trees.items()
    }

    others = {
        name: entry
        for name, entry in known.targets.items()
        if name not in trees and (not whole or (entry.add_on and (add_ons is None or name in add_ons)))
    }
    gone = sorted(known.files.keys() - Manifest(others).files.keys() - wanted.keys())
    return Folder(
        root=root,
        wanted=wanted,
        listing=listing,
        manifest=Manifest(others | fresh).encode(),
        known=known,
        gone={path: found for path in gone if (found := peek(root, path)) is not None},
        interrupted=staged is not None,
        strays=tuple(dict.fromkeys(_strays(root, {*trees, *known.targets}))),
    )


def known_files(root: Path, listing: str) -> Manifest:
    """Return the files that polywire wrote, as far as the manifest on disk and an interrupted run show."""
    return _salvaged(root, decode(read(root, listing)), decode(read(root, STAGED)))


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
            if (found := peek(root, path)) is not None and digest_of(found) == digest
        }
        targets[name] = replace(base, files={**base.files, **in_place})
    return Manifest(targets)


def _strays(root: Path, folders: Iterable[str]) -> Iterator[Path]:
    yield from (path for path in sorted(root.glob(TEMPORARY)) if path.name != STAGED)
    found = {
        Path(below) / name
        for folder in folders
        for below, _, names in walk(root, folder)
        for name in fnmatch.filter(names, TEMPORARY)
        if name != STAGED
    }
    yield from sorted(found)


# --- add-ons ---------------------------------------------------------------------------------------------------


def up_to_date(root: Path, name: str, add_on: AddOn, trees: Trees, known: Manifest) -> Mapping[str, bytes] | None:
    """Return the files of an add-on's tool from the disk, or None if it has to generate them."""
    entry = known.targets.get(name)
    if entry is None or entry.made_of != add_on.input:
        return None
    made: dict[str, bytes] = {}
    for path, digest in of_tool(name, entry, trees):
        found = read(root, path)
        if found is None or digest_of(found) != digest:
            return None
        made[path.removeprefix(f"{name}/")] = found
    return made


def of_tool(name: str, entry: Entry, trees: Trees) -> Iterator[tuple[str, str]]:
    """Yield the paths of the files of an add-on's tool, each with its hash."""
    rendered = {below(name, path) for path in trees[name]}
    yield from ((path, digest) for path, digest in entry.files.items() if path not in rendered)
