"""`make bench`: every row in a process of its own → a table of ratio, must and aim; exit 1 when a must is missed.

The same run proves that nothing is gained by checking less: 5,000 mutants of the measured lines, each with one fault
that lenient mode calls an error, have to be rejected, with orjson and without.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from measure import Ratio  # noqa: E402  (found only now)
from rows import ROWS  # noqa: E402  (found only now)


def in_own_process(*arguments: str) -> str:
    """Run this file again, so that no row meets what another imported, cached or allocated."""
    done = subprocess.run([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}: failed with status {done.returncode}")
    return done.stdout.decode()


def table(results: dict[str, Ratio]) -> Table:
    """Lay the results out for people."""
    made = Table(title="ratio to the peer: median of the rounds, quartiles in brackets")
    for column in ("what", "against", "ratio", "spread", "must", "aim", ""):
        made.add_column(column, justify="right" if column in ("ratio", "must", "aim") else "left", overflow="fold")
    for name, ratio in results.items():
        row = ROWS[name]
        verdict = "MISSED" if ratio.median > row.must else "aim met" if ratio.median <= row.aim else "must met"
        spread = f"[{ratio.low:.3f} … {ratio.high:.3f}]"
        made.add_row(row.what, row.against, f"{ratio.median:.3f}", spread, f"≤ {row.must}", f"{row.aim}", verdict)
    return made


def main() -> int:
    """Read the command line, run what it names, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", help=f"which rows to measure; all by default: {', '.join(ROWS)}")
    parser.add_argument("--row", choices=ROWS, help=argparse.SUPPRESS)
    parser.add_argument("--mutants", choices=("orjson", "stdlib"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.row:
        print(json.dumps(asdict(ROWS[asked.row].measure())))
        return 0
    if asked.mutants:
        from mutants import report

        print(report(orjson=asked.mutants == "orjson"))
        return 0
    if unknown := set(asked.rows) - ROWS.keys():
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    results = {name: Ratio(**json.loads(in_own_process("--row", name))) for name in asked.rows or ROWS}
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(table(results))
    for parser_name in ("stdlib", "orjson"):
        console.print(in_own_process("--mutants", parser_name).strip())
    missed = [name for name, ratio in results.items() if ratio.median > ROWS[name].must]
    if missed:
        console.print(f"missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
