"""Controls and tools of the plan → the tables of `_pairs.py`, and the types of its requests, responses and tools."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from polywire.model.nodes import Struct
from polywire.plan import Plan
from polywire.plan.controls import ControlsPlan, FieldPath, PairPlan, ToolPlan
from polywire.plan.fill import ByRule, Filled, Fixed, Given, Made
from polywire.plan.session import Sent, SessionTable, spelled_table
from polywire.source.types import Ref, Type
from polywire.targets.python.annotations import Annotations, union_of
from polywire.targets.python.construct import is_held
from polywire.targets.python.layout import quoted
from polywire.targets.python.names import Names
from polywire.targets.python.table import Rows


@dataclass(frozen=True, slots=True)
class Pair:
    """A control as type checkers see it."""

    request: str
    types: tuple[str, ...]
    """The types of a response."""
    mentions: frozenset[str]

    @property
    def annotation(self) -> str:
        """The union of these types."""
        return union_of(self.types)


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses are correlated."""

    table: dict[str, object]
    """The table of the plan in the names of the package."""
    types: dict[str, tuple[str, ...]]
    """The types in the signatures of the runtime, by alias: the members of each union."""
    sent: tuple[tuple[str, tuple[str, ...]], ...]
    """Each peer with the requests that it sends, including those that both send."""
    pairs: tuple[Pair, ...]
    mentions: frozenset[str]
    """The names in `types`."""

    @property
    def responses(self) -> tuple[str, ...]:
        """The aliases of the envelopes of responses."""
        return ("TypedResponseEnvelope", "TypedErrorEnvelope")[: 1 + (self.table["error"] is not None)]

    def type(self, alias: str) -> str:
        """A type, as an annotation."""
        return union_of(self.types[alias])


@dataclass(frozen=True, slots=True)
class ToolsView:
    """One direction of the tools: inputs or outputs."""

    exact: dict[str, object]
    patterns: dict[str, object]
    typed: tuple[tuple[str, str], ...]
    """Name and type of the tools with exact names."""
    mentions: frozenset[str]


def controls_view(plan: Plan, names: Names, annotations: Annotations) -> ControlsView | None:
    """The view of the controls, if the protocol has any."""
    controls, session = plan.controls, plan.session
    if controls is None or session is None:
        return None
    pairs = tuple(_pair(each, names, annotations) for each in controls.pairs)
    types = _types(plan, controls, session, names, annotations)
    results = [member for pair in pairs for member in pair.types if member not in {"None", "Unset"}]
    mentions = annotations.mentions(controls.request.id[-1].field.type).union(*(pair.mentions for pair in pairs))
    declared = {names.type(name) for name in plan.model.declarations}
    return ControlsView(
        table=spelled_table(session, _Spelling(plan, names)),
        types={**types, "TypedResult": tuple(dict.fromkeys(results)) or ("None",)},
        sent=tuple((peer, tuple(map(names.type, session.sent(peer)))) for peer in session.peers),
        pairs=pairs,
        mentions=mentions | (declared & {each for members in types.values() for each in members}),
    )


def _types(
    plan: Plan, controls: ControlsPlan, session: SessionTable, names: Names, annotations: Annotations
) -> dict[str, tuple[str, ...]]:
    """The aliases. If there is no such message, its parameters have the type Never, and its envelope any type."""
    notify, error, cancel = controls.notify, controls.error, controls.cancel
    identifier = annotations.of(controls.request.id[-1].field.type)
    notification = None if notify is None else _union(notify.payload, names)
    envelope = "Any" if notify is None else names.type(notify.struct.name)
    cancellation = "Any" if cancel is None else names.type(cancel.struct.name)
    return {
        "TypedMessage": (names.type(plan.root),),
        "TypedPeer": (f"Literal[{', '.join(map(quoted, session.peers))}]",),
        "TypedId": (identifier,),
        "TypedRequest": (_union(controls.request.payload, names),),
        "TypedRequestEnvelope": (names.type(controls.request.struct.name),),
        "TypedResponseEnvelope": (names.type(controls.response.struct.name),),
        "TypedNotification": (notification or "Any",),
        "TypedNotice": (notification or "Never",),
        "TypedNotificationEnvelope": (envelope,),
        "TypedCancelled": ("Never" if cancel is None else identifier,),
        "TypedCancellation": (envelope if session.cancel_notice else cancellation,),
        "TypedReason": ("Never" if error is None else "str",),
        "TypedErrorEnvelope": ("Any" if error is None else names.type(error.struct.name),),
        "TypedCode": ("int", "str", "None") if error is not None and error.code else ("None",),
        "TypedData": ("Any" if error is not None and error.data else "Unset",),
        "TypedLine": ("None" if error is None else "bytes",),
    }


def _pair(planned: PairPlan, names: Names, annotations: Annotations) -> Pair:
    response, request = planned.response, names.type(planned.request.name)
    if response is None:
        return Pair(request, ("None",), frozenset())
    mentions = annotations.mentions(response)
    if planned.nullable:
        types = annotations.members(response, nullable=True)
        return Pair(request, (*types, "Unset") if planned.optional else types, mentions)
    return Pair(request, annotations.members(response, nullable=planned.optional), mentions)


def _union(way: FieldPath, names: Names) -> str:
    payload = way[-1].field.type
    return names.type(payload.name) if isinstance(payload, Ref) else "Any"


_BY_RULE = {
    ByRule.NULL: "null",
    ByRule.FRESH_UUID: "uuid",
    ByRule.EMPTY_LIST: "list",
    ByRule.EMPTY_OBJECT: "object",
}


class _Spelling:
    """The leaves of the session table: classes, attributes, types as in rows, and descriptions of new objects."""

    def __init__(self, plan: Plan, names: Names) -> None:
        self._model = plan.model
        self._names = names
        self.type = Rows(plan, names).type

    def struct(self, struct: Struct) -> object:
        """The name of its class."""
        return self._names.type(struct.name)

    def sent(self, sent: Sent) -> object:
        """The name of its class."""
        return self._names.type(sent.struct.name)

    def way(self, way: FieldPath) -> object:
        """Attributes, each with the classes that have it."""
        return tuple((self._names.field(step.field), tuple(map(self.struct, step.holders))) for step in way)

    def new(self, made: Made) -> object:
        """`new`, the class, and the values of its attributes."""
        values = {self._names.field(each.field): self._value(each) for each in made.members}
        return "new", self.struct(made.struct), {name: value for name, value in values.items() if value is not None}

    def _value(self, filled: Filled) -> Any:
        match filled.value:
            case Made() as made:
                return self.new(made)
            case Given(name=name):
                return "given", name
            case Fixed(value=value):
                type_: Type = filled.field.type
                return ("fixed", value) if is_held(self._model, type_, value) else ("fixed", value, self.type(type_))
            case ByRule() as rule:
                return _BY_RULE.get(rule)
            case _:
                return None


def tools_view(plan: Plan, names: Names, annotations: Annotations) -> dict[str, ToolsView]:
    """The views of the inputs and outputs of tools."""
    rows = Rows(plan, names)
    return {
        "input": _tools(plan.tools.inputs, rows, annotations),
        "output": _tools(plan.tools.outputs, rows, annotations),
    }


def _tools(planned: Iterable[ToolPlan], rows: Rows, annotations: Annotations) -> ToolsView:
    tools = tuple(planned)
    exact = [each for each in tools if not each.is_pattern]
    return ToolsView(
        exact={each.tool.pattern: rows.type(each.type) for each in exact},
        patterns={each.tool.pattern: rows.type(each.type) for each in tools if each.is_pattern},
        typed=tuple((each.tool.pattern, annotations.of(each.type)) for each in exact),
        mentions=frozenset().union(*(annotations.mentions(each.type) for each in exact)),
    )
