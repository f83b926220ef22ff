"""A client with tasks that runs misbehaving programs, and prints what it sees of each."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from typing import Any

import agentlines as al
from seen import LIMIT, LONG, Seen, launch


async def outcome(process: al.AsyncProcess) -> BaseException | None:
    try:
        await process.started["initialize"]
    except Exception as error:  # noqa: BLE001 - it is printed
        return error
    return None


async def rest(process: al.AsyncProcess, seen: Seen, *, closed: bool) -> None:
    """Take events to the end, or until the program is to be closed."""
    try:
        async for event in process:
            if seen.event(event) and not closed:
                return
    except al.ProcessError as error:
        seen.told["end"] = str(error)


async def run(kind: str, program: str, *, first: str, size: int, grace: float, patience: float) -> None:
    seen = Seen(kind, tasks)
    try:
        process = await al.AsyncProcess("sdk", launch(size), program=program, limit=LIMIT).start()
    except OSError as error:
        seen.unstarted(error)
    else:
        if first == "answer":
            seen.request(await outcome(process))
        await rest(process, seen, closed=False)
        status = await process.close(grace=grace, patience=patience)
        await rest(process, seen, closed=True)
        if first == "events":
            seen.request(await outcome(process))
        seen.end(process, status)
        del process
    deadline = time.monotonic() + LONG
    while not seen.is_quiet() and time.monotonic() < deadline:  # noqa: ASYNC110 - nothing reports it
        await asyncio.sleep(0.005)
    seen.show()


def tasks() -> int:
    return len(asyncio.all_tasks())


async def main(kinds: list[dict[str, Any]]) -> None:
    await (await asyncio.create_subprocess_exec("true")).wait()  # the first child process opens descriptors for good
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join()  # it has waited for the child process
    for each in kinds:
        await run(**each)


asyncio.run(main(json.loads(sys.argv[1])))
