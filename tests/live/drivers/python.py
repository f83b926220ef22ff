"""Drives the CLI with the Python package: reads commands of the test and writes events, both as lines of JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import agentlines as al


def say(**members: Any) -> None:
    sys.stdout.write(json.dumps(members) + "\n")  # in one call, as other threads may write too
    sys.stdout.flush()


def plain(value: Any) -> Any:
    """Convert a value of the package to JSON; None is for a request without a result."""
    return None if value is None else json.loads(al.encode(value))


def launched(begin: dict[str, Any], asked: Callable[[Any], Callable[..., Any]]) -> al.Launch:
    """Make the launch; `asked` makes a function in the options, for a type of results."""
    options = al.decode(json.dumps(begin["options"]), al.QueryOptions)
    options.can_use_tool = asked(al.PermissionResult)
    options.on_elicitation = asked(al.ElicitationResult)
    for event, count in begin["hooks"].items():
        options.hooks = {**(options.hooks or {}), event: [al.HookMatcher(hooks=[asked(al.HookJSONOutput)] * count)]}
    for server in (options.mcp_servers or {}).values():
        if isinstance(server, al.McpSdkServerConfigWithInstance):
            server.instance = asked(al.JSONRPCMessage)
    return al.launch(options, begin["release"])


def request_of(process: al.AsyncProcess | al.Process, given: tuple[Any, ...]) -> Any:
    """Find the request whose members, or itself, were passed to a function."""
    requests = [each.payload for each in process.session.unanswered()]
    return next(each for each in requests if any(part is given[-1] or part is given[0] for part in parts(each)))


def parts(payload: Any) -> list[Any]:
    """Return a request and its members that are objects."""
    members = [getattr(payload, each.name) for each in fields(payload)]
    return [payload, *(each for each in members if not isinstance(each, (str, bool, type(None))))]


def tell(event: Any) -> None:
    match event:
        case al.SessionMessage(message=message):
            line = al.encode(message)
            examined = al.examine(line, al.WireMessage)
            say(message=json.loads(line), unknown=list(examined.unknown))
        case al.SessionStray(reason=reason):
            say(stray=reason)
        case al.BadLine():
            say(bad=str(event))
        case _:
            say(event=type(event).__name__)


class Driver:
    def __init__(self, begin: dict[str, Any]) -> None:
        self.process = al.AsyncProcess("sdk", launched(begin, self.asked), program=begin["program"])
        self.waiting: dict[int, asyncio.Future[Any]] = {}
        self.tasks: set[asyncio.Task[None]] = set()

    def asked(self, type_: Any) -> Callable[..., Any]:
        """Make a function that forwards its request to the test, and returns its answer."""

        async def ask(*given: Any) -> Any:
            number = len(self.waiting)
            self.waiting[number] = asyncio.get_running_loop().create_future()
            say(asked=number, payload=plain(request_of(self.process, given)))
            result = await self.waiting[number]
            return None if result is None else al.decode(json.dumps(result), type_)

        return ask

    async def run(self) -> None:
        reader = asyncio.StreamReader(limit=2**24)
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        async with self.process:
            self.begin(self.events())
            initialized = await self.process.started["initialize"]
            say(initialized=plain(initialized))
            while line := await reader.readline():
                self.begin(self.obey(json.loads(line)))

    def begin(self, doing: Any) -> None:
        task = asyncio.ensure_future(doing)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def events(self) -> None:
        async for event in self.process:
            tell(event)
        say(ended=True)

    async def obey(self, command: dict[str, Any]) -> None:
        match command:
            case {"write": message}:
                await self.process.write(al.decode(json.dumps(message), al.WireMessage))
            case {"request": payload, "id": id_}:
                request: Any = al.decode(json.dumps(payload), al.ControlRequestInner, strict=True)
                try:
                    answer: Any = await self.process.request(request)
                except al.ControlError as error:
                    say(failed=id_, message=str(error))
                else:
                    say(answered=id_, result=plain(answer))
            case {"answer": number, "result": result}:
                self.waiting[number].set_result(result)
            case {"close": grace}:
                say(closed=await self.process.close(grace=grace), stderr=self.process.stderr)


if __name__ == "__main__":
    asyncio.run(Driver(json.loads(sys.stdin.readline())).run())
