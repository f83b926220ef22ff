"""Drives the CLI with the Python package like `python.py`, with threads instead of tasks."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

import agentlines as al

from python import launched, plain, request_of, say, tell


class Driver:
    def __init__(self, begin: dict[str, Any]) -> None:
        self.process = al.Process("sdk", launched(begin, self.asked), program=begin["program"])
        self.waiting: list[SimpleQueue[Any]] = []
        self.lock = Lock()

    def asked(self, type_: Any) -> Callable[..., Any]:
        """Make a function that forwards its request to the test, and returns its answer."""

        def ask(*given: Any) -> Any:
            answer: SimpleQueue[Any] = SimpleQueue()
            with self.lock:
                number = len(self.waiting)
                self.waiting.append(answer)
            say(asked=number, payload=plain(request_of(self.process, given)))
            result = answer.get()
            return None if result is None else al.decode(json.dumps(result), type_)

        return ask

    def run(self) -> None:
        with self.process:
            Thread(target=self.events, daemon=True).start()
            say(initialized=plain(self.process.started["initialize"].result()))
            for line in sys.stdin:
                Thread(target=self.obey, args=(json.loads(line),), daemon=True).start()

    def events(self) -> None:
        for event in self.process:
            tell(event)
        say(ended=True)

    def obey(self, command: dict[str, Any]) -> None:
        match command:
            case {"write": message}:
                self.process.write(al.decode(json.dumps(message), al.WireMessage))
            case {"request": payload, "id": id_}:
                request: Any = al.decode(json.dumps(payload), al.ControlRequestInner, strict=True)
                try:
                    answer: Any = self.process.request(request)
                except al.ControlError as error:
                    say(failed=id_, message=str(error))
                else:
                    say(answered=id_, result=plain(answer))
            case {"answer": number, "result": result}:
                self.waiting[number].put(result)
            case {"close": grace}:
                say(closed=self.process.close(grace=grace), stderr=self.process.stderr)


Driver(json.loads(sys.stdin.readline())).run()
