"""What users of the flavours write; type checkers must have nothing to say about it, and narrow what it narrows."""

from __future__ import annotations

import json
from typing import TypeGuard

from agentlines import pydantic as models
from agentlines import typed_dicts as td
from pydantic import BaseModel, TypeAdapter
from typing_extensions import assert_never, assert_type


def is_known(block: td.ContentBlock) -> TypeGuard[td.ContentBlockKnown]:
    """Leaves out what is newer than the spec."""
    return block["type"] in ("text", "tool_use")


def of_dict(message: td.SDKMessageKnown) -> str:
    """Narrows on the tag, and on the tag of what is inside."""
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
    """Of what may be newer than the spec only the tag is sure."""
    return message["type"]


def written() -> str:
    """A message is a dict with the members that it has."""
    message: td.UserMessage = {
        "type": "user",
        "message": {"role": "user", "content": "Hello."},
        "parent_tool_use_id": None,
        "session_id": "",
    }
    return json.dumps(message)


def of_model(message: models.ContentBlock) -> str:
    """A closed union is told apart to its end."""
    match message:
        case models.TextBlock(text=text):
            return text
        case models.ThinkingBlock() | models.RedactedThinkingBlock():
            return "…"
        case _:
            return message.type


def of_result(result: models.ResultMessage) -> str:
    """The same by the tag."""
    if result.subtype == "success":
        assert_type(result, models.ResultSuccess)
        return result.result
    assert_type(result, models.ResultError)
    return ", ".join(result.errors)


def of_source(source: models.ImageSource) -> str:
    """And nothing is left over."""
    if source.type == "url":
        return source.url
    if source.type == "base64":
        return source.data
    if source.type == "file":
        return source.file_id
    assert_never(source)


ADAPTER: TypeAdapter[models.WireMessage] = TypeAdapter(models.WireMessage)


def read(line: bytes) -> bytes:
    """Reads a line and writes it back."""
    message = ADAPTER.validate_json(line)
    base: BaseModel = message  # a model of the library, which has the name of the flavour
    assert base is message
    return ADAPTER.dump_json(message, by_alias=True, exclude_unset=True)
