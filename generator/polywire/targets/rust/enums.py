"""Enums → their declarations and codecs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from polywire.model.nodes import Enum
from polywire.targets.rust import layout
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import quoted
from polywire.targets.rust.names import Names


@dataclass(frozen=True, slots=True)
class ValueView:
    """A value of an enum."""

    name: str
    wire: str
    """The value on the wire, as a literal of a string or an integer."""
    doc: str
    deprecation: str | None


@dataclass(frozen=True, slots=True)
class EnumView:
    """An enum."""

    name: str
    spec_name: str
    """A literal."""
    place: str
    """Its index in the tables."""
    doc: str
    deprecation: str | None
    is_open: bool
    is_integer: bool
    members: tuple[ValueView, ...]

    @property
    def rows(self) -> str:
        """The values in the format of the codec."""
        return layout.listed(f"{each.name} {each.wire}" for each in self.members)


def enum_view(enum: Enum, names: Names, places: Mapping[str, str]) -> EnumView:
    """The view of an enum."""
    return EnumView(
        name=names.type(enum.name),
        spec_name=quoted(enum.name),
        place=places[enum.name],
        doc=layout.doc(documentation(enum.about, f"`{enum.name}`.")),
        deprecation=layout.deprecation(enum.about.deprecated),
        is_open=enum.open,
        is_integer=enum.base == "integer",
        members=tuple(_members(enum, names)),
    )


def _members(enum: Enum, names: Names) -> Iterator[ValueView]:
    """The values, without duplicates."""
    seen: set[object] = set()
    for at, value in enumerate(enum.values):
        if value.wire in seen:
            continue
        seen.add(value.wire)
        yield ValueView(
            name=names.value(enum, at),
            wire=quoted(value.wire) if isinstance(value.wire, str) else str(value.wire),
            doc=layout.doc(documentation(value.about, f"`{value.wire}`."), 4),
            deprecation=layout.deprecation(value.about.deprecated, 4),
        )
