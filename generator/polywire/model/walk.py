"""Types and decisions of a model → the text, the names and the structs in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from polywire.model.nodes import (
    Alias,
    Array,
    Choice,
    Declaration,
    Dispatch,
    Field,
    Keys,
    Leaf,
    Map,
    Ref,
    Scalar,
    ScalarKind,
    Struct,
    Switch,
    Type,
    Union,
)


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


def contains_itself(alias: Alias, declarations: Mapping[str, Declaration]) -> bool:
    """Whether an alias contains itself, through no struct or union."""
    found: set[str] = set()
    ahead = [alias]
    while ahead:
        for name in refs(ahead.pop().type):
            if isinstance(inner := declarations[name], Alias) and name not in found:
                found.add(name)
                ahead.append(inner)
    return alias.name in found


def scalars(type_: Type | None) -> Iterator[ScalarKind]:
    """The kind of every scalar that is written in a type."""
    match type_:
        case Scalar(kind):
            yield kind
        case Array(item):
            yield from scalars(item)
        case Map(value):
            yield from scalars(value)
        case Choice(members):
            for member in members:
                yield from scalars(member)


def without_alias(type_: Type, declarations: Mapping[str, Declaration]) -> Type:
    """What an alias stands for; one that stands for itself is what it is."""
    seen: set[str] = set()
    while isinstance(type_, Ref) and type_.name not in seen:
        seen.add(type_.name)
        declared = declarations.get(type_.name)
        if not isinstance(declared, Alias):
            break
        type_ = declared.type
    return type_


def uses(declaration: Declaration) -> Iterator[str]:
    """Every name that a declaration mentions: types of fields, mixins, tags' enums, variants."""
    match declaration:
        case Alias(type=type_):
            yield from refs(type_)
        case Struct():
            yield from declaration.include
            yield from (tag.enum for tag in declaration.tags if tag.enum is not None)
            yield from refs(declaration.extra)
            for field in declaration.fields:
                yield from _uses_of_field(field)
        case Union(variants=variants):
            yield from (variant.name for variant in variants)
    for _, type_ in declaration.about.was:
        yield from refs(type_)


def _uses_of_field(field: Field) -> Iterator[str]:
    yield from refs(field.type)
    for _, type_ in field.about.was:
        yield from refs(type_)
    if field.callback is not None:
        yield from refs(field.callback.returns)
        for _, type_ in field.callback.params:
            yield from refs(type_)


def reach(graph: Mapping[str, Iterable[str]], names: Iterable[str]) -> frozenset[str]:
    """All names of a graph that can be come to from `names`, themselves included."""
    seen: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name in graph and name not in seen:
            seen.add(name)
            todo.extend(graph[name])
    return frozenset(seen)


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
