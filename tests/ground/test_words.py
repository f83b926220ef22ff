"""Text about numbers and misspelt names."""

from __future__ import annotations

from polywire.ground.words import counted, nearest, suggestion


def test_one_is_singular_and_all_else_plural() -> None:
    assert [counted(n, "file") for n in (0, 1, 2)] == ["0 files", "1 file", "2 files"]


def test_the_nearest_name_is_found_whatever_its_case() -> None:
    assert nearest("pyton", ["python", "jsonschema"]) == ["python"]
    assert nearest("LABEL", ["Label"]) == ["Label"]
    assert nearest("Tga", ["gap", "tag"]) == ["tag"]
    assert nearest("go", ["python"]) == []


def test_a_suggestion_is_the_nearest_name_or_all_of_a_few() -> None:
    assert suggestion("Lable", ["Label", "Letter"]) == "; did you mean 'Label'?"
    assert suggestion("x", ["b", "a"]) == "; there is a, b"
    assert suggestion("x", []) == "; there is none"
    assert suggestion("x", [f"name{n}" for n in range(13)]) == ""
