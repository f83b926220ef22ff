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

QUICK_READERS = [pytest.param(each, marks=pytest.mark.full if each.endswith(".rs") else ()) for each in READERS]
"""They, of which Rust's is left to `make test-all`, since it builds the crate once more."""

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
        (folder / "node_modules" / "agentlines").symlink_to(ROOT / "generated" / "typescript")
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


@pytest.mark.parametrize("program", QUICK_READERS)
def test_reading_a_session_prints_what_the_assistant_says_and_the_result(program: str, run: Run) -> None:
    out, err = run(program, lines=captured("api_retry_429_then_ok"))
    assert out.decode().splitlines() == ["Recovered."]
    assert err == ""


@pytest.mark.parametrize("program", QUICK_READERS)
def test_reading_the_session_that_the_readme_names_prints_what_the_readme_says(program: str, run: Run) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    called = re.escape(CALLED.get(program, program))
    shown = re.search(rf"^\$ [^\n]*{called} < (?:\.\./)?(\S+)\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert shown is not None
    out, err = run(program, lines=(ROOT / shown[1]).read_bytes())
    assert out.decode() == shown[2]
    assert err == ""


@pytest.mark.parametrize("program", QUICK_READERS)
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
    assert "newer than this package" not in err  # the spec describes the releases of all captures


# --- answer_requests.py ----------------------------------------------------------------------------------------

SETUP = {
    "type": "control_request",
    "request_id": "setup",
    "request": {"subtype": "initialize", "hooks": {"PreToolUse": [{"hookCallbackIds": ["before-tool"]}]}},
}

OFFER: dict[str, Any] = {
    "commands": [],
    "output_style": "default",
    "available_output_styles": [],
    "models": [{"value": name, "displayName": name, "description": ""} for name in ("default", "small")],
    "account": {},
}


def answers(run: Run, lines: bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """What the client answers to lines of the CLI, behind the lines that it begins with, and what it reports."""
    out, err = run("answer_requests.py", "Go on.", lines=lines)
    setup, prompt, *replies = map(json.loads, out.splitlines())
    assert setup == SETUP
    assert prompt.pop("uuid")
    assert prompt == {
        "type": "user",
        "session_id": "",
        "message": {"role": "user", "content": "Go on."},
        "parent_tool_use_id": None,
    }
    return replies, err.splitlines()


def ask(request_id: str, subtype: str, **members: object) -> dict[str, Any]:
    return {"type": "control_request", "request_id": request_id, "request": {"subtype": subtype, **members}}


def success(request_id: str, answer: dict[str, Any]) -> dict[str, Any]:
    response = {"subtype": "success", "request_id": request_id, "response": answer}
    return {"type": "control_response", "response": response}


def failure(request_id: str, error: str) -> dict[str, Any]:
    return {"type": "control_response", "response": {"subtype": "error", "request_id": request_id, "error": error}}


def ndjson(*lines: dict[str, Any]) -> bytes:
    return "\n".join(map(json.dumps, lines)).encode()


def call(tool: str, **given: object) -> dict[str, Any]:
    """A hook's input before a call of a tool."""
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": "/"}
    return {**event, "tool_name": tool, "tool_input": given, "tool_use_id": "t"}


def test_a_captured_command_is_refused_by_the_typed_form_of_its_input(run: Run) -> None:
    lines = captured("tool_perm_updates")
    [asked] = [line for line in map(json.loads, lines.splitlines()) if line["type"] == "control_request"]
    reason = f"Not without a person: {asked['request']['input']['command']}"
    replies, reports = answers(run, lines)
    assert replies == [success(asked["request_id"], {"behavior": "deny", "message": reason})]
    assert reports[0] == "deny Bash"


VERDICTS: list[tuple[str, dict[str, Any], str]] = [
    ("Bash", {"command": "pwd"}, "allow"),
    ("Bash", {"command": "pwd; make"}, "deny"),
    ("Read", {"file_path": "/a"}, "allow"),
    ("Write", {"file_path": "/a", "content": ""}, "deny"),
    ("mcp__std__echo", {"text": "hey"}, "deny"),
    ("Telepathy", {}, "deny"),
]


def test_tools_that_only_read_may_run_with_the_input_they_were_given(run: Run) -> None:
    requests = [
        ask(str(number), "can_use_tool", tool_name=tool, input=given, tool_use_id="toolu_1")
        for number, (tool, given, _) in enumerate(VERDICTS)
    ]
    replies, reports = answers(run, ndjson(*requests))
    payloads = [line["response"]["response"] for line in replies]
    assert [payload["behavior"] for payload in payloads] == [behavior for *_, behavior in VERDICTS]
    assert [payload.get("updatedInput") for payload in payloads] == [
        given if behavior == "allow" else None for _, given, behavior in VERDICTS
    ]
    assert reports == [f"{behavior} {tool}" for tool, _, behavior in VERDICTS]


def test_a_hook_denies_what_it_must_and_lets_the_rest_pass(run: Run) -> None:
    denied, passed = (
        ask(name, "hook_callback", callback_id="before-tool", input=call(name)) for name in ("WebFetch", "Read")
    )
    reason = {"permissionDecision": "deny", "permissionDecisionReason": "WebFetch needs a network."}
    replies, reports = answers(run, ndjson(denied, passed))
    assert replies == [
        success("WebFetch", {"hookSpecificOutput": {"hookEventName": "PreToolUse", **reason}}),
        success("Read", {}),
    ]
    assert reports == ["hook PreToolUse", "hook PreToolUse"]


def test_other_requests_are_refused(run: Run) -> None:
    foreign = ask("1", "hook_callback", callback_id="other", input=call("Read"))
    replies, reports = answers(run, ndjson(foreign, ask("2", "telepathy"), ask("3", "interrupt")))
    assert replies == [
        failure(number, f"This client does not handle {subtype}.")
        for number, subtype in (("1", "hook_callback"), ("2", "telepathy"), ("3", "interrupt"))
    ]
    assert reports == ["refuse hook_callback", "refuse telepathy", "refuse interrupt"]


def test_the_answer_to_the_setup_is_read_and_others_are_not_taken_for_it(run: Run) -> None:
    _, reports = answers(run, ndjson(failure("other", "no"), success("other", {}), success("setup", OFFER)))
    assert reports == ["models: default, small"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(failure("setup", "not today"), "not today"), (success("setup", {}), "missing_field at /commands")],
    ids=["refused", "malformed"],
)
def test_the_client_ends_if_the_session_cannot_be_set_up(
    answer: dict[str, Any], reason: str, command: Callable[[str], list[str]], environment: dict[str, str]
) -> None:
    words = command("answer_requests.py")
    done = subprocess.run(words, input=ndjson(answer), capture_output=True, check=False, env=environment)
    assert done.returncode == 1
    assert done.stderr.decode().startswith(f"the session cannot be set up: {reason}")


def test_every_captured_request_is_answered_once(run: Run) -> None:
    lines = all_lines(traffic.DESCRIBED)
    wanted = [line["request_id"] for line in map(json.loads, lines.split(b"\n")) if line["type"] == "control_request"]
    replies, _ = answers(run, lines)
    assert [line["response"]["request_id"] for line in replies] == wanted
    assert len(wanted) > 20


def test_an_answer_comes_before_the_next_line_is_there(
    command: Callable[[str], list[str]], environment: dict[str, str]
) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(command("answer_requests.py"), stdin=pipe, stdout=pipe, stderr=pipe, env=environment) as cli:
        assert cli.stdin is not None
        assert cli.stdout is not None
        assert json.loads(cli.stdout.readline()) == SETUP
        assert json.loads(cli.stdout.readline())["message"]["content"] == "Hello."
        for number in ("1", "2"):
            cli.stdin.write(ndjson(ask(number, "interrupt")) + b"\n")
            cli.stdin.flush()
            assert json.loads(cli.stdout.readline())["response"]["request_id"] == number
        cli.stdin.close()
        assert cli.wait() == 0


# --- write_session.py ------------------------------------------------------------------------------------------

ECHO = (sys.executable, "-c", "import sys; sys.stdout.write(sys.stdin.read())")


@pytest.mark.parametrize("receiver", [(), ("--", *ECHO)], ids=["standard output", "a child process"])
def test_a_session_is_written(receiver: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    image = tmp_path / "dot.png"
    image.write_bytes(b"\x89PNG")
    out, err = run("write_session.py", str(image), *receiver, lines=b"")
    lines = [json.loads(line) for line in out.splitlines()]
    assert err == ""
    assert [line.get("request", line.get("message")) for line in lines] == [
        {"subtype": "initialize", "systemPrompt": "Answer in one sentence."},
        {"subtype": "set_permission_mode", "mode": "plan"},
        {"subtype": "set_model", "model": None},
        {"role": "user", "content": "Which files are here?"},
        {
            "role": "user",
            "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}},
                {"type": "text", "text": "What does dot.png show?"},
            ],
        },
        {"subtype": "interrupt"},
    ]
    assert len({line.get("request_id", line.get("uuid")) for line in lines}) == len(lines)


# --- answer_permission.go --------------------------------------------------------------------------------------


def permissions(run: Run, name: str) -> tuple[list[dict[str, Any]], str]:
    out, err = run("answer_permission.go", "Go on.", lines=captured(name))
    return [json.loads(line) for line in out.splitlines()], err


def permission_requests(name: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in captured(name).splitlines() if line.strip()]
    return [line for line in found if line.get("request", {}).get("subtype") == "can_use_tool"]


def test_the_prompt_of_the_permission_client_comes_first(run: Run) -> None:
    [prompt, *_], _ = permissions(run, "tool_perm_updates")
    assert prompt.pop("uuid")
    assert prompt == {
        "type": "user",
        "session_id": "",
        "message": {"role": "user", "content": "Go on."},
        "parent_tool_use_id": None,
    }


def test_the_permission_client_refuses_a_command_by_its_typed_input(run: Run) -> None:
    [_, *replies], err = permissions(run, "tool_perm_updates")
    [request] = permission_requests("tool_perm_updates")
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


PERMISSIONS: list[tuple[str, dict[str, Any], str]] = [
    ("Bash", {"command": "pwd"}, "allow"),
    ("Bash", {"command": "pwd; make"}, "deny"),
    ("Read", {"file_path": "/a"}, "allow"),
    ("Write", {"file_path": "/a", "content": ""}, "deny"),
    ("mcp__std__echo", {"text": "hey"}, "deny"),
    ("Telepathy", {}, "deny"),
]


def test_the_permission_client_lets_tools_run_that_only_read(run: Run) -> None:
    lines = []
    for number, (tool, given, _) in enumerate(PERMISSIONS):
        request = {"subtype": "can_use_tool", "tool_name": tool, "input": given, "tool_use_id": "toolu_1"}
        lines.append(json.dumps({"type": "control_request", "request_id": str(number), "request": request}))
    out, err = run("answer_permission.go", lines="\n".join(lines).encode())
    payloads = [json.loads(line)["response"]["response"] for line in out.splitlines()[1:]]
    assert [payload["behavior"] for payload in payloads] == [behavior for *_, behavior in PERMISSIONS]
    assert [payload.get("updatedInput") for payload in payloads] == [
        given if behavior == "allow" else None for _, given, behavior in PERMISSIONS
    ]
    assert err.splitlines() == [f"{behavior}: {tool}" for tool, _, behavior in PERMISSIONS]


def test_every_captured_request_for_a_permission_is_answered_once(run: Run) -> None:
    lines = all_lines(traffic.DESCRIBED)
    requests = [line for line in map(json.loads, lines.split(b"\n")) if line["type"] == "control_request"]
    wanted = [line["request_id"] for line in requests if line["request"]["subtype"] == "can_use_tool"]
    out, _ = run("answer_permission.go", lines=lines)
    assert [json.loads(line)["response"]["request_id"] for line in out.splitlines()[1:]] == wanted
    assert len(wanted) > 10


# --- run_hook.go -----------------------------------------------------------------------------------------------

EVENT = {"session_id": "s1", "transcript_path": "/t", "cwd": "/"}
CALL = {**EVENT, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1"}
DENIED = {
    "hookEventName": "PreToolUse",
    "permissionDecision": "deny",
    "permissionDecisionReason": "No files are removed here.",
}

HOOKS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({**CALL, "tool_input": {"command": "rm -r /"}}, {"hookSpecificOutput": DENIED}),
    ({**CALL, "tool_input": {"command": "ls"}}, {"continue": True}),
    ({**EVENT, "hook_event_name": "Stop", "stop_hook_active": True}, {"continue": True}),
    (
        {**EVENT, "hook_event_name": "Stop", "stop_hook_active": False},
        {"decision": "block", "reason": "Run the tests first."},
    ),
    ({**EVENT, "hook_event_name": "of tomorrow"}, {"continue": True}),
]
"""What a hook is told, and what it says."""


@pytest.mark.parametrize(("event", "verdict"), HOOKS)
def test_a_hook_answers_its_event(event: dict[str, Any], verdict: dict[str, Any], run: Run) -> None:
    out, err = run("run_hook.go", lines=json.dumps(event).encode())
    assert json.loads(out) == verdict
    assert err.strip() == f"{event['hook_event_name']} in session s1"


# --- Rust: answer_requests.rs, run_cli.rs, write_options.rs ----------------------------------------------------


def test_the_rust_client_answers_every_request(run: Run) -> None:
    asked = permission_requests("tool_perm_updates")
    other = {"type": "control_request", "request_id": "r", "request": {"subtype": "interrupt"}}
    lines = captured("tool_perm_updates") + b"\n" + json.dumps(other).encode()
    out, err = run("answer_requests.rs", lines=lines)
    responses = [json.loads(line)["response"] for line in out.splitlines()]
    assert err == ""
    assert asked
    assert [each["request_id"] for each in responses] == [*(each["request_id"] for each in asked), "r"]
    assert {each["response"]["behavior"] for each in responses[:-1]} <= {"allow", "deny"}
    assert responses[-1]["error"] == "This client does not handle interrupt."


def test_the_rust_client_runs_a_child_process(run: Run) -> None:
    echo = "import sys; assert 'Hi.' in sys.stdin.readline(); print(open(sys.argv[1]).read())"
    session = CAPTURES / traffic.DESCRIBED / "allowed_disallowed.out.ndjson"
    out, err = run("run_cli.rs", "Hi.", sys.executable, "-c", echo, str(session), lines=b"")
    results = [json.loads(line) for line in captured("allowed_disallowed").splitlines() if line.strip()]
    ends = [each["result"] for each in results if each.get("subtype") == "success" and "result" in each]
    assert err == ""
    assert ends
    assert out.decode().splitlines()[-1] == ends[-1].splitlines()[-1]


def test_the_rust_client_writes_options(run: Run) -> None:
    out, err = run("write_options.rs", lines=b"")
    options = json.loads(out)
    assert (options["maxTurns"], options["continue"], options["systemPrompt"]) == (3, False, "Be brief.")
    assert err == ""
