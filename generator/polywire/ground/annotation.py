"""A finding in a file → a workflow command with which GitHub shows it at that line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["error", "warning", "notice"]


def annotation(
    level: Level, message: str, *, title: str, file: str | None = None, line: int = 1, column: int | None = None
) -> str:
    """Return one line without its line end. `file` is as returned by `in_workspace`; without it, no place is given."""
    place = {} if file is None else {"file": file, "line": str(line)}
    if file is not None and column is not None:
        place["col"] = str(column)
    written = ",".join(f"{key}={_property(value)}" for key, value in {**place, "title": title}.items())
    return f"::{level} {written}::{_data(message)}"


def in_workspace(path: Path) -> str:
    """Return a path as annotations need it: relative to the workflow's checkout, or else to the repository's root."""
    try:
        absolute, top = Path(os.path.realpath(path)), _top()
    except UnicodeEncodeError:  # a file name cannot contain this
        return path.as_posix()
    return absolute.relative_to(top).as_posix() if absolute.is_relative_to(top) else path.as_posix()


def _top() -> Path:
    workspace = os.environ.get("GITHUB_WORKSPACE")
    here = Path(os.path.realpath(workspace or os.curdir))
    above = (folder for folder in (here, *here.parents) if (folder / ".git").exists())
    return here if workspace else next(above, here)


def _data(text: str) -> str:
    """Escape the text after `::` as the runner unescapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape the value of a property, which must not contain the separator of properties or the end of the command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
