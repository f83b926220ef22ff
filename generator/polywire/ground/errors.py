"""Exceptions raised by several kinds of commands."""

from __future__ import annotations


class WrongUseError(ValueError):
    """What was asked for does not exist or is ambiguous; the message says why and what to do."""


class RenderError(Exception):
    """A target or one of its templates has an error, rather than the spec; the message says which and where."""
