"""Differences → the rows of a table: what belongs together in one, so that a table can be read.

One row has all the ways in which one member differs; all that one declaration has gained, or lost, of one kind; and
all declarations, controls or tools that are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polywire.diff.records import RULES, Difference, Side
from polywire.model.nodes import SourceLocation
from polywire.words import counted

FEW = 12
"""As many names of what is gone as a person reads."""

_PROTOCOL = {"root": "what stands alone", "envelope": "requests and responses"}
_APART = frozenset({"control", "tool", "declaration"})
"""Rules about something with a name of its own."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row. Texts of `before` and `after` are of the spec language."""

    name: str
    """The declaration, control or tool that it is about, or ""."""
    about: str
    """What it is about in words, where it has no name."""
    types: tuple[str, ...]
    """The types that have it so, where `name` is that of a mixin."""
    what: str
    """What differs, in a word or two."""
    before: tuple[str, ...]
    after: tuple[str, ...]
    left_out: int
    """How many more there are of `before`."""
    place: SourceLocation
    """Where it is said; of what is gone, where it was said."""

    @property
    def sign(self) -> str:
        """`+` for what is new, `-` for what is gone, `~` for what is otherwise."""
        return "~" if self.before and self.after else "+" if self.after else "-"


def rows(differences: Iterable[Difference]) -> tuple[Row, ...]:
    """The rows, each where the first of its differences was."""
    groups: dict[object, list[Difference]] = {}
    for difference in differences:
        groups.setdefault(_common(difference), []).append(difference)
    return tuple(_gone(group) if _all_gone(group[0]) else _row(group) for group in groups.values())


def _common(difference: Difference) -> tuple[object, ...]:
    """What the differences of one row have in common."""
    rule, before, after = difference.rule, difference.before, difference.after
    if _all_gone(difference):
        return rule, "gone"
    if before.text is not None and after.text is not None:
        return before, after
    said = _said(difference)
    return (rule, said) if rule in _APART else (rule, said.name, said.types, after.text is None)


def _said(difference: Difference) -> Side:
    return difference.before if difference.after.text is None else difference.after


def _all_gone(difference: Difference) -> bool:
    return difference.rule in _APART and difference.after.text is None


def _row(group: Sequence[Difference]) -> Row:
    first = group[0]
    return Row(
        name="" if first.rule in _PROTOCOL else first.name,
        about=_PROTOCOL.get(first.rule, ""),
        types=_said(first).types,
        what=", ".join(RULES[rule].word for rule in dict.fromkeys(d.rule for d in group)),
        before=_texts(d.before for d in group),
        after=_texts(d.after for d in group),
        left_out=0,
        place=_said(first).place,
    )


def _texts(sides: Iterable[Side]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(side.text for side in sides if side.text is not None))


def _gone(group: Sequence[Difference]) -> Row:
    """Of what is gone with all that is in it, the names are enough."""
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
