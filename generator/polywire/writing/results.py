"""What `write` and `compare` take and return: trees of files, and the changes or differences of each file."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from polywire.targets.common.base import AddOn

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
