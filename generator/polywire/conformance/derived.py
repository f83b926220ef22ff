"""Instances derived from a spec → cases, one for each mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from polywire.conformance.case import Case, Expect, Mode
from polywire.instances import Instance, Outcome, derive

if TYPE_CHECKING:
    from polywire.conformance.protocols import Protocol


MODES: Final[tuple[Mode, ...]] = ("lenient", "strict")


def derived(protocol: Protocol, *, seed: int, random: int) -> list[Case]:
    """Two cases for each instance of every declared type. Raises `DeriveError` if a type has none."""
    where = f"derived/{protocol.dialect}" if protocol.dialect else "derived"
    return [
        Case(
            name=f"{where}/{instance.type}/{instance.number}: {instance.note} ({mode})",
            group=f"{where}: {instance.family}",
            kind="derived",
            protocol=protocol,
            type=instance.type,
            mode=mode,
            json=instance.text,
            expect=_expect(instance, instance.lenient if mode == "lenient" else instance.strict),
        )
        for instance in derive(protocol.model, seed=seed, random=random)
        for mode in MODES
    ]


def _expect(instance: Instance, outcome: Outcome) -> Expect:
    if outcome.error is not None:
        return Expect(error=outcome.error)
    return Expect(variant=outcome.variant, output=instance.text, unknown=outcome.unknown, ordered=instance.ordered)
