"""The output of testees is parsed more strictly than their input, and compared as JSON values."""

from __future__ import annotations

import pytest

from polywire.conformance.jsontext import JsonError, depth, has_surrogate, read, same, same_order, write


@pytest.mark.parametrize(
    ("left", "right", "alike"),
    [
        ("1", "1.0", True),
        ("1e2", "100", True),
        ("9007199254740993", "9007199254740992", True),
        ("9007199254740993", "9007199254740994", False),
        ("1" * 400, "1" * 400, True),
        ("1" * 400, "1" * 399 + "2", False),
        ("1" * 5000, "1" * 5000, True),
        ("1" * 5000, "1" * 4999 + "2", False),
        ("true", "1", False),
        ("false", "0", False),
        ("null", "false", False),
        ('"1"', "1", False),
        ('{"a":1,"b":2}', '{"b":2,"a":1}', True),
        ('{"a":1}', '{"a":1,"b":null}', False),
        ("[1,2]", "[2,1]", False),
        ("[]", "{}", False),
        ('"\\u00e9"', '"é"', True),
        ('"e\\u0301"', '"é"', False),
    ],
)
def test_kinds_are_compared_strictly_numbers_as_doubles_and_order_not_at_all(
    left: str, right: str, *, alike: bool
) -> None:
    assert same(read(left), read(right)) is alike
    assert same(read(right), read(left)) is alike


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a":1,"a":1}', "key 'a' twice in one object"),
        ('{"a":{"b":1,"b":2}}', "key 'b' twice in one object"),
        ("NaN", "NaN is not JSON"),
        ("-Infinity", "-Infinity is not JSON"),
        ("1e400", "1e400 overflows a double"),
        ("{} {}", "Extra data at character 3"),
        ("\ufeff{}", "Expecting value at character 0"),
        ("01", "Extra data at character 1"),
        ('"\n"', "Invalid control character at at character 1"),
        ("", "Expecting value at character 0"),
        ("[" * 100_000, "nested too deeply"),
        (b'"\xff"', "invalid UTF-8 at byte 1"),
    ],
)
def test_what_no_testee_may_print_is_refused(text: str | bytes, problem: str) -> None:
    with pytest.raises(JsonError) as caught:
        read(text)
    assert str(caught.value) == problem


def test_order_is_compared_at_every_level_when_it_is_asked_for() -> None:
    assert same_order(read('{"a":[{"b":1,"c":2}]}'), read('{"a":[{"b":1,"c":2}]}'))
    assert not same_order(read('{"a":[{"b":1,"c":2}]}'), read('{"a":[{"c":2,"b":1}]}'))


def test_members_may_also_be_sorted_where_a_language_has_no_order_of_its_own() -> None:
    assert same_order(read('[{"b":1,"c":2}]'), read('[{"c":2,"b":1}]'), or_sorted=True)
    assert same_order(read('[{"c":2,"b":1}]'), read('[{"c":2,"b":1}]'), or_sorted=True)
    assert not same_order(read('[{"c":2,"b":1}]'), read('[{"b":1,"c":2}]'), or_sorted=True)
    assert same_order(read('{"d":0,"b":1,"c":2,"a":3}'), read('{"d":0,"c":2,"b":1,"a":3}'), or_sorted=True)
    assert not same_order(read('{"d":0,"b":1,"a":3,"c":2}'), read('{"d":0,"c":2,"b":1,"a":3}'), or_sorted=True)


def test_writing_is_compact_keeps_text_as_it_is_and_escapes_what_utf8_cannot_hold() -> None:
    assert write({"a": [1, "é\u2028"]}) == '{"a":[1,"é\u2028"]}'
    assert write("é\ud800") == '"\\u00e9\\ud800"'


def test_lone_surrogates_are_found_anywhere() -> None:
    assert has_surrogate(read('[{"a":"\\ud83d"}]'))
    assert has_surrogate(read('{"\\ude00":1}'))
    assert not has_surrogate(read('["\\ud83d\\ude00", 1]'))


def test_depth_counts_open_brackets_outside_strings() -> None:
    assert depth('[{"a[[[\\"[":[]}]') == 3
