"""Captured lines → a session's worth of them, mixed as a session mixes them.

The captures hold one or two lines of each shape; a session repeats a few shapes many times, in turns: the events of a
stream, then the message that they add up to, then its results. So the mix is set here, and every line gets its own ids
and numbers, and a text of its own length, drawn from a seed.
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CAPTURES = Path(__file__).resolve().parent.parent / "tests" / "captures" / "0.2.37"

TURN = ("stream_event",) * 7 + ("assistant", "user", "rest")
"""The lines of a turn, in order: of all lines 70 % are stream events, and 10 % each of the others."""

DELTAS = 0.85
"""Share of deltas among stream events: a block's start and stop frame a dozen deltas or more."""

WORDS = ("the", "a", "file", "reads", "test", "passes", "because", "next", "code", "naïve", "→", "ok\n")


def captured() -> Iterator[bytes]:
    """Every captured line, in order of file name."""
    for path in sorted(CAPTURES.glob("*.ndjson")):
        yield from (line for line in path.read_bytes().split(b"\n") if line.strip())


def shelves() -> dict[str, list[dict[str, Any]]]:
    """The captured lines by the part of the mix they belong to; deltas apart from other stream events."""
    found: dict[str, list[dict[str, Any]]] = {"delta": [], "frame": [], "assistant": [], "user": [], "rest": []}
    for line in captured():
        message = json.loads(line)
        shelf = message["type"] if message["type"] in TURN else "rest"
        if shelf == "stream_event":
            shelf = "delta" if message["event"]["type"] == "content_block_delta" else "frame"
        found[shelf].append(message)
    return found


def session(count: int = 20_000, seed: int = 1) -> list[bytes]:
    """`count` lines without line ends, turn after turn; the same for the same seed."""
    rng = random.Random(seed)  # noqa: S311 (a repeatable mix, no secret)
    by_shelf = shelves()
    lines = []
    for number in range(count):
        part = TURN[number % len(TURN)]
        shelf = ("delta" if rng.random() < DELTAS else "frame") if part == "stream_event" else part
        lines.append(dump(vary(rng.choice(by_shelf[shelf]), rng)))
    return lines


def vary(message: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Give the message an id and numbers of its own and, where it is a delta, a few words of its own."""
    copy: dict[str, Any] = json.loads(json.dumps(message))
    renumber(copy, rng)
    if "uuid" in copy:
        copy["uuid"] = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    delta = copy.get("event", {}).get("delta", {})
    for key in {"text", "thinking"} & delta.keys():
        delta[key] = " ".join(rng.choices(WORDS, k=rng.randint(1, 12)))
    return copy


def renumber(value: Any, rng: random.Random) -> None:
    """Give counts, times and costs other values of their size: no two lines of a session agree in them.

    What is 0 stays 0, and so does the number of a block, which the deltas of that block share.
    """
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(items):
        if type(item) is int and item and key != "index":
            value[key] = rng.randint(1, 2 * item) if item > 0 else item
        elif type(item) is float:
            value[key] = item * rng.uniform(0.5, 1.5)
        else:
            renumber(item, rng)


def dump(value: object) -> bytes:
    """Compact JSON as the peers write it: no spaces, text as UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
