"""A run in progress → a row for each testee on a terminal, so that nobody waits without knowing for what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from polywire.conformance.runner import Result
from polywire.ground.words import counted


class Shown(Protocol):
    """What is told of the progress of a run, from any thread."""

    def begins(self, testee: str) -> None:
        """A testee is built, if it has to be, and asked."""

    def ended(self, result: Result) -> None:
        """The results of a testee are there."""


class _Silent:
    """For what is not a terminal."""

    def begins(self, testee: str) -> None:
        """Say nothing."""

    def ended(self, result: Result) -> None:
        """Say nothing."""


@contextmanager
def progress(cases: int, testees: Sequence[str]) -> Iterator[Shown]:
    """Show a row for each testee on standard error while a run lasts, if that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield _Silent()
        return
    texts = TextColumn("{task.fields[testee]}"), TextColumn("{task.description}")
    with Progress(SpinnerColumn(), *texts, TimeElapsedColumn(), console=console, transient=True) as rows:
        width = max(map(len, testees))
        tasks = {name: rows.add_task("waits", start=False, total=1, testee=name.ljust(width)) for name in testees}

        class Rows:
            def begins(self, testee: str) -> None:
                rows.start_task(tasks[testee])
                rows.update(tasks[testee], description=f"is built and answers {counted(cases, 'case')}")

            def ended(self, result: Result) -> None:
                rows.update(tasks[result.testee], completed=1, description=_summary(result))

        yield Rows()


def _summary(result: Result) -> str:
    if result.cannot_run is not None:
        return f"skipped: {result.cannot_run}"
    return f"{result.count('passed'):,} passed, {result.count('failed'):,} failed"
