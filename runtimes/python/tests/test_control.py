"""Requests and their answers, tools and their inputs and outputs."""

from __future__ import annotations

import re
from typing import Any

import pytest

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
PLACE = "15a80493-66e9-4466-ae3a-bcd607abc2e9"


@pytest.fixture
def asked(runtime: Any) -> Any:
    return runtime.control.request(runtime.model.Look(at=PLACE), "7")


@pytest.fixture
def told(runtime: Any) -> Any:
    """A request without a declared answer."""
    return runtime.control.request(runtime.model.Forget(), "8")


def test_a_request_has_an_id_of_its_own_unless_one_is_given(runtime: Any, asked: Any) -> None:
    assert asked == runtime.model.Ask(id="7", request=runtime.model.Look(at=PLACE))
    assert UUID.fullmatch(runtime.control.request(runtime.model.Forget()).id)


def test_an_answer_has_the_type_that_the_request_asks_for(runtime: Any, asked: Any) -> None:
    control, sight = runtime.control, runtime.model.Sight(items=[])
    assert control.response_type(asked) is control.response_type(runtime.model.Look) is runtime.model.Sight
    assert control.response_type(runtime.model.Note(text="")) is runtime.model.Color
    results: tuple[Any, ...] = (sight, {"items": []}, {"items": ()})
    for result in results:
        answer = control.reply(asked, result)
        assert runtime.wire.to_dict(answer) == {"kind": "answer", "id": "7", "result": {"items": []}}
        assert control.decode_response(asked, answer) == control.decode_response(asked.request, answer) == sight
        came = runtime.wire.decode(runtime.wire.encode(answer))
        assert control.decode_response(runtime.model.Look, came) == sight


@pytest.mark.parametrize(
    ("result", "code", "path"),
    [
        (None, "wrong_type", ""),
        ("x", "wrong_type", ""),
        ({}, "missing_field", "/items"),
        ({"items": [{"kind": "note", "text": 1}]}, "wrong_type", "/items/0/text"),
        ({"items": [], "new": {"a": float("inf")}}, "out_of_range", "/new/a"),
        ({"items": [], "new": float("nan")}, "out_of_range", "/new"),
    ],
)
def test_an_answer_that_does_not_fit_is_not_made(runtime: Any, asked: Any, result: Any, code: str, path: str) -> None:
    with pytest.raises(runtime.base.EncodeError) as caught:
        runtime.control.reply(asked, result)
    assert (caught.value.code, caught.value.path) == (code, path)


def test_an_answer_with_unknown_content_is_made(runtime: Any, asked: Any) -> None:
    result = {"items": [{"kind": "note", "text": "a", "more": [1]}], "new": 1}
    assert runtime.wire.to_dict(runtime.control.reply(asked, result))["result"] == result


def test_an_answer_of_another_class_is_not_made(runtime: Any, asked: Any) -> None:
    for result in (runtime.model.Note(text="a"), runtime.model.Sight(items=[runtime.model.Note(text=1)])):
        with pytest.raises(runtime.base.EncodeError, match="wrong_type"):
            runtime.control.reply(asked, result)


def test_an_answer_that_does_not_fit_is_an_error(runtime: Any, asked: Any) -> None:
    control, answer = runtime.control, runtime.model.Answer
    with pytest.raises(runtime.base.DecodeError, match="missing_field at /items"):
        control.decode_response(asked, answer(id="7", result={}))
    for response in (answer(id="7"), answer(id="7", result=None)):
        with pytest.raises(runtime.base.DecodeError):
            control.decode_response(asked, response)
    came = answer(id="7", result={"items": [], "new": 1})
    assert control.decode_response(asked, came).extra == {"new": 1}
    with pytest.raises(runtime.base.DecodeError, match="unknown_field at /new"):
        control.decode_response(asked, came, strict=True)
    with pytest.raises(LookupError, match="expected a response with an answer or an error"):
        control.decode_response(asked, runtime.model.Note(text="a"))


def test_a_request_that_nothing_is_declared_to_answer_goes_without(runtime: Any, told: Any) -> None:
    control = runtime.control
    assert control.response_type(told) is None
    assert control.decode_response(told, control.reply(told)) is None
    assert control.decode_response(told, runtime.model.Answer(id="8", result={"x": 1})) == {"x": 1}
    with pytest.raises(runtime.base.EncodeError, match="expected no result"):
        control.reply(told, {"x": 1})


def test_an_optional_answer_may_be_left_out(runtime: Any) -> None:
    control, note = runtime.control, runtime.model.Note(text="a")
    assert control.decode_response(note, runtime.model.Answer(id="", result=None)) is None
    assert control.decode_response(note, runtime.model.Answer(id="", result="red")) == "red"
    with pytest.raises(runtime.base.DecodeError, match="wrong_type"):
        control.decode_response(note, runtime.model.Answer(id="", result=1))


def test_a_refusal_is_raised_with_the_message_of_the_peer(runtime: Any, asked: Any, told: Any) -> None:
    control = runtime.control
    for request in (asked, told, asked.request):
        refusal = control.refuse(asked, "no such place")
        assert refusal == runtime.model.Refusal(id="7", reason="no such place")
        came = runtime.wire.decode(runtime.wire.encode(refusal))
        with pytest.raises(control.ControlError) as caught:
            control.decode_response(request, came)
        assert (caught.value.message, str(caught.value)) == ("no such place", "no such place")
        assert caught.value.response == refusal


def test_what_is_no_request_has_no_answer(runtime: Any) -> None:
    values: tuple[Any, ...] = (runtime.model.Sight(items=[]), runtime.model.Sight, dict, {}, None, "Look")
    for value in values:
        with pytest.raises(TypeError, match="expected a request of the protocol"):
            runtime.control.response_type(value)


def test_tools_are_found_by_name_and_by_pattern(runtime: Any) -> None:
    tools, note = runtime.tools, {"kind": "note", "text": "a"}
    assert tools.tool_input("Write", note) == runtime.model.Note(text="a")
    assert tools.tool_output("Write", {"items": [note]}) == runtime.model.Sight(items=[runtime.model.Note(text="a")])
    assert tools.tool_input("look_here_at", {"what": "look", "at": PLACE}) == runtime.model.Look(at=PLACE)
    assert tools.tool_input("list_all", ["a"]) == ["a"]
    assert tools.tool_input("look_at", note) is note
    with pytest.raises(runtime.base.DecodeError, match="wrong_type at /0"):
        tools.tool_input("list_all", [1])
    for value in (10**4300, {"a": 10**4300}):
        with pytest.raises(runtime.base.DecodeError, match=r"^out_of_range: "):
            tools.tool_input("list_all", [value])


def test_what_a_tool_takes_is_judged_strictly_where_that_is_asked_for(runtime: Any) -> None:
    note = {"kind": "note", "text": "a", "new": 1}
    assert runtime.tools.tool_input("Write", note).extra == {"new": 1}
    for way, value in ((runtime.tools.tool_input, note), (runtime.tools.tool_output, {"items": [note]})):
        with pytest.raises(runtime.base.DecodeError, match="unknown_field"):
            way("Write", value, strict=True)


@pytest.mark.parametrize(
    ("name", "matches"),
    [("a_b_c", True), ("a__c", True), ("a_bb_x_c", True), ("a_c", False), ("xa_b_c", False), ("a_b_cx", False)],
)
def test_a_star_in_the_name_of_a_tool_is_any_text(runtime: Any, name: str, matches: bool) -> None:
    assert runtime.tools._matching({"a_*_c": "found"}, name) == ("found" if matches else None)
    assert runtime.tools._matching({"a_*_*c": "found"}, "a__c") == "found"
    assert runtime.tools._matching({"a*b*c": "found"}, "a_c") is None


# --- errors with a code and data ---------------------------------------------------------------------------------


def refusal(runtime: Any, request: Any, **parts: Any) -> Any:
    """The exception for an error that answers a request."""
    came = runtime.wire.decode(runtime.wire.encode(runtime.control.refuse(request, "no", **parts)))
    with pytest.raises(runtime.control.ControlError) as caught:
        runtime.control.decode_response(request, came)
    return caught.value


def test_an_error_has_the_code_and_the_data_that_were_given(runtime: Any, asked: Any) -> None:
    assert (refusal(runtime, asked).code, refusal(runtime, asked).data) == (None, None)
    found = refusal(runtime, asked, code=3, data={"why": [1, None]})
    assert (found.code, found.data) == (3, {"why": [1, None]})
    assert refusal(runtime, asked, data=None).response.data is None


def test_the_data_of_an_error_has_the_type_that_belongs_to_its_request_or_its_code(runtime: Any, asked: Any) -> None:
    note, sight = runtime.model.Note(text="a"), runtime.model.Sight(items=[])
    assert refusal(runtime, asked, code=7, data=sight).data == sight
    assert refusal(runtime, asked, code=7, data={"items": []}).data == sight
    told = runtime.control.request(note, "9")
    assert refusal(runtime, told, code=7, data=note).data == note


def test_data_that_does_not_fit_its_type_is_plain_data_of_the_error(runtime: Any, asked: Any) -> None:
    assert refusal(runtime, asked, code=7, data={"items": 1}).data == {"items": 1}


def test_a_code_or_data_that_the_protocol_cannot_hold_is_an_error_where_it_is_written(runtime: Any, asked: Any) -> None:
    with pytest.raises(runtime.base.EncodeError, match="wrong_type at /code"):
        runtime.wire.encode(runtime.control.refuse(asked, "no", code="3"))
    with pytest.raises(runtime.base.EncodeError, match="out_of_range"):
        runtime.wire.encode(runtime.control.refuse(asked, "no", data=float("nan")))


def test_an_unknown_request_is_refused_with_the_code_for_that(runtime: Any) -> None:
    unknown = runtime.model.Ask(id="7", request=runtime.unknowns.UnknownCall(raw={"what": "dance"}))
    assert runtime.control.refuse(unknown, "cannot").code == -1


def test_a_response_is_an_answer_only_on_its_conditions(runtime: Any, asked: Any, monkeypatch: Any) -> None:
    way = (("id", ("Answer", "Refusal")),)
    monkeypatch.setitem(runtime.pairs.SESSION["response"], "when", ((way, "7"),))
    monkeypatch.setitem(runtime.pairs.SESSION["error"], "when", ((way, "8"),))
    answer = runtime.control.reply(asked, {"items": []})
    assert runtime.control.decode_response(asked, answer) == runtime.model.Sight(items=[])
    for other in (runtime.model.Answer(id="8", result={"items": []}), runtime.control.refuse(asked, "no")):
        with pytest.raises(LookupError):
            runtime.control.decode_response(asked, other)


def test_the_answer_none_may_be_a_value(runtime: Any, told: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(runtime.pairs.SESSION, "none", "{}")
    answer = runtime.control.reply(told)
    assert answer.result == {}
    assert runtime.control.decode_response(told, answer) is None
    answer.result["mine"] = 1
    assert runtime.control.reply(told).result == {}


def test_ids_are_counted_where_the_protocol_says_so(runtime: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(runtime.pairs.SESSION, "draw", "text")
    monkeypatch.setitem(runtime.pairs.SESSION, "prefix", "q-")
    ids = [runtime.control.request(runtime.model.Forget()).id for _ in range(3)]
    assert [each.startswith("q-") for each in ids] == [True] * 3
    assert len(set(ids)) == 3
    monkeypatch.setitem(runtime.pairs.SESSION, "draw", "number")
    assert runtime.control.id_of(3) == 3


def test_a_new_envelope_is_filled_by_the_table(runtime: Any, monkeypatch: Any) -> None:
    note = ("new", "Note", {"text": ("given", "message"), "data": ("fixed", {"a": []}), "reply_to": "uuid"})
    values = {"id": ("given", "id"), "result": note}
    monkeypatch.setitem(runtime.pairs.SESSION["response"], "new", ("new", "Answer", values))
    monkeypatch.setattr(runtime.control, "_makers", {})
    make = runtime.control.maker("response")
    one, other = make(id="1", message="hi"), make(id="2", message="hi")
    assert (one.id, one.result.text, one.result.data) == ("1", "hi", {"a": []})
    assert one.result.data is not other.result.data
    assert one.result.reply_to != other.result.reply_to


def test_fixed_values_of_declared_types_and_empty_ones(runtime: Any) -> None:
    values: dict[str, Any] = {"at": "null", "extra": "object", "x": "list", "y": ("fixed", {"items": []}, "Sight")}
    scope: dict[str, Any] = {}
    found = runtime.control._expression(("new", "Look", values), scope)
    assert found == "Look(at=None, extra={}, x=[], y=from_value({'items': []}, 'Sight'))"
    assert scope == {"Look": runtime.model.Look}
