"""The HTML report of a run as text: it is self-contained, escapes hostile content, and has a limited size."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from conformance.runs import PROTOCOLS, cases, result, run
from polywire.conformance.coverage import measured
from polywire.conformance.judge import Abilities
from polywire.conformance.page import MOST, page
from polywire.conformance.process import Trouble
from polywire.conformance.report import Run
from polywire.conformance.runner import Result

NAMED = {"doc": "A name is text.", "type": "Named", "input": {"name": "a"}, "expect": {"variant": "Named"}}
HOSTILE = "</script><!--<script>alert(1)</script>\u202e\x00\u2028\ud800'\"&"


class Page(HTMLParser):
    """The page as parsed HTML: its elements with their attributes, and the texts in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append((self.elements[-1][0] if self.elements else "", data))

    @property
    def data(self) -> Any:
        """The JSON data of the page's script."""
        return json.loads(next(text for tag, text in self.texts if tag == "script"))


def made(found: Run) -> str:
    return page(found, PROTOCOLS.default)


@pytest.fixture
def failing(tmp_path: Path) -> Run:
    found = cases(tmp_path, {"alpha": {"one": NAMED, "two": [NAMED, NAMED]}, "beta": {"three": NAMED, "four": NAMED}})
    reply = {"id": 1, "ok": True, "variant": "Hello", "json": '{"name":"b"}', "unknown": []}
    wrong = result(found, Abilities("wrong", "ruby", "3.1"), {4: reply, 1: Trouble("the testee died at this request")})
    return run(found, result(found, Abilities("right"), {0: None}), wrong, coverage=measured(found))


def test_rows_are_rules_under_their_groups_and_what_failed_comes_first(failing: Run) -> None:
    text = made(failing)
    rows = re.findall(r'<th scope="row(?:group)?"[^>]*>(?:<button[^>]*>)?([^<]*)', text)
    assert rows[: rows.index("type")] == ["alpha", "two", "one", "beta", "three", "four"]
    assert "<title>✗ parcel: conformance</title>" in text
    assert "2 disagreements in 1 testee of 2" in re.sub(r"\s+", " ", text)


def test_a_failure_has_its_case_both_sides_and_their_difference(failing: Run) -> None:
    data = Page(made(failing)).data
    assert data["testees"] == ["right", "wrong"]
    ((_, first), (_, second)) = sorted(data["failures"].items())
    assert [len(first["list"]), len(second["list"])] == [1, 1]
    (failure,) = (f for cell in data["failures"].values() for f in cell["list"] if f["difference"])
    assert data["cases"][failure["case"]] == {
        "name": "beta/three",
        "type": "Named",
        "mode": "lenient",
        "doc": "A name is text.",
        "input": '{"name":"a"}',
    }
    assert failure["expected"] == [["ok", "true"], ["variant", "Named"], ["json", '{"name":"a"}'], ["unknown", "[]"]]
    assert failure["got"][1:3] == [["variant", "Hello"], ["json", '{"name":"b"}']]
    assert ["-", 2, '"name": "a"'] in failure["difference"]
    assert ["+", 2, '"name": "b"'] in failure["difference"]


def test_a_run_without_disagreements_says_so(tmp_path: Path) -> None:
    found = cases(tmp_path, {"group": {"one": NAMED}})
    text = made(run(found, result(found, Abilities("go"), {})))
    assert "<title>✓ parcel: conformance</title>" in text
    assert "1 testee agrees with every case" in text
    assert Page(text).data["failures"] == {}


def test_a_whole_run_that_leaves_something_unreached_says_that(tmp_path: Path) -> None:
    found = cases(tmp_path, {"group": {"one": NAMED}})
    more = {"coverage": measured(found), "whole": PROTOCOLS.default}
    text = made(run(found, result(found, Abilities("go"), {}), **more))
    assert re.search(r"All agree, but [\d,]+ elements are reached by no case", text)
    assert "Reached by no case" in text


def test_a_testee_that_did_not_run_and_what_one_does_not_claim_are_told(tmp_path: Path) -> None:
    found = cases(tmp_path, {"group": {"one": NAMED}})
    absent = Result("absent", (result(found, Abilities("x"), {0: None}).verdicts[0],), cannot_run="no program ruby")
    text = made(run(found, absent, result(found, Abilities("schema", answers=frozenset({"ok"})), {})))
    assert "<b>SKIPPED</b> no program ruby" in text
    assert "does not claim code, json" in text


def test_the_policy_lets_in_nothing_but_the_script_and_the_style_of_the_page(failing: Run) -> None:
    text = made(failing)
    (policy,) = [a["content"] for tag, a in Page(text).elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'"
    for directive, kind in (("script-src", "script"), ("style-src", "style")):
        (own,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        assert directives[directive] == f"'sha256-{base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()}'"


def test_the_page_names_no_other_source(failing: Run) -> None:
    text = made(failing)
    assert not re.search(r"https?:|//[a-z]+\.|url\(|@import|\bsrc=|<link|<img|\bstyle=|\bon[a-z]+=", text)


def test_hostile_text_is_data_and_never_markup(tmp_path: Path) -> None:
    entry = {"doc": HOSTILE.replace("\ud800", ""), "type": "Named", "input": {"name": HOSTILE}, "expect": {}}
    found = cases(tmp_path, {"a<b>&": {"it's": entry | {"expect": {"variant": "Named"}}}})
    reply = {"id": 1, "ok": True, "variant": HOSTILE, "json": json.dumps({HOSTILE: HOSTILE}), "unknown": [HOSTILE]}
    told = Abilities(HOSTILE, language=HOSTILE, version=HOSTILE)
    text = made(run(found, result(found, told, {0: reply})))
    parsed = Page(text)
    assert [tag for tag, _ in parsed.elements].count("script") == 2
    assert not {"\u202e", "\x00", "\u2028", "\ud800"} & set(text)
    assert "\\u202e\\u0000\\u2028\\ud800" in text
    assert parsed.data["testees"] == ["</script><!--<script>alert(1)</script>\\u202e\\u0000\\u2028\\ud800'\"&"]


@pytest.mark.full
def test_a_page_of_many_failures_is_capped_and_says_how_many_more_there_are(tmp_path: Path) -> None:
    found = cases(tmp_path, {"group": {f"n{number}": [NAMED] * 1000 for number in range(5)}})
    reply = {"id": 1, "ok": True, "variant": "Hello", "json": '{"name":"b"}', "unknown": []}
    wrong = [result(found, Abilities(f"t{n}"), dict.fromkeys(range(len(found)), reply)) for n in range(8)]
    text = made(run(found, *wrong))
    failures = Page(text).data["failures"]
    assert sum(len(cell["list"]) for cell in failures.values()) <= MOST
    assert sum(len(cell["list"]) + cell["more"] for cell in failures.values()) == 40_000
    assert len(text) < 4_000_000


def test_huge_text_is_cut_and_its_length_is_told(tmp_path: Path) -> None:
    found = cases(tmp_path, {"group": {"huge": NAMED | {"input": {"name": "x" * 1_000_000}}}})
    reply = {"id": 1, "ok": True, "variant": "Named", "json": json.dumps({"name": "y" * 1_000_000}), "unknown": []}
    text = made(run(found, result(found, Abilities("go"), {0: reply})))
    assert len(text) < 200_000
    assert "… (1,000,011 characters)" in Page(text).data["cases"][0]["input"]


def test_the_same_run_gives_the_same_page(failing: Run) -> None:
    assert made(failing) == made(failing)
