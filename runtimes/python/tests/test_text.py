"""JSON text → values: RFC 8259, UTF-8, depth, and integers of any length."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ways import NOTE, fault, limit_of_digits, outcome, read, same

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)
anyhow = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@anyhow
@given(value=JSON)
def test_valid_text_is_read_like_the_standard_library_reads_it(runtime: Any, value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    for data in (text, text.encode()):
        assert repr(runtime.json.parse(data)) == repr(json.loads(text))
        assert repr(runtime.wire._load(data)) == repr(json.loads(text)) or _rounded(value)


def _rounded(value: Any) -> bool:
    """Whether a value contains an integer too large for orjson, which the functions for untouched values detect."""
    match value:
        case list():
            return any(map(_rounded, value))
        case dict():
            return any(map(_rounded, value.values()))
        case int():
            return not -(2**63) <= value < 2**64
        case _:
            return False


@anyhow
@given(value=JSON)
def test_what_is_written_is_one_line_of_ascii_and_read_back(runtime: Any, value: Any) -> None:
    text = runtime.json.json_text(value)
    assert text.isascii()
    assert "\n" not in text
    assert same(runtime.json.parse(text), value)
    assert runtime.json.json_text(runtime.json.parse(text)) == text


@anyhow
@given(data=st.binary() | st.text() | st.text(alphabet='{}[]",:0123456789.eE+-truefalsn\\ \n'))
def test_any_input_is_an_object_or_a_fault_and_nothing_else(runtime: Any, data: bytes | str) -> None:
    ways = (runtime.wire.decode, lambda data: runtime.wire.examine(data).value)
    one, other = (outcome(runtime, way, data) for way in ways)
    assert one == other


@anyhow
@given(text=st.text(alphabet='{}[]",:0123456789.eE+-truefalsn\\u \n\x01', max_size=12))
def test_the_check_without_a_stack_has_the_verdict_of_the_parser(runtime: Any, text: str) -> None:
    def is_json(look: Any) -> bool:
        try:
            look(text)
        except runtime.json.Fault:
            return False
        return True

    assert is_json(runtime.json._check_syntax) == is_json(runtime.json.parse)


@anyhow
@given(value=JSON)
def test_the_check_without_a_stack_takes_every_valid_text(runtime: Any, value: Any) -> None:
    runtime.json._check_syntax(json.dumps(value, indent=1))
    runtime.json._check_syntax(json.dumps(value, ensure_ascii=False))


@pytest.mark.parametrize("space", [" ", "\n", "\t", "\r", " \r\n\t"])
def test_white_space_may_surround_a_document(runtime: Any, space: str) -> None:
    text = json.dumps(NOTE)
    for each in (space + text, text + space, space + text + space):
        assert read(runtime, each).value == runtime.model.Note(text="a")


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "{", '{"a":1', '"abc', "[1,]", '{"a":1,}', "[1 2]", '{"a" 1}', "{1:2}", "01", "1.", ".5", "+1", "-"),
        *("1e", "0x10", "NaN", "Infinity", "-Infinity", "[NaN]", "nul", "True", "1 2", "{} x", "\ufeff{}", "\u00a01"),
        *("\x0c1", "\u2028[]", '"\t"', '"\x00"', r'"\x41"', r'"\u12"', r'"\u12g4"', "'a'", "// c\n1", "\u0661"),
        *("[1\u0660]", "{}\x00", '{"kind":"x","a":-Infinity}', '{"kind":"x","a":01}', '{"kind":"x","a":"\x01"}'),
    ],
)
def test_what_rfc_8259_does_not_allow_is_invalid_json(runtime: Any, text: str) -> None:
    for type_ in (None, "Nest", "Kit"):
        assert fault(runtime, text, type_) == ("invalid_json", "")


@pytest.mark.parametrize(
    "data", [b"\xff", b'"\xc3"', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', b"\xff\xfe1\x00"]
)
def test_bytes_that_are_not_utf8_precede_all_other_faults(runtime: Any, data: bytes) -> None:
    for each in (data, b"{" + data, b'{"kind":' + data + b"}"):
        for way in (runtime.wire.decode, runtime.wire.examine):
            with pytest.raises(runtime.base.DecodeError) as caught:
                way(each)
            assert (caught.value.code, caught.value.path) == ("invalid_utf8", "")


def test_a_raw_lone_surrogate_cannot_have_come_from_utf8(runtime: Any) -> None:
    assert fault(runtime, '{"kind":"note","text":"\ud800"}') == ("invalid_utf8", "")


def test_an_escaped_lone_surrogate_is_kept_and_written_back(runtime: Any) -> None:
    line = r'{"kind":"note","text":"\ud83d","data":["\udc00\ud83d\ude00"],"\udfff":1}'
    found = read(runtime, line)
    assert (found.value.text, found.value.data, found.value.extra) == ("\ud83d", ["\udc00\U0001f600"], {"\udfff": 1})
    assert runtime.wire.encode(found.value) == line.encode()
    assert found.unknown == ("/\udfff",)


def test_numbers_keep_their_kind(runtime: Any) -> None:
    data = read(runtime, '{"kind":"x","a":[-0, 1E5, 1.0, 10, 1e-400, 18446744073709551617, -0.0]}').value.raw["a"]
    assert repr(data) == "[0, 100000.0, 1.0, 10, 0.0, 18446744073709551617, -0.0]"


def test_of_duplicate_keys_the_last_counts(runtime: Any) -> None:
    assert read(runtime, '{"kind":"note","text":1,"text":"b"}').value.text == "b"
    assert read(runtime, '{"kind":"x","kind":"note","text":"b"}').value == runtime.model.Note(text="b")
    message = runtime.wire.decode('{"kind":"x","a":1,"b":2,"a":3}')
    assert list(message.raw.items()) == [("kind", "x"), ("a", 3), ("b", 2)]
    assert fault(runtime, '{"kind":"x","a":01,"a":3}') == ("invalid_json", "")


# --- depth -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["[", '{"a":', '[{"a":'])
@pytest.mark.parametrize(("place", "outside"), [('{"kind":"x","a":%s}', 1), ('{"kind":"note","text":"","data":%s}', 1)])
def test_a_depth_of_128_passes_and_129_does_not(runtime: Any, shape: str, place: str, outside: int) -> None:
    def nested(depth: int) -> str:
        levels = shape.count("[") + shape.count("{")
        opened = shape * (depth // levels) + ("[" if depth % levels else "")
        closed = "".join({"[": "]", "{": "}"}[mark] for mark in reversed(opened) if mark in "[{")
        return place % (opened + ("1" if not opened.endswith("[") else "") + closed)

    for depth in (63, 64, 65, 128):
        read(runtime, nested(depth - outside))
    for depth in (129, 130, 10_000):
        for strict in (False, True):
            assert fault(runtime, nested(depth - outside), strict=strict) == ("too_deep", "")


@pytest.mark.parametrize(
    ("type_", "step", "end"),
    [
        ("Tree", '{"left":', "}"),
        ("Tree", '{"kids":[', "]}"),
        ("Nest", "[", "]"),
        ("Nest", '{"a":', "}"),
        ("Outer", '{"type":"o","id":"","form":"box","p":"","inner":', "}"),
    ],
)
def test_types_that_contain_themselves_are_as_deep_as_any(runtime: Any, type_: str, step: str, end: str) -> None:
    leaf = {"Tree": "{}", "Nest": '""', "Outer": '{"type":"o","id":"","form":"new"}'}[type_]
    levels = step.count("[") + step.count("{")
    rest = (128 - leaf.count("{")) // levels
    deep = step * rest + leaf + end * rest
    if (128 - leaf.count("{")) % levels == 0:
        found = read(runtime, deep, type_)
        assert found.unknown == (("/inner" * rest + "/form",) if type_ == "Outer" else ())
        assert runtime.wire.decode(deep.encode(), type_) == found.value
    else:
        read(runtime, deep, type_)
    for more in (rest + 1, rest + 400):
        for strict in (False, True):
            deeper = step * more + leaf + end * more
            assert fault(runtime, deeper, type_, strict=strict) == ("too_deep", "")
            assert fault(runtime, deeper.replace('""', "1"), type_, strict=strict) == ("too_deep", "")


def test_an_untouched_value_has_what_the_types_around_it_leave(runtime: Any) -> None:
    def tree(types: int, levels: int) -> str:
        return '{"left":' * (types - 1) + '{"data":' + "[" * levels + "]" * levels + "}" * types

    for types in (1, 2, 63, 64, 65, 127):
        read(runtime, tree(types, 128 - types), "Tree")
        assert fault(runtime, tree(types, 129 - types), "Tree") == ("too_deep", "")


def test_depth_counts_levels_and_neither_siblings_nor_brackets_in_text(runtime: Any) -> None:
    read(runtime, {"kind": "x", "a": [[[]]] * 500, "b": ["[{" * 500, '"[' * 200, "\\[" * 200]})
    long = '{"kind":"x","b":"' + '\\"[' * 200 + '","a":' + "[" * 127 + "]" * 127 + "}"
    read(runtime, long)
    assert fault(runtime, long.replace("[]", "[[]]")) == ("too_deep", "")


def test_an_overwritten_value_is_never_seen_however_deep_it_is(runtime: Any) -> None:
    for depth in (100, 128, 200):
        for type_, key in (("Tree", "left"), ("Tree", "data"), ("Line", "text"), ("Line", "new")):
            text = f'{{"kind":"note","{key}":{"[" * depth}{"]" * depth},"text":"a","{key}":"b"}}'
            ways = (runtime.wire.decode, lambda *given: runtime.wire.examine(*given).value)
            one, other = (outcome(runtime, way, text, type_) for way in ways)
            assert one == other
            assert "[[" not in repr(one)


@pytest.mark.parametrize("depth", [129, 1_000, 100_000])
def test_broken_text_is_invalid_however_deep_it_is(runtime: Any, depth: int) -> None:
    assert fault(runtime, "[" * depth + "]" * depth) == ("too_deep", "")
    for broken in (
        "]" * (depth - 1),
        "]" * (depth + 1),
        "]" * (depth - 1) + "}",
        "NaN" + "]" * depth,
        "1,]" + "]" * depth,
        '"' + "]" * depth,
        "\x01" + "]" * depth,
        "s" + "]" * depth,
    ):
        assert fault(runtime, "[" * depth + broken) == ("invalid_json", "")


# --- long integers ---------------------------------------------------------------------------------------------

PLACES = [
    '{"kind":"note","text":"a","data":[%s]}',
    '{"kind":"note","text":"a","new":%s}',
    '{"kind":"new","a":{"b":%s}}',
]


@pytest.mark.parametrize("limit", [0, 640, 4300])
@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("place", PLACES)
def test_4300_digits_pass_where_nothing_is_declared(runtime: Any, place: str, sign: str, limit: int) -> None:
    for digits in ("1" * 641, "7" * 4299, "9" * 4300):
        line = (place % (sign + digits)).encode()
        with limit_of_digits(limit):
            message = runtime.wire.decode(line)
            again = runtime.wire.from_dict(runtime.wire.to_dict(message))
            assert message == again
            assert runtime.wire.encode(message) == runtime.wire.encode(again) == line


@pytest.mark.parametrize("limit", [0, 640, 4300, 100_000])
@pytest.mark.parametrize("digits", [4301, 50_000])
@pytest.mark.parametrize("place", [*PLACES, '{"kind":"note","text":"a","count":%s}', '{"kind":"note","text":%s}', "%s"])
def test_more_digits_are_a_fault_of_the_whole(runtime: Any, place: str, digits: int, limit: int) -> None:
    for sign in ("", "-"):
        line = place % (sign + "1" * digits)
        with limit_of_digits(limit):
            assert fault(runtime, line) == fault(runtime, line, strict=True) == ("out_of_range", "")


def test_no_integer_is_converted_that_is_too_long(runtime: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of a conversion is quadratic: 2.5 million digits would take seconds."""
    line = '{"kind":"x","a":' + "1" * 2_500_000 + "}"
    for name in ("scan", "_load", "_integer"):
        target = runtime.wire if name == "scan" else runtime.json
        monkeypatch.setattr(target, name, lambda *_: pytest.fail("the text went to a parser"))
    assert fault(runtime, line) == ("out_of_range", "")
    error = runtime.json.long_integer()
    assert len(repr(error)) < 200


def test_digits_that_are_no_integer_may_be_as_many_as_they_like(runtime: Any) -> None:
    digits = "1" * 5000
    line = f'{{"kind":"note","text":"{digits}","data":[0.{digits},{digits}e-5000,"-{digits}"]}}'
    message = read(runtime, line).value
    assert message.text == digits
    assert message.data == [float(f"0.{digits}"), float(f"{digits}e-5000"), f"-{digits}"]


def test_a_number_near_the_middle_of_two_doubles_is_rounded_right(runtime: Any) -> None:
    """Orjson is exact up to 768 digits."""
    middle = "1.00000000000000011102230246251565404236316680908203125"
    for number in (middle, middle + "0" * 800 + "1", middle + "0" * 5000 + "1"):
        text = f'{{"kind":"x","a":{number}}}'
        assert read(runtime, text).value.raw["a"] == float(number)


@pytest.mark.parametrize("place", ["data", "new", "count", "text"])
@pytest.mark.parametrize("strict", [False, True])
def test_a_long_integer_in_parsed_data_is_the_same_fault(runtime: Any, place: str, strict: bool) -> None:
    for other in ({}, {"a": float("inf")}, {"kind": 1}, {"reply_to": [[10**4300]]}):
        for value in (10**4300, -(10**4300), [10**5000], ({"a": 10**4300},)):
            with pytest.raises(runtime.base.DecodeError) as caught:
                runtime.wire.from_dict({**NOTE, **other, place: value}, strict=strict)
            assert (caught.value.code, caught.value.path) == ("out_of_range", "")


def test_an_integer_of_4300_digits_in_parsed_data_is_kept(runtime: Any) -> None:
    for place in ("data", "new"):
        value = {**NOTE, place: 10**4300 - 1}
        assert runtime.wire.to_dict(runtime.wire.from_dict(value)) == value
