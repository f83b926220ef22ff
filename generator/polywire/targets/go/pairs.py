"""Controls and tools → what ties a request to the type of its answer, and a tool's name to its types."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Field, Model, Ref, Struct, Tool, Type, Union
from polywire.model.walk import structs_of
from polywire.plan.rows import type_code
from polywire.targets.go.construct import Constructors, Step
from polywire.targets.go.layout import quoted
from polywire.targets.go.names import Names, override
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
    flat: bool
    """Whether an answer's members stand beside others, so that one without members is as good as absent."""
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
    hops, last = _way(model, names, response.struct, response.payload)
    return ControlsView(
        envelope=names.type(request.struct),
        response_envelope=names.type(response.struct),
        payload_go=shape.go,
        payload_flat=shape.struct,
        wrap_request=tuple(makers.fill(request.struct, "x", {request.id: "id", request.payload: "request.payload()"})),
        wrap_response=tuple(makers.fill(response.struct, "x", {response.id: "id", response.payload: "payload"})),
        hops=tuple(hops),
        flat=last is not None and last.flatten,
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


def _way(model: Model, names: Names, struct: str, pointer: tuple[str, ...]) -> tuple[list[Hop], Field | None]:
    """The fields along a pointer, and on through what is flattened, and the last of them.

    One that is flattened is passed without a key.
    """
    hops: list[Hop] = []
    here, left = [model.struct(struct)], list(pointer)
    last: Field | None = None
    while found := _step(here, left[0] if left else None):
        last = found
        if not found.flatten:
            left.pop(0)
        declared = model.declarations[found.type.name] if isinstance(found.type, Ref) else None
        inner = [model.struct(name) for name in structs_of(declared.dispatch)] if isinstance(declared, Union) else []
        inner = [declared] if isinstance(declared, Struct) else inner
        here = [each for each in inner if _step([each], left[0] if left else None)]
        loose = not here and override(found.about, "type") == "any"
        variants = tuple(names.type(each.name) for each in here) if isinstance(declared, Union) else ()
        hops.append(Hop(names.field(found), variants, loose))
    return hops, last


def _step(structs: list[Struct], key: str | None) -> Field | None:
    """The field of a key, or the one that is flattened, in which the key may be, or which is the end of a pointer."""
    fields = [each for struct in structs for each in struct.wire_fields]
    own = next((each for each in fields if each.name == key and not each.flatten), None)
    return own or next((each for each in fields if each.flatten), None)


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
