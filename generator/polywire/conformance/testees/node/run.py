"""What starts the testees in JavaScript: finds Node, fetches the packages that a program needs, and becomes it.

    run.py [--packages] PROGRAM FOLDER

PROGRAM is run with FOLDER, and with the folder of its packages if `--packages` asks for those of `package-lock.json`
here. Exits with 77 where there is no Node, or the packages cannot be fetched.
"""

from __future__ import annotations

import sys
from pathlib import Path

from polywire.conformance.toolchain import NO_NODE, become, cannot_run, node, node_packages_of

LOCK = Path(__file__).resolve().with_name("package-lock.json")


def main(*arguments: str) -> None:
    found = node()
    if found is None:
        cannot_run(NO_NODE)
    given = [each for each in arguments if each != "--packages"]
    if len(given) < len(arguments):
        folder, problem = node_packages_of(LOCK)
        if problem is not None:
            cannot_run(problem)
        given.append(str(folder))
    become(found.command("node", *given), found.environment)


if __name__ == "__main__":
    main(*sys.argv[1:])
