"""Controls and tools → maps of types that tie a request to its answer, and a tool's name to its input and output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from polywire.model.nodes import Ref
from polywire.model.walk import without_alias
from polywire.plan import Plan
from polywire.plan.controls import PairPlan, Step, ToolPlan
from polywire.targets.typescript.layout import Function, Property, key, quoted, template
from polywire.targets.typescript.names import Names
from polywire.targets.typescript.types import Types


@dataclass(frozen=True, slots=True)
class ControlMap:
    """How requests and responses find each other, as the compiler sees it."""

    by: str
    """The discriminator of requests."""
    response: str
    """The envelope of responses."""
    carries: str
    """The pattern of any envelope, with the request as `P`; empty if envelope and request are one object."""
    entries: tuple[Property, ...]
    request: Function
    reply: Function
    refuse: Function | None
    is_request: Function
    decode_response: Function


@dataclass(frozen=True, slots=True)
class ToolMap:
    """One direction of the tools."""

    name: str
    what: str
    entries: tuple[Property, ...]
    by_name: Function
    by_any_name: Function


def control_map(plan: Plan, names: Names, types: Types) -> ControlMap | None:
    """The controls, if the protocol has any."""
    controls = plan.controls
    if controls is None:
        return None
    envelope, answer_envelope = names.type(controls.request.struct.name), names.type(controls.response.struct.name)
    payload = _payload(plan, controls.request.payload[-1], names)
    pointer = () if controls.request.is_flat else controls.request.pointer
    asked = ("request: R", f"response: {answer_envelope}", "options?: DecodeOptions")
    return ControlMap(
        by=key(controls.by),
        response=answer_envelope,
        carries=_nested(pointer, "infer P") if pointer else "",
        entries=tuple(_answer(pair, controls.by, types) for pair in controls.pairs),
        request=Function(
            f"request<R extends Closed<{payload}>>", ("payload: R", "id?: string"), _enveloped(envelope, pointer)
        ),
        reply=Function(f"reply<R extends {envelope}>", ("request: R", "...result: ReplyTo<R>"), answer_envelope),
        refuse=Function("refuse", (f"request: {envelope}", "message: string"), answer_envelope)
        if controls.error
        else None,
        is_request=Function(
            "isRequestOf<K extends keyof Responses>",
            ("value: unknown", "kind: K"),
            f"value is {_enveloped(envelope, pointer, _of_kind(payload, controls.by))}",
        ),
        decode_response=Function(f"decodeResponse<R extends {envelope} | {payload}>", asked, "ResponseTo<R>"),
    )


def _answer(pair: PairPlan, by: str, types: Types) -> Property:
    """A request's value of the discriminator, and the type of its answer."""
    answer = () if pair.response is None else types.members(pair.response)
    absent = ("undefined",) if pair.response is None or pair.optional else ()
    return Property(key(str(request_tag(pair, by))), (*answer, *absent))


def request_tag(pair: PairPlan, by: str) -> str | bool:
    """The value of the discriminator that a request is known by."""
    tag = pair.request.tag(by)
    return pair.control.key if tag is None or tag.constant is None else tag.constant


def _payload(plan: Plan, step: Step, names: Names) -> str:
    """The type of the requests, if it is a union."""
    type_ = without_alias(step.field.type, plan.model.declarations)
    return names.value_type(type_.name) if isinstance(type_, Ref) and type_.name in plan.unions else "object"


def _of_kind(payload: str, by: str) -> str:
    """The requests of a kind."""
    return f"Extract<{payload}, {{ {key(by)}: K }}>"


def _enveloped(envelope: str, payload: tuple[str, ...], request: str = "R") -> str:
    rest = f"Omit<{envelope}, {quoted(payload[0])}>" if len(payload) == 1 else envelope
    return f"{rest} & {_nested(payload, request)}"


def _nested(pointer: tuple[str, ...], inner: str) -> str:
    for step in reversed(pointer):
        inner = f"{{ {key(step)}: {inner} }}"
    return inner


def tool_maps(plan: Plan, types: Types) -> tuple[ToolMap, ...]:
    """Inputs and outputs of tools, those that there are."""
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
    """The type of a tool; that of a pattern admits those of the exact names that it matches, as an index has to."""
    if "*" not in pattern:
        return texts[pattern]
    exact = [type_ for name, each in texts.items() if "*" not in name and fnmatchcase(name, pattern) for type_ in each]
    return tuple(dict.fromkeys((*texts[pattern], *exact)))
