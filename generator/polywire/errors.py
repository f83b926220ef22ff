"""What commands of several kinds raise alike."""

from __future__ import annotations


class WrongUseError(ValueError):
    """What was asked for is not there, or not clear; the message says what, and what to do."""


class RenderError(Exception):
    """A target or one of its templates is at fault, not the spec; the message says which and where."""
