"""Controls and tools of the plan → tables with the response type of each request, and the types of each tool."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from polywire.ground.json_values import dumps
from polywire.plan import Plan
from polywire.plan.controls import Conditions, PairPlan, ToolPlan, Way
from polywire.plan.rows import is_nullable
from polywire.source.types import Ref
from polywire.targets.python.annotations import Annotations, union_of
from polywire.targets.python.construct import Node, Nodes
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

    envelope: str
    response_envelope: str
    error_envelope: str | None
    notification_envelope: str | None
    cancellation: str | None
    """The class of the message that cancels a request: a separate envelope, or a notification."""
    announced: tuple[object, ...] | None
    """The path to the version number of the peer's release, and each number with its release."""
    answered: bool
    """Whether the peer still responds to a cancelled request."""
    peers: tuple[str, ...]
    sent_by: dict[str, object]
    """The requests and notifications by sender."""
    sent: tuple[tuple[str, tuple[str, ...]], ...]
    """Each peer with the requests that it sends, including those that both send."""
    root: str
    """The union of messages."""
    cancel_type: str | None
    """The type of a new cancellation: a separate envelope, or that of notifications."""
    payload_type: str
    news_type: str | None
    """The union of notifications."""
    id_type: str
    """The annotation of ids."""
    id_mentions: frozenset[str]
    has_code: bool
    has_data: bool
    data_nullable: bool
    """Whether an error's data may be null, so that UNSET represents its absence."""
    result_flat: bool
    """Whether the response is flattened, so a response without members looks like an absent one."""
    result_nullable: bool
    """Whether the member for responses may be null, so that UNSET represents its absence."""
    none: str | None
    """The JSON text of the response `none`, if it is not represented by absence."""
    pointer: str
    numbered: bool
    """Whether a new id is a number."""
    prefix: str | None
    """The prefix of the counter in a new id; None for UUIDs."""
    codes: tuple[int | str | None, int | str | None]
    """The codes for a refusal, and for the response to an unknown request."""
    ways: dict[str, object]
    """The path to each member, as attributes with the classes that have them."""
    conditions: dict[str, object]
    """The conditions of each form of a message: paths, each with the required value."""
    table: dict[str, object]
    payload: object
    """The type of the payloads of requests."""
    data: dict[int | str, object]
    """The types of errors' data, by code."""
    notifications: tuple[str, ...]
    pairs: tuple[Pair, ...]
    request: Node
    response: Node
    error: Node | None
    notify: Node | None
    cancel: Node | None

    @property
    def results(self) -> tuple[str, ...]:
        """The types of responses, without duplicates."""
        members = [member for pair in self.pairs for member in pair.types]
        return tuple(dict.fromkeys(each for each in members if each not in {"None", "Unset"})) or ("None",)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Everything that is created."""
        made = (self.request, self.response, self.error, self.notify, self.cancel)
        return tuple(each for each in made if each is not None)

    @property
    def draws_uuid(self) -> bool:
        """Whether anything that is created has a new UUID besides its id."""
        return any(each.draws_uuid for each in self.nodes)

    @property
    def decodes(self) -> bool:
        """Whether anything that is created contains a value from the spec that must be decoded."""
        return any(each.decodes for each in self.nodes)

    @property
    def classes(self) -> frozenset[str]:
        """The classes of envelopes and of their nested objects."""
        named = (self.envelope, self.response_envelope, self.error_envelope, self.notification_envelope)
        return frozenset(each for each in named if each).union(*(each.classes for each in self.nodes))

    @property
    def mentions(self) -> frozenset[str]:
        """The names that signatures mention."""
        named = {self.envelope, self.response_envelope, self.payload_type, self.error_envelope, self.news_type}
        named |= {self.notification_envelope, self.cancel_type, self.root, *self.id_mentions}
        return frozenset(each for each in named if each).union(*(pair.mentions | {pair.request} for pair in self.pairs))


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
    controls = plan.controls
    if controls is None:
        return None
    request, response, error, notify, cancel = (
        controls.request,
        controls.response,
        controls.error,
        controls.notify,
        controls.cancel,
    )
    rows = Rows(plan, names)
    ways = {
        "request_id": request.id,
        "payload": request.payload,
        "news": () if notify is None else notify.payload,
        "response_id": response.id,
        "result": response.payload,
    }
    if error is not None:
        ways |= {"error_id": error.id, "message": error.message, "code": error.code, "data": error.data}
    if cancel is not None:
        ways["cancelled"] = cancel.id
    senders = dict.fromkeys(("both", *plan.model.protocol.peers))
    sent_by = {peer: _sent(controls.pairs + controls.notifications, peer, names) for peer in senders}
    canceller = None
    if cancel is not None:
        form = notify if cancel.is_notification else None
        canceller = names.type((form or cancel).struct.name)
    nodes = Nodes(plan, names)
    variables = {"id": "request_id", "payload": "payload", "message": "message", "code": "code", "data": "data"}
    return ControlsView(
        envelope=names.type(request.struct.name),
        response_envelope=names.type(response.struct.name),
        error_envelope=None if error is None else names.type(error.struct.name),
        notification_envelope=None if notify is None else names.type(notify.struct.name),
        cancellation=None if cancel is None else names.type(cancel.struct.name),
        announced=None if plan.announced is None else (_way(plan.announced.way, names), tuple(plan.announced.releases)),
        answered=cancel is not None and cancel.answered,
        peers=tuple(plan.model.protocol.peers),
        sent_by={peer: sent for peer, sent in sent_by.items() if sent},
        sent=tuple(
            (peer, (*_sent(controls.pairs, peer, names), *_sent(controls.pairs, "both", names)))
            for peer in plan.model.protocol.peers
        ),
        root=names.type(plan.root),
        cancel_type=canceller,
        payload_type=_union(request.payload, names),
        news_type=None if notify is None else _union(notify.payload, names),
        id_type=annotations.of(request.id[-1].field.type),
        id_mentions=annotations.mentions(request.id[-1].field.type),
        has_code=error is not None and bool(error.code),
        has_data=error is not None and bool(error.data),
        data_nullable=error is not None and bool(error.data) and is_nullable(plan.model, error.data[-1].field),
        result_flat=response.is_flat,
        result_nullable=is_nullable(plan.model, response.payload[-1].field),
        none=dumps(response.none) if response.has_none else None,
        pointer=response.json_pointer,
        numbered="number" in controls.id_kinds,
        prefix=controls.prefix if controls.draw == "counter" else None,
        codes=(None, None) if error is None else (error.refused, error.unknown),
        ways={name: _way(each, names) for name, each in ways.items()},
        conditions={
            "request": _conditions(request.when, names),
            "notify": () if notify is None else _conditions(notify.when, names),
            "response": _conditions(response.when, names),
            "error": () if error is None else _conditions(error.when, names),
        },
        table={names.type(each.request.name): _row(each, rows) for each in controls.pairs},
        payload=rows.type(request.payload[-1].field.type),
        data={} if error is None else {each.code: rows.type(each.type) for each in error.types},
        notifications=tuple(names.type(each.request.name) for each in controls.notifications),
        pairs=tuple(_pair(each, names, annotations) for each in controls.pairs),
        request=nodes.of(request.made, variables),
        response=nodes.of(response.made, variables),
        error=None if error is None else nodes.of(error.made, variables),
        notify=None if notify is None else nodes.of(notify.made, variables),
        cancel=None if cancel is None else nodes.of(cancel.made, variables),
    )


def _sent(controls: Iterable[PairPlan], peer: str, names: Names) -> tuple[str, ...]:
    """The requests, or notifications, that a peer sends."""
    return tuple(names.type(each.request.name) for each in controls if each.control.origin == peer)


def _row(planned: PairPlan, rows: Rows) -> tuple[object, ...]:
    response, error = (None if each is None else rows.type(each) for each in (planned.response, planned.error))
    row = (response, planned.optional or planned.response is None, planned.nullable, error)
    reply = planned.reply
    if reply is None:
        return row
    return (
        *row,
        None if reply.type is None else rows.type(reply.type),
        reply.optional or reply.type is None,
        reply.nullable,
    )


def _pair(planned: PairPlan, names: Names, annotations: Annotations) -> Pair:
    response, request = planned.response, names.type(planned.request.name)
    if response is None:
        return Pair(request, ("None",), frozenset())
    mentions = annotations.mentions(response)
    if planned.nullable:
        types = annotations.members(response, nullable=True)
        return Pair(request, (*types, "Unset") if planned.optional else types, mentions)
    return Pair(request, annotations.members(response, nullable=planned.optional), mentions)


def _union(way: Way, names: Names) -> str:
    payload = way[-1].field.type
    return names.type(payload.name) if isinstance(payload, Ref) else "Any"


def _way(way: Way, names: Names) -> tuple[object, ...]:
    return tuple((names.field(step.field), tuple(names.type(each.name) for each in step.holders)) for step in way)


def _conditions(when: Conditions, names: Names) -> tuple[object, ...]:
    return tuple((_way(each, names), value) for each, value in when)


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
