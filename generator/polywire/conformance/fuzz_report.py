"""The findings of a run of `polywire fuzz` → a report for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.markup import escape

from polywire.conformance import difference
from polywire.conformance.findings import Examined, Finding, Tally, text_of
from polywire.conformance.pool import Pool
from polywire.ground.words import counted

_LONGEST = 400


def skipped(console: Console, missing: Mapping[str, str]) -> None:
    """Print which testees could not run."""
    for name, why in missing.items():
        console.print(f"[yellow]SKIPPED[/] {escape(name)}: {escape(why)}", soft_wrap=True)


def show(
    console: Console, number: int, finding: Finding, examined: Examined, entry: Mapping[str, object], again: str
) -> None:
    """Print a finding: its origin, the answers to its smallest document, and the case to keep."""
    key, first = finding.key, finding.first
    rows = [
        ("met", f"{counted(finding.count, 'time')}, first in document {first.number}"),
        ("made by", " → ".join(first.chain)),
        ("again by", f"{again} --first {first.number} --documents 1"),
        *((name, _cut(text)) for name, text in _documents(examined, key.testees)),
    ]
    console.print(
        f"\n[bold red]FINDING {number}[/] {escape(', '.join(key.testees))}: {escape(str(key.difference))},"
        f" {escape(key.type)}, {first.mode}",
        soft_wrap=True,
    )
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        console.print(f"  {escape(name):<{width}}  {escape(text)}", soft_wrap=True)
    console.print(escape(text_of(entry)), soft_wrap=True, end="")


def _documents(examined: Examined, differing: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the document, the reference, the answer of each testee that differs, and the testees that agree."""
    yield "smallest", examined.case.shown
    yield "reference", difference.in_words(examined.case.expect)
    for name, response in examined.responses.items():
        if name in differing:
            yield name, difference.compact(difference.got(response.reply))
            if response.again is not None:
                yield "", f"given its own output: {difference.compact(difference.got(response.again))}"
    if agreeing := [name for name in examined.responses if name not in differing]:
        yield "agree", ", ".join(agreeing)


def conclude(console: Console, tally: Tally, workers: Pool, seed: int, first: int, most: int) -> None:
    """Print problems that belong to no document, what was not shown, and the closing lines."""
    for note in workers.notes:
        console.print(f"[yellow]note[/] {escape(note)}", soft_wrap=True)
    for problem in workers.problems:
        console.print(f"\n[bold red]FAILED[/] {escape(problem)}", soft_wrap=True)
    if len(tally.findings) > most:
        console.print(
            f"\n… and {counted(len(tally.findings) - most, 'more finding')}; --show {len(tally.findings)} has all"
        )
    testees = ", ".join(
        worker.name + (f" (each {worker.testee.every}th)" if worker.testee.every > 1 else "")
        for worker in workers.workers
    )
    console.print(
        f"seed {seed}, documents {first} to {first + tally.documents - 1}, asked of {testees}", soft_wrap=True
    )
    console.print(
        f"{tally.documents:,} documents ({tally.streams:,} streams, {tally.accepted:,} accepted),"
        f" {tally.answers:,} answers in {tally.seconds:.0f} s, {tally.rate:.0f} documents a second:"
        f" {tally.disagreeing:,} with a disagreement, {counted(len(tally.findings), 'finding')}",
        soft_wrap=True,
    )


def _cut(text: str) -> str:
    tame = text if text.isprintable() else text.encode("unicode_escape").decode("ascii")
    return tame if len(tame) <= _LONGEST else f"{tame[:_LONGEST]} … ({len(tame)} characters)"
