"""Constructors and envelopes of the plan → functions that create structs, the innermost first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TypeAlias

from polywire.ground.json_values import Json
from polywire.model.nodes import Field, Struct
from polywire.plan import Plan
from polywire.plan.controls import Step
from polywire.plan.fill import ConstructorPlan, Filled, Made
from polywire.targets.common.construct import arguments
from polywire.targets.rust.items import Item
from polywire.targets.rust.layout import INDENT, above, documentation, initializer
from polywire.targets.rust.names import Names
from polywire.targets.rust.structs import GIVEN, ParametersView, Structs

Passed: TypeAlias = "Callable[[Field, str], str]"
"""The expression of the value that the caller passes for a field, by its name in the plan."""


@dataclass(frozen=True, slots=True)
class ObjectView:
    """A new struct: the variable that holds it, its type, and the line of each field."""

    variable: str
    type: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConstructorView:
    """A function; it returns the last of its objects."""

    name: str
    struct: str
    summary: str
    """The first line of its documentation."""
    above: str
    takes: ParametersView
    objects: tuple[ObjectView, ...]


@dataclass(frozen=True, slots=True)
class ImplView(Item):
    """The constructors of a struct, by its name."""

    functions: tuple[ConstructorView, ...]


class Constructors:
    """Builds the constructors of a plan."""

    def __init__(self, plan: Plan, names: Names, structs: Structs) -> None:
        self._plan = plan
        self._names = names
        self._structs = structs

    def views(self) -> list[ConstructorView]:
        """Every constructor that does not equal `new`."""
        return [view for impl in self.impls for view in impl.functions]

    @cached_property
    def impls(self) -> tuple[ImplView, ...]:
        """The constructors grouped by struct."""
        made = (each for each in self._plan.constructors if not each.is_plain)
        return tuple(
            ImplView(self._names.home(name), "", "", self._names.type(name), tuple(map(self._view, plans)))
            for name, plans in groupby(made, lambda each: each.struct.name)
        )

    def envelope(self, made: Made, passed: Mapping[str, str], *maybe: str) -> tuple[ObjectView, ...]:
        """The structs of an envelope, the innermost first.

        `passed` has the expressions of the given values; those in `maybe` are options. Members without a given value
        are absent.
        """

        def value(each: Field, name: str) -> str:
            if name not in passed:
                return self._structs.lacking(each, "Absent")
            fill = self._structs.maybe if passed[name] in maybe else self._structs.present
            return fill(each, passed[name])

        return self._objects(made, value, passed.values())

    def literal(self, step: Step, value: Json) -> str:
        """The expression of a value of a field's type."""
        return self._structs.literal(step.holders[0], step.field, value)

    def _view(self, plan: ConstructorPlan) -> ConstructorView:
        names = arguments(plan, self._names)
        struct = self._names.type(plan.struct.name)
        name = self._names.function(plan.struct, plan.constructor)
        parameters = [self._structs.parameter(each.field, names[each.name]) for each in plan.parameters]
        bundle = self._names.bundle(plan.struct, plan.constructor)
        takes = self._structs.takes(struct, bundle, name, parameters)

        def passed(each: Field, parameter: str) -> str:
            return self._structs.passed(each, names[parameter], takes)

        about = plan.constructor.about
        text = documentation(about, "Creates a new value from its required members.")
        return ConstructorView(
            name=name,
            struct=struct,
            summary=text.strip().split("\n")[0],
            above=above(text, about.deprecated, INDENT),
            takes=takes,
            objects=self._objects(plan.made, passed, [*names.values(), GIVEN]),
        )

    def _objects(self, made: Made, passed: Passed, taken: Iterable[str]) -> tuple[ObjectView, ...]:
        """The objects of a function, the innermost first, in variables besides those that are taken."""
        objects, used = list[ObjectView](), {*taken}

        def make(made: Made) -> str:
            fields = [*self._structs.marks(made.struct)]
            fields += [(self._names.field(each.field), value(made.struct, each)) for each in made.members]
            variable = self._names.member(made.struct.name)
            while variable in used:
                variable += "_"
            used.add(variable)
            lines = tuple(initializer(name, value) for name, value in (*fields, ("extra", "Object::new()")))
            objects.append(ObjectView(variable, self._names.type(made.struct.name), lines))
            return variable

        def value(struct: Struct, filled: Filled) -> str:
            if not isinstance(filled.value, Made):
                return self._structs.filled(struct, filled, passed)
            variable = make(filled.value)
            return self._structs.present(filled.field, variable if filled.value.union is None else f"{variable}.into()")

        make(made)
        return tuple(objects)
