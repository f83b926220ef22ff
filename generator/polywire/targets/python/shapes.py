"""Type expressions → annotations for people, and shapes for the codecs: how a value is checked and converted.

A shape is what the templates of the decoders and encoders switch on: its `kind`, and the names of the functions or
tables that the code calls. Whatever is more than one step (a list of objects, a choice) becomes a helper function, made
once for all fields of that type and named after it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from polywire.model.nodes import Alias, Array, Choice, Enum, Map, Model, Ref, Scalar, Struct, Type, Union
from polywire.plan import Plan
from polywire.targets.naming import snake, words
from polywire.targets.python.names import Names

Kind: TypeAlias = Literal[
    "string",
    "boolean",
    "integer",
    "number",
    "json",
    "object",
    "null",
    "enum",
    "struct",
    "union",
    "list",
    "map",
    "choice",
    "slow",
]
"""`slow` is what only the slow pass handles: an alias that contains itself."""

STUB_TYPES = {
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

RUNTIME_TYPES = STUB_TYPES | {"json": "object", "object": "dict[str, object]"}
"""At run time annotations use nothing that would have to be imported first."""

SCALARS: dict[str, Kind] = {
    "string": "string",
    "uuid": "string",
    "timestamp": "string",
    "boolean": "boolean",
    "integer": "integer",
    "number": "number",
    "json": "json",
    "object": "object",
    "null": "null",
}

PYTHON_TYPES: dict[Kind, str] = {
    "string": "str",
    "boolean": "bool",
    "list": "list",
    "map": "dict",
    "object": "dict",
    "struct": "dict",
    "union": "dict",
}
"""What `json` makes of a value of that kind, where one type tells it from the other members of a choice."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One type as the codecs see it."""

    kind: Kind
    name: str = ""
    """The Python name of the class or the stem of the table's or helper's name."""
    item: Shape | None = None
    members: tuple[Shape, ...] = ()
    values: tuple[str | int, ...] = ()
    """A closed enum's values."""
    integers: bool = False
    """Whether the enum's values are integers."""
    tagged: bool = False
    """Whether the struct has tags that unions check first, and somebody else has to where none is asked."""
    switch: str | None = None
    """The key of a union that is decided by one look into a table."""

    @property
    def converts(self) -> bool:
        """Whether decoding gives another value than it takes."""
        match self.kind:
            case "struct" | "union" | "number":
                return True
            case "list" | "map":
                return self.item is not None and self.item.kind not in {"string", "boolean"}
            case "choice":
                return True
            case _:
                return False

    @property
    def beside_text(self) -> Shape | None:
        """What a choice of text and one other type is otherwise, if the decoder of that takes nothing else."""
        if self.kind == "choice" and len(self.members) == 2 and self.members[0].kind == "string":
            return self.members[1] if self.members[1].converts else None
        return None

    @property
    def helper(self) -> bool:
        """Whether a function of its own decodes it."""
        return self.kind in {"list", "map", "choice"} and self.converts and self.beside_text is None

    @property
    def python(self) -> str:
        return PYTHON_TYPES[self.kind]


@dataclass(slots=True)
class Shapes:
    """The shapes of a model, with the helpers that they need in the order they were first asked for."""

    plan: Plan
    names: Names
    helpers: dict[str, Shape] = field(default_factory=dict)
    _variants: frozenset[str] = field(init=False)
    """The structs that some union decodes, once it has looked at their tags."""
    _open: list[str] = field(default_factory=list)
    """The aliases that are being followed."""

    def __post_init__(self) -> None:
        self._variants = self.plan.variants

    @property
    def model(self) -> Model:
        """The model of the plan."""
        return self.plan.model

    def of(self, type_: Type) -> Shape:
        """The shape of a type."""
        shape = self._shape(type_)
        if shape.kind in {"list", "map", "choice"}:
            self.helpers.setdefault(shape.name, shape)
        return shape

    def _shape(self, type_: Type) -> Shape:
        match type_:
            case Scalar(kind=kind):
                return Shape(SCALARS[kind])
            case Ref(name=name):
                return self._declared(name)
            case Array(item=item):
                inner = self.of(item)
                return Shape("list", f"list_of_{_stem(inner)}", item=inner)
            case Map(value=value, key=key):
                inner = self.of(value)
                enum = self.model.enum(key) if key else None
                closed = enum is not None and not enum.open
                stem = f"map_of_{_stem(inner)}" + (f"_by_{snake(words(key))}" if key and closed else "")
                values = tuple(str(each.wire) for each in enum.values) if enum and closed else ()
                return Shape("map", stem, item=inner, values=values)
            case Choice(members=members):
                shapes = tuple(self.of(member) for member in members)
                flat = tuple(
                    each for shape in shapes for each in (shape.members if shape.kind == "choice" else (shape,))
                )
                flat = tuple(sorted(flat, key=lambda shape: shape.kind != "string"))  # a text is the commonest by far
                return Shape("choice", "_or_".join(_stem(each) for each in flat), members=flat)

    def _declared(self, name: str) -> Shape:
        match self.model.declarations[name]:
            case Alias(type=type_):
                if name in self._open:
                    return Shape("slow")
                self._open.append(name)
                try:
                    return self.of(type_)
                finally:
                    self._open.pop()
            case Enum() as enum:
                values = () if enum.open else tuple(each.wire for each in enum.values)
                if not values:
                    return Shape("integer" if enum.base == "integer" else "string")
                return Shape("enum", self.names.type(name), values=values, integers=enum.base == "integer")
            case Struct() as struct:
                return Shape("struct", self.names.type(name), tagged=self.tagged(struct))
            case Union():
                return Shape("union", self.names.type(name), switch=self.plan.unions[name].table_key)

    def tagged(self, struct: Struct) -> bool:
        """Whether a struct's decoder relies on a union having looked at its tags."""
        return struct.name in self._variants and any(t.constant is not None and not t.optional for t in struct.tags)

    # Annotations.

    def annotation(self, type_: Type, *, runtime: bool = False, nullable: bool = False) -> str:
        """The type as people write it, `| None` behind it where null or absence is told by None."""
        text = self._annotation(type_, runtime=runtime)
        return f"{text} | None" if nullable and not text.endswith("| None") and text != "None" else text

    def _annotation(self, type_: Type, *, runtime: bool) -> str:
        match type_:
            case Scalar(kind=kind):
                return (RUNTIME_TYPES if runtime else STUB_TYPES)[kind]
            case Ref(name=name):
                declared = self.model.declarations[name]
                if runtime and isinstance(declared, Enum):
                    return "int" if declared.base == "integer" else "str"
                if runtime and isinstance(declared, Alias):
                    return self._annotation(declared.type, runtime=True) if self._ends(name) else "object"
                return self.names.type(name)
            case Array(item=item):
                return f"list[{self._annotation(item, runtime=runtime)}]"
            case Map(value=value, key=key):
                key_type = self._annotation(Ref(key), runtime=runtime) if key else "str"
                return f"dict[{key_type}, {self._annotation(value, runtime=runtime)}]"
            case Choice(members=members):
                parts = [self._annotation(member, runtime=runtime) for member in members]
                return " | ".join([p for p in dict.fromkeys(parts) if p != "None"] + ["None"] * ("None" in parts))

    def mentions(self, type_: Type) -> frozenset[str]:
        """The names that an annotation of the type has to import: declared types, and `Any`."""
        match type_:
            case Scalar(kind=kind):
                return frozenset({"Any"} if kind in {"json", "object"} else ())
            case Ref(name=name):
                return frozenset({self.names.type(name)})
            case Array(item=item):
                return self.mentions(item)
            case Map(value=value, key=key):
                return self.mentions(value) | ({self.names.type(key)} if key else set())
            case Choice(members=members):
                return frozenset().union(*map(self.mentions, members))

    def _ends(self, alias: str) -> bool:
        """Whether an alias, written out, comes to an end."""
        seen: set[str] = set()
        pending = [alias]
        while pending:
            name = pending.pop()
            declared = self.model.declarations[name]
            if isinstance(declared, Alias):
                if name in seen:
                    return False
                seen.add(name)
                pending.extend(_references(declared.type))
        return True


def _references(type_: Type) -> list[str]:
    match type_:
        case Ref(name=name):
            return [name]
        case Array(item=item):
            return _references(item)
        case Map(value=value):
            return _references(value)
        case Choice(members=members):
            return [name for member in members for name in _references(member)]
        case _:
            return []


def _stem(shape: Shape) -> str:
    """The part of a helper's name that says what it is of."""
    return f"either_{shape.name}" if shape.kind == "choice" else shape.name or shape.kind
