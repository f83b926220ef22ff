"""The plan's controls and tools → Go: the type of each request's response, and the types of each tool."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.ground.json_values import dumps
from polywire.plan import Plan
from polywire.plan.controls import (
    Conditions,
    ControlsPlan,
    EnvelopePlan,
    ErrorPlan,
    FieldPath,
    PairPlan,
    ReplyPlan,
    ToolPlan,
)
from polywire.source.types import Ref, Scalar, Type
from polywire.targets.go.construct import Constructors
from polywire.targets.go.layout import blocks, function, literal, quoted, wire_value
from polywire.targets.go.names import Names
from polywire.targets.go.shapes import Shapes
from polywire.targets.go.tables import Tables, pointer, scalar_value


@dataclass(frozen=True, slots=True)
class PairView:
    """A request and its response."""

    request: str
    go: str
    """The Go type of the response."""
    pairing: str
    """How they are represented on the wire, and who sends the request."""
    method: str
    """The method that returns this."""


@dataclass(frozen=True, slots=True)
class RefusalView:
    """How a request is refused."""

    envelope: str
    statements: tuple[str, ...]
    """The statements that fill an envelope `x`."""
    code_go: str
    """The Go type of codes; empty if errors have none."""
    code_field: str
    """The Go type of the field for the code."""
    code_of: str
    """The expression of that field's value for the code `how.code`."""
    codes: tuple[str, str] | None
    """The codes for a refusal and for the response to an unknown request, as values of the field."""
    data_go: str
    """The Go type of the field for the data; empty if errors have none."""
    options: bool
    """Whether a refusal may have more than a message."""
    parameter: str
    argument: str
    """The parameter of functions for these options, and the argument that passes them on."""
    is_unknown: str
    """The condition that the request in an envelope `to` is unknown, as an expression."""


@dataclass(frozen=True, slots=True)
class PayloadView:
    """The union of all requests, or of all notifications."""

    go: str
    flat: bool
    """Whether they are variants of a flat struct."""
    decoder: str
    sent: str
    """The method that also allows unknown payloads to be sent; empty if all payloads are known."""
    held: str
    """The expression of the request, or notification, as the payload of its envelope."""


@dataclass(frozen=True, slots=True)
class NotificationView:
    """How a notification is sent."""

    envelope: str
    payload: PayloadView
    statements: tuple[str, ...]
    notifications: tuple[tuple[str, str, str, str], ...]
    """Each notification with its rule, the peer that sends it, and its method."""


@dataclass(frozen=True, slots=True)
class CancelView:
    """How a request is cancelled."""

    envelope: str
    """The type of the returned envelope."""
    go: str
    """The type of the struct that is filled; the envelope of a notification contains it."""
    is_notification: bool
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses are correlated."""

    envelope: str
    response_envelope: str
    answer_go: str
    """The type of the argument of `UnwrapResponse`."""
    request_id: str
    response_id: str
    """The Go types of the ids."""
    fresh_id: str
    """The expression of a new id."""
    payload: PayloadView
    result_go: str
    """The Go type of the field for results."""
    imports_uuid: bool
    wrap_request: tuple[str, ...]
    wrap_response: tuple[str, ...]
    """Statements that fill an envelope `x`."""
    forms: tuple[str, ...]
    """The members of the table of responses."""
    to_id: str
    to_payload: str
    """The fields of a request's envelope that hold its id and the request; empty if they are inside a union."""
    refusal: RefusalView | None
    notify: NotificationView | None
    cancel: CancelView | None
    pairs: tuple[PairView, ...]
    peers: str
    """The lines with the constants of peers."""
    draws_uuid: bool
    """Whether a session generates UUIDs."""
    exchange: tuple[str, ...]
    """Statements that fill a table `x`, which describes the messages to a session."""


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool: the condition for its name, and the type."""

    condition: str
    rule: str
    typ: str


@dataclass(frozen=True, slots=True)
class ToolsView:
    """The function that decodes inputs or outputs of tools."""

    kind: str
    go: str
    """The type of its argument."""
    tools: tuple[ToolView, ...]


def controls_view(
    plan: Plan, names: Names, shapes: Shapes, makers: Constructors, tables: Tables
) -> ControlsView | None:
    """The view of the controls, if the protocol has any."""
    controls = plan.controls
    if controls is None:
        return None
    request, response, error = controls.request, controls.response, controls.error
    result_go = makers.type_of(response.made, "payload")
    apart = error is not None and error.struct.name != response.struct.name
    request_id, fresh = makers.type_of(request.made, "id"), _fresh_id(controls, shapes)
    made = (each.made for each in (request, response, error, controls.notify, controls.cancel) if each is not None)
    return ControlsView(
        envelope=names.type(request.struct.name),
        response_envelope=names.type(response.struct.name),
        answer_go="any" if apart else f"*{names.type(response.struct.name)}",
        request_id=request_id,
        response_id=makers.type_of(response.made, "id"),
        fresh_id=fresh,
        payload=_payload(plan, request, "request", "pair", shapes, names),
        result_go=result_go,
        imports_uuid="uuid." in f"{request_id} {fresh}" or any(each.draws_uuid for each in made),
        wrap_request=makers.statements(request.made, {"id": "id", "payload": "payload"}),
        wrap_response=makers.statements(response.made, {"id": "id", "payload": "payload"}),
        forms=_forms(controls, result_go, shapes, names, tables),
        to_id=_plain(request.id, names),
        to_payload=_plain(request.payload, names),
        refusal=None if error is None else _refusal(error, controls, request_id, names, makers),
        notify=_notify(plan, controls, shapes, names, makers, tables),
        cancel=_cancel(controls, request_id, names, makers),
        pairs=tuple(_pair(pair, shapes, names, tables) for pair in controls.pairs),
        peers=_peers(plan, names),
        draws_uuid=controls.draw == "uuid",
        exchange=_exchange(plan, controls, shapes, names, tables),
    )


def _peers(plan: Plan, names: Names) -> str:
    rows = ((None, (names.peer(each), "Peer", "=", quoted(each))) for each in plan.model.protocol.peers)
    return blocks(rows)


def _exchange(plan: Plan, controls: ControlsPlan, shapes: Shapes, names: Names, tables: Tables) -> tuple[str, ...]:
    """The table of a session (`runtimes/go/session.go`)."""
    peers = ", ".join(map(quoted, plan.model.protocol.peers))
    members = {"peers": f"[]string{{{peers}}}", "request": _form(controls.request, names, tables)}
    if controls.notify is not None:
        members["notify"] = _form(controls.notify, names, tables)
    members["response"] = _way(controls.response.id, names, tables)
    if controls.error is not None:
        members["failure"] = _way(controls.error.id, names, tables)
    cancel = controls.cancel
    if cancel is not None:
        members["cancel"] = _way(cancel.id, names, tables)
        if cancel.is_notification:
            members["cancelled"] = tables.declared(cancel.struct.name)
        if cancel.answered:
            members["answered"] = "true"
    if plan.announced is not None:
        members["announced"] = _way(plan.announced.way, names, tables)
        rows = ", ".join(f"{{{quoted(number)}, {quoted(release)}}}" for number, release in plan.announced.releases)
        members["releases"] = f"[][2]string{{{rows}}}"
    members["fresh"] = (
        f"func({_fresh_parameter(controls)}int64) ControlID {{ return {_fresh_id(controls, shapes, of='n')} }}"
    )
    return tuple(f"x.{name} = {value}" for name, value in members.items())


def _fresh_parameter(controls: ControlsPlan) -> str:
    return "" if controls.draw == "uuid" else "n "


def _form(envelope: EnvelopePlan, names: Names, tables: Tables) -> str:
    members = {"id": envelope.id, "payload": envelope.payload}
    parts = [f"{name}: {_way(way, names, tables)}" for name, way in members.items() if way]
    if envelope.when:
        parts.append(f"when: {_conditions(envelope.when, names, tables)}")
    return f"form{{{', '.join(parts)}}}"


def _payload(
    plan: Plan, envelope: EnvelopePlan, message: str, method: str, shapes: Shapes, names: Names
) -> PayloadView:
    """The union of all requests, or of all notifications."""
    type_ = envelope.payload[-1].field.type
    held = shapes.of(type_)
    union = next(each for each in plan.model.unions if type_ == Ref(each.name))
    if held.struct:
        other, payload = held.go, f"flatOf[{held.go}]({message}, {message}.{method}().request)"
    else:
        other, payload = names.unknown(union) if union.open else "", f"copied({message}).({held.go})"
    sent = f"func (*{other}) {method}() *pairing {{ return &untyped }}" if other else ""
    return PayloadView(held.go, held.struct, f"Unmarshal{names.own(union.name)}", sent, payload)


def _fresh_id(controls: ControlsPlan, shapes: Shapes, of: str = "") -> str:
    """A new id in the Go type that decoders produce: from a number `of`, or else from the process-wide counter."""
    shape = shapes.of(controls.id_type)
    if controls.draw == "uuid":
        return "uuid.New()" if controls.id_type == Scalar("uuid") else "uuid.NewString()"
    if "number" not in controls.id_kinds:
        return f"numbered({quoted(controls.prefix)}, {of})" if of else f"nextText({quoted(controls.prefix)})"
    held = shape if shape.choice is None else next(e.shape for e in shape.choice.members if e.kind == "number")
    return f"{held.go}({of or 'nextNumber()'})"


def _forms(controls: ControlsPlan, result_go: str, shapes: Shapes, names: Names, tables: Tables) -> tuple[str, ...]:
    """The table of responses (`runtimes/go/controls.go`), formatted like gofmt."""
    response, error = controls.response, controls.error
    field = response.payload[-1].field
    members = {"pointer": quoted(response.json_pointer)}
    if response.is_flat:
        members["flat"] = "true"
    if not field.required and result_go == "any":
        members["loose"] = "true"
    if response.has_none:
        members["none"] = quoted(dumps(response.none))
    members["result"] = _way(response.payload, names, tables)
    if response.when:
        members["when"] = _conditions(response.when, names, tables)
    if error is not None:
        ways = {"message": error.message, "code": error.code, "data": error.data}
        members |= {name: _way(way, names, tables) for name, way in ways.items() if way}
        if error.when:
            members["refused"] = _conditions(error.when, names, tables)
        if error.types:
            listed = ", ".join(f"{{{scalar_value(e.code)}, {_typed(e.type, shapes, tables)}}}" for e in error.types)
            members["types"] = f"[]dataType{{{listed}}}"
    wide = max(map(len, members)) + len(": ")
    return tuple(f"{f'{name}:':<{wide}}{value}," for name, value in members.items())


def _typed(type_: Type, shapes: Shapes, tables: Tables) -> str:
    return f"{tables.type(type_)}, {pointer(shapes.of(type_).go)}"


def _way(way: FieldPath, names: Names, tables: Tables) -> str:
    hops = (
        f"{{[]rule{{{', '.join(tables.declared(each.name) for each in step.holders)}}}, "
        f"{quoted(names.field(step.field))}, {literal(step.union is not None)}}}"
        for step in way
    )
    return f"[]hop{{{', '.join(hops)}}}"


def _conditions(when: Conditions, names: Names, tables: Tables) -> str:
    listed = (f"{{{_way(way, names, tables)}, {wire_value(value)}}}" for way, value in when)
    return f"[]condition{{{', '.join(listed)}}}"


def _plain(way: FieldPath, names: Names) -> str:
    """The fields along a path without unions; empty if there is a union on the path."""
    return "" if any(step.union for step in way) else ".".join(names.field(step.field) for step in way)


def _held_in(go: str, plain: str, value: str) -> str:
    """The expression that stores a non-null value in a field."""
    return {f"*{plain}": f"Ptr[{plain}]({value})", f"Nullable[{plain}]": f"Some[{plain}]({value})"}.get(go, value)


def _refusal(error: ErrorPlan, controls: ControlsPlan, id_go: str, names: Names, makers: Constructors) -> RefusalView:
    identifier = _held_in(makers.type_of(error.made, "id"), id_go, "id")
    message = _held_in(makers.type_of(error.made, "message"), "string", "message")
    given = {"id": identifier, "message": message, "code": "code", "data": "data"}
    code_field = makers.type_of(error.made, "code") if error.code else ""
    code_go = code_field.removeprefix("*").removeprefix("Nullable[").removesuffix("]")
    codes = None
    if error.refused is not None and error.unknown is not None:
        refused, unknown = (_held_in(code_field, code_go, literal(each)) for each in (error.refused, error.unknown))
        codes = refused, unknown
    options = bool(error.code or error.data)
    payload = _plain(controls.request.payload, names)
    return RefusalView(
        envelope=names.type(error.struct.name),
        statements=makers.statements(error.made, given),
        code_go=code_go,
        code_field=code_field,
        code_of=_held_in(code_field, code_go, "*how.code"),
        codes=codes,
        data_go=makers.type_of(error.made, "data") if error.data else "",
        options=options,
        parameter=", options ...RefuseOption" if options else "",
        argument=", options..." if options else "",
        is_unknown=f"IsUnknown(to.{payload})" if payload and codes else "false",
    )


def _notify(
    plan: Plan, controls: ControlsPlan, shapes: Shapes, names: Names, makers: Constructors, tables: Tables
) -> NotificationView | None:
    notify = controls.notify
    if notify is None:
        return None
    payload = _payload(plan, notify, "notification", "notice", shapes, names)
    return NotificationView(
        envelope=names.type(notify.struct.name),
        payload=payload,
        statements=makers.statements(notify.made, {"payload": payload.held}),
        notifications=tuple(
            (go, tables.declared(each.request.name), _origin(each), _method(go, "notice"))
            for each in controls.notifications
            for go in [names.type(each.request.name)]
        ),
    )


def _cancel(controls: ControlsPlan, id_go: str, names: Names, makers: Constructors) -> CancelView | None:
    cancel = controls.cancel
    if cancel is None:
        return None
    go = names.type(cancel.struct.name)
    envelope = names.type(controls.notify.struct.name) if cancel.is_notification and controls.notify else go
    identifier = _held_in(makers.type_of(cancel.made, "id"), id_go, "id")
    return CancelView(envelope, go, cancel.is_notification, makers.statements(cancel.made, {"id": identifier}))


def _pair(pair: PairPlan, shapes: Shapes, names: Names, tables: Tables) -> PairView:
    go = answer_type(pair, shapes)
    how = [f"request: {tables.declared(pair.request.name)}", f"from: {_origin(pair)}", f"typ: {pointer(go)}"]
    if pair.response is None:
        how.append("optional: true")
    else:
        held = shapes.or_else(pair.response) if go.startswith("Nullable[") else pair.response
        how.append(f"of: {tables.type(held)}")
        how += [f"{name}: true" for name, there in (("optional", pair.optional), ("nullable", pair.nullable)) if there]
    if pair.error is not None:
        how.append(f"data: &dataType{{nil, {_typed(pair.error, shapes, tables)}}}")
    if pair.reply is not None:
        how.append(f"new: &replying{{{_reply(pair.reply, shapes, tables)}}}")
    request = names.type(pair.request.name)
    return PairView(request, go, f"pairing{{{', '.join(how)}}}", _method(request, "pair"))


def _method(go: str, name: str) -> str:
    """The method of a request or notification that returns its pairing."""
    return function(f"func ({go}) {name}() *pairing", f"return &{name}{go}")


def _reply(reply: ReplyPlan, shapes: Shapes, tables: Tables) -> str:
    """The table members for a new response."""
    if reply.type is None:
        return "optional: true"
    flags = ("optional", reply.optional), ("nullable", reply.nullable)
    parts = [f"dataType{{nil, {_typed(reply.type, shapes, tables)}}}", *(f"{n}: true" for n, there in flags if there)]
    return ", ".join([f"dataType: {parts[0]}", *parts[1:]])


def _origin(pair: PairPlan) -> str:
    """The peer that sends a request; empty for both."""
    return quoted("" if pair.control.origin == "both" else pair.control.origin)


def answer_type(pair: PairPlan, shapes: Shapes) -> str:
    """The Go type of a response."""
    if pair.response is None:
        return "None"
    shape = shapes.of(pair.response)
    if not pair.optional:
        return shape.go
    if not pair.nullable:
        return f"*{shape.go}" if shape.form == "plain" else shape.go
    if shape.kind in {"any", "own"}:
        return shape.go  # for type any: nil is no result, Null{} is null
    inner = shape.item if shape.kind in {"nullable", "nil"} and shape.item is not None else shape
    return f"Nullable[{inner.go}]"


def tools_views(plan: Plan, shapes: Shapes, tables: Tables) -> tuple[ToolsView, ...]:
    """The functions for inputs and outputs of tools; empty if the protocol has no tools."""
    if not plan.tools:
        return ()
    return (
        ToolsView("Input", "map[string]any", _tools(plan.tools.inputs, shapes, tables)),
        ToolsView("Output", "any", _tools(plan.tools.outputs, shapes, tables)),
    )


def _tools(tools: tuple[ToolPlan, ...], shapes: Shapes, tables: Tables) -> tuple[ToolView, ...]:
    return tuple(ToolView(_condition(each), tables.type(each.type), pointer(shapes.of(each.type).go)) for each in tools)


def _condition(tool: ToolPlan) -> str:
    pattern = quoted(tool.tool.pattern)
    return f"glob({pattern}, name)" if tool.is_pattern else f"name == {pattern}"
