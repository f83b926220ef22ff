"""The rules of trees as a reference, which computes every result anew from all entries that were added.

It takes quadratic time. Packages have the same results in linear time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from polywire.plan.trees import IdPlan, TreePlan

Id: TypeAlias = "str | int"

_LARGEST = 2**53 - 1


def id_of(value: object) -> Id | None:
    """Return a JSON value as an id: a string, or an integer, however it is written. Nothing else is an id."""
    match value:
        case str():
            return value
        case bool():
            return None
        case int() | float() | Decimal() if -_LARGEST <= value <= _LARGEST and value == int(value):
            return int(value)
        case _:
            return None


def at(entry: object, plan: IdPlan) -> Id | None:
    """Return the id at a pointer, through members under their newest or an earlier name; None if there is none."""
    value = entry
    for names in plan.steps:
        members = value if isinstance(value, dict) else {}
        value = next((members[name] for name in names if members.get(name) is not None), None)
    return id_of(value)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as a tree sees it."""

    number: int
    """Its number among all that were added, from 0."""
    id: Id | None
    parent: Id | None
    attached: Id | None
    previous: Id | None


def entry(number: int, value: object, plan: TreePlan) -> Entry:
    """Return what a tree reads of an entry, which is given as JSON."""
    found = {key: at(value, each) for key, each in plan.ids.items()}
    return Entry(number, found["id"], found["parent"], found.get("attached"), found.get("previous"))


@dataclass(frozen=True)
class Tree:
    """The tree of some entries, given in order of adding."""

    added: Sequence[Entry]
    nodes: Mapping[Id, Entry] = field(init=False)
    """The entries by id, each the last one with its id, at the position of the first one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", {each.id: each for each in self.added if each.id is not None})

    def parent(self, node: Entry) -> Entry | None:
        return None if node.parent is None else self.nodes.get(node.parent)

    def previous(self, node: Entry) -> Entry | None:
        return None if node.previous is None else self.nodes.get(node.previous)

    def host(self, node: Entry) -> Entry | None:
        """Return the entry that an entry is attached to, which is never itself."""
        return None if node.attached is None or node.attached == node.id else self.nodes.get(node.attached)

    def roots(self) -> list[Entry]:
        return [each for each in self.nodes.values() if self.parent(each) is None]

    def children(self, id_: Id) -> list[Entry]:
        return [each for each in self.nodes.values() if id_ in self.nodes and each.parent == id_]

    def is_aside(self, node: Entry) -> bool:
        """Return whether no branch goes through an entry, because it is attached and has no children."""
        return self.host(node) is not None and not self._children(node)

    def _children(self, node: Entry) -> list[Entry]:
        return [] if node.id is None else self.children(node.id)

    def _followed(self, node: Entry) -> list[Entry]:
        """Return the children through which branches go."""
        return [each for each in self._children(node) if not self.is_aside(each)]

    def leaves(self) -> list[Entry]:
        return [each for each in self.nodes.values() if not self.is_aside(each) and not self._followed(each)]

    def active(self) -> Entry | None:
        """Return the end of the branch of the last entry."""
        if not self.nodes:
            return None
        last = [*self.nodes.values()][-1]
        node = start = (self.host(last) or last) if self.is_aside(last) else last
        while followed := self._followed(node):
            node = followed[-1]
            if node is start:
                break
        return node

    def path(self, leaf: Entry | None, *, history: bool = False) -> list[Entry]:
        """Return the path through parents, and then each attached entry of one of its entries in its place."""
        path: list[Entry] = []
        while leaf is not None and leaf not in path:
            path.insert(0, leaf)
            parent = self.parent(leaf)
            leaf = self.previous(leaf) if parent is None and history else parent
        return [*self._with_attached(path)]

    def _with_attached(self, path: list[Entry]) -> Iterator[Entry]:
        order = [*self.nodes.values()]
        before: list[list[Entry]] = [[] for _ in range(len(path) + 1)]
        for node in order:
            host = self.host(node)
            if host is not None and host in path and node not in path:
                behind = range(path.index(host) + 1, len(path))
                later = (place for place in behind if order.index(path[place]) > order.index(node))
                before[next(later, len(path))].append(node)
        for place, node in enumerate(path):
            yield from (*before[place], node)
        yield from before[-1]
