"""Types of the spec → Go types: what a value is held as, and which reader and writer it has.

A shape is a type as the package sees it. Its `form` says how absence and null show: a *plain* value has neither, a
*pointer* has nil, and so has a value of a type with a *nil* of its own (slices, maps, interfaces).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from polywire.model.nodes import (
    Alias,
    Array,
    Choice,
    Enum,
    Map,
    Model,
    Ref,
    Scalar,
    Struct,
    Switch,
    Type,
    Union,
)
from polywire.plan.rows import kinds
from polywire.targets.go.names import Names, override

Form: TypeAlias = Literal["plain", "pointer", "nil"]

SCALARS: dict[str, tuple[str, str, Form]] = {
    "string": ("text", "string", "plain"),
    "timestamp": ("text", "string", "plain"),
    "uuid": ("text", "string", "plain"),
    "boolean": ("bool", "bool", "plain"),
    "integer": ("int", "int", "plain"),
    "number": ("float", "float64", "plain"),
    "json": ("any", "any", "nil"),
    "object": ("object", "map[string]any", "nil"),
    "null": ("any", "any", "nil"),
}
"""Kind of shape, Go type and form of each built-in type. A uuid is one only where a field holds it: see `structs`."""

ZEROS = {"text": '""', "bool": "false", "int": "0", "float": "0", "uuid": "uuid.UUID{}"}
"""The zero value by kind of shape, where it can be compared with."""

COMPOSED = frozenset({"list", "map", "nullable", "nil"})
"""Kinds of shapes that are made of others."""

ABSENT_AS_ZERO = frozenset({"text", "bool", "uuid"})
"""What is plain also where it may be absent: the zero value then stands for that."""


@dataclass(frozen=True, slots=True)
class Member:
    """One kind of value of a choice."""

    kind: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class Shape:
    """One type."""

    kind: str
    """text bool int float uuid any object · own (a reader of its own) · list map nullable nil"""
    go: str
    form: Form
    own: str = ""
    """What its reader and writer are called after."""
    item: Shape | None = None
    struct: bool = False
    """Whether it is a struct, whose zero value cannot be compared with."""
    key: str = ""
    """Go type of a map's keys."""

    @property
    def zero(self) -> str:
        return ZEROS.get(self.kind, '""' if not self.struct else "")

    @property
    def word(self) -> str:
        """What it is called within a name."""
        return _word(self)


@dataclass(frozen=True, slots=True)
class GoChoice:
    """A choice of JSON kinds, held as `any`."""

    name: str
    members: tuple[Member, ...]
    type: Type


class Shapes:
    """The shapes of a model's types, and the choices met on the way."""

    def __init__(self, model: Model, names: Names) -> None:
        self.model = model
        self._names = names
        self.choices: dict[str, GoChoice] = {}
        self.helpers: dict[str, Shape] = {}

    def of(self, type_: Type) -> Shape:
        """The shape of a type."""
        match type_:
            case Scalar(kind=kind):
                shape, go, form = SCALARS[kind]
                return Shape(shape, go, form)
            case Array(item=item):
                inner = self.need(self.of(item))
                return Shape("list", f"[]{inner.go}", "nil", item=inner)
            case Map(value=value, key=key):
                inner = self.need(self.of(value))
                by, known = self._key(key)
                return Shape("map", f"map[{by}]{inner.go}", "nil", known, item=inner, key=by)
            case Choice():
                return self._choice(type_)
            case Ref(name=name):
                return self._declared(name)

    def _key(self, enum: str | None) -> tuple[str, str]:
        """The Go type of a map's keys, and the function that knows them if there are no others."""
        declared = self.model.enum(enum) if enum is not None else None
        if declared is None or declared.base != "string":
            return "string", ""
        go = self._names.type(declared.name)
        if override(declared.about, "layout") == "string":
            return "string", "" if declared.open else known_function(declared, go)
        return go, "" if declared.open else known_function(declared, go)

    def need(self, shape: Shape) -> Shape:
        """Note that a shape needs a reader and a writer by a name of their own."""
        if shape.kind in COMPOSED:
            self.helpers.setdefault(shape.word, shape)
        return shape

    def _declared(self, name: str) -> Shape:
        declared = self.model.declarations[name]
        go, own = self._names.type(name), self._names.own(name)
        match declared:
            case Enum(base="integer"):
                return Shape("int", go, "plain") if declared.open else Shape("int", go, "plain", own)
            case Enum():
                if override(declared.about, "layout") == "string":
                    go = "string"
                return Shape("text", go, "plain", "" if declared.open else own)
            case Struct():
                return Shape("own", go, "plain", own, struct=True)
            case Union():
                if is_flat(declared):
                    return Shape("own", go, "plain", own, struct=True)
                return Shape("own", go, "nil", own)
            case Alias(type=Choice()) if is_flat(declared):
                return Shape("own", go, "plain", own, struct=True)
            case Alias(type=type_):
                return self._alias(go, own, type_)

    def _alias(self, go: str, own: str, type_: Type) -> Shape:
        if isinstance(type_, Choice) and not self._nullable(type_):
            self.choices.setdefault(own, GoChoice(own, (), type_))
            if not self.choices[own].members:
                self.choices[own] = GoChoice(own, self._members(type_), type_)
            return Shape("own", go, "nil", own)
        return replace(self.of(type_), go=go)

    def _nullable(self, type_: Choice) -> Type | None:
        """What may be null, where that is all that a choice says."""
        rest = [member for member in type_.members if kinds(self.model, member) != ("null",)]
        return rest[0] if len(rest) == 1 and len(type_.members) == 2 else None

    def _choice(self, type_: Choice) -> Shape:
        other = self._nullable(type_)
        if other is not None:
            shape = self.need(self.of(other))
            if shape.form == "nil":
                return Shape("nil", shape.go, "nil", item=shape)
            return Shape("nullable", f"*{shape.go}", "nil", item=shape)
        members = self._members(type_)
        name = "Or".join(_word(member.shape) for member in members if member.kind != "null")
        name = "".join(c for c in name if c.isalnum()) + ("OrNull" if any(m.kind == "null" for m in members) else "")
        while name in self.choices and self.choices[name].type != type_:
            name += "X"
        self.choices[name] = GoChoice(name, members, type_)
        return Shape("own", "any", "nil", name)

    def _members(self, type_: Choice) -> tuple[Member, ...]:
        return tuple(
            Member(kind, Shape("any", "any", "nil") if kind == "null" else self.of(member))
            for member in type_.members
            for kind in kinds(self.model, member)
        )

    def loosened(self, type_: Type) -> Shape:
        """A type that a field holds as `any` because the spec wants it so."""
        shape = self.of(type_)
        if shape.go == "any":
            return shape
        name = f"Any{_word(shape)}"
        (kind,) = kinds(self.model, type_)
        self.choices[name] = GoChoice(name, (Member(kind, shape),), type_)
        return Shape("own", "any", "nil", name)


def _word(shape: Shape) -> str:
    """What a shape is called within a name."""
    match shape.kind:
        case "list":
            return f"ListOf{_word(shape.item)}" if shape.item else "List"
        case "map":
            return f"MapOf{_word(shape.item)}By{shape.key[:1].upper()}{shape.key[1:]}" if shape.item else "Map"
        case "nullable" | "nil":
            return f"NullOr{_word(shape.item)}" if shape.item else "Null"
        case "any" | "object" | "float" | "bool":
            return {"any": "JSON", "object": "Object", "float": "Number", "bool": "Bool"}[shape.kind]
    name = shape.own or shape.go
    return name[:1].upper() + name[1:]


def is_flat(declared: Union | Alias) -> bool:
    """Whether the variants of a union share one struct."""
    if isinstance(declared, Union) and not isinstance(declared.dispatch, Switch):
        return False
    if isinstance(declared, Alias) and not isinstance(declared.type, Choice):
        return False
    return override(declared.about, "layout") == "flat" or (
        isinstance(declared, Union) and override(declared.about, "as") is not None
    )


def known_function(enum: Enum, go: str) -> str:
    """What says whether a value of an enum is declared."""
    return f"Known{go}" if override(enum.about, "layout") == "string" else f"{go}.Known"
