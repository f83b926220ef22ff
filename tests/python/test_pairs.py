"""Constructors, requests and their answers, tools and their inputs."""

from __future__ import annotations

import json
import re

import agentproto as ap
import pytest

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")

ASK = ap.request(ap.PermissionRequest(tool_name="Bash", input={"command": "ls"}, tool_use_id="t"), "7")


def test_a_constructor_fills_what_it_is_not_given() -> None:
    first, second = ap.new_user_message("hi", "s"), ap.new_user_message("hi", "s")
    assert json.loads(ap.encode(first)) | {"uuid": ""} == {
        "type": "user",
        "uuid": "",
        "session_id": "s",
        "message": {"role": "user", "content": "hi"},
        "parent_tool_use_id": None,
    } | ({"uuid": ""} if first.uuid else {})
    assert first.uuid is None or first.uuid != second.uuid


def test_a_required_uuid_is_fresh() -> None:
    message = ap.new_assistant_message(
        ap.decode(
            b'{"id":"m","type":"message","role":"assistant","model":"x","content":[],"stop_reason":null,'
            b'"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1,"cache_read_input_tokens":0,'
            b'"cache_creation_input_tokens":0,"cache_creation":null,"service_tier":null}}',
            ap.BetaMessage,
        ),
        None,
        "s",
    )
    assert UUID.fullmatch(message.uuid)
    assert ap.decode(ap.encode(message), strict=True) == message


def test_a_request_travels_in_its_envelope() -> None:
    assert isinstance(ASK, ap.ControlRequest)
    assert ap.decode(ap.encode(ASK)) == ASK
    assert UUID.fullmatch(ap.request(ap.InterruptRequest()).request_id)


def test_a_reply_carries_the_id_and_decodes_as_the_type_of_the_request() -> None:
    answer = ap.PermissionResultDeny(message="no")
    response = ap.reply(ASK, answer)
    line = ap.encode(response)
    assert json.loads(line)["response"] == {
        "subtype": "success",
        "request_id": "7",
        "response": {"behavior": "deny", "message": "no"},
    }
    back = ap.decode(line)
    assert isinstance(back, ap.ControlResponse)
    assert ap.decode_response(ASK, back) == answer
    assert ap.decode_response(ASK.request, back) == answer


def test_the_type_of_an_answer_is_known_beforehand() -> None:
    assert ap.response_type(ASK) is ap.PermissionResult
    assert ap.response_type(ap.PermissionRequest) is ap.PermissionResult
    assert ap.response_type(ap.InterruptRequest) is None
    with pytest.raises(TypeError, match="TextDelta is no request"):
        ap.response_type(ap.TextDelta)


def test_an_answer_of_the_wrong_form_is_an_error() -> None:
    with pytest.raises(ap.DecodeError) as caught:
        ap.decode_response(ASK, ap.reply(ASK, {"behavior": "deny"}))
    assert (caught.value.code, caught.value.path) == ("missing_field", "/message")


def test_an_answer_that_must_come_is_missed() -> None:
    with pytest.raises(ap.DecodeError) as caught:
        ap.decode_response(ASK, ap.reply(ASK))
    assert caught.value.code == "missing_field"


def test_an_error_carries_no_answer() -> None:
    error = ap.decode(b'{"type":"control_response","response":{"subtype":"error","request_id":"7","error":"no"}}')
    assert isinstance(error, ap.ControlResponse)
    with pytest.raises(LookupError):
        ap.decode_response(ASK, error)


def test_the_input_of_a_known_tool_is_typed() -> None:
    assert ap.tool_input("Bash", {"command": "ls"}) == ap.BashInput(command="ls")
    with pytest.raises(ap.DecodeError):
        ap.tool_input("Bash", {})


def test_the_input_of_an_unknown_tool_stays_as_it_is() -> None:
    given = {"x": 1}
    assert ap.tool_input("Teleport", given) is given
