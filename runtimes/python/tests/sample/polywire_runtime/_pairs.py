"""The types of answers to requests, and of what tools take and give: the tables of `_control` and `_tools`."""

from __future__ import annotations

from .model import Answer, Ask, Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "ERROR",
    "ERROR_CLASSES",
    "ERROR_MESSAGE",
    "INPUTS",
    "INPUT_PATTERNS",
    "OUTPUTS",
    "OUTPUT_PATTERNS",
    "PAYLOAD",
    "REQUEST_ENVELOPE",
    "REQUEST_ID",
    "RESPONSES",
    "RESULT",
    "RESULT_FLAT",
    "RESULT_POINTER",
    "error_envelope",
    "request_envelope",
    "response_envelope",
]

RESPONSES: dict[str, tuple[Any, bool]] = {"Look": ("Sight", False), "Forget": (None, False), "Note": ("Color", True)}
"""Request → type of its answer, None where it has none, and whether the answer may come without."""

REQUEST_ENVELOPE = Ask
PAYLOAD: tuple[str, ...] = ("request",)
"""Attributes that lead from a request's envelope to the request."""

REQUEST_ID: tuple[str, ...] = ("id",)
"""Attributes that lead from a request's envelope to its id."""

RESULT: tuple[str, ...] = ("result",)
"""Attributes that lead from a response's envelope to the answer."""

RESULT_FLAT = False
"""Whether the members of an answer are members of the response itself, so that one without members looks absent."""

RESULT_POINTER = "/result"

ERROR: tuple[str, ...] = ()
"""Attributes that lead from a response's envelope to what says that there is no answer."""

ERROR_CLASSES: tuple[str, ...] = ("Refusal",)
ERROR_MESSAGE = "reason"


def request_envelope(request_id: Any, payload: Any) -> Any:
    """A request in its envelope."""
    return Ask(id=request_id, request=payload)


def response_envelope(request_id: Any, answer: Any) -> Any:
    """An answer in its envelope."""
    return Answer(id=request_id, result=answer)


def error_envelope(request_id: Any, message: str) -> Any:
    """A refusal in its envelope."""
    return Refusal(id=request_id, reason=message)


INPUTS: dict[str, Any] = {"Write": "Note"}
INPUT_PATTERNS: dict[str, Any] = {"look_*_at": "Look", "list_*": ["[]", "string", None, None]}
"""Name of a tool, or a pattern of names, → type of its input."""

OUTPUTS: dict[str, Any] = {"Write": "Sight"}
OUTPUT_PATTERNS: dict[str, Any] = {}
"""Name of a tool, or a pattern of names, → type of its output."""
