"""The verification checklist of goat's specification, item by item, against the Python package and the schemas.

The document describes release 0.2.33, so the package and the schemas are those of this release alone. The checklist was
written for bindings in Go. Each item is tested by its meaning in Python and in JSON Schema; if that is not the literal
one, the test explains it. Each docstring starts with the title of its item.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
import typing
import uuid
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import projected
import traffic
from documented import checklist

ROOT = Path(__file__).resolve().parents[2]
TITLE = re.compile(r"\*\*(.+?)\*\*")
RELEASE = "0.2.33"
ap: Any = projected.python(RELEASE)
U1, U2 = "0b1f7a52-5d0a-4f0e-9d0c-6a2f6f0f2a11", "5C3A2D7F-F4EC-40A4-88F9-8D00AAB68F08"


def schema(kind: str = "schema") -> dict[str, Any]:
    """Return the definitions of the open schema, or of the strict one."""
    return projected.schema(RELEASE, kind)


def variants(union: object) -> set[type]:
    """Return the classes of a union's known variants."""
    return {each for each in typing.get_args(union) if not each.__name__.startswith("Unknown")}


def fields(record: type) -> list[str]:
    return [each.name for each in dataclasses.fields(record) if each.name != "extra"]


@cache
def samples() -> dict[type, list[bytes]]:
    """Return lines by the class that they are decoded as: written ones of every variant, and captured ones."""
    written = [json.loads(path.read_bytes()) for path in sorted((ROOT / "tests/fixtures/variants").glob("*.json"))]
    lines = [json.dumps(case["input"]).encode() for case in written if case["type"] == "WireMessage"]
    lines += [line for capture in traffic.captures(traffic.DESCRIBED) for line in capture.lines()]
    found: dict[type, list[bytes]] = {}
    for line in lines:
        found.setdefault(type(ap.decode(line)), []).append(line)
    return found


# --- messages --------------------------------------------------------------------------------------------------

MESSAGES = {
    ap.AssistantMessage: ("assistant", None),
    ap.UserMessage: ("user", None),
    ap.UserMessageReplay: ("user", None),
    ap.ResultSuccess: ("result", "success"),
    ap.ResultError: ("result", "error_max_turns"),
    ap.SystemInitMessage: ("system", "init"),
    ap.PartialAssistantMessage: ("stream_event", None),
    ap.CompactBoundaryMessage: ("system", "compact_boundary"),
    ap.StatusMessage: ("system", "status"),
    ap.HookStartedMessage: ("system", "hook_started"),
    ap.HookProgressMessage: ("system", "hook_progress"),
    ap.HookResponseMessage: ("system", "hook_response"),
    ap.ToolProgressMessage: ("tool_progress", None),
    ap.AuthStatusMessage: ("auth_status", None),
    ap.TaskNotificationMessage: ("system", "task_notification"),
    ap.FilesPersistedEvent: ("system", "files_persisted"),
    ap.ToolUseSummaryMessage: ("tool_use_summary", None),
}
"""The sixteen variants, of which the result has two classes: type, and subtype if there is one."""


def test_type_completeness() -> None:
    """**Type completeness**: every variant has a schema and a class, which has type, uuid and session id."""
    assert variants(ap.SDKMessage) == MESSAGES.keys()
    for record, (type_, subtype) in MESSAGES.items():
        assert record.type == type_
        assert subtype is None or record is ap.ResultError or record.subtype == subtype
        assert {"uuid", "session_id"} <= set(fields(record))
        assert {"uuid", "session_id"} <= schema()[record.__name__]["properties"].keys()
        assert {"$ref": f"#/$defs/{record.__name__}"}.items() <= union_entry("SDKMessage", record).items()


def union_entry(union: str, record: type) -> dict[str, Any]:
    """Return the schema of one variant in an open union, or in the known part of one."""
    found = [each for each in schema()[f"{union}-known"]["anyOf"] if each["$ref"].endswith(f"/{record.__name__}")]
    assert len(found) == 1
    entry = found[0]
    assert isinstance(entry, dict)
    return entry


@pytest.mark.parametrize("record", MESSAGES, ids=lambda record: record.__name__)
def test_json_round_trip_fidelity(record: type) -> None:
    """**JSON round-trip fidelity**: every message type survives decoding and encoding without loss."""
    assert samples()[record]
    for line in samples()[record]:
        message = ap.decode(line, strict=True)
        assert type(message) is record
        assert json.loads(ap.encode(message)) == json.loads(line)
        assert ap.decode(ap.encode(message)) == message
        assert ap.from_dict(ap.to_dict(message)) == message


BLOCKS: dict[type, tuple[dict[str, Any], dict[str, Any]]] = {
    ap.TextBlock: ({"text": ""}, {"type": "text", "text": ""}),
    ap.ThinkingBlock: (
        {"thinking": "Hm.", "signature": ""},
        {"type": "thinking", "thinking": "Hm.", "signature": ""},
    ),
    ap.RedactedThinkingBlock: ({"data": "x"}, {"type": "redacted_thinking", "data": "x"}),
    ap.ToolUseBlock: (
        {"id": "toolu_1", "name": "Bash", "input": {}},
        {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}},
    ),
    ap.ContainerUploadBlock: ({"file_id": "f"}, {"type": "container_upload", "file_id": "f"}),
}


@pytest.mark.parametrize("record", BLOCKS, ids=lambda record: record.__name__)
def test_content_block_marshaling(record: type) -> None:
    """**ContentBlock marshaling**: a block is written with the members of its own type, and no others.

    In Python each type of block is a class, without members of other types that could be null or empty.
    """
    arguments, wire = BLOCKS[record]
    assert record in variants(ap.ContentBlock)
    assert json.loads(ap.encode(record(**arguments))) == wire
    assert list(json.loads(ap.encode(record(**arguments)))) == list(wire)


COMBINATIONS = list(product(ap.known_values(ap.MessageTypeValue), ap.known_values(ap.SystemSubtypeValue)))


@pytest.mark.parametrize(("type_", "subtype"), COMBINATIONS)
def test_discriminator_completeness(type_: str, subtype: str) -> None:
    """**Discriminator completeness**: every `MessageType` × `SystemSubtype` is distinguished from the others.

    An unknown one is an error only in strict mode, which reports its place.
    """
    data = {"type": type_, "subtype": subtype}
    if type_ == "result":  # it has other subtypes
        assert ap.from_dict(data) == ap.UnknownMessage(raw=data)
        assert fault(data, strict=True) == ("unknown_variant", "/subtype")
    else:
        record = {
            (t, s if t == "system" else None): r for r, (t, s) in MESSAGES.items() if r is not ap.UserMessageReplay
        }
        expected = record[type_, subtype if type_ == "system" else None]
        missing = next(key for key in schema()[expected.__name__]["required"] if key not in data)
        assert fault(data) == ("missing_field", f"/{missing}")


def fault(data: object, type_: object = None, *, strict: bool = False) -> tuple[str, str]:
    """Return the code and path of the error that decoding raises."""
    with pytest.raises(ap.DecodeError) as caught:
        ap.from_dict(data, type_, strict=strict)
    return caught.value.code, caught.value.path


def test_discriminator_completeness_of_types_nobody_knows() -> None:
    """**Discriminator completeness**: the second half, an unknown type and a missing type."""
    unknown = {"type": "telepathy", "text": "…"}
    assert ap.from_dict(unknown) == ap.UnknownMessage(raw=unknown)
    assert json.loads(ap.encode(ap.from_dict(unknown))) == unknown
    assert fault(unknown, strict=True) == ("unknown_variant", "/type")
    assert fault({"text": "…"}) == ("missing_field", "/type")


def test_user_message_replay_detection() -> None:
    """**UserMessageReplay detection**: true means a replay, false and absence do not, and null is not a boolean."""
    plain = {
        "type": "user",
        "uuid": U1,
        "session_id": "s",
        "message": {"role": "user", "content": "Hello."},
        "parent_tool_use_id": None,
    }
    assert type(ap.from_dict({**plain, "isReplay": True})) is ap.UserMessageReplay
    assert type(ap.from_dict({**plain, "isReplay": False})) is ap.UserMessage
    assert type(ap.from_dict(plain)) is ap.UserMessage
    assert fault({**plain, "isReplay": None}) == ("wrong_type", "/isReplay")
    assert fault({**plain, "isReplay": True}, ap.UserMessage) == ("wrong_constant", "/isReplay")
    assert ap.to_dict(ap.from_dict({**plain, "isReplay": True}))["isReplay"] is True


# --- options, enums, control -----------------------------------------------------------------------------------

CALLBACKS = {"can_use_tool", "stderr", "abort_controller", "spawn_claude_code_process"}


def test_options_completeness() -> None:
    """**Options completeness**: all 43 options are fields, including the callbacks, which are never sent."""
    assert len(fields(ap.QueryOptions)) == 43
    assert set(fields(ap.QueryOptions)) >= CALLBACKS
    options = ap.QueryOptions(
        model="haiku", continue_=True, can_use_tool=print, stderr=print, abort_controller=object()
    )
    assert ap.to_dict(options) == {"model": "haiku", "continue": True}
    assert len(schema()["QueryOptions"]["properties"]) == 43 - len(CALLBACKS)
    for strict in (False, True):
        read = ap.from_dict({"model": "haiku"}, ap.QueryOptions, strict=strict)
        assert read == ap.QueryOptions(model="haiku")
        assert [getattr(read, name) for name in CALLBACKS] == [None] * len(CALLBACKS)
    assert ap.from_dict({"canUseTool": 1}, ap.QueryOptions).extra == {"canUseTool": 1}
    assert fault({"canUseTool": 1}, ap.QueryOptions, strict=True) == ("unknown_field", "/canUseTool")


ENUMS = {
    ap.PermissionModeValue: ("PermissionMode", 6),
    ap.ResultSubtypeValue: ("ResultSubtype", 5),
    ap.ExitReasonValue: ("ExitReason", 5),
    ap.HookEventValue: ("HookEvent", 15),
    ap.SystemSubtypeValue: ("SystemSubtype", 8),
}


@pytest.mark.parametrize("values", ENUMS, ids=lambda values: values.__name__)
def test_enum_coverage(values: type[ap.EnumValues[Any]]) -> None:
    """**Enum coverage**: every value is a named constant, and the strict schema has the same values."""
    name, count = ENUMS[values]
    known = ap.known_values(values)
    assert len(known) == count
    assert list(known) == schema("strict.schema")[name]["enum"]
    assert all(ap.is_known(values=values, value=value) for value in known)
    assert not ap.is_known(values=values, value="telepathy")


CONTROLS = {
    "initialize": (ap.InitializeRequest, ap.InitializeResponse),
    "interrupt": (ap.InterruptRequest, None),
    "can_use_tool": (ap.PermissionRequest, ap.PermissionResult),
    "set_permission_mode": (ap.SetPermissionModeRequest, ap.SetPermissionModeResponse),
    "set_model": (ap.SetModelRequest, None),
    "set_max_thinking_tokens": (ap.SetMaxThinkingTokensRequest, None),
    "mcp_status": (ap.McpStatusRequest, ap.McpStatusResponse),
    "hook_callback": (ap.HookCallbackRequest, ap.HookJSONOutput),
    "mcp_message": (ap.McpMessageRequest, ap.McpMessageResponse),
    "rewind_files": (ap.RewindFilesRequest, ap.RewindFilesResult),
    "mcp_set_servers": (ap.McpSetServersRequest, ap.McpSetServersResult),
    "mcp_reconnect": (ap.McpReconnectRequest, None),
    "mcp_toggle": (ap.McpToggleRequest, None),
}
"""The thirteen requests that upstream declares: the class of the request, and the type of its response."""


@pytest.mark.parametrize("subtype", CONTROLS)
def test_control_protocol(subtype: str) -> None:
    """**Control protocol**: each of the 13 requests has its class, its response type, and its place in the schema."""
    request, answer = CONTROLS[subtype]
    assert request.subtype == subtype
    assert request in variants(ap.ControlRequestInner)
    assert ap.response_type(request) == answer
    assert schema()[request.__name__]["properties"]["subtype"]["const"] == subtype
    assert union_entry("ControlRequestInner", request)


def test_control_protocol_has_a_request_and_its_answer_find_each_other() -> None:
    """**Control protocol**: a request is sent in its envelope, and its response is decoded to its type."""
    line = ap.encode(ap.request(ap.SetPermissionModeRequest(mode="plan"), "req_1"))
    assert json.loads(line) == {
        "type": "control_request",
        "request_id": "req_1",
        "request": {"subtype": "set_permission_mode", "mode": "plan"},
    }
    request = ap.decode(line)
    reply = ap.decode(ap.encode(ap.reply(request, ap.SetPermissionModeResponse(mode="plan"))))
    assert reply.response.request_id == "req_1"
    assert ap.decode_response(request, reply) == ap.SetPermissionModeResponse(mode="plan")


# --- members ---------------------------------------------------------------------------------------------------


def test_null_handling() -> None:
    """**Null handling**: None is omitted for an optional member, and written as null for a nullable one.

    If both are possible, UNSET means absence. Go's `Content any` is `json` here: any value, including null.
    """
    allow = ap.PermissionResultAllow(updated_input={})
    assert ap.to_dict(allow) == {"behavior": "allow", "updatedInput": {}}
    assert ap.to_dict(ap.SetMaxThinkingTokensRequest(max_thinking_tokens=None))["max_thinking_tokens"] is None
    assert ap.to_dict(ap.SetMaxThinkingTokensRequest(max_thinking_tokens=0))["max_thinking_tokens"] == 0
    assert [ap.to_dict(ap.SetModelRequest(model=model)) for model in (ap.UNSET, None, "")] == [
        {"subtype": "set_model"},
        {"subtype": "set_model", "model": None},
        {"subtype": "set_model", "model": ""},
    ]
    prompt = ap.new_prompt("Hello.")
    assert ap.to_dict(prompt)["session_id"] == ""
    assert "tool_use_result" not in ap.to_dict(prompt)
    assert ap.to_dict(dataclasses.replace(prompt, tool_use_result=None))["tool_use_result"] is None


def test_uuid_format() -> None:
    """**UUID format**: constructors generate new RFC 4122 UUIDs, and all are strings in JSON.

    Go's google/uuid does not apply here: in Python a UUID is a `str` that keeps its spelling, and strict mode and the
    strict schema check its format.
    """
    made = {ap.new_compact_boundary("auto", 1, "s").uuid for _ in range(100)}
    assert len(made) == 100
    for text in made:
        assert str(uuid.UUID(text)) == text
        assert (uuid.UUID(text).version, uuid.UUID(text).variant) == (4, uuid.RFC_4122)
    boundary = ap.to_dict(ap.new_compact_boundary("auto", 1, "s"))
    assert json.loads(ap.encode(ap.from_dict({**boundary, "uuid": U2})))["uuid"] == U2
    assert fault({**boundary, "uuid": "not one"}, strict=True) == ("bad_format", "/uuid")
    assert ap.from_dict({**boundary, "uuid": "not one"}).uuid == "not one"
    pattern = schema("strict.schema")["CompactBoundaryMessage"]["properties"]["uuid"]["pattern"]
    assert re.search(pattern, U2)
    assert not re.search(pattern, "not one")


def test_system_prompt_config_marshaling() -> None:
    """**SystemPromptConfig marshaling**: a text is a plain string, a preset is an object."""
    preset = ap.SystemPromptPreset(preset="claude_code", append="Be brief.")
    wire = {"type": "preset", "preset": "claude_code", "append": "Be brief."}
    assert ap.to_dict(ap.QueryOptions(system_prompt="Be brief.")) == {"systemPrompt": "Be brief."}
    assert ap.to_dict(ap.QueryOptions(system_prompt=preset)) == {"systemPrompt": wire}
    assert ap.from_dict({"systemPrompt": wire}, ap.QueryOptions).system_prompt == preset
    assert fault({"systemPrompt": 1}, ap.QueryOptions) == ("wrong_type", "/systemPrompt")


USAGE = {
    "input_tokens": 0,
    "output_tokens": 0,
    "cache_read_input_tokens": 0,
    "cache_creation_input_tokens": 0,
    "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
    "server_tool_use": {"web_fetch_requests": 0, "web_search_requests": 0},
    "service_tier": "standard",
}


@pytest.mark.parametrize("name", USAGE)
def test_beta_usage_invariant(name: str) -> None:
    """**BetaUsage invariant**: the usage of a result (NonNullableUsage) has all counters, and no member is null.

    The usage of a message is another type, since the API sends nulls there.
    """
    assert fields(ap.NonNullableUsage) == list(USAGE)
    assert ap.to_dict(ap.from_dict(USAGE, ap.NonNullableUsage, strict=True)) == USAGE
    assert fault({**USAGE, name: None}, ap.NonNullableUsage, strict=True) == ("wrong_type", f"/{name}")
    counters = [key for key in USAGE if key.endswith("_tokens")]
    assert schema()["NonNullableUsage"]["required"] == counters
    rest = {k: v for k, v in USAGE.items() if k != name}
    if name in counters:
        assert fault(rest, ap.NonNullableUsage) == ("missing_field", f"/{name}")
    else:  # older records have only the counters
        assert ap.to_dict(ap.from_dict(rest, ap.NonNullableUsage, strict=True)) == rest


def test_model_usage_camel_case() -> None:
    """**ModelUsage camelCase**: members are camelCase on the wire, and follow Python's conventions in Python."""
    wire = {
        "inputTokens": 1,
        "outputTokens": 2,
        "cacheReadInputTokens": 3,
        "cacheCreationInputTokens": 4,
        "webSearchRequests": 5,
        "costUSD": 0.5,
        "contextWindow": 200000,
        "maxOutputTokens": 64000,
    }
    usage = ap.from_dict(wire, ap.ModelUsage, strict=True)
    assert (usage.input_tokens, usage.cost_usd, usage.max_output_tokens) == (1, 0.5, 64000)
    assert ap.to_dict(usage) == wire
    assert list(schema()["ModelUsage"]["properties"]) == list(wire)


# --- constructors ----------------------------------------------------------------------------------------------


def beta_message() -> ap.BetaMessage:
    line = next(line for line in samples()[ap.AssistantMessage])
    message = ap.decode(line)
    assert isinstance(message, ap.AssistantMessage)
    return message.message


def usage() -> Any:
    return ap.from_dict(USAGE, ap.NonNullableUsage)


CONSTRUCTORS: dict[str, Callable[[], Any]] = {
    "new_assistant_message": lambda: ap.new_assistant_message(beta_message(), None, "s"),
    "new_user_message": lambda: ap.new_user_message("Hello.", "s"),
    "new_prompt": lambda: ap.new_prompt("Hello."),
    "new_result_success": lambda: ap.new_result_success("Done.", 1, 0.5, usage(), {}, 10, 5, "s"),
    "new_result_error": lambda: ap.new_result_error("error_max_turns", ["Too many."], 1, 0.5, usage(), {}, 10, 5, "s"),
    "new_system_init": lambda: ap.new_system_init("haiku", "/home", "default", "2.1.37", "s"),
    "new_compact_boundary": lambda: ap.new_compact_boundary("manual", 100, "s"),
    "new_control_request": lambda: ap.new_control_request("req_1", ap.InterruptRequest()),
    "new_control_response": lambda: ap.new_control_response(ap.ControlSuccessResponse(request_id="req_1")),
    "new_permission_allow": lambda: ap.new_permission_allow({}),
    "new_permission_deny": lambda: ap.new_permission_deny("No."),
}
UNIDENTIFIED = {"new_control_request", "new_control_response", "new_permission_allow", "new_permission_deny"}
"""Constructors of types without a `uuid`."""


def test_constructor_correctness_is_tested_for_every_constructor() -> None:
    """**Constructor correctness**: the table below has all constructors."""
    assert {name for name in ap.__all__ if name.startswith("new_")} == CONSTRUCTORS.keys()


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_constructor_correctness(name: str) -> None:
    """**Constructor correctness**: the result of a constructor is complete, strictly valid, and has a new UUID."""
    made, again = CONSTRUCTORS[name](), CONSTRUCTORS[name]()
    assert ap.decode(ap.encode(made), type(made), strict=True) == made
    if name in UNIDENTIFIED:
        assert "uuid" not in fields(type(made))
    else:
        assert uuid.UUID(made.uuid).version == 4
        assert made.uuid != again.uuid


def test_constructor_correctness_of_mandatory_members() -> None:
    """**Constructor correctness**: a member that writers must send is required, although readers accept its absence."""
    with pytest.raises(TypeError, match="updated_input"):
        ap.new_permission_allow()
    with pytest.raises(TypeError, match="session_id"):
        ap.new_user_message("Hello.")
    assert ap.new_result_error("error_max_turns", [], 1, 0.5, usage(), {}, 10, 5, "s").is_error is True
    assert ap.new_system_init("haiku", "/home", "plan", "2.1.37", "s").tools == []


def test_files_persisted_event_fields() -> None:
    """**FilesPersistedEvent fields**: `files`, `failed` and `processed_at`, with the members of their items."""
    assert fields(ap.FilesPersistedEvent) == ["uuid", "session_id", "files", "failed", "processed_at"]
    assert fields(ap.PersistedFile) == ["filename", "file_id"]
    assert fields(ap.FailedFile) == ["filename", "error"]
    wire = {
        "type": "system",
        "subtype": "files_persisted",
        "uuid": U1,
        "session_id": "s",
        "files": [{"filename": "a.md", "file_id": "file_1"}],
        "failed": [{"filename": "b.md", "error": "too large"}],
        "processed_at": "2026-02-07T09:30:00.000Z",
    }
    event = ap.from_dict(wire, strict=True)
    assert type(event) is ap.FilesPersistedEvent
    assert (event.files[0].file_id, event.failed[0].error) == ("file_1", "too large")
    assert ap.to_dict(event) == wire
    assert fault({**wire, "processed_at": "yesterday"}, strict=True) == ("bad_format", "/processed_at")


# --- the checklist itself --------------------------------------------------------------------------------------


def test_every_item_of_the_checklist_has_a_test_and_every_test_an_item() -> None:
    items = checklist()
    tests = [each for name, each in vars(sys.modules[__name__]).items() if name.startswith("test_")]
    quoted = [found[1] for each in tests if (found := TITLE.match(each.__doc__ or ""))]
    assert len(items) == len(set(items)) == 15
    assert list(dict.fromkeys(quoted)) == items
