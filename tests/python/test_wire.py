"""Bytes → objects → bytes: what is preserved, what is rejected, and that no valid line is decoded twice."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import MISSING
from dataclasses import fields as fields_of
from pathlib import Path
from typing import Any, Optional

import agentlines as al
import pytest
from agentlines import _wire
from hypothesis import given
from hypothesis import strategies as st

CAPTURES = Path(__file__).resolve().parents[1] / "captures"

USER = {"type": "user", "message": {"role": "user", "content": "hi"}, "parent_tool_use_id": None, "session_id": "s"}


def dump(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def captured(version: str) -> list[bytes]:
    files = sorted((CAPTURES / version).glob("*.ndjson"))
    return [line for file in files for line in file.read_bytes().split(b"\n") if line.strip()]


@pytest.mark.parametrize("version", ["0.2.37", "0.3.330"])
def test_captured_lines_come_back_equal(version: str) -> None:
    for line in captured(version):
        message = al.decode(line)
        assert json.loads(al.encode(message)) == json.loads(line)
        assert al.decode(al.encode(message)) == message
        assert al.from_dict(json.loads(line)) == message
        assert al.examine(line).value == message


@pytest.mark.parametrize("version", ["0.2.37", "0.3.330"])
def test_no_captured_line_is_decoded_or_written_twice(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(error: Exception, *_: Any) -> None:
        pytest.fail(f"it was done again because of {error!r}")

    for name in ("_settle", "_examine_again", "_settle_encoding"):
        monkeypatch.setattr(_wire, name, refuse)
    lines = captured(version)
    assert len(lines) > 100
    for line in lines:
        al.encode(al.decode(line))
        al.examine(line)


def test_absent_null_and_value_stay_apart() -> None:
    for part, expected in (({}, al.UNSET), ({"tool_use_result": None}, None), ({"tool_use_result": 0}, 0)):
        message = al.decode(dump(USER | part), al.UserMessage)
        assert message.tool_use_result is expected or message.tool_use_result == expected
        assert json.loads(al.encode(message)) == USER | part


def test_unknown_members_are_kept_in_order_and_written_back() -> None:
    line = dump(USER | {"z": [1, {"a": None}], "a": 1.5})
    message = al.decode(line, al.UserMessage)
    assert list(message.extra) == ["z", "a"]
    assert al.encode(message).endswith(b'"z":[1,{"a":null}],"a":1.5}')
    with pytest.raises(al.DecodeError) as caught:
        al.decode(line, strict=True)
    assert caught.value.code == "unknown_field"
    assert caught.value.path in {"/a", "/z"}


def test_a_null_that_stands_for_absence_is_kept() -> None:
    message = al.decode(dump(USER | {"isSynthetic": None}), al.UserMessage)
    assert message.is_synthetic is None
    assert message.extra == {"isSynthetic": None}
    assert json.loads(al.encode(message)) == USER | {"isSynthetic": None}
    message.is_synthetic = True
    assert json.loads(al.encode(message)) == USER | {"isSynthetic": True}


def test_an_unknown_message_is_kept_whole() -> None:
    message = al.decode(b'{"type":"novelty","x":[1]}')
    assert message == al.UnknownMessage(raw={"type": "novelty", "x": [1]})
    assert isinstance(message, al.UnknownMessage)
    assert message.type == "novelty"
    assert al.encode(message) == b'{"type":"novelty","x":[1]}'


def test_an_unknown_that_hides_a_malformed_message_is_refused() -> None:
    with pytest.raises(al.EncodeError) as caught:
        al.encode(al.UnknownMessage(raw={"type": "user"}))
    assert caught.value.code == "missing_field"


def test_an_error_has_code_path_and_message() -> None:
    with pytest.raises(al.DecodeError) as caught:
        al.decode(dump(USER | {"message": {"role": "user", "content": 7}}))
    assert (caught.value.code, caught.value.path) == ("wrong_type", "/message/content")
    assert "integer" in caught.value.message
    assert "/message/content" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"session_id": 7}, "wrong_type", "/session_id"),
        ({"is_synthetic": 1}, "wrong_type", "/isSynthetic"),
        ({"tool_use_result": float("nan")}, "out_of_range", "/tool_use_result"),
        ({"tool_use_result": {1: 2}}, "wrong_type", "/tool_use_result"),
        ({"tool_use_result": {"a": {"b"}}}, "wrong_type", "/tool_use_result/a"),
        ({"message": al.TextDelta(text="a")}, "wrong_type", "/message"),
        ({"message": None}, "wrong_type", "/message"),
        ({"extra": {"x": float("inf")}}, "out_of_range", "/x"),
    ],
)
def test_a_value_that_does_not_fit_is_no_line(change: dict[str, Any], code: str, path: str) -> None:
    message = al.decode(dump(USER), al.UserMessage)
    for name, value in change.items():
        setattr(message, name, value)
    with pytest.raises(al.EncodeError) as caught:
        al.encode(message)
    assert (caught.value.code, caught.value.path) == (code, path)


def test_a_declared_member_wins_over_an_extra_of_its_name() -> None:
    message = al.decode(dump(USER), al.UserMessage)
    message.extra["session_id"] = "other"
    assert json.loads(al.encode(message)) == USER


def test_text_is_accepted_like_bytes() -> None:
    line = dump(USER)
    assert al.decode(line.decode()) == al.decode(line) == al.decode(bytearray(line)) == al.decode(memoryview(line))


def test_white_space_around_a_value_is_fine() -> None:
    assert al.decode(b" \t" + dump(USER) + b"\r\n") == al.decode(dump(USER))


def test_integers_of_4300_digits_survive() -> None:
    for number in (2**53, 2**64, 10**4300 - 1):
        text = al.encode(al.UserMessage(**fields(), tool_use_result=[number]))
        message = al.decode(text, al.UserMessage)
        assert message.tool_use_result == [number]


def fields() -> dict[str, Any]:
    message = al.MessageParam(role="user", content="hi")
    return {"message": message, "parent_tool_use_id": None, "session_id": "s"}


@pytest.mark.parametrize("spelling", ["{0}e-{1}", "0.{0}e-{2}", "-{0[0]}.{3}E-{4}", "0.{5}{0}"])
@given(st.integers(0, 2**52 - 1), st.sampled_from([768, 769, 770, 900, 4000]), st.integers(-1, 1), st.integers(0, 200))
def test_a_number_of_any_length_rounds_as_it_should(
    spelling: str, fraction: int, digits: int, last: int, at: int
) -> None:
    """The numbers are at or next to the midpoint of two doubles, in any notation and at any place in a line."""
    half = str((2 * (2**52 + fraction) + 1) * 5**1075)
    text = str(int(half) * 10 ** (digits - len(half)) + last)
    small = 1075 - len(half)
    power = small + digits
    number = spelling.format(text, power, small, text[1:], small + 1, "0" * small)
    line = f'{{"hookCallbackIds":["{"x" * at}"],"timeout":{number},"x":[{number}]}}'
    for data in (line, line.encode(), bytearray(line.encode())):
        callback = al.decode(data, al.HookCallbackMatcher)
        assert callback.timeout == callback.extra["x"][0] == float(number)


@pytest.mark.parametrize("form", [str, bytes, bytearray, memoryview])
@pytest.mark.parametrize("nested", ["[{0}]", '{{"":{0}}}', '[{{"a":1,"b":{0}}}]'])
def test_nesting_has_a_limit_in_every_form_of_text(form: Callable[[Any], Any], nested: str) -> None:
    levels = nested.count("[") + nested.count("{{")

    def line(depth: int) -> Any:
        before, after = nested.format("0").split("0")
        times, rest = divmod(depth, levels)
        value = before * times + "0" + after * times
        text = '{"type":"keep_alive","x":%s}' % (f"[{value}]" if rest else value)
        return form(text if form is str else text.encode())

    assert al.decode(line(127)) == al.from_dict(json.loads(bytes(line(127)) if form is memoryview else line(127)))
    for depth in (128, 129, 100_000):
        for read in (al.decode, al.examine):
            with pytest.raises(al.DecodeError, match="too_deep"):
                read(line(depth))


def test_a_value_that_another_one_overwrites_is_not_seen_however_deep_it_is() -> None:
    deep = b"[" * 500 + b"]" * 500
    with contextlib.suppress(al.DecodeError):  # whether the overwritten value counts is unspecified
        assert al.decode(b'{"type":"keep_alive","x":' + deep + b',"x":1}', al.KeepAliveMessage).extra == {"x": 1}
    assert al.decode(b'{"type":"keep_alive","x":[[]],"x":1}', al.KeepAliveMessage).extra == {"x": 1}


def test_an_integer_of_more_than_4300_digits_is_out_of_range() -> None:
    for text in ("1" * 4301, "-" + "1" * 4301, "1" * 2_500_000):
        with pytest.raises(al.DecodeError) as caught:
            al.decode(dump(USER)[:-1] + b',"x":' + text.encode() + b"}")
        assert (caught.value.code, caught.value.path) == ("out_of_range", "")
        assert len(repr(caught.value)) < 200


def test_an_object_without_members_is_written_whole() -> None:
    empty = [
        kind
        for name in al.__all__
        if isinstance(kind := getattr(al, name), type)
        and issubclass(kind, al.Record)
        and kind is not al.Record
        and all(field.default is not MISSING or field.name == "extra" for field in fields_of(kind))
    ]
    assert al.SyncHookJSONOutput in empty
    for kind in empty:
        assert al.decode(al.encode(kind()), kind) == kind()


def test_plain_data_is_a_copy() -> None:
    message = al.decode(dump(USER | {"x": [1]}), al.UserMessage)
    plain = al.to_dict(message)
    plain["x"].append(2)
    assert message.extra == {"x": [1]}


def test_a_type_may_be_class_union_enum_or_name() -> None:
    delta = b'{"type":"text_delta","text":"a"}'
    kinds: list[Any] = [al.TextDelta, al.ContentBlockDelta, "TextDelta", "ContentBlockDelta"]
    for kind in kinds:
        assert al.decode(delta, kind) == al.TextDelta(text="a")
    assert al.decode(b'"end_turn"', al.StopReason) == "end_turn"
    with pytest.raises(TypeError, match="is not a type of this package; expected one of its classes"):
        al.decode(delta, int)


def test_examine_tells_what_was_let_pass() -> None:
    found = al.examine(dump(USER | {"new": 1, "message": {"role": "user", "content": [{"type": "hologram"}]}}))
    assert (found.variant, found.unknown) == ("UserMessage", ("/message/content/0/type", "/new"))


def test_a_value_that_does_not_tell_its_type_is_written_as_the_type_given() -> None:
    with pytest.raises(al.EncodeError, match="expected an object of this package, got str; pass the type"):
        al.encode("end_turn")
    assert al.encode("end_turn", al.StopReason) == b'"end_turn"'
    with pytest.raises(al.EncodeError, match="wrong_type: expected string, got integer"):
        al.encode(1, al.StopReason)


TEXT = b'{"type":"text","text":"a"}'
THOUGHT = b'{"type":"thinking","thinking":"b","signature":"c"}'


@pytest.mark.parametrize(
    ("type_", "data", "value"),
    [
        (list[al.TextBlock], b"[%s]" % TEXT, [al.TextBlock(text="a")]),
        (list[list[al.TextBlock]], b"[[%s],[]]" % TEXT, [[al.TextBlock(text="a")], []]),
        (dict[str, al.TextBlock], b'{"x":%s}' % TEXT, {"x": al.TextBlock(text="a")}),
        (al.TextBlock | None, b"null", None),
        (al.ContentBlock | None, TEXT, al.TextBlock(text="a")),
        (al.ContentBlock | None, b'{"type":"new"}', al.UnknownBlock(raw={"type": "new"})),
        (list[al.ContentBlock | str], b'["a"]', ["a"]),
        (Optional[al.TextBlock], TEXT, al.TextBlock(text="a")),  # noqa: UP045 - the older spelling works too
        (al.TextBlock | al.ThinkingBlock, THOUGHT, al.ThinkingBlock(thinking="b", signature="c")),
        (list[al.TextBlock | al.ThinkingBlock] | str, b"[%s]" % TEXT, [al.TextBlock(text="a")]),
        (list[al.TextBlock] | str | int, b'"a"', "a"),
        (list[al.StopReason], b'["end_turn","new"]', ["end_turn", "new"]),
        (list[Any], b"[1,{}]", [1, {}]),
    ],
)
def test_lists_maps_and_unions_of_types_are_types(type_: Any, data: bytes, value: Any) -> None:
    assert al.decode(data, type_) == value
    assert al.from_dict(json.loads(data), type_) == value
    assert al.examine(data, type_).value == value
    assert al.encode(value, type_) == data


@pytest.mark.parametrize(
    ("type_", "data", "code", "path"),
    [
        (list[al.TextBlock], b'[%s,{"type":"new","text":"a"}]' % TEXT, "wrong_constant", "/1/type"),
        (list[al.TextBlock], TEXT, "wrong_type", ""),
        (dict[str, al.TextBlock], b'{"x":1}', "wrong_type", "/x"),
        (list[al.TextBlock | al.ThinkingBlock], b'[{"type":"new"}]', "unknown_variant", "/0"),
        (al.TextBlock | al.ThinkingBlock, b'{"type":"tool_use","id":"","name":"","input":{}}', "unknown_variant", ""),
        (al.TextBlock | None, b"1", "wrong_type", ""),
    ],
)
def test_faults_in_composed_types_are_placed(type_: Any, data: bytes, code: str, path: str) -> None:
    for read in (
        lambda: al.decode(data, type_),
        lambda: al.from_dict(json.loads(data), type_),
        lambda: al.examine(data, type_),
    ):
        with pytest.raises(al.DecodeError) as caught:
            read()
        assert (caught.value.code, caught.value.path) == (code, path)


def test_what_is_written_as_a_composed_type_is_checked() -> None:
    with pytest.raises(al.EncodeError, match="wrong_type at /0: expected TextBlock, got integer"):
        al.encode([1], list[al.TextBlock])
    with pytest.raises(al.EncodeError, match="expected TextBlock or ThinkingBlock, got ToolUseBlock"):
        al.encode(al.ToolUseBlock(id="", name="", input={}), al.TextBlock | al.ThinkingBlock)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.text() | st.binary() | JSON.map(json.dumps))
def test_any_text_decodes_or_is_a_decode_error(data: str | bytes) -> None:
    message = None
    with contextlib.suppress(al.DecodeError):
        message = al.decode(data)
    if message is not None:
        assert al.decode(al.encode(message)) == message


@given(st.sampled_from(captured("0.2.37")), st.data())
def test_a_damaged_line_decodes_or_is_a_decode_error(line: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(line) - 1))
    damaged = line[:at] + data.draw(st.binary(max_size=3)) + line[at + data.draw(st.integers(0, 3)) :]
    message = None
    with contextlib.suppress(al.DecodeError):
        message = al.decode(damaged)
    if message is not None:
        encoded = al.encode(message)
        assert al.encode(al.decode(encoded)) == encoded


@given(JSON)
def test_untouched_json_survives(value: Any) -> None:
    message = al.UserMessage(**fields(), tool_use_result=value)
    decoded = al.decode(al.encode(message), al.UserMessage)
    assert json.dumps(decoded.tool_use_result, sort_keys=True) == json.dumps(value, sort_keys=True)
