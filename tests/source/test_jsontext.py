"""JSON values in specs."""

from __future__ import annotations

import json
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire.source import jsontext, tree
from polywire.source.report import Faults
from polywire.source.tree import Node, Table


def node(text: str) -> Node:
    faults = Faults()
    found = tree.read(f"a: {text}".encode(), "f", faults)
    assert faults.found == ()
    return cast("Table", found).entries["a"].value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("True", "True"),
        ("no", "no"),
        ("null", None),
        ('"null"', "null"),
        ("'1'", "1"),
        ("1", 1),
        ("-0", 0),
        ("1.50", 1.5),
        ("1e2", 100.0),
        (".5", ".5"),
        ("0x10", "0x10"),
        ("012", "012"),
        ("plain text", "plain text"),
        ('""', ""),
        ("[1, a, {b: false}]", [1, "a", {"b": False}]),
        ("12345678901234567890123", 12345678901234567890123),
    ],
)
def test_a_scalar_has_its_json_meaning_unless_it_is_quoted(written: str, value: object) -> None:
    found = jsontext.value(node(written))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("written", "text"), [("1.50", "1.50"), ("{a: [1e2, 'x y']}", '{"a":[1e2,"x y"]}'), ("é", '"é"')]
)
def test_the_text_of_a_value_keeps_the_spelling_of_numbers(written: str, text: str) -> None:
    assert jsontext.text(node(written)) == text


@pytest.mark.parametrize(
    ("written", "rule", "column"),
    [("", "null-value", 3), ("~", "null-value", 4), ("[1, 1e400]", "wrong-kind", 8), ("9" * 5000, "wrong-kind", 4)],
)
def test_what_is_no_value_is_told_at_its_place(written: str, rule: str, column: int) -> None:
    found = jsontext.fault(node(written))
    assert found is not None
    assert (found.rule, found.place.column) == (rule, column)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(values, st.sampled_from([None, 2]))
def test_compact_changes_only_spaces(value: object, indent: int | None) -> None:
    compact = jsontext.compact(json.dumps(value, indent=indent, ensure_ascii=False))
    assert compact == json.dumps(value, separators=(",", ":"), ensure_ascii=False)


@pytest.mark.parametrize("text", ["", "{", "NaN", "[1,]", "1 2", "[" * 100_000, "9" * 5_000])
def test_what_is_no_json_text_is_refused(text: str) -> None:
    with pytest.raises(jsontext.JsonTextError, match=r"."):
        jsontext.compact(text)
