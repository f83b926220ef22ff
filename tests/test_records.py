"""Records behave like dataclasses and are compiled on first use; `lint` loads no module with plain dataclasses."""

from __future__ import annotations

import ast
import copy
import dataclasses
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, field
from pathlib import Path
from typing import Any

import pytest

from polywire.records import dataclass

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: float = 0.5
    tags: list[str] = field(default_factory=list, hash=False)
    place: str = field(default="here", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Twin:
    x: int
    y: float = 0.5


@dataclass(frozen=True, slots=True)
class Alone:
    value: float


@dataclass(slots=True)
class Counter:
    number: int = 0


@dataclass(frozen=True, slots=True)
class Empty:
    pass


@dataclass(frozen=True, slots=True)
class Own:
    x: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own)

    def __hash__(self) -> int:
        return 7


@dataclass(slots=True)
class Doubled:
    x: int

    def __post_init__(self) -> None:
        self.x *= 2


@dataclass(frozen=True, slots=True)
class Further(Twin):
    z: int = 1


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    x: int
    y: float = 0.5
    tags: list[str] = field(default_factory=list, hash=False)
    place: str = field(default="here", compare=False, repr=False)


def test_fields_are_given_by_position_or_name_and_defaults_are_made_anew() -> None:
    point = Point(1, tags=["a"])
    assert (point.x, point.y, point.tags, point.place) == (1, 0.5, ["a"], "here")
    assert Point(1).tags is not Point(1).tags
    assert (Further(1, z=3).x, Further(1).z) == (1, 1)
    assert Doubled(2).x == 4
    assert [each.name for each in dataclasses.fields(Further)] == ["x", "y", "z"]


@pytest.mark.parametrize(("args", "named"), [((), {}), ((1,), {"x": 1}), ((1,), {"w": 1}), (range(9), {})])
def test_arguments_that_do_not_fit_are_refused_as_by_dataclasses(args: Any, named: Any) -> None:
    with pytest.raises(TypeError) as own:
        Point(*args, **named)
    with pytest.raises(TypeError) as standard:
        Standard(*args, **named)
    assert str(own.value) == str(standard.value).replace("Standard", "Point")


def test_equality_hash_and_repr_are_those_of_dataclasses() -> None:
    assert Point(1, tags=["a"]) == Point(1, tags=["a"], place="there")
    assert Point(1, tags=["a"]) != Point(1)
    assert Point(1) != Twin(1)
    assert len({Point(1), Point(1, tags=["b"]), Point(1, place="there")}) == 2
    assert hash(Point(1, tags=["b"])) == hash(Point(1)) == hash(Standard(1))
    assert repr(Point(1)) == repr(Standard(1)).replace("Standard", "Point")
    nan = float("nan")
    assert Alone(nan) == Alone(nan)
    assert hash(Alone(1.5)) == hash((1.5,))
    assert Empty() == Empty()
    assert hash(Empty()) == hash(())
    with pytest.raises(TypeError, match="unhashable"):
        hash(Counter())


def test_what_a_class_says_itself_counts() -> None:
    assert Own(1) == Own(2)
    assert hash(Own(1)) == 7


def test_nothing_of_what_is_frozen_can_be_set_and_nothing_is_added() -> None:
    point: Any = Point(1)
    for change in (lambda: setattr(point, "x", 2), lambda: delattr(point, "x"), lambda: setattr(point, "new", 2)):
        with pytest.raises(FrozenInstanceError):
            change()
    assert not hasattr(point, "__dict__")
    counter: Any = Counter()
    counter.number += 1
    assert counter == Counter(1)
    with pytest.raises(AttributeError):
        counter.new = 1


def test_they_are_dataclasses_for_all_that_takes_these() -> None:
    point = Point(1, tags=["a"])
    assert dataclasses.is_dataclass(Point)
    assert dataclasses.replace(point, y=2) == Point(1, 2, ["a"])
    assert dataclasses.asdict(point) == {"x": 1, "y": 0.5, "tags": ["a"], "place": "here"}
    for again in (copy.copy(point), copy.deepcopy(point), pickle.loads(pickle.dumps(point))):  # noqa: S301 - our own
        assert again == point
        assert again.place == "here"
    match point:
        case Point(1, y=y):
            assert y == 0.5
        case _:
            pytest.fail("no match")


def test_what_they_do_not_do_is_refused() -> None:
    with pytest.raises(TypeError, match="are for dataclasses"):

        @dataclass(frozen=True)
        class WithRest:
            x: int = field(kw_only=True)


LOADED = """
import sys
from polywire.cli import cli
try:
    cli(["lint", "--spec", sys.argv[1]])
except SystemExit:
    print(*(m.__file__ for n, m in sys.modules.items() if n.startswith("polywire.") and m.__file__), sep="\\n")
"""


def test_the_modules_that_lint_loads_make_records() -> None:
    words = [sys.executable, "-c", LOADED, str(ROOT / "tests" / "specs" / "desk")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    files = [Path(line) for line in done.stdout.splitlines() if line.endswith(".py")]
    assert len(files) > 50
    assert [file.name for file in files if file.name != "records.py" and defines_plain_ones(file)] == []


def defines_plain_ones(file: Path) -> bool:
    """Return whether a module defines classes with `dataclasses.dataclass` that could be records."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    taken = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "dataclasses")
    return any(name.name == "dataclass" for node in taken for name in node.names)
