"""A path for output → the reason why it cannot be used, if any."""

from __future__ import annotations

import os
import re
from pathlib import Path

_BAD_PATHS = (
    (re.compile(r"/"), "is absolute"),
    (re.compile(r"(.*/)?[. ]*(/|$)"), "has an empty part, or one of dots"),
    (re.compile(r'.*[\x00-\x1f\x7f\\:*?"<>|]', re.DOTALL), "has a character that not every system can have in a name"),
)


def path_fault(path: str) -> str | None:
    """Return why a path with `/` separators would not stay below a folder on every system, or None if it does."""
    return next((fault for pattern, fault in _BAD_PATHS if pattern.match(path)), None)


def control_folder(folder: str) -> str | None:
    """Return why a folder that controls a tool is unsuitable for output: `.git/hooks`, `.github/workflows`."""
    first = next((part for part in folder.split("/") if re.match(r"\.|git~\d", part, re.IGNORECASE)), None)
    return f"is in `{first}`, which controls a tool" if first is not None and folder != "." else None


def output_fault(folder: Path) -> str | None:
    """Apply `control_folder` to a folder named on the command line, with symbolic links resolved.

    Hidden folders that contain the working folder are allowed, since a checkout may be in one. A folder of git is not.
    """
    found = folder.resolve()
    below = [part for part in Path(os.path.relpath(found)).parts if part != os.pardir]
    git = (part for part in found.parts if re.fullmatch(r"\.git|git~\d", part, re.IGNORECASE))
    return control_folder("/".join(below)) or control_folder(next(git, "."))
