"""The code of the TypeScript package: layout, envelopes, and names of the spec that could collide with its own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import flat_answers
import toolchain
from polywire.plan import make_plan
from polywire.targets.typescript import TARGET
from polywire.targets.typescript.names import Names
from polywire.targets.typescript.source import Call, Code, Later, literal
from polywire.writing.render import render
from rendered import generate, model_of

HEADER = {"name": "small", "title": "Small", "version": "1.0.0", "framing": "ndjson", "peers": ["a", "b"]}
CONTROL = {
    "request": {"envelope": "Ask", "id": "/id", "payload": "", "by": "kind"},
    "response": {"envelope": "Answer", "id": "/id", "result": ""},
}
FLAT: dict[str, Any] = {
    "polywire": 1,
    "protocol": {**HEADER, "roots": ["Line"], "control": CONTROL},
    "types": {"Place": {"fields": {"x": "integer"}}},
    "messages": {
        "Ask": {"from": "a", "tag": {"t": "ask"}, "fields": {"id": "string", "ask": {"type": "Asks", "flatten": True}}},
        "Answer": {
            "from": "b",
            "tag": {"t": "answer"},
            "fields": {"id": "string", "result?": {"type": "object", "flatten": True}},
        },
    },
    "unions": {
        "Line": {"open": True, "by": "t", "variants": ["Ask", "Answer"]},
        "Asks": {"open": True, "by": "kind"},
    },
    "controls": {
        "where": {"from": "a", "request": {"of": "string"}, "response": "Place"},
        "stop": {"from": "a", "request": {}, "response": "none"},
    },
}
CLASHING: dict[str, Any] = {
    "polywire": 1,
    "protocol": {**HEADER, "roots": ["Members"]},
    "enums": {
        "Code": {"open": False, "values": {"a": "A.", "b": "B.", "c": "C.", "d": "D."}},
        "Format": {"open": True, "values": {"a": "A."}},
        "Level": {"open": True, "base": "integer", "values": {"one": {"value": 1}}},
    },
    "types": {"Choice": {"tag": {"t": "x"}, "fields": {"reader": "Level", "code": "Code", "format": "Format"}}},
    "unions": {"Members": {"open": True, "by": "t", "variants": ["Choice"]}},
}

UNEVEN: dict[str, Any] = {
    "polywire": 1,
    "protocol": {**HEADER, "roots": ["Root"]},
    "enums": {"Integer": {"open": False, "values": {name: f"{name}." for name in "abcd"}}},
    "types": {
        "Part": {"fields": {"x": "integer"}},
        "Root": {"fields": {"a-b": "Part", "c-d": "Part[]", "e": "integer[]", "f": "Integer[]"}},
    },
}
"""Keys that are not identifiers, and an enum with the same name as a type of the spec language."""

THROWN = "const thrown = (act) => { try { act() } catch (error) { return error } };\n"

Run = Callable[[dict[str, Any], str], Any]


@pytest.fixture
def run(tmp_path: Path, node: toolchain.Toolchain) -> Run:
    """Return the value of an expression in which `p` is the package of a spec."""

    def ran(spec: dict[str, Any], expression: str) -> Any:
        (tmp_path / "spec").mkdir(exist_ok=True)
        (tmp_path / "spec" / "protocol.yaml").write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")
        generate(TARGET, model_of(tmp_path / "spec"), tmp_path)
        program = f'import * as p from "./index.js";\n{THROWN}console.log(JSON.stringify({expression}));\n'
        (tmp_path / "program.mjs").write_text(program, encoding="utf-8")
        done = node.run("node", tmp_path / "program.mjs")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ran


def test_a_flattened_request_and_answer_stand_beside_the_members_of_their_envelopes(run: Run) -> None:
    asked = run(FLAT, 'p.request({ kind: "where", of: "y" }, "1")')
    assert asked == {"t": "ask", "id": "1", "kind": "where", "of": "y"}
    answer = run(FLAT, f"p.reply({json.dumps(asked)}, {{ x: 1 }})")
    assert answer == {"t": "answer", "id": "1", "x": 1}
    assert run(FLAT, f"p.decodeResponse({json.dumps(asked)}, {json.dumps(answer)})") == {"x": 1}
    assert run(FLAT, 'p.decodeResponse({ kind: "stop" }, { t: "answer", id: "1" }) ?? "nothing"') == "nothing"


def test_what_an_envelope_does_not_say_is_filled_by_default(run: Run) -> None:
    hops = {"hops?": {"type": "integer", "default": 3}, "via": {"type": "string | null", "default": "x"}}
    messages: dict[str, Any] = FLAT["messages"]
    ask = {**messages["Ask"], "fields": {**messages["Ask"]["fields"], **hops, "by": "string | null"}}
    spec = {**FLAT, "messages": {**messages, "Ask": ask}}
    asked = run(spec, 'p.request({ kind: "stop" }, "1")')
    assert asked == {"t": "ask", "id": "1", "kind": "stop", "hops": 3, "via": "x", "by": None}


def test_answers_may_stand_flat_in_what_stands_flat_in_their_envelope(run: Run) -> None:
    control, part = flat_answers.CONTROL, flat_answers.with_them({})
    spec = {"polywire": 1, "protocol": {**HEADER, "roots": ["Exchange"], "control": control}, **part}
    asked = {"kind": "ask", "id": "1", "what": "where", "of": "y"}
    answer = {"kind": "answer", "how": "good", "id": "1", "x": 7}
    nothing = 'p.decode(`{"kind":"answer","how":"good","id":"1"}`)'
    bad = '{ kind: "answer", how: "bad", id: "1", why: "." }'
    assert run(
        spec,
        f"""[
          p.request({{ what: "where", of: "y" }}, "1"),
          p.reply({json.dumps(asked)}, {{ x: 7 }}),
          p.decodeResponse({json.dumps(asked)}, {json.dumps(answer)}),
          p.decodeResponse({{ what: "look" }}, {nothing}),
          p.decodeResponse({{ what: "near" }}, {nothing}) ?? "nothing",
          thrown(() => p.decodeResponse({{ what: "look" }}, {bad})).name,
          thrown(() => p.decodeResponse({{ what: "where" }}, {nothing})).path,
        ]""",
    ) == [asked, answer, {"x": 7}, {}, "nothing", "ControlError", "/x"]


# --- requests ----------------------------------------------------------------------------------------------------


def with_control(messages: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The spec of flat requests and responses with more messages and a changed `control`."""
    names = ["Ask", "Answer", *messages]
    return {
        **FLAT,
        "protocol": {**FLAT["protocol"], "control": {**CONTROL, **changes}},
        "messages": {**FLAT["messages"], **messages},
        "unions": {**FLAT["unions"], "Line": {"open": True, "by": "t", "variants": names}},
    }


def test_ids_are_drawn_as_the_protocol_says(run: Run) -> None:
    asked = '[p.request({ kind: "stop" }).id, p.request({ kind: "stop" }).id, p.request({ kind: "stop" }, "x").id]'
    counted = with_control({}, ids={"draw": "counter", "prefix": 'a"_'})
    assert run(counted, asked) == ['a"_1', 'a"_2', "x"]
    drawn = run(with_control({}, ids={"draw": "counter"}), asked)
    assert drawn == ["1", "2", "x"]
    first, second, _ = run(FLAT, asked)
    assert first != second
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", first)


FAILED = {"from": "b", "tag": {"t": "failed"}, "fields": {"id": "string", "why": "string", "no": "integer"}}


def test_data_that_has_to_be_there_is_null_where_there_is_none(run: Run) -> None:
    failed = {**FAILED, "fields": {**FAILED["fields"], "data": "json"}}
    error = {"envelope": "Failed", "id": "/id", "message": "/why", "code": "/no", "data": "/data"}
    spec = with_control({"Failed": failed}, error={**error, "codes": {"refused": 1, "unknown": 2}})
    asked = '{ t: "ask", id: "1", kind: "stop" }'
    expected = {"t": "failed", "id": "1", "why": "no", "no": 1, "data": None}
    assert run(spec, f'p.refuse({asked}, "no")') == expected
    assert run(spec, f'p.refuse({asked}, "no", {{ data: [0], code: 3 }})') == {**expected, "no": 3, "data": [0]}
    unknown = '{ t: "ask", id: "1", kind: "new" }'
    assert run(spec, f'p.refuse({unknown}, "no").no') == 2
    thrown = f'thrown(() => p.decodeResponse({asked}, p.refuse({asked}, "no")))'
    assert run(spec, f"[{thrown}.name, {thrown}.code, {thrown}.data]") == ["ControlError", 1, None]


def test_the_forms_of_one_envelope_are_told_apart_by_any_of_its_members(run: Run) -> None:
    both = {"id": "string", "ok": "integer", "why?": "string", "result?": "json"}
    control = {
        "request": CONTROL["request"],
        "response": {"envelope": "Answer", "id": "/id", "result": "/result", "when": {"/ok": 1}},
        "error": {"envelope": "Answer", "id": "/id", "message": "/why", "when": {"/ok": 0}},
    }
    spec = with_control({}, **control)
    spec["messages"]["Answer"] = {"from": "b", "tag": {"t": "answer"}, "fields": both}
    asked = '{ t: "ask", id: "1", kind: "where", of: "y" }'
    assert run(spec, f"p.reply({asked}, {{ x: 1 }})") == {"t": "answer", "id": "1", "ok": 1, "result": {"x": 1}}
    assert run(spec, f'p.refuse({asked}, "no")') == {"t": "answer", "id": "1", "ok": 0, "why": "no"}
    answers = 'why: "no", result: { x: 1 }'
    found = [
        f'(() => {{ try {{ return p.decodeResponse({asked}, {{ t: "answer", id: "1", ok: {ok}, {answers} }}).x }} '
        "catch (error) { return `${error.name}: ${error.message}` } })()"
        for ok in (1, 0, 2)
    ]
    told = run(spec, f"[{', '.join(found)}]")
    assert told == [1, "ControlError: no", "TypeError: expected a response with an answer or an error"]


def test_a_response_without_the_object_that_would_hold_its_answer_is_of_no_form(run: Run) -> None:
    control = {
        "request": CONTROL["request"],
        "response": {"envelope": "Answer", "id": "/id", "result": "/good/result", "when": {"/ok": True}},
        "error": {"envelope": "Answer", "id": "/id", "message": "/bad/why", "when": {"/ok": False}},
    }
    spec = with_control({}, **control)
    fields = {"id": "string", "ok": "boolean", "good?": "Good", "bad?": "Bad"}
    spec["messages"]["Answer"] = {"from": "b", "tag": {"t": "answer"}, "fields": fields}
    good, bad = {"fields": {"result?": "json"}}, {"fields": {"why": "string"}}
    spec["types"] = {**FLAT["types"], "Good": good, "Bad": bad}
    asked = '{ t: "ask", id: "1", kind: "stop" }'
    found = [
        f'thrown(() => p.decodeResponse({asked}, {{ t: "answer", id: "1", {members} }}))?.name ?? "none"'
        for members in (
            "ok: true, good: {}",
            "ok: true",
            'ok: false, bad: { why: "." }',
            "ok: false",
            "ok: true, bad: {}",
        )
    ]
    told = run(spec, f"[{', '.join(found)}]")
    assert told == ["none", "TypeError", "ControlError", "TypeError", "DecodeError"]


def test_envelopes_that_no_union_has_are_tried_one_after_the_other(run: Run) -> None:
    error = {"envelope": "Failed", "id": "/id", "message": "/why"}
    spec = with_control({"Failed": {**FAILED, "fields": {"id": "string", "why": "string"}}}, error=error)
    spec["protocol"]["roots"] = ["Line", "Failed"]
    spec["unions"]["Line"]["variants"] = ["Ask", "Answer"]
    asked = '{ t: "ask", id: "1", kind: "where", of: "y" }'
    expression = f"""[
      p.decodeResponse({asked}, p.reply({asked}, {{ x: 1 }})),
      thrown(() => p.decodeResponse({asked}, p.refuse({asked}, "no"))).message,
      thrown(() => p.decodeResponse({asked}, {{ t: "other" }})).name,
    ]"""
    assert run(spec, expression) == [{"x": 1}, "no", "DecodeError"]


SHELF = Path(__file__).resolve().parents[1] / "specs" / "jsonrpc"


def test_answers_and_the_data_of_errors_are_part_of_the_surface() -> None:
    items = {(each.of[-1], each.name): each.type for each in TARGET.api_surface(make_plan(model_of(SHELF)))}
    assert items["answer", '"shelf/sort"'] == "SortKey | null | undefined"
    assert items["answer", '"librarian/ask"'] == "boolean"
    assert items['"shelf/sort"', "ErrorData"] == "LockedShelf"
    assert items['"-32002"', "ErrorData"] == "MissingBook"


def test_every_type_that_requests_add_is_reserved() -> None:
    model = model_of(SHELF)
    declarations = render(TARGET, make_plan(model))["index.d.ts"].decode()
    declared = set(
        re.findall(r"^export (?:declare (?:class|function)|interface|type) (\w+)", declarations, re.MULTILINE)
    )
    added = {"ControlError", "ErrorData", "ReplyTo", "ResponseTo", "Responses", "cancel", "notify", "refuse", "request"}
    assert added <= declared <= {each.name for each in Names(model).all()}


def test_a_request_is_cancelled_by_an_envelope_of_its_own(run: Run) -> None:
    never = {"from": "a", "tag": {"t": "never"}, "fields": {"of": "string", "at?": "integer"}}
    cancel = {"envelope": "Never", "id": "/of", "answered": False}
    spec = with_control({"Never": never}, cancel=cancel)
    assert run(spec, 'p.cancel(p.request({ kind: "stop" }, "7"))') == {"t": "never", "of": "7"}
    assert run(spec, "[p.notify, p.refuse] .map((each) => typeof each)") == ["undefined", "undefined"]


def test_names_of_the_spec_may_be_those_that_the_code_has_for_itself(run: Run) -> None:
    assert run(CLASHING, "[p.CODES, p.FORMATS, p.Level.One]") == [["a", "b", "c", "d"], ["a"], 1]
    line = '{"t":"x","reader":2,"code":"d","format":"b"}'
    assert run(CLASHING, f"p.encode(p.decode({json.dumps(line)}))") == line
    assert run(CLASHING, f"p.examine({json.dumps(line)}).unknown") == ["/format", "/reader"]


def test_members_of_any_key_are_checked_by_the_type_that_they_have(run: Run) -> None:
    value = {"a-b": {"x": 1}, "c-d": [{"x": 2}], "e": [3], "f": ["a"]}
    assert run(UNEVEN, f"p.is({json.dumps(value)}, p.Root)") is True
    for wrong in ({"a-b": {}}, {"c-d": [1]}, {"e": ["a"]}, {"f": [1]}, {"f": ["e"]}):
        assert run(UNEVEN, f"p.is({json.dumps({**value, **wrong})}, p.Root)") is False


def test_what_fits_on_a_line_stays_on_it_unless_arrays_stand_in_an_array() -> None:
    assert literal([1, "a", None, True], 0, 0) == '[1, "a", null, true]'
    assert literal(["a", [1, 2]], 0, 0) == '["a", [1, 2]]'
    assert literal([["a", 1], ["b", 2]], 2, 9) == '[\n    ["a", 1],\n    ["b", 2],\n  ]'
    assert literal(["x" * 60, "y" * 60], 0, 0) == f'[\n  "{"x" * 60}",\n  "{"y" * 60}",\n]'
    assert literal(list(range(100, 160)), 0, 0).count("\n") == 4


def test_a_call_that_is_too_long_opens_its_last_argument_or_breaks_at_all() -> None:
    rows = [["a", Code("t.string"), 1], ["b", Code("t.number"), 0]]
    assert literal(Call("t.struct", ("A", Later(rows))), 0, 20) == (
        't.struct("A", () => [\n  ["a", t.string, 1],\n  ["b", t.number, 0],\n])'
    )
    union = Call("t.union", ("A", True, Later(Call("t.byTag", (True, "x" * 90)))))
    assert literal(union, 0, 10) == f't.union("A", true, () =>\n  t.byTag(true, "{"x" * 90}"),\n)'
    assert literal(Call("f", ("a" * 70, "b" * 70)), 2, 2) == f'f(\n    "{"a" * 70}",\n    "{"b" * 70}",\n  )'
    assert literal({"a": Code("b")}, 0, 0) == "{ a: b }"
