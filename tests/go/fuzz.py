"""`make fuzz-go`: fuzzes the package with Go's fuzzer; failing inputs are kept in testdata/ and run with the tests.

fuzz.py [TIME]        how long to fuzz, such as 30s or 1h; the default is a minute
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import toolchain  # noqa: E402  (importable only now)


def main(time: str = "1m") -> int:
    """Fuzz and show the progress."""
    go = toolchain.if_prepared(toolchain.go(), "go")
    if go is None:
        sys.exit("there is no Go ≥ 1.24, and no wheel of it for this machine")
    optimised = "-gcflags=all="
    command = [go.program("go"), "test", optimised, "-run", "^$", "-fuzz", "FuzzDecodeEncode", "-fuzztime", time, "."]
    return subprocess.run(command, cwd=HERE, env=go.environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
