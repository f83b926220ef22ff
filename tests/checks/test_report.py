"""The output formats of findings: text, JSON and GitHub workflow commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polywire.checks.report import Report, render
from polywire.checks.text import acts, excerpt, visible, width
from polywire.ground.finding import Finding
from polywire.ground.location import NOWHERE, SourceLocation


def finding(
    line: int = 1, column: int = 1, *, message: str = "it is wrong", hint: str | None = None, severity: str = "error"
) -> Finding:
    return Finding("some-rule", severity, SourceLocation("a.yaml", line, column), message, hint)  # type: ignore[arg-type] # shorter in tests


def report(text: str, *findings: Finding, folder: str = "spec") -> Report:
    return Report(Path(folder), findings, None, {"a.yaml": text})


def test_text_shows_the_place_the_line_a_caret_and_the_hint() -> None:
    text = render(report("one:\n  two: three\n", finding(2, 8, hint="write four")))
    assert text == (
        "spec/a.yaml:2:8: error[some-rule] it is wrong\n      two: three\n           ^\n    hint: write four\n1 error\n"
    )


def test_a_silent_report_prints_nothing_for_people_and_an_empty_list_for_machines() -> None:
    quiet = report("")
    assert (render(quiet), render(quiet, "github"), json.loads(render(quiet, "json"))) == ("", "", [])
    assert not quiet.failed


@pytest.mark.parametrize(
    ("severities", "summary", "failed"),
    [
        (["error"], "1 error", True),
        (["warning"], "1 warning", False),
        (["error", "warning", "error", "warning", "warning"], "2 errors, 3 warnings", True),
    ],
)
def test_the_summary_counts_by_severity_and_only_errors_fail(severities: list[str], summary: str, failed: bool) -> None:
    made = report("x", *(finding(severity=s) for s in severities))
    assert render(made).splitlines()[-1] == summary
    assert made.failed is failed


def test_a_finding_without_a_place_has_no_position_and_no_excerpt() -> None:
    nowhere = Report(Path("spec"), (Finding("some-rule", "error", NOWHERE, "there is no spec"),), None)
    assert render(nowhere) == "error[some-rule] there is no spec\n1 error\n"
    assert render(nowhere, "github") == "::error title=some-rule::there is no spec\n"


def test_a_folder_of_dot_adds_nothing_to_the_path() -> None:
    assert render(report("x", finding(), folder=".")).startswith("a.yaml:1:1: ")


@pytest.mark.parametrize(
    ("line", "column", "shown", "caret"),
    [
        ("key: value", 6, "key: value", "     ^"),
        ("\tkey", 2, "    key", "    ^"),
        ("a\tb\tc", 5, "a   b   c", "        ^"),
        ("名前: x", 5, "名前: x", "      ^"),
        ("e\u0301: x", 5, "e\u0301: x", "   ^"),
        ("a\x1b[31mb", 7, "a\\x1b[31mb", "         ^"),
        ("\u202eab", 2, "\\u202eab", "      ^"),
        ("end", 4, "end", "   ^"),
        ("end", 99, "end", "   ^"),
        ("", 1, "", "^"),
    ],
)
def test_the_caret_stands_below_the_character(line: str, column: int, shown: str, caret: str) -> None:
    assert excerpt(line, column) == (shown, caret)


def test_a_long_line_is_cut_around_the_caret() -> None:
    shown, caret = excerpt("a" * 5000 + "X" + "b" * 5000, 5001)
    assert shown[len(caret) - 1] == "X"
    assert (shown[0], shown[-1]) == ("…", "…")
    assert width(shown) == 72 + 56 + 2


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain", "plain"),
        ("a\nb\r\t", "a\\nb\\r\\t"),
        ("\x1b]8;;http://x\x07", "\\x1b]8;;http://x\\x07"),
        ("\u202e\u2066\u200b\ufeff\xa0\u2028", "\\u202e\\u2066\\u200b\\ufeff\\xa0\\u2028"),
        ("\U000e0041", "\\U000e0041"),
        ("Grüße “日本” → ✓ 👍", "Grüße “日本” → ✓ 👍"),
        ("\x9b", "\\x9b"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_a_terminal_would_act_upon_is_written_as_an_escape(text: str, seen: str) -> None:
    assert visible(text) == seen


def test_json_is_a_list_of_objects_that_any_parser_reads() -> None:
    (item,) = json.loads(render(report("x", finding(3, 7, message='"\u202e\n', hint="do", severity="warning")), "json"))
    assert item == {
        "file": "spec/a.yaml",
        "line": 3,
        "column": 7,
        "severity": "warning",
        "rule": "some-rule",
        "message": '"\u202e\n',
        "hint": "do",
    }


def test_a_github_command_escapes_what_would_end_it() -> None:
    made = Report(
        Path("a,b:c"),
        (Finding("some-rule", "warning", SourceLocation("100%.yaml", 3, 7), "50%\n::error::x", "do, it"),),
        None,
    )
    assert render(made, "github") == (
        "::warning file=a%2Cb%3Ac/100%25.yaml,line=3,col=7,title=some-rule::50%25\\n::error::x (hint: do, it)\n"
    )


def test_colour_is_only_added_on_demand_and_only_to_text() -> None:
    made = report("x", finding(hint="do"))
    assert "\x1b" not in render(made)
    assert "\x1b[1;31merror[some-rule]\x1b[0m" in render(made, colour=True)
    assert "\x1b" not in render(made, "json", colour=True) + render(made, "github", colour=True)


def hostile() -> st.SearchStrategy[str]:
    return st.text(st.characters() | st.sampled_from("\x1b\x07\x9b\u202e\u2066\u2028\x85\r\n\t%:,\ud800"), max_size=60)


@settings(max_examples=15)
@given(text=hostile(), message=hostile(), hint=hostile() | st.none(), line=st.integers(0, 9), column=st.integers(0, 99))
def test_no_text_from_a_spec_reaches_the_terminal_as_a_command(
    text: str, message: str, hint: str | None, line: int, column: int
) -> None:
    made = report(text, finding(line, column, message=message, hint=hint), folder=message.replace("\0", "") or ".")
    for form in ("text", "json", "github"):
        printed = render(made, form)  # type: ignore[arg-type] # all three formats
        assert not [c for c in printed if c != "\n" and acts(c)]
        printed.encode("utf-8")
    commands = render(made, "github")
    assert commands.count("\n") == 1
    assert commands.startswith("::error file=")
