"""JSON text to values, and every fault that a parser finds in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire.ground.json_values import dumps, equal
from polywire.oracle.reference import text as texts
from polywire.oracle.reference.text import Object, read

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


def codes(data: bytes | str) -> set[str]:
    """Return the faults of a text, all of which are at its root."""
    found = read(data)
    assert found.free == ()
    assert all(fault.path == "" and fault.message for fault in found.faults)
    assert len({fault.code for fault in found.faults}) == len(found.faults)
    return {fault.code for fault in found.faults}


def parse(data: bytes | str) -> Any:
    """Return the value of a text without faults."""
    assert codes(data) == set()
    return read(data).value


@given(JSON)
def test_valid_text_is_read_like_the_standard_library_reads_it(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert repr(parse(text)) == repr(json.loads(text))
    assert repr(parse(text.encode())) == repr(json.loads(text))


@given(JSON)
def test_what_is_written_is_read_back_and_writing_it_again_changes_nothing(value: Any) -> None:
    text = dumps(value)
    assert text.isascii()
    assert "\n" not in text
    assert equal(parse(text), value)
    assert dumps(parse(text)) == text


@given(st.binary() | st.text() | st.text(alphabet='{}[]",:0123456789.eE+-truefalsn\\ \n'))
def test_any_input_is_a_value_or_has_faults_of_a_parser(data: bytes | str) -> None:
    assert codes(data) <= {"invalid_utf8", "invalid_json", "too_deep"}


@given(st.text(alphabet='{}[]",:019.eE+-truefalsn\\u \n\x01ab', max_size=14) | JSON.map(json.dumps))
def test_the_scanner_reads_what_the_library_reads(text: str) -> None:
    scanner = texts._Scanner(text)
    sound = texts._sound(text)
    assert (scanner.scan() is None) == (sound is not None)
    if sound is not None:
        assert repr(scanner.value) == repr(sound.value)
        assert (scanner.duplicates, scanner.codes, scanner.free) == (sound.duplicates, set(), set())


@pytest.mark.parametrize("text", [" 1", "1\n", "\t1\r", " \r\n\t1"])
def test_white_space_may_surround_a_value(text: str) -> None:
    assert parse(text) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        '{"a":1',
        '"abc',
        "[1,]",
        '{"a":1,}',
        "[1 2]",
        '{"a" 1}',
        "{1:2}",
        "01",
        "1.",
        ".5",
        "+1",
        "-",
        "1e",
        "0x10",
        "NaN",
        "Infinity",
        "-Infinity",
        "[NaN]",
        "nul",
        "True",
        "1 2",
        "{} x",
        "\ufeff{}",
        "\u00a01",
        "\x0c1",
        "\u2028[]",
        '"\t"',
        '"\x00"',
        r'"\x41"',
        r'"\u12"',
        r'"\u12g4"',
        "'a'",
        "// c\n1",
        "\u0661",
        "[1\u0660]",
        "{}\x00",
    ],
)
def test_what_rfc_8259_does_not_allow_is_invalid_json(text: str) -> None:
    assert codes(text) == codes(text.encode()) == {"invalid_json"}


@pytest.mark.parametrize(
    "data", [b'"\xff"', b'"\xc3"', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', b'{"\xff":[1]}']
)
def test_bytes_that_are_not_utf8_are_a_fault_beside_those_of_the_text(data: bytes) -> None:
    assert codes(data) == {"invalid_utf8"}
    assert codes(b"{" + data) == {"invalid_utf8", "invalid_json"}
    assert codes(b"[" * 129 + data + b"]" * 129) == {"invalid_utf8", "too_deep"}


@pytest.mark.parametrize("data", [b"\xff", b"\xff{}", b"{}\xff", b"\xff\xfe1\x00", b'{"a":\xa01}', b'"\xc3'])
def test_what_is_not_utf8_outside_of_strings_is_not_json_either(data: bytes) -> None:
    assert codes(data) == {"invalid_utf8", "invalid_json"}


def test_a_raw_lone_surrogate_in_a_str_can_not_have_come_from_utf8() -> None:
    assert codes('"\ud800"') == {"invalid_utf8"}


def test_an_escaped_lone_surrogate_is_kept_and_written_back() -> None:
    assert parse(r'"\ud800x"') == "\ud800x"
    assert dumps("\ud800x") == r'"\ud800x"'
    assert parse(r'"\ud83d\ude00"') == "\U0001f600"


@pytest.mark.parametrize("shape", ["[", '{"a":', '[{"a":'])
def test_a_depth_of_128_passes_and_129_does_not(shape: str) -> None:
    def nested(depth: int) -> str:
        levels = shape.count("[") + shape.count("{")
        opened = shape * (depth // levels) + ("[" if depth % levels else "")
        closed = "".join({"[": "]", "{": "}"}[mark] for mark in reversed(opened) if mark in "[{")
        return opened + "1" + closed

    parse(nested(128))
    assert codes(nested(129)) == {"too_deep"}


def test_depth_counts_levels_and_neither_siblings_nor_brackets_in_strings() -> None:
    parse("[" + ",".join(["[[]]"] * 500) + "]")
    parse(json.dumps(["[{" * 500, '"[' * 200, "\\[" * 200]))
    assert codes('["' + '\\"[' * 3 + '",' + "[" * 128 + "]" * 128 + "]") == {"too_deep"}


def test_a_text_may_be_nothing_but_a_string_of_brackets() -> None:
    assert parse(json.dumps("[{" * 100)) == "[{" * 100


@pytest.mark.parametrize("depth", [129, 1_000, 100_000])
def test_broken_text_has_the_faults_that_come_before_it_breaks(depth: int) -> None:
    assert codes("[" * depth + "]" * depth) == {"too_deep"}
    for broken in ("]" * (depth - 1), "]" * (depth + 1), "]" * (depth - 1) + "}", "NaN" + "]" * depth, "1,]", '"', "s"):
        assert codes("[" * depth + broken) == {"too_deep", "invalid_json"}
    for before in ("}", "x", "[] ", "[1 ", "1."):
        assert codes(before + "[" * depth) == {"invalid_json"}


@pytest.mark.parametrize("sign", ["", "-"])
def test_integer_literals_have_up_to_4300_digits(sign: str) -> None:
    text = sign + "7" * 4300
    assert parse(text) == int(text)
    assert parse(f'{{"a":[{text}]}}') == {"a": [int(text)]}
    assert codes(f"{text}7") == codes(f'{{"a":[{text}7]}}') == {"out_of_range"}
    assert codes(f"[{text}7") == codes(f"[{text}7,]") == {"out_of_range", "invalid_json"}
    assert codes("[" * 129 + f"{text}7" + "]" * 129) == {"out_of_range", "too_deep"}


@pytest.mark.parametrize("text", ["7" * 4301 + ".5", "7" * 4301 + "e1", "0." + "7" * 5000, '"' + "7" * 5000 + '"'])
def test_no_other_digits_are_limited(text: str) -> None:
    parse(text)
    parse(f'{{"a":{text},"b":1}}')


def test_digits_behind_a_zero_are_only_a_syntax_error() -> None:
    assert codes("0" + "7" * 4301) == {"invalid_json"}


@pytest.mark.parametrize("rest", [".", "e", "e+x", ".x"])
def test_a_long_number_that_breaks_off_behind_its_digits_may_count_as_an_integer(rest: str) -> None:
    assert codes("7" * 4301 + rest) == codes(f'{{"a":[{"7" * 4301}{rest}]}}') == {"invalid_json", "out_of_range"}
    assert codes("7" * 4300 + rest) == {"invalid_json"}


def test_of_duplicate_keys_the_last_counts_and_the_others_are_kept_aside() -> None:
    found = read('{"a":1,"b":{"x":1,"x":2},"a":2,"\\u0061":3}')
    assert found.duplicates
    assert found.faults == found.free == ()
    assert found.value == {"a": 3, "b": {"x": 2}}
    assert list(found.value) == ["a", "b"]
    assert isinstance(found.value, Object)
    assert found.value.overwritten == [("a", 1), ("a", 2)]
    assert found.value["b"].overwritten == [("x", 1)]
    assert not read('{"a":1,"b":[{"a":2}]}').duplicates


@pytest.mark.parametrize(
    ("bad", "code"),
    [("[" * 128 + "]" * 128, "too_deep"), ("[" * 9999 + "]" * 9999, "too_deep"), ("7" * 4301, "out_of_range")],
)
def test_faults_of_overwritten_values_are_apart(bad: str, code: str) -> None:
    for text in (f'{{"a":{bad},"a":1}}', f'{{"x":{{"a":{bad},"a":1}},"x":1}}', f'{{"x":[{{"a":{bad}}}],"x":1}}'):
        found = read(text)
        assert ([fault.code for fault in found.faults], [fault.code for fault in found.free]) == ([], [code])
    found = read(f'{{"a":{bad},"a":1,"b":{bad}}}')
    assert ([fault.code for fault in found.faults], [fault.code for fault in found.free]) == ([code], [])
    broken = read(f'{{"a":{bad},"a":1')
    assert ({fault.code for fault in broken.faults}, broken.free) == ({"invalid_json", code}, ())


def test_syntax_and_encoding_count_in_overwritten_values_too() -> None:
    assert codes('{"a":01,"a":3}') == {"invalid_json"}
    assert codes(b'{"a":"\xff","a":3}') == {"invalid_utf8"}


def test_numbers_keep_their_kind() -> None:
    assert [(type(each), each) for each in parse("[-0, 1E5, 1.0, 10, 1e-400]")] == [
        (int, 0),
        (float, 1e5),
        (float, 1.0),
        (int, 10),
        (float, 0.0),
    ]
