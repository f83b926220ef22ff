"""Controls and tools → what ties a request to the type of its answer, and a tool's name to its types."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Field, Model, Ref, Struct, Tool, Type, Union
from polywire.model.plan import type_code
from polywire.model.walk import structs_of
from polywire.targets.go.construct import Constructors, Step
from polywire.targets.go.layout import quoted
from polywire.targets.go.names import Names, said
from polywire.targets.go.shapes import Shape, Shapes


@dataclass(frozen=True, slots=True)
class Pair:
    """A request and its answer."""

    own: str
    request: str
    go: str
    """The Go type of the answer."""
    shape: Shape | None
    optional: bool
    code: object
    """The answer as the tables have it."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A step from an envelope to the payload: a field, and the variants that it has to hold for the next."""

    name: str
    variants: tuple[str, ...] = ()
    """Go types of them, where the field holds a union."""
    loose: bool = False
    """Whether the field holds any value."""


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses find each other."""

    envelope: str
    response_envelope: str
    payload_go: str
    payload_flat: bool
    wrap_request: tuple[Step, ...]
    wrap_response: tuple[Step, ...]
    hops: tuple[Hop, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool."""

    condition: str
    type: str


def controls_view(model: Model, names: Names, shapes: Shapes, makers: Constructors) -> ControlsView | None:
    """The controls, if the protocol has any."""
    request, response = model.protocol.request, model.protocol.response
    if request is None or response is None or not model.controls:
        return None
    payload = _field_at(model, request.struct, request.payload)
    if payload is None:
        return None
    shape = shapes.of(payload.type)
    pairs: list[Pair] = []
    for control in model.controls:
        own, go = names.own(control.request), names.type(control.request)
        if control.response is None:
            pairs.append(Pair(own, go, "None", None, True, ""))
            continue
        answer = shapes.of(control.response)
        result = answer
        if control.response_optional and answer.form == "plain":
            result = Shape("nullable", f"*{answer.go}", "nil", item=answer)
        shapes.need(result)
        pairs.append(Pair(own, go, result.go, result, control.response_optional, type_code(model, control.response)))
    return ControlsView(
        envelope=names.type(request.struct),
        response_envelope=names.type(response.struct),
        payload_go=shape.go,
        payload_flat=shape.struct,
        wrap_request=tuple(makers.fill(request.struct, "x", {request.id: "id", request.payload: "request.payload()"})),
        wrap_response=tuple(makers.fill(response.struct, "x", {response.id: "id", response.payload: "payload"})),
        hops=tuple(_hops(model, names, response.struct, response.payload)),
        pairs=tuple(pairs),
    )


def _field_at(model: Model, struct: str, pointer: tuple[str, ...]) -> Field | None:
    """The field that a pointer leads to, one that is flattened counting as where its members are."""
    for key in pointer:
        found = next((f for f in model.struct(struct).wire_fields if f.name == key), None)
        if found is None:
            return next((f for f in model.struct(struct).wire_fields if f.flatten), None)
        return found
    return next((f for f in model.struct(struct).wire_fields if f.flatten), None)


def _hops(model: Model, names: Names, struct: str, pointer: tuple[str, ...]) -> list[Hop]:
    found: list[Hop] = []
    here = [model.struct(struct)]
    for at, key in enumerate(pointer):
        field = next((f for each in here for f in each.wire_fields if f.name == key and not f.flatten), None)
        if field is None:
            flat = next((f for each in here for f in each.wire_fields if f.flatten), None)
            if flat is None:
                return found
            here, hop = _enter(model, names, flat, key)
            found.append(hop)
            field = next(f for each in here for f in each.wire_fields if f.name == key)
        following = pointer[at + 1] if at + 1 < len(pointer) else None
        if following is None:
            found.append(Hop(names.field(field), loose=said(field.about, "type") == "any"))
            return found
        here, hop = _enter(model, names, field, following)
        found.append(hop)
    return found


def _enter(model: Model, names: Names, field: Field, key: str) -> tuple[list[Struct], Hop]:
    """Through a field to the structs behind it that have a key."""
    declared = model.declarations[field.type.name] if isinstance(field.type, Ref) else None
    if isinstance(declared, Struct):
        return [declared], Hop(names.field(field))
    if isinstance(declared, Union):
        having = [
            model.struct(name)
            for name in structs_of(declared.dispatch)
            if any(f.name == key for f in model.struct(name).wire_fields)
        ]
        return having, Hop(names.field(field), tuple(names.type(each.name) for each in having))
    return [], Hop(names.field(field))


def tools_view(model: Model) -> dict[str, list[ToolView]]:
    """Inputs and outputs of tools."""
    return {
        "Input": [_tool(tool, tool.input) for tool in _ordered(model) if isinstance(tool.input, Ref)],
        "Output": [_tool(tool, tool.output) for tool in _ordered(model) if isinstance(tool.output, Ref)],
    }


def _ordered(model: Model) -> list[Tool]:
    """Exact names before patterns."""
    return sorted(model.tools, key=lambda tool: "*" in tool.pattern)


def _tool(tool: Tool, type_: Type | None) -> ToolView:
    name = type_.name if isinstance(type_, Ref) else ""
    condition = f"toolNamed({quoted(tool.pattern)}, name)" if "*" in tool.pattern else f"name == {quoted(tool.pattern)}"
    return ToolView(condition, name)
