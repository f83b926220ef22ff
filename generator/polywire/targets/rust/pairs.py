"""Controls and tools of the plan → what ties a request to the type of its answer, and a tool's name to its types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from polywire.model.nodes import Struct, Union
from polywire.plan import Plan
from polywire.plan.controls import ControlsPlan, PairPlan, Step, ToolPlan, Way
from polywire.targets.naming import identifier, pascal, words
from polywire.targets.rust.construct import Constructors, ObjectView
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import deprecation, doc, quoted, signature, variant
from polywire.targets.rust.names import Names, variant_types
from polywire.targets.rust.shapes import LARGEST, Shapes
from polywire.targets.rust.source import Tables

How: TypeAlias = Literal["none", "option", "flat", "one"]
"""How an envelope holds an answer: not at all, or it may lack it; `flat` has its members beside others."""


@dataclass(frozen=True, slots=True)
class PairView:
    """A request and its answer."""

    request: str
    answer: str
    how: How
    rule: str | None


@dataclass(frozen=True, slots=True)
class Hop:
    """A field on the way to an answer, and the pattern of what it has to hold."""

    field: str
    pattern: str
    refutable: bool


@dataclass(frozen=True, slots=True)
class FunctionView:
    """A function that makes an envelope."""

    signature: str
    objects: tuple[ObjectView, ...]


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses find each other."""

    requests: str
    """The union of all requests."""
    payload: str
    """The Rust type of an answer on the wire."""
    pointer: str
    """A literal."""
    pairs: tuple[PairView, ...]
    wrap_request: FunctionView
    wrap_response: FunctionView
    unwrap_response: str
    """The signature."""
    hops: tuple[Hop, ...]
    held: str
    """An expression: the payload, if there is one."""


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool."""

    variant: str
    line: str
    condition: str
    rule: str
    doc: str
    deprecation: str | None


@dataclass(frozen=True, slots=True)
class ToolsView:
    """The enum of what tools take, or of what they give."""

    kind: Literal["Input", "Output"]
    tools: tuple[ToolView, ...]


@dataclass(frozen=True, slots=True)
class PairsFileView:
    """What `pairs.rs` says."""

    controls: ControlsView | None
    tools: tuple[ToolsView, ...]


class Pairs:
    """The controls and tools of a plan."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes, tables: Tables, constructors: Constructors) -> None:
        self._plan = plan
        self._names = names
        self._shapes = shapes
        self._tables = tables
        self._constructors = constructors

    def file(self) -> PairsFileView | None:
        """Everything, if the protocol has any."""
        controls = None if self._plan.controls is None else self._controls(self._plan.controls)
        tools = tuple(each for each in self._tools() if each.tools)
        return PairsFileView(controls, tools) if controls is not None or tools else None

    # Controls.

    def _controls(self, plan: ControlsPlan) -> ControlsView:
        request, response = (self._names.type(each.struct.name) for each in (plan.request, plan.response))
        answer = plan.response.payload[-1]
        request_objects = self._constructors.envelope(
            plan.request.made, {"id": "id.into()", "payload": "request.into()"}
        )
        response_objects = self._constructors.envelope(
            plan.response.made, {"id": "id.into()", "payload": "answer"}, "answer"
        )
        return ControlsView(
            requests=self._shapes.of(plan.request.payload[-1].field.type),
            payload=self._shapes.of(answer.field.type),
            pointer=quoted("".join(f"/{key}" for key in plan.response.pointer)),
            pairs=tuple(self._pair(each, is_flat=plan.response.is_flat) for each in plan.pairs),
            wrap_request=FunctionView(
                signature(
                    "pub fn wrap_request", ["id: impl Into<String>", "request: impl Control"], f" -> {request} {{", 0
                ),
                request_objects,
            ),
            wrap_response=FunctionView(
                signature(
                    "pub fn wrap_response<R: Control>",
                    ["id: impl Into<String>", "answer: &R::Answer"],
                    f" -> Result<{response}, EncodeError> {{",
                    0,
                ),
                response_objects,
            ),
            unwrap_response=signature(
                "pub fn unwrap_response<R: Control>",
                [f"response: &{response}"],
                " -> Result<R::Answer, AnswerError> {",
                0,
            ),
            hops=tuple(self._hops(plan.response.payload)),
            held=self._held(answer),
        )

    def _pair(self, pair: PairPlan, *, is_flat: bool) -> PairView:
        request = self._names.type(pair.request.name)
        if pair.response is None:
            return PairView(request, "()", "none", None)
        type_, rule = self._shapes.of(pair.response), self._tables.rule(pair.operation)
        if pair.optional:
            return PairView(request, f"Option<{type_}>", "option", rule)
        return PairView(request, type_, "flat" if is_flat else "one", rule)

    def _hops(self, way: Way) -> Iterator[Hop]:
        """What leads into the struct that has the last field."""
        for step, then in pairwise(way):
            pattern = self._variant(then)
            match self._shapes.presence(step.field):
                case "required":
                    some = pattern
                case "presence":
                    some = f"Presence::Present({pattern})"
                case _:
                    some = f"Some({pattern})"
            yield Hop(self._names.field(step.field), some, some != "response")

    def _variant(self, step: Step) -> str:
        """The pattern that binds the first of the structs that a step starts from."""
        declared = None if step.union is None else self._plan.unions[step.union].union
        return "response" if declared is None else self._pattern(declared, step.holders[0])

    def _pattern(self, union: Union, struct: Struct) -> str:
        for name in variant_types(union.dispatch):
            if name == struct.name:
                inner = "response"
            elif name in self._plan.unions and struct.name in self._plan.unions[name].structs:
                inner = self._pattern(self._plan.unions[name].union, struct)
            else:
                continue
            return f"{self._names.type(union.name)}::{self._names.variant(union, name)}({inner})"
        raise LookupError(f"{struct.name} is no variant of {union.name}")

    def _held(self, step: Step) -> str:
        place = f"response.{self._names.field(step.field)}"
        match self._shapes.presence(step.field):
            case "required":
                return f"Some(&{place})"
            case "presence":
                return f"{place}.value()"
            case _:
                return f"{place}.as_ref()"

    # Tools.

    def _tools(self) -> Iterator[ToolsView]:
        yield ToolsView("Input", tuple(map(self._tool, self._plan.tools.inputs)))
        yield ToolsView("Output", tuple(map(self._tool, self._plan.tools.outputs)))

    def _tool(self, plan: ToolPlan) -> ToolView:
        tool, type_ = plan.tool, self._shapes.of(plan.type)
        name, pattern = identifier(pascal(words(tool.pattern)), (), "Tool"), quoted(tool.pattern)
        held = f"Box<{type_}>" if self._shapes.size(plan.type) > LARGEST else type_
        return ToolView(
            variant=name,
            line=variant(name, held),
            condition=f"glob({pattern}, name)" if plan.is_pattern else f"name == {pattern}",
            rule=self._tables.rule(plan.operation),
            doc=doc(documentation(tool.about, f"The input or output of `{tool.pattern}`."), 4),
            deprecation=deprecation(tool.about.deprecated, 4),
        )
