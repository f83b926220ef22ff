"""A model → the same model with a declared alias for each inline union of several JSON kinds.

Go has no unions, so what holds such a value has to have a name, such as `BoolOrString`. A union with bounds has an
alias of its own, as the bounds are checked, but the type of the union without them. A field that the spec makes `any`
keeps its type.
"""

from __future__ import annotations

from dataclasses import replace

from polywire.ground.location import SourceLocation
from polywire.model.nodes import About, Alias, Declaration, Field, Model, Struct
from polywire.model.walk import spell, unbounded
from polywire.source.types import Choice, Ref, Type, mapped
from polywire.targets.common.unions import UnionNames
from polywire.targets.go.names import ITEMS, Names, ascii_mixed, is_sealed, override

ABOUT = "A value of one of several kinds."

NAME = "inline union "
"""What the names of these aliases begin with, before the spelling of the type; names in a spec have no spaces."""


def with_named_choices(model: Model) -> Model:
    """The model, with references to aliases in place of inline unions."""
    return _Naming(model).model()


class _Naming:
    """Names the inline unions of one model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._unions = UnionNames(model, ITEMS, Names(model).own, lambda value: ascii_mixed(str(value)))
        self._found: dict[str, Alias] = {}

    def model(self) -> Model:
        declared = {name: self._declaration(each) for name, each in self._model.declarations.items()}
        return replace(self._model, declarations=declared | self._found)

    def _declaration(self, declared: Declaration) -> Declaration:
        match declared:
            case Struct(fields=fields):
                return replace(declared, fields=tuple(map(self._field, fields)))
            case Alias(type=type_, place=place):
                return replace(declared, type=self._inside(type_, place))
            case _:
                return declared

    def _field(self, field: Field) -> Field:
        if override(field.about, "type") == "any" or not field.travels:
            return field
        named = self._named(field.type, field.place)
        return field if named is field.type else replace(field, type=named)  # a copy of each would take most time

    def _named(self, type_: Type, place: SourceLocation) -> Type:
        """A type in which every inline union is a reference to its alias."""
        inside = self._inside(type_, place)
        if not isinstance(type_, Choice):
            return inside
        bare, targets = unbounded(type_), {}
        if bare != type_:
            self._named(bare, place)
            targets = {"go": {"as": f"{NAME}{spell(bare)}"}}
        about = About(doc=ABOUT, name=self._unions.name(type_), targets=targets)
        alias = Alias(f"{NAME}{spell(type_)}", inside, about, place=place)
        if not is_sealed(self._model, alias):
            return inside
        return Ref(self._found.setdefault(alias.name, alias).name)

    def _inside(self, type_: Type, place: SourceLocation) -> Type:
        change = self._inside if isinstance(type_, Choice) else self._named
        return mapped(type_, lambda inner: change(inner, place))
