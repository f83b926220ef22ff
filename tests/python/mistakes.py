"""Mistakes of users. Both type checkers report each line that ends in `# mistake`, and no other line."""

from __future__ import annotations

import asyncio
import io
import sys

import agentproto as ap
from typing_extensions import assert_never, assert_type


def misspelt_value_of_an_enum() -> None:
    ap.PreToolUseHookSpecificOutput(permission_decision="denny")  # mistake
    ap.PreToolUseHookSpecificOutput(permission_decision="deny")


def misspelt_value_in_an_assignment(request: ap.SetPermissionModeRequest) -> None:
    request.mode = "Plan"  # mistake
    request.mode = ap.PermissionModeValue.PLAN


def misspelt_key_of_an_enum() -> None:
    matcher = ap.HookCallbackMatcher(hook_callback_ids=["1"])
    ap.InitializeRequest(hooks={"PreTooluse": [matcher]})  # mistake
    ap.InitializeRequest(hooks={"PreToolUse": [matcher]})


def text_as_a_value_of_an_enum(mode: str) -> None:
    ap.SetPermissionModeRequest(mode=mode)  # mistake
    ap.SetPermissionModeRequest(mode=ap.UnknownText(mode))


def misspelt_attribute(message: ap.AssistantMessage) -> None:
    print(message.sessionId)  # mistake
    print(message.session_id)


def attribute_of_some_variants_only(message: ap.StdoutMessage) -> None:
    print(message.session_id)  # mistake
    if isinstance(message, ap.ResultSuccess):
        print(message.session_id)


def assignment_to_a_misspelt_attribute(message: ap.PermissionResultDeny) -> None:
    message.interupt = True  # mistake
    message.interrupt = True


def assignment_to_a_tag(message: ap.ResultSuccess) -> None:
    message.subtype = "success"  # mistake


def missing_argument() -> None:
    ap.PermissionResultDeny()  # mistake
    ap.PermissionResultDeny(message="no")


def misspelt_argument() -> None:
    ap.PermissionResultAllow(updatedInput={})  # mistake
    ap.PermissionResultAllow(updated_input={})


def positional_argument() -> None:
    ap.TextBlockParam("hi")  # mistake
    ap.TextBlockParam(text="hi")


def none_for_a_member_that_cannot_be_null() -> None:
    ap.PermissionResultDeny(message=None)  # mistake


def unset_for_a_member_that_cannot_be_null() -> None:
    ap.PermissionResultAllow(updated_input=ap.UNSET)  # mistake
    ap.PermissionResultAllow(updated_input=None)


def none_taken_for_absent(request: ap.SetModelRequest) -> str:
    if request.model is None:
        return "default"
    return request.model  # mistake


def result_of_no_request(asked: ap.ControlRequest) -> None:
    ap.reply(asked, ap.TextBlockParam(text="no"))  # mistake
    ap.reply(asked, {"behavior": "deny"})  # mistake
    ap.reply(asked, ap.PermissionResultDeny(message="no"))


def request_without_its_envelope(asked: ap.PermissionRequest) -> None:
    ap.reply(asked, ap.PermissionResultDeny(message="no"))  # mistake
    ap.refuse(asked, "no")  # mistake


def message_in_the_place_of_a_request() -> None:
    ap.request(ap.new_prompt("hi"))  # mistake
    ap.request(ap.InterruptRequest())


def answer_of_another_request(setup: ap.InitializeRequest, response: ap.ControlResponse) -> ap.RewindFilesResult:
    return ap.decode_response(setup, response)  # mistake


def message_for_the_other_direction() -> list[ap.StdinMessage]:
    return [ap.KeepAliveMessage(), ap.StreamlinedTextMessage(uuid="", session_id="", text="")]  # mistake


def text_stream() -> None:
    ap.Reader(sys.stdin)  # mistake
    ap.Writer(sys.stdout)  # mistake
    ap.Reader(io.StringIO())  # mistake
    ap.Reader(sys.stdin.buffer)


def blocking_stream_in_async_code() -> None:
    ap.AsyncReader(sys.stdin.buffer)  # mistake
    ap.AsyncWriter(sys.stdout.buffer)  # mistake


def asynchronous_stream_in_blocking_code(stream: asyncio.StreamReader) -> None:
    ap.Reader(stream)  # mistake


async def waiting_for_a_blocking_writer(out: ap.Writer) -> None:
    await out.write(ap.KeepAliveMessage())  # mistake


async def asynchronous_reader_in_a_blocking_loop(reader: ap.AsyncReader[ap.WireMessage]) -> None:
    for _ in reader:  # mistake
        pass
    async for _ in reader:
        pass


def bad_line_forgotten(data: bytes) -> None:
    for item in ap.Reader(io.BytesIO(data), ap.TextBlock):
        print(item.text)  # mistake
        if not isinstance(item, ap.BadLine):
            print(item.text)


def text_for_a_decoder_of_bytes(decoder: ap.LineDecoder[ap.WireMessage]) -> None:
    decoder.feed("{}\n")  # mistake
    decoder.feed(b"{}\n")


def comparison_that_is_never_true(end: ap.ResultSuccess, behavior: ap.PermissionBehaviorKnown) -> None:
    print(end.subtype == "error")  # mistake
    print(behavior == "denny")  # mistake
    print(behavior == "deny")


def forgotten_variant(delta: ap.ContentBlockDelta) -> str:
    match delta:
        case ap.TextDelta(text=text) | ap.InputJSONDelta(partial_json=text) | ap.ThinkingDelta(thinking=text):
            return text
        case ap.CitationsDelta() | ap.SignatureDelta():
            return ""
        case _:
            assert_never(delta)  # mistake


def forgotten_value(behavior: ap.PermissionBehaviorKnown) -> int:
    match behavior:
        case "allow" | "deny":
            return 0
        case _:
            assert_never(behavior)  # mistake


def wrong_member_of_a_tool(given: dict[str, object]) -> None:
    print(ap.tool_input("Read", given).path)  # mistake
    print(ap.tool_input("Read", given).file_path)


def type_that_is_no_type_of_the_wire(data: bytes) -> None:
    message = ap.decode(data, ap.StdoutMessage)
    assert_type(message, ap.StdinMessage)  # mistake
    ap.decode(data, "StdoutMessage").anything_goes()


def unknown_taken_for_a_known_message(message: ap.UnknownMessage) -> ap.ResultMessage:
    return message  # mistake


def misspelt_name() -> None:
    print(ap.AssistentMessage)  # mistake
    print(ap.StopReasonValue.ENDTURN)  # mistake
