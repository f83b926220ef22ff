"""Options start a process in the same way in every language: written cases, put to each testee that has `launch`.

A case has the options, the release, and how many functions stand at which places (0: one that is no list's). It
expects an error with its paths, or the arguments behind those that every launch begins with, the environment and the
rest. What a case does not name is empty.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import toolchain

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "cases.json").read_text())
TESTEES = Path(__file__).parent.parent / "conformance" / "testees"
BEGIN = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"]
PARTS = {"set": {}, "places": {}, "program_arguments": [], "cwd": None, "program": None, "script": None}


def command(language: str, generated: Path) -> list[str]:
    if language == "python":
        return [sys.executable, str(TESTEES / "python.py"), "stdlib", str(generated / "python")]
    node = toolchain.node_packages()
    if node is None:
        pytest.skip("Node, or what npm is to fetch, is missing")
    run = [sys.executable, str(TESTEES.parent.parent / "toolchain.py"), "run", "node"]
    return [*run, str(TESTEES / "typescript" / "testee.mjs"), str(generated / "typescript")]


@pytest.fixture(scope="module", params=["python", "typescript"])
def answers(request: pytest.FixtureRequest, root: Path) -> list[dict[str, Any]]:
    """What a testee answers to each case."""
    lines = "".join(
        json.dumps(
            {
                "id": number,
                "op": "launch",
                "type": "QueryOptions",
                "json": json.dumps(case["options"]),
                "release": case["release"],
                "functions": case.get("functions", {}),
            }
        )
        + "\n"
        for number, case in enumerate(CASES)
    )
    done = subprocess.run(
        command(request.param, root / "generated"), input=lines.encode(), capture_output=True, check=True
    )
    found = [json.loads(line) for line in done.stdout.split(b"\n") if line]
    assert [each["id"] for each in found] == [*range(len(CASES))]
    return found


@pytest.mark.parametrize("number", range(len(CASES)), ids=[case["doc"] for case in CASES])
def test_options_start_a_process_as_the_case_says(answers: list[dict[str, Any]], number: int) -> None:
    expect, answer = CASES[number]["expect"], answers[number]
    if "error" in expect:
        assert (answer.get("code"), answer.get("paths")) == (expect["error"], expect["paths"]), answer
        return
    assert answer["ok"], answer
    found = json.loads(answer["json"])
    environment, payload = found["environment"], found["requests"].pop("initialize")
    assert payload.pop("subtype") == "initialize"
    assert found["requests"] == {}
    assert [plain(each) for each in found["arguments"]] == [plain(each) for each in (*BEGIN, *expect["arguments"])]
    assert payload == expect["initialize"]
    for part in ("inherit", "set", "defaults", "unset"):
        assert environment[part] == expect.get(part, {}), part
    for part in ("places", "program_arguments", "cwd", "program", "script"):
        assert found.get(part, PARTS[part]) == expect.get(part, PARTS[part]), part


def plain(argument: str) -> object:
    """An argument that is a JSON object as its value: languages may spell numbers in it differently."""
    return json.loads(argument) if argument.startswith("{") else argument


def test_the_cases_have_what_is_hostile() -> None:
    text = json.dumps([case["options"] for case in CASES], ensure_ascii=False)
    assert all(each in text for each in ('""', "[]", "{}", "\\u0000", '\\"', "\\n", "🦀", "--", "\u2028"))
    assert {case["expect"].get("error") for case in CASES} >= {"conflict", "cannot_travel", "unknown_release"}
    assert len(CASES) >= 50
