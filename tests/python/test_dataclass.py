"""The types behave like dataclasses in every observable way, although no decorator created them."""

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

import agentlines as al
import pytest
from agentlines import _wire


def usage() -> al.BetaUsage:
    return al.BetaUsage(
        input_tokens=1,
        output_tokens=2,
        cache_read_input_tokens=None,
        cache_creation_input_tokens=0,
        cache_creation=None,
        service_tier=None,
    )


def twin() -> type:
    """The class that the decorator creates from the same declaration."""

    @dataclass(slots=True, kw_only=True)
    class TextBlock:
        text: str
        citations: list[object] | None = None
        extra: dict[str, object] = dataclasses.field(default_factory=dict)

    return TextBlock


def test_fields_are_those_of_the_class_in_order() -> None:
    assert [field.name for field in dataclasses.fields(al.ToolUseBlock)][:3] == ["id", "name", "input"]
    assert dataclasses.fields(al.ToolUseBlock)[-1].name == "extra"
    assert dataclasses.is_dataclass(al.ToolUseBlock)


def test_a_field_knows_its_default() -> None:
    fields = {field.name: field for field in dataclasses.fields(al.UserMessage)}
    assert fields["message"].default is dataclasses.MISSING
    assert fields["is_synthetic"].default is None
    assert fields["tool_use_result"].default is al.UNSET
    assert fields["extra"].default_factory is dict
    assert all(field.kw_only for field in fields.values())


def test_annotations_resolve() -> None:
    hints = typing.get_type_hints(al.AssistantMessage)
    assert hints["message"] is al.BetaMessage
    assert hints["session_id"] is str
    for each in (getattr(al, name) for name in al.__all__):
        if isinstance(each, type) and issubclass(each, al.Record) and each is not al.Record:
            assert {field.name for field in dataclasses.fields(each)} <= {*typing.get_type_hints(each)}


def test_replace_changes_one_field() -> None:
    block = al.TextDelta(text="a")
    assert dataclasses.replace(block, text="b") == al.TextDelta(text="b")
    assert block.text == "a"


def test_asdict_goes_all_the_way_down() -> None:
    made = dataclasses.asdict(al.ContentBlockDeltaEvent(index=0, delta=al.TextDelta(text="a", extra={"x": 1})))
    assert made == {"index": 0, "delta": {"text": "a", "extra": {"x": 1}}, "extra": {}}


def test_equality_looks_at_class_fields_and_extra() -> None:
    assert al.TextDelta(text="a") == al.TextDelta(text="a", extra={})
    assert al.TextDelta(text="a") != al.TextDelta(text="b")
    assert al.TextDelta(text="a") != al.TextDelta(text="a", extra={"x": 1})
    other: object = al.ThinkingDelta(thinking="a")
    assert al.TextDelta(text="a") != other


def test_equality_costs_no_more_than_that_of_a_dataclass() -> None:
    """The cost is counted in instructions of the interpreter, which do not depend on the load of the machine."""
    theirs = instructions(lambda a, b: a == b, twin()(text="a"), twin()(text="a"))
    ours = instructions(lambda a, b: a == b, al.TextBlock(text="a"), al.TextBlock(text="a"))
    assert 0 < ours <= 3 * theirs


def instructions(function: Callable[..., object], *arguments: object) -> int:
    """The number of Python instructions that a call executes, including those of the functions that it calls."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    function(*arguments)  # create the attributes that are created on first use
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return count


def test_the_repr_has_only_what_is_not_the_default() -> None:
    assert repr(al.TextDelta(text="a")) == "TextDelta(text='a')"
    assert repr(al.TextDelta(text="a", extra={"x": 1})) == "TextDelta(text='a', extra={'x': 1})"
    assert repr(al.SetModelRequest()) == "SetModelRequest()"
    assert repr(al.SetModelRequest(model=None)) == "SetModelRequest(model=None)"
    assert repr(al.ContentBlockDeltaEvent(index=0, delta=al.TextDelta(text="a"))) == (
        "ContentBlockDeltaEvent(index=0, delta=TextDelta(text='a'))"
    )
    assert repr(al.UnknownMessage(raw={"type": "x"})) == "UnknownMessage(raw={'type': 'x'})"


def test_the_repr_of_an_object_makes_an_equal_one() -> None:
    message = al.new_user_message([al.TextBlockParam(text="hi", extra={"x": [1]})], "s")
    assert eval(repr(message), vars(al) | {name: getattr(al, name) for name in al.__all__}) == message  # noqa: S307


def test_an_object_within_itself_has_a_repr() -> None:
    message = al.KeepAliveMessage()
    message.extra["me"] = message
    assert repr(message) == "KeepAliveMessage(extra={'me': ...})"


def test_bad_lines_are_compared_by_their_contents() -> None:
    first, same, other = (next(iter(al.LineDecoder().feed(line))) for line in (b"x\n", b"x\n", b"y\n"))
    assert isinstance(first, al.BadLine)
    assert first == same
    assert hash(first) == hash(same)
    assert first != other
    assert first != al.BadLine(2, first.raw, first.error)
    assert first != al.BadLine(1, first.raw, al.DecodeError("too_deep"))
    assert eval(repr(first), vars(al)) == first  # noqa: S307


def test_there_is_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(al.TextDelta(text="a"))


def test_slots_leave_no_room_for_misspelt_attributes() -> None:
    with pytest.raises(AttributeError):
        al.TextDelta(text="a").txt = "b"  # type: ignore[attr-defined]  # what the test is about


def test_a_missing_argument_is_named() -> None:
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'text'"):
        al.TextDelta()  # type: ignore[call-arg]  # what the test is about


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_everything(protocol: int) -> None:
    message = al.decode(
        b'{"type":"tool_use_summary","new":[1],"uuid":"u","session_id":"s","summary":"x","preceding_tool_use_ids":[]}'
    )
    assert pickle.loads(pickle.dumps(message, protocol)) == message  # noqa: S301  (our own)


def test_copies_are_equal_and_a_deep_one_shares_nothing() -> None:
    event = al.ContentBlockDeltaEvent(index=0, delta=al.TextDelta(text="a"))
    assert copy.copy(event) == event
    assert copy.copy(event).delta is event.delta
    deep = copy.deepcopy(event)
    assert deep == event
    assert deep.delta is not event.delta


def test_the_signature_has_the_fields() -> None:
    parameters = inspect.signature(al.UserMessage).parameters
    assert {p.kind for p in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert parameters["message"].default is inspect.Parameter.empty
    assert parameters["tool_use_result"].default is al.UNSET


def test_help_shows_the_docs_of_a_class_and_its_fields() -> None:
    text = pydoc.plain(pydoc.render_doc(al.PermissionResultDeny))
    assert "A response that does not allow the tool to run." in text
    assert "message" in text
    assert "The reason for the refusal, shown to the model." in text
    assert "True to end the turn as well." in text


def test_looking_at_the_bases_of_a_class_changes_no_other_class() -> None:
    for base in reversed(al.ListModelsRequest.__mro__[1:]):
        for member in ("__init__", "__eq__", "__dataclass_fields__", "__dataclass_params__"):
            getattr(base, member, None)
    for kind in (al.ListModelsRequest, al.GetSettingsRequest, al.KeepAliveMessage):
        assert [field.name for field in dataclasses.fields(kind)] == ["extra"]
        assert kind() == kind(extra={})
        assert kind() != kind(extra={"x": 1})
    assert al.UnknownMessage(raw={}) != al.UnknownMessage(raw={"x": 1})


def sources() -> dict[str, str]:
    """The source text of every class. Parses each module once; `inspect.getsource` parses it for each class."""
    found: dict[str, str] = {}
    for path in Path(al.__path__[0]).glob("*.py"):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                found[node.name] = "\n".join(line.strip() for line in lines[node.lineno - 1 : node.end_lineno])
    return found


def test_every_field_with_a_doc_shows_it() -> None:
    written = sources()
    for name in al.__all__:
        kind = getattr(al, name)
        if isinstance(kind, type) and issubclass(kind, al.Record) and kind is not al.Record:
            slots = vars(kind)["__slots__"]
            assert [*slots, "extra"] == [field.name for field in dataclasses.fields(kind)]
            assert all(doc in written[kind.__name__] for doc in slots.values())


def test_keyword_patterns_match() -> None:
    match al.ContentBlockDeltaEvent(index=3, delta=al.TextDelta(text="a")):
        case al.ContentBlockDeltaEvent(index=index, delta=al.TextDelta(text=text)):
            assert (index, text) == (3, "a")
        case _:
            pytest.fail("it does not match")


class Plain(al.TextDelta):
    """A subclass without additional fields."""


class Annotated(al.TextDelta):
    """A subclass that adds a field in the same way as the package."""

    seen: float = 0.0


@dataclass(kw_only=True)
class Decorated(al.TextDelta):
    """A subclass that adds a field in the same way as dataclasses."""

    seen: float = 0.0


@pytest.mark.parametrize("kind", [Annotated, Decorated])
def test_a_class_of_a_user_extends_one(kind: type[Annotated]) -> None:
    made = kind(text="a", seen=1.5)
    assert {field.name for field in dataclasses.fields(made)} == {"text", "extra", "seen"}
    assert (made.text, made.seen, made.extra) == ("a", 1.5, {})
    assert made == kind(text="a", seen=1.5)
    assert made != kind(text="a", seen=2.5)
    assert kind(text="a").seen == 0.0
    assert isinstance(made, al.ContentBlockDelta)


@pytest.mark.parametrize("kind", [Annotated, Decorated])
def test_fields_of_a_user_s_class_are_not_lost_in_silence(kind: type[al.TextDelta]) -> None:
    made = kind(text="a")
    event = al.ContentBlockDeltaEvent(index=0, delta=made)
    for value, path in ((made, ""), (event, "/delta")):
        with pytest.raises(al.EncodeError, match=f"TextDelta has no members for the fields that {kind.__name__}") as at:
            al.encode(value)
        assert (at.value.code, at.value.path) == ("unknown_field", path)


def test_an_object_of_a_user_s_class_is_written_by_the_function_of_the_declared_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kind = Plain
    assert al.encode(al.TextDelta(text="a")) == b'{"type":"text_delta","text":"a"}'
    made = kind(text="a")
    event = al.ContentBlockDeltaEvent(index=0, delta=made)
    for _ in range(2):
        assert al.encode(made) == b'{"type":"text_delta","text":"a"}'
        assert al.encode(event) == b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}'
    functions = _wire._encoders.classes
    assert functions[kind] is functions[al.TextDelta]
    monkeypatch.setattr(_wire._encoders, "find", lambda of: pytest.fail(f"{of} was looked up again"))
    assert al.encode(made) == b'{"type":"text_delta","text":"a"}'


def test_a_class_of_a_user_that_merely_has_the_name_of_ours_is_no_message() -> None:
    foreign = type("TextDelta", (), {"text": "a", "type": "text_delta"})
    with pytest.raises(al.EncodeError, match="expected an object of this package, got TextDelta"):
        al.encode(foreign())


def test_tags_are_constants_of_the_class() -> None:
    assert al.AssistantMessage.type == "assistant"
    assert al.ResultSuccess.subtype == "success"
    with pytest.raises(AttributeError):
        al.TextDelta(text="a").type = "text_delta"  # type: ignore[misc]  # what the test is about


def test_a_union_works_with_isinstance() -> None:
    assert isinstance(al.TextDelta(text="a"), al.ContentBlockDelta)
    assert not isinstance(al.TextDelta(text="a"), al.RawMessageStreamEvent)


@pytest.mark.parametrize("line", [b'{"type":"novelty"}', b'{"type":"result","subtype":"novelty"}'])
def test_an_unknown_is_an_instance_of_the_unions_that_it_was_read_as_and_of_no_part_of_them(line: bytes) -> None:
    anything = al.decode(line)
    assert type(anything) is al.UnknownMessage
    inside = {al.StdoutMessage: al.UnknownStdoutMessage, al.SDKMessage: al.UnknownSDKMessage}
    for part in (*inside, al.ResultMessage, al.SystemMessage, al.StdinMessage):
        assert isinstance(anything, al.WireMessage)
        assert not isinstance(anything, part)
    output, message = al.decode(line, al.StdoutMessage), al.decode(line, al.SDKMessage)
    assert [type(output), type(message)] == list(inside.values())
    assert isinstance(output, al.WireMessage)
    assert isinstance(message, al.StdoutMessage)
    assert not isinstance(output, al.SDKMessage)
    assert not isinstance(message, al.ResultMessage)


def test_an_unknown_variant_of_a_part_is_an_instance_of_all_around_it() -> None:
    line = b'{"type":"result","subtype":"novelty"}'
    end = al.decode(line, al.ResultMessage)
    assert type(end) is al.UnknownResultMessage
    for union in (al.ResultMessage, al.SDKMessage, al.StdoutMessage, al.WireMessage):
        assert isinstance(end, union)
    assert not isinstance(end, al.SystemMessage)
    assert al.encode(end) == line


def test_every_union_holds_what_reading_it_gives() -> None:
    read = (name for name in al.__all__ if isinstance(getattr(al, name), type(int | str)) and name in al.TYPES)
    for name in read:
        union = getattr(al, name)
        with contextlib.suppress(al.DecodeError):
            assert isinstance(al.from_dict({"type": "novelty", "subtype": "novelty"}, union), union), name


def test_classes_for_what_several_types_share_know_theirs() -> None:
    end = al.decode(b'{"type":"keep_alive"}')
    assert not isinstance(end, al.HasBaseMessage)
    progress = al.ToolUseSummaryMessage(uuid="u", session_id="s", summary="", preceding_tool_use_ids=[])
    assert isinstance(progress, al.HasBaseMessage)
    assert not isinstance(progress, al.HasResultFields)
    assert not isinstance(al.UnknownMessage(raw={"uuid": "u", "session_id": "s"}), al.HasBaseMessage)
    match progress:
        case al.HasBaseMessage(session_id=session):
            assert session == "s"
        case _:
            pytest.fail("it does not match")


def test_every_class_for_what_is_shared_lists_all_that_have_it() -> None:
    records = [
        kind
        for kind in map(al.__getattribute__, al.__all__)
        if isinstance(kind, type) and issubclass(kind, al.Record) and kind is not al.Record
    ]
    shared = [name for name in al.__all__ if name.startswith("Has") and name.removeprefix("Has") in al.TYPES]
    assert len(shared) > 5
    for name in shared:
        need = {field.name for field in dataclasses.fields(getattr(al, name.removeprefix("Has")))}
        listing: Any = getattr(al, name)
        found = [kind for kind in records if issubclass(kind, listing)]
        assert len(found) > 1
        assert all(need <= {field.name for field in dataclasses.fields(kind)} for kind in found)


def test_values_of_an_enum_are_constants() -> None:
    assert al.StopReasonValue.END_TURN == "end_turn"
    assert al.is_known("end_turn", al.StopReasonValue)
    assert not al.is_known("tired", al.StopReasonValue)
    assert al.known_values(al.StopReasonValue)[0] == "end_turn"


def test_an_open_enum_has_a_closed_twin_and_a_way_to_write_other_text() -> None:
    assert typing.get_args(al.StopReasonKnown) == al.known_values(al.StopReasonValue)
    assert al.UnknownText("tired") == "tired"
    assert json.loads(al.encode(al.SetPermissionModeRequest(mode=al.UnknownText("next"))))["mode"] == "next"


def test_every_name_that_is_offered_is_there() -> None:
    assert sorted(al.__all__) == sorted(set(al.__all__))
    assert [name for name in al.__all__ if not hasattr(al, name)] == []
    assert set(al.__all__) <= set(dir(al))


def test_unset_is_false_and_one_of_a_kind() -> None:
    assert not al.UNSET
    assert copy.deepcopy(al.UNSET) is al.UNSET
    assert pickle.loads(pickle.dumps(al.UNSET)) is al.UNSET  # noqa: S301  (our own)
    assert repr(al.UNSET) == "UNSET"


def test_constructors_require_at_run_time_what_type_checkers_require() -> None:
    seen = 0
    for path in sorted(Path(al.__file__).parent.glob("[a-z]*.py")):
        for declared in (
            each for each in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(each, ast.ClassDef)
        ):
            for init in (each for each in ast.walk(declared) if getattr(each, "name", "") == "__init__"):
                assert isinstance(init, ast.FunctionDef)
                required = {
                    each.arg: default is None
                    for each, default in zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True)
                }
                parameters = inspect.signature(getattr(al, declared.name)).parameters.values()
                assert required == {each.name: each.default is each.empty for each in parameters}
                seen += 1
    assert seen > 10
