"""Captured lines → a session's worth of them, mixed as a session mixes them.

The captures hold one or two lines of each shape; a session repeats a few shapes many times. So the mix is set here, and
every line gets its own ids and a text of its own length, drawn from a seed.
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator
from pathlib import Path

CAPTURES = Path(__file__).resolve().parent.parent / "tests" / "captures" / "0.2.37"

MIX = {"stream_event": 70, "assistant": 10, "user": 10, "rest": 10}
"""Shares of a session's lines, in percent."""

DELTAS = 0.85
"""Share of deltas among stream events: a block's start and stop frame a dozen deltas or more."""

WORDS = "the a file reads writes test passes fails because next line of code “quoted” naïve 数 → ok\n".split(" ")  # noqa: SIM905 (the newline is one of the words)


def captured() -> Iterator[bytes]:
    """Every captured line, in order of file name."""
    for path in sorted(CAPTURES.glob("*.ndjson")):
        yield from (line for line in path.read_bytes().split(b"\n") if line.strip())


def shelves() -> dict[str, list[dict[str, object]]]:
    """The captured lines by the part of the mix they belong to; deltas apart from other stream events."""
    found: dict[str, list[dict[str, object]]] = {"delta": [], "frame": [], "assistant": [], "user": [], "rest": []}
    for line in captured():
        message = json.loads(line)
        shelf = message["type"] if message["type"] in MIX else "rest"
        if shelf == "stream_event":
            shelf = "delta" if message["event"]["type"] == "content_block_delta" else "frame"
        found[shelf].append(message)
    return found


def session(count: int = 20_000, seed: int = 1) -> list[bytes]:
    """`count` lines without line ends, mixed by `MIX`; the same for the same seed."""
    rng = random.Random(seed)  # noqa: S311 (a repeatable mix, no secret)
    by_shelf = shelves()
    lines = []
    for part in rng.choices(list(MIX), weights=list(MIX.values()), k=count):
        shelf = ("delta" if rng.random() < DELTAS else "frame") if part == "stream_event" else part
        lines.append(dump(vary(rng.choice(by_shelf[shelf]), rng)))
    return lines


def vary(message: dict[str, object], rng: random.Random) -> dict[str, object]:
    """Give the message an id of its own and, where it is a text delta, a text of its own."""
    copy = json.loads(json.dumps(message))
    if "uuid" in copy:
        copy["uuid"] = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    event = copy.get("event")
    delta = event.get("delta") if isinstance(event, dict) else None
    if isinstance(delta, dict) and "text" in delta:
        delta["text"] = " ".join(rng.choices(WORDS, k=rng.randint(1, 12)))
    return copy


def dump(value: object) -> bytes:
    """Compact JSON as the peers write it: no spaces, text as UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
