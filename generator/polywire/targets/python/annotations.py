"""Type expressions → annotations, as people write them and type checkers accept them."""

from __future__ import annotations

from collections.abc import Iterable

from polywire.model.nodes import Model
from polywire.model.walk import parts
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type
from polywire.targets.python.layout import scalar
from polywire.targets.python.names import Names

TYPES = {
    "string": "str",
    "uuid": "str",
    "timestamp": "str",
    "boolean": "bool",
    "integer": "int",
    "number": "float",
    "json": "Any",
    "object": "dict[str, Any]",
    "null": "None",
}


class Annotations:
    """Writes the annotations of a model."""

    def __init__(self, model: Model, names: Names) -> None:
        self.model = model
        self._names = names

    def of(self, type_: Type, *, nullable: bool = False) -> str:
        """The annotation of a type, with `| None` if null or absence is represented by None."""
        return union_of(self.members(type_, nullable=nullable))

    def members(self, type_: Type, *, nullable: bool = False) -> tuple[str, ...]:
        """The members of the annotation of a type, which is a union if there are several; None is the last of them."""
        found = self._members(type_)
        return none_last((*found, "None") if nullable and found != ("Any",) else found)

    def _members(self, type_: Type) -> tuple[str, ...]:
        match type_:
            case Scalar(kind=kind):
                return (TYPES[kind],)
            case LiteralType(value=value):
                return ("float" if isinstance(value, float) else f"Literal[{scalar(value)}]",)
            case TupleType(items=items):
                return (f"tuple[{', '.join(map(self.of, items))}]",)
            case Ref(name=name):
                return (self._names.type(name),)
            case Array(item=item):
                return (f"list[{self.of(item)}]",)
            case Map(value=value, key=key):
                return (f"dict[{self._names.type(key) if key else 'str'}, {self.of(value)}]",)
            case Choice(members=members):
                return tuple(each for member in members for each in self._members(member))

    def mentions(self, type_: Type) -> frozenset[str]:
        """The names that an annotation of the type must import: declared types, and `Any`."""
        found: set[str] = set()
        for part in parts(type_):
            match part:
                case Scalar(kind="json" | "object"):
                    found.add("Any")
                case LiteralType(value=value) if not isinstance(value, float):
                    found.add("Literal")
                case Ref(name=name) | Map(key=str() as name):
                    found.add(self._names.type(name))
        return frozenset(found)


def none_last(members: Iterable[str]) -> tuple[str, ...]:
    """The members of a union without duplicates, with all literals in one, and with None as the last."""
    found = dict.fromkeys(members)
    literals = ", ".join(each.removeprefix("Literal[")[:-1] for each in found if each.startswith("Literal["))
    joined = dict.fromkeys(f"Literal[{literals}]" if each.startswith("Literal[") else each for each in found)
    return (*(each for each in joined if each != "None"), *(each for each in joined if each == "None"))


def union_of(members: Iterable[str]) -> str:
    """The annotation of a union with these members."""
    return " | ".join(members)
