"""What commands of several kinds raise alike."""

from __future__ import annotations


class WrongUseError(ValueError):
    """What was asked for is not there, or not clear; the message says what, and what to do."""
