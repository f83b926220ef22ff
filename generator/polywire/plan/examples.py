"""The examples of a spec → those that the documentation of a package shows, one for each task, in every language.

An example is shown if it is valid in strict mode and all its characters are visible.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from polywire.ground.engine import Fault
from polywire.model.nodes import Model, Struct
from polywire.oracle.reference import Decoded, decode
from polywire.plan import Plan
from polywire.plan.controls import PairPlan, ToolPlan
from polywire.source.types import Ref


@dataclass(frozen=True, slots=True)
class LineExample:
    """A line with a message of the root, as encoders write it."""

    struct: Struct
    text: str
    key: str
    """A key that neither the line nor its type has."""

    @property
    def newer(self) -> str:
        """The line with a member under that key."""
        return f'{self.text[:-1]},"{self.key}":true}}'


@dataclass(frozen=True, slots=True)
class RequestExample:
    """A request and its response."""

    pair: PairPlan
    request: str
    response: str
    """The name of the response's type."""
    answer: str
    peers: tuple[str, str]
    """The peer that sends the request, and the one that responds."""


@dataclass(frozen=True, slots=True)
class ToolExample:
    """The input of a tool with an exact name."""

    tool: ToolPlan
    struct: Struct
    text: str


def line_example(plan: Plan) -> LineExample | None:
    """The shortest line of a struct with several fields, if the root is a union; others are a fallback."""
    found = (each for name in plan.root_structs for each in _lines(plan, plan.model.struct(name)))
    return min(found, key=lambda each: (len(each.struct.fields) < 2, len(each.text), each.text), default=None)


def _lines(plan: Plan, struct: Struct) -> Iterator[LineExample]:
    for decoded, text in _examples(plan.model, struct, plan.root):
        if decoded.variant == struct.name and all(map(_plain, decoded.value.values())):
            taken = {each.name for each in struct.fields}
            key = next(word for word in ("newer", "newer_still", "newest") if word not in taken)
            yield LineExample(struct, text, key)


def _plain(value: object) -> bool:
    """Whether every encoder writes a value the same way: it has no numbers other than integers, and no maps."""
    return all(map(_plain, value)) if isinstance(value, list) else not isinstance(value, (dict, float))


def request_example(plan: Plan) -> RequestExample | None:
    """A request whose response always has a result, preferably a union."""
    found = (_request(plan, pair) for pair in (plan.controls.pairs if plan.controls else ()))
    complete = [each for each in found if each is not None]
    return next((each for each in complete if each.response in plan.unions), next(iter(complete), None))


def _request(plan: Plan, pair: PairPlan) -> RequestExample | None:
    if not isinstance(pair.response, Ref) or pair.optional:
        return None
    name = pair.response.name
    is_struct = isinstance(plan.model.declarations[name], Struct)
    structs = plan.unions[name].structs if name in plan.unions else (name,) if is_struct else ()
    request, answer = first_example(plan, [pair.request.name]), first_example(plan, structs)
    peers, origin = plan.model.protocol.peers, pair.control.origin
    asking = peers[0] if origin == "both" else origin
    answering = next((each for each in peers if each != asking), asking)
    if request is None or answer is None:
        return None
    return RequestExample(pair, request[1], name, answer[1], (asking, answering))


def tool_example(plan: Plan) -> ToolExample | None:
    """A tool that has an example of its input."""
    for each in plan.tools.inputs:
        struct = plan.model.declarations[each.type.name] if isinstance(each.type, Ref) else None
        if isinstance(struct, Struct) and not each.is_pattern:
            found = first_example(plan, [struct.name])
            if found is not None:
                return ToolExample(each, *found)
    return None


def first_example(plan: Plan, structs: Iterable[str]) -> tuple[Struct, str] | None:
    """The first example of the first struct that has one."""
    declared = map(plan.model.struct, structs)
    return next(((each, text) for each in declared for _, text in _examples(plan.model, each, each.name)), None)


def _examples(model: Model, struct: Struct, name: str) -> Iterator[tuple[Decoded, str]]:
    """The examples of a struct that are valid for a type in strict mode, each on one line."""
    for example in struct.examples:
        with suppress(Fault):
            decoded = decode(model, name, example.text, strict=True)
            text = json.dumps(decoded.value, ensure_ascii=False, separators=(",", ":"))
            if text.isprintable():
                yield decoded, text
