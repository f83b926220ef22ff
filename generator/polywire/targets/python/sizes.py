"""How much text a type takes at least, brackets apart: what lets a decoder know that a line cannot be nested too deep.

Nesting costs two brackets a level. What a message of a known type must have (its keys, tags and punctuation) leaves so
much less of the line for them, and most lines are too short for the limit by that alone.
"""

from __future__ import annotations

import json

from polywire.model.nodes import Alias, Choice, Dispatch, Enum, Leaf, Model, Ref, Scalar, Struct, Type, Union
from polywire.targets.python.codec import leaf_names

SCALARS = {"string": 2, "uuid": 2, "timestamp": 2, "boolean": 4, "null": 4}
"""The shortest text of a scalar that has no brackets; of others it is one digit, or nothing beside brackets."""


class Least:
    """The least sizes of a model's types, and how many objects the texts of those sizes have at most."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[str, int] = {}
        self._counts: dict[str, int] = {}

    def objects(self, name: str) -> int:
        """Objects that a shortest text of a struct may have, itself among them; an upper bound."""
        if name not in self._counts:
            self._counts[name] = 0
            inner = (
                max((self.objects(each) for each in self._structs(field.type)), default=0)
                for field in self._model.struct(name).wire_fields
                if field.required
            )
            self._counts[name] = 1 + sum(inner)
        return self._counts[name]

    def _structs(self, type_: Type) -> list[str]:
        match type_:
            case Choice(members=members):
                return [name for member in members for name in self._structs(member)]
            case Ref(name=name):
                match self._model.declarations[name]:
                    case Struct():
                        return [name]
                    case Union(dispatch=dispatch):
                        return leaf_names(dispatch)
        return []

    def struct(self, name: str) -> int:
        """Characters of the shortest object, without its brackets and those within."""
        if name not in self._known:
            self._known[name] = 0  # what contains itself is counted once
            self._known[name] = self._members(self._model.struct(name))
        return self._known[name]

    def _members(self, struct: Struct) -> int:
        sizes = [_key(tag.key) + _constant(tag.constant) for tag in struct.tags if not tag.optional]
        sizes += [_key(const.key) + _constant(const.value) for const in struct.consts]
        for field in struct.wire_fields:
            if field.required and field.tag is None and not field.flatten:
                size = self._type(field.type)
                sizes.append(_key(field.name) + (min(size, 4) if field.nullable else size))
        return sum(sizes) + max(len(sizes) - 1, 0)

    def _type(self, type_: Type) -> int:
        match type_:
            case Scalar(kind=kind):
                return SCALARS.get(kind, 0)
            case Choice(members=members):
                return min(map(self._type, members))
            case Ref(name=name):
                return self._declared(name)
            case _:
                return 0

    def _declared(self, name: str) -> int:
        match self._model.declarations[name]:
            case Enum(base=base):
                return 2 if base == "string" else 1
            case Alias():
                return 0
            case Struct():
                return self.struct(name)
            case Union(dispatch=dispatch):
                return self._union(dispatch)

    def _union(self, dispatch: Dispatch) -> int:
        return min(map(self.struct, leaf_names(dispatch))) if not isinstance(dispatch, Leaf) else 0


def _key(key: str) -> int:
    """A member without its value: the quotes and the colon count, escapes do not."""
    return len(key) + 3


def _constant(value: object) -> int:
    return 2 if value is None else len(json.dumps(value, ensure_ascii=False)) if isinstance(value, (str, bool)) else 1
