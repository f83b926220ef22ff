"""Options start a process in the same way in every language: written cases, put to each testee that has `launch`.

A case has the options, the release, and how many functions stand at which places (0: one that is not a list's). It
expects an error with its paths, or the arguments behind those that every launch begins with, the environment and the
rest. What a case does not name is empty. A case that is `ordered` is about maps whose keys stand in an order of their
own, and is left out where the maps of a language have none; one that is `untyped` puts a function where the types of
some languages let none stand, and is left out there; and so is one that has a lone `surrogate` in an option that is a
text, where texts hold none.
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
TESTEES = toolchain.TESTEES
BEGIN = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"]
LANGUAGES = ("go", "python", "rust", "typescript")
"""The languages whose testees have `launch`."""
SORTED = {"go"}
"""Languages whose maps have no order, so that what becomes of one stands in that of its keys."""
TYPED = {"go", "rust"}
"""Languages whose types let no function stand in place of a list of functions."""
SCALAR = {"rust"}
"""Languages whose texts hold no lone surrogates."""
PARTS = {"set": {}, "places": {}, "program_arguments": [], "cwd": None, "program": None, "script": None}


def command(language: str, generated: Path) -> list[str]:
    if language == "go":
        if toolchain.go() is None:
            pytest.skip("Go is missing")
        return [sys.executable, str(TESTEES / "go" / "run.py"), str(generated / "go")]
    if language == "rust":
        if toolchain.rust() is None:
            pytest.skip("Rust is missing")
        return [sys.executable, str(TESTEES / "rust" / "run.py"), str(generated / "rust")]
    if language == "python":
        return [sys.executable, str(TESTEES / "python.py"), "stdlib", str(generated / "python")]
    node = toolchain.node_packages()
    if node is None:
        pytest.skip("Node, or what npm is to fetch, is missing")
    return node.command("node", TESTEES / "typescript" / "testee.mjs", generated / "typescript")


@pytest.fixture(scope="module")
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def answers(language: str, root: Path) -> dict[int, dict[str, Any]]:
    """What a testee answers to each case that is for it."""
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
        if language not in left_out(case)
    )
    done = subprocess.run(command(language, root / "generated"), input=lines.encode(), capture_output=True, check=True)
    found = [json.loads(line) for line in done.stdout.split(b"\n") if line]
    assert [each["id"] for each in found] == [n for n, case in enumerate(CASES) if language not in left_out(case)]
    return {each["id"]: each for each in found}


def left_out(case: dict[str, Any]) -> set[str]:
    """The languages that a case is not for."""
    apart = {"ordered": SORTED, "untyped": TYPED, "surrogate": SCALAR}
    return {language for key, languages in apart.items() if case.get(key) for language in languages}


RUNS = [
    pytest.param(language, number, id=f"{language}-{case['doc']}")
    for language in LANGUAGES
    for number, case in enumerate(CASES)
    if language not in left_out(case)
]


@pytest.mark.parametrize(("language", "number"), RUNS, indirect=["language"])
def test_options_start_a_process_as_the_case_says(answers: dict[int, dict[str, Any]], number: int) -> None:
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
