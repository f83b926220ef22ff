"""JSON values → the shape that all of them have: required members, discriminators of variants, and enums.

Inference guesses: a member whose values split objects into groups with the same keys is taken as a discriminator, and a
text that repeats a few words as an open enum.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from polywire.ground.engine import FORMATS, MAX_INTEGER
from polywire.ground.json_values import kind
from polywire_import.shapes import (
    AnyObject,
    Anything,
    Array,
    Literal,
    Map,
    Member,
    Null,
    Object,
    OneOf,
    Ref,
    Scalar,
    Shape,
)

Json: TypeAlias = Any
Known: TypeAlias = Callable[[Sequence[dict[str, Json]]], str | None]
"""Returns the declaration that some objects are known to match, if there is one."""

MAX_DEPTH = 40
"""Maximum nesting of objects and lists; anything deeper becomes any value."""
MOST_VALUES = 24
"""Maximum number of different texts in an enum."""
REPEATS = 3
"""Minimum average number of occurrences of an enum's values."""
MOST_VARIANTS = 200
MOST_KEYS = 100
"""Maximum number of members tried as discriminators, most common first; objects with more, none common, are maps."""
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_WORD = re.compile(r"[A-Za-z$][A-Za-z0-9_./:$-]{0,60}")


def infer(
    values: Sequence[Json], place: str = "", *, known: Known | None = None, but: frozenset[str] = frozenset(),
    depth: int = 0,
) -> Shape:  # fmt: skip
    """Return the narrowest shape of all the values; `but` are members already used to distinguish them."""
    if depth > MAX_DEPTH or not values:
        return Anything()
    by_kind: dict[str, list[Json]] = {}
    for value in values:
        found = str(kind(value))
        by_kind.setdefault("number" if found == "integer" else found, []).append(value)
    null = by_kind.pop("null", None)
    shapes: list[Shape] = []
    for each, alike in by_kind.items():
        match each:
            case "string":
                shapes.append(_text(alike, place))
            case "number":
                shapes.append(_number(alike))
            case "boolean":
                shapes.append(Scalar("boolean"))
            case "array":
                items = [item for value in alike for item in value]
                shapes.append(Array(infer(items, f"{place}/*", known=known, depth=depth + 1)))
            case _:
                shapes.append(_objects(alike, place, known, but, depth))
    if not shapes:
        return OneOf((Anything(), Null())) if null else Anything()
    members = tuple(one for each in shapes for one in (each.members if isinstance(each, OneOf) else (each,)))
    unions = [each for each in shapes if isinstance(each, OneOf)]
    by = next((each.by for each in unions if each.by is not None), None)
    if len(members) == 1 and not null:
        return members[0]
    return OneOf((*members, Null()) if null else members, by, any(each.open for each in unions), place)


def _number(values: Sequence[float]) -> Shape:
    """Return the type of numbers; an integer beyond every double can only be kept as it came."""
    if any(abs(value) > sys.float_info.max for value in values):
        return Anything()
    return Scalar("integer" if all(abs(value) <= MAX_INTEGER and value == int(value) for value in values) else "number")


def _text(values: Sequence[str], place: str) -> Shape:
    for name, form in FORMATS.items():
        if all(map(form.match, values)):
            return Scalar("uuid" if name == "uuid" else "timestamp")
    different = dict.fromkeys(values)
    few = 1 < len(different) <= MOST_VALUES and len(values) >= REPEATS * len(different)
    if few and all(map(_WORD.fullmatch, different)):
        return OneOf(tuple(Literal(value) for value in sorted(different)), open=True, place=place)
    return Scalar("string")


# --- objects ---------------------------------------------------------------------------------------------------


def _objects(
    values: Sequence[dict[str, Json]], place: str, known: Known | None, but: frozenset[str], depth: int
) -> Shape:
    if not any(values):
        return AnyObject()
    name = known(values) if known is not None and not but else None
    if name is not None:
        return Ref(name)
    counts = Counter(key for value in values for key in value)
    scattered = len(counts) > MOST_KEYS and 2 * max(counts.values()) < len(values)
    if scattered or any(not _IDENTIFIER.fullmatch(key) for key in counts):
        inner = [member for value in values for member in value.values()]
        return Map(infer(inner, f"{place}/*", known=known, depth=depth + 1))
    key = discriminator(values, but)
    if key is None:
        return _object(values, place, known, but, depth)
    variants: list[Shape] = []
    for value, group in _groups(values, key).items():
        where = f"{place}[{key}={value[1]}]" if value is not None else f"{place}[no {key}]"
        shape = _objects(group, where, known, but | {key}, depth + 1)
        variants.extend(shape.members if isinstance(shape, OneOf) else (shape,))
    return OneOf(tuple(variants), by=key if not but else None, open=True, place=place)


def discriminator(values: Sequence[Mapping[str, Json]], but: Iterable[str] = ()) -> str | None:
    """Return the member that best splits objects into groups with the same members; None if no split is better."""
    features = [frozenset((key, _loosely(each)) for key, each in value.items() if each is not None) for value in values]
    whole = _cost([features])
    best: tuple[int, int, str] | None = None
    counts = Counter(key for value in values for key in value if key not in but)
    for order, (key, _) in enumerate(counts.most_common(MOST_KEYS)):
        groups = _split(values, features, key)
        if groups is None:
            continue
        cost = (_cost(groups), order, key)
        if best is None or cost < best:
            best = cost
    return best[2] if best is not None and best[0] < whole else None


def _split(
    values: Sequence[Mapping[str, Json]], features: Sequence[frozenset[tuple[str, str]]], key: str
) -> list[list[frozenset[tuple[str, str]]]] | None:
    """Return the members of the objects by value of a key; None if the key cannot be a discriminator."""
    groups: dict[object, list[frozenset[tuple[str, str]]]] = {}
    present: set[object] = set()
    for value, has in zip(values, features, strict=True):
        tag = value.get(key)
        if key not in value:
            groups.setdefault(None, []).append(has)
        elif isinstance(tag, bool) or (isinstance(tag, str) and _WORD.fullmatch(tag)):
            present.add((type(tag), tag))
            groups.setdefault((type(tag), tag), []).append(has)
        else:
            return None
    kinds = {each[0] for each in present if isinstance(each, tuple)}
    wordy = any(isinstance(each, tuple) and not re.search(r"[0-9]", str(each[1])) for each in present)
    if len(groups) < 2 or len(groups) > MOST_VARIANTS or len(kinds) != 1 or not wordy:
        return None
    tagged = len(values) - len(groups.get(None, ()))
    if None in groups and (tagged < 2 * len(present) or (kinds == {str} and len(present) < 2)):
        return None  # a few objects say little about the rest
    return list(groups.values())


def _cost(groups: Iterable[Sequence[frozenset[tuple[str, str]]]]) -> int:
    """Return the cost of describing groups of objects: each group's members, plus each member missing in an object."""
    total = 0
    for group in groups:
        every = frozenset[tuple[str, str]]().union(*group)
        total += sum(len(every) - len(has) for has in group) + 2 + len(every)
    return total


def _loosely(value: Json) -> str:
    found = str(kind(value))
    return "number" if found == "integer" else found


def _groups(values: Sequence[dict[str, Json]], key: str) -> dict[tuple[type, object] | None, list[dict[str, Json]]]:
    groups: dict[tuple[type, object] | None, list[dict[str, Json]]] = {}
    for value in values:
        groups.setdefault((type(value[key]), value[key]) if key in value else None, []).append(value)
    return groups


def _object(
    values: Sequence[dict[str, Json]], place: str, known: Known | None, but: frozenset[str], depth: int
) -> Object:
    members = members_of(values, place, known=known, but=but, depth=depth)
    return Object(tuple(members), place=f"{place} ({samples(len(values))})".strip())


def members_of(
    values: Sequence[dict[str, Json]],
    place: str = "",
    *,
    known: Known | None = None,
    but: frozenset[str] = frozenset(),
    depth: int = 0,
) -> list[Member]:
    """Return the members of objects of one kind; those in `but` are constants."""
    members = []
    for key in dict.fromkeys(key for value in values for key in value):
        if key == "" or key.endswith("?"):
            continue  # the language cannot name it; it is kept as an unknown field
        each = [value[key] for value in values if key in value]
        shape: Shape
        shape = Literal(each[0]) if key in but else infer(each, f"{place}/{key}", known=known, depth=depth + 1)
        required = len(each) == len(values)
        remark = None if required else f"in {len(each)} of {len(values)}"
        members.append(Member(key, shape, required, remark=remark, place=f"{place}/{key}"))
    return members


def samples(number: int) -> str:
    """`1 sample`, `2 samples`."""
    return "1 sample" if number == 1 else f"{number} samples"
