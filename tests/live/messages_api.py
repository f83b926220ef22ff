"""A scripted service on loopback: the parts of the Messages API that the agent CLI calls.

Each request that offers tools consumes the next step of the script. Other requests (titles, summaries, verdicts) get a
short text and consume no step.

It uses the standard library: a framework would replace the thirty lines of `Handler`, and add a server with its own
loop and five packages to lock, for one client on loopback.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

USAGE = {"output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


@dataclass(frozen=True)
class Say:
    """The model responds with a text, and the service reports the number of input tokens."""

    text: str
    tokens: int = 3


@dataclass(frozen=True)
class Use:
    """The model calls a tool."""

    tool: str
    input: dict[str, Any]


@dataclass(frozen=True)
class Fail:
    """The service responds with an error."""

    status: int
    kind: str


@dataclass(frozen=True)
class Hang:
    """The model sends the first part of a text, and no more until the service ends."""

    text: str


Step: TypeAlias = "Say | Use | Fail | Hang"


@dataclass
class Service:
    """The script, and the requests received."""

    steps: list[Step]
    requests: list[dict[str, Any]] = field(default_factory=list)
    """The bodies of the requests that consumed a step."""
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)

    def next(self, body: dict[str, Any]) -> Step:
        with self.lock:
            if not body.get("tools"):
                return Say("ok")
            self.requests.append(body)
            return self.steps.pop(0) if self.steps else Fail(400, "invalid_request_error")


@contextmanager
def service(*steps: Step) -> Iterator[Service]:
    """Run the service on a free port of this machine."""
    told = Service([*steps])
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(told))
    server.daemon_threads = True
    told.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        told.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(told: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the library calls it
            pass

        def do_HEAD(self) -> None:
            self.send_response(404)
            self.send_header("content-length", "0")
            self.end_headers()

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", "0"))) or b"{}")
            if "count_tokens" in self.path:
                return self.answer(200, {"input_tokens": 9})
            step = told.next(body)
            if isinstance(step, Fail):
                return self.answer(step.status, {"type": "error", "error": {"type": step.kind, "message": step.kind}})
            model = body.get("model", "model")
            if not body.get("stream"):
                return self.answer(200, message(step, model))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for event in events(step, model):
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
                self.wfile.flush()
                if isinstance(step, Hang) and event["type"] == "content_block_delta":
                    told.over.wait()
                    break
            self.close_connection = True
            return None

        def answer(self, status: int, document: dict[str, Any]) -> None:
            data = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def block(step: Step) -> dict[str, Any]:
    """Build the complete content block of a step."""
    if isinstance(step, Use):
        return {
            "type": "tool_use",
            "id": f"toolu_{abs(hash(step.tool)) % 1000}",
            "name": step.tool,
            "input": step.input,
        }
    assert not isinstance(step, Fail)
    return {"type": "text", "text": step.text}


def message(step: Step, model: str) -> dict[str, Any]:
    """Build a response that is not streamed."""
    reason = "tool_use" if isinstance(step, Use) else "end_turn"
    content: Sequence[dict[str, Any]] = [block(step)]
    told = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": content}
    usage = {"input_tokens": step.tokens if isinstance(step, Say) else 3, **USAGE}
    return {**told, "stop_reason": reason, "stop_sequence": None, "usage": usage}


def events(step: Step, model: str) -> Iterator[dict[str, Any]]:
    """Yield the events of a streamed response."""
    whole = message(step, model)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    content = block(step)
    if isinstance(step, Use):
        begin, delta = {**content, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(step.input)}
    else:
        begin, delta = {**content, "text": ""}, {"type": "text_delta", "text": content["text"]}
    yield {"type": "content_block_start", "index": 0, "content_block": begin}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": whole["usage"]}
    yield {"type": "message_stop"}
