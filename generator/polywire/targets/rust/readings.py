"""The plan → how code in Rust reads each declaration."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.plan import Plan
from polywire.plan.public import bare_mixins
from polywire.targets.common.base import Reading
from polywire.targets.rust.names import Names
from polywire.targets.rust.package import crate_of


def readings(plan: Plan) -> Iterator[Reading]:
    """Every type of the crate, with its name in a public module."""
    names, crate = Names(plan.model), crate_of(plan.model).replace("-", "_")
    hidden = bare_mixins(plan.model)
    for each in plan.public:
        if each.name not in hidden:
            name, area = names.type(each.name), names.area(each.name)
            yield Reading(each.name, f"{area}::{name}", {"crate": crate, "area": area, "name": name})
