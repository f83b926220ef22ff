"""Controls and tools → the response type of each request, and the types of each tool.

Objects are plain, so an envelope is an object literal: constants and tags on the paths to the members that are filled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from polywire.ground.json_values import dumps
from polywire.model.nodes import ControlProtocol, When
from polywire.model.walk import structs_of
from polywire.plan import Plan
from polywire.plan.announced import AnnouncedPlan
from polywire.plan.controls import CancelPlan, ControlsPlan, EnvelopePlan, ErrorPlan, PairPlan, ToolPlan, Way
from polywire.plan.fill import ByRule, Filled, Fixed, Given, Made
from polywire.source.types import Type
from polywire.targets.typescript import layout
from polywire.targets.typescript.maps import news_by, request_tag
from polywire.targets.typescript.source import Call, Code, Expression, Later, literal
from polywire.targets.typescript.tables import Tables


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests, responses, errors and notifications are correlated."""

    table: str
    """An object literal, as `runtime/controls.js` describes it."""
    fresh_id: str
    """The expression for the id of a new request."""
    asked: tuple[str, ...]
    """The members of a request's envelope, around the variables `payload` and `id`."""
    answered: tuple[str, ...]
    """The members of a response's envelope, around the variables `result` and `id`."""
    refused: tuple[str, ...]
    """The members of an error's envelope, around the variables `message`, `id` and those of `details`; empty if the
    protocol has no errors."""
    details: tuple[str, ...]
    """The variables for the code and the data of an error."""
    notified: tuple[str, ...]
    """The members of a notification's envelope, around the variable `payload`; empty if there are no notifications."""
    notifications: str
    """An object literal with the discriminator of notifications and its values."""
    cancelled: tuple[str, ...]
    """The members of the message that cancels a request, around the variable `id`; empty if there is none."""
    cancel_start: str
    cancel_end: str
    """The text around these members: an object literal, inside a call if the message is a notification."""
    session: str
    """An object literal with the other values for a session, as described in `runtime/session.js`."""
    session_class: str
    """The call that creates the class, from this literal and the functions that create envelopes."""


def controls_view(plan: Plan, tables: Tables) -> ControlsView | None:
    """The view of the controls, if the protocol has any."""
    controls, protocol = plan.controls, plan.model.protocol.control
    if controls is None or protocol is None:
        return None
    request, response, error, notify = controls.request, controls.response, controls.error, controls.notify
    cancel, error_when = controls.cancel, () if protocol.error is None else protocol.error.when
    by = news_by(plan)
    table: dict[str, Expression] = {
        "by": controls.by,
        "request": tables.declared(request.struct.name),
        "payload": _keys(request.payload),
        "id": _keys(request.id),
        "lines": [tables.declared(each) for each in _lines(plan, controls)],
        "response": {
            **_held(response, protocol.response.when, tables),
            "pointer": response.json_pointer,
            "none": dumps(response.none) if response.has_none else None,
        },
        "error": None if error is None else _error(error, error_when, tables),
        "answers": Later([[request_tag(pair, controls.by), *_answer(pair, tables)] for pair in controls.pairs]),
    }
    tags = [request_tag(each, by) for each in controls.notifications]
    has_data = error is not None and bool(error.data)
    return ControlsView(
        table=literal(table, 0, len("export const CONTROLS = ")),
        fresh_id=_fresh_id(controls),
        asked=tuple(_members(request.made, {"id": "id", "payload": "payload"})),
        answered=tuple(_members(response.made, {"id": "id", "payload": "result"})),
        refused=() if error is None else tuple(_members(error.made, {each: each for each in _ERROR})),
        details=(
            *(("code",) if error is not None and error.code else ()),
            *(("data = null" if error.data[-1].field.required else "data",) if error is not None and has_data else ()),
        ),
        notified=() if notify is None else tuple(_members(notify.made, {"payload": "payload"})),
        notifications=literal({"by": by, "tags": tags}, 0, len("export const NOTIFICATIONS = ")),
        cancelled=() if cancel is None else tuple(_members(cancel.made, {"id": "id"})),
        cancel_start="notify({" if cancel is not None and cancel.is_notification else "{",
        cancel_end="});" if cancel is not None and cancel.is_notification else "};",
        session=literal(_session(plan, controls, protocol, tables), 0, len("export const SESSION = ")),
        session_class=literal(
            Call("sessions.sessionOf", (Later([Code("pairs.SESSION"), _makers(controls)]),)),
            0,
            len("export const Session = /* @__PURE__ */ "),
        ),
    )


_ERROR = ("id", "message", "code", "data")
"""The variables of the function that creates an error."""


def _fresh_id(controls: ControlsPlan) -> str:
    if controls.draw == "uuid":
        return "controls.freshUuid()"
    if "number" in controls.id_kinds:
        return "controls.freshNumber()"
    return f"{literal(controls.prefix, 0, 0)} + controls.freshNumber()"


def _lines(plan: Plan, controls: ControlsPlan) -> tuple[str, ...]:
    """The union that distinguishes the envelopes of responses, if there are several and a union has all of them."""
    envelopes = [each.struct.name for each in (controls.error, controls.response) if each is not None]
    if len(set(envelopes)) == 1:
        return (envelopes[0],)
    union = _union_of(plan, envelopes)
    return tuple(envelopes) if union is None else (union,)


def _union_of(plan: Plan, structs: Iterable[str]) -> str | None:
    """A union that has all the structs; the root if possible."""
    unions = sorted(plan.model.unions, key=lambda union: union.name != plan.root)
    wanted = {*structs}
    return next((union.name for union in unions if wanted <= {*structs_of(union.dispatch)}), None)


def _form(struct: str, when: When, way: Way, tables: Tables) -> dict[str, Expression]:
    """What distinguishes the messages of a form: values at paths, and variants on the path to the form's content."""
    within: list[Expression] = []
    for at, step in enumerate(way):
        if step.union is not None:
            variants = [tables.declared(each.name) for each in step.holders]
            within.append([_keys(way[:at]), tables.declared(step.union), variants])
    return {
        "envelope": tables.declared(struct),
        "when": [[place, value] for place, value in when],
        "within": within,
    }


def _held(envelope: EnvelopePlan, when: When, tables: Tables) -> dict[str, Expression]:
    """A form, and the path to its payload."""
    holder = _holder(envelope.payload)
    return {
        **_form(envelope.struct.name, when, envelope.payload, tables),
        "holder": holder.keys,
        "result": holder.result,
        "holders": [tables.declared(each) for each in holder.structs],
        "beside": [tables.declared(each) for each in holder.beside],
    }


def _error(error: ErrorPlan, when: When, tables: Tables) -> dict[str, Expression]:
    return {
        **_form(error.struct.name, when, error.message, tables),
        "holder": _keys(error.message[:-1]),
        "message": _keys(error.message),
        "code": _keys(error.code),
        "data": _keys(error.data),
        "codes": [error.refused, error.unknown],
        "types": Later([[each.code, tables.type(each.type)] for each in error.types]),
    }


def _answer(pair: PairPlan, tables: Tables) -> tuple[Expression, ...]:
    error = None if pair.error is None else tables.type(pair.error)
    row = (*_typed(pair.response, tables, optional=pair.optional), error)
    if pair.reply is not None:
        return (*row, list(_typed(pair.reply.type, tables, optional=pair.reply.optional)))
    return row if error is not None else row[:-1]


def _typed(type_: Type | None, tables: Tables, *, optional: bool) -> tuple[Expression, ...]:
    """The type of a response (None if it has none), and whether the response may be absent."""
    return (None, True) if type_ is None else (tables.type(type_), optional)


def _keys(way: Way) -> tuple[str, ...]:
    """The keys on the wire; a flattened field has none."""
    return tuple(step.field.name for step in way if not step.field.flatten)


@dataclass(frozen=True, slots=True)
class _Holder:
    """The object that contains the response."""

    keys: tuple[str, ...]
    """The keys that lead to it."""
    result: str | None
    """The response's key in it; None if the response is flattened into it."""
    structs: tuple[str, ...]
    """The structs that the object can be."""
    beside: tuple[str, ...]
    """The structs into which it is flattened, so that it has their members too."""


def _holder(way: Way) -> _Holder:
    last = way[-1]
    structs = tuple(struct.name for struct in last.holders)
    if not last.field.flatten:
        return _Holder(_keys(way[:-1]), last.field.name, structs, ())
    around = takewhile(lambda step: step.field.flatten, reversed(way[:-1]))
    return _Holder(_keys(way), None, structs, tuple(struct.name for step in around for struct in step.holders))


_BY_RULE = {
    ByRule.NULL: "null",
    ByRule.FRESH_UUID: "controls.freshUuid()",
    ByRule.EMPTY_LIST: "[]",
    ByRule.EMPTY_OBJECT: "{}",
}
"""The expressions of values that need nothing from the caller."""


def _members(made: Made, variables: Mapping[str, str]) -> Iterator[str]:
    """The members of an object literal: constants, variables for given values, and values from the plan."""
    for tag in made.struct.tags:
        if tag.constant is not None:
            yield f"{_key(tag.key)}: {literal(tag.constant, 0, 0)},"
    for const in made.struct.consts:
        yield f"{_key(const.key)}: {literal(const.value, 0, 0)},"
    for each in made.members:
        yield from _filled(each, variables)


def _filled(filled: Filled, variables: Mapping[str, str]) -> Iterator[str]:
    field = filled.field
    match filled.value:
        case Made() as inner if field.flatten:
            yield from _members(inner, variables)
        case Made() as inner:
            yield from (f"{_key(field.name)}: {{", *(f"  {line}" for line in _members(inner, variables)), "},")
        case Given(name=name) if field.flatten:
            yield f"...{variables[name]},"
        case Given(name=name):
            yield _variable(field.name, variables[name], optional=not field.required)
        case Fixed(value=value):
            yield f"{_key(field.name)}: {literal(value, 0, 0)},"
        case ByRule() as rule if rule is not ByRule.ABSENT:
            yield f"{_key(field.name)}: {_BY_RULE[rule]},"


def _variable(key: str, variable: str, *, optional: bool) -> str:
    whole = variable if key == variable else f"{_key(key)}: {variable}"
    return f"...({variable} === undefined ? {{}} : {{ {whole} }})," if optional else f"{whole},"


def _key(key: str) -> str:
    return f'["{key}"]' if key == "__proto__" else layout.key(key)


# --- sessions --------------------------------------------------------------------------------------------------


def _session(plan: Plan, controls: ControlsPlan, protocol: ControlProtocol, tables: Tables) -> dict[str, Expression]:
    notify, error, cancel, by = controls.notify, controls.error, controls.cancel, news_by(plan)
    lines = (controls.request, notify, controls.response, error, _line(cancel))
    union = _union_of(plan, (each.struct.name for each in lines if each is not None))
    peers = plan.model.protocol.peers
    told: Expression = None
    if notify is not None and protocol.notify is not None:
        told = {**_held(notify, protocol.notify.when, tables), "by": by}
    return {
        "controls": Code("CONTROLS"),
        "union": None if union is None else tables.declared(union),
        "request": _held(controls.request, protocol.request.when, tables),
        "notify": told,
        "answered": _keys(controls.response.id),
        "failed": () if error is None else _keys(error.id),
        "cancel": None if cancel is None else _cancel(cancel, controls, by, tables),
        "draw": "uuid" if controls.draw == "uuid" else "number" if "number" in controls.id_kinds else "text",
        "prefix": controls.prefix,
        "requests": _sent(controls.pairs, controls.by, peers),
        "notifications": _sent(controls.notifications, by, peers),
        "announced": None if plan.announced is None else _announced(plan.announced, tables),
    }


def _announced(announced: AnnouncedPlan, tables: Tables) -> dict[str, Expression]:
    return {
        "message": tables.declared(announced.struct.name),
        "at": _keys(announced.way),
        "releases": [[number, release] for number, release in announced.releases],
    }


def _line(cancel: CancelPlan | None) -> CancelPlan | None:
    """The message that cancels a request, if it is a separate envelope."""
    return None if cancel is None or cancel.is_notification else cancel


def _cancel(cancel: CancelPlan, controls: ControlsPlan, by: str, tables: Tables) -> dict[str, Expression]:
    envelope = _line(cancel)
    form = None if envelope is None else _form(envelope.struct.name, (), envelope.id, tables)
    notices = (each for each in controls.notifications if each.request.name == cancel.struct.name)
    return {
        "form": None if form is None else {**form, "holder": _keys(cancel.id[:-1])},
        "notice": None if envelope is not None else next((request_tag(each, by) for each in notices), None),
        "id": _keys(cancel.id),
        "answered": cancel.answered,
    }


def _makers(controls: ControlsPlan) -> Code:
    forms = {"refuse": controls.error, "notify": controls.notify, "cancel": controls.cancel}
    names = ("request", "respond", *(name for name, form in forms.items() if form is not None))
    return Code(f"{{ {', '.join(names)} }}")


def _sent(pairs: Sequence[PairPlan], by: str, peers: Sequence[str]) -> dict[str, Expression]:
    """For each peer, the discriminator values of the messages that it sends."""
    return {peer: [request_tag(each, by) for each in pairs if each.control.origin in {peer, "both"}] for peer in peers}


# --- tools -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolTable:
    """The types of tools' inputs or outputs, as literals of the code."""

    way: str
    """`input` or `output`."""
    function: str
    """The function that decodes a tool's input or output."""
    table: str
    value: str
    """An object literal, as `runtime/controls.js` describes it."""


def tool_tables(plan: Plan, tables: Tables) -> tuple[ToolTable, ...]:
    """The tables of tools in the package."""
    ways = (("input", plan.tools.inputs), ("output", plan.tools.outputs))
    return tuple(_tool_table(way, tools, tables) for way, tools in ways if tools)


def _tool_table(way: str, tools: Sequence[ToolPlan], tables: Tables) -> ToolTable:
    rows = [[each.tool.pattern, tables.type(each.type)] for each in tools]
    name = f"TOOL_{way.upper()}S"
    return ToolTable(way, f"tool{way.capitalize()}", name, literal(Later(rows), 0, len(f"export const {name} = ")))
