"""A model, a type's name and a JSON text → everything that a binding may make of it: what all bindings are checked by.

`text` reads JSON and knows the faults of parsers, `rules` knows those of values; a stream is read here. The reference
is slow, simple and independent of every runtime. It lists all faults of a document, since a binding may report any.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from polywire.engine import Fault
from polywire.model.nodes import Model
from polywire.plan.rows import rows
from polywire.records import dataclass
from polywire.reference import text
from polywire.reference.rules import Decoded, Outcomes, Passed, Rules, Step

__all__ = ["Decoded", "Fault", "Item", "Outcomes", "Passed", "Rules", "Step", "decode", "outcomes", "read", "rules"]

_RECENT: list[tuple[Model, Rules]] = []
"""The rules of the models used last: a run of the generator has one or two models, and asks for them often."""


def rules(model: Model) -> Rules:
    """The rules of a model, made once for each model object."""
    for known, made in _RECENT:
        if known is model:
            return made
    made = Rules(rows(model))
    _RECENT[:] = [(model, made), *_RECENT[:7]]
    return made


def outcomes(model: Model, root: Any, data: bytes | str, *, strict: bool = False) -> Outcomes:
    """Everything that may come of decoding a JSON text as `root`, a declared name or any type in terms of its rows."""
    return rules(model).outcomes(root, text.read(data), strict=strict)


def decode(model: Model, root: Any, data: bytes | str, *, strict: bool = False) -> Decoded:
    """Decode a JSON text; raises its first `Fault`. The value is what encoding it would give."""
    return outcomes(model, root, data, strict=strict).first()


LIMIT = 1 << 26
"""Bytes of the longest line that a reader takes if nothing is said."""

_SHOWN = 1024
"""Bytes of a line over the limit that are reported."""


@dataclass(frozen=True, slots=True)
class Item:
    """What may come of one line of a stream."""

    line: int
    outcomes: Outcomes
    raw: bytes
    """The line as it is reported with a fault."""


def read(model: Model, type_name: str, data: bytes, *, strict: bool = False, limit: int = LIMIT) -> Iterator[Item]:
    """Read a stream, given as a whole; lines are numbered from 1, and blank ones are left out."""
    lines = data.split(b"\n")
    for number, line in enumerate(lines if lines[-1] else lines[:-1], 1):
        whole = line.removesuffix(b"\r")
        if len(whole) > limit:
            fault = Fault("too_long", "", f"the line is longer than {limit} bytes")
            yield Item(number, Outcomes((), (fault,)), whole[:_SHOWN])
        elif whole.strip(b" \t\r"):
            yield Item(number, outcomes(model, type_name, whole, strict=strict), whole)
