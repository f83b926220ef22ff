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
from polywire.targets.typescript.maps import request_tag
from polywire.targets.typescript.source import Expression, Later, literal
from polywire.targets.typescript.tables import Tables


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses find each other."""

    table: str
    """An object literal, as `runtime/controls.js` describes it."""
    asked: tuple[str, ...]
    """The members of a request's envelope, around the variables `payload` and `id`."""
    answered: tuple[str, ...]
    """The members of a response's envelope, around the variables `result` and `id`."""
    refused: tuple[str, ...]
    """The members of the envelope of an error, around the variables `message` and `id`; none if there is no such."""


def controls_view(plan: Plan, tables: Tables) -> ControlsView | None:
    """The controls, if the protocol has any."""
    controls = plan.controls
    if controls is None:
        return None
    request, response, error = controls.request, controls.response, controls.error
    holder = _holder(response.payload)
    answers = [[request_tag(pair, controls.by), *_answer(pair, tables)] for pair in controls.pairs]
    table: dict[str, Expression] = {
        "request": tables.declared(request.struct.name),
        "response": tables.declared(response.struct.name),
        "payload": _keys(request.payload),
        "id": _keys(request.id),
        "holder": holder.keys,
        "holders": [tables.declared(each) for each in holder.structs],
        "beside": [tables.declared(each) for each in holder.beside],
        "result": holder.result,
        "pointer": "".join(f"/{key.replace('~', '~0').replace('/', '~1')}" for key in _keys(response.payload)),
        "by": controls.by,
        "error": None if error is None else [_keys(error.way), error.message.name],
        "answers": Later(answers),
    }
    return ControlsView(
        table=literal(table, 0, len("export const CONTROLS = ")),
        asked=tuple(_members(request.made, {"id": "id", "payload": "payload"})),
        answered=tuple(_members(response.made, {"id": "id", "payload": "result"})),
        refused=() if error is None else tuple(_members(error.made, {"id": "id", "message": "message"})),
    )


def _answer(pair: PairPlan, tables: Tables) -> tuple[Expression, bool]:
    type_ = None if pair.operation is None else tables.type(pair.operation)
    return type_, pair.optional or pair.response is None


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
    """The types of tools' inputs or outputs, as literals of the code."""

    way: str
    """`input` or `output`."""
    function: str
    """What gives a tool's input or output its type."""
    table: str
    value: str
    """An object literal, as `runtime/controls.js` describes it."""


def tool_tables(plan: Plan, tables: Tables) -> tuple[ToolTable, ...]:
    """The tables of tools that the package has."""
    ways = (("input", plan.tools.inputs), ("output", plan.tools.outputs))
    return tuple(_tool_table(way, tools, tables) for way, tools in ways if tools)


def _tool_table(way: str, tools: Sequence[ToolPlan], tables: Tables) -> ToolTable:
    rows = [[each.tool.pattern, tables.type(each.operation)] for each in tools]
    name = f"TOOL_{way.upper()}S"
    return ToolTable(way, f"tool{way.capitalize()}", name, literal(Later(rows), 0, len(f"export const {name} = ")))
