"""The types of answers to requests and of the inputs and outputs of tools: the tables of `_control` and `_tools`."""

from __future__ import annotations

from .model import Answer, Ask, Drop, Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "ANNOUNCED",
    "ANSWERED",
    "CANCELLATION",
    "CODES",
    "CONDITIONS",
    "DATA",
    "DATA_NULLABLE",
    "ERROR_ENVELOPE",
    "INPUTS",
    "INPUT_PATTERNS",
    "NONE",
    "NOTIFICATIONS",
    "NOTIFICATION_ENVELOPE",
    "NUMBERED",
    "OUTPUTS",
    "OUTPUT_PATTERNS",
    "PAYLOAD",
    "PEERS",
    "PREFIX",
    "REQUEST_ENVELOPE",
    "RESPONSES",
    "RESPONSE_ENVELOPE",
    "RESULT_FLAT",
    "RESULT_NULLABLE",
    "RESULT_POINTER",
    "SENT_BY",
    "WAYS",
    "cancellation",
    "error_envelope",
    "notification_envelope",
    "request_envelope",
    "response_envelope",
]

RESPONSES: dict[str, tuple[Any, ...]] = {
    "Look": ("Sight", False, False, None),
    "Forget": (None, True, False, None),
    "Note": ("Color", True, False, "Note"),
}
"""Request → type of its answer, whether it may be absent, whether it may be null, and type of the error data."""

NOTIFICATIONS: tuple[str, ...] = ()
"""Messages that have no answer."""

PAYLOAD: Any = "Request"
"""The type of the payloads of requests."""

PEERS: tuple[str, ...] = ("client", "server")

SENT_BY: dict[str, tuple[str, ...]] = {"both": ("Note",), "client": ("Look", "Forget")}
"""A peer, or `both` → the requests and notifications that it sends."""

REQUEST_ENVELOPE = Ask
NOTIFICATION_ENVELOPE: Any = None
RESPONSE_ENVELOPE = Answer
ERROR_ENVELOPE: Any = Refusal
CANCELLATION: str | None = "Drop"
"""The class of the message that cancels a request: an envelope of its own, or a notification."""

ANNOUNCED: tuple[Any, ...] | None = None
ANSWERED = False
"""Whether the peer still answers a cancelled request."""

WAYS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "request_id": (("id", ("Ask",)),),
    "payload": (("request", ("Ask",)),),
    "news": (),
    "response_id": (("id", ("Answer",)),),
    "result": (("result", ("Answer",)),),
    "error_id": (("id", ("Refusal",)),),
    "message": (("reason", ("Refusal",)),),
    "code": (("code", ("Refusal",)),),
    "data": (("data", ("Refusal",)),),
    "cancelled": (("id", ("Drop",)),),
}
"""Name of a place in an envelope → the path of attributes to it, each with the classes that have it."""

CONDITIONS: dict[str, Any] = {
    "request": (),
    "notify": (),
    "response": (),
    "error": (),
}
"""A form → the places that distinguish it from other forms of the same envelope, each with its value."""

RESULT_FLAT = False
"""Whether the members of an answer are members of the response itself, so that one without members looks absent."""

RESULT_NULLABLE = False
"""Whether the attribute for the answer is UNSET if there is none."""

DATA_NULLABLE = True
"""Whether the attribute for the error data is UNSET if there is none."""

RESULT_POINTER = "/result"

NONE: str | None = None
"""The JSON text of the answer `none`, if it is not represented by absence."""

NUMBERED = False
"""Whether a new id is a number."""

PREFIX: str | None = None
"""The text before the counter of a new id; None for UUIDs."""

CODES: tuple[Any, Any] = (None, -1)
"""The code of a refusal, and the code of the answer to an unknown request."""

DATA: dict[Any, Any] = {7: "Sight"}
"""Code of an error → type of its data."""


def request_envelope(request_id: Any, payload: Any) -> Any:
    """A request in its envelope."""
    return Ask(id=request_id, request=payload)


def notification_envelope(payload: Any) -> Any:
    """A notification in its envelope."""
    raise NotImplementedError


def response_envelope(request_id: Any, payload: Any) -> Any:
    """An answer in its envelope."""
    return Answer(id=request_id, result=payload)


def error_envelope(request_id: Any, message: str, code: Any, data: Any) -> Any:
    """An error in its envelope."""
    return Refusal(id=request_id, reason=message, code=code, data=data)


def cancellation(request_id: Any) -> Any:
    """The message that cancels a request."""
    return Drop(id=request_id)


INPUTS: dict[str, Any] = {"Write": "Note"}
INPUT_PATTERNS: dict[str, Any] = {"look_*_at": "Look", "list_*": ["[]", "string", None, None]}
"""Name of a tool, or a pattern of names, → type of its input."""

OUTPUTS: dict[str, Any] = {"Write": "Sight"}
OUTPUT_PATTERNS: dict[str, Any] = {}
"""Name of a tool, or a pattern of names, → type of its output."""
