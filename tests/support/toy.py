"""A target that polywire does not have: a module in Python that finds the variant of an object, from the plan alone.

It shows what a target needs at least, and that the plan and the types for targets are enough for one.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

from polywire.model.nodes import Dispatch, Keys, Leaf, Model, Switch
from polywire.plan import Plan
from polywire.plan.rows import UnionRow
from polywire.targets.common.base import File, Name, Target

TEMPLATES = Path(__file__).parent / "toy_templates"

Table: TypeAlias = "tuple[object, ...] | None"


class Toy(Target):
    name = "toy"

    def names(self, model: Model) -> Iterable[Name]:
        for each in model.declarations.values():
            yield Name("package", each.name, each.name, each.name, each.place)

    def files(self, plan: Plan) -> Iterable[File]:
        unions = [(name, repr(table(row.dispatch))) for name, row in plan.rows.items() if isinstance(row, UnionRow)]
        yield File("toy.py", "toy.py.j2", {"title": plan.model.protocol.name, "unions": unions})


TARGET = Toy()


def table(dispatch: Dispatch | None) -> Table:
    """The decision between the variants of a union as nested tuples."""
    match dispatch:
        case Leaf(struct=name):
            return "leaf", name
        case Keys(cases=cases):
            return "keys", [({*each.has}, {*each.lacks}, table(then)) for each, then in cases]
        case Switch(key=key, cases=values, prefixes=prefixes, others=others, absent=absent):
            ways = [[(each, table(then)) for each, then in listed] for listed in (values, prefixes)]
            return "switch", key, *ways, [(glob, ("leaf", struct)) for glob, struct in others], table(absent)
    return None
