"""Unions → how an object's variant is found: which discriminators are read, and which structs an object can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polywire.model.nodes import Dispatch, Field, Leaf, Model, Switch, Union
from polywire.model.walk import structs_of
from polywire.plan.shared import SharedMember, shared_members


@dataclass(frozen=True, slots=True)
class ReadableField:
    """A field that an Unknown gives access to: the value under its key, if it is present and fits in lenient mode."""

    struct: str
    """The type that declares the field."""
    field: Field


@dataclass(frozen=True, slots=True)
class UnionPlan:
    """A union with the facts derived from its dispatch."""

    union: Union
    structs: tuple[str, ...]
    """Every struct that it can decode to, including those of nested unions, without duplicates."""
    switches: tuple[Switch, ...]
    """Every dispatch on a discriminator, the outermost first."""
    complete: tuple[str, ...] | None
    """For a closed union, all structs; None for an open one."""
    views: tuple[ReadableField, ...] = ()
    """What its Unknown gives access to besides the discriminators."""
    shared: tuple[SharedMember, ...] = ()
    """The members that can be read on the union."""

    @property
    def discriminators(self) -> tuple[str, ...]:
        """The keys of `switches`, without duplicates."""
        return tuple(dict.fromkeys(switch.key for switch in self.switches))

    @property
    def text_discriminators(self) -> tuple[str, ...]:
        """The discriminators whose values are strings."""
        texts = (s.key for s in self.switches if s.base == "string" and s.ways)
        return tuple(dict.fromkeys(texts))


@dataclass(frozen=True, slots=True)
class UnknownPlan:
    """The result of an open union for an object without a variant; several unions may share one."""

    name: str
    """Its name in the spec."""
    unions: tuple[Union, ...]

    @property
    def union(self) -> Union:
        """The union that gives it its name in a target."""
        return self.unions[0]


def union_plan(model: Model, union: Union) -> UnionPlan:
    """The plan of a union."""
    structs, switches = structs_of(union.dispatch), tuple(_switches(union.dispatch))
    return UnionPlan(
        union=union,
        structs=structs,
        switches=switches,
        complete=None if union.open else structs,
        views=tuple(_views(model, union, {switch.key for switch in switches})),
        shared=shared_members(model, structs),
    )


def _views(model: Model, union: Union, known: set[str]) -> Iterator[ReadableField]:
    """The fields of the types that an Unknown includes, each key once, without the discriminators."""
    seen = set(known)
    for name in union.views:
        for field in model.struct(name).wire_fields:
            if field.name not in seen and field.tag is None and not field.flatten:
                seen.add(field.name)
                yield ReadableField(name, field)


def unknown_plans(model: Model) -> tuple[UnknownPlan, ...]:
    """One Unknown for each name, in the order in which unions first use it."""
    found: dict[str, list[Union]] = {}
    for union in model.unions:
        if union.open:
            found.setdefault(union.unknown, []).append(union)
    return tuple(UnknownPlan(name, tuple(unions)) for name, unions in found.items())


def _switches(dispatch: Dispatch) -> Iterator[Switch]:
    if isinstance(dispatch, Leaf):
        return
    if isinstance(dispatch, Switch):
        yield dispatch
    for then in dispatch.thens:
        yield from _switches(then)
