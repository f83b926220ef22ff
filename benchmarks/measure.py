"""Two functions → the ratio of their times, interleaved so that whatever the machine does meets both alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Pair: TypeAlias = "tuple[Callable[[], object], Callable[[], object]]"
"""Ours and the peer's, for the same portion of the work."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Ours over the peer's: the median of the rounds, and their quartiles as the spread."""

    median: float
    low: float
    high: float
    rounds: int

    @classmethod
    def of(cls, ratios: list[float]) -> Ratio:
        low, median, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        return cls(median, low, high, len(ratios))


def seconds(run: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def interleave(ours: Callable[[], object], peer: Callable[[], object], rounds: int) -> Ratio:
    """Time both in every round, now one first, now the other; the first round only warms up."""
    return by_portion([(ours, peer)], rounds)


def by_portion(pairs: Sequence[Pair], rounds: int) -> Ratio:
    """Time both on one portion of the work after the other, so that a busy moment of the machine meets both alike."""
    ratios = []
    for number in range(rounds + 1):
        spent = [0.0, 0.0]
        for portion, pair in enumerate(pairs):
            first = (number + portion) % 2
            for which in (first, 1 - first):
                spent[which] += seconds(pair[which])
        if number:
            ratios.append(spent[0] / spent[1])
    return Ratio.of(ratios)
