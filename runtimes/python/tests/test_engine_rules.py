"""The decoding rules, one by one: text to values, values to what a plan makes of them, and the first fault."""

from __future__ import annotations

import json
import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire_runtime import _engine as engine
from polywire_runtime._engine import Decoded, Fault, dumps, equal, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

REQ, NULL, FLAT = engine.REQUIRED, engine.NULLABLE, engine.FLATTEN


def struct(
    *fields: tuple[Any, ...],
    tags: tuple[tuple[Any, ...], ...] = (),
    consts: tuple[tuple[str, Any], ...] = (),
    extra: Any = None,
) -> tuple[Any, ...]:
    return ("struct", tags, consts, fields, extra)


def tag(key: str, constant: str | bool, *, optional: bool = False) -> tuple[Any, ...]:
    return (key, optional, constant)


@contextmanager
def fault(code: str, path: str = "") -> Iterator[None]:
    with pytest.raises(Fault) as caught:
        yield
    assert (caught.value.code, caught.value.path) == (code, path)
    assert caught.value.message


def lenient(plan: dict[str, Any], root: Any, text: str) -> Decoded:
    return engine.decode(plan, root, parse(text), strict=False)


def strict(plan: dict[str, Any], root: Any, text: str) -> Decoded:
    return engine.decode(plan, root, parse(text), strict=True)


# --- parsing ---------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


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
def test_any_input_is_a_value_or_a_fault_and_nothing_else(data: bytes | str) -> None:
    try:
        parse(data)
    except Fault as caught:
        assert caught.code in {"invalid_utf8", "invalid_json", "too_deep"}  # noqa: PT017 (both outcomes are right)
        assert caught.path == ""  # noqa: PT017 (as above)


@given(st.text(alphabet='{}[]",:0123456789.eE+-truefalsn\\u \n\x01', max_size=12))
def test_the_check_without_a_stack_has_the_verdict_of_the_parser(text: str) -> None:
    def verdict(read: Any) -> bool:
        try:
            read(text)
        except Fault:
            return False
        return True

    assert verdict(engine._check_syntax) == verdict(parse)


@given(JSON)
def test_the_check_without_a_stack_takes_every_valid_text(value: Any) -> None:
    engine._check_syntax(json.dumps(value, indent=1))
    engine._check_syntax(json.dumps(value, ensure_ascii=False))


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
    with fault("invalid_json"):
        parse(text)
    with fault("invalid_json"):
        parse(text.encode())


@pytest.mark.parametrize(
    "data", [b"\xff", b'"\xc3"', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', b"\xff\xfe1\x00"]
)
def test_bytes_that_are_not_utf8_are_told_first(data: bytes) -> None:
    with fault("invalid_utf8"):
        parse(data)
    with fault("invalid_utf8"):
        parse(b"{" + data)


def test_a_raw_lone_surrogate_in_a_str_can_not_have_come_from_utf8() -> None:
    with fault("invalid_utf8"):
        parse('"\ud800"')


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
    with fault("too_deep"):
        parse(nested(129))


def test_depth_counts_levels_and_neither_siblings_nor_brackets_in_strings() -> None:
    parse("[" + ",".join(["[[]]"] * 500) + "]")
    parse(json.dumps(["[{" * 500, '"[' * 200, "\\[" * 200]))
    with fault("too_deep"):
        parse('["' + '\\"[' * 3 + '",' + "[" * 128 + "]" * 128 + "]")


def test_depth_counts_in_overwritten_members_too() -> None:
    with fault("too_deep"):
        parse('{"a":' + "[" * 128 + "]" * 128 + ',"a":1}')


@pytest.mark.parametrize("depth", [129, 1_000, 100_000])
def test_broken_text_is_invalid_however_deep_it_is(depth: int) -> None:
    with fault("too_deep"):
        parse("[" * depth + "]" * depth)
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
        with fault("invalid_json"):
            parse("[" * depth + broken)


def test_depth_is_asked_of_any_text() -> None:
    assert not engine.too_deep('"' + "[]" * 200)
    assert engine.too_deep("[" * 200 + '"')


def test_of_duplicate_keys_the_last_counts_and_the_others_need_only_be_json() -> None:
    assert parse('{"a":1,"b":2,"a":3}') == {"a": 3, "b": 2}
    assert strict({}, "json", '{"a":1e400,"a":3}').value == {"a": 3}
    with fault("invalid_json"):
        parse('{"a":01,"a":3}')


@pytest.mark.parametrize("digits", [1, 511, 512, 513, 640, 4300])
@pytest.mark.parametrize("sign", ["", "-"])
def test_integers_are_exact_up_to_the_limit_both_ways(digits: int, sign: str) -> None:
    text = sign + ("1234567890" * (digits // 10 + 1))[:digits]
    value = parse(f'{{"a":[{text}],"b":1.5}}')["a"][0]
    assert type(value) is int
    assert value % 10**9 == int(text) % 10**9
    assert dumps({"é": [value], "b": True}) == f'{{"\\u00e9":[{text}],"b":true}}'


@pytest.mark.parametrize("sign", ["", "-"])
def test_integers_beyond_the_limit_are_refused_at_once(sign: str) -> None:
    with fault("out_of_range"):
        parse(f'{{"a":[{sign}{"1" * 4301}]}}')


def test_numbers_keep_their_kind() -> None:
    assert [(type(each), each) for each in parse("[-0, 1E5, 1.0, 10, 1e-400]")] == [
        (int, 0),
        (float, 1e5),
        (float, 1.0),
        (int, 10),
        (float, 0.0),
    ]


# --- writing and comparing -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "code", "path"),
    [
        (math.nan, "out_of_range", ""),
        ({"a": [1, math.inf]}, "out_of_range", "/a/1"),
        ({"a": {1}}, "wrong_type", "/a"),
        ({"a": {1: 2}}, "wrong_type", "/a"),
        ({"b": b"", "a/~": object()}, "wrong_type", "/a~1~0"),
    ],
)
def test_what_is_not_json_is_never_written(value: Any, code: str, path: str) -> None:
    with fault(code, path):
        dumps(value)
    with fault(code, "/x" + path):
        dumps(value, ("x",))


def test_a_value_that_contains_itself_is_too_deep() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with fault("too_deep"):
        dumps(loop)
    with fault("too_deep"):
        engine.decode({"A": ("alias", ("[]", "A", None, None))}, "A", loop, strict=True)


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


# --- scalars ---------------------------------------------------------------------------------------------------

SAMPLES = {
    "null": "null",
    "boolean": "true",
    "integer": "7",
    "number": "1.5",
    "string": '"x"',
    "array": "[]",
    "object": "{}",
}
FITS = {
    "string": {"string"},
    "boolean": {"boolean"},
    "number": {"integer", "number"},
    "integer": {"integer"},
    "json": set(SAMPLES),
    "object": {"object"},
    "null": {"null"},
}


@pytest.mark.parametrize("type_", FITS)
@pytest.mark.parametrize("kind", SAMPLES)
def test_each_scalar_takes_its_own_kinds(type_: str, kind: str) -> None:
    if kind in FITS[type_]:
        assert equal(strict({}, type_, SAMPLES[kind]).value, json.loads(SAMPLES[kind]))
    else:
        code = "out_of_range" if (type_, kind) == ("integer", "number") else "wrong_type"
        with fault(code):
            lenient({}, type_, SAMPLES[kind])


def test_the_message_names_both_kinds() -> None:
    with pytest.raises(Fault) as caught:
        strict({}, "string", "7")
    assert caught.value.message == "expected string, got integer"
    assert str(caught.value) == "wrong_type: expected string, got integer"


@pytest.mark.parametrize("text", ["1.0", "1", "1E0", "10e-1", "1.00000000000000000001"])
def test_an_integer_is_an_int_however_it_is_spelt(text: str) -> None:
    value = strict({}, "integer", text).value
    assert (type(value), value) == (int, 1)


@pytest.mark.parametrize("text", ["-0", "-0.0", "0e9", "1e-400"])
def test_every_zero_is_an_integer(text: str) -> None:
    assert strict({}, "integer", text).value == 0


@pytest.mark.parametrize("text", ["9007199254740991", "-9007199254740991", "9007199254740991.0", "9007199254740991.4"])
def test_the_largest_integers_pass(text: str) -> None:
    assert abs(strict({}, "integer", text).value) == 2**53 - 1


@pytest.mark.parametrize(
    "text",
    ["9007199254740992", "-9007199254740992", "9007199254740991.6", "1e16", "1e400", "-1e400", "0.5", "9" * 5000],
)
def test_other_numbers_are_out_of_range_for_an_integer(text: str) -> None:
    with fault("out_of_range"):
        lenient({}, "integer", text)


@pytest.mark.parametrize("text", ["7", "7.0", "18446744073709551616", "-0", "1e-400", "1" + "0" * 308])
def test_a_number_is_a_float_however_it_is_spelt(text: str) -> None:
    value = strict({}, "number", text).value
    assert type(value) is float
    assert value == float(text)


@pytest.mark.parametrize("text", ["1e309", "-1e309", "1" + "0" * 309, "1" + "0" * 5000])
def test_a_number_that_overflows_a_double_is_out_of_range(text: str) -> None:
    with fault("out_of_range"):
        lenient({}, "number", text)


def test_untouched_numbers_are_exact_integers_or_doubles_and_overflow_has_a_place() -> None:
    assert strict({}, "json", '{"a":[18446744073709551617,1.0]}').value == {"a": [18446744073709551617, 1.0]}
    with fault("out_of_range", "/a/1/b"):
        lenient({}, "json", '{"z":1e400,"a":[1,{"b":-1e400}]}')
    with fault("out_of_range", "/~0~1"):
        lenient({}, "object", '{"~/":1e400}')


UUID = "0F4c2b1a-0000-4000-8000-00000000000f"


@pytest.mark.parametrize(
    ("type_", "good"),
    [
        ("uuid", UUID),
        ("timestamp", "2024-02-31T24:61:61Z"),
        ("timestamp", "2024-01-01T00:00:00.123456789+14:00"),
    ],
)
def test_text_of_the_right_form_passes(type_: str, good: str) -> None:
    assert strict({}, type_, json.dumps(good)).value == good


@pytest.mark.parametrize(
    ("type_", "bad"),
    [
        ("uuid", ""),
        ("uuid", UUID + "\n"),
        ("uuid", UUID[:-1]),
        ("uuid", "{" + UUID + "}"),
        ("uuid", UUID.replace("-", "")),
        ("uuid", UUID.replace("1", "\u0661")),
        ("timestamp", "2024-01-01T00:00:00"),
        ("timestamp", "2024-01-01 00:00:00Z"),
        ("timestamp", "2024-01-01T00:00:00.Z"),
        ("timestamp", "2024-01-01T00:00:00z"),
        ("timestamp", "2024-01-01T00:00:00Z\n"),
        ("timestamp", "2024-01-01T00:00:00+0100"),
        ("timestamp", "\u0662024-01-01T00:00:00Z"),
    ],
)
def test_text_of_the_wrong_form_is_kept_and_reported_or_refused(type_: str, bad: str) -> None:
    plan = {"T": struct(("x", type_, REQ))}
    text = json.dumps({"x": bad})
    found = lenient(plan, "T", text)
    assert (found.value, found.unknown) == ({"x": bad}, ["/x"])
    with fault("bad_format", "/x"):
        strict(plan, "T", text)


# --- enums, arrays, maps, inline unions ------------------------------------------------------------------------

ENUMS = {
    "Open": ("enum", "string", True, ("a", "b")),
    "Closed": ("enum", "string", False, ("a", "b")),
    "OpenInt": ("enum", "integer", True, (1, -2)),
    "ClosedInt": ("enum", "integer", False, (1, -2)),
}


def test_an_unknown_value_of_an_open_enum_is_kept_and_of_a_closed_one_refused() -> None:
    assert strict(ENUMS, "Open", '"a"').value == "a"
    found = lenient(ENUMS, "Open", '"new"')
    assert (found.value, found.unknown, found.variant) == ("new", [""], "Open")
    with fault("unknown_value"):
        strict(ENUMS, "Open", '"new"')
    for decode in (lenient, strict):
        with fault("unknown_value"):
            decode(ENUMS, "Closed", '"new"')
        with fault("wrong_type"):
            decode(ENUMS, "Closed", "1")


def test_an_integer_enum_takes_whole_numbers() -> None:
    assert strict(ENUMS, "ClosedInt", "1.0").value == 1
    assert type(strict(ENUMS, "ClosedInt", "1.0").value) is int
    assert lenient(ENUMS, "OpenInt", "5.0").value == 5
    for name in ENUMS:
        with fault("wrong_type"):
            lenient(ENUMS, name, "true")


@pytest.mark.parametrize("text", ["1.5", "1e400", "9007199254740993"])
def test_of_an_unknown_value_and_a_bad_number_the_unknown_value_is_told(text: str) -> None:
    with fault("unknown_value"):
        lenient(ENUMS, "ClosedInt", text)
    with fault("unknown_value"):
        strict(ENUMS, "OpenInt", text)
    with fault("out_of_range"):
        lenient(ENUMS, "OpenInt", text)


def test_bounds_of_an_array_are_told_in_strict_mode_before_what_is_inside() -> None:
    pair = ("[]", "integer", 1, 2)
    assert strict({}, pair, "[1,2]").unknown == []
    for text in ("[]", "[1,2,3]"):
        assert lenient({}, pair, text).unknown == [""]
        with fault("out_of_bounds"):
            strict({}, pair, text)
    with fault("out_of_bounds"):
        strict({}, pair, '[1,2,"x"]')
    with fault("wrong_type", "/2"):
        lenient({}, pair, '[1,2,"x"]')
    assert strict({}, ("[]", "integer", 2, None), "[1,2,3]").unknown == []
    with fault("out_of_bounds"):
        strict({}, ("[]", "integer", 2, None), "[1]")


def test_arrays_are_read_by_index_and_maps_by_code_point() -> None:
    with fault("wrong_type", "/1"):
        lenient({}, ("[]", "string", None, None), '["a",1,2]')
    with fault("wrong_type", "/B"):
        lenient({}, ("{}", "string", None), '{"a":1,"B":1,"é":1}')
    with fault("wrong_type", "/\uffff"):
        lenient({}, ("{}", "string", None), '{"\U0001f600":1,"\uffff":1}')


def test_nulls_in_arrays_and_maps_are_never_repaired() -> None:
    with fault("wrong_type", "/0"):
        lenient({}, ("[]", "string", None, None), "[null]")
    with fault("wrong_type", "/a"):
        lenient({}, ("{}", "string", None), '{"a":null}')
    assert strict({}, ("[]", ("|", {"string": "string", "null": "null"}), None, None), '[null,"a"]').value == [
        None,
        "a",
    ]


def test_a_map_keeps_the_order_of_its_keys() -> None:
    assert list(strict({}, ("{}", "integer", None), '{"z":1,"a":2}').value) == ["z", "a"]


def test_keys_of_a_map_are_as_open_as_their_enum() -> None:
    open_map, closed_map = ("{}", "integer", "Open"), ("{}", "integer", "Closed")
    assert strict(ENUMS, closed_map, '{"a":1}').value == {"a": 1}
    found = lenient(ENUMS, open_map, '{"new":1,"a":2}')
    assert (found.value, found.unknown) == ({"new": 1, "a": 2}, ["/new"])
    with fault("unknown_value", "/new"):
        strict(ENUMS, open_map, '{"new":1}')
    with fault("unknown_value", "/new"):
        lenient(ENUMS, closed_map, '{"new":1}')


def test_a_bad_entry_under_a_bad_key_is_told_by_precedence() -> None:
    with fault("wrong_type", "/new"):
        lenient(ENUMS, ("{}", "integer", "Closed"), '{"new":"x"}')
    with fault("unknown_value", "/new"):
        lenient(ENUMS, ("{}", ("[]", "integer", None, None), "Closed"), '{"new":["x"]}')
    with fault("unknown_value", "/new"):
        lenient(ENUMS, ("{}", "integer", "Closed"), '{"new":1.5}')


def test_the_kind_of_a_value_picks_the_member_of_an_inline_union() -> None:
    choice = ("|", {"string": "uuid", "number": "integer", "array": ("[]", "string", None, None), "null": "null"})
    assert lenient({}, choice, '"x"').unknown == [""]
    assert strict({}, choice, "1.0").value == 1
    assert strict({}, choice, '["a"]').value == ["a"]
    assert strict({}, choice, "null").value is None
    with fault("out_of_range"):
        lenient({}, choice, "1.5")
    with fault("wrong_type", "/0"):
        lenient({}, choice, "[1]")
    with pytest.raises(Fault, match="expected string or number or array or null, got boolean"):
        lenient({}, choice, "true")


# --- structs ---------------------------------------------------------------------------------------------------

PRESENCE = {
    "P": struct(("a", "string", REQ), ("b", "string", REQ | NULL), ("c", "string", 0), ("d", "string", NULL)),
    "J": struct(("x", "json", NULL), ("y", "json", REQ | NULL)),
}


def test_presence_has_four_forms() -> None:
    assert strict(PRESENCE, "P", '{"a":"1","b":null}').value == {"a": "1", "b": None}
    assert strict(PRESENCE, "P", '{"a":"1","b":"2","c":"3","d":null}').value == {
        "a": "1",
        "b": "2",
        "c": "3",
        "d": None,
    }
    for decode in (lenient, strict):
        with fault("missing_field", "/a"):
            decode(PRESENCE, "P", "{}")
        with fault("missing_field", "/b"):
            decode(PRESENCE, "P", '{"a":""}')
        with fault("wrong_type", "/a"):
            decode(PRESENCE, "P", '{"a":null,"b":null}')


def test_null_where_a_field_may_only_be_absent_is_repaired_and_kept() -> None:
    text = '{"z":1,"c":null,"a":"1","b":"2"}'
    made: list[Any] = []

    def build(what: str, name: str, members: dict[str, Any], extra: dict[str, Any]) -> str:
        made.append((what, name, list(members.items()), list(extra.items())))
        return "built"

    found = engine.decode(PRESENCE, "P", parse(text), strict=False, build=build)
    assert found.value == "built"
    assert made == [("struct", "P", [("a", "1"), ("b", "2")], [("z", 1), ("c", None)])]
    assert found.unknown == ["/c", "/z"]
    with fault("wrong_type", "/c"):
        strict(PRESENCE, "P", text)


def test_json_members_have_three_states() -> None:
    assert strict(PRESENCE, "J", '{"x":null,"y":null}').value == {"x": None, "y": None}
    assert strict(PRESENCE, "J", '{"y":[]}').value == {"y": []}
    with fault("missing_field", "/y"):
        lenient(PRESENCE, "J", "{}")


def test_output_has_declared_members_in_declared_order_then_the_rest_as_it_came() -> None:
    plan = {"T": struct(("b", "string", 0), ("a", "string", 0), tags=(tag("type", "t"),), consts=(("role", "r"),))}
    text = '{"z":1,"a":"","role":"r","y":2,"b":"","type":"t"}'
    assert list(lenient(plan, "T", text).value) == ["type", "role", "b", "a", "z", "y"]


def test_the_first_fault_is_the_one_of_the_first_member_in_declared_order() -> None:
    plan = {
        "T": struct(("b", "string", REQ), ("a", "N", REQ), tags=(tag("type", "t"),), consts=(("role", "r"),)),
        "N": struct(("x", "string", REQ)),
    }
    faults = [
        ('{"zz":0,"a":{"x":1,"w":0},"b":1,"role":1,"type":1}', "wrong_type", "/type"),
        ('{"zz":0,"a":{"x":1,"w":0},"b":1,"role":1}', "missing_field", "/type"),
        ('{"zz":0,"a":{"x":1,"w":0},"b":1,"role":1,"type":"u"}', "wrong_constant", "/type"),
        ('{"zz":0,"a":{"x":1,"w":0},"b":1,"role":1,"type":"t"}', "wrong_type", "/role"),
        ('{"zz":0,"a":{"x":1,"w":0},"b":1,"role":"q","type":"t"}', "wrong_constant", "/role"),
        ('{"zz":0,"a":{"x":1,"w":0},"b":1,"type":"t"}', "missing_field", "/role"),
        ('{"zz":0,"a":{"x":1,"w":0},"b":1,"role":"r","type":"t"}', "wrong_type", "/b"),
        ('{"zz":0,"a":{"x":1,"w":0},"role":"r","type":"t"}', "missing_field", "/b"),
        ('{"zz":0,"a":{"x":1,"w":0},"b":"","role":"r","type":"t"}', "wrong_type", "/a/x"),
        ('{"zz":0,"a":{"x":"","w":0},"b":"","role":"r","type":"t"}', "unknown_field", "/a/w"),
        ('{"zz":0,"Z":0,"a":{"x":""},"b":"","role":"r","type":"t"}', "unknown_field", "/Z"),
    ]
    for text, code, path in faults:
        with fault(code, path):
            strict(plan, "T", text)
    with fault("wrong_type"):
        strict(plan, "T", "[]")


@pytest.mark.parametrize(("constant", "same"), [("a", '"a"'), (True, "true"), (2, "2.0"), (2, "2"), (1.5, "1.5")])
def test_a_constant_member_is_compared_as_json(constant: Any, same: str) -> None:
    plan = {"T": struct(consts=(("c", constant),))}
    value = strict(plan, "T", f'{{"c":{same}}}').value
    assert value == {"c": constant}
    assert type(value["c"]) is type(constant)
    with fault("wrong_type", "/c"):
        lenient(plan, "T", '{"c":null}')
    with fault("wrong_constant" if isinstance(constant, int | float) and constant is not True else "wrong_type", "/c"):
        lenient(plan, "T", '{"c":1e400}')


def test_unknown_members_are_kept_untouched_or_refused() -> None:
    plan = {"T": struct(("a", "string", 0))}
    text = '{"x/~y":{"n":[1.0]},"a":""}'
    found = lenient(plan, "T", text)
    assert (found.value, found.unknown) == ({"a": "", "x/~y": {"n": [1.0]}}, ["/x~1~0y"])
    with fault("unknown_field", "/x~1~0y"):
        strict(plan, "T", text)


def test_an_unknown_member_that_overflows_is_out_of_range_in_both_modes() -> None:
    plan = {"T": struct()}
    for decode in (lenient, strict):
        with fault("out_of_range", "/x"):
            decode(plan, "T", '{"x":1e400}')
    with fault("out_of_range", "/x/0"):
        lenient(plan, "T", '{"x":[1e400]}')
    with fault("unknown_field", "/x"):
        strict(plan, "T", '{"x":[1e400]}')


def test_declared_extra_content_is_checked_but_for_nulls_of_a_repair() -> None:
    plan = {"T": struct(("a", "string", 0), extra="integer")}
    assert strict(plan, "T", '{"z":1.0,"b":2}').value == {"z": 1, "b": 2}
    found = lenient(plan, "T", '{"z":1,"a":null}')
    assert (found.value, found.unknown) == ({"z": 1, "a": None}, ["/a"])
    with fault("wrong_type", "/a"):
        strict(plan, "T", '{"z":1,"a":null}')
    with fault("wrong_type", "/B"):
        lenient(plan, "T", '{"b":"","B":null}')


# --- tags ------------------------------------------------------------------------------------------------------

TAGS = {
    "Sub": ("enum", "string", True, ("error_a", "error_b")),
    "List": struct(tags=(("k", False, None, ("x", "y"), None),)),
    "Enum": struct(tags=(("k", False, None, "Sub", None),)),
    "Catch": struct(("n", "integer", REQ), tags=(tag("t", "r"), ("k", False, None, "Sub", "error_*"))),
    "Opt": struct(("n", "integer", REQ), tags=(tag("type", "stdio", optional=True),)),
    "Flag": struct(tags=(tag("f", constant=True),)),
}


def test_the_values_of_a_tag_are_its_structs_identity() -> None:
    assert strict(TAGS, "List", '{"k":"y"}').value == {"k": "y"}
    for decode in (lenient, strict):
        for name in ("List", "Enum"):
            with fault("unknown_value", "/k"):
                decode(TAGS, name, '{"k":"error_new"}')
            with fault("wrong_type", "/k"):
                decode(TAGS, name, '{"k":null}')
            with fault("missing_field", "/k"):
                decode(TAGS, name, "{}")
        with fault("wrong_constant", "/f"):
            decode(TAGS, "Flag", '{"f":false}')
        with fault("wrong_type", "/f"):
            decode(TAGS, "Flag", '{"f":"true"}')


def test_a_catch_all_decoded_directly_takes_unknown_values_of_its_form() -> None:
    text = '{"t":"r","k":"error_\\nnew","n":1}'
    found = lenient(TAGS, "Catch", text)
    assert (found.value, found.unknown) == (parse(text), ["/k"])
    with fault("unknown_value", "/k"):
        strict(TAGS, "Catch", text)
    for decode in (lenient, strict):
        with fault("unknown_value", "/k"):
            decode(TAGS, "Catch", '{"t":"r","k":"other","n":1}')


def test_an_optional_tag_may_be_absent_and_stays_so_but_never_null() -> None:
    assert strict(TAGS, "Opt", '{"n":1}').value == {"n": 1}
    assert strict(TAGS, "Opt", '{"n":1,"type":"stdio"}').value == {"type": "stdio", "n": 1}
    with fault("wrong_type", "/type"):
        lenient(TAGS, "Opt", '{"n":1,"type":null}')
    with fault("wrong_constant", "/type"):
        lenient(TAGS, "Opt", '{"n":1,"type":"sse"}')


# --- unions ----------------------------------------------------------------------------------------------------

SYSTEM = ("switch", "System", "subtype", {"init": "Init", "error_a": "Catch"}, (("error_*", "Catch"),), None)
USER = ("switch", "User", "isCopy", {True: "Replay"}, (), "Plain")
UNIONS = {
    "Sub": ("enum", "string", True, ("error_a",)),
    "Init": struct(("cwd", "string", REQ), tags=(tag("type", "system"), tag("subtype", "init"))),
    "Catch": struct(("n", "integer", REQ), tags=(tag("type", "system"), ("subtype", False, None, "Sub", "error_*"))),
    "Plain": struct(
        ("isCopy", "boolean", 0, (True,)), ("text", "string", 0), ("inner", "Wire", 0), tags=(tag("type", "user"),)
    ),
    "Replay": struct(tags=(tag("type", "user"), tag("isCopy", constant=True))),
    "System": ("union", True, "UnknownSystem", SYSTEM),
    "User": ("union", False, "UnknownUser", USER),
    "Wire": ("union", True, "UnknownWire", ("switch", "Wire", "type", {"system": SYSTEM, "user": USER}, (), None)),
    "Narrow": ("union", False, "UnknownNarrow", ("switch", "Narrow", "type", {"system": SYSTEM}, (), None)),
    "WireAlias": ("alias", "Wire"),
}


def test_discriminators_lead_to_the_innermost_struct() -> None:
    found = strict(UNIONS, "Wire", '{"type":"system","subtype":"init","cwd":"/"}')
    assert found.variant == "Init"
    assert found.trail == [("", "Wire"), ("", "System"), ("", "Init")]
    assert found.unknown == []
    assert strict(UNIONS, "WireAlias", '{"type":"user"}').variant == "Plain"


def test_variant_is_the_name_asked_for_where_that_is_no_union() -> None:
    assert strict(UNIONS, "Plain", '{"type":"user"}').variant == "Plain"
    assert strict({"L": ("alias", ("[]", "string", None, None))}, "L", "[]").variant == "L"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"type":"new","x":{"a":[1.0]}}', "/type"),
        ('{"subtype":"new","type":"system","x":1}', "/subtype"),
    ],
)
def test_an_unknown_tag_gives_the_unknown_of_the_outermost_open_union(text: str, path: str) -> None:
    made: list[Any] = []

    def build(what: str, name: str, members: dict[str, Any], extra: dict[str, Any]) -> None:
        made.append((what, name, members, extra))

    found = lenient(UNIONS, "Wire", text)
    assert (found.value, found.variant, found.unknown) == (parse(text), "Unknown", [path])
    assert found.trail[-1] == ("", "UnknownWire")
    engine.decode(UNIONS, "Wire", parse(text), strict=False, build=build)
    tags = {key: value for key, value in parse(text).items() if key != "x"}
    assert made == [("unknown", "UnknownWire", tags, parse(text))]
    with fault("unknown_variant", path):
        strict(UNIONS, "Wire", text)


def test_a_closed_union_refuses_an_unknown_tag_in_both_modes() -> None:
    for decode in (lenient, strict):
        with fault("unknown_variant", "/type"):
            decode(UNIONS, "Narrow", '{"type":"user"}')


def test_an_open_union_inside_a_closed_one_has_an_unknown_of_its_own() -> None:
    found = lenient(UNIONS, "Narrow", '{"type":"system","subtype":"new"}')
    assert (found.variant, found.trail[-1]) == ("Unknown", ("", "UnknownSystem"))


def test_a_union_inside_a_value_has_its_own_outermost_union() -> None:
    found = lenient(UNIONS, "Wire", '{"type":"user","inner":{"type":"new"}}')
    assert (found.variant, found.unknown) == ("Plain", ["/inner/type"])
    assert found.trail == [("", "Wire"), ("", "User"), ("", "Plain"), ("/inner", "Wire"), ("/inner", "UnknownWire")]


@pytest.mark.parametrize("decode", [lenient, strict])
@pytest.mark.parametrize(
    ("text", "code", "path"),
    [
        ("[]", "wrong_type", ""),
        ("null", "wrong_type", ""),
        ("{}", "missing_field", "/type"),
        ('{"type":null}', "wrong_type", "/type"),
        ('{"type":1}', "wrong_type", "/type"),
        ('{"type":"system"}', "missing_field", "/subtype"),
        ('{"type":"system","subtype":7,"cwd":1}', "wrong_type", "/subtype"),
        ('{"type":"system","subtype":"init"}', "missing_field", "/cwd"),
        ('{"type":"user","isCopy":null}', "wrong_type", "/isCopy"),
        ('{"type":"user","isCopy":"yes"}', "wrong_type", "/isCopy"),
    ],
)
def test_unknown_is_not_malformed(decode: Any, text: str, code: str, path: str) -> None:
    with fault(code, path):
        decode(UNIONS, "Wire", text)


def test_a_variant_without_the_discriminator_takes_what_no_sibling_claims() -> None:
    assert strict(UNIONS, "User", '{"type":"user"}').variant == "Plain"
    assert strict(UNIONS, "User", '{"type":"user","isCopy":false}').value == {"type": "user", "isCopy": False}
    assert strict(UNIONS, "User", '{"type":"user","isCopy":true}').variant == "Replay"
    for decode in (lenient, strict):
        with fault("wrong_constant", "/isCopy"):
            decode(UNIONS, "Plain", '{"type":"user","isCopy":true}')
    assert lenient(UNIONS, "Plain", '{"type":"user","isCopy":null}').unknown == ["/isCopy"]


def test_a_text_discriminator_that_is_unclaimed_is_an_unknown_variant_also_beside_an_absent_one() -> None:
    plan = {
        "Stdio": TAGS["Opt"],
        "U": ("union", True, "UnknownU", ("switch", "U", "type", {"stdio": "Stdio"}, (), "Stdio")),
    }
    assert strict(plan, "U", '{"n":1}').variant == "Stdio"
    assert lenient(plan, "U", '{"type":"new"}').variant == "Unknown"
    with fault("wrong_type", "/type"):
        lenient(plan, "U", '{"type":null,"n":1}')


def test_a_catch_all_takes_unknown_values_of_its_form_and_falls_back_to_unknown() -> None:
    fits = '{"type":"system","subtype":"error_new","n":1,"w":0}'
    found = lenient(UNIONS, "Wire", fits)
    assert (found.variant, found.unknown) == ("Catch", ["/subtype", "/w"])
    broken = '{"type":"system","subtype":"error_new","n":"1","w":0}'
    found = lenient(UNIONS, "Wire", broken)
    assert (found.variant, found.unknown, found.value) == ("Unknown", ["/subtype"], parse(broken))
    assert found.trail == [("", "Wire"), ("", "System"), ("", "UnknownWire")]
    for text in (fits, broken):
        with fault("unknown_value", "/subtype"):
            strict(UNIONS, "Wire", text)


def test_the_body_of_a_catch_all_with_a_known_value_must_fit() -> None:
    with fault("wrong_type", "/n"):
        lenient(UNIONS, "Wire", '{"type":"system","subtype":"error_a","n":"1"}')


def test_numbers_that_overflow_are_found_in_unknown_objects_too() -> None:
    for text in ('{"type":"new","x":1e400}', '{"type":"system","subtype":"error_new","n":"1","x":1e400}'):
        with fault("out_of_range", "/x"):
            lenient(UNIONS, "Wire", text)


def test_all_discriminators_are_checked_before_the_rest_of_the_object() -> None:
    plan = {
        **UNIONS,
        "Init": struct(tags=(tag("kind", "k"), tag("type", "system"), tag("subtype", "init"))),
    }
    with fault("wrong_type", "/subtype"):
        strict(plan, "Wire", '{"type":"system","subtype":0,"kind":0}')
    with fault("wrong_type", "/kind"):
        strict(plan, "Wire", '{"type":"system","subtype":"init","kind":0}')


KEYED = {
    "Call": struct(("id", "integer", REQ), ("method", "string", REQ)),
    "Reply": struct(("id", "integer", REQ), ("error", "json", NULL)),
    "Rpc": (
        "union",
        True,
        "UnknownRpc",
        ("keys", "Rpc", ((("id", "method"), ("error",), "Call"), (("id",), ("method",), "Reply"))),
    ),
    "ClosedRpc": ("union", False, "X", ("keys", "ClosedRpc", ((("id", "method"), ("error",), "Call"),))),
}


def test_the_presence_of_keys_picks_the_variant_whatever_they_hold() -> None:
    assert strict(KEYED, "Rpc", '{"id":1,"method":"m"}').variant == "Call"
    assert strict(KEYED, "Rpc", '{"id":1,"error":null}').variant == "Reply"
    with fault("wrong_type", "/method"):
        lenient(KEYED, "Rpc", '{"id":1,"method":null}')
    found = lenient(KEYED, "Rpc", '{"id":1,"method":"m","error":1}')
    assert (found.variant, found.unknown) == ("Unknown", [""])
    with fault("no_variant"):
        strict(KEYED, "Rpc", "{}")
    with fault("no_variant"):
        lenient(KEYED, "ClosedRpc", "{}")
    with fault("no_variant", "/0"):
        strict(KEYED, ("[]", "Rpc", None, None), "[{}]")


# --- flattened fields ------------------------------------------------------------------------------------------


def flat_plan(type_: str, flags: int) -> dict[str, Any]:
    return {
        "Outer": struct(
            ("id", "string", REQ), ("body", type_, flags | FLAT), ("last", "string", 0), tags=(tag("type", "o"),)
        ),
        "A": struct(("p", "string", REQ), ("q", "string", 0), tags=(tag("kind", "a"),)),
        "Body": ("union", True, "UnknownBody", ("switch", "Body", "kind", {"a": "A"}, (), None)),
        "Wire": ("union", True, "UnknownWire", ("switch", "Wire", "type", {"o": "Outer"}, (), None)),
        "Plain": struct(("p", "string", REQ)),
    }


def test_a_flattened_field_takes_all_keys_that_its_owner_does_not_declare() -> None:
    made: list[Any] = []

    def build(what: str, name: str, members: dict[str, Any], extra: dict[str, Any]) -> str:
        made.append((what, name, members, extra))
        return name

    text = '{"x":1,"last":null,"q":null,"p":"1","kind":"a","id":"i","type":"o"}'
    plan = flat_plan("Body", REQ)
    engine.decode(plan, "Wire", parse(text), strict=False, build=build)
    assert made == [
        ("struct", "A", {"kind": "a", "p": "1"}, {"x": 1, "q": None}),
        ("struct", "Outer", {"type": "o", "id": "i", "body": "A"}, {"last": None}),
    ]
    found = lenient(plan, "Wire", text)
    assert (found.variant, found.unknown) == ("Outer", ["/last", "/q", "/x"])
    assert found.value == parse(text)
    assert list(found.value) == ["type", "id", "kind", "p", "x", "q", "last"]


def test_an_unknown_flattened_value_is_the_fields_and_not_the_lines() -> None:
    found = lenient(flat_plan("Body", REQ), "Wire", '{"type":"o","id":"i","kind":"new","z":1}')
    assert (found.variant, found.unknown) == ("Outer", ["/kind"])
    assert found.trail == [("", "Wire"), ("", "Outer"), ("", "Body"), ("", "UnknownBody")]
    with fault("unknown_variant", "/kind"):
        strict(flat_plan("Body", REQ), "Wire", '{"type":"o","id":"i","kind":"new","z":1}')


def test_faults_of_a_flattened_value_come_in_the_turn_of_its_field() -> None:
    plan = flat_plan("Body", REQ)
    with fault("missing_field", "/id"):
        strict(plan, "Outer", '{"type":"o"}')
    with fault("missing_field", "/kind"):
        strict(plan, "Outer", '{"type":"o","id":"i","last":1}')
    with fault("unknown_field", "/z"):
        strict(plan, "Outer", '{"type":"o","id":"i","last":1,"kind":"a","p":"","z":1}')
    with fault("wrong_type", "/last"):
        strict(plan, "Outer", '{"type":"o","id":"i","last":1,"kind":"a","p":""}')


def test_an_optional_flattened_field_is_absent_when_no_key_is_left() -> None:
    plan = flat_plan("Plain", 0)
    assert strict(plan, "Outer", '{"type":"o","id":"i"}').value == {"type": "o", "id": "i"}
    with fault("missing_field", "/p"):
        lenient(plan, "Outer", '{"type":"o","id":"i","z":1}')
    with fault("missing_field", "/p"):
        lenient(flat_plan("Plain", REQ), "Outer", '{"type":"o","id":"i"}')


def test_a_flattened_object_takes_the_rest_untouched() -> None:
    text = '{"type":"o","id":"i","body":[1.0],"z":null}'
    found = strict(flat_plan("object", REQ), "Outer", text)
    assert (found.value, found.unknown) == (parse(text), [])
    assert strict(flat_plan("object", REQ), "Outer", '{"type":"o","id":"i"}').value == {"type": "o", "id": "i"}


# --- the whole -------------------------------------------------------------------------------------------------


def test_types_may_contain_themselves() -> None:
    plan = {"Tree": struct(("kids", ("[]", "Tree", None, None), REQ))}
    assert strict(plan, "Tree", '{"kids":[{"kids":[]}]}').variant == "Tree"
    with fault("missing_field", "/kids/0/kids"):
        strict(plan, "Tree", '{"kids":[{}]}')


def test_the_deepest_text_that_parses_is_decoded_as_deep_types() -> None:
    plan = {"Nest": ("alias", ("|", {"array": ("[]", "Nest", None, None), "object": ("{}", "Nest", None)}))}
    text = '[{"a":' * 63 + "[[]]" + "}]" * 63
    assert strict(plan, "Nest", text).value == json.loads(text)


def test_a_document_as_deep_as_may_be_leaves_room_on_the_stack_also_in_unions_and_flattened_parts() -> None:
    text = '{"type":"user","inner":' * 127 + '{"type":"new"}' + "}" * 127
    assert lenient(UNIONS, "Wire", text).unknown == ["/inner" * 127 + "/type"]
    plan = flat_plan("Body", REQ)
    plan["A"] = struct(("in", "Wire", 0), tags=(tag("kind", "a"),))
    text = '{"type":"o","id":"","kind":"a","in":' * 127 + '{"type":"new"}' + "}" * 127
    assert lenient(plan, "Wire", text).unknown == ["/in" * 127 + "/type"]


def test_unknown_pointers_are_sorted_and_listed_once() -> None:
    plan = {"T": struct(("b", "uuid", 0), ("a", "integer", 0))}
    assert lenient(plan, "T", '{"b":"x","z":1,"B":1,"a":null}').unknown == ["/B", "/a", "/b", "/z"]


def test_a_name_that_the_plan_lacks_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(KeyError):
        strict({}, "Missing", "1")


def test_data_that_a_program_made_is_judged_like_text() -> None:
    plan = {"T": struct(("n", "number", 0), ("i", "integer", 0), ("a", ("[]", "string", None, None), 0))}
    assert engine.decode(plan, "T", {"a": ("x",), "i": 2.0}, strict=True).value == {"i": 2, "a": ["x"]}
    for value, code, path in [
        ({"n": math.nan}, "out_of_range", "/n"),
        ({"i": True}, "wrong_type", "/i"),
        ({"i": object()}, "wrong_type", "/i"),
        ({"a": {"x"}}, "wrong_type", "/a"),
        ({1: 2}, "wrong_type", ""),
    ]:
        with fault(code, path):
            engine.decode(plan, "T", value, strict=False)


def test_a_glob_takes_any_text_for_its_star_alone() -> None:
    assert engine.glob("error_*")("error_")
    assert engine.glob("a*c*")("a.b\nc")
    assert not engine.glob("error_*")("xerror_a")
    assert not engine.glob("a.c")("abc")
