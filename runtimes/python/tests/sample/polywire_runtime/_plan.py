"""The tables of the sample protocol, as polywire generates them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["CONSTANTS", "FLAT", "IDLE", "PLAN", "REQUIRED", "STRUCTS", "UNKNOWNS", "UNKNOWN_UNIONS"]

PLAN: dict[str, tuple[Any, ...]] = {
    "Color": ("enum", "string", True, ("red", "blue")),
    "Note": (
        "struct",
        (("kind", False, "note"),),
        (),
        (
            ("text", "string", 1),
            ("color", "Color", 0),
            ("reply_to", "string", 2),
            ("count", "integer", 0),
            ("data", "json", 2),
        ),
        None,
    ),
    "Look": ("struct", (("what", False, "look"),), (), (("at", "uuid", 1),), None),
    "Forget": ("struct", (("what", False, "forget"),), (), (), None),
    "Ask": ("struct", (("kind", False, "ask"),), (), (("id", "string", 1), ("request", "Request", 1)), None),
    "Answer": ("struct", (("kind", False, "answer"),), (), (("id", "string", 1), ("result", "json", 2)), None),
    "Sight": ("struct", (), (), (("items", ("[]", "Note", None, 3), 1),), None),
    "Line": (
        "union",
        True,
        "UnknownLine",
        ("switch", "Line", "kind", {"note": "Note", "ask": "Ask", "answer": "Answer"}, (), None),
    ),
    "Request": ("union", False, "", ("switch", "Request", "what", {"look": "Look", "forget": "Forget"}, (), None)),
}

STRUCTS: dict[str, tuple[str, tuple[tuple[str, str, bool], ...]]] = {
    "Note": (
        "Note",
        (
            ("text", "text", False),
            ("color", "color", False),
            ("reply_to", "reply_to", True),
            ("count", "count", False),
            ("data", "data", True),
        ),
    ),
    "Look": ("Look", (("at", "at", False),)),
    "Forget": ("Forget", ()),
    "Ask": ("Ask", (("id", "id", False), ("request", "request", False))),
    "Answer": ("Answer", (("id", "id", False), ("result", "result", True))),
    "Sight": ("Sight", (("items", "items", False),)),
}
CONSTANTS: dict[str, dict[str, Any]] = {
    "Note": {"kind": "note"},
    "Look": {"what": "look"},
    "Forget": {"what": "forget"},
    "Ask": {"kind": "ask"},
    "Answer": {"kind": "answer"},
}
REQUIRED: dict[str, tuple[str, ...]] = {
    "Note": ("text",),
    "Look": ("at",),
    "Ask": ("id", "request"),
    "Answer": ("id",),
    "Sight": ("items",),
}
FLAT: dict[str, str] = {}
IDLE: dict[str, tuple[str, ...]] = {}
UNKNOWNS: dict[str, str] = {"UnknownLine": "UnknownLine"}
UNKNOWN_UNIONS: dict[str, tuple[str, ...]] = {"UnknownLine": ("Line",)}
