"""The rows of the benchmark: what is measured, what it is compared with, and its limits, which the design sets.

A row is a function that returns a `Figure`; the modules in `ROW_MODULES` register theirs on import.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from measure import Figure

Measure: TypeAlias = Callable[[], Figure]

ROW_MODULES = (
    *("rows_commands", "rows_python", "rows_tables", "rows_programs", "rows_bounds", "rows_weight", "rows_generator"),
)
"""In the order of measurement: rows that take minutes come last."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `must` and `aim` bound the figure from above, `unit` is what it counts."""

    what: str
    against: str
    measure: Measure
    must: float
    aim: float
    unit: str = "×"
    processes: int = 1
    """Number of processes that measure it, one after the other; their values are combined."""

    def verdict(self, figure: Figure) -> str:
        """Compare the figure with the limits."""
        if figure.median <= self.aim:
            return "aim met"
        if figure.median <= self.must:
            return "must met"
        return "MISSED"


ROWS: dict[str, Row] = {}


def row(
    what: str,
    against: str,
    *,
    must: float,
    aim: float | None = None,
    unit: str = "×",
    processes: int = 1,
    name: str = "",
) -> Callable[[Measure], Measure]:
    """Enter a measurement into the table, under its function's name unless another is given."""

    def enter(measure: Measure) -> Measure:
        least = must if aim is None else aim
        entered = Row(what, against, measure, must, least, unit, processes)
        if ROWS.setdefault(name or measure.__name__, entered) is not entered:
            raise ValueError(f"two rows have the name {name or measure.__name__}")
        return measure

    return enter


def all_rows() -> dict[str, Row]:
    """Return every row by its name, in the order of the table."""
    for module in ROW_MODULES:
        importlib.import_module(module)
    return ROWS
