"""Shared parts of all engines: JSON values compared, written and named, pointers, and patterns."""

from __future__ import annotations

import pytest

from polywire.ground.engine import glob, pointer
from polywire.ground.json_values import dumps, equal, kind


def test_equality_is_strict_in_kinds_and_compares_numbers_as_doubles() -> None:
    assert equal({"a": 1, "b": [2.0]}, {"b": [2], "a": 1.0})
    assert equal(2**53, 2**53 + 1)
    assert equal(10**400, 10**400)
    assert not equal(10**400, 10**401)
    assert not equal(1, True)
    assert not equal(0, False)
    assert not equal("1", 1)
    assert not equal([1], [1, 1])
    assert not equal({"a": None}, {})


def test_a_value_is_written_as_one_line_of_ascii() -> None:
    assert dumps({"é\n": ["\ud800", 1.0, True, None]}) == '{"\\u00e9\\n":["\\ud800",1.0,true,null]}'


@pytest.mark.parametrize(
    ("value", "name"),
    [(None, "null"), (True, "boolean"), (1, "integer"), (1.0, "number"), ("", "string"), ([], "array"), ({}, "object")],
)
def test_a_value_has_a_kind(value: object, name: str) -> None:
    assert kind(value) == name


def test_what_is_no_json_has_no_kind() -> None:
    assert kind({1}) is None
    assert kind(b"") is None


def test_a_pointer_escapes_its_steps() -> None:
    assert pointer(("a/b", "~", 0)) == "/a~1b/~0/0"
    assert pointer(()) == ""


def test_a_glob_takes_any_text_for_its_star_alone() -> None:
    assert glob("error_*")("error_")
    assert glob("a*c*")("a.b\nc")
    assert not glob("error_*")("xerror_a")
    assert not glob("a.c")("abc")
