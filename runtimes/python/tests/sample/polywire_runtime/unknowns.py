"""Objects that match no variant of an open union, kept unchanged."""

from __future__ import annotations

from ._base import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["UnknownBody", "UnknownCall", "UnknownEvent", "UnknownLine"]


class UnknownLine(Unknown):
    """An object of Line that matches no variant."""

    __slots__ = ()

    @property
    def kind(self) -> Any:
        """The object's `kind`."""
        return self.raw.get("kind")

    @property
    def what(self) -> Any:
        """The object's `what`."""
        return self.raw.get("what")


class UnknownBody(Unknown):
    """An object of Body that matches no variant."""

    __slots__ = ()

    @property
    def form(self) -> Any:
        """The object's `form`."""
        return self.raw.get("form")


class UnknownCall(Unknown):
    """An object of Call that matches no variant."""

    __slots__ = ()


class UnknownEvent(UnknownLine):
    """An object of Event that matches no variant."""

    __slots__ = ()
