"""The examples of a spec → those that the package's documentation is written with: one for each task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from polywire.engine import Fault
from polywire.model.nodes import Declaration, Model, Ref, Struct, Union
from polywire.plan import Plan
from polywire.plan.controls import PairPlan
from polywire.reference import Decoded, decode
from polywire.targets.go.layout import quoted, raw
from polywire.targets.go.names import Names
from polywire.targets.go.shapes import is_flat
from polywire.targets.go.unions import Unions, wraps


@dataclass(frozen=True, slots=True)
class Sample:
    """A line that every mode takes, written as encoders write it."""

    line: str
    go: str
    """The Go type that it is decoded as."""
    key: str
    """A key that it does not have, nor its type."""
    dull: bool
    """Whether it has hardly any fields."""

    @property
    def text(self) -> str:
        """The literal of the line."""
        return raw(self.line)

    @property
    def newer(self) -> str:
        """The literal of the line with that key."""
        return raw(f'{self.line[:-1]},"{self.key}":true}}')


@dataclass(frozen=True, slots=True)
class ReplySample:
    """A request and its answer, as JSON, with the Go types and what decodes them."""

    request_go: str
    request: str
    answer: str
    decode_answer: str
    decoded: str
    """The type that `decode_answer` takes, if it takes one."""
    response_go: str


@dataclass(frozen=True, slots=True)
class ToolSample:
    """A tool's name and input, and the Go type of that."""

    name: str
    input: str
    go: str


@dataclass(frozen=True, slots=True)
class FlatSample:
    """An object of a flat struct, and the accessor of the variant that it is."""

    own: str
    text: str
    accessor: str
    go: str


@dataclass(frozen=True, slots=True)
class EventSample:
    """An object of a union that is no root, and a method that all its variants have, with what it returns."""

    own: str
    text: str
    method: str
    value: str


def reply_sample(plan: Plan, names: Names) -> ReplySample | None:
    """A request that packages answer with `Reply`."""
    model, controls = plan.model, plan.controls
    if controls is None or any(step.union for step in (*controls.request.id, *controls.request.payload)):
        return None
    for pair in sorted(controls.pairs, key=lambda each: not _is_union(model, each)):
        response = pair.response
        if not isinstance(response, Ref) or pair.optional:
            continue
        declared = model.declarations[response.name]
        request, answer = _example(model, pair.request), _first(model, declared)
        if request is not None and answer is not None:
            is_union = isinstance(declared, Union)
            return ReplySample(
                names.type(pair.request.name),
                request,
                answer,
                f"Unmarshal{names.own(response.name)}" if is_union else "Decode",
                "" if is_union else names.type(response.name),
                names.type(controls.response.struct.name),
            )
    return None


def _is_union(model: Model, pair: PairPlan) -> bool:
    return isinstance(pair.response, Ref) and isinstance(model.declarations[pair.response.name], Union)


def tool_sample(plan: Plan, names: Names) -> ToolSample | None:
    """A tool whose input has an example."""
    for each in plan.tools.inputs:
        struct = plan.model.declarations[each.type.name] if isinstance(each.type, Ref) else None
        if isinstance(struct, Struct) and not each.is_pattern:
            text = _example(plan.model, struct)
            if text is not None:
                return ToolSample(quoted(each.tool.pattern), text, names.type(struct.name))
    return None


def flat_sample(plan: Plan, names: Names, unions: Unions) -> FlatSample | None:
    """The flat struct with most variants, as its first variant that has an example."""
    flats = sorted(unions.flats.items(), key=lambda each: -len(each[1].leaves))
    for name, flat in flats:
        for leaf in flat.leaves:
            text = _example(plan.model, plan.model.struct(leaf.spec))
            if text is not None and not leaf.marked:
                return FlatSample(names.own(name), text, leaf.accessor, leaf.go)
    return None


def event_sample(plan: Plan, names: Names, unions: Unions) -> EventSample | None:
    """The union with most variants, none of which is a line of a stream, that have a method in common."""
    model, lines = plan.model, set(plan.unions[plan.root].structs if plan.root in plan.unions else ())
    found = [union for union in model.unions if lines.isdisjoint(plan.unions[union.name].structs)]
    for union in sorted(found, key=lambda each: -len(plan.unions[each.name].structs)):
        text = _first(model, union)
        members = {} if text is None else json.loads(text)
        for getter in unions.getters(union):
            value = members.get(getter.key)
            if text is not None and getter.go == "string" and isinstance(value, str) and value.isprintable() and value:
                return EventSample(names.own(union.name), text, getter.method, value)
    return None


def _first(model: Model, declared: Declaration) -> str | None:
    """An example of a struct, or of the first variant of a union that has one."""
    structs = [declared] if isinstance(declared, Struct) else []
    if isinstance(declared, Union):
        structs = [model.struct(leaf) for leaf, _ in wraps(declared.dispatch, model)]
    return next((text for struct in structs if (text := _example(model, struct)) is not None), None)


def _example(model: Model, struct: Struct) -> str | None:
    """The first example of a struct, on one line."""
    return next((text for _, text in _examples(model, struct, struct.name) if "`" not in text), None)


def _examples(model: Model, struct: Struct, name: str) -> Iterator[tuple[Decoded, str]]:
    """The examples of a struct that strict mode takes as a type, each on one line."""
    for example in struct.examples:
        with suppress(Fault):
            decoded = decode(model, name, example.text, strict=True)
            text = json.dumps(decoded.value, ensure_ascii=False, separators=(",", ":"))
            if text.isprintable():
                yield decoded, text


def sample(model: Model, names: Names) -> Sample | None:
    """The shortest example of a line that says something, if there is any; a root that is flat has no kinds to show."""
    root = model.declarations[model.protocol.roots[0]]
    if not isinstance(root, Union) or is_flat(root):
        return None
    return min(_samples(model, names, root), key=lambda each: (each.dull, len(each.line), each.line), default=None)


def _samples(model: Model, names: Names, root: Union) -> Iterator[Sample]:
    for leaf, flat in dict.fromkeys(wraps(root.dispatch, model)):
        struct = model.struct(leaf)
        for decoded, text in _examples(model, struct, root.name):
            if decoded.variant == leaf and all(map(_plain, decoded.value.values())):
                taken = {each.name for each in struct.fields}
                key = next(word for word in ("newer", "newer_still", "newest") if word not in taken)
                yield Sample(text, names.type(flat or leaf), key, len(struct.fields) < 2)


def _plain(value: object) -> bool:
    """Whether a value is written the same way by whoever writes it: no numbers but integers, and no maps."""
    match value:
        case list():
            return all(map(_plain, value))
        case dict() | float():
            return False
        case _:
            return True
