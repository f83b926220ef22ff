"""The examples of a spec → the examples in the package's documentation, one for each task, in terms of Go."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from polywire.plan.examples import first_example, line_example, request_example, tool_example
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
    """What else the example has: the method that returns the result, a tool, the sender, or the line as text."""


def samples(unions: Unions, package: str) -> dict[str, Sample]:
    """The examples that exist, by task; `newer` is the line with an undeclared member."""
    plan, names = unions.tables.plan, unions.tables.names

    def sample(name: str, text: str, result: str = "", of: str = "") -> Sample:
        is_union = name in plan.unions
        function = f"Unmarshal{names.own(name)}" if is_union else f"Decode[{package}.{names.type(name)}]"
        return Sample(raw(text), function, result or names.type(name), of)

    found: dict[str, Sample] = {}
    if (event := next(_events(unions), None)) is not None:
        found["event"] = sample(*event)
    if (flat := next(_flats(unions), None)) is not None:
        found["flat"] = sample(*flat)
    line = line_example(plan)
    if line is not None and not is_flat(plan.model.union(plan.root)):  # a flat root has no types to distinguish
        found["line"] = sample(plan.root, line.text, _held_as(line.struct.name, unions), line.text)
        found["newer"] = sample(plan.root, line.newer, line.key)
    if (request := request_example(plan)) is not None:
        asking, answering = map(names.peer, request.peers)
        found["request"] = sample(request.pair.request.name, request.request, of=asking)
        found["answer"] = sample(request.response, request.answer, of=answering)
    if (tool := tool_example(plan)) is not None:
        found["tool"] = sample(tool.struct.name, tool.text, of=quoted(tool.tool.tool.pattern))
    return found


def sample_imports(found: Mapping[str, Sample]) -> list[str]:
    """The packages of the standard library that the examples use."""
    used = {"line": ("bytes", "errors", "os"), "tool": ("encoding/json",)}
    return sorted({*("fmt",) * bool(found), *(path for task in found for path in used.get(task, ()))})


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
        _, text = first_example(plan, each.structs) or (None, "{}")
        for getter in unions.getters(each.union):
            value = json.loads(text).get(getter.place.key)
            if getter.go == "string" and isinstance(value, str) and value.isprintable() and value:
                yield each.union.name, text, value, getter.name
