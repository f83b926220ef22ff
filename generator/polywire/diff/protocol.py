"""Two models → what differs in their roots, in how requests find their answers, in controls and tools."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.diff.declarations import summary_of_members
from polywire.diff.matching import Matching
from polywire.diff.records import Difference, Side
from polywire.engine import pointer
from polywire.model.nodes import Control, Envelope, Model, Tool, Type
from polywire.model.walk import spell


def of_protocol(before: Model, after: Model, matching: Matching) -> Iterator[Difference]:
    old, new = before.protocol, after.protocol
    for root in old.roots:
        if matching.counterpart(root) not in new.roots:
            yield Difference("root", _root(before, root), Side())
    counterparts = {matching.counterpart(root) for root in old.roots}
    for root in new.roots:
        if root not in counterparts:
            yield Difference("root", Side(), _root(after, root))
    for word, one, other in (("requests", old.request, new.request), ("responses", old.response, new.response)):
        if _pointers(one) != _pointers(other):
            yield Difference("envelope", Side(key=word, text=_pointers(one)), Side(key=word, text=_pointers(other)))


def _root(model: Model, name: str) -> Side:
    return Side(key=name, text=name, place=model.declarations[name].place)


def _pointers(envelope: Envelope | None) -> str | None:
    """Where the members stand that pair a request with its response."""
    if envelope is None:
        return None
    told = f" by {envelope.by}" if envelope.by else ""
    return f"id {_pointer(envelope.id)}, payload {_pointer(envelope.payload)}{told}"


def _pointer(way: tuple[str, ...]) -> str:
    return pointer(way) or "the line itself"


# --- controls --------------------------------------------------------------------------------------------------


def of_controls(before: Model, after: Model, matching: Matching) -> Iterator[Difference]:
    others = {control.key: control for control in after.controls}
    for control in before.controls:
        other = others.pop(control.key, None)
        if other is None:
            yield Difference("control", _control(before, control), Side())
        else:
            yield from _changed(control, other, matching)
    for control in others.values():
        yield Difference("control", Side(), _control(after, control))


def _changed(before: Control, after: Control, matching: Matching) -> Iterator[Difference]:
    if matching.origin(before.origin) != after.origin:
        old, new = (Side(c.key, text=c.origin, place=c.place) for c in (before, after))
        yield Difference("from", old, new)
    if before.response_optional != after.response_optional or _other(before.response, after.response, matching):
        old, new = (Side(c.key, text=_answer(c), place=c.place) for c in (before, after))
        yield Difference("control-response", old, new)


def _other(before: Type | None, after: Type | None, matching: Matching) -> bool:
    if before is None or after is None:
        return before is not after
    return bool(matching.aspects(before, after))


def _answer(control: Control) -> str:
    if control.response is None:
        return "none"
    return spell(control.response) + (" | none" if control.response_optional else "")


def _control(model: Model, control: Control) -> Side:
    request = model.struct(control.request)
    by = model.protocol.request.by if model.protocol.request else None
    asked = summary_of_members(request, *([by] if by else []))
    return Side(control.key, text=f"{asked} → {_answer(control)}", place=control.place)


# --- tools -----------------------------------------------------------------------------------------------------


def of_tools(before: Model, after: Model, matching: Matching) -> Iterator[Difference]:
    others = {tool.pattern: tool for tool in after.tools}
    for tool in before.tools:
        other = others.pop(tool.pattern, None)
        if other is None:
            yield Difference("tool", _tool(tool), Side())
            continue
        for rule, one, two in (("tool-input", tool.input, other.input), ("tool-output", tool.output, other.output)):
            if _other(one, two, matching):
                yield Difference(rule, _typed(tool, one), _typed(other, two))
    for tool in others.values():
        yield Difference("tool", Side(), _tool(tool))


def _tool(tool: Tool) -> Side:
    given, made = ("untyped" if type_ is None else spell(type_) for type_ in (tool.input, tool.output))
    return Side(tool.pattern, text=f"{given} → {made}", place=tool.place)


def _typed(tool: Tool, type_: Type | None) -> Side:
    return Side(tool.pattern, text=None if type_ is None else spell(type_), place=tool.place)
