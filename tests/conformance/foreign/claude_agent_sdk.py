"""The testee for the official Python SDK (PyPI `claude-agent-sdk`), which runs the SDK's message parser on values.

It claims only what the package's own documentation and types claim; the source of each claim is next to it. It exits
with status 77 if the package is not installed.
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

sys.path.remove(str(Path(__file__).resolve().parent))  # otherwise this file is imported instead of the package

CLAIMS = {
    "language": "python",
    # `parse_message`: "Parse message from CLI output into typed Message objects".
    "types": ["SDKMessage", "StdoutMessage", "WireMessage"],
    # There is only one mode, which is meant to be "forward-compatible".
    "modes": ["lenient"],
    # The transport splits lines; it needs the CLI as a process.
    "ops": ["decode"],
    # Errors are texts (`MessageParseError`). Messages are decoded but not encoded; unknown parts are not reported.
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
"""Class → the declared type, if the class alone determines it. Unknown is for types that the spec is too old for."""

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
"""Subtype → the declared type, for `SystemMessage` and its subclasses; others become a plain `SystemMessage`."""

WITHOUT_CLASS = {
    "auth_status",
    "keep_alive",
    "streamlined_text",
    "streamlined_tool_use_summary",
    "tool_progress",
    "tool_use_summary",
    "update_environment_variables",
    # These are handled before the parser is called (`_internal/query.py`).
    "control_cancel_request",
    "control_request",
    "control_response",
}
"""Messages of the protocol that the SDK has no class for, and skips."""

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
"""Class → field → the place of its value in the message, if not under the field's name; None if it has no place."""


def typed(message: Any, raw: Any) -> list[str]:
    """List the places that the classes give a type; an optional or nullable place counts only if it has a value."""
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
    """Return whether the field is required, or present with a value that is not null."""
    if field.default is MISSING and field.default_factory is MISSING:
        return True
    for key in place.split("/")[1:]:
        raw = raw[int(key)] if isinstance(raw, list) else raw.get(key) if isinstance(raw, dict) else None
    return raw is not None


def variant(message: Any) -> str:
    """Return the declared type of a message."""
    name, subtype = type(message).__name__, getattr(message, "subtype", None)
    if name == "ResultMessage":  # one class for all of them
        failed = isinstance(subtype, str) and subtype.startswith("error_")
        return "ResultSuccess" if subtype == "success" else "ResultError" if failed else "Unknown"
    return VARIANTS.get(name) or SUBTYPES.get(str(subtype), "Unknown")


def decoded(sdk: Any, raw: Any) -> dict[str, Any]:
    """Answer a decode request."""
    try:
        message = sdk.parse_message(raw)
    except Exception as error:  # noqa: BLE001 - usually MessageParseError, but others are accepted
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
