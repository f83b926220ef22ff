"""Controls and tools → the session table, and the types of each tool, as literals of the code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from polywire.model.nodes import Struct
from polywire.model.walk import structs_of
from polywire.plan import Plan
from polywire.plan.controls import FieldPath, ToolPlan
from polywire.plan.fill import ByRule, Filled, Fixed, Given, Made
from polywire.plan.session import Form, Sent, SessionTable, spelled_table
from polywire.source.types import Type
from polywire.targets.typescript.source import Expression, Later, literal
from polywire.targets.typescript.tables import Tables


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests, responses, errors and notifications are correlated."""

    table: str
    """The session table, as an object literal that `runtime/controls.js` describes."""
    by: str
    """The discriminator of requests, as a literal."""
    refuses: bool
    details: bool
    """Whether errors have a code or data."""
    notifies: bool
    cancels: bool


def controls_view(plan: Plan, tables: Tables) -> ControlsView | None:
    """The view of the controls, if the protocol has any."""
    session = plan.session
    if session is None:
        return None
    table = cast("dict[str, Expression]", spelled_table(session, _Spelling(plan, tables)))
    responses = [each.envelope.name for each in (session.error, session.response) if each is not None]
    union, line = _union_of(plan, _envelopes(session)), _union_of(plan, responses)
    lines = responses[:1] if len(set(responses)) == 1 else responses if line is None else [line]
    more: dict[str, Expression] = {
        "union": None if union is None else tables.declared(union),
        "lines": [tables.declared(each) for each in lines],
        "data": Later(table["data"]),
        "answers": Later(table["answers"]),
    }
    return ControlsView(
        table=literal({**table, **more}, 0, len("export const SESSION = ")),
        by=literal(session.by, 0, 0),
        refuses=session.error is not None,
        details=session.error is not None and bool(session.error.at["code"] or session.error.at["data"]),
        notifies=session.notify is not None,
        cancels=session.cancel is not None,
    )


def _envelopes(session: SessionTable) -> Iterator[str]:
    """The envelopes of all forms."""
    cancel = None if session.cancel_notice else session.cancel
    forms: tuple[Form | None, ...] = (session.request, session.notify, session.response, session.error, cancel)
    yield from (each.envelope.name for each in forms if each is not None)


def _union_of(plan: Plan, structs: Iterable[str]) -> str | None:
    """A union that has all the structs; the root if possible."""
    unions = sorted(plan.model.unions, key=lambda union: union.name != plan.root)
    wanted = {*structs}
    return next((union.name for union in unions if wanted <= {*structs_of(union.dispatch)}), None)


_FRESH: dict[object, Expression] = {ByRule.EMPTY_LIST: [], ByRule.EMPTY_OBJECT: {}}


class _Spelling:
    """The leaves of the session table: types, discriminators, keys on the wire, and members of object literals."""

    def __init__(self, plan: Plan, tables: Tables) -> None:
        self._plan = plan
        self._tables = tables

    def struct(self, struct: Struct) -> object:
        """Its type."""
        return self._tables.declared(struct.name)

    def sent(self, sent: Sent) -> object:
        """The value of its discriminator."""
        return sent.tag

    def type(self, type_: Type) -> object:
        """A type."""
        return self._tables.type(type_)

    def way(self, way: FieldPath) -> object:
        """Keys; at a union or a flattened member, the key or null, the union, and the structs that have it."""
        return [
            [
                None if step.field.flatten else step.field.name,
                None if step.union is None else self._tables.declared(step.union),
                list(map(self.struct, step.holders)),
            ]
            if step.union or step.field.flatten
            else step.field.name
            for step in way
        ]

    def new(self, made: Made) -> object:
        """The members: a key, how the value is made, and of what."""
        return list(self._members(made))

    def _members(self, made: Made) -> Iterator[Expression]:
        for tag in made.struct.tags:
            if tag.constant is not None:
                yield [tag.key, "fixed", tag.constant]
        for const in made.struct.consts:
            yield from _fixed(const.key, const.value)
        for each in made.members:
            yield from self._filled(each)

    def _filled(self, filled: Filled) -> Iterator[Expression]:
        field = filled.field
        match filled.value:
            case Made() as inner if field.flatten:
                yield from self._members(inner)
            case Made() as inner:
                yield [field.name, "new", list(self._members(inner))]
            case Given(name=name) if field.flatten:
                yield [None, "given", name]
            case Given(name=name):
                required = "nullable" if name == "data" else "given"
                yield [field.name, required if field.required else "optional", name]
            case Fixed(value=value):
                yield from _fixed(field.name, value)
            case ByRule.NULL:
                yield [field.name, "fixed", None]
            case ByRule.FRESH_UUID:
                yield [field.name, "uuid"]
            case ByRule() as rule if rule in _FRESH:
                yield [field.name, "fresh", Later(_FRESH[rule])]


def _fixed(key: str, value: object) -> Iterator[Expression]:
    """A value from the spec; a list or an object is made anew each time."""
    plain = cast("Expression", value)
    yield [key, "fresh", Later(plain)] if isinstance(value, (list, dict)) else [key, "fixed", plain]


# --- tools -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolTable:
    """The types of tools' inputs or outputs, as literals of the code."""

    way: str
    """`input` or `output`."""
    function: str
    """The function that decodes a tool's input or output."""
    table: str
    value: str
    """An object literal, as `runtime/controls.js` describes it."""


def tool_tables(plan: Plan, tables: Tables) -> tuple[ToolTable, ...]:
    """The tables of tools in the package."""
    ways = (("input", plan.tools.inputs), ("output", plan.tools.outputs))
    return tuple(_tool_table(way, tools, tables) for way, tools in ways if tools)


def _tool_table(way: str, tools: Sequence[ToolPlan], tables: Tables) -> ToolTable:
    rows = [[each.tool.pattern, tables.type(each.type)] for each in tools]
    name = f"TOOL_{way.upper()}S"
    return ToolTable(way, f"tool{way.capitalize()}", name, literal(Later(rows), 0, len(f"export const {name} = ")))
