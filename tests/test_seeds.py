"""The JSON examples of the seed documents, decoded in the dialect of their document and in the base protocol.

All are fixtures (`tests/fixtures/seeds`), two cases per file, so every binding is checked against them. This file
checks the fixtures against the documents, accounts for every example, and lists those that contradict their own
document.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import seeds
from polywire import reference
from polywire.model.build import build
from polywire.model.nodes import Model
from polywire.source import load

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests" / "fixtures" / "seeds"

DIALECTS = {"001": "miriad", "002": "rusty_claw", "004": "chorus"}
"""By document with examples: its dialect. The other documents, 000 and 003, have no JSON."""

VARIANTS = {
    "001-1": "UserMessage",
    "001-2": "AssistantMessage",
    "001-3": "ResultMessage",
    "001-4": "AssistantMessage",
    "001-5": "UserMessage",
    "001-6": "AssistantMessage",
    "002-1": "SystemInitMessage",
    "002-2": "CompactBoundaryMessage",
    "002-3": "AssistantMessage",
    "002-4": "UserMessage",
    "002-5": "TextBlock",
    "002-6": "ToolUseBlock",
    "002-7": "ToolResultBlockParam",
    "002-8": "ToolResultBlockParam",
    "002-9": "ThinkingBlock",
    "002-10": "ResultSuccess",
    "002-11": "ResultError",
    "002-12": "ResultInputRequired",
    "002-13": "UsageInfo",
    "002-14": "ToolInfo",
    "002-15": "ToolInfo",
    "002-16": "McpServerInfo",
    "002-17": "StreamEvent",
    "002-18": "AssistantMessage",
    "002-19": "SystemInitMessage",
    "002-20": "AssistantMessage",
    "002-21": "ResultSuccess",
    "002-22": "SystemInitMessage",
    "002-23": "AssistantMessage",
    "002-24": "UserMessage",
    "002-25": "AssistantMessage",
    "002-26": "ResultSuccess",
    "002-27": "ResultError",
    "002-28": "AssistantMessage",
    "002-29": "ControlRequest",
    "002-30": "ControlResponse",
    "002-31": "ControlRequest",
    "002-32": "ControlResponse",
    "002-33": "ResultInputRequired",
    "002-34": "CompactBoundaryMessage",
    "004-1": "SystemInitMessage",
    "004-2": "AssistantMessage",
    "004-3": "UserMessage",
    "004-4": "UserMessage",
    "004-5": "ResultSuccess",
    "004-6": "PartialAssistantMessage",
    "004-7": "ToolProgressMessage",
}
"""By document and number: the type of the example in its dialect."""

NOT_JSON = {"001-7": "an ellipsis stands for the rest of the line"}
"""Examples that cannot be cases, and why."""

WRONG = {
    "004-4": ("bad_format", "/uuid"),
    "004-5": ("bad_format", "/uuid"),
    "004-6": ("bad_format", "/uuid"),
    "004-7": ("bad_format", "/uuid"),
}
"""Examples that contradict their own document: it declares a UUID, but its example has `770e8400-...`. Lenient mode
keeps the text; the value is the verdict of strict mode."""

EXAMPLES = {str(example): example for example in seeds.examples()}


@pytest.fixture(autouse=True)
def documents(need_seeds: None) -> None:
    """All tests here read the documents."""


@cache
def model(dialect: str | None) -> Model:
    found = build(load(ROOT / "spec", dialect)).model
    assert found is not None
    return found


def cases(name: str) -> list[dict[str, Any]]:
    """Return the two cases of an example: in its dialect, and in the base protocol."""
    found = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
    assert isinstance(found, list)
    return found


def test_every_example_of_the_documents_is_accounted_for() -> None:
    assert len(EXAMPLES) == 48
    assert list(EXAMPLES) == sorted(VARIANTS | NOT_JSON, key=list(EXAMPLES).index)
    assert {path.stem for path in FIXTURES.glob("*.json")} == VARIANTS.keys()
    assert {example.document for example in EXAMPLES.values()} == DIALECTS.keys()


@pytest.mark.parametrize("name", VARIANTS)
def test_an_example_is_a_fixture_word_for_word_in_its_dialect_and_in_the_base_protocol(name: str) -> None:
    document, number = name.split("-")
    own, base = cases(name)
    assert own["input"] == base["input"] == json.loads(EXAMPLES[name].text)
    assert (own["dialect"], base.get("dialect")) == (DIALECTS[document], None)
    assert own["expect"]["variant"] == VARIANTS[name]
    assert "output" not in own["expect"]  # the output equals the input
    assert own["doc"].startswith(f"seeds/{document}, example {number}: ")


@pytest.mark.parametrize("name", VARIANTS)
def test_an_example_comes_back_equal_in_its_dialect(name: str) -> None:
    text, (own, _) = EXAMPLES[name].text, cases(name)
    decoded = reference.decode(model(own["dialect"]), own["type"], text)
    assert (decoded.variant, decoded.value) == (VARIANTS[name], json.loads(text))


@pytest.mark.parametrize("name", VARIANTS)
def test_an_example_is_right_by_its_own_document_but_for_those_that_are_listed(name: str) -> None:
    own, _ = cases(name)
    assert verdict(own, EXAMPLES[name].text, strict=True) == WRONG.get(name, (VARIANTS[name], ""))


@pytest.mark.parametrize("name", VARIANTS)
def test_an_example_has_its_recorded_verdict_in_the_base_protocol(name: str) -> None:
    _, base = cases(name)
    expect = base["expect"]
    recorded = [
        tuple(each["error"].values()) if "error" in each else (each["variant"], ",".join(each["unknown"]))
        for each in expect.get("any", [expect])
    ]
    assert sorted(verdicts(base, EXAMPLES[name].text)) == sorted(recorded)


@pytest.mark.parametrize("name", NOT_JSON)
def test_an_example_that_is_no_json_is_none_in_its_dialect_and_in_the_base_protocol(name: str) -> None:
    for dialect in (DIALECTS[EXAMPLES[name].document], None):
        case = {"dialect": dialect, "type": model(dialect).protocol.roots[0]}
        assert verdict(case, EXAMPLES[name].text) == ("invalid_json", "")


def verdict(case: dict[str, Any], text: str, *, strict: bool = False) -> tuple[str, str]:
    """Return the first of the verdicts."""
    return verdicts(case, text, strict=strict)[0]


def verdicts(case: dict[str, Any], text: str, *, strict: bool = False) -> list[tuple[str, str]]:
    """Return the code and path of each fault, or the variant and the pointers to unknown parts."""
    found = reference.outcomes(model(case.get("dialect")), case["type"], text, strict=strict)
    taken = [(each.variant, ",".join(each.unknown)) for each in found.accepted]
    return [*taken, *((fault.code, fault.path) for fault in found.faults)]
