"""Commands that other packages add to polywire, which knows nothing else of these packages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

GROUP = "polywire.commands"
"""The entry points that name a command of click each."""


def added() -> dict[str, Callable[[], click.Command]]:
    """The names of the commands, and functions that import them."""
    from importlib.metadata import entry_points

    return {each.name: each.load for each in entry_points(group=GROUP)}
