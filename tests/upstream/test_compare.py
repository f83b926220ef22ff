"""Every rule of the comparison, with the place at which it is reported."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, seed
from hypothesis import strategies as st

from polywire_upstream.compare import RULES, Comparison, Difference
from sampling import SEED
from upstream.compact import types

UP = {"fields": {"a": "string"}}


def found(up: dict[str, Any], spec: dict[str, Any], **pairs: str) -> list[Difference]:
    scalars = {"uuids#Id": "uuid", "other#Message": "#Message"}
    return Comparison(up, spec, scalars).run((pairs or {"T": "T"}).items(), [name for name in spec if name != "Loose"])


def short(up: Any, spec: Any) -> list[tuple[str, str]]:
    return [(each.rule, each.place) for each in found({"T": up}, {"T": spec})]


def field(up: Any, spec: Any) -> list[tuple[str, str]]:
    return short({"fields": {"a": up}}, {"fields": {"a": spec}})


CASES: list[tuple[str, Any, Any]] = [
    ("null", {"any of": ["string", "null"]}, "string"),
    ("null", "string", {"any of": ["string", "null"]}),
    ("integer", "number", "integer"),
    ("format", "string", "timestamp"),
    ("values", "string", {"enum": ["x"]}),
    ("wider", {"enum": ["x", "y"]}, "string"),
    ("wider", "module:uuids#Id", "string"),
    ("wider", {"fields": {"b": "string"}}, "object"),
    ("wider", {"fields": {"b": "string"}}, "any"),
    ("wider", {"map": "string"}, "object"),
    ("wider", {"is": True}, "boolean"),
    ("narrower", "any", "object"),
    ("narrower", "object", {"fields": {"b": "string"}}),
    ("narrower", "boolean", {"is": False}),
    ("missing-type", {"any of": ["string", ["string"]]}, "string"),
    ("missing-type", {"any of": ["number", "string"]}, "string"),
    ("missing-type", {"any of": ["boolean", "string"]}, "string"),
    ("missing-type", {"any of": [{"map": "string"}, "string"]}, "string"),
    ("extra-type", "string", {"any of": ["string", ["string"]]}),
    ("extra-type", "number", {"any of": ["number", "string"]}),
    ("opaque", "function", "object"),
    ("opaque", "missing:Ghost", "string"),
]


@pytest.mark.parametrize(("rule", "up", "spec"), CASES)
def test_types_that_differ_are_told_at_the_member(rule: str, up: Any, spec: Any) -> None:
    assert (rule, "T/a") in field(up, spec)


SAME: list[tuple[Any, Any]] = [
    ("string", "string"),
    ("module:uuids#Id", "uuid"),
    ({"map": "any"}, "object"),
    ({"any of": ["string", "undefined"]}, "string"),
    ("function", "function"),
    ("live:AbortSignal", "function"),
    (["live:Server"], "function"),
    ({"any of": [{"is": "x"}, {"is": "y"}]}, {"enum": ["y", "x"]}),
    ({"any of": ["string", {"is": "x"}]}, "string"),
    ({"any of": [["string"], ["number"]]}, [{"any of": ["number", "string"]}]),
    ({"tuple": ["string", "string"]}, ["string"]),
    ({"map": {"any of": ["any", "undefined"]}}, "object"),
    ("object", {"fields": {}}),
    ({"fields": {"b": "string"}, "bases": ["object"]}, {"fields": {"b": "string"}}),
    ({"fields": {}, "bases": ["object"]}, "object"),
]


@pytest.mark.parametrize(("up", "spec"), SAME)
def test_types_that_are_the_same_on_the_wire_do_not_differ(up: Any, spec: Any) -> None:
    assert [each for each in field(up, spec) if each[0] != "presence"] == []


def test_a_member_that_may_be_undefined_is_optional() -> None:
    assert short({"fields": {"a": {"any of": ["string", "undefined"]}}}, {"fields": {"a?": "string"}}) == []


def test_members_of_one_side_only_are_told_with_their_presence_and_type() -> None:
    rows = found({"T": {"fields": {"a": "string", "b?": "number"}}}, {"T": {"fields": {"a": "string", "c": "uuid"}}})
    assert [(each.rule, each.place, each.upstream, each.spec) for each in rows] == [
        ("missing-field", "T/b", "optional number", "nothing"),
        ("extra-field", "T/c", "nothing", "required uuid"),
    ]
    assert rows[0].type == '"number"'
    assert (rows[0].owner, rows[0].member) == ("T", "b")


def test_presence_is_told_in_both_directions() -> None:
    rows = found({"T": {"fields": {"a": "string", "b?": "string"}}}, {"T": {"fields": {"a?": "string", "b": "string"}}})
    assert [(each.place, each.upstream, each.spec) for each in rows] == [
        ("T/a", "required", "optional"),
        ("T/b", "optional", "required"),
    ]


def test_values_are_told_one_by_one_and_an_open_list_is_told_as_open() -> None:
    rows = found({"T": {"enum": ["x", "y"]}}, {"T": {"enum": ["y", "z"], "open": True}})
    assert [(each.rule, each.place) for each in rows] == [
        ("open", "T"),
        ("missing-value", "T/=x"),
        ("extra-value", "T/=z"),
    ]


def test_objects_of_unions_are_paired_by_their_constants_whatever_they_are_called() -> None:
    up = {"T": {"any of": ["#A", "#B"]}, "A": _tagged("a", one="string"), "B": _tagged("b", two="string")}
    spec = {"T": {"any of": ["#X", "#Y"]}, "X": _tagged("b", two="number"), "Y": _tagged("c")}
    rows = [(each.rule, each.place) for each in found(up, spec)]
    assert rows == [
        ("extra-type", "B/two"),
        ("missing-type", "B/two"),
        ("missing-variant", "T/A"),
        ("extra-variant", "T/Y"),
    ]


def test_several_objects_of_upstream_may_be_one_of_the_spec() -> None:
    up = {"T": {"any of": [_tagged("a", x="string"), _tagged("a", x="string", y="number"), _tagged("b")]}}
    spec = {"T": {"any of": [_tagged("a", **{"x": "string", "y?": "number"}), _tagged("b")]}}
    assert found(up, spec) == []


def test_one_object_of_upstream_may_be_several_of_the_spec() -> None:
    up = {"T": {"any of": [{"fields": {"type": {"enum": ["a", "b"]}, "x": "string"}}, _tagged("c")]}}
    spec = {"T": {"any of": [_tagged("a", x="string"), _tagged("b", x="string"), _tagged("c")]}}
    assert found(up, spec) == []


@pytest.mark.parametrize("items", [1, 4])
def test_a_list_of_a_few_items_that_are_the_same_has_no_variants(items: int) -> None:
    item = {"fields": {"a": "string", "b": {"any of": [{"tuple": [UP] * number} for number in range(2, 5)]}}}
    lists = {"any of": [{"tuple": [item] * number} for number in range(1, items + 1)]}
    assert field(lists, lists) == []


def test_bases_and_intersections_are_one_object() -> None:
    base = {"fields": {"id": "string", "a?": "string"}}
    up = {"T": {"fields": {"a": "string"}, "bases": ["#Base"]}, "Base": base, "U": {"all of": ["#Base", UP]}}
    spec = {"T": {"fields": {"id": "string", "a": "string"}}, "U": {"fields": {"id": "string", "a": "string"}}}
    assert found(up, spec, T="T", U="U") == []


def test_an_intersection_with_what_is_no_object_is_told_as_it_is_written() -> None:
    inner = {"all of": [UP, {"enum": ["x", "y"]}]}
    rows = found({"T": {"fields": {"b": {"all of": [inner, UP]}}}}, {"T": {"fields": {"b": "object"}}})
    assert [(each.rule, each.upstream) for each in rows] == [("opaque", '{a: string} & "x" | "y" & {a: string}')]


JSON = ["string", "number", "boolean", "null"]
SPELT: list[dict[str, Any]] = [
    {"Value": {"any of": [*JSON, ["#Value"], {"map": {"any of": ["#Value", "undefined"]}}]}},
    {
        "Value": {"any of": ["#Plain", "#Object", "#List"]},
        "Plain": {"any of": JSON},
        "Object": {"map": "#Value"},
        "List": ["#Value"],
    },
]


@pytest.mark.parametrize("declared", SPELT)
def test_json_spelt_out_is_any_value(declared: dict[str, Any]) -> None:
    up = {**declared, "T": {"fields": {"a": "#Value", "b": {"map": "#Value"}, "c": ["#Value"]}}}
    assert found(up, {"T": {"fields": {"a": "any", "b": "object", "c": ["any"]}}}) == []
    assert [each.rule for each in found(up, {"T": {"fields": {"a": "string", "b": "object", "c": ["any"]}}})] == [
        "narrower"
    ]


NAMES = ["A", "B", "C"]
TABLES = st.fixed_dictionaries({name: types(NAMES) for name in NAMES})


@given(TABLES)
@seed(SEED)
def test_declarations_differ_in_nothing_from_themselves(table: dict[str, Any]) -> None:
    assert Comparison(table, table, {}).run([(name, name) for name in table]) == []


@given(TABLES, TABLES)
@seed(SEED)
def test_any_declarations_can_be_compared(up: dict[str, Any], spec: dict[str, Any]) -> None:
    for each in Comparison(up, spec, {}).run([(name, name) for name in up]):
        assert each.rule in RULES


def test_a_declaration_is_compared_once_however_often_it_is_used() -> None:
    up = {"T": {"fields": {"a": "#P", "b": ["#P"]}}, "P": {"fields": {"x": "number"}}}
    spec = {"T": {"fields": {"a": "#Q", "b": ["#Q"]}}, "Q": {"fields": {"x": "integer"}}}
    assert [(each.rule, each.place) for each in found(up, spec)] == [("integer", "P/x")]


def test_recursive_types_end() -> None:
    up = {"T": {"any of": ["string", ["#T"], {"fields": {"next?": "#T"}}]}}
    assert found(up, up) == []


def test_a_type_of_a_package_is_known_by_the_name_that_the_spec_has_for_it() -> None:
    spec = {"T": {"fields": {"a": "#Message"}}, "Message": {"any of": ["#Part"]}, "Part": UP}
    assert found({"T": {"fields": {"a": "module:other#Message"}}}, spec) == []


def test_declarations_of_one_side_only_are_told() -> None:
    rows = found({"T": UP, "New": UP}, {"T": UP, "Alone": UP}, T="T", New="New")
    assert [(each.rule, each.place) for each in rows] == [
        ("extra-declaration", "Alone"),
        ("missing-declaration", "New"),
    ]


def test_undeclared_members_are_typed_on_one_side_only() -> None:
    assert short({**UP, "rest": "any"}, UP) == [("rest", "T/*")]
    assert short({**UP, "rest": "number"}, {**UP, "rest": "integer"}) == [("integer", "T/*")]


def test_every_rule_has_a_case() -> None:
    told = {rule for rule, _, _ in CASES} | {"missing-declaration", "extra-declaration", "missing-field", "extra-field"}
    assert set(RULES) == told | {
        "presence",
        "missing-variant",
        "extra-variant",
        "missing-value",
        "extra-value",
        "open",
        "rest",
    }


def _tagged(kind: str, **fields: Any) -> dict[str, Any]:
    return {"fields": {"type": {"is": kind}, **fields}}
