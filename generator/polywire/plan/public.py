"""The model → the API that every package offers, in any language: names, and which of them may be extended.

A target adds the spelling in its language and the parts that only it has (`polywire.targets.common.api_surface`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from polywire.model.nodes import Alias, Declaration, Enum, Model, Struct, Union
from polywire.model.reachability import starts
from polywire.model.walk import held, structs_of

DeclarationKind: TypeAlias = Literal["enum", "alias", "struct", "union"]


@dataclass(frozen=True, slots=True)
class Public:
    """A declaration that user code can name."""

    name: str
    kind: DeclarationKind
    open: bool | None = None
    """For an enum or a union, whether peers may send undeclared values or variants."""
    complete: tuple[str, ...] | None = None
    """If it is closed: what an exhaustive match must list, by names in the spec."""


def public(model: Model) -> tuple[Public, ...]:
    """Every declaration, in the model's order."""
    return tuple(_public(declared) for declared in model.declarations.values())


def _public(declared: Declaration) -> Public:
    match declared:
        case Enum(name=name, open=open_, values=values):
            return Public(name, "enum", open_, None if open_ else tuple(value.name for value in values))
        case Union(name=name, open=open_, dispatch=dispatch):
            return Public(name, "union", open_, None if open_ else structs_of(dispatch))
        case Alias(name=name):
            return Public(name, "alias")
        case Struct(name=name):
            return Public(name, "struct")


def bare_mixins(model: Model) -> frozenset[str]:
    """The structs that others include and that are not the type of anything, so users never have one."""
    included = {name for struct in model.structs for name in struct.include}
    met = {*starts(model), *(name for declared in model.declarations.values() for name in _met(declared))}
    return frozenset(included - met)


def _met(declared: Declaration) -> Iterator[str]:
    """The declarations whose values occur in values of this one."""
    return iter(structs_of(declared.dispatch)) if isinstance(declared, Union) else held(declared)
