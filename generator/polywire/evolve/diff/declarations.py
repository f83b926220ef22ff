"""A declaration → its kind in a word, and a one-line summary of everything it defines on the wire."""

from __future__ import annotations

from polywire.evolve.diff.members import members
from polywire.ground.json_values import dumps
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
    """Summarise the contents in the words of the spec language."""
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
    """Summarise the members of a struct, except the keys that are implied."""
    inside = [member.text for key, member in members(struct).items() if key not in without]
    extra = [] if struct.extra is None else [f"any other key: {spell(struct.extra)}"]
    return "{" + ", ".join([*inside, *extra]) + "}"
