"""Constructors of the spec → functions: parameters in order, and the tree of objects that they fill.

What no parameter and no fixed value fills is filled by rule: tags by the class itself, a `uuid` afresh, a field's
`default`, null where that is allowed, required lists and maps empty. What then is still missing becomes a keyword of
its own, so that a constructor can never make an object that is not complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from polywire.model.nodes import Alias, Array, Constructor, Field, Json, Map, Model, Ref, Scalar, Struct, Type, Union
from polywire.model.walk import without_alias
from polywire.targets.python.codec import leaf_names
from polywire.targets.python.layout import literal
from polywire.targets.python.names import Names
from polywire.targets.python.shapes import Shapes


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a constructor."""

    name: str
    annotation: str
    default: str | None = None
    keyword: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """One object that is made: the class, and what its fields get, as expressions or objects in turn."""

    class_name: str
    arguments: tuple[tuple[str, str | Node], ...]


@dataclass(frozen=True, slots=True)
class ConstructorView:
    """One function."""

    name: str
    result: str
    doc: str
    parameters: tuple[Parameter, ...]
    fresh: tuple[str, ...]
    """Parameters that get a new uuid where none is given."""
    body: Node


@dataclass(slots=True)
class _Plan:
    """What is known while one constructor is worked out."""

    given: Mapping[tuple[str, ...], str]
    """Pointer → parameter."""
    fixed: Mapping[tuple[str, ...], Json]
    extra: list[Parameter] = field(default_factory=list)


class Constructors:
    """The constructors of a model."""

    def __init__(self, model: Model, names: Names, shapes: Shapes) -> None:
        self._model = model
        self._names = names
        self._shapes = shapes

    def view(self, struct: Struct, constructor: Constructor) -> ConstructorView:
        """The function of one constructor."""
        given = {param.pointer: self._names.parameter(param.name) for param in constructor.params}
        plan = _Plan(given, dict(constructor.set))
        body = self._node(struct, (), plan)
        parameters: list[Parameter] = []
        fresh: list[str] = []
        optional = False
        for param in constructor.params:
            target = self._target(struct, param.pointer)
            name = self._names.parameter(param.name)
            annotation = self._shapes.annotation(target.type, nullable=target.nullable) if target else "Any"
            if target is not None and _is_uuid(self._model, target.type):
                parameters.append(Parameter(name, "str | None", "None", keyword=True))
                if target.required:
                    fresh.append(name)
            elif target is not None and not (target.required or target.construct_required):
                optional = True
                parameters.append(Parameter(name, self._optional(target), self._absent(target)))
            else:
                parameters.append(Parameter(name, annotation, keyword=optional))
        doc = constructor.about.doc or f"Make a {self._names.type(struct.name)}."
        parameters = [p for p in parameters if not p.keyword] + [p for p in parameters if p.keyword] + plan.extra
        return ConstructorView(
            self._names.function(constructor), self._names.type(struct.name), doc, tuple(parameters), tuple(fresh), body
        )

    def fill(self, struct: Struct, given: Mapping[tuple[str, ...], str]) -> Node:
        """The object that has the given variables at the given places, and what the rules put elsewhere."""
        return self._node(struct, (), _Plan(given, {}))

    def _node(self, struct: Struct, at: tuple[str, ...], plan: _Plan) -> Node:
        arguments: list[tuple[str, str | Node]] = []
        own = {each.name for each in struct.wire_fields if not each.flatten}
        for each in struct.wire_fields:
            value = self._value(each, at if each.flatten else (*at, each.name), own if each.flatten else set(), plan)
            if value is not None:
                arguments.append((self._names.field(each), value))
        return Node(self._names.type(struct.name), tuple(arguments))

    def _value(self, each: Field, at: tuple[str, ...], own: set[str], plan: _Plan) -> str | Node | None:
        """What a field gets; `own` are keys of its struct, which lead into nothing that is flattened into that."""
        ways = (path for path in (*plan.given, *plan.fixed) if len(path) > len(at) and path[: len(at)] == at)
        below = [path[len(at)] for path in ways if path[len(at)] not in own]
        nested = self._struct_with(each.type, below) if below else None
        if nested is not None:
            return self._node(nested, at, plan)
        if at in plan.given:
            return plan.given[at]
        if at in plan.fixed:
            return literal(plan.fixed[at])
        if each.has_default:
            return literal(each.default)
        return self._by_rule(each, plan) if each.required or each.construct_required else None

    def _by_rule(self, each: Field, plan: _Plan) -> str:
        type_ = without_alias(each.type, self._model.declarations)
        if each.nullable:
            return "None"
        if _is_uuid(self._model, type_):
            return "fresh_uuid()"
        if isinstance(type_, Array):
            return "[]"
        if isinstance(type_, Map) or type_ == Scalar("object"):
            return "{}"
        name = self._names.field(each)
        plan.extra.append(Parameter(name, self._shapes.annotation(each.type), keyword=True))
        return name

    def _target(self, struct: Struct, pointer: tuple[str, ...]) -> Field | None:
        """The field that a pointer leads to."""
        found: Field | None = None
        for key in pointer:
            found = next((each for each in struct.wire_fields if each.name == key), None)
            if found is None:
                return None
            struct = self._struct(found.type) or struct
        return found

    def _struct(self, type_: Type) -> Struct | None:
        resolved = without_alias(type_, self._model.declarations)
        declared = self._model.declarations[resolved.name] if isinstance(resolved, Ref) else None
        return declared if isinstance(declared, Struct) else None

    def _struct_with(self, type_: Type, keys: list[str]) -> Struct | None:
        """The struct of a type, or the first variant of a union, that has fields of those keys."""
        resolved = without_alias(type_, self._model.declarations)
        declared = self._model.declarations[resolved.name] if isinstance(resolved, Ref) else None
        if isinstance(declared, Union):
            variants = [self._model.struct(name) for name in leaf_names(declared.dispatch)]
            return next((each for each in variants if {f.name for f in each.wire_fields}.issuperset(keys)), None)
        return declared if isinstance(declared, Struct) else None

    def _optional(self, each: Field) -> str:
        null = each.nullable or self._shapes.admits_null(each.type)
        text = self._shapes.annotation(each.type, nullable=True)
        return f"{text} | Unset" if null else text

    def _absent(self, each: Field) -> str:
        return "UNSET" if each.nullable or self._shapes.admits_null(each.type) else "None"


def _is_uuid(model: Model, type_: Type) -> bool:
    if isinstance(type_, Ref):
        declared = model.declarations[type_.name]
        return isinstance(declared, Alias) and _is_uuid(model, declared.type)
    return type_ == Scalar("uuid")
