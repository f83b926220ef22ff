"""Mistakes of users. Both type checkers report each line that ends in `# mistake`, and no other line."""

from __future__ import annotations

import asyncio
import io
import sys

import agentlines as al
from typing_extensions import assert_never, assert_type


def misspelt_value_of_an_enum() -> None:
    al.PreToolUseHookSpecificOutput(permission_decision="denny")  # mistake
    al.PreToolUseHookSpecificOutput(permission_decision="deny")


def misspelt_value_in_an_assignment(request: al.SetPermissionModeRequest) -> None:
    request.mode = "Plan"  # mistake
    request.mode = al.PermissionModeValue.PLAN


def misspelt_key_of_an_enum() -> None:
    matcher = al.HookCallbackMatcher(hook_callback_ids=["1"])
    al.InitializeRequest(hooks={"PreTooluse": [matcher]})  # mistake
    al.InitializeRequest(hooks={"PreToolUse": [matcher]})


def text_as_a_value_of_an_enum(mode: str) -> None:
    al.SetPermissionModeRequest(mode=mode)  # mistake
    al.SetPermissionModeRequest(mode=al.UnknownText(mode))


def misspelt_attribute(message: al.AssistantMessage) -> None:
    print(message.sessionId)  # mistake
    print(message.session_id)


def attribute_of_some_variants_only(message: al.StdoutMessage) -> None:
    print(message.session_id)  # mistake
    if isinstance(message, al.ResultSuccess):
        print(message.session_id)


def assignment_to_a_misspelt_attribute(message: al.PermissionResultDeny) -> None:
    message.interupt = True  # mistake
    message.interrupt = True


def assignment_to_a_tag(message: al.ResultSuccess) -> None:
    message.subtype = "success"  # mistake


def missing_argument() -> None:
    al.PermissionResultDeny()  # mistake
    al.PermissionResultDeny(message="no")


def misspelt_argument() -> None:
    al.PermissionResultAllow(updatedInput={})  # mistake
    al.PermissionResultAllow(updated_input={})


def positional_argument() -> None:
    al.TextBlockParam("hi")  # mistake
    al.TextBlockParam(text="hi")


def none_for_a_member_that_cannot_be_null() -> None:
    al.PermissionResultDeny(message=None)  # mistake


def unset_for_a_member_that_cannot_be_null() -> None:
    al.PermissionResultAllow(updated_input=al.UNSET)  # mistake
    al.PermissionResultAllow(updated_input=None)


def none_taken_for_absent(request: al.SetModelRequest) -> str:
    if request.model is None:
        return "default"
    return request.model  # mistake


def result_of_no_request(asked: al.ControlRequest) -> None:
    al.reply(asked, al.TextBlockParam(text="no"))  # mistake
    al.reply(asked, {"behavior": "deny"})  # mistake
    al.reply(asked, al.PermissionResultDeny(message="no"))


def request_of_the_other_side() -> None:
    al.Session("cli").request(al.InterruptRequest())  # mistake
    al.Session("sdk").request(al.InterruptRequest())
    al.Session("server")  # mistake


def result_of_no_request_in_a_session(asked: al.SessionRequest) -> None:
    asked.reply({"behavior": "deny"})  # mistake
    asked.reply(al.PermissionResultDeny(message="no"))


def request_without_its_envelope(asked: al.PermissionRequest) -> None:
    al.reply(asked, al.PermissionResultDeny(message="no"))  # mistake
    al.refuse(asked, "no")  # mistake


def message_in_the_place_of_a_request() -> None:
    al.request(al.new_prompt("hi"))  # mistake
    al.request(al.InterruptRequest())


def answer_of_another_request(setup: al.InitializeRequest, response: al.ControlResponse) -> al.RewindFilesResult:
    return al.decode_response(setup, response)  # mistake


def message_for_the_other_direction() -> list[al.StdinMessage]:
    return [al.KeepAliveMessage(), al.StreamlinedTextMessage(uuid="", session_id="", text="")]  # mistake


def text_stream() -> None:
    al.Reader(sys.stdin)  # mistake
    al.Writer(sys.stdout)  # mistake
    al.Reader(io.StringIO())  # mistake
    al.Reader(sys.stdin.buffer)


def blocking_stream_in_async_code() -> None:
    al.AsyncReader(sys.stdin.buffer)  # mistake
    al.AsyncWriter(sys.stdout.buffer)  # mistake


def asynchronous_stream_in_blocking_code(stream: asyncio.StreamReader) -> None:
    al.Reader(stream)  # mistake


async def waiting_for_a_blocking_writer(out: al.Writer) -> None:
    await out.write(al.KeepAliveMessage())  # mistake


async def asynchronous_reader_in_a_blocking_loop(reader: al.AsyncReader[al.WireMessage]) -> None:
    for _ in reader:  # mistake
        pass
    async for _ in reader:
        pass


def bad_line_forgotten(data: bytes) -> None:
    for item in al.Reader(io.BytesIO(data), al.TextBlock):
        print(item.text)  # mistake
        if not isinstance(item, al.BadLine):
            print(item.text)


def text_for_a_decoder_of_bytes(decoder: al.LineDecoder[al.WireMessage]) -> None:
    decoder.feed("{}\n")  # mistake
    decoder.feed(b"{}\n")


def comparison_that_is_never_true(end: al.ResultSuccess, behavior: al.PermissionBehaviorKnown) -> None:
    print(end.subtype == "error")  # mistake
    print(behavior == "denny")  # mistake
    print(behavior == "deny")


def forgotten_variant(delta: al.ContentBlockDelta) -> str:
    match delta:
        case al.TextDelta(text=text) | al.InputJSONDelta(partial_json=text) | al.ThinkingDelta(thinking=text):
            return text
        case al.CitationsDelta() | al.SignatureDelta():
            return ""
        case _:
            assert_never(delta)  # mistake


def forgotten_value(behavior: al.PermissionBehaviorKnown) -> int:
    match behavior:
        case "allow" | "deny":
            return 0
        case _:
            assert_never(behavior)  # mistake


def wrong_member_of_a_tool(given: dict[str, object]) -> None:
    print(al.tool_input("Read", given).path)  # mistake
    print(al.tool_input("Read", given).file_path)


def type_that_is_no_type_of_the_wire(data: bytes) -> None:
    message = al.decode(data, al.StdoutMessage)
    assert_type(message, al.StdinMessage)  # mistake
    al.decode(data, "StdoutMessage").anything_goes()


def unknown_taken_for_a_known_message(message: al.UnknownMessage) -> al.ResultMessage:
    return message  # mistake


def misspelt_name() -> None:
    print(al.AssistentMessage)  # mistake
    print(al.StopReasonValue.ENDTURN)  # mistake
