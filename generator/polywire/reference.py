"""A model, a type's name and a JSON text → what it decodes as: the reference that all bindings are held to."""

from __future__ import annotations

from polywire.engine import Decoded, Decoder, Fault, parse
from polywire.model.nodes import Model
from polywire.model.plan import plan

__all__ = ["Decoded", "Fault", "decode", "decoder"]


_RECENT: list[tuple[Model, Decoder]] = []
"""The decoders of the models used last: a run of the generator has one or two models, and asks for them often."""


def decoder(model: Model) -> Decoder:
    """The decoder of a model, made once for each model object; its values are plain data."""
    for known, made in _RECENT:
        if known is model:
            return made
    made = Decoder(plan(model))
    _RECENT[:] = [(model, made), *_RECENT[:7]]
    return made


def decode(model: Model, type_name: str, data: bytes | str, *, strict: bool = False) -> Decoded:
    """Decode a JSON text as a declared type; raises `Fault`. The value is what encoding it again would give."""
    return decoder(model).decode(type_name, parse(data), strict=strict)
