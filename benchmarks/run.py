"""`make bench`: every row in a process of its own → a table of ratio, must and aim; exit 1 when a must is missed.

The same run proves that nothing is gained by checking less: 5,000 mutants of the measured lines, each with one fault
that lenient mode calls an error, have to be rejected: by Python with orjson and without, and by every
language that has a program here.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from measure import Ratio  # noqa: E402  (found only now)
from peers import CANNOT_RUN, PROGRAMS, CannotRunError  # noqa: E402  (found only now)
from rows import ROWS  # noqa: E402  (found only now)


def in_own_process(*arguments: str) -> str | None:
    """Run this file again, so that no row meets what another imported, cached or allocated; None where it cannot."""
    done = subprocess.run([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, check=False)
    if done.returncode == CANNOT_RUN:
        return None
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}: failed with status {done.returncode}")
    return done.stdout.decode()


MUTANTS = ("stdlib", "orjson", *PROGRAMS)
"""What has to reject them all."""


def mutants_report(who: str) -> str:
    """Have the package reject its mutants, and say so in a line."""
    import mutants

    return mutants.report_of(who) if who in PROGRAMS else mutants.report(orjson=who == "orjson")


def table(results: dict[str, Ratio | None]) -> Table:
    """Lay the results out for people."""
    made = Table(title="ratio to the peer: median of the rounds, quartiles in brackets")
    for column in ("what", "against", "ratio", "spread", "must", "aim", ""):
        made.add_column(column, justify="right" if column in ("ratio", "must", "aim") else "left", overflow="fold")
    for name, ratio in results.items():
        row = ROWS[name]
        if ratio is None:
            made.add_row(row.what, row.against, "", "", f"≤ {row.must}", f"{row.aim}", "SKIPPED")
            continue
        verdict = "MISSED" if ratio.median > row.must else "aim met" if ratio.median <= row.aim else "must met"
        spread = f"[{ratio.low:.3f} … {ratio.high:.3f}]"
        made.add_row(row.what, row.against, f"{ratio.median:.3f}", spread, f"≤ {row.must}", f"{row.aim}", verdict)
    return made


def main() -> int:
    """Read the command line, run what it names, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", help=f"which rows to measure; all by default: {', '.join(ROWS)}")
    parser.add_argument("--row", choices=ROWS, help=argparse.SUPPRESS)
    parser.add_argument("--mutants", choices=MUTANTS, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.row or asked.mutants:
        try:
            print(json.dumps(asdict(ROWS[asked.row].measure())) if asked.row else mutants_report(asked.mutants))
        except CannotRunError as reason:
            print(f"SKIPPED {asked.row or asked.mutants}: {reason}", file=sys.stderr)
            return CANNOT_RUN
        return 0
    if unknown := set(asked.rows) - ROWS.keys():
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    measured = {name: in_own_process("--row", name) for name in asked.rows or ROWS}
    results = {name: None if told is None else Ratio(**json.loads(told)) for name, told in measured.items()}
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(table(results))
    for who in MUTANTS:
        told = in_own_process("--mutants", who)
        console.print(f"mutants for {who}: SKIPPED" if told is None else told.strip())
    missed = [name for name, ratio in results.items() if ratio is not None and ratio.median > ROWS[name].must]
    skipped = [name for name, ratio in results.items() if ratio is None]
    for verdict, names in (("missed", missed), ("SKIPPED", skipped)):
        if names:
            console.print(f"{verdict}: {', '.join(names)}")
    return 1 if missed or (skipped and os.environ.get("CI") == "true") else 0


if __name__ == "__main__":
    sys.exit(main())
