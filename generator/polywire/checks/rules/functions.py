"""Rules on functions in options, and on members of results that are filled from requests."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.checks.context import RuleContext
from polywire.checks.rule import Rule, Violation
from polywire.checks.rules.controls import instead
from polywire.checks.rules.graph import DeadEnd, find, follow
from polywire.checks.rules.values import refusal
from polywire.ground.engine import pointer
from polywire.ground.json_values import Json
from polywire.ground.location import SourceLocation
from polywire.model.names import split_null
from polywire.model.nodes import Callback, Control, Field, Pointer, Struct
from polywire.model.walk import spell, without_alias
from polywire.plan.controls import controls_plan, way_into
from polywire.plan.launch import LaunchPlan, launch_plans
from polywire.plan.rows import kinds
from polywire.source.types import Ref, Scalar

_IDS = frozenset({"string", "number"})
_OF_REQUESTS = "`{}` is only for functions that answer requests"


def _bad_function(context: RuleContext) -> Iterator[Violation]:
    """Functions that cannot be called as they say."""
    controls = {each.key: each for each in context.model.controls}
    for struct in context.model.structs:
        for field in struct.fields:
            call = field.callback
            if call is None:
                continue
            control = None if call.answers is None else controls.get(call.answers)
            if control is not None:
                yield from _called(context, field, call, control)
            elif call.answers is None:
                yield from _without_control(context, field, call)
        yield from _rivals(context, struct)
    for plan in launch_plans(context.model, controls_plan(context.model)):
        yield from _of_places(context, plan)


def _rivals(context: RuleContext, struct: Struct) -> Iterator[Violation]:
    """Functions that are called when another one of the record is."""
    first: dict[str, str] = {}
    for field in struct.fields:
        call = field.callback
        if call is not None and call.answers is not None and call.id is None:
            other = first.setdefault(call.answers, field.name)
            if other != field.name:
                message = f"`{other}` also answers `{call.answers}`, and no id tells which of them is called"
                yield Violation(_place(context, field, "answers"), message, "add `id` to both, or remove one")
        if call is not None and call.receives is not None:
            other = first.setdefault(f"receives {call.receives}", field.name)
            if other != field.name:
                message = f"`{other}` also receives `{call.receives}`"
                yield Violation(_place(context, field, "receives"), message, "remove one of them")


def _of_places(context: RuleContext, plan: LaunchPlan) -> Iterator[Violation]:
    """Functions of which there can be several although they have no id, and single ones that have one."""
    for each in plan.functions:
        call, is_single = each.callback, all(isinstance(at, Field) for at in each.path)
        ids = any(carrier.form == "ids" for carrier in each.field.carry)
        if call is None or call.answers is None or call.several or ids:
            continue
        if call.id is None and not is_single:
            message = "there can be several of these functions, and nothing tells which of them is called"
            yield Violation(_place(context, each.field, "answers"), message, "add `id`, a pointer into the request")
        if call.id is not None and is_single:
            message = "there is only one such function, so it has no id"
            yield Violation(_place(context, each.field, "id"), message, "remove `id`")


def _without_control(context: RuleContext, field: Field, call: Callback) -> Iterator[Violation]:
    stated = {"id": call.id is not None, "result": bool(call.result), "none": call.has_none}
    for key in (key for key, is_stated in stated.items() if is_stated):
        yield Violation(_place(context, field, key), _OF_REQUESTS.format(key), "add `answers`, or remove it")
    types = [param.type for param in call.params]
    if call.receives is not None and (call.several or call.returns is not None or types != [Scalar("string")]):
        message = f"a function that receives `{call.receives}` has one parameter of type `string`, and returns nothing"
        yield Violation(_place(context, field, "receives"), message, "write `params: {text: string}`")


def _called(context: RuleContext, field: Field, call: Callback, control: Control) -> Iterator[Violation]:
    if call.receives is not None:
        message = "a function answers requests, or it receives the output of the process"
        yield Violation(_place(context, field, "receives"), message, "remove `answers` or `receives`")
    request = context.model.struct(control.request)
    for param in call.params:
        if param.at:
            end = follow(context, request, param.at)
            if isinstance(end, DeadEnd):
                yield _lost(_place(context, field, "params", param.name), param.at, end)
    yield from _of_id(context, field, call, request)
    yield from _of_result(context, field, call, control)


def _of_id(context: RuleContext, field: Field, call: Callback, request: Struct) -> Iterator[Violation]:
    ids = any(each.form == "ids" for each in field.carry)
    if call.id is None:
        if call.several or ids:
            message = "there can be several of these functions, and nothing tells which of them is called"
            yield Violation(_place(context, field, "answers"), message, "add `id`, a pointer into the request")
        return
    end = follow(context, request, call.id)
    place = _place(context, field, "id")
    if isinstance(end, DeadEnd):
        yield _lost(place, call.id, end)
    elif not frozenset(kinds(context.model, end.type)) <= _IDS:
        yield Violation(place, f"`{pointer(call.id)}` is {spell(end.type)}, but an id is a string or a number")


def _of_result(context: RuleContext, field: Field, call: Callback, control: Control) -> Iterator[Violation]:
    model = context.model
    response = None if control.response is None else without_alias(control.response, model.declarations)
    if call.result:
        answer = model.declarations.get(response.name) if isinstance(response, Ref) else None
        place = _place(context, field, "result")
        end = find(context, answer.name, call.result) if isinstance(answer, Struct) else None
        if not isinstance(answer, Struct):
            yield Violation(place, f"the response of `{control.key}` is not an object of one declared type")
        elif end is not None:
            yield _lost(place, call.result, end)
        elif len(call.result) > 1 or any(each.required for each in answer.fields if each.name != call.result[0]):
            message = f"`{answer.name}` cannot be made from the value of `{pointer(call.result)}` alone"
            yield Violation(place, message, "the member must be its only required one")
    yield from _of_returns(context, field, call, control)
    if call.has_none and control.response is not None:
        value: Json = call.none
        for key in reversed(call.result):
            value = {key: value}
        wrong = refusal(model, control.response, value)
        if wrong is not None:
            yield Violation(_place(context, field, "none"), f"this is not a result of `{control.key}`: {wrong}")


def _of_returns(context: RuleContext, field: Field, call: Callback, control: Control) -> Iterator[Violation]:
    """A stated type that is not that of the result, or of the member of it."""
    is_stated = context.node(field.place, "callback", "returns") is not None
    if control.response is None or call.returns is None or not is_stated:
        return
    way = way_into(context.model, control.response, call.result)
    wanted = way[-1].field.type if way else control.response
    if split_null(call.returns)[0] != split_null(wanted)[0]:
        message = f"it returns {spell(call.returns)}, but the response of `{control.key}` has {spell(wanted)} there"
        yield Violation(_place(context, field, "returns"), message, "write the type of the response, or `T | null`")


def _bad_fill(context: RuleContext) -> Iterator[Violation]:
    """Members of results that cannot be filled from the request."""
    model = context.model
    for control in model.controls:
        for at, source in control.fill:
            place = context.at(control.place, "fill", pointer(at))
            end = follow(context, model.struct(control.request), source)
            if isinstance(end, DeadEnd):
                yield _lost(place, source, end)
                continue
            way = None if control.response is None else way_into(model, control.response, at)
            if not way:
                yield Violation(place, f"`{pointer(at)}` does not exist in the response of `{control.key}`")
            elif way[-1].field.type not in {end.type, Scalar("json")}:
                message = (
                    f"`{pointer(at)}` is {spell(way[-1].field.type)}, but `{pointer(source)}` is {spell(end.type)}"
                )
                yield Violation(place, message, "both must have the same type")
            elif end.nullable and not way[-1].field.nullable:
                message = f"`{pointer(source)}` can be null, which `{pointer(at)}` cannot"
                yield Violation(place, message, "both must admit null, or neither")


def _lost(place: SourceLocation, path: Pointer, end: DeadEnd) -> Violation:
    return Violation(place, f"`{pointer(path)}` does not exist: {end.why}", instead(path, end))


def _place(context: RuleContext, field: Field, *keys: str) -> SourceLocation:
    return context.at(field.place, "callback", *keys)


RULES = (
    Rule(
        "bad-function",
        "A function in the options can be called: what it refers to in requests and results exists.",
        "error",
        "values",
        _bad_function,
        needs_sound=True,
    ),
    Rule(
        "bad-fill",
        "A member of a result is filled from a member of the request that has its type.",
        "error",
        "values",
        _bad_fill,
        needs_sound=True,
    ),
)
