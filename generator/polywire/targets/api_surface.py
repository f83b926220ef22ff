"""What a package shows to user code: its names, and what the compiler or type checker knows of each.

Two models' packages are compared by this, so that a change of a spec can be told apart from one that user code feels.
A target decides all of it, as it does names and types; here is only the form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from polywire.model.nodes import Union
from polywire.plan import Plan
from polywire.records import dataclass

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


SESSION = ("", "session", "Session")
"""What a session is made for: all of `control`."""


def session(peers: Mapping[str, str], methods: Mapping[str, str | None]) -> Iterator[ApiItem]:
    """A session, how its peers are called, and the signatures of its methods; None for one that is not there."""
    yield ApiItem(SESSION, SESSION[-1])
    for peer, name in peers.items():
        yield ApiItem((*SESSION, "peer", peer), name)
    for name, signature in methods.items():
        if signature is not None:
            yield ApiItem((*SESSION, name.lower()), name, signature)


def sent(plan: Plan) -> Iterator[ApiItem]:
    """What the sessions of each peer can send, where compilers know that."""
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
