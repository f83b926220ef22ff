"""Bytes → objects → bytes: what is kept, what is refused, and that no valid line needs the slow pass."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import agentproto as ap
import pytest
from agentproto import _slow, _wire
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
        message = ap.decode(line)
        assert json.loads(ap.encode(message)) == json.loads(line)
        assert ap.decode(ap.encode(message)) == message
        assert ap.from_dict(json.loads(line)) == message
        assert ap.examine(line).value == message


def test_lines_without_anything_unknown_never_need_the_slow_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    known = [line for line in captured("0.2.37") if not ap.examine(line).unknown]
    assert len(known) > 100

    def refuse(*_: Any, **__: Any) -> None:
        pytest.fail("the slow pass was asked")

    for name in ("decode", "encode"):
        monkeypatch.setattr(_slow, name, refuse)
    for line in known:
        ap.encode(ap.decode(line))


def test_absent_null_and_value_stay_apart() -> None:
    for part, expected in (({}, ap.UNSET), ({"tool_use_result": None}, None), ({"tool_use_result": 0}, 0)):
        message = ap.decode(dump(USER | part), ap.UserMessage)
        assert message.tool_use_result is expected or message.tool_use_result == expected
        assert json.loads(ap.encode(message)) == USER | part


def test_unknown_members_are_kept_in_order_and_written_back() -> None:
    line = dump(USER | {"z": [1, {"a": None}], "a": 1.5})
    message = ap.decode(line, ap.UserMessage)
    assert list(message.extra) == ["z", "a"]
    assert ap.encode(message).endswith(b'"z":[1,{"a":null}],"a":1.5}')
    with pytest.raises(ap.DecodeError) as caught:
        ap.decode(line, strict=True)
    assert (caught.value.code, caught.value.path) == ("unknown_field", "/a")


def test_a_null_that_stands_for_absence_is_kept() -> None:
    message = ap.decode(dump(USER | {"isSynthetic": None}), ap.UserMessage)
    assert message.is_synthetic is None
    assert message.extra == {"isSynthetic": None}
    assert json.loads(ap.encode(message)) == USER | {"isSynthetic": None}
    message.is_synthetic = True
    assert json.loads(ap.encode(message)) == USER | {"isSynthetic": True}


def test_an_unknown_message_is_kept_whole() -> None:
    message = ap.decode(b'{"type":"novelty","x":[1]}')
    assert message == ap.UnknownMessage(raw={"type": "novelty", "x": [1]})
    assert isinstance(message, ap.UnknownMessage)
    assert message.type == "novelty"
    assert ap.encode(message) == b'{"type":"novelty","x":[1]}'


def test_an_unknown_that_hides_a_malformed_message_is_refused() -> None:
    with pytest.raises(ap.EncodeError) as caught:
        ap.encode(ap.UnknownMessage(raw={"type": "user"}))
    assert caught.value.code == "missing_field"


def test_an_error_has_code_path_and_message() -> None:
    with pytest.raises(ap.DecodeError) as caught:
        ap.decode(dump(USER | {"message": {"role": "user", "content": 7}}))
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
        ({"message": ap.TextDelta(text="a")}, "missing_field", "/message/role"),
        ({"message": None}, "wrong_type", "/message"),
        ({"extra": {"x": float("inf")}}, "out_of_range", "/x"),
    ],
)
def test_a_value_that_does_not_fit_is_no_line(change: dict[str, Any], code: str, path: str) -> None:
    message = ap.decode(dump(USER), ap.UserMessage)
    for name, value in change.items():
        setattr(message, name, value)
    with pytest.raises(ap.EncodeError) as caught:
        ap.encode(message)
    assert (caught.value.code, caught.value.path) == (code, path)


def test_a_declared_member_wins_over_an_extra_of_its_name() -> None:
    message = ap.decode(dump(USER), ap.UserMessage)
    message.extra["session_id"] = "other"
    assert json.loads(ap.encode(message)) == USER


def test_text_is_accepted_like_bytes() -> None:
    line = dump(USER)
    assert ap.decode(line.decode()) == ap.decode(line) == ap.decode(bytearray(line)) == ap.decode(memoryview(line))


def test_white_space_around_a_value_is_fine() -> None:
    assert ap.decode(b" \t" + dump(USER) + b"\r\n") == ap.decode(dump(USER))


def test_integers_of_4300_digits_survive() -> None:
    for number in (2**53, 2**64, 10**4300 - 1):
        text = ap.encode(ap.UserMessage(**fields(), tool_use_result=[number]))
        message = ap.decode(text, ap.UserMessage)
        assert message.tool_use_result == [number]


def fields() -> dict[str, Any]:
    message = ap.MessageParam(role="user", content="hi")
    return {"message": message, "parent_tool_use_id": None, "session_id": "s"}


@pytest.mark.parametrize("spelling", ["{0}e-{1}", "0.{0}e-{2}", "-{0[0]}.{3}E-{4}", "0.{5}{0}"])
@given(st.integers(0, 2**52 - 1), st.sampled_from([768, 769, 770, 900, 4000]), st.integers(-1, 1), st.integers(0, 200))
def test_a_number_of_any_length_rounds_as_it_should(
    spelling: str, fraction: int, digits: int, last: int, at: int
) -> None:
    """Half-way between two doubles or next to it, however it is spelt and wherever in a line it stands."""
    half = str((2 * (2**52 + fraction) + 1) * 5**1075)
    text = str(int(half) * 10 ** (digits - len(half)) + last)
    small = 1075 - len(half)
    power = small + digits
    number = spelling.format(text, power, small, text[1:], small + 1, "0" * small)
    line = f'{{"hookCallbackIds":["{"x" * at}"],"timeout":{number},"x":[{number}]}}'
    for data in (line, line.encode(), bytearray(line.encode())):
        callback = ap.decode(data, ap.HookCallbackMatcher)
        assert callback.timeout == callback.extra["x"][0] == float(number)


@pytest.mark.parametrize("how", ['{"x":%s}', '{"type":"user","x":%s,"x":1}'])
def test_nesting_has_a_limit_also_where_it_does_not_count(how: str) -> None:
    line = (how % ("[" * 200 + "]" * 200)).encode()
    with pytest.raises(ap.DecodeError) as caught:
        ap.decode(line)
    assert caught.value.code == "too_deep"


def test_overwritten_values_count_as_nesting_in_a_message_that_is_fine_otherwise() -> None:
    deep = b"[" * 128 + b"]" * 128
    line = b'{"extra":' + deep + b',"extra":1,' + dump(USER)[1:]
    with pytest.raises(ap.DecodeError) as caught:
        ap.decode(line)
    assert caught.value.code == "too_deep"
    assert ap.decode(line.replace(b"[" * 128, b"[" * 127).replace(b"]" * 128, b"]" * 127)) is not None


def test_plain_data_is_a_copy() -> None:
    message = ap.decode(dump(USER | {"x": [1]}), ap.UserMessage)
    plain = ap.to_dict(message)
    plain["x"].append(2)
    assert message.extra == {"x": [1]}


def test_a_type_may_be_class_union_enum_or_name() -> None:
    delta = b'{"type":"text_delta","text":"a"}'
    for kind in (ap.TextDelta, ap.ContentBlockDelta, "TextDelta", "ContentBlockDelta"):
        assert ap.decode(delta, kind) == ap.TextDelta(text="a")
    assert ap.decode(b'"end_turn"', ap.StopReason) == "end_turn"
    with pytest.raises(TypeError, match="is no type of this package"):
        ap.decode(delta, int)


def test_examine_tells_what_was_let_pass() -> None:
    found = ap.examine(dump(USER | {"new": 1, "message": {"role": "user", "content": [{"type": "hologram"}]}}))
    assert (found.variant, found.unknown) == ("UserMessage", ("/message/content/0/type", "/new"))


def test_a_constant_list_is_no_object_of_this_package() -> None:
    with pytest.raises(ap.EncodeError, match="expected an object of this package, got list"):
        ap.encode([])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("kind", [str, bytes, bytearray, memoryview])
def test_depth_counts_in_every_form_of_text_also_where_a_duplicate_overwrites_it(kind: Callable[[Any], Any]) -> None:
    def form(text: str) -> Any:
        return kind(text if kind is str else text.encode())

    text = '{"type":"keep_alive","a":%s,"a":1}'
    assert ap.decode(form(text % ("[" * 127 + "]" * 127))).extra == {"a": 1}
    with pytest.raises(ap.DecodeError, match="too_deep"):
        ap.decode(form(text % ("[" * 128 + "]" * 128)))
    with pytest.raises(ap.DecodeError, match="too_deep"):
        ap.decode(form(text % ('{"":' * 128 + "1" + "}" * 128)))


def test_depth_counts_in_a_view_whose_items_are_no_bytes() -> None:
    text = b'{"type":"keep_alive","a":' + b"[" * 128 + b"]" * 128 + b',"a":1}'
    with pytest.raises(ap.DecodeError, match="too_deep"):
        ap.decode(memoryview(text + b" " * (-len(text) % 4)).cast("I"))


@given(st.integers(0, 128), st.randoms(use_true_random=False))
def test_no_mixture_of_arrays_and_objects_hides_a_level_too_many(arrays: int, rng: Random) -> None:
    levels = [("[", "]")] * arrays + [('{"":', "}")] * (128 - arrays)
    rng.shuffle(levels)

    def nested(levels: list[tuple[str, str]]) -> bytes:
        return ("".join(start for start, _ in levels) + "{}" + "".join(end for _, end in reversed(levels))).encode()

    assert not _wire._is_shallow(nested(levels))  # 129 levels in as few bytes as they fit into
    line = b'{"type":"keep_alive","":'
    assert ap.decode(line + nested(levels[2:]) + b',"":1}').extra == {"": 1}
    with pytest.raises(ap.DecodeError, match="too_deep"):
        ap.decode(line + nested(levels[1:]) + b',"":1}')


@given(st.text() | st.binary() | JSON.map(json.dumps))
def test_any_text_decodes_or_is_a_decode_error(data: str | bytes) -> None:
    message = None
    with contextlib.suppress(ap.DecodeError):
        message = ap.decode(data)
    if message is not None:
        assert ap.decode(ap.encode(message)) == message


@given(st.sampled_from(captured("0.2.37")), st.data())
def test_a_damaged_line_decodes_or_is_a_decode_error(line: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(line) - 1))
    damaged = line[:at] + data.draw(st.binary(max_size=3)) + line[at + data.draw(st.integers(0, 3)) :]
    message = None
    with contextlib.suppress(ap.DecodeError):
        message = ap.decode(damaged)
    if message is not None:
        encoded = ap.encode(message)
        assert ap.encode(ap.decode(encoded)) == encoded


@given(JSON)
def test_untouched_json_survives(value: Any) -> None:
    message = ap.UserMessage(**fields(), tool_use_result=value)
    decoded = ap.decode(ap.encode(message), ap.UserMessage)
    assert json.dumps(decoded.tool_use_result, sort_keys=True) == json.dumps(value, sort_keys=True)
