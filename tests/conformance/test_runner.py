"""The runner reports every disagreement with the name of the case, and passes a right testee."""

from __future__ import annotations

import base64
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.events import Watch
from polywire.conformance.case import Case, Expect, load
from polywire.conformance.judge import ANSWERS
from polywire.conformance.process import Answer, Session, Wait, wait
from polywire.conformance.protocols import Protocols
from polywire.conformance.runner import Result, run
from polywire.conformance.testee import Testee, Workshop

pytestmark = pytest.mark.full  # starts a testee for each of a hundred tests

HERE = Path(__file__).resolve().parent
PARCEL = HERE.parent / "specs" / "parcel"
PROTOCOLS = Protocols(PARCEL)

MARKED = {"type": "Named", "input": {"name": "MARK"}, "expect": {"variant": "Named"}}
MARKED_NUMBER = {"type": "Free", "input": {"kept": "MARK", "n": 1}, "expect": {"variant": "Free"}}
MARKED_SPACED = {"type": "Named", "raw": '{ "name": "MARK" }', "expect": {"variant": "Named"}}
MARKED_ERROR = {
    "type": "Named",
    "input": {"name": 1, "MARK": 1},
    "expect": {"error": {"code": "wrong_type", "path": "/name"}},
}


def stream(*lines: bytes) -> dict[str, object]:
    """Split lines into the chunks of a stream, regardless of the ends of lines."""
    whole = b"".join(lines)
    return {"chunks": [base64.b64encode(whole[at : at + 7]).decode() for at in range(0, len(whole), 7)]}


MARKED_STREAM = {
    "type": "Named",
    "stream": stream(b'{"name":"first"}\n', b"MARK\r\n", b"\n", b'{"name":"last"}'),
    "expect": {
        "items": [
            {"line": 1, "variant": "Named"},
            {"line": 2, "error": {"code": "invalid_json", "path": ""}, "raw": base64.b64encode(b"MARK").decode()},
            {"line": 4, "variant": "Named"},
        ]
    },
}
PLAIN = [{"type": "Named", "input": {"name": f"n{number}"}, "expect": {"variant": "Named"}} for number in range(50)]


PATIENCE = 20.0


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Callable[..., Watch]]:
    """A function that makes the `Watch` of a test, which is closed after it."""
    made: list[Watch] = []

    def make(**options: float) -> Watch:
        made.append(Watch(tmp_path, **options))
        return made[0]

    yield make
    for each in made:
        each.close()


def cases(tmp_path: Path, *entries: dict[str, Any]) -> list[Case]:
    """Write entries to a fixture file, and load its cases."""
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(list(entries)))
    return load([file], PROTOCOLS)


def ask(found: list[Case], fault: str = "", *rest: str, startup: float = 0.0, wait: Wait = wait) -> Result:
    """Run the fake testee on the cases."""
    command = ("{python}", str(HERE / "fake.py"), str(PARCEL), fault, *rest)
    with Workshop(HERE) as workshop:
        testee = Testee("fake", command, HERE, startup=startup)
        return run(found, testee, workshop, PROTOCOLS.default, folder=HERE, patience=PATIENCE, wait=wait)


def among_others(tmp_path: Path, marked: dict[str, Any]) -> list[Case]:
    return cases(tmp_path, *PLAIN[:25], marked, *PLAIN[25:])


def problems(result: Result) -> str:
    """Return the problems of the marked case, and assert that every other case passed."""
    others = [v.outcome for number, v in enumerate(result.verdicts) if number != 25]
    assert others == ["passed"] * 50
    assert result.verdicts[25].outcome == "failed"
    return "; ".join(result.verdicts[25].problems)


@pytest.mark.parametrize("marked", [MARKED, MARKED_NUMBER, MARKED_SPACED, MARKED_ERROR, MARKED_STREAM])
def test_a_right_testee_passes(tmp_path: Path, marked: dict[str, Any]) -> None:
    result = ask(among_others(tmp_path, marked))
    assert (result.count("passed"), result.count("failed"), result.problems) == (51, 0, ())


@pytest.mark.parametrize(
    ("fault", "marked", "problem"),
    [
        ("wrong variant", MARKED, 'variant is "Hello", expected "Named"'),
        ("no variant", MARKED, "variant is missing, expected text"),
        ("wrong value", MARKED, 'json is {"name":"mark"}, expected {"name":"MARK"}'),
        ("true for 1", MARKED_NUMBER, 'json is {"kept":"MARK","n":true}, expected {"kept":"MARK","n":1}'),
        ("null for nothing", MARKED, 'json is {"name":"MARK","nickname":null}, expected {"name":"MARK"}'),
        ("key twice", MARKED, "json is malformed: key 'name' twice in one object"),
        ("two lines", MARKED_NUMBER, "json is not one line"),
        ("NaN", MARKED, "json is malformed: NaN is not JSON"),
        ("says unknown", MARKED, 'unknown is ["/name"], expected []'),
        ("unsorted unknown", MARKED, 'unknown is not sorted: ["/b","/a"]'),
        ("no unknown", MARKED, "unknown is missing, expected a list of pointers"),
        ("refuses", MARKED, "ok is false, expected true"),
        ("accepts", MARKED_ERROR, "ok is true, expected false"),
        ("wrong code", MARKED_ERROR, 'code is "bad_format", expected "wrong_type"'),
        ("made-up code", MARKED_ERROR, 'code is "nonsense", which is none of the codes'),
        ("wrong path", MARKED_ERROR, 'path is "/elsewhere", expected "/name"'),
        ("no message", MARKED_ERROR, 'message is "", expected text'),
        ("ok is 1", MARKED, "ok is 1, expected true or false"),
        ("problem", MARKED, "the testee could not do what was asked: no such type"),
        ("item short", MARKED_STREAM, "expected 3 items, got 2"),
        ("line off by one", MARKED_STREAM, "item 1: line is 2, expected 1"),
        ("no raw", MARKED_STREAM, "item 2: raw is missing, expected TUFSSw=="),
        ("no items", MARKED_STREAM, "expected an answer with items"),
        ("garbage", MARKED, "an answer that is not JSON (Expecting value at character 0): Traceback"),
        ("invalid UTF-8", MARKED, "an answer that is not JSON (invalid UTF-8 at byte"),
        ("no id", MARKED, 'an answer without the id of a request: {"ok": true}'),
        ("no object", MARKED, "an answer that is not an object: []"),
        ("unstable", MARKED, 'given its own output: json is "{\\"name\\":\\"MARK\\"}"'),
    ],
)
def test_a_wrong_answer_fails_its_case_and_no_other(
    tmp_path: Path, fault: str, marked: dict[str, Any], problem: str
) -> None:
    result = ask(among_others(tmp_path, marked), fault)
    assert problem in problems(result)
    assert result.count("failed") == 1


def test_members_in_another_order_than_encoders_write_them_are_a_failure(tmp_path: Path) -> None:
    (case,) = cases(tmp_path, {"type": "Point", "input": {"y": 1, "x": 2, "MARK": 3}, "expect": {"unknown": ["/MARK"]}})
    assert isinstance(case.expect, Expect)
    (outcome,) = case.expect.outcomes
    ordered = replace(case, expect=Expect((replace(outcome, ordered='{"x":2,"y":1,"MARK":3}'),)))
    assert ask([ordered]).count("passed") == 1
    (verdict,) = ask([ordered], "order").verdicts
    assert "expected its members in the order of" in verdict.problems[0]


def test_an_answer_given_twice_is_a_failure(tmp_path: Path) -> None:
    result = ask(among_others(tmp_path, MARKED), "twice")
    assert "is answered twice" in result.problems[0]
    assert result.count("failed") >= 1


def test_an_answer_to_nothing_is_a_failure(tmp_path: Path) -> None:
    result = ask(among_others(tmp_path, MARKED), "other id")
    assert "an answer to nothing" in result.problems[0]


def test_a_testee_that_does_not_stop_talking_is_given_up(tmp_path: Path) -> None:
    result = ask(among_others(tmp_path, MARKED), "babble")
    assert result.problems == ('an answer to nothing: {"id": 999999}', 'given up: an answer to nothing: {"id": 999999}')


def test_a_testee_that_dies_is_reported_with_the_request_that_killed_it_and_the_rest_goes_on(tmp_path: Path) -> None:
    result = ask(among_others(tmp_path, MARKED), "die")
    assert problems(result) == (
        "the testee exited with status 3 at this request; its standard error ends with: struck by the mark"
    )
    assert result.count("failed") == 1


def test_a_testee_that_hangs_is_killed_and_reported_with_its_request(
    tmp_path: Path, watch: Callable[..., Watch]
) -> None:
    watched = watch()
    result = ask(among_others(tmp_path, MARKED), "hang", str(tmp_path), wait=watched)
    assert problems(result) == "the testee did not answer within 80 s at this request; does it flush every answer?"
    assert (result.count("failed"), result.notes) == (1, ())
    assert watched.over == [20, 80]


def test_a_testee_that_is_only_slow_is_no_failure(tmp_path: Path, watch: Callable[..., Watch]) -> None:
    watched = watch(enough=80)
    result = ask(among_others(tmp_path, MARKED), "hang", str(tmp_path), wait=watched)
    assert (result.count("passed"), result.problems) == (51, ())
    assert result.notes == (
        "fake did not answer within 20 s once, but not when the same requests were sent one at a time",
    )
    assert watched.over == [20]


def test_a_testee_that_was_slow_is_waited_for_longer_from_then_on(tmp_path: Path, watch: Callable[..., Watch]) -> None:
    watched = watch(enough=80)
    result = ask(cases(tmp_path, MARKED, MARKED_SPACED), "hang", str(tmp_path), wait=watched)
    assert (result.count("passed"), result.problems, watched.over) == (2, (), [20])


def test_a_death_that_does_not_come_again_is_a_failure_of_the_testee(tmp_path: Path) -> None:
    result = ask(among_others(tmp_path, MARKED), "die once", str(tmp_path))
    assert result.problems == ("exited with status 3 once, but not when the same requests were sent one at a time",)
    assert [v.outcome for v in result.verdicts] == ["passed"] * 51


def test_a_testee_that_dies_too_often_is_given_up(tmp_path: Path) -> None:
    result = ask(cases(tmp_path, *[MARKED] * 40), "die")
    assert result.count("failed") == 40
    assert result.verdicts[-1].problems == ("not asked: the testee was restarted 20 times before",)


def test_a_testee_that_is_given_up_is_not_blamed_for_what_it_was_not_asked_again(tmp_path: Path) -> None:
    result = ask(cases(tmp_path, MARKED_SPACED | {"raw": '{ "name": "n" }'}, *[MARKED] * 20), "die")
    assert [v.outcome for v in result.verdicts] == ["passed", *["failed"] * 20]


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        ("bad exit", "exited with status 4 at the end of its input"),
        ("talks at the end", "an answer to nothing: bye"),
        ("stays", "did not exit within 80 s of the end of its input"),
    ],
)
def test_the_end_of_a_testee_is_watched(tmp_path: Path, watch: Callable[..., Watch], fault: str, problem: str) -> None:
    result = ask(cases(tmp_path, *PLAIN), fault, str(tmp_path), wait=watch())
    assert result.problems == (problem,)
    assert (result.count("passed"), result.count("failed")) == (50, 1)


def test_a_testee_that_does_not_describe_itself_fails(tmp_path: Path) -> None:
    result = ask(cases(tmp_path, *PLAIN), "no description")
    assert result.problems == (
        "it exited with status 1 when asked to describe itself; its standard error ends with: not today",
    )


def test_a_testee_that_does_not_start_in_time_fails(tmp_path: Path, watch: Callable[..., Watch]) -> None:
    result = ask(cases(tmp_path, *PLAIN), "slow start", str(tmp_path), wait=watch(enough=300))
    assert result.problems == (
        "it did not answer within 80 s when asked to describe itself; does it flush every answer?",
    )


def test_a_testee_that_must_be_built_first_may_take_longer_than_the_patience_with_one_that_answers(
    tmp_path: Path, watch: Callable[..., Watch]
) -> None:
    found = cases(tmp_path, *PLAIN)
    result = ask(found, "slow start", str(tmp_path), startup=300, wait=watch(enough=300))
    assert (result.count("passed"), result.problems) == (len(PLAIN), ())


def test_the_time_to_build_a_testee_is_not_that_of_its_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    building, describe, clock = [0.0], Session.describe, time.perf_counter

    def built(session: Session) -> Answer:
        building[0] += 1_000_000.0
        return describe(session)

    monkeypatch.setattr(Session, "describe", built)
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + building[0])
    result = ask(among_others(tmp_path, MARKED))
    assert building[0] > 0
    assert 0 < result.seconds < 1_000_000


def test_a_testee_that_cannot_run_here_is_skipped_and_says_why(tmp_path: Path) -> None:
    result = ask(cases(tmp_path, *PLAIN), "cannot run")
    assert (result.cannot_run, result.count("failed")) == ("needs a better machine", 0)


def test_a_program_that_is_not_there_is_skipped(tmp_path: Path) -> None:
    with Workshop(HERE) as workshop:
        testee = Testee("none", ("no-such-program-anywhere",), HERE)
        result = run(cases(tmp_path, *PLAIN), testee, workshop, PROTOCOLS.default, folder=HERE)
    assert result.cannot_run == "no program no-such-program-anywhere"


# --- deviations ------------------------------------------------------------------------------------------------


def deviating(who: str, problem: dict[str, object]) -> dict[str, Any]:
    return {**MARKED, "deviations": {who: {"reason": "it cannot know", "expect": problem}}}


@pytest.mark.parametrize("who", ["fake", "fake-language"])
def test_a_stated_deviation_passes_while_it_occurs(tmp_path: Path, who: str) -> None:
    who = who.removesuffix("-language")
    result = ask(among_others(tmp_path, deviating(who, {"error": {"code": "wrong_type", "path": "/name"}})), "refuses")
    assert result.count("passed") == 51


def test_a_deviation_that_no_longer_occurs_fails(tmp_path: Path) -> None:
    result = ask(among_others(tmp_path, deviating("fake", {"error": {"code": "wrong_type", "path": "/name"}})))
    assert "the deviation stated for it (it cannot know) no longer occurs" in problems(result)


def test_a_deviation_other_than_the_stated_one_fails(tmp_path: Path) -> None:
    result = ask(among_others(tmp_path, deviating("fake", {"variant": "Named", "output": {}})), "refuses")
    assert problems(result) == "ok is false, expected true"


def test_a_deviation_of_another_testee_changes_nothing(tmp_path: Path) -> None:
    result = ask(among_others(tmp_path, deviating("other", {"error": {"code": "wrong_type", "path": "/name"}})))
    assert result.count("passed") == 51


@pytest.mark.parametrize(("limits", "outcome"), [(["integers"], "passed"), (["indices"], "failed"), ([], "failed")])
def test_a_deviation_with_a_limit_is_for_testees_that_state_the_limit(
    tmp_path: Path, limits: list[str], outcome: str
) -> None:
    entry = deviating("fake", {"error": {"code": "wrong_type", "path": "/name"}})
    entry["deviations"]["fake"]["limit"] = "integers"
    (verdict,) = ask(cases(tmp_path, entry), "refuses", json.dumps({"limits": limits})).verdicts
    assert verdict.outcome == outcome


@pytest.mark.parametrize(("fault", "outcome"), [("", "passed"), ("refuses", "passed"), ("accepts", "failed")])
def test_a_port_that_is_not_made_from_the_spec_may_do_better_than_a_deviation_of_its_language(
    tmp_path: Path, fault: str, outcome: str
) -> None:
    entry = {**deviating("fake", {"error": {"code": "wrong_type", "path": "/name"}}), "raw": '{"name": "MARK", "a": 1}'}
    del entry["input"]
    entry["expect"] = {"variant": "Named", "unknown": ["/a"]}
    (verdict,) = ask(cases(tmp_path, entry), fault, json.dumps({"spec": ""})).verdicts
    assert verdict.outcome == outcome


# --- claims of a testee ----------------------------------------------------------------------------------------

STRICT = {**MARKED, "mode": "strict"}
SYNTAX = {"type": "Named", "raw": '{"name":', "expect": {"error": {"code": "invalid_json", "path": ""}}}


def claiming(found: list[Case], fault: str = "", **claims: object) -> Result:
    """Run the fake testee on the cases, with the given claims in its description."""
    return ask(found, fault, json.dumps(claims))


@pytest.mark.parametrize(
    ("claims", "outcomes"),
    [
        ({"types": ["Named"]}, ["passed", "passed", "skipped", "passed", "passed"]),
        ({"modes": ["strict"]}, ["skipped", "passed", "skipped", "skipped", "skipped"]),
        ({"ops": ["stream"]}, ["skipped", "skipped", "skipped", "passed", "skipped"]),
        ({"ops": ["decode"]}, ["passed", "passed", "passed", "skipped", "passed"]),
        ({"reads": "values"}, ["passed", "passed", "passed", "skipped", "skipped"]),
        ({"answers": ["ok"]}, ["passed", "passed", "passed", "skipped", "skipped"]),
        ({"answers": ["ok"], "reads": "text"}, ["passed"] * 5),
        ({"limits": ["integers", "surrogates"], "types": []}, ["passed"] * 5),
    ],
    ids=str,
)
def test_a_testee_is_asked_only_what_it_claims(tmp_path: Path, claims: dict[str, object], outcomes: list[str]) -> None:
    result = claiming(cases(tmp_path, MARKED, STRICT, MARKED_NUMBER, MARKED_STREAM, SYNTAX), **claims)
    assert ([v.outcome for v in result.verdicts], result.problems, result.notes) == (outcomes, (), ())


NOT_COMPARED = [
    ("wrong variant", MARKED, "variant"),
    ("no variant", MARKED, "variant"),
    ("wrong value", MARKED, "json"),
    ("NaN", MARKED, "json"),
    ("unstable", MARKED, "json"),
    ("says unknown", MARKED, "unknown"),
    ("no unknown", MARKED, "unknown"),
    ("wrong code", MARKED_ERROR, "code"),
    ("no message", MARKED_ERROR, "code"),
    ("wrong path", MARKED_ERROR, "path"),
    ("line off by one", MARKED_STREAM, "line"),
    ("no raw", MARKED_STREAM, "raw"),
]


@pytest.mark.parametrize(("fault", "marked", "member"), NOT_COMPARED)
def test_what_a_testee_does_not_claim_to_answer_is_not_compared_and_all_else_is(
    tmp_path: Path, fault: str, marked: dict[str, Any], member: str
) -> None:
    found = cases(tmp_path, marked)
    assert claiming(found, fault, answers=sorted(ANSWERS - {member})).count("passed") == 1
    assert claiming(found, fault, answers=sorted({"ok", member}), reads="text").count("failed") == 1


def test_what_strict_mode_accepts_is_put_to_a_testee_of_lenient_mode_in_that(tmp_path: Path) -> None:
    refused = {**MARKED_ERROR, "mode": "strict"}
    result = claiming(cases(tmp_path, STRICT, {**MARKED_STREAM, "mode": "strict"}, refused), modes=["lenient"])
    assert [v.outcome for v in result.verdicts] == ["passed", "skipped", "skipped"]
    (verdict,) = claiming(cases(tmp_path, STRICT), "refuses", modes=["lenient"]).verdicts
    assert verdict.outcome == "failed"


@pytest.mark.parametrize(
    ("fault", "marked", "outcome"),
    [
        ("unsupported", MARKED, "skipped"),
        ("unsupported", MARKED_ERROR, "skipped"),
        ("unsupported", MARKED_STREAM, "skipped"),
        ("types nothing", MARKED, "passed"),
        ("types nothing", MARKED_ERROR, "skipped"),
        ("types the root", MARKED_ERROR, "skipped"),
        ("types the name", MARKED_ERROR, "failed"),
        ("types nothing", {**SYNTAX, "raw": '{"MARK":'}, "failed"),
    ],
)
def test_an_answer_may_say_that_what_is_asked_is_not_claimed(
    tmp_path: Path, fault: str, marked: dict[str, Any], outcome: str
) -> None:
    (verdict,) = ask(cases(tmp_path, marked), fault).verdicts
    assert verdict.outcome == outcome


@pytest.mark.parametrize(("known", "outcome"), [(["unknown"], "failed"), ([], "passed")])
def test_who_does_not_claim_to_see_what_is_unknown_need_not_write_it_back(
    tmp_path: Path, known: list[str], outcome: str
) -> None:
    entry = {"type": "Named", "input": {"name": "MARK", "new": 1}, "expect": {"unknown": ["/new"]}}
    (verdict,) = claiming(cases(tmp_path, entry), "drops the unknown", answers=["ok", "json", *known]).verdicts
    assert verdict.outcome == outcome


@pytest.mark.parametrize(("fault", "marked"), [("refuses", MARKED), ("accepts", MARKED_ERROR), ("ok is 1", MARKED)])
def test_the_verdict_is_always_compared(tmp_path: Path, fault: str, marked: dict[str, Any]) -> None:
    assert claiming(cases(tmp_path, marked), fault, answers=["ok"], reads="text").count("failed") == 1


@pytest.mark.parametrize(
    ("claims", "problem"),
    [
        ({"answers": ["variant"]}, "answers without ok, which every answer has"),
        ({"answers": ["ok", "colour"]}, "answers: 'colour'; expected some of code, json, line, ok, path, raw,"),
        ({"modes": ["loose"]}, "modes: 'loose'; expected some of lenient, strict"),
        ({"ops": ["encode"]}, "ops: 'encode'; expected some of decode, filter, session, stream"),
        ({"ops": "decode"}, "ops: 'decode'; expected list"),
        ({"limits": ["memory"]}, "limits: 'memory'; expected some of indices, integers, surrogates"),
        ({"maps": "random"}, "maps: 'random'; expected sorted, or nothing"),
        ({"reads": "bytes"}, "reads: 'bytes'; expected text or values"),
        ({"types": ["named"]}, "none of the types of parcel, but named; did you mean 'Named'?"),
    ],
    ids=str,
)
def test_a_claim_that_says_nothing_known_fails_the_testee(
    tmp_path: Path, claims: dict[str, object], problem: str
) -> None:
    result = claiming(cases(tmp_path, *PLAIN), **claims)
    assert problem in result.problems[0]
    assert (result.count("failed"), result.count("skipped")) == (1, 50)


def test_what_a_testee_does_not_claim_can_be_read(tmp_path: Path) -> None:
    claims = {"modes": ["lenient"], "ops": ["decode"], "answers": ["ok", "variant"], "reads": "values"}
    result = claiming(cases(tmp_path, MARKED), **claims)
    assert result.abilities is not None
    assert result.abilities.unclaimed == ("JSON text", "strict mode", "streams", "code", "json", "path", "unknown")


def test_a_testee_that_claims_nothing_less_claims_everything(tmp_path: Path) -> None:
    result = ask(cases(tmp_path, MARKED))
    assert result.abilities is not None
    assert result.abilities.unclaimed == ()


def test_types_that_the_spec_lacks_are_said(tmp_path: Path) -> None:
    result = claiming(cases(tmp_path, MARKED), types=["Named", "Moon", "named"])
    assert result.notes == ("fake has 2 types that parcel does not declare: Moon; did you mean 'Mood'?",)
    assert result.count("passed") == 1


# --- limits of schemas -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "outcome"),
    [
        (MARKED, "passed"),
        (MARKED_ERROR, "passed"),
        ({"type": "Named", "raw": '{"name":', "expect": {"error": {"code": "invalid_json", "path": ""}}}, "skipped"),
        ({"type": "Named", "raw": '{"name":1,"name":"a"}', "expect": {"output": {"name": "a"}}}, "skipped"),
        ({"type": "Named", "raw": '{"name":"\\ud800"}', "expect": {"variant": "Named"}}, "skipped"),
        (
            {"type": "Point", "raw": '{"x":0,"y":1e400}', "expect": {"error": {"code": "out_of_range", "path": "/y"}}},
            "skipped",
        ),
        ({"type": "Named", "bytes": "eyJuYW1lIjoiYSJ9", "expect": {"output": {"name": "a"}}}, "skipped"),
        (MARKED_STREAM, "skipped"),
    ],
    ids=["sound", "faulty", "syntax", "key twice", "surrogate", "overflow", "bytes", "stream"],
)
def test_a_schema_is_asked_only_what_it_can_see(tmp_path: Path, entry: dict[str, Any], outcome: str) -> None:
    (verdict,) = ask(cases(tmp_path, entry), "schema").verdicts
    assert verdict.outcome == outcome


@pytest.mark.parametrize("marked", [MARKED, MARKED_ERROR], ids=["refuses what is sound", "accepts what is faulty"])
def test_a_schema_that_gives_the_wrong_verdict_fails(tmp_path: Path, marked: dict[str, Any]) -> None:
    assert "ok is" in problems(ask(among_others(tmp_path, marked), "wrong schema"))


def test_what_passes_for_the_schema_passes_for_a_parser_too(tmp_path: Path) -> None:
    entry = {"type": "Named", "raw": '{"name":1,"name":"a"}', "expect": {"output": {"name": "a"}}}
    assert ask(cases(tmp_path, entry)).count("passed") == 1


def test_cases_of_another_spec_are_not_put_to_a_testee_of_a_fixed_one(tmp_path: Path) -> None:
    (case,) = cases(tmp_path, MARKED)
    testee = Testee("fixed", (sys.executable, "-c", "raise SystemExit(1)"), HERE)
    with Workshop(HERE) as workshop:
        result = run([case], testee, workshop, Protocols(HERE.parents[1] / "spec").default, folder=HERE)
    assert [v.outcome for v in result.verdicts] == ["skipped"]
