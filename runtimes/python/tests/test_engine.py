"""JSON text → values, and the tables of the sample protocol → verdicts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

UUID = "15a80493-66e9-4466-ae3a-bcd607abc2e9"
NOTE = {"kind": "note", "text": "a"}


def fault_of(runtime: Any, data: bytes | str, type: str = "Line", *, strict: bool = False) -> tuple[str, str]:
    """Code and path of the error that every way to read gives."""
    found = set()
    for read in (runtime.wire.decode, runtime.wire.examine):
        with pytest.raises(runtime.base.DecodeError) as caught:
            read(data, type, strict=strict)
        found.add((caught.value.code, caught.value.path))
    (fault,) = found
    return fault


@contextmanager
def limit_of_digits(digits: int) -> Iterator[None]:
    """Another limit of the process for the conversion of integers; 0 is none."""
    if not hasattr(sys, "set_int_max_str_digits"):
        pytest.skip("this Python has no limit to set")
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(digits)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


# --- text ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "invalid_json"),
        (b"{", "invalid_json"),
        (b"{} {}", "invalid_json"),
        (b"NaN", "invalid_json"),
        (b'{"kind":"x","a":-Infinity}', "invalid_json"),
        (b"\xef\xbb\xbf{}", "invalid_json"),
        (b'{"kind":"\xff"}', "invalid_utf8"),
        (b'{"kind":"x","a":"\x01"}', "invalid_json"),
        (b'{"kind":"x","a":01}', "invalid_json"),
        (b'{"kind":"x","a":' + b"[" * 128 + b"]" * 128 + b"}", "too_deep"),
    ],
)
def test_a_text_that_is_not_json_is_a_fault_of_the_whole(runtime: Any, data: bytes, code: str) -> None:
    assert fault_of(runtime, data) == (code, "")


def test_128_levels_pass(runtime: Any) -> None:
    line = b'{"kind":"x","a":' + b"[" * 127 + b"]" * 127 + b"}"
    assert runtime.wire.encode(runtime.wire.decode(line)) == line


def test_the_last_of_duplicate_keys_counts(runtime: Any) -> None:
    assert runtime.wire.decode(b'{"kind":"note","text":1,"text":"b"}').text == "b"


def test_untouched_values_keep_their_numbers_and_their_order(runtime: Any) -> None:
    line = b'{"kind":"note","text":"a","data":{"z":1.5,"a":[18446744073709551617,-0.0,1e22]}}'
    message = runtime.wire.decode(line)
    assert list(message.data) == ["z", "a"]
    assert repr(message.data["a"]) == "[18446744073709551617, -0.0, 1e+22]"
    assert json.loads(runtime.wire.encode(message)) == json.loads(line)


def test_lone_surrogates_stay(runtime: Any) -> None:
    message = runtime.wire.decode(rb'{"kind":"note","text":"\ud83d"}')
    assert message.text == "\ud83d"
    assert runtime.wire.encode(message) == rb'{"kind":"note","text":"\ud83d"}'


@pytest.mark.parametrize("path", ["data", "extra"])
def test_an_untouched_number_that_overflows_has_a_place(runtime: Any, path: str) -> None:
    assert fault_of(runtime, f'{{"kind":"note","text":"a","{path}":[1e400]}}') == ("out_of_range", f"/{path}/0")


# --- long integers ---------------------------------------------------------------------------------------------

PLACES = [
    '{"kind":"note","text":"a","data":[%s]}',
    '{"kind":"note","text":"a","new":%s}',
    '{"kind":"new","a":{"b":%s}}',
]


@pytest.mark.parametrize("limit", [0, 640, 4300])
@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("place", PLACES)
def test_4300_digits_pass_where_nothing_is_declared(runtime: Any, place: str, sign: str, limit: int) -> None:
    for digits in ("1" * 641, "7" * 4299, "9" * 4300):
        line = (place % (sign + digits)).encode()
        with limit_of_digits(limit):
            message = runtime.wire.decode(line)
            again = runtime.wire.from_dict(runtime.wire.to_dict(message))
            assert message == again
            assert runtime.wire.encode(message) == runtime.wire.encode(again) == line


@pytest.mark.parametrize("limit", [0, 640, 4300, 100_000])
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("digits", [4301, 50_000])
@pytest.mark.parametrize("place", [*PLACES, '{"kind":"note","text":"a","count":%s}', '{"kind":"note","text":%s}', "%s"])
def test_more_digits_are_a_fault_of_the_whole(runtime: Any, place: str, digits: int, strict: bool, limit: int) -> None:
    for sign in ("", "-"):
        line = place % (sign + "1" * digits)
        with limit_of_digits(limit):
            assert fault_of(runtime, line, strict=strict) == ("out_of_range", "")
            assert fault_of(runtime, line.encode(), strict=strict) == ("out_of_range", "")


def test_digits_that_are_no_integer_may_be_as_many_as_they_like(runtime: Any) -> None:
    digits = "1" * 5000
    line = f'{{"kind":"note","text":"{digits}","data":[0.{digits},{digits}e-5000,"-{digits}"]}}'
    message = runtime.wire.decode(line)
    assert message.text == digits
    assert message.data == [float(f"0.{digits}"), float(f"{digits}e-5000"), f"-{digits}"]
    assert runtime.wire.decode(line.encode()) == message


@pytest.mark.parametrize("place", ["data", "new", "count"])
def test_long_integers_in_parsed_data_are_the_same_fault(runtime: Any, place: str) -> None:
    value: dict[str, Any] = {**NOTE, place: 10**4300 - 1 if place != "count" else 1}
    assert runtime.wire.to_dict(runtime.wire.from_dict(value)) == value
    for strict in (False, True):
        with pytest.raises(runtime.base.DecodeError) as caught:
            runtime.wire.from_dict({**value, "a": float("inf"), place: -(10**4300)}, strict=strict)
        assert (caught.value.code, caught.value.path) == ("out_of_range", "")


def test_a_long_integer_is_not_written(runtime: Any) -> None:
    for limit in (0, 4300):
        with limit_of_digits(limit), pytest.raises(runtime.base.EncodeError) as caught:
            runtime.wire.encode(runtime.model.Note(text="a", data=[10**4300]))
        assert (caught.value.code, caught.value.path) == ("out_of_range", "")


# --- tables ----------------------------------------------------------------------------------------------------

GOOD: list[tuple[str, dict[str, Any], list[str]]] = [
    ("Note", NOTE, []),
    ("Note", {**NOTE, "color": "red", "reply_to": None, "count": -3, "data": None}, []),
    ("Note", {**NOTE, "color": "green"}, ["/color"]),
    ("Note", {**NOTE, "color": None, "x/y": {"z": []}}, ["/color", "/x~1y"]),
    ("Unknown", {"kind": "new", "a": 1}, ["/kind"]),
    ("Ask", {"kind": "ask", "id": "1", "request": {"what": "look", "at": UUID}}, []),
    ("Ask", {"kind": "ask", "id": "1", "request": {"what": "look", "at": "here"}}, ["/request/at"]),
    ("Answer", {"kind": "answer", "id": "1", "result": {"a": [1.5]}}, []),
]


@pytest.mark.parametrize(("variant", "value", "unknown"), GOOD)
def test_what_is_read_is_written_again(runtime: Any, variant: str, value: dict[str, Any], unknown: list[str]) -> None:
    wire = runtime.wire
    message = wire.decode(json.dumps(value).encode())
    assert type(message).__name__ == ("UnknownLine" if variant == "Unknown" else variant)
    assert wire.from_dict(value) == message
    assert wire.to_dict(message) == value
    found = wire.examine(json.dumps(value))
    assert (found.value, found.variant, list(found.unknown)) == (message, variant, unknown)
    if not unknown:
        assert wire.decode(json.dumps(value), strict=True) == message


BAD: list[tuple[Any, str, str]] = [
    ([], "wrong_type", ""),
    ({}, "missing_field", "/kind"),
    ({"kind": 1}, "wrong_type", "/kind"),
    ({"kind": "note"}, "missing_field", "/text"),
    ({"kind": "note", "text": None}, "wrong_type", "/text"),
    ({**NOTE, "reply_to": 1}, "wrong_type", "/reply_to"),
    ({**NOTE, "count": 1.5}, "out_of_range", "/count"),
    ({**NOTE, "count": 2**53}, "out_of_range", "/count"),
    ({**NOTE, "count": True}, "wrong_type", "/count"),
    ({"kind": "ask", "id": "1", "request": {"what": "go"}}, "unknown_variant", "/request/what"),
]
STRICTLY_BAD: list[tuple[Any, str, str]] = [
    ({**NOTE, "color": "green"}, "unknown_value", "/color"),
    ({**NOTE, "count": None}, "wrong_type", "/count"),
    ({**NOTE, "a~b": 1}, "unknown_field", "/a~0b"),
    ({"kind": "new"}, "unknown_variant", "/kind"),
    ({"kind": "ask", "id": "1", "request": {"what": "look", "at": "here"}}, "bad_format", "/request/at"),
]


@pytest.mark.parametrize(
    ("value", "code", "path", "strict"),
    [*((*each, strict) for each in BAD for strict in (False, True)), *((*each, True) for each in STRICTLY_BAD)],
)
def test_a_fault_has_a_code_and_a_place(runtime: Any, value: Any, code: str, path: str, strict: bool) -> None:
    assert fault_of(runtime, json.dumps(value), strict=strict) == (code, path)
    with pytest.raises(runtime.base.DecodeError) as caught:
        runtime.wire.from_dict(value, strict=strict)
    assert (caught.value.code, caught.value.path) == (code, path)
    assert str(caught.value) == f"{code}{f' at {path}' if path else ''}: {caught.value.message}"


def test_bounds_hold_in_strict_mode_alone(runtime: Any) -> None:
    line = json.dumps({"items": [NOTE] * 4})
    assert len(runtime.wire.decode(line, "Sight").items) == 4
    assert fault_of(runtime, line, "Sight", strict=True) == ("out_of_bounds", "/items")


def test_a_type_is_named_by_class_by_alias_or_by_name(runtime: Any) -> None:
    model, wire = runtime.model, runtime.wire
    for type_ in (model.Note, model.Line, "Note", None):
        assert wire.decode(json.dumps(NOTE), type_) == model.Note(text="a")
    with pytest.raises(TypeError, match="is no type of this package"):
        wire.decode(b"{}", dict)


# --- writing ---------------------------------------------------------------------------------------------------


def test_members_are_written_in_declared_order_and_extra_last(runtime: Any) -> None:
    note = runtime.model.Note(text="ä", count=2, reply_to=None, extra={"new": [True], "text": "no"})
    assert runtime.wire.encode(note) == rb'{"kind":"note","text":"\u00e4","reply_to":null,"count":2,"new":[true]}'


@pytest.mark.parametrize(
    ("member", "value", "code", "path"),
    [
        ("text", 1, "wrong_type", "/text"),
        ("count", True, "wrong_type", "/count"),
        ("count", 2**53, "out_of_range", "/count"),
        ("data", [float("nan")], "out_of_range", "/data/0"),
        ("data", {1: 2}, "wrong_type", "/data"),
        ("data", [object()], "wrong_type", "/data/0"),
        ("extra", {"x": float("inf")}, "out_of_range", "/x"),
    ],
)
def test_a_value_that_does_not_fit_is_not_written(runtime: Any, member: str, value: Any, code: str, path: str) -> None:
    note = runtime.model.Note(text="a")
    setattr(note, member, value)
    with pytest.raises(runtime.base.EncodeError) as caught:
        runtime.wire.encode(note)
    assert (caught.value.code, caught.value.path) == (code, path)


def test_an_object_within_itself_is_too_deep(runtime: Any) -> None:
    data: list[Any] = []
    data.append(data)
    with pytest.raises(runtime.base.EncodeError, match="too_deep"):
        runtime.wire.encode(runtime.model.Note(text="a", data=data))
