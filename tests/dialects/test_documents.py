"""The JSON examples of documents of other systems, decoded in the dialect of the document and in the base protocol.

All are fixtures (`tests/fixtures/documents`), two cases per file, so every binding is checked against them. They have
the structure and the member names of the documents' examples, with values of our own. This file accounts for every
example, and lists those that contradict their own document.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from polywire.model.build import build
from polywire.model.nodes import Model
from polywire.oracle import reference
from polywire.source import load

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "documents"

EXAMPLES = {"miriad": 7, "rusty_claw": 34, "chorus": 7}
"""By dialect: the number of examples in its document. The documents of goat have none in JSON."""

VARIANTS = {
    "miriad-1": "UserMessage",
    "miriad-2": "AssistantMessage",
    "miriad-3": "ResultMessage",
    "miriad-4": "AssistantMessage",
    "miriad-5": "UserMessage",
    "miriad-6": "AssistantMessage",
    "rusty_claw-1": "SystemInitMessage",
    "rusty_claw-2": "CompactBoundaryMessage",
    "rusty_claw-3": "AssistantMessage",
    "rusty_claw-4": "UserMessage",
    "rusty_claw-5": "TextBlock",
    "rusty_claw-6": "ToolUseBlock",
    "rusty_claw-7": "ToolResultBlockParam",
    "rusty_claw-8": "ToolResultBlockParam",
    "rusty_claw-9": "ThinkingBlock",
    "rusty_claw-10": "ResultSuccess",
    "rusty_claw-11": "ResultError",
    "rusty_claw-12": "ResultInputRequired",
    "rusty_claw-13": "UsageInfo",
    "rusty_claw-14": "ToolInfo",
    "rusty_claw-15": "ToolInfo",
    "rusty_claw-16": "McpServerInfo",
    "rusty_claw-17": "StreamEvent",
    "rusty_claw-18": "AssistantMessage",
    "rusty_claw-19": "SystemInitMessage",
    "rusty_claw-20": "AssistantMessage",
    "rusty_claw-21": "ResultSuccess",
    "rusty_claw-22": "SystemInitMessage",
    "rusty_claw-23": "AssistantMessage",
    "rusty_claw-24": "UserMessage",
    "rusty_claw-25": "AssistantMessage",
    "rusty_claw-26": "ResultSuccess",
    "rusty_claw-27": "ResultError",
    "rusty_claw-28": "AssistantMessage",
    "rusty_claw-29": "ControlRequest",
    "rusty_claw-30": "ControlResponse",
    "rusty_claw-31": "ControlRequest",
    "rusty_claw-32": "ControlResponse",
    "rusty_claw-33": "ResultInputRequired",
    "rusty_claw-34": "CompactBoundaryMessage",
    "chorus-1": "SystemInitMessage",
    "chorus-2": "AssistantMessage",
    "chorus-3": "UserMessage",
    "chorus-4": "UserMessage",
    "chorus-5": "ResultSuccess",
    "chorus-6": "PartialAssistantMessage",
    "chorus-7": "ToolProgressMessage",
}
"""By dialect and number: the type of the example in its dialect."""

NOT_JSON = {"miriad-7": '{"type":"result","subtype":"success",...}'}
"""Examples that cannot be cases: an ellipsis stands for the rest of the line."""

WRONG = {
    "chorus-4": ("bad_format", "/uuid"),
    "chorus-5": ("bad_format", "/uuid"),
    "chorus-6": ("bad_format", "/uuid"),
    "chorus-7": ("bad_format", "/uuid"),
}
"""Examples that contradict their own document: it declares a UUID, but its example has an ellipsis
in place of the second half. Lenient mode
keeps the text; the value is the verdict of strict mode."""


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


def text(case: dict[str, Any]) -> str:
    """Return the document of a case."""
    return json.dumps(case["input"])


def test_every_example_of_the_documents_is_accounted_for() -> None:
    every = [f"{dialect}-{number}" for dialect, count in EXAMPLES.items() for number in range(1, count + 1)]
    assert len(every) == 48
    assert every == sorted(VARIANTS | NOT_JSON, key=every.index)
    assert {path.stem for path in FIXTURES.glob("*.json")} == VARIANTS.keys()


@pytest.mark.parametrize("name", VARIANTS)
def test_an_example_is_a_case_in_its_dialect_and_the_same_in_the_base_protocol(name: str) -> None:
    dialect, number = name.split("-")
    own, base = cases(name)
    assert own["input"] == base["input"]
    assert (own["dialect"], base.get("dialect")) == (dialect, None)
    assert own["expect"]["variant"] == VARIANTS[name]
    assert "output" not in own["expect"]  # the output equals the input
    assert own["doc"].startswith(f"{dialect}, example {number}, below ")
    assert base["doc"] == f"{own['doc']}, decoded in the base protocol"


@pytest.mark.parametrize("name", VARIANTS)
def test_an_example_comes_back_equal_in_its_dialect(name: str) -> None:
    own, _ = cases(name)
    decoded = reference.decode(model(own["dialect"]), own["type"], text(own))
    assert (decoded.variant, decoded.value) == (VARIANTS[name], own["input"])


@pytest.mark.parametrize("name", VARIANTS)
def test_an_example_is_right_by_its_own_document_but_for_those_that_are_listed(name: str) -> None:
    own, _ = cases(name)
    assert verdict(own, text(own), strict=True) == WRONG.get(name, (VARIANTS[name], ""))


@pytest.mark.parametrize("name", VARIANTS)
def test_an_example_has_its_recorded_verdict_in_the_base_protocol(name: str) -> None:
    _, base = cases(name)
    expect = base["expect"]
    recorded = [
        tuple(each["error"].values()) if "error" in each else (each["variant"], ",".join(each["unknown"]))
        for each in expect.get("any", [expect])
    ]
    assert sorted(verdicts(base, text(base))) == sorted(recorded)


@pytest.mark.parametrize("name", NOT_JSON)
def test_an_example_that_is_no_json_is_none_in_its_dialect_and_in_the_base_protocol(name: str) -> None:
    for dialect in (name.partition("-")[0], None):
        case = {"dialect": dialect, "type": model(dialect).protocol.roots[0]}
        assert verdict(case, NOT_JSON[name]) == ("invalid_json", "")


def verdict(case: dict[str, Any], document: str, *, strict: bool = False) -> tuple[str, str]:
    """Return the first of the verdicts."""
    return verdicts(case, document, strict=strict)[0]


def verdicts(case: dict[str, Any], document: str, *, strict: bool = False) -> list[tuple[str, str]]:
    """Return the code and path of each fault, or the variant and the pointers to unknown parts."""
    found = reference.outcomes(model(case.get("dialect")), case["type"], document, strict=strict)
    taken = [(each.variant, ",".join(each.unknown)) for each in found.accepted]
    return [*taken, *((fault.code, fault.path) for fault in found.faults)]
