"""Options start a process in the same way in every language: written cases for each testee that has `launch`.

A case has the options, the release, and the number of functions at each place (0: a single function that is not in a
list). It expects an error with its paths, or the arguments after those that every launch begins with, the environment
and the rest. Parts that a case does not name are expected to be empty. Some cases do not apply to every language:

- An `ordered` case depends on the order of keys in maps; languages without such an order skip it.
- An `untyped` case has a function where the types of some languages do not allow one; those languages skip it.
- A `surrogate` case has a lone surrogate in a string option; languages whose strings cannot contain one skip it.
"""

from __future__ import annotations

import functools
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
"""Languages whose maps have no order; results derived from a map are in the order of its sorted keys."""
TYPED = {"go", "rust"}
"""Languages whose types do not allow a function in place of a list of functions."""
SCALAR = {"rust"}
"""Languages whose strings cannot contain lone surrogates."""
PARTS = {"set": {}, "functions": {}, "program_arguments": [], "cwd": None, "program": None, "script": None}


def command(language: str, generated: Path) -> list[str]:
    if language == "go":
        if toolchain.if_prepared(toolchain.go(), "go") is None:
            pytest.skip("Go is missing")
        return [sys.executable, str(TESTEES / "go" / "run.py"), str(generated / "go")]
    if language == "rust":
        if toolchain.if_prepared(toolchain.rust(), "rust") is None:
            pytest.skip("Rust is missing")
        return [sys.executable, str(TESTEES / "rust" / "run.py"), str(generated / "rust")]
    if language == "python":
        return [sys.executable, str(TESTEES / "python.py"), "stdlib", str(generated / "python")]
    node = toolchain.node_packages()
    if node is None:
        pytest.skip("Node, or what npm is to fetch, is missing")
    return node.command("node", TESTEES / "typescript" / "testee.mjs", generated / "typescript")


@functools.cache
def answers(language: str, root: Path) -> dict[int, dict[str, Any]]:
    """Case number → the testee's answer, for the cases that apply to the language."""
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
    """The languages to which a case does not apply."""
    apart = {"ordered": SORTED, "untyped": TYPED, "surrogate": SCALAR}
    return {language for key, languages in apart.items() if case.get(key) for language in languages}


RUNS = [
    pytest.param(language, number, id=f"{language}-{case['doc']}")
    for language in LANGUAGES
    for number, case in enumerate(CASES)
    if language not in left_out(case)
]


@pytest.mark.parametrize(("language", "number"), RUNS)
def test_options_start_a_process_as_the_case_says(root: Path, language: str, number: int) -> None:
    expect, answer = CASES[number]["expect"], answers(language, root)[number]
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
    for part in ("functions", "program_arguments", "cwd", "program", "script"):
        assert found.get(part, PARTS[part]) == expect.get(part, PARTS[part]), part


def plain(argument: str) -> object:
    """The value of an argument that is a JSON object, since languages may write its numbers differently."""
    return json.loads(argument) if argument.startswith("{") else argument


def test_the_cases_have_what_is_hostile() -> None:
    text = json.dumps([case["options"] for case in CASES], ensure_ascii=False)
    assert all(each in text for each in ('""', "[]", "{}", "\\u0000", '\\"', "\\n", "🦀", "--", "\u2028"))
    assert {case["expect"].get("error") for case in CASES} >= {"conflict", "cannot_travel", "unknown_release"}
    assert len(CASES) >= 50
