"""The plan's controls and tools → Go: what ties a request to the type of its answer, and a tool's name to its types."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.engine import dumps
from polywire.model.nodes import Pointer, Scalar, Type
from polywire.plan import Plan
from polywire.plan.controls import Conditions, ControlsPlan, ErrorPlan, PairPlan, ToolPlan, Way
from polywire.targets.go.construct import Constructors
from polywire.targets.go.layout import literal, quoted, wire_value
from polywire.targets.go.names import Names
from polywire.targets.go.shapes import Shapes
from polywire.targets.go.tables import Tables, pointer


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
class RefusalView:
    """How a request is refused."""

    envelope: str
    statements: tuple[str, ...]
    """They fill an envelope `x`."""
    code_go: str
    """The Go type of codes; empty where an error has none."""
    code_field: str
    """The Go type of the field that holds one."""
    code_of: str
    """What a field holds that has the code `how.code`."""
    codes: tuple[str, str] | None
    """The codes of a refusal, and of an answer to an unknown request, as such fields hold them."""
    data_go: str
    """The Go type of the field of data; empty where an error has none."""


@dataclass(frozen=True, slots=True)
class NotificationView:
    """How a notification travels."""

    envelope: str
    payload_go: str
    payload_flat: bool
    statements: tuple[str, ...]
    notifications: tuple[tuple[str, str], ...]
    """Each with its rule."""


@dataclass(frozen=True, slots=True)
class CancelView:
    """How a request is cancelled."""

    envelope: str
    """What is returned."""
    go: str
    """What is filled, which a notification's envelope then holds."""
    is_notification: bool
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses find each other."""

    envelope: str
    response_envelope: str
    answer_go: str
    """The type of what `UnwrapResponse` takes."""
    request_id: str
    response_id: str
    """The Go types of the ids."""
    fresh_id: str
    """A new id as an expression."""
    payload_go: str
    payload_flat: bool
    """Whether requests travel in a flat struct."""
    result_go: str
    """The Go type of the field of results."""
    imports_uuid: bool
    wrap_request: tuple[str, ...]
    wrap_response: tuple[str, ...]
    """Statements that fill an envelope `x`."""
    forms: tuple[str, ...]
    """The members of the table of responses."""
    to_id: str
    to_payload: str
    """The fields of a request's envelope that have its id and the request; empty if they are behind a union."""
    refusal: RefusalView | None
    notify: NotificationView | None
    cancel: CancelView | None
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
    request, response, error = controls.request, controls.response, controls.error
    payload = shapes.of(request.payload[-1].field.type)
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
        payload_go=payload.go,
        payload_flat=payload.struct,
        result_go=result_go,
        imports_uuid="uuid." in f"{request_id} {fresh}" or any(each.draws_uuid for each in made),
        wrap_request=makers.statements(request.made, {"id": "id", "payload": "request.payload()"}),
        wrap_response=makers.statements(response.made, {"id": "id", "payload": "payload"}),
        forms=_forms(controls, result_go, shapes, names, tables),
        to_id=_plain(request.id, names),
        to_payload=_plain(request.payload, names),
        refusal=None if error is None else _refusal(error, request_id, names, makers),
        notify=_notify(controls, shapes, names, makers, tables),
        cancel=_cancel(controls, request_id, names, makers),
        pairs=tuple(_pair(pair, shapes, names, tables) for pair in controls.pairs),
    )


def _fresh_id(controls: ControlsPlan, shapes: Shapes) -> str:
    """A new id, as the Go type that decoders give one of that kind."""
    shape = shapes.of(controls.id_type)
    if controls.draw == "uuid":
        return "uuid.New()" if controls.id_type == Scalar("uuid") else "uuid.NewString()"
    if "number" not in controls.id_kinds:
        return f"nextText({quoted(controls.prefix)})"
    held = shape if shape.choice is None else next(e.shape for e in shape.choice.members if e.kind == "number")
    return f"{held.go}(nextNumber())"


def _forms(controls: ControlsPlan, result_go: str, shapes: Shapes, names: Names, tables: Tables) -> tuple[str, ...]:
    """The table of responses (`runtimes/go/controls.go`), laid out as gofmt would."""
    response, error = controls.response, controls.error
    field = response.payload[-1].field
    members = {"pointer": quoted(_pointer(response.pointer))}
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
            listed = ", ".join(f"{{{literal(e.code)}, {_typed(e.type, shapes, tables)}}}" for e in error.types)
            members["types"] = f"[]dataType{{{listed}}}"
    wide = max(map(len, members)) + len(": ")
    return tuple(f"{f'{name}:':<{wide}}{value}," for name, value in members.items())


def _pointer(keys: Pointer) -> str:
    """The keys as a JSON Pointer."""
    return "".join(f"/{key.replace('~', '~0').replace('/', '~1')}" for key in keys)


def _typed(type_: Type, shapes: Shapes, tables: Tables) -> str:
    return f"{tables.rule(type_)}, {pointer(shapes.of(type_).go)}"


def _way(way: Way, names: Names, tables: Tables) -> str:
    hops = (
        f"{{[]rule{{{', '.join(tables.of(each.name) for each in step.holders)}}}, {quoted(names.field(step.field))}, "
        f"{literal(step.union is not None)}}}"
        for step in way
    )
    return f"[]hop{{{', '.join(hops)}}}"


def _conditions(when: Conditions, names: Names, tables: Tables) -> str:
    listed = (f"{{{_way(way, names, tables)}, {wire_value(value)}}}" for way, value in when)
    return f"[]condition{{{', '.join(listed)}}}"


def _plain(way: Way, names: Names) -> str:
    """The fields along a way that passes no union."""
    return "" if any(step.union for step in way) else ".".join(names.field(step.field) for step in way)


def _held_in(go: str, plain: str, value: str) -> str:
    """What a field holds that has a value of a type which is not null."""
    return {f"*{plain}": f"Ptr[{plain}]({value})", f"Nullable[{plain}]": f"Some[{plain}]({value})"}.get(go, value)


def _refusal(error: ErrorPlan, id_go: str, names: Names, makers: Constructors) -> RefusalView:
    identifier = _held_in(makers.type_of(error.made, "id"), id_go, "id")
    message = _held_in(makers.type_of(error.made, "message"), "string", "message")
    given = {"id": identifier, "message": message, "code": "code", "data": "data"}
    code_field = makers.type_of(error.made, "code") if error.code else ""
    code_go = code_field.removeprefix("*").removeprefix("Nullable[").removesuffix("]")
    codes = None
    if error.refused is not None and error.unknown is not None:
        refused, unknown = (_held_in(code_field, code_go, literal(each)) for each in (error.refused, error.unknown))
        codes = refused, unknown
    return RefusalView(
        envelope=names.type(error.struct.name),
        statements=makers.statements(error.made, given),
        code_go=code_go,
        code_field=code_field,
        code_of=_held_in(code_field, code_go, "*how.code"),
        codes=codes,
        data_go=makers.type_of(error.made, "data") if error.data else "",
    )


def _notify(
    controls: ControlsPlan, shapes: Shapes, names: Names, makers: Constructors, tables: Tables
) -> NotificationView | None:
    notify = controls.notify
    if notify is None:
        return None
    payload = shapes.of(notify.payload[-1].field.type)
    return NotificationView(
        envelope=names.type(notify.struct.name),
        payload_go=payload.go,
        payload_flat=payload.struct,
        statements=makers.statements(notify.made, {"payload": "notification.notification()"}),
        notifications=tuple(
            (names.type(each.request.name), tables.of(each.request.name)) for each in controls.notifications
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
    of = tables.of(pair.request.name)
    how, go = [f"request: {of}"], answer_type(pair, shapes)
    if pair.response is None:
        how.append("optional: true")
    else:
        held = shapes.or_else(pair.response) if go.startswith("Nullable[") else pair.response
        how.append(f"of: {tables.rule(held)}")
        how += [f"{name}: true" for name, there in (("optional", pair.optional), ("nullable", pair.nullable)) if there]
    if pair.error is not None:
        how.append(f"data: &dataType{{nil, {_typed(pair.error, shapes, tables)}}}")
    return PairView(names.type(pair.request.name), go, f"answer[{go}]{{{', '.join(how)}}}", of)


def answer_type(pair: PairPlan, shapes: Shapes) -> str:
    """The Go type of an answer."""
    if pair.response is None:
        return "None"
    shape = shapes.of(pair.response)
    if not pair.optional:
        return shape.go
    if not pair.nullable:
        return f"*{shape.go}" if shape.form == "plain" else shape.go
    if shape.kind in {"any", "own"}:
        return shape.go  # of any type: nil is none, and Null{} is null
    inner = shape.item if shape.kind in {"nullable", "nil"} and shape.item is not None else shape
    return f"Nullable[{inner.go}]"


def tools_views(plan: Plan, shapes: Shapes, tables: Tables) -> tuple[ToolsView, ...]:
    """Inputs and outputs of tools; nothing where the protocol has none."""
    if not plan.tools:
        return ()
    return (
        ToolsView("Input", "map[string]any", _tools(plan.tools.inputs, shapes, tables)),
        ToolsView("Output", "any", _tools(plan.tools.outputs, shapes, tables)),
    )


def _tools(tools: tuple[ToolPlan, ...], shapes: Shapes, tables: Tables) -> tuple[ToolView, ...]:
    return tuple(ToolView(_condition(each), tables.rule(each.type), pointer(shapes.of(each.type).go)) for each in tools)


def _condition(tool: ToolPlan) -> str:
    pattern = quoted(tool.tool.pattern)
    return f"glob({pattern}, name)" if tool.is_pattern else f"name == {pattern}"
