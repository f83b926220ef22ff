"""JSON and TOML that somebody else wrote: every fault is one kind of error."""

from __future__ import annotations

import pytest

from polywire.ground.parsing import ParseError, json_value, toml_table


def test_valid_contents_are_read() -> None:
    assert json_value('{"a": ["ü\\ud83d\\ude00", 1.5, null]}'.encode()) == {"a": ["ü😀", 1.5, None]}
    assert toml_table("\ufeffa = {b = [1, 'ü']}".encode()) == {"a": {"b": [1, "ü"]}}


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b'{"a": 1', "Expecting ',' delimiter: line 1 column 8 (char 7)"),
        (b'"\xff"', "byte 1 is not UTF-8"),
        ("{}".encode("utf-16"), "byte 0 is not UTF-8"),
        (b"[" * 100_000, "values are nested too deeply"),
        (b"9" * 5_000, "an integer has too many digits"),
        (b"[NaN]", "NaN is not a JSON value"),
        (b'{"\\ud800": 1}', "a string has half of a surrogate pair"),
        (b'["\\uDC00\\ud800"]', "a string has half of a surrogate pair"),
    ],
)
def test_a_fault_of_json_is_an_error(contents: bytes, message: str) -> None:
    with pytest.raises(ParseError) as raised:
        json_value(contents)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"a = ", "Invalid value (at end of document)"),
        (b"a = '\xff'", "byte 5 is not UTF-8"),
        (b"a = " + b"[" * 100_000, "values are nested too deeply"),
        (b"a = " + b"9" * 5_000, "an integer has too many digits"),
    ],
)
def test_a_fault_of_toml_is_an_error(contents: bytes, message: str) -> None:
    with pytest.raises(ParseError) as raised:
        toml_table(contents)
    assert str(raised.value) == message
