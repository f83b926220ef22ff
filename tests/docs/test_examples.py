"""The programs of `examples/`, run on captured sessions the way their users run them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import toolchain
import traffic
from crates import workspace

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
CAPTURES = ROOT / "tests" / "captures"


FENCES = {".py": "python", ".mjs": "js", ".go": "go", ".rs": "rust"}
"""By suffix of a program: what a block of its language begins with in Markdown."""

CALLED = {"read_session.rs": "--bin read_session"}
"""What a program is called in the command that runs it, where that is not the name of its file."""

READERS = sorted(path.name for path in EXAMPLES.glob("read_session.*"))
"""One program, in every language."""

Run = Callable[..., tuple[bytes, str]]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """That of a user who has the package; what Python compiles is kept for the next run, and out of the checkout."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    package, compiled = ROOT / "generated" / "python", tmp_path_factory.mktemp("compiled")
    return {**kept, "PYTHONPATH": str(package), "PYTHONPYCACHEPREFIX": str(compiled), "PYTHONUTF8": "1"}


@pytest.fixture(scope="session")
def command(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[str]]:
    """The words that start a program, in whatever language it is."""

    def python(program: str) -> list[str]:
        return [sys.executable, str(EXAMPLES / program)]

    def javascript(program: str) -> list[str]:
        node: toolchain.Toolchain = request.getfixturevalue("node")
        folder = tmp_path_factory.mktemp("javascript")
        (folder / "node_modules").mkdir()
        (folder / "node_modules" / "agentproto").symlink_to(ROOT / "generated" / "typescript")
        return node.command("node", shutil.copy(EXAMPLES / program, folder))

    def golang(program: str) -> list[str]:
        go: toolchain.Toolchain = request.getfixturevalue("go")
        built = tmp_path_factory.mktemp("go") / Path(program).stem
        done = go.run("go", "build", "-o", built, program, cwd=EXAMPLES)
        assert done.returncode == 0, done.stderr
        return [str(built)]

    def rust(program: str) -> list[str]:
        cargo: toolchain.Toolchain = request.getfixturevalue("rust")
        name, folder = Path(program).stem, tmp_path_factory.mktemp("rust")
        targets = ("--bin", name, "--test", "suite")  # with which the crate is built as its tests need it, and once
        done = cargo.run("cargo", "build", "--offline", "--workspace", *targets, cwd=workspace(cargo))
        assert done.returncode == 0, done.stderr
        return [shutil.copy(Path(cargo.variables["CARGO_TARGET_DIR"], "debug", name), folder)]

    starts = {".py": python, ".mjs": javascript, ".go": golang, ".rs": rust}
    return cache(lambda program: starts[Path(program).suffix](program))


@pytest.fixture
def run(command: Callable[[str], list[str]], environment: dict[str, str]) -> Run:
    """Runs a program on lines; gives what it writes to standard output and to standard error."""

    def start(program: str, *arguments: str, lines: bytes) -> tuple[bytes, str]:
        words = [*command(program), *arguments]
        done = subprocess.run(words, input=lines, capture_output=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout, done.stderr.decode()

    return start


def captured(name: str) -> bytes:
    return (CAPTURES / traffic.DESCRIBED / f"{name}.out.ndjson").read_bytes()


def all_lines(version: str) -> bytes:
    """Everything that the CLI of a version wrote in any session."""
    return b"\n".join(line for each in traffic.captures(version) for line in each.lines() if each.is_output)


# --- read_session.* --------------------------------------------------------------------------------------------


def test_the_same_session_is_read_in_every_language_that_has_codecs() -> None:
    assert READERS == ["read_session.go", "read_session.mjs", "read_session.py", "read_session.rs"]


@pytest.mark.parametrize("program", READERS)
def test_the_program_in_the_readme_is_the_example(program: str) -> None:
    source = Path(program)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{FENCES[source.suffix]}\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert blocks == [(EXAMPLES / program).read_text(encoding="utf-8")]


@pytest.mark.parametrize("program", READERS)
def test_reading_a_session_prints_what_the_assistant_says_and_the_result(program: str, run: Run) -> None:
    out, err = run(program, lines=captured("api_retry_429_then_ok"))
    assert out.decode().splitlines() == ["Recovered."]
    assert err == ""


@pytest.mark.parametrize("program", READERS)
def test_reading_the_session_that_the_readme_names_prints_what_the_readme_says(program: str, run: Run) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    called = re.escape(CALLED.get(program, program))
    shown = re.search(rf"^\$ [^\n]*{called} < (?:\.\./)?(\S+)\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert shown is not None
    out, err = run(program, lines=(ROOT / shown[1]).read_bytes())
    assert out.decode() == shown[2]
    assert err == ""


@pytest.mark.parametrize("program", READERS)
def test_reading_goes_on_behind_lines_that_are_bad_or_unknown(program: str, run: Run) -> None:
    lines = b'{"type": "telepathy"}\nnot JSON\n{"type": "assistant"}\n' + captured("api_retry_429_then_ok")
    out, err = run(program, lines=lines)
    assert out.decode().splitlines() == ["Recovered."]
    unknown, broken, incomplete = err.splitlines()
    assert re.fullmatch(r"newer than this package: \{.*type.*telepathy.*\}", unknown)
    assert re.match(r"line 2: .*\binvalid_json\b", broken)
    assert re.match(r"line 3: .*\bmissing_field\b", incomplete)


@pytest.mark.parametrize("program", READERS)
@pytest.mark.parametrize("version", [traffic.DESCRIBED, traffic.NEWER])
def test_every_captured_line_can_be_read_in_one_session(version: str, program: str, run: Run) -> None:
    lines = all_lines(version)
    out, err = run(program, lines=lines)
    results = [line for line in map(json.loads, lines.split(b"\n")) if line.get("subtype") == "success"]
    assert results
    assert all(str(result["result"]) in out.decode() for result in results)
    assert not re.search(r"^line \d+:", err, re.MULTILINE)
    assert ("newer than this package" in err) == (version == traffic.NEWER)


# --- answer_permission.py --------------------------------------------------------------------------------------


def answers(run: Run, name: str) -> tuple[list[dict[str, Any]], str]:
    out, err = run("answer_permission.py", "Go on.", lines=captured(name))
    return [json.loads(line) for line in out.splitlines()], err


def asked(name: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in captured(name).splitlines() if line.strip()]
    return [line for line in found if line.get("request", {}).get("subtype") == "can_use_tool"]


def test_the_prompt_comes_first_and_is_a_line_that_the_cli_reads(run: Run) -> None:
    [prompt, *_], _ = answers(run, "tool_perm_updates")
    assert prompt.pop("uuid")
    assert prompt == {
        "type": "user",
        "session_id": "",
        "message": {"role": "user", "content": "Go on."},
        "parent_tool_use_id": None,
    }


def test_a_command_is_refused_by_the_typed_form_of_its_input(run: Run) -> None:
    [_, *replies], err = answers(run, "tool_perm_updates")
    [request] = asked("tool_perm_updates")
    command = request["request"]["input"]["command"]
    assert replies == [
        {
            "type": "control_response",
            "response": {
                "subtype": "success",
                "request_id": request["request_id"],
                "response": {"behavior": "deny", "message": f"Not without a person: {command}"},
            },
        }
    ]
    assert err.splitlines()[0] == "deny: Bash"


VERDICTS: list[tuple[str, dict[str, Any], str]] = [
    ("Bash", {"command": "pwd"}, "allow"),
    ("Bash", {"command": "pwd; make"}, "deny"),
    ("Read", {"file_path": "/a"}, "allow"),
    ("Write", {"file_path": "/a", "content": ""}, "deny"),
    ("mcp__std__echo", {"text": "hey"}, "deny"),
    ("Telepathy", {}, "deny"),
]


def test_tools_that_only_read_may_run_with_the_input_they_were_given(run: Run) -> None:
    lines = []
    for number, (tool, given, _) in enumerate(VERDICTS):
        request = {"subtype": "can_use_tool", "tool_name": tool, "input": given, "tool_use_id": "toolu_1"}
        lines.append(json.dumps({"type": "control_request", "request_id": str(number), "request": request}))
    out, err = run("answer_permission.py", lines="\n".join(lines).encode())
    payloads = [json.loads(line)["response"]["response"] for line in out.splitlines()[1:]]
    assert [payload["behavior"] for payload in payloads] == [behavior for *_, behavior in VERDICTS]
    assert [payload.get("updatedInput") for payload in payloads] == [
        given if behavior == "allow" else None for _, given, behavior in VERDICTS
    ]
    assert err.splitlines() == [f"{behavior}: {tool}" for tool, _, behavior in VERDICTS]


def test_every_captured_request_for_a_permission_is_answered_once(run: Run) -> None:
    lines = all_lines(traffic.DESCRIBED)
    requests = [line for line in map(json.loads, lines.split(b"\n")) if line["type"] == "control_request"]
    wanted = [line["request_id"] for line in requests if line["request"]["subtype"] == "can_use_tool"]
    out, _ = run("answer_permission.py", lines=lines)
    assert [json.loads(line)["response"]["request_id"] for line in out.splitlines()[1:]] == wanted
    assert len(wanted) > 10
