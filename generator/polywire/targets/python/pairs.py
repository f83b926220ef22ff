"""Controls and tools of the plan → tables that tie a request to the type of its answer, a tool's name to its types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from polywire.model.nodes import Ref
from polywire.plan import Plan
from polywire.plan.controls import PairPlan, ToolPlan, Way
from polywire.targets.python.annotations import Annotations, alternatives
from polywire.targets.python.construct import Node, node
from polywire.targets.python.names import Names
from polywire.targets.python.table import Rows


@dataclass(frozen=True, slots=True)
class Pair:
    """A control as type checkers see it."""

    request: str
    annotation: str
    mentions: frozenset[str]


@dataclass(frozen=True, slots=True)
class ErrorView:
    """Where a response says that there is no answer, and why."""

    way: tuple[str, ...]
    """Attributes that lead to the object that says so."""
    classes: tuple[str, ...]
    message: str
    made: Node


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
    pairs: tuple[Pair, ...]
    request: Node
    response: Node
    error: ErrorView | None
    draws_uuid: bool
    """Whether an envelope has a UUID of its own besides its id."""

    @property
    def results(self) -> tuple[str, ...]:
        """The types that answers have, each once."""
        members = [member for pair in self.pairs for member in alternatives(pair.annotation)]
        return tuple(dict.fromkeys(each for each in members if each != "None")) or ("None",)

    @property
    def classes(self) -> frozenset[str]:
        """The classes that envelopes are made of."""
        made = (self.request, self.response, *([self.error.made] if self.error else []))
        return frozenset({self.envelope}).union(*(each.classes for each in made))

    @property
    def mentions(self) -> frozenset[str]:
        """What signatures name."""
        named = {self.envelope, self.response_envelope, self.payload_type}
        return frozenset(named).union(*(pair.mentions | {pair.request} for pair in self.pairs))


@dataclass(frozen=True, slots=True)
class ToolsView:
    """One direction of the tools: inputs or outputs."""

    exact: dict[str, object]
    patterns: dict[str, object]
    typed: tuple[tuple[str, str], ...]
    """Name and type of the tools that are named exactly."""
    mentions: frozenset[str]


def controls_view(plan: Plan, names: Names, annotations: Annotations) -> ControlsView | None:
    """The controls, if the protocol has any."""
    if plan.controls is None:
        return None
    request, response, error = plan.controls.request, plan.controls.response, plan.controls.error
    payload, rows = request.payload[-1].field.type, Rows(plan, names)
    refusal = None
    if error is not None:
        refusal = ErrorView(
            way=_attributes(error.way, names),
            classes=tuple(names.type(struct.name) for struct in error.structs),
            message=names.field(error.message),
            made=node(error.made, {"id": "request_id", "message": "message"}, names),
        )
    draws = request.made.draws_uuid or response.made.draws_uuid or (error is not None and error.made.draws_uuid)
    return ControlsView(
        envelope=names.type(request.struct.name),
        response_envelope=names.type(response.struct.name),
        payload=_attributes(request.payload, names),
        payload_type=names.type(payload.name) if isinstance(payload, Ref) else "Any",
        id=_attributes(request.id, names),
        result=_attributes(response.payload, names),
        result_flat=response.is_flat,
        pointer="".join(f"/{key}" for key in response.pointer),
        table={
            names.type(each.request.name): (
                None if each.response is None else rows.type(each.response),
                each.optional,
            )
            for each in plan.controls.pairs
        },
        pairs=tuple(_pair(each, names, annotations) for each in plan.controls.pairs),
        request=node(request.made, {"id": "request_id", "payload": "payload"}, names),
        response=node(response.made, {"id": "request_id", "payload": "answer"}, names),
        error=refusal,
        draws_uuid=draws,
    )


def _pair(planned: PairPlan, names: Names, annotations: Annotations) -> Pair:
    response = planned.response
    annotation = "None" if response is None else annotations.of(response, nullable=planned.optional)
    mentions = frozenset[str]() if response is None else annotations.mentions(response)
    return Pair(names.type(planned.request.name), annotation, mentions)


def _attributes(way: Way, names: Names) -> tuple[str, ...]:
    return tuple(names.field(step.field) for step in way)


def tools_view(plan: Plan, names: Names, annotations: Annotations) -> dict[str, ToolsView]:
    """Inputs and outputs of tools."""
    rows = Rows(plan, names)
    return {
        "input": _tools(plan.tools.inputs, rows, annotations),
        "output": _tools(plan.tools.outputs, rows, annotations),
    }


def _tools(planned: Iterable[ToolPlan], rows: Rows, annotations: Annotations) -> ToolsView:
    tools = tuple(planned)
    exact = [each for each in tools if not each.is_pattern]
    return ToolsView(
        exact={each.tool.pattern: rows.type(each.type) for each in exact},
        patterns={each.tool.pattern: rows.type(each.type) for each in tools if each.is_pattern},
        typed=tuple((each.tool.pattern, annotations.of(each.type)) for each in exact),
        mentions=frozenset().union(*(annotations.mentions(each.type) for each in exact)),
    )
