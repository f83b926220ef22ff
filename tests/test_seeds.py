"""The JSON examples of the seed documents: which of them speak the base protocol, and what the others are in it.

Those that do are fixtures (`tests/fixtures/seeds`), so every binding is held to them; this file holds the fixtures to
the documents. The others speak a dialect of their document: their verdict in the base protocol is recorded here, so
that a change of the spec that moves one is noticed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import seeds
from polywire import reference
from polywire.checks import check
from polywire.model.nodes import Model

FIXTURES = Path(__file__).resolve().parent / "fixtures" / "seeds"

BASE = {
    "002-5": ("ContentBlock", "TextBlock"),
    "002-6": ("ContentBlock", "ToolUseBlock"),
    "002-7": ("ContentBlockParam", "ToolResultBlockParam"),
    "004-1": ("WireMessage", "SystemInitMessage"),
    "004-3": ("WireMessage", "UserMessage"),
    "004-4": ("WireMessage", "UserMessage"),
    "004-6": ("WireMessage", "PartialAssistantMessage"),
    "004-7": ("WireMessage", "ToolProgressMessage"),
}
"""By document and number: the type that the example is an instance of, and its variant."""

DIALECT = {
    # 001: the wire of the early Python SDK, which sent neither uuid nor parent_tool_use_id
    "001-1": ("WireMessage", "missing_field", "/parent_tool_use_id"),
    "001-2": ("WireMessage", "missing_field", "/uuid"),
    "001-3": ("WireMessage", "missing_field", "/uuid"),
    "001-4": ("WireMessage", "missing_field", "/uuid"),
    "001-5": ("WireMessage", "missing_field", "/parent_tool_use_id"),
    "001-6": ("WireMessage", "missing_field", "/uuid"),
    "001-7": ("WireMessage", "invalid_json", ""),  # the document writes an ellipsis for the rest
    # 002: no uuid anywhere, control messages flattened, results and stream events of its own
    "002-1": ("WireMessage", "missing_field", "/uuid"),
    "002-2": ("WireMessage", "missing_field", "/uuid"),
    "002-3": ("WireMessage", "missing_field", "/uuid"),
    "002-4": ("WireMessage", "missing_field", "/session_id"),
    "002-8": ("ContentBlockParam", "wrong_type", "/content"),
    "002-9": ("ContentBlock", "missing_field", "/signature"),
    "002-10": ("WireMessage", "missing_field", "/uuid"),
    "002-11": ("WireMessage", "unknown", "/subtype"),
    "002-12": ("WireMessage", "unknown", "/subtype"),
    "002-13": ("BetaUsage", "missing_field", "/cache_read_input_tokens"),
    "002-14": ("WireMessage", "missing_field", "/type"),
    "002-15": ("WireMessage", "missing_field", "/type"),
    "002-16": ("McpServerInfo", "missing_field", "/status"),
    "002-17": ("RawMessageStreamEvent", "missing_field", "/type"),
    "002-18": ("WireMessage", "missing_field", "/uuid"),
    "002-19": ("WireMessage", "missing_field", "/uuid"),
    "002-20": ("WireMessage", "missing_field", "/uuid"),
    "002-21": ("WireMessage", "missing_field", "/uuid"),
    "002-22": ("WireMessage", "missing_field", "/uuid"),
    "002-23": ("WireMessage", "missing_field", "/session_id"),
    "002-24": ("WireMessage", "missing_field", "/uuid"),
    "002-25": ("WireMessage", "missing_field", "/uuid"),
    "002-26": ("WireMessage", "unknown", "/subtype"),
    "002-27": ("WireMessage", "missing_field", "/uuid"),
    "002-28": ("WireMessage", "missing_field", "/request"),
    "002-29": ("WireMessage", "missing_field", "/response"),
    "002-30": ("WireMessage", "missing_field", "/request"),
    "002-31": ("WireMessage", "missing_field", "/response"),
    "002-32": ("WireMessage", "unknown", "/subtype"),
    "002-33": ("WireMessage", "missing_field", "/uuid"),
    # 004: usage of an older upstream, and a result without stop_reason
    "004-2": ("WireMessage", "missing_field", "/message/usage/cache_creation"),
    "004-5": ("WireMessage", "missing_field", "/stop_reason"),
}
"""By document and number: the nearest type of the base protocol, and what keeps the example from being one."""

EXAMPLES = {str(example): example for example in seeds.examples()}


@pytest.fixture(scope="module")
def model(root: Path) -> Model:
    found = check(root / "spec").model
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def documents() -> None:
    if not seeds.FOLDER.is_dir():
        pytest.skip(f"{seeds.FOLDER} is not there")


def test_every_example_of_the_documents_is_accounted_for() -> None:
    assert sorted(EXAMPLES) == sorted(BASE | DIALECT)
    assert not BASE.keys() & DIALECT.keys()
    assert len(EXAMPLES) == 47


@pytest.mark.parametrize("name", BASE)
def test_an_example_of_the_base_protocol_is_a_fixture_word_for_word(name: str) -> None:
    fixture = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
    expected_type, variant = BASE[name]
    assert fixture["input"] == json.loads(EXAMPLES[name].text)
    assert fixture["type"] == expected_type
    assert fixture["expect"].get("variant", expected_type) == variant


@pytest.mark.parametrize("name", BASE)
def test_an_example_of_the_base_protocol_comes_back_equal(name: str, model: Model) -> None:
    expected_type, variant = BASE[name]
    decoded = reference.decode(model, expected_type, EXAMPLES[name].text)
    assert decoded.variant == variant
    assert decoded.value == json.loads(EXAMPLES[name].text)


@pytest.mark.parametrize("name", DIALECT)
def test_an_example_of_a_dialect_has_its_recorded_verdict_in_the_base_protocol(name: str, model: Model) -> None:
    nearest, *recorded = DIALECT[name]
    assert verdict(model, nearest, EXAMPLES[name].text) == tuple(recorded)


def verdict(model: Model, type_name: str, text: str) -> tuple[str, str]:
    """Code and path of the fault; for an Unknown, where the unknown tag stands."""
    try:
        decoded = reference.decode(model, type_name, text)
    except reference.Fault as fault:
        return fault.code, fault.path
    return decoded.variant.lower(), ",".join(decoded.unknown)
