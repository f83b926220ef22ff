"""Controls and tools → tables that tie a request to the type of its answer, and a tool's name to its types."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Model, Ref, Struct, Type, Union
from polywire.model.plan import type_code
from polywire.targets.python.codec import leaf_names
from polywire.targets.python.construct import Constructors, Node
from polywire.targets.python.names import Names
from polywire.targets.python.shapes import Shapes


@dataclass(frozen=True, slots=True)
class Pair:
    """A control as type checkers see it."""

    request: str
    annotation: str


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses find each other."""

    envelope: str
    response_envelope: str
    payload: tuple[str, ...]
    """Attributes that lead from a request's envelope to the request."""
    payload_type: str
    id: tuple[str, ...]
    """Attributes that lead from a request's envelope to its id."""
    result: tuple[str, ...]
    """Attributes that lead from a response's envelope to the answer."""
    pointer: str
    table: dict[str, object]
    types: dict[str, str]
    pairs: tuple[Pair, ...]
    request: Node
    response: Node


@dataclass(frozen=True, slots=True)
class ToolsView:
    """One direction of the tools: inputs or outputs."""

    exact: dict[str, object]
    patterns: dict[str, object]
    typed: tuple[tuple[str, str], ...]
    """Name and type of the tools that are named exactly."""


def controls_view(model: Model, names: Names, shapes: Shapes, makers: Constructors) -> ControlsView | None:
    """The controls, if the protocol has any."""
    request, response = model.protocol.request, model.protocol.response
    if request is None or response is None or not model.controls:
        return None
    table: dict[str, object] = {}
    types: dict[str, str] = {}
    pairs: list[Pair] = []
    for control in model.controls:
        name = names.type(control.request)
        table[f"_model.{name}"] = (
            None if control.response is None else type_code(model, control.response),
            control.response_optional,
        )
        if control.response is None:
            annotation = "None"
        else:
            annotation = shapes.annotation(control.response, nullable=control.response_optional)
            if isinstance(control.response, Ref):
                types[control.response.name] = f"_model.{names.type(control.response.name)}"
        pairs.append(Pair(name, annotation))
    return ControlsView(
        envelope=names.type(request.struct),
        response_envelope=names.type(response.struct),
        payload=_attributes(model, names, request.struct, request.payload),
        payload_type=_payload_type(model, names, request.struct, request.payload),
        id=_attributes(model, names, request.struct, request.id),
        result=_attributes(model, names, response.struct, response.payload),
        pointer="".join(f"/{key}" for key in response.payload),
        table=table,
        types=types,
        pairs=tuple(pairs),
        request=makers.fill(model.struct(request.struct), {request.id: "request_id", request.payload: "payload"}),
        response=makers.fill(model.struct(response.struct), {response.id: "request_id", response.payload: "answer"}),
    )


def _structs(model: Model, type_: Type) -> list[Struct]:
    """The structs that an object of a type can be."""
    if not isinstance(type_, Ref):
        return []
    declared = model.declarations[type_.name]
    if isinstance(declared, Struct):
        return [declared]
    return [model.struct(name) for name in leaf_names(declared.dispatch)] if isinstance(declared, Union) else []


def _attributes(model: Model, names: Names, struct: str, pointer: tuple[str, ...]) -> tuple[str, ...]:
    """The attributes along a pointer, through whichever variants have them."""
    found: list[str] = []
    structs = [model.struct(struct)]
    for key in pointer:
        fields = [field for each in structs for field in each.wire_fields if field.name == key]
        found.append(names.field(fields[0]) if fields else names.attribute(key))
        structs = [each for field in fields for each in _structs(model, field.type)]
    return tuple(found)


def _payload_type(model: Model, names: Names, struct: str, pointer: tuple[str, ...]) -> str:
    """The union of the requests."""
    structs, type_ = [model.struct(struct)], None
    for key in pointer:
        fields = [field for each in structs for field in each.wire_fields if field.name == key]
        type_ = fields[0].type if fields else None
        structs = [each for field in fields for each in _structs(model, field.type)]
    return names.type(type_.name) if isinstance(type_, Ref) else "Any"


def tools_view(model: Model, shapes: Shapes) -> dict[str, ToolsView]:
    """Inputs and outputs of tools."""
    found = {}
    for kind in ("input", "output"):
        exact: dict[str, object] = {}
        patterns: dict[str, object] = {}
        typed: list[tuple[str, str]] = []
        for tool in model.tools:
            type_ = tool.input if kind == "input" else tool.output
            if type_ is None:
                continue
            (patterns if "*" in tool.pattern else exact)[tool.pattern] = type_code(model, type_)
            if "*" not in tool.pattern:
                typed.append((tool.pattern, shapes.annotation(type_)))
        found[kind] = ToolsView(exact, patterns, tuple(typed))
    return found
