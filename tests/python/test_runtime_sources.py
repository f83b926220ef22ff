"""The runtime of the Python package, tested in its source folder, without generated modules."""

from __future__ import annotations

import ast
import keyword
import subprocess
import sys
from pathlib import Path

import pytest

from polywire.targets.python.flavours import FLAVOURS
from polywire.targets.python.names import KEYWORDS, MODULE, VOCABULARY
from sampling import sample, third

RUNTIME = Path(__file__).parents[2] / "runtimes" / "python"
SOURCES = RUNTIME / "src" / "polywire_runtime"
SAMPLE = RUNTIME / "tests" / "sample" / "polywire_runtime"
PACKAGE = RUNTIME.parents[1] / "generated" / "python" / "agentlines"


OTHERS = set(PARSERS := ["native", "orjson", "stdlib"]) - {*sample(PARSERS, 1, "parser")}
SELECTED = ["-k", " and ".join(f"not {each}" for each in sorted(OTHERS))] if OTHERS else []
"""Options for the tests with one of the three parsers."""


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(
            ["pytest", "-q", "-p", "no:cacheprovider", *SELECTED, "."],
            marks=third("Python's runtime with each parser"),
            id="pytest",
        ),
        pytest.param(["ruff", "check", "--no-cache", "."], id="ruff check"),
        pytest.param(["ruff", "format", "--check", "--no-cache", "."], id="ruff format"),
        pytest.param(["mypy", "--cache-dir", "../../.venv/mypy-runtime"], marks=pytest.mark.full, id="mypy"),
    ],
)
def test_it_holds_to_its_own_tests_and_linters(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=RUNTIME, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_it_offers_to_users_is_in_the_table_of_the_target() -> None:
    offered: dict[str, set[str]] = {}
    for groups in VOCABULARY.exports.values():
        for module, names in groups.items():
            offered.setdefault(module, set()).update(names)
    copied = [module for module in offered if (SOURCES / f"{module}.py").exists()]
    assert {"_base", "_control", "_launch", "_process", "_session", "_streams", "_wire"} <= {*copied}
    for module in copied:
        assert offered[module] <= exports(SOURCES / f"{module}.py")
    assert offered["_typed"] <= exports(SOURCES / "_control.py") | exports(SOURCES / "_tools.py")


def test_every_source_of_the_runtime_is_copied() -> None:
    flavours = {file for each in FLAVOURS.values() for file in each.runtime}
    named = {file for files in VOCABULARY.files.values() for file in files} | flavours
    assert named == {path.name for path in SOURCES.glob("*.py")} - {"__init__.py"}


def test_the_keywords_are_those_of_python() -> None:
    assert set(keyword.kwlist) == KEYWORDS


def test_names_that_generated_modules_use_are_reserved() -> None:
    """A declaration with such a name in an area would hide the module's import."""
    assert VOCABULARY.offered | VOCABULARY.words["in_modules"] <= MODULE
    for area in areas():
        imported = {name for module in ("_aliases", "_base") for name in names_from(PACKAGE / f"{area}.py", module)}
        imported |= names_from(PACKAGE / f"{area}.py", "typing")
        assert imported
        assert imported <= MODULE


def test_the_sample_has_the_layout_of_a_generated_package() -> None:
    for module in ("_table.py", "_pairs.py"):
        assert exports(SAMPLE / module) == exports(PACKAGE / module)
    assert not {path.name for path in SAMPLE.glob("*.py")} & {path.name for path in SOURCES.glob("*.py")}


def areas() -> set[str]:
    """The modules of the types of the generated package."""
    return {path.stem for path in PACKAGE.glob("*.py") if not path.name.startswith("_")}


def names_from(path: Path, module: str) -> set[str]:
    """The names that a module imports from another one."""
    found = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {
        alias.name
        for each in found
        if isinstance(each, ast.ImportFrom) and each.module == module
        for alias in each.names
    }


def exports(path: Path) -> set[str]:
    """The names in a module's `__all__`."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            return set(ast.literal_eval(statement.value))
    return set()
