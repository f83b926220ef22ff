"""The types are dataclasses in every way that shows, though no decorator made them."""

from __future__ import annotations

import ast
import contextlib
import copy
import dataclasses
import inspect
import json
import pickle
import pydoc
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import agentproto as ap
import pytest
from agentproto import _wire


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


def test_fields_are_those_of_the_class_in_order() -> None:
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


def test_annotations_resolve_with_the_names_of_the_package() -> None:
    names = vars(typing) | {name: getattr(ap, name) for name in ap.__all__}
    hints = typing.get_type_hints(ap.AssistantMessage, localns=names)
    assert hints["message"] is ap.BetaMessage
    assert hints["session_id"] is str
    for each in names.values():
        if isinstance(each, type) and issubclass(each, ap.Record) and each is not ap.Record:
            found = typing.get_type_hints(each, localns=names)
            assert {field.name for field in dataclasses.fields(each)} <= {*found, "extra"}


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
    other: object = ap.ThinkingDelta(thinking="a")
    assert ap.TextDelta(text="a") != other


def test_equality_costs_no_more_than_that_of_a_dataclass() -> None:
    """Counted in instructions of the interpreter, which no other load on the machine changes."""
    theirs = instructions(lambda a, b: a == b, twin()(text="a"), twin()(text="a"))
    ours = instructions(lambda a, b: a == b, ap.TextBlock(text="a"), ap.TextBlock(text="a"))
    assert 0 < ours <= 3 * theirs


def instructions(function: Callable[..., object], *arguments: object) -> int:
    """How many instructions of Python a call executes, those of what it calls included."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    function(*arguments)  # makes what is made at the first use
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return count


def test_the_repr_has_only_what_is_not_the_default() -> None:
    assert repr(ap.TextDelta(text="a")) == "TextDelta(text='a')"
    assert repr(ap.TextDelta(text="a", extra={"x": 1})) == "TextDelta(text='a', extra={'x': 1})"
    assert repr(ap.SetModelRequest()) == "SetModelRequest()"
    assert repr(ap.SetModelRequest(model=None)) == "SetModelRequest(model=None)"
    assert repr(ap.ContentBlockDeltaEvent(index=0, delta=ap.TextDelta(text="a"))) == (
        "ContentBlockDeltaEvent(index=0, delta=TextDelta(text='a'))"
    )
    assert repr(ap.UnknownMessage(raw={"type": "x"})) == "UnknownMessage(raw={'type': 'x'})"


def test_the_repr_of_an_object_makes_an_equal_one() -> None:
    message = ap.new_user_message([ap.TextBlockParam(text="hi", extra={"x": [1]})], "s")
    assert eval(repr(message), vars(ap) | {name: getattr(ap, name) for name in ap.__all__}) == message  # noqa: S307


def test_an_object_within_itself_has_a_repr() -> None:
    message = ap.KeepAliveMessage()
    message.extra["me"] = message
    assert repr(message) == "KeepAliveMessage(extra={'me': ...})"


def test_bad_lines_are_compared_by_their_contents() -> None:
    first, same, other = (next(iter(ap.LineDecoder().feed(line))) for line in (b"x\n", b"x\n", b"y\n"))
    assert isinstance(first, ap.BadLine)
    assert first == same
    assert hash(first) == hash(same)
    assert first != other
    assert first != ap.BadLine(2, first.raw, first.error)
    assert first != ap.BadLine(1, first.raw, ap.DecodeError("too_deep"))
    assert eval(repr(first), vars(ap)) == first  # noqa: S307


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


def test_help_shows_the_docs_of_a_class_and_its_fields() -> None:
    text = pydoc.plain(pydoc.render_doc(ap.PermissionResultDeny))
    assert "The tool may not run." in text
    assert "message" in text
    assert "Why, for the model." in text
    assert "True to stop the turn as well." in text


def test_looking_at_the_bases_of_a_class_changes_no_other_class() -> None:
    for base in reversed(ap.ListModelsRequest.__mro__[1:]):
        for member in ("__init__", "__eq__", "__dataclass_fields__", "__dataclass_params__"):
            getattr(base, member, None)
    for kind in (ap.ListModelsRequest, ap.GetSettingsRequest, ap.KeepAliveMessage):
        assert [field.name for field in dataclasses.fields(kind)] == ["extra"]
        assert kind() == kind(extra={})
        assert kind() != kind(extra={"x": 1})
    assert ap.UnknownMessage(raw={}) != ap.UnknownMessage(raw={"x": 1})


def sources() -> dict[str, str]:
    """The text of every class, each module parsed once: `inspect.getsource` parses it for each class."""
    found: dict[str, str] = {}
    for path in Path(ap.__path__[0]).glob("*.py"):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                found[node.name] = "\n".join(line.strip() for line in lines[node.lineno - 1 : node.end_lineno])
    return found


def test_every_field_with_a_doc_shows_it() -> None:
    written = sources()
    for name in ap.__all__:
        kind = getattr(ap, name)
        if isinstance(kind, type) and issubclass(kind, ap.Record) and kind is not ap.Record:
            slots = vars(kind)["__slots__"]
            assert [*slots, "extra"] == [field.name for field in dataclasses.fields(kind)]
            assert all(doc in written[kind.__name__] for doc in slots.values())


def test_keyword_patterns_match() -> None:
    match ap.ContentBlockDeltaEvent(index=3, delta=ap.TextDelta(text="a")):
        case ap.ContentBlockDeltaEvent(index=index, delta=ap.TextDelta(text=text)):
            assert (index, text) == (3, "a")
        case _:
            pytest.fail("it does not match")


class Plain(ap.TextDelta):
    """A subclass without fields of its own."""


class Annotated(ap.TextDelta):
    """A subclass that adds a field as the package does."""

    seen: float = 0.0


@dataclass(kw_only=True)
class Decorated(ap.TextDelta):
    """A subclass that adds a field as dataclasses do."""

    seen: float = 0.0


@pytest.mark.parametrize("kind", [Annotated, Decorated])
def test_a_class_of_a_user_extends_one(kind: type[Annotated]) -> None:
    made = kind(text="a", seen=1.5)
    assert {field.name for field in dataclasses.fields(made)} == {"text", "extra", "seen"}
    assert (made.text, made.seen, made.extra) == ("a", 1.5, {})
    assert made == kind(text="a", seen=1.5)
    assert made != kind(text="a", seen=2.5)
    assert kind(text="a").seen == 0.0
    assert isinstance(made, ap.ContentBlockDelta)


@pytest.mark.parametrize("kind", [Plain, Annotated, Decorated])
def test_an_object_of_a_user_s_class_is_written_by_the_function_of_the_declared_one(
    kind: type[ap.TextDelta], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ap.encode(ap.TextDelta(text="a")) == b'{"type":"text_delta","text":"a"}'
    made = kind(text="a")
    event = ap.ContentBlockDeltaEvent(index=0, delta=made)
    for _ in range(2):
        assert ap.encode(made) == b'{"type":"text_delta","text":"a"}'
        assert ap.encode(event) == b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}'
    functions = _wire._encoders.classes
    assert functions[kind] is functions[ap.TextDelta]
    monkeypatch.setattr(_wire._encoders, "find", lambda of: pytest.fail(f"{of} was looked up again"))
    assert ap.encode(made) == b'{"type":"text_delta","text":"a"}'


def test_a_class_of_a_user_that_merely_has_the_name_of_ours_is_no_message() -> None:
    foreign = type("TextDelta", (), {"text": "a", "type": "text_delta"})
    with pytest.raises(ap.EncodeError, match="expected an object of this package, got TextDelta"):
        ap.encode(foreign())


def test_tags_are_constants_of_the_class() -> None:
    assert ap.AssistantMessage.type == "assistant"
    assert ap.ResultSuccess.subtype == "success"
    with pytest.raises(AttributeError):
        ap.TextDelta(text="a").type = "text_delta"  # type: ignore[misc]  # what the test is about


def test_a_union_works_with_isinstance() -> None:
    assert isinstance(ap.TextDelta(text="a"), ap.ContentBlockDelta)
    assert not isinstance(ap.TextDelta(text="a"), ap.RawMessageStreamEvent)


@pytest.mark.parametrize("line", [b'{"type":"novelty"}', b'{"type":"result","subtype":"novelty"}'])
def test_an_unknown_is_an_instance_of_the_unions_that_it_was_read_as_and_of_no_part_of_them(line: bytes) -> None:
    anything = ap.decode(line)
    assert type(anything) is ap.UnknownMessage
    inside = {ap.StdoutMessage: ap.UnknownStdoutMessage, ap.SDKMessage: ap.UnknownSDKMessage}
    for part in (*inside, ap.ResultMessage, ap.SystemMessage, ap.StdinMessage):
        assert isinstance(anything, ap.WireMessage)
        assert not isinstance(anything, part)
    output, message = ap.decode(line, ap.StdoutMessage), ap.decode(line, ap.SDKMessage)
    assert [type(output), type(message)] == list(inside.values())
    assert isinstance(output, ap.WireMessage)
    assert isinstance(message, ap.StdoutMessage)
    assert not isinstance(output, ap.SDKMessage)
    assert not isinstance(message, ap.ResultMessage)


def test_an_unknown_variant_of_a_part_is_an_instance_of_all_around_it() -> None:
    line = b'{"type":"result","subtype":"novelty"}'
    end = ap.decode(line, ap.ResultMessage)
    assert type(end) is ap.UnknownResultMessage
    for union in (ap.ResultMessage, ap.SDKMessage, ap.StdoutMessage, ap.WireMessage):
        assert isinstance(end, union)
    assert not isinstance(end, ap.SystemMessage)
    assert ap.encode(end) == line


def test_every_union_holds_what_reading_it_gives() -> None:
    for name in (name for name in ap.__all__ if isinstance(getattr(ap, name), type(int | str))):
        union = getattr(ap, name)
        with contextlib.suppress(ap.DecodeError):
            assert isinstance(ap.from_dict({"type": "novelty", "subtype": "novelty"}, union), union), name


def test_classes_for_what_several_types_share_know_theirs() -> None:
    end = ap.decode(b'{"type":"keep_alive"}')
    assert not isinstance(end, ap.HasBaseMessage)
    progress = ap.ToolUseSummaryMessage(uuid="u", session_id="s", summary="", preceding_tool_use_ids=[])
    assert isinstance(progress, ap.HasBaseMessage)
    assert not isinstance(progress, ap.HasResultFields)
    assert not isinstance(ap.UnknownMessage(raw={"uuid": "u", "session_id": "s"}), ap.HasBaseMessage)
    match progress:
        case ap.HasBaseMessage(session_id=session):
            assert session == "s"
        case _:
            pytest.fail("it does not match")


def test_every_class_for_what_is_shared_lists_all_that_have_it() -> None:
    records = [
        kind
        for kind in map(ap.__getattribute__, ap.__all__)
        if isinstance(kind, type) and issubclass(kind, ap.Record) and kind is not ap.Record
    ]
    shared = [name for name in ap.__all__ if name.startswith("Has") and name.removeprefix("Has") in ap.TYPES]
    assert len(shared) > 5
    for name in shared:
        need = {field.name for field in dataclasses.fields(getattr(ap, name.removeprefix("Has")))}
        listing: Any = getattr(ap, name)
        found = [kind for kind in records if issubclass(kind, listing)]
        assert len(found) > 1
        assert all(need <= {field.name for field in dataclasses.fields(kind)} for kind in found)


def test_values_of_an_enum_are_constants() -> None:
    assert ap.StopReasonValue.END_TURN == "end_turn"
    assert ap.is_known("end_turn", ap.StopReasonValue)
    assert not ap.is_known("tired", ap.StopReasonValue)
    assert ap.known_values(ap.StopReasonValue)[0] == "end_turn"


def test_an_open_enum_has_a_closed_twin_and_a_way_to_write_other_text() -> None:
    assert typing.get_args(ap.StopReasonKnown) == ap.known_values(ap.StopReasonValue)
    assert ap.UnknownText("tired") == "tired"
    assert json.loads(ap.encode(ap.SetPermissionModeRequest(mode=ap.UnknownText("next"))))["mode"] == "next"


def test_every_name_that_is_offered_is_there() -> None:
    assert sorted(ap.__all__) == sorted(set(ap.__all__))
    assert [name for name in ap.__all__ if not hasattr(ap, name)] == []
    assert set(ap.__all__) <= set(dir(ap))


def test_unset_is_false_and_one_of_a_kind() -> None:
    assert not ap.UNSET
    assert copy.deepcopy(ap.UNSET) is ap.UNSET
    assert pickle.loads(pickle.dumps(ap.UNSET)) is ap.UNSET  # noqa: S301  (our own)
    assert repr(ap.UNSET) == "UNSET"
