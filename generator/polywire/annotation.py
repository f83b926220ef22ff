"""What was found in a file → a workflow command, by which GitHub shows it at the line in question."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["error", "warning", "notice"]


def annotation(
    level: Level, message: str, *, title: str, file: str | None = None, line: int = 1, column: int | None = None
) -> str:
    """One line, without its end. `file` is as `in_workspace` gives it; without one nothing is pointed at."""
    place = {} if file is None else {"file": file, "line": str(line)}
    if file is not None and column is not None:
        place["col"] = str(column)
    written = ",".join(f"{key}={_property(value)}" for key, value in {**place, "title": title}.items())
    return f"::{level} {written}::{_data(message)}"


def in_workspace(path: Path) -> str:
    """A path as annotations need it: from the top of the checkout that a workflow runs in, or that we are in."""
    try:
        absolute, top = Path(os.path.realpath(path)), _top()
    except UnicodeEncodeError:  # no file can be called so
        return path.as_posix()
    return absolute.relative_to(top).as_posix() if absolute.is_relative_to(top) else path.as_posix()


def _top() -> Path:
    told = os.environ.get("GITHUB_WORKSPACE")
    here = Path(os.path.realpath(told or os.curdir))
    above = (folder for folder in (here, *here.parents) if (folder / ".git").exists())
    return here if told else next(above, here)


def _data(text: str) -> str:
    """Text after `::`, as the runner unescapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """The value of a property, which may hold neither the sign between properties nor the end of the command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
