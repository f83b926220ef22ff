"""Starts the testees in JavaScript: finds Node, fetches the packages that a program needs, and executes it.

    run.py [--packages] PROGRAM FOLDER

PROGRAM is run with FOLDER; with `--packages`, the packages of the `package-lock.json` beside this file are fetched, and
their folder is the second argument. Exits with 77 if there is no Node, or the packages cannot be fetched.
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
