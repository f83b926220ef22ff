# pyright: basic
"""Entries that refer to their parents: the active path, branches and children."""

from __future__ import annotations

from ._base import UNSET, Generic, Record, Unknown
from ._rows import declared_class, is_flat, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, ClassVar, TypeAlias, TypeVar

    Steps: TypeAlias = tuple[tuple[str, ...], ...]
    """The keys on the way to an id, each with the names that the member had in earlier releases."""

    Ids: TypeAlias = Mapping[str, Steps]
    """Where an entry has its `id`, and the ids of its `parent`, `attached` and `previous` entries."""

    _E = TypeVar("_E")
else:
    _E = None

__all__ = ["Tree"]


class _Node:
    """An entry with its position, its id, and the ids that it refers to."""

    __slots__ = ("at", "attached", "entry", "id", "parent", "previous")

    def __init__(self, at: int, entry: Any, ids: dict[str, str | int | None]) -> None:
        self.at = at
        self.entry = entry
        self.id = ids["id"]
        self.parent = ids["parent"]
        self.attached = ids.get("attached")
        self.previous = ids.get("previous")


class Tree(Generic[_E]):
    """Entries that refer to their parents.

    An entry is a decoded object, an Unknown, or plain JSON. Ids are strings and integers; `1` and `"1"` differ. An
    entry whose parent is unknown is a root until the parent is added.
    """

    __slots__ = ("_by_id", "_children", "_linked", "_nodes")

    IDS: ClassVar[Ids]

    def __init__(self) -> None:
        self._nodes: list[_Node] = []
        self._by_id: dict[str | int | None, _Node] = {}
        self._children: dict[str | int | None, list[_Node]] = {}
        self._linked = 0

    def add(self, entry: _E) -> bool:
        """Add an entry; one with the same id as an earlier entry replaces it, at its position.

        Returns False, and adds nothing, if the entry has no id.
        """
        ids = {key: _id_of(_at(entry, steps)) for key, steps in self.IDS.items()}
        if ids["id"] is None:
            return False
        former = self._by_id.get(ids["id"])
        node = _Node(len(self._nodes) if former is None else former.at, entry, ids)
        self._by_id[node.id] = node
        if former is None:
            self._nodes.append(node)
        else:
            self._nodes[node.at] = node
            if node.at < self._linked:  # its former parent lists the former entry
                self._linked = 0
        return True

    def path(self, leaf: str | int | None = None, *, history: bool = False) -> list[_E]:
        """The entries from the root to the entry with the id `leaf`, by default the active leaf.

        An entry that is attached to one of them is in its place as well, although it is on another branch. With
        `history`, the path goes on before the root if that names a previous entry. Empty if there is no such entry.
        """
        self._link()
        node = self._active() if leaf is None else self._by_id.get(_id_of(leaf))
        place: dict[int, int] = {}  # the position of an entry → its distance from the leaf
        while node is not None and node.at not in place:
            place[node.at] = len(place)
            parent = self._by_id.get(node.parent)
            node = self._by_id.get(node.previous) if parent is None and history else parent
        return [each.entry for each in self._with_attached(place)]

    def leaves(self) -> list[_E]:
        """The ends of all branches, in order of adding, without attached entries that have no children."""
        self._link()
        return [
            each.entry
            for each in self._nodes
            if not self._is_aside(each) and all(map(self._is_aside, self._children.get(each.id, ())))
        ]

    def children(self, id: str | int | None = None) -> list[_E]:
        """The children of an entry in order of adding; without an id, the roots."""
        if id is None:
            return [each.entry for each in self._nodes if each.parent not in self._by_id]
        self._link()
        key = _id_of(id)
        return [each.entry for each in self._children.get(key, ())] if key in self._by_id else []

    def _link(self) -> None:
        """List the children of the entries that were added since the last call, or of all if one was replaced."""
        if not self._linked:
            self._children.clear()
        for node in self._nodes[self._linked :]:
            if node.parent is not None:
                self._children.setdefault(node.parent, []).append(node)
        self._linked = len(self._nodes)

    def _host(self, node: _Node) -> _Node | None:
        """The entry that an entry is attached to."""
        return None if node.attached == node.id else self._by_id.get(node.attached)

    def _is_aside(self, node: _Node) -> bool:
        """Whether an entry is attached and has no children, so that no branch goes through it."""
        return node.id not in self._children and self._host(node) is not None

    def _active(self) -> _Node | None:
        """The active leaf: the end of the branch of the last entry, by the last child each time."""
        if not self._nodes:
            return None
        start = self._nodes[-1]
        if self._is_aside(start):
            start = self._host(start) or start
        node = start
        while True:
            children = reversed(self._children.get(node.id, ()))
            child = next((each for each in children if not self._is_aside(each)), None)
            if child is None or child is start:  # only the first entry can come again: an entry has one parent
                return start if child is start else node
            node = child

    def _with_attached(self, place: Mapping[int, int]) -> Iterator[_Node]:
        """The entries of a path, each after the attached ones that belong directly before it.

        An attached entry belongs before the first entry behind its host that was added after it. Entries are looked at
        in order of adding, so those of the path that are already passed were added before it: `behind` leads from such
        an entry to the next one that was not yet passed, and forgets the entries between.
        """
        path = [self._nodes[at] for at in reversed(place)]
        behind = [*range(len(path) + 1)]
        before: list[list[_Node]] = [[] for _ in behind]
        for node in self._nodes if "attached" in self.IDS else ():
            if node.at in place:
                at = len(path) - 1 - place[node.at]
                behind[at] = at + 1
                continue
            host = self._host(node)
            if host is not None and host.at in place:
                at = len(path) - place[host.at]
                while behind[at] != at:
                    behind[at] = at = behind[behind[at]]
                before[at].append(node)
        for at, node in enumerate(path):
            yield from before[at]
            yield node
        yield from before[-1]


_SAFE = 2**53 - 1


def _id_of(value: Any) -> str | int | None:
    """A JSON value as an id: a string, or an integer, however it is written; None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -_SAFE <= value <= _SAFE:
        return None
    return int(value) if value == int(value) else None


def _at(value: Any, steps: Steps) -> Any:
    """What an entry has at a pointer; None if there is nothing."""
    for names in steps:
        value = next((found for name in names if (found := _member(value, name)) is not None), None)
    return value


def _member(value: Any, key: str) -> Any:
    """The member of a JSON object, decoded or not; None if it is absent or null."""
    ahead = [value]
    while ahead:
        value = ahead.pop()
        if isinstance(value, Unknown):
            value = value.raw
        if isinstance(value, dict):
            found = value.get(key)
        elif isinstance(value, Record):
            found, flat = _of_record(value, key)
            ahead += flat
        else:
            found = None
        if found is not None:
            return found
    return None


_fields: dict[str, tuple[dict[str, Any], list[str]]] = {}
"""Struct → its members by key, and the attributes whose members are among its own."""


def _of_record(value: Any, key: str) -> tuple[Any, list[Any]]:
    """The member of an object, and the values whose members are among its own, the last one first."""
    name = declared_class(type(value)) or ""
    if name not in _fields:
        members = row(name)[2] if name else []
        _fields[name] = (
            {each[1]: each for each in members if not is_flat(each)},
            [each[2] for each in members if is_flat(each)],
        )
    fields, flat = _fields[name]
    member = fields.get(key)
    if member is None:
        return None, [value._extra, *(getattr(value, each) for each in reversed(flat))]
    found = member[2] if member[0] == "=" else getattr(value, member[2])
    return (None if found is UNSET else found), [value._extra]
