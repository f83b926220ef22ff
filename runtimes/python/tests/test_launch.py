"""The launch of a fictitious program, from a hand-written table: how options are passed, and which are rejected."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

launching = importlib.import_module("polywire_runtime._launch")
NAN, HUGE = float("nan"), float("inf")


def flag(name: str, form: str = "value", **more: Any) -> dict[str, Any]:
    return {"to": "flag", "name": name, "as": form, "keep": ["zero"], **more}


TABLE = {
    "record": "Radio",
    "releases": ["1", "2"],
    "arguments": ["--json"],
    "environment": [["RADIO", "on"], ["DEBUG", None]],
    "inherit": "unless_given",
    "control": "hello",
    "by": "kind",
    "options": [
        {"name": "channel", "carry": [flag("--channel")]},
        {"name": "search", "carry": [flag("--search", "bare")]},
        {"name": "tags", "carry": [flag("--tags", "join")]},
        {"name": "songs", "carry": [flag("--tags", "join", wrap="Song(*)")]},
        {"name": "plan", "carry": [flag("--plan", "json", at=["part"])]},
        {"name": "text", "carry": [flag("--plan", "json", at=[])]},
        {"name": "scheme", "carry": [flag("--scheme", "json")]},
        {
            "name": "stations",
            "carry": [
                {
                    "to": "control",
                    "name": "hello",
                    "as": "json",
                    "at": ["stations"],
                    "only": [[["kind"], "own"]],
                    "except": [[["off"], True]],
                    "omit": ["kind"],
                }
            ],
        },
        {"name": "listeners", "carry": [{"to": "control", "name": "hello", "as": "json", "at": ["listeners"]}]},
        {"name": "args", "carry": [{"to": "process", "name": "program_arguments", "as": "value"}]},
        {"name": "rooms", "carry": [{"to": "control", "name": "hello", "as": "keys", "at": ["rooms"]}]},
        {"name": "newer", "carry": [flag("--newer", releases=[[1, 1]])]},
        {"name": "env", "carry": [{"to": "process", "name": "environment", "as": "value"}]},
        {"name": "more", "carry": [flag("--", "pairs")]},
        {
            "name": "halls",
            "carry": [
                flag(
                    "--halls",
                    "bare",
                    **{"except": [[["off"], True]], "with": {"option": "channel", "when": [["is", None], ["is", 7]]}},
                )
            ],
        },
        {"name": "own", "kept": True},
        {"name": "ask", "function": True, "carry": [flag("--ask", value="stdio")]},
    ],
    "conflicts": [
        {"fields": ["channel", "search"], "message": "A radio that searches has no channel."},
        {"fields": ["ask", "own"], "message": "Never: the one that is kept does not travel."},
    ],
    "functions": [
        {"path": ["ask"], "control": "ask"},
        {"path": ["listeners", "*", "call"], "list": True, "ids": ["callIds"], "wrap": "call-*"},
    ],
    "local": [],
}


def launch(options: dict[str, Any], functions: dict[Any, Any] | None = None, release: str | None = None) -> Any:
    return launching.launched(TABLE, options, functions or {}, release)


def deep(levels: int) -> str:
    """A JSON text nested to the given depth."""
    return '{"a":' + "[" * (levels - 1) + "]" * (levels - 1) + "}"


def refused(options: dict[str, Any], functions: dict[Any, Any] | None = None, release: str | None = None) -> Any:
    with pytest.raises(launching.LaunchError) as found:
        launch(options, functions, release)
    return found.value.code, *found.value.paths


def test_without_options_only_what_is_always_there_is_given() -> None:
    found = launch({})
    assert found.arguments == ["--json"]
    assert found.requests == {"hello": {"kind": "hello"}}
    assert found.environment.over({"A": "b", "DEBUG": "1"}) == {"RADIO": "on", "A": "b"}
    assert found.environment.over({"RADIO": "off"}) == {"RADIO": "off"}
    assert found.environment.over({"RADIO": ""}) == {"RADIO": "on"}
    assert launch({"env": {"RADIO": ""}}).environment.over({"A": "b"}) == {"RADIO": "on"}


def test_a_release_that_is_not_known_is_refused_by_name() -> None:
    assert refused({}, release="3") == ("unknown_release",)


def test_an_option_that_a_release_does_not_have_cannot_travel() -> None:
    assert launch({"newer": "x"}, release="2").arguments[1:] == ["--newer", "x"]
    assert refused({"newer": "x"}, release="1") == ("cannot_travel", "/newer")
    assert refused({"unheard/of~": 1}) == ("cannot_travel", "/unheard~1of~0")


def test_options_that_exclude_each_other_are_both_named() -> None:
    assert refused({"channel": 0, "search": True}) == ("conflict", "/channel", "/search")
    assert launch({"channel": 0, "search": False}).arguments[1:] == ["--channel", "0"]
    assert launch({"own": 1}, {("ask",): print}).arguments[1:] == ["--ask", "stdio"]


def test_an_option_depends_on_the_value_of_another_where_null_is_none_and_a_flag_on_what_is_left() -> None:
    halls = {"a": {"off": True}, "b": {}}
    assert launch({"halls": halls}).arguments[1:] == ["--halls"]
    assert launch({"halls": {"a": {"off": True}}}).arguments[1:] == []
    assert launch({"channel": 7, "halls": halls}).arguments[1:] == ["--channel", "7", "--halls"]
    assert launch({"channel": 8, "halls": halls}).arguments[1:] == ["--channel", "8"]


@pytest.mark.parametrize("number", [NAN, HUGE, -HUGE])
def test_a_number_that_json_cannot_spell_is_refused_with_its_place(number: float) -> None:
    assert refused({"scheme": {"a/b": [1, {"c": number}]}}) == ("cannot_travel", "/scheme/a~1b/1/c")
    assert refused({"channel": number}) == ("cannot_travel", "/channel")


def test_an_integer_beyond_doubles_is_refused() -> None:
    assert refused({"channel": 10**400}) == ("cannot_travel", "/channel")
    assert refused({"scheme": [10**400]}) == ("cannot_travel", "/scheme/0")


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.1, "0.1"), (-0.0, "0"), (1e21, "1e+21"), (1e-7, "1e-7"), (123e18, "123000000000000000000"), (5e-324, "5e-324")],
)
def test_a_number_is_spelled_as_in_ecmascript(number: float, text: str) -> None:
    assert launch({"channel": number}).arguments[1:] == ["--channel", text]


@pytest.mark.parametrize("text", ["a\0", "\ud800", "\udc00a"])
def test_what_no_argument_can_hold_is_refused_and_travels_in_json(text: str) -> None:
    assert refused({"channel": text}) == ("cannot_travel", "/channel")
    assert refused({"tags": ["a", text]}) == ("cannot_travel", "/tags/1")
    assert refused({"env": {"A": text}}) == ("cannot_travel", "/env/A")
    assert refused({"env": {text: "a"}})[0] == "cannot_travel"
    assert refused({"more": {text: None}})[0] == "cannot_travel"
    argument = launch({"scheme": {"x": text}}).arguments[-1]
    assert argument.encode().startswith(b'{"x":"')


@pytest.mark.parametrize("name", ["", "a=b", "="])
def test_a_variable_needs_a_name(name: str) -> None:
    assert refused({"env": {name: "x"}}) == ("cannot_travel", f"/env/{name}")


@pytest.mark.parametrize("key", ["__proto__", "constructor", "toString"])
def test_keys_that_other_languages_know_are_keys(key: str) -> None:
    assert launch({"env": {key: "x"}}).environment.set == {key: "x"}
    assert launch({"more": {key: "x"}}).arguments[1:] == [f"--{key}", "x"]
    assert launch({"stations": {key: {"kind": "own", "at": 1}}}).requests["hello"]["stations"] == {key: {"at": 1}}
    assert refused({key: 1}) == ("cannot_travel", f"/{key}")


def test_a_value_that_looks_like_a_flag_is_none() -> None:
    assert launch({"channel": "--search", "tags": ["-a"]}).arguments[1:] == ["--channel=--search", "--tags=-a"]


def test_a_text_keeps_within_what_is_put_around_it() -> None:
    assert launch({"tags": ["a"], "songs": ["b c", "a"]}).arguments[1:] == ["--tags", "a,Song(b c),Song(a)"]
    for text in ("", " ", " a", "a ", "a,b", "a)", "(a", "a),Song(b", "a\nb"):
        assert refused({"songs": ["b", text]}) == ("cannot_travel", "/songs/1")


def test_options_share_the_json_of_a_flag() -> None:
    assert launch({"plan": [1], "text": '{"a": 1}'}).arguments[1:] == ["--plan", '{"a":1,"part":[1]}']
    assert launch({"text": "no JSON"}).arguments[1:] == ["--plan", "no JSON"]
    for text in ("no JSON", "[]", '{"a":1e400}', '{"a":1' + "0" * 400 + "}", '{"a":NaN}', "[" * 100_000, deep(129)):
        assert refused({"plan": [1], "text": text}) == ("cannot_travel", "/text")
    assert launch({"plan": [1], "text": deep(128)}).arguments[-1] == deep(128)[:-1] + ',"part":[1]}'
    assert launch({"plan": [1], "text": '{"a":1e400,"a":1}'}).arguments[-1] == '{"a":1,"part":[1]}'
    assert launch({"plan": [1], "text": '{"a":"\ud800"}'}).arguments[-1] == '{"a":"\\ud800","part":[1]}'
    for plan in ([1, HUGE], [1, {"a": [HUGE]}]):  # the place in the option, not in the argument that options share
        place = "/plan/1" if plan[1] == HUGE else "/plan/1/a/0"
        assert refused({"plan": plan}) == refused({"plan": plan, "text": "{}"}) == ("cannot_travel", place)
    assert refused({"plan": [1], "text": '{"part":null}'}) == ("conflict", "/text", "/plan")
    assert refused({"text": "{}", "more": {"plan": "{}"}}) == ("conflict", "/text", "/more/plan")


def test_entries_travel_without_the_members_that_are_left_out() -> None:
    stations = {
        "a": {"kind": "own", "at": 1},
        "b": {"kind": "other", "at": 2},
        "c": {"kind": "own"},
        "d": {"kind": "own", "off": True},
        "e": 1,
    }
    assert launch({"stations": stations}).requests["hello"]["stations"] == {"a": {"at": 1}}


def test_functions_are_called_by_ids_in_the_order_of_the_document() -> None:
    functions = {("listeners", 1, "call"): [print, repr], ("listeners", 0, "call"): [len]}
    found = launch({"listeners": [{"name": "a"}, {}]}, functions)
    assert found.requests["hello"]["listeners"] == [
        {"name": "a", "callIds": ["call-0"]},
        {"callIds": ["call-1", "call-2"]},
    ]
    assert [(each.id, each.function, each.place) for each in found.functions] == [
        ("call-0", len, "/listeners/0/call/0"),
        ("call-1", print, "/listeners/1/call/0"),
        ("call-2", repr, "/listeners/1/call/1"),
    ]


def test_functions_without_ids_in_requests_have_the_key_of_the_map_they_are_in() -> None:
    row = {"path": ["stations", "*", "call"], "control": "ask", "id": ["station"]}
    table = {**TABLE, "functions": [row, {"path": ["ask"], "control": "ask"}, {"path": ["text"], "live": True}]}
    functions = {("stations", "a", "call"): len, ("stations", "0", "call"): repr, ("ask",): print, ("text",): 1}
    found = launching.launched(table, {"stations": {"0": {}, "a": {}, "b": {}}}, functions, None)
    assert [(each.place, each.control, each.id, each.live) for each in found.functions] == [
        ("/stations/0/call", "ask", "0", False),
        ("/stations/a/call", "ask", "a", False),
        ("/ask", "ask", None, False),
        ("/text", None, None, True),
    ]


def test_nothing_calls_functions_whose_ids_do_not_exist_at_the_release() -> None:
    row = {"path": ["listeners", "*", "call"], "control": "ask", "list": True, "ids": ["callIds"], "releases": [[1, 1]]}
    table = {**TABLE, "functions": [row]}
    functions = {("listeners", 0, "call"): [len]}
    found = [launching.launched(table, {"listeners": [{}]}, functions, each).functions[0] for each in ("1", "2")]
    assert [(each.control, each.id) for each in found] == [(None, None), ("ask", "0")]


@pytest.mark.parametrize("name", ["env", "more", "args", "rooms"])
def test_a_null_in_place_of_a_map_or_a_list_is_refused(name: str) -> None:
    assert refused({name: None}) == ("cannot_travel", f"/{name}")


def test_a_null_in_place_of_what_holds_ids_gives_way_to_it() -> None:
    table = {**TABLE, "functions": [{"path": ["listeners", "*", "call"], "ids": ["more", "ids"]}]}
    found = launching.launched(table, {"listeners": [{"more": None}]}, {("listeners", 0, "call"): print}, None)
    assert found.requests["hello"]["listeners"] == [{"more": {"ids": ["0"]}}]


def test_a_function_in_place_of_a_list_is_refused() -> None:
    assert refused({"listeners": [{}]}, {("listeners", 0, "call"): print}) == ("cannot_travel", "/listeners/0/call")
