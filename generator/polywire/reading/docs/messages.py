"""A model → who sends what: messages, requests with answers, and notifications, by sender; and a diagram of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polywire.ground.words import counted
from polywire.model.nodes import Control, Model, Struct
from polywire.targets.common.text import VISIBLE

EITHER = "both"
"""What `from` says of something that either peer sends."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What one peer, or either, sends."""

    origin: str
    sender: str
    messages: tuple[Struct, ...]
    requests: tuple[Control, ...]
    notifications: tuple[Control, ...]

    @property
    def counts(self) -> str:
        """`3 messages, 1 request and 2 notifications`."""
        kinds = {"message": self.messages, "request": self.requests, "notification": self.notifications}
        parts = [counted(len(found), kind) for kind, found in kinds.items() if found]
        return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def sent(model: Model) -> tuple[Sent, ...]:
    """Return what each peer sends that sends anything, in the order of the header; what either sends comes last."""
    found = []
    for origin in (*model.protocol.peers, EITHER):
        controls = [each for each in model.controls if each.origin == origin]
        found.append(
            Sent(
                origin,
                "either peer" if origin == EITHER else origin,
                tuple(each for each in model.structs if each.section == "messages" and each.origin == origin),
                tuple(each for each in controls if not each.is_notification),
                tuple(each for each in controls if each.is_notification),
            )
        )
    return tuple(each for each in found if each.messages or each.requests or each.notifications)


# --- the diagram -----------------------------------------------------------------------------------------------

_WIDTH, _EDGE = 340, 56
"""The width of the diagram, and the distance of the outer lines from its edges, in its own units."""
_TOP, _STEP = 20, 48
_LONGEST_PEER, _LONGEST = 15, 34
"""How many letters fit above a line, and between two."""


@dataclass(frozen=True, slots=True)
class Peer:
    """The line of a peer."""

    x: int
    name: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow with a text above it and some names below it."""

    y: int
    above: int
    below: int
    middle: int
    start: int
    end: int
    heads: tuple[str, ...]
    """The points of the triangles at its ends."""
    text: str
    names: str
    is_answer: bool


@dataclass(frozen=True, slots=True)
class Diagram:
    """The lines of the peers, and arrows between them from top to bottom."""

    width: int
    height: int
    bottom: int
    peers: tuple[Peer, ...]
    arrows: tuple[Arrow, ...]
    words: str
    """The same in words."""


def diagram(peers: Sequence[str], of: Sequence[Sent]) -> Diagram:
    """Return the diagram. Unless there are two peers, everything goes to a line of the others."""
    columns = [*peers] if len(peers) == 2 else [*peers, "the others"]
    gap = (_WIDTH - 2 * _EDGE) // (len(columns) - 1)
    lines = {name: _EDGE + at * gap for at, name in enumerate(columns)}
    first, last = _EDGE, lines[columns[-1]]
    arrows: list[Arrow] = []
    for each in of:
        start = lines.get(each.origin, first)
        end = first if start == last else last
        for text, names, way in _rows(each):
            a, b = (end, start) if way == "back" else (start, end)
            arrows.append(_arrow(_TOP + _STEP * (len(arrows) + 1), a, b, text, names, way))
    bottom = _TOP + _STEP * (len(arrows) + 1) - 12
    shown = tuple(Peer(x, _fitting([name], _LONGEST_PEER)) for name, x in lines.items())
    words = ". ".join(f"{each.sender} sends {each.counts}" for each in of)
    return Diagram(_WIDTH, bottom + 4, bottom, shown, tuple(arrows), VISIBLE(f"Who sends what: {words}."))


def _rows(each: Sent) -> Iterator[tuple[str, list[str], str]]:
    """Yield the text and names of each arrow, and whether it points `there`, `back` or to `both` sides."""
    way = EITHER if each.origin == EITHER else "there"
    if each.messages:
        yield counted(len(each.messages), "message"), [struct.name for struct in each.messages], way
    if each.requests:
        yield counted(len(each.requests), "request"), [control.key for control in each.requests], way
        yield "answers", [], EITHER if way == EITHER else "back"
    if each.notifications:
        yield counted(len(each.notifications), "notification"), [control.key for control in each.notifications], way


def _arrow(y: int, start: int, end: int, text: str, names: list[str], way: str) -> Arrow:
    ends = [(end, 1 if end > start else -1)] + ([(start, 1 if start > end else -1)] if way == EITHER else [])
    heads = tuple(f"{x},{y} {x - 9 * side},{y - 5} {x - 9 * side},{y + 5}" for x, side in ends)
    middle = (start + end) // 2
    return Arrow(y, y - 7, y + 15, middle, start, end, heads, text, _fitting(names, _LONGEST), text == "answers")


def _fitting(names: Sequence[str], most: int) -> str:
    """Return as many names as there is room for."""
    shown = ""
    for at, name in enumerate(map(VISIBLE, names)):
        longer = f"{shown}, {name}" if at else name
        if len(longer) + (3 if at < len(names) - 1 else 0) > most:
            return f"{shown}, …" if shown else f"{name[: most - 1]}…"
        shown = longer
    return shown
