"""Types and decisions of a model → the text, the names and the structs in them."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.model.nodes import Array, Choice, Dispatch, Keys, Leaf, Map, Model, Ref, Scalar, Switch, Type, Union


def spell(type_: Type) -> str:
    """A type as the spec language writes it."""
    match type_:
        case Scalar(kind):
            return kind
        case Ref(name):
            return name
        case Array(item, low, high):
            bounds = "" if low is None and high is None else f"{_bound(low)}..{_bound(high)}"
            return f"{_grouped(item)}[{bounds}]"
        case Map(value, key):
            return f"map<{f'{key}, ' if key else ''}{spell(value)}>"
        case Choice(members):
            return " | ".join(map(_grouped, members))


def _grouped(type_: Type) -> str:
    return f"({spell(type_)})" if isinstance(type_, Choice) else spell(type_)


def _bound(bound: int | None) -> str:
    return "" if bound is None else str(bound)


def refs(type_: Type | None) -> Iterator[str]:
    """Every declared name in a type, in order."""
    match type_:
        case Ref(name):
            yield name
        case Array(item):
            yield from refs(item)
        case Map(value, key):
            if key is not None:
                yield key
            yield from refs(value)
        case Choice(members):
            for member in members:
                yield from refs(member)


def structs_of(dispatch: Dispatch) -> tuple[str, ...]:
    """The structs that a decision may end at, catch-alls included, each once."""
    return tuple(dict.fromkeys(_leaves(dispatch)))


def _leaves(dispatch: Dispatch) -> Iterator[str]:
    match dispatch:
        case Leaf(struct):
            yield struct
        case Switch(cases=cases, others=others, absent=absent):
            for _, inner in cases:
                yield from _leaves(inner)
            yield from (struct for _, struct in others)
            if absent is not None:
                yield from _leaves(absent)
        case Keys(cases=conditions):
            for _, inner in conditions:
                yield from _leaves(inner)


def unions_with_unknown(model: Model) -> tuple[Union, ...]:
    """One open union for each Unknown of a model; unions may share one."""
    return tuple({union.unknown: union for union in reversed(model.unions) if union.open}.values())
