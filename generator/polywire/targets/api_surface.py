"""What a package shows to user code: its names, and what the compiler or type checker knows of each.

Two models' packages are compared by this, so that a change of a spec can be told apart from one that user code feels.
A target decides all of it, as it does names and types; here is only the form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from polywire.model.nodes import Union
from polywire.plan import Plan

Way: TypeAlias = "tuple[str, ...]"
"""What of the spec a thing is made for: a declaration (`""` where there is none), and below it `fields` and a key,
`values` and a name, `constructors`, a name and a parameter, …"""


@dataclass(frozen=True, slots=True)
class ApiItem:
    """One thing that user code can name."""

    of: Way
    name: str
    type: str = ""
    """Its type or signature as the language writes it, where it has one."""
    needed: bool = False
    """Whoever makes the object has to give it."""
    argument: bool = False
    """It is given and never read: a type that takes more than it did is as good."""
    absent: bool = False
    """It may be missing, though its type does not say so."""
    complete: tuple[str, ...] | None = None
    """Of what cannot grow: what a complete match has to list, by what the spec calls it."""


def declarations(plan: Plan, name: Callable[[str], str]) -> Iterator[ApiItem]:
    """Every declaration under its final name; enums and unions say whether they may grow, and closed ones what into."""
    for each in plan.public:
        yield ApiItem((each.name,), name(each.name))
        if each.open is not None:
            yield ApiItem(
                (each.name, "match"), name(each.name), "open" if each.open else "closed", complete=each.complete
            )


def unknowns(plan: Plan, name: Callable[[Union], str]) -> Iterator[ApiItem]:
    """The Unknown of each open union."""
    for union in plan.model.unions:
        if union.open:
            yield ApiItem((union.name, "unknown"), name(union))
