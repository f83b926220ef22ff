"""Sessions with processes, by tasks and by threads: requests, answers, and how the processes end."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

PLACE = "15a80493-66e9-4466-ae3a-bcd607abc2e9"
SIGHT = {"items": [{"kind": "note", "text": "a"}]}

LONG = 600.0
"""A timeout in seconds that no test reaches, unless something hangs."""

PRELUDE = """
import json, os, signal, sys, time
def say(*objects):
    for each in objects:
        print(json.dumps(each), flush=True)
def note(value):
    say({"kind": "note", "text": json.dumps(value)})
def ask(id, what, **more):
    say({"kind": "ask", "id": id, "request": {"what": what, **more}})
def answer(id, **more):
    say({"kind": "answer", "id": id, **more})
heard = map(json.loads, sys.stdin)
"""
"""The beginning of each test program: functions that write objects and read lines."""


class Threads:
    """Adapts a `Process` to the interface of an `AsyncProcess`."""

    def __init__(self, process: Any) -> None:
        self.process = process

    def __getattr__(self, name: str) -> Any:
        return getattr(self.process, name)

    async def start(self) -> Threads:
        await asyncio.to_thread(self.process.start)
        return self

    async def request(self, *values: Any) -> Any:
        return await asyncio.to_thread(self.process.request, *values)

    async def write(self, message: Any) -> None:
        await asyncio.to_thread(self.process.write, message)

    async def reply(self, *values: Any) -> None:
        await asyncio.to_thread(self.process.reply, *values)

    async def refuse(self, *values: Any) -> None:
        await asyncio.to_thread(self.process.refuse, *values)

    async def wait(self) -> Any:
        return await asyncio.to_thread(self.process.wait)

    async def close(self, **limits: float) -> Any:
        return await asyncio.to_thread(lambda: self.process.close(**limits))

    def __aiter__(self) -> Threads:
        return self

    async def __anext__(self) -> Any:
        end = object()
        event = await asyncio.to_thread(next, self.process, end)
        if event is end:
            raise StopAsyncIteration
        return event


class World:
    """An adapter, its package, and functions that start programs with it."""

    def __init__(self, runtime: Any, adapter: str) -> None:
        self.runtime, self.model = runtime, runtime.model
        self.is_async = adapter == "tasks"

    def made(self, peer: str, launch: Any, **options: Any) -> Any:
        if self.is_async:
            return self.runtime.async_process.AsyncProcess(peer, launch, **options)
        return Threads(self.runtime.thread_process.Process(peer, launch, **options))

    def launch(self, code: str, **parts: Any) -> Any:
        environment = self.runtime.launch.LaunchEnvironment(inherit=True, set={}, defaults={}, unset=())
        whole = {"arguments": [], "environment": environment, "program": sys.executable, **parts}
        return self.runtime.launch.Launch(program_arguments=["-c", PRELUDE + code], **whole)

    @asynccontextmanager
    async def running(self, code: str, peer: str = "client", **options: Any) -> AsyncIterator[Any]:
        launch = self.launch(code, **options.pop("launch", {}))
        process = await self.made(peer, launch, **options).start()
        try:
            yield process
        finally:
            await process.close(grace=0, patience=0)

    def look(self) -> Any:
        return self.model.Look(at=PLACE)

    def said(self, event: Any) -> Any:
        """The content of a note from the program."""
        assert isinstance(event, self.runtime.session.SessionMessage), event
        return json.loads(event.message.text)


@pytest.fixture(params=["tasks", "threads"])
def world(runtime: Any, request: pytest.FixtureRequest) -> World:
    return World(runtime, request.param)


async def until(condition: Callable[[], object]) -> None:
    """Wait for what a thread may do; `run` limits the time."""
    while not condition():  # noqa: ASYNC110 - a thread sets no event of asyncio
        await asyncio.sleep(0)


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(test(), LONG)

    asyncio.run(limited())


async def failure(waiting: Awaitable[Any]) -> Any:
    try:
        found = await waiting
    except Exception as error:  # noqa: BLE001 - the test checks it
        return error
    raise AssertionError(f"nothing failed, this came: {found!r}")


ANSWERS = """
for line in heard:
    if line["kind"] != "ask":
        note(line)
    elif line["request"]["what"] == "forget":
        say({"kind": "refusal", "id": line["id"], "reason": "no", "code": 7, "data": SIGHT})
    elif line["request"].get("seen"):
        answer(line["id"], result={"items": 1})
    else:
        answer(line["id"], result=SIGHT)
""".replace("SIGHT", repr(SIGHT))


def test_a_request_gets_its_answer_or_the_error_that_came_instead(world: World) -> None:
    model, runtime = world.model, world.runtime

    async def test() -> None:
        async with world.running(ANSWERS) as process:
            sight, refused = await asyncio.gather(
                process.request(world.look()), failure(process.request(model.Forget()))
            )
            assert sight == model.Sight(items=[model.Note(text="a")])
            assert isinstance(refused, runtime.control.ControlError)
            assert (refused.message, refused.code, refused.data) == ("no", 7, sight)
            assert type(refused.response) is model.Refusal
            wrong = await failure(process.request(model.Start(cwd="/")))
            assert wrong.code == "wrong_direction"
            await process.write(model.Note(text="x"))
            assert world.said(await anext(process)) == {"kind": "note", "text": "x"}
            assert process.session.pending() == []
            assert await process.close(grace=LONG) == 0
            assert [event async for event in process] == []
            assert process.stderr == ""

    run(test)


def test_an_answer_of_another_type_is_an_error_of_the_request(world: World) -> None:
    async def test() -> None:
        async with world.running('for line in heard: answer(line["id"], result={"items": 1})') as process:
            error = await failure(process.request(world.look()))
            assert isinstance(error, world.runtime.base.DecodeError)
            assert error.code == "wrong_type"

    run(test)


def test_an_error_without_a_text_refuses_a_request_too(world: World) -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    def forget(_: Any) -> None:
        raise MuteError

    async def test() -> None:
        code = 'ask("a", "forget"); note(next(heard))'
        async with world.running(code, "server", answers={world.model.Forget: forget}) as process:
            failed, refused = [event async for event in process]
            assert isinstance(failed.error, MuteError)
            assert world.said(refused) == {"kind": "refusal", "id": "a", "reason": "MuteError"}

    run(test)


def test_functions_answer_requests_and_what_they_raise_refuses_them(world: World) -> None:
    model = world.model

    def look(asked: Any) -> Any:
        if asked.at == PLACE:
            return model.Sight(items=[])
        raise ValueError("not now")

    async def forget(_: Any) -> None:
        await asyncio.sleep(0)

    code = f"""
ask("a", "look", at={PLACE!r}); ask("b", "look", at="11111111-2222-4333-8444-555555555555"); ask("c", "forget")
for _ in range(3):
    note(next(heard))
"""
    answers = {model.Look: look, model.Forget: forget if world.is_async else lambda _: None}

    async def test() -> None:
        async with world.running(code, "server", answers=answers) as process:
            events = [event async for event in process]
            failed = [event for event in events if isinstance(event, world.runtime.process.FailedAnswer)]
            assert [(each.id, str(each.error)) for each in failed] == [("b", "not now")]
            assert all(isinstance(each.payload, model.Look) for each in failed)
            heard = {line["id"]: line for line in [world.said(event) for event in events if event not in failed]}
            assert heard == {
                "a": {"kind": "answer", "id": "a", "result": {"items": []}},
                "b": {"kind": "refusal", "id": "b", "reason": "not now"},
                "c": {"kind": "answer", "id": "c", "result": None},
            }
            assert process.session.unanswered() == []
            assert await process.wait() == 0

    run(test)


def test_a_result_that_does_not_fit_refuses(world: World) -> None:
    async def test() -> None:
        answers = {world.model.Look: lambda _: 5}
        code = f'ask("a", "look", at={PLACE!r}); note(next(heard))'
        async with world.running(code, "server", answers=answers) as process:
            failed = await anext(process)
            assert failed.id == "a"
            assert failed.error.code == "wrong_type"
            line = world.said(await anext(process))
            assert line["kind"] == "refusal"
            assert line["reason"].startswith("wrong_type")

    run(test)


def test_the_event_of_a_failed_answer_precedes_what_the_peer_writes_after_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    peer = world.runtime.process.PeerProcess
    answer = peer._answer
    waiting: list[list[Any]] = []

    def noted(self: Any, line: bytes) -> None:
        waiting.append([event for event, _ in self._events])
        answer(self, line)

    async def test() -> None:
        monkeypatch.setattr(peer, "_answer", noted)
        code = f'ask("a", "look", at={PLACE!r}); note(next(heard))'
        async with world.running(code, "server", answers={world.model.Look: lambda _: 5}) as process:
            events = [event async for event in process]
        assert waiting == [events[:1]]

    run(test)


LOOKS = {
    "request": "Look",
    "id": ["at"],
    "id_attributes": ("at",),
    "param_attributes": ((), ("at",), ("seen",)),
    "result": ["items"],
    "result_attributes": ("items",),
    "none": [],
}
"""A row of functions that answer requests by their id."""


def option(world: World, function: Any, row: dict[str, Any] | None = None, **parts: Any) -> Any:
    """A function in the options of a launch."""
    row = {"request": "Forget", "param_attributes": ((),), "result_attributes": ()} if row is None else row
    parts = {"place": "/call", "control": "forget", "row": row, **parts}
    return world.runtime.launch.LaunchFunction(function=function, **parts)


def test_functions_in_the_options_are_called_by_id_with_what_is_in_the_request(world: World) -> None:
    other = PLACE.replace("1", "2")
    called = []

    async def one(*values: Any) -> Any:
        called.append(values)
        return [world.model.Note(text="a")]

    def nothing(*values: Any) -> None:
        called.append(values)

    functions = [
        option(world, one, LOOKS, id=PLACE),
        option(world, nothing, LOOKS, id=other),
        option(world, called.append),
    ]
    code = f"""
for id, at in ("a", {PLACE!r}), ("b", {other!r}), ("c", {PLACE.replace("1", "3")!r}):
    ask(id, "look", at=at)
    note(next(heard))
ask("d", "forget")
note(next(heard))
"""

    async def test() -> None:
        async with world.running(code, "server", launch={"functions": functions}) as process:
            events = [event async for event in process]
        look = [world.model.Look(at=each) for each in (PLACE, other)]
        assert called == [(look[0], PLACE, None), (look[1], other, None), world.model.Forget()]
        (failed,) = [event for event in events if isinstance(event, world.runtime.process.FailedAnswer)]
        assert isinstance(failed.error, LookupError)
        assert [world.said(event) for event in events if event is not failed] == [
            {"kind": "answer", "id": "a", "result": SIGHT},
            {"kind": "answer", "id": "b", "result": {"items": []}},
            {"kind": "refusal", "id": "c", "reason": f'no function has the id "{PLACE.replace("1", "3")}"'},
            {"kind": "answer", "id": "d", "result": None},
        ]

    run(test)


def test_a_function_in_the_options_receives_the_standard_error(world: World) -> None:
    told: list[str] = []

    async def test() -> None:
        function = option(world, told.append, {}, control=None, receives="stderr")
        async with world.running("print('a', file=sys.stderr)", launch={"functions": [function]}) as process:
            await process.wait()
        assert "".join(told) == "a\n"
        with pytest.raises(ValueError, match="both 'stderr' and the option /call receive it"):
            world.made("client", world.launch("", functions=[function]), stderr=print)

    run(test)


def test_functions_that_nobody_calls_or_that_answer_the_same_are_refused_at_the_start(world: World) -> None:
    def refused(*functions: Any, **options: Any) -> str:
        with pytest.raises(ValueError, match="option") as raised:
            world.made("server", world.launch("", functions=[*functions]), **options)
        return str(raised.value)

    forget = option(world, print)
    assert refused(option(world, print, {}, control=None)).startswith("the function in the option /call is not used")
    assert refused(option(world, 1, {}, control=None, live=True)).startswith(
        "the object in the option /call is not used"
    )
    for kind in (world.model.Forget, object):
        found = refused(forget, answers={kind: print})
        assert found == "both `answers` and the option /call answer 'forget'; give one of them"
    assert refused(forget, option(world, print, place="/other")).startswith("the options /call and /other both answer")
    world.made("server", world.launch("", functions=[forget]), answers={world.model.Look: print})


def test_requests_without_a_function_are_handed_out(world: World) -> None:
    code = 'ask("a", "forget"); ask("b", "forget"); note(next(heard)); note(next(heard))'

    async def test() -> None:
        async with world.running(code, "server") as process:
            one, two = await anext(process), await anext(process)
            assert (one.payload, two.id) == (world.model.Forget(), "b")
            await process.reply(one)
            await process.refuse(two, "no")
            assert world.said(await anext(process)) == {"kind": "answer", "id": "a", "result": None}
            assert world.said(await anext(process)) == {"kind": "refusal", "id": "b", "reason": "no"}

    run(test)


def test_unknown_requests_are_refused_unless_the_program_wants_them(world: World) -> None:
    code = f'ask("a", "look", at={PLACE!r}); note(next(heard))'

    async def test() -> None:
        async with world.running(code) as process:
            refused = {"kind": "refusal", "id": "a", "reason": "unknown request", "code": -1}
            assert world.said(await anext(process)) == refused
        async with world.running(code, refuse_unknown=False) as process:
            asked = await anext(process)
            assert isinstance(asked, world.runtime.session.SessionRequest)
            await process.refuse(asked, "why")
            assert world.said(await anext(process))["reason"] == "why"

    run(test)


def test_a_process_is_started_as_the_launch_says_with_its_requests(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TAKEN", "KEPT", "THERE"):
        monkeypatch.setenv(f"LAUNCHED_{name}", "mine")
    code = (
        """
note([sys.argv[1:], os.getcwd(), {name: value for name, value in os.environ.items() if name.startswith("LAUNCHED_")}])
"""
        + ANSWERS
    )
    environment = world.runtime.launch.LaunchEnvironment(
        inherit=True,
        set={"LAUNCHED_SET": "x"},
        defaults={"LAUNCHED_THERE": "d", "LAUNCHED_ELSE": "d"},
        unset=("LAUNCHED_TAKEN",),
    )
    requests = {"look": {"what": "look", "at": PLACE}}
    launch = {"arguments": ["a b", '"'], "cwd": "/", "environment": environment, "requests": requests}
    variables = {"LAUNCHED_KEPT": "mine", "LAUNCHED_THERE": "mine", "LAUNCHED_ELSE": "d", "LAUNCHED_SET": "x"}

    async def test() -> None:
        async with world.running(code, launch=launch) as process:
            assert world.said(await anext(process)) == [["a b", '"'], "/", variables]
            future = process.started["look"]
            sight = await (future if world.is_async else asyncio.wrap_future(future))
            assert sight.items == [world.model.Note(text="a")]

    run(test)


def test_a_bad_line_is_handed_out_and_the_session_goes_on(world: World) -> None:
    async def test() -> None:
        async with world.running('note(1); print("{", flush=True); note(2)') as process:
            one, bad, two = [event async for event in process]
            assert isinstance(bad, world.runtime.streams.BadLine)
            assert (world.said(one), bad.line, world.said(two)) == (1, 2, 2)

    run(test)


def test_a_process_that_ends_in_the_middle_of_a_line_takes_nothing_along(world: World) -> None:
    code = """
note("first"); sys.stderr.write("it bröke"); sys.stderr.flush()
sys.stdout.write('{"kind":"ans'); sys.stdout.flush(); next(heard); os._exit(3)
"""
    told: list[str] = []

    async def test() -> None:
        async with world.running(code, stderr=told.append) as process:
            asked = asyncio.ensure_future(failure(process.request(world.look())))
            first, broken = [event async for event in process]
            assert (world.said(first), broken.raw) == ("first", b'{"kind":"ans')
            error = await asked
            assert isinstance(error, world.runtime.process.ProcessError)
            ended = ("the process ended (3)", 3, "it bröke")
            assert (str(error), error.returncode, error.stderr) == ended
            assert await process.wait() == process.returncode == 3
            assert "".join(told) == process.stderr == "it bröke"
            assert [payload for _, payload in process.session.pending()] == [world.look()]
            for late in (process.request(world.look()), process.write(world.model.Note(text=""))):
                assert str(await failure(late)) == "the process ended (3)"

    run(test)


def test_nothing_is_sent_to_a_process_that_has_closed_its_input(world: World) -> None:
    async def test() -> None:
        async with world.running('os.close(0); note("closed")\nwhile True: time.sleep(1)') as process:
            assert world.said(await anext(process)) == "closed"
            for late in (process.write(world.model.Note(text="")), process.request(world.look())):
                assert str(await failure(late)) == "the process has closed its input"
            assert process.session.pending() == []

    run(test)


def limited(world: World, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Set how long a process may take to end after it has closed its output or its input."""
    for module in (world.runtime.async_process, world.runtime.thread_process):
        monkeypatch.setattr(module, "ENDING", seconds)


def test_the_end_of_the_output_ends_the_session_of_a_process_that_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(world, monkeypatch, 0.05)
    code = 'next(heard); note("last"); os.close(1)\ntime.sleep(600)'

    async def test() -> None:
        async with world.running(code) as process:
            asked = asyncio.ensure_future(failure(process.request(world.look())))
            assert [world.said(event) async for event in process] == ["last"]
            late = [
                await failure(process.request(world.look())),
                await failure(process.write(world.model.Note(text=""))),
            ]
            for error in (await asked, *late):
                assert isinstance(error, world.runtime.process.ProcessError)
                assert (str(error), error.returncode) == ("the process has closed its output", None)
            assert await process.close(grace=0) == -15

    run(test)


def test_the_end_of_the_input_fails_the_requests_to_a_process_that_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(world, monkeypatch, 0.05)
    code = 'next(heard); os.close(0); note("deaf")\nwhile True: note("still here"); time.sleep(0.01)'

    async def test() -> None:
        async with world.running(code) as process:
            asked = asyncio.ensure_future(failure(process.request(world.look())))
            assert world.said(await anext(process)) == "deaf"
            for error in (await failure(process.write(world.model.Note(text=""))), await asked):
                assert (str(error), error.returncode) == ("the process has closed its input", None)
            assert world.said(await anext(process)) == "still here"
            limited(world, monkeypatch, LONG)  # nothing is waited for again
            assert str(await failure(process.write(world.model.Note(text="")))) == "the process has closed its input"

    run(test)


def test_the_end_of_the_input_fails_nothing_before_a_line_cannot_be_written(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(world, monkeypatch, 0)
    code = f'id = next(heard)["id"]; os.close(0); note("deaf"); time.sleep(0.2); answer(id, result={SIGHT!r})'

    async def test() -> None:
        async with world.running(code) as process:
            asked = asyncio.ensure_future(process.request(world.look()))
            assert world.said(await anext(process)) == "deaf"
            assert (await asked).items == [world.model.Note(text="a")]
            assert await process.wait() == 0
            assert str(await failure(process.request(world.look()))) == "the process ended (0)"

    run(test)


def test_a_process_that_ends_after_its_input_has_ended(world: World) -> None:
    async def test() -> None:
        async with world.running("next(heard); os._exit(3)") as process:
            asked = asyncio.ensure_future(failure(process.request(world.look())))
            await until(lambda: process.returncode is not None)
            process._deafened()  # what a write does that has failed before
            assert str(await asked) == "the process ended (3)"

    run(test)


def test_whatever_notices_first_that_a_process_fails_has_its_status_and_its_last_words(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(world, monkeypatch, LONG)
    launch = {"requests": {"look": {"what": "look", "at": PLACE}}}
    code = 'os.close(0); sys.stderr.write("no such session"); sys.exit(1)'

    async def test() -> None:
        for number in range(10):
            try:
                async with world.running(code, launch=launch) as process:
                    await asyncio.sleep(number / 100)
                    error = await failure(process.request(world.look()))
            except world.runtime.process.ProcessError as early:
                error = early
            assert (str(error), error.returncode, error.stderr) == ("the process ended (1)", 1, "no such session")

    run(test)


def test_a_program_that_is_not_there_is_an_error_of_the_start(world: World) -> None:
    async def test() -> None:
        missing = world.made("client", world.launch("", program="/nowhere/at/all"))
        assert isinstance(await failure(missing.start()), FileNotFoundError)
        with pytest.raises(ValueError, match="expected a program"):
            world.made("client", world.launch("", program=None))
        unstarted = world.made("client", world.launch(""))
        for early in (unstarted.request(world.look()), unstarted.wait(), unstarted.close(), anext(unstarted)):
            assert "is not started" in str(await failure(early))

    run(test)


STUBBORN = """
signal.signal(signal.SIGTERM, HANDLER); note("ready")
while True:
    time.sleep(1)
"""


@pytest.mark.parametrize(
    ("code", "limits", "status"),
    [
        ('note("ready"); list(heard); sys.exit(4)', {"grace": LONG}, 4),
        (STUBBORN.replace("HANDLER", "lambda *_: os._exit(5)"), {"grace": 0, "patience": LONG}, 5),
        (STUBBORN.replace("HANDLER", "signal.SIG_IGN"), {"grace": 0, "patience": 0}, -9),
    ],
    ids=["closed", "told to end", "killed"],
)
def test_a_process_is_ended_and_whatever_waits_for_it(
    world: World, code: str, limits: dict[str, float], status: int
) -> None:
    async def test() -> None:
        async with world.running(code) as process:
            assert world.said(await anext(process)) == "ready"
            asked = asyncio.ensure_future(failure(process.request(world.look())))
            await until(process.session.pending)
            assert await process.close(**limits) == status
            assert await process.close() == await process.wait() == process.returncode == status
            error = await asked
            assert isinstance(error, world.runtime.process.ProcessError)
            assert error.returncode == status
            assert [event async for event in process] == []

    run(test)


def test_others_that_hold_the_output_open_do_not_keep_the_end_away(world: World) -> None:
    code = """
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
note(child.pid)
"""

    async def test() -> None:
        import os
        import signal

        async with world.running(code) as process:
            pid = world.said(await anext(process))
            try:
                assert await process.close(grace=LONG, patience=0.01) == 0
                assert [event async for event in process] == []
            finally:
                os.kill(pid, signal.SIGKILL)

    run(test)


def test_nothing_is_lost_and_nothing_left_of_a_process_whose_child_holds_its_output(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(world, monkeypatch, 0.1)
    count = 1000
    code = f"""
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
note(child.pid)
for number in range({count}):
    note([number, "x" * 1000])
"""

    async def test() -> None:
        import os
        import signal

        def own() -> list[threading.Thread]:
            return [each for each in threading.enumerate() if not each.name.startswith("asyncio")]

        before = own()
        async with world.running(code) as process:
            pid = world.said(await anext(process))
            try:
                numbers = []
                async for event in process:
                    numbers.append(world.said(event)[0])
                    if len(numbers) % 400 == 1:
                        await asyncio.sleep(0.3)  # longer than silence may last
                assert numbers == list(range(count))
                assert await process.wait() == 0
                await until(lambda: set(own()) <= set(before))  # threads of earlier tests may end meanwhile
            finally:
                os.kill(pid, signal.SIGKILL)

    run(test)


def test_an_answer_comes_behind_more_events_than_wait_without_it_and_none_of_them_is_lost(world: World) -> None:
    count = 1000
    code = f"""
for line in heard:
    for number in range({count}):
        note(number)
    answer(line["id"], result={SIGHT!r})
"""

    async def test() -> None:
        async with world.running(code) as process:
            assert (await process.request(world.look())).items
            assert [world.said(await anext(process)) for _ in range(count)] == list(range(count))

    run(test)


BEHIND = f"""
for number, line in enumerate(heard):
    if not number:
        for each in range(1000):
            note(each)
    answer(line["id"], result={SIGHT!r})
"""
"""A program that answers requests, the first one after a thousand events."""


def test_a_request_fails_if_too_many_events_come_before_its_answer_and_nothing_is_lost(world: World) -> None:
    async def test() -> None:
        async with world.running(BEHIND, backlog=300) as process:
            for _ in range(2):  # the second is not sent
                error = await failure(process.request(world.look()))
                assert isinstance(error, world.runtime.process.ProcessError)
                waiting = f"300 events wait and 0 functions are called ({process._held} bytes of lines), "
                assert (error.returncode, error.message[: len(waiting)]) == (None, waiting)
            assert [payload for _, payload in process.session.pending()] == [world.look()]
            assert [world.said(await anext(process)) for _ in range(1000)] == list(range(1000))
            answer = await anext(process)
            assert isinstance(answer, world.runtime.session.SessionAnswer)
            assert answer.result.items
            assert process._held == 0
            assert (await process.request(world.look())).items

    run(test)


def test_a_request_of_the_start_fails_like_others(world: World) -> None:
    requests = {"look": {"what": "look", "at": PLACE}}

    async def test() -> None:
        async with world.running(BEHIND, launch={"requests": requests}, backlog=300) as process:
            future = process.started["look"]
            error = await failure(future if world.is_async else asyncio.wrap_future(future))
            assert "300 events wait" in str(error)

    run(test)


def test_events_that_wait_have_a_number_of_bytes_at_most(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    most, line = 10_000, 1_100
    monkeypatch.setattr(world.runtime.process, "HELD", most)

    async def test() -> None:
        async with world.running('for number in range(300): note([number, "x" * 1000])') as process:
            numbers = []
            async for event in process:
                numbers.append(world.said(event)[0])
                assert process._held < most + line
            assert (numbers, process._held) == (list(range(300)), 0)
        code = f"for line in heard:\n    note('x' * {most})\n    answer(line['id'], result={SIGHT!r})"
        async with world.running(code) as process:
            assert "1 events wait" in str(await failure(process.request(world.look())))

    run(test)


def test_failures_of_functions_count_with_the_lines_of_their_requests(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    most, line, count = 10_000, 1_200, 60
    monkeypatch.setattr(world.runtime.process, "HELD", most)
    code = f"for number in range({count}): ask(str(number), 'forget', pad='x' * 1000)\nlist(heard)"

    async def test() -> None:
        async with world.running(code, "server", answers={world.model.Forget: lambda _: 1 / 0}) as process:
            await until(lambda: process._held >= most)
            failed: list[Any] = []
            while len(failed) < count:
                assert process._held < most + line
                failed.append(await anext(process))
            assert {type(each.error) for each in failed} == {ZeroDivisionError}
            await until(lambda: process._held == 0)

    run(test)


def test_calls_of_functions_count_as_events_do(world: World) -> None:
    gate = asyncio.Event() if world.is_async else threading.Event()
    # a cancelled call continues in its thread, and still counts
    events, cancel = (0, "") if world.is_async else (10, 'say({"kind": "drop", "id": str(number)})')
    code = f"""
line = next(heard)
for number in range(40):
    ask(str(number), "forget"); {cancel}
answer(line["id"], result={SIGHT!r}); note("done")
"""
    answers = {world.model.Forget: lambda _: gate.wait()}

    async def test() -> None:
        async with world.running(code, answers=answers, backlog=20, refuse_unknown=False) as process:
            try:
                waiting = f"{events} events wait and {20 - events} functions are called"
                assert waiting in str(await failure(process.request(world.look())))
            finally:
                gate.set()
            *_, last = [event async for event in process]
            assert world.said(last) == "done"
            # a thread whose answer nobody waits for may return after the last event
            await until(lambda: (process._calls, process._held) == (0, 0))

    run(test)


def test_what_nobody_takes_does_not_keep_a_process_from_ending(world: World) -> None:
    async def test() -> None:
        async with world.running('for _ in range(5000): note("x" * 100)\nlist(heard)') as process:
            assert world.said(await anext(process)) == "x" * 100
            assert await process.close(grace=LONG) == 0

    run(test)


def test_no_more_is_read_than_a_number_of_events_ahead_of_the_program(world: World) -> None:
    """The rest stays in the pipe, so that the program blocks."""

    async def test() -> None:
        async with world.running('for number in range(20000): note([number, "x" * 100])') as process:
            numbers = []
            async for event in process:
                numbers.append(world.said(event)[0])
                assert len(process._events) <= world.runtime.process.WAITING
            assert numbers == list(range(20000))

    run(test)


def test_a_process_that_asks_without_reading_is_ended(world: World) -> None:
    code = f"""
number = 0
while True:
    ask(str(number), "look", at={PLACE!r}); number += 1
"""

    async def test() -> None:
        async with world.running(code) as process:
            error = await failure(anext(process))
            assert str(error) == "the process does not read the answers to its requests"
            assert await process.wait() == -9

    run(test)


def test_an_error_of_what_takes_the_standard_error_ends_the_events(world: World) -> None:
    def told(text: str) -> None:
        raise LookupError(text)

    async def test() -> None:
        async with world.running('sys.stderr.write("oh"); sys.stderr.flush(); list(heard)', stderr=told) as process:
            assert repr(await failure(anext(process))) == "LookupError('oh')"
            assert isinstance(await failure(process.request(world.look())), world.runtime.process.ProcessError)
            assert process.stderr == "oh"

    run(test)


def test_a_request_that_is_no_longer_waited_for_is_cancelled(world: World) -> None:
    code = """
line = next(heard); note("asked"); note(next(heard)); answer(line["id"], result={"items": []})
"""

    async def test() -> None:
        async with world.running(code) as process:
            if world.is_async:
                asked = asyncio.ensure_future(process.request(world.look()))
                assert world.said(await anext(process)) == "asked"
                asked.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await asked
            else:
                assert isinstance(await failure(process.request(world.look(), 0.001)), TimeoutError)
                assert world.said(await anext(process)) == "asked"
            assert world.said(await anext(process))["kind"] == "drop"
            late = await anext(process)
            assert (type(late).__name__, late.reason) == ("SessionStray", "late")

    run(test)


def test_a_timeout_of_an_event_loses_none(runtime: Any) -> None:
    world = World(runtime, "tasks")

    async def test() -> None:
        async with world.running("for line in heard: note(1)") as process:
            for _ in range(3):
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(anext(process), 0.001)
            await process.write(world.model.Note(text=""))
            assert world.said(await anext(process)) == 1

    run(test)


def test_a_close_that_is_cancelled_kills(runtime: Any) -> None:
    world = World(runtime, "tasks")

    async def test() -> None:
        async with world.running(STUBBORN.replace("HANDLER", "signal.SIG_IGN")) as process:
            assert world.said(await anext(process)) == "ready"
            closing = asyncio.ensure_future(process.close(grace=LONG))
            await asyncio.sleep(0)
            closing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await closing
            assert process.returncode == -9

    run(test)


def test_a_process_is_closed_at_the_end_of_a_block(world: World) -> None:
    made = world.made("client", world.launch("list(heard); sys.exit(6)"))

    async def test() -> None:
        async with made as process:
            assert process is made
            assert process.returncode is None
        assert made.returncode == 6

    if world.is_async:
        run(test)
        return
    with made.process as process:
        assert process.returncode is None
    assert made.returncode == 6
