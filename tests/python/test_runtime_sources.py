"""The library part of the Python package, tested where it is written, without what polywire generates."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from polywire.targets.python.names import API, CONTROL_API, MODULE, RUNTIME_NAMES, TABLES

RUNTIME = Path(__file__).parents[2] / "runtimes" / "python"
SOURCES = RUNTIME / "src" / "polywire_runtime"
CODEC = RUNTIME.parents[1] / "generated" / "python" / "agentproto" / "_codec.py"


@pytest.mark.parametrize(
    "command",
    [
        ["pytest", "-q", "-p", "no:cacheprovider", "."],
        ["ruff", "check", "--no-cache", "."],
        ["ruff", "format", "--check", "--no-cache", "."],
        ["mypy", "--cache-dir", "../../.venv/mypy-runtime"],
        ["mypy", "--cache-dir", "../../.venv/mypy-runtime", "src/polywire_runtime/_base.py"],  # it has a stub
    ],
    ids=lambda command: f"{command[0]} {command[-1]}",
)
def test_it_holds_to_its_own_tests_and_linters(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=RUNTIME, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_names_that_it_declares_for_generated_modules_are_reserved() -> None:
    assert exports(SOURCES / "_base.py") | exports(SOURCES / "_support.py") == RUNTIME_NAMES
    assert exports(CODEC) == TABLES
    assert MODULE >= RUNTIME_NAMES | TABLES


def test_what_it_offers_to_users_is_in_the_table_of_the_target() -> None:
    modules = ("_control", "_streams", "_tools", "_wire")
    offered = {name for module in modules for name in exports(SOURCES / f"{module}.py")} - {
        "LIMIT",
        "type_name",
        "typed",
    }
    assert offered <= set(API)
    assert exports(SOURCES / "_control.py") == CONTROL_API


def exports(path: Path) -> set[str]:
    """What a module lists in `__all__`."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            return set(ast.literal_eval(statement.value))
    return set()
