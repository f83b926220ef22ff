"""The dialects miriad and chorus, checked against the TypeScript interfaces in their documents (seeds/001 and 004)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import seeds
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
DOCUMENTS = {"001": ("miriad", MIRIAD), "004": ("chorus", CHORUS)}
"""By document: its dialect, and the dialect's type for each interface."""

LOOSER = {
    ("chorus", "SDKUserMessage", "isReplay"): "the discriminator of its sibling, false or absent here",
}
"""Members that differ from the document, and why."""


@pytest.fixture(autouse=True)
def documents(need_seeds: None) -> None:
    """All tests here read the documents."""


@cache
def model(dialect: str) -> Model:
    found = build(load(ROOT / "spec", dialect)).model
    assert found is not None
    return found


def interfaces(document: str) -> Iterator[tuple[str, dict[str, bool]]]:
    """Yield the interfaces of a document: the name, and the keys with whether each may be absent."""
    for name, body in re.findall(r"^interface (\w+) \{\n(.*?)^\}", seeds.document(document), re.MULTILINE | re.DOTALL):
        yield name, {key: mark == "?" for key, mark in re.findall(r"^  (\w+)(\??):", body, re.MULTILINE)}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_interface_is_a_type_of_the_dialect_with_its_members(document: str) -> None:
    dialect, names = DOCUMENTS[document]
    listed = dict(interfaces(document))
    assert listed.keys() == names.keys()
    differ = {
        (dialect, name, key)
        for name, members in listed.items()
        for key in members.items() ^ keys(dialect, names[name]).items()
        for key in key[:1]
    }
    assert differ == {each for each in LOOSER if each[0] == dialect}


def keys(dialect: str, name: str) -> dict[str, bool]:
    """Return the keys of a type, and whether each may be absent."""
    struct = model(dialect).struct(name)
    fixed = [*(tag.key for tag in struct.tags), *(const.key for const in struct.consts)]
    return dict.fromkeys(fixed, False) | {field.name: not field.required for field in struct.wire_fields}


def test_the_union_of_chorus_has_its_variants() -> None:
    body = seeds.document("004").partition("type SDKMessage =")[2].partition(";")[0]
    listed = re.findall(r"\| (\w+)", body)
    assert len(listed) == 11
    ours = {CHORUS.get(name, name.removeprefix("SDK")) for name in listed} - {"ResultMessage"}
    assert {*ours, "ResultSuccess", "ResultError"} == set(structs_of(model("chorus").union("SDKMessage").dispatch))


def test_the_requests_of_miriad_are_those_of_its_document() -> None:
    listed = re.findall(r'\{ subtype: "(\w+)"', seeds.document("001"))
    assert sorted(control.key for control in model("miriad").controls) == sorted(listed)
    said = dict(re.findall(r'\{ subtype: "(\w+)",? ?(.*?) \}', seeds.document("001")))
    for control in model("miriad").controls:
        own = {key: mark == "?" for key, mark in re.findall(r"(\w+)(\??):", said[control.key])}
        assert keys("miriad", control.request) == {"subtype": False, **own}
