"""Declarations in Go → the rows of their fields and constants: names, types and tags in columns."""

from __future__ import annotations

import re

from polywire.model.nodes import Enum
from polywire.targets.go.layout import literal
from polywire.targets.go.names import Names, override
from polywire.targets.go.structs import GoField, GoStruct
from polywire.targets.go.unions import FlatStruct, GoUnion, GoUnknown
from polywire.targets.prose import description

Row = tuple[str | None, tuple[str, ...]]
"""The comment of a field, and its cells."""

_TAG = re.compile(r"[A-Za-z0-9_.-]*[A-Za-z0-9_.]")
"""Keys that a struct tag can hold."""


def json_tag(key: str, *, optional: bool, omit: str = "omitempty") -> str:
    """The tag of a field."""
    if not _TAG.fullmatch(key):
        return '`json:"-"`'
    return f'`json:"{key}{f",{omit}" if optional else ""}"`'


def _tag_of(place: GoField, *, optional: bool) -> str:
    omit = "omitzero" if place.form == "nullable" else "omitempty"
    return json_tag(place.key, optional=optional, omit=omit)


def field_row(place: GoField, *, hidden: bool = False) -> Row:
    """A field of a struct."""
    return place.doc, (place.name, place.go, '`json:"-"`' if hidden else _tag_of(place, optional=place.optional))


def struct_rows(struct: GoStruct) -> list[Row]:
    """The fields of a struct."""
    rows = [field_row(place) for place in struct.fields.values()]
    return rows + [(idle.doc, (idle.name, idle.go, '`json:"-"`')) for idle in struct.idle]


def flat_rows(flat: FlatStruct) -> list[Row]:
    """The fields of a flat struct: optional where not every variant has them, and with the variants that do."""
    rows: list[Row] = []
    for name, place in flat.fields.items():
        having = [leaf.go for leaf in flat.leaves if name in leaf.shared]
        everywhere = len(having) == len(flat.leaves)
        owners = "" if everywhere else f"In {', '.join(dict.fromkeys(having))}."
        doc = "\n\n".join(filter(None, (place.doc, owners))) or None
        tag = '`json:"-"`' if name in flat.hidden else _tag_of(place, optional=place.optional or not everywhere)
        rows.append((doc, (name, place.go, tag)))
    return rows


def raw_rows(union: GoUnion) -> list[Row]:
    """The discriminators of a union."""
    return [(None, (name, go, json_tag(key, optional=go.startswith("*")))) for name, go, key in union.raw]


def unknown_rows(unknown: GoUnknown) -> list[Row]:
    """The discriminators of an Unknown."""
    return [(None, (name, "string")) for _, name in unknown.discriminators]


def enum_rows(enum: Enum, names: Names) -> list[Row]:
    """The constants of an enum."""
    go = "" if override(enum.about, "layout") == "string" else names.type(enum.name)
    return [
        (
            description(value.about),
            (names.value(enum, at), *([go] if go else []), f"= {literal(value.wire)}"),
        )
        for at, value in enumerate(enum.values)
    ]
