"""Streams of which only some types are wanted, made of the lines of written cases, with what a reader gives of each.

The rule is written here a second time, so that readers are not compared with each other: a line that has neither the
tag of a wanted type nor an escape that could spell one is skipped, faults of syntax are reported in every other line,
and other faults are reported in lines of wanted types, and in lines whose type they keep from being known.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from polywire.conformance.case import Case, Expect, Mode
from polywire.model.nodes import Dispatch, Leaf, Switch
from polywire.model.walk import structs_of
from polywire.oracle.reference.framing import framed

LINES = 20
"""The number of lines of a stream."""

PIECES = (1, 7, 40, 300, 5_000)
"""The lengths of a stream's chunks in bytes."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its only outcome."""

    data: bytes
    expect: Expect

    def is_of_syntax(self) -> bool:
        """Whether its outcome is a fault that the text has, whatever its type is."""
        (outcome,) = self.expect.outcomes
        return outcome.error is not None and (
            outcome.error[0] in {"invalid_json", "invalid_utf8", "too_deep"} or outcome.error[1] == ""
        )


def filtered(cases: Sequence[Case], number: int, seed: int) -> Iterator[Case]:
    """Draw streams from cases of the first root of their protocol, each with some wanted types."""
    random = Random(f"filters {seed}")  # noqa: S311 - not for secrets
    protocol = cases[0].protocol
    root = protocol.model.union(protocol.model.protocol.roots[0])
    modes: tuple[Mode, ...] = ("lenient", "lenient", "strict")
    lines = {mode: [*_lines(cases, root.name, mode)] for mode in modes}
    reached = {*structs_of(root.dispatch)}
    unions = {union.name: {*structs_of(union.dispatch)} for union in protocol.model.unions if union.name != root.name}
    names = [*sorted(reached), root.unknown]
    parts = [name for name, structs in unions.items() if structs <= reached]
    for at in range(number):
        mode = modes[at % len(modes)]
        drawn = random.choices(lines[mode], k=LINES)
        known = [variant for line in drawn if (variant := line.expect.outcomes[0].variant) in reached]
        choices = (known or names, names, parts)
        only = {random.choice(random.choice(choices)) for _ in range(random.randint(1, 4))}
        wanted = frozenset().union(*(unions.get(name, {name}) for name in only))
        given = [_given(line, root.dispatch, wanted, root.unknown, mode) for line in drawn]
        text = b"".join(framed(protocol.model.protocol.framing, line.data) for line in drawn)
        yield Case(
            name=f"filters#{at}",
            group=f"filters, seed {seed}",
            kind="written",
            protocol=protocol,
            type=root.name,
            mode=mode,
            expect=tuple(replace(line.expect, line=n) for n, line in enumerate(drawn, 1) if given[n - 1]),
            chunks=tuple(base64.b64encode(piece).decode() for piece in _pieces(text, random)),
            only=tuple(sorted(only)),
            skipped=given.count(False),
        )


def _lines(cases: Sequence[Case], type_: str, mode: Mode) -> Iterator[Line]:
    """The lines of cases with one possible outcome, without blank ones; every other has an escape in its tag."""
    for number, case in enumerate(cases):
        is_own = case.is_document and (case.type, case.mode, case.protocol) == (type_, mode, cases[0].protocol)
        if not is_own or not isinstance(case.expect, Expect) or len(case.expect.outcomes) > 1 or case.deviations:
            continue
        data = base64.b64decode(case.data or "") if case.json is None else case.json.encode("utf-8", "surrogatepass")
        if number % 2 and case.expect.outcomes[0].text is None:
            data = re.sub(rb'(?<="type":")[a-z]', lambda letter: b"\\u%04x" % ord(letter[0]), data, count=1)
        if b"\n" not in data and not data.endswith(b"\r") and data.strip(b" \t\r") != b"":
            yield Line(data, case.expect)


def _pieces(text: bytes, random: Random) -> Iterator[bytes]:
    start = 0
    while start < len(text):
        size = random.choice(PIECES)
        yield text[start : start + size]
        start += size


def _given(line: Line, dispatch: Dispatch, wanted: frozenset[str], unknown: str, mode: Mode) -> bool:
    """Whether a reader gives the line or its fault."""
    assert isinstance(dispatch, Switch)
    tags = [f'"{tag}"'.encode() for tag, then in dispatch.cases if wanted & {*structs_of(then)}]
    is_read = unknown in wanted or b"\\u" in line.data or any(tag in line.data for tag in tags)
    if not is_read or line.is_of_syntax():
        return is_read
    (outcome,) = line.expect.outcomes
    if outcome.ok:
        return (unknown if outcome.variant == "Unknown" else outcome.variant) in wanted
    selected = _selected(dispatch, json.loads(line.data), unknown if mode == "lenient" else None)
    return selected is None or selected in wanted


def _selected(dispatch: Dispatch | None, value: dict[str, object], unknown: str | None) -> str | None:
    """The struct that the tags of an object select, or the Unknown of a text that is not listed; None for a fault."""
    while isinstance(dispatch, Switch):
        tag = value.get(dispatch.key)
        known = dispatch.case(tag) if isinstance(tag, str | bool | int) else None
        if known is None and isinstance(tag, str) and dispatch.base == "string":
            return unknown
        is_absent = dispatch.key not in value or (known is None and isinstance(tag, bool))
        dispatch = dispatch.absent if is_absent else known
    return dispatch.struct if isinstance(dispatch, Leaf) else None
