"""The programs of `examples/`, run on captured sessions as users run them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import traffic
from sampling import in_turns, third

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
CAPTURES = ROOT / "tests" / "captures"


FENCES = {".py": "python", ".mjs": "js", ".go": "go", ".rs": "rust"}
"""By suffix of a program: the info string of a Markdown block in its language."""

CALLED = {"read_session.rs": "--bin read_session"}
"""The name of a program in the command that runs it, if it differs from the file name."""

PAGE = "docs/first-program.md"
READERS = sorted(path.name for path in EXAMPLES.glob("read_session.*"))
"""The same program in every language."""

TURN = third("examples in Rust")

Run = Callable[..., tuple[bytes, str]]


@pytest.fixture
def run(command: Callable[[Path], list[str]], environment: dict[str, str]) -> Run:
    """A function that runs a program on lines and returns its standard output and standard error."""

    def start(program: str, *arguments: str, lines: bytes) -> tuple[bytes, str]:
        words = [*command(EXAMPLES / program), *arguments]
        done = subprocess.run(words, input=lines, capture_output=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout, done.stderr.decode()

    return start


def captured(name: str) -> bytes:
    return (CAPTURES / traffic.DESCRIBED / f"{name}.out.ndjson").read_bytes()


def all_lines(version: str) -> bytes:
    """Return all output of the CLI of a version, in all sessions."""
    return b"\n".join(line for each in traffic.captures(version) for line in each.lines() if each.is_output)


# --- read_session.* --------------------------------------------------------------------------------------------


def test_the_same_session_is_read_in_every_language_that_has_codecs() -> None:
    assert READERS == ["read_session.go", "read_session.mjs", "read_session.py", "read_session.rs"]


@pytest.mark.parametrize("program", READERS)
def test_the_program_on_the_page_is_the_example(program: str) -> None:
    source = Path(program)
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{FENCES[source.suffix]}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert [block for block in blocks if "agentlines" in block] == [(EXAMPLES / program).read_text(encoding="utf-8")]


@pytest.mark.parametrize("program", in_turns(READERS, TURN))
def test_reading_a_session_prints_what_the_assistant_says_and_the_result(program: str, run: Run) -> None:
    out, err = run(program, lines=captured("api_retry_429_then_ok"))
    assert out.decode().splitlines() == ["Recovered."]
    assert err == ""


def test_the_readme_and_the_page_show_the_same_program_in_python() -> None:
    readme, page = ((ROOT / each).read_text(encoding="utf-8") for each in ("README.md", PAGE))
    start, end = "import sys\n\nimport agentlines as al\n", "From fallback.\n```\n"
    (shown,) = re.findall(rf"{re.escape(start)}.*?{re.escape(end)}", readme, re.DOTALL)
    assert shown in page


@pytest.mark.parametrize("program", in_turns(READERS, TURN))
def test_reading_the_session_that_the_page_names_prints_what_the_page_says(program: str, run: Run) -> None:
    readme = (ROOT / PAGE).read_text(encoding="utf-8")
    called = re.escape(CALLED.get(program, program))
    shown = re.search(rf"^\$ [^\n]*{called} < (?:\.\./)?(\S+)\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert shown is not None
    out, err = run(program, lines=(ROOT / shown[1]).read_bytes())
    assert out.decode() == shown[2]
    assert err == ""


@pytest.mark.parametrize("program", in_turns(READERS, TURN))
def test_reading_goes_on_behind_lines_that_are_bad_or_unknown(program: str, run: Run) -> None:
    lines = b'{"type": "telepathy"}\nnot JSON\n{"type": "assistant"}\n' + captured("api_retry_429_then_ok")
    out, err = run(program, lines=lines)
    assert out.decode().splitlines() == ["Recovered."]
    unknown, broken, incomplete = err.splitlines()
    assert re.fullmatch(r"newer than this package: \{.*type.*telepathy.*\}", unknown)
    assert re.match(r"line 2: .*\binvalid_json\b", broken)
    assert re.match(r"line 3: .*\bmissing_field\b", incomplete)


@pytest.mark.parametrize("program", in_turns(READERS, TURN))
@pytest.mark.parametrize("version", [traffic.DESCRIBED, traffic.NEWER])
def test_every_captured_line_can_be_read_in_one_session(version: str, program: str, run: Run) -> None:
    lines = all_lines(version)
    out, err = run(program, lines=lines)
    results = [line for line in map(json.loads, lines.split(b"\n")) if line.get("subtype") == "success"]
    assert results
    assert all(str(result["result"]) in out.decode() for result in results)
    assert not re.search(r"^line \d+:", err, re.MULTILINE)
    assert "newer than this package" not in err  # the spec describes the releases of all captures


# --- answer_requests.*, run_agent.* ----------------------------------------------------------------------------

ANSWERERS = in_turns([f"answer_requests{each}" for each in FENCES], TURN)
AGENTS = in_turns([f"run_agent{each}" for each in FENCES], TURN)

CLI = """
import json, sys
def hear():
    return json.loads(sys.stdin.readline())
def ask(subtype, **more):
    request = {"subtype": subtype, **more}
    print(json.dumps({"type": "control_request", "request_id": "1", "request": request}), flush=True)
    answer = hear()["response"]
    return answer.get("response", answer.get("error"))
def call(method, **more):
    message = {"jsonrpc": "2.0", "method": method, **more}
    found = ask("mcp_message", server_name="counter", message=message)
    return found["mcp_response"]["result"] if isinstance(found, dict) else found
def may(tool, given):
    return ask("can_use_tool", tool_name=tool, input=given, tool_use_id="t")
setup, prompt = hear()["request"], hear()["message"]["content"]
found = FOUND
with open(sys.argv[0] + ".json", "w") as out:
    json.dump([setup, prompt, sys.argv[1:], found], out)
print(LINES, flush=True)
list(sys.stdin)
"""
"""A fake CLI: it sends requests to its client, records the responses, and prints some lines."""

SESSION = CAPTURES / "0.2.37" / "api_fallback_model.out.ndjson"


def cli(folder: Path, found: str) -> Path:
    """Write a fake CLI, with an expression that sends requests and evaluates to the responses; return its path."""
    code = CLI.replace("FOUND", found).replace("LINES", repr(SESSION.read_text(encoding="utf-8").strip()))
    program = folder / "cli"
    program.write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
    program.chmod(0o755)
    return program


def noted(program: Path) -> Any:
    """Return what the fake CLI recorded: the setup, the prompt, its arguments, and the responses."""
    return json.loads(Path(f"{program}.json").read_text(encoding="utf-8"))


VERDICTS: list[tuple[str, dict[str, Any], str | None]] = [
    ("Read", {"file_path": "/a"}, None),
    ("Grep", {"pattern": "a"}, None),
    ("Bash", {"command": "make"}, "Not without a person: make"),
    ("Write", {"file_path": "/a", "content": ""}, "Write is not allowed here."),
    ("mcp__std__echo", {"text": "hey"}, "mcp__std__echo is not allowed here."),
    ("Telepathy", {}, "Telepathy is not allowed here."),
]
"""Tool calls, each with the reason for denying it, or None if it is allowed."""


@pytest.mark.parametrize("program", ANSWERERS)
def test_only_tools_that_read_may_run(program: str, run: Run, tmp_path: Path) -> None:
    peer = cli(tmp_path, f"[may(*each) for each in {[each[:2] for each in VERDICTS]!r}]")
    _, err = run(program, str(peer), "Go on.", lines=b"")
    _, prompt, arguments, found = noted(peer)
    assert prompt == "Go on."
    assert arguments[arguments.index("--permission-prompt-tool") + 1] == "stdio"
    assert found == [
        {"behavior": "allow", "updatedInput": given} if reason is None else {"behavior": "deny", "message": reason}
        for _, given, reason in VERDICTS
    ]
    assert err == "the turn ended: success\n"


@pytest.mark.parametrize("program", ANSWERERS)
def test_a_hook_denies_what_it_must_and_lets_the_rest_pass(program: str, run: Run, tmp_path: Path) -> None:
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": "/"}
    calls = [{**event, "tool_name": name, "tool_input": {}, "tool_use_id": "t"} for name in ("WebFetch", "Read")]
    registered = 'setup["hooks"]["PreToolUse"][0]["hookCallbackIds"][0]'
    peer = cli(tmp_path, f'[ask("hook_callback", callback_id={registered}, input=each) for each in {calls!r}]')
    run(program, str(peer), "Go on.", lines=b"")
    reason = {"permissionDecision": "deny", "permissionDecisionReason": "WebFetch needs a network."}
    assert noted(peer)[3] == [{"hookSpecificOutput": {"hookEventName": "PreToolUse", **reason}}, {}]


TOOL = """[
    call("initialize", id=0, params={})["serverInfo"]["name"],
    call("notifications/initialized"),
    [tool["name"] for tool in call("tools/list", id=1)["tools"]],
    call("tools/call", id=2, params={"name": "count", "arguments": {"text": "four"}})["content"],
    call("tools/drop", id=3),
]"""
PERMISSIONS = '[may(tool, {"text": "four"})["behavior"] for tool in ("mcp__counter__count", "Bash")]'


@pytest.mark.parametrize("program", AGENTS)
def test_an_agent_uses_the_tool_of_its_client_and_no_other(program: str, run: Run, tmp_path: Path) -> None:
    # without the option for permission prompts, only the tools that another option allows may run
    peer = cli(tmp_path, f'[{TOOL}, {PERMISSIONS} if "--permission-prompt-tool" in sys.argv else None]')
    out, err = run(program, str(peer), "How long?", lines=b"")
    setup, prompt, arguments, (told, allowed) = noted(peer)
    assert (setup["sdkMcpServers"], prompt) == (["counter"], "How long?")
    refusal = "this server does not handle tools/drop with these parameters"
    assert told == ["own", {}, ["count"], [{"type": "text", "text": "4"}], refusal]
    if allowed is None:
        assert arguments[arguments.index("--allowedTools") + 1] == "mcp__counter__count"
    else:
        assert allowed == ["allow", "deny"]
    assert out.decode().strip().endswith("From fallback.")
    assert err == "the turn ended: success\n"


@pytest.mark.parametrize("program", ["read_session", "answer_requests", "run_agent"])
@pytest.mark.parametrize("suffix", [".go", ".mjs", ".py", ".rs"])
def test_a_program_has_less_than_60_lines_of_code(program: str, suffix: str) -> None:
    lines = (EXAMPLES / f"{program}{suffix}").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if not re.match(r"\s*(//|/?\*|$)", line)]) < 60


@pytest.mark.parametrize("program", [*ANSWERERS, *AGENTS])
def test_the_page_names_the_program(program: str) -> None:
    assert f"](../examples/{program})" in (ROOT / PAGE).read_text(encoding="utf-8")


def test_the_readme_of_the_crate_shows_the_agent() -> None:
    readme = (ROOT / "generated" / "rust" / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```rust,no_run\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert (EXAMPLES / "run_agent.rs").read_text(encoding="utf-8") in blocks


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
        {"subtype": "initialize", "systemPrompt": ["Answer in one sentence."]},
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
"""The input of a hook, and its output."""


@pytest.mark.parametrize(("event", "verdict"), HOOKS)
def test_a_hook_answers_its_event(event: dict[str, Any], verdict: dict[str, Any], run: Run) -> None:
    out, err = run("run_hook.go", lines=json.dumps(event).encode())
    assert json.loads(out) == verdict
    assert err.strip() == f"{event['hook_event_name']} in session s1"


# --- run_cli.rs, write_options.rs -------------------------------------------------------------------------------


@TURN
def test_the_rust_client_runs_a_child_process(run: Run) -> None:
    echo = "import sys; assert 'Hi.' in sys.stdin.readline(); print(open(sys.argv[1]).read())"
    session = CAPTURES / traffic.DESCRIBED / "allowed_disallowed.out.ndjson"
    out, err = run("run_cli.rs", "Hi.", sys.executable, "-c", echo, str(session), lines=b"")
    results = [json.loads(line) for line in captured("allowed_disallowed").splitlines() if line.strip()]
    ends = [each["result"] for each in results if each.get("subtype") == "success" and "result" in each]
    assert err == ""
    assert ends
    assert out.decode().splitlines()[-1] == ends[-1].splitlines()[-1]


@TURN
def test_the_rust_client_writes_options(run: Run) -> None:
    out, err = run("write_options.rs", lines=b"")
    options = json.loads(out)
    assert (options["maxTurns"], options["continue"], options["systemPrompt"]) == (3, False, "Be brief.")
    assert err == ""
