"""A pytest plugin: what `test_suite.py` found → the conformance table at the end of the run, also under xdist."""

from __future__ import annotations

from typing import Any

import pytest

PROPERTY = "conformance"
"""The name under which a test hands its counts on: testee, and for each group passed, failed and skipped."""

_FORMS = (("passed", "{}"), ("failed", "{} FAILED"), ("skipped", "{} n/a"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Prints one row a group and one column a testee, and the totals."""
    columns = _columns(terminalreporter)
    if not columns:
        return
    groups = list(dict.fromkeys(group for counts in columns.values() for group in counts))
    rows = [[group, *(_cell(counts.get(group, {})) for counts in columns.values())] for group in groups]
    rows.append(["all", *(_cell(_total(counts)) for counts in columns.values())])
    rows.insert(0, ["", *columns])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    terminalreporter.section("conformance")
    for row in rows:
        first, *rest = row
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))]
        terminalreporter.write_line("  ".join(cells))


def _columns(terminalreporter: Any) -> dict[str, dict[str, dict[str, int]]]:
    """Counts by testee and group, added up over the tests of a testee."""
    columns: dict[str, dict[str, dict[str, int]]] = {}
    reports = [report for found in terminalreporter.stats.values() for report in found]
    for report in reports:
        if not isinstance(report, pytest.TestReport) or report.when != "call":
            continue
        for name, (testee, counts) in ((n, v) for n, v in report.user_properties if n == PROPERTY):
            del name
            column = columns.setdefault(testee, {})
            for group, outcomes in counts.items():
                cell = column.setdefault(group, {})
                for outcome, number in outcomes.items():
                    cell[outcome] = cell.get(outcome, 0) + number
    return dict(sorted(columns.items()))


def _total(counts: dict[str, dict[str, int]]) -> dict[str, int]:
    return {outcome: sum(cell.get(outcome, 0) for cell in counts.values()) for outcome, _ in _FORMS}


def _cell(counts: dict[str, int]) -> str:
    return " ".join(form.format(counts[outcome]) for outcome, form in _FORMS if counts.get(outcome))
