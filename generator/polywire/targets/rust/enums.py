"""Enums → their declarations and codecs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from polywire.model.nodes import Enum
from polywire.targets.rust.items import Item
from polywire.targets.rust.layout import INDENT, braced, described, quoted, variant
from polywire.targets.rust.names import Names


@dataclass(frozen=True, slots=True)
class ValueView:
    """A value of an enum."""

    name: str
    wire: str
    """The value on the wire, as a literal of a string or an integer."""
    above: str


@dataclass(frozen=True, slots=True)
class EnumView(Item):
    """An enum."""

    above: str
    is_open: bool
    unknown: str
    """The variant of undeclared values."""
    members: tuple[ValueView, ...]


def enum_view(enum: Enum, names: Names, places: Mapping[str, str]) -> EnumView:
    """The view of an enum."""
    name, is_integer, members = names.type(enum.name), enum.base == "integer", tuple(_members(enum, names).values())
    rows = [f"{each.name} {each.wire}" for each in members]
    return EnumView(
        home=names.home(enum.name),
        macro="numbers" if is_integer else "texts",
        codec=braced(f"{name} {quoted(enum.name)} {places[enum.name]}", rows) + " Unknown" * enum.open,
        name=name,
        above=described(enum.about, f"`{enum.name}`."),
        is_open=enum.open,
        unknown=variant("Unknown", f"Undeclared<{name}{', i64' * is_integer}>"),
        members=members,
    )


def _members(enum: Enum, names: Names) -> dict[str | int, ValueView]:
    """The values by their representation on the wire, of which several may have the same."""
    found: dict[str | int, ValueView] = {}
    for at, value in enumerate(enum.values):
        wire = quoted(value.wire) if isinstance(value.wire, str) else str(value.wire)
        comment = described(value.about, f"`{value.wire}`.", INDENT)
        found.setdefault(value.wire, ValueView(names.value(enum, at), wire, comment))
    return found
