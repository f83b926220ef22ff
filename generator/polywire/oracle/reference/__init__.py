"""A model, a type's name and a JSON text → every result that a binding may give; all bindings are checked against it.

`text` reads JSON and finds parser errors, `rules` finds errors of values; this module reads streams. The reference is
slow, simple and independent of every runtime. It lists all faults of a document, since a binding may report any of
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polywire.ground.engine import Fault
from polywire.model.nodes import Model
from polywire.oracle.reference import text
from polywire.oracle.reference.framing import SHOWN, frames
from polywire.oracle.reference.rules import Decoded, Outcomes, Passed, Rules, Step, is_claimed
from polywire.plan.rows import Rule, rows

__all__ = ["Decoded", "Fault", "Item", "Outcomes", "Passed", "Rules", "Step"]
__all__ += ["decode", "frames", "is_claimed", "outcomes", "read", "rules"]

_RECENT: list[tuple[Model, Rules]] = []
"""The rules of the most recently used models: a run of the generator uses one or two models repeatedly."""


def rules(model: Model) -> Rules:
    """Return the rules of a model, built once for each model object."""
    for known, made in _RECENT:
        if known is model:
            return made
    made = Rules(rows(model))
    _RECENT[:] = [(model, made), *_RECENT[:7]]
    return made


def outcomes(model: Model, root: str | Rule, data: bytes | str, *, strict: bool = False) -> Outcomes:
    """Return every possible result of decoding a JSON text as `root`, a declared name or a rule."""
    return rules(model).outcomes(root, text.read(data), strict=strict)


def decode(model: Model, root: str | Rule, data: bytes | str, *, strict: bool = False) -> Decoded:
    """Decode a JSON text. The value is what encoding it would give. Raises its first `Fault`."""
    return outcomes(model, root, data, strict=strict).first()


LIMIT = 1 << 26
"""The default maximum length of a message in bytes."""


@dataclass(frozen=True, slots=True)
class Item:
    """The possible results of one message of a stream."""

    line: int
    outcomes: Outcomes
    raw: bytes
    """The message as reported with a fault."""


def read(model: Model, type_name: str, data: bytes, *, strict: bool = False, limit: int = LIMIT) -> Iterator[Item]:
    """Read a complete stream; messages are numbered from 1, and blank ones are left out."""
    for number, frame in enumerate(frames(model.protocol.framing, data), 1):
        if frame.length > limit:
            fault = Fault("too_long", "", f"the message is longer than {limit} bytes")
            yield Item(number, Outcomes((), (fault,)), frame.content[:SHOWN])
        elif frame.fault is not None:
            yield Item(number, Outcomes((), (frame.fault,)), frame.content)
        elif frame.content.strip(b" \t\r\n"):
            yield Item(number, outcomes(model, type_name, frame.content, strict=strict), frame.content)
