"""References between declarations as a graph → cycles, and the nesting depth of values.

A declaration may refer to thousands of others, one through the next, so nothing here is recursive along references.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from polywire.model.nodes import Alias, Declaration, Field, Model, Struct, Union
from polywire.model.walk import refs, structs_of, types
from polywire.source.types import Array, Choice, Map, Ref, Scalar, TupleType, Type

Graph: TypeAlias = "Mapping[str, list[str]]"
"""Names, each with the names one step away."""


def strongly_connected_components(graph: Graph) -> Iterator[list[str]]:
    """Disjoint groups of names that reach each other; a group comes after all groups that it reaches.

    This is Tarjan's algorithm with an explicit stack.
    """
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    """The smallest index that is reachable; only for names whose group is not complete."""
    open_: list[str] = []
    for start in graph:
        path = [] if start in index else [(start, iter(graph[start]))]
        while path:
            name, steps = path[-1]
            if name not in index:
                index[name] = lowest[name] = len(index)
                open_.append(name)
            step = next((step for step in steps if step in graph and (step not in index or step in lowest)), None)
            if step is not None and step not in index:
                path.append((step, iter(graph[step])))
            elif step is not None:
                lowest[name] = min(lowest[name], index[step])
            else:
                path.pop()
                if path:
                    outer = path[-1][0]
                    lowest[outer] = min(lowest[outer], lowest[name])
                if lowest[name] == index[name]:
                    at = len(open_) - 1
                    while open_[at] != name:
                        at -= 1
                    group = open_[at:]
                    del open_[at:]
                    for each in group:
                        del lowest[each]
                    yield group


def cycles(graph: Graph) -> list[list[str]]:
    """One cycle of each group of names that reach each other, in the order of the graph.

    It is the shortest cycle of the first name of the group, which is also its last element.
    """
    rank = {name: number for number, name in enumerate(graph)}
    groups = [group for group in strongly_connected_components(graph) if len(group) > 1 or group[0] in graph[group[0]]]
    starts = {min(group, key=rank.__getitem__): frozenset(group) for group in groups}
    return [_cycle(graph, start, starts[start]) for start in sorted(starts, key=rank.__getitem__)]


def _cycle(graph: Graph, start: str, group: frozenset[str]) -> list[str]:
    came: dict[str, str] = {}
    todo = [start]
    for name in todo:  # grows
        for step in graph[name]:
            if step in group and step not in came:
                came[step] = name
                todo.append(step)
    way = [start, came[start]]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[::-1]


def bottom_up(graph: Graph) -> Iterator[str]:
    """The names from which no cycle is reachable, each after all names that it reaches."""
    done: set[str] = set()
    for group in strongly_connected_components(graph):
        name = group[0]
        if len(group) == 1 and all(step in done for step in graph[name] if step in graph):
            done.add(name)
            yield name


def longest_paths(graph: Graph) -> dict[str, int]:
    """The length of the longest path from each name, without the names from which a cycle is reachable."""
    found: dict[str, int] = {}
    for name in bottom_up(graph):
        found[name] = max((1 + found[step] for step in graph[name] if step in graph), default=0)
    return found


def longest_chain(graph: Graph) -> int:
    """How many names a path can have at most; every name of a cycle that it meets counts."""
    found: dict[str, int] = {}
    for group in strongly_connected_components(graph):
        inner = frozenset(group)
        beyond = (found[step] for name in group for step in graph[name] if step in graph and step not in inner)
        found |= dict.fromkeys(group, len(group) + max(beyond, default=0))
    return max(found.values(), default=0)


# --- the depth of values ---------------------------------------------------------------------------------------


def min_depths(model: Model) -> dict[Type, int]:
    """How many objects and arrays the simplest value nests, for each declaration (as a `Ref`) and type of the model.

    Types without finite values are left out. Types are finished in the order of their depths, each once: a struct or
    tuple when its last part is, a union or choice when its first alternative is.
    """
    known: dict[Type, int] = {}
    order: list[Type] = []

    def number(type_: Type) -> int:
        """The index of a type in `order`; hashing a type takes time in proportion to its size, so it is done once."""
        found = known.setdefault(type_, len(order))
        if found == len(order):
            order.append(type_)
        return found

    for type_ in (*map(Ref, model.declarations), *types(model)):
        number(type_)
    users: list[list[int]] = []
    left: list[int] = []
    now: list[int] = []
    later: list[int] = []
    for whole, type_ in enumerate(order):  # grows
        every, parts = _parts(model, type_)
        inner = [number(part) for part in parts]
        users += [[] for _ in range(len(order) - len(users))]
        for part in inner:
            users[part].append(whole)
        left.append(len(parts) if every else min(1, len(parts)))
        if not left[whole]:
            (later if _nests(type_) else now).append(whole)
    found: dict[Type, int] = {}
    depth = 0
    while now or later:
        for part in now:  # grows
            found[order[part]] = depth
            for user in users[part]:
                left[user] -= 1
                if not left[user]:
                    (later if _nests(order[user]) else now).append(user)
        now, later, depth = later, [], depth + 1
    return found


def _parts(model: Model, type_: Type) -> tuple[bool, Sequence[Type]]:
    """The types that a value of the type contains or is, and whether it needs every one of them rather than one.

    The members of a struct's object, without those of flattened fields, count as a tuple.
    """
    match type_:
        case Array(item=item, low=low):
            return True, (item,) if low else ()
        case TupleType(items=items):
            return True, items
        case Choice(members=members):
            return False, members
        case Ref(name=name):
            match model.declarations.get(name):
                case Alias(type=inner):
                    return True, (inner,)
                case Struct() as struct:
                    fields = unavoidable(struct)
                    own = TupleType(tuple(field.type for field in fields if not field.flatten))
                    return True, [own, *(field.type for field in fields if field.flatten)]
                case Union(dispatch=dispatch):
                    structs = structs_of(dispatch)
                    return not structs, [Ref(struct) for struct in structs]
    return True, ()


def _nests(type_: Type) -> bool:
    """Whether a value of the type is an object or an array around its parts; an object of a struct is its own part."""
    return isinstance(type_, (Array, TupleType, Map)) or type_ == Scalar("object")


def unavoidable(struct: Struct) -> list[Field]:
    """The fields that have a value other than null in every object."""
    return [field for field in struct.wire_fields if field.required and not field.nullable]


def max_depths(model: Model) -> dict[str, int]:
    """How many levels the deepest value of each declaration nests, without declarations whose values have no limit.

    A value that is kept unchanged counts as one level.
    """
    inside = {name: tuple(_contents(declared)) for name, declared in model.declarations.items()}
    found: dict[str, int] = {}

    def of(type_: Type) -> int:
        match type_:
            case Ref(name=name):
                return found[name]
            case Array(item=item) | Map(value=item):
                return 1 + of(item)
            case TupleType(items=items):
                return 1 + max(map(of, items))
            case Choice(members=members):
                return max(map(of, members))
            case Scalar(kind="json" | "object"):
                return 1
        return 0

    for name in bottom_up({name: [each for type_ in inner for each in refs(type_)] for name, inner in inside.items()}):
        inner = max(map(of, inside[name]), default=0)
        found[name] = inner + isinstance(model.declarations[name], Struct)
    return found


def _contents(declaration: Declaration) -> Iterator[Type]:
    match declaration:
        case Alias(type=type_):
            yield type_
        case Union(dispatch=dispatch):
            yield from map(Ref, structs_of(dispatch))
        case Struct(wire_fields=fields, extra=extra):
            yield from (field.type for field in fields)
            if extra is not None:
                yield extra
