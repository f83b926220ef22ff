"""The packages of the generator are floors of a house: each knows those below it, and nothing above."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

GENERATOR = Path(__file__).parents[1] / "generator"

FLOORS = (
    *("ground", "source", "model", "plan", "oracle", "targets", "checks"),
    *("writing", "reading", "evolve", "vendor", "conformance", "commands"),
)
"""From the bottom to the top. Checks stand on the targets, whose names for the spec they check."""

BESIDE = ("polywire_import", "polywire_upstream")
"""Packages that polywire knows by entry points only; each knows polywire and those before it."""

STAIRS = {("polywire.plan.examples", "polywire.oracle.reference")}
"""Imports that go up. The plan chooses examples of a type, for which it has to know what they are decoded as."""

TESTEES = "conformance/testees"
"""Programs that are run by themselves, with a generated package."""


def imports(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports, at its top or in a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                yield from (each.name for each in node.names)
            case ast.ImportFrom(module=str(module), level=0):
                yield from (f"{module}.{each.name}" if module == "polywire" else module for each in node.names)


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(GENERATOR).with_suffix("").parts).removesuffix(".__init__")


def upward() -> Iterator[tuple[str, str]]:
    """Yield each import that goes up: the module, and what it imports."""
    for path in sorted(GENERATOR.rglob("*.py")):
        here = module_of(path)
        if TESTEES in path.as_posix():
            continue
        for there in imports(path):
            if height(there) > height(here):
                yield here, there


def height(module: str) -> int:
    """The floor of a module; what is neither on a floor nor beside the house is below."""
    top, _, rest = module.partition(".")
    if top in BESIDE:
        return len(FLOORS) + BESIDE.index(top)
    if module == "polywire.__main__":
        return len(FLOORS)
    floor = rest.partition(".")[0]
    return FLOORS.index(floor) if top == "polywire" and floor in FLOORS else -1


def test_nothing_knows_what_is_above_it() -> None:
    assert set(upward()) == STAIRS


def test_every_module_is_on_a_floor() -> None:
    inside = {path.relative_to(GENERATOR / "polywire").parts[0] for path in (GENERATOR / "polywire").rglob("*.py")}
    assert inside == {*FLOORS, "__init__.py", "__main__.py"}


@pytest.mark.parametrize(
    ("module", "is_above"),
    [("polywire.plan", True), ("polywire.ground.words", False), ("polywire_import.run", True), ("json", False)],
)
def test_an_import_that_goes_up_is_seen(module: str, is_above: bool) -> None:
    assert (height(module) > height("polywire.source.load")) == is_above
