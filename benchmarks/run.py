"""`make bench`: measure every row, each in its own process → a table; exits with 1 if a row misses its must.

run.py                   every row
run.py 'python_*' …      the rows with these names
run.py --list            the names of all rows, and their limits
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from measure import Figure  # noqa: E402  (needs the path set above)
from peers import CANNOT_RUN, SCRATCH, CannotRunError  # noqa: E402  (needs the path set above)
from rows import Row, all_rows  # noqa: E402  (needs the path set above)

SKIPPED, FAILED = "SKIPPED", "FAILED"


def measured(name: str, row: Row) -> Figure | str:
    """Measure a row in new processes, so that imports, caches and allocations of other rows do not affect it."""
    figures = []
    for _ in range(row.processes):
        done = subprocess.run([sys.executable, __file__, "--measure", name], stdout=subprocess.PIPE, check=False)
        if done.returncode:
            return SKIPPED if done.returncode == CANNOT_RUN else FAILED
        figures.append(Figure(**json.loads(done.stdout)))
    return Figure([value for figure in figures for value in figure.values], figures[0].remark)


def measure_here(row: Row) -> int:
    """Print the figure of one row as JSON."""
    try:
        print(json.dumps(asdict(row.measure())))
    except CannotRunError as reason:
        print(f"SKIPPED: {reason}", file=sys.stderr)
        return CANNOT_RUN
    return 0


def table(rows: dict[str, Row], results: dict[str, Figure | str]) -> Table:
    """Format the results for people."""
    made = Table(title="median of the rounds, quartiles in brackets", show_lines=False)
    for column in ("row", "what", "against", "figure", "quartiles", "must", "aim", "verdict", "remark"):
        made.add_column(column, justify="right" if column in ("figure", "must", "aim") else "left", overflow="fold")
    for name, figure in results.items():
        row = rows[name]
        limits = f"≤ {number(row.must)} {row.unit}", number(row.aim)
        if isinstance(figure, str):
            made.add_row(name, row.what, row.against, "", "", *limits, figure, "")
            continue
        spread = "–".join(map(number, figure.quartiles)) if len(figure.values) > 1 else ""
        verdict = row.verdict(figure)
        made.add_row(name, row.what, row.against, number(figure.median), spread, *limits, verdict, figure.remark)
    return made


def number(value: float) -> str:
    """Format a number with at most three decimals."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def listing(rows: dict[str, Row]) -> Table:
    """Return a table of all rows with their limits."""
    made = Table("row", "what", "against", "must", "aim", box=None)
    for name, row in rows.items():
        must = f"≤ {number(row.must)} {row.unit}"
        made.add_row(name, row.what, row.against, must, number(row.aim))
    return made


def failures(rows: dict[str, Row], results: dict[str, Figure | str]) -> dict[str, list[str]]:
    """Return the names of rows that did not succeed, by outcome."""
    found: dict[str, list[str]] = {"MISSED": [], FAILED: [], SKIPPED: []}
    for name, figure in results.items():
        verdict = figure if isinstance(figure, str) else rows[name].verdict(figure)
        if verdict in found:
            found[verdict].append(name)
    return found


def main() -> int:
    """Parse the command line, measure the selected rows, and print the table."""
    rows = all_rows()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", help="names of rows, or patterns such as 'go_*'; all rows by default")
    parser.add_argument("--list", action="store_true", help="print the rows and measure none")
    parser.add_argument("--measure", choices=rows, metavar="ROW", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        return measure_here(rows[asked.measure])
    console = Console(width=None if sys.stdout.isatty() else 240)
    if asked.list:
        console.print(listing(rows))
        return 0
    for pattern in asked.rows:
        if not fnmatch.filter(rows, pattern):
            parser.error(f"no row is called {pattern}; `run.py --list` prints all")
    names = [name for name in rows if not asked.rows or any(fnmatch.fnmatch(name, part) for part in asked.rows)]
    start = time.monotonic()
    results: dict[str, Figure | str] = {}
    with tempfile.TemporaryDirectory() as scratch:
        os.environ[SCRATCH] = scratch
        for at, name in enumerate(names, 1):
            print(f"{at}/{len(names)} {name}", file=sys.stderr)
            results[name] = measured(name, rows[name])
    console.print(table(rows, results))
    minutes, rest = divmod(round(time.monotonic() - start), 60)
    console.print(f"{len(results)} rows in {minutes} min {rest} s")
    failed = failures(rows, results)
    for verdict, which in failed.items():
        if which:
            console.print(f"{verdict}: {', '.join(which)}")
    fatal = failed["MISSED"] or failed[FAILED] or (failed[SKIPPED] and os.environ.get("CI") == "true")
    return 1 if fatal else 0


if __name__ == "__main__":
    sys.exit(main())
