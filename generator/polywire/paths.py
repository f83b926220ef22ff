"""A path that output goes to → why it may not be one."""

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
    """Why a path, with `/` between its parts, does not stay below a folder on every system, if it does not."""
    return next((fault for pattern, fault in _BAD_PATHS if pattern.match(path)), None)


def control_folder(folder: str) -> str | None:
    """Why a folder is none for output, if a tool obeys what is in it: `.git/hooks`, `.github/workflows`."""
    first = next((part for part in folder.split("/") if re.match(r"\.|git~\d", part, re.IGNORECASE)), None)
    return f"is in `{first}`, which controls a tool" if first is not None and folder != "." else None


def output_fault(folder: Path) -> str | None:
    """The same of a folder that was named on the command line, with the links in its path followed.

    Hidden folders that contain the working folder do not count, as a checkout may be in one. A folder of git does.
    """
    found = folder.resolve()
    below = [part for part in Path(os.path.relpath(found)).parts if part != os.pardir]
    git = (part for part in found.parts if re.fullmatch(r"\.git|git~\d", part, re.IGNORECASE))
    return control_folder("/".join(below)) or control_folder(next(git, "."))
