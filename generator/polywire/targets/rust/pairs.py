"""Controls and tools of the plan → what ties a request to the type of its answer, and a tool's name to its types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from polywire.model.nodes import Field, Struct, Union
from polywire.model.walk import refs, without_alias
from polywire.plan import Plan
from polywire.plan.controls import ControlsPlan, ErrorPlan, PairPlan, Step, ToolPlan, Way
from polywire.targets.naming import identifier, pascal, words
from polywire.targets.rust.construct import Constructors, ObjectView
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import arm, deprecation, doc, quoted, signature, variant
from polywire.targets.rust.names import Names, variant_types
from polywire.targets.rust.shapes import COPIED, Shapes
from polywire.targets.rust.source import Tables

How: TypeAlias = Literal["none", "option", "flat", "one"]
"""How an envelope holds an answer: not at all, or it may lack it; `flat` has its members beside others."""


@dataclass(frozen=True, slots=True)
class PairView:
    """A request and its answer."""

    request: str
    pattern: str
    """Of the values of the union of requests that hold it."""
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
class EnvelopeView:
    """The methods of a request's envelope, if fields lead to its id and its request."""

    name: str
    id: str
    request: str
    """This and the one before are expressions."""
    reply: str
    """The signature."""


@dataclass(frozen=True, slots=True)
class RefusalView:
    """What a response holds in the place of an answer."""

    type: str
    is_response: bool
    """Whether its envelope is that of answers."""
    hops: tuple[Hop, ...]
    place: str
    """The field of the object that says so."""
    arms: tuple[str, ...]
    """What the object may be: patterns, with the expression of the error."""
    made: tuple[ObjectView, ...]
    """A new one."""


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
    envelope: EnvelopeView | None
    refusal: RefusalView | None
    response: str
    """The type of the response's envelope."""
    decode_response: str
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
        answer, requests = plan.response.payload[-1], self._union_of(plan.request.payload[-1].field)
        request_objects = self._constructors.envelope(
            plan.request.made, {"id": "id.into()", "payload": "request.into_request()"}
        )
        response_objects = self._constructors.envelope(
            plan.response.made, {"id": "id.into()", "payload": "answer"}, "answer"
        )
        envelope = self._envelope(plan, response)
        id_ = f"id: impl Into<{self._shapes.of(plan.request.id[-1].field.type)}>"
        return ControlsView(
            requests=self._shapes.of(plan.request.payload[-1].field.type),
            payload=self._shapes.of(answer.field.type),
            pointer=quoted("".join(f"/{key}" for key in plan.response.pointer)),
            pairs=tuple(self._pair(each, requests, is_flat=plan.response.is_flat) for each in plan.pairs),
            wrap_request=FunctionView(
                signature("pub fn wrap_request", [id_, "request: impl Control"], f" -> {request} {{", 0),
                request_objects,
            ),
            wrap_response=FunctionView(
                signature(
                    "pub fn wrap_response<R: Control>",
                    [id_, "answer: &R::Answer"],
                    f" -> Result<{response}, EncodeError> {{",
                    0,
                ),
                response_objects,
            ),
            envelope=envelope,
            refusal=None if plan.error is None else self._refusal(plan.error, envelope, plan.response.struct),
            response=response,
            decode_response=signature(
                "pub fn decode_response<R: Control>",
                [f"response: &{response}"],
                " -> Result<R::Answer, ControlError> {",
                0,
            ),
            hops=tuple(self._hops(plan.response.payload)),
            held=self._held(answer),
        )

    def _union_of(self, field: Field) -> Union:
        (name,) = refs(without_alias(field.type, self._plan.model.declarations))
        return self._plan.unions[name].union

    def _pair(self, pair: PairPlan, requests: Union, *, is_flat: bool) -> PairView:
        request = self._names.type(pair.request.name)
        pattern = self._pattern(requests, pair.request, "_")
        if pair.response is None:
            return PairView(request, pattern, "()", "none", None)
        type_, rule = self._shapes.of(pair.response), self._tables.rule(pair.operation)
        if pair.optional:
            return PairView(request, pattern, f"Option<{type_}>", "option", rule)
        return PairView(request, pattern, type_, "flat" if is_flat else "one", rule)

    def _envelope(self, plan: ControlsPlan, response: str) -> EnvelopeView | None:
        id_, request = self._fields(plan.request.id), self._fields(plan.request.payload)
        if id_ is None or request is None:
            return None
        value = id_ if self._shapes.of(plan.id_type) in COPIED else f"{id_}.clone()"
        reply = signature(
            "pub fn reply<R: Control>",
            ["&self", "request: &R", "answer: impl Into<R::Answer>"],
            f" -> Result<{response}, EncodeError> {{",
        )
        return EnvelopeView(self._names.type(plan.request.struct.name), value, request, reply)

    def _fields(self, way: Way) -> str | None:
        """The expression of what required fields lead to; None if a variant or an optional field is on the way."""
        place = "self"
        for step in way:
            if step.union is not None or self._shapes.field(step.field) != self._shapes.of(step.field.type):
                return None
            place = f"{place}.{self._names.field(step.field)}"
        return place

    def _refusal(self, plan: ErrorPlan, envelope: EnvelopeView | None, response: Struct) -> RefusalView:
        arms = tuple(arm(pattern, f"Err(refused({told}, {of}))", 8) for pattern, told, of in self._refusals(plan))
        place = (plan.way or plan.message)[-1].field
        passed = {"id": "" if envelope is None else envelope.id, "message": "message.into()"}
        fixed = {} if plan.refused is None else {"code": plan.refused}
        return RefusalView(
            type=self._names.type(plan.struct.name),
            is_response=plan.struct == response,
            hops=tuple(self._hops(plan.way)),
            place=self._names.field(place),
            arms=arms,
            made=self._constructors.envelope(plan.made, passed, fixed=fixed),
        )

    def _refusals(self, plan: ErrorPlan) -> Iterator[tuple[str, str, str]]:
        """What a field holds that refuses: a pattern, the text for people in it, and what is kept of it all."""
        told = plan.message[-1]
        message = self._names.field(told.field)
        if not plan.way:
            yield self._some(told.field, "message"), "message", "response"
            return
        last = plan.way[-1].field
        if told.union is None:
            yield self._some(last, "error"), f"&error.{message}", "error"
            return
        for struct in plan.structs:
            same = (told.field.name, told.field.type, True)
            if any((each.name, each.type, each.required) == same for each in struct.wire_fields):
                pattern = self._pattern(self._union_of(last), struct, "error")
                yield self._some(last, pattern), f"&error.{message}", "error"

    def _hops(self, way: Way) -> Iterator[Hop]:
        """What leads into the struct that has the last field."""
        for step, then in pairwise(way):
            some = self._some(step.field, self._variant(then))
            yield Hop(self._names.field(step.field), some, some != "response")

    def _some(self, field: Field, pattern: str) -> str:
        """The pattern of a field that holds a value of a pattern."""
        match self._shapes.presence(field):
            case "required":
                return pattern
            case "presence":
                return f"Presence::Present({pattern})"
            case _:
                return f"Some({pattern})"

    def _variant(self, step: Step) -> str:
        """The pattern that binds the first of the structs that a step starts from."""
        declared = None if step.union is None else self._plan.unions[step.union].union
        return "response" if declared is None else self._pattern(declared, step.holders[0], "response")

    def _pattern(self, union: Union, struct: Struct, bound: str) -> str:
        for name in variant_types(union.dispatch):
            if name == struct.name:
                inner = bound
            elif name in self._plan.unions and struct.name in self._plan.unions[name].structs:
                inner = self._pattern(self._plan.unions[name].union, struct, bound)
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
        held = f"Box<{type_}>" if self._shapes.holds_struct(plan.type) else type_
        return ToolView(
            variant=name,
            line=variant(name, held),
            condition=f"glob({pattern}, name)" if plan.is_pattern else f"name == {pattern}",
            rule=self._tables.rule(plan.operation),
            doc=doc(documentation(tool.about, f"The input or output of `{tool.pattern}`."), 4),
            deprecation=deprecation(tool.about.deprecated, 4),
        )
