"""staticcheck, built with the toolchain, over Go packages."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import toolchain
from toolchain import Toolchain


def staticcheck(go: Toolchain, folder: Path, *packages: str) -> subprocess.CompletedProcess[str]:
    """Run every check; skip the test if the linter could not be built."""
    if not toolchain.STATICCHECK.exists():
        pytest.skip("staticcheck could not be built; `make .venv/go-all.stamp` says why")
    variables = {**go.variables, "PATH": go.environment["PATH"]}
    linter = replace(go, folder=toolchain.STATICCHECK.parent, variables=variables)
    return linter.run("staticcheck", "-checks", "all", *packages, cwd=folder)
