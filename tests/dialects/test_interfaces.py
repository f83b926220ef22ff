"""The dialects miriad and chorus, checked against the TypeScript interfaces in their documents."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from documented import document, members
from polywire.model.build import build
from polywire.model.nodes import Model
from polywire.model.walk import structs_of
from polywire.source import load

ROOT = Path(__file__).resolve().parents[2]

CHORUS = {
    "SDKSystemMessage": "SystemInitMessage",
    "SDKAssistantMessage": "AssistantMessage",
    "APIAssistantMessage": "BetaMessage",
    "BetaUsage": "BetaUsage",
    "ToolUseBlock": "ToolUseBlock",
    "ThinkingBlock": "ThinkingBlock",
    "SDKUserMessage": "UserMessage",
    "APIUserMessage": "MessageParam",
    "TextBlock": "TextBlockParam",
    "ToolResultBlock": "ToolResultBlockParam",
    "ImageBlock": "ImageBlockParam",
    "SDKResultMessageSuccess": "ResultSuccess",
    "SDKResultMessageError": "ResultError",
    "NonNullableUsage": "NonNullableUsage",
    "ModelUsage": "ModelUsage",
    "SDKPartialAssistantMessage": "PartialAssistantMessage",
    "SDKToolProgressMessage": "ToolProgressMessage",
    "SDKCompactBoundaryMessage": "CompactBoundaryMessage",
    "SDKStatusMessage": "StatusMessage",
    "SDKHookResponseMessage": "HookResponseMessage",
    "SDKAuthStatusMessage": "AuthStatusMessage",
    "StoredMessage": "StoredMessage",
}
MIRIAD = {
    "UserMessage": "UserMessage",
    "AssistantMessage": "AssistantMessage",
    "SystemMessage": "SystemMessage",
    "ResultMessage": "ResultMessage",
    "StreamEvent": "PartialAssistantMessage",
    "TextBlock": "TextBlock",
    "ThinkingBlock": "ThinkingBlock",
    "ToolUseBlock": "ToolUseBlock",
    "ToolResultBlock": "ToolResultBlockParam",
    "ControlRequest": "ControlRequest",
    "ControlResponse": "ControlResponse",
}
TYPES = {"miriad": MIRIAD, "chorus": CHORUS}
"""By dialect: its type for each interface of its document."""

LOOSER = {
    ("chorus", "SDKUserMessage", "isReplay"): "the discriminator of its sibling, false or absent here",
}
"""Members that differ from the document, and why."""


@cache
def model(dialect: str) -> Model:
    found = build(load(ROOT / "spec", dialect)).model
    assert found is not None
    return found


@pytest.mark.parametrize("dialect", TYPES)
def test_every_interface_is_a_type_of_the_dialect_with_its_members(dialect: str) -> None:
    names = TYPES[dialect]
    listed = {name: members(each) for name, each in document(dialect)["interface"].items()}
    assert listed.keys() == names.keys()
    differ = {
        (dialect, name, key)
        for name, each in listed.items()
        for key in each.items() ^ keys(dialect, names[name]).items()
        for key in key[:1]
    }
    assert differ == {each for each in LOOSER if each[0] == dialect}


def keys(dialect: str, name: str) -> dict[str, bool]:
    """Return the keys of a type, and whether each may be absent."""
    struct = model(dialect).struct(name)
    fixed = [*(tag.key for tag in struct.tags), *(const.key for const in struct.consts)]
    return dict.fromkeys(fixed, False) | {field.name: not field.required for field in struct.wire_fields}


def test_the_union_of_chorus_has_its_variants() -> None:
    listed = document("chorus")["union"]
    assert len(listed) == 11
    ours = {CHORUS.get(name, name.removeprefix("SDK")) for name in listed} - {"ResultMessage"}
    assert {*ours, "ResultSuccess", "ResultError"} == set(structs_of(model("chorus").union("SDKMessage").dispatch))


def test_the_requests_of_miriad_are_those_of_its_document() -> None:
    listed = document("miriad")["request"]
    assert len(listed) == 8
    assert {control.key for control in model("miriad").controls} == listed.keys()
    for control in model("miriad").controls:
        assert keys("miriad", control.request) == {"subtype": False, **members(listed[control.key])}
