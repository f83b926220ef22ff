"""A path from a file, a repository or a command line → the reason why it cannot be used, if any.

Every path that others wrote is checked here before it is joined to a folder.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TypeAlias

_Fault: TypeAlias = tuple[re.Pattern[str], str]

DEVICES = frozenset(
    {"aux", "con", "nul", "prn", *(f"{kind}{number}" for kind in ("com", "lpt") for number in range(10))}
)
"""The names of devices on Windows, where no file or folder can have one, in any case and before any extension."""

_ANY_CASE = (
    "".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in form)
    for form in ("aux", "com[0-9]", "con", "lpt[0-9]", "nul", "prn")
)
NO_DEVICE = rf"(?!(?:{'|'.join(_ANY_CASE)})(?:[./]|$))"
"""The pattern of what follows if it is not the name of a device."""

_DOTS: _Fault = (re.compile(r"(.*/)?[. ]*(/|$)", re.DOTALL), "has an empty part, or one of dots")
_PATH: tuple[_Fault, ...] = (
    (re.compile(r"/"), "is absolute"),
    _DOTS,
    (re.compile(r'.*[\x00-\x1f\x7f\\:*?"<>|]', re.DOTALL), "has a character that not every system can have in a name"),
    (re.compile(rf"(.*/)?(?!{NO_DEVICE})", re.DOTALL), "has a part that is a device on Windows"),
    (re.compile(r".*[\ud800-\udfff]", re.DOTALL), "is not Unicode text"),
)
_ENTRY: tuple[_Fault, ...] = (
    (re.compile(r".*[/\\\x00]", re.DOTALL), "has a character that separates or ends names"),
    _DOTS,
    (re.compile(r"[A-Za-z]:"), "begins with a drive of Windows"),
    (re.compile(r"(\.git|git~\d)$", re.IGNORECASE), "is git's own folder"),
)


def path_fault(path: str) -> str | None:
    """Return why a path with `/` separators would not stay below a folder on every system, or None if it does."""
    return _fault(path, _PATH)


def entry_fault(name: str) -> str | None:
    """Return why no entry of a folder can have this name, or None if one can.

    Names that only some systems allow are accepted, since no file is created by them.
    """
    return _fault(name, _ENTRY)


def link_below(folder: Path, path: Path) -> Path | None:
    """Return the first symbolic link on the way from a folder to a file below it; writing the file would follow it."""
    ways = (path, *path.parents)
    inside = ways[: ways.index(folder)] if folder in ways else ways
    return next((each for each in reversed(inside) if each.is_symlink()), None)


def _fault(text: str, faults: tuple[_Fault, ...]) -> str | None:
    return next((fault for pattern, fault in faults if pattern.match(text)), None)


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
