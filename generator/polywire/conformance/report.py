"""The results of each testee → the table, every disagreement with its case, the closing line, and the result file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from polywire import __version__
from polywire.conformance import difference, table
from polywire.conformance.case import Case
from polywire.conformance.coverage import Coverage
from polywire.conformance.elements import Element
from polywire.conformance.judge import Verdict
from polywire.conformance.protocols import Protocol
from polywire.conformance.runner import Result
from polywire.ground.words import counted

MOST_SHOWN = 20
"""Maximum number of disagreements printed for each testee; the result file has all of them."""

_LONGEST = 600


@dataclass(frozen=True, slots=True)
class Run:
    """The contents of a report."""

    cases: Sequence[Case]
    results: Sequence[Result]
    coverage: Sequence[Coverage] = ()
    whole: Protocol | None = None
    """The protocol whose elements the cases must all reach, if any."""
    seconds: float = 0.0

    @property
    def unreached(self) -> list[Element]:
        """The elements that the cases should have reached but did not."""
        return [element for found in self.coverage if found.protocol == self.whole for element in found.unreached]

    @property
    def disagrees(self) -> bool:
        """Whether any testee gave a wrong answer."""
        return any(result.count("failed") for result in self.results)


def totals(results: Iterable[Result]) -> tuple[int, int, int]:
    """Return the numbers passed, failed and skipped over all testees."""
    found = Counter[str]()
    for result in results:
        for outcome in ("passed", "failed", "skipped"):
            found[outcome] += result.count(outcome)
    return found["passed"], found["failed"], found["skipped"]


def summary(results: Iterable[Result]) -> str:
    """Return the closing line."""
    passed, failed, skipped = totals(results)
    return f"{passed} passed, {failed} failed, {skipped} skipped"


def show(console: Console, run: Run, *, most: int = MOST_SHOWN) -> None:
    """Print the report for people, with failures last, where they are seen first."""
    for row in table.lines([column(run.cases, result) for result in run.results], console.width):
        console.print(row, soft_wrap=True)
    for found in unknown(run):
        places, lines = counted(found.places, "place"), counted(found.lines, "line")
        console.print(f"unknown in {escape(found.group)}: {places} in {lines} ({escape(', '.join(found.testees))})")
    for line in (line for result in run.results for line in _remarks(result)):
        console.print(line, soft_wrap=True)
    for covered in run.coverage:
        for line in covered.lines() if covered.protocol == run.whole else covered.lines(0):
            console.print(Text(line, style="bold red" if line.startswith("UNREACHED") else ""), soft_wrap=True)
    for result in run.results:
        for line in _disagreements(run.cases, result, most):
            console.print(line, soft_wrap=True)
    console.print(summary(run.results), highlight=False, soft_wrap=True)


def column(cases: Sequence[Case], result: Result, group: Callable[[Case], str] = attrgetter("group")) -> table.Column:
    """Return the counts of one testee by group."""
    counts: dict[str, Counter[str]] = {}
    if result.cannot_run is None:
        for case, verdict in zip(cases, result.verdicts, strict=True):
            counts.setdefault(group(case), Counter())[verdict.outcome] += 1
    return table.Column(result.testee, counts, result.seconds, len(result.problems))


# --- words -----------------------------------------------------------------------------------------------------


class Unknown(NamedTuple):
    """The number of places and lines in a group of captures where testees saw something the spec does not declare."""

    group: str
    places: int
    lines: int
    testees: tuple[str, ...]


def unknown(run: Run) -> list[Unknown]:
    """Return one entry for each group of captures, or more if testees do not agree."""
    captured: dict[str, list[int]] = {}
    for number, case in enumerate(run.cases):
        if case.kind == "captured":
            captured.setdefault(case.group, []).append(number)
    seen: dict[tuple[str, int, int], list[str]] = {}
    for result in run.results:
        if result.abilities is not None and "unknown" in result.abilities.answers:
            for group, numbers in captured.items():
                places = [len(result.verdicts[number].unknown or ()) for number in numbers]
                seen.setdefault((group, sum(places), sum(map(bool, places))), []).append(result.testee)
    return [Unknown(*what, tuple(testees)) for what, testees in sorted(seen.items())]


def _remarks(result: Result) -> Iterator[str]:
    name = escape(result.testee)
    if result.cannot_run is not None:
        yield f"[yellow]SKIPPED[/] {name}: {escape(difference.tame(result.cannot_run))}"
        return
    if result.abilities is not None and result.abilities.unclaimed:
        yield f"[dim]{name} does not claim: {escape(', '.join(result.abilities.unclaimed))}[/]"
    for note in result.notes:
        yield f"[yellow]note[/] {escape(difference.tame(note))}"


def _disagreements(cases: Sequence[Case], result: Result, most: int) -> Iterator[str]:
    for problem in result.problems:
        yield f"\n[bold red]FAILED[/] {escape(result.testee)}: {escape(_cut(problem))}"
    failed = [
        (case, verdict) for case, verdict in zip(cases, result.verdicts, strict=True) if verdict.outcome == "failed"
    ]
    for case, verdict in failed[:most]:
        yield _disagreement(case, result.testee, verdict)
    if len(failed) > most:
        yield f"\n… and {len(failed) - most} more of {escape(result.testee)}; --json has them all"


def _disagreement(case: Case, testee: str, verdict: Verdict) -> str:
    rows = [("why", case.doc)] if case.doc else []
    rows += [("input", case.shown)]
    rows += [("expected", difference.in_words(verdict.wanted))] if verdict.wanted is not None else []
    rows += [("got", difference.compact(difference.got(verdict.reply)))] if verdict.reply is not None else []
    rows += [("", problem) for problem in verdict.problems]
    lines = [f"\n[bold red]FAILED[/] {escape(testee)}: {escape(_cut(case.name))} ({escape(case.type)}, {case.mode})"]
    return "\n".join(lines + [f"  {key:<9}{escape(_cut(text))}" for key, text in rows])


def _cut(text: str) -> str:
    tame = difference.tame(text)
    return tame if len(tame) <= _LONGEST else f"{tame[:_LONGEST]} … ({len(tame)} characters)"


# --- the result file -------------------------------------------------------------------------------------------


def write_json(file: Path, run: Run) -> None:
    """Write the result of every case with every testee, one per line; the same outcomes give the same bytes.

    A lone surrogate, which UTF-8 cannot encode, is written as a JSON escape.
    """
    with file.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as opened:
        opened.write(f'{{"polywire": {_json(__version__)},\n"coverage": [')
        opened.writelines(_listed(found.as_json() for found in run.coverage))
        opened.write('],\n"testees": [')
        for number, result in enumerate(run.results):
            head = _json(_result(result)).removesuffix("}")
            opened.write(f'{"," * (number > 0)}\n{head}, "cases": [')
            opened.writelines(_listed(map(_entry, run.cases, result.verdicts)))
            opened.write("]}")
        opened.write("]}\n")


def _listed(entries: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield the lines of an array with one element per line."""
    for number, entry in enumerate(entries):
        yield f"{',' * (number > 0)}\n{_json(entry)}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _result(result: Result) -> dict[str, object]:
    description = result.abilities
    return {
        "testee": result.testee,
        "language": description.language if description else None,
        "version": description.version if description else None,
        "spec": description.spec if description else None,
        "unclaimed": list(description.unclaimed) if description else None,
        "cannot_run": result.cannot_run,
        "problems": list(result.problems),
        "passed": result.count("passed"),
        "failed": result.count("failed"),
        "skipped": result.count("skipped"),
    }


def _entry(case: Case, verdict: Verdict) -> dict[str, object]:
    entry: dict[str, object] = {
        "case": case.name,
        "group": case.group,
        "type": case.type,
        "mode": case.mode,
        "outcome": verdict.outcome,
        "variant": verdict.variant,
        "unknown": None if verdict.unknown is None else list(verdict.unknown),
    }
    if verdict.outcome != "failed":
        return entry
    if case.stateful is not None:
        return entry | {"input": case.stateful.as_json(), "problems": list(verdict.problems)}
    request = {key: value for key, value in case.request().items() if key in {"json", "bytes", "chunks", "limit"}}
    return entry | {
        "input": request,
        "expected": None if verdict.wanted is None else difference.expected(verdict.wanted),
        "got": None if verdict.reply is None else difference.got(verdict.reply),
        "problems": list(verdict.problems),
    }
