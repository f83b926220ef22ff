"""`NotRequired` and `TypedDict`, from `typing_extensions` if it is installed, else from `typing`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypedDict
else:
    try:  # before 3.12, pydantic accepts only those of `typing_extensions`, which it depends on
        from typing_extensions import NotRequired, TypedDict
    except ImportError:
        from typing import NotRequired, TypedDict

__all__ = ["NotRequired", "TypedDict"]
