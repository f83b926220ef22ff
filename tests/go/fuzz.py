"""`make fuzz-go`: lets Go make up inputs for the package; what fails is kept in testdata/, to be run with the tests.

fuzz.py [TIME]        for so long, a minute if nothing is said, such as 30s or 1h
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import toolchain  # noqa: E402  (found only now)


def main(time: str = "1m") -> int:
    """Fuzz, and show how it goes."""
    go = toolchain.go()
    if go is None:
        sys.exit("there is no Go ≥ 1.24, and no wheel of it for this machine")
    optimised = "-gcflags=all="
    command = [go.program("go"), "test", optimised, "-run", "^$", "-fuzz", "FuzzDecodeEncode", "-fuzztime", time, "."]
    return subprocess.run(command, cwd=HERE, env=go.environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
