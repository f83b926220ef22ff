"""Differences → the rows of a table; related differences are combined into one row for readability.

One row has all the ways in which one member differs; all additions, or removals, of one kind in one declaration; and
all removed declarations, controls or tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polywire.evolve.diff.records import RULES, Difference, Side
from polywire.ground.location import SourceLocation
from polywire.ground.words import counted

FEW = 12
"""Maximum number of removed names that are listed."""

_PROTOCOL = {"framing": "streams", "root": "what stands alone", "envelope": "requests and responses"}
_APART = frozenset({"control", "tool", "tree", "table", "declaration"})
"""Rules about things with a name of their own."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row. Texts of `before` and `after` are of the spec language."""

    name: str
    """The declaration, control or tool that it is about, or ""."""
    about: str
    """What it is about, in words, if it has no name."""
    types: tuple[str, ...]
    """The types that include `name`, if that is a mixin."""
    what: str
    """What differs, in a word or two."""
    before: tuple[str, ...]
    after: tuple[str, ...]
    left_out: int
    """The number of further entries left out of `before`."""
    place: SourceLocation
    """Its location; for a removal, the location in the first spec."""

    @property
    def sign(self) -> str:
        """`+` for an addition, `-` for a removal, `~` for a change."""
        return "~" if self.before and self.after else "+" if self.after else "-"


def rows(differences: Iterable[Difference]) -> tuple[Row, ...]:
    """Return the rows, each at the place of the first of its differences."""
    groups: dict[object, list[Difference]] = {}
    for difference in differences:
        groups.setdefault(_common(difference), []).append(difference)
    return tuple(_gone(group) if _all_gone(group[0]) else _row(group) for group in groups.values())


def _common(difference: Difference) -> tuple[object, ...]:
    """Return the key shared by the differences of one row."""
    rule, before, after = difference.rule, difference.before, difference.after
    if _all_gone(difference):
        return rule, "gone"
    if before.text is not None and after.text is not None:
        return before, after
    present = _present(difference)
    return (rule, present) if rule in _APART else (rule, present.name, present.types, after.text is None)


def _present(difference: Difference) -> Side:
    return difference.before if difference.after.text is None else difference.after


def _all_gone(difference: Difference) -> bool:
    return difference.rule in _APART and difference.after.text is None


def _row(group: Sequence[Difference]) -> Row:
    first = group[0]
    return Row(
        name="" if first.rule in _PROTOCOL else first.name,
        about=_PROTOCOL.get(first.rule, ""),
        types=_present(first).types,
        what=", ".join(RULES[rule].word for rule in dict.fromkeys(d.rule for d in group)),
        before=_texts(d.before for d in group),
        after=_texts(d.after for d in group),
        left_out=0,
        place=_present(first).place,
    )


def _texts(sides: Iterable[Side]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(side.text for side in sides if side.text is not None))


def _gone(group: Sequence[Difference]) -> Row:
    """Return the row for removed declarations: their contents are removed with them, so their names suffice."""
    names = tuple(d.before.name for d in group)
    return Row(
        name="",
        about=counted(len(group), group[0].rule),
        types=(),
        what="gone",
        before=names[:FEW],
        after=(),
        left_out=len(names[FEW:]),
        place=group[0].before.place,
    )
