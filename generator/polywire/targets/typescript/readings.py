"""The plan → how code in TypeScript reads each declaration."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.plan import Plan
from polywire.targets.common.base import Reading
from polywire.targets.typescript.about import package_name
from polywire.targets.typescript.names import Names


def readings(plan: Plan) -> Iterator[Reading]:
    """Every type of the package, with the name that the type and its run-time value for `decode` share."""
    names, package = Names(plan.model), package_name(plan.model)
    for each in plan.public:
        name = names.type(each.name)
        yield Reading(each.name, name, {"package": package, "name": name})
