"""The programs of `examples/` that read stored sessions: the same in every language, with the same output."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from sampling import in_turns, third

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SESSIONS = ROOT / "tests" / "captures" / "sessions"
PAGE = ROOT / "docs" / "transcripts.md"

SUFFIXES = in_turns([".go", ".mjs", ".py", ".rs"], third("programs in Rust"))

PROGRAMS = ("print_conversation", "sum_usage", "follow_transcript")

Command = Callable[[Path], list[str]]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("suffix", [".go", ".mjs", ".py", ".rs"])
def test_a_program_is_short_and_on_the_page(program: str, suffix: str) -> None:
    lines = (EXAMPLES / f"{program}{suffix}").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if not re.match(r"\s*(//|/?\*|$)", line)]) < 60
    assert f"](../examples/{program}{suffix})" in PAGE.read_text(encoding="utf-8")


@pytest.fixture
def run(command: Command, environment: dict[str, str]) -> Callable[..., list[str]]:
    """A function that runs a program and returns the lines that it prints; it must report nothing."""

    def start(program: str, argument: Path) -> list[str]:
        words = [*command(EXAMPLES / program), str(argument)]
        done = subprocess.run(words, capture_output=True, check=False, env=environment)
        assert (done.returncode, done.stderr.decode()) == (0, "")
        return done.stdout.decode().splitlines()

    return start


# --- print_conversation ----------------------------------------------------------------------------------------

PARALLEL = [
    *("user: Run three.", "assistant: Three at once."),
    *("assistant calls Bash", "assistant calls Bash", "assistant calls NoSuchTool", "assistant calls Bash"),
    *("  result: (Bash completed with no output)", "  result: (Bash completed with no output)"),
    "  error: <tool_use_error>Error: No such tool available: NoSuchTool</tool_use_error>",
    "  error: <tool_use_error>InputValidationError: Bash failed due to the following issues:",
    *("The required parameter `command` is missing", "An unexpected parameter `wrong` was provided</tool_use_error>"),
    "assistant: Done.",
]
COMPACTED = ["user: One.", "assistant: Long answer.", "user: Two.", "assistant: Second answer."]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_conversation_has_the_results_of_parallel_calls_and_what_was_said_before_a_compaction(
    suffix: str, run: Callable[..., list[str]]
) -> None:
    printed = run(f"print_conversation{suffix}", SESSIONS / "0.3.332" / "tool_parallel.ndjson")
    assert [re.sub(r"( calls \w+).*", r"\1", line) for line in printed] == PARALLEL
    printed = run(f"print_conversation{suffix}", SESSIONS / "0.3.332" / "compact_manual.ndjson")
    assert printed[: len(COMPACTED) + 1] == [*COMPACTED, "--- the context was compacted ---"]
    assert printed[-2:] == ["user: Three.", "assistant: After compaction."]


# --- sum_usage -------------------------------------------------------------------------------------------------


def stored(folder: Path) -> None:
    """Store two sessions and a fork of one of them, as the CLI does."""
    projects = folder / "projects" / "-home-user-project"
    projects.mkdir(parents=True)
    for name, file in (("a", "simple_text"), ("fork", "simple_text"), ("b", "thinking")):
        text = (SESSIONS / "0.3.332" / f"{file}.ndjson").read_text(encoding="utf-8")
        text = text.replace("msg_mock", f"msg_{file}")  # the mock numbers the messages of each session anew
        kept = [line for line in text.splitlines() if name != "fork" or json.loads(line)["type"] != "cost-state"]
        (projects / f"{name}.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")


SUMS = [["2026-11-26", "claude-opus-5-5", "24", "48", "0.0011"]]
"""Two messages of 12 and 24 tokens; one of them has three entries, the other is in a fork as well."""


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_tokens_and_costs_are_summed_each_message_once(
    suffix: str, run: Callable[..., list[str]], tmp_path: Path
) -> None:
    stored(tmp_path)
    rows = [line.split() for line in run(f"sum_usage{suffix}", tmp_path)]
    assert rows == SUMS


# --- follow_transcript -----------------------------------------------------------------------------------------


class Following:
    """A session that grows, and what a program prints of it."""

    def __init__(self, path: Path, out: IO[bytes]) -> None:
        self._path = path
        self._out = out

    def append(self, data: bytes) -> None:
        with self._path.open("ab") as file:
            file.write(data)

    def line(self) -> str:
        """Wait for the next line of the program."""
        return self._out.readline().decode().rstrip()


@pytest.fixture
def followed(command: Command, environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[[str], Following]]:
    """A function that starts a program on an empty file, to which the test appends; it is stopped at the end."""
    started: list[subprocess.Popen[bytes]] = []

    def start(program: str) -> Following:
        path = tmp_path / "session.jsonl"
        path.touch()
        words = [*command(EXAMPLES / program), str(path)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, env=environment)
        started.append(process)
        assert process.stdout is not None
        return Following(path, process.stdout)

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_session_that_grows_is_followed_also_within_a_line(suffix: str, followed: Callable[[str], Following]) -> None:
    lines = (SESSIONS / "0.2.37" / "simple_text.ndjson").read_bytes().splitlines(keepends=True)
    session = followed(f"follow_transcript{suffix}")
    session.append(lines[0] + lines[1][:50])
    assert session.line() == "queue-operation"
    session.append(lines[1][50:] + lines[2][:-1])
    assert session.line() == "user"
    session.append(b"\n" + lines[0])
    assert [session.line(), session.line()] == ["assistant: text", "queue-operation"]
