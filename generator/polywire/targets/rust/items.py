"""What the views of all declared items have: where the item is, and the row that implements its codec."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.targets.rust.names import Home


@dataclass(frozen=True, slots=True)
class Item:
    """A type of the crate."""

    home: Home
    macro: str
    """The macro that implements its codec; empty if it needs none."""
    codec: str
    """Its row in the format of that macro."""
    name: str
