"""Code as users write it. Every line passes `mypy --strict` and pyright in strict mode."""

from __future__ import annotations

import asyncio
import io
import sys
from typing import Any, Literal

import agentlines as al
from typing_extensions import assert_never, assert_type

# --- reading ---------------------------------------------------------------------------------------------------


def entries(data: bytes, value: object) -> None:
    """Every entry returns exactly the requested type; a generated test checks this for every type."""
    assert_type(al.decode(data), al.WireMessage)
    assert_type(al.decode(data, al.TextBlock), al.TextBlock)
    assert_type(al.decode(data, al.StdoutMessage, strict=True), al.StdoutMessage)
    assert_type(al.decode(data, "StdoutMessage"), Any)
    assert_type(al.decode(data, al.TextBlock | al.ThinkingBlock), al.TextBlock | al.ThinkingBlock)
    assert_type(al.decode(data, list[al.TextBlock]), list[al.TextBlock])
    assert_type(al.from_dict(value), al.WireMessage)
    assert_type(al.from_dict(value, al.HookInput), al.HookInput)
    assert_type(al.examine(data), al.Examined[al.WireMessage])
    found = al.examine(data, al.ContentBlock)
    assert_type(found.value, al.ContentBlock)
    assert_type(found.unknown, tuple[str, ...])


def streams(data: bytes) -> None:
    for message in al.Reader(io.BytesIO(data)):
        assert_type(message, al.WireMessage | al.BadLine)
    for item in al.Reader(sys.stdin.buffer, al.StdoutMessage, limit=1024):
        assert_type(item, al.StdoutMessage | al.BadLine)
    decoder = al.LineDecoder(al.StdinMessage)
    for line in decoder.feed(data):
        assert_type(line, al.StdinMessage | al.BadLine)


async def asynchronous(stream: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
    reader = al.AsyncReader(stream, al.StdoutMessage)
    assert_type(await anext(reader), al.StdoutMessage | al.BadLine)
    assert_type(await asyncio.wait_for(anext(reader), 1), al.StdoutMessage | al.BadLine)
    await al.AsyncWriter(out).write(al.KeepAliveMessage())
    async for item in al.AsyncReader(stream):
        assert_type(item, al.WireMessage | al.BadLine)
        if isinstance(item, al.BadLine):
            print(item.line, item.error.code)
        elif isinstance(item, al.ResultSuccess):
            print(item.result)


# --- narrowing -------------------------------------------------------------------------------------------------


def by_isinstance(message: al.WireMessage) -> str:
    if isinstance(message, al.AssistantMessage):
        return texts(message.message.content)
    if isinstance(message, al.UserMessage):
        if message.tool_use_result is not al.UNSET:
            return str(message.tool_use_result)
        return message.message.content if isinstance(message.message.content, str) else ""
    if isinstance(message, al.UnknownMessage):
        assert_type(message.raw, dict[str, Any])
        return str(message.raw)
    return ""


def texts(blocks: list[al.ContentBlock]) -> str:
    found = ""
    for block in blocks:
        match block:
            case al.TextBlock(text=text):
                found += text
            case al.ToolUseBlock(name="Bash", input=given):
                found += al.tool_input("Bash", given).command
            case al.UnknownBlock(raw=raw):
                found += str(raw)
            case _:
                pass
    return found


def by_match(delta: al.ContentBlockDelta) -> str:
    match delta:
        case al.TextDelta(text=text) | al.InputJSONDelta(partial_json=text) | al.ThinkingDelta(thinking=text):
            return text
        case al.CitationsDelta() | al.SignatureDelta() | al.CompactionDelta() | al.UnknownDelta():
            return ""
    assert_never(delta)


def by_sub_union(message: al.SDKMessage) -> str:
    """A union within another one is narrowed by its own classes, including its Unknown."""
    if isinstance(message, (al.ResultSuccess, al.ResultError, al.UnknownResultMessage)):
        return result(message)
    if isinstance(message, al.UnknownSystemMessage):
        return str(message.subtype)
    return message.type if isinstance(message, al.SystemInitMessage) else ""


def result(message: al.ResultMessage) -> str:
    match message:
        case al.ResultSuccess():
            assert_type(message.subtype, Literal["success"])
            return message.result
        case al.ResultError(errors=errors):
            return "; ".join(errors)
        case al.UnknownResultMessage(raw=raw):
            return str(raw)
        case _:
            assert_never(message)


def widening(result: al.ResultMessage, message: al.SDKMessage, line: al.StdoutMessage) -> list[al.WireMessage]:
    """A union is assignable to the unions that contain it."""
    inner: al.SDKMessage = result
    outer: al.StdoutMessage = message
    return [inner, outer, line]


def by_tag(block: al.ImageSource) -> str:
    if isinstance(block, al.UnknownSource):
        return ""
    if block.type == "base64":
        assert_type(block, al.Base64ImageSource)
        return block.data
    if block.type == "file":
        assert_type(block, al.FileImageSource)
        return block.file_id
    assert_type(block, al.URLImageSource)
    return block.url


def by_protocol(message: al.WireMessage, event: al.HookInput, end: al.ResultMessage) -> tuple[str | None, str, float]:
    """The common fields of several types are read without naming the types; a field that one may lack can be None."""
    match message:
        case al.HasBaseMessage(session_id=session):
            assert_type(session, str | None)
        case _:
            session = ""
    cwd = event.cwd if isinstance(event, al.HasBaseHookInput) else ""
    return session, cwd, end.total_cost_usd if isinstance(end, al.HasResultFields) else 0.0


def session_of(message: al.HasBaseMessage) -> str | None:
    return message.session_id


def takes_all_that_share(message: al.AssistantMessage, other: al.ResultSuccess) -> tuple[str | None, str | None]:
    return session_of(message), session_of(other)


# --- enums -----------------------------------------------------------------------------------------------------


def open_enum(reason: al.StopReason, mode: al.PermissionMode) -> al.PermissionMode:
    if al.is_known(reason, al.StopReasonValue):
        assert_type(reason, al.StopReasonKnown)
        if reason == al.StopReasonValue.END_TURN:
            print("the turn ended")
    if mode == "plan":
        return al.PermissionModeValue.DEFAULT
    text: str = mode  # a value of any open enum is text
    return al.UnknownText(text + "-next") if al.is_known(mode, al.PermissionModeValue) else "plan"


def every_value(behavior: al.PermissionBehaviorKnown) -> int:
    match behavior:
        case "allow":
            return 0
        case "deny":
            return 1
        case al.PermissionBehaviorValue.ASK:
            return 2
        case _:
            assert_never(behavior)


# --- writing ---------------------------------------------------------------------------------------------------


def made() -> list[al.StdinMessage]:
    verdict = al.PreToolUseHookSpecificOutput(permission_decision="deny", permission_decision_reason="no")
    print(al.SyncHookJSONOutput(hook_specific_output=verdict))
    return [
        al.new_user_message([al.TextBlockParam(text="hi")], "session"),
        al.new_prompt("hi"),
        al.request(al.SetPermissionModeRequest(mode="plan")),
        al.request(al.SetPermissionModeRequest(mode=al.UnknownText("next"))),
        al.request(al.SetModelRequest()),
        al.request(al.SetModelRequest(model=None)),
    ]


def written(messages: list[al.StdinMessage]) -> bytes:
    out = al.Writer(sys.stdout.buffer)
    for message in messages:
        out.write(message)
        assert_type(al.to_dict(message), dict[str, Any])
    return b"".join(map(al.encode, messages))


def three_states(request: al.SetModelRequest) -> str:
    if request.model is al.UNSET:
        return "absent"
    assert_type(request.model, str | None)
    return "null" if request.model is None else request.model


# --- requests --------------------------------------------------------------------------------------------------


def answers(asked: al.ControlRequest) -> al.ControlResponse:
    match asked.request:
        case al.PermissionRequest(input=given):
            return al.reply(asked, al.new_permission_allow(given))
        case al.HookCallbackRequest():
            return al.reply(asked, al.AsyncHookJSONOutput())
        case al.InterruptRequest():
            return al.reply(asked)
        case _:
            return al.refuse(asked, "not here")


def answered(setup: al.InitializeRequest, response: al.ControlResponse) -> str:
    try:
        offer = al.decode_response(setup, response)
    except al.ControlError as error:
        return error.message
    assert_type(offer, al.InitializeResponse)
    assert_type(al.decode_response(al.McpReconnectRequest(server_name="s"), response), None)
    assert_type(al.decode_response(al.InterruptRequest(), response), al.InterruptResponse | None)  # older: no result
    mode = al.decode_response(al.SetPermissionModeRequest(mode="plan"), response)
    assert_type(mode, al.SetPermissionModeResponse | None)
    return offer.output_style


def session(lines: al.Reader[al.WireMessage], out: io.BytesIO) -> str:
    ours = al.Session("sdk")
    setup, line = ours.request(al.InitializeRequest())
    assert_type(setup, str)
    out.write(line + b"\n")
    theirs = al.Session("cli", refuse_unknown=False)
    theirs.request(al.PermissionRequest(tool_name="Bash", input={}, tool_use_id="t"), "7")
    for item in lines:
        if isinstance(item, al.BadLine):
            continue
        line = on_event(ours, ours.receive(item))
        out.write(line + b"\n")
    assert_type(ours.pending(), list[tuple[str, al.ControlRequestInner]])
    assert_type(ours.unanswered(), list[al.SessionRequest])
    return ours.cancel(setup).decode()


def on_event(session: al.Session, event: al.SessionEvent) -> bytes:
    match event:
        case al.SessionMessage(message=al.AssistantMessage(message=said)):
            print(texts(said.content))
        case al.SessionMessage(message):
            assert_type(message, al.WireMessage)
        case al.SessionRequest(payload=al.PermissionRequest(input=given)) as asked:
            return asked.reply(al.new_permission_allow(given))
        case al.SessionRequest() as asked:
            return session.refuse(asked, "not here") if asked.id else asked.refuse("not here")
        case al.SessionUnknownRequest(line=line):
            return line
        case al.SessionAnswer(request=al.InitializeRequest(), result=al.InitializeResponse() as offer):
            print(offer.output_style)
        case al.SessionFailure(id=None, message=text):
            assert_type(text, str)
        case al.SessionInvalidAnswer(error=error):
            print(error.path)
        case al.SessionStray(reason=reason):
            assert_type(reason, Literal["unknown", "late", "repeated", "reused"])
        case al.SessionNotification() | al.SessionAnswer() | al.SessionFailure() | al.SessionCancellation():
            pass
        case _:
            assert_never(event)
    try:
        return session.reply("1")
    except al.SessionError as error:
        return error.code.encode()


def tools(given: dict[str, Any], name: str) -> None:
    assert_type(al.tool_input("Read", given), al.FileReadInput)
    match al.tool_input(name, given):
        case al.BashInput(command=command):
            assert_type(command, str)
        case _:
            pass


# --- classes of users ------------------------------------------------------------------------------------------


class Stamped(al.TextBlock):
    seen: float = 0.0


def extended() -> float:
    return Stamped(text="a", seen=1.5).seen
