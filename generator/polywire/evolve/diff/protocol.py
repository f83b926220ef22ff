"""Two models → the differences in framing, roots, the pairing of requests and responses, controls, tools and trees."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.evolve.diff.declarations import summary_of_members
from polywire.evolve.diff.matching import Matching
from polywire.evolve.diff.records import Difference, Side
from polywire.ground.engine import pointer
from polywire.ground.json_values import dumps
from polywire.model.nodes import Constant, Control, ControlProtocol, Model, Pointer, Tool, Tree
from polywire.model.trees import members
from polywire.model.walk import spell
from polywire.source.types import Type


def of_protocol(before: Model, after: Model, matching: Matching) -> Iterator[Difference]:
    old, new = before.protocol, after.protocol
    if old.framing != new.framing:
        yield Difference("framing", *(Side(key="messages", text=each.framing) for each in (old, new)))
    for root in old.roots:
        if matching.counterpart(root) not in new.roots:
            yield Difference("root", _root(before, root), Side())
    counterparts = {matching.counterpart(root) for root in old.roots}
    for root in new.roots:
        if root not in counterparts:
            yield Difference("root", Side(), _root(after, root))
    ours, theirs = _forms(old.control), _forms(new.control)
    for word in {**ours, **theirs}:
        one, other = ours.get(word), theirs.get(word)
        if one != other:
            yield Difference("envelope", Side(key=word, text=one), Side(key=word, text=other))


def _root(model: Model, name: str) -> Side:
    return Side(key=name, text=name, place=model.declarations[name].place)


_FORMS = {
    "request": "requests",
    "notify": "notifications",
    "response": "responses",
    "error": "errors",
    "cancel": "cancellations",
}


def _forms(control: ControlProtocol | None) -> dict[str, str]:
    """Return each form of the control protocol as text: its paths, and what distinguishes it from other forms."""
    found: dict[str, list[str]] = {}
    for side, key, _, way in control.pointers if control is not None else ():
        if key == "when":
            continue
        found.setdefault(_FORMS[side], []).append(f"{'payload' if key == 'result' else key} {_pointer(way)}")
    if control is None:
        return {}
    for side, form in (("request", control.request), ("notify", control.notify), ("response", control.response)):
        if form is not None:
            found[_FORMS[side]] += [f"none {dumps(form.none)}"] if form.has_none else []
            found[_FORMS[side]] += _conditions(form.when)
    if control.error is not None:
        codes = {"refused": control.error.refused, "unknown": control.error.unknown}
        found["errors"] += [f"{key} {dumps(code)}" for key, code in codes.items() if code is not None]
        found["errors"] += [f"data of {code}: {spell(type_)}" for code, type_ in control.error.types]
        found["errors"] += _conditions(control.error.when)
    if control.cancel is not None:
        found["cancellations"].append("answered" if control.cancel.answered else "not answered")
    forms = {word: ", ".join(each) for word, each in found.items()}
    for side, form in (("request", control.request), ("notify", control.notify)):
        if form is not None and form.by:
            forms[_FORMS[side]] += f" by {form.by}"
    return forms


def _conditions(when: tuple[tuple[Pointer, Constant], ...]) -> list[str]:
    return [f"when {_pointer(way)} is {dumps(value)}" for way, value in when]


def _pointer(way: tuple[str, ...]) -> str:
    return pointer(way) or "the line itself"


# --- controls --------------------------------------------------------------------------------------------------


def of_controls(before: Model, after: Model, matching: Matching) -> Iterator[Difference]:
    others = {control.key: control for control in after.controls}
    for control in before.controls:
        other = others.pop(matching.controls.get(control.key, control.key), None)
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
    if _other(before.error, after.error, matching):
        old, new = (
            Side(c.key, text=None if c.error is None else spell(c.error), place=c.place) for c in (before, after)
        )
        yield Difference("control-error", old, new)
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
    protocol = model.protocol.control
    form = None if protocol is None else protocol.notify if control.is_notification else protocol.request
    asked = summary_of_members(request, *([form.by] if form is not None and form.by else []))
    if control.is_notification:
        return Side(control.key, text=f"{asked}, not answered", place=control.place)
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


# --- trees -----------------------------------------------------------------------------------------------------


def of_trees(before: Model, after: Model, matching: Matching) -> Iterator[Difference]:
    others = {tree.name: tree for tree in after.trees}
    for tree in before.trees:
        other = others.pop(tree.name, None)
        if other is None:
            yield Difference("tree", _tree(tree), Side())
            continue
        if matching.counterpart(tree.lines) != other.lines:
            sides = (Side(each.name, text=each.lines, place=each.place) for each in (tree, other))
            yield Difference("tree-lines", *sides)
        ways = tree.pointers, other.pointers
        for key in {**ways[0], **ways[1]}:
            old, new = (each.get(key) for each in ways)
            if not (new == old or (new is not None and old is not None and _reads(after, other, new, old))):
                yield Difference("tree-pointer", _at(tree, key, old), _at(other, key, new))
    for tree in others.values():
        yield Difference("tree", Side(), _tree(tree))


def _reads(model: Model, tree: Tree, new: Pointer, old: Pointer) -> bool:
    """Return whether a pointer reads members under the names of another pointer too, as it does after a renaming."""
    found = members(model, tree, new)
    return found is not None and len(new) == len(old) and all(map(tuple.__contains__, found.names, old))


def _tree(tree: Tree) -> Side:
    ways = ", ".join(f"{key} {pointer(way)}" for key, way in tree.pointers.items())
    return Side(tree.name, text=f"{tree.lines}: {ways}", place=tree.place)


def _at(tree: Tree, key: str, way: Pointer | None) -> Side:
    return Side(tree.name, key, None if way is None else pointer(way), tree.place)
