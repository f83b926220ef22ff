# pyright: basic
"""Sessions: match requests with their answers, for one side of a connection, without I/O."""

from __future__ import annotations

from _thread import RLock
from collections import OrderedDict
from dataclasses import dataclass, field

from ._base import UNSET, DecodeError, Generic
from ._control import (
    ANSWERS,
    CANCELLATION,
    NOTICES,
    announced_in,
    answer_in,
    answer_to,
    cancellation,
    error_in,
    id_of,
    is_form,
    notify,
    place_of,
    refusal,
    reply,
    request,
    response_type,
)
from ._pairs import SESSION
from ._rows import declared_class
from ._wire import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from typing_extensions import TypeVar

    from ._base import Unset
    from ._pairs import (
        TypedCancelled,
        TypedCode,
        TypedData,
        TypedId,
        TypedLine,
        TypedMessage,
        TypedNotice,
        TypedNotification,
        TypedReason,
        TypedRequest,
        TypedRequestEnvelope,
        TypedResult,
    )

    _Sent = TypeVar("_Sent", default=Any)
else:
    _Sent = None

__all__ = [
    "Session",
    "SessionAnswer",
    "SessionCancellation",
    "SessionError",
    "SessionEvent",
    "SessionFailure",
    "SessionInvalidAnswer",
    "SessionMessage",
    "SessionNotification",
    "SessionRequest",
    "SessionStray",
    "SessionUnknownRequest",
]

REMEMBERED = 1024
"""The number of ids that a session remembers after they are no longer pending."""

REFUSAL = "unknown request"
"""The message of the error for a request that this side does not answer."""


class SessionError(Exception):
    """A call is invalid in the current state of the session; `code` is the reason.

    `id_in_use`: the id is pending. `not_pending`: the id is not pending. `not_open`: the request is answered or
    cancelled. `wrong_direction`: this side does not send this message.
    """

    code: str
    message: str

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" if self.message else self.code


# --- events ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A message that is not part of the control protocol, or has an undeclared form."""

    message: TypedMessage


@dataclass(frozen=True, slots=True)
class SessionNotification:
    """A notification from the peer."""

    payload: TypedNotification


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """A request from the peer, which the program must answer with `reply` or `refuse`."""

    id: TypedId
    payload: TypedRequest
    envelope: TypedRequestEnvelope
    _session: Session[Any] = field(repr=False, compare=False)

    def reply(self, result: TypedResult | Unset | None = UNSET) -> bytes:
        """Build the line that answers the request, like `Session.reply`."""
        return self._session.reply(self, result)

    def refuse(self, message: TypedReason, *, code: TypedCode = None, data: TypedData = UNSET) -> bytes:
        """Build the line that refuses the request, like `Session.refuse`."""
        return self._session.refuse(self, message, code=code, data=data)


@dataclass(frozen=True, slots=True)
class SessionUnknownRequest:
    """A request that the protocol does not declare, or that only this side sends.

    Send `line`, which refuses the request: the peer waits for an answer. It is None if the protocol has no errors.
    """

    id: TypedId
    payload: TypedRequest
    envelope: TypedRequestEnvelope
    line: TypedLine


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """The result of one of our requests.

    `result` has the result type of the request. It is None if there is no result; if the result can be null, None
    means null and UNSET means no result.
    """

    id: TypedId
    request: TypedRequest
    result: TypedResult | Unset | None


@dataclass(frozen=True, slots=True)
class SessionFailure:
    """An error as the answer to one of our requests; if id and request are None, it belongs to none of them.

    `code` is None and `data` is UNSET if the error has none. The data is an object of its declared type, or plain
    data.
    """

    id: TypedId | None
    request: TypedRequest | None
    message: str
    code: int | str | None
    data: Any


@dataclass(frozen=True, slots=True)
class SessionInvalidAnswer:
    """An answer to one of our requests that is invalid for its type; `error` is the reason."""

    id: TypedId
    request: TypedRequest
    error: DecodeError
    message: TypedMessage


@dataclass(frozen=True, slots=True)
class SessionCancellation:
    """The peer cancels one of its requests that is not answered yet."""

    id: TypedId
    payload: TypedRequest


@dataclass(frozen=True, slots=True)
class SessionStray:
    """An answer, a cancellation or a request that does not match.

    The reason is `unknown`, `late` (an answer to a cancelled request), `repeated` (a second answer), or `reused` (a
    request with the id of an unanswered one).
    """

    id: TypedId
    reason: Literal["unknown", "late", "repeated", "reused"]
    message: TypedMessage


SessionEvent = (
    SessionMessage
    | SessionNotification
    | SessionRequest
    | SessionUnknownRequest
    | SessionAnswer
    | SessionFailure
    | SessionInvalidAnswer
    | SessionCancellation
    | SessionStray
)


# --- the session -------------------------------------------------------------------------------------------------


class _Asked:
    """One of our requests that is pending."""

    __slots__ = ("cancelled", "id", "payload")

    def __init__(self, id_: Any, payload: Any) -> None:
        self.id = id_
        self.payload = payload
        self.cancelled = False


class Session(Generic[_Sent]):
    """Matches requests with answers for one of the protocol's peers. It performs no I/O.

    Pass each message from the peer to `receive`, and send each line that a method returns, followed by a newline.
    Threads can share a session.
    """

    __slots__ = ("_announced", "_answers", "_done", "_drawn", "_lock", "_open", "_pending", "_refuses", "_sends")

    def __init__(self, peer: str, *, refuse_unknown: bool = True) -> None:
        if peer not in SESSION["peers"]:
            raise ValueError(f"peer is {peer!r}; expected one of {', '.join(map(repr, SESSION['peers']))}")
        rows = (*SESSION["answers"], *SESSION["notices"])
        self._sends = frozenset(name for name, sender, *_ in rows if sender in {peer, "both"})
        self._answers = frozenset(name for name, sender, *_ in rows if sender != peer)
        self._refuses = refuse_unknown
        self._lock = RLock()
        self._announced: str | None = None
        self._drawn = 0
        self._pending: dict[Any, _Asked] = {}
        self._open: dict[Any, SessionRequest] = {}
        self._done: OrderedDict[Any, Any] = OrderedDict()
        """Ids that are no longer pending, each with the reason that makes an answer to it stray."""

    # Sending.

    def request(self, payload: _Sent, id: TypedId | None = None) -> tuple[TypedId, bytes]:
        """Build the line of a request, with a new id unless one is given. The request is then pending."""
        sent: Any = payload
        self._check_sends(sent, ANSWERS)
        with self._lock:
            drawn, id_ = self._draw() if id is None else (self._drawn, id)
            line = encode(request(sent, id_))
            if _key(id_) in self._pending:
                raise SessionError("id_in_use", f"{id_!r} is pending")
            self._drawn = drawn
            self._pending[_key(id_)] = _Asked(id_, sent)
            self._done.pop(_key(id_), None)
        return id_, line

    def notify(self, payload: TypedNotice) -> bytes:
        """Build the line of a notification."""
        self._check_sends(payload, NOTICES)
        return encode(notify(payload))

    def cancel(self, id: TypedCancelled) -> bytes:
        """Build the line that cancels one of our requests."""
        with self._lock:
            asked = self._pending.get(_key(id))
            if asked is None:
                raise SessionError("not_pending", f"{id!r} is not pending")
            line = encode(cancellation(asked.id))
            if SESSION["answered"]:
                asked.cancelled = True
            else:
                self._finish(asked, "late")
        return line

    def reply(self, request: SessionRequest | TypedId, result: TypedResult | Unset | None = UNSET) -> bytes:
        """Build the line that answers a request from the peer, given as its event or its id.

        `result` is like that of the function `reply`; for an undeclared request, it is any JSON. Raises SessionError
        if the request is not open, and EncodeError if the result is invalid; the request then stays open.
        """
        with self._lock:
            asked = self._still_open(request)
            if self._is_known(asked.payload):
                line = encode(reply(asked.envelope, result))
            else:
                nullable = SESSION["null_result"]  # elsewhere, None is no result
                line = encode(answer_to(asked.envelope, result, "json", optional=True, nullable=nullable))
            del self._open[_key(asked.id)]
        return line

    def refuse(
        self,
        request: SessionRequest | TypedId,
        message: TypedReason,
        *,
        code: TypedCode = None,
        data: TypedData = UNSET,
    ) -> bytes:
        """Build the line that refuses a request from the peer, given as its event or its id."""
        with self._lock:
            asked = self._still_open(request)
            line = self._refusal(asked.envelope, asked.payload, message, code, data)
            del self._open[_key(asked.id)]
        return line

    # Receiving.

    def receive(self, message: TypedMessage) -> SessionEvent:
        """Process a message from the peer, and return the event."""
        event: SessionEvent = self._received(message)
        return event

    def _received(self, message: Any) -> Any:
        if declared_class(type(message)) is None:
            raise TypeError(f"expected a message of the protocol, got {type(message).__name__}")
        with self._lock:
            if is_form(message, "request"):
                return self._requested(message)
            if is_form(message, "notify"):
                return self._notified(message)
            if is_form(message, "error"):
                return self._failed(message)
            if is_form(message, "response"):
                return self._answered(message)
            if not SESSION["cancel_notice"] and _is_cancellation(message):
                return self._cancelled(message, message)
            number = announced_in(message)
            if number is not None:
                self._announced = number
        return SessionMessage(message)

    @property
    def announced(self) -> str | None:
        """The release that the peer has announced most recently; None if it has announced none.

        A release that is not listed counts as the closest earlier one that is, or as the first if there is none.
        """
        return self._announced

    # Open requests.

    def pending(self) -> list[tuple[TypedId, TypedRequest]]:
        """Our unanswered requests, oldest first, each with its id."""
        with self._lock:
            return [(asked.id, asked.payload) for asked in self._pending.values()]

    def unanswered(self) -> list[SessionRequest]:
        """The peer's requests that the program has not answered, oldest first."""
        with self._lock:
            return list(self._open.values())

    # Internals.

    def _check_sends(self, payload: Any, table: Any) -> None:
        name = declared_class(type(payload))
        if name not in self._sends or name not in table:
            raise SessionError("wrong_direction", f"this side does not send {type(payload).__name__}")

    def _draw(self) -> tuple[int, Any]:
        """A new value of the counter, and an id that is not pending."""
        number = self._drawn
        while True:
            number += 1
            found = id_of(number)
            if _key(found) not in self._pending:
                return number, found

    def _finish(self, asked: _Asked, reason: str) -> None:
        """End one of our requests: it is no longer pending."""
        key = _key(asked.id)
        del self._pending[key]
        self._done[key] = reason
        if len(self._done) > REMEMBERED:
            self._done.popitem(last=False)

    def _is_known(self, payload: Any) -> bool:
        """Whether the protocol declares this request for the peer."""
        name = declared_class(type(payload))
        return name in ANSWERS and name in self._answers

    def _still_open(self, request: Any) -> SessionRequest:
        id_ = request.id if isinstance(request, SessionRequest) else request
        found = self._open.get(_key(id_))
        if found is None or (isinstance(request, SessionRequest) and found is not request):
            raise SessionError("not_open", f"the request {id_!r} is answered, cancelled or unknown")
        return found

    def _refusal(self, envelope: Any, payload: Any, message: str, code: Any, data: Any) -> bytes:
        if code is None and not self._is_known(payload):
            code = SESSION["codes"][1]
        return encode(refusal(envelope, message, code, data))

    def _requested(self, message: Any) -> Any:
        id_, payload = place_of(message, "request", "id"), place_of(message, "request", "payload")
        key = _key(id_)
        if key in self._open:
            return SessionStray(id_, "reused", message)
        if not self._is_known(payload) and self._refuses:
            line: Any = None
            if SESSION["error"] is not None:
                line = self._refusal(message, payload, REFUSAL, None, UNSET)
            return SessionUnknownRequest(id_, payload, message, line)
        event = self._open[key] = SessionRequest(id_, payload, message, self)
        return event

    def _notified(self, message: Any) -> Any:
        payload = place_of(message, "notify", "payload")
        if _is_cancellation(payload):
            return self._cancelled(payload, message)
        return SessionNotification(payload)

    def _cancelled(self, notice: Any, message: Any) -> Any:
        id_ = place_of(notice, "cancel", "id")
        asked = self._open.get(_key(id_))
        if asked is None:
            return SessionStray(id_, "unknown", message)
        if not SESSION["answered"]:
            del self._open[_key(id_)]
        return SessionCancellation(asked.id, asked.payload)

    def _failed(self, message: Any) -> Any:
        id_ = place_of(message, "error", "id")
        if id_ is None or id_ is UNSET:
            text, code, data = error_in(message, None)
            return SessionFailure(None, None, text, code, data)
        asked = self._taken(id_, message)
        if not isinstance(asked, _Asked):
            return asked
        text, code, data = error_in(message, asked.payload)
        return SessionFailure(id_, asked.payload, text, code, data)

    def _answered(self, message: Any) -> Any:
        id_ = place_of(message, "response", "id")
        asked = self._taken(id_, message)
        if not isinstance(asked, _Asked):
            return asked
        try:
            result = answer_in(message, asked.payload)
        except DecodeError as error:
            return SessionInvalidAnswer(id_, asked.payload, error, message)
        if response_type(asked.payload) is None:
            result = None  # whatever the peer sent
        return SessionAnswer(id_, asked.payload, result)

    def _taken(self, id_: Any, message: Any) -> _Asked | SessionStray:
        """The request that a response answers, which is then no longer pending; or a stray."""
        key = _key(id_)
        asked = self._pending.get(key)
        if asked is None:
            return SessionStray(id_, self._done.get(key, "unknown"), message)
        self._finish(asked, "late" if asked.cancelled else "repeated")
        return SessionStray(id_, "late", message) if asked.cancelled else asked


def _key(id_: Any) -> tuple[bool, Any]:
    """The key under which ids are compared: `1` equals `1.0`, but neither `"1"` nor true."""
    return isinstance(id_, bool), id_


def _is_cancellation(message: Any) -> bool:
    return CANCELLATION is not None and declared_class(type(message)) == CANCELLATION
