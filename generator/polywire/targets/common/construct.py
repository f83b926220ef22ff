"""What the constructors of all languages share."""

from __future__ import annotations

from typing import Protocol

from polywire.model.nodes import Field
from polywire.plan.fill import ConstructorPlan


class Names(Protocol):
    """The names of a language."""

    def field(self, field: Field, /) -> str:
        """A field, as code names it."""

    def parameter(self, name: str, /) -> str:
        """A parameter, by its name in the plan."""


def arguments(plan: ConstructorPlan, names: Names) -> dict[str, str]:
    """The parameters by name in the plan; an additional one is called like the field that it fills."""
    return {
        each.name: names.field(each.field)
        if not each.named and each.name == each.field.name
        else names.parameter(each.name)
        for each in plan.parameters
    }
