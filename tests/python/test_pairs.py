"""Constructors, requests and their answers, tools and their inputs."""

from __future__ import annotations

import json
import pickle
import re
from typing import Any

import agentproto as ap
import pytest

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")

PERMISSION = ap.PermissionRequest(tool_name="Bash", input={"command": "ls"}, tool_use_id="t")
ASK = ap.request(PERMISSION, "7")


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
    assert ap.decode_response(PERMISSION, back) == answer


def test_the_type_of_an_answer_is_known_beforehand() -> None:
    assert ap.response_type(ASK) is ap.PermissionResult
    assert ap.response_type(ap.PermissionRequest) is ap.PermissionResult
    assert ap.response_type(ap.InterruptRequest) is ap.InterruptResponse  # older peers answer without one
    assert ap.response_type(ap.McpReconnectRequest) is None
    with pytest.raises(TypeError, match="expected a request of the protocol, got TextDelta"):
        ap.response_type(ap.TextDelta)


def carry(answer: dict[str, Any] | None, request_id: str = "7") -> ap.ControlResponse:
    """A response as a peer may write it, whatever the request was."""
    return ap.ControlResponse(response=ap.ControlSuccessResponse(request_id=request_id, response=answer))


@pytest.mark.parametrize(
    ("answer", "code", "path"),
    [
        ({}, "missing_field", "/behavior"),
        ({"behavior": "deny"}, "missing_field", "/message"),
        ({"behavior": "deny", "message": 1}, "wrong_type", "/message"),
        (None, "missing_field", "/response/response"),
    ],
)
def test_an_answer_of_a_peer_that_does_not_fit_the_request_is_an_error(
    answer: dict[str, Any] | None, code: str, path: str
) -> None:
    with pytest.raises(ap.DecodeError) as caught:
        ap.decode_response(ASK, carry(answer))
    assert (caught.value.code, caught.value.path) == (code, path)


def test_an_answer_is_read_leniently_unless_asked_otherwise() -> None:
    newer = carry({"behavior": "deny", "message": "no", "new": 1})
    assert ap.decode_response(ASK, newer).extra == {"new": 1}
    with pytest.raises(ap.DecodeError, match="unknown_field at /new"):
        ap.decode_response(ASK, newer, strict=True)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (ap.SyncHookJSONOutput(), "wrong_type: expected a variant of PermissionResult, got SyncHookJSONOutput"),
        (ap.TextBlockParam(text="no"), "wrong_type: expected a variant of PermissionResult, got TextBlockParam"),
        (ap.new_permission_deny(1), "wrong_type at /message: expected string, got integer"),  # type: ignore[arg-type]
        ({"behavior": "deny"}, 'missing_field at /message: expected member "message", got none'),
        ({"behavior": "maybe"}, "unknown_variant at /behavior: "),
        (None, "wrong_type: expected a variant of PermissionResult, got null"),
        ("no", "wrong_type: expected a variant of PermissionResult, got string"),
    ],
)
def test_a_reply_refuses_a_result_that_does_not_answer_the_request(result: Any, message: str) -> None:
    with pytest.raises(ap.EncodeError) as caught:
        ap.reply(ASK, result)
    assert str(caught.value).startswith(message)


def test_a_reply_takes_plain_data_that_fits() -> None:
    plain = ap.reply(ASK, {"behavior": "deny", "message": "no"})  # type: ignore[arg-type]  # objects are for checkers
    assert plain == ap.reply(ASK, ap.new_permission_deny("no"))


def test_a_request_without_a_result_is_answered_without_one() -> None:
    reconnect = ap.request(ap.McpReconnectRequest(server_name="s"), "8")
    response = ap.reply(reconnect)
    assert json.loads(ap.encode(response))["response"] == {"subtype": "success", "request_id": "8"}
    assert ap.decode_response(reconnect, response) is None
    with pytest.raises(ap.EncodeError, match="expected no result for this request, got PermissionResultDeny"):
        ap.reply(reconnect, ap.new_permission_deny("no"))


def test_a_request_that_older_peers_answer_without_a_result_is_answered_with_one_and_read_both_ways() -> None:
    interrupt = ap.request(ap.InterruptRequest(), "8")
    assert ap.decode_response(interrupt, carry(None, "8")) is None
    answer = ap.InterruptResponse(still_queued=[])
    assert ap.decode_response(interrupt, ap.reply(interrupt, answer)) == answer
    with pytest.raises(ap.EncodeError, match="expected InterruptResponse"):
        ap.reply(interrupt)


def test_a_result_that_may_be_absent_may_be_absent() -> None:
    mode = ap.request(ap.SetPermissionModeRequest(mode="plan"))
    assert ap.decode_response(mode, ap.reply(mode)) is None
    answer = ap.SetPermissionModeResponse(mode="plan")
    assert ap.decode_response(mode, ap.reply(mode, answer)) == answer


def test_a_request_is_answered_in_its_envelope_only() -> None:
    bare: Any = PERMISSION
    message = "expected the ControlRequest with the request in it, got PermissionRequest"
    with pytest.raises(TypeError, match=message):
        ap.reply(bare, ap.new_permission_deny("no"))
    with pytest.raises(TypeError, match=message):
        ap.refuse(bare, "no")


def test_a_request_can_be_refused_whatever_it_is() -> None:
    for asked in (ASK, ap.request(ap.UnknownControlRequestInner(raw={"subtype": "telepathy"}), "7")):
        assert json.loads(ap.encode(ap.refuse(asked, "no")))["response"] == {
            "subtype": "error",
            "request_id": "7",
            "error": "no",
        }


def test_a_refusal_raises_what_the_peer_says() -> None:
    line = b'{"type":"control_response","response":{"subtype":"error","request_id":"7","error":"no such tool"}}'
    response = ap.decode(line)
    assert isinstance(response, ap.ControlResponse)
    with pytest.raises(ap.ControlError, match=r"^no such tool$") as caught:
        ap.decode_response(ASK, response)
    assert (caught.value.message, caught.value.response) == ("no such tool", response)
    assert pickle.loads(pickle.dumps(caught.value)).response == response  # noqa: S301 - our own


def test_what_is_no_response_is_a_lookup_error() -> None:
    newer = ap.ControlResponse(response=ap.UnknownControlResponseInner(raw={"subtype": "later", "request_id": "7"}))
    others: list[Any] = [newer, ap.KeepAliveMessage()]
    for response in others:
        with pytest.raises(LookupError, match="expected a response with an answer or an error, got "):
            ap.decode_response(ASK, response)


def test_the_input_of_a_known_tool_is_typed() -> None:
    assert ap.tool_input("Bash", {"command": "ls"}) == ap.BashInput(command="ls")
    with pytest.raises(ap.DecodeError):
        ap.tool_input("Bash", {})


def test_the_input_of_an_unknown_tool_stays_as_it_is() -> None:
    given = {"x": 1}
    assert ap.tool_input("Teleport", given) is given
