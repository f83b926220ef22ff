# pyright: basic
"""Requests, their responses and notifications, each with the type that the protocol declares for it."""

from __future__ import annotations

from copy import copy
from itertools import count

from ._aliases import alias
from ._base import UNSET, DecodeError, EncodeError, Unknown, fresh_uuid
from ._json import parse, pointer
from ._pairs import SESSION
from ._rows import Source, class_of, declared_class, row
from ._wire import from_value, to_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._base import Unset
    from ._pairs import (
        TypedCancellation,
        TypedCode,
        TypedData,
        TypedErrorEnvelope,
        TypedId,
        TypedNotice,
        TypedNotificationEnvelope,
        TypedReason,
        TypedRequest,
        TypedRequestEnvelope,
        TypedResponseEnvelope,
        TypedResult,
    )

__all__ = [
    "ANSWERS",
    "CANCELLATION",
    "NOTICES",
    "ControlError",
    "announced_in",
    "answer_in",
    "answer_to",
    "cancel",
    "cancellation",
    "decode_response",
    "error_in",
    "id_of",
    "is_form",
    "maker",
    "notify",
    "place_of",
    "refusal",
    "refuse",
    "reply",
    "request",
    "response_type",
]


def _answer(result: Any, error: Any = None, reply: Any = None, fill: Any = ()) -> tuple[Any, Any, Any, Any]:
    return result, error, reply or result, fill


ANSWERS = {request: _answer(*rest) for request, _, *rest in SESSION["answers"]}
"""Request → its result, the type of error data, the result as the newest release writes it, and what fills the result.

A result is its type, None if there is none, and whether it may be absent, and whether it may be null. What fills it are
pairs of paths: to a member of the result, and to a member of the request.
"""

NOTICES = frozenset(notification for notification, _ in SESSION["notices"])
"""Messages that have no response."""

CANCELLATION: str | None = SESSION["cancel"] and SESSION["cancel"]["envelope"]
"""The class of the message that cancels a request: an envelope of its own, or a notification."""


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


def response_type(request: object) -> Any:
    """The result type of a request, as an argument for `decode`; None if the request has no result.

    `request` is the request itself, its class or its envelope.
    """
    type_ = _expected(request)[0][0]
    if not isinstance(type_, str) or type_ in _BUILT_IN:
        return type_
    return class_of(type_) if row(type_)[0] == "struct" else alias(type_)


_BUILT_IN = frozenset({"string", "boolean", "number", "integer", "uuid", "timestamp", "json", "object", "null"})


def _expected(request: Any) -> tuple[Any, Any, Any, Any]:
    """The entry of `ANSWERS` for a request."""
    payload = _payload(request)
    kind = payload if isinstance(payload, type) else type(payload)
    found = ANSWERS.get(declared_class(kind) or "")
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
    type_, optional, nullable = _expected(request)[0]
    result = place_of(response, "response", "result")
    absent = result is None if SESSION["flat"] or not SESSION["null_result"] else result is UNSET
    if optional and SESSION["none"] is not None and result == parse(SESSION["none"]):
        absent = True
    if absent and optional:
        return UNSET if nullable else None
    if absent:
        if not SESSION["flat"]:
            raise DecodeError("missing_field", "", "expected an answer, got none")
        result = {}  # none of its members is in the response
    if type_ is None or (result is None and optional and not nullable):
        return result
    return from_value(result, type_, strict=strict)


def error_in(response: Any, request: Any) -> tuple[str, int | str | None, Any]:
    """The message, code and data of an error response; an absent message is empty, and absent data is UNSET.

    The type of the data depends on the request, if that is known, and on the code. Data that is invalid for its type
    stays untyped.
    """
    message = _present(place_of(response, "error", "message"))
    code, data = _present(place_of(response, "error", "code")), place_of(response, "error", "data")
    if data is _NOWHERE or (data is None and not SESSION["null_data"]):
        data = UNSET
    type_ = None if request is None else _expected(request)[1]
    if type_ is None:
        type_ = _DATA.get(code) if isinstance(code, (int, str)) else None
    if type_ is not None and data is not None and data is not UNSET:
        try:
            data = from_value(data, type_)
        except DecodeError:
            pass
    return "" if message is None else message, code, data


_DATA = dict(SESSION["data"])
"""Code of an error → type of its data."""


def request(payload: TypedRequest, request_id: TypedId | None = None) -> TypedRequestEnvelope:
    """Put a request into its envelope, with a new id unless one is given."""
    id_ = id_of(next(_numbers)) if request_id is None else request_id
    envelope: TypedRequestEnvelope = maker("request")(id=id_, payload=payload)
    return envelope


_numbers = count(1)


def id_of(number: int) -> Any:
    """A new id; `number` distinguishes those that are counted."""
    draw: str = SESSION["draw"]
    return fresh_uuid() if draw == "uuid" else number if draw == "number" else f"{SESSION['prefix']}{number}"


def notify(payload: TypedNotice) -> TypedNotificationEnvelope:
    """Put a notification into its envelope."""
    if declared_class(type(payload)) not in NOTICES:
        raise TypeError(f"expected a notification of the protocol, got {type(payload).__name__}")
    envelope: TypedNotificationEnvelope = maker("notify")(payload=payload)
    return envelope


def cancel(request: TypedRequestEnvelope) -> TypedCancellation:
    """Build the message that cancels a request, given in its envelope."""
    message: TypedCancellation = cancellation(_request_id(request))
    return message


def cancellation(request_id: Any) -> Any:
    """Build the message that cancels a request, in the envelope of notifications if it is one."""
    message = maker("cancel")(id=request_id)
    return maker("notify")(payload=message) if SESSION["cancel_notice"] else message


def reply(request: TypedRequestEnvelope, result: TypedResult | Unset | None = UNSET) -> TypedResponseEnvelope:
    """Build the response to a request, given in its envelope.

    `result` is an object of the result type, or plain data that lenient mode accepts for it. Raises EncodeError for
    anything else. Members that the protocol fills from the request get its values if they are absent.
    """
    _, _, (type_, optional, nullable), fill = _expected(request)
    if fill and declared_class(type(result)) is None and result is not UNSET:
        result = from_value(to_value(result, type_), type_)
    for at, source in fill:
        result = _filled(result, at, _found(_payload(request), source))
    envelope: TypedResponseEnvelope = answer_to(request, result, type_, optional=optional, nullable=nullable)
    return envelope


def _found(value: Any, path: Any) -> Any:
    for name, _ in path:
        value = getattr(value, name, None)
    return value


def _filled(value: Any, path: Any, given: Any) -> Any:
    """A value with a member that is absent in it; `path` has names of members, each with the classes that have it."""
    (name, classes), *rest = path
    kind = declared_class(type(value))
    if kind is None or kind not in classes:
        return value
    before = getattr(value, name)
    after = _filled(before, rest, given) if rest else given if before is None or before is UNSET else before
    if after is before:
        return value
    key = next(key for how, key, *more in row(kind)[2] if how == "." and more[0] == name)
    if value.extra.get(key, UNSET) is None:
        raise EncodeError("wrong_type", pointer([key]), "expected a value or no member, got null")
    made = copy(value)
    setattr(made, name, after)
    return made


def answer_to(request: Any, result: Any, type_: Any, *, optional: bool, nullable: bool) -> Any:
    """Build the response to a request, with a result of the given type."""
    if optional and (result is UNSET or (result is None and not nullable)):
        answer = _no_answer()
    elif type_ is None:
        raise EncodeError("wrong_type", "", f"expected no result for this request, got {type(result).__name__}")
    elif result is UNSET:
        raise EncodeError("missing_field", SESSION["pointer"], "expected a result for this request, got none")
    else:
        answer = to_value(result, type_)
    return maker("response")(id=_request_id(request), payload=answer)


def _no_answer() -> Any:
    """The value in place of an answer, for a response without one."""
    if SESSION["none"] is not None:
        return parse(SESSION["none"])
    return UNSET if SESSION["null_result"] else None


def refuse(
    request: TypedRequestEnvelope, message: TypedReason, *, code: TypedCode = None, data: TypedData = UNSET
) -> TypedErrorEnvelope:
    """Build the response that refuses a request, given in its envelope; `message` is the reason, for people.

    The default code is the one that the protocol defines for refusals or, if the request is undeclared, for undeclared
    requests. The data is plain data or an object of the protocol. Raises EncodeError if the code or the data is
    invalid.
    """
    envelope: TypedErrorEnvelope = refusal(request, message, code, data)
    return envelope


def refusal(request: Any, message: str, code: Any, data: Any) -> Any:
    """Build the response that refuses a request, like `refuse`."""
    refused, unknown = SESSION["codes"]
    if code is None:
        code = unknown if isinstance(_payload(request), Unknown) else refused
    if data is UNSET:
        data = UNSET if SESSION["null_data"] else None
    else:
        kind = declared_class(type(data))
        data = data if kind is None else to_value(data, kind)
    return maker("error")(id=_request_id(request), message=message, code=code, data=data)


def _request_id(request: Any) -> Any:
    """The id of a request in its envelope."""
    envelope: type = class_of(SESSION["request"]["envelope"])
    if not isinstance(request, envelope):
        raise TypeError(f"expected the {envelope.__name__} with the request in it, got {type(request).__name__}")
    return place_of(request, "request", "id")


def _payload(request: Any) -> Any:
    """The request in its envelope, or the request itself."""
    is_envelope = isinstance(request, class_of(SESSION["request"]["envelope"]))
    return place_of(request, "request", "payload") if is_envelope else request


# --- envelopes ---------------------------------------------------------------------------------------------------

_makers: dict[str, Any] = {}


def maker(form: str) -> Any:
    """The function that creates an envelope of a form from its `id`, `payload`, `message`, `code` and `data`."""
    found = _makers.get(form)
    if found is None:
        scope: dict[str, Any] = {"from_value": from_value, "fresh_uuid": fresh_uuid}
        source = Source("def make(id=None, payload=None, message=None, code=None, data=None):")
        source(f"return {_expression(SESSION[form]['new'], scope)}")
        found = _makers[form] = source.compile("make", form, scope)
    return found


def _expression(value: Any, scope: dict[str, Any]) -> str:
    """The expression of a member of a new object; `scope` gets the classes in it."""
    match value:
        case ["given", name]:
            return str(name)
        case ["fixed", fixed]:
            return repr(fixed)
        case ["fixed", fixed, type_]:
            return f"from_value({fixed!r}, {type_!r})"
        case ["new", name, members]:
            scope[name] = class_of(name)
            return f"{name}({', '.join(f'{each}={_expression(inner, scope)}' for each, inner in members.items())})"
        case _:
            return _BY_RULE[value]


_BY_RULE = {"uuid": "fresh_uuid()", "list": "[]", "object": "{}", "null": "None"}

_NOWHERE = object()

_CONTENT = {"request": "payload", "notify": "payload", "response": "result", "error": "message"}
"""A form → the member that every message of the form has."""


def is_form(message: Any, form: str) -> bool:
    """Whether a message has a form: the class of its envelope, and the values that distinguish it from other forms."""
    found = SESSION[form]
    if found is None or not isinstance(message, class_of(found["envelope"])):
        return False
    for way, value in found["when"]:
        held = _at(message, way)
        if held is _NOWHERE or type(held) is not type(value) or held != value:
            return False
    return _at(message, found["at"][_CONTENT[form]]) is not _NOWHERE


def announced_in(message: Any) -> str | None:
    """The release that a message announces; None if it announces none."""
    announced = SESSION["announced"]
    if announced is None:
        return None
    number = _at(message, announced["at"])
    return release_of(number, announced["releases"]) if isinstance(number, str) else None


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


def place_of(message: Any, form: str, name: str) -> Any:
    """The value at a named place of a message of a form."""
    return _at(message, SESSION[form]["at"][name])


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
