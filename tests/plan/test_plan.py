"""The plan as a whole: members in wire order, dispatch, public declarations, and one plan for each run."""

from __future__ import annotations

from pathlib import Path

import pytest

from notation import rule
from polywire.plan import Plan, make_plan
from polywire.plan.members import Member
from polywire.plan.rows import ConstantRow
from polywire.vendor import run
from written import HEADER, model

SPEC = """
enums:
  Kind: {doc: A kind., open: false, values: {big: Big., small: Small.}}
  Mood: {doc: A mood., open: true, values: {good: Good.}}
types:
  Pair:
    doc: Two.
    tag: {t: pair, kind: Kind}
    const: {version: 1}
    fields:
      name: string
      note?: string
      gone: string | null
      late?: string | null
      any: json
      rest: {type: Rest, flatten: true}
  Rest: {doc: The rest., fields: {r: integer}}
  One: {doc: One., tag: {t: one}, fields: {x: integer}}
  Plain: {doc: Plain., tag: {t: null}, fields: {}}
unions:
  Line: {doc: A line., open: true, by: t, variants: [Pair, One]}
  Strict: {doc: Closed., open: false, by: t, variants: [One, Plain]}
  Again: {doc: Another., open: true, by: t, variants: [One], unknown: UnknownLine}
"""


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    header = HEADER.replace("roots: []", "roots: [Line, Strict, Again, Mood]")
    return make_plan(model(tmp_path, SPEC, header=header))


def brief(member: Member) -> tuple[str, str, str, object]:
    rule = None if isinstance(member.row, ConstantRow) else member.row.rule
    return member.key, member.role, member.presence, rule


def test_members_stand_in_wire_order_with_role_presence_and_rule(plan: Plan) -> None:
    assert [brief(each) for each in plan.structs["Pair"].members] == [
        ("t", "tag", "required", None),
        ("kind", "tag", "required", rule("Kind")),
        ("version", "constant", "required", None),
        ("name", "field", "required", rule("string")),
        ("note", "field", "optional", rule("string")),
        ("gone", "field", "required nullable", rule("string")),
        ("late", "field", "optional nullable", rule("string")),
        ("any", "field", "required nullable", rule("json")),
        ("rest", "flattened", "required", rule("Rest")),
    ]


def test_a_union_says_what_is_looked_at_and_what_it_ends_as(plan: Plan) -> None:
    line, strict = plan.unions["Line"], plan.unions["Strict"]
    assert (line.structs, line.discriminators, line.complete) == (("Pair", "One"), ("t",), None)
    assert strict.complete == ("One", "Plain")
    assert plan.root_structs == ("Pair", "One")
    assert plan.variants == {"Pair", "One", "Plain"}


def test_unions_that_share_an_unknown_share_one_plan_of_it(plan: Plan) -> None:
    assert [(each.name, [union.name for union in each.unions]) for each in plan.unknowns] == [
        ("UnknownLine", ["Line", "Again"])
    ]
    assert plan.unknown_of(plan.model.union("Again")).union.name == "Line"


def test_what_is_public_says_what_may_grow(plan: Plan) -> None:
    told = {each.name: (each.kind, each.open, each.complete) for each in plan.public}
    assert told["Kind"] == ("enum", False, ("big", "small"))
    assert told["Mood"] == ("enum", True, None)
    assert told["Strict"] == ("union", False, ("One", "Plain"))
    assert told["Pair"] == ("struct", None, None)


def test_a_run_makes_one_plan_for_all_its_targets(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def count(of: object) -> Plan:
        made.append("plan")
        return make_plan(of)  # type: ignore[arg-type] # passed on

    monkeypatch.setattr(run, "make_plan", count)
    parcel = run.by_flags(root / "tests" / "specs" / "parcel", None, None, ())
    assert len({id(tree) for tree in run.make(parcel).trees.values()}) > 1
    assert made == ["plan"]
