"""The API of a package as user code sees it: its names, and what a compiler or type checker knows about each.

The packages of two models are compared by their API surfaces, to find the changes of a spec that affect user code. As
with names and types, a target decides the content; this module only has the form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from polywire.model.nodes import Tree, Union
from polywire.plan import Plan

ApiPath: TypeAlias = "tuple[str, ...]"
"""The origin of an item in the spec: a declaration (`""` if there is none), and below it `fields` and a key,
`values` and a name, `constructors`, a name and a parameter, …"""


@dataclass(frozen=True, slots=True)
class ApiItem:
    """One item that user code can name."""

    of: ApiPath
    name: str
    type: str = ""
    """Its type or signature in the syntax of the language, if it has one."""
    needed: bool = False
    """Whether code that creates the object must provide it."""
    argument: bool = False
    """Whether it is only passed and never read, so that accepting more types is compatible."""
    absent: bool = False
    """Whether it may be absent although its type does not show that."""
    complete: tuple[str, ...] | None = None
    """For a closed enum or union: what an exhaustive match must list, by names in the spec."""


def declarations(plan: Plan, name: Callable[[str], str]) -> Iterator[ApiItem]:
    """Every declaration under its final name, with the openness of enums and unions and the members of closed ones."""
    for each in plan.public:
        yield ApiItem((each.name,), name(each.name))
        if each.open is not None:
            yield ApiItem(
                (each.name, "match"), name(each.name), "open" if each.open else "closed", complete=each.complete
            )


def trees(plan: Plan, name: Callable[[Tree], str]) -> Iterator[ApiItem]:
    """The trees of entries."""
    for each in plan.trees:
        yield ApiItem(("", "tree", each.tree.name), name(each.tree), each.tree.lines)


SESSION = ("", "session", "Session")
"""The origin of sessions, which belong to all of `control`."""


def session(peers: Mapping[str, str], methods: Mapping[str, str | None]) -> Iterator[ApiItem]:
    """A session, the names of its peers, and the signatures of its methods; None for a method that does not exist."""
    yield ApiItem(SESSION, SESSION[-1])
    for peer, name in peers.items():
        yield ApiItem((*SESSION, "peer", peer), name)
    for name, signature in methods.items():
        if signature is not None:
            yield ApiItem((*SESSION, name.lower()), name, signature)


def sent(plan: Plan) -> Iterator[ApiItem]:
    """What the sessions of each peer can send, for languages whose compilers check that."""
    controls = plan.controls
    for pair in () if controls is None else (*controls.pairs, *controls.notifications):
        for peer in plan.model.protocol.peers:
            if pair.control.origin in {peer, "both"}:
                yield ApiItem((pair.request.name, "sent", peer), "payload")


def unknowns(plan: Plan, name: Callable[[Union], str]) -> Iterator[ApiItem]:
    """The Unknown of each open union."""
    for union in plan.model.unions:
        if union.open:
            yield ApiItem((union.name, "unknown"), name(union))
