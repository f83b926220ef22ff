"""Constructors of the plan → functions: parameters with their annotations, and the objects that they fill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polywire.ground.json_values import Json, kind
from polywire.model.nodes import Model
from polywire.model.walk import without_alias
from polywire.plan import Plan
from polywire.plan.fill import ByRule, ConstructorPlan, Filled, Fixed, Given, Made
from polywire.plan.fill import Parameter as Planned
from polywire.plan.members import field_as_new, must_be_given
from polywire.plan.rows import is_nullable, kinds
from polywire.source.types import Array, Choice, Map, Ref, Scalar, Type
from polywire.targets.common.construct import arguments
from polywire.targets.python.annotations import Annotations
from polywire.targets.python.layout import scalar
from polywire.targets.python.names import Names
from polywire.targets.python.table import Rows

BY_RULE = {
    ByRule.NULL: "None",
    ByRule.FRESH_UUID: "fresh_uuid()",
    ByRule.EMPTY_LIST: "[]",
    ByRule.EMPTY_OBJECT: "{}",
}
"""The values that fields get by rule; absent fields are left out."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a constructor."""

    name: str
    annotation: str
    default: str | None = None
    keyword: bool = False
    mentions: frozenset[str] = frozenset()
    """The types that the annotation names, including `Any`."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A value fixed by the spec; `type` is the type that decodes it, or None if the field holds the parsed value."""

    value: Json
    type: Any = None


@dataclass(frozen=True, slots=True)
class Node:
    """A new object: the class, and the values of its fields, as expressions or nested objects."""

    class_name: str
    arguments: tuple[tuple[str, str | Node | Preset], ...]
    draws_uuid: bool

    @property
    def classes(self) -> frozenset[str]:
        """The classes of this object and of nested ones."""
        inner = (value.classes for _, value in self.arguments if isinstance(value, Node))
        return frozenset({self.class_name}).union(*inner)

    @property
    def decodes(self) -> bool:
        """Whether a value from the spec is decoded."""
        values = (value for _, value in self.arguments)
        return any(each.type is not None if isinstance(each, Preset) else _decodes(each) for each in values)


def _decodes(value: str | Node) -> bool:
    return isinstance(value, Node) and value.decodes


@dataclass(frozen=True, slots=True)
class ConstructorView:
    """A constructor function."""

    name: str
    result: str
    doc: str
    parameters: tuple[Parameter, ...]
    fresh: tuple[str, ...]
    """Parameters for which a missing value is replaced by a new UUID."""
    body: Node
    draws_uuid: bool


def constructor_view(
    planned: ConstructorPlan, plan: Plan, names: Names, annotations: Annotations, nodes: Nodes
) -> ConstructorView:
    """The function of a constructor: parameters without defaults come first, keyword-only ones last."""
    parameters, fresh, optional = list[Parameter](), list[str](), False
    variables = arguments(planned, names)
    for each in planned.parameters:
        made = _parameter(each, variables[each.name], plan, annotations, behind_optional=optional)
        optional = optional or (made.default is not None and not made.keyword)
        parameters.append(made)
        if each.is_uuid and must_be_given(each.field):
            fresh.append(made.name)
    name = names.type(planned.struct.name)
    return ConstructorView(
        name=names.function(planned.struct, planned.constructor),
        result=name,
        doc=planned.constructor.about.doc or f"Create a new {name}.",
        parameters=tuple(sorted(parameters, key=lambda each: each.keyword)),
        fresh=tuple(fresh),
        body=nodes.of(planned.made, variables),
        draws_uuid=bool(fresh) or planned.made.draws_uuid,
    )


def _parameter(
    planned: Planned, name: str, plan: Plan, annotations: Annotations, *, behind_optional: bool
) -> Parameter:
    field = field_as_new(planned.field)
    keyword = behind_optional or not planned.named
    if field.tag is not None and field.tag.values:  # the class accepts these values only
        listed = f"Literal[{', '.join(map(scalar, field.tag.values))}]"
        return Parameter(name, listed, keyword=keyword, mentions=frozenset({"Literal"}))
    mentions = annotations.mentions(field.type)
    if planned.named and planned.is_uuid:
        return Parameter(name, "str | None", "None", keyword=True)
    if planned.required:
        annotation = annotations.of(field.type, nullable=field.nullable)
        return Parameter(name, annotation, keyword=keyword, mentions=mentions)
    annotation = annotations.of(field.type, nullable=True)
    if is_nullable(plan.model, field):
        return Parameter(name, f"{annotation} | Unset", "UNSET", mentions=mentions)
    return Parameter(name, annotation, "None", mentions=mentions)


class Nodes:
    """The objects that the constructors and envelopes of a plan create."""

    def __init__(self, plan: Plan, names: Names) -> None:
        self._model = plan.model
        self._names = names
        self._rows = Rows(plan, names)

    def of(self, made: Made, given: Mapping[str, str]) -> Node:
        """A new object; `given` has variables by name in the plan."""
        filled = ((self._names.field(each.field), self._value(each, given)) for each in made.members)
        return Node(
            self._names.type(made.struct.name),
            tuple((name, value) for name, value in filled if value is not None),
            made.draws_uuid,
        )

    def _value(self, filled: Filled, given: Mapping[str, str]) -> str | Node | Preset | None:
        match filled.value:
            case Made() as made:
                return self.of(made, given)
            case Given(name=name):
                return given[name]
            case Fixed(value=value):
                type_ = filled.field.type
                return Preset(value, None if is_held(self._model, type_, value) else self._rows.type(type_))
            case ByRule() as rule:
                return BY_RULE.get(rule)
        return None


def is_held(model: Model, type_: Type, value: Json) -> bool:
    """Whether fields hold parsed values of the type without conversion."""
    match without_alias(type_, model.declarations), value:
        case Scalar(kind="integer") | Ref(), float():  # `1.0` is read as an `int`, also by an enum
            return False
        case Choice(members=members), _:
            return all(is_held(model, each, value) for each in members if kind(value) in kinds(model, each))
        case (_, None | bool() | int() | float() | str()) | (Scalar(), _):
            return True
        case Array(item=item), list():
            return all(is_held(model, item, each) for each in value)
        case Map(value=item), dict():
            return all(is_held(model, item, each) for each in value.values())
    return False
