"""Every adapter survives every misbehaving program: one table of what is seen, for the clients of all languages."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sampling import SEED, number

HERE = Path(__file__).resolve().parent
RUST = HERE.parent / "live" / "drivers" / "rust" / "src" / "bin" / "misbehaving.rs"
CLIENTS = [HERE / "client.py", HERE / "threads.py", HERE / "client.mjs", HERE / "client.go", RUST]
tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
KINDS: dict[str, dict[str, Any]] = tomllib.loads((HERE / "kinds.toml").read_text(encoding="utf-8"))

LIMIT = 60
"""The timeout in seconds of a program and of each wait for it; only a hang takes longer."""

DRAWN: dict[str, dict[str, Any]] = {
    f"drawn-{end}-{SEED * 1000 + at}": {"first": "events", "patience": 0.1, "grace": 0.1 if end == "holds" else LIMIT}
    for first, end in enumerate(("behaves", "exits", "holds", "is killed"))
    for at in range(first, number(8, 200), 4)
}
"""The programs that are drawn. What is seen of one is not written down, but the same for all clients."""

ROWS = KINDS | DRAWN

RUNS = 4
"""How many processes of a client run at once. Each runs some of the programs, one after the other."""

MESSAGES = {
    "ended": "the process ended",
    "closed its output": "the process has closed its output",
    "closed its input": "the process has closed its input",
    "unread": "the process does not read",
    "backlog": "so that no answer can be read: take events while a request awaits its answer",
}
"""Outcome of a request → a part of the message of the error of the process."""


def name(client: Path) -> str:
    return {"client.py": "asyncio", "threads.py": "threads"}.get(client.name, client.suffix[1:])


def expected(kind: str, client: Path) -> dict[str, Any]:
    """The row of a kind, with what differs in it with a client."""
    row = {"status": 0, "stderr": "", "end": "", **KINDS[kind]}
    return {**row, **row.get("differs", {}).get(name(client), {})}


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The path of the program of each kind."""
    folder = tmp_path_factory.mktemp("programs")
    program = folder / "program"
    program.write_text(f"#!{sys.executable} -IS\n{(HERE / 'program.py').read_text(encoding='utf-8')}", encoding="utf-8")
    program.chmod(0o755)
    paths = {}
    for kind, row in ROWS.items():
        if "program" in row:
            paths[kind] = shutil.which(row["program"]) or str(folder / row["program"])
        else:
            (folder / kind).symlink_to(program)
            paths[kind] = str(folder / kind)
    return paths


def run(command: list[str], kinds: dict[str, str], environment: dict[str, str]) -> dict[str, Any]:
    """Return what a client sees of some kinds, which are given with their programs."""
    asked = [
        {
            "kind": kind,
            "program": program,
            "first": ROWS[kind].get("first", "answer"),
            "size": ROWS[kind].get("size", 0),
            "grace": ROWS[kind].get("grace", LIMIT),
            "patience": ROWS[kind].get("patience", LIMIT),
        }
        for kind, program in kinds.items()
    ]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output, tempfile.TemporaryFile("w+") as errors:
        limit = LIMIT * len(kinds)
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": errors}
        with suppress(subprocess.TimeoutExpired):
            subprocess.run([*command, json.dumps(asked)], check=False, env=environment, timeout=limit, **streams)
        output.seek(0)
        errors.seek(0)
        seen = {told["kind"]: told for told in map(json.loads, output)}
        why = errors.read() or f"the client has not come to its end within {limit} seconds"
    return {kind: seen.get(kind, {"failure": why}) for kind in kinds}


@pytest.fixture(scope="session")
def seen(
    command: Callable[[Path], list[str]],
    environment: dict[str, str],
    programs: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
    worker_id: str,
) -> Callable[[Path], dict[str, Any]]:
    """A function that returns what a client sees of each kind. Each client runs in one of the test processes."""
    own = tmp_path_factory.getbasetemp()
    shared = own if worker_id == "master" else own.parent

    def run_all(client: Path) -> dict[str, Any]:
        file = shared / f"misbehaving-{name(client)}.json"
        with file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not file.exists():
                start = partial(run, command(client), environment=environment)
                parts = [dict([*programs.items()][first::RUNS]) for first in range(RUNS)]
                with ThreadPoolExecutor(RUNS) as pool:
                    found = {kind: told for part in pool.map(start, parts) for kind, told in part.items()}
                file.write_text(json.dumps(found), encoding="utf-8")
        told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return told

    return cache(run_all)


def events(found: list[tuple[str, int]]) -> Iterator[str]:
    """The events as the table has them."""
    for event, count in found:
        yield event if count == 1 else f"{event} {count}"


def check_request(found: dict[str, Any], row: dict[str, Any]) -> None:
    """Check the outcome of a request, and that an error of the process says how it ended."""
    outcome, _, text = row["request"].partition(": ")
    if outcome in MESSAGES:
        assert found["outcome"] == "process"
        assert MESSAGES[outcome] in found["message"]
    else:
        assert found["outcome"] == outcome
        assert text in found.get("message", "")
    if outcome == "ended":
        assert (found["status"], found["stderr"]) == (row["status"], row["stderr"])
    elif outcome in MESSAGES:
        assert found.get("status") is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("client", CLIENTS, ids=name)
def test_a_misbehaving_program_is_seen_and_ended_and_leaves_nothing(
    client: Path, kind: str, seen: Callable[[Path], dict[str, Any]]
) -> None:
    row, found = expected(kind, client), seen(client)[kind]
    assert "failure" not in found, found["failure"]
    if row["request"] == "not started":
        assert found["unstarted"]
        assert found["request"] is None
    else:
        check_request(found["request"], row)
        status = None if row["status"] == "unknown" else row["status"]
        assert (found["status"], found["stderr"]) == (status, row["stderr"])
    if row.get("events", []) == ["message +"]:
        assert [event for event, _ in found["events"]] == ["message"]
    else:
        assert [*events(found["events"])] == row.get("events", [])
    assert row["end"] in (found["end"] or "")
    assert bool(row["end"]) == bool(found["end"])
    assert {what: now for what, (_, now) in found["left"].items()} == {
        what: before for what, (before, _) in found["left"].items()
    }


@pytest.mark.parametrize("kind", DRAWN)
def test_all_clients_see_the_same_of_a_program_that_is_drawn(kind: str, seen: Callable[[Path], dict[str, Any]]) -> None:
    def view(client: Path) -> dict[str, Any]:
        found = seen(client)[kind]
        assert "failure" not in found, found["failure"]
        assert all(before == now for before, now in found["left"].values()), found["left"]
        outcome, status, stderr = (found["request"].get(key) for key in ("outcome", "status", "stderr"))
        request = (outcome, status, stderr or "")
        return {
            **{key: found[key] for key in ("events", "status", "stderr")},
            "request": request,
            "end": bool(found["end"]),
        }

    first, *others = map(view, CLIENTS)
    assert others == [first] * len(others)


@pytest.mark.parametrize("kind", [kind for kind, row in KINDS.items() if "differs" in row])
def test_each_difference_has_a_reason_and_is_one(kind: str) -> None:
    row = {"status": 0, "stderr": "", "end": "", **KINDS[kind]}
    for client, differs in row["differs"].items():
        assert client in map(name, CLIENTS)
        assert differs["because"]
        assert [key for key, value in differs.items() if row.get(key) == value] == []
