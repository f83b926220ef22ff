"""Instances derived from a spec → cases, one for each mode, and cases of what parsers reject, for each root."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from polywire.conformance.case import Case, Expect, Mode, Outcome
from polywire.ground.engine import MAX_DEPTH, MAX_DIGITS
from polywire.oracle import instances
from polywire.oracle.instances import Instance
from polywire.oracle.reference.framing import framed

if TYPE_CHECKING:
    from polywire.conformance.protocols import Protocol


MODES: Final[tuple[Mode, ...]] = ("lenient", "strict")


def derived(protocol: Protocol, *, seed: int, random: int, only: Collection[str] | None = None) -> list[Case]:
    """Return two cases for each instance of every declared type, and some for each root that only concern parsers.

    `only` has the types to take, if not all. Raises `DeriveError` if a type has no instance.
    """
    where = f"derived/{protocol.dialect}" if protocol.dialect else "derived"
    found = instances.derive(protocol.model, seed=seed, random=random, only=only)
    cases = [
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
        for instance in found
        for mode in MODES
    ]
    first = {instance.type: instance for instance in reversed(found) if instance.strict.ok}
    for root in dict.fromkeys(each for each in protocol.model.protocol.roots if only is None or each in only):
        cases += [case for mode in MODES for case in _unreadable(protocol, first[root], mode, where)]
    return cases


def _expect(instance: Instance, right: instances.Outcome) -> Expect:
    if right.ok:
        text = instance.text if instance.repaired is None or right is instance.strict else instance.repaired
        return Expect((Outcome(None, right.variant, text, None, right.unknown, instance.ordered),))
    return Expect(tuple(Outcome(error=error) for error in right.errors))


# --- cases that only concern parsers ---------------------------------------------------------------------------


def _unreadable(protocol: Protocol, sound: Instance, mode: Mode, where: str) -> Iterator[Case]:
    """Yield a valid text combined with each thing that parsers reject: by itself, and as the lines of one stream."""
    made = partial(Case, group=f"{where}: unreadable", kind="derived", protocol=protocol, type=sound.type, mode=mode)
    text = sound.text.encode()
    wrong = {
        "invalid_utf8": b"[" + text + b',"\xff"]',
        "invalid_json": text + b"]",
        "too_deep": b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
        "out_of_range": b"[" + text + b"," + b"9" * (MAX_DIGITS + 1) + b"]",
    }
    for code, line in wrong.items():
        data = base64.b64encode(line).decode()
        yield made(f"{where}/{sound.type}: {code} ({mode})", data=data, expect=Expect.error(code))
    framing = protocol.model.protocol.framing
    limit = max(map(len, (text, *wrong.values())))
    lines = [*wrong.items(), ("too_long", text.ljust(limit + 1)), ("", text)]
    right = sound.lenient if mode == "lenient" else sound.strict
    yield made(
        f"{where}/{sound.type}: stream ({mode})",
        chunks=(base64.b64encode(b"".join(framed(framing, line) for _, line in lines)).decode(),),
        limit=limit,
        expect=tuple(
            replace(Expect.error(code) if code else _expect(sound, right), line=number)
            for number, (code, _) in enumerate(lines, 1)
        ),
    )
