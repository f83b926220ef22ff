"""Controls → the session table: everything that a session needs to know about its protocol, as data.

Packages embed the table in the names of their language, and their runtimes interpret it:

- `by`, `notice_by`: the keys that distinguish requests and notifications.
- `peers`, `draw` and `prefix`: the sides of a connection, and how the id of a new request is generated.
- `request`, `notify`, `response`, `error`, `cancel`: the forms of messages, or None; `at` has the paths to their parts,
  `when` the values that distinguish them from other forms of the same envelope, and `new` makes an envelope.
- `answers`: a row for each request: its struct, the peer that sends it or `both`, its result, the type of error data,
  the result that the newest release writes, if it differs, and the members of the result that are filled from the
  request, as pairs of paths.
- `notices`: a row for each notification: its struct, and the peer that sends it or `both`.
- `data`: the type of an error's data by code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, Protocol, TypeAlias

from polywire.ground.json_values import dumps
from polywire.model.nodes import Model, Struct
from polywire.plan.announced import AnnouncedPlan
from polywire.plan.controls import Conditions, ControlsPlan, ErrorPlan, FieldPath, FillPlan, PairPlan, ReplyPlan
from polywire.plan.fill import Made
from polywire.plan.rows import is_nullable
from polywire.source.types import Type

Code: TypeAlias = "int | str | None"


@dataclass(frozen=True, slots=True)
class Form:
    """A form of messages."""

    envelope: Struct
    at: Mapping[str, FieldPath] = field(hash=False)
    """The paths to its parts, by name; a part that the protocol does not have has no steps."""
    when: Conditions
    new: Made = field(hash=False)


@dataclass(frozen=True, slots=True)
class Typed:
    """A type that the language spells."""

    type: Type


@dataclass(frozen=True, slots=True)
class Sent:
    """A request or a notification."""

    struct: Struct
    tag: str | bool | int
    """The value of the discriminator that identifies it."""


@dataclass(frozen=True, slots=True)
class Result:
    """A row: the type of a response, None if it has none, and whether it may be absent or null."""

    type: Typed | None
    optional: bool
    nullable: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """A row: a request, and what answers it."""

    request: Sent
    sender: str
    result: Result
    error: Typed | None
    reply: Result | None
    fill: tuple[FillPlan, ...] | None = field(hash=False)
    """The members of the result that are filled from the request."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A row: a notification."""

    notification: Sent
    sender: str


@dataclass(frozen=True, slots=True)
class Announced:
    """Where a peer announces its release, and the releases by version number, the oldest first."""

    message: Struct
    at: FieldPath
    releases: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SessionTable:
    """The table. A field that is None describes something that the protocol does not have."""

    by: str
    """The discriminator of requests; `notice_by` is that of notifications."""
    notice_by: str
    peers: tuple[str, ...]
    draw: Literal["uuid", "number", "text"]
    """How ids are generated: numbers and texts are counted."""
    prefix: str
    """The prefix of the number in a text."""
    payload: Typed
    """The type of the payloads of requests."""
    request: Form
    notify: Form | None
    response: Form
    error: Form | None
    cancel: Form | None
    cancel_notice: bool
    """Whether the message that cancels a request is a notification."""
    answered: bool
    """Whether the peer still responds to a cancelled request."""
    pointer: str
    """The location of the result in a response, as a JSON Pointer."""
    none: str | None
    """The JSON text of the result of a response that has none; None if it is absent."""
    flat: bool
    """Whether the result is flattened, so that one without members looks absent."""
    null_result: bool
    """Whether the member for the result may be null, so that null differs from absence; likewise the next field."""
    null_data: bool
    codes: tuple[Code, Code]
    """The codes for a refusal, and for the response to an unknown request."""
    data: tuple[tuple[int | str, Typed], ...]
    answers: tuple[Answer, ...]
    notices: tuple[Notice, ...]
    announced: Announced | None

    def sent(self, peer: str) -> tuple[str, ...]:
        """The requests that a peer sends, by the names of their structs; those that both send are last."""
        return tuple(
            each.request.struct.name for sender in (peer, "both") for each in self.answers if each.sender == sender
        )


def session_table(model: Model, controls: ControlsPlan, announced: AnnouncedPlan | None) -> SessionTable:
    """The table of a protocol with controls."""
    request, notify, response, error, cancel = (
        controls.request,
        controls.notify,
        controls.response,
        controls.error,
        controls.cancel,
    )
    drawn: Literal["number", "text"] = "number" if "number" in controls.id_kinds else "text"
    protocol = model.protocol.control
    notice_by = (protocol.notify.by if protocol and protocol.notify else None) or ""
    return SessionTable(
        by=controls.by,
        notice_by=notice_by,
        peers=tuple(model.protocol.peers),
        draw="uuid" if controls.draw == "uuid" else drawn,
        prefix=controls.prefix,
        payload=Typed(request.payload[-1].field.type),
        request=Form(request.struct, {"id": request.id, "payload": request.payload}, request.when, request.made),
        notify=None if notify is None else Form(notify.struct, {"payload": notify.payload}, notify.when, notify.made),
        response=Form(response.struct, {"id": response.id, "result": response.payload}, response.when, response.made),
        error=None if error is None else _error(error),
        cancel=None if cancel is None else Form(cancel.struct, {"id": cancel.id}, (), cancel.made),
        cancel_notice=cancel is not None and cancel.is_notification,
        answered=cancel is not None and cancel.answered,
        pointer=response.json_pointer,
        none=dumps(response.none) if response.has_none else None,
        flat=response.is_flat,
        null_result=is_nullable(model, response.payload[-1].field),
        null_data=error is not None and bool(error.data) and is_nullable(model, error.data[-1].field),
        codes=(None, None) if error is None else (error.refused, error.unknown),
        data=() if error is None else tuple((each.code, Typed(each.type)) for each in error.types),
        answers=tuple(_answer(each, controls.by) for each in controls.pairs),
        notices=tuple(Notice(sent(each, notice_by), each.control.origin) for each in controls.notifications),
        announced=None if announced is None else Announced(announced.struct, announced.way, announced.releases),
    )


def _error(error: ErrorPlan) -> Form:
    at = {"id": error.id, "message": error.message, "code": error.code, "data": error.data}
    return Form(error.struct, at, error.when, error.made)


def sent(pair: PairPlan, by: str) -> Sent:
    """A request or a notification, with the value of its discriminator."""
    tag = pair.request.tag(by)
    return Sent(pair.request, pair.control.key if tag is None or tag.constant is None else tag.constant)


def _answer(pair: PairPlan, by: str) -> Answer:
    reply = None if pair.reply is None else _result(pair.reply)
    error = None if pair.error is None else Typed(pair.error)
    return Answer(sent(pair, by), pair.control.origin, _result(pair.answer), error, reply, pair.fill or None)


def _result(reply: ReplyPlan) -> Result:
    typed = None if reply.type is None else Typed(reply.type)
    return Result(typed, reply.optional or typed is None, reply.nullable)


# --- the table as a literal ------------------------------------------------------------------------------------


class Spelling(Protocol):
    """How a language represents the leaves of the table."""

    def struct(self, struct: Struct) -> object:
        """A declared struct."""

    def sent(self, sent: Sent) -> object:
        """What identifies a request or a notification."""

    def type(self, type_: Type) -> object:
        """A type, as in the table of rows."""

    def way(self, way: FieldPath) -> object:
        """A path to a member."""

    def new(self, made: Made) -> object:
        """A new object."""


def spelled_table(table: SessionTable, spelling: Spelling) -> dict[str, object]:
    """The table as nested dicts and tuples with the leaves of a language."""
    return {each.name: _spelled(getattr(table, each.name), spelling) for each in fields(table)}


def _spelled(value: object, spelling: Spelling) -> object:
    match value:
        case Struct():
            return spelling.struct(value)
        case Sent():
            return spelling.sent(value)
        case Typed(type=type_):
            return spelling.type(type_)
        case Made():
            return spelling.new(value)
        case Form(envelope=envelope, at=at, when=when, new=new):
            return {
                "envelope": spelling.struct(envelope),
                "at": {name: spelling.way(each) for name, each in at.items()},
                "when": tuple((spelling.way(each), wanted) for each, wanted in when),
                "new": spelling.new(new),
            }
        case Announced(message=message, at=way, releases=releases):
            return {"message": spelling.struct(message), "at": spelling.way(way), "releases": releases}
        case FillPlan(at=at, source=source):
            return spelling.way(at), spelling.way(source)
        case Answer() | Notice() | Result():
            row = [_spelled(getattr(value, each.name), spelling) for each in fields(value)]
            while row and row[-1] is None:
                row.pop()
            return tuple(row)
        case tuple():
            return tuple(_spelled(each, spelling) for each in value)
    return value
