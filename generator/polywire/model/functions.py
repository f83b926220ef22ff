"""Functions in options → what they take and return, whose types are those of members of requests and results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from polywire.model.declared import entries, flag, pointer, text
from polywire.model.names import JSON, Names
from polywire.model.nodes import Callback, Control, Declaration, Field, Parameter, Pointer, Struct
from polywire.model.walk import without_alias
from polywire.source import jsontext
from polywire.source.expr import is_pointer
from polywire.source.report import Faults
from polywire.source.tree import Table, Text
from polywire.source.types import Ref, Type


def callback(
    body: Table, names: Names, asked: Mapping[str, tuple[Text, Text | None]], faults: Faults
) -> Callback | None:
    """A function as written; `asked` has the types of each control's request and response."""
    node = body.get("callback")
    if not isinstance(node, Table):
        return None
    returns, answers, none = node.get("returns"), node.get("answers"), node.get("none")
    control = asked.get(answers.text) if isinstance(answers, Text) else None
    if isinstance(answers, Text) and control is None:
        hint = faults.near(answers.text, asked)
        faults.add("unknown-name", answers.place, f"`{answers.text}` is not a control with an answer", hint)
    response = None if control is None or "result" in node.entries else control[1]
    id_ = text(node, "id")
    return Callback(
        params=tuple(_params(node, names, faults)),
        returns=names.type(returns)
        if isinstance(returns, Text)
        else None
        if response is None
        else names.answer(response)[0],
        answers=answers.text if isinstance(answers, Text) and control is not None else None,
        several=flag(node, "list"),
        id=None if id_ is None else pointer(id_),
        result=pointer(text(node, "result") or ""),
        has_none=none is not None,
        none=None if none is None else jsontext.value(none),
        receives="stderr" if text(node, "receives") == "stderr" else None,
    )


def _params(node: Table, names: Names, faults: Faults) -> list[Parameter]:
    answers = "answers" in node.entries
    if answers and "params" not in node.entries:
        return [Parameter("request", JSON, ())]
    found = []
    for each in entries(node, "params"):
        if not isinstance(each.value, Text):
            continue
        written = each.value
        if is_pointer(written.text) != answers:
            what = "is no pointer into the request" if answers else "is a pointer, but the function answers no request"
            hint = "write `/KEY`, or remove `answers`" if answers else "write a type, or add `answers`"
            faults.add("wrong-kind", written.place, f"`{written.text}` {what}", hint)
        elif answers:
            found.append(Parameter(each.key.text, JSON, pointer(written.text)))
        else:
            found.append(Parameter(each.key.text, names.type(written)))
    return found


def typed(declarations: Mapping[str, Declaration], controls: Iterable[Control]) -> dict[str, Declaration]:
    """The declarations, with the types that functions that answer requests have by their pointers."""
    answered = {control.key: control for control in controls}

    def param(each: Parameter, request: Type) -> Parameter:
        if each.at is None:
            return each
        type_, optional = _member(declarations, request, each.at)
        return replace(each, type=type_, optional=optional)

    def field(each: Field) -> Field:
        call = each.callback
        if call is None or call.answers is None:
            return each
        control = answered[call.answers]
        params = tuple(param(one, Ref(control.request)) for one in call.params)
        returns = call.returns
        if returns is None and call.result and control.response is not None:
            returns, _ = _member(declarations, control.response, call.result)
        return replace(each, callback=replace(call, params=params, returns=returns))

    def struct(each: Declaration) -> Declaration:
        if not isinstance(each, Struct) or all(one.callback is None for one in each.fields):
            return each
        return replace(each, fields=tuple(field(one) for one in each.fields))

    return {name: struct(each) for name, each in declarations.items()}


def _member(declarations: Mapping[str, Declaration], type_: Type, at: Pointer) -> tuple[Type, bool]:
    """The type at a pointer, and whether there may be no value; JSON if it leads nowhere, which `lint` reports."""
    optional = False
    for key in at:
        inner = without_alias(type_, declarations)
        struct = declarations.get(inner.name) if isinstance(inner, Ref) else None
        fields = struct.wire_fields if isinstance(struct, Struct) else ()
        field = next((each for each in fields if each.name == key), None)
        if field is None:
            return JSON, True
        type_, optional = field.type, optional or not field.required or field.nullable
    return type_, optional
