"""Ways to measure: two functions on the same items in turn, two programs in turn, the CPU seconds of a program."""

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
"""Lines that one of the two reads before it is the other's turn; the first portion only warms up."""

ROUND = 4
"""Portions whose times add up to one ratio: each is first as often as the other, and collects its garbage in it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured: one value for each round, and a remark for the table."""

    values: list[float]
    remark: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The first and the third; of a single value, that value."""
        low, _, high = statistics.quantiles(self.values, n=4) if len(self.values) > 1 else self.values * 3
        return low, high


COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of programs whose start is timed: compiled modules are kept, as they are for users."""


def each(run: Callable[[T], object], items: Iterable[T]) -> None:
    """Call it for every item and keep nothing."""
    for item in items:
        run(item)


def in_turn(ours: Callable[[T], object], peer: Callable[[S], object], our: Sequence[T], their: Sequence[S]) -> Figure:
    """Time two functions on their forms of the same items, portion by portion, each item once.

    Whatever else the machine does meets both alike, and no cache has seen an item before.
    """
    ratios, spent = [], [0.0, 0.0]
    for number, at in enumerate(range(0, len(our) - PORTION + 1, PORTION)):
        portion = slice(at, at + PORTION)
        for which in (number % 2, 1 - number % 2):
            spent[which] += seconds(each, ours, our[portion]) if which == 0 else seconds(each, peer, their[portion])
        if number % ROUND == 0:
            if number:
                ratios.append(spent[0] / spent[1])
            spent = [0.0, 0.0]
    return Figure(ratios)


def seconds(run: Callable[..., object], *arguments: object) -> float:
    """The CPU seconds of one call in this process."""
    start = time.process_time()
    run(*arguments)
    return time.process_time() - start


def whole_runs(ours: Callable[[], float], peer: Callable[[], float], rounds: int) -> Figure:
    """Compare the cost of two programs, which they return, in turn; the first round only warms up."""
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
    """What a program and all that it starts took."""

    seconds: float
    """Of CPU."""
    megabytes: float
    """The most that one process held at once."""


def cpu_seconds(command: Sequence[str | Path], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> float:
    """The CPU seconds of a program and of all that it starts; it has to succeed."""
    return cost(command, cwd, env).seconds


def cost(command: Sequence[str | Path], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Cost:
    """What a program and all that it starts take; it has to succeed."""
    with tempfile.TemporaryFile() as output:
        started = subprocess.Popen(command, cwd=cwd, env=env, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        if started.returncode:
            output.seek(0)
            told = output.read().decode(errors="replace")
            raise SystemExit(f"{' '.join(map(str, command))} failed with status {started.returncode}:\n{told}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1_000)
