"""Functions in the options are called: one script for the clients of all languages, which have the same functions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sampling import in_turns, third

HERE = Path(__file__).resolve().parent
RUST = HERE.parent / "live" / "drivers" / "rust" / "src" / "bin" / "functions.rs"
CLIENTS = in_turns([*(HERE / f"client.{each}" for each in ("py", "mjs", "go")), RUST], third("functions in Rust"))


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"subtype": "can_use_tool", "tool_name": name, "input": {"a": [1, None]}, "tool_use_id": "t", **more}


def hooked(number: int, **more: Any) -> dict[str, Any]:
    where = {"session_id": "s", "transcript_path": "/t", "cwd": "/"}
    given = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "tool_use_id": "t", **where}
    return {"subtype": "hook_callback", "hook": number, "input": given, **more}


def mcp(server: str, **message: Any) -> dict[str, Any]:
    return {"subtype": "mcp_message", "server_name": server, "message": {"jsonrpc": "2.0", "method": "m", **message}}


def served(id_: Any, result: Any) -> dict[str, Any]:
    return {"mcp_response": {"jsonrpc": "2.0", "id": id_, "result": result}}


DIALOG = {"subtype": "request_user_dialog", "dialog_kind": "d", "payload": {}}

STEPS: list[tuple[Any, Any]] = [
    (tool("Bash"), {"behavior": "allow", "updatedInput": {"a": [1, None]}}),
    (tool("Write"), {"behavior": "allow", "updatedInput": {}}),
    (tool("Deny"), {"behavior": "deny", "message": "no"}),
    (tool("Raise"), "broken"),
    (hooked(2), {"systemMessage": "2 none"}),
    (hooked(0, tool_use_id="u"), {"systemMessage": "0 u"}),
    (hooked(1, tool_use_id="v"), {"systemMessage": "1 v"}),
    ({**hooked(0), "hook": 0, "input": {"hook_event_name": "New"}}, {"systemMessage": "0 none"}),
    (mcp("second", id=7), served(7, {"server": "second"})),
    (mcp("first", id="x"), served("x", {"server": "first"})),
    (mcp("first"), served(0, {})),
    (mcp("third", id=1), 'no function has the id "third"'),
    ({"subtype": "elicitation", "mcp_server_name": "first", "message": "?"}, {"action": "decline"}),
    (DIALOG, {"behavior": "cancelled"}),
]
"""Requests of the CLI, each with what the client answers: the result, or the reason of a refusal."""

CANCELLED: list[Any] = [{**tool("Wait"), "wait": False}, "cancel", tool("Deny")]


@pytest.fixture
def peer(tmp_path: Path) -> Path:
    """The path of the fake CLI as a program."""
    program = tmp_path / "cli"
    program.write_text(f"#!{sys.executable}\n{(HERE / 'peer.py').read_text(encoding='utf-8')}", encoding="utf-8")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("client", CLIENTS, ids=lambda path: path.suffix[1:])
def test_functions_in_options_answer_the_requests_they_are_for(
    client: Path, peer: Path, command: Callable[[Path], list[str]], environment: dict[str, str], tmp_path: Path
) -> None:
    script = tmp_path / "script.json"
    cancelled = CANCELLED if client.suffix != ".go" else []  # the type of this function in Go has no context
    script.write_text(json.dumps([*(step for step, _ in STEPS), *cancelled]), encoding="utf-8")
    done = subprocess.run(
        [*command(client), str(peer)],
        capture_output=True,
        check=False,
        env={**environment, "PEER_SCRIPT": str(script), "PATH": os.environ["PATH"]},
        text=True,
    )
    assert done.returncode == 0, done.stderr
    arguments, answers = json.loads((tmp_path / "script.answers").read_text(encoding="utf-8"))
    assert arguments[arguments.index("--permission-prompt-tool") + 1] == "stdio"
    assert answers[: len(STEPS)] == [answer for _, answer in STEPS]
    assert answers[len(STEPS) :] == ([None, {"behavior": "deny", "message": "no"}] if cancelled else [])
    assert json.loads(done.stdout) == {
        "failed": ["broken", 'no function has the id "third"'],
        "stderr": "hello\n",
        "others": 0,
    }
