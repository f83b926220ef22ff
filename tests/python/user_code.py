"""What users write, as both type checkers see it: every line passes mypy --strict and pyright strict."""

from __future__ import annotations

import asyncio
import io
import sys
from typing import Any, Literal

import agentproto as ap
from typing_extensions import assert_never, assert_type

# --- reading ---------------------------------------------------------------------------------------------------


def entries(data: bytes, value: object) -> None:
    """Every entry gives exactly the type that it is asked for; a generated test does this for every type."""
    assert_type(ap.decode(data), ap.WireMessage)
    assert_type(ap.decode(data, ap.TextBlock), ap.TextBlock)
    assert_type(ap.decode(data, ap.StdoutMessage, strict=True), ap.StdoutMessage)
    assert_type(ap.decode(data, "StdoutMessage"), Any)
    assert_type(ap.decode(data, ap.TextBlock | ap.ThinkingBlock), ap.TextBlock | ap.ThinkingBlock)
    assert_type(ap.decode(data, list[ap.TextBlock]), list[ap.TextBlock])
    assert_type(ap.from_dict(value), ap.WireMessage)
    assert_type(ap.from_dict(value, ap.HookInput), ap.HookInput)
    assert_type(ap.examine(data), ap.Examined[ap.WireMessage])
    found = ap.examine(data, ap.ContentBlock)
    assert_type(found.value, ap.ContentBlock)
    assert_type(found.unknown, tuple[str, ...])


def streams(data: bytes) -> None:
    for message in ap.Reader(io.BytesIO(data)):
        assert_type(message, ap.WireMessage | ap.BadLine)
    for item in ap.Reader(sys.stdin.buffer, ap.StdoutMessage, limit=1024):
        assert_type(item, ap.StdoutMessage | ap.BadLine)
    decoder = ap.LineDecoder(ap.StdinMessage)
    for line in decoder.feed(data):
        assert_type(line, ap.StdinMessage | ap.BadLine)


async def asynchronous(stream: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
    reader = ap.AsyncReader(stream, ap.StdoutMessage)
    assert_type(await anext(reader), ap.StdoutMessage | ap.BadLine)
    assert_type(await asyncio.wait_for(anext(reader), 1), ap.StdoutMessage | ap.BadLine)
    await ap.AsyncWriter(out).write(ap.KeepAliveMessage())
    async for item in ap.AsyncReader(stream):
        assert_type(item, ap.WireMessage | ap.BadLine)
        if isinstance(item, ap.BadLine):
            print(item.line, item.error.code)
        elif isinstance(item, ap.ResultSuccess):
            print(item.result)


# --- narrowing -------------------------------------------------------------------------------------------------


def by_isinstance(message: ap.WireMessage) -> str:
    if isinstance(message, ap.AssistantMessage):
        return texts(message.message.content)
    if isinstance(message, ap.UserMessage):
        if message.tool_use_result is not ap.UNSET:
            return str(message.tool_use_result)
        return message.message.content if isinstance(message.message.content, str) else ""
    if isinstance(message, ap.UnknownMessage):
        assert_type(message.raw, dict[str, Any])
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
        case ap.TextDelta(text=text) | ap.InputJSONDelta(partial_json=text) | ap.ThinkingDelta(thinking=text):
            return text
        case ap.CitationsDelta() | ap.SignatureDelta() | ap.CompactionDelta() | ap.UnknownDelta():
            return ""
    assert_never(delta)


def by_sub_union(message: ap.SDKMessage) -> str:
    """A union within another one narrows by its own classes, its Unknown among them."""
    if isinstance(message, (ap.ResultSuccess, ap.ResultError, ap.UnknownResultMessage)):
        return result(message)
    if isinstance(message, ap.UnknownSystemMessage):
        return str(message.subtype)
    return message.type if isinstance(message, ap.SystemInitMessage) else ""


def result(message: ap.ResultMessage) -> str:
    match message:
        case ap.ResultSuccess():
            assert_type(message.subtype, Literal["success"])
            return message.result
        case ap.ResultError(errors=errors):
            return "; ".join(errors)
        case ap.UnknownResultMessage(raw=raw):
            return str(raw)
        case _:
            assert_never(message)


def widening(result: ap.ResultMessage, message: ap.SDKMessage, line: ap.StdoutMessage) -> list[ap.WireMessage]:
    """A union is a part of those around it."""
    inner: ap.SDKMessage = result
    outer: ap.StdoutMessage = message
    return [inner, outer, line]


def by_tag(block: ap.ImageSource) -> str:
    if isinstance(block, ap.UnknownSource):
        return ""
    if block.type == "base64":
        assert_type(block, ap.Base64ImageSource)
        return block.data
    if block.type == "file":
        assert_type(block, ap.FileImageSource)
        return block.file_id
    assert_type(block, ap.URLImageSource)
    return block.url


def by_protocol(message: ap.WireMessage, event: ap.HookInput, end: ap.ResultMessage) -> tuple[str | None, str, float]:
    """What several types have in common is read without naming them; what one of them may lack may be None."""
    match message:
        case ap.HasBaseMessage(session_id=session):
            assert_type(session, str | None)
        case _:
            session = ""
    cwd = event.cwd if isinstance(event, ap.HasBaseHookInput) else ""
    return session, cwd, end.total_cost_usd if isinstance(end, ap.HasResultFields) else 0.0


def session_of(message: ap.HasBaseMessage) -> str | None:
    return message.session_id


def takes_all_that_share(message: ap.AssistantMessage, other: ap.ResultSuccess) -> tuple[str | None, str | None]:
    return session_of(message), session_of(other)


# --- enums -----------------------------------------------------------------------------------------------------


def open_enum(reason: ap.StopReason, mode: ap.PermissionMode) -> ap.PermissionMode:
    if ap.is_known(reason, ap.StopReasonValue):
        assert_type(reason, ap.StopReasonKnown)
        if reason == ap.StopReasonValue.END_TURN:
            print("the turn ended")
    if mode == "plan":
        return ap.PermissionModeValue.DEFAULT
    text: str = mode  # a value of any open enum is text
    return ap.UnknownText(text + "-next") if ap.is_known(mode, ap.PermissionModeValue) else "plan"


def every_value(behavior: ap.PermissionBehaviorKnown) -> int:
    match behavior:
        case "allow":
            return 0
        case "deny":
            return 1
        case ap.PermissionBehaviorValue.ASK:
            return 2
        case _:
            assert_never(behavior)


# --- writing ---------------------------------------------------------------------------------------------------


def made() -> list[ap.StdinMessage]:
    verdict = ap.PreToolUseHookSpecificOutput(permission_decision="deny", permission_decision_reason="no")
    print(ap.SyncHookJSONOutput(hook_specific_output=verdict))
    return [
        ap.new_user_message([ap.TextBlockParam(text="hi")], "session"),
        ap.new_prompt("hi"),
        ap.request(ap.SetPermissionModeRequest(mode="plan")),
        ap.request(ap.SetPermissionModeRequest(mode=ap.UnknownText("next"))),
        ap.request(ap.SetModelRequest()),
        ap.request(ap.SetModelRequest(model=None)),
    ]


def written(messages: list[ap.StdinMessage]) -> bytes:
    out = ap.Writer(sys.stdout.buffer)
    for message in messages:
        out.write(message)
        assert_type(ap.to_dict(message), dict[str, Any])
    return b"".join(map(ap.encode, messages))


def three_states(request: ap.SetModelRequest) -> str:
    if request.model is ap.UNSET:
        return "absent"
    assert_type(request.model, str | None)
    return "null" if request.model is None else request.model


# --- requests --------------------------------------------------------------------------------------------------


def answers(asked: ap.ControlRequest) -> ap.ControlResponse:
    match asked.request:
        case ap.PermissionRequest(input=given):
            return ap.reply(asked, ap.new_permission_allow(given))
        case ap.HookCallbackRequest():
            return ap.reply(asked, ap.AsyncHookJSONOutput())
        case ap.InterruptRequest():
            return ap.reply(asked)
        case _:
            return ap.refuse(asked, "not here")


def answered(setup: ap.InitializeRequest, response: ap.ControlResponse) -> str:
    try:
        offer = ap.decode_response(setup, response)
    except ap.ControlError as error:
        return error.message
    assert_type(offer, ap.InitializeResponse)
    assert_type(ap.decode_response(ap.McpReconnectRequest(server_name="s"), response), None)
    assert_type(ap.decode_response(ap.InterruptRequest(), response), ap.InterruptResponse | None)  # older: none
    mode = ap.decode_response(ap.SetPermissionModeRequest(mode="plan"), response)
    assert_type(mode, ap.SetPermissionModeResponse | None)
    return offer.output_style


def tools(given: dict[str, Any], name: str) -> None:
    assert_type(ap.tool_input("Read", given), ap.FileReadInput)
    match ap.tool_input(name, given):
        case ap.BashInput(command=command):
            assert_type(command, str)
        case _:
            pass


# --- classes of users ------------------------------------------------------------------------------------------


class Stamped(ap.TextBlock):
    seen: float = 0.0


def extended() -> bytes:
    return ap.encode(Stamped(text="a", seen=1.5))
