"""The testee for the crate `claude-codes`: builds a program that uses it, and executes that in its place.

It exits with status 77 if there is no cargo that is new enough, or if the crate cannot be fetched.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "support"))

from toolchain import CANNOT_RUN, rust  # noqa: E402 (it is in another folder)

PROGRAM = "claude-codes-testee"


def cannot_run(reason: str) -> NoReturn:
    print(reason, file=sys.stderr)
    sys.exit(CANNOT_RUN)


def main() -> None:
    found = rust()
    if found is None:
        cannot_run("there is no cargo")
    arguments = ["--quiet", "--locked", "--manifest-path", HERE / "Cargo.toml"]
    fetched = found.run("cargo", "fetch", *arguments)
    if fetched.returncode:
        cannot_run(f"cargo cannot fetch what the lock names: {fetched.stderr.strip()}")
    command = found.command("cargo", "build", *arguments)
    done = subprocess.run(command, env=found.environment, stdout=sys.stderr, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    program = Path(found.variables["CARGO_TARGET_DIR"], "debug", PROGRAM + (".exe" if os.name == "nt" else ""))
    os.execv(program, [str(program)])  # noqa: S606 (our own program, and no shell)


if __name__ == "__main__":
    main()
