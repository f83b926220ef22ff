"""Constructors of the plan → functions: parameters with their annotations, and the objects that they fill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from polywire.model.nodes import Pointer
from polywire.plan import Plan
from polywire.plan.fill import Asked, ByRule, ConstructorPlan, Filled, Fixed, Given, Made
from polywire.plan.fill import Parameter as Planned
from polywire.plan.members import is_nullable, must_be_given
from polywire.targets.python.annotations import Annotations
from polywire.targets.python.layout import literal
from polywire.targets.python.names import Names

BY_RULE = {
    ByRule.NULL: "None",
    ByRule.FRESH_UUID: "fresh_uuid()",
    ByRule.EMPTY_LIST: "[]",
    ByRule.EMPTY_OBJECT: "{}",
}
"""What a field gets by rule; what is absent is left out."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a constructor."""

    name: str
    annotation: str
    default: str | None = None
    keyword: bool = False
    mentions: frozenset[str] = frozenset()
    """The types that the annotation names, `Any` among them."""


@dataclass(frozen=True, slots=True)
class Node:
    """One object that is made: the class, and what its fields get, as expressions or objects in turn."""

    class_name: str
    arguments: tuple[tuple[str, str | Node], ...]
    draws_uuid: bool

    @property
    def classes(self) -> frozenset[str]:
        """The classes of this object and of those in it."""
        inner = (value.classes for _, value in self.arguments if isinstance(value, Node))
        return frozenset({self.class_name}).union(*inner)


@dataclass(frozen=True, slots=True)
class ConstructorView:
    """One function."""

    name: str
    result: str
    doc: str
    parameters: tuple[Parameter, ...]
    fresh: tuple[str, ...]
    """Parameters that get a new UUID where none is given."""
    body: Node
    draws_uuid: bool


def constructor_view(planned: ConstructorPlan, plan: Plan, names: Names, annotations: Annotations) -> ConstructorView:
    """The function of one constructor: what has no default comes first, keywords last."""
    parameters, fresh, optional = list[Parameter](), list[str](), False
    for each in planned.parameters:
        made = _parameter(each, plan, names, annotations, behind_optional=optional)
        optional = optional or (made.default is not None and not made.keyword)
        parameters.append(made)
        if each.is_uuid and must_be_given(each.field):
            fresh.append(made.name)
    given = {each.name: names.parameter(each.name) for each in planned.parameters if each.named}
    asked = {each.place: _asked_name(each, names) for each in planned.parameters if not each.named}
    name = names.type(planned.struct.name)
    return ConstructorView(
        name=names.function(planned.constructor),
        result=name,
        doc=planned.constructor.about.doc or f"Make a {name}.",
        parameters=tuple(sorted(parameters, key=lambda each: each.keyword)),
        fresh=tuple(fresh),
        body=node(planned.made, given, names, asked),
        draws_uuid=bool(fresh) or planned.made.draws_uuid,
    )


def _parameter(
    planned: Planned, plan: Plan, names: Names, annotations: Annotations, *, behind_optional: bool
) -> Parameter:
    field = planned.field
    mentions = annotations.mentions(field.type)
    if not planned.named:
        return Parameter(_asked_name(planned, names), annotations.of(field.type), keyword=True, mentions=mentions)
    name = names.parameter(planned.name)
    if planned.is_uuid:
        return Parameter(name, "str | None", "None", keyword=True)
    if planned.required:
        annotation = annotations.of(field.type, nullable=field.nullable)
        return Parameter(name, annotation, keyword=behind_optional, mentions=mentions)
    annotation = annotations.of(field.type, nullable=True)
    if is_nullable(plan.model, field):
        return Parameter(name, f"{annotation} | Unset", "UNSET", mentions=mentions)
    return Parameter(name, annotation, "None", mentions=mentions)


def _asked_name(planned: Planned, names: Names) -> str:
    """A parameter that the spec does not name is called like its field, as long as that tells it from others."""
    return names.field(planned.field) if planned.name == planned.field.name else names.parameter(planned.name)


NONE_ASKED: Mapping[Pointer, str] = MappingProxyType({})


def node(made: Made, given: Mapping[str, str], names: Names, asked: Mapping[Pointer, str] = NONE_ASKED) -> Node:
    """The object that is made, from variables by what the plan calls them, and by place of what nothing fills."""
    filled = ((names.field(each.field), _value(each, given, names, asked)) for each in made.members)
    return Node(
        names.type(made.struct.name),
        tuple((name, value) for name, value in filled if value is not None),
        made.draws_uuid,
    )


def _value(filled: Filled, given: Mapping[str, str], names: Names, asked: Mapping[Pointer, str]) -> str | Node | None:
    match filled.value:
        case Made() as made:
            return node(made, given, names, asked)
        case Given(name=name):
            return given[name]
        case Asked():
            return asked[filled.place]
        case Fixed(value=value):
            return literal(value)
        case ByRule() as rule:
            return BY_RULE.get(rule)
