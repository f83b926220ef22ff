"""The plan's controls and tools → Go: what ties a request to the type of its answer, and a tool's name to its types."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Ref
from polywire.plan import Plan
from polywire.plan.controls import ErrorPlan, PairPlan, ToolPlan, Way
from polywire.targets.go.construct import Constructors
from polywire.targets.go.layout import quoted
from polywire.targets.go.names import Names, override
from polywire.targets.go.shapes import Shapes
from polywire.targets.go.tables import Tables


@dataclass(frozen=True, slots=True)
class PairView:
    """A request and its answer."""

    request: str
    go: str
    """The Go type of the answer."""
    answer: str
    """How it travels."""
    rule: str
    """The request."""


@dataclass(frozen=True, slots=True)
class UnwrapView:
    """The way to an answer in its envelope."""

    selector: str
    """The fields as far as the first union, or to the end."""
    variants: tuple[str, ...]
    """The variants that lead on, as Go types."""
    rest: str
    """The fields behind them."""
    loose: bool
    """Whether the last field holds any value, rather than a map that may be nil."""


@dataclass(frozen=True, slots=True)
class RefusalView:
    """How a request is refused."""

    go: str
    message: str
    """The variant of a response, and its field."""
    statements: tuple[str, ...]
    """They fill an envelope `x`."""


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses find each other."""

    envelope: str
    response_envelope: str
    request_id: str
    response_id: str
    """The Go types of the ids."""
    payload_go: str
    payload_flat: bool
    """Whether requests travel in a flat struct."""
    uses_uuid: bool
    wrap_request: tuple[str, ...]
    wrap_response: tuple[str, ...]
    """Statements that fill an envelope `x`."""
    unwrap: UnwrapView
    flat: bool
    """Whether an answer's members stand beside others."""
    to_id: str
    to_payload: str
    """The fields of a request's envelope that have its id and the request; empty if they are behind a union."""
    refusal: RefusalView | None
    pairs: tuple[PairView, ...]


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool: the condition under which it is meant, and the type."""

    condition: str
    rule: str
    typ: str


@dataclass(frozen=True, slots=True)
class ToolsView:
    """The function that decodes inputs or outputs of tools."""

    kind: str
    go: str
    """What it takes."""
    tools: tuple[ToolView, ...]


def controls_view(
    plan: Plan, names: Names, shapes: Shapes, makers: Constructors, tables: Tables
) -> ControlsView | None:
    """The controls, if the protocol has any."""
    controls = plan.controls
    if controls is None:
        return None
    payload = shapes.of(controls.request.payload[-1].field.type)
    return ControlsView(
        envelope=names.type(controls.request.struct.name),
        response_envelope=names.type(controls.response.struct.name),
        request_id=makers.type_of(controls.request.made, "id"),
        response_id=makers.type_of(controls.response.made, "id"),
        payload_go=payload.go,
        payload_flat=payload.struct,
        uses_uuid=controls.request.made.draws_uuid or controls.response.made.draws_uuid,
        wrap_request=makers.statements(controls.request.made, {"id": "id", "payload": "request.payload()"}),
        wrap_response=makers.statements(controls.response.made, {"id": "id", "payload": "payload"}),
        unwrap=_unwrap(controls.response.payload, names),
        flat=controls.response.is_flat,
        to_id=_plain(controls.request.id, names),
        to_payload=_plain(controls.request.payload, names),
        refusal=_refusal(controls.error, names, makers),
        pairs=tuple(_pair(pair, shapes, names, tables) for pair in controls.pairs),
    )


def _plain(way: Way, names: Names) -> str:
    """The fields along a way that passes no union."""
    return "" if any(step.union for step in way) else ".".join(names.field(step.field) for step in way)


def _refusal(refusal: ErrorPlan | None, names: Names, makers: Constructors) -> RefusalView | None:
    if refusal is None:
        return None
    statements = makers.statements(refusal.made, {"id": "id", "message": "message"})
    return RefusalView(names.type(refusal.structs[0].name), names.field(refusal.message), statements)


def _pair(pair: PairPlan, shapes: Shapes, names: Names, tables: Tables) -> PairView:
    of = tables.of(pair.request.name)
    how, go = f"answer[None]{{request: {of}, optional: true}}", "None"
    if pair.response is not None:
        shape = shapes.of(pair.response)
        go = f"*{shape.go}" if pair.optional and shape.form == "plain" else shape.go
        how = f"answer[{go}]{{{of}, {tables.rule(pair.response)}, {'true' if pair.optional else 'false'}}}"
    return PairView(names.type(pair.request.name), go, how, of)


def _unwrap(way: Way, names: Names) -> UnwrapView:
    fields = [names.field(step.field) for step in way]
    loose = override(way[-1].field.about, "type") == "any"
    union = next((at for at, step in enumerate(way) if step.union is not None), None)
    if union is None:
        return UnwrapView(".".join(fields), (), "", loose)
    variants = tuple(names.type(each.name) for each in way[union].holders)
    return UnwrapView(".".join(fields[:union]), variants, ".".join(fields[union:]), loose)


def tools_views(plan: Plan, tables: Tables) -> tuple[ToolsView, ...]:
    """Inputs and outputs of tools."""
    return (
        ToolsView("Input", "map[string]any", _tools(plan.tools.inputs, tables)),
        ToolsView("Output", "any", _tools(plan.tools.outputs, tables)),
    )


def _tools(tools: tuple[ToolPlan, ...], tables: Tables) -> tuple[ToolView, ...]:
    named = {each.rule: each.typ for each in tables.named()}
    return tuple(
        ToolView(_condition(each), rule, named[rule])
        for each in tools
        if isinstance(each.type, Ref)
        for rule in (tables.of(each.type.name),)
    )


def _condition(tool: ToolPlan) -> str:
    pattern = quoted(tool.tool.pattern)
    return f"glob({pattern}, name)" if tool.is_pattern else f"name == {pattern}"
