"""What each testee did → a table, every disagreement with its case, the closing line, and the result file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from polywire import __version__
from polywire.conformance.case import Case
from polywire.conformance.judge import Verdict
from polywire.conformance.runner import Result

MOST_SHOWN = 20
"""Disagreements printed for each testee; the rest is counted, and is in the result file."""

_LONGEST = 600


def totals(results: Iterable[Result]) -> tuple[int, int, int]:
    """Passed, failed and skipped over all testees."""
    counted = Counter[str]()
    for result in results:
        for outcome in ("passed", "failed", "skipped"):
            counted[outcome] += result.count(outcome)
    return counted["passed"], counted["failed"], counted["skipped"]


def summary(results: Iterable[Result]) -> str:
    """The closing line."""
    passed, failed, skipped = totals(results)
    return f"{passed} passed, {failed} failed, {skipped} skipped"


def show(console: Console, cases: Sequence[Case], results: Sequence[Result], *, most: int = MOST_SHOWN) -> None:
    """Prints everything that people want to know of a run, worst last, where the eye is."""
    console.print(_table(cases, results))
    captured = [number for number, case in enumerate(cases) if case.kind == "captured"]
    if captured:
        console.print(_unknown_table(cases, results, captured))
    for result in results:
        for line in _remarks(result):
            console.print(line, soft_wrap=True)
    for result in results:
        for line in _disagreements(cases, result, most):
            console.print(line, soft_wrap=True)
    console.print(summary(results), highlight=False, soft_wrap=True)


# --- tables ----------------------------------------------------------------------------------------------------


def _table(cases: Sequence[Case], results: Sequence[Result]) -> Table:
    table = Table(title="conformance", title_justify="left")
    table.add_column("group")
    for result in results:
        table.add_column(escape(result.testee), justify="right")
    groups: dict[str, list[int]] = {}
    for number, case in enumerate(cases):
        groups.setdefault(case.group, []).append(number)
    for group, numbers in groups.items():
        table.add_row(escape(group), *(_cell(result, numbers) for result in results))
    table.add_section()
    table.add_row("all", *(_total(result) for result in results))
    table.add_row("seconds", *(f"{result.seconds:.1f}" for result in results))
    return table


def _cell(result: Result, numbers: Sequence[int]) -> str:
    if result.cannot_run is not None:
        return "[yellow]SKIPPED[/]"
    return _counts(Counter(result.verdicts[number].outcome for number in numbers))


def _total(result: Result) -> str:
    if result.cannot_run is not None:
        return "[yellow]SKIPPED[/]"
    return _counts(Counter({o: result.count(o) for o in ("passed", "failed", "skipped")}))


_CELLS = (("passed", "[green]{}[/]"), ("failed", "[bold red]{} failed[/]"), ("skipped", "[dim]{} n/a[/]"))


def _counts(counted: Counter[str]) -> str:
    return " ".join(form.format(counted[outcome]) for outcome, form in _CELLS if counted[outcome])


def _unknown_table(cases: Sequence[Case], results: Sequence[Result], captured: Sequence[int]) -> Table:
    table = Table(title="unknown: places (lines)", title_justify="left")
    table.add_column("capture")
    seeing = [r for r in results if r.abilities is not None and r.abilities.sees_text]
    for result in seeing:
        table.add_column(escape(result.testee), justify="right")
    groups: dict[str, list[int]] = {}
    for number in captured:
        groups.setdefault(cases[number].group, []).append(number)
    for group, numbers in groups.items():
        table.add_row(escape(group), *(_unknown(result, numbers) for result in seeing))
    return table


def _unknown(result: Result, numbers: Sequence[int]) -> str:
    places = [len(result.verdicts[number].unknown or ()) for number in numbers]
    return f"{sum(places)} ({sum(map(bool, places))})"


# --- words -----------------------------------------------------------------------------------------------------


def _remarks(result: Result) -> Iterator[str]:
    name = escape(result.testee)
    if result.cannot_run is not None:
        yield f"[yellow]SKIPPED[/] {name}: {escape(result.cannot_run)}"
        return
    if result.abilities is not None and not result.abilities.sees_text:
        yield (
            f"[dim]{name} answers only whether an input is accepted: variant, output, unknown, code and path are "
            "not applicable to it, nor are streams, bytes and what only a parser sees[/]"
        )
    for note in result.notes:
        yield f"[yellow]note[/] {escape(note)}"


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
    rows += [("input", case.shown), ("expected", verdict.expected), ("got", verdict.got)]
    rows += [("", problem) for problem in verdict.problems]
    lines = [f"\n[bold red]FAILED[/] {escape(testee)}: {escape(case.name)} ({escape(case.type)}, {case.mode})"]
    return "\n".join(lines + [f"  {key:<9}{escape(_cut(text))}" for key, text in rows])


def _cut(text: str) -> str:
    tame = text.encode("unicode_escape").decode("ascii") if not text.isprintable() else text
    return tame if len(tame) <= _LONGEST else f"{tame[:_LONGEST]} … ({len(tame)} characters)"


# --- the result file -------------------------------------------------------------------------------------------


def write_json(file: Path, cases: Sequence[Case], results: Sequence[Result]) -> None:
    """The outcome, variant and unknown of every case with every testee; the same run gives the same bytes."""
    document = {"polywire": __version__, "testees": [_result(cases, result) for result in results]}
    file.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _result(cases: Sequence[Case], result: Result) -> dict[str, object]:
    told = result.abilities
    return {
        "testee": result.testee,
        "language": told.language if told else None,
        "version": told.version if told else None,
        "spec": told.spec if told else None,
        "cannot_run": result.cannot_run,
        "problems": list(result.problems),
        "passed": result.count("passed"),
        "failed": result.count("failed"),
        "skipped": result.count("skipped"),
        "cases": [_entry(case, verdict) for case, verdict in zip(cases, result.verdicts, strict=True)],
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
    return entry | ({"problems": list(verdict.problems)} if verdict.problems else {})
