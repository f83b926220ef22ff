"""The testee round the official Python SDK (PyPI `claude-agent-sdk`): what its message parser makes of a value.

It claims what the package's own documentation and types do, and no more; each claim says where that is from. Exits with
77 if the package is not installed.
"""

from __future__ import annotations

import json
import sys
from dataclasses import MISSING, Field, fields
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

CANNOT_RUN = 77
PACKAGE = "claude-agent-sdk"

sys.path.remove(str(Path(__file__).resolve().parent))  # else this file would be taken for the package

CLAIMS = {
    "language": "python",
    # `parse_message`: "Parse message from CLI output into typed Message objects".
    "types": ["SDKMessage", "StdoutMessage", "WireMessage"],
    # There is one way of reading, which is to be "forward-compatible".
    "modes": ["lenient"],
    # The transport finds the lines; it needs the CLI as a process.
    "ops": ["decode"],
    # Errors are words (`MessageParseError`). Messages are read and not written; of what is unknown nothing is told.
    "answers": ["ok", "variant"],
    # "data: Raw message dictionary from CLI output".
    "reads": "values",
}

VARIANTS = {
    "AssistantMessage": "AssistantMessage",
    "ConversationResetMessage": "Unknown",
    "RateLimitEvent": "Unknown",
    "StreamEvent": "PartialAssistantMessage",
    "UserMessage": "UserMessage",
}
"""By class: the declared type, where the class alone says it. Unknown is what the spec is too old for."""

SUBTYPES = {
    "compact_boundary": "CompactBoundaryMessage",
    "files_persisted": "FilesPersistedEvent",
    "hook_progress": "HookProgressMessage",
    "hook_response": "HookResponseMessage",
    "hook_started": "HookStartedMessage",
    "init": "SystemInitMessage",
    "status": "StatusMessage",
    "task_notification": "TaskNotificationMessage",
}
"""The same by subtype, for `SystemMessage` and the classes below it; of others it makes a plain one with their name."""

WITHOUT_CLASS = {
    "auth_status",
    "keep_alive",
    "streamlined_text",
    "streamlined_tool_use_summary",
    "tool_progress",
    "tool_use_summary",
    "update_environment_variables",
    # These are read before the parser is asked (`_internal/query.py`).
    "control_cancel_request",
    "control_request",
    "control_response",
}
"""Messages of the protocol that it has no class for, and skips."""

PLACES: dict[str, dict[str, str | None]] = {
    "AssistantMessage": {
        "content": "/message/content",
        "message_id": "/message/id",
        "model": "/message/model",
        "stop_reason": "/message/stop_reason",
        "usage": "/message/usage",
    },
    "ResultMessage": {"model_usage": "/modelUsage"},
    "SystemMessage": {"data": None},
    "HookEventMessage": {"data": None, "hook_event_name": "/hook_event"},
    "TaskNotificationMessage": {"data": None},
    "UserMessage": {"content": "/message/content"},
}
"""By class and field: where its value stands in the message, if not under its own name; None is no place of its own."""


def typed(message: Any, raw: Any) -> list[str]:
    """The places to which the classes give a type; what their types let be absent or null need not be noticed there."""
    own = PLACES.get(type(message).__name__, {})
    places = ["", "/type"]
    for field in fields(message):
        place = own.get(field.name, f"/{field.name}")
        if place is not None and claimed(field, place, raw):
            places.append(place)
    content = getattr(message, "content", None)
    for index, block in enumerate(content if isinstance(content, list) else []):
        where = f"/message/content/{index}"
        places += [where, *(f"{where}/{f.name}" for f in fields(block) if claimed(f, f"{where}/{f.name}", raw))]
    return places


def claimed(field: Field[Any], place: str, raw: Any) -> bool:
    """Whether the field must be there, or is there with a value that is not null."""
    if field.default is MISSING and field.default_factory is MISSING:
        return True
    for key in place.split("/")[1:]:
        raw = raw[int(key)] if isinstance(raw, list) else raw.get(key) if isinstance(raw, dict) else None
    return raw is not None


def variant(message: Any) -> str:
    """The declared type that a message is one of."""
    name, subtype = type(message).__name__, getattr(message, "subtype", None)
    if name == "ResultMessage":  # one class for all of them
        failed = isinstance(subtype, str) and subtype.startswith("error_")
        return "ResultSuccess" if subtype == "success" else "ResultError" if failed else "Unknown"
    return VARIANTS.get(name) or SUBTYPES.get(str(subtype), "Unknown")


def decoded(sdk: Any, raw: Any) -> dict[str, Any]:
    """Answer a decode."""
    try:
        message = sdk.parse_message(raw)
    except Exception as error:  # noqa: BLE001 - it refuses by MessageParseError as a rule, and is not held to it
        return {"ok": False, "message": str(error) or type(error).__name__}
    if message is None:
        # "Forward-compatible: skip unrecognized message types".
        if raw["type"] in WITHOUT_CLASS:
            return {"unsupported": f"no class for {raw['type']}"}
        return {"ok": True, "variant": "Unknown", "typed": ["", "/type"]}
    if raw.get("isReplay") is True:
        return {"unsupported": "a replay is not told apart"}
    return {"ok": True, "variant": variant(message), "typed": typed(message, raw)}


def main() -> None:
    try:
        described = {**CLAIMS, "version": f"{PACKAGE} {version(PACKAGE)}"}
    except PackageNotFoundError:
        print(f"{PACKAGE} is not installed", file=sys.stderr)
        sys.exit(CANNOT_RUN)
    sdk = import_module("claude_agent_sdk._internal.message_parser")
    for line in sys.stdin.buffer:
        request = json.loads(line)
        answer = described if request["op"] == "describe" else decoded(sdk, json.loads(request["json"]))
        sys.stdout.write(json.dumps({"id": request["id"], **answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
