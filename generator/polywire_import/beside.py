"""A reference in a document → the file that it leads to, in the folder of the given document or below it.

Relative references lead to files beside the one that they are in. URIs lead to the files that have the place that these
URIs say, seen from the document's own `$id`, or that have the URI as their `$id`. Nothing else is read: no file outside
of the folder, no link, no address.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote, urljoin

from polywire_import.shapes import ImportingError

MOST_FILES = 1000
"""Maximum number of files that are read because of references."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_OUTSIDE = re.compile(r"\.\.(/|$)|.*[\\:\0]", re.DOTALL)
"""Paths that lead out of the folder, on some system."""


class Beside:
    """The files around some given documents. They are named by their paths in the folder, `load` reads one."""

    def __init__(self, given: Sequence[Path], load: Callable[[Path], Any]) -> None:
        self._given = {path.name: path.parent for path in given}
        self._folders = dict(self._given)
        """The folder of the given document that led to each file."""
        self._load = load

    def find(self, file: str, reference: str, uri: str, base: str) -> tuple[str, Any] | None:
        """Return the name and the contents of the file that a reference in a file leads to; None if there is none.

        `uri` is the whole URI of the reference, as far as it is known, and `base` that of the file. Raises
        `ImportingError` if the file must not be read.
        """
        for name, needs_id in _candidates(file, reference, uri, base):
            path = self._path(self._folders[file], name)
            if path is None:
                continue
            if self._folders.get(name, self._folders[file]) != self._folders[file]:
                raise ImportingError(f"references lead to two files called {name!r}, in different folders")
            if len(self._folders) - len(self._given) >= MOST_FILES:
                raise ImportingError(f"references lead to more than {MOST_FILES} files")
            found = self._load(path)
            if needs_id and not _same(found.get("$id", found.get("id")), uri):
                continue
            self._folders[name] = self._folders[file]
            return name, found
        return None

    def knows(self, file: str, name: str) -> bool:
        """Return whether a name in a file is that of a given document, or of a file that was found in its folder."""
        return name in self._given or self._folders.get(name) == self._folders[file]

    def _path(self, folder: Path, name: str) -> Path | None:
        """Return the path of a file in a folder; None if there is none."""
        if name.startswith("/") or _OUTSIDE.match(name):
            raise ImportingError(
                f"the reference leads to {name!r}, outside of the folder of the document; give that document as a"
                " further source"
            )
        path = folder
        for step in name.split("/"):
            path /= step
            try:
                mode = path.lstat().st_mode
            except (OSError, ValueError):
                return None
            if stat.S_ISLNK(mode):
                raise ImportingError(
                    f"the reference leads to {name!r}, which is or is behind a link; links are not followed"
                )
        return path if stat.S_ISREG(mode) else None


def _candidates(file: str, reference: str, uri: str, base: str) -> Iterator[tuple[str, bool]]:
    """Yield the names that a reference can mean, each with whether the file must have the URI as its `$id`."""
    beside = dirname(file)
    if not _SCHEME.match(reference) and not reference.startswith("//"):
        yield normpath(join(beside, unquote(reference))), False
    around = urljoin(base, ".")
    names = []
    if _SCHEME.match(base) and uri.startswith(around):
        names.append((unquote(uri.removeprefix(around)), False))
    if _SCHEME.match(uri):
        names.append((unquote(uri.rpartition("/")[2]), True))
    for name, needs_id in names:
        if name:
            yield normpath(join(beside, name)), needs_id
            yield normpath(join(beside, f"{name}.json")), needs_id


def _same(identifier: object, uri: str) -> bool:
    """Return whether an `$id` is a URI, regardless of `http` or `https`."""
    return isinstance(identifier, str) and identifier.rstrip("#").partition(":")[2] == uri.partition(":")[2]
