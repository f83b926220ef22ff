"""Bounds and literals of the spec language → values on both sides of them, for instances."""

from __future__ import annotations

from typing import Final

from polywire.ground.engine import MAX_INTEGER
from polywire.source.types import Array, Scalar, Type


def another(value: str | bool | float) -> object:
    """Return a different value of the same kind."""
    if isinstance(value, bool):
        return not value
    return f"{value}x" if isinstance(value, str) else value + 1


LONGEST: Final = 5_000
"""Maximum length of a text, in code points, and maximum number of items, generated to reach a bound."""


def is_crossed(type_: Type) -> bool:
    """Return whether instances cross a bound of a type."""
    match type_:
        case Scalar():
            return bool(outside(type_))
        case Array(low=low, high=high):
            return bool(low) or (high is not None and high < LONGEST)
        case _:
            return False


def within(scalar: Scalar) -> list[object]:
    """Return values within the bounds of a scalar, the bounds themselves first."""
    low, high = scalar.low, scalar.high
    if scalar.kind == "string":
        least = int(low or 0)
        sizes = [least, least + 1] if high is None else [least, int(high)]
        return [*(_text(size) for size in dict.fromkeys(sizes) if size <= LONGEST)] or [_text(least)]
    ends = [each for each in (low, high) if each is not None]
    if len(ends) == 1:
        ends.append(ends[0] + 1 if high is None else ends[0] - 1)
    return list(dict.fromkeys(ends))


def outside(scalar: Scalar) -> list[object]:
    """Return the values just outside the bounds of a scalar."""
    low, high = scalar.low, scalar.high
    if scalar.kind == "string":
        shorter = [_text(int(low) - 1)] if low else []
        return [*shorter, *([_text(int(high) + 1)] if high is not None and high < LONGEST else [])]
    step = 1 if scalar.kind == "integer" else 0.5
    beyond = [*([low - step] if low is not None else []), *([high + step] if high is not None else [])]
    return [each for each in beyond if abs(each) <= MAX_INTEGER]


def _text(size: int) -> str:
    """Return a text of that many code points, the last of which takes two UTF-16 code units."""
    return "a" * (size - 1) + "\U0001f600" if size else ""
