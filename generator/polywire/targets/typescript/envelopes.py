"""Controls and tools → what ties a request to the type of its answer, and a tool's name to its types.

Objects are plain, so an envelope is an object literal: constants and tags on the way to the places that are filled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from polywire.plan import Plan
from polywire.plan.controls import PairPlan, ToolPlan, Way
from polywire.plan.fill import ByRule, Filled, Fixed, Given, Made
from polywire.targets.typescript import layout
from polywire.targets.typescript.layout import quoted
from polywire.targets.typescript.maps import request_tag
from polywire.targets.typescript.names import Names
from polywire.targets.typescript.source import literal


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses find each other: each a literal of the code, types by their names in the package."""

    request: str
    """The type of a request's envelope."""
    response: str
    """The type of a response's envelope."""
    payload: str
    """The keys that lead from a request's envelope to the request."""
    id: str
    """The keys that lead from a request's envelope to its id."""
    holder: str
    """The keys that lead from a response's envelope to the object with the answer."""
    holders: str
    """Each type that can hold an answer, with the names in the tables for it, and for what it is part of."""
    result: str
    """The answer's key in its holder; null if the answer's members are among those of its holder."""
    pointer: str
    """Where the answer is in a response, as a JSON Pointer."""
    by: str
    """The discriminator of requests."""
    answers: str
    """Value of the discriminator, type of the answer in the notation of the tables, whether it may be absent."""
    asked: tuple[str, ...]
    """The members of a request's envelope, around the variables `payload` and `id`."""
    answered: tuple[str, ...]
    """The members of a response's envelope, around the variables `result` and `id`."""


def controls_view(plan: Plan, names: Names) -> ControlsView | None:
    """The controls, if the protocol has any."""
    controls = plan.controls
    if controls is None:
        return None
    request, response = controls.request, controls.response
    holder = _holder(response.payload)
    answers = [(request_tag(pair, controls.by), _answer(pair)) for pair in controls.pairs]
    return ControlsView(
        request=quoted(names.type(request.struct.name)),
        response=quoted(names.type(response.struct.name)),
        payload=_member_literal("payload: ", _keys(request.payload)),
        id=literal(_keys(request.id), 0, 0),
        holder=_member_literal("holder: ", holder.keys),
        holders=_member_literal("holders: ", [(names.type(each), *holder.beside, each) for each in holder.structs]),
        result=literal(holder.result, 0, 0),
        pointer=quoted("".join(f"/{key.replace('~', '~0').replace('/', '~1')}" for key in _keys(response.payload))),
        by=quoted(controls.by),
        answers=_member_literal("answers: /* @__PURE__ */ new Map(", answers, after=2),
        asked=tuple(_members(request.made, {"id": "id", "payload": "payload"})),
        answered=tuple(_members(response.made, {"id": "id", "payload": "result"})),
    )


def _answer(pair: PairPlan) -> tuple[object, bool]:
    return pair.operation, pair.optional or pair.response is None


def _keys(way: Way) -> tuple[str, ...]:
    """The keys on the wire: what is flattened has none."""
    return tuple(step.field.name for step in way if not step.field.flatten)


@dataclass(frozen=True, slots=True)
class _Holder:
    """The object with the answer."""

    keys: tuple[str, ...]
    """The keys that lead to it."""
    result: str | None
    """The answer's key in it; None if the answer's members are among its own."""
    structs: tuple[str, ...]
    """What it can be."""
    beside: tuple[str, ...]
    """The structs that it is flattened into, whose members are among its own too."""


def _holder(way: Way) -> _Holder:
    last = way[-1]
    structs = tuple(struct.name for struct in last.holders)
    if not last.field.flatten:
        return _Holder(_keys(way[:-1]), last.field.name, structs, ())
    around = takewhile(lambda step: step.field.flatten, reversed(way[:-1]))
    return _Holder(_keys(way), None, structs, tuple(struct.name for step in around for struct in step.holders))


def _member_literal(head: str, value: object, after: int = 1) -> str:
    """A literal behind the head of a member of an object that is indented by two columns."""
    return literal(value, 2, 2 + len(head), after)


_BY_RULE = {
    ByRule.NULL: "null",
    ByRule.FRESH_UUID: "controls.freshId()",
    ByRule.EMPTY_LIST: "[]",
    ByRule.EMPTY_OBJECT: "{}",
}
"""The expression for what needs nothing of the caller."""


def _members(made: Made, variables: Mapping[str, str]) -> Iterator[str]:
    """The members of an object literal: constants, variables for what is given, and what the plan fills in."""
    for tag in made.struct.tags:
        if tag.constant is not None:
            yield f"{_key(tag.key)}: {literal(tag.constant, 0, 0)},"
    for const in made.struct.consts:
        yield f"{_key(const.key)}: {literal(const.value, 0, 0)},"
    for each in made.members:
        yield from _filled(each, variables)


def _filled(filled: Filled, variables: Mapping[str, str]) -> Iterator[str]:
    field = filled.field
    match filled.value:
        case Made() as inner if field.flatten:
            yield from _members(inner, variables)
        case Made() as inner:
            yield from (f"{_key(field.name)}: {{", *(f"  {line}" for line in _members(inner, variables)), "},")
        case Given(name=name) if field.flatten:
            yield f"...{variables[name]},"
        case Given(name=name):
            yield _variable(field.name, variables[name], optional=not field.required)
        case Fixed(value=value):
            yield f"{_key(field.name)}: {literal(value, 0, 0)},"
        case ByRule() as rule if rule is not ByRule.ABSENT:
            yield f"{_key(field.name)}: {_BY_RULE[rule]},"


def _variable(key: str, variable: str, *, optional: bool) -> str:
    whole = variable if key == variable else f"{_key(key)}: {variable}"
    return f"...({variable} === undefined ? {{}} : {{ {whole} }})," if optional else f"{whole},"


def _key(key: str) -> str:
    return f'["{key}"]' if key == "__proto__" else layout.key(key)


# --- tools -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolTable:
    """The types of tools' inputs or outputs, as literals of the code in the notation of the tables."""

    way: str
    """`input` or `output`."""
    function: str
    """What gives a tool's input or output its type."""
    table: str
    exact: str
    """Name and type."""
    patterns: str
    """Pattern of names and type."""


def tool_tables(plan: Plan) -> tuple[ToolTable, ...]:
    """The tables of tools that the package has."""
    ways = (("input", plan.tools.inputs), ("output", plan.tools.outputs))
    return tuple(_tool_table(way, tools) for way, tools in ways if tools)


def _tool_table(way: str, tools: Sequence[ToolPlan]) -> ToolTable:
    exact = [(each.tool.pattern, each.operation) for each in tools if not each.is_pattern]
    patterns = [(each.tool.pattern, each.operation) for each in tools if each.is_pattern]
    name = f"tool{way.capitalize()}"
    return ToolTable(
        way,
        name,
        f"{name}s",
        exact=_member_literal("exact: /* @__PURE__ */ new Map(", exact, after=2),
        patterns=_member_literal("patterns: ", patterns),
    )
