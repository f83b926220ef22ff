"""Two functions → the ratio of their times, interleaved so that whatever the machine does meets both alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


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
    ratios = []
    for number in range(rounds + 1):
        pair = (ours, peer) if number % 2 else (peer, ours)
        times = {run: seconds(run) for run in pair}
        if number:
            ratios.append(times[ours] / times[peer])
    return Ratio.of(ratios)
