"""Controls and tools → tables that tie a request to the type of its answer, and a tool's name to its types."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Field, Model, Ref, Struct, Type, Union
from polywire.plan.rows import type_code
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
    result_flat: bool
    """Whether the answer's members stand beside others, so that one without members is as good as absent."""
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
    wanted = frozenset(control.request for control in model.controls)
    payload = _steps(model, names, request.struct, request.payload, wanted)
    last = payload[-1].type if payload else None
    result = _result_steps(model, names, response.struct, response.payload)
    return ControlsView(
        envelope=names.type(request.struct),
        response_envelope=names.type(response.struct),
        payload=tuple(step.attribute for step in payload),
        payload_type=names.type(last.name) if isinstance(last, Ref) else "Any",
        id=tuple(step.attribute for step in _steps(model, names, request.struct, request.id, frozenset())),
        result=tuple(step.attribute for step in result),
        result_flat=bool(result) and result[-1].flat,
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


@dataclass(frozen=True, slots=True)
class _Step:
    """One attribute on the way along a pointer, and the type of its value."""

    attribute: str
    type: Type
    flat: bool = False


def _steps(model: Model, names: Names, struct: str, pointer: tuple[str, ...], wanted: frozenset[str]) -> list[_Step]:
    """The attributes along a pointer, through whichever variants have them, and through what is flattened.

    A flattened value has no key of its own: it is entered where it has the next key, or at the end where it is one of
    the structs that are wanted.
    """
    found: list[_Step] = []
    structs = [model.struct(struct)]
    for key in (*pointer, None):
        fields = _fields(structs, key)
        if not fields:
            flat = [field for each in structs for field in each.wire_fields if field.flatten]
            inner = [each for field in flat for each in _structs(model, field.type)]
            enters = bool(_fields(inner, key)) if key is not None else any(each.name in wanted for each in inner)
            if enters:
                found.append(_Step(names.field(flat[0]), flat[0].type, flat=True))
                structs = inner
            fields = _fields(structs, key)
        if fields:
            found.append(_Step(names.field(fields[0]), fields[0].type))
            structs = [each for field in fields for each in _structs(model, field.type)]
    return found


def _result_steps(model: Model, names: Names, struct: str, pointer: tuple[str, ...]) -> list[_Step]:
    """The attributes along a pointer to an answer, and on through what is flattened to what is kept untouched."""
    found = _steps(model, names, struct, pointer, frozenset())
    structs = _structs(model, found[-1].type) if found else [model.struct(struct)]
    while flat := [field for each in structs for field in each.wire_fields if field.flatten]:
        found.append(_Step(names.field(flat[0]), flat[0].type, flat=True))
        structs = [each for field in flat for each in _structs(model, field.type)]
    return found


def _fields(structs: list[Struct], key: str | None) -> list[Field]:
    return [field for each in structs for field in each.wire_fields if field.name == key and not field.flatten]


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
