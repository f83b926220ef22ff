"""Pointers of trees → the members they lead to, in every variant of the unions on the path and under every name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from polywire.model.join import structs_in, with_flattened
from polywire.model.nodes import Field, Model, Pointer, Tree
from polywire.source.types import Ref


@dataclass(frozen=True, slots=True)
class Found:
    """The members at the end of a pointer."""

    names: tuple[tuple[str, ...], ...]
    """For each key of the pointer, the name of the member, and then its earlier names."""
    fields: tuple[Field, ...]


def members(model: Model, tree: Tree, pointer: Pointer) -> Found | None:
    """The members that a pointer of a tree leads to; None if there are none.

    A pointer has the newest names of members, also in the model of an earlier release.
    """
    at = list(structs_in(model, Ref(tree.lines)))
    names: list[tuple[str, ...]] = []
    fields: list[Field] = []
    for key in pointer:
        own = [f for each in with_flattened(model, at) for f in each.wire_fields if not f.flatten]
        fields = [field for field in own if key == (field.about.later or field.name)]
        if not fields:
            return None
        names.append(tuple(dict.fromkeys((key, *(field.name for field in fields)))))
        at = [inner for field in fields for inner in structs_in(model, field.type)]
    return Found(tuple(names), tuple(fields)) if fields else None


def with_trees(model: Model, *, whole: bool) -> Model:
    """The model without trees and pointers of members that it lacks.

    For the `whole` spec, pointers that lead nowhere are kept, so that the rules report them.
    """
    kept = [tree for tree in model.trees if tree.lines in model.declarations]
    return replace(model, trees=tuple(kept if whole else (each for tree in kept for each in _fitted(model, tree))))


def _fitted(model: Model, tree: Tree) -> Iterator[Tree]:
    """The tree without pointers that lead nowhere; nothing if entries have no ids or no parents."""
    there = {key for key, way in tree.pointers.items() if members(model, tree, way) is not None}
    if there >= {"id", "parent"}:
        attached = tree.attached if "attached" in there else None
        yield replace(tree, attached=attached, previous=tree.previous if "previous" in there else None)
