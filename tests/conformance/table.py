"""A pytest plugin that prints the results of `test_suite.py` as a table at the end of the run, also under xdist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from polywire.conformance import table

PROPERTY = "conformance"
"""The name of the user property with a testee's counts; the counts of all tests of a testee are added up."""


def handed_on(column: table.Column) -> dict[str, object]:
    """Convert a column to values that xdist can serialize."""
    counts = {group: dict(outcomes) for group, outcomes in column.counts.items()}
    return {"testee": column.testee, "counts": counts, "seconds": column.seconds, "problems": column.problems}


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the table with a row for each group and a column for each testee, and the totals."""
    columns: dict[str, table.Column] = {}
    for report in (report for found in terminalreporter.stats.values() for report in found):
        if isinstance(report, pytest.TestReport) and report.when == "call":
            for name, value in report.user_properties:
                if name == PROPERTY:
                    column = table.Column(**value)
                    columns[column.testee] = added(columns.get(column.testee), column)
    if columns:
        terminalreporter.section("conformance")
        for line in table.lines([columns[name] for name in sorted(columns)], terminalreporter._tw.fullwidth):
            terminalreporter.write_line(line.plain)


def added(left: table.Column | None, right: table.Column) -> table.Column:
    """Add the results of a testee in two tests."""
    if left is None:
        return right
    counts: dict[str, Mapping[str, int]] = {**left.counts, **right.counts}
    return table.Column(left.testee, counts, left.seconds + right.seconds, left.problems + right.problems)
