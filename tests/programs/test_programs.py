"""Programs as users write them, the same ones in every language; `tests/functions` has a client with functions."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sampling import in_turns, number, third
from traffic import DESCRIBED, FOLDER, NEWER

HERE = Path(__file__).resolve().parent
SIZE = number(2, 200) * 1_000_000
"""How many bytes of sessions the usage program reads."""

OUTPUTS = [
    path.read_bytes() for release in (DESCRIBED, NEWER) for path in sorted((FOLDER / release).glob("*.out.ndjson"))
]
BAD = [b'{"type":"assistant"}\n', b"{no JSON}\n", b'{"type":"result","subtype":"success"']
"""Lines that no program can read; the last is cut short, as a program that was killed leaves it."""

Run = Callable[..., Any]


def programs(name: str) -> list[Any]:
    return in_turns(sorted(HERE.glob(f"{name}.*")), third("programs in Rust"))


@pytest.fixture
def run(command: Callable[[Path], list[str]], environment: dict[str, str]) -> Run:
    """Run a program → the JSON that it prints."""

    def run(program: Path, *arguments: Path) -> Any:
        done = subprocess.run(
            [*command(program), *map(str, arguments)], capture_output=True, check=False, env=environment, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of sessions, four times as many lines in one file as in the other."""
    folder = tmp_path_factory.mktemp("sessions")
    times = SIZE // sum(map(len, OUTPUTS)) + 1
    for name, share in (("long", 4), ("short", 1)):
        with (folder / f"{name}.ndjson").open("wb") as file:
            for _ in range(max(1, times * share // 5)):
                file.writelines(OUTPUTS)
            file.writelines(BAD)
    return folder


def counted(folder: Path) -> dict[str, Any]:
    """What the messages of a folder sum up to, by plain JSON."""
    messages, cost, tools = 0, 0.0, Counter[str]()
    for path in folder.iterdir():
        for line in path.read_bytes().splitlines()[: -len(BAD)]:
            message = json.loads(line)
            messages += 1
            if message["type"] == "result":
                cost += message["total_cost_usd"]
            elif message["type"] == "assistant":
                tools.update(each["name"] for each in message["message"]["content"] if each["type"] == "tool_use")
    return {"files": 2, "messages": messages, "bad": 2 * len(BAD), "cost": round(cost, 6), "tools": dict(tools)}


@pytest.mark.parametrize("program", programs("usage"), ids=lambda path: path.suffix[1:])
def test_a_reader_sums_what_sessions_cost_and_which_tools_they_call(program: Path, sessions: Path, run: Run) -> None:
    found, wanted = run(program, sessions), counted(sessions)
    assert wanted["cost"] > 0
    assert found == wanted | {"cost": pytest.approx(wanted["cost"])}


@pytest.mark.parametrize("program", programs("store"), ids=lambda path: path.suffix[1:])
def test_an_application_stores_messages_in_records_and_reads_them_again(
    program: Path, run: Run, tmp_path: Path
) -> None:
    session, store = tmp_path / "session.ndjson", tmp_path / "store.ndjson"
    session.write_bytes(b"".join([*OUTPUTS, *BAD]))
    lines = b"".join(OUTPUTS).splitlines()
    assert run(program, session, store) == {"stored": len(lines), "equal": len(lines)}
    records = [json.loads(line) for line in store.read_bytes().splitlines()]
    assert [record["message"] for record in records] == [json.loads(line) for line in lines]
    assert [record["number"] for record in records] == [*range(len(lines))]
    assert all(record["note"] for record in records)


def test_every_language_has_every_program() -> None:
    languages = {path.suffix for path in HERE.glob("usage.*")}
    assert languages == {path.suffix for path in HERE.glob("store.*")}
