"""Stored sessions are fully typed at the release that wrote them, and come back equal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import projected
from polywire.model.build import Builder
from polywire.source import load
from sampling import sample

ROOT = Path(__file__).resolve().parents[2]
SESSIONS = ROOT / "tests" / "captures" / "sessions"
RELEASES = sorted(folder.name for folder in SESSIONS.iterdir() if folder.is_dir())


def files(release: str) -> list[Path]:
    return sorted((SESSIONS / release).glob("*.ndjson"))


def lines(release: str) -> Iterator[bytes]:
    for path in files(release):
        yield from (line for line in path.read_bytes().split(b"\n") if line.strip())


def test_there_are_entries_of_every_release_and_whole_sessions_of_an_old_and_a_new_one() -> None:
    assert set(RELEASES) == {*Builder(load(ROOT / "spec")).releases.names}
    assert {release for release in RELEASES if len(files(release)) > 1} == {*TYPED}
    assert min(sum(1 for _ in lines(release)) for release in RELEASES) > 30


NOW = sample(RELEASES[:-1], 2)
"""Releases that `make test` reads besides the newest."""


@pytest.mark.parametrize(
    "release",
    [pytest.param(each, marks=() if each in {*NOW, RELEASES[-1]} else pytest.mark.full) for each in RELEASES],
)
def test_every_entry_is_fully_typed_at_its_release_and_comes_back_equal(release: str) -> None:
    package = projected.python(release)
    for line in lines(release):
        entry = package.decode(line, package.TranscriptEntry, strict=True)
        assert json.loads(package.encode(entry)) == json.loads(line)


def test_lines_that_the_wire_mirrors_are_entries() -> None:
    package = projected.python("0.3.332")
    entries = [json.loads(line) for line in lines("0.3.332")]
    line = json.dumps({"type": "transcript_mirror", "filePath": "/home/user/a.jsonl", "entries": entries})
    mirrored = package.decode(line, strict=True).entries
    read = [package.decode(json.dumps(entry), package.TranscriptEntry, strict=True) for entry in mirrored]
    assert [json.loads(package.encode(entry)) for entry in read] == entries


def calls(package: Any, path: Path) -> Iterator[tuple[str, Any, Any]]:
    """The name, input and result of each call of a tool in a session; None for a result that is a text or missing."""
    asked: dict[str, Any] = {}
    results: dict[str, Any] = {}
    for item in package.Reader(path.open("rb"), package.TranscriptEntry):
        if isinstance(item, package.AssistantEntry):
            blocks = (block for block in item.message.content if isinstance(block, package.ToolUseBlock))
            asked |= {block.id: block for block in blocks}
        elif isinstance(item, package.UserEntry) and isinstance(item.message.content, list):
            blocks = (block for block in item.message.content if isinstance(block, package.ToolResultBlockParam))
            results |= {block.tool_use_id: item.tool_use_result for block in blocks}
    for identity, block in asked.items():
        result = results.get(identity)
        yield block.name, block.input, None if isinstance(result, str) else result


TYPED = {
    "0.2.37": {"inputs": 31, "other inputs": 5, "results": 25, "other results": 3},
    "0.3.332": {"inputs": 35, "other inputs": 6, "results": 26, "other results": 3},
}
"""The inputs and results of tools that are typed, and the others: of MCP servers, and of invalid calls."""


@pytest.mark.parametrize("release", TYPED)
def test_inputs_and_results_of_tools_are_typed_where_the_tool_is_declared(release: str) -> None:
    package = projected.python(release)
    seen: Counter[str] = Counter()
    for path in files(release):
        for name, given, result in calls(package, path):
            for what, value, typed in (
                ("inputs", given, package.tool_input),
                ("results", result, package.tool_output),
            ):
                if value is not None:
                    seen[what if typed_by(package, typed, name, value) else f"other {what}"] += 1
    assert seen == TYPED[release]


def typed_by(package: Any, typed: Any, name: str, value: Any) -> bool:
    """Whether a value is of the type that the tool's name has."""
    try:
        return typed(name, value) is not value
    except package.DecodeError:
        return False
