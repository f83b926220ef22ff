"""Sessions with the real CLI of the oldest and the newest release, on loopback, driven in every language.

`make test-all` runs all scenarios in one language with one release, and some in each other language with the other
release, chosen by `SEED`; `make test-live` and `make test-nightly` run all of them.

The programs in `drivers/` start the CLI from options and forward the events of its session. The package must report
nothing in the traffic as unknown, and a package of the same release must decode all of it in strict mode.
"""

from __future__ import annotations

import asyncio
import atexit
import importlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

import projected
import toolchain
from crates import workspace
from live.driver import GENERATED, Answer, Driver, Json
from live.messages_api import Fail, Hang, Say, Service, Use, service
from native_tables import native_rows
from sampling import sample

pytestmark = pytest.mark.full

LIMIT = 600
"""The timeout of a scenario in seconds. The first answer has taken 45 on a busy machine; only a hang takes longer."""

CLIS = {
    "0.2.33": toolchain.NODE_PACKAGES / "node_modules/@anthropic-ai/claude-agent-sdk/cli.js",
    "0.3.333": toolchain.ROOT / "tests/live/node_modules/@anthropic-ai/claude-agent-sdk-linux-x64/claude",
}
"""Release → the program of the CLI, for the oldest and the newest release that the spec describes."""

OLDEST, NEWEST = CLIS

OTHERS = {
    folder.name: program
    for folder in sorted(Path(os.environ["LIVE_CLIS"]).iterdir() if "LIVE_CLIS" in os.environ else ())
    for program in folder.glob("node_modules/@anthropic-ai/claude-agent-sdk*/cl*")
    if program.name in {"cli.js", "claude"}
}
"""Other releases, if `LIVE_CLIS` is a folder with a folder for each, in which npm has installed its CLI."""

DRIVERS = Path(__file__).parent / "drivers"

QUIET = {
    "ANTHROPIC_API_KEY": "any",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_MAX_RETRIES": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "IS_SANDBOX": "1",
}


@dataclass(frozen=True)
class Cli:
    """A release of the CLI, the command of the program that drives it, and the folder of the test."""

    release: str
    command: list[str]
    node: toolchain.Toolchain
    folder: Path

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def program(self) -> Path:
        return (CLIS | OTHERS)[self.release]

    @property
    def like(self) -> str:
        """The oldest or the newest release: which of them this one is expected to behave like."""
        return OLDEST if self.release == OLDEST or (self.release in OTHERS and self.program.suffix == ".js") else NEWEST

    @asynccontextmanager
    async def started(
        self,
        api: Service,
        answers: Mapping[str, Answer] | None = None,
        hooks: tuple[str, ...] = (),
        env: Mapping[str, str] | None = None,
        **options: Any,
    ) -> AsyncIterator[Driver]:
        """Start the CLI with a service; after the block, it must exit normally, and nothing it sent may be unknown."""
        home = str(self.folder / "home")
        folders = {"HOME": home, "CLAUDE_CONFIG_DIR": home, "TMPDIR": str(self.folder)}
        asked = {
            "cwd": str(self.work),
            "env": {"PATH": os.environ["PATH"], **QUIET, **folders, "ANTHROPIC_BASE_URL": api.url, **(env or {})},
            "permissionMode": "default",
            "settingSources": [],
            "pathToClaudeCodeExecutable": str(self.program),
            **options,
        }
        script = self.program.suffix == ".js"
        begin = {
            "options": {**asked, "executable": "node"} if script else asked,
            "hooks": dict.fromkeys(hooks, 1),
            "release": self.release,
            "program": str(self.node.folder / "node") if script else str(self.program),
        }
        driver = await Driver.start(self.command, begin, answers or {})
        yield driver
        closed = await driver.close()
        assert closed["closed"] in (0, 1), closed
        read_stored(Path(home) / "projects", projected.python(self.release))
        assert driver.unknown == []
        read_strictly(driver, projected.python(self.release))


def read_strictly(driver: Driver, package: Any) -> None:
    """Decode everything that the CLI sent with a package of its release: messages, requests, answers, tool calls."""
    tools: dict[str, str] = {}
    for message in driver.messages:
        package.decode(json.dumps(message), strict=True)
        for entry in message["entries"] if message["type"] == "transcript_mirror" else ():
            package.decode(json.dumps(entry), package.TranscriptEntry, strict=True)
        for block in blocks(message):
            if block["type"] == "tool_use":
                tools[block["id"]] = block["name"]
                package.tool_input(block["name"], block["input"], strict=True)
            elif block["type"] == "tool_result" and not block.get("is_error") and "tool_use_result" in message:
                package.tool_output(tools[block["tool_use_id"]], message["tool_use_result"], strict=True)
    for payload in driver.asked:
        envelope("control_request", package, request_id="1", request=payload)
    for payload, result in driver.answered:
        response = {"subtype": "success", "request_id": "1", **({} if result is None else {"response": result})}
        package.decode_response(
            envelope("control_request", package, request_id="1", request=payload),
            envelope("control_response", package, response=response),
            strict=True,
        )


def read_stored(projects: Path, package: Any) -> None:
    """Decode what the CLI stored of the session with a package of its release."""
    for path in projects.rglob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            entry = package.decode(line, package.TranscriptEntry, strict=True)
            assert json.loads(package.encode(entry)) == json.loads(line)
    for path in projects.rglob("*.meta.json"):
        package.decode(path.read_bytes(), package.SubagentMetadata, strict=True)
    read_tables(sorted(projects.rglob("*.jsonl")), importlib.import_module(f"{package.__name__}.tables")._TABLES)


def read_tables(files: list[Path], tables: Any) -> None:
    """Read the tables of sessions with and without the extension: every line is an entry, and nothing is a problem."""
    root = next(iter(tables._description["roots"]))
    rows = [*tables.rows(tables.names, files, root)]
    native = [*native_rows(tables._description, tables.names, files, root, leave=False)]
    assert sorted(native, key=repr) == sorted(rows, key=repr)
    lines = [(str(path), number) for path in files for number, _ in enumerate(path.read_bytes().splitlines(), 1)]
    assert [row[:2] for name, row in rows if name == "entries"] == lines
    assert [row for name, row in rows if name == "problems"] == []


def blocks(message: Json) -> list[Json]:
    """Return the content blocks of a message of or to the model; none if it is another message or a single text."""
    whole = message.get("message")
    content = whole.get("content") if isinstance(whole, dict) else None
    return content if isinstance(content, list) else []


def envelope(type_: str, package: Any, **members: Any) -> Any:
    return package.decode(json.dumps({"type": type_, **members}), strict=True)


LANGUAGES = ("go", "python", "python-threads", "rust", "typescript")


def scratch() -> Path:
    """Create a folder that is removed when the tests end."""
    folder = Path(tempfile.mkdtemp(prefix="live-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def program(language: str) -> list[str]:
    """Return the command that drives the CLI in a language, and build its program if necessary."""
    match language:
        case "go":
            go = toolchain.if_prepared(toolchain.go(), "go")
            if go is None:
                pytest.skip("Go is missing")
            built = scratch() / "live"
            done = go.run("go", "build", "-o", built, ".", cwd=DRIVERS / "go")
            assert done.returncode == 0, done.stderr
            return [str(built)]
        case "python" | "python-threads":
            return [sys.executable, str(DRIVERS / f"{language.replace('-', '_')}.py")]
        case "rust":
            rust = toolchain.if_prepared(toolchain.rust(), "rust")
            if rust is None:
                pytest.skip("Rust is missing")
            targets = ("--bin", "live", "--test", "suite")  # with the suite, so that the crate is built once for both
            done = rust.run("cargo", "build", "--offline", "--workspace", *targets, cwd=workspace(rust))
            assert done.returncode == 0, done.stderr
            return [shutil.copy(Path(rust.variables["CARGO_TARGET_DIR"], "debug", "live"), scratch())]
        case "typescript":
            node = toolchain.node_packages()
            if node is None:
                pytest.skip("Node, or what npm is to fetch, is missing")
            return [*node.command("node"), str(DRIVERS / "typescript.mjs"), str(GENERATED / "typescript")]
        case _:
            raise AssertionError(language)


MAIN = sample(LANGUAGES, 1, "language")
"""The languages that run all scenarios, with the releases in `MAIN_RELEASES`; the others run some, with the rest."""

MAIN_RELEASES = sample([*CLIS], 1, "release")

SOME = 2
"""How many scenarios each of the other languages runs."""

ONLY_NEWEST = {"test_hooks_see_what_changes_around_a_session", "test_what_is_stored_is_mirrored"}
"""Scenarios with events or messages that the oldest release does not have."""


def runs_of(scenario: str, scenarios: Sequence[str]) -> list[tuple[str, str]]:
    """Return the languages and releases with which a scenario runs.

    Together, all scenarios, all languages and both releases run every time.
    """
    if OTHERS:
        return [("python", release) for release in OTHERS]
    possible = [NEWEST] if scenario in ONLY_NEWEST else [*CLIS]
    main = [release for release in possible if release in MAIN_RELEASES] or possible
    rest = [release for release in possible if release not in MAIN_RELEASES] or possible
    runs = {language: rest if scenario in sample(scenarios, SOME, language) else [] for language in LANGUAGES}
    return [(language, release) for language in LANGUAGES for release in (main if language in MAIN else runs[language])]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the languages and releases of a scenario."""
    if "cli" in metafunc.fixturenames:
        functions = {name: each for name, each in vars(metafunc.module).items() if name.startswith("test_")}
        scenarios = [name for name, each in functions.items() if "cli" in signature(each).parameters]
        runs = runs_of(metafunc.function.__name__, scenarios)
        metafunc.parametrize("cli", runs, indirect=True, ids=["-".join(each) for each in runs])


@pytest.fixture
def cli(request: pytest.FixtureRequest, tmp_path: Path) -> Cli:
    """The CLI of a release, driven in a language, in a new git repository."""
    language, release = request.param
    node = toolchain.node_packages()
    if node is None or not (CLIS | OTHERS)[release].is_file():
        pytest.skip("npm could not bring the packages with the CLI; `make .venv/node-all.stamp` says why")
    made = Cli(release, program(language), node, tmp_path)
    for folder in ("work", "home"):
        (tmp_path / folder).mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=made.work, check=True)
    return made


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, LIMIT))


def allow(request: Json) -> Json:
    return {"behavior": "allow", "updatedInput": request["input"]}


def test_a_prompt_is_answered_with_events_as_they_come(cli: Cli) -> None:
    async def scenario() -> None:
        with service(Say("Hello there.")) as api:
            async with cli.started(api, includePartialMessages=True) as driver:
                result = await driver.turn("Say hello.")
        assert (result["subtype"], result["result"], result["is_error"]) == ("success", "Hello there.", False)
        assert driver.texts() == ["Hello there."]
        events = [each["event"]["type"] for each in driver.of("stream_event")]
        assert (events[0], events[-1]) == ("message_start", "message_stop")
        (init,) = driver.of("system", "init")
        assert init["claude_code_version"] == {OLDEST: "2.1.33", NEWEST: "2.1.333"}[cli.like]

    run(scenario())


def test_what_is_stored_is_mirrored(cli: Cli) -> None:
    mirrors: list[Json] = []

    async def scenario() -> None:
        with service(Say("Hello there.")) as api:
            async with cli.started(api, extraArgs={"session-mirror": None}) as driver:
                await driver.turn("Say hello.")
        mirrors.extend(driver.of("transcript_mirror"))

    run(scenario())
    (path,) = {mirror["filePath"] for mirror in mirrors}
    stored = [json.loads(line) for line in Path(path).read_bytes().splitlines()]
    mirrored = [entry for mirror in mirrors for entry in mirror["entries"]]
    assert {"user", "assistant"} <= {entry["type"] for entry in mirrored}
    assert [entry for entry in mirrored if entry not in stored] == []  # not all entries are mirrored


@pytest.mark.parametrize("verdict", ["allowed", "changed", "denied", "interrupted"])
def test_a_tool_runs_as_the_permission_says(cli: Cli, verdict: str) -> None:
    def decide(request: Json) -> Json:
        if verdict in {"denied", "interrupted"}:
            return {"behavior": "deny", "message": "Not here.", "interrupt": verdict == "interrupted"}
        changed = {"command": "touch changed", "description": "Touch"}
        return {"behavior": "allow", "updatedInput": changed if verdict == "changed" else request["input"]}

    async def scenario() -> None:
        call = Use("Bash", {"command": "touch asked", "description": "Touch"})
        with service(call, Say("Done.")) as api:
            async with cli.started(api, {"can_use_tool": decide}) as driver:
                result = await driver.turn("Run it.")
        (asked,) = driver.asked
        assert (asked["tool_name"], asked["input"]["command"]) == ("Bash", "touch asked")
        made = [each.name for each in cli.work.iterdir() if each.name != ".git"]
        assert made == {"allowed": ["asked"], "changed": ["changed"]}.get(verdict, [])
        (given,) = driver.tool_results()
        assert given.get("is_error", False) == (not made)
        if verdict == "interrupted":
            assert result["subtype"] == "error_during_execution"
            assert len(api.requests) == 1
        else:
            assert result["subtype"] == "success"
            assert len(api.requests) == 2
            assert ("Not here." in str(given["content"])) == (verdict == "denied")

    run(scenario())


def test_a_tool_of_the_client_is_called_through_its_server(cli: Cli) -> None:
    called = []

    def serve(request: Json) -> Json | None:
        message = request["message"]
        match message:
            case {"method": "notifications/initialized"}:
                return None
            case {"method": "initialize", "params": {"protocolVersion": version}}:
                about = {"name": "own", "version": "1"}
                result: Json = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
            case {"method": "tools/list"}:
                result = {"tools": [{"name": "count", "description": "Counts.", "inputSchema": {"type": "object"}}]}
            case {"method": "tools/call", "params": {"arguments": arguments}}:
                called.append(arguments)
                result = {"content": [{"type": "text", "text": "seven"}]}
            case _:
                raise AssertionError(message)
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    async def scenario() -> None:
        answers: dict[str, Answer] = {"mcp_message": serve, "can_use_tool": allow}
        servers = {"own": {"type": "sdk", "name": "own"}}
        with service(Use("mcp__own__count", {"text": "a b"}), Say("Counted.")) as api:
            async with cli.started(api, answers, mcpServers=servers) as driver:
                result = await driver.turn("Count.")
        assert result["subtype"] == "success"
        assert called == [{"text": "a b"}]
        (given,) = driver.tool_results()
        assert "seven" in str(given["content"])

    run(scenario())


def test_a_turn_is_interrupted_and_the_session_goes_on(cli: Cli) -> None:
    async def scenario() -> None:
        with service(Hang("Once upon"), Say("Here again.")) as api:
            async with cli.started(api, includePartialMessages=True) as driver:
                driver.write("Tell a story.")
                await driver.until(lambda each: each.get("event", {}).get("type") == "content_block_delta")
                await driver.request(subtype="interrupt")
                ended = await driver.until(lambda each: each["type"] == "result")
                assert ended["subtype"] == "error_during_execution"
                assert (await driver.turn("Still there?"))["result"] == "Here again."

    run(scenario())


def test_model_mode_and_thinking_are_set(cli: Cli) -> None:
    async def scenario() -> None:
        with service(Say("One."), Say("Two.")) as api:
            async with cli.started(api) as driver:
                await driver.turn("One.")
                assert (await driver.request(subtype="set_permission_mode", mode="acceptEdits"))[
                    "mode"
                ] == "acceptEdits"
                model = "claude-sonnet-4-5"
                told = {OLDEST: None, NEWEST: {"model": model}}[cli.like]
                assert await driver.request(subtype="set_model", model=model) == told
                assert await driver.request(subtype="set_max_thinking_tokens", max_thinking_tokens=2000) is None
                assert await driver.request(subtype="mcp_status") == {"mcpServers": []}
                await driver.turn("Two.")
            # The oldest release answers `set_permission_mode` twice.
            assert driver.strays == {OLDEST: ["repeated"], NEWEST: []}[cli.like]
        first, second = api.requests
        assert second["model"] == model != first["model"]
        assert second["thinking"]["budget_tokens"] == 2000
        assert [each["permissionMode"] for each in driver.of("system", "init")] == ["default", "acceptEdits"]

    run(scenario())


def test_a_turn_gives_structured_output(cli: Cli) -> None:
    async def scenario() -> None:
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        with service(Use("StructuredOutput", {"n": 7}), Say("Given.")) as api:
            async with cli.started(api, outputFormat={"type": "json_schema", "schema": schema}) as driver:
                result = await driver.turn("Give a number.")
        assert (result["subtype"], result["structured_output"]) == ("success", {"n": 7})

    run(scenario())


@pytest.mark.parametrize("fork", [False, True])
def test_a_session_is_resumed(cli: Cli, fork: bool) -> None:
    async def scenario() -> None:
        with service(Say("First."), Say("Second.")) as api:
            async with cli.started(api) as driver:
                before = await driver.turn("Remember this.")
            async with cli.started(api, resume=before["session_id"], forkSession=fork) as driver:
                after = await driver.turn("What was it?")
        assert (after["session_id"] == before["session_id"]) == (not fork)
        assert "Remember this." in str(api.requests[1]["messages"])

    run(scenario())


def test_failures_of_the_service_are_tried_again_or_end_the_turn(cli: Cli) -> None:
    async def scenario() -> None:
        steps = (Fail(403, "permission_error"), Fail(529, "overloaded_error"), Say("Well again."))
        with service(*steps) as api:
            async with cli.started(api) as driver:
                result = await driver.turn("Try.")
                assert (result["subtype"], result["is_error"]) == ("success", True)
                assert "permission_error" in result["result"]
                assert (await driver.turn("Once more."))["result"] == "Well again."
        assert len(api.requests) == 3
        assert len(driver.of("system", "api_retry")) == (cli.like == NEWEST)

    run(scenario())


HOOKS = {"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "UserPromptSubmit", "Stop"}
HOOKS |= {"SubagentStart", "SubagentStop", "PreCompact", "SessionStart", "TaskCompleted"}
"""The events for which both releases request callbacks."""

NEWER_HOOKS = {
    "ConfigChange",
    "DirectoryAdded",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "InstructionsLoaded",
}
NEWER_HOOKS |= {"MessageDisplay", "Notification", "PermissionDenied", "PostCompact", "PostModelSwitch", "PostToolBatch"}
NEWER_HOOKS |= {"PreModelSwitch", "PreSkillShellCommand", "SessionEnd", "StopFailure", "TaskCreated"}
NEWER_HOOKS |= {"UserPromptExpansion", "WorktreeCreate", "WorktreeRemove"}
"""The events for which only the newest release requests callbacks. Sessions of the oldest end with the process, which
does not wait for callbacks, and its dialogs, which notifications are about, need a terminal."""

UNPROVOKED_HOOKS = {
    "CwdChanged": "callbacks are not asked when a command changes the folder, which is when hooks of settings run",
    "Setup": "runs before `initialize`, which is what names callbacks",
    "TeammateIdle": "needs a team of agents, each a process with a terminal of its own",
}
"""Event for which no callback was ever requested → the reason."""


def hooks_of(cli: Cli) -> tuple[str, ...]:
    """Return all hook events of a release."""
    return projected.python(cli.release).HookEventKnown.__args__


def hooks_called(driver: Driver) -> list[str]:
    """Return the events for which callbacks were requested, in order."""
    return [each["input"]["hook_event_name"] for each in driver.asked if each["subtype"] == "hook_callback"]


def bash(command: str) -> Use:
    return Use("Bash", {"command": command, "description": "Run it"})


def test_hooks_see_tools_a_subagent_and_a_compaction(cli: Cli) -> None:
    async def scenario() -> None:
        task = {"description": "Look", "prompt": "Look around.", "subagent_type": "general-purpose"}
        foreground = {OLDEST: {}, NEWEST: {"run_in_background": False}}[cli.like]
        steps = (bash("touch asked"), bash("false"), Use("Task", {**task, **foreground}), Say("Nothing here."))
        with service(*steps, Say("Done."), Say("<summary>Looked.</summary>")) as api:
            answers: dict[str, Answer] = {"can_use_tool": allow, "hook_callback": lambda _: {}}
            async with cli.started(api, answers, hooks=hooks_of(cli)) as driver:
                assert (await driver.turn("Do it."))["result"] == "Done."
                assert (await driver.turn("/compact"))["subtype"] == "success"
        (_, failed, told) = driver.tool_results()
        assert failed["is_error"]
        assert "Nothing here." in str(told["content"])
        (boundary,) = driver.of("system", "compact_boundary")
        assert boundary["compact_metadata"]["trigger"] == "manual"
        called = [event for event in hooks_called(driver) if event in HOOKS]
        assert {*called} == HOOKS - {"TaskCompleted"}
        assert called[:5] == ["UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PreToolUse"]
        assert (
            set(hooks_called(driver)) - HOOKS
            == {
                OLDEST: set(),
                NEWEST: {"MessageDisplay", "PostCompact", "PostToolBatch"},
            }[cli.like]
        )

    run(scenario())


def test_a_session_is_compacted_when_its_context_is_full(cli: Cli) -> None:
    async def scenario() -> None:
        answers: dict[str, Answer] = {"hook_callback": lambda _: {}}
        hooks = ("PreCompact", "SessionStart")
        window = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}  # the newest has a larger default than the oldest
        with service(Say("One.", tokens=190_000), Say("<summary>Counted.</summary>"), Say("Two.")) as api:
            async with cli.started(api, answers, hooks, window, model="claude-sonnet-4-5") as driver:
                assert (await driver.turn("One?"))["result"] == "One."
                assert driver.of("system", "compact_boundary") == []
                assert (await driver.turn("Two?"))["result"] == "Two."
        (boundary,) = driver.of("system", "compact_boundary")
        assert boundary["compact_metadata"]["trigger"] == "auto"
        assert boundary["compact_metadata"]["pre_tokens"] >= 190_000
        assert [each["status"] for each in driver.of("system", "status")] == ["compacting", None]
        before, after = (each["input"] for each in driver.asked)
        assert (before["hook_event_name"], before["trigger"]) == ("PreCompact", "auto")
        assert (after["hook_event_name"], after["source"]) == ("SessionStart", "compact")
        _, _, last = api.requests
        assert "Counted." in str(last["messages"])
        assert "One?" not in str(last["messages"])

    run(scenario())


@pytest.mark.parametrize("action", ["accept", "decline"])
def test_a_server_asks_the_user(cli: Cli, action: str) -> None:
    async def scenario() -> None:
        server = {"type": "stdio", "command": sys.executable, "args": [str(Path(__file__).parent / "asking_server.py")]}
        given = {"action": action, **({"content": {"name": "Ann"}} if action == "accept" else {})}
        answers: dict[str, Answer] = {
            "can_use_tool": allow,
            "hook_callback": lambda _: {},
            "elicitation": lambda _: given,
        }
        hooks = {OLDEST: (), NEWEST: ("Elicitation", "ElicitationResult", "Notification")}[cli.like]
        with service(Use("mcp__own__greet", {}), Say("Greeted.")) as api:
            async with cli.started(api, answers, hooks, mcpServers={"own": server}) as driver:
                status = "pending"
                while status == "pending":
                    status = (await driver.request(subtype="mcp_status"))["mcpServers"][0]["status"]
                assert (await driver.turn("Greet."))["result"] == "Greeted."
        (told,) = driver.tool_results()
        questions = [each for each in driver.asked if each["subtype"] == "elicitation"]
        if cli.like == OLDEST:  # it rejects elicitations of the server
            assert questions == []
            assert "Nobody can be asked." in str(told["content"])
            return
        ((asked),) = questions
        assert (asked["mcp_server_name"], asked["message"]) == ("own", "Who is there?")
        assert asked["requested_schema"]["required"] == ["name"]
        said = {"accept": "Hello Ann!", "decline": "The user said: decline."}[action]
        assert said in str(told["content"])
        assert set(hooks_called(driver)) == {*hooks}

    run(scenario())


def test_tasks_are_created_and_completed(cli: Cli) -> None:
    async def scenario() -> None:
        answers: dict[str, Answer] = {"hook_callback": lambda _: {}}
        create = Use("TaskCreate", {"subject": "Tidy", "description": "Tidy up"})
        with service(create, Use("TaskUpdate", {"taskId": "1", "status": "completed"}), Say("Done.")) as api:
            hooks = tuple({"TaskCompleted", "TaskCreated"} & {*hooks_of(cli)})
            env = {"CLAUDE_CODE_ENABLE_TASKS": "1"}
            async with cli.started(api, answers, hooks, env, model="claude-sonnet-4-5") as driver:
                await driver.turn("Tidy.")
        assert hooks_called(driver) == {OLDEST: ["TaskCompleted"], NEWEST: ["TaskCreated", "TaskCompleted"]}[cli.like]
        assert {each["input"]["task_subject"] for each in driver.asked} == {"Tidy"}

    run(scenario())


def test_hooks_see_what_changes_around_a_session(cli: Cli) -> None:
    def decide(request: Json) -> Json:
        match request["input"]["hook_event_name"]:
            case "SessionStart":
                return {"hookSpecificOutput": {"hookEventName": "SessionStart", "watchPaths": [str(cli.work / "seen")]}}
            case "WorktreeCreate":
                (cli.folder / "tree").mkdir()
                place = {"hookEventName": "WorktreeCreate", "worktreePath": str(cli.folder / "tree")}
                return {"hookSpecificOutput": place}
            case _:
                return {}

    async def scenario() -> None:
        settings = cli.work / ".claude" / "settings.json"
        (cli.work / ".claude" / "commands").mkdir(parents=True)
        command = "---\nallowed-tools: Bash(echo:*)\n---\nSay hello to !`echo everybody`."
        (cli.work / ".claude" / "commands" / "hello.md").write_text(command)
        (cli.work / "CLAUDE.md").write_text("Be kind.")
        (cli.work / "sub").mkdir()
        settings.write_text("{}")
        trees = (
            Use("EnterWorktree", {"name": "tree"}),
            Use("ExitWorktree", {"action": "remove", "discard_changes": True}),
        )
        refused = bash("curl http://127.0.0.1:1/ --data @/etc/hosts")  # needs a verdict, and gets an unreadable one
        steps = (Fail(403, "permission_error"), Say("Hello."), *trees, Say("Back."), refused, *(Say("No."),) * 3)
        hooks = tuple(NEWER_HOOKS | {"SessionStart"})
        with service(*steps) as api:
            answers: dict[str, Answer] = {"can_use_tool": allow, "hook_callback": decide}
            async with cli.started(api, answers, hooks, settingSources=["project"]) as driver:
                assert (await driver.turn("Fail."))["is_error"]
                assert (await driver.turn("/hello"))["result"] == "Hello."
                assert (await driver.turn("Work in a tree."))["result"] == "Back."
                assert (await driver.request(subtype="set_permission_mode", mode="auto"))["mode"] == "auto"
                await driver.turn("Fetch.")
                await driver.request(subtype="set_permission_mode", mode="default")
                await driver.request(subtype="register_repo_root", directory=str(cli.work / "sub"))
                await driver.request(subtype="set_model", model="claude-sonnet-4-5")
                await driver.turn("/clear")
                for n in itertools.count():  # the first change may precede the watch
                    (cli.work / "seen").write_text(str(n))
                    settings.write_text(json.dumps({"env": {"N": str(n)}}))
                    with suppress(asyncio.TimeoutError):
                        seen = driver.told(lambda: {"ConfigChange", "FileChanged"} <= {*hooks_called(driver)})
                        await asyncio.wait_for(seen, 10)
                        break
                await driver.turn("Read the instructions anew.")
        called = hooks_called(driver)
        elsewhere = {"Elicitation", "ElicitationResult", "Notification", "PostCompact", "TaskCreated"}
        assert {*called} == {*hooks} - elsewhere
        assert called.index("WorktreeCreate") < called.index("WorktreeRemove") < called.index("PermissionDenied")
        (ended,) = [each["input"] for each in driver.asked if each["input"].get("hook_event_name") == "SessionEnd"]
        assert ended["reason"] == "clear"
        (denied,) = driver.of("system", "permission_denied")
        assert denied["decision_reason_type"] == "classifier"
        assert not (cli.folder / "tree" / "asked").exists()

    run(scenario())


@pytest.mark.parametrize("release", CLIS)
def test_every_hook_event_is_provoked_or_has_a_reason(release: str) -> None:
    events = set(projected.python(release).HookEventKnown.__args__)
    provoked = {OLDEST: HOOKS, NEWEST: HOOKS | NEWER_HOOKS}[release]
    assert provoked <= events
    left = {OLDEST: {"Notification", "SessionEnd", "Setup", "TeammateIdle"}, NEWEST: {*UNPROVOKED_HOOKS}}[release]
    assert events - provoked == left


@pytest.mark.parametrize("event", ["UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop"])
def test_a_hook_blocks(cli: Cli, event: str) -> None:
    decisions: list[Json] = []
    denied = {"hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": "Never."}}

    def decide(_: Json) -> Json:
        decisions.append({"hookSpecificOutput": denied} if event == "PermissionRequest" else BLOCK)
        return decisions[0] if len(decisions) == 1 else {}

    async def never(_: Json) -> Json:
        return await asyncio.get_running_loop().create_future()

    async def scenario() -> None:
        with service(bash("touch asked"), Say("Done."), Say("Done at last.")) as api:
            permission = never if event == "PermissionRequest" else allow
            answers: dict[str, Answer] = {"can_use_tool": permission, "hook_callback": decide}
            async with cli.started(api, answers, hooks=(event,)) as driver:
                result = await driver.turn("Do it.")
        ran = (cli.work / "asked").exists()
        match event:
            case "UserPromptSubmit":
                assert (api.requests, ran) == ([], False)
            case "PreToolUse" | "PermissionRequest":
                assert "Never." in str(driver.tool_results())
                assert (len(api.requests), ran) == (2, False)
            case "PostToolUse":
                assert "Never." in str(api.requests[1]["messages"])
                assert (len(api.requests), ran) == (2, True)
            case _:
                assert "Never." in str(api.requests[2]["messages"])
                assert (result["result"], len(decisions), ran) == ("Done at last.", 2, True)

    run(scenario())


BLOCK = {"decision": "block", "reason": "Never."}
