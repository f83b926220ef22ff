"""Rules on versions: what was there from one version to another was there at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from polywire.checks.context import RuleContext
from polywire.checks.rule import Rule, Violation
from polywire.checks.rules.graph import annotated
from polywire.model.nodes import About, SourceLocation
from polywire.source.tree import Listing, Table


def _since_after_until(context: RuleContext) -> Iterator[Violation]:
    for about, place, what in annotated(context.model):
        if about.since and about.until and version(about.since) > version(about.until):
            yield Violation(
                context.at(place, "until"), f"{what} was last seen in {about.until}, before it came in {about.since}"
            )
        yield from _earlier_types(context, about, place, what)


def _earlier_types(context: RuleContext, about: About, place: SourceLocation, what: str) -> Iterator[Violation]:
    """Each of the earlier types was the type for a time: after the one before it, and after `since`."""
    listing = context.node(place, "was")
    items = listing.items if isinstance(listing, Listing) else ()
    came = about.since
    for number, (until, _) in enumerate(about.was):
        if came is not None and version(until) < version(came):
            item = items[number] if number < len(items) else None
            entry = item.entries.get("until") if isinstance(item, Table) else None
            yield Violation(
                entry.key.place if entry is not None else place,
                f"this type of {what} ended in {until}, before {came}",
                "list earlier types from the oldest to the newest",
            )
        came = until


_Number: TypeAlias = "tuple[int, str]"


def version(text: str) -> tuple[tuple[_Number, ...], bool, tuple[tuple[bool, _Number, str], ...]]:
    """A key to compare versions by, as semantic versioning does: `1.2-rc.1` comes before `1.2`, which is `1.2.0`."""
    numbers, _, early = text.partition("-")
    parts = [_number(part) for part in numbers.split(".")]
    while parts and parts[-1] == _ZERO:
        parts.pop()
    steps = tuple((not s.isdecimal(), _number(s) if s.isdecimal() else _ZERO, s) for s in early.split(".") if s)
    return tuple(parts), not early, steps


def _number(digits: str) -> _Number:
    """Compares like the number that the digits write, however many there are."""
    significant = digits.lstrip("0")
    return len(significant), significant


_ZERO = _number("0")

RULES = (Rule("since-after-until", "Nothing ends before it begins.", "error", "history", _since_after_until),)
