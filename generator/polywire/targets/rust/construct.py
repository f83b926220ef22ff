"""Constructors and envelopes of the plan → functions that fill structs from the inside out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import TypeAlias

from polywire.model.nodes import Struct
from polywire.plan import Plan
from polywire.plan.fill import Asked, ByRule, ConstructorPlan, Filled, Fixed, Given, Made, Pointer
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import deprecation, doc, initializer, signature
from polywire.targets.rust.names import Names
from polywire.targets.rust.structs import MOST_PARAMETERS, Parameter, Structs

FRESH = "fresh_uuid()"
"""A new UUID."""

RULES = {
    ByRule.FRESH_UUID: FRESH,
    ByRule.EMPTY_LIST: "Vec::new()",
    ByRule.EMPTY_OBJECT: "Map::new()",
}
"""What fills a field by rule, where that is a value → its expression."""

Passed: TypeAlias = "Callable[[Struct, Filled], str]"
"""What a field gets that the caller passes."""


@dataclass(frozen=True, slots=True)
class ObjectView:
    """A struct that is made: the variable that holds it, its type, and the line of each field."""

    variable: str
    type: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConstructorView:
    """A function; the last of its objects is what it returns."""

    name: str
    struct: str
    summary: str
    """The first line of its documentation."""
    doc: str
    deprecation: str | None
    signature: str
    too_many: bool
    """Whether it has more parameters than clippy allows."""
    parameters: tuple[Parameter, ...]
    objects: tuple[ObjectView, ...]


@dataclass(frozen=True, slots=True)
class ImplView:
    """The constructors of a struct."""

    struct: str
    functions: tuple[ConstructorView, ...]


@dataclass(frozen=True, slots=True)
class ConstructFileView:
    """What `construct.rs` says."""

    impls: tuple[ImplView, ...]


class Constructors:
    """The constructors of a plan."""

    def __init__(self, plan: Plan, names: Names, structs: Structs) -> None:
        self._plan = plan
        self._names = names
        self._structs = structs

    def views(self) -> list[ConstructorView]:
        """Every constructor that is not `new` by another name."""
        return [self._view(each) for each in self._plan.constructors if not each.is_plain]

    def file(self) -> ConstructFileView:
        """The same by struct."""
        views = sorted(self.views(), key=lambda view: view.struct.lower())
        return ConstructFileView(
            tuple(ImplView(struct, tuple(views)) for struct, views in groupby(views, lambda view: view.struct))
        )

    def envelope(self, made: Made, passed: Mapping[str, str], *maybe: str) -> tuple[ObjectView, ...]:
        """The structs of an envelope, the innermost first.

        `passed` are the expressions of what it is made of; those in `maybe` are options.
        """

        def value(struct: Struct, filled: Filled) -> str:
            given = passed[filled.value.name] if isinstance(filled.value, Given) else ""
            fill = self._structs.maybe if given in maybe else self._structs.present
            return fill(struct, filled.field, given)

        return self._objects(made, value, ())

    def _view(self, plan: ConstructorPlan) -> ConstructorView:
        names = self._parameter_names(plan)
        parameters: dict[Pointer, Parameter] = {}

        def passed(struct: Struct, filled: Filled) -> str:
            name = names[filled.place]
            parameters[filled.place], value = self._structs.given(struct, filled.field, name)
            return value

        objects = self._objects(plan.made, passed, names.values())
        ordered = tuple(parameters[each.place] for each in plan.parameters)
        about = plan.constructor.about
        name = self._names.function(plan.struct, plan.constructor)
        text = documentation(about, "Creates one from its required members.")
        return ConstructorView(
            name=name,
            struct=self._names.type(plan.struct.name),
            summary=text.strip().split("\n")[0],
            doc=doc(text, 4),
            deprecation=deprecation(about.deprecated, 4),
            signature=signature(f"pub fn {name}", [each.text for each in ordered], " -> Self {"),
            too_many=len(ordered) > MOST_PARAMETERS,
            parameters=ordered,
            objects=objects,
        )

    def _parameter_names(self, plan: ConstructorPlan) -> dict[Pointer, str]:
        """What parameters are called, by the place that each fills."""
        own = {each.place: self._names.field(each.field) for each in plan.parameters if each.name == each.field.name}
        named = {each.place: self._names.parameter(each.name) for each in plan.parameters if each.named}
        rest = {each.place: self._names.parameter(each.name) for each in plan.parameters}
        return rest | own | named

    def _objects(self, made: Made, passed: Passed, taken: Iterable[str]) -> tuple[ObjectView, ...]:
        body = _Body(self._names, self._structs, passed, {*taken})
        body.make(made)
        return tuple(body.objects)


@dataclass(slots=True)
class _Body:
    """The objects of one function."""

    names: Names
    structs: Structs
    passed: Passed
    taken: set[str]
    """Names of parameters and variables."""
    objects: list[ObjectView] = field(default_factory=list)

    def make(self, made: Made) -> str:
        """Makes an object, what is in it first; gives its variable."""
        fields = self.structs.marks(made.struct)
        fields += [(self.names.field(each.field), self._value(made.struct, each)) for each in made.members]
        variable = _unused(self.names.member(made.struct.name), self.taken)
        self.taken.add(variable)
        lines = tuple(initializer(name, value) for name, value in (*fields, ("extra", "Object::new()")))
        self.objects.append(ObjectView(variable, self.names.type(made.struct.name), lines))
        return variable

    def _value(self, struct: Struct, filled: Filled) -> str:
        """What a field gets."""
        match filled.value:
            case Made() as inner:
                variable = self.make(inner)
                value = variable if inner.union is None else f"{variable}.into()"
                return self.structs.present(struct, filled.field, value)
            case Given() | Asked():
                return self.passed(struct, filled)
            case Fixed(value=fixed):
                return self.structs.fixed(struct, filled.field, fixed)
            case ByRule.ABSENT:
                return self.structs.absent(filled.field)
            case ByRule.NULL:
                return self.structs.fixed(struct, filled.field, None)
            case ByRule() as rule:
                return self.structs.present(struct, filled.field, RULES[rule])


def _unused(name: str, taken: Iterable[str]) -> str:
    """The name, or one like it that is not taken."""
    taken = {*taken}
    while name in taken:
        name += "_"
    return name
