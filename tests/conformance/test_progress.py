"""The rows that a terminal shows while testees are run."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from polywire.conformance.progress import progress
from polywire.conformance.runner import Result, in_order, run_all
from polywire.conformance.testee import Testee, of_targets

NAMES = ("slow", "quick", "other")


def named(name: str, target: str | None = None) -> Testee:
    return Testee(name, ("true",), Path(), target)


def test_nothing_is_shown_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(3, NAMES) as shown:
        shown.begins("quick")
        shown.ended(Result("quick", ()))
    assert capsys.readouterr() == ("", "")


def test_a_terminal_has_a_row_for_each_testee(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with progress(4_826, NAMES) as shown:
        shown.begins("quick")
        shown.ended(Result("quick", ()))
        shown.ended(Result("other", (), cannot_run="no compiler"))
    said = capsys.readouterr().err
    assert all(name in said for name in NAMES)
    assert "0 passed, 0 failed" in said
    assert "skipped: no compiler" in said


def test_results_come_when_they_are_there_and_can_be_put_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    def run(_cases: object, each: Testee, *_: object, **__: object) -> Result:
        if each.name == "slow":
            released.wait()
        return Result(each.name, ())

    monkeypatch.setattr("polywire.conformance.runner.run", run)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    testees, begun = [named(name) for name in NAMES], []
    found = []
    for result in run_all([], testees, None, None, folder=Path(), begins=begun.append):  # type: ignore[arg-type]
        found.append(result)
        if len(found) == len(NAMES) - 1:
            released.set()
    assert found[-1].testee == "slow"
    assert sorted(begun) == sorted(NAMES)
    assert [result.testee for result in in_order(found, testees)] == [*NAMES]


def test_only_testees_of_what_is_generated_are_run_unless_asked_for() -> None:
    testees = [named("a", "python"), named("b", "go"), named("own")]
    assert of_targets(testees, ["python"]) == ([testees[0], testees[2]], [testees[1]])
