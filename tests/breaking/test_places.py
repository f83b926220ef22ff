"""A removal is reported at the enclosing section or declaration in the new spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.evolve.breaking import find
from polywire.model.nodes import Model
from written import HEADER, model

ROOT = "types: {Load: {doc: A load., fields: {grams: number}}}\n"
PARTS = HEADER.replace("roots: []", "roots: [Load]") + "parts: [tools.yaml, more.yaml]\n"
TOOLS = "aliases: {Grams: {doc: A weight., type: number}}\ntools: {weigh: {doc: W., input: Load}, lift: {doc: L.}}\n"
MORE = "types: {Box: {doc: A box., fields: {load: Load}}}\n"


def spec(folder: Path, tools: str, more: str = MORE) -> Model:
    return model(folder, ROOT, header=PARTS, **{"tools.yaml": tools, "more.yaml": more})


def places(before: Model, after: Model, rule: str) -> list[tuple[str, str]]:
    found = find(before, after, files=["protocol.yaml", "tools.yaml", "more.yaml"])
    return [(str(each.place), str(each.before.place)) for each in found if each.rule.id == rule]


@pytest.mark.parametrize(
    ("tools", "more", "place"),
    [
        (TOOLS.replace("weigh: {doc: W., input: Load}, ", ""), MORE, "tools.yaml:2:1"),
        ("{}\n", f"{MORE}tools: {{lift: {{doc: L.}}}}\n", "more.yaml:2:1"),
        (TOOLS.partition("\n")[0] + "\n", MORE, "tools.yaml:1:1"),
        ("{}\n", MORE, "protocol.yaml:1:1"),
    ],
    ids=["its section", "its section, elsewhere now", "the section before it", "nothing is left of its file"],
)
def test_a_tool_that_is_gone(tmp_path: Path, tools: str, more: str, place: str) -> None:
    before, after = spec(tmp_path / "old", TOOLS), spec(tmp_path / "new", tools, more)
    assert (place, "tools.yaml:2:9") in places(before, after, "tool-removed")


def test_a_declaration_that_is_gone(tmp_path: Path) -> None:
    before = spec(tmp_path / "old", TOOLS, MORE.replace("{Box", "{Bag: {doc: A bag., fields: {}}, Box"))
    assert places(before, spec(tmp_path / "new", TOOLS), "code-name-removed") == [("more.yaml:1:1", "more.yaml:1:9")]


def test_a_root_that_is_gone(tmp_path: Path) -> None:
    line = "unions: {Line: {doc: A line., open: true, by: type, variants: [A]}}\n"
    body = f"messages: {{A: {{doc: A., from: a, tag: {{type: a}}, fields: {{}}}}}}\n{line}{ROOT}"
    old, new = (
        model(tmp_path / version, body, header=HEADER.replace("roots: []", f"\n  roots: [{roots}]"))
        for version, roots in (("old", "Line, Load"), ("new", "Load"))
    )
    assert places(old, new, "code-type-changed") == [("protocol.yaml:3:3", "protocol.yaml:3:3")]
