"""The types are dataclasses in every way that shows, though no decorator made them."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import typing
from dataclasses import dataclass

import agentproto as ap
import pytest


def usage() -> ap.BetaUsage:
    return ap.BetaUsage(
        input_tokens=1,
        output_tokens=2,
        cache_read_input_tokens=None,
        cache_creation_input_tokens=0,
        cache_creation=None,
        service_tier=None,
    )


def twin() -> type:
    """What the decorator makes of the same declaration."""

    @dataclass(slots=True, kw_only=True)
    class TextBlock:
        text: str
        citations: list[object] | None = None
        extra: dict[str, object] = dataclasses.field(default_factory=dict)

    return TextBlock


def test_fields_are_those_of_the_stub_in_order() -> None:
    assert [field.name for field in dataclasses.fields(ap.ToolUseBlock)][:3] == ["id", "name", "input"]
    assert dataclasses.fields(ap.ToolUseBlock)[-1].name == "extra"
    assert dataclasses.is_dataclass(ap.ToolUseBlock)


def test_a_field_knows_its_default() -> None:
    fields = {field.name: field for field in dataclasses.fields(ap.UserMessage)}
    assert fields["message"].default is dataclasses.MISSING
    assert fields["is_synthetic"].default is None
    assert fields["tool_use_result"].default is ap.UNSET
    assert fields["extra"].default_factory is dict
    assert all(field.kw_only for field in fields.values())


def test_annotations_resolve() -> None:
    hints = typing.get_type_hints(ap.AssistantMessage)
    assert hints["message"] is ap.BetaMessage
    assert hints["session_id"] is str


def test_replace_changes_one_field() -> None:
    block = ap.TextDelta(text="a")
    assert dataclasses.replace(block, text="b") == ap.TextDelta(text="b")
    assert block.text == "a"


def test_asdict_goes_all_the_way_down() -> None:
    made = dataclasses.asdict(ap.ContentBlockDeltaEvent(index=0, delta=ap.TextDelta(text="a", extra={"x": 1})))
    assert made == {"index": 0, "delta": {"text": "a", "extra": {"x": 1}}, "extra": {}}


def test_equality_looks_at_class_fields_and_extra() -> None:
    assert ap.TextDelta(text="a") == ap.TextDelta(text="a", extra={})
    assert ap.TextDelta(text="a") != ap.TextDelta(text="b")
    assert ap.TextDelta(text="a") != ap.TextDelta(text="a", extra={"x": 1})
    assert ap.TextDelta(text="a") != ap.ThinkingDelta(thinking="a")


def test_the_repr_is_a_dataclass_repr() -> None:
    text = repr(twin()(text="a")).partition(".<locals>.")[2]
    assert repr(ap.TextDelta(text="a")) == "TextDelta(text='a', extra={})"
    assert text.startswith("TextBlock(text='a', ")


def test_there_is_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(ap.TextDelta(text="a"))


def test_slots_leave_no_room_for_misspelt_attributes() -> None:
    with pytest.raises(AttributeError):
        ap.TextDelta(text="a").txt = "b"  # type: ignore[attr-defined]  # what the test is about


def test_a_missing_argument_is_named() -> None:
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'text'"):
        ap.TextDelta()  # type: ignore[call-arg]  # what the test is about


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_everything(protocol: int) -> None:
    message = ap.decode(
        b'{"type":"tool_use_summary","new":[1],"uuid":"u","session_id":"s","summary":"x","preceding_tool_use_ids":[]}'
    )
    assert pickle.loads(pickle.dumps(message, protocol)) == message  # noqa: S301  (our own)


def test_copies_are_equal_and_a_deep_one_shares_nothing() -> None:
    event = ap.ContentBlockDeltaEvent(index=0, delta=ap.TextDelta(text="a"))
    assert copy.copy(event) == event
    assert copy.copy(event).delta is event.delta
    deep = copy.deepcopy(event)
    assert deep == event
    assert deep.delta is not event.delta


def test_the_signature_has_the_fields() -> None:
    parameters = inspect.signature(ap.UserMessage).parameters
    assert {p.kind for p in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert parameters["message"].default is inspect.Parameter.empty
    assert parameters["tool_use_result"].default is ap.UNSET


def test_help_has_the_doc() -> None:
    assert (inspect.getdoc(ap.TextDelta) or "").startswith("More text of a text block.")


def test_keyword_patterns_match() -> None:
    match ap.ContentBlockDeltaEvent(index=3, delta=ap.TextDelta(text="a")):
        case ap.ContentBlockDeltaEvent(index=index, delta=ap.TextDelta(text=text)):
            assert (index, text) == (3, "a")
        case _:
            pytest.fail("it does not match")


@dataclass(kw_only=True)
class Stamped(ap.TextDelta):
    seen: float = 0.0


@dataclass(slots=True, kw_only=True)
class Slotted(ap.TextDelta):
    seen: float = 0.0


@pytest.mark.parametrize("kind", [Stamped, Slotted])
def test_a_dataclass_of_a_user_extends_one(kind: type[Stamped]) -> None:
    made = kind(text="a", seen=1.5)
    assert [field.name for field in dataclasses.fields(made)] == ["text", "extra", "seen"]
    assert (made.text, made.seen, made.extra) == ("a", 1.5, {})
    assert made == kind(text="a", seen=1.5)
    assert made != kind(text="a", seen=2.5)
    assert ap.encode(made) == b'{"type":"text_delta","text":"a"}'


def test_tags_are_constants_of_the_class() -> None:
    assert ap.AssistantMessage.type == "assistant"
    assert ap.ResultSuccess.subtype == "success"
    with pytest.raises(AttributeError):
        ap.TextDelta(text="a").type = "other"  # type: ignore[misc]  # what the test is about


def test_a_union_works_with_isinstance() -> None:
    assert isinstance(ap.TextDelta(text="a"), ap.ContentBlockDelta)
    assert not isinstance(ap.TextDelta(text="a"), ap.RawMessageStreamEvent)


def test_values_of_an_enum_are_constants() -> None:
    assert ap.StopReasonValue.END_TURN == "end_turn"
    assert ap.is_known("end_turn", ap.StopReasonValue)
    assert not ap.is_known("tired", ap.StopReasonValue)
    assert ap.known_values(ap.StopReasonValue)[0] == "end_turn"
    assert "end_turn" in typing.get_args(typing.get_args(ap.StopReason)[0])


def test_unset_is_false_and_one_of_a_kind() -> None:
    assert not ap.UNSET
    assert copy.deepcopy(ap.UNSET) is ap.UNSET
    assert pickle.loads(pickle.dumps(ap.UNSET)) is ap.UNSET  # noqa: S301  (our own)
    assert repr(ap.UNSET) == "UNSET"
