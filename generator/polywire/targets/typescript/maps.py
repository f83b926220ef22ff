"""Controls and tools → maps of types: request → response, and name of a tool → input and output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from polywire.model.walk import without_alias
from polywire.plan import Plan
from polywire.plan.controls import (
    CancelPlan,
    ControlsPlan,
    EnvelopePlan,
    ErrorPlan,
    PairPlan,
    ReplyPlan,
    Step,
    ToolPlan,
)
from polywire.plan.session import sent
from polywire.source.types import Ref, Scalar, Type
from polywire.targets.typescript.layout import Function, Property, key, quoted, template
from polywire.targets.typescript.names import Names
from polywire.targets.typescript.types import Types

ANY_VALUE = ("{}", "null")
"""Any JSON value; unlike `unknown`, it excludes undefined."""


@dataclass(frozen=True, slots=True)
class ControlMap:
    """How requests and responses are correlated, for the compiler."""

    by: str
    """The discriminator of requests."""
    response: str
    """The envelopes of responses."""
    carries: str
    """The pattern of any envelope, with the request as `P`; empty if the envelope is the request itself."""
    entries: tuple[Property, ...]
    replies: tuple[Property, ...]
    """The entries whose type differs for a new response."""
    request: Function
    reply: Function
    refuse: Function | None
    code: str | None
    """The type of an error's code, if errors have one."""
    failure: Function
    """The constructor of the error that is thrown for an error response."""
    details: tuple[str, ...]
    """The parts of an error besides its message: `code`, `data`."""
    data: tuple[Property, ...]
    """The types of data, by the request or the code for which they are used."""
    notify: Function | None
    cancel: Function | None
    id: str
    """A phrase for the id of a new request."""
    is_request: Function
    decode_response: Function
    session: SessionMap


@dataclass(frozen=True, slots=True)
class SessionMap:
    """A side of a connection, for the compiler."""

    side: str
    """A peer, as a literal."""
    id: str
    """The type of ids."""
    payload: str
    """The type of requests."""
    envelope: str
    """The envelope of requests."""
    holds: str
    """The envelope of a request of type `R`."""
    requests: tuple[Property, ...]
    """The requests that each peer sends."""
    notifications: tuple[Property, ...]
    """The notifications that each peer sends; empty if there are none."""
    notification: str
    """The type of notifications."""
    request: Function
    reply: Function
    refuse: Function | None
    notify: Function | None
    cancel: Function | None


@dataclass(frozen=True, slots=True)
class ToolMap:
    """One direction of the tools."""

    name: str
    what: str
    entries: tuple[Property, ...]
    by_name: Function
    by_any_name: Function


def control_map(plan: Plan, names: Names, types: Types) -> ControlMap | None:
    """The types of the controls, if the protocol has any."""
    controls = plan.controls
    if controls is None:
        return None
    envelope, answer_envelope = names.type(controls.request.struct.name), names.type(controls.response.struct.name)
    error, notify = controls.error, controls.notify
    refusal = answer_envelope if error is None else names.type(error.struct.name)
    response = answer_envelope if refusal == answer_envelope else f"{answer_envelope} | {refusal}"
    code = None if error is None or not error.code else _flat(types, error.code[-1])
    details = () if error is None else _details(code, error)
    parts = (("code", code), ("data", error is not None and error.data))
    payload, id_ = payload_type(plan, controls.request.payload[-1], names), _flat(types, controls.request.id[-1])
    pointer = () if controls.request.is_flat else controls.request.pointer
    holds = _enveloped(envelope, pointer)
    asked = ("request: R", f"response: {response}", "options?: DecodeOptions")
    reply = Function(f"reply<R extends {envelope}>", ("request: R", "...result: ReplyTo<R>"), answer_envelope)
    refuse = Function("refuse", (f"request: {envelope}", "message: string", *details), refusal) if error else None
    sent_notice = Function("notify<N extends Closed<SentNotifications[P]>>", ("payload: N",), "string")
    return ControlMap(
        by=key(controls.by),
        response=response,
        carries=_nested(pointer, "infer P") if pointer else "",
        entries=tuple(_answer(pair, pair.answer, controls.by, types) for pair in controls.pairs),
        replies=tuple(
            _answer(each, each.reply, controls.by, types) for each in controls.pairs if each.reply is not None
        ),
        request=Function(f"request<R extends Closed<{payload}>>", ("payload: R", f"id?: {id_}"), holds),
        reply=reply,
        refuse=refuse,
        code=code,
        failure=Function("constructor", ("message: string", f"response: {response}", *details), ""),
        details=tuple(name for name, there in parts if there),
        data=_data(controls, types),
        notify=None if notify is None else _notify(plan, notify, names),
        cancel=None if controls.cancel is None else _cancel(controls, controls.cancel, names),
        id=_drawn(controls),
        is_request=Function(
            "isRequestOf<K extends keyof Responses>",
            ("value: unknown", "kind: K"),
            f"value is {_enveloped(envelope, pointer, _of_kind(payload, controls.by))}",
        ),
        decode_response=Function(f"decodeResponse<R extends {envelope} | {payload}>", asked, "ResponseTo<R>"),
        session=SessionMap(
            side=quoted(plan.model.protocol.peers[-1]),
            id=id_,
            payload=payload,
            envelope=envelope,
            holds=holds,
            requests=_sent(plan, controls.pairs, names),
            notifications=() if notify is None else _sent(plan, controls.notifications, names),
            notification="" if notify is None else payload_type(plan, notify.payload[-1], names),
            request=Function(
                "request<R extends Closed<SentRequests[P]>>",
                ("payload: R", f"id?: {id_}"),
                f"{{ id: {id_}; line: string }}",
            ),
            reply=replace(reply, result="string"),
            refuse=refuse and replace(refuse, result="string"),
            notify=sent_notice if notify else None,
            cancel=Function("cancel", (f"id: {id_}",), "string") if controls.cancel else None,
        ),
    )


def _sent(plan: Plan, pairs: Sequence[PairPlan], names: Names) -> tuple[Property, ...]:
    """The types of the messages that each peer sends."""
    peers = plan.model.protocol.peers
    sent = {peer: [each for each in pairs if each.control.origin in {peer, "both"}] for peer in peers}
    return tuple(
        Property(key(peer), tuple(names.type(each.request.name) for each in those) or ("never",))
        for peer, those in sent.items()
    )


def _flat(types: Types, step: Step) -> str:
    return " | ".join(types.members(step.field.type))


def _details(code: str | None, error: ErrorPlan) -> tuple[str, ...]:
    """The parameter for the parts of a refusal besides its message."""
    parts = (*((f"code?: {code} | undefined",) if code else ()), *(("data?: unknown",) if error.data else ()))
    return (f"details?: {{ {'; '.join(parts)} }}",) if parts else ()


def _data(controls: ControlsPlan, types: Types) -> tuple[Property, ...]:
    """The types of errors' data; if a code equals the tag of a request, the request takes precedence."""
    coded = () if controls.error is None else controls.error.types
    typed: dict[str, Type | None] = {str(each.code): each.type for each in coded}
    typed |= {str(sent(each, controls.by).tag): each.error for each in controls.pairs if each.error is not None}
    return tuple(Property(key(of), types.members(type_)) for of, type_ in typed.items() if type_ is not None)


def _notify(plan: Plan, notify: EnvelopePlan, names: Names) -> Function:
    payload = payload_type(plan, notify.payload[-1], names)
    pointer = () if notify.is_flat else notify.pointer
    return Function(
        f"notify<N extends Closed<{payload}>>",
        ("payload: N",),
        _enveloped(names.type(notify.struct.name), pointer, "N"),
    )


def _cancel(controls: ControlsPlan, cancel: CancelPlan, names: Names) -> Function:
    form = controls.notify if cancel.is_notification and controls.notify else cancel
    return Function("cancel", (f"request: {names.type(controls.request.struct.name)}",), names.type(form.struct.name))


def _drawn(controls: ControlsPlan) -> str:
    """A phrase for the id of a new request."""
    if controls.draw == "uuid":
        return "a random id"
    return "a new number" if "number" in controls.id_kinds else "a new id"


def _answer(pair: PairPlan, given: ReplyPlan, by: str, types: Types) -> Property:
    """A request's discriminator value, and the type of its response: undefined only if it may be absent."""
    answer = () if given.type is None else types.members(given.type)
    if given.type and without_alias(given.type, types.model.declarations) == Scalar("json") and not given.optional:
        answer = ANY_VALUE
    absent = ("undefined",) if given.type is None or given.optional else ()
    return Property(key(str(sent(pair, by).tag)), (*answer, *absent))


def payload_type(plan: Plan, step: Step, names: Names) -> str:
    """The type of the payloads if it is a union, otherwise `object`."""
    type_ = without_alias(step.field.type, plan.model.declarations)
    return names.value_type(type_.name) if isinstance(type_, Ref) and type_.name in plan.unions else "object"


def _of_kind(payload: str, by: str) -> str:
    """The requests with a discriminator value."""
    return f"Extract<{payload}, {{ {key(by)}: K }}>"


def _enveloped(envelope: str, payload: tuple[str, ...], request: str = "R") -> str:
    rest = f"Omit<{envelope}, {quoted(payload[0])}>" if len(payload) == 1 else envelope
    return f"{rest} & {_nested(payload, request)}"


def _nested(pointer: tuple[str, ...], inner: str) -> str:
    for step in reversed(pointer):
        inner = f"{{ {key(step)}: {inner} }}"
    return inner


def tool_maps(plan: Plan, types: Types) -> tuple[ToolMap, ...]:
    """The types of the inputs and outputs of tools, where there are any."""
    ways = (("input", plan.tools.inputs), ("output", plan.tools.outputs))
    return tuple(_tool_map(way, tools, types) for way, tools in ways if tools)


def _tool_map(what: str, tools: Sequence[ToolPlan], types: Types) -> ToolMap:
    texts = {each.tool.pattern: types.members(each.type) for each in tools}
    entries = tuple(Property(_tool_key(pattern), _tool_types(pattern, texts)) for pattern in texts)
    function = f"tool{what.capitalize()}"
    name = f"Tool{what.capitalize()}s"
    rest = (f"{what}: unknown", "options?: DecodeOptions")
    return ToolMap(
        name,
        what,
        entries,
        by_name=Function(f"{function}<N extends keyof {name}>", ("name: N", *rest), f"{name}[N]"),
        by_any_name=Function(function, ("name: string", *rest), "unknown"),
    )


def _tool_key(pattern: str) -> str:
    return f"[name: {template(pattern)}]" if "*" in pattern else key(pattern)


def _tool_types(pattern: str, texts: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The type of a tool; that of a pattern includes those of matching exact names, as index signatures require."""
    if "*" not in pattern:
        return texts[pattern]
    exact = [type_ for name, each in texts.items() if "*" not in name and fnmatchcase(name, pattern) for type_ in each]
    return tuple(dict.fromkeys((*texts[pattern], *exact)))
