"""The dialect goat-doc, checked item by item against goat's page about its SDK types.

The tree of messages comes first, then the other tables of the page.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from documented import document, members
from polywire.model.build import build
from polywire.model.nodes import Model
from polywire.model.walk import spell, structs_of
from polywire.oracle import reference
from polywire.source import load

ROOT = Path(__file__).resolve().parents[2]


@cache
def model() -> Model:
    found = build(load(ROOT / "spec", "goat-doc")).model
    assert found is not None
    return found


PAGE = document("goat-doc")


# --- the tree of messages --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message:
    """One item of the tree: its name, its tags, the Go names of its fields, and its subtypes if it has several."""

    name: str
    tags: dict[str, str]
    fields: tuple[str, ...]
    subtypes: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


MESSAGES = [
    Message(name, item["tags"], tuple(item["fields"]), tuple(item.get("subtypes", ())))
    for name, item in PAGE["message"].items()
]


def on_the_wire(go: str) -> str:
    """Return a field's key, by the rule that BaseMessage follows: `SessionID` → `sessionId`, `CWD` → `cwd`."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", go)
    return words[0].lower() + "".join(word.capitalize() for word in words[1:])


def test_the_rule_of_names_is_that_of_the_page() -> None:
    assert PAGE["base"] == {go: on_the_wire(go) for go in ("UUID", "SessionID", "ParentUUID", "Timestamp")}


def test_the_tree_has_all_messages_of_the_dialect() -> None:
    names = [message.name for message in MESSAGES]
    assert len(names) == 15
    expected = [each for name in names for each in STRUCTS.get(name, (name,))]
    assert sorted(expected) == sorted(structs_of(model().union("SDKMessage").dispatch))


STRUCTS = {"ResultMessage": ("ResultSuccess", "ResultError")}
"""Items of the tree that are several types in the dialect."""

SHARED = ["uuid", "sessionId", "parentUuid", "timestamp"]


@pytest.mark.parametrize("message", MESSAGES, ids=str)
def test_a_message_of_the_tree_has_its_tags_and_its_fields(message: Message) -> None:
    for struct in map(model().struct, STRUCTS.get(message.name, (message.name,))):
        tags = {tag.key: tag.constant for tag in struct.tags if tag.constant is not None}
        assert message.tags.items() <= {**tags, **message.tags}.items()
        assert {key: tags.get(key) for key in message.tags} == message.tags
        has = {field.name for field in struct.wire_fields} | {tag.key for tag in struct.tags}
        assert {on_the_wire(field) for field in message.fields} <= has
        beside = has - {on_the_wire(field) for field in message.fields} - set(SHARED) - message.tags.keys()
        assert beside <= BESIDE.get(message.name, set())


BESIDE = {"AssistantMessage": {"subtype"}}
"""Members that a message has in addition to those of its item: the sibling's discriminator, which is mostly absent."""


@pytest.mark.parametrize("subtype", [subtype for message in MESSAGES for subtype in message.subtypes])
def test_a_subtype_of_the_tree_is_one_of_a_result(subtype: str) -> None:
    result = {"type": "result", "subtype": subtype, "uuid": "0b1f7a52-5d0a-4f0e-9d0c-6a2f6f0f2a11", "sessionId": "s"}
    result |= {"result": "", "duration": 1.5, "turnCount": 1, "cost": 0.5}
    usage = dict.fromkeys((field.name for field in model().struct("NonNullableUsage").fields), 0)
    usage |= {"cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0}}
    usage |= {"server_tool_use": {"web_fetch_requests": 0, "web_search_requests": 0}, "service_tier": "standard"}
    found = reference.decode(model(), "SDKMessage", json.dumps({**result, "usage": usage}), strict=True)
    assert found.variant == ("ResultSuccess" if subtype == "success" else "ResultError")


# --- the other tables ------------------------------------------------------------------------------------------


def test_every_message_has_the_shared_fields_first() -> None:
    for name in structs_of(model().union("SDKMessage").dispatch):
        shared = [field for field in model().struct(name).fields if field.origin == "BaseMessage"]
        assert [field.name for field in shared] == SHARED
        assert [field.required for field in shared] == [True, True, False, False]


@pytest.mark.parametrize("name", ["MessageType", "SystemSubtype", "ResultSubtype", "PermissionMode", "HookEvent"])
def test_an_enum_has_the_values_of_the_page(name: str) -> None:
    in_the_tree = {"error_max_budget"} if name == "ResultSubtype" else set()
    assert {value.wire for value in model().enum(name).values} == {*PAGE["enum"][name], *in_the_tree}
    assert (name != "HookEvent") or len(PAGE["enum"][name]) == 15


def test_blocks_have_the_members_of_the_page() -> None:
    blocks = [model().struct(name) for name in structs_of(model().union("ContentBlock").dispatch)]
    assert [block.tags[0].constant for block in blocks] == PAGE["block"]["kinds"]
    found = ["type", *(field.name for block in blocks for field in block.fields)]
    assert found == [on_the_wire(name) for name in PAGE["block"]["members"]]


def test_an_agent_has_the_fields_of_the_page() -> None:
    found = {field.name: not field.required for field in model().struct("AgentDefinition").fields}
    assert found == members(PAGE["agent"])
    assert [value.wire for value in model().enum("AgentMemory").values] == ["auto", "none"]


@pytest.mark.parametrize("title", ["PermissionResult", "PermissionUpdate"])
def test_permissions_have_the_tags_and_the_members_of_the_page(title: str) -> None:
    listed = PAGE["permission"][title]
    structs = [model().struct(name) for name in structs_of(model().union(title).dispatch)]
    assert [tag.constant for struct in structs for tag in struct.tags] == listed["values"]
    assert {tag.key for struct in structs for tag in struct.tags} == {on_the_wire(listed["tag"])}
    found = {field.name for struct in structs for field in struct.fields}
    assert found == {on_the_wire(name) for name in listed["members"]}
    if title == "PermissionUpdate":
        places = model().enum("PermissionUpdateDestination").values
        assert {value.wire for value in places} == set(listed["destinations"])
        rule = {field.name for field in model().struct("PermissionRuleValue").fields}
        assert {on_the_wire(name) for name in listed["rule"]} == rule
        assert spell(model().struct("SetModeUpdate").fields[0].type) == "PermissionMode"
