"""The requests and tools of the sample protocol, as polywire generates their tables."""

from __future__ import annotations

from . import model as _model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RESPONSES: dict[type, tuple[Any, bool]] = {
    _model.Look: ("Sight", False),
    _model.Forget: (None, False),
}
TYPES: dict[str, Any] = {"Sight": _model.Sight}
REQUEST_ENVELOPE = _model.Ask
PAYLOAD: tuple[str, ...] = ("request",)
REQUEST_ID: tuple[str, ...] = ("id",)
RESULT: tuple[str, ...] = ("result",)
RESULT_FLAT = False
RESULT_POINTER = "/result"


def request_envelope(request_id: Any, payload: Any) -> Any:
    """A request in its envelope."""
    return _model.Ask(id=request_id, request=payload)


def response_envelope(request_id: Any, answer: Any) -> Any:
    """An answer in its envelope."""
    return _model.Answer(id=request_id, result=answer)


INPUTS: dict[str, Any] = {"Write": "Note"}
INPUT_PATTERNS: dict[str, Any] = {"look_*_at": "Look", "list_*": ("[]", "string", None, None)}
OUTPUTS: dict[str, Any] = {"Write": "Sight"}
OUTPUT_PATTERNS: dict[str, Any] = {}
