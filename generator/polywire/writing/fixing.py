"""Fixes of findings → the files of a spec, changed at these places only."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from polywire.ground.finding import Fix
from polywire.source.tree import LINE_BREAK
from polywire.writing.disk import read, reason, resolved, store, sync_folder
from polywire.writing.results import OutputError


def write(folder: Path, fixes: Collection[Fix], texts: Mapping[str, str]) -> None:
    """Change the files below a folder, each at once; `texts` are the files as they were checked.

    Raises `OutputError` before anything is changed if a link leads to a file, if it cannot be written, or if it is not
    as it was checked.
    """
    root = resolved(folder)
    changed = {file: fixed(texts[file], [fix for fix in fixes if fix.place.file == file]) for file in _files(fixes)}
    for file in changed:
        if read(root, file) != texts[file].encode():
            raise OutputError(f"{folder / file}: changed while it was checked; run polywire lint --fix again")
        if not os.access(root / file, os.W_OK):
            raise OutputError(f"{folder / file}: may not be written; nothing was changed")
    for file, text in changed.items():
        _replace(root / file, text.encode())


def _files(fixes: Collection[Fix]) -> Collection[str]:
    return dict.fromkeys(fix.place.file for fix in fixes)


def fixed(text: str, fixes: Collection[Fix]) -> str:
    """Apply fixes to the text of their file."""
    starts = [0, *(found.end() for found in LINE_BREAK.finditer(text))]
    for fix in sorted(fixes, key=lambda fix: (fix.place.line, fix.place.column), reverse=True):
        at = starts[fix.place.line - 1] + fix.place.column - 1
        text = text[:at] + fix.new + text[at:].removeprefix(fix.old)
    return text


def _replace(place: Path, contents: bytes) -> None:
    new = place.with_name(f".polywire-{os.getpid()}.tmp")
    try:
        store(new, contents)
        new.chmod(place.stat().st_mode)
        new.replace(place)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise OutputError(f"{place}: {reason(error)}") from error
    sync_folder(place.parent)
