"""Sessions with processes that are started with options; test programs act as the other side."""

from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import suppress
from typing import Any

import agentlines as al
import pytest

LONG = 600.0
"""A timeout in seconds that no test reaches, unless something hangs."""

PRELUDE = """
import json, sys
def say(**members):
    print(json.dumps(members), flush=True)
def ask(id, subtype, **more):
    say(type="control_request", request_id=id, request={"subtype": subtype, **more})
def answer(line, response):
    found = {"subtype": "success", "request_id": line["request_id"], "response": response}
    say(type="control_response", response=found)
def tell(value):
    say(type="keep_alive", value=value)
heard = map(json.loads, sys.stdin)
"""

SETUP = """
answer(
    next(heard),
    {"commands": [], "output_style": "x", "available_output_styles": [], "models": [], "account": {}},
)
"""

PERMISSION = 'ask("p", "can_use_tool", tool_name="Bash", input={"command": "ls"}, tool_use_id="t")\n'


def launched(code: str) -> al.Launch:
    """The launch of a Python program in place of the CLI."""
    options = al.QueryOptions(executable=sys.executable, executable_args=["-c", PRELUDE + SETUP + code], model="m")
    return al.launch(options)


def told(event: al.SessionEvent | al.BadLine) -> Any:
    assert isinstance(event, al.SessionMessage)
    assert isinstance(event.message, al.KeepAliveMessage)
    return event.message.extra["value"]


def test_a_task_is_cancelled_with_the_request_that_it_answers() -> None:
    async def main() -> None:
        begun, ended = asyncio.Event(), asyncio.Event()

        async def decide(asked: al.PermissionRequest) -> al.PermissionResult:
            assert asked.input == {"command": "ls"}
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            raise AssertionError

        code = (
            PERMISSION + 'next(heard); say(type="control_cancel_request", request_id="p"); tell("dropped"); list(heard)'
        )
        async with al.AsyncProcess("sdk", launched(code), answers={al.PermissionRequest: decide}) as process:
            await begun.wait()
            await process.write(al.KeepAliveMessage())
            assert told(await anext(process)) == "dropped"
            await ended.wait()
            assert process.session.unanswered() == []
            assert await process.close(grace=LONG) == 0

    asyncio.run(asyncio.wait_for(main(), LONG))


def test_a_task_that_is_cancelled_before_it_begins_leaves_nothing_behind() -> None:
    called: list[al.PermissionRequest] = []
    code = (
        "import os\n"
        "asked = {'type': 'control_request', 'request_id': 'p', 'request':"
        " {'subtype': 'can_use_tool', 'tool_name': 'Bash', 'input': {}, 'tool_use_id': 't'}}\n"
        "lines = [asked, {'type': 'control_cancel_request', 'request_id': 'p'}, asked | {'request_id': 'q'}]\n"
        "os.write(1, ''.join(json.dumps(each) + '\\n' for each in lines).encode()); tell(next(heard)['response'])"
    )

    def decide(asked: al.PermissionRequest) -> al.PermissionResult:
        called.append(asked)
        return al.new_permission_deny("no")

    async def main() -> None:
        async with al.AsyncProcess("sdk", launched(code), answers={al.PermissionRequest: decide}) as process:
            assert told(await anext(process))["request_id"] == "q"
            assert len(called) == 1
            assert process._running == {}

    asyncio.run(asyncio.wait_for(main(), LONG))


def test_a_task_that_goes_on_takes_no_cancellation_of_a_later_request_with_its_id() -> None:
    async def main() -> None:
        release = asyncio.Event()

        async def decide(asked: al.PermissionRequest) -> al.PermissionResult:
            while not release.is_set():
                with suppress(asyncio.CancelledError):
                    await release.wait()
            return al.new_permission_allow(asked.input)

        cancel = 'say(type="control_cancel_request", request_id="p")'
        asked = 'request={"subtype": "elicitation", "mcp_server_name": "m", "message": "?"}'
        code = f'{PERMISSION}{cancel}; say(type="control_request", request_id="p", {asked}); {cancel}; list(heard)'
        async with al.AsyncProcess("sdk", launched(code), answers={al.PermissionRequest: decide}) as process:
            events = [await anext(process), await anext(process)]
            release.set()
        assert [type(each) for each in events] == [al.SessionRequest, al.SessionCancellation]

    asyncio.run(asyncio.wait_for(main(), LONG))


def test_close_does_not_wait_for_a_function_that_takes_the_standard_error_and_gets_all_of_it() -> None:
    begun, release, whole, texts = threading.Event(), threading.Event(), threading.Event(), list[str]()

    def told(text: str) -> None:
        begun.set()
        release.wait(LONG)
        texts.append(text)
        if text.endswith("."):
            whole.set()

    code = 'sys.stderr.write("oh"); sys.stderr.flush(); sys.stdin.read(); sys.stderr.write("x" * 60_000 + ".")'
    with al.Process("sdk", launched(code), stderr=told) as process:
        assert begun.wait(LONG)
        assert process.close(grace=LONG) == 0
        assert texts == []
        release.set()
        assert whole.wait(LONG)
    assert "".join(texts) == "oh" + "x" * 60_000 + "."


def test_a_process_is_closed_although_the_loop_has_cancelled_all_tasks() -> None:
    ended: list[object] = []

    async def use(begun: asyncio.Event) -> None:
        async with al.AsyncProcess("sdk", launched("list(heard)")) as process:
            begun.set()
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            for attempt in (process.request(al.InterruptRequest()), anext(process)):
                with pytest.raises(al.ProcessError, match="the tasks of the process were cancelled"):
                    await attempt
        ended.append(await process.wait())

    async def main() -> None:
        begun = asyncio.Event()
        ended.append(asyncio.ensure_future(use(begun)))
        await begun.wait()

    asyncio.run(main())
    assert ended[1:] == [0]


def test_a_thread_is_not_cancelled_but_its_result_is_dropped() -> None:
    begun, release, done = threading.Event(), threading.Event(), threading.Event()

    def decide(asked: al.PermissionRequest) -> al.PermissionResult:
        begun.set()
        release.wait()
        done.set()
        return al.new_permission_allow(asked.input)

    code = PERMISSION + 'next(heard); say(type="control_cancel_request", request_id="p"); tell(list(heard))'
    with al.Process("sdk", launched(code), answers={al.PermissionRequest: decide}) as process:
        assert begun.wait(LONG)
        process.write(al.KeepAliveMessage())
        cancelled = next(process)
        assert isinstance(cancelled, al.SessionCancellation)
        assert cancelled.id == "p"
        release.set()
        assert done.wait(LONG)
        assert process.close(grace=LONG) == 0
        assert told(next(process)) == []


def test_the_requests_of_the_start_are_sent_and_answered() -> None:
    async def main() -> None:
        async with al.AsyncProcess("sdk", launched("tell(sys.argv[1:])")) as process:
            assert "--model" in told(await anext(process))
            assert isinstance(await process.started["initialize"], al.InitializeResponse)

    asyncio.run(asyncio.wait_for(main(), LONG))
    with al.Process("sdk", launched("tell(sys.argv[1:])")) as process:
        assert "--model" in told(next(process))
        assert isinstance(process.started["initialize"].result(LONG), al.InitializeResponse)


def test_a_request_of_the_start_that_does_not_decode_ends_the_process() -> None:
    how = launched("")
    how.requests["initialize"] = {"subtype": "initialize", "hooks": 1}

    async def main() -> None:
        process = al.AsyncProcess("sdk", how)
        with pytest.raises(al.DecodeError, match="/hooks"):
            await process.start()
        assert process.returncode is not None

    asyncio.run(asyncio.wait_for(main(), LONG))
    threaded = al.Process("sdk", how)
    with pytest.raises(al.DecodeError, match="/hooks"):
        threaded.start()
    assert threaded.returncode is not None


def test_a_type_of_several_requests_answers_all_of_them() -> None:
    """Every type that `isinstance` accepts can be a key of `answers`; the first that matches is used."""
    code = (
        PERMISSION
        + """
ask("m", "mcp_message", server_name="s", message={"jsonrpc": "2.0", "method": "x"})
tell(sorted(next(heard)["response"]["error"] for _ in "ab"))
"""
    )

    def refuse(asked: Any) -> None:
        raise LookupError(type(asked).__name__)

    def deny(_: Any) -> None:
        raise LookupError("first")

    answers = {al.PermissionRequest: deny, object: refuse}
    with al.Process("sdk", launched(code), answers=answers) as process:
        failed = [next(process), next(process)]
        assert sorted(str(each.error) for each in failed) == ["McpMessageRequest", "first"]
        assert all(isinstance(each, al.FailedAnswer) for each in failed)
        assert told(next(process)) == ["McpMessageRequest", "first"]
