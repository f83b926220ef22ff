"""Controls and tools → how requests and responses are paired: the paths to their members, and new envelopes.

A pointer in the spec names keys on the wire. A `FieldPath` is the same path in terms of fields: it includes flattened
fields, which have no key, and lists the variants of a union that have the next field.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from polywire.ground import engine
from polywire.ground.json_values import Json, equal
from polywire.model.nodes import (
    Cancel,
    Constant,
    Control,
    Envelope,
    ErrorEnvelope,
    Field,
    Model,
    Pointer,
    Struct,
    Tool,
    Union,
    When,
)
from polywire.model.walk import structs_of, without_alias
from polywire.plan.fill import Made, fill
from polywire.plan.rows import kinds
from polywire.source.types import Ref, Type


@dataclass(frozen=True, slots=True)
class Step:
    """One field on a path."""

    field: Field
    holders: tuple[Struct, ...]
    """The structs that have the field: the envelope, the struct of the previous step, or variants of its union."""
    union: str | None = None
    """The union, if `holders` are variants of one."""


FieldPath = tuple[Step, ...]


Conditions: TypeAlias = "tuple[tuple[FieldPath, Constant], ...]"
"""Paths from an envelope to the values that distinguish a form from others of the same envelope."""


@dataclass(frozen=True, slots=True)
class EnvelopePlan:
    """A form of requests, notifications or responses with a result."""

    struct: Struct
    id: FieldPath
    """The path to the request's id; empty for a notification."""
    payload: FieldPath
    """The path to the request, or to the result, where it ends at the member that is kept unchanged."""
    pointer: Pointer
    """The pointer to the payload, as keys on the wire."""
    when: Conditions
    made: Made = field(hash=False)
    """A new envelope with a given `id` and `payload`."""
    has_none: bool = False
    none: Json = field(default=None, hash=False)
    """The result of a response that has none, if `has_none`; otherwise the member is absent."""

    @property
    def json_pointer(self) -> str:
        """The pointer as text, for errors."""
        return engine.pointer(self.pointer)

    @property
    def is_flat(self) -> bool:
        """Whether the payload is flattened, so a payload without members looks like an absent one."""
        return bool(self.payload) and self.payload[-1].field.flatten


@dataclass(frozen=True, slots=True)
class DataPlan:
    """The type of an error's data."""

    code: int | str
    type: Type


@dataclass(frozen=True, slots=True)
class ErrorPlan:
    """The form of responses that report an error."""

    struct: Struct
    id: FieldPath
    message: FieldPath
    """The path to the message for people."""
    code: FieldPath
    data: FieldPath
    """The paths to the code and the data; empty if errors have none."""
    when: Conditions
    refused: int | str | None
    """The code for a refused request; None if the spec states no codes."""
    unknown: int | str | None
    """The code of the response to an unknown request; None if the spec states no codes."""
    types: tuple[DataPlan, ...]
    """The types of the data by code; for all other codes, the data is untyped."""
    made: Made = field(hash=False)
    """A new response with a given `id`, `message` and, if errors have them, `code` and `data`."""

    @property
    def way(self) -> FieldPath:
        """The path to the object that contains the message."""
        return self.message[:-1]

    @property
    def structs(self) -> tuple[Struct, ...]:
        """The structs that this object can be; the first is used for a refusal."""
        return self.message[-1].holders


@dataclass(frozen=True, slots=True)
class CancelPlan:
    """The form of a message that cancels a request."""

    struct: Struct
    """Its type: a separate envelope, or a notification."""
    id: FieldPath
    """The path to the cancelled request's id."""
    is_notification: bool
    answered: bool
    """Whether the peer still responds to a cancelled request."""
    made: Made = field(hash=False)
    """A new message with a given `id`."""


@dataclass(frozen=True, slots=True)
class ReplyPlan:
    """The type of a response."""

    type: Type | None
    optional: bool
    nullable: bool


@dataclass(frozen=True, slots=True)
class FillPlan:
    """A member of a result that has the value of a member of the request if it is absent."""

    at: FieldPath
    """The path in the result; of a union, only the variants that have the member are filled."""
    source: FieldPath


@dataclass(frozen=True, slots=True)
class PairPlan:
    """A request and the type of its response."""

    control: Control
    request: Struct
    response: Type | None
    optional: bool
    """Whether the response may have no payload."""
    nullable: bool = False
    """Whether null is a valid result, which differs from no result."""
    error: Type | None = None
    """The type of the data of an error response, which takes precedence over the types by code."""
    reply: ReplyPlan | None = None
    """For several releases, the response of the newest, if it differs from the joined one."""
    fill: tuple[FillPlan, ...] = field(default=(), hash=False)

    @property
    def answer(self) -> ReplyPlan:
        """The type of a response when it is read."""
        return ReplyPlan(self.response, self.optional, self.nullable)


@dataclass(frozen=True, slots=True)
class ControlsPlan:
    """Everything that pairs requests with responses."""

    by: str
    """The discriminator of requests."""
    id_type: Type
    """The type of ids: a scalar, or an inline union of scalars."""
    id_kinds: tuple[str, ...]
    """The JSON kinds of ids that a client may generate: `string`, `number` or both."""
    draw: Literal["uuid", "counter"]
    """How the id of a new request is generated."""
    prefix: str
    """The prefix of a counter in a string id."""
    request: EnvelopePlan
    notify: EnvelopePlan | None
    response: EnvelopePlan
    error: ErrorPlan | None
    cancel: CancelPlan | None
    pairs: tuple[PairPlan, ...]
    notifications: tuple[PairPlan, ...]
    """Messages that have no response."""


@dataclass(frozen=True, slots=True)
class ToolPlan:
    """A tool's name, or a pattern of names, with the type of its input or output."""

    tool: Tool
    type: Type

    @property
    def is_pattern(self) -> bool:
        """Whether `*` in its name matches any text."""
        return "*" in self.tool.pattern


@dataclass(frozen=True, slots=True)
class ToolsPlan:
    """The typed inputs and outputs of tools; exact names come before patterns."""

    inputs: tuple[ToolPlan, ...]
    outputs: tuple[ToolPlan, ...]

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.inputs or self.outputs)


def controls_plan(model: Model) -> ControlsPlan | None:
    """The plan of the controls, if the protocol has any and its pointers are valid (`lint` checks them)."""
    protocol = model.protocol.control
    if protocol is None or not model.controls:
        return None
    requests = frozenset(control.request for control in model.controls)
    asks = _envelope(model, protocol.request, _request_way(model, protocol.request, requests))
    notifies = (
        None
        if protocol.notify is None
        else _envelope(model, protocol.notify, _request_way(model, protocol.notify, requests))
    )
    answers = _envelope(model, protocol.response, _answer_way(model, protocol.response))
    if asks is None or answers is None or not asks.id:
        return None
    return ControlsPlan(
        by=protocol.request.by or "",
        id_type=without_alias(asks.id[-1].field.type, model.declarations),
        id_kinds=tuple(kind for kind in kinds(model, asks.id[-1].field.type) if kind in {"string", "number"}),
        draw=protocol.draw,
        prefix=protocol.prefix,
        request=asks,
        notify=notifies,
        response=answers,
        error=None if protocol.error is None else _error(model, protocol.error),
        cancel=None if protocol.cancel is None else _cancel(model, protocol.cancel),
        pairs=tuple(_pair(model, each) for each in model.controls if not each.is_notification),
        notifications=tuple(_pair(model, each) for each in model.controls if each.is_notification),
    )


def _error(model: Model, form: ErrorEnvelope) -> ErrorPlan | None:
    struct = model.struct(form.struct)
    names = {"id": form.id, "message": form.message, "code": form.code, "data": form.data}
    ways = {name: way(model, struct, place, form.when) for name, place in names.items() if place is not None}
    found = {name: each for name, each in ways.items() if each}
    if len(found) < len(ways):
        return None
    places = {place: name for name, place in names.items() if place is not None}
    one_of_both = form.unknown if form.refused is None else form.refused
    return ErrorPlan(
        struct=struct,
        id=found["id"],
        message=found["message"],
        code=found.get("code", ()),
        data=found.get("data", ()),
        when=_conditions(model, struct, form.when),
        refused=one_of_both,
        unknown=one_of_both if form.unknown is None else form.unknown,
        types=tuple(DataPlan(code, type_) for code, type_ in form.types),
        made=fill(model, struct, places, dict(form.when)),
    )


def _cancel(model: Model, form: Cancel) -> CancelPlan | None:
    struct = model.struct(form.struct)
    found = way(model, struct, form.id)
    if not found:
        return None
    return CancelPlan(struct, found, form.is_notification, form.answered, fill(model, struct, {form.id: "id"}))


def _pair(model: Model, control: Control) -> PairPlan:
    response = control.response
    error = control.error
    return PairPlan(
        control=control,
        request=model.struct(control.request),
        response=response,
        optional=control.response_optional,
        nullable=response is not None and "null" in kinds(model, response),
        error=error,
        reply=None if control.reply is None else _reply(model, *control.reply),
        fill=() if response is None else tuple(_fills(model, control, response)),
    )


def _fills(model: Model, control: Control, response: Type) -> Iterator[FillPlan]:
    for at, source in control.fill:
        ways = way_into(model, response, at), way(model, model.struct(control.request), source)
        if ways[0] and ways[1]:
            yield FillPlan(ways[0], ways[1])


def _reply(model: Model, type_: Type | None, optional: bool) -> ReplyPlan:
    nullable = type_ is not None and "null" in kinds(model, type_)
    return ReplyPlan(type_, optional, nullable)


def tools_plan(model: Model) -> ToolsPlan:
    """The plan of the inputs and outputs of tools."""
    ordered = sorted(model.tools, key=lambda tool: "*" in tool.pattern)
    inputs = [(tool, tool.input) for tool in ordered]
    outputs = [(tool, tool.output) for tool in ordered]
    return ToolsPlan(_typed(inputs), _typed(outputs))


def _typed(tools: Sequence[tuple[Tool, Type | None]]) -> tuple[ToolPlan, ...]:
    return tuple(ToolPlan(tool, type_) for tool, type_ in tools if type_ is not None)


def _envelope(model: Model, envelope: Envelope, payload: FieldPath | None) -> EnvelopePlan | None:
    struct = model.struct(envelope.struct)
    identifier = way(model, struct, envelope.id, envelope.when)
    if identifier is None or not payload:
        return None
    given = {envelope.payload: "payload", **({envelope.id: "id"} if envelope.id else {})}
    return EnvelopePlan(
        struct=struct,
        id=identifier,
        payload=payload,
        pointer=envelope.payload,
        when=_conditions(model, struct, envelope.when),
        made=fill(model, struct, given, dict(envelope.when)),
        has_none=envelope.has_none,
        none=envelope.none,
    )


def _conditions(model: Model, struct: Struct, when: When) -> Conditions:
    """The conditions that a program must check: those that are not decided by the choice of a variant."""
    found = ((way(model, struct, place, when), value) for place, value in when)
    return tuple((each, value) for each, value in found if each)


# --- paths -----------------------------------------------------------------------------------------------------


def way(model: Model, struct: Struct, pointer: Pointer, when: When = ()) -> FieldPath | None:
    """The fields along a pointer, through all variants that have them; None if it leads to no field.

    Of a union, only variants whose tags satisfy `when` are used.
    """
    return _along(model, (struct,), None, pointer, when)


def way_into(model: Model, type_: Type, pointer: Pointer) -> FieldPath | None:
    """The fields along a pointer into a value of a type."""
    return _along(model, *_structs(model, [type_]), pointer, ())


def _along(
    model: Model, structs: tuple[Struct, ...], union: str | None, pointer: Pointer, when: When
) -> FieldPath | None:
    steps: list[Step] = []
    for depth, key in enumerate(pointer):
        structs = tuple(each for each in structs if _admits(each, pointer[:depth], when))
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


def _admits(struct: Struct, place: Pointer, when: When) -> bool:
    """Whether the tags of a struct at a pointer satisfy the conditions."""
    constants = {tag.key: tag.constant for tag in struct.tags if tag.constant is not None}
    asked = {way[-1]: value for way, value in when if way[:-1] == place}
    return all(equal(constants[key], value) for key, value in asked.items() if key in constants)


def _request_way(model: Model, envelope: Envelope, requests: frozenset[str]) -> FieldPath | None:
    """The path to the request; a flattened request has no key, so the pointer does not contain it."""
    found = way(model, model.struct(envelope.struct), envelope.payload, envelope.when)
    if found is None:
        return None
    structs, union = _end(model, envelope, found)
    flat = _flattened(structs, union)
    enters = flat is not None and any(each.name in requests for each in _behind(model, flat)[0])
    return (*found, flat) if enters and flat is not None else found


def _answer_way(model: Model, envelope: Envelope) -> FieldPath | None:
    """The path to the response, continued through flattened fields to the one that is kept unchanged."""
    found = way(model, model.struct(envelope.struct), envelope.payload, envelope.when)
    if found is None:
        return None
    seen: set[str] = set()
    structs, union = _end(model, envelope, found)
    while (flat := _flattened(structs, union)) is not None and flat.holders[0].name not in seen:
        seen.add(flat.holders[0].name)
        found = (*found, flat)
        structs, union = _behind(model, flat)
    return found


def _end(model: Model, envelope: Envelope, found: FieldPath) -> tuple[tuple[Struct, ...], str | None]:
    return _behind(model, found[-1]) if found else ((model.struct(envelope.struct),), None)


def _step(holders: tuple[Struct, ...], key: str, union: str | None) -> Step:
    found = next(each for struct in holders if (each := _own(struct, key)) is not None)
    return Step(found, holders, union)


def _own(struct: Struct, key: str) -> Field | None:
    return next((each for each in struct.wire_fields if each.name == key and not each.flatten), None)


def _flattened(structs: tuple[Struct, ...], union: str | None) -> Step | None:
    """The step into the flattened field of those structs that have one."""
    holders = tuple(each for each in structs if any(f.flatten for f in each.wire_fields))
    if not holders:
        return None
    return Step(next(f for f in holders[0].wire_fields if f.flatten), holders, union)


def _through_flattened(model: Model, structs: tuple[Struct, ...], union: str | None, key: str) -> Step | None:
    """The step into the flattened field of those structs that have a key only through it."""
    leading = tuple(each for each in structs if _leads_to(model, each, key, frozenset()))
    return _flattened(leading, union)


def _leads_to(model: Model, struct: Struct, key: str, through: frozenset[str]) -> bool:
    flat = _flattened((struct,), None)
    if flat is None or struct.name in through:
        return False
    inner, _ = _behind(model, flat)
    return any(_own(each, key) or _leads_to(model, each, key, through | {struct.name}) for each in inner)


def _behind(model: Model, step: Step) -> tuple[tuple[Struct, ...], str | None]:
    """The structs that an object in a field can be, and the union that distinguishes them."""
    return _structs(model, [f.type for holder in step.holders for f in holder.wire_fields if f.name == step.field.name])


def _structs(model: Model, types: Sequence[Type]) -> tuple[tuple[Struct, ...], str | None]:
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
