"""Captured sessions decode with the spec: without unknowns for the described version, without loss for a newer one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import traffic
from polywire.ground.json_values import equal
from polywire.model.nodes import Control, Model
from polywire.oracle import reference
from polywire.oracle.reference import Decoded
from polywire.oracle.reference.text import read
from polywire.source.types import Ref, Scalar
from traffic import DESCRIBED, NEWER, Answer, Capture

UNSEEN = {
    "AuthStatusMessage",
    "FilesPersistedEvent",
    "HookProgressMessage",
    "KeepAliveMessage",
    "StreamlinedTextMessage",
    "StreamlinedToolUseSummaryMessage",
    "UpdateEnvironmentVariablesMessage",
}
"""Messages that no capture of the described version contains; written cases cover them instead."""

NEW_LINES = """
    active_goal autocompact_state command_lifecycle conversation_reset prompt_suggestion rate_limit_event
    system/api_retry system/background_tasks_changed system/commands_changed system/elicitation_complete
    system/informational system/model_fallback system/model_refusal_no_fallback system/notification
    system/permission_denied system/session_state_changed system/task_progress system/task_started
    system/task_updated system/thinking_tokens
"""
"""The messages that only captures of the newer version contain."""


def decoded(model: Model, root: str, line: bytes, *, strict: bool) -> Decoded:
    """Decode a line as `root`, and assert that the value is preserved."""
    result = reference.decode(model, root, line, strict=strict)
    assert equal(result.value, read(line).value)
    return result


# --- the version that the spec describes -----------------------------------------------------------------------


@pytest.mark.parametrize("capture", traffic.captures(DESCRIBED), ids=str)
def test_every_line_of_the_described_version_decodes_strictly(capture: Capture, model: Model) -> None:
    for line in capture.lines():
        assert decoded(model, "WireMessage", line, strict=True).unknown == []


@pytest.mark.parametrize("capture", traffic.captures(DESCRIBED), ids=str)
def test_nothing_in_a_line_of_the_described_version_is_unknown_when_read_leniently(
    capture: Capture, model: Model
) -> None:
    for line in capture.lines():
        assert decoded(model, "WireMessage", line, strict=False).unknown == []


@pytest.mark.parametrize("capture", traffic.captures(DESCRIBED), ids=str)
def test_a_line_of_the_described_version_is_the_same_message_in_the_union_of_its_direction(
    capture: Capture, model: Model
) -> None:
    for line in capture.lines():
        directed = decoded(model, capture.root, line, strict=True)
        assert directed.variant == decoded(model, "WireMessage", line, strict=True).variant
        assert directed.unknown == []


def test_captures_of_the_described_version_show_every_line_that_they_can(model: Model) -> None:
    seen = Counter(
        reference.decode(model, "WireMessage", line).variant
        for capture in traffic.captures(DESCRIBED)
        for line in capture.lines()
    )
    assert seen.total() == 278
    declared = {struct.name for struct in model.structs if struct.section == "messages"}
    assert declared - seen.keys() == UNSEEN
    assert seen.keys() <= declared


def test_lines_that_no_capture_shows_have_a_written_case(root: Path) -> None:
    cases = [json.loads(path.read_text(encoding="utf-8")) for path in (root / "tests/fixtures/variants").glob("*.json")]
    assert {case["expect"]["variant"] for case in cases} >= UNSEEN


# --- a newer version -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("capture", traffic.captures(NEWER), ids=str)
def test_every_line_of_a_newer_version_decodes_leniently(capture: Capture, model: Model) -> None:
    for line in capture.lines():
        whole = decoded(model, "WireMessage", line, strict=False)
        assert decoded(model, capture.root, line, strict=False).variant == whole.variant


def test_lines_that_a_newer_version_added_are_unknown_and_all_others_are_not(model: Model) -> None:
    unknown: Counter[str] = Counter()
    for capture in traffic.captures(NEWER):
        for line in capture.lines():
            if reference.decode(model, "WireMessage", line).variant == "Unknown":
                message = json.loads(line)
                unknown["/".join(filter(None, (message["type"], message.get("subtype"))))] += 1
    assert sorted(unknown) == NEW_LINES.split()
    assert unknown.total() == 41
    assert sum(len(capture.lines()) for capture in traffic.captures(NEWER)) == 409


# --- responses -------------------------------------------------------------------------------------------------


def control(model: Model, key: str) -> Control:
    return next(each for each in model.controls if each.key == key)


@pytest.mark.parametrize("answer", traffic.answers(DESCRIBED), ids=lambda each: f"{each.capture.session}-{each.asked}")
def test_an_answer_of_the_described_version_is_what_its_request_is_paired_with(answer: Answer, model: Model) -> None:
    paired = control(model, answer.asked)
    if answer.response["subtype"] == "error":
        assert isinstance(answer.response["error"], str)
    elif answer.payload is None:
        assert paired.response is None or paired.response_optional
    else:
        assert isinstance(paired.response, Ref)
        result = reference.decode(model, paired.response.name, answer.payload, strict=True)
        assert equal(result.value, read(answer.payload).value)
        assert result.unknown == []


def test_answers_of_the_described_version_are_to_requests_of_these_kinds() -> None:
    assert Counter(answer.asked for answer in traffic.answers(DESCRIBED)) == {
        "can_use_tool": 12,
        "hook_callback": 7,
        "initialize": 2,
        "interrupt": 2,
        "mcp_reconnect": 1,
        "mcp_status": 2,
        "rewind_files": 4,
    }


BAD_ANSWERS = {"tool_perm_bad_reply"}
"""Sessions whose client deliberately sent an invalid response, to record the reaction."""


@pytest.mark.parametrize("answer", traffic.answers(NEWER), ids=lambda each: f"{each.capture.session}-{each.asked}")
def test_nothing_in_an_answer_of_the_newest_release_is_unknown(answer: Answer, newest: Model, span: Model) -> None:
    for model in (newest, span):
        paired = control(model, answer.asked)
        if answer.response["subtype"] == "error":
            assert isinstance(answer.response["error"], str)
        elif answer.payload is None:
            assert paired.response is None or paired.response_optional
        else:
            assert isinstance(paired.response, Ref)
            result = reference.decode(model, paired.response.name, answer.payload)
            assert equal(result.value, read(answer.payload).value)
            assert bool(result.unknown) == (answer.capture.session in BAD_ANSWERS)


def test_the_payload_of_an_answer_stays_untouched_on_the_wire(model: Model) -> None:
    field = next(each for each in model.struct("ControlSuccessResponse").fields if each.name == "response")
    assert field.type == Scalar("object")
    assert not field.required
