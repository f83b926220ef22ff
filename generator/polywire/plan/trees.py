"""The trees of entries → what their runtimes read: the keys on the way to each id.

An entry of a tree is a decoded object, an Unknown or plain JSON. All have the same answer to a pointer: the value there
in the entry as JSON, whether or not the entry's type declares the member. A runtime therefore looks up one key after
the other: in plain JSON and Unknowns directly, in a decoded object among its fields, in its flattened fields, and then
in `extra`. Only an object has members: the way ends at an array or a scalar.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from polywire.model.nodes import Model, Tree
from polywire.model.trees import members
from polywire.plan.controls import FieldPath, way_into
from polywire.source.types import Ref

Step = tuple[str, ...]
"""The key of a member, and then its names in earlier releases; the first that is neither absent nor null counts."""


@dataclass(frozen=True, slots=True)
class IdPlan:
    """A row: where an entry has an id."""

    steps: tuple[Step, ...]
    ways: tuple[FieldPath, ...]
    """The same as declared fields, for languages that find members by these; one path for each name."""


@dataclass(frozen=True, slots=True)
class TreePlan:
    """A row: a tree. `attached` and `previous` are None if the spec states none."""

    tree: Tree
    id: IdPlan
    parent: IdPlan
    attached: IdPlan | None
    previous: IdPlan | None

    @property
    def ids(self) -> dict[str, IdPlan]:
        """The ids that an entry can have, by their keys in the spec."""
        found = {"id": self.id, "parent": self.parent, "attached": self.attached, "previous": self.previous}
        return {key: each for key, each in found.items() if each is not None}


def tree_plans(model: Model) -> tuple[TreePlan, ...]:
    """The plans of the trees, without those whose pointers are invalid (`lint` reports them)."""
    found = (_tree(model, tree) for tree in model.trees)
    return tuple(each for each in found if each is not None)


def _tree(model: Model, tree: Tree) -> TreePlan | None:
    ids = {key: _id(model, tree, way) for key, way in tree.pointers.items()}
    id_, parent = ids["id"], ids["parent"]
    if id_ is None or parent is None:
        return None
    return TreePlan(tree, id_, parent, ids.get("attached"), ids.get("previous"))


def _id(model: Model, tree: Tree, pointer: tuple[str, ...]) -> IdPlan | None:
    found = members(model, tree, pointer)
    if found is None:
        return None
    ways = (way_into(model, Ref(tree.lines), keys) for keys in product(*found.names))
    return IdPlan(found.names, tuple(way for way in ways if way))
