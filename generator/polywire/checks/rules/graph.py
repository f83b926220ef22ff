"""The model as a graph: the JSON kinds of a type, the uses of a declaration, the target of a pointer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from polywire.model.nodes import (
    About,
    Alias,
    Array,
    Choice,
    Const,
    Enum,
    Field,
    LiteralType,
    Map,
    Model,
    Ref,
    Scalar,
    SourceLocation,
    Struct,
    Tag,
    TupleType,
    Type,
    Union,
)
from polywire.model.walk import structs_of
from polywire.records import dataclass

Kind: TypeAlias = Literal["null", "boolean", "number", "string", "array", "object"]

KINDS: tuple[Kind, ...] = ("null", "boolean", "number", "string", "array", "object")

_SCALAR_KINDS: Mapping[str, tuple[Kind, ...]] = {
    "string": ("string",),
    "uuid": ("string",),
    "timestamp": ("string",),
    "number": ("number",),
    "integer": ("number",),
    "boolean": ("boolean",),
    "object": ("object",),
    "null": ("null",),
    "json": KINDS,
}


def members(type_: Type, model: Model) -> tuple[Type, ...]:
    """The alternatives of a type, with aliases and nested choices expanded; a type that is no choice has one."""
    found: list[Type] = []
    todo: list[tuple[Type, frozenset[str]]] = [(type_, frozenset())]
    while todo:
        one, through = todo.pop()
        alias = model.declarations.get(one.name) if isinstance(one, Ref) else None
        if isinstance(one, Choice):
            todo.extend((member, through) for member in reversed(one.members))
        elif isinstance(alias, Alias):
            if alias.name not in through:
                todo.append((alias.type, through | {alias.name}))
        else:
            found.append(one)
    return tuple(found)


def kinds(type_: Type, model: Model, of_aliases: Mapping[str, frozenset[Kind]]) -> frozenset[Kind]:
    """The JSON kinds that a value of the type may have; empty for an undeclared name."""
    if isinstance(type_, Choice):
        return frozenset(kind for member in type_.members for kind in kinds(member, model, of_aliases))
    if isinstance(type_, Ref) and type_.name in of_aliases:
        return of_aliases[type_.name]
    return frozenset(_kinds_of(type_, model))


def kinds_of_aliases(model: Model) -> Mapping[str, frozenset[Kind]]:
    """The JSON kinds of every alias, including those that contain themselves."""
    found: dict[str, frozenset[Kind]] = {alias.name: frozenset() for alias in model.aliases}
    graph = alias_graph(model)
    users: dict[str, list[Alias]] = {name: [] for name in found}
    for alias in model.aliases:
        for name in graph[alias.name]:
            users[name].append(alias)
    todo = list(model.aliases)
    while todo:
        alias = todo.pop()
        now = kinds(alias.type, model, found)
        if now != found[alias.name]:
            found[alias.name] = now
            todo.extend(users[alias.name])
    return found


def _kinds_of(member: Type, model: Model) -> tuple[Kind, ...]:
    match member:
        case Scalar(kind):
            return _SCALAR_KINDS[kind]
        case LiteralType():
            return _SCALAR_KINDS[member.kind]
        case Array() | TupleType():
            return ("array",)
        case Map():
            return ("object",)
        case Ref(name):
            match model.declarations.get(name):
                case Enum(base=base):
                    return ("string",) if base == "string" else ("number",)
                case Struct() | Union():
                    return ("object",)
    return ()


def annotated(model: Model) -> Iterator[tuple[About, SourceLocation, str]]:
    """Everything that may have a history and its own names: the description, the location, and a phrase for it.

    A field that several types include is yielded once.
    """
    seen: set[SourceLocation] = set()
    for about, place, what in _annotated(model):
        if place not in seen:
            seen.add(place)
            yield about, place, what


def _annotated(model: Model) -> Iterator[tuple[About, SourceLocation, str]]:
    for declaration in model.declarations.values():
        yield declaration.about, declaration.place, f"`{declaration.name}`"
        match declaration:
            case Enum(values=values):
                yield from ((v.about, v.place, f"value `{v.name}` of `{declaration.name}`") for v in values)
            case Struct(fields=fields, constructors=constructors):
                yield from ((f.about, f.place, f"field `{f.name}` of `{declaration.name}`") for f in fields)
                yield from ((c.about, c.place, f"constructor `{c.name}`") for c in constructors)
            case Union(variants=variants):
                yield from ((v.about, v.place, f"variant `{v.name}` of `{declaration.name}`") for v in variants)
    yield from ((control.about, control.place, f"control `{control.key}`") for control in model.controls)
    yield from ((tool.about, tool.place, f"tool `{tool.pattern}`") for tool in model.tools)


# --- paths -----------------------------------------------------------------------------------------------------

Graph: TypeAlias = "Mapping[str, list[str]]"
"""Names, each with the names one step away."""


def alias_graph(model: Model) -> Graph:
    """For every alias, the aliases in its type or among its alternatives."""
    return {
        alias.name: [name for name in _tops(alias.type) if isinstance(model.declarations.get(name), Alias)]
        for alias in model.aliases
    }


def _tops(type_: Type) -> Iterator[str]:
    match type_:
        case Ref(name):
            yield name
        case Choice(alternatives):
            for alternative in alternatives:
                yield from _tops(alternative)


def flat_graph(model: Model) -> Graph:
    """For every struct, the structs of its flattened fields."""
    return {
        struct.name: list(dict.fromkeys(n for f in struct.wire_fields if f.flatten for n in objects(model, f.type)))
        for struct in model.structs
    }


def min_depths(graph: Graph) -> dict[str, int]:
    """The length of the longest path from each name, without the names from which a cycle is reachable."""
    comers: dict[str, list[str]] = {}
    for name, steps in graph.items():
        for step in steps:
            comers.setdefault(step, []).append(name)
    left = {name: sum(step in graph for step in steps) for name, steps in graph.items()}
    found = {name: 0 for name, count in left.items() if not count}
    todo = list(found)
    for name in todo:
        for comer in comers.get(name, ()):
            left[comer] -= 1
            if not left[comer]:
                found[comer] = 1 + max(found[step] for step in graph[comer] if step in graph)
                todo.append(comer)
    return found


def strongly_connected_components(graph: Graph) -> Iterator[list[str]]:
    """Disjoint cycles of the graph; each is the shortest for the name at which it begins."""
    ends = min_depths(graph)
    leading = {name: steps for name, steps in graph.items() if name not in ends}
    back: dict[str, list[str]] = {name: [] for name in leading}
    for name, steps in leading.items():
        for step in steps:
            if step in back:
                back[step].append(name)
    starts = min_depths(back)
    inside = {
        n: [s for s in steps if s in leading and s not in starts] for n, steps in leading.items() if n not in starts
    }
    told: set[str] = set()
    for name in inside:
        ring = [] if name in told else _ring(inside, name)
        if ring and told.isdisjoint(ring):
            told.update(ring)
            yield ring


def _ring(graph: Graph, start: str) -> list[str]:
    came: dict[str, str] = {}
    todo = [start]
    for name in todo:
        for step in graph[name]:
            if step == start:
                way = [start, name]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return way[::-1]
            if step in graph and step not in came:
                came[step] = name
                todo.append(step)
    return []


# --- pointers --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """The end of a pointer that leads nowhere: the number of keys followed, the reason, and the keys that exist."""

    followed: int
    why: str
    known: tuple[str, ...] = ()


def follow(model: Model, struct: Struct, pointer: tuple[str, ...]) -> Field | DeadEnd:
    """The field that a pointer into a struct leads to.

    It may pass through objects of one declared type, but not through unions, arrays and maps: code that creates an
    instance could not know which variant or item to create.
    """
    if not pointer:
        return DeadEnd(0, "it is the whole object")
    at: Struct | None = struct
    found: Field | None = None
    for depth, key in enumerate(pointer):
        if at is None:
            return DeadEnd(depth, f"`{pointer[depth - 1]}` is not an object of a declared type")
        member = _member(model, at, key, frozenset())
        if member is None:
            return DeadEnd(depth, f"`{at.name}` has no `{key}` on the wire", tuple(_keys(model, at, frozenset())))
        if not isinstance(member, Field):
            return DeadEnd(depth, f"`{key}` of `{at.name}` is a constant")
        found, at = member, _object(model, member.type)
    return found or DeadEnd(0, "it is the whole object")


def find(model: Model, name: str, pointer: tuple[str, ...]) -> DeadEnd | None:
    """None if the pointer leads somewhere in the type `name`, for any variant of the unions on the path."""
    at = [name]
    for depth, key in enumerate(pointer):
        structs = [s for one in at for n in objects(model, Ref(one)) if isinstance(s := model.declarations[n], Struct)]
        found = [m for struct in structs if (m := _member(model, struct, key, frozenset())) is not None]
        if not found:
            known = tuple(dict.fromkeys(k for struct in structs for k in _keys(model, struct, frozenset())))
            return DeadEnd(depth, f"{' or '.join(f'`{n}`' for n in at) or 'the value there'} has no `{key}`", known)
        at = list(dict.fromkeys(n for m in found if isinstance(m, Field) for n in _declared(model, m.type)))
    return None


def objects(model: Model, type_: Type) -> Iterator[str]:
    """The structs that an object of the type may be, including the variants of unions."""
    for name in _declared(model, type_):
        match model.declarations[name]:
            case Struct():
                yield name
            case Union(dispatch=dispatch):
                yield from structs_of(dispatch)


def _declared(model: Model, type_: Type) -> Iterator[str]:
    """The declarations among the alternatives of a type."""
    yield from (m.name for m in members(type_, model) if isinstance(m, Ref) and m.name in model.declarations)


def _object(model: Model, type_: Type) -> Struct | None:
    """The struct among the alternatives of a type."""
    found = (model.declarations.get(m.name) for m in members(type_, model) if isinstance(m, Ref))
    return next((d for d in found if isinstance(d, Struct)), None)


def _member(model: Model, struct: Struct, key: str, through: frozenset[str]) -> Field | Tag | Const | None:
    """The member under a key of a struct's object, including members of flattened fields."""
    own: list[Field | Tag | Const] = [f for f in struct.wire_fields if f.name == key and not f.flatten]
    own += [tag for tag in struct.tags if tag.key == key]
    own += [const for const in struct.consts if const.key == key]
    if own:
        return own[0]
    inner = (_member(model, s, key, through | {s.name}) for s in _flattened(model, struct, through))
    return next((member for member in inner if member is not None), None)


def _keys(model: Model, struct: Struct, through: frozenset[str]) -> Iterator[str]:
    yield from (field.name for field in struct.wire_fields if not field.flatten)
    for inner in _flattened(model, struct, through):
        yield from _keys(model, inner, through | {inner.name})


def _flattened(model: Model, struct: Struct, through: frozenset[str]) -> Iterator[Struct]:
    """The structs of a struct's flattened fields."""
    names = (name for field in struct.wire_fields if field.flatten for name in objects(model, field.type))
    yield from (
        inner for name in names if name not in through and isinstance(inner := model.declarations[name], Struct)
    )
