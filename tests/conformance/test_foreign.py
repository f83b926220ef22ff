"""The testees for third-party ports: their claims, unsupported messages, and behaviour if they cannot run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from corpora import PROTOCOLS
from polywire.conformance.process import CannotRunError, Clock, Session
from polywire.conformance.testee import Workshop, declared
from sampling import turn

pytestmark = turn("ports by others")

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = ROOT / "tests" / "conformance" / "foreign"
TESTEES = {testee.name: testee for testee in declared(FOREIGN / "testees.toml")}
CANNOT_RUN = 77

UUID = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"


def user(**members: object) -> dict[str, object]:
    message = {"role": "user", "content": "hi"}
    return {"type": "user", "message": message, "parent_tool_use_id": None, "session_id": UUID, **members}


Said = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def said() -> Iterator[Said]:
    """A function that returns a testee's description and its answers to decode requests; each testee starts once."""
    sessions: dict[str, tuple[dict[str, Any], Session]] = {}

    def start(name: str) -> tuple[dict[str, Any], Session]:
        testee = TESTEES[name]
        with Workshop(ROOT) as workshop:
            command = workshop.command(testee, PROTOCOLS.default)
        try:
            session = Session(command, folder=ROOT, clock=Clock(60), startup=testee.startup)
            return session.describe(), session
        except CannotRunError as error:
            pytest.skip(f"{name} cannot run here: {error}")

    def asked(name: str, *values: object) -> list[dict[str, Any]]:
        if name not in sessions:
            sessions[name] = start(name)
        described, session = sessions[name]
        request = {"op": "decode", "type": "WireMessage", "mode": "lenient"}
        replies = session.ask([{**request, "json": json.dumps(value)} for value in values])
        return [described, *[reply for reply in replies if isinstance(reply, dict)]]

    yield asked
    for _, session in sessions.values():
        session.close()
        assert session.problems == []


@pytest.mark.parametrize("name", TESTEES)
def test_a_port_claims_to_read_messages_in_the_one_way_that_it_has(name: str, said: Said) -> None:
    (described,) = said(name)
    assert described["types"] == ["SDKMessage", "StdoutMessage", "WireMessage"]
    assert (described["modes"], described["ops"]) == (["lenient"], ["decode"])
    assert described["version"].startswith(f"{name} ")


@pytest.mark.parametrize("name", TESTEES)
@pytest.mark.parametrize("value", [{"type": "keep_alive"}, {"type": "update_environment_variables", "variables": {}}])
def test_a_message_that_a_port_has_no_class_for_is_none_that_it_claims(name: str, value: object, said: Said) -> None:
    _, answer = said(name, value)
    assert answer["unsupported"].endswith(value["type"])  # type: ignore[index]


@pytest.mark.parametrize("name", TESTEES)
def test_a_message_that_a_port_has_a_class_for_is_of_its_declared_type(name: str, said: Said) -> None:
    result = {"type": "result", "is_error": True, "duration_ms": 1, "duration_api_ms": 1, "num_turns": 1}
    result |= {"session_id": UUID, "total_cost_usd": 0.1, "subtype": "error_max_turns"}
    hook = {"hook_id": "h", "hook_name": "n", "hook_event": "Stop", "uuid": UUID, "session_id": UUID}
    hook |= {"type": "system", "subtype": "hook_started"}
    event = {"type": "stream_event", "event": {}, "uuid": UUID, "session_id": UUID, "parent_tool_use_id": None}
    _, *answers = said(name, result, hook, event, {"type": "system", "subtype": "later"})
    found = [answer.get("variant", answer.get("unsupported")) for answer in answers]
    nothing = "nulls and empty collections need not come back"
    assert found == [
        "ResultError" if name == "claude-agent-sdk" else nothing,
        "HookStartedMessage",
        "PartialAssistantMessage",
        "Unknown",
    ]


@pytest.mark.parametrize("name", TESTEES)
def test_the_places_that_a_port_gives_a_type_to_are_those_of_its_fields_that_are_there(name: str, said: Said) -> None:
    block = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
    message = {"id": "m", "role": "assistant", "model": "m", "content": [block], "stop_reason": "end_turn"}
    _, answer = said(name, {"type": "assistant", "message": message, "session_id": UUID, "new": 1})
    places = set(answer["typed"])
    assert places >= {"", "/type", "/session_id", "/message/model", "/message/content/0/name"}
    assert places & {"/new", "/uuid", "/error", "/message/content/1"} == set()


def test_what_the_sdk_only_hands_on_has_no_type(said: Said) -> None:
    _, init, event = said(
        "claude-agent-sdk",
        {"type": "system", "subtype": "init", "cwd": 7},
        {"type": "stream_event", "event": {"type": 7}, "uuid": UUID, "session_id": UUID},
    )
    assert (init["variant"], init["typed"]) == ("SystemInitMessage", ["", "/type", "/subtype"])
    assert event["typed"] == ["", "/type", "/uuid", "/session_id", "/event"]


def test_what_the_crate_reads_as_a_uuid_must_be_one_before_it_is_held_to_anything(said: Said) -> None:
    _, uuid, text = said("claude-codes", user(), user(session_id="s"))
    assert uuid["variant"] == "UserMessage"
    assert text == {"id": text["id"], "unsupported": "a session id that is no UUID"}


def test_a_port_that_is_not_installed_is_said_to_be_missing() -> None:
    words = [sys.executable, "-S", FOREIGN / "claude_agent_sdk.py"]
    done = subprocess.run(words, input="", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (CANNOT_RUN, "claude-agent-sdk is not installed\n")


def test_a_port_that_cannot_be_built_is_said_to_be_missing(tmp_path: Path) -> None:
    words = [sys.executable, FOREIGN / "claude_codes" / "run.py"]
    environment = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run(words, input="", capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (CANNOT_RUN, "there is no cargo\n")
