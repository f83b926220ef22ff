"""Cases and testees → the result of each testee for each case."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from polywire.conformance.case import LIMITS, Case, Expect, Outcome
from polywire.conformance.judge import (
    ANSWERS,
    MODES,
    MORE_OPS,
    NOT_APPLICABLE,
    OPS,
    Abilities,
    Verdict,
    applicable,
    in_mode_of,
    judge,
    repeated,
)
from polywire.conformance.process import Answer, CannotRunError, Clock, Reply, Session, StartError, Trouble, Wait, wait
from polywire.conformance.protocols import Protocol
from polywire.conformance.testee import Testee, TesteeError, Workshop
from polywire.ground.words import counted, suggestion


@dataclass(frozen=True, slots=True)
class Result:
    """The results of all cases with one testee; `verdicts` are in the order of the cases."""

    testee: str
    verdicts: tuple[Verdict, ...]
    problems: tuple[str, ...] = ()
    """Problems of the testee that belong to no case; each counts as a failure."""
    cannot_run: str | None = None
    """Why the testee was skipped altogether."""
    abilities: Abilities | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    """The time from the testee's description of itself to its last answer: without that to build and start it."""

    def count(self, outcome: str) -> int:
        """Return the number of cases with an outcome; problems that belong to no case count as failures."""
        return sum(v.outcome == outcome for v in self.verdicts) + (len(self.problems) if outcome == "failed" else 0)


@dataclass
class _Run:
    """The state of one testee's run: verdicts by case, filled in protocol by protocol."""

    verdicts: list[Verdict]
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    abilities: Abilities | None = None
    seconds: float = 0.0


def run(
    cases: Sequence[Case],
    testee: Testee,
    workshop: Workshop,
    default: Protocol,
    *,
    folder: Path,
    patience: float = 10.0,
    wait: Wait = wait,
) -> Result:
    """Run every applicable case on one testee, whose working folder is `folder`."""
    state = _Run([NOT_APPLICABLE] * len(cases))
    cannot_run = None
    clock = Clock(patience, wait)
    for protocol in dict.fromkeys(case.protocol for case in cases):
        if not workshop.serves(testee, protocol, default):
            continue
        own = [(number, case) for number, case in enumerate(cases) if case.protocol == protocol]
        try:
            command = workshop.command(testee, protocol)
            session = Session(
                command,
                folder=folder,
                clock=clock,
                startup=testee.startup,
                environment={**os.environ, **testee.environment},
            )
            try:
                _ask(session, own, testee, protocol, state)
            finally:
                session.kill()
                state.problems += session.problems
                state.notes += [f"{testee.name} {note}" for note in session.notes]
        except CannotRunError as error:
            cannot_run = str(error)
            break
        except (StartError, TesteeError) as error:
            state.problems.append(str(error))
            if clock.silent:
                break  # it would be silent for each spec again
    return Result(
        testee.name,
        tuple(state.verdicts),
        tuple(dict.fromkeys(state.problems)),
        cannot_run,
        state.abilities,
        tuple(dict.fromkeys(state.notes)),
        state.seconds,
    )


def run_all(
    cases: Sequence[Case],
    testees: Sequence[Testee],
    workshop: Workshop,
    default: Protocol,
    *,
    folder: Path,
    patience: float = 10.0,
    begins: Callable[[str], object] = lambda _: None,
) -> Iterator[Result]:
    """Run several testees, as many in parallel as there are processors; yield each result when it is there.

    `begins` is called with the name of each testee when its run begins, in the thread of the run. A caller that stops
    early, for example because of an interrupt, need not wait for the testees that are still running.
    """
    outcomes: list[Future[Result]] = [Future() for _ in testees]
    left = iter(list(zip(testees, outcomes, strict=True)))

    def work() -> None:
        for testee, outcome in left:
            with _raising_in(outcome):
                begins(testee.name)
                outcome.set_result(run(cases, testee, workshop, default, folder=folder, patience=patience))

    for _ in range(min(len(testees), os.cpu_count() or 1)):
        threading.Thread(target=work, daemon=True).start()
    for outcome in as_completed(outcomes):
        yield outcome.result()


def in_order(results: Iterable[Result], testees: Sequence[Testee]) -> list[Result]:
    """Sort results as their testees are."""
    place = {testee.name: number for number, testee in enumerate(testees)}
    return sorted(results, key=lambda result: place[result.testee])


@contextlib.contextmanager
def _raising_in(outcome: Future[Result]) -> Iterator[None]:
    """Pass exceptions on to the reader of the result."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - every exception is raised again
        outcome.set_exception(error)


def _ask(session: Session, own: list[tuple[int, Case]], testee: Testee, protocol: Protocol, state: _Run) -> None:
    """Run both passes over the cases of one protocol: the inputs, then the testee's own outputs for them.

    Time counts from the description on, for which a testee may have been built.
    """
    abilities = abilities_of(testee.name, session.describe())
    with _timed(state):
        _ask_described(session, own, testee, protocol, state, abilities)


@contextlib.contextmanager
def _timed(state: _Run) -> Iterator[None]:
    started = time.perf_counter()
    try:
        yield
    finally:
        state.seconds += time.perf_counter() - started


def _ask_described(
    session: Session, own: list[tuple[int, Case]], testee: Testee, protocol: Protocol, state: _Run, abilities: Abilities
) -> None:
    state.abilities = state.abilities or abilities
    if abilities.spec and abilities.spec != protocol.model.spec_hash:
        ours = protocol.model.spec_hash
        state.notes.append(f"{testee.name} is made from spec {abilities.spec[:12]}, not {ours[:12]} ({protocol})")
    _known_types(abilities, protocol, state)
    given = [(number, in_mode_of(case, abilities)) for number, case in own]
    asked = [(number, case) for number, case in given if applicable(case, abilities)]
    replies = session.ask([case.request() for _, case in asked])
    for (number, case), reply in zip(asked, replies, strict=True):
        state.verdicts[number] = judge(case, reply, abilities)
    again = [
        (number, case)
        for number, case in asked
        if "json" in abilities.answers and (output := state.verdicts[number].output) is not None and output != case.json
    ]
    replies = session.ask([_again(case, state.verdicts[number]) for number, case in again])
    for (number, case), reply in zip(again, replies, strict=True):
        if isinstance(reply, Trouble) and not reply.asked:
            continue  # it was abandoned, which already fails enough cases
        if problems := repeated(case, state.verdicts[number], reply, abilities):
            state.verdicts[number] = _worse(state.verdicts[number], problems, reply)
    session.close()


def _again(case: Case, first: Verdict) -> dict[str, object]:
    return {"op": "decode", "type": case.type, "mode": case.mode, "json": first.output}


def _worse(verdict: Verdict, problems: list[str], reply: Reply) -> Verdict:
    again = Expect((Outcome(variant=verdict.variant, text=verdict.output, unknown=verdict.unknown),))
    wanted, got = (again, reply) if verdict.wanted is None else (verdict.wanted, verdict.reply)
    return replace(verdict, outcome="failed", problems=(*verdict.problems, *problems), wanted=wanted, reply=got)


_T = TypeVar("_T")


def abilities_of(name: str, description: Answer) -> Abilities:
    """Check the answer to `describe`. Raises `StartError` if it has the wrong form."""

    def have(key: str, kind: type[_T], default: _T) -> _T:
        value = description.get(key, default)
        if not isinstance(value, kind):
            raise StartError(f"its description has {key}: {value!r}; expected {kind.__name__}")
        return value

    def names(key: str, known: frozenset[str], default: frozenset[str]) -> frozenset[str]:
        found = frozenset(map(str, have(key, list, sorted(default))))
        if strange := sorted(found - known):
            raise StartError(f"its description has {key}: {strange[0]!r}; expected some of {', '.join(sorted(known))}")
        return found

    answers = names("answers", ANSWERS, ANSWERS)
    if "ok" not in answers:
        raise StartError("its description has answers without ok, which every answer has")
    reads = description.get("reads", "text" if answers - {"ok"} else "values")
    if reads not in ("text", "values"):
        raise StartError(f"its description has reads: {reads!r}; expected text or values")
    if (maps := description.get("maps")) not in (None, "sorted"):
        raise StartError(f"its description has maps: {maps!r}; expected sorted, or nothing")
    return Abilities(
        name,
        language=have("language", str, ""),
        version=have("version", str, ""),
        spec=have("spec", str, ""),
        types=frozenset(map(str, have("types", list, []))),
        modes=names("modes", MODES, MODES),
        ops=names("ops", OPS | MORE_OPS, OPS),
        answers=answers,
        limits=names("limits", LIMITS, frozenset()),
        sees_text=reads == "text",
        sorts=maps == "sorted",
    )


def _known_types(abilities: Abilities, protocol: Protocol, state: _Run) -> None:
    """Note which types of a testee the spec does not have. Raises `StartError` if it has none of them."""
    strange = sorted(abilities.types - protocol.model.declarations.keys())
    if not strange:
        return
    meant = suggestion(strange[0], protocol.model.declarations)
    if len(strange) == len(abilities.types):
        raise StartError(f"its description has none of the types of {protocol}, but {strange[0]}{meant}")
    state.notes.append(
        f"{abilities.name} has {counted(len(strange), 'type')} that {protocol} does not declare: {strange[0]}{meant}"
    )
