"""The members that can be read on a union: those that most of its variants have, with one type."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.checks import check
from polywire.plan import Plan, make_plan

SPEC = Path(__file__).parents[1] / "specs" / "found" / "shared-members"


@pytest.fixture(scope="module")
def plan() -> Plan:
    model = check(SPEC).model
    assert model is not None
    return make_plan(model)


def test_what_most_variants_have_with_one_type_is_shared_from_a_mixin_or_not(plan: Plan) -> None:
    # `at` is in three of the four, `kind` in two; `name` has two types.
    assert {each.key: each.is_everywhere for each in plan.unions["Line"].shared} == {
        "at": False,
        "id": True,
        "size": True,
    }
    assert [each.key for each in plan.unions["Light"].shared] == ["id", "kind", "size", "name"]


def test_a_shared_member_may_be_absent_in_some_variants(plan: Plan) -> None:
    size = next(each for each in plan.unions["Line"].shared if each.key == "size")
    required = {name: field.required for name, field in size.fields.items()}
    assert required == {"Red": True, "Green": False, "Blue": False, "Grey": True}
