"""The testee round the crate `claude-codes`: builds its program, and becomes it.

Exits with 77 where there is no cargo that is new enough, or the crate cannot be fetched.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))

from toolchain import CANNOT_RUN, VENV  # noqa: E402 (it stands above the folder of this one)

LEAST = (1, 85)
"""What the crate needs."""

BUILT = VENV / "rust" / "foreign"


def cannot_run(reason: str) -> NoReturn:
    print(reason, file=sys.stderr)
    sys.exit(CANNOT_RUN)


def cargo() -> str:
    """The cargo of PATH, if it is new enough."""
    found = shutil.which("cargo")
    if found is None:
        cannot_run("there is no cargo")
    told = subprocess.run([found, "--version"], capture_output=True, encoding="utf-8", check=False).stdout
    number = re.search(r"(\d+)\.(\d+)", told)
    if number is None or tuple(map(int, number.groups())) < LEAST:
        cannot_run(f"cargo {'.'.join(map(str, LEAST))} is needed; there is {told.strip() or 'one that does not run'}")
    return found


def main() -> None:
    found = cargo()
    arguments = ["--quiet", "--locked", "--manifest-path", str(HERE / "Cargo.toml"), "--target-dir", str(BUILT)]
    fetched = subprocess.run(
        [found, "fetch", *arguments[:-2]], capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    if fetched.returncode:
        cannot_run(f"cargo cannot fetch what the lock names: {fetched.stderr.strip()}")
    done = subprocess.run([found, "build", *arguments], stdout=sys.stderr, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    program = BUILT / "debug" / ("testee.exe" if os.name == "nt" else "testee")
    os.execv(program, [str(program)])  # noqa: S606 (a program of ours, and no shell)


if __name__ == "__main__":
    main()
