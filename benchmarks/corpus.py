"""Captured lines → the lines of a long session, in the proportions of a real session.

The captures have one or two lines of each shape. A session repeats a few shapes many times, in turns: the events of a
stream, then the message that they add up to, then its results. This module draws lines from the captures in these
proportions and gives each its own ids, numbers and texts, from a seed. Tool results with source code are added, since
the captures have hardly any.

`SITUATIONS` changes such lines into ones on which a decoder might be slow.
"""

from __future__ import annotations

import json
import random
import re
import uuid
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RELEASES = sorted(
    (HERE.parent / "tests" / "captures").glob("[0-9]*"), key=lambda folder: tuple(map(int, folder.name.split(".")))
)
CAPTURES = (RELEASES[0], RELEASES[-1])
"""The folders of the oldest and the newest captured release of the CLI."""

COUNT = 20_000

OPENING = 500
"""Number of lines that come first and only warm up."""

TURN = ("stream_event",) * 7 + ("assistant", "user", "rest")
"""The lines of a turn, in order: 70 % of all lines are stream events, and 10 % each of the others."""

DELTAS = 0.85
"""Share of deltas among stream events: a dozen or more of them are between the start and the end of a block."""

SOURCE_CODE = 0.4
"""Share of lines with source code among user lines, most of which contain tool results."""

WORDS = ("the", "a", "file", "reads", "test", "passes", "because", "next", "code", "naïve", "→", "ok\n")
PROSE = {"text", "thinking", "partial_json", "cited_text", "result", "summary", "stdout", "description"}
"""Keys of texts that differ from line to line even if the captured text is a single word."""

ID = re.compile(r"^((?:srv)?toolu_|msg_|req_)\w{8,}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
"""Ids, with their prefix: `toolu_01A09q90qw90lq917835lq9`, or a UUID."""

Message = dict[str, Any]
Situation = Callable[[Message, random.Random], "Message | None"]


def captured(folders: tuple[Path, ...] = CAPTURES) -> Iterator[bytes]:
    """Yield every captured line, in order of file name."""
    for folder in folders:
        for path in sorted(folder.glob("*.ndjson")):
            yield from (line for line in path.read_bytes().split(b"\n") if line.strip())


@cache
def shelves() -> dict[str, list[Message]]:
    """Return the captured lines by their part of the mix; deltas are separate from other stream events."""
    found: dict[str, list[Message]] = {"delta": [], "frame": [], "assistant": [], "user": [], "rest": []}
    for line in captured():
        message = json.loads(line)
        shelf = message["type"] if message["type"] in TURN else "rest"
        if shelf == "stream_event":
            shelf = "delta" if message["event"]["type"] == "content_block_delta" else "frame"
        found[shelf].append(message)
    return found


def session(count: int = COUNT, seed: int = 1) -> list[bytes]:
    """Return the opening and `count` lines without line ends, turn after turn; the same for the same seed."""
    rng = random.Random(seed)  # noqa: S311 (a repeatable mix)
    return [dump(message) for message in (*opening(rng), *messages(count, rng))]


def opening(rng: random.Random) -> Iterator[Message]:
    """Yield a message of each shape, and turns; compilation at first use is measured by the rows about start-up."""
    shapes = {shape(message): message for messages in shelves().values() for message in messages}
    if len(shapes) > OPENING:
        raise SystemExit(f"the captures have {len(shapes)} shapes; raise OPENING, and PORTION in every language")
    yield from (vary(message, rng) for message in shapes.values())
    yield from messages(OPENING - len(shapes), rng)


def shape(value: Any, key: str = "") -> Any:
    """Return the shape of a document: its keys, tags and kinds of values."""
    match value:
        case dict():
            return tuple(sorted((name, shape(item, name)) for name, item in value.items()))
        case list():
            return frozenset(shape(item, key) for item in value)
        case str() if key in ("type", "subtype"):
            return value
    return type(value)


def messages(count: int, rng: random.Random) -> Iterator[Message]:
    """Yield the messages of a session, turn after turn."""
    for number in range(count):
        part = TURN[number % len(TURN)]
        if part == "user" and rng.random() < SOURCE_CODE:
            yield result_with_code(rng)
            continue
        shelf = ("delta" if rng.random() < DELTAS else "frame") if part == "stream_event" else part
        yield vary(rng.choice(shelves()[shelf]), rng)


def result_with_code(rng: random.Random) -> Message:
    """Return a user message with the result of a tool that read a part of a file."""
    result = next(user for user in shelves()["user"] if user.get("parent_tool_use_id", 0) is None and is_result(user))
    message = vary(result, rng)
    lines = rng.choice(source_files())
    start = rng.randrange(max(1, len(lines) - 20))
    numbered = enumerate(lines[start : start + rng.randint(5, 120)], start + rng.randint(1, 500))
    message["message"]["content"][0]["content"] = "\n".join(f"{number:6}→{line}" for number, line in numbered)
    message.pop("tool_use_result", None)
    return message


def is_result(message: Message) -> bool:
    """Return whether the first block is a tool result."""
    content = message["message"]["content"]
    return isinstance(content, list) and content[0]["type"] == "tool_result"


@cache
def source_files() -> list[list[str]]:
    """Return the lines of source files in four languages: those of the benchmarks themselves."""
    files = (path for name in ("*.py", "js/*.mjs", "go/**/*.go", "rust/src/*.rs") for path in HERE.glob(name))
    return [path.read_text(encoding="utf-8").split("\n") for path in sorted(files)]


def vary(value: Any, rng: random.Random, key: str | int = "") -> Any:
    """Return a copy with its own ids, numbers and texts: no two lines of a session share them.

    Zeros are kept, and so is the index of a block, which the deltas of that block share. A text without a space may be
    a tag or the value of an enum, and is kept unless its key is in `PROSE`.
    """
    match value:
        case dict():
            return {name: vary(item, rng, name) for name, item in value.items()}
        case list():
            return [vary(item, rng, key) for item in value]
        case bool():
            return value
        case int() if value > 0 and key != "index":
            return rng.randint(1, 2 * value)
        case float():
            return value * rng.uniform(0.5, 1.5)
        case str() if " " in value or key in PROSE:
            return " ".join(rng.choices(WORDS, k=max(1, min(len(value) // 6, 2_000) + rng.randint(-2, 6))))
        case str() if key != "session_id" and (found := ID.match(value)):
            own = uuid.UUID(int=rng.getrandbits(128), version=4)
            return f"{found[1]}01{own.hex[:22]}" if found[1] else str(own)
    return value


def dump(value: object) -> bytes:
    """Write compact JSON like the CLI and its clients: no spaces, text as UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


# --- situations ------------------------------------------------------------------------------------------------


def situation(name: str, count: int = COUNT // 2, seed: int = 4) -> list[bytes]:
    """Return lines of a session changed by `SITUATIONS[name]`; lines that cannot be changed are left out."""
    change, rng = SITUATIONS[name], random.Random(seed)  # noqa: S311 (a repeatable mix)

    def changed(messages: Iterator[Message]) -> list[bytes]:
        return [dump(made) for message in messages if (made := change(message, rng)) is not None]

    made = changed(opening(rng))
    while len(made) < OPENING + count:
        made += changed(messages(len(TURN), rng))
    return made[: OPENING + count]


def code_in_a_tool_result(message: Message, rng: random.Random) -> Message | None:
    """Turn the message into a result with source code."""
    return result_with_code(rng) if message["type"] == "user" else None


def unknown_tag(message: Message, rng: random.Random) -> Message:
    """Give the message, or the event or request in it, a tag that no release has."""
    inner = [message[key] for key in ("event", "request") if key in message]
    owner = rng.choice([message, *inner])
    owner["subtype" if owner is message.get("request") else "type"] = f"telepathy_{rng.randint(1, 99)}"
    return message


def unknown_block(message: Message, rng: random.Random) -> Message | None:
    """Add a content block of an unknown type to the content, or put one into the event that starts a block."""
    block = {"type": "hologram", "id": f"holo_{rng.getrandbits(64):x}", "frames": [rng.random() for _ in range(4)]}
    content = message["message"]["content"] if message["type"] in ("assistant", "user") else None
    if isinstance(content, list):
        content.insert(rng.randint(0, len(content)), block)
    elif "content_block" in message.get("event", {}):
        message["event"]["content_block"] = block
    else:
        return None
    return message


def unknown_field(message: Message, rng: random.Random) -> Message:
    """Add a member to the message or to its main object."""
    inner = [message[key] for key in ("event", "message", "request", "response") if isinstance(message.get(key), dict)]
    rng.choice([message, *inner])[f"new_field_{rng.randint(1, 20)}"] = {"since": rng.randint(1, 9_999), "why": "new"}
    return message


def negative_number(message: Message, rng: random.Random) -> Message | None:
    """Make one of its integers negative."""
    found = list(integers(message))
    if not found:
        return None
    owner, key = rng.choice(found)
    owner[key] = -owner[key] - 1
    return message


def integers(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield where a document has integers: the object or array, and the key or index."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        if type(item) is int:
            yield value, key
        yield from integers(item)


SITUATIONS: dict[str, Situation] = {
    change.__name__: change
    for change in (code_in_a_tool_result, unknown_tag, unknown_block, unknown_field, negative_number)
}
