"""What lint says about words of other languages: what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from written import built

SPEC = """\
types:
  Digest: {{doc: D., fields: {{x: string}}}}
  A:
    doc: A.
    fields:
      a: {field}
    {more}
enums:
  E: {enum}
"""


def hints(folder: Path, *, field: str = "string", more: str = "extra: string", enum: str = "") -> list[str]:
    """Return the hints on a spec with a field, another key of its type, and an enum."""
    enum = enum or "{doc: E., open: true, values: {a: A.}}"
    return [each.hint or "" for each in built(folder, SPEC.format(field=field, more=more, enum=enum)).findings]


@pytest.mark.parametrize(
    ("field", "hint"),
    [
        ("int64", "write `integer` for values within ±(2^53−1), or `json` for larger ones"),
        ("uint32", "did you mean `integer`?"),
        ("double", "did you mean `number`?"),
        ('"map<string, json>"', "write `map<T>`"),
        ("[Digest]", "write `T[]` for a list of T"),
        ("{oneOf: [string, integer]}", "write alternatives of different kinds as `A | B`"),
        ("{type: string, required: true}", "a member is required unless its key ends with `?`"),
        ("{type: string, nullable: true}", "write `T | null`"),
        ("{x: string}", "declare the object under `types`"),
        ("{properties: {x: string}}", "declare the object under `types`"),
        ("\"'a' | 'b'\"", 'quote strings with double quotes: `"text"`'),
        ("{enum: [a, b]}", "declare the values under `enums`"),
    ],
)
def test_a_field_in_the_words_of_another_language_is_explained(tmp_path: Path, field: str, hint: str) -> None:
    assert any(hint in each for each in hints(tmp_path, field=field))


@pytest.mark.parametrize(
    ("more", "hint"),
    [
        ("required: [a]", "its key ends with `?`"),
        ("properties: {b: string}", "write `fields: {name: T}`"),
        ("oneOf: [Digest]", "declare a union"),
        ("allOf: [Digest]", "write `include: [TYPE]`"),
    ],
)
def test_a_type_in_the_words_of_another_language_is_explained(tmp_path: Path, more: str, hint: str) -> None:
    assert any(hint in each for each in hints(tmp_path, more=more))


@pytest.mark.parametrize("enum", ["[a, b]", "{doc: E., open: true, values: [a, b]}"])
def test_an_enum_as_a_list_is_explained(tmp_path: Path, enum: str) -> None:
    assert any("write `values: {a: The meaning of a." in each for each in hints(tmp_path, enum=enum))


def test_a_name_that_a_forgotten_file_declares_is_explained(tmp_path: Path) -> None:
    (tmp_path / "away.yaml").write_text("types: {Away: {doc: A., fields: {x: string}}}\n")
    assert "away.yaml declares it, but is not one of the `parts` of the spec" in hints(tmp_path, field="Away")
