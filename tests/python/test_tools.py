"""The package and its flavours as type checkers, linters and editors see them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sampling import third, turn

GENERATED = Path(__file__).resolve().parents[2] / "generated"
FLAVOURS = ("python-pydantic", "python-typed-dicts")


@pytest.fixture(params=["python", *FLAVOURS])
def distribution(request: pytest.FixtureRequest) -> Path:
    return GENERATED / str(request.param)


def run(distribution: Path, *arguments: str) -> None:
    """Run a module with this interpreter; if it fails, its output is the failure message."""
    environment = os.environ | {"PYTHONPATH": str(distribution), "MYPYPATH": str(distribution)}
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=distribution, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.full
def test_mypy_is_strict_about_the_package(distribution: Path) -> None:
    run(distribution, "mypy", "--config-file", "pyproject.toml")


@pytest.mark.full
@pytest.mark.parametrize(
    "distribution",
    [
        pytest.param("python", marks=third("Pyright on the package")),
        *(pytest.param(each, marks=turn("type checkers of flavours")) for each in FLAVOURS),
    ],
    indirect=True,
)
def test_pyright_is_strict_about_the_package(distribution: Path) -> None:
    run(distribution, "pyright", "-p", str(distribution))


def test_no_stub_repeats_a_module(distribution: Path) -> None:
    assert len([*distribution.glob("*/py.typed")]) == 1
    assert list(distribution.rglob("*.pyi")) == []


def test_ruff_changes_nothing(distribution: Path) -> None:
    run(distribution, "ruff", "format", "--check", "--no-cache", ".")
    run(distribution, "ruff", "check", "--no-cache", ".")
