"""Names of a spec → file names and anchors that every file system, address and browser accepts.

A file is named after its declaration. If two names would be the same file on a system that ignores case, or a system
reserves a name, a hash of the name is appended to the later one, so that a third declaration cannot change it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from itertools import chain

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST = 100
_KEPT = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])", re.IGNORECASE)
"""File names that Windows reserves, whatever their extension."""

_ANCHOR = re.compile(r"[^A-Za-z0-9_.-]")


def stems(names: Iterable[str]) -> dict[str, str]:
    """Return the stem of the file name for each name."""
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
    """Return the id for a name, which addresses can contain unescaped; different names have different ids."""
    return f"{prefix}-" + _ANCHOR.sub(lambda found: f"~{ord(found[0]):x}~", name)
