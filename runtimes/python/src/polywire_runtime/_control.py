# pyright: basic
"""Requests, the responses that answer them and notifications, each with the type that the protocol declares."""

from __future__ import annotations

from itertools import count

from . import _pairs
from ._aliases import alias
from ._base import UNSET, DecodeError, EncodeError, Unknown, fresh_uuid
from ._json import parse
from ._rows import class_of, declared_class, row
from ._wire import from_value, to_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["ControlError", "cancel", "decode_response", "notify", "refuse", "reply", "request", "response_type"]


class ControlError(Exception):
    """The peer answered a request with an error.

    `message` is its text, `code` and `data` are None where it has none, and `response` is the response as it came. The
    data is an object of the type that the protocol declares for it, or plain data.
    """

    message: str
    response: object
    code: int | str | None
    data: Any

    def __init__(self, message: str, response: object = None, code: int | str | None = None, data: Any = None) -> None:
        super().__init__(message, response, code, data)
        self.message = message
        self.response = response
        self.code = code
        self.data = data

    def __str__(self) -> str:
        return self.message


def response_type(request: Any) -> Any:
    """The type of the answer to a request: what `decode` takes; None if it has none."""
    type_ = _response(request)[0]
    if not isinstance(type_, str) or type_ in _BUILT_IN:
        return type_
    return class_of(type_) if row(type_)[0] == "struct" else alias(type_)


_BUILT_IN = frozenset({"string", "boolean", "number", "integer", "uuid", "timestamp", "json", "object", "null"})


def _response(request: Any) -> tuple[Any, ...]:
    """The type of the answer to a request, whether it may be absent or null, and the type of an error's data.

    Behind these are the first three of a new answer, where they differ.
    """
    payload = _payload(request)
    kind = payload if isinstance(payload, type) else type(payload)
    found = _pairs.RESPONSES.get(declared_class(kind) or "")
    if found is None:
        raise TypeError(f"expected a request of the protocol, got {kind.__name__}")
    return found


def decode_response(request: Any, response: Any, *, strict: bool = False) -> Any:
    """The answer in `response` as the type that belongs to `request`; None if it came without.

    Where None stands for null, UNSET says that the answer came without. Raise ControlError with the peer's message if
    the peer answered with an error, DecodeError if the answer does not fit, and LookupError if the response is of
    another form.
    """
    type_, optional, nullable, error_type, *_ = _response(request)
    error = _error(response, error_type)
    if error is not None:
        raise error
    result = _find(response, _pairs.RESPONSE_ENVELOPE, "response", "result")
    if result is _NOWHERE:
        raise LookupError(f"expected a response with an answer or an error, got {response!r}")
    absent = result is None if _pairs.RESULT_FLAT or not _pairs.RESULT_NULLABLE else result is UNSET
    if optional and _pairs.NONE is not None and result == parse(_pairs.NONE):
        absent = True
    if absent and optional:
        return UNSET if nullable else None
    if absent:
        if not _pairs.RESULT_FLAT:
            raise DecodeError("missing_field", _pairs.RESULT_POINTER, "expected an answer, got none")
        result = {}  # none of its members is in the response
    if type_ is None or (result is None and optional and not nullable):
        return result
    return from_value(result, type_, strict=strict)


def _error(response: Any, type_: Any) -> ControlError | None:
    """The error that a response is, if it is one; its data is untyped where it does not fit its type."""
    message = _find(response, _pairs.ERROR_ENVELOPE, "error", "message")
    if message is _NOWHERE:
        return None
    code, data = (_present(_at(response, _pairs.WAYS[name])) for name in ("code", "data"))
    if type_ is None:
        type_ = _pairs.DATA.get(code) if isinstance(code, (int, str)) else None
    if type_ is not None and data is not None:
        try:
            data = from_value(data, type_)
        except DecodeError:
            pass
    return ControlError(message, response, code, data)


def request(payload: Any, request_id: Any = None) -> Any:
    """Put a request into its envelope, under a fresh id unless one is given."""
    return _pairs.request_envelope(_fresh_id() if request_id is None else request_id, payload)


_numbers = count(1)


def _fresh_id() -> Any:
    """An id that this process has not given to another request."""
    if _pairs.PREFIX is None:
        return fresh_uuid()
    number = next(_numbers)
    return number if _pairs.NUMBERED else f"{_pairs.PREFIX}{number}"


def notify(payload: Any) -> Any:
    """Put a notification into its envelope."""
    if declared_class(type(payload)) not in _pairs.NOTIFICATIONS:
        raise TypeError(f"expected a notification of the protocol, got {type(payload).__name__}")
    return _pairs.notification_envelope(payload)


def cancel(request: Any) -> Any:
    """Make the message that cancels a request, given in its envelope."""
    message = _pairs.cancellation(_request_id(request))
    return notify(message) if declared_class(type(message)) in _pairs.NOTIFICATIONS else message


def reply(request: Any, result: Any = UNSET) -> Any:
    """Make the response that answers a request, given in its envelope.

    `result` is an object of the type that answers the request, or plain data that strict mode reads as that type. Raise
    EncodeError for anything else.
    """
    planned = _response(request)
    type_, optional, nullable = planned[4:] or planned[:3]
    if optional and (result is UNSET or (result is None and not nullable)):
        answer = _no_answer()
    elif type_ is None:
        raise EncodeError("wrong_type", "", f"expected no result for this request, got {type(result).__name__}")
    else:
        answer = to_value(None if result is UNSET and not nullable else result, type_)
    return _pairs.response_envelope(_request_id(request), answer)


def _no_answer() -> Any:
    """What stands where an answer would."""
    if _pairs.NONE is not None:
        return parse(_pairs.NONE)
    return UNSET if _pairs.RESULT_NULLABLE else None


def refuse(request: Any, message: str, *, code: Any = None, data: Any = UNSET) -> Any:
    """Make the response that refuses a request, given in its envelope; `message` says why, for people.

    The code is the one that the protocol has for refusals, or for a request that it does not declare. The data is
    plain, or an object of the protocol.
    """
    refused, unknown = _pairs.CODES
    if code is None:
        code = unknown if isinstance(_payload(request), Unknown) else refused
    if data is UNSET:
        data = UNSET if _pairs.DATA_NULLABLE else None
    else:
        kind = declared_class(type(data))
        data = data if kind is None else to_value(data, kind)
    return _pairs.error_envelope(_request_id(request), message, code, data)


def _request_id(request: Any) -> Any:
    """The id of a request in its envelope."""
    envelope: type = _pairs.REQUEST_ENVELOPE
    if not isinstance(request, envelope):
        raise TypeError(f"expected the {envelope.__name__} with the request in it, got {type(request).__name__}")
    return _at(request, _pairs.WAYS["request_id"])


def _payload(request: Any) -> Any:
    """The request in its envelope, or the request itself."""
    return _at(request, _pairs.WAYS["payload"]) if isinstance(request, _pairs.REQUEST_ENVELOPE) else request


_NOWHERE = object()


def _find(response: Any, envelope: type | None, form: str, name: str) -> Any:
    """What a response of a form has at a place; `_NOWHERE` if it is of another form."""
    if envelope is None or not isinstance(response, envelope):
        return _NOWHERE
    for way, value in _pairs.CONDITIONS[form]:
        found = _at(response, way)
        if found is _NOWHERE or type(found) is not type(value) or found != value:
            return _NOWHERE
    return _at(response, _pairs.WAYS[name])


def _at(value: Any, way: tuple[tuple[str, tuple[str, ...]], ...]) -> Any:
    """What a chain of attributes leads to; `_NOWHERE` where an object on it is of none of the classes that have it."""
    for attribute, classes in way:
        if declared_class(type(value)) not in classes:
            return _NOWHERE
        value = getattr(value, attribute)
    return value if way else _NOWHERE


def _present(value: Any) -> Any:
    """A value, None if there is none."""
    return None if value is _NOWHERE or value is UNSET else value
