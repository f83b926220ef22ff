"""The requests with their responses, and the inputs and outputs of tools: tables for the runtime."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    from ._base import Unset
    from ._session import Session
    from .model import Answer, Ask, Color, Drop, Line, Refusal, Request, Sight

    TypedMessage: TypeAlias = Line
    TypedPeer: TypeAlias = Literal["client", "server"]
    TypedId: TypeAlias = str
    TypedRequest: TypeAlias = Request
    TypedRequestEnvelope: TypeAlias = Ask
    TypedResponseEnvelope: TypeAlias = Answer
    TypedNotification: TypeAlias = Any
    TypedNotice: TypeAlias = Any
    TypedNotificationEnvelope: TypeAlias = Any
    TypedCancelled: TypeAlias = str
    TypedCancellation: TypeAlias = Drop
    TypedReason: TypeAlias = str
    TypedErrorEnvelope: TypeAlias = Refusal
    TypedCode: TypeAlias = int | str | None
    TypedData: TypeAlias = Any | Unset
    TypedLine: TypeAlias = bytes
    TypedResult: TypeAlias = Sight | Color
    TypedSession: TypeAlias = Session[Any]

__all__ = ["INPUTS", "INPUT_PATTERNS", "OUTPUTS", "OUTPUT_PATTERNS", "SESSION"]

SESSION: dict[str, Any] = {
    "by": "what",
    "notice_by": "",
    "peers": ("client", "server"),
    "draw": "uuid",
    "prefix": "",
    "payload": "Request",
    "request": {
        "envelope": "Ask",
        "at": {"id": (("id", ("Ask",)),), "payload": (("request", ("Ask",)),)},
        "when": (),
        "new": ("new", "Ask", {"id": ("given", "id"), "request": ("given", "payload")}),
    },
    "notify": None,
    "response": {
        "envelope": "Answer",
        "at": {"id": (("id", ("Answer",)),), "result": (("result", ("Answer",)),)},
        "when": (),
        "new": ("new", "Answer", {"id": ("given", "id"), "result": ("given", "payload")}),
    },
    "error": {
        "envelope": "Refusal",
        "at": {
            "id": (("id", ("Refusal",)),),
            "message": (("reason", ("Refusal",)),),
            "code": (("code", ("Refusal",)),),
            "data": (("data", ("Refusal",)),),
        },
        "when": (),
        "new": (
            "new",
            "Refusal",
            {
                "id": ("given", "id"),
                "reason": ("given", "message"),
                "code": ("given", "code"),
                "data": ("given", "data"),
            },
        ),
    },
    "cancel": {
        "envelope": "Drop",
        "at": {"id": (("id", ("Drop",)),)},
        "when": (),
        "new": ("new", "Drop", {"id": ("given", "id")}),
    },
    "cancel_notice": False,
    "answered": False,
    "pointer": "/result",
    "none": None,
    "flat": False,
    "null_result": False,
    "null_data": True,
    "codes": (None, -1),
    "data": ((7, "Sight"),),
    "answers": (
        ("Look", "client", ("Sight", False, False)),
        ("Forget", "client", (None, True, False)),
        ("Note", "both", ("Color", True, False), "Note"),
    ),
    "notices": (),
    "announced": None,
}
"""The session table of the protocol (`polywire.plan.session`)."""

INPUTS: dict[str, Any] = {"Write": "Note"}
INPUT_PATTERNS: dict[str, Any] = {"look_*_at": "Look", "list_*": ["[]", "string", None, None]}
"""Name of a tool, or a pattern of names, → type of its input."""

OUTPUTS: dict[str, Any] = {"Write": "Sight"}
OUTPUT_PATTERNS: dict[str, Any] = {}
"""Name of a tool, or a pattern of names, → type of its output."""
