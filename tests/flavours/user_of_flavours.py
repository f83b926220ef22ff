"""User code for the flavours; type checkers must accept it without findings, and narrow the types as asserted."""

from __future__ import annotations

import json
from typing import TypeGuard

import agentlines_pydantic as models
import agentlines_typed_dicts as td
from pydantic import BaseModel, TypeAdapter
from typing_extensions import assert_never, assert_type


def is_known(block: td.ContentBlock) -> TypeGuard[td.ContentBlockKnown]:
    """Exclude blocks that are newer than the spec."""
    return block["type"] in ("text", "tool_use")


def of_dict(message: td.SDKMessageKnown) -> str:
    """Narrow on the tag, and on the tag of nested values."""
    if message["type"] == "assistant":
        assert_type(message, td.AssistantMessage)
        texts = [
            block["text"] for block in message["message"]["content"] if is_known(block) and block["type"] == "text"
        ]
        assert_type(texts, list[str])
        return "".join(texts)
    if message["type"] == "tool_progress":
        assert_type(message["elapsed_time_seconds"], float)
        return message["tool_name"]
    return message["type"]


def unknown(message: td.SDKMessage) -> str:
    """Read the tag, the only member of a message that may be newer than the spec."""
    return message["type"]


def written() -> str:
    """Write a message as a dict with only the present members."""
    message: td.UserMessage = {
        "type": "user",
        "message": {"role": "user", "content": "Hello."},
        "parent_tool_use_id": None,
        "session_id": "",
    }
    return json.dumps(message)


def of_model(message: models.ContentBlock) -> str:
    """Match a closed union exhaustively."""
    match message:
        case models.TextBlock(text=text):
            return text
        case models.ThinkingBlock() | models.RedactedThinkingBlock():
            return "…"
        case _:
            return message.type


def of_result(result: models.ResultMessage) -> str:
    """Narrow a union on the tag."""
    if result.subtype == "success":
        assert_type(result, models.ResultSuccess)
        return result.result
    assert_type(result, models.ResultError)
    return ", ".join(result.errors)


def of_source(source: models.ImageSource) -> str:
    """Narrow a union on the tag exhaustively."""
    if source.type == "url":
        return source.url
    if source.type == "base64":
        return source.data
    if source.type == "file":
        return source.file_id
    assert_never(source)


ADAPTER: TypeAdapter[models.WireMessage] = TypeAdapter(models.WireMessage)


def read(line: bytes) -> bytes:
    """Decode a line and encode it again."""
    message = ADAPTER.validate_json(line)
    base: BaseModel = message  # a class of the library
    assert base is message
    return ADAPTER.dump_json(message, by_alias=True, exclude_unset=True)
