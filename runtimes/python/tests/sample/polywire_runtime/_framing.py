"""How messages are separated on a stream."""

from __future__ import annotations

from ._ndjson import Framing, frame

__all__ = ["Framing", "frame"]
