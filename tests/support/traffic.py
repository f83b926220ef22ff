"""The captured sessions → their lines and responses.

`tests/captures/VERSION/NAME.out.ndjson` is the CLI's output in a session, `NAME.in.ndjson` that of its client.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "captures"
DESCRIBED, NEWER = "0.2.37", "0.3.330"
"""A version of the CLI among the first releases of the spec (0.2.33 and 0.2.37 do not differ), and the newest one."""


@dataclass(frozen=True, slots=True)
class Capture:
    """One direction of one session."""

    path: Path

    def __str__(self) -> str:
        return self.path.name.removesuffix(".ndjson")

    @property
    def session(self) -> str:
        return self.path.name.split(".")[0]

    @property
    def is_output(self) -> bool:
        """Whether the CLI wrote it."""
        return self.path.name.endswith(".out.ndjson")

    @property
    def root(self) -> str:
        """The union of all lines in this direction."""
        return "StdoutMessage" if self.is_output else "StdinMessage"

    def lines(self) -> list[bytes]:
        """Return every line that is not blank, without its line end."""
        return [line for line in self.path.read_bytes().split(b"\n") if line.strip()]


@dataclass(frozen=True, slots=True)
class Answer:
    """A response in a session that also has its request: the request's subtype, and the inner response."""

    capture: Capture
    asked: str
    response: dict[str, Any]

    @property
    def payload(self) -> str | None:
        """The response's payload as JSON; None if there is none, or the response is an error."""
        given = self.response["subtype"] == "success" and "response" in self.response
        return json.dumps(self.response["response"]) if given else None


def captures(version: str) -> list[Capture]:
    return [Capture(path) for path in sorted((FOLDER / version).glob("*.ndjson"))]


def answers(version: str) -> list[Answer]:
    """Return every response whose request is known, in the order of files and lines."""
    asked: dict[tuple[str, str], str] = {}
    found: list[tuple[Capture, dict[str, Any]]] = []
    for capture in captures(version):
        for line in map(json.loads, capture.lines()):
            if line.get("type") == "control_request":
                asked[capture.session, line["request_id"]] = line["request"]["subtype"]
            elif line.get("type") == "control_response":
                found.append((capture, line["response"]))
    return [
        Answer(capture, asked[key], response)
        for capture, response in found
        if (key := (capture.session, response["request_id"])) in asked
    ]
