"""Edits of YAML that keep everything else as written."""

from __future__ import annotations

import pytest
import yaml

from polywire_upstream import yamledit
from polywire_upstream.yamledit import EditError

TEXT = """\
# Before.
types:

  A:
    doc: One.   # not two
    fields:
      x?: string
      y:
        type: integer | null
        doc: >-
          In
          words.

  # Between.
  B: {doc: Two, fields: {z: string}}

unions:
  U:
    variants: [A, B]
  V:
    variants:
      - A
"""


def lines_added(text: str) -> list[str]:
    before = TEXT.splitlines()
    return [line for line in text.splitlines() if line not in before]


def test_a_block_gets_an_entry_behind_its_last_line_and_before_comments() -> None:
    text = yamledit.add(TEXT, ["types", "A", "fields"], ["n:", "  type: string"], "")
    assert "          words.\n      n:\n        type: string\n\n  # Between.\n" in text
    assert lines_added(text) == ["      n:", "        type: string"]


def test_a_row_gets_an_entry_behind_the_others() -> None:
    text = yamledit.add(TEXT, ["types", "B", "fields"], [], "n: {type: string}")
    assert "  B: {doc: Two, fields: {z: string, n: {type: string}}}\n" in text
    assert "[A, B, C]" in yamledit.add(TEXT, ["unions", "U", "variants"], [], "C")


def test_an_optional_key_has_quotes_in_a_row_for_parsers_that_need_them() -> None:
    path = ["types", "B", "fields"]
    assert '{z: string, "n?": {type: string}}' in yamledit.add(TEXT, path, [], "n?: {type: string}")
    assert '{doc: Two, fields: {z: string}, f: {"n?": string}}' in yamledit.add(TEXT, path[:2], [], "f: {n?: string}")
    assert '{"z?": string}' in yamledit.replace_key(TEXT, [*path, "z"], "z?")
    assert "      x: string" in yamledit.replace_key(TEXT, ["types", "A", "fields", "x"], "x")


def test_a_list_in_a_block_gets_an_item() -> None:
    assert yamledit.add(TEXT, ["unions", "V", "variants"], ["- C"], "").endswith("      - A\n      - C\n")


def test_a_section_gets_a_declaration_before_the_next_section() -> None:
    text = yamledit.add(TEXT, ["types"], ["", "C:", "  doc: Three."], "")
    assert "  B: {doc: Two, fields: {z: string}}\n\n  C:\n    doc: Three.\n\nunions:\n" in text


def test_the_short_form_is_made_long_before_something_is_added() -> None:
    path = ["types", "A", "fields", "x"]
    text = yamledit.set_entry(yamledit.long_form(TEXT, path, "type"), path, "until", "1.0.0")
    assert "      x?: {type: string, until: 1.0.0}\n" in text
    with pytest.raises(EditError, match="short form"):
        yamledit.set_entry(TEXT, path, "until", "1.0.0")


def test_a_text_with_a_comma_stays_one_text_in_a_row() -> None:
    text = yamledit.long_form("a: One, two.\n", ["a"], "doc")
    assert yaml.safe_load(text) == {"a": {"doc": "One, two."}}


def test_keys_and_values_are_written_anew_in_place() -> None:
    text = yamledit.replace_key(TEXT, ["types", "A", "fields", "x"], "x")
    assert "      x: string\n" in text
    text = yamledit.replace_value(TEXT, ["types", "A", "fields", "y", "type"], "integer")
    assert "        type: integer\n        doc: >-\n" in text
    assert yamledit.value_at(TEXT, ["types", "A", "fields", "y"], "type") == "integer | null"


@pytest.mark.parametrize("path", [["types", "C"], ["types", "A", "doc", "x"], ["nothing"]])
def test_a_place_that_is_not_there_is_an_error(path: list[str]) -> None:
    assert not yamledit.has(TEXT, path)
    with pytest.raises(EditError):
        yamledit.add(TEXT, path, ["a: b"], "a: b")


@pytest.mark.parametrize("said", ["plain", "a-b", "true", "No", "3", "@x", "a: b", 'with "quotes"', "", "x?", "*"])
def test_keys_come_back_as_they_were(said: str) -> None:
    assert list(yaml.safe_load(f"{yamledit.key(said)}: 1")) == [said]
    assert yaml.safe_load(f"a: {yamledit.key(said)}") == {"a": said}


@pytest.mark.parametrize("said", ["string", "string | null", "(A | B)[]", "map<string, A[]>", "A", "null"])
def test_types_come_back_as_they_were_but_for_null_alone(said: str) -> None:
    assert yaml.safe_load(f"a: {yamledit.scalar(said)}")["a"] in (said, None)
