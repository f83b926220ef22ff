"""Controls a program in some language that drives a real CLI with the package of that language."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import toolchain

GENERATED = toolchain.ROOT / "generated"

Json = dict[str, Any]
Answer = Callable[[Json], "Json | Awaitable[Json | None] | None"]
"""Takes the payload of a request and returns its result."""

GRACE = 240
"""Seconds that the CLI has to exit by itself."""


@dataclass
class Driver:
    """A program in some language that drives the CLI, and everything that it reports."""

    process: asyncio.subprocess.Process
    answers: Mapping[str, Answer]
    initialized: Json = field(default_factory=dict)
    messages: list[Json] = field(default_factory=list)
    unknown: list[tuple[list[str], Json]] = field(default_factory=list)
    """Messages with places that are unknown to the package, each after the list of those places."""
    asked: list[Json] = field(default_factory=list)
    """The payloads of the CLI's requests."""
    answered: list[tuple[Json, Any]] = field(default_factory=list)
    """The payloads of the requests to the CLI, each with its result."""
    strays: list[str] = field(default_factory=list)
    replies: dict[int, asyncio.Future[Json]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=itertools.count)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)
    seen: int = 0
    """The number of messages that `until` has examined."""
    over: bool = False
    listener: asyncio.Future[None] = field(init=False)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @classmethod
    async def start(cls, command: list[str], begin: Json, answers: Mapping[str, Answer]) -> Driver:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=2**26,
            env={**os.environ, "PYTHONPATH": str(GENERATED / "python"), "PYTHONUTF8": "1"},
        )
        driver = cls(process, answers)
        driver.tell(begin)
        driver.listener = asyncio.ensure_future(driver.listen())
        async with driver.news:
            await driver.news.wait_for(lambda: driver.initialized or driver.over)
        assert driver.initialized, "the CLI did not answer initialize"
        return driver

    def tell(self, command: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command).encode() + b"\n")

    async def listen(self) -> None:
        assert self.process.stdout is not None
        try:
            async for line in self.process.stdout:
                async with self.news:
                    self.take(json.loads(line))
                    self.news.notify_all()
        finally:
            async with self.news:
                self.over = True
                self.news.notify_all()

    def take(self, told: Json) -> None:
        match told:
            case {"message": message, "unknown": unknown}:
                self.messages.append(message)
                if unknown:
                    self.unknown.append((unknown, message))
            case {"asked": number, "payload": payload}:
                self.asked.append(payload)
                self.tasks.add(asyncio.create_task(self.answer(number, payload)))
            case {"answered": id_} | {"failed": id_}:
                self.replies.pop(id_).set_result(told)
            case {"closed": _}:
                self.replies.pop(-1).set_result(told)
            case {"stray": reason}:
                self.strays.append(reason)
            case {"initialized": answer}:
                self.initialized = answer
                self.answered.append(({"subtype": "initialize"}, answer))
            case {"event": "cancellation" | "SessionCancellation"} | {"ended": True}:
                pass
            case _:
                raise AssertionError(told)

    async def answer(self, number: int, payload: Json) -> None:
        result = self.answers[payload["subtype"]](payload)
        if isinstance(result, Awaitable):
            result = await result
        self.tell({"answer": number, "result": result})

    async def turn(self, prompt: str) -> Json:
        """Send a prompt, and return the result of the turn."""
        self.write(prompt)
        return await self.until(lambda message: message["type"] == "result")

    def write(self, prompt: str) -> None:
        message = {"role": "user", "content": prompt}
        self.tell({"write": {"type": "user", "message": message, "parent_tool_use_id": None, "session_id": ""}})

    async def until(self, wanted: Callable[[Json], bool]) -> Json:
        """Wait for the next message that satisfies a condition, and return it."""
        while True:
            async with self.news:
                await self.news.wait_for(lambda: self.seen < len(self.messages) or self.over)
            if self.seen == len(self.messages):
                await self.listener  # raises its exception, if any
                raise AssertionError("the CLI ended")
            self.seen += 1
            if wanted(self.messages[self.seen - 1]):
                return self.messages[self.seen - 1]

    async def told(self, enough: Callable[[], bool]) -> None:
        """Wait until a condition on the reports holds."""
        async with self.news:
            await self.news.wait_for(lambda: enough() or self.over)
        assert enough(), "the CLI ended"

    async def request(self, **payload: Any) -> Any:
        """Send a request, and return its result, or the text of its error."""
        id_ = next(self.numbers)
        self.replies[id_] = asyncio.get_running_loop().create_future()
        self.tell({"request": payload, "id": id_})
        told = await self.replies[id_]
        if "failed" in told:
            return told["message"]
        self.answered.append((payload, told["result"]))
        return told["result"]

    async def close(self) -> Json:
        """Close the CLI and the program, and return the exit status and the standard error of the CLI."""
        self.replies[-1] = asyncio.get_running_loop().create_future()
        self.tell({"close": GRACE})
        told = await self.replies[-1]
        assert self.process.stdin is not None
        self.process.stdin.close()
        await self.listener
        assert await self.process.wait() == 0
        for task in self.tasks:  # requests that are still unanswered were cancelled
            if not task.cancel():
                task.result()
        return told

    def of(self, type_: str, subtype: str | None = None) -> list[Json]:
        """Return the messages of a type."""
        return [
            each
            for each in self.messages
            if each["type"] == type_ and (subtype is None or each.get("subtype") == subtype)
        ]

    def texts(self) -> list[str]:
        """Return the texts of the model."""
        return [
            block["text"]
            for each in self.of("assistant")
            for block in each["message"]["content"]
            if block["type"] == "text"
        ]

    def tool_results(self) -> list[Json]:
        """Return the results of tools."""
        contents = [each["message"]["content"] for each in self.of("user")]
        return [
            block
            for content in contents
            if isinstance(content, list)
            for block in content
            if block["type"] == "tool_result"
        ]
