"""Declarations as written, and a dialect → declarations as that dialect has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from polywire.model.declared import Item
from polywire.model.nodes import Declaration, Place, Protocol
from polywire.source import Document
from polywire.source.report import Faults
from polywire.source.tree import Text


@dataclass(frozen=True, slots=True)
class Written:
    """All declarations as written, and what an overlay leaves to be known of its work."""

    items: list[Item]
    removed: Mapping[str, Place] = field(default_factory=dict)
    """Names that are gone, with the place that says so."""
    renamed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By declaration: old names of fields, and the new ones."""
    roots: tuple[Text, ...] | None = None


def apply(written: Written, overlay: Document, faults: Faults) -> Written:
    del overlay, faults
    return written


class Renames:
    def __init__(self, renamed: Mapping[str, Mapping[str, str]], declarations: Mapping[str, Declaration]) -> None:
        self._renamed = renamed
        self._declarations = declarations

    def of_protocol(self, protocol: Protocol) -> Protocol:
        return replace(protocol)

    def of_constructors(self, declarations: Mapping[str, Declaration]) -> dict[str, Declaration]:
        return dict(declarations)
