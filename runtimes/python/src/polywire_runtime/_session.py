# pyright: basic
"""Sessions: match requests with their answers, for one side of a connection, without I/O."""

from __future__ import annotations

from _thread import RLock
from collections import OrderedDict
from dataclasses import dataclass, field

from . import _pairs
from ._base import UNSET, DecodeError, Generic, fresh_uuid
from ._control import (
    announced_in,
    answer_in,
    answer_to,
    error_in,
    is_form,
    notify,
    place_of,
    refuse,
    reply,
    request,
    response_type,
)
from ._rows import declared_class
from ._wire import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    _Sent = TypeVar("_Sent")
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

    message: Any


@dataclass(frozen=True, slots=True)
class SessionNotification:
    """A notification from the peer."""

    payload: Any


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """A request from the peer, which the program must answer with `reply` or `refuse`."""

    id: Any
    payload: Any
    envelope: Any
    _session: Session[Any] = field(repr=False, compare=False)

    def reply(self, result: Any = UNSET) -> bytes:
        """Build the line that answers the request, like `Session.reply`."""
        return self._session.reply(self, result)

    def refuse(self, message: str, *, code: Any = None, data: Any = UNSET) -> bytes:
        """Build the line that refuses the request, like `Session.refuse`."""
        return self._session.refuse(self, message, code=code, data=data)


@dataclass(frozen=True, slots=True)
class SessionUnknownRequest:
    """A request that the protocol does not declare, or that only this side sends.

    Send `line`, which refuses the request: the peer waits for an answer. It is None if the protocol has no errors.
    """

    id: Any
    payload: Any
    envelope: Any
    line: bytes | None


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """The result of one of our requests.

    `result` is None if there is none; if the result can be null, None means null and UNSET means no result.
    """

    id: Any
    request: Any
    result: Any


@dataclass(frozen=True, slots=True)
class SessionFailure:
    """An error as the answer to one of our requests; if id and request are None, it belongs to none of them.

    `code` is None and `data` is UNSET if the error has none. The data is an object of its declared type, or plain
    data.
    """

    id: Any
    request: Any
    message: str
    code: int | str | None
    data: Any


@dataclass(frozen=True, slots=True)
class SessionInvalidAnswer:
    """An answer to one of our requests that is invalid for its type; `error` is the reason."""

    id: Any
    request: Any
    error: DecodeError
    message: Any


@dataclass(frozen=True, slots=True)
class SessionCancellation:
    """The peer cancels one of its requests that is not answered yet."""

    id: Any
    payload: Any


@dataclass(frozen=True, slots=True)
class SessionStray:
    """An answer, a cancellation or a request that does not match.

    The reason is `unknown`, `late` (an answer to a cancelled request), `repeated` (a second answer), or `reused` (a
    request with the id of an unanswered one).
    """

    id: Any
    reason: str
    message: Any


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
        if peer not in _pairs.PEERS:
            raise ValueError(f"peer is {peer!r}; expected one of {', '.join(map(repr, _pairs.PEERS))}")
        both = _pairs.SENT_BY.get("both", ())
        self._sends = frozenset((*_pairs.SENT_BY.get(peer, ()), *both))
        others = (names for sender, names in _pairs.SENT_BY.items() if sender != peer)
        self._answers = frozenset(name for names in others for name in names)
        self._refuses = refuse_unknown
        self._lock = RLock()
        self._announced: str | None = None
        self._drawn = 0
        self._pending: dict[Any, _Asked] = {}
        self._open: dict[Any, SessionRequest] = {}
        self._done: OrderedDict[Any, str] = OrderedDict()
        """Ids that are no longer pending, each with the reason that makes an answer to it stray."""

    # Sending.

    def request(self, payload: Any, id: Any = None) -> tuple[Any, bytes]:
        """Build the line of a request, with a new id unless one is given. The request is then pending."""
        self._check_sends(payload, _pairs.RESPONSES)
        with self._lock:
            drawn = self._drawn
            if id is None:
                drawn, id = self._draw()
            line = encode(request(payload, id))
            if _key(id) in self._pending:
                raise SessionError("id_in_use", f"{id!r} is pending")
            self._drawn = drawn
            self._pending[_key(id)] = _Asked(id, payload)
            self._done.pop(_key(id), None)
        return id, line

    def notify(self, payload: Any) -> bytes:
        """Build the line of a notification."""
        self._check_sends(payload, _pairs.NOTIFICATIONS)
        return encode(notify(payload))

    def cancel(self, id: Any) -> bytes:
        """Build the line that cancels one of our requests."""
        with self._lock:
            asked = self._pending.get(_key(id))
            if asked is None:
                raise SessionError("not_pending", f"{id!r} is not pending")
            message = _pairs.cancellation(asked.id)
            line = encode(message if _is_envelope(message) else notify(message))
            if _pairs.ANSWERED:
                asked.cancelled = True
            else:
                self._finish(asked, "late")
        return line

    def reply(self, request: Any, result: Any = UNSET) -> bytes:
        """Build the line that answers a request from the peer, given as its event or its id.

        `result` is like that of the function `reply`; for an undeclared request, it is any JSON. Raises SessionError
        if the request is not open, and EncodeError if the result is invalid; the request then stays open.
        """
        with self._lock:
            asked = self._still_open(request)
            if self._is_known(asked.payload):
                line = encode(reply(asked.envelope, result))
            else:
                line = encode(answer_to(asked.envelope, result, "json", optional=True, nullable=True))
            del self._open[_key(asked.id)]
        return line

    def refuse(self, request: Any, message: str, *, code: Any = None, data: Any = UNSET) -> bytes:
        """Build the line that refuses a request from the peer, given as its event or its id."""
        with self._lock:
            asked = self._still_open(request)
            line = self._refusal(asked.envelope, asked.payload, message, code, data)
            del self._open[_key(asked.id)]
        return line

    # Receiving.

    def receive(self, message: Any) -> Any:
        """Process a message from the peer, and return the event."""
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
            if _is_cancellation(message) and _is_envelope(message):
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

    def pending(self) -> list[tuple[Any, Any]]:
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
            if _pairs.PREFIX is None:
                found: Any = fresh_uuid()
            else:
                found = number if _pairs.NUMBERED else f"{_pairs.PREFIX}{number}"
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
        return name in _pairs.RESPONSES and name in self._answers

    def _still_open(self, request: Any) -> SessionRequest:
        id_ = request.id if isinstance(request, SessionRequest) else request
        found = self._open.get(_key(id_))
        if found is None or (isinstance(request, SessionRequest) and found is not request):
            raise SessionError("not_open", f"the request {id_!r} is answered, cancelled or unknown")
        return found

    def _refusal(self, envelope: Any, payload: Any, message: str, code: Any, data: Any) -> bytes:
        if code is None and not self._is_known(payload):
            code = _pairs.CODES[1]
        return encode(refuse(envelope, message, code=code, data=data))

    def _requested(self, message: Any) -> Any:
        id_, payload = place_of(message, "request_id"), place_of(message, "payload")
        key = _key(id_)
        if key in self._open:
            return SessionStray(id_, "reused", message)
        if not self._is_known(payload) and self._refuses:
            line = None
            if _pairs.ERROR_ENVELOPE is not None:
                line = self._refusal(message, payload, REFUSAL, None, UNSET)
            return SessionUnknownRequest(id_, payload, message, line)
        event = self._open[key] = SessionRequest(id_, payload, message, self)
        return event

    def _notified(self, message: Any) -> Any:
        payload = place_of(message, "news")
        if _is_cancellation(payload):
            return self._cancelled(payload, message)
        return SessionNotification(payload)

    def _cancelled(self, cancellation: Any, message: Any) -> Any:
        id_ = place_of(cancellation, "cancelled")
        asked = self._open.get(_key(id_))
        if asked is None:
            return SessionStray(id_, "unknown", message)
        if not _pairs.ANSWERED:
            del self._open[_key(id_)]
        return SessionCancellation(asked.id, asked.payload)

    def _failed(self, message: Any) -> Any:
        id_ = place_of(message, "error_id")
        if id_ is None or id_ is UNSET:
            text, code, data = error_in(message, None)
            return SessionFailure(None, None, text, code, data)
        asked = self._taken(id_, message)
        if not isinstance(asked, _Asked):
            return asked
        text, code, data = error_in(message, asked.payload)
        return SessionFailure(id_, asked.payload, text, code, data)

    def _answered(self, message: Any) -> Any:
        id_ = place_of(message, "response_id")
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
    return _pairs.CANCELLATION is not None and declared_class(type(message)) == _pairs.CANCELLATION


def _is_envelope(cancellation: Any) -> bool:
    """Whether a cancellation is an envelope itself, not a notification."""
    return declared_class(type(cancellation)) not in _pairs.NOTIFICATIONS
