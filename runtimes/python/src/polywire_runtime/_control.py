# pyright: basic
"""Requests and the responses that answer them, each with the type that the protocol declares."""

from __future__ import annotations

from . import _pairs
from ._base import DecodeError
from ._support import fresh_uuid
from ._tools import typed
from ._wire import to_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["decode_response", "reply", "request", "response_type"]


def response_type(request: Any) -> Any:
    """The class, union or name of the type of a request's answer; None if it has none."""
    request = _payload(request)
    kind = request if isinstance(request, type) else type(request)
    for each in kind.__mro__:
        if each in _pairs.RESPONSES:
            name = _pairs.RESPONSES[each][0]
            return _pairs.TYPES.get(name, name) if isinstance(name, str) else name
    raise TypeError(f"{kind.__name__} is no request")


def decode_response(request: Any, response: Any, *, strict: bool = False) -> Any:
    """The answer in `response` as the type that belongs to `request`; None if it came without.

    Raise DecodeError if it does not fit, LookupError if the response is one that carries no answer (an error).
    """
    kind = type(_payload(request))
    try:
        result = _at(response, _pairs.RESULT)
    except AttributeError:
        raise LookupError(f"no answer in {response!r}") from None
    code, optional = next((_pairs.RESPONSES[each] for each in kind.__mro__ if each in _pairs.RESPONSES), (None, True))
    if code is not None and result is None and not optional:
        if not _pairs.RESULT_FLAT:
            raise DecodeError("missing_field", _pairs.RESULT_POINTER, "expected an answer, got none")
        result = {}  # none of its members is in the response
    return result if result is None or code is None else typed(code, result, strict)


def request(payload: Any, request_id: str | None = None) -> Any:
    """Put a request into its envelope, under a fresh id unless one is given."""
    return _pairs.request_envelope(fresh_uuid() if request_id is None else request_id, payload)


def reply(request: Any, result: Any = None) -> Any:
    """Make the response that answers a request, given in its envelope.

    `result` is an object of this package or plain data.
    """
    answer = result if result is None or isinstance(result, dict) else to_dict(result)
    return _pairs.response_envelope(_at(request, _pairs.REQUEST_ID), answer)


def _payload(request: Any) -> Any:
    """The request in its envelope, or the request itself."""
    return _at(request, _pairs.PAYLOAD) if isinstance(request, _pairs.REQUEST_ENVELOPE) else request


def _at(value: Any, attributes: tuple[str, ...]) -> Any:
    """What a chain of attributes leads to."""
    for each in attributes:
        value = getattr(value, each)
    return value
