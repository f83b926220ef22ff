"""The package as type checkers, linters and editors see it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DISTRIBUTION = Path(__file__).resolve().parents[2] / "generated" / "python"


def run(*arguments: str) -> None:
    """Run a module with this interpreter; if it fails, its output is the failure message."""
    environment = os.environ | {"PYTHONPATH": str(DISTRIBUTION), "MYPYPATH": str(DISTRIBUTION)}
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=DISTRIBUTION, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.full
def test_mypy_is_strict_about_the_package() -> None:
    run("mypy", "--config-file", "pyproject.toml")


@pytest.mark.full
def test_pyright_is_strict_about_the_package() -> None:
    run("pyright", "-p", str(DISTRIBUTION))


def test_no_stub_repeats_a_module() -> None:
    assert (DISTRIBUTION / "agentlines" / "py.typed").exists()
    assert list(DISTRIBUTION.rglob("*.pyi")) == []


def test_ruff_changes_nothing() -> None:
    run("ruff", "format", "--check", "--no-cache", ".")
    run("ruff", "check", "--no-cache", ".")
