"""What users write, for the type checkers: it has to pass both, strictly, and every union has to narrow."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import agentproto as ap
from typing_extensions import assert_never, assert_type


def by_isinstance(line: bytes) -> str:
    message = ap.decode(line)
    if isinstance(message, ap.AssistantMessage):
        return texts(message.message.content)
    if isinstance(message, ap.UserMessage):
        if message.tool_use_result is not ap.UNSET:
            return str(message.tool_use_result)
        return message.message.content if isinstance(message.message.content, str) else ""
    if isinstance(message, ap.UnknownMessage):
        return str(message.raw)
    return ""


def texts(blocks: list[ap.ContentBlock]) -> str:
    found = ""
    for block in blocks:
        match block:
            case ap.TextBlock(text=text):
                found += text
            case ap.ToolUseBlock(name="Bash", input=given):
                found += ap.tool_input("Bash", given).command
            case ap.UnknownBlock(raw=raw):
                found += str(raw)
            case _:
                pass
    return found


def by_match(delta: ap.ContentBlockDelta) -> str:
    match delta:
        case ap.TextDelta(text=text):
            return text
        case ap.InputJSONDelta(partial_json=text):
            return text
        case ap.CitationsDelta():
            return ""
        case ap.ThinkingDelta(thinking=text):
            return text
        case ap.SignatureDelta():
            return ""
        case ap.UnknownDelta():
            return ""
    assert_never(delta)


def by_tag(result: ap.ResultSuccess | ap.ResultError) -> None:
    assert_type(result.uuid, str)
    assert_type(result.usage, ap.NonNullableUsage)


def answers(ask: ap.ControlRequest) -> bytes:
    if isinstance(ask.request, ap.PermissionRequest):
        response = ap.reply(ask, ap.PermissionResultDeny(message="no"))
        answer = ap.decode_response(ask.request, response)
        assert_type(answer, ap.PermissionResult)
        return ap.encode(response)
    return b""


def values(reason: ap.StopReason) -> None:
    if ap.is_known(reason, ap.StopReasonValue) and reason == ap.StopReasonValue.END_TURN:
        print("done")
    mode: ap.PermissionMode = ap.PermissionModeValue.PLAN
    print(mode)


def made() -> ap.UserMessage:
    return ap.new_user_message([ap.TextBlockParam(text="hi")], "session")


def typed(data: bytes) -> None:
    assert_type(ap.decode(data, ap.TextBlock), ap.TextBlock)
    assert_type(ap.examine(data, ap.TextBlock).value, ap.TextBlock)
    plain: dict[str, Any] = ap.to_dict(ap.from_dict({}, ap.BetaUsage))
    print(plain)
    for item in ap.LineDecoder(ap.TextBlock).feed(data):
        assert_type(item, ap.TextBlock | ap.BadLine)


async def later(stream: asyncio.StreamReader) -> None:
    async for item in ap.aread(stream):
        if isinstance(item, ap.BadLine):
            print(item.line, item.error.code)
        elif isinstance(item, ap.ResultSuccess):
            print(item.result)


def main() -> None:
    out = ap.Writer(sys.stdout.buffer)
    for item in ap.read(sys.stdin.buffer):
        match item:
            case ap.BadLine(line=number, error=error):
                print(number, error)
            case ap.UserMessage():
                out.write(item)
            case _:
                pass
