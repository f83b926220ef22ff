"""Constructors, requests and their answers, tools and their inputs."""

from __future__ import annotations

import json
import pickle
import re
from typing import Any

import agentlines as al
import pytest

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")

PERMISSION = al.PermissionRequest(tool_name="Bash", input={"command": "ls"}, tool_use_id="t")
ASK = al.request(PERMISSION, "7")


def test_a_constructor_fills_what_it_is_not_given() -> None:
    first, second = al.new_user_message("hi", "s"), al.new_user_message("hi", "s")
    assert json.loads(al.encode(first)) | {"uuid": ""} == {
        "type": "user",
        "uuid": "",
        "session_id": "s",
        "message": {"role": "user", "content": "hi"},
        "parent_tool_use_id": None,
    } | ({"uuid": ""} if first.uuid else {})
    assert first.uuid is None or first.uuid != second.uuid


def test_a_required_uuid_is_fresh() -> None:
    message = al.new_assistant_message(
        al.decode(
            b'{"id":"m","type":"message","role":"assistant","model":"x","content":[],"stop_reason":null,'
            b'"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1,"cache_read_input_tokens":0,'
            b'"cache_creation_input_tokens":0,"cache_creation":null,"service_tier":null}}',
            al.BetaMessage,
        ),
        None,
        "s",
    )
    assert UUID.fullmatch(message.uuid)
    assert al.decode(al.encode(message), strict=True) == message


def test_a_request_travels_in_its_envelope() -> None:
    assert isinstance(ASK, al.ControlRequest)
    assert al.decode(al.encode(ASK)) == ASK
    assert UUID.fullmatch(al.request(al.InterruptRequest()).request_id)


def test_a_reply_carries_the_id_and_decodes_as_the_type_of_the_request() -> None:
    answer = al.PermissionResultDeny(message="no")
    response = al.reply(ASK, answer)
    line = al.encode(response)
    assert json.loads(line)["response"] == {
        "subtype": "success",
        "request_id": "7",
        "response": {"behavior": "deny", "message": "no"},
    }
    back = al.decode(line)
    assert isinstance(back, al.ControlResponse)
    assert al.decode_response(ASK, back) == answer
    assert al.decode_response(PERMISSION, back) == answer


def test_the_type_of_an_answer_is_known_beforehand() -> None:
    assert al.response_type(ASK) is al.PermissionResult
    assert al.response_type(al.PermissionRequest) is al.PermissionResult
    assert al.response_type(al.InterruptRequest) is al.InterruptResponse  # older peers answer without a result
    assert al.response_type(al.McpReconnectRequest) is None
    with pytest.raises(TypeError, match="expected a request of the protocol, got TextDelta"):
        al.response_type(al.TextDelta)


def carry(answer: dict[str, Any] | None, request_id: str = "7") -> al.ControlResponse:
    """A response as a peer may write it, for any request."""
    return al.ControlResponse(response=al.ControlSuccessResponse(request_id=request_id, response=answer))


@pytest.mark.parametrize(
    ("answer", "code", "path"),
    [
        ({}, "missing_field", "/behavior"),
        ({"behavior": "deny"}, "missing_field", "/message"),
        ({"behavior": "deny", "message": 1}, "wrong_type", "/message"),
        (None, "missing_field", ""),
    ],
)
def test_an_answer_of_a_peer_that_does_not_fit_the_request_is_an_error(
    answer: dict[str, Any] | None, code: str, path: str
) -> None:
    with pytest.raises(al.DecodeError) as caught:
        al.decode_response(ASK, carry(answer))
    assert (caught.value.code, caught.value.path) == (code, path)


def test_an_answer_is_read_leniently_unless_asked_otherwise() -> None:
    newer = carry({"behavior": "deny", "message": "no", "new": 1})
    assert al.decode_response(ASK, newer).extra == {"new": 1}
    with pytest.raises(al.DecodeError, match="unknown_field at /new"):
        al.decode_response(ASK, newer, strict=True)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (al.SyncHookJSONOutput(), "wrong_type: expected a variant of PermissionResult, got SyncHookJSONOutput"),
        (al.TextBlockParam(text="no"), "wrong_type: expected a variant of PermissionResult, got TextBlockParam"),
        (al.new_permission_deny(1), "wrong_type at /message: expected string, got integer"),  # type: ignore[arg-type]
        ({"behavior": "deny"}, 'missing_field at /message: expected member "message", got none'),
        (
            {"behavior": "allow", "updatedInput": None},
            "wrong_type at /updatedInput: expected a value or no member, got null",
        ),
        (al.decode(b'{"behavior":"allow","updatedInput":null}', al.PermissionResult), "wrong_type at /updatedInput: "),
        (None, "wrong_type: expected a variant of PermissionResult, got null"),
        ("no", "wrong_type: expected a variant of PermissionResult, got string"),
    ],
)
def test_a_reply_refuses_a_result_that_does_not_answer_the_request(result: Any, message: str) -> None:
    with pytest.raises(al.EncodeError) as caught:
        al.reply(ASK, result)
    assert str(caught.value).startswith(message)


def test_a_reply_takes_plain_data_that_fits() -> None:
    plain = al.reply(ASK, {"behavior": "deny", "message": "no"})  # type: ignore[arg-type]  # objects are for checkers
    assert plain == al.reply(ASK, al.new_permission_deny("no"))


@pytest.mark.parametrize(
    "plain",
    [
        {"behavior": "maybe", "why": None},
        {"behavior": "deny", "message": "no", "new": 1, "interrupt": None},
        {"behavior": "allow", "updatedInput": {}, "decisionClassification": "guess"},
    ],
)
def test_a_reply_keeps_what_plain_data_has_beyond_its_type(plain: Any) -> None:
    assert json.loads(al.encode(al.reply(ASK, plain)))["response"]["response"] == plain


def test_a_request_without_a_result_is_answered_without_one() -> None:
    reconnect = al.request(al.McpReconnectRequest(server_name="s"), "8")
    response = al.reply(reconnect)
    assert json.loads(al.encode(response))["response"] == {"subtype": "success", "request_id": "8"}
    assert al.decode_response(reconnect, response) is None
    with pytest.raises(al.EncodeError, match="expected no result for this request, got PermissionResultDeny"):
        al.reply(reconnect, al.new_permission_deny("no"))


def test_a_request_that_older_peers_answer_without_a_result_is_answered_with_one_and_read_both_ways() -> None:
    interrupt = al.request(al.InterruptRequest(), "8")
    assert al.decode_response(interrupt, carry(None, "8")) is None
    answer = al.InterruptResponse(still_queued=[])
    assert al.decode_response(interrupt, al.reply(interrupt, answer)) == answer
    with pytest.raises(
        al.EncodeError, match="missing_field at /response/response: expected a result for this request, got none"
    ):
        al.reply(interrupt)


def test_a_result_that_may_be_absent_may_be_absent() -> None:
    mode = al.request(al.SetPermissionModeRequest(mode="plan"))
    assert al.decode_response(mode, al.reply(mode)) is None
    answer = al.SetPermissionModeResponse(mode="plan")
    assert al.decode_response(mode, al.reply(mode, answer)) == answer


def test_a_request_is_answered_in_its_envelope_only() -> None:
    bare: Any = PERMISSION
    message = "expected the ControlRequest with the request in it, got PermissionRequest"
    with pytest.raises(TypeError, match=message):
        al.reply(bare, al.new_permission_deny("no"))
    with pytest.raises(TypeError, match=message):
        al.refuse(bare, "no")


def test_a_request_can_be_refused_whatever_it_is() -> None:
    for asked in (ASK, al.request(al.UnknownControlRequestInner(raw={"subtype": "telepathy"}), "7")):
        assert json.loads(al.encode(al.refuse(asked, "no")))["response"] == {
            "subtype": "error",
            "request_id": "7",
            "error": "no",
        }


def test_a_refusal_raises_what_the_peer_says() -> None:
    line = b'{"type":"control_response","response":{"subtype":"error","request_id":"7","error":"no such tool"}}'
    response = al.decode(line)
    assert isinstance(response, al.ControlResponse)
    with pytest.raises(al.ControlError, match=r"^no such tool$") as caught:
        al.decode_response(ASK, response)
    assert (caught.value.message, caught.value.response) == ("no such tool", response)
    assert pickle.loads(pickle.dumps(caught.value)).response == response  # noqa: S301 - our own data


def test_what_is_no_response_is_a_lookup_error() -> None:
    newer = al.ControlResponse(response=al.UnknownControlResponseInner(raw={"subtype": "later", "request_id": "7"}))
    others: list[Any] = [newer, al.KeepAliveMessage()]
    for response in others:
        with pytest.raises(LookupError, match="expected a response with an answer or an error, got "):
            al.decode_response(ASK, response)


def test_the_input_of_a_known_tool_is_typed() -> None:
    assert al.tool_input("Bash", {"command": "ls"}) == al.BashInput(command="ls")
    with pytest.raises(al.DecodeError):
        al.tool_input("Bash", {})


def test_the_input_of_an_unknown_tool_stays_as_it_is() -> None:
    given = {"x": 1}
    assert al.tool_input("Teleport", given) is given
