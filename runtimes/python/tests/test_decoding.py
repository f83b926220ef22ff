"""Values → objects: the rules of every kind of row, one by one, and the fault if one is violated."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from ways import NOTE, UUID, Fault, fault, outcome, read, same

KIT = {"id": UUID}


def kit(runtime: Any, key: str, value: Any, *, strict: bool = False) -> Any:
    """The value that is read for a member, and the places where lenient mode tolerated something."""
    found = read(runtime, _with(key, value), "Kit", strict=strict)
    return getattr(found.value, {"byName": "by_name", "class": "class_"}.get(key, key)), list(found.unknown)


def bad_kit(runtime: Any, key: str, value: Any, *, strict: bool = False) -> Fault:
    return fault(runtime, _with(key, value), "Kit", strict=strict)


def _with(key: str, value: Any) -> str:
    """A kit with one more member, given as JSON text or as a value."""
    return f'{{"id":"{UUID}",{json.dumps(key)}:{value if isinstance(value, str) else json.dumps(value)}}}'


# --- scalars ---------------------------------------------------------------------------------------------------

SAMPLES = {
    "null": "null",
    "boolean": "true",
    "integer": "7",
    "number": "1.5",
    "string": f'"{UUID}"',
    "array": "[]",
    "object": "{}",
}
FITS = {
    "flag": {"boolean"},
    "ratio": {"integer", "number"},
    "any": set(SAMPLES),
    "obj": {"object"},
    "none": {"null"},
    "level": set[str](),
    "id": {"string"},
    "class": {"string"},
    "pair": set[str](),
    "rows": {"array"},
    "sizes": {"object"},
    "points": {"array"},
    "anys": {"array"},
    "choice": {"string", "integer", "array", "null"},
}
CODES = {("level", "string"): "unknown_value", ("choice", "number"): "out_of_range"}


@pytest.mark.parametrize("key", FITS)
@pytest.mark.parametrize("kind", SAMPLES)
def test_each_type_takes_its_own_kinds(runtime: Any, key: str, kind: str) -> None:
    text = _with(key, SAMPLES[kind])
    if kind in FITS[key]:
        value = getattr(read(runtime, text, "Kit", strict=True).value, "class_" if key == "class" else key)
        assert same(value, json.loads(SAMPLES[kind]))
    elif (key, kind) == ("pair", "array"):
        assert fault(runtime, text, "Kit", strict=True) == ("out_of_bounds", "/pair")
    elif kind == "null" and key != "id":
        assert read(runtime, text, "Kit").value.extra == {key: None}
        assert fault(runtime, text, "Kit", strict=True) == ("wrong_type", f"/{key}")
    else:
        for strict in (False, True):
            expected = CODES.get((key, kind), "wrong_type")
            assert fault(runtime, text, "Kit", strict=strict) == (expected, f"/{key}")


def test_a_message_names_what_was_expected_and_what_there_is(runtime: Any) -> None:
    for document, message in [
        ({**NOTE, "text": 7}, "expected string, got integer"),
        ({"kind": "note"}, 'expected member "text", got none'),
        ({**NOTE, "count": 0.5}, "expected an integer within ±9007199254740991, got 0.5"),
        ({"kind": "ask", "id": "", "request": {"what": "go"}}, 'expected one of "look", "forget", got "go"'),
    ]:
        with pytest.raises(runtime.base.DecodeError) as caught:
            runtime.wire.decode(json.dumps(document))
        assert caught.value.message == message


@pytest.mark.parametrize("text", ["1.0", "1", "1E0", "10e-1", "1.00000000000000000001"])
def test_an_integer_is_an_int_however_it_is_spelt(runtime: Any, text: str) -> None:
    (value,), unknown = kit(runtime, "pair", f"[{text}]")
    assert (type(value), value, unknown) == (int, 1, [])


@pytest.mark.parametrize("text", ["-0", "-0.0", "0e9", "1e-400"])
def test_every_zero_is_an_integer(runtime: Any, text: str) -> None:
    assert kit(runtime, "pair", f"[{text}]") == ([0], [])


@pytest.mark.parametrize("text", ["9007199254740991", "-9007199254740991", "9007199254740991.0", "9007199254740991.4"])
def test_the_largest_integers_pass(runtime: Any, text: str) -> None:
    assert abs(kit(runtime, "pair", f"[{text}]", strict=True)[0][0]) == 2**53 - 1


@pytest.mark.parametrize(
    "text", ["9007199254740992", "-9007199254740992", "9007199254740991.6", "1e16", "1e400", "-1e400", "0.5"]
)
def test_other_numbers_are_out_of_range_for_an_integer(runtime: Any, text: str) -> None:
    assert bad_kit(runtime, "pair", f"[{text}]") == ("out_of_range", "/pair/0")
    assert fault(runtime, f'{{"kind":"note","text":"a","count":{text}}}') == ("out_of_range", "/count")


@pytest.mark.parametrize("text", ["7", "7.0", "18446744073709551616", "-0", "1e-400", "1" + "0" * 308])
def test_a_number_is_a_float_however_it_is_spelt(runtime: Any, text: str) -> None:
    for key, shape in (("ratio", "%s"), ("points", "[%s]"), ("levels", '{"low":%s}')):
        value = kit(runtime, key, shape % text, strict=True)[0]
        value = value[0] if key == "points" else value["low"] if key == "levels" else value
        assert (type(value), value) == (float, float(text))


@pytest.mark.parametrize("text", ["1e309", "-1e309", "1" + "0" * 309, "1" + "0" * 4299])
def test_a_number_that_overflows_a_double_is_out_of_range(runtime: Any, text: str) -> None:
    assert bad_kit(runtime, "ratio", text) == ("out_of_range", "/ratio")
    assert bad_kit(runtime, "points", f"[0,{text}]") == ("out_of_range", "/points/1")


@pytest.mark.parametrize("number", ["1e400", "-1e400"])
@pytest.mark.parametrize(
    ("type_", "document", "path"),
    [
        ("Kit", '{"id":"","any":{"z":1,"a":[1,{"b":%s}]}}', "/any/a/1/b"),
        ("Kit", '{"id":"","obj":{"~/":%s}}', "/obj/~0~1"),
        ("Kit", '{"id":"","anys":[[],%s]}', "/anys/1"),
        ("Line", '{"kind":"new","x":%s}', "/x"),
        ("Line", '{"kind":"event","what":"new","x":[%s]}', "/x/0"),
        ("Line", '{"kind":"event","what":"error_new","n":"1","x":%s}', "/x"),
        ("Line", '{"kind":"event","what":"error_new","n":1,"x":%s}', "/x"),
        ("Call", '{"x":%s}', "/x"),
        ("Note", '{"kind":"note","text":"","x":[%s]}', "/x/0"),
        ("Sack", '{"id":"","x":{"y":%s}}', "/x/y"),
    ],
)
def test_an_untouched_number_that_overflows_has_a_place(
    runtime: Any, type_: str, document: str, path: str, number: str
) -> None:
    assert fault(runtime, document % number, type_) == ("out_of_range", path)


def test_an_unknown_member_that_overflows_is_out_of_range_in_both_modes(runtime: Any) -> None:
    for strict in (False, True):
        assert fault(runtime, '{"p":"","x":1e400}', "Draft", strict=strict) == ("out_of_range", "/x")
    assert fault(runtime, '{"p":"","x":[1e400]}', "Draft") == ("out_of_range", "/x/0")
    assert fault(runtime, '{"p":"","x":[1e400]}', "Draft", strict=True) in {
        ("unknown_field", "/x"),
        ("out_of_range", "/x/0"),
    }


ODD_UUID = "0F4c2b1a-0000-4000-8000-00000000000f"


@pytest.mark.parametrize(
    ("key", "good"),
    [("id", ODD_UUID), ("at", "2024-02-31T24:61:61Z"), ("at", "2024-01-01T00:00:00.123456789+14:00")],
)
def test_text_of_the_right_form_passes(runtime: Any, key: str, good: str) -> None:
    assert getattr(read(runtime, {**KIT, key: good}, "Kit", strict=True).value, key) == good


@pytest.mark.parametrize(
    ("key", "bad"),
    [
        *(("id", bad) for bad in ("", ODD_UUID + "\n", ODD_UUID[:-1], "{" + ODD_UUID + "}", ODD_UUID.replace("-", ""))),
        ("id", ODD_UUID.replace("1", "\u0661")),
        *(("at", f"2024-01-01T00:00:00{end}") for end in ("", ".Z", "z", "Z\n", "+0100")),
        ("at", "2024-01-01 00:00:00Z"),
        ("at", "\u0662024-01-01T00:00:00Z"),
    ],
)
def test_text_of_the_wrong_form_is_kept_and_reported_or_refused(runtime: Any, key: str, bad: str) -> None:
    found = read(runtime, {**KIT, key: bad}, "Kit")
    assert (getattr(found.value, key), found.unknown) == (bad, (f"/{key}",))
    assert fault(runtime, {**KIT, key: bad}, "Kit", strict=True) == ("bad_format", f"/{key}")


# --- enums, arrays, maps, inline unions ------------------------------------------------------------------------


def test_an_unknown_value_of_an_open_enum_is_kept_and_of_a_closed_one_refused(runtime: Any) -> None:
    assert read(runtime, '"red"', "Color", strict=True).value == "red"
    found = read(runtime, '"green"', "Color")
    assert (found.value, found.unknown, found.variant) == ("green", ("",), "Color")
    assert fault(runtime, '"green"', "Color", strict=True) == ("unknown_value", "")
    assert kit(runtime, "size", 5) == (5, ["/size"])
    assert bad_kit(runtime, "size", 5, strict=True) == ("unknown_value", "/size")
    for strict in (False, True):
        assert fault(runtime, '"new"', "Level", strict=strict) == ("unknown_value", "")
        assert bad_kit(runtime, "code", 5, strict=strict) == ("unknown_value", "/code")
        assert fault(runtime, "1", "Level", strict=strict) == ("wrong_type", "")
        assert fault(runtime, '"1"', "Code", strict=strict) == ("wrong_type", "")


def test_an_integer_enum_takes_whole_numbers(runtime: Any) -> None:
    for type_ in ("Size", "Code"):
        found = read(runtime, "1.0", type_, strict=True)
        assert (type(found.value), found.value) == (int, 1)
        assert fault(runtime, "true", type_) == ("wrong_type", "")
    assert type(read(runtime, "5.0", "Size").value) is int


@pytest.mark.parametrize("text", ["1.5", "1e400", "9007199254740993"])
def test_an_unknown_value_precedes_a_number_out_of_range(runtime: Any, text: str) -> None:
    assert fault(runtime, text, "Code") == ("unknown_value", "")
    assert fault(runtime, text, "Size", strict=True) == ("unknown_value", "")
    assert fault(runtime, text, "Size") == ("out_of_range", "")


def test_bounds_of_an_array_hold_in_strict_mode_alone(runtime: Any) -> None:
    assert kit(runtime, "pair", [1, 2], strict=True) == ([1, 2], [])
    for value in ([], [1, 2, 3]):
        assert kit(runtime, "pair", value) == (value, ["/pair"])
        assert bad_kit(runtime, "pair", value, strict=True) == ("out_of_bounds", "/pair")
    assert bad_kit(runtime, "pair", [1, 2, "x"]) == ("wrong_type", "/pair/2")
    assert kit(runtime, "many", ["a", "b", "c"], strict=True) == (["a", "b", "c"], [])
    assert bad_kit(runtime, "many", ["a"], strict=True) == ("out_of_bounds", "/many")
    assert read(runtime, {"items": [NOTE] * 4}, "Sight").unknown == ("/items",)


def test_a_fault_in_an_array_or_a_map_has_the_place_of_the_item(runtime: Any) -> None:
    assert bad_kit(runtime, "many", ["a", "b", 2]) == ("wrong_type", "/many/2")
    assert bad_kit(runtime, "rows", [["red"], ["red", None]]) == ("wrong_type", "/rows/1/1")
    assert bad_kit(runtime, "byName", {"é~/": {"p": 1}}) == ("wrong_type", "/byName/é~0~1/p")
    assert kit(runtime, "rows", [["red"], ["red", "new"]])[1] == ["/rows/1/1"]
    assert bad_kit(runtime, "rows", [["red"], ["red", "new"]], strict=True) == ("unknown_value", "/rows/1/1")


def test_nulls_in_arrays_and_maps_are_never_repaired(runtime: Any) -> None:
    assert bad_kit(runtime, "many", ["a", None]) == ("wrong_type", "/many/1")
    assert bad_kit(runtime, "byName", {"a": None}) == ("wrong_type", "/byName/a")
    assert bad_kit(runtime, "points", [None]) == ("wrong_type", "/points/0")


def test_a_map_keeps_the_order_of_its_keys(runtime: Any) -> None:
    assert list(kit(runtime, "byName", {"z": {"p": ""}, "a": {"p": ""}})[0]) == ["z", "a"]


def test_keys_of_a_map_are_as_open_as_their_enum(runtime: Any) -> None:
    assert kit(runtime, "levels", {"low": 1}, strict=True) == ({"low": 1}, [])
    assert kit(runtime, "sizes", {"new": 1, "red": 2}) == ({"new": 1, "red": 2}, ["/sizes/new"])
    assert bad_kit(runtime, "sizes", {"new": 1}, strict=True) == ("unknown_value", "/sizes/new")
    for strict in (False, True):
        assert bad_kit(runtime, "levels", {"new": 1}, strict=strict) == ("unknown_value", "/levels/new")


def test_of_a_bad_entry_under_a_bad_key_the_precedence_of_codes_decides(runtime: Any) -> None:
    assert bad_kit(runtime, "levels", {"new": "x"}) == ("wrong_type", "/levels/new")
    assert bad_kit(runtime, "levels", '{"new":1e400}') == ("unknown_value", "/levels/new")
    assert bad_kit(runtime, "sizes", {"new": 1.5}, strict=True) == ("unknown_value", "/sizes/new")
    assert bad_kit(runtime, "sizes", {"new": 1.5}) == ("out_of_range", "/sizes/new")


def test_the_kind_of_a_value_picks_the_member_of_an_inline_union(runtime: Any) -> None:
    assert kit(runtime, "choice", '"x"') == ("x", ["/choice"])
    assert bad_kit(runtime, "choice", '"x"', strict=True) == ("bad_format", "/choice")
    assert kit(runtime, "choice", "1.0", strict=True) == (1, [])
    assert kit(runtime, "choice", ["a"], strict=True) == (["a"], [])
    assert kit(runtime, "choice", None, strict=True) == (None, [])
    assert bad_kit(runtime, "choice", 1.5) == ("out_of_range", "/choice")
    assert bad_kit(runtime, "choice", [1]) == ("wrong_type", "/choice/0")
    with pytest.raises(runtime.base.DecodeError, match="expected string or number or array, got boolean"):
        runtime.wire.decode('{"id":"","choice":true}', "Kit")


def test_an_alias_that_contains_itself_is_read_at_every_level(runtime: Any) -> None:
    assert read(runtime, [{"a": ["b", {}]}], "Nest").value == [{"a": ["b", {}]}]
    assert fault(runtime, [{"a": ["b", {"c": 1}]}], "Nest") == ("wrong_type", "/0/a/1/c")


# --- structs ---------------------------------------------------------------------------------------------------


def test_presence_has_four_forms(runtime: Any) -> None:
    unset, presence = runtime.base.UNSET, runtime.model.Presence
    assert read(runtime, '{"a":"1","b":null,"y":[]}', "Presence", strict=True).value == presence(a="1", b=None, y=[])
    full = read(runtime, '{"a":"1","b":"2","c":"3","d":null,"x":null,"y":null}', "Presence", strict=True).value
    assert full == presence(a="1", b="2", c="3", d=None, x=None, y=None)
    absent = runtime.wire.decode('{"a":"1","b":null,"y":1}', "Presence")
    assert (absent.c, absent.d, absent.x) == (None, unset, unset)
    for strict in (False, True):
        assert fault(runtime, '{"b":"","y":1}', "Presence", strict=strict) == ("missing_field", "/a")
        assert fault(runtime, '{"a":"","y":1}', "Presence", strict=strict) == ("missing_field", "/b")
        assert fault(runtime, '{"a":"","b":""}', "Presence", strict=strict) == ("missing_field", "/y")
        assert fault(runtime, '{"a":null,"b":null,"y":1}', "Presence", strict=strict) == ("wrong_type", "/a")


def test_null_where_a_field_may_only_be_absent_is_repaired_and_kept(runtime: Any) -> None:
    text = '{"z":1,"c":null,"a":"1","b":"2","y":0}'
    found = read(runtime, text, "Presence")
    assert found.value == runtime.model.Presence(a="1", b="2", y=0, extra={"z": 1, "c": None})
    assert list(found.value.extra) == ["z", "c"]
    assert found.unknown == ("/c", "/z")
    assert fault(runtime, text.replace('"z":1,', ""), "Presence", strict=True) == ("wrong_type", "/c")


def test_declared_members_are_written_in_declared_order_then_the_rest_as_it_came(runtime: Any) -> None:
    text = '{"z":1,"count":2,"text":"","y":2,"color":"red","kind":"note"}'
    assert list(json.loads(runtime.wire.encode(read(runtime, text).value))) == [
        *("kind", "text", "color", "count", "z", "y"),
    ]


@pytest.mark.parametrize(
    ("member", "value", "code", "path"),
    [
        ("kind", 1, "wrong_type", "/kind"),
        ("kind", "ask", "wrong_constant", "/kind"),
        ("text", None, "wrong_type", "/text"),
        ("reply_to", 1, "wrong_type", "/reply_to"),
        ("count", 1.5, "out_of_range", "/count"),
        ("count", 2**53, "out_of_range", "/count"),
        ("count", True, "wrong_type", "/count"),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_a_member_that_does_not_fit_is_a_fault(
    runtime: Any, member: str, value: Any, code: str, path: str, strict: bool
) -> None:
    assert fault(runtime, {**NOTE, member: value}, "Note", strict=strict) == (code, path)
    sight = {"items": [NOTE, {**NOTE, member: value}]}
    assert fault(runtime, sight, "Sight", strict=strict) == (code, "/items/1" + path)


@pytest.mark.parametrize(
    ("member", "value", "code", "path"),
    [
        ("color", "green", "unknown_value", "/color"),
        ("count", None, "wrong_type", "/count"),
        ("a~b/", 1, "unknown_field", "/a~0b~1"),
        ("", 1, "unknown_field", "/"),
        ("kind", "new", "unknown_variant", "/kind"),
    ],
)
def test_what_lenient_mode_lets_pass_strict_mode_refuses(
    runtime: Any, member: str, value: Any, code: str, path: str
) -> None:
    document = {**NOTE, member: value}
    assert read(runtime, document).unknown == (path,)
    assert fault(runtime, document, strict=True) == (code, path)


def test_unknown_members_are_kept_untouched(runtime: Any) -> None:
    found = read(runtime, {"x/~y": {"n": [1.0, None]}, "p": "", "__proto__": 1}, "Draft")
    assert found.value.extra == {"x/~y": {"n": [1.0, None]}, "__proto__": 1}
    assert found.unknown == ("/__proto__", "/x~1~0y")


def test_of_several_faults_one_that_is_there_is_found(runtime: Any) -> None:
    document = {"kind": "ask", "id": 1, "request": {"what": "look", "at": 1, "z": 0}, "zz": 0}
    assert fault(runtime, document, strict=True) in {
        ("wrong_type", "/id"),
        ("wrong_type", "/request/at"),
        ("unknown_field", "/request/z"),
        ("unknown_field", "/zz"),
    }
    for strict in (False, True):  # a tag is checked before the body
        assert fault(runtime, {**document, "kind": 1}, strict=strict) == ("wrong_type", "/kind")
        assert fault(runtime, {"id": 1}, strict=strict) == ("missing_field", "/kind")
        assert fault(runtime, {"what": "go", "at": 1}, "Request", strict=strict) == ("unknown_variant", "/what")


FIXED = {"role": "r", "on": True, "version": 2, "ratio": 1.5}


@pytest.mark.parametrize(
    ("member", "value"), [("version", 2.0), ("version", 2), ("ratio", 1.5), ("type", "stdio"), ("quiet", False)]
)
def test_a_constant_is_compared_as_json(runtime: Any, member: str, value: Any) -> None:
    fixed = read(runtime, {**FIXED, member: value}, "Fixed", strict=True).value
    assert (fixed.role, fixed.on, fixed.version, fixed.ratio) == ("r", True, 2, 1.5)
    assert type(fixed.version) is int


@pytest.mark.parametrize(
    ("member", "value", "code"),
    [
        *(("role", value, code) for value, code in [("q", "wrong_constant"), (1, "wrong_type"), (None, "wrong_type")]),
        *(
            ("on", value, code)
            for value, code in [(False, "wrong_constant"), (1, "wrong_type"), ("true", "wrong_type")]
        ),
        *(
            ("version", value, code)
            for value, code in [(3, "wrong_constant"), (True, "wrong_type"), ("2", "wrong_type")]
        ),
        *(("ratio", value, code) for value, code in [(1, "wrong_constant"), (True, "wrong_type"), ([], "wrong_type")]),
        *(("type", value, code) for value, code in [("x", "wrong_constant"), (1, "wrong_type"), (None, "wrong_type")]),
        *(
            ("quiet", value, code)
            for value, code in [(True, "wrong_constant"), (0, "wrong_type"), (None, "wrong_type")]
        ),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_another_value_than_the_constant_is_a_fault(
    runtime: Any, member: str, value: Any, code: str, strict: bool
) -> None:
    assert fault(runtime, {**FIXED, member: value}, "Fixed", strict=strict) == (code, f"/{member}")


def test_a_constant_that_overflows_is_no_other_number(runtime: Any) -> None:
    text = json.dumps(FIXED)
    assert fault(runtime, text.replace("1.5", "1e400"), "Fixed") == ("wrong_constant", "/ratio")
    assert fault(runtime, text.replace('"r"', "1e400"), "Fixed") == ("wrong_type", "/role")


def test_an_optional_constant_may_be_absent_and_stays_so(runtime: Any) -> None:
    assert read(runtime, FIXED, "Fixed", strict=True).value == runtime.model.Fixed()
    assert read(runtime, {**FIXED, "type": "stdio"}, "Fixed", strict=True).value == runtime.model.Fixed(type="stdio")


def test_typed_extra_members_are_judged_but_for_nulls_of_a_repair(runtime: Any) -> None:
    found = read(runtime, {"z": 1.0, "b": 2}, "Bag", strict=True)
    assert (found.value.extra, type(found.value.extra["z"])) == ({"z": 1, "b": 2}, int)
    found = read(runtime, {"z": 1, "a": None}, "Bag")
    assert (found.value, found.unknown) == (runtime.model.Bag(extra={"z": 1, "a": None}), ("/a",))
    assert fault(runtime, {"z": 1, "a": None}, "Bag", strict=True) == ("wrong_type", "/a")
    assert fault(runtime, {"b": "", "a": "x"}, "Bag") == ("wrong_type", "/b")
    assert fault(runtime, {"b": None}, "Bag") == ("wrong_type", "/b")


def test_a_field_of_the_program_alone_never_travels(runtime: Any) -> None:
    look = read(runtime, {"what": "look", "at": UUID, "seen": True}, "Look").value
    assert (look.seen, look.extra) == (None, {"seen": True})
    look.seen = False
    assert json.loads(runtime.wire.encode(look))["seen"] is True
    assert fault(runtime, {"what": "look", "at": UUID, "seen": True}, "Look", strict=True) == ("unknown_field", "/seen")


def test_a_member_is_called_as_the_protocol_calls_it(runtime: Any) -> None:
    assert kit(runtime, "class", '"x"') == ("x", [])
    assert read(runtime, {**KIT, "class_": 1}, "Kit").value.extra == {"class_": 1}
    assert read(runtime, KIT, "Kit").variant == "kit"


# --- tags ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strict", [False, True])
def test_the_values_of_a_tag_are_what_its_struct_stands_for(runtime: Any, strict: bool) -> None:
    assert read(runtime, '{"k":"y"}', "Suit", strict=True).value == runtime.model.Suit(k="y")
    for document, code, path in [
        ({"k": "z"}, "unknown_value", "/k"),
        ({"k": None}, "wrong_type", "/k"),
        ({"k": []}, "wrong_type", "/k"),
        ({}, "missing_field", "/k"),
        ({"k": "x", "m": "error_c"}, "unknown_value", "/m"),
        ({"k": "x", "m": None}, "wrong_type", "/m"),
    ]:
        assert fault(runtime, document, "Suit", strict=strict) == (code, path)


def test_a_catch_all_that_is_asked_for_takes_unknown_values_of_its_form(runtime: Any) -> None:
    document = {"kind": "event", "what": "error_\nnew", "n": 1}
    found = read(runtime, document, "Failure")
    assert (found.value, found.unknown) == (runtime.model.Failure(what="error_\nnew", n=1), ("/what",))
    assert fault(runtime, document, "Failure", strict=True) == ("unknown_value", "/what")
    for strict in (False, True):
        assert fault(runtime, {**document, "what": "start"}, "Failure", strict=strict) == ("unknown_value", "/what")
        assert fault(runtime, {**document, "what": "xerror_"}, "Failure", strict=strict) == ("unknown_value", "/what")


def test_a_glob_takes_any_text_for_its_star_alone(runtime: Any) -> None:
    glob = runtime.decoder.glob
    assert glob("error_*")("error_")
    assert glob("a*c*")("a.b\nc")
    assert not glob("error_*")("xerror_a")
    assert not glob("a.c")("abc")


# --- unions ----------------------------------------------------------------------------------------------------


def test_discriminators_lead_to_the_innermost_struct(runtime: Any) -> None:
    start = read(runtime, {"cwd": "/", "kind": "event", "what": "start"}, strict=True)
    assert (start.variant, start.value) == ("Start", runtime.model.Start(cwd="/"))
    failure = {"kind": "event", "what": "error_b", "n": 1}
    assert (
        read(runtime, failure, strict=True).variant == read(runtime, failure, "Event", strict=True).variant == "Failure"
    )
    assert read(runtime, NOTE, "Note").variant == "Note"


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"kind": "new", "x": {"a": [1.0]}}, "/kind"),
        ({"what": "new", "kind": "event", "x": 1}, "/what"),
        ({"kind": "event", "what": "error_new", "n": "1", "w": 0}, "/what"),
    ],
)
def test_an_unknown_tag_gives_the_unknown_of_the_outermost_open_union(runtime: Any, document: Any, path: str) -> None:
    found = read(runtime, document)
    assert (type(found.value), found.value.raw) == (runtime.unknowns.UnknownLine, document)
    assert (found.variant, found.unknown) == ("Unknown", (path,))
    assert (found.value.kind, found.value.what) == (document["kind"], document.get("what"))
    code = "unknown_value" if document.get("what") == "error_new" else "unknown_variant"
    assert fault(runtime, document, strict=True) == (code, path)


def test_a_part_of_a_union_that_is_asked_for_has_an_unknown_of_its_own(runtime: Any) -> None:
    document = {"kind": "event", "what": "new"}
    for value in (
        read(runtime, document, "Event").value,
        read(runtime, {"kind": "card", "event": document}).value.event,
    ):
        assert type(value) is runtime.unknowns.UnknownEvent
        assert isinstance(value, runtime.unknowns.UnknownLine)
    assert read(runtime, {"kind": "card", "event": document}).unknown == ("/event/what",)


def test_a_closed_union_refuses_an_unknown_tag_in_both_modes(runtime: Any) -> None:
    for strict in (False, True):
        assert fault(runtime, {"what": "go"}, "Request", strict=strict) == ("unknown_variant", "/what")
        document = {"kind": "ask", "id": "", "request": {"what": "go"}}
        assert fault(runtime, document, strict=strict) == ("unknown_variant", "/request/what")


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("document", "code", "path"),
    [
        *((each, "wrong_type", "") for each in ("[]", None, 1, 1.5, '"note"', True)),
        ({}, "missing_field", "/kind"),
        *(({"kind": each}, "wrong_type", "/kind") for each in (None, 1, True, {"kind": "note"}, ["note"])),
        ({"kind": "event"}, "missing_field", "/what"),
        ({"kind": "event", "what": 7, "cwd": 1}, "wrong_type", "/what"),
        ({"kind": "event", "what": "start"}, "missing_field", "/cwd"),
        ({"kind": "event", "what": "error_a", "n": "1"}, "wrong_type", "/n"),
        ({"kind": "card", "isCopy": None}, "wrong_type", "/isCopy"),
        ({"kind": "card", "isCopy": "yes"}, "wrong_type", "/isCopy"),
        ({"kind": "card", "isCopy": 1}, "wrong_type", "/isCopy"),
        ({"kind": "card", "isCopy": 1.0}, "wrong_type", "/isCopy"),
    ],
)
def test_what_is_malformed_is_not_unknown(runtime: Any, document: Any, code: str, path: str, strict: bool) -> None:
    assert fault(runtime, document, strict=strict) == (code, path)


def test_a_variant_without_the_discriminator_takes_what_no_sibling_claims(runtime: Any) -> None:
    card = {"kind": "card"}
    for type_ in (None, "Card"):
        assert read(runtime, card, type_, strict=True).value == runtime.model.Original()
        assert read(runtime, {**card, "isCopy": False}, type_, strict=True).value == runtime.model.Original(
            is_copy=False
        )
        assert read(runtime, {**card, "isCopy": True}, type_, strict=True).value == runtime.model.Copy()
    for strict in (False, True):
        assert fault(runtime, {**card, "isCopy": True}, "Original", strict=strict) == ("wrong_constant", "/isCopy")
    assert read(runtime, {**card, "isCopy": None}, "Original").unknown == ("/isCopy",)


def test_an_unclaimed_text_is_an_unknown_variant_also_beside_an_absent_one(runtime: Any) -> None:
    assert read(runtime, FIXED, "Fitting", strict=True).variant == "Fixed"
    found = read(runtime, {**FIXED, "type": "new"}, "Fitting")
    assert (found.variant, found.unknown) == ("Unknown", ("/type",))
    assert fault(runtime, {**FIXED, "type": "new"}, "Fitting", strict=True) == ("unknown_variant", "/type")
    for strict in (False, True):
        assert fault(runtime, {**FIXED, "type": None}, "Fitting", strict=strict) == ("wrong_type", "/type")


def test_a_catch_all_takes_unknown_values_of_its_form(runtime: Any) -> None:
    document = {"kind": "event", "what": "error_new", "n": 1, "w": 0}
    found = read(runtime, document)
    assert (found.variant, found.unknown) == ("Failure", ("/w", "/what"))
    assert fault(runtime, document, strict=True) == ("unknown_value", "/what")


def test_the_presence_of_keys_picks_the_variant_whatever_they_hold(runtime: Any) -> None:
    assert read(runtime, {"method": "m", "id": 1}, "Call").variant == "Notify"
    assert read(runtime, {"id": 1, "error": None}, "Call", strict=True).variant == "Reply"
    assert fault(runtime, {"method": None}, "Call") == ("wrong_type", "/method")
    found = read(runtime, {"method": "m", "error": 1}, "Call")
    assert (type(found.value), found.variant, found.unknown) == (runtime.unknowns.UnknownCall, "Unknown", ("",))
    assert fault(runtime, {}, "Call", strict=True) == ("no_variant", "")
    assert fault(runtime, {}, "ClosedCall") == fault(runtime, {}, "ClosedCall", strict=True) == ("no_variant", "")
    assert fault(runtime, [], "Call") == ("wrong_type", "")


# --- flattened fields ------------------------------------------------------------------------------------------


def test_a_flattened_field_takes_all_keys_that_its_owner_does_not_declare(runtime: Any) -> None:
    document = {"x": 1, "last": None, "q": None, "p": "1", "form": "box", "id": "i", "type": "o"}
    found = read(runtime, document, "Outer")
    box = runtime.model.Box(p="1", extra={"x": 1, "q": None})
    assert found.value == runtime.model.Outer(id="i", body=box, extra={"last": None})
    assert found.unknown == ("/last", "/q", "/x")
    assert list(json.loads(runtime.wire.encode(found.value))) == ["type", "id", "form", "p", "x", "q", "last"]


def test_an_unknown_flattened_value_is_that_of_the_field(runtime: Any) -> None:
    document = {"type": "o", "id": "i", "form": "new", "z": 1}
    found = read(runtime, document, "Outer")
    assert (found.variant, found.unknown, type(found.value.body)) == ("Outer", ("/form",), runtime.unknowns.UnknownBody)
    assert found.value.body.raw == {"form": "new", "z": 1}
    assert fault(runtime, document, "Outer", strict=True) == ("unknown_variant", "/form")


@pytest.mark.parametrize(
    ("document", "code", "path"),
    [
        ({"type": "o"}, "missing_field", "/id"),
        ({"type": "o", "id": "i"}, "missing_field", "/form"),
        ({"type": "o", "id": "i", "form": "box"}, "missing_field", "/p"),
        ({"type": "o", "id": "i", "form": "box", "p": "", "z": 1}, "unknown_field", "/z"),
        ({"type": "o", "id": "i", "form": "box", "p": "", "last": 1}, "wrong_type", "/last"),
        ({"type": "o", "id": "i", "form": "box", "p": "", "inner": {"type": "o"}}, "missing_field", "/inner/id"),
    ],
)
def test_faults_of_a_flattened_value_have_the_place_of_its_owner(
    runtime: Any, document: Any, code: str, path: str
) -> None:
    assert fault(runtime, document, "Outer", strict=True) == (code, path)


def test_an_optional_flattened_field_is_absent_when_no_key_is_left(runtime: Any) -> None:
    assert read(runtime, {"id": "i"}, "Loose", strict=True).value == runtime.model.Loose(id="i")
    found = read(runtime, {"id": "i", "last": None}, "Loose")
    assert found.value == runtime.model.Loose(id="i", extra={"last": None})
    assert fault(runtime, {"id": "i", "z": 1}, "Loose") == ("missing_field", "/p")
    assert read(runtime, {}, "Crate", strict=True).value == runtime.model.Crate()
    assert read(runtime, {"a": None}, "Crate", strict=True).value == runtime.model.Crate(body={"a": None})


def test_a_flattened_object_takes_the_rest_untouched(runtime: Any) -> None:
    document = {"id": "i", "body": [1.0], "z": None}
    found = read(runtime, document, "Sack", strict=True)
    assert found.value == runtime.model.Sack(id="i", body={"body": [1.0], "z": None})
    assert read(runtime, {"id": "i"}, "Sack", strict=True).value == runtime.model.Sack(id="i", body={})


# --- whole documents -------------------------------------------------------------------------------------------


def test_unknown_pointers_are_sorted_and_listed_once(runtime: Any) -> None:
    document = {"kind": "note", "text": "", "z": 1, "B": 1, "count": None, "color": "x"}
    assert read(runtime, document).unknown == ("/B", "/color", "/count", "/z")


def test_what_was_noted_before_a_document_was_read_again_is_forgotten(runtime: Any) -> None:
    deep: Any = 1
    for _ in range(100):
        deep = [deep]
    found = read(runtime, {"kind": "note", "text": "", "color": "x", "data": deep, "z": 2**64})
    assert len(found._places) == 2
    assert found.unknown == ("/color", "/z")


def test_a_type_is_asked_for_by_class_by_alias_or_by_name(runtime: Any) -> None:
    model, wire = runtime.model, runtime.wire
    for type_ in (model.Note, model.Line, "Note", "Line", None):
        assert wire.decode(json.dumps(NOTE), type_) == model.Note(text="a")
        assert wire.from_dict(NOTE, type_) == model.Note(text="a")
        assert wire.examine(json.dumps(NOTE), type_).value == model.Note(text="a")
    assert wire.decode("[1]", model.Points) == [1.0]
    assert wire.decode('"red"', model.Color) == wire.decode('"red"', "Color") == "red"
    assert wire.decode(json.dumps(KIT), "kit") == wire.decode(json.dumps(KIT), model.Kit) == model.Kit(id=UUID)


def test_callers_compose_types_of_lists_maps_and_unions(runtime: Any) -> None:
    wire, model = runtime.wire, runtime.model
    lists: Any = list  # for mypy, which takes `list[…]` for a type of its own
    maps: Any = dict
    note, ask = model.Note(text="a"), {"kind": "ask", "id": "", "request": {"what": "look", "at": UUID}}
    for type_, value in (
        (lists[model.Note], [note]),
        (maps[str, model.Note], {"x": note}),
        (model.Note | model.Ask | None, note),
        (model.Note | model.Ask | None, None),
        (lists[model.Note | model.Ask] | str, [note]),
    ):
        line = wire.encode(value, type_)
        assert wire.decode(line, type_) == wire.examine(line, type_).value == value
        assert wire.from_dict(json.loads(line), type_) == value
    with pytest.raises(runtime.base.DecodeError, match="unknown_variant at /0: expected Note or Answer, got Ask"):
        wire.decode(json.dumps([ask]), lists[model.Note | model.Answer])
    with pytest.raises(runtime.base.EncodeError, match="unknown_variant: expected Note or Answer, got Ask"):
        wire.encode(wire.decode(json.dumps(ask), model.Ask), model.Note | model.Answer)


def test_what_is_no_type_of_the_package_is_a_mistake_of_the_caller(runtime: Any) -> None:
    mistakes: tuple[Any, ...] = (
        dict,
        1,
        "Missing",
        list[object],
        runtime.model.Note | runtime.model.Kit,
        runtime.unknowns.UnknownLine,
        runtime.base.Record,
        [],
        {},
    )
    for type_ in mistakes:
        for way in (runtime.wire.decode, runtime.wire.examine, runtime.wire.from_dict):
            with pytest.raises(TypeError, match="is not a type of this package"):
                way(b"{}", type_)


def test_unions_compare_as_what_they_stand_for(runtime: Any) -> None:
    model = runtime.model
    assert runtime.wire.decode('{"what":"forget"}', model.Look | model.Forget) == model.Forget()


# --- values from a program -------------------------------------------------------------------------------------


class _Text(str):
    __slots__ = ()


class _Whole(int):
    pass


class _Double(float):
    pass


class _Dict(dict[Any, Any]):
    pass


class _List(list[Any]):
    pass


@pytest.mark.parametrize(
    ("value", "same_as"),
    [
        ({"kind": _Text("note"), "text": _Text("a")}, NOTE),
        ({_Text("kind"): "note", _Text("text"): "a", _Text("new"): 1}, {**NOTE, "new": 1}),
        (_Dict(NOTE), NOTE),
        (
            {**NOTE, "data": (1, ("x",), _List([_Whole(2)]), {"a": _Double(1.5)})},
            {**NOTE, "data": [1, ["x"], [2], {"a": 1.5}]},
        ),
        ({**NOTE, "count": _Whole(3)}, {**NOTE, "count": 3}),
        ({**NOTE, "new": (_Text("x"),)}, {**NOTE, "new": ["x"]}),
        ({"kind": "new", "x": _Dict(a=())}, {"kind": "new", "x": {"a": []}}),
        ({"kind": _Text("new")}, {"kind": "new"}),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_subclasses_and_tuples_stand_for_json(runtime: Any, value: Any, same_as: Any, strict: bool) -> None:
    outcomes = [outcome(runtime, runtime.wire.from_dict, each, strict=strict) for each in (value, same_as)]
    assert repr(outcomes[0]) == repr(outcomes[1])
    assert outcomes[0] == outcomes[1]


NOT_JSON: list[tuple[str, dict[Any, Any], str, str]] = [
    ("Note", {**NOTE, "count": object()}, "wrong_type", "/count"),
    ("Note", {**NOTE, "data": {"x"}}, "wrong_type", "/data"),
    ("Note", {**NOTE, "data": [b""]}, "wrong_type", "/data/0"),
    ("Note", {**NOTE, "data": math.nan}, "out_of_range", "/data"),
    ("Note", {**NOTE, "data": [1, {"a": -math.inf}]}, "out_of_range", "/data/1/a"),
    ("Note", {**NOTE, "data": {1: 2}}, "wrong_type", "/data"),
    ("Note", {**NOTE, "data": {("a",): 2}}, "wrong_type", "/data"),
    ("Note", {**NOTE, "data": {None: 2}}, "wrong_type", "/data"),
    ("Note", {**NOTE, 1: 2}, "wrong_type", ""),
    ("Note", {**NOTE, "new": object()}, "wrong_type", "/new"),
    ("Line", {"kind": "new", 1: 2}, "wrong_type", ""),
    ("Line", {"kind": "new", "x": math.nan}, "out_of_range", "/x"),
    ("Bag", {1: 2}, "wrong_type", ""),
    ("Bag", {"a": "", b"b": 2}, "wrong_type", ""),
    ("Kit", {**KIT, "ratio": math.nan}, "out_of_range", "/ratio"),
    ("Kit", {**KIT, "ratio": 10**400}, "out_of_range", "/ratio"),
    ("Kit", {**KIT, "ratio": True}, "wrong_type", "/ratio"),
    ("Kit", {**KIT, "many": {"x"}}, "wrong_type", "/many"),
    ("Kit", {**KIT, "byName": {1: {"p": ""}}}, "wrong_type", "/byName"),
    ("Kit", {**KIT, "sizes": {1: 1}}, "wrong_type", "/sizes"),
    ("Kit", {**KIT, "levels": {1: 1}}, "wrong_type", "/levels"),
    ("Kit", {**KIT, "obj": {1: 1}}, "wrong_type", "/obj"),
    ("Loose", {"id": "", "p": "", 1: 2}, "wrong_type", ""),
    ("Sack", {"id": "", 1: 2}, "wrong_type", ""),
    ("Call", {1: 2}, "wrong_type", ""),
    ("Nest", {1: ""}, "wrong_type", ""),
    ("Tree", {"kids": [{1: 2}]}, "wrong_type", "/kids/0"),
]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("type_", "value", "code", "path"), NOT_JSON)
def test_what_is_not_json_in_a_program_is_a_fault(
    runtime: Any, type_: str, value: Any, code: str, path: str, strict: bool
) -> None:
    if strict and type_ in {"Line", "Call"}:
        return  # strict mode reports that they are unknown before anything else
    with pytest.raises(runtime.base.DecodeError) as caught:
        runtime.wire.from_dict(value, type_, strict=strict)
    found = (caught.value.code, caught.value.path)
    assert found == (code, path) or (strict and found == ("unknown_field", "/new"))


def test_what_is_kept_untouched_is_shared_with_the_program(runtime: Any) -> None:
    data: list[Any] = [1]
    note = runtime.wire.from_dict({**NOTE, "data": data})
    assert note.data is data


def test_a_value_of_a_program_that_contains_itself_is_too_deep(runtime: Any) -> None:
    loop: list[Any] = []
    loop.append(loop)
    tree: dict[str, Any] = {}
    tree["left"] = tree
    for value, type_ in (
        (loop, "Nest"),
        (tree, "Tree"),
        ({**NOTE, "data": loop}, None),
        ({"kind": "x", "a": tree}, None),
    ):
        with pytest.raises(runtime.base.DecodeError) as caught:
            runtime.wire.from_dict(value, type_)
        assert (caught.value.code, caught.value.path) == ("too_deep", "")
