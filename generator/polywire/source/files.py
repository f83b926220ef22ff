"""The files of a spec, wherever they are: in a folder on disk, or in git (`polywire.source.revision`)."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class UnsafeFileError(OSError):
    """A file that is not read, although there is one: it is outside of the spec's folder, or its name is unsafe."""


class Files(Protocol):
    """A spec's folder. Paths are relative to it, with `/`, and have no `..`; links in the folder are followed."""

    @property
    def folder(self) -> Path:
        """The folder as shown to people."""
        ...

    def read(self, path: str, limit: int) -> bytes:
        """Return the contents of a file, at most `limit` bytes. Raises `UnsafeFileError`, and `OSError` without it."""
        ...

    def names(self, path: str) -> list[str]:
        """Return the names in a folder below, or in the folder itself for ""; none if there is no such folder."""
        ...


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of a folder on disk."""

    folder: Path

    def read(self, path: str, limit: int) -> bytes:
        top = os.path.realpath(self.folder)
        place = Path(top, path)
        if not Path(os.path.realpath(place)).is_relative_to(top):
            raise UnsafeFileError(f"{path} is a link that leaves the spec's folder")
        with open(place, "rb", opener=_open) as stream:
            return stream.read(limit)

    def names(self, path: str) -> list[str]:
        try:
            return os.listdir(self.folder / path)  # noqa: PTH208 (names are wanted, not paths)
        except OSError:
            return []


def _open(path: str, flags: int) -> int:
    """Open a file only if it is a regular one: reading a pipe or device would block."""
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file", path)
    return descriptor
