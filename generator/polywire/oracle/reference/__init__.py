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
from polywire.oracle.reference.rules import Decoded, Outcomes, Passed, Rules, Step
from polywire.plan.rows import Rule, rows

__all__ = ["Decoded", "Fault", "Item", "Outcomes", "Passed", "Rules", "Step", "decode", "outcomes", "read", "rules"]

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
"""The default maximum length of a line in bytes."""

_SHOWN = 1024
"""Maximum number of bytes reported of a line that exceeds the limit."""


@dataclass(frozen=True, slots=True)
class Item:
    """The possible results of one line of a stream."""

    line: int
    outcomes: Outcomes
    raw: bytes
    """The line as reported with a fault."""


def read(model: Model, type_name: str, data: bytes, *, strict: bool = False, limit: int = LIMIT) -> Iterator[Item]:
    """Read a complete stream; lines are numbered from 1, and blank lines are left out."""
    lines = data.split(b"\n")
    for number, line in enumerate(lines if lines[-1] else lines[:-1], 1):
        whole = line.removesuffix(b"\r")
        if len(whole) > limit:
            fault = Fault("too_long", "", f"the line is longer than {limit} bytes")
            yield Item(number, Outcomes((), (fault,)), whole[:_SHOWN])
        elif whole.strip(b" \t\r"):
            yield Item(number, outcomes(model, type_name, whole, strict=strict), whole)
