"""One difference, and the rules that define the kinds of differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from polywire.ground.location import NOWHERE, SourceLocation


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of difference."""

    word: str
    """What differs, as named in a table."""
    purpose: str
    """What holds if there is no such difference."""


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "root": Rule("root", "The same declarations are roots."),
        "framing": Rule("framing", "Messages are separated in the same way on a stream."),
        "envelope": Rule("envelope", "Requests and responses are paired by the same members."),
        "declaration": Rule("declaration", "The same declarations are reachable from messages."),
        "kind": Rule("kind", "A declaration is of the same kind: a type, an enum, a union, an alias."),
        "from": Rule("sender", "A message or request is sent by the same peer."),
        "tag": Rule("tag", "A type is identified by the same tags, with the same values."),
        "constant": Rule("constant", "A constant member has the same value."),
        "field": Rule("field", "A member is declared on both sides."),
        "field-role": Rule("role", "A member is a tag, a constant or a field on both sides."),
        "field-name": Rule("name", "A field has the same key."),
        "field-presence": Rule("presence", "A field may be absent on both sides or on neither."),
        "field-null": Rule("null", "A field may be null on both sides or on neither."),
        "field-flatten": Rule("flattening", "A field's members are in the same object."),
        "field-repair": Rule("repair", "A field repairs an invalid value in the same way."),
        "type": Rule("type", "A value has the same type."),
        "format": Rule("format", "A text has the same format."),
        "bounds": Rule("bounds", "An array has the same bounds."),
        "extra": Rule("other keys", "Undeclared members have the same type."),
        "enum-open": Rule("openness", "An enum is open on both sides or on neither."),
        "enum-value": Rule("value", "An enum has the same values."),
        "enum-value-name": Rule("value", "A value of an enum has the same spelling."),
        "union-open": Rule("openness", "A union is open on both sides or on neither."),
        "union-by": Rule("discriminator", "The variants of a union are distinguished in the same way."),
        "union-variant": Rule("variant", "A union has the same variants."),
        "union-condition": Rule("condition", "A variant is identified by the same keys."),
        "union-absent": Rule("without discriminator", "The same variant takes objects without the discriminator."),
        "control": Rule("control", "The same controls can be requested."),
        "control-response": Rule("answer", "The response of a control has the same type."),
        "control-error": Rule("error data", "The error data of a control has the same type."),
        "tool": Rule("tool", "The same tools have typed inputs and outputs."),
        "tool-input": Rule("input", "The input of a tool has the same type."),
        "tool-output": Rule("output", "The output of a tool has the same type."),
        "tree": Rule("tree", "The same trees of entries are declared."),
        "tree-lines": Rule("lines", "The entries of a tree have the same type."),
        "tree-pointer": Rule("pointer", "The entries of a tree have their ids in the same places."),
        "table": Rule("table", "The same tables are declared."),
        "table-name": Rule("name", "A table has the same name."),
        "table-lines": Rule("lines", "The rows of a table come from the same lines."),
        "table-rows": Rule("rows", "The rows of a table are values in the same places."),
        "table-is": Rule("is", "The rows of a table are values of the same types."),
        "table-variants": Rule("variants", "The types that a table names have the same variants."),
        "table-unique": Rule("unique", "The same columns identify copies of rows."),
        "table-column": Rule("column", "A table has the same columns."),
        "table-column-name": Rule("name", "A column has the same name."),
        "table-column-type": Rule("type", "A column has the same type."),
        "table-column-place": Rule("place", "A column has its values in the same place."),
        "table-column-order": Rule("order", "A table has its columns in the same order."),
    }
)
"""By id. An id is stable: it is part of the JSON form."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two specs' side of a difference."""

    name: str = ""
    """The declaration, control or tool; "" for the protocol itself, or if this side has none."""
    key: str = ""
    """The field's key, the value or the variant that it is about, if any."""
    text: str | None = None
    """The text in the spec language; None if this side has nothing."""
    place: SourceLocation = NOWHERE
    """Where the text is; if there is none, the location of the declaration that could contain it."""
    types: tuple[str, ...] = ()
    """The types that include `name`, if that is a mixin."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference on the wire."""

    rule: str
    before: Side
    after: Side

    @property
    def name(self) -> str:
        """The new name of what differs, or else its old name."""
        return self.after.name or self.before.name
