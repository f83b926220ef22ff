"""A target of a third party: a language that is not among polywire's, written against the plan."""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path

import pytest

import toy
from polywire.oracle.instances import derive
from polywire.plan import make_plan
from polywire.plan.rows import UnionRow
from polywire.writing.render import Custom, render
from rendered import model_of

SPECS = Path(__file__).resolve().parents[1] / "specs"


@pytest.mark.parametrize("spec", ["forms", "gate", "notices", "parcel"])
def test_what_a_target_makes_of_the_plan_finds_the_variants(spec: str) -> None:
    model = model_of(SPECS / spec)
    plan = make_plan(model)
    files = render(toy.TARGET, plan, Custom(templates=toy.TEMPLATES))
    assert files.keys() == {"toy.py"}
    made: dict[str, object] = {}
    exec(files["toy.py"], made)  # noqa: S102 - the tests' own template
    unions = {name for name, row in plan.rows.items() if isinstance(row, UnionRow)}
    found = 0
    for instance in derive(model, random=0, only=unions):
        if instance.strict.ok:
            variant = made["variant"](made[instance.type], json.loads(instance.text))  # type: ignore[operator]
            assert variant == instance.strict.variant, instance.text
            found += 1
    assert found > len(unions)


def test_it_needs_only_the_plan_the_model_and_the_types_for_targets() -> None:
    statements = ast.walk(ast.parse(inspect.getsource(toy)))
    imported = {each.module for each in statements if isinstance(each, ast.ImportFrom)}
    assert {each for each in imported if each is not None and each.startswith("polywire")} == {
        "polywire.model.nodes",
        "polywire.plan",
        "polywire.plan.rows",
        "polywire.targets.common.base",
    }
