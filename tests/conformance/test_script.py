"""Session scripts are read strictly, and judged step by step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from polywire.conformance.case import Case, CaseError, load
from polywire.conformance.coverage import Reader
from polywire.conformance.documents import Corpus
from polywire.conformance.judge import Abilities, applicable, judge
from polywire.conformance.protocols import Protocols
from polywire.conformance.report import Run, show, write_json
from polywire.conformance.runner import Result

ROOT = Path(__file__).resolve().parents[2]
SHELF = Protocols(ROOT / "tests" / "specs" / "jsonrpc")
ASK = {"request": {"method": "ping"}, "id": 1}
ASKED = {"id": 1, "sent": {"jsonrpc": "2.0", "id": 1, "method": "ping"}}
LEFT: dict[str, Any] = {"pending": [1], "unanswered": []}


def script(*steps: object, expect: object = None, **more: Any) -> dict[str, Any]:
    """Build a session case; by default each step is expected to fail."""
    results = [{"error": "not_open"}] * len(steps) if expect is None else expect
    return {"session": {"peer": "client", "steps": list(steps)}, "expect": {"steps": results}, **more}


def shelf(tmp_path: Path, entry: dict[str, Any]) -> Case:
    """Load the only case of a fixture file, for the protocol with controls."""
    file = tmp_path / "one.json"
    file.write_text(json.dumps({"type": "Line"} | entry))
    (case,) = load([file], SHELF)
    return case


def test_a_script_travels_with_json_as_text_and_with_its_steps_numbered(tmp_path: Path) -> None:
    again = {"receive": {"jsonrpc": "2.0", "id": "{#}", "result": ["r{n}"]}, "times": 2}
    stray = {"event": "stray", "id": "{#}", "reason": "unknown", "message": again["receive"]}
    case = shelf(tmp_path, script(ASK, again, {"pending": True}, expect=[ASKED, stray, LEFT]))
    assert case.request() == {
        "op": "session",
        "peer": "client",
        "steps": [
            {"request": '{"method":"ping"}', "id": 1},
            {"receive": '{"jsonrpc":"2.0","id":1,"result":["r1"]}'},
            {"receive": '{"jsonrpc":"2.0","id":2,"result":["r2"]}'},
            {"pending": True},
        ],
    }
    assert case.script is not None
    assert [(where, result.get("id")) for _, where, result in case.script.results()] == [
        ("1", 1),
        ("2, time 1", 1),
        ("2, time 2", 2),
        ("3", None),
    ]
    refusing = script(ASK, expect=[ASKED])
    refusing["session"]["refuse_unknown"] = False
    assert shelf(tmp_path, refusing).request()["refuse_unknown"] is False


def judged(tmp_path: Path, entry: dict[str, Any], *steps: object) -> tuple[str, ...]:
    """Return the problems of a testee that answers with these results."""
    case = shelf(tmp_path, entry)
    abilities = Abilities("t", ops=frozenset({"session"}))
    assert applicable(case, abilities)
    assert not applicable(case, Abilities("t"))
    return judge(case, {"id": 1, "ok": True, "steps": list(steps)}, abilities).problems


RIGHT = {"id": 1.0, "sent": '{"id": 1, "method": "ping", "jsonrpc": "2.0"}'}


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([RIGHT], None),
        ([], "expected 1 result, got 0"),
        ([RIGHT, RIGHT], "expected 1 result, got 2"),
        ([[]], "step 1 (request): the result is [], expected an object"),
        ([{**RIGHT, "id": "1"}], 'step 1 (request): id is "1", expected 1'),
        ([{**RIGHT, "id": True}], "step 1 (request): id is true, expected 1"),
        ([{"id": 1}], 'step 1 (request): sent is missing, expected {"jsonrpc":"2.0","id":1,"method":"ping"}'),
        ([{**RIGHT, "event": "x"}], 'step 1 (request): event is "x", expected none'),
        ([{**RIGHT, "sent": "{"}], "step 1 (request): sent is not JSON text: "),
        ([{**RIGHT, "sent": {"id": 1}}], 'step 1 (request): sent is not JSON text: it is {"id":1}'),
        ([{**RIGHT, "sent": RIGHT["sent"] + "\n"}], "step 1 (request): sent is not JSON text: it is not one line"),
        ([{**RIGHT, "sent": '{"id":2}'}], 'step 1 (request): sent is {"id":2}, expected {"jsonrpc"'),
        ([{"error": "id_in_use"}], 'step 1 (request): error is "id_in_use", expected none'),
    ],
)
def test_each_result_has_exactly_what_is_expected(tmp_path: Path, steps: list[object], problem: str | None) -> None:
    problems = judged(tmp_path, script(ASK, expect=[ASKED]), *steps)
    assert any(each.startswith(problem) for each in problems) if problem else not problems


def test_what_is_not_answered_at_all_is_said_and_problems_are_not_listed_for_ever(tmp_path: Path) -> None:
    entry = script({**ASK, "times": 100}, expect=[ASKED])
    case = shelf(tmp_path, entry)
    abilities = Abilities("t", ops=frozenset({"session"}))
    assert judge(case, {"id": 1, "problem": "no"}, abilities).problems == (
        "the testee could not do what was asked: no",
    )
    assert judge(case, {"id": 1, "ok": False}, abilities).problems == (
        "expected an answer with the results of all steps",
    )
    assert judge(case, {"id": 1, "unsupported": "sessions"}, abilities).outcome == "skipped"
    problems = judged(tmp_path, entry, *[{}] * 100)
    assert len(problems) == 11
    assert problems[2].startswith("step 1, time 2 (request): id is missing")


def test_a_script_that_fails_is_in_the_result_file_as_it_is_written(tmp_path: Path) -> None:
    case = shelf(tmp_path, script({**ASK, "times": 3}, expect=[ASKED]))
    verdict = judge(case, {"id": 1, "ok": True, "steps": []}, Abilities("t", ops=frozenset({"session"})))
    run = Run([case], [Result("t", (verdict,))])
    write_json(tmp_path / "result.json", run)
    [entry] = json.loads((tmp_path / "result.json").read_text())["testees"][0]["cases"]
    assert entry["input"] == [{**ASK, "times": 3, "expect": ASKED}]
    assert entry["problems"] == ["expected 3 results, got 0"]
    console = Console(width=200)
    with console.capture() as capture:
        show(console, run)
    assert '  input    [{"request":{"method":"ping"},"id":1}]\n           expected 3 results, got 0' in capture.get()


def test_a_script_is_nothing_that_documents_start_from_or_that_reaches_the_spec(tmp_path: Path) -> None:
    case = shelf(tmp_path, script(ASK, expect=[ASKED]))
    assert not case.is_document
    assert Reader(SHELF.default.model).case(case) == set()
    numbers = range(20)
    alone, beside = (Corpus(SHELF.default, cases, seed=1) for cases in ([], [case]))
    assert [alone.document(n) for n in numbers] == [beside.document(n) for n in numbers]


FIRST, SECOND = "11111111-2222-4333-8444-555555555555", "11111111-2222-4333-8444-666666666666"


@pytest.mark.parametrize(
    ("drawn", "right"),
    [
        ((FIRST, FIRST, SECOND), True),
        ((FIRST, SECOND, SECOND), False),
        ((FIRST, FIRST, FIRST), False),
        (("r1", "r1", "r2"), False),
        ((FIRST.upper().replace("1", "A"), FIRST, SECOND), False),
    ],
)
def test_a_drawn_id_is_one_uuid_throughout(tmp_path: Path, drawn: tuple[str, str, str], right: bool) -> None:
    first = {"id": "{uuid}", "sent": {"a": ["{uuid}"]}}
    entry = script({"request": {"method": "ping"}}, {"pending": True}, expect=[first, LEFT | {"pending": ["{uuid2}"]}])
    first_got = {"id": drawn[0], "sent": json.dumps({"a": [drawn[1]]})}
    assert (judged(tmp_path, entry, first_got, LEFT | {"pending": [drawn[2]]}) == ()) is right


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (script(), "session has no list of steps"),
        (script(ASK, expect=[]), "expected a result for each of 1 step, found 0 results"),
        (script({"ask": 1}), "step 1 has none of request, notify, "),
        (script({"reply": 1, "cancel": 1}), "step 1 has cancel and reply of "),
        (script({**ASK, "result": 1}), "step 1 has unknown key 'result'; expected some of id, request, times"),
        (script({**ASK, "times": 0}), "step 1: times 0; expected a count"),
        (script({"cancel": None}), "step 1: id missing; expected a scalar"),
        (script({"reply": [1]}), "step 1: id [1]; expected a scalar"),
        (script({"refuse": 1}), "step 1 has no message"),
        (script({"refuse": 1, "message": "", "code": None}), "step 1: code missing; expected text or a whole number"),
        (script({"pending": False}), "step 1: pending is false; expected true"),
        (script({"pending": True}, expect=[{"pending": [1]}]), "result of step 1 has no unanswered"),
        (script({"pending": True}, expect=[{"pending": [1], "unanswered": [{}]}]), "id {}; expected a scalar"),
        (script(ASK, expect=[{}]), "result of step 1 has no id"),
        (script(ASK, expect=[{"error": "no"}]), 'result of step 1: error "no"; expected one of bad_format, '),
        (script(ASK, expect=[{"error": "not_open", "id": 1}]), "result of step 1 has unknown key 'id'"),
        (script({"receive": {}}, expect=[{"event": "odd"}]), 'event "odd"; expected one of message, notification, '),
        (script({"receive": {}}, expect=[{"event": "stray", "id": 1}]), "result of step 1 has no message"),
        (
            script({"receive": {}}, expect=[{"event": "stray", "id": 1, "message": {}, "reason": "odd"}]),
            'reason "odd"; expected one of late, ',
        ),
        (
            script({"receive": {}}, expect=[{"event": "failure", "message": "", "id": 1}]),
            "has one of id and request; expected both or neither",
        ),
        (script(ASK) | {"type": "Book"}, "a session is of Line in lenient mode, not of Book in lenient mode"),
        (script(ASK, mode="strict"), "a session is of Line in lenient mode, not of Line in strict mode"),
        (script(ASK, deviations={}), "a session has no deviations"),
        (script(ASK, input=1), "found input and session of input, raw, bytes, stream, session, tree; expected"),
        (script(ASK) | {"session": {"peer": "van", "steps": [ASK]}}, 'peer "van"; expected one of client, server'),
        (
            script(ASK) | {"session": {"peer": "client", "steps": [ASK], "refuse_unknown": 1}},
            "refuse_unknown 1; expected true or false",
        ),
        ({"session": {"peer": "client", "steps": [ASK]}}, "no `expect`"),
    ],
)
def test_a_script_that_asserts_nothing_or_is_misspelt_is_refused(
    tmp_path: Path, entry: dict[str, Any], message: str
) -> None:
    with pytest.raises(CaseError) as caught:
        shelf(tmp_path, entry)
    assert message in str(caught.value)


def test_a_script_is_refused_where_the_protocol_has_no_form_for_a_step(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    for step, verb in (({"notify": {}}, "notify"), ({"refuse": "a", "message": ""}, "refuse")):
        file.write_text(json.dumps({"type": "Line", **script(step), "spec": str(ROOT / "tests" / "specs" / "desk")}))
        entry = json.loads(file.read_text())
        entry["session"]["peer"] = "desk"
        file.write_text(json.dumps(entry))
        with pytest.raises(CaseError, match=f"step 1 is a {verb}, for which the protocol has no form"):
            load([file], SHELF)
