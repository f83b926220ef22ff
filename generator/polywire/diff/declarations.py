"""A declaration → what it is in a word, and all that it says about the wire in one line."""

from __future__ import annotations

from polywire.diff.members import members
from polywire.engine import dumps
from polywire.model.nodes import Alias, Declaration, Enum, Struct, Union
from polywire.model.walk import spell


def declared_kind(declared: Declaration) -> str:
    match declared:
        case Enum():
            return "open enum" if declared.open else "enum"
        case Alias():
            return "alias"
        case Union():
            return f"{'open ' if declared.open else ''}union by {declared.by}"
        case Struct():
            return "type"


def summary(declared: Declaration) -> str:
    """What is inside, in the words of the spec language."""
    match declared:
        case Enum(values=values):
            return " | ".join(dumps(value.wire) for value in values)
        case Alias(type=type_):
            return spell(type_)
        case Union(variants=variants):
            return " | ".join(variant.name for variant in variants)
        case Struct():
            return summary_of_members(declared)


def summary_of_members(struct: Struct, *without: str) -> str:
    """The members of a struct, but for the keys that go without saying."""
    inside = [member.text for key, member in members(struct).items() if key not in without]
    extra = [] if struct.extra is None else [f"any other key: {spell(struct.extra)}"]
    return "{" + ", ".join([*inside, *extra]) + "}"
