"""A field without a value to fill in is a parameter of the constructor, in every language that has constructors."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.plan import make_plan
from polywire.targets import registry
from written import HEADER, model

SPEC = """
messages:
  Note:
    doc: A note.
    from: a
    tag: {kind: note}
    fields:
      title: string
      count: integer
      id: uuid
      tags: "string[]"
      owner: string | null
      size: {type: integer, default: 3}
    construct:
      NewNote: {params: [{title: /title}]}
"""

PARAMETERS = {
    "python": ("new_note", ["title: str", "count: int"]),
    "go": ("NewNote", ["(string, int64) *Note"]),
    "rust": ("Note::create", ["(impl Into<String>, i64)"]),
}
"""Target → the constructor's name, and its parameters in the target's API surface."""


@pytest.mark.parametrize("target", PARAMETERS)
def test_what_nothing_fills_is_a_parameter(tmp_path: Path, target: str) -> None:
    plan = make_plan(model(tmp_path, SPEC, header=HEADER.replace("roots: []", "roots: [Note]")))
    made = [item for item in registry()[target].api_surface(plan) if item.of[:2] == ("Note", "constructors")]
    function, *separate = made
    told = [f"{item.name}: {item.type}" for item in separate] if separate else [function.type]
    assert (function.name, told) == PARAMETERS[target]
