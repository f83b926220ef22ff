"""Unions → how an object finds its variant: which discriminators are looked at, and which structs it may end as."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polywire.model.nodes import Dispatch, Keys, Leaf, Model, Switch, Union
from polywire.model.walk import structs_of


@dataclass(frozen=True, slots=True)
class UnionPlan:
    """A union with what follows from its dispatch."""

    union: Union
    structs: tuple[str, ...]
    """Every struct that it may end as, through nested unions too, each once."""
    switches: tuple[Switch, ...]
    """Every look at a discriminator, the outermost first."""
    table_key: str | None
    """The discriminator, where one look into a table of texts decides: no object lacks it."""
    complete: tuple[str, ...] | None
    """Of a closed union all structs there will ever be; None for an open one."""

    @property
    def discriminators(self) -> tuple[str, ...]:
        """The keys of `switches`, each once."""
        return tuple(dict.fromkeys(switch.key for switch in self.switches))

    @property
    def text_discriminators(self) -> tuple[str, ...]:
        """Those whose values are texts."""
        texts = (s.key for s in self.switches if any(isinstance(value, str) for value, _ in s.cases))
        return tuple(dict.fromkeys(texts))


@dataclass(frozen=True, slots=True)
class UnknownPlan:
    """What an open union makes of an object without a variant; several unions may share one."""

    name: str
    """As the spec calls it."""
    unions: tuple[Union, ...]

    @property
    def union(self) -> Union:
        """The union that gives it its name in a target."""
        return self.unions[0]


def union_plan(union: Union) -> UnionPlan:
    """A union's plan."""
    structs = structs_of(union.dispatch)
    return UnionPlan(
        union=union,
        structs=structs,
        switches=tuple(_switches(union.dispatch)),
        table_key=_table_key(union.dispatch),
        complete=None if union.open else structs,
    )


def unknown_plans(model: Model) -> tuple[UnknownPlan, ...]:
    """One for each name, in the order in which unions first use it."""
    found: dict[str, list[Union]] = {}
    for union in model.unions:
        if union.open:
            found.setdefault(union.unknown, []).append(union)
    return tuple(UnknownPlan(name, tuple(unions)) for name, unions in found.items())


def _table_key(dispatch: Dispatch) -> str | None:
    if not isinstance(dispatch, Switch) or dispatch.absent is not None:
        return None
    return dispatch.key if all(isinstance(value, str) for value, _ in dispatch.cases) else None


def _switches(dispatch: Dispatch | None) -> Iterator[Switch]:
    match dispatch:
        case Switch(cases=cases, absent=absent):
            yield dispatch
            for _, then in cases:
                yield from _switches(then)
            yield from _switches(absent)
        case Keys(cases=conditions):
            for _, then in conditions:
                yield from _switches(then)
        case Leaf() | None:
            pass
