"""The rules of values, one by one: the decoded value of a JSON value under a plan, and every fault in it."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from notation import rule, table
from polywire.ground.engine import FLATTEN as FLAT
from polywire.ground.engine import NULLABLE as NULL
from polywire.ground.engine import REQUIRED as REQ
from polywire.ground.json_values import equal
from polywire.oracle.reference import Decoded, Fault, Outcomes, Rules
from polywire.oracle.reference.text import read

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    """Decoding in the block raises one fault."""
    with pytest.raises(Fault) as caught:
        yield
    assert (caught.value.code, caught.value.path) == (code, path)
    assert caught.value.message


def outcomes(plan: dict[str, Any], root: Any, text: str, *, strict: bool = False) -> Outcomes:
    return Rules(table(plan)).outcomes(rule(root), read(text), strict=strict)


def faults(plan: dict[str, Any], root: Any, text: str, *, strict: bool = False) -> list[tuple[str, str]]:
    """Return the code and path of every fault in a text that must be rejected."""
    found = outcomes(plan, root, text, strict=strict)
    assert found.accepted == ()
    assert all(each.message for each in found.faults)
    return [(each.code, each.path) for each in found.faults]


def only(found: Outcomes) -> Decoded:
    """Return the only correct result; raise it if it is a fault."""
    assert len(found.accepted) + len(found.faults) == 1
    return found.first()


def lenient(plan: dict[str, Any], root: Any, text: str) -> Decoded:
    return only(outcomes(plan, root, text))


def strict(plan: dict[str, Any], root: Any, text: str) -> Decoded:
    return only(outcomes(plan, root, text, strict=True))


def parse(text: str) -> Any:
    return read(text).value


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
    several = faults({}, "json", '{"z":1e400,"a":[1,{"b":-1e400}]}')
    assert several == [("out_of_range", "/a/1/b"), ("out_of_range", "/z")]
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
def test_an_unknown_value_has_precedence_over_a_bad_number(text: str) -> None:
    with fault("unknown_value"):
        lenient(ENUMS, "ClosedInt", text)
    with fault("unknown_value"):
        strict(ENUMS, "OpenInt", text)
    with fault("out_of_range"):
        lenient(ENUMS, "OpenInt", text)


def test_bounds_of_an_array_are_a_fault_in_strict_mode_beside_what_is_inside() -> None:
    pair = ("[]", "integer", 1, 2)
    assert strict({}, pair, "[1,2]").unknown == []
    for text in ("[]", "[1,2,3]"):
        assert lenient({}, pair, text).unknown == [""]
        with fault("out_of_bounds"):
            strict({}, pair, text)
    assert faults({}, pair, '[1,2,"x"]', strict=True) == [("out_of_bounds", ""), ("wrong_type", "/2")]
    with fault("wrong_type", "/2"):
        lenient({}, pair, '[1,2,"x"]')
    assert strict({}, ("[]", "integer", 2, None), "[1,2,3]").unknown == []
    with fault("out_of_bounds"):
        strict({}, ("[]", "integer", 2, None), "[1]")


def test_a_literal_is_exactly_one_value_and_numbers_compare_as_doubles() -> None:
    assert lenient({}, ("=", "all"), '"all"').value == "all"
    assert lenient({}, ("=", 1), "1.0").value == 1
    for literal, text in (("all", '"All"'), (1, "2"), (1.5, "1"), (True, "false")):
        with fault("wrong_constant"):
            lenient({}, ("=", literal), text)
    for literal, text in (("1", "1"), (1, "true"), (True, "1"), (0, "null"), ("a", "[]")):
        with fault("wrong_type"):
            lenient({}, ("=", literal), text)


def test_a_tuple_of_another_length_is_out_of_bounds_in_both_modes() -> None:
    pair = ("()", ("integer", ("|", {"string": "string", "null": "null"})))
    assert lenient({}, pair, "[1.0,null]").value == [1, None]
    for text in ("[]", "[1]", '[1,"",2]'):
        for read_it in (lenient, strict):
            with fault("out_of_bounds"):
                read_it({}, pair, text)
    assert faults({}, pair, '["x",1]') == [("wrong_type", "/0"), ("wrong_type", "/1")]
    with fault("wrong_type"):
        lenient({}, pair, "{}")


@pytest.mark.parametrize(
    ("bounded", "inside", "outside"),
    [
        (("<", "integer", -1, 2), ["-1", "2", "1.0"], ["-2", "3"]),
        (("<", "number", None, 0.5), ["0.5", "-1e300"], ["0.50000001", "1"]),
        (("<", "string", 1, 2), ['"a"', '"\\ud83d\\ude00b"'], ['""', '"abc"']),
    ],
)
def test_bounds_of_a_scalar_are_a_fault_in_strict_mode(bounded: Any, inside: list[str], outside: list[str]) -> None:
    for text in inside:
        assert strict({}, bounded, text).unknown == []
    for text in outside:
        assert lenient({}, bounded, text).unknown == [""]
        with fault("out_of_bounds"):
            strict({}, bounded, text)


def test_what_is_no_such_scalar_is_never_judged_by_its_bounds() -> None:
    for bounded, text, code in (
        (("<", "integer", 0, 1), "2.5", "out_of_range"),
        (("<", "string", 1, 1), "2", "wrong_type"),
    ):
        assert faults({}, bounded, text, strict=True) == [(code, "")]


def test_every_wrong_item_and_entry_is_a_fault() -> None:
    assert faults({}, ("[]", "string", None, None), '["a",1,2]') == [("wrong_type", "/1"), ("wrong_type", "/2")]
    entries = faults({}, ("{}", "string", None), '{"a":1,"B":1,"ok":"","\U0001f600":1}')
    assert entries == [("wrong_type", "/B"), ("wrong_type", "/a"), ("wrong_type", "/\U0001f600")]


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


def test_precedence_decides_between_a_bad_entry_and_its_bad_key() -> None:
    with fault("wrong_type", "/new"):
        lenient(ENUMS, ("{}", "integer", "Closed"), '{"new":"x"}')
    arrays = ("{}", ("[]", "integer", None, None), "Closed")
    assert faults(ENUMS, arrays, '{"new":["x"]}') == [("unknown_value", "/new"), ("wrong_type", "/new/0")]
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
            decode(PRESENCE, "P", '{"b":null}')
        with fault("missing_field", "/b"):
            decode(PRESENCE, "P", '{"a":""}')
        with fault("wrong_type", "/a"):
            decode(PRESENCE, "P", '{"a":null,"b":null}')


def test_null_where_a_field_may_only_be_absent_is_repaired_and_kept() -> None:
    text = '{"z":1,"c":null,"a":"1","b":"2"}'
    found = lenient(PRESENCE, "P", text)
    assert found.value == {"a": "1", "b": "2", "z": 1, "c": None}
    (step,) = found.steps
    assert (list(step.members.items()), list(step.extra.items())) == ([("a", "1"), ("b", "2")], [("z", 1), ("c", None)])
    assert found.unknown == ["/c", "/z"]
    assert faults(PRESENCE, "P", text, strict=True) == [("wrong_type", "/c"), ("unknown_field", "/z")]


def test_json_members_have_three_states() -> None:
    assert strict(PRESENCE, "J", '{"x":null,"y":null}').value == {"x": None, "y": None}
    assert strict(PRESENCE, "J", '{"y":[]}').value == {"y": []}
    with fault("missing_field", "/y"):
        lenient(PRESENCE, "J", "{}")


def test_output_has_declared_members_in_declared_order_then_the_rest_as_it_came() -> None:
    plan = {"T": struct(("b", "string", 0), ("a", "string", 0), tags=(tag("type", "t"),), consts=(("role", "r"),))}
    text = '{"z":1,"a":"","role":"r","y":2,"b":"","type":"t"}'
    assert list(lenient(plan, "T", text).value) == ["type", "role", "b", "a", "z", "y"]


def test_every_member_may_have_a_fault_and_declared_order_is_theirs() -> None:
    plan = {
        "T": struct(("b", "string", REQ), ("a", "N", REQ), tags=(tag("type", "t"),), consts=(("role", "r"),)),
        "N": struct(("x", "string", REQ)),
    }
    assert faults(plan, "T", '{"zz":0,"Z":0,"a":{"x":1,"w":0},"b":1,"role":1,"type":1}', strict=True) == [
        ("wrong_type", "/type"),
        ("wrong_type", "/role"),
        ("wrong_type", "/b"),
        ("wrong_type", "/a/x"),
        ("unknown_field", "/a/w"),
        ("unknown_field", "/Z"),
        ("unknown_field", "/zz"),
    ]
    assert faults(plan, "T", '{"a":{},"zz":0}') == [
        ("missing_field", "/type"),
        ("missing_field", "/role"),
        ("missing_field", "/b"),
        ("missing_field", "/a/x"),
    ]
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
    assert faults(plan, "T", '{"x":[1e400]}', strict=True) == [("unknown_field", "/x"), ("out_of_range", "/x/0")]


def test_declared_extra_content_is_checked_but_for_nulls_of_a_repair() -> None:
    plan = {"T": struct(("a", "string", 0), extra="integer")}
    assert strict(plan, "T", '{"z":1.0,"b":2}').value == {"z": 1, "b": 2}
    found = lenient(plan, "T", '{"z":1,"a":null}')
    assert (found.value, found.unknown) == ({"z": 1, "a": None}, ["/a"])
    with fault("wrong_type", "/a"):
        strict(plan, "T", '{"z":1,"a":null}')
    assert faults(plan, "T", '{"b":"","B":null}') == [("wrong_type", "/B"), ("wrong_type", "/b")]


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
USER = ("switch", "User", "isReplay", {True: "Replay"}, (), "Plain")
UNIONS = {
    "Sub": ("enum", "string", True, ("error_a",)),
    "Init": struct(("cwd", "string", REQ), tags=(tag("type", "system"), tag("subtype", "init"))),
    "Catch": struct(("n", "integer", REQ), tags=(tag("type", "system"), ("subtype", False, None, "Sub", "error_*"))),
    "Plain": struct(
        ("isReplay", "boolean", 0, (True,)), ("text", "string", 0), ("inner", "Wire", 0), tags=(tag("type", "user"),)
    ),
    "Replay": struct(tags=(tag("type", "user"), tag("isReplay", constant=True))),
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
    found = lenient(UNIONS, "Wire", text)
    assert (found.value, found.variant, found.unknown) == (parse(text), "Unknown", [path])
    assert found.trail[-1] == ("", "UnknownWire")
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
        ('{"type":"user","isReplay":null}', "wrong_type", "/isReplay"),
        ('{"type":"user","isReplay":"yes"}', "wrong_type", "/isReplay"),
    ],
)
def test_unknown_is_not_malformed(decode: Any, text: str, code: str, path: str) -> None:
    with fault(code, path):
        decode(UNIONS, "Wire", text)


def test_a_variant_without_the_discriminator_takes_what_no_sibling_claims() -> None:
    assert strict(UNIONS, "User", '{"type":"user"}').variant == "Plain"
    assert strict(UNIONS, "User", '{"type":"user","isReplay":false}').value == {"type": "user", "isReplay": False}
    assert strict(UNIONS, "User", '{"type":"user","isReplay":true}').variant == "Replay"
    for decode in (lenient, strict):
        with fault("wrong_constant", "/isReplay"):
            decode(UNIONS, "Plain", '{"type":"user","isReplay":true}')
    assert lenient(UNIONS, "Plain", '{"type":"user","isReplay":null}').unknown == ["/isReplay"]


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


def test_a_tag_of_a_union_is_judged_before_its_body_and_other_tags_with_it() -> None:
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
    text = '{"x":1,"last":null,"q":null,"p":"1","kind":"a","id":"i","type":"o"}'
    plan = flat_plan("Body", REQ)
    found = lenient(plan, "Wire", text)
    assert (found.variant, found.unknown) == ("Outer", ["/last", "/q", "/x"])
    assert found.value == parse(text)
    assert list(found.value) == ["type", "id", "kind", "p", "x", "q", "last"]
    assert [(step.name, dict(step.extra)) for step in found.steps if step.members] == [
        ("Outer", {"last": None}),
        ("A", {"x": 1, "q": None}),
    ]


def test_an_unknown_flattened_value_is_the_fields_and_not_the_lines() -> None:
    found = lenient(flat_plan("Body", REQ), "Wire", '{"type":"o","id":"i","kind":"new","z":1}')
    assert (found.variant, found.unknown) == ("Outer", ["/kind"])
    assert found.trail == [("", "Wire"), ("", "Outer"), ("", "Body"), ("", "UnknownBody")]
    with fault("unknown_variant", "/kind"):
        strict(flat_plan("Body", REQ), "Wire", '{"type":"o","id":"i","kind":"new","z":1}')


def test_faults_of_a_flattened_value_are_at_the_places_of_its_members() -> None:
    plan = flat_plan("Body", REQ)
    assert faults(plan, "Outer", '{"type":"o"}', strict=True) == [("missing_field", "/id"), ("missing_field", "/kind")]
    assert faults(plan, "Outer", '{"type":"o","id":"i","last":1,"kind":"a","p":"","z":1}', strict=True) == [
        ("unknown_field", "/z"),
        ("wrong_type", "/last"),
    ]
    tagless = faults(plan, "Outer", '{"type":"o","id":"i","last":1,"p":7}', strict=True)
    assert tagless == [("missing_field", "/kind"), ("wrong_type", "/last")]


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


# --- whole documents -------------------------------------------------------------------------------------------


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


# --- duplicates ------------------------------------------------------------------------------------------------


def choices(plan: dict[str, Any], root: Any, text: str, *, strict: bool = False) -> tuple[list[Any], list[str]]:
    """Return the values that may be accepted, and the faults that may be reported."""
    found = outcomes(plan, root, text, strict=strict)
    return [each.value for each in found.accepted], [f"{each.code} {each.path}" for each in found.faults]


def test_whether_an_overwritten_value_is_checked_is_free() -> None:
    plan = {"T": struct(("a", "integer", REQ), ("b", "string", 0))}
    assert choices(plan, "T", '{"a":"x","a":1}') == ([{"a": 1}], ["wrong_type /a"])
    assert choices(plan, "T", '{"a":1,"a":"x"}') == ([], ["wrong_type /a"])
    assert choices(plan, "T", '{"a":1,"a":2}') == ([{"a": 2}], [])
    assert choices(plan, "T", '{"a":{},"a":1.5,"a":2}') == ([{"a": 2}], ["wrong_type /a", "out_of_range /a"])
    assert choices(plan, "T", '{"a":"x","a":1,"b":2}') == ([], ["wrong_type /b", "wrong_type /a"])


def test_the_parser_s_faults_of_overwritten_values_are_free_too() -> None:
    plan = {"T": struct(("a", "json", REQ))}
    deep = "[" * 128 + "]" * 128
    assert choices(plan, "T", f'{{"a":{deep},"a":1}}') == ([{"a": 1}], ["too_deep "])
    assert choices(plan, "T", f'{{"a":{"9" * 4301},"a":1}}') == ([{"a": 1}], ["out_of_range "])
    assert choices(plan, "T", f'{{"a":1,"a":{deep}}}') == ([], ["too_deep "])
    assert choices(plan, "T", f'{{"a":{deep},"a":{"9" * 4301}}}') == ([], ["out_of_range ", "too_deep "])


def test_an_overwritten_value_leaves_no_trace_in_what_is_accepted() -> None:
    plan = {"T": struct(("a", "uuid", 0)), **ENUMS}
    (found,) = outcomes(plan, "T", '{"a":null,"x":1,"a":"0f4c2b1a-0000-4000-8000-00000000000f"}').accepted
    assert (found.unknown, list(found.value)) == (["/x"], ["a", "x"])
    (found,) = outcomes(plan, ("{}", "Open", None), '{"k":"new","k":"a"}').accepted
    assert found.unknown == []


def test_duplicates_are_looked_for_in_maps_unions_flattened_parts_and_untouched_json() -> None:
    assert choices({}, ("{}", "string", None), '{"k":1,"k":""}') == ([{"k": ""}], ["wrong_type /k"])
    assert choices({}, "json", '[{"k":1e400,"k":1}]') == ([[{"k": 1}]], ["out_of_range /0/k"])
    assert choices(UNIONS, "Wire", '{"type":7,"type":"user"}') == ([{"type": "user"}], ["wrong_type /type"])
    assert choices(UNIONS, "Narrow", '{"type":"system","subtype":"x","subtype":"init","cwd":""}')[1] == [
        "wrong_constant /subtype"
    ]
    plan = flat_plan("Body", REQ)
    values, several = choices(plan, "Outer", '{"type":"o","id":"i","kind":"a","p":1,"p":""}')
    assert (len(values), several) == (1, ["wrong_type /p"])


def test_an_overwritten_value_may_keep_an_object_from_being_a_catch_all() -> None:
    text = '{"type":"system","subtype":"error_new","n":"x","n":1}'
    found = outcomes(UNIONS, "Wire", text)
    assert [each.variant for each in found.accepted] == ["Catch", "Unknown"]
    assert found.faults == ()


# --- tags of all kinds -----------------------------------------------------------------------------------------

TAGGED: dict[str, Any] = {
    "One": struct(tags=(("n", False, 1),)),
    "Few": struct(tags=(("n", False, None, (2, -3), None),)),
    "Code": ("enum", "integer", True, (200, 410)),
    "Coded": struct(tags=(("n", False, None, "Code", "*"),)),
    "By": ("union", True, "UnknownBy", ("switch", "By", "n", {1: "One", 2: "Few", -3: "Few"}, (), None)),
    "Caught": (
        "union", False, "X", ("switch", "Caught", "n", {1: "One", 200: "Coded", 410: "Coded"}, (("*", "Coded"),), None),
    ),
    "Any": struct(("data", "integer", REQ), tags=(("p", False, None, (), None, "_"),)),
    "Longer": struct(tags=(("p", False, None, (), None, "_x"),)),
    "Listed": struct(tags=(("p", False, "_xy"),)),
    "Begun": (
        "union", True, "UnknownBegun",
        ("switch", "Begun", "p", {"_xy": "Listed"}, (), None, (("_x", "Longer"), ("_", "Any"))),
    ),
    "Bare": struct(("p", "string", 0, ("plain",), ("_",))),
}  # fmt: skip


def test_an_integer_tag_is_compared_as_a_number() -> None:
    for text in ('{"n":1}', '{"n":1.0}', '{"n":10e-1}'):
        assert lenient(TAGGED, "By", text).variant == "One"
        assert strict(TAGGED, "One", text).value == {"n": 1}
    assert lenient(TAGGED, "By", '{"n":-3}').variant == "Few"
    with fault("wrong_constant", "/n"):
        lenient(TAGGED, "One", '{"n":2}')
    with fault("unknown_value", "/n"):
        lenient(TAGGED, "Few", '{"n":1}')


@pytest.mark.parametrize("number", ["1.5", "9007199254740992", "1e400"])
@pytest.mark.parametrize("root", ["One", "Few", "Coded", "By", "Caught"])
def test_a_tag_that_is_no_integer_is_out_of_range_whatever_is_open(root: str, number: str) -> None:
    for read_it in (lenient, strict):
        with fault("out_of_range", "/n"):
            read_it(TAGGED, root, f'{{"n":{number}}}')
        with fault("wrong_type", "/n"):
            read_it(TAGGED, root, '{"n":true}')


def test_an_integer_without_a_variant_is_unknown_or_caught() -> None:
    found = lenient(TAGGED, "By", '{"n":7,"x":1}')
    assert (found.variant, found.unknown, found.value) == ("Unknown", ["/n"], {"n": 7, "x": 1})
    found = lenient(TAGGED, "Caught", '{"n":7.0}')
    assert (found.variant, found.unknown) == ("Coded", ["/n"])
    with fault("unknown_value", "/n"):
        strict(TAGGED, "Caught", '{"n":7}')


def test_a_listed_text_wins_over_prefixes_and_the_longer_prefix_over_the_shorter() -> None:
    for text, variant in (("_xy", "Listed"), ("_xyz", "Longer"), ("_x", "Longer")):
        assert strict(TAGGED, "Begun", f'{{"p":"{text}"}}').variant == variant
    assert strict(TAGGED, "Begun", '{"p":"_","data":1}').unknown == []
    assert lenient(TAGGED, "Begun", '{"p":"x_"}').variant == "Unknown"
    with fault("missing_field", "/data"):
        lenient(TAGGED, "Begun", '{"p":"_new"}')
    with fault("unknown_value", "/p"):
        lenient(TAGGED, "Any", '{"p":"new","data":1}')


def test_a_text_with_a_siblings_prefix_is_claimed() -> None:
    assert lenient(TAGGED, "Bare", '{"p":"other"}').value == {"p": "other"}
    for text in ("plain", "_", "_any"):
        with fault("wrong_constant", "/p"):
            lenient(TAGGED, "Bare", f'{{"p":"{text}"}}')


# --- repairs ---------------------------------------------------------------------------------------------------

NUMBERS = ("[]", "integer", None, 2)
MENDED: dict[str, Any] = {
    "Mended": struct(
        ("a", "integer", 0, (), (), ("absent", None)),
        ("v", "integer", REQ, (), (), ("value", 7)),
        ("s", NUMBERS, REQ, (), (), ("skip", None)),
        ("b", NUMBERS, 0, (), (), ("skip absent", None)),
        ("i", "Inner", 0, (), (), ("absent", None)),
        extra="string",
    ),
    "Inner": struct(("x", "integer", REQ), ("y", "integer", 0, (), (), ("absent", None))),
}


def mended(**members: str) -> str:
    given = {"v": "1", "s": "[]"} | members
    return "{" + ",".join(f'"{key}":{text}' for key, text in given.items()) + "}"


@pytest.mark.parametrize(
    ("members", "value", "unknown"),
    [
        ({"a": '"x"'}, {"v": 1, "s": [], "a": "x"}, ["/a"]),
        ({"a": "null"}, {"v": 1, "s": [], "a": None}, ["/a"]),
        ({"v": "[1.5]"}, {"v": 7, "s": []}, ["/v"]),
        ({"s": '[1,"x",2,null,3]'}, {"v": 1, "s": [1, 2, 3]}, ["/s", "/s/1", "/s/3"]),
        ({"b": '["x"]'}, {"v": 1, "s": [], "b": []}, ["/b/0"]),
        ({"b": "{}"}, {"v": 1, "s": [], "b": {}}, ["/b"]),
        ({"i": '{"x":1,"y":"z"}'}, {"v": 1, "s": [], "i": {"x": 1, "y": "z"}}, ["/i/y"]),
        ({"i": '{"x":"1","y":"z","new":1}'}, {"v": 1, "s": [], "i": {"x": "1", "y": "z", "new": 1}}, ["/i"]),
        ({"v": "9007199254740993"}, {"v": 7, "s": []}, ["/v"]),
    ],
)
def test_the_innermost_place_repairs_what_does_not_fit(members: dict[str, str], value: Any, unknown: list[str]) -> None:
    found = lenient(MENDED, "Mended", mended(**members))
    assert (found.value, found.unknown) == (value, unknown)
    assert outcomes(MENDED, "Mended", mended(**members), strict=True).accepted == ()


def test_strict_mode_gives_the_fault_itself() -> None:
    for members, code, path in (({"a": '"x"'}, "wrong_type", "/a"), ({"s": '[1,"x"]'}, "wrong_type", "/s/1")):
        assert faults(MENDED, "Mended", mended(**members), strict=True) == [(code, path)]


def test_what_cannot_be_kept_or_is_not_there_is_not_repaired() -> None:
    assert faults(MENDED, "Mended", mended(v="1e400")) == [("out_of_range", "/v")]
    assert faults(MENDED, "Mended", mended(v='"x"', a="[1e400]")) == [("wrong_type", "/a"), ("out_of_range", "/a/0")]
    assert faults(MENDED, "Mended", '{"s":[]}') == [("missing_field", "/v")]
    assert faults(MENDED, "Mended", mended(s="{}")) == [("wrong_type", "/s")]
    assert faults(MENDED, "Mended", mended(s="[1e400]")) == [("out_of_range", "/s/0")]


def test_where_an_overwritten_value_does_not_fit_both_readings_are_right() -> None:
    found = outcomes(MENDED, "Mended", '{"v":1,"s":[],"i":{"x":"1","x":1}}')
    assert [each.unknown for each in found.accepted] == [[], ["/i"]]
    assert found.faults == ()


@pytest.mark.parametrize(("member", "place"), [("v", "/v"), ("a", "/a"), ("s", "/s/0")])
def test_what_overwrites_a_number_out_of_range_may_be_repaired_or_not(member: str, place: str) -> None:
    bad = '{"x":1e400,"x":0}'
    found = outcomes(MENDED, "Mended", mended(**{member: f"[{bad}]" if member == "s" else bad}))
    assert [each.unknown for each in found.accepted] == [[place]]
    assert [(each.code, each.path) for each in found.faults] == [("wrong_type", place), ("out_of_range", f"{place}/x")]
