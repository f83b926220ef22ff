"""The plan → how code in Python reads each declaration."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.plan import Plan
from polywire.targets.common.base import Reading
from polywire.targets.python.names import Names, module_name


def readings(plan: Plan) -> Iterator[Reading]:
    """Every class and alias of the package, with its name there."""
    names, module = Names(plan.model), module_name(plan.model)
    for each in plan.public:
        name = names.type(each.name)
        yield Reading(each.name, name, {"module": module, "name": name})
