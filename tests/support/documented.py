"""The facts that documents of other systems state about their protocol: names, members and values, by dialect.

They are data in `dialects/data`, and in `go/listing.toml` for the Go types of goat's specification.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import tomllib

DATA = Path(__file__).resolve().parents[1] / "dialects" / "data"


@cache
def document(dialect: str) -> dict[str, Any]:
    """Return the facts of the document of a dialect."""
    return tomllib.loads((DATA / f"{dialect}.toml").read_text(encoding="utf-8"))


def checklist() -> list[str]:
    """Return the titles of the items in the verification checklist of goat's specification."""
    items = document("goat-spec")["checklist"]
    assert isinstance(items, list)
    return items


def members(listed: Iterable[str]) -> dict[str, bool]:
    """Return the members of a list, with whether each may be absent: `uuid?` may."""
    return {each.removesuffix("?"): each.endswith("?") for each in listed}
