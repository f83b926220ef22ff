"""A program that is run as a testee gets no more memory, time or processes than it should, whatever it does."""

from __future__ import annotations

import os
import sys
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.events import Watch
from polywire.conformance.case import load
from polywire.conformance.process import Clock, End, Session, StartError, Trouble
from polywire.conformance.protocols import Protocols
from polywire.conformance.runner import run
from polywire.conformance.testee import Testee, Workshop

HERE = Path(__file__).resolve().parent
SPECS = HERE.parent / "specs"
PATIENCE = 20.0
REQUEST = {"op": "decode", "type": "Named", "mode": "lenient", "json": "{}"}
MEGABYTE = 1_000_000


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    made = Watch(tmp_path)
    yield made
    made.close()


def session(habit: str, folder: Path, watch: Watch) -> Session:
    return Session([sys.executable, str(HERE / "unruly.py"), habit, str(folder)], clock=Clock(PATIENCE, watch))


@pytest.fixture
def child(tmp_path: Path) -> int:
    """A pipe that ends when no process holds it any more."""
    os.mkfifo(tmp_path / "child")
    return os.open(tmp_path / "child", os.O_RDONLY | os.O_NONBLOCK)


def is_gone(child: int) -> bool:
    """Wait until no process holds the pipe."""
    os.set_blocking(child, True)
    return os.read(child, 1) == b""


def test_a_line_without_end_is_stopped(tmp_path: Path, watch: Watch) -> None:
    made = session("floods_without_a_line_end", tmp_path, watch)
    made.describe()
    tracemalloc.start()
    replies = made.ask([REQUEST])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    made.kill()
    assert replies == [Trouble("the testee wrote a line without end at this request")]
    assert peak < 150 * MEGABYTE
    assert watch.over == []


def test_an_answer_that_is_repeated_forever_ends_the_run(tmp_path: Path, watch: Watch) -> None:
    made = session("floods_with_lines", tmp_path, watch)
    made.describe()
    with pytest.raises(StartError, match="given up: request 1 is answered twice"):
        made.ask([REQUEST, REQUEST])
    made.kill()


def test_blank_lines_without_end_end_the_run(tmp_path: Path, watch: Watch) -> None:
    made = session("floods_with_blank_lines", tmp_path, watch)
    made.describe()

    def run() -> None:
        made.ask([REQUEST] * 10)
        made.close()

    with pytest.raises(StartError, match="given up: an answer to nothing"):
        run()
    made.kill()


def test_what_nobody_reads_yet_is_held_within_bounds(tmp_path: Path, watch: Watch) -> None:
    made = session("floods_with_lines", tmp_path, watch)
    made.describe()
    output = made._process.output
    made._process.send([b'{"id":1,"op":"decode"}\n'])
    while not output.full():
        time.sleep(0.01)
    pieces = list(output.queue)
    assert not any(isinstance(each, End) for each in pieces)
    assert sum(len(each) for each in pieces if not isinstance(each, End)) < 4 * MEGABYTE
    made.kill()
    assert output.qsize() <= 1  # what the reader was about to add


def test_only_the_end_of_standard_error_is_kept(tmp_path: Path, watch: Watch) -> None:
    made = session("floods_standard_error", tmp_path, watch)
    made.describe()
    tracemalloc.start()
    (reply,) = made.ask([REQUEST])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    made.kill()
    assert isinstance(reply, Trouble)
    assert reply.what == "the testee exited with status 5 at this request"
    assert reply.message.endswith("x / last words")
    assert len(reply.message) < 1000
    assert peak < 20 * MEGABYTE


def test_a_child_that_keeps_the_pipes_does_not_hide_the_end_of_its_parent(
    tmp_path: Path, watch: Watch, child: int
) -> None:
    made = session("leaves_a_child", tmp_path, watch)
    made.describe()
    assert made.ask([REQUEST]) == [Trouble("the testee exited with status 3 at this request")]
    made.kill()
    assert is_gone(child)
    assert watch.over == []


def test_a_child_does_not_survive_a_run_without_problems(tmp_path: Path, watch: Watch, child: int) -> None:
    made = session("leaves_a_child_at_the_end", tmp_path, watch)
    made.describe()
    made.ask([REQUEST])
    made.close()
    assert (made.problems, watch.over) == ([], [])
    assert is_gone(child)


def test_a_child_does_not_survive_a_run_that_is_stopped(tmp_path: Path, watch: Watch, child: int) -> None:
    made = session("leaves_a_child_at_the_end", tmp_path, watch)
    made.describe()
    made.kill()
    assert is_gone(child)


def test_a_program_that_hangs_at_every_request_is_waited_for_six_times_the_patience_in_all(
    tmp_path: Path, watch: Watch
) -> None:
    made = session("is_silent_at_every_request", tmp_path, watch)
    made.describe()
    replies = made.ask([REQUEST] * 10)
    made.close()
    assert [reply.what for reply in replies if isinstance(reply, Trouble)] == [
        "the testee did not answer within 80 s at this request",
        *["not asked: the testee was silent for 120 s in all before"] * 9,
    ]
    assert made.problems == ["was silent for 120 s in all: it gets no more requests"]
    assert watch.over == [20, 80, 20]


def test_a_program_that_never_reads_is_waited_for_six_times_the_patience_in_all(tmp_path: Path, watch: Watch) -> None:
    made = session("never_reads", tmp_path, watch)
    made.describe()
    large = {**REQUEST, "json": "x" * MEGABYTE}  # more than any pipe holds
    replies = made.ask([large] * 3)
    made.kill()
    assert all(isinstance(reply, Trouble) for reply in replies)
    assert watch.over == [20, 80, 20]


def test_a_silent_program_is_waited_for_once_for_all_specs(tmp_path: Path, watch: Watch) -> None:
    protocols = Protocols(SPECS / "parcel")
    (tmp_path / "cases.json").write_text(
        '[{"type": "Named", "input": {"name": "n"}, "expect": {"variant": "Named"}}]', encoding="utf-8"
    )
    (case,) = load([tmp_path / "cases.json"], protocols)
    cases = [case, replace(case, protocol=protocols.get(SPECS / "desk", None))]
    with Workshop(HERE) as workshop:
        command = ("{python}", str(HERE / "unruly.py"), "is_silent", str(tmp_path), "{spec}")
        testee = Testee("silent", command, HERE)
        result = run(cases, testee, workshop, protocols.default, folder=HERE, patience=PATIENCE, wait=watch)
    assert result.problems == (
        "it did not answer within 80 s when asked to describe itself; does it flush every answer?",
    )
    assert watch.over == [80]
