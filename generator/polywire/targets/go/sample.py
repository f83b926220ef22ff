"""The examples of a spec → the examples in the package's documentation, one for each task, in terms of Go."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from polywire.plan import Plan
from polywire.plan.examples import LineExample, first_example, line_example, request_example, tool_example
from polywire.targets.go.layout import quoted, raw
from polywire.targets.go.shapes import is_flat
from polywire.targets.go.unions import Unions, values


@dataclass(frozen=True, slots=True)
class Sample:
    """JSON as a literal, and the function that decodes it."""

    text: str
    function: str
    result: str
    """What the example prints: the Go type or the value of a result, or the key that is at fault."""
    of: str = ""
    """What else the example has: the method that returns the result, the name of a tool, or the line as text."""


@dataclass(frozen=True, slots=True)
class Samples:
    """The examples that exist."""

    line: Sample | None
    newer: Sample | None
    """The line with an undeclared member."""
    event: Sample | None
    flat: Sample | None
    request: Sample | None
    answer: Sample | None
    peers: tuple[str, ...]
    """The constants of the peers that request and respond."""
    tool: Sample | None
    imports: tuple[str, ...]
    """The packages of the standard library that the examples use; empty if there are none."""


def samples(unions: Unions, package: str) -> Samples:
    """The examples of a package."""
    plan, names = unions.tables.plan, unions.tables.names

    def sample(name: str, text: str, result: str = "", of: str = "") -> Sample:
        is_union = name in plan.unions
        function = f"Unmarshal{names.own(name)}" if is_union else f"Decode[{package}.{names.type(name)}]"
        return Sample(raw(text), function, result or names.type(name), of)

    line, request, tool = _line(plan), request_example(plan), tool_example(plan)
    event, flat = next(_events(unions), None), next(_flats(unions), None)
    imports = {*("bytes", "errors", "os") * bool(line), *("encoding/json",) * bool(tool)}
    imports |= {"fmt"} if any((line, request, tool, event, flat)) else set()
    return Samples(
        line=None if line is None else sample(plan.root, line.text, _held_as(line.struct.name, unions), line.text),
        newer=None if line is None else sample(plan.root, line.newer, line.key),
        event=None if event is None else sample(*event),
        flat=None if flat is None else sample(*flat),
        request=None if request is None else sample(request.pair.request.name, request.request),
        answer=None if request is None else sample(request.response, request.answer),
        peers=tuple(map(names.peer, request.peers if request else ())),
        tool=None if tool is None else sample(tool.struct.name, tool.text, of=quoted(tool.tool.tool.pattern)),
        imports=tuple(sorted(imports)),
    )


def _line(plan: Plan) -> LineExample | None:
    """A line, unless the root is flat, so there are no types to distinguish."""
    found = line_example(plan)
    return None if found is None or is_flat(plan.model.union(plan.root)) else found


def _held_as(struct: str, unions: Unions) -> str:
    """The Go type of a message of the root."""
    model = unions.tables.model
    flats = {leaf: flat for leaf, flat, _ in values(model.union(unions.tables.plan.root).dispatch, model)}
    return unions.tables.names.type(flat.name if (flat := flats[struct]) else struct)


def _flats(unions: Unions) -> Iterator[tuple[str, str, str, str]]:
    """Variants of flat structs that have an example: union, example, Go type and accessor; the largest unions first."""
    for name, flat in sorted(unions.flats.items(), key=lambda each: -len(each[1].leaves)):
        for leaf in () if flat.others else flat.leaves:
            found = None if leaf.marked else first_example(unions.tables.plan, [leaf.spec])
            if found is not None:
                yield name, found[1], leaf.go, leaf.accessor


def _events(unions: Unions) -> Iterator[tuple[str, str, str, str]]:
    """Methods that all variants of a union have: union, example, value and method; the largest unions first.

    The variants are no messages of the root.
    """
    plan = unions.tables.plan
    plans = [each for each in plan.unions.values() if not set(plan.root_structs) & set(each.structs)]
    for each in sorted(plans, key=lambda each: -len(each.structs)):
        found = first_example(plan, each.structs)
        if found is None:
            continue
        for getter in unions.getters(each.union):
            value = json.loads(found[1]).get(getter.place.key)
            if getter.go == "string" and isinstance(value, str) and value.isprintable() and value:
                yield each.union.name, found[1], value, getter.name
