"""Types of the spec → Go types: the representation of a value, and its reader and writer.

A shape is a type as the package represents it. Its `form` describes absence and null: a *plain* value supports neither;
a *pointer* may be nil, and so may a type that has its own *nil* (slices, maps, interfaces); a *nullable* is the struct
of the runtime that distinguishes both from a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from polywire.ground.engine import Kind
from polywire.model.nodes import Alias, Enum, Field, Model, Struct, Switch, Union
from polywire.model.walk import contains_itself, without_alias
from polywire.plan.rows import kinds
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, ScalarKind, TupleType, Type
from polywire.targets.go.names import Names, is_mixed, is_sealed, or_null, override

Form: TypeAlias = Literal["plain", "pointer", "nil", "nullable"]


@dataclass(frozen=True, slots=True)
class Alternative:
    """One kind of value of a choice."""

    kind: Kind
    shape: Shape
    type: Type
    go: str
    """The Go type of the value in an interface."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The representation of a type."""

    kind: str
    """text bool int float uuid any object · own (a declared struct, union or choice) · list map tuple nullable nil"""
    go: str
    form: Form
    item: Shape | None = None
    struct: bool = False
    choice: tuple[Alternative, ...] | None = None
    """The alternatives, if the value is held as `any`."""
    sealed: str = ""
    """The alias whose interface holds the value."""


ANY = Shape("any", "any", "nil")

SCALARS: Mapping[ScalarKind, Shape] = {
    **dict.fromkeys(("string", "timestamp", "uuid"), Shape("text", "string", "plain")),
    "boolean": Shape("bool", "bool", "plain"),
    "integer": Shape("int", "int64", "plain"),
    "number": Shape("float", "float64", "plain"),
    "object": Shape("object", "map[string]any", "nil"),
    "json": ANY,
    "null": ANY,
}
"""The shape of each built-in type. Only fields represent a uuid as one: see `structs`.

Every integer is an int64, even with bounds: an int has 32 bits on some platforms, and bounds are checked in strict
mode only, so a bounded int could not hold there what it holds elsewhere.
"""


def held_as(go: str, form: Form) -> str:
    """The Go type of a field."""
    return {"pointer": f"*{go}", "nullable": f"Nullable[{go}]"}.get(form, go)


class Shapes:
    """Computes the shapes of a model's types."""

    def __init__(self, model: Model, names: Names) -> None:
        self.model = model
        self._names = names
        self.recursive = frozenset(each.name for each in model.aliases if contains_itself(each, model.declarations))
        """The aliases that contain themselves other than through a struct or union."""

    def of(self, type_: Type) -> Shape:
        """The shape of a type."""
        match type_:
            case Scalar(kind=kind) | LiteralType(kind=kind):
                return SCALARS[kind]
            case TupleType(items=items):
                held = ", ".join(self.of(item).go for item in items)
                return Shape("tuple", f"Tuple{len(items)}[{held}]", "plain")
            case Array(item=item):
                inner = self.of(item)
                return Shape("list", f"[]{inner.go}", "nil", item=inner)
            case Map(value=value, key=key):
                inner = self.of(value)
                return Shape("map", f"map[{self._key(key)}]{inner.go}", "nil", item=inner)
            case Choice():
                return self._choice(type_)
            case Ref(name=name):
                return self._declared(name)

    def _key(self, enum: str | None) -> str:
        """The Go type of the keys of a map."""
        return "string" if enum is None or self.model.enum(enum).base != "string" else self._declared(enum).go

    def _declared(self, name: str) -> Shape:
        declared = self.model.declarations[name]
        go = self._names.type(name)
        match declared:
            case Enum(base="integer"):
                return Shape("int", go, "plain")
            case Enum():
                if override(declared.about, "layout") == "string":
                    go = "string"
                return Shape("text", go, "plain")
            case Struct():
                return Shape("own", go, "plain", struct=True)
            case Union():
                return Shape("own", go, "plain", struct=True) if is_flat(declared) else Shape("own", go, "nil")
            case Alias() if is_mixed(declared):
                return Shape("own", go, "plain", struct=True)
            case Alias() if is_sealed(self.model, declared):
                return Shape("own", go, "nil", sealed=name)
            case Alias() if name in self.recursive:
                return self._recurring(go, declared)
            case Alias(type=type_):
                return replace(self.of(type_), go=go)

    def definition(self, alias: Alias) -> str:
        """The definition of an alias; one that contains itself gets its own Go type, as Go has no recursive aliases."""
        if is_sealed(self.model, alias):
            return f"interface{{ is{self._names.own(alias.name)}() }}"
        if alias.name not in self.recursive:
            return f"= {self.of(alias.type).go}"
        return "= any" if self._nested(alias) is None else self.of(alias.type).go

    def _nested(self, alias: Alias) -> Array | Map | None:
        """The list or map that an alias stands for, ignoring null; None if its values have any Go type."""
        type_ = without_alias(alias.type, self.model.declarations)
        type_ = without_alias(self.or_else(type_), self.model.declarations)
        return type_ if isinstance(type_, (Array, Map)) else None

    def or_else(self, type_: Type) -> Type:
        """A type without null, if it is a choice between null and one other type, but no alias that contains itself."""
        is_recursive = isinstance(type_, Ref) and type_.name in self.recursive
        other = None if is_recursive else self.or_null(without_alias(type_, self.model.declarations))
        return type_ if other is None else self.or_else(other)

    def _recurring(self, go: str, alias: Alias) -> Shape:
        """The shape of an alias that contains itself, without the shape of its content."""
        nested = self._nested(alias)
        if nested is None:
            return Shape("own", go, "nil", choice=())
        return Shape("list" if isinstance(nested, Array) else "map", go, "nil")

    def or_null(self, type_: Type) -> Type | None:
        """The other type, if a type is a choice between null and one other type."""
        return or_null(self.model, type_)

    def _choice(self, type_: Choice) -> Shape:
        other = self.or_null(type_)
        if other is None:
            return Shape("own", "any", "nil", choice=self.members(type_))
        shape = self.of(other)
        if shape.form == "nil":
            return Shape("nil", shape.go, "nil", item=shape)
        return Shape("nullable", f"*{shape.go}", "nil", item=shape)

    def members(self, type_: Type, alias: str = "") -> tuple[Alternative, ...]:
        """The alternatives of a choice, or a type as a choice with one alternative.

        A value is held as `any`, or by the interface of an alias, which has types for those that are no structs.
        """
        return tuple(
            self._member(member, kind, alias) for member in self._plain(type_) for kind in kinds(self.model, member)
        )

    def _member(self, type_: Type, kind: Kind, alias: str) -> Alternative:
        shape = ANY if kind == "null" else self.of(type_)
        is_own = not alias or kind == "null" or shape.struct or shape.kind == "own"
        return Alternative(kind, shape, type_, shape.go if is_own else self._names.case(alias, kind))

    def _plain(self, type_: Type) -> Iterator[Type]:
        """The alternatives of a type, with those of nested choices that have no struct of their own."""
        alias = self.model.declarations.get(type_.name) if isinstance(type_, Ref) else None
        if isinstance(alias, Alias) and not is_mixed(alias):
            plain = without_alias(alias.type, self.model.declarations)
            yield from self._plain(plain) if isinstance(plain, Choice) else (type_,)
        elif isinstance(type_, Choice):
            for member in type_.members:
                yield from self._plain(member)
        else:
            yield type_

    def cases(self, alias: Alias) -> tuple[Alternative, ...]:
        """The alternatives of an interface; a struct is held by a pointer."""
        return self.members(alias.type, alias.name)

    def loosened(self, field: Field) -> tuple[Alternative, ...] | None:
        """The value of a field that has type any because of an override, though its type has a Go type."""
        shape = self.of(field.type)
        if override(field.about, "type") != "any" or shape.go == "any":
            return None
        (kind,) = kinds(self.model, field.type)
        return (Alternative(kind, shape, field.type, shape.go),)


def is_flat(union: Union) -> bool:
    """Whether the variants of a union share one struct."""
    return isinstance(union.dispatch, Switch) and (
        override(union.about, "layout") == "flat" or override(union.about, "as") is not None
    )
