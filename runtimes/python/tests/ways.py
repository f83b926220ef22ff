"""All ways to read a document, which must agree."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

Fault = tuple[str, str]

UUID = "15a80493-66e9-4466-ae3a-bcd607abc2e9"
NOTE = {"kind": "note", "text": "a"}


def text_of(document: Any) -> str:
    """A document as JSON text; text is returned unchanged."""
    return document if isinstance(document, str) else json.dumps(document)


def read(runtime: Any, document: Any, type: str | None = None, *, strict: bool = False) -> Any:
    """The result of `examine` for a valid document; all ways return the same object, and it is written unchanged."""
    wire, text = runtime.wire, text_of(document)
    found = wire.examine(text, type, strict=strict)
    for data in (text, text.encode(), bytearray(text.encode()), memoryview(text.encode())):
        value = wire.decode(data, type, strict)
        assert (_class(value), value) == (_class(found.value), found.value)
    plain = runtime.json.parse(text)
    assert wire.from_dict(plain, type, strict=strict) == found.value
    again = wire.encode(found.value, type)
    assert same(runtime.json.parse(again), plain)
    assert wire.encode(wire.decode(again, type), type) == again
    assert wire.decode(again, type, strict) == found.value
    if strict:
        assert found.unknown == ()
    elif not found.unknown:
        assert wire.decode(text, type, strict=True) == found.value
    else:
        with pytest.raises(runtime.base.DecodeError) as caught:
            wire.decode(text, type, strict=True)
        assert caught.value.code in {"unknown_value", "unknown_variant", "no_variant", *_TOLERATED}
    return found


_TOLERATED = ("unknown_field", "bad_format", "out_of_bounds", "wrong_type")


def fault(runtime: Any, document: Any, type: str | None = None, *, strict: bool = False) -> Fault:
    """Code and path of the fault that all ways to read find in a document."""
    text = text_of(document)
    ways = [(way, data) for way in (runtime.wire.decode, runtime.wire.examine) for data in (text, _bytes(text))]
    with suppress(runtime.json.Fault):  # the fault is in the text, so there is no value
        ways.append((runtime.wire.from_dict, runtime.json.parse(text)))
    faults = {_fault(runtime, way, data, type, strict=strict) for way, data in ways}
    (found,) = faults
    return found


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _fault(runtime: Any, way: Any, data: Any, type: str | None, *, strict: bool) -> Fault:
    with pytest.raises(runtime.base.DecodeError) as caught:
        way(data, type, strict=strict)
    error = caught.value
    assert error.message
    assert str(error) == f"{error.code}{f' at {error.path}' if error.path else ''}: {error.message}"
    return (error.code, error.path)


def outcome(runtime: Any, way: Any, *given: Any, **options: Any) -> Any:
    """The result of a way to read, or the error that it raises."""
    try:
        return way(*given, **options)
    except runtime.base.DecodeError as error:
        return error


def refused(runtime: Any, value: Any, type: str | None = None) -> Fault:
    """Code and path of the fault that prevents an object from being written."""
    with pytest.raises(runtime.base.EncodeError) as caught:
        runtime.wire.encode(value, type)
    assert caught.value.message
    return (caught.value.code, caught.value.path)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; numbers are compared as doubles, and `true` is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return (type(one) is type(other) and one == other) or _double(one) == _double(other) is not None


def _double(value: Any) -> float | None:
    if type(value) not in (int, float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _class(value: Any) -> Any:
    return value.__class__


@contextmanager
def limit_of_digits(digits: int) -> Iterator[None]:
    """Set another limit of the process for the conversion of integers; 0 means no limit."""
    if not hasattr(sys, "set_int_max_str_digits"):
        pytest.skip("this Python has no limit to set")
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(digits)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)
