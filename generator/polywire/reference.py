"""A model, a type's name and a JSON text → what it decodes as: the reference that all bindings are held to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polywire.engine import Decoded, Decoder, Fault, parse
from polywire.model.nodes import Model
from polywire.plan.rows import rows

__all__ = ["Decoded", "Fault", "Item", "decode", "decoder", "read"]


_RECENT: list[tuple[Model, Decoder]] = []
"""The decoders of the models used last: a run of the generator has one or two models, and asks for them often."""


def decoder(model: Model) -> Decoder:
    """The decoder of a model, made once for each model object; its values are plain data."""
    for known, made in _RECENT:
        if known is model:
            return made
    made = Decoder(rows(model))
    _RECENT[:] = [(model, made), *_RECENT[:7]]
    return made


def decode(model: Model, type_name: str, data: bytes | str, *, strict: bool = False) -> Decoded:
    """Decode a JSON text as a declared type; raises `Fault`. The value is what encoding it again would give."""
    return decoder(model).decode(type_name, parse(data), strict=strict)


LIMIT = 1 << 26
"""Bytes of the longest line that a reader takes if nothing is said."""

_SHOWN = 1024
"""Bytes of a line over the limit that are reported."""


@dataclass(frozen=True, slots=True)
class Item:
    """What became of a line: a message, or a fault with the line as the reader reports it."""

    line: int
    found: Decoded | Fault
    raw: bytes


def read(model: Model, type_name: str, data: bytes, *, strict: bool = False, limit: int = LIMIT) -> Iterator[Item]:
    """Read a stream, given as a whole; lines are numbered from 1, and blank ones are left out."""
    lines = data.split(b"\n")
    for number, line in enumerate(lines if lines[-1] else lines[:-1], 1):
        whole = line.removesuffix(b"\r")
        if len(whole) > limit:
            yield Item(number, Fault("too_long", "", f"the line is longer than {limit} bytes"), whole[:_SHOWN])
        elif whole.strip(b" \t\r"):
            try:
                yield Item(number, decode(model, type_name, whole, strict=strict), whole)
            except Fault as fault:
                yield Item(number, fault, whole)
