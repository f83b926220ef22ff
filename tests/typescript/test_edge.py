"""The package in a runtime that has nothing of Node, as at the edge: written cases have their outcomes there too."""

from __future__ import annotations

import json
from pathlib import Path

import toolchain

PROGRAM = Path(__file__).resolve().parent / "edge" / "run.mjs"


def test_the_cases_have_their_outcomes_without_node(root: Path, node: toolchain.Toolchain) -> None:
    package, fixtures = root / "generated" / "typescript", root / "tests" / "fixtures"
    done = node.run("node", "--experimental-vm-modules", "--no-warnings", PROGRAM, package, fixtures)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["cases"] > 900
