"""The examples of a spec → the examples in the package's documentation, one for each task, in terms of Go."""

from __future__ import annotations

import json
from dataclasses import dataclass

from polywire.plan import Plan
from polywire.plan.examples import first_example, line_example, request_example, tool_example
from polywire.targets.go.layout import quoted, raw
from polywire.targets.go.names import Names
from polywire.targets.go.shapes import is_flat
from polywire.targets.go.unions import Unions, wraps


@dataclass(frozen=True, slots=True)
class Sample:
    """A line, and the same line with an undeclared key, as literals."""

    line: str
    text: str
    newer: str
    key: str
    go: str


@dataclass(frozen=True, slots=True)
class ReplySample:
    """A request and its response as literals, and the function that decodes the response."""

    request_go: str
    request: str
    answer: str
    decode_answer: str
    asking: str
    answering: str
    """The constants of the requesting and the responding peer."""


@dataclass(frozen=True, slots=True)
class ValueSample:
    """A JSON literal with the function or tool for which it is an example, and the result."""

    own: str
    """The suffix of the function to call, or the name of a tool."""
    text: str
    go: str
    """The Go type or the value of the result."""
    method: str = ""
    """The method that returns the value."""


@dataclass(frozen=True, slots=True)
class Samples:
    """The examples that exist."""

    line: Sample | None
    reply: ReplySample | None
    tool: ValueSample | None
    flat: ValueSample | None
    event: ValueSample | None
    imports: tuple[str, ...]
    """The packages of the standard library that the examples use; empty if there are none."""


def samples(plan: Plan, names: Names, unions: Unions, package: str) -> Samples:
    """The examples of a package."""
    line, reply, tool = _line(plan, names), _reply(plan, names, package), _tool(plan, names)
    flat, event = _flat(plan, names, unions), _event(plan, names, unions)
    imports = {*("bytes", "errors", "os") * bool(line), *("encoding/json",) * bool(tool)}
    imports |= {"fmt"} if any((line, reply, tool, flat, event)) else set()
    return Samples(line, reply, tool, flat, event, tuple(sorted(imports)))


def _line(plan: Plan, names: Names) -> Sample | None:
    """A line, unless the root is flat, so there are no types to distinguish."""
    found = line_example(plan)
    if found is None or is_flat(plan.model.union(plan.root)):
        return None
    flats = dict(wraps(plan.model.union(plan.root).dispatch, plan.model))
    go = names.type(flats[found.struct.name] or found.struct.name)
    return Sample(found.text, raw(found.text), raw(f'{found.text[:-1]},"{found.key}":true}}'), found.key, go)


def _reply(plan: Plan, names: Names, package: str) -> ReplySample | None:
    """A request to which packages respond with `Reply`."""
    found = request_example(plan)
    if found is None:
        return None
    decode = f"Decode[{package}.{names.type(found.response)}]"
    peers, origin = plan.model.protocol.peers, found.pair.control.origin
    asking = peers[0] if origin == "both" else origin
    answering = next((each for each in peers if each != asking), asking)
    return ReplySample(
        names.type(found.pair.request.name),
        raw(found.request),
        raw(found.answer),
        f"Unmarshal{names.own(found.response)}" if found.response in plan.unions else decode,
        names.peer(asking),
        names.peer(answering),
    )


def _tool(plan: Plan, names: Names) -> ValueSample | None:
    found = tool_example(plan)
    if found is None:
        return None
    return ValueSample(quoted(found.tool.tool.pattern), raw(found.text), names.type(found.struct.name))


def _flat(plan: Plan, names: Names, unions: Unions) -> ValueSample | None:
    """The flat struct with the most variants, with its first variant that has an example."""
    for name, flat in sorted(unions.flats.items(), key=lambda each: -len(each[1].leaves)):
        for leaf in () if flat.others else flat.leaves:
            found = None if leaf.marked else first_example(plan, [leaf.spec])
            if found is not None:
                return ValueSample(names.own(name), raw(found[1]), leaf.go, leaf.accessor)
    return None


def _event(plan: Plan, names: Names, unions: Unions) -> ValueSample | None:
    """The union with the most variants, none of them a variant of the root, that have a method in common."""
    plans = [each for each in plan.unions.values() if not set(plan.root_structs) & set(each.structs)]
    for each in sorted(plans, key=lambda each: -len(each.structs)):
        found = first_example(plan, each.structs)
        if found is None:
            continue
        for getter in unions.getters(each.union):
            value = json.loads(found[1]).get(getter.key)
            if getter.go == "string" and isinstance(value, str) and value.isprintable() and value:
                return ValueSample(names.own(each.union.name), raw(found[1]), value, getter.method)
    return None
