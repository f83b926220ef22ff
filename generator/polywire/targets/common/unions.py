"""The inline unions of a model → their names in one language.

A name consists of the names of the alternatives, not of the place, so that equal unions have one type. Bounds are no
part of a type, as only readers and writers check them. Different unions whose names would be the same get numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from polywire.model.nodes import Model
from polywire.model.walk import spell, types, unbounded
from polywire.source.types import NULL, Array, Choice, LiteralType, Map, Ref, Scalar, ScalarKind, TupleType, Type


@dataclass(slots=True)
class _Distinct:
    """Names by key, no two the same."""

    names: dict[str, str] = field(default_factory=dict)
    _wanted: Counter[str] = field(default_factory=Counter)
    _taken: set[str] = field(default_factory=set)

    def of(self, key: str, wanted: str) -> str:
        """The name under a key; a new one is what is wanted, with a number if another key has that."""
        if key not in self.names:
            name = wanted
            while name in self._taken:
                self._wanted[wanted] += 1
                name = f"{wanted}{self._wanted[wanted] + 1}"
            self._taken.add(name)
            self.names[key] = name
        return self.names[key]


@dataclass(slots=True)
class UnionNames:
    """Names inline unions, and the literals in them."""

    model: Model
    scalars: Mapping[ScalarKind, str]
    """Built-in type → its part of a name; those with the same part have the same type."""
    declared: Callable[[str], str]
    """The part of a declared type."""
    words: Callable[[str | bool | float], str]
    """The words of the value of a literal."""
    part: Callable[[str], str] = str
    """The part of a literal, from its words."""
    _names: _Distinct = field(default_factory=_Distinct)
    _literals: _Distinct = field(default_factory=_Distinct)

    def __post_init__(self) -> None:
        found = list(types(self.model))
        for type_ in found:
            if isinstance(type_, LiteralType):
                self.literal(type_)
        for type_ in found:
            if isinstance(type_, Choice):
                self.name(type_)

    def name(self, type_: Choice) -> str:
        """The name of an inline union, which no other has."""
        return self._names.of(spell(self.bare(type_)), self.stem(type_))

    def literal(self, type_: LiteralType) -> str:
        """The words of a literal, which no other has."""
        return self._literals.of(spell(type_), self.words(type_.value))

    def literals(self) -> Mapping[str, str]:
        """The words of each literal of the model, by its spelling."""
        return self._literals.names

    def stem(self, type_: Type) -> str:
        """The part of a type in the name of an inline union, or of a variant that holds it."""
        match type_:
            case Scalar(kind=kind):
                return self.scalars[kind]
            case LiteralType():
                return self.part(self.literal(type_))
            case Ref(name=name):
                return self.declared(name)
            case Array(item=item):
                return f"{self.stem(item)}List"
            case Map(value=value):
                return f"{self.stem(value)}Map"
            case TupleType(items=items):
                return "And".join(map(self.stem, items))
            case Choice(members=members):
                return "Or".join(map(self.stem, sorted(members, key=lambda each: each == NULL)))

    def bare(self, type_: Type) -> Type:
        """A type without bounds, in which each built-in type stands for those that have the same type."""
        return unbounded(type_, self._first)

    def _first(self, kind: ScalarKind) -> ScalarKind:
        return next(each for each, part in self.scalars.items() if part == self.scalars[kind])
