"""JSON text ↔ values, read strictly and compared by the suite's rules: exact kinds, numbers as doubles.

The runner judges the output of testees, so it has its own reader, which rejects what a testee must never write
(duplicate keys, NaN, a number that overflows) while the readers of the bindings have to cope with it.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from decimal import Decimal
from typing import NoReturn

_DIGITS = 4000
"""Python refuses to create an `int` from many more digits than this; longer integers are read as exact decimals."""


class JsonError(ValueError):
    """Text that is not strict JSON; the message says why."""


def read(text: str | bytes) -> object:
    """Read strict JSON text: UTF-8, no duplicate keys, no NaN, no overflow. Raises `JsonError`."""
    try:
        source = text.decode("utf-8") if isinstance(text, bytes) else text
        return _DECODER.decode(source)
    except UnicodeDecodeError as error:
        raise JsonError(f"invalid UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise JsonError(f"{error.msg} at character {error.pos}") from error
    except RecursionError as error:
        raise JsonError("nested too deeply") from error


def write(value: object) -> str:
    """Write compact JSON on one line; only lone surrogates, which UTF-8 cannot encode, are escaped."""
    text = _ENCODER.encode(value)
    return text if encodable(text) else _ASCII_ENCODER.encode(value)


def encodable(text: str) -> bool:
    """Return whether UTF-8 can encode the text, so that it has no lone surrogate."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def has_surrogate(value: object) -> bool:
    """Return whether any string or key in the value has a lone surrogate."""
    return any(isinstance(each, str) and not encodable(each) for each in _scalars(value))


def has_overflow(value: object) -> bool:
    """Return whether any number in the value exceeds all doubles, which only an integer can."""
    most = sys.float_info.max
    return any(isinstance(each, int | Decimal) and not -most <= each <= most for each in _scalars(value))


def _scalars(value: object) -> Iterator[object]:
    """Yield the keys in a value, and what is neither an object nor an array."""
    match value:
        case dict():
            yield from value
            yield from (each for member in value.values() for each in _scalars(member))
        case list():
            yield from (each for item in value for each in _scalars(item))
        case _:
            yield value


def same(left: object, right: object) -> bool:
    """Return whether two JSON values are equal: `true` is not 1, numbers compare as doubles, order is ignored."""
    match left, right:
        case dict(), dict():
            return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
        case list(), list():
            return len(left) == len(right) and all(map(same, left, right))
        case (int() | float() | Decimal(), int() | float() | Decimal()) if _number(left) and _number(right):
            return _same_number(left, right)
        case _:
            return type(left) is type(right) and left == right


def same_order(left: object, right: object, *, or_sorted: bool = False) -> bool:
    """Return whether the members of two equal values are in the same order at every level.

    With `or_sorted`, the members of the left value may also be in code-point order: all of them, or those between the
    ones that are in order, as those of a flattened object are.
    """
    match left, right:
        case dict(), dict():
            keys = list(left)
            in_order = keys == list(right) or (or_sorted and _sorted_between(keys, list(right)))
            return in_order and all(same_order(value, right[key], or_sorted=or_sorted) for key, value in left.items())
        case list(), list():
            return all(same_order(*pair, or_sorted=or_sorted) for pair in zip(left, right, strict=True))
        case _:
            return True


def _sorted_between(keys: list[str], wanted: list[str]) -> bool:
    """Return whether the keys are sorted from the first to the last one that is not in the wanted order."""
    others = [at for at, (key, other) in enumerate(zip(keys, wanted, strict=True)) if key != other]
    between = keys[others[0] : others[-1] + 1]
    return between == sorted(between)


def depth(text: str) -> int:
    """Return the maximum nesting of `{` and `[` outside strings, for any text, whether well formed or not."""
    deepest = level = 0
    inside = escaped = False
    for character in text:
        if inside:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                inside = False
        elif character == '"':
            inside = True
        elif character in "{[":
            level += 1
            deepest = max(deepest, level)
        elif character in "}]":
            level -= 1
    return deepest


def _number(value: object) -> bool:
    return not isinstance(value, bool)


def _same_number(left: float | Decimal, right: float | Decimal) -> bool:
    try:
        a, b = float(left), float(right)
    except OverflowError:
        return left == right
    return left == right if math.isinf(a) or math.isinf(b) else a == b


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    seen: set[str] = set()
    twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # add() is None, so false
    raise JsonError(f"key {twice!r} twice in one object")


def _integer(digits: str) -> int | Decimal:
    return int(digits) if len(digits) < _DIGITS else Decimal(digits)


def _double(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise JsonError(f"{digits[:40]} overflows a double")
    return value


def _constant(name: str) -> NoReturn:
    raise JsonError(f"{name} is not JSON")


def _exact(value: object) -> NoReturn:
    kind = "an integer this long" if isinstance(value, Decimal) else type(value).__name__
    raise JsonError(f"cannot write {kind}; give it as raw text")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_int=_integer, parse_float=_double, parse_constant=_constant
)

_ENCODER, _ASCII_ENCODER = (
    json.JSONEncoder(ensure_ascii=is_ascii, allow_nan=False, separators=(",", ":"), default=_exact)
    for is_ascii in (False, True)
)
