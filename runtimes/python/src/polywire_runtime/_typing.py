"""What the flavour of plain dicts is made of, from wherever the Python at hand has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypedDict
else:
    try:  # pydantic takes none of `typing` before 3.12, and brings `typing_extensions`
        from typing_extensions import NotRequired, TypedDict
    except ImportError:
        from typing import NotRequired, TypedDict

__all__ = ["NotRequired", "TypedDict"]
