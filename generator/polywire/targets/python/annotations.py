"""Type expressions → annotations, as people write them and type checkers accept them."""

from __future__ import annotations

from polywire.model.nodes import Array, Choice, LiteralType, Map, Model, Ref, Scalar, TupleType, Type
from polywire.targets.python.layout import literal
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
        text = self._of(type_)
        return f"{text} | None" if nullable and not text.endswith("| None") and text not in {"None", "Any"} else text

    def _of(self, type_: Type) -> str:
        match type_:
            case Scalar(kind=kind):
                return TYPES[kind]
            case LiteralType(value=value):
                return "float" if isinstance(value, float) else f"Literal[{literal(value)}]"
            case TupleType(items=items):
                return f"tuple[{', '.join(map(self._of, items))}]"
            case Ref(name=name):
                return self._names.type(name)
            case Array(item=item):
                return f"list[{self._of(item)}]"
            case Map(value=value, key=key):
                return f"dict[{self._names.type(key) if key else 'str'}, {self._of(value)}]"
            case Choice(members=members):
                parts = [self._of(member) for member in members]
                return " | ".join([p for p in dict.fromkeys(parts) if p != "None"] + ["None"] * ("None" in parts))

    def mentions(self, type_: Type) -> frozenset[str]:
        """The names that an annotation of the type must import: declared types, and `Any`."""
        match type_:
            case Scalar(kind=kind):
                return frozenset({"Any"} if kind in {"json", "object"} else ())
            case LiteralType(value=value):
                return frozenset(() if isinstance(value, float) else {"Literal"})
            case TupleType(items=items):
                return frozenset().union(*map(self.mentions, items))
            case Ref(name=name):
                return frozenset({self._names.type(name)})
            case Array(item=item):
                return self.mentions(item)
            case Map(value=value, key=key):
                return self.mentions(value) | ({self._names.type(key)} if key else set())
            case Choice(members=members):
                return frozenset().union(*map(self.mentions, members))


def alternatives(annotation: str) -> list[str]:
    """The members of a union annotation; those inside brackets are not split."""
    found = [""]
    for part in annotation.split(" | "):
        found[-1] += part
        if found[-1].count("[") == found[-1].count("]"):
            found.append("")
        else:
            found[-1] += " | "
    return [each.removesuffix(" | ") for each in found if each]
