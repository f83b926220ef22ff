# pyright: basic
"""Requests, their responses and notifications, each with the type that the protocol declares for it."""

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

__all__ = [
    "ControlError",
    "announced_in",
    "answer_in",
    "answer_to",
    "cancel",
    "decode_response",
    "error_in",
    "is_form",
    "notify",
    "place_of",
    "refuse",
    "reply",
    "request",
    "response_type",
]


class ControlError(Exception):
    """The peer answered a request with an error.

    `message` is the text of the error and `response` is the original response. `code` and `data` are None if the error
    has none. The data is an object of the type that the protocol declares for it, or plain data.
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
    """The result type of a request, as an argument for `decode`; None if the request has no result."""
    type_ = _response(request)[0]
    if not isinstance(type_, str) or type_ in _BUILT_IN:
        return type_
    return class_of(type_) if row(type_)[0] == "struct" else alias(type_)


_BUILT_IN = frozenset({"string", "boolean", "number", "integer", "uuid", "timestamp", "json", "object", "null"})


def _response(request: Any) -> tuple[Any, ...]:
    """The type of a request's answer, whether the answer may be absent or null, and the type of the error data.

    The first three follow again for new answers, where those differ.
    """
    payload = _payload(request)
    kind = payload if isinstance(payload, type) else type(payload)
    found = _pairs.RESPONSES.get(declared_class(kind) or "")
    if found is None:
        raise TypeError(f"expected a request of the protocol, got {kind.__name__}")
    return found


def decode_response(request: Any, response: Any, *, strict: bool = False) -> Any:
    """The result in `response`, as the result type of `request`; None if there is no result.

    If the result can be null, None means null and UNSET means no result. Raises ControlError with the peer's message
    if the peer answered with an error, DecodeError if the result is invalid, and LookupError if the response has
    another form.
    """
    if is_form(response, "error"):
        message, code, data = error_in(response, request)
        raise ControlError(message, response, code, _present(data))
    if not is_form(response, "response"):
        raise LookupError(f"expected a response with an answer or an error, got {response!r}")
    return answer_in(response, request, strict=strict)


def answer_in(response: Any, request: Any, *, strict: bool = False) -> Any:
    """The answer in a response of the form `response`, as `decode_response` returns it."""
    type_, optional, nullable, *_ = _response(request)
    result = place_of(response, "result")
    absent = result is None if _pairs.RESULT_FLAT or not _pairs.RESULT_NULLABLE else result is UNSET
    if optional and _pairs.NONE is not None and result == parse(_pairs.NONE):
        absent = True
    if absent and optional:
        return UNSET if nullable else None
    if absent:
        if not _pairs.RESULT_FLAT:
            raise DecodeError("missing_field", "", "expected an answer, got none")
        result = {}  # none of its members is in the response
    if type_ is None or (result is None and optional and not nullable):
        return result
    return from_value(result, type_, strict=strict)


def error_in(response: Any, request: Any) -> tuple[str, int | str | None, Any]:
    """The message, code and data of an error response; the data is UNSET if there is none.

    The type of the data depends on the request, if that is known, and on the code. Data that is invalid for its type
    stays untyped.
    """
    message = place_of(response, "message")
    code, data = _present(place_of(response, "code")), place_of(response, "data")
    if data is _NOWHERE or (data is None and not _pairs.DATA_NULLABLE):
        data = UNSET
    type_ = None if request is None else _response(request)[3]
    if type_ is None:
        type_ = _pairs.DATA.get(code) if isinstance(code, (int, str)) else None
    if type_ is not None and data is not None and data is not UNSET:
        try:
            data = from_value(data, type_)
        except DecodeError:
            pass
    return message, code, data


def request(payload: Any, request_id: Any = None) -> Any:
    """Put a request into its envelope, with a new id unless one is given."""
    return _pairs.request_envelope(_fresh_id() if request_id is None else request_id, payload)


_numbers = count(1)


def _fresh_id() -> Any:
    """An id that this process has not used for another request."""
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
    """Build the message that cancels a request, given in its envelope."""
    message = _pairs.cancellation(_request_id(request))
    return notify(message) if declared_class(type(message)) in _pairs.NOTIFICATIONS else message


def reply(request: Any, result: Any = UNSET) -> Any:
    """Build the response to a request, given in its envelope.

    `result` is an object of the result type, or plain data that is valid for it in strict mode. Raises EncodeError
    for anything else.
    """
    planned = _response(request)
    type_, optional, nullable = planned[4:] or planned[:3]
    return answer_to(request, result, type_, optional=optional, nullable=nullable)


def answer_to(request: Any, result: Any, type_: Any, *, optional: bool, nullable: bool) -> Any:
    """Build the response to a request, with a result of the given type."""
    if optional and (result is UNSET or (result is None and not nullable)):
        answer = _no_answer()
    elif type_ is None:
        raise EncodeError("wrong_type", "", f"expected no result for this request, got {type(result).__name__}")
    elif result is UNSET:
        raise EncodeError("missing_field", _pairs.RESULT_POINTER, "expected a result for this request, got none")
    else:
        answer = to_value(result, type_)
    return _pairs.response_envelope(_request_id(request), answer)


def _no_answer() -> Any:
    """The value in place of an answer, for a response without one."""
    if _pairs.NONE is not None:
        return parse(_pairs.NONE)
    return UNSET if _pairs.RESULT_NULLABLE else None


def refuse(request: Any, message: str, *, code: Any = None, data: Any = UNSET) -> Any:
    """Build the response that refuses a request, given in its envelope; `message` is the reason, for people.

    The default code is the one that the protocol defines for refusals or, if the request is undeclared, for undeclared
    requests. The data is plain data or an object of the protocol.
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
    return place_of(request, "request_id")


def _payload(request: Any) -> Any:
    """The request in its envelope, or the request itself."""
    return place_of(request, "payload") if isinstance(request, _pairs.REQUEST_ENVELOPE) else request


_NOWHERE = object()

_FORMS = {
    "request": (_pairs.REQUEST_ENVELOPE, "payload"),
    "notify": (_pairs.NOTIFICATION_ENVELOPE, "news"),
    "response": (_pairs.RESPONSE_ENVELOPE, "result"),
    "error": (_pairs.ERROR_ENVELOPE, "message"),
}
"""A form → its envelope, and the member that every message of the form has."""


def is_form(message: Any, form: str) -> bool:
    """Whether a message has a form: the class of its envelope, and the values that distinguish it from other forms."""
    envelope, name = _FORMS[form]
    if envelope is None or not isinstance(message, envelope):
        return False
    for way, value in _pairs.CONDITIONS[form]:
        found = _at(message, way)
        if found is _NOWHERE or type(found) is not type(value) or found != value:
            return False
    return _at(message, _pairs.WAYS[name]) is not _NOWHERE


def announced_in(message: Any) -> str | None:
    """The release that a message announces; None if it announces none."""
    if _pairs.ANNOUNCED is None:
        return None
    way, releases = _pairs.ANNOUNCED
    number = _at(message, way)
    return release_of(number, releases) if isinstance(number, str) else None


_DIGITS = frozenset("0123456789")


def release_of(number: str, releases: tuple[tuple[str, str], ...]) -> str:
    """The last release whose number is not greater than `number`; the first release if all numbers are greater."""
    found = releases[0][1]
    for each, release in releases:
        if _is_up_to(each, number):
            found = release
    return found


def _is_up_to(one: str, other: str) -> bool:
    """Whether a number is not greater than another: runs of digits compare as integers, and sort before all else."""
    i = j = 0
    while i < len(one) and j < len(other):
        if one[i] in _DIGITS and other[j] in _DIGITS:
            first, i = _integer(one, i)
            second, j = _integer(other, j)
            if first != second:
                return (len(first), first) < (len(second), second)
        elif one[i] != other[j]:
            return (one[i] not in _DIGITS, one[i]) < (other[j] not in _DIGITS, other[j])
        else:
            i, j = i + 1, j + 1
    return i == len(one)


def _integer(text: str, start: int) -> tuple[str, int]:
    """The digits that start at an index, without leading zeros, and the index where they end."""
    end = start
    while end < len(text) and text[end] in _DIGITS:
        end += 1
    return text[start:end].lstrip("0"), end


def place_of(message: Any, name: str) -> Any:
    """The value at a named place of a message."""
    return _at(message, _pairs.WAYS[name])


def _at(value: Any, way: tuple[tuple[str, tuple[str, ...]], ...]) -> Any:
    """The value at a chain of attributes; `_NOWHERE` if an object in it has none of the classes with that attribute."""
    for attribute, classes in way:
        if declared_class(type(value)) not in classes:
            return _NOWHERE
        value = getattr(value, attribute)
    return value if way else _NOWHERE


def _present(value: Any) -> Any:
    """A value; None if it is absent."""
    return None if value is _NOWHERE or value is UNSET else value
