"""The expected outcome and the reply: as documents, in words, and as a line-by-line difference."""

from __future__ import annotations

import json

import pytest

from polywire.conformance.case import Expect, Outcome
from polywire.conformance.difference import MOST_LINES, difference, expected, got, in_words, tame
from polywire.conformance.process import Answer, Trouble


def answer(value: object, **members: object) -> Answer:
    return {"id": 1, "ok": True, "variant": "Named", "json": json.dumps(value), "unknown": [], **members}


def expect(value: object) -> Expect:
    return Expect((Outcome(variant="Named", output=json.dumps(value), unknown=()),))


def marked(wanted: Expect | tuple[Expect, ...], reply: Answer | Trouble) -> list[str]:
    """List the lines that differ."""
    return [f"{mark} {text}" for mark, _, text in difference(wanted, reply) if mark != " "]


def test_both_documents_have_the_form_of_answers_and_only_what_is_asserted() -> None:
    assert expected(Expect.error("wrong_type", "/a")) == {"ok": False, "code": "wrong_type", "path": "/a"}
    assert expected(expect({})) == {"ok": True, "variant": "Named", "json": "{}", "unknown": []}
    assert expected(expect({}), {"ok", "variant"}) == {"ok": True, "variant": "Named"}
    assert expected((Expect((Outcome(error=("too_long", "")),), line=3, raw="YQ=="),)) == {
        "ok": True,
        "items": [{"line": 3, "ok": False, "code": "too_long", "path": "", "raw": "YQ=="}],
    }
    assert got({"id": 7, "ok": True}) == {"ok": True}
    assert got(Trouble("died")) == {"problem": "died"}


def test_expectations_are_told_on_one_line() -> None:
    items = (
        Expect((Outcome(error=("too_long", "")),), line=1),
        Expect((Outcome(variant="Hello", output="{}", unknown=()),), line=2),
    )
    assert in_words(items) == 'items: line 1: error too_long at ""; line 2: ok, variant Hello, json {}, unknown []'


@pytest.mark.parametrize(
    ("left", "right", "lines"),
    [
        ({"a": 1}, {"a": True}, ['- "a": 1', '+ "a": true']),
        ({"a": 1}, {}, ['- "a": 1']),
        ({}, {"a": None}, ['+ "a": null']),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3, 4]}}, ["- 2", "+ 3", "+ 4"]),
        ({"a": 1.0, "b": 2}, {"b": 3, "a": 1}, ['- "b": 2', '+ "b": 3']),
        ([1], {"0": 1}, ['- "json": [1]', '+ "json": {"0":1}']),
    ],
    ids=["another kind", "lost", "added", "inside arrays", "order aside", "another shape"],
)
def test_values_differ_member_by_member(left: object, right: object, lines: list[str]) -> None:
    assert marked(expect(left), answer(right)) == lines


def test_what_is_the_same_stands_beside_and_many_such_members_are_counted() -> None:
    whole = {f"k{number}": number for number in range(20)}
    lines = [text for _, _, text in difference(expect(whole), answer(whole | {"k9": 0}))]
    assert lines[3:9] == ['"json": {', '"k0": 0', '"k1": 1', '"k2": 2', "… 6 more that are the same", '"k9": 9']


def test_the_same_value_in_another_spelling_or_order_is_shown_as_text() -> None:
    wanted = Expect((Outcome(variant="Named", text='{"a":1,"b":2}', unknown=()),))
    assert marked(wanted, answer({}, json='{"b":2,"a":1}')) == [
        '- … spelt "{\\"a\\":1,\\"b\\":2}"',
        '+ … spelt "{\\"b\\":2,\\"a\\":1}"',
    ]


def test_text_that_is_no_json_is_compared_as_text() -> None:
    assert marked(expect({}), answer({}, json="NaN")) == ['- "json" as text: "{}"', '+ "json" as text: "NaN"']


def test_an_error_for_a_value_differs_as_a_whole() -> None:
    refusal = {"id": 1, "ok": False, "code": "wrong_type", "path": "/a", "message": "no"}
    assert marked(expect({}), refusal) == [
        '- "ok": true',
        '+ "ok": false',
        '- "variant": "Named"',
        '- "json": "{}"',
        '- "unknown": []',
        '+ "code": "wrong_type"',
        '+ "path": "/a"',
        '+ "message": "no"',
    ]


def test_what_is_not_asserted_is_shown_aside() -> None:
    refusal = {"id": 1, "ok": False, "code": "wrong_type", "path": "/b", "message": "no"}
    assert marked(Expect.error("wrong_type", "/a"), refusal) == [
        '- "path": "/a"',
        '+ "path": "/b"',
        '· "message": "no"',
    ]


def test_streams_differ_item_by_item() -> None:
    item = {"line": 1, **got(answer({"a": 1}))}
    wanted = (
        Expect((Outcome(variant="Named", output='{"a":1}', unknown=()),), line=1),
        Expect((Outcome(error=("too_long", "")),), line=2),
    )
    assert marked(wanted, {"id": 1, "ok": True, "items": [item]}) == [
        '- {"line":2,"ok":false,"code":"too_long","path":""}'
    ]
    assert marked(wanted[:1], {"id": 1, "ok": True, "items": [item | {"variant": "Hello"}]}) == [
        '- "variant": "Named"',
        '+ "variant": "Hello"',
    ]


def test_a_difference_without_end_is_cut_and_says_so() -> None:
    lines = difference(expect(list(range(1000))), answer(list(range(1, 1001))))
    assert len(lines) == MOST_LINES + 1
    assert lines[-1].text == f"… {2007 - MOST_LINES} more lines"


def test_a_huge_value_is_cut_and_its_length_is_told() -> None:
    line = next(text for mark, _, text in difference(expect("a"), answer("b" * 10_000)) if mark == "+")
    assert line.endswith("… (10002 characters)")


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("plain é 😀 漢字", "plain é 😀 漢字"),
        ("a\u202eb", "a\\u202eb"),
        ("\x00\x1b[31m\n\r", "\\u0000\\u001b[31m\\u000a\\u000d"),
        ("\ud800", "\\ud800"),
        ("\u2028\u00a0\ufeff", "\\u2028\\u00a0\\ufeff"),
        ("\U000e0041", "\\u{e0041}"),
    ],
)
def test_what_nobody_could_see_is_escaped_and_all_else_stays(hostile: str, shown: str) -> None:
    assert tame(hostile) == shown
