"""Rules on trees of entries: their pointers lead to ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from polywire.checks.context import RuleContext
from polywire.checks.rule import Rule, Violation
from polywire.checks.rules.controls import instead
from polywire.checks.rules.graph import find
from polywire.ground.engine import pointer
from polywire.model.nodes import Enum, Field, Model, Pointer, Tree
from polywire.model.trees import members
from polywire.model.walk import alternatives, spell
from polywire.source.types import NULL, LiteralType, Ref, Scalar, ScalarKind, Type


def lost_pointers_of_trees(context: RuleContext) -> Iterator[Violation]:
    """Pointers of trees that lead nowhere; it is enough that some variants of a union have the member."""
    for tree in context.model.trees:
        for key, way in tree.pointers.items():
            if members(context.model, tree, way) is None:
                end, place = find(context, tree.lines, way), context.at(tree.place, key)
                if end is None:
                    what = f"`{pointer(way)}` is a constant or an earlier name" if way else f"`{key}` is the entry"
                    yield Violation(place, what, "write a pointer to a member with an id, by its newest name")
                else:
                    yield Violation(place, f"`{pointer(way)}` does not exist: {end.why}", instead(way, end))


def _bad_tree(context: RuleContext) -> Iterator[Violation]:
    for tree in context.model.trees:
        known = _kinds_at(context.model, tree, tree.id)
        for key, way in tree.pointers.items():
            place = context.at(tree.place, key)
            kinds = _kinds_at(context.model, tree, way)
            wrong = next((type_ for type_, kind in kinds.items() if kind is None), None)
            if wrong is not None:
                message = f"`{pointer(way)}` can be {spell(wrong)}, but ids are strings or integers"
                yield Violation(place, message, "write a pointer to a member with an id")
            elif known and None not in known.values() and not {*kinds.values()} <= {*known.values()}:
                other = next(type_ for type_, kind in kinds.items() if kind not in known.values())
                message = f"`{pointer(way)}` can be {spell(other)}, which is not what `{pointer(tree.id)}` is"
                yield Violation(place, message, "both must be strings, or both integers")


_IDS: Mapping[ScalarKind, str] = {"string": "string", "uuid": "string", "timestamp": "string", "integer": "integer"}
"""The kinds of scalars that can be ids."""


def _kinds_at(model: Model, tree: Tree, way: Pointer) -> dict[Type, str | None]:
    """The types at a pointer, each with `string` or `integer`, or None if it has other values."""
    found = members(model, tree, way)
    fields: tuple[Field, ...] = () if found is None else found.fields
    types = (type_ for field in fields for type_ in alternatives(field.type, model.declarations) if type_ != NULL)
    return {type_: _kind(model, type_) for type_ in types}


def _kind(model: Model, type_: Type) -> str | None:
    match type_:
        case Scalar(kind=kind) | LiteralType(kind=kind):
            return _IDS.get(kind)
        case Ref(name=name) if isinstance(declared := model.declarations.get(name), Enum):
            return declared.base
        case _:
            return None


RULES = (
    Rule(
        "bad-tree",
        "The ids of a tree are strings or integers, and those of parents are of the kind of ids.",
        "error",
        "values",
        _bad_tree,
        needs_sound=True,
    ),
)
