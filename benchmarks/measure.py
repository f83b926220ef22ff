"""Ways to measure: two functions alternating on the same items, two programs alternating, the CPU time of a program."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
S = TypeVar("S")

PORTION = 500
"""Number of lines that one of the two reads before the other's turn; the first portion only warms up."""

ROUND = 4
"""Number of portions per ratio: each of the two is first equally often, and collects its garbage within them."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The result of a measurement: one value for each round, and a remark for the table."""

    values: list[float]
    remark: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The first and the third quartile; a single value is returned twice."""
        low, _, high = statistics.quantiles(self.values, n=4) if len(self.values) > 1 else self.values * 3
        return low, high


COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of programs whose start is timed: compiled modules are kept, as they are for users."""


def each(run: Callable[[T], object], items: Iterable[T]) -> None:
    """Call the function for every item and discard the results."""
    for item in items:
        run(item)


def in_turn(
    ours: Callable[[T], object],
    peer: Callable[[S], object],
    our: Sequence[T],
    their: Sequence[S],
    size: int = PORTION,
) -> Figure:
    """Time two functions on their forms of the same items, portion by portion, each item once.

    Other load on the machine affects both equally, and no cache has seen an item before. `size` is that of a portion.
    """
    ratios, spent = [], [0.0, 0.0]
    for number, at in enumerate(range(0, len(our) - size + 1, size)):
        portion = slice(at, at + size)
        for which in (number % 2, 1 - number % 2):
            spent[which] += seconds(each, ours, our[portion]) if which == 0 else seconds(each, peer, their[portion])
        if number % ROUND == 0:
            if number:
                ratios.append(spent[0] / spent[1])
            spent = [0.0, 0.0]
    return Figure(ratios)


def seconds(run: Callable[..., object], *arguments: object) -> float:
    """Return the CPU seconds of one call in this process."""
    start = time.process_time()
    run(*arguments)
    return time.process_time() - start


def whole_runs(ours: Callable[[], float], peer: Callable[[], float], rounds: int) -> Figure:
    """Compare the costs that two programs return, alternating between them; the first round only warms up."""
    ratios = []
    for number in range(rounds + 1):
        costs = [0.0, 0.0]
        for which in (number % 2, 1 - number % 2):
            costs[which] = (ours, peer)[which]()
        if number:
            ratios.append(costs[0] / costs[1])
    return Figure(ratios)


@dataclass(frozen=True, slots=True)
class Cost:
    """The resources used by a program and its child processes."""

    seconds: float
    """CPU seconds."""
    megabytes: float
    """Peak memory of a single process."""


def cpu_seconds(command: Sequence[str | Path], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> float:
    """Return the CPU seconds of a program and its child processes; the program must succeed."""
    return cost(command, cwd, env).seconds


def cost(command: Sequence[str | Path], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Cost:
    """Return the cost of a program and its child processes; the program must succeed."""
    with tempfile.TemporaryFile() as output:
        started = subprocess.Popen(command, cwd=cwd, env=env, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        if started.returncode:
            output.seek(0)
            told = output.read().decode(errors="replace")
            raise SystemExit(f"{' '.join(map(str, command))} failed with status {started.returncode}:\n{told}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1_000)
