"""Requests and the answers to them, tools and what they take."""

from __future__ import annotations

import re
from typing import Any

import pytest

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
PLACE = "15a80493-66e9-4466-ae3a-bcd607abc2e9"


@pytest.fixture
def asked(runtime: Any) -> Any:
    return runtime.control.request(runtime.model.Look(at=PLACE), "7")


def test_a_request_has_an_id_of_its_own_unless_one_is_given(runtime: Any, asked: Any) -> None:
    assert asked == runtime.model.Ask(id="7", request=runtime.model.Look(at=PLACE))
    assert UUID.fullmatch(runtime.control.request(runtime.model.Forget()).id)


def test_an_answer_has_the_type_that_the_request_asks_for(runtime: Any, asked: Any) -> None:
    control, sight = runtime.control, runtime.model.Sight(items=[])
    assert control.response_type(asked) is control.response_type(runtime.model.Look) is runtime.model.Sight
    answer = control.reply(asked, sight)
    assert answer == runtime.model.Answer(id="7", result={"items": []})
    assert control.decode_response(asked, answer) == control.decode_response(asked.request, answer) == sight


def test_an_answer_that_does_not_fit_is_an_error(runtime: Any, asked: Any) -> None:
    control = runtime.control
    with pytest.raises(runtime.base.DecodeError, match="missing_field at /items"):
        control.decode_response(asked, control.reply(asked, {}))
    with pytest.raises(runtime.base.DecodeError, match="missing_field at /result"):
        control.decode_response(asked, control.reply(asked))
    with pytest.raises(LookupError, match="no answer"):
        control.decode_response(asked, runtime.model.Note(text="a"))


def test_a_request_that_nothing_is_declared_to_answer_may_go_without(runtime: Any) -> None:
    asked = runtime.control.request(runtime.model.Forget(), "8")
    assert runtime.control.response_type(asked) is None
    assert runtime.control.decode_response(asked, runtime.control.reply(asked)) is None
    assert runtime.control.decode_response(asked, runtime.control.reply(asked, {"x": 1})) == {"x": 1}


def test_what_is_no_request_has_no_answer(runtime: Any) -> None:
    with pytest.raises(TypeError, match="Note is no request"):
        runtime.control.response_type(runtime.model.Note(text="a"))


def test_tools_are_found_by_name_and_by_pattern(runtime: Any) -> None:
    tools, note = runtime.tools, {"kind": "note", "text": "a"}
    assert tools.tool_input("Write", note) == runtime.model.Note(text="a")
    assert tools.tool_output("Write", {"items": [note]}) == runtime.model.Sight(items=[runtime.model.Note(text="a")])
    assert tools.tool_input("look_here_at", {"what": "look", "at": PLACE}) == runtime.model.Look(at=PLACE)
    assert tools.tool_input("list_all", ["a"]) == ["a"]
    assert tools.tool_input("look_at", note) is note
    with pytest.raises(runtime.base.DecodeError, match="wrong_type at /0"):
        tools.tool_input("list_all", [1])
    with pytest.raises(runtime.base.DecodeError, match="out_of_range"):
        tools.tool_input("list_all", [10**4300])
