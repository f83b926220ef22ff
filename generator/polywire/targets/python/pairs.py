"""Controls and tools of the plan → tables that tie a request to the type of its answer, a tool's name to its types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from polywire.model.nodes import Ref
from polywire.plan import Plan
from polywire.plan.controls import PairPlan, ToolPlan, Way
from polywire.targets.python.construct import Node, node
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
    draws_uuid: bool
    """Whether an envelope has a UUID of its own besides its id."""


@dataclass(frozen=True, slots=True)
class ToolsView:
    """One direction of the tools: inputs or outputs."""

    exact: dict[str, object]
    patterns: dict[str, object]
    typed: tuple[tuple[str, str], ...]
    """Name and type of the tools that are named exactly."""


def controls_view(plan: Plan, names: Names, shapes: Shapes) -> ControlsView | None:
    """The controls, if the protocol has any."""
    if plan.controls is None:
        return None
    request, response, pairs = plan.controls.request, plan.controls.response, plan.controls.pairs
    payload = request.payload[-1].field.type
    answers = [each.response.name for each in pairs if isinstance(each.response, Ref)]
    return ControlsView(
        envelope=names.type(request.struct.name),
        response_envelope=names.type(response.struct.name),
        payload=_attributes(request.payload, names),
        payload_type=names.type(payload.name) if isinstance(payload, Ref) else "Any",
        id=_attributes(request.id, names),
        result=_attributes(response.payload, names),
        result_flat=response.is_flat,
        pointer="".join(f"/{key}" for key in response.pointer),
        table={f"_model.{names.type(each.request.name)}": (each.operation, each.optional) for each in pairs},
        types={name: f"_model.{names.type(name)}" for name in answers},
        pairs=tuple(_pair(each, names, shapes) for each in pairs),
        request=node(request.made, {"id": "request_id", "payload": "payload"}, names),
        response=node(response.made, {"id": "request_id", "payload": "answer"}, names),
        draws_uuid=request.made.draws_uuid or response.made.draws_uuid,
    )


def _pair(planned: PairPlan, names: Names, shapes: Shapes) -> Pair:
    response = planned.response
    annotation = "None" if response is None else shapes.annotation(response, nullable=planned.optional)
    return Pair(names.type(planned.request.name), annotation)


def _attributes(way: Way, names: Names) -> tuple[str, ...]:
    return tuple(names.field(step.field) for step in way)


def tools_view(plan: Plan, shapes: Shapes) -> dict[str, ToolsView]:
    """Inputs and outputs of tools."""
    return {"input": _tools(plan.tools.inputs, shapes), "output": _tools(plan.tools.outputs, shapes)}


def _tools(planned: Iterable[ToolPlan], shapes: Shapes) -> ToolsView:
    tools = tuple(planned)
    exact = [each for each in tools if not each.is_pattern]
    return ToolsView(
        exact={each.tool.pattern: each.operation for each in exact},
        patterns={each.tool.pattern: each.operation for each in tools if each.is_pattern},
        typed=tuple((each.tool.pattern, shapes.annotation(each.type)) for each in exact),
    )
