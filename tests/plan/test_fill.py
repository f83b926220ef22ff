"""The values that constructors and envelopes fill in for the caller, rule by rule, in the plan that targets read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from polywire.plan import Plan, make_plan
from polywire.plan.fill import ByRule, ConstructorPlan, Fixed, Given, Made, Parameter, plain_constructor
from written import model

SPEC = """
types:
  Note:
    doc: A note.
    tag: {kind: note}
    fields:
      title: string
      id: uuid
      size: {type: integer, default: 3}
      tags: "string[]"
      labels: map<string>
      more: object
      owner: string | null
      hint?: string
      late?: {type: string, construct: required}
      inner: Inner
      side: Side
    construct:
      NewNote:
        params: [{name: /title}, {deep: /inner/text}, {why: /side/why}, {key: /id}, {maybe: /hint}]
        set: {/inner/size: 7}
      NewWhole:
        params: [{title: /title}, {late: /late}, {inner: /inner}, {side: /side}]
  Inner:
    doc: Inside.
    fields: {text: string, size: integer, on: boolean}
  Left: {doc: Left., tag: {to: left}, fields: {far: integer}}
  Right: {doc: Right., tag: {to: right}, fields: {why: string}}
unions:
  Side: {doc: A side., open: true, by: to, variants: [Left, Right]}
"""


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return make_plan(model(tmp_path, SPEC, header=ROOTED))


ROOTED = """\
polywire: 1
protocol: {name: p, title: P, version: 1.0.0, framing: ndjson, peers: [a, b], roots: [Note]}
"""


def constructor(plan: Plan, name: str) -> ConstructorPlan:
    return next(each for each in plan.constructors if each.constructor.name == name)


def values(made: Made) -> Mapping[str, object]:
    return {each.field.name: each.value for each in made.members if not isinstance(each.value, Made)}


def inside(made: Made, name: str) -> Made:
    (found,) = (each.value for each in made.members if each.field.name == name)
    assert isinstance(found, Made)
    return found


def test_each_member_gets_what_the_first_rule_that_applies_says(plan: Plan) -> None:
    assert values(constructor(plan, "NewNote").made) == {
        "title": Given("name"),
        "id": Given("key"),
        "size": Fixed(3, "default"),
        "tags": ByRule.EMPTY_LIST,
        "labels": ByRule.EMPTY_OBJECT,
        "more": ByRule.EMPTY_OBJECT,
        "owner": ByRule.NULL,
        "hint": Given("maybe"),
        "late": Given("late", added=True),
    }


def test_a_pointer_makes_the_object_that_it_leads_into(plan: Plan) -> None:
    inner = inside(constructor(plan, "NewNote").made, "inner")
    assert (inner.struct.name, inner.union) == ("Inner", None)
    assert values(inner) == {"text": Given("deep"), "size": Fixed(7, "set"), "on": Given("on", added=True)}


def test_behind_a_union_it_is_the_first_variant_that_has_the_place(plan: Plan) -> None:
    side = inside(constructor(plan, "NewNote").made, "side")
    assert (side.struct.name, side.union) == ("Right", "Side")


def test_a_uuid_that_nobody_gives_is_drawn(plan: Plan) -> None:
    made = constructor(plan, "NewWhole").made
    assert values(made)["id"] is ByRule.FRESH_UUID
    assert made.draws_uuid
    assert not constructor(plan, "NewNote").made.draws_uuid


def shown(parameters: tuple[Parameter, ...]) -> list[tuple[str, tuple[str, ...], bool, bool]]:
    return [(each.name, each.place, each.named, each.required) for each in parameters]


def test_what_nothing_fills_is_a_parameter_after_those_of_the_spec(plan: Plan) -> None:
    assert shown(constructor(plan, "NewNote").parameters) == [
        ("name", ("title",), True, True),
        ("deep", ("inner", "text"), True, True),
        ("why", ("side", "why"), True, True),
        ("key", ("id",), True, False),
        ("maybe", ("hint",), True, False),
        ("late", ("late",), False, True),
        ("on", ("inner", "on"), False, True),
    ]


def test_the_plain_constructor_asks_for_what_the_struct_demands_and_puts_defaults(plan: Plan) -> None:
    note = plan.model.struct("Note")
    demanded = ["title", "id", "tags", "labels", "more", "owner", "late", "inner", "side"]
    assert [each.name for each in plan.structs["Note"].demanded] == demanded
    made = {each.field.name: each.value for each in plain_constructor(note).members}
    assert made == {**{name: Given(name) for name in demanded}, "size": Fixed(3, "default"), "hint": ByRule.ABSENT}


def test_a_constructor_that_takes_what_is_demanded_and_sets_nothing_is_plain(plan: Plan, tmp_path: Path) -> None:
    assert not any(each.is_plain for each in plan.constructors)
    spec = """
    types:
      Note:
        doc: A note.
        fields: {a: string, b?: string, c: integer}
        construct:
          NewNote: {params: [{a: /a}, {c: /c}]}
          NewTurned: {params: [{c: /c}, {a: /a}]}
    """
    other = make_plan(model(tmp_path / "plain", spec, header=ROOTED))
    assert {each.constructor.name: each.is_plain for each in other.constructors} == {
        "NewNote": True,
        "NewTurned": False,
    }


def test_parameters_of_one_name_are_told_apart_by_their_places(tmp_path: Path) -> None:
    spec = """
    types:
      Note:
        doc: A note.
        fields: {text: string, knot: Knot, "un_kind": integer}
        construct:
          NewNote: {params: [{unKind: /text}], set: {/knot/size: 1}}
      Knot: {doc: A knot., fields: {size: integer, text: string, knot: boolean, un_kind: integer}}
    """
    plan = make_plan(model(tmp_path / "same", spec, header=ROOTED))
    (only,) = plan.constructors
    assert [each.name for each in only.parameters] == ["unKind", "text", "knot", "knot_un_kind", "un_kind_2"]
