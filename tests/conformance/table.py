"""A pytest plugin: what `test_suite.py` found → the conformance table at the end of the run, also under xdist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from polywire.conformance import table

PROPERTY = "conformance"
"""The name under which a test hands on what a testee did; each of its tests does, and their sum is shown."""


def handed_on(column: table.Column) -> dict[str, object]:
    """A column as values that xdist can carry."""
    counts = {group: dict(outcomes) for group, outcomes in column.counts.items()}
    return {"testee": column.testee, "counts": counts, "seconds": column.seconds, "problems": column.problems}


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Prints one row a group and one column a testee, and the totals."""
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
    """What a testee did in two tests."""
    if left is None:
        return right
    counts: dict[str, Mapping[str, int]] = {**left.counts, **right.counts}
    return table.Column(left.testee, counts, left.seconds + right.seconds, left.problems + right.problems)
