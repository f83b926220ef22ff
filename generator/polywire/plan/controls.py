"""Controls and tools → how a request and its answer travel: the ways to their places, the envelopes around new ones.

A pointer of the spec names keys on the wire. A `Way` is the same in terms of fields: it also passes through fields that
are flattened, which have no key, and says behind a union which variants lead on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from polywire.model.nodes import Control, Envelope, Field, Model, Ref, Scalar, Struct, Tool, Type, Union
from polywire.model.walk import structs_of, without_alias
from polywire.plan.fill import Filled, Made, Pointer, fill
from polywire.plan.rows import type_code


@dataclass(frozen=True, slots=True)
class Step:
    """One field on a way."""

    field: Field
    holders: tuple[Struct, ...]
    """The structs that have it: the envelope, the struct behind the step before, or variants of the union there."""
    union: str | None = None
    """That union."""


Way = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class EnvelopePlan:
    """A request's or a response's envelope."""

    struct: Struct
    id: Way
    payload: Way
    """To the request, or to the answer: that ends where the answer is kept untouched."""
    pointer: Pointer
    """The place of the payload, as keys on the wire."""
    made: Made = field(hash=False)
    """A new envelope of a given `id` and `payload`."""

    @property
    def is_flat(self) -> bool:
        """Whether the payload's members stand beside others, so that one without members is as good as absent."""
        return bool(self.payload) and self.payload[-1].field.flatten

    @property
    def unfilled(self) -> tuple[Filled, ...]:
        """The members that have to be there and that nothing fills: `lint` refuses an envelope that has any."""
        return self.made.asked


@dataclass(frozen=True, slots=True)
class ErrorPlan:
    """What a response carries instead of an answer: the object beside those that can hold one."""

    way: Way
    """To that object."""
    structs: tuple[Struct, ...]
    """What it can be; the first is what a refusal makes."""
    message: Field
    """The field of it with the text for people."""
    made: Made = field(hash=False)
    """A new response of a given `id` and `message`."""


@dataclass(frozen=True, slots=True)
class PairPlan:
    """A request and the type of its answer."""

    control: Control
    request: Struct
    response: Type | None
    optional: bool
    """Whether the answer may come without a payload."""
    operation: object = field(default=None, hash=False)
    """How the answer is decoded (`polywire.plan.rows`); None where there is none."""


@dataclass(frozen=True, slots=True)
class ControlsPlan:
    """Everything that pairs requests with responses."""

    by: str
    """The discriminator of requests."""
    request: EnvelopePlan
    response: EnvelopePlan
    error: ErrorPlan | None
    """What says that there is no answer, if the protocol has such a thing."""
    pairs: tuple[PairPlan, ...]


@dataclass(frozen=True, slots=True)
class ToolPlan:
    """A tool's name, or a pattern of names, with the type of its input or output."""

    tool: Tool
    type: Type
    operation: object = field(hash=False)

    @property
    def is_pattern(self) -> bool:
        """Whether `*` in its name stands for any text."""
        return "*" in self.tool.pattern


@dataclass(frozen=True, slots=True)
class ToolsPlan:
    """The typed inputs and outputs of tools, those named exactly before patterns."""

    inputs: tuple[ToolPlan, ...]
    outputs: tuple[ToolPlan, ...]


def controls_plan(model: Model) -> ControlsPlan | None:
    """The controls, if the protocol has any and its pointers lead somewhere (else `lint` says so)."""
    request, response = model.protocol.request, model.protocol.response
    if request is None or response is None or not model.controls:
        return None
    requests = frozenset(control.request for control in model.controls)
    asks = _envelope(model, request, _request_way(model, request, requests))
    answers = _envelope(model, response, _answer_way(model, response))
    if asks is None or answers is None:
        return None
    pairs = tuple(_pair(model, each) for each in model.controls)
    return ControlsPlan(request.by or "", asks, answers, _error(model, response, answers), pairs)


def _error(model: Model, envelope: Envelope, answers: EnvelopePlan) -> ErrorPlan | None:
    """The variants beside those that hold an answer, by the one text that such an object must have besides its id."""
    at = next((at for at in reversed(range(len(answers.payload))) if answers.payload[at].union), None)
    if at is None:
        return None
    step, before = answers.payload[at], answers.payload[:at]
    holding = {each.name for each in step.holders}
    others = [model.struct(name) for name in structs_of(model.union(step.union or "").dispatch) if name not in holding]
    for struct in others:
        texts = [f for f in struct.wire_fields if f.required and f.type == Scalar("string")]
        texts = [f for f in texts if f.name != envelope.id[-1]]
        if len(texts) == 1:
            place = (*(each.field.name for each in before if not each.field.flatten), texts[0].name)
            made = fill(model, answers.struct, {envelope.id: "id", place: "message"})
            if not made.asked:
                return ErrorPlan(before, (struct, *(each for each in others if each is not struct)), texts[0], made)
    return None


def _pair(model: Model, control: Control) -> PairPlan:
    response = control.response
    operation = None if response is None else type_code(model, response)
    return PairPlan(control, model.struct(control.request), response, control.response_optional, operation)


def tools_plan(model: Model) -> ToolsPlan:
    """Inputs and outputs of tools."""
    ordered = sorted(model.tools, key=lambda tool: "*" in tool.pattern)
    inputs = [(tool, tool.input) for tool in ordered]
    outputs = [(tool, tool.output) for tool in ordered]
    return ToolsPlan(_typed(model, inputs), _typed(model, outputs))


def _typed(model: Model, tools: Sequence[tuple[Tool, Type | None]]) -> tuple[ToolPlan, ...]:
    return tuple(ToolPlan(tool, type_, type_code(model, type_)) for tool, type_ in tools if type_ is not None)


def _envelope(model: Model, envelope: Envelope, payload: Way | None) -> EnvelopePlan | None:
    struct = model.struct(envelope.struct)
    identifier = way(model, struct, envelope.id)
    if identifier is None or not payload:
        return None
    made = fill(model, struct, {envelope.id: "id", envelope.payload: "payload"})
    return EnvelopePlan(struct, identifier, payload, envelope.payload, made)


# --- ways ------------------------------------------------------------------------------------------------------


def way(model: Model, struct: Struct, pointer: Pointer) -> Way | None:
    """The fields along a pointer, through whichever variants have them; None if no object has the place."""
    steps: list[Step] = []
    structs: tuple[Struct, ...] = (struct,)
    union: str | None = None
    for key in pointer:
        while not any(_own(each, key) for each in structs):
            entered = _through_flattened(model, structs, union, key)
            if entered is None:
                return None
            steps.append(entered)
            structs, union = _behind(model, entered)
        step = _step(tuple(each for each in structs if _own(each, key)), key, union)
        steps.append(step)
        structs, union = _behind(model, step)
    return tuple(steps)


def _request_way(model: Model, envelope: Envelope, requests: frozenset[str]) -> Way | None:
    """The way to the request; one that is flattened has no key, and so no part in the pointer."""
    found = way(model, model.struct(envelope.struct), envelope.payload)
    if found is None:
        return None
    structs, union = _end(model, envelope, found)
    flat = _flattened(structs, union)
    enters = flat is not None and any(each.name in requests for each in _behind(model, flat)[0])
    return (*found, flat) if enters and flat is not None else found


def _answer_way(model: Model, envelope: Envelope) -> Way | None:
    """The way to the answer, and on through what is flattened to what is kept untouched."""
    found = way(model, model.struct(envelope.struct), envelope.payload)
    if found is None:
        return None
    seen: set[str] = set()
    structs, union = _end(model, envelope, found)
    while (flat := _flattened(structs, union)) is not None and flat.holders[0].name not in seen:
        seen.add(flat.holders[0].name)
        found = (*found, flat)
        structs, union = _behind(model, flat)
    return found


def _end(model: Model, envelope: Envelope, found: Way) -> tuple[tuple[Struct, ...], str | None]:
    return _behind(model, found[-1]) if found else ((model.struct(envelope.struct),), None)


def _step(holders: tuple[Struct, ...], key: str, union: str | None) -> Step:
    found = next(each for struct in holders if (each := _own(struct, key)) is not None)
    return Step(found, holders, union)


def _own(struct: Struct, key: str) -> Field | None:
    return next((each for each in struct.wire_fields if each.name == key and not each.flatten), None)


def _flattened(structs: tuple[Struct, ...], union: str | None) -> Step | None:
    """The step into what is flattened into some of the structs."""
    holders = tuple(each for each in structs if any(f.flatten for f in each.wire_fields))
    if not holders:
        return None
    return Step(next(f for f in holders[0].wire_fields if f.flatten), holders, union)


def _through_flattened(model: Model, structs: tuple[Struct, ...], union: str | None, key: str) -> Step | None:
    """The step into what is flattened into those of the structs that have a key only through it."""
    leading = tuple(each for each in structs if _leads_to(model, each, key, frozenset()))
    return _flattened(leading, union)


def _leads_to(model: Model, struct: Struct, key: str, through: frozenset[str]) -> bool:
    flat = _flattened((struct,), None)
    if flat is None or struct.name in through:
        return False
    inner, _ = _behind(model, flat)
    return any(_own(each, key) or _leads_to(model, each, key, through | {struct.name}) for each in inner)


def _behind(model: Model, step: Step) -> tuple[tuple[Struct, ...], str | None]:
    """The structs that an object in a field can be, and the union that tells them apart."""
    types = [f.type for holder in step.holders for f in holder.wire_fields if f.name == step.field.name]
    structs: dict[str, Struct] = {}
    unions: list[str] = []
    for type_ in types:
        plain = without_alias(type_, model.declarations)
        declared = model.declarations[plain.name] if isinstance(plain, Ref) else None
        match declared:
            case Struct():
                structs.setdefault(declared.name, declared)
            case Union(dispatch=dispatch):
                unions.append(declared.name)
                structs |= {name: model.struct(name) for name in structs_of(dispatch)}
            case _:
                pass
    return tuple(structs.values()), unions[0] if unions else None
