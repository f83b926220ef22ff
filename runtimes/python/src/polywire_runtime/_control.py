# pyright: basic
"""Requests and the responses that answer them, each with the type that the protocol declares."""

from __future__ import annotations

from . import _pairs
from ._aliases import alias
from ._base import DecodeError, EncodeError, fresh_uuid
from ._rows import class_of, declared_class, row
from ._wire import from_value, to_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["ControlError", "decode_response", "refuse", "reply", "request", "response_type"]


class ControlError(Exception):
    """The peer refused a request: `message` is what it says, `response` the response as it came."""

    message: str
    response: object

    def __init__(self, message: str, response: object = None) -> None:
        super().__init__(message, response)
        self.message = message
        self.response = response

    def __str__(self) -> str:
        return self.message


def response_type(request: Any) -> Any:
    """The type of the answer to a request: what `decode` takes; None if it has none."""
    type_, _ = _response(request)
    if not isinstance(type_, str):
        return type_
    return class_of(type_) if row(type_)[0] == "struct" else alias(type_)


def _response(request: Any) -> tuple[Any, bool]:
    """The type of the answer to a request, and whether the answer may come without."""
    payload = _payload(request)
    kind = payload if isinstance(payload, type) else type(payload)
    found = _pairs.RESPONSES.get(declared_class(kind) or "")
    if found is None:
        raise TypeError(f"expected a request of the protocol, got {kind.__name__}")
    return found


def decode_response(request: Any, response: Any, *, strict: bool = False) -> Any:
    """The answer in `response` as the type that belongs to `request`; None if it came without.

    Raise ControlError with the peer's message if the peer refused, DecodeError if the answer does not fit, and
    LookupError if the response is of another form.
    """
    type_, optional = _response(request)
    try:
        error = _at(response, _pairs.ERROR)
        if declared_class(type(error)) in _pairs.ERROR_CLASSES:
            raise ControlError(getattr(error, _pairs.ERROR_MESSAGE), response)
        result = _at(response, _pairs.RESULT)
    except AttributeError:
        raise LookupError(f"expected a response with an answer or an error, got {response!r}") from None
    if type_ is not None and result is None and not optional:
        if not _pairs.RESULT_FLAT:
            raise DecodeError("missing_field", _pairs.RESULT_POINTER, "expected an answer, got none")
        result = {}  # none of its members is in the response
    return result if result is None or type_ is None else from_value(result, type_, strict=strict)


def request(payload: Any, request_id: str | None = None) -> Any:
    """Put a request into its envelope, under a fresh id unless one is given."""
    return _pairs.request_envelope(fresh_uuid() if request_id is None else request_id, payload)


def reply(request: Any, result: Any = None) -> Any:
    """Make the response that answers a request, given in its envelope.

    `result` is an object of the type that answers the request, or plain data that strict mode reads as that type. Raise
    EncodeError for anything else.
    """
    type_, optional = _response(request)
    if result is None and (type_ is None or optional):
        answer = None
    elif type_ is None:
        raise EncodeError("wrong_type", "", f"expected no result for this request, got {type(result).__name__}")
    else:
        answer = to_value(result, type_)
    return _pairs.response_envelope(_request_id(request), answer)


def refuse(request: Any, message: str) -> Any:
    """Make the response that refuses a request, given in its envelope; `message` says why, for people."""
    return _pairs.error_envelope(_request_id(request), message)


def _request_id(request: Any) -> Any:
    """The id of a request in its envelope."""
    envelope: type = _pairs.REQUEST_ENVELOPE
    if not isinstance(request, envelope):
        raise TypeError(f"expected the {envelope.__name__} with the request in it, got {type(request).__name__}")
    return _at(request, _pairs.REQUEST_ID)


def _payload(request: Any) -> Any:
    """The request in its envelope, or the request itself."""
    return _at(request, _pairs.PAYLOAD) if isinstance(request, _pairs.REQUEST_ENVELOPE) else request


def _at(value: Any, attributes: tuple[str, ...]) -> Any:
    """What a chain of attributes leads to."""
    for each in attributes:
        value = getattr(value, each)
    return value
