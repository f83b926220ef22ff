"""Type checkers on user code: they accept correct code, infer every type exactly, and report mistakes."""

from __future__ import annotations

import ast
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import agentlines as al
import pytest
from agentlines import _table

from python.type_checkers import CHECKERS, Finding, run
from sampling import turn

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CORRECT = (
    *(HERE / "user_code.py", ROOT / "tests" / "flavours" / "user_of_flavours.py"),
    *(ROOT / "tests" / "consumers" / "python").glob("*.py"),
    *(each for each in (ROOT / "examples").glob("*.py") if "import pyarrow" not in each.read_text("utf-8")),
)
"""Code of users, without the examples with pyarrow, which has no types; `make lint` checks these with mypy."""

MISTAKES = HERE / "mistakes.py"
MARK = "# mistake"

Check = Callable[[Iterable[Path]], list[Finding]]

pytestmark = turn("type checkers of Python")


@pytest.fixture(params=["mypy", "pyright"])
def check(request: pytest.FixtureRequest) -> Check:
    return CHECKERS[request.param]


def test_correct_code_passes(check: Check, tmp_path: Path) -> None:
    assert check([Path(shutil.copy(file, tmp_path)) for file in CORRECT]) == []


def test_correct_code_passes_where_no_other_package_is_installed() -> None:
    """The package may be part of the user's own repository, where checkers report errors inside it."""
    done = run("mypy", "--strict", "--config-file", os.devnull, "--no-site-packages", HERE / "user_code.py")
    assert done.returncode == 0, done.stdout


def test_correct_code_silences_nothing() -> None:
    for file in CORRECT:
        text = file.read_text(encoding="utf-8")
        assert not [word for word in ("type: ignore", "pyright: ", "cast(") if word in text], file


# --- every type of the package ---------------------------------------------------------------------------------

ENTRIES = """\
async def check_{number}(data: bytes, value: object, out: BinaryIO, stream: StreamReader) -> None:
    assert_type(al.decode(data, al.{name}), al.{name})
    assert_type(al.decode(data, al.{name}, strict=True), al.{name})
    assert_type(al.from_dict(value, al.{name}), al.{name})
    assert_type(al.examine(data, al.{name}).value, al.{name})
    assert_type(next(al.Reader(out, al.{name})), al.{name} | al.BadLine)
    assert_type(await anext(al.AsyncReader(stream, al.{name})), al.{name} | al.BadLine)
    assert_type(next(iter(al.LineDecoder(al.{name}).feed(data))), al.{name} | al.BadLine)
"""

HEAD = """\
from asyncio import StreamReader
from typing import BinaryIO

import agentlines as al
from typing_extensions import assert_type


"""


def test_every_entry_gives_the_type_it_is_asked_for(check: Check, tmp_path: Path) -> None:
    declared = [name for name in _table.ROWS if name in al.__all__]
    assert len(declared) == len(_table.ROWS) > 200
    assert {"StdoutMessage", "HookInput", "StopReason", "AssistantMessage"} <= set(declared)
    file = tmp_path / "entries.py"
    file.write_text(HEAD + "\n\n".join(ENTRIES.format(number=n, name=each) for n, each in enumerate(declared)))
    assert check([file]) == []


def test_a_wrong_type_in_the_place_of_any_union_is_reported(check: Check, tmp_path: Path) -> None:
    """The test above proves nothing if a checker infers Any for the result of an entry."""
    unions = [name for name in _table.ROWS if isinstance(getattr(al, name), type(int | str))]
    file = tmp_path / "entries.py"
    wrong = "def check_{0}(data: bytes) -> None:\n    assert_type(al.decode(data, al.{1}), al.TextBlock)\n"
    file.write_text(HEAD + "\n\n".join(wrong.format(n, each) for n, each in enumerate(unions)))
    lines = [number for number, line in enumerate(file.read_text().splitlines(), 1) if "assert_type(al" in line]
    assert len(lines) == len(unions) > 20
    assert lines == sorted({found.line for found in check([file])} & set(lines))


# --- mistakes --------------------------------------------------------------------------------------------------


def marked() -> Iterator[int]:
    for number, line in enumerate(MISTAKES.read_text(encoding="utf-8").splitlines(), 1):
        if line.endswith(MARK):
            yield number


def test_every_mistake_is_reported_where_it_is_and_nothing_else(check: Check, tmp_path: Path) -> None:
    found = check([Path(shutil.copy(MISTAKES, tmp_path))])
    assert sorted({each.line for each in found}) == list(marked()), found


def test_every_function_of_mistakes_has_one() -> None:
    functions = [each for each in ast.parse(MISTAKES.read_text(encoding="utf-8")).body if hasattr(each, "args")]
    lines = set(marked())
    assert len(functions) > 30
    assert all(lines & set(range(each.lineno, (each.end_lineno or 0) + 1)) for each in functions)
