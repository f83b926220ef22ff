"""The plan's controls and tools → Go: what ties a request to the type of its answer, and a tool's name to its types."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Ref
from polywire.plan import Plan
from polywire.plan.controls import ControlsPlan, PairPlan, ToolPlan, Way
from polywire.targets.go.codecs import reader, writer
from polywire.targets.go.construct import Constructors
from polywire.targets.go.declarations import TagValue
from polywire.targets.go.layout import quoted
from polywire.targets.go.names import Names, override
from polywire.targets.go.shapes import Shape, Shapes
from polywire.targets.go.tables import rule
from polywire.targets.go.unions import FlatStruct


@dataclass(frozen=True, slots=True)
class PairView:
    """A request and its answer."""

    request: str
    go: str
    """The Go type of the answer."""
    answer: str
    """How it travels."""
    own: str
    """What the request is called in the method that makes a flat struct of it."""
    tags: tuple[TagValue, ...]
    """The constants that the flat struct needs."""


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
    pairs: tuple[PairView, ...]


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool: the condition under which it is meant, and the type."""

    condition: str
    type: str


@dataclass(frozen=True, slots=True)
class ToolsView:
    """The function that decodes inputs or outputs of tools."""

    kind: str
    go: str
    """What it takes."""
    tools: tuple[ToolView, ...]


def controls_view(
    plan: Plan, names: Names, shapes: Shapes, makers: Constructors, flats: dict[str, FlatStruct]
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
        pairs=tuple(_pair(pair, answer, names, flats.get(payload.go)) for pair, answer in _answers(controls, shapes)),
    )


def _answers(controls: ControlsPlan, shapes: Shapes) -> list[tuple[PairPlan, Shape | None]]:
    """The pairs, with the shape of each answer that has a payload."""
    found: list[tuple[PairPlan, Shape | None]] = []
    for pair in controls.pairs:
        if pair.response is None:
            found.append((pair, None))
            continue
        shape = shapes.of(pair.response)
        if pair.optional and shape.form == "plain":
            shape = Shape("nullable", f"*{shape.go}", "nil", item=shape)
        found.append((pair, shapes.need(shape)))
    return found


def _pair(pair: PairPlan, answer: Shape | None, names: Names, flat: FlatStruct | None) -> PairView:
    own = names.own(pair.request.name)
    how, go = "answer[None]{optional: true}", "None"
    if answer is not None:
        optional = "true" if pair.optional else "false"
        go = answer.go
        how = f"answer[{go}]{{{rule(pair.operation)}, {optional}, {reader(answer)}, {writer(answer)}}}"
    leaves = flat.leaves if flat is not None else []
    tags = next((leaf.tags for leaf in leaves if leaf.own == own), ())
    return PairView(names.type(pair.request.name), go, how, own, tuple(TagValue(*each) for each in tags))


def _unwrap(way: Way, names: Names) -> UnwrapView:
    fields = [names.field(step.field) for step in way]
    loose = override(way[-1].field.about, "type") == "any"
    union = next((at for at, step in enumerate(way) if step.union is not None), None)
    if union is None:
        return UnwrapView(".".join(fields), (), "", loose)
    variants = tuple(names.type(each.name) for each in way[union].holders)
    return UnwrapView(".".join(fields[:union]), variants, ".".join(fields[union:]), loose)


def tools_views(plan: Plan) -> tuple[ToolsView, ...]:
    """Inputs and outputs of tools."""
    return (
        ToolsView("Input", "map[string]any", _tools(plan.tools.inputs)),
        ToolsView("Output", "any", _tools(plan.tools.outputs)),
    )


def _tools(tools: tuple[ToolPlan, ...]) -> tuple[ToolView, ...]:
    return tuple(ToolView(_condition(each), quoted(each.type.name)) for each in tools if isinstance(each.type, Ref))


def _condition(tool: ToolPlan) -> str:
    pattern = quoted(tool.tool.pattern)
    return f"glob({pattern}, name)" if tool.is_pattern else f"name == {pattern}"
