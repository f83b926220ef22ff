"""Names of a spec → names of files and anchors that every file system, address and browser can hold.

A file is called after its declaration. Where two names would be one file on a system that ignores case, or a system
keeps a name for itself, the later one gets a hash of its name behind it, so that no third declaration can move it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from itertools import chain

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST = 100
_KEPT = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])", re.IGNORECASE)
"""What Windows does not take for a file, whatever stands behind its dot."""

_ANCHOR = re.compile(r"[^A-Za-z0-9_.-]")


def stems(names: Iterable[str]) -> dict[str, str]:
    """The stem of a file's name for each name."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    ordered = list(dict.fromkeys(names))
    plain = [name for name in ordered if _is_plain(name)]
    for name in chain(plain, (name for name in ordered if not _is_plain(name))):
        stem = name if _is_plain(name) else ""
        if not stem or stem.casefold() in taken:
            digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
            readable = "".join(_PLAIN.findall(name))[:_LONGEST]
            stem = next(s for n in range(8, 65) if (s := f"{readable}-{digest[:n]}").casefold() not in taken)
        taken.add(stem.casefold())
        found[name] = stem
    return found


def _is_plain(name: str) -> bool:
    return len(name) <= _LONGEST and _PLAIN.fullmatch(name) is not None and _KEPT.fullmatch(name) is None


def anchor(prefix: str, name: str) -> str:
    """The id of what is called so, which an address takes as it is; different names have different ones."""
    return f"{prefix}-" + _ANCHOR.sub(lambda found: f"~{ord(found[0]):x}~", name)


def pointer(way: Iterable[str]) -> str:
    """Keys as a JSON Pointer."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in way)
