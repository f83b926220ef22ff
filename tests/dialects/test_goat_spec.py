"""The dialect goat-spec, checked against goat's specification: its listing, and each checklist item.

The docstring of each checklist test starts with the title of its item.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import go_listing
from documented import checklist, document
from polywire.model.build import build
from polywire.model.nodes import Model, Struct
from polywire.model.walk import structs_of
from polywire.oracle import reference
from polywire.plan import make_plan
from polywire.source import load
from polywire.targets.python import TARGET as PYTHON
from polywire.writing.render import render

ROOT = Path(__file__).resolve().parents[2]
TITLE = re.compile(r"\*\*(.+?)\*\*")
U1 = "0b1f7a52-5d0a-4f0e-9d0c-6a2f6f0f2a11"


@cache
def model() -> Model:
    found = build(load(ROOT / "spec", "goat-spec")).model
    assert found is not None
    return found


# --- the listing -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Listed:
    """A field of a listed struct: its Go type, and whether it is omitted if it is empty."""

    type: str
    may_be_absent: bool


@cache
def listing() -> Mapping[str, Mapping[str, Listed]]:
    """Return the fields of the listed structs by JSON key, including those of embedded structs."""
    return {name: dict(_fields(name)) for name in go_listing.listing()["struct"]}


def _fields(name: str) -> Iterator[tuple[str, Listed]]:
    for field, typed in go_listing.listing()["struct"][name].items():
        if not typed:
            yield from _fields(field)
        elif typed[1] != "-":
            key, _, omit = typed[1].partition(",")
            yield key, Listed(typed[0], omit == "omitempty")


def keys(*structs: str) -> dict[str, bool]:
    """Return the keys of structs of the dialect, and whether each may be absent in one of them."""
    found: dict[str, bool] = {}
    for struct in map(model().struct, structs):
        for key in (*(tag.key for tag in struct.tags), *(const.key for const in struct.consts)):
            found.setdefault(key, False)
        for field in struct.wire_fields:
            found[field.name] = found.get(field.name, False) or not field.required
    return found


def variants(union: str) -> tuple[str, ...]:
    return structs_of(model().union(union).dispatch)


SEVERAL = {
    "ResultMessage": "ResultMessage",
    "ContentBlock": "ContentBlock",
    "ControlRequestInner": "ControlRequestInner",
    "McpServerConfig": "McpServerConfig",
    "PermissionResult": "PermissionResult",
    "PermissionUpdate": "PermissionUpdate",
}
"""Listed structs that represent one of several variants, with the dialect's union for each."""

RENAMED = {"OutputFormat": "JsonSchemaOutputFormat", "SystemPromptConfig": "SystemPromptPreset"}
NO_TYPES = {"RawSDKMessage", "BaseMessage"}
"""A helper of the decoder, and the struct that every message embeds."""

BESIDE = {"UserMessage": {"isReplay"}, "SystemPromptConfig": {"type", "append"}}
"""Keys that a struct has in addition to the listed ones: the first is false or absent on a message that is not a
replay; the others are written by the document's MarshalJSON, contrary to its listing."""


@pytest.mark.parametrize("name", sorted(listing().keys() - NO_TYPES))
def test_a_listed_struct_has_the_keys_that_it_has_in_the_dialect(name: str) -> None:
    several = name in SEVERAL
    found = keys(*variants(SEVERAL[name])) if several else keys(RENAMED.get(name, name))
    listed = listing()[name]
    assert found.keys() == listed.keys() | BESIDE.get(name, set())
    if not several:
        absent = {key for key, may_be in found.items() if may_be} - BESIDE.get(name, set())
        assert absent == {key for key, each in listed.items() if each.may_be_absent}


# --- the checklist ---------------------------------------------------------------------------------------------


NAMES = {
    "SDKResultMessage": ("ResultSuccess", "ResultError"),
    "SDKSystemMessage": ("SystemInitMessage",),
    "SDKFilesPersistedEvent": ("FilesPersistedEvent",),
}


LISTED = document("goat-spec")["union"]
MESSAGES = [each for name in LISTED for each in NAMES.get(name, (name.removeprefix("SDK"),))]
"""The variants of the document's union, by their names in the dialect."""


def test_type_completeness() -> None:
    """**Type completeness**: the dialect has every variant of the document's union, with uuid and session id."""
    assert len(LISTED) == 16
    assert sorted(variants("SDKMessage")) == sorted(MESSAGES)
    for name in MESSAGES:
        assert keys(name).items() >= {"uuid": False, "session_id": False}.items()


def sample(name: str) -> dict[str, Any]:
    """Return the smallest object of a variant."""
    maker = next(i for i in _instances(name) if i.note.endswith("minimal") and i.lenient.ok)
    found = json.loads(maker.text)
    assert isinstance(found, dict)
    return found


@cache
def _all_instances() -> dict[str, list[Any]]:
    from polywire.oracle.instances import derive

    found: dict[str, list[Any]] = {}
    for instance in derive(model(), seed=0, random=0):
        found.setdefault(instance.type, []).append(instance)
    return found


def _instances(name: str) -> list[Any]:
    return _all_instances()[name]


@pytest.mark.parametrize("name", MESSAGES)
def test_json_round_trip_fidelity(name: str) -> None:
    """**JSON round-trip fidelity**: every instance of a message round-trips without loss, as its own variant."""
    sound = [i for i in _instances(name) if i.strict.ok]
    assert len(sound) > 2
    for instance in sound:
        decoded = reference.decode(model(), name, instance.text, strict=True)
        assert doubles(json.dumps(decoded.value)) == doubles(instance.text)
        assert decoded.variant == name


def doubles(text: str) -> Any:
    """Parse JSON, with all numbers as doubles."""
    return json.loads(text, parse_int=float)


@pytest.mark.parametrize(
    ("name", "members"), [("TextBlock", "text"), ("ToolUseBlock", "id name input"), ("ThinkingBlock", "thinking")]
)
def test_content_block_marshaling(name: str, members: str) -> None:
    """**ContentBlock marshaling**: a block has the members of its own type, and no others."""
    own = {"type", *members.split()}
    assert keys(name) == dict.fromkeys(keys(name), False)
    assert keys(name).keys() == own
    assert set(variants("ContentBlock")) == {"TextBlock", "ToolUseBlock", "ThinkingBlock"}
    assert set(document("goat-spec")["written"][tag_of(name)]) == own


def tag_of(name: str) -> str:
    constant = model().struct(name).tags[0].constant
    assert isinstance(constant, str)
    return constant


def values(name: str) -> list[str]:
    return [str(value.wire) for value in model().enum(name).values]


def constants(type_: str) -> list[str]:
    """Return the values of the document's Go constants of a type; of the type `""`, those without a type."""
    return list(go_listing.listing()["constant"][type_].values())


@pytest.mark.parametrize(("type_", "subtype"), list(product(values("MessageType"), values("SystemSubtype"))))
def test_discriminator_completeness(type_: str, subtype: str) -> None:
    """**Discriminator completeness**: every `MessageType` × `SystemSubtype` selects a type, or is a clear error."""
    assert type_ in constants("MessageType")
    assert subtype in constants("SystemSubtype")
    fault = verdict("SDKMessage", {"type": type_, "subtype": subtype})
    if type_ == "result":  # it has other subtypes
        assert fault == ("unknown_variant", "/subtype")
    else:
        assert fault[0] == "missing_field"


def verdict(type_: str, value: object) -> tuple[str, str]:
    """Return the code and path of the error in strict mode, or the variant."""
    try:
        return reference.decode(model(), type_, json.dumps(value), strict=True).variant, ""
    except reference.Fault as fault:
        return fault.code, fault.path


def test_discriminator_completeness_of_types_nobody_knows() -> None:
    """**Discriminator completeness**: where the document requires an error, decoding reports one with its path."""
    assert verdict("SDKMessage", {"type": "telepathy"}) == ("unknown_variant", "/type")
    assert verdict("SDKMessage", {"type": "system", "subtype": "telepathy"}) == ("unknown_variant", "/subtype")
    assert verdict("SDKMessage", {"type": "system"}) == ("missing_field", "/subtype")


def test_user_message_replay_detection() -> None:
    """**UserMessageReplay detection**: true means a replay, false and absence do not."""
    plain = sample("UserMessage")
    assert verdict("SDKMessage", {**plain, "isReplay": True}) == ("UserMessageReplay", "")
    assert verdict("SDKMessage", {**plain, "isReplay": False}) == ("UserMessage", "")
    assert verdict("SDKMessage", plain) == ("UserMessage", "")


def test_options_completeness() -> None:
    """**Options completeness**: all of the document's options are fields; callbacks are never sent."""
    tags = [tag.partition(",")[0] for _, tag in go_listing.listing()["struct"]["QueryOptions"].values()]
    options = model().struct("QueryOptions")
    assert len(tags) == len(options.fields) >= 35
    assert {key for key in tags if key != "-"} == {field.name for field in options.wire_fields}
    assert tags.count("-") == sum(not field.travels for field in options.fields) == 3


ENUMS = {"PermissionMode": 6, "ResultSubtype": 5, "ExitReason": 5, "HookEvent": 15, "SystemSubtype": 8}


@pytest.mark.parametrize("name", ENUMS)
def test_enum_coverage(name: str) -> None:
    """**Enum coverage**: the dialect has exactly the document's values, and as many as the document counts."""
    assert document("goat-spec")["values"] == ENUMS
    assert sorted(values(name)) == sorted(constants(name))
    assert len(values(name)) == ENUMS[name]


def test_control_protocol() -> None:
    """**Control protocol**: the dialect has the document's 13 requests, and responses without a `subtype`."""
    listed = constants("")
    assert len(listed) == 13
    assert (
        sorted(control.key for control in model().controls) == sorted(listed) == sorted(values("ControlRequestSubtype"))
    )
    success, error = ({"request_id": "r", "result": {}}, {"request_id": "r", "error": "No."})
    assert verdict("ControlResponse", {"type": "control_response", "response": success}) == ("ControlResponse", "")
    assert verdict("ControlResponseInner", success) == ("ControlSuccessResponse", "")
    assert verdict("ControlResponseInner", error) == ("ControlErrorResponse", "")
    assert verdict("ControlResponseInner", {"subtype": "success", **success}) == ("unknown_field", "/subtype")


def test_null_handling() -> None:
    """**Null handling**: a pointer that is always written may be null, one that may be omitted is never null.

    The document's `Content any` on `ChatMessage` is the content of MessageParam, for which it has no other type.
    """
    for name, listed in listing().items():
        struct = model().declarations.get(name)
        for key, each in listed.items() if isinstance(struct, Struct) else ():
            field = next((field for field in struct.wire_fields if field.name == key), None)
            if field is not None and each.type.startswith("*"):
                assert field.nullable != each.may_be_absent, f"{name}.{key}"
    assert verdict("SetMaxThinkingTokensRequest", {"subtype": "set_max_thinking_tokens"})[0] != "missing_field"
    assert verdict(
        "SetMaxThinkingTokensRequest", {"subtype": "set_max_thinking_tokens", "max_thinking_tokens": None}
    ) == (
        "wrong_type",
        "/max_thinking_tokens",
    )


def test_uuid_format() -> None:
    """**UUID format**: every `uuid.UUID` field of the document is a UUID in the dialect, whose format is checked."""
    listed = [
        (name, key) for name, fields in listing().items() for key, each in fields.items() if each.type == "uuid.UUID"
    ]
    assert {key for _, key in listed} == {"uuid"}
    for name in variants("SDKMessage"):
        whole = sample(name)
        assert verdict(name, {**whole, "uuid": U1}) == (name, "")
        assert verdict(name, {**whole, "uuid": "770e8400-..."}) == ("bad_format", "/uuid")


def test_system_prompt_config_marshaling() -> None:
    """**SystemPromptConfig marshaling**: a text is a plain string, a preset is an object."""
    for prompt in ("Be brief.", {"type": "preset", "preset": "claude_code", "append": "Be brief."}):
        assert verdict("QueryOptions", {"systemPrompt": prompt}) == ("QueryOptions", "")
    assert verdict("QueryOptions", {"systemPrompt": 1}) == ("wrong_type", "/systemPrompt")


@pytest.mark.parametrize("name", ["BetaUsage", "NonNullableUsage"])
def test_beta_usage_invariant(name: str) -> None:
    """**BetaUsage invariant**: the four counters are required and never null, in messages and in results."""
    whole = dict.fromkeys(listing()["BetaUsage"], 0)
    assert len(whole) == 4
    assert verdict(name, whole) == (name, "")
    for key in whole:
        assert verdict(name, {**whole, key: None}) == ("wrong_type", f"/{key}")
        assert verdict(name, {k: v for k, v in whole.items() if k != key}) == ("missing_field", f"/{key}")


def test_model_usage_camel_case() -> None:
    """**ModelUsage camelCase**: the keys are the document's, in its order."""
    listed = listing()["ModelUsage"]
    assert [field.name for field in model().struct("ModelUsage").fields] == list(listed)
    assert all("_" not in key and key[0].islower() for key in listed)


CALLS = """
import json, agentlines as al
usage = al.from_dict(dict.fromkeys({usage!r}, 0), al.NonNullableUsage)
calls = {{
    "NewAssistantMessage": lambda: al.new_assistant_message(al.from_dict({message!r}, al.BetaMessage), None, "s"),
    "NewUserMessage": lambda: al.new_user_message("Hello.", "s"),
    "NewResultSuccess": lambda: al.new_result_success("Done.", 1, 0.5, usage, {{}}, 10, 5, "s"),
    "NewResultError": lambda: al.new_result_error("error_max_turns", ["No."], 1, 0.5, usage, {{}}, 10, 5, "s"),
    "NewSystemInit": lambda: al.new_system_init("haiku", "/home", "default", "2.1.37", "s"),
    "NewCompactBoundary": lambda: al.new_compact_boundary("manual", 100, "s"),
}}
print(json.dumps({{name: [json.loads(al.encode(call())) for _ in "ab"] for name, call in calls.items()}}))
"""


def test_constructor_correctness(tmp_path: Path) -> None:
    """**Constructor correctness**: the document's constructors create strictly valid messages, each with a new UUID."""
    for path, contents in render(PYTHON, make_plan(model())).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(contents)
    code = CALLS.format(usage=list(listing()["BetaUsage"]), message=sample("BetaMessage"))
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    made = json.loads(ran.stdout)
    assert sorted(made) == sorted(name for name in go_listing.listing()["function"] if name.startswith("New"))
    for name, (one, other) in made.items():
        assert uuid.UUID(one["uuid"]).version == 4
        assert one["uuid"] != other["uuid"]
        assert verdict("SDKMessage", one)[1] == "", name


def test_files_persisted_event_fields() -> None:
    """**FilesPersistedEvent fields**: `files`, `failed` and `processed_at`, with the members of their items."""
    assert list(keys("FilesPersistedEvent"))[-3:] == ["files", "failed", "processed_at"]
    for name in ("FilesPersistedEvent", "PersistedFile", "FailedFile"):
        assert keys(name).keys() == listing()[name].keys()


def test_every_item_of_the_checklist_has_a_test_and_every_test_an_item() -> None:
    items = checklist()
    tests = [each for name, each in vars(sys.modules[__name__]).items() if name.startswith("test_")]
    quoted = [found[1] for each in tests if (found := TITLE.match(each.__doc__ or ""))]
    assert len(items) == 15
    assert list(dict.fromkeys(quoted)) == items
