"""Objects of a package behave like dataclasses in every observable way."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import pydoc
import sys
import threading
from dataclasses import dataclass
from typing import Any

import pytest

is_dataclass: Any = dataclasses.is_dataclass  # untyped, because its type guard would narrow to a type without fields
FIELDS = ["text", "color", "reply_to", "count", "data", "extra"]


def note(runtime: Any, **members: Any) -> Any:
    return runtime.model.Note(**{"text": "a", **members})


def counterpart() -> Any:
    """The class that the decorator creates from a declaration like that of a draft."""

    @dataclass(kw_only=True)
    class Draft:
        p: str
        extra: dict[str, Any] = dataclasses.field(default_factory=dict)

    return Draft


def test_fields_are_those_of_the_declaration_in_order(runtime: Any) -> None:
    for of in (runtime.model.Note, note(runtime)):
        assert is_dataclass(of)
        assert [field.name for field in dataclasses.fields(of)] == FIELDS
    fields = {field.name: field for field in dataclasses.fields(runtime.model.Note)}
    assert fields["text"].default is dataclasses.MISSING
    assert fields["color"].default is None
    assert fields["reply_to"].default is runtime.base.UNSET
    assert fields["extra"].default_factory is dict
    assert fields["text"].type == "str"
    assert all(field.kw_only and field.init and field.repr and field.compare for field in fields.values())
    assert [field.name for field in dataclasses.fields(runtime.model.Look)] == ["at", "seen", "extra"]
    assert [field.name for field in dataclasses.fields(runtime.unknowns.UnknownEvent)] == ["raw"]


def test_functions_of_dataclasses_take_records(runtime: Any) -> None:
    one = note(runtime, count=1, extra={"x": [1]})
    assert dataclasses.replace(one, text="b") == note(runtime, text="b", count=1, extra={"x": [1]})
    assert one.text == "a"
    made = dataclasses.asdict(runtime.model.Sight(items=[one], extra={"y": 2}))
    values = ("a", None, runtime.base.UNSET, 1, runtime.base.UNSET, {"x": [1]})
    assert made == {"items": [dict(zip(FIELDS, values, strict=True))], "extra": {"y": 2}}
    assert dataclasses.astuple(runtime.model.Draft(p="a", extra={"x": 1})) == ("a", {"x": 1})
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        dataclasses.replace(one, other=1)
    if sys.version_info >= (3, 13):
        assert copy.replace(one, text="b").text == "b"
    assert one.__replace__(text="b").text == "b"


def test_a_constructor_takes_keywords_alone_and_needs_what_is_required(runtime: Any) -> None:
    model = runtime.model
    with pytest.raises(TypeError, match="positional"):
        model.Note("a")
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'text'"):
        model.Note()
    with pytest.raises(TypeError, match="'kind'"):
        model.Note(text="a", kind="note")
    with pytest.raises(TypeError, match="'raw'"):
        runtime.unknowns.UnknownLine()
    assert model.Forget().extra == {}


def test_a_signature_shows_fields_and_their_types(runtime: Any) -> None:
    signature = inspect.signature(runtime.model.Note)
    assert list(signature.parameters) == FIELDS
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in signature.parameters.values())
    assert signature.parameters["text"].default is inspect.Parameter.empty
    assert signature.parameters["count"].default is None
    assert signature.parameters["text"].annotation == "str"
    assert str(inspect.signature(counterpart())).replace("<factory>", "") == str(
        inspect.signature(runtime.model.Draft)
    ).replace("<factory>", "")


def test_help_shows_the_docs_of_fields(runtime: Any) -> None:
    shown = pydoc.plain(pydoc.render_doc(runtime.model.Note))
    assert "A message whose members have every presence." in shown
    assert "The text of the note." in shown
    assert "Red is for errors." in shown
    assert "Undeclared members of the object" in shown
    assert "Never sent." in pydoc.plain(pydoc.render_doc(runtime.model.Look))


def test_an_installation_without_sources_has_no_docs_of_fields(fresh: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_source(_: object) -> str:
        raise OSError

    monkeypatch.setattr(inspect, "getsource", no_source)
    assert "A message whose" in pydoc.render_doc(fresh.model.Note)
    assert fresh.model.Note.__slots__["text"] == ""


def test_records_have_slots(runtime: Any) -> None:
    for one in (note(runtime), runtime.wire.decode('{"kind":"x"}')):
        assert not hasattr(one, "__dict__")
        with pytest.raises(AttributeError):
            one.other = 1


def test_records_are_equal_if_class_fields_and_extra_are(runtime: Any) -> None:
    model = runtime.model
    assert note(runtime) == note(runtime, extra={}) == runtime.wire.decode('{"kind":"note","text":"a"}')
    assert note(runtime, extra={"x": [1]}) == note(runtime, extra={"x": [1]})
    for other in (note(runtime, extra={"x": [1]}), note(runtime, text="b"), note(runtime, reply_to=None)):
        assert note(runtime) != other
    assert model.Copy() != model.Original()
    assert note(runtime) != "a"
    assert note(runtime).__eq__("a") is NotImplemented
    with pytest.raises(TypeError, match="unhashable"):
        hash(note(runtime))
    unknown = runtime.unknowns.UnknownLine
    assert unknown(raw={"a": 1}) == unknown(raw={"a": 1}) != unknown(raw={"a": 2})
    assert unknown(raw={}) != runtime.unknowns.UnknownEvent(raw={})


def test_a_representation_leaves_out_defaults(runtime: Any) -> None:
    assert repr(note(runtime, count=1)) == "Note(text='a', count=1)"
    assert repr(note(runtime, reply_to=None, extra={"x": 1})) == "Note(text='a', reply_to=None, extra={'x': 1})"
    assert repr(runtime.model.Forget()) == "Forget()"
    assert repr(runtime.wire.decode('{"kind":"x"}')) == "UnknownLine(raw={'kind': 'x'})"
    tree = runtime.model.Tree(name="a")
    tree.left = tree
    assert repr(tree) == "Tree(name='a', left=...)"


def test_a_representation_is_whole_in_every_thread(runtime: Any) -> None:
    one = note(runtime)
    one.data = _Shown(one)
    threading_repr = repr(one)
    assert threading_repr == "Note(text='a', data=Note(text='a', data=...))"


class _Shown:
    """Creates the representation of an object in another thread."""

    def __init__(self, of: Any) -> None:
        self.of = of
        self.nested = False

    def __repr__(self) -> str:
        if self.nested:
            return "..."
        self.nested = True
        found: list[str] = []
        thread = threading.Thread(target=lambda: found.append(repr(self.of)))
        thread.start()
        thread.join()
        self.nested = False
        return found[0]


def test_records_are_copied_with_what_is_extra(runtime: Any) -> None:
    unknown = runtime.wire.decode('{"kind":"x","a":[1]}')
    for one in (note(runtime, extra={"x": [1]}), note(runtime), unknown, runtime.model.Sight(items=[note(runtime)])):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(one, protocol)) == one  # noqa: S301 - our own data
        assert copy.copy(one) == copy.deepcopy(one) == one
        assert copy.copy(one) is not one
    one = note(runtime, extra={"x": [1]})
    deep = copy.deepcopy(one)
    deep.extra["x"].append(2)
    assert one.extra == {"x": [1]}


def test_extra_is_a_dict_of_its_own_at_any_time(runtime: Any) -> None:
    one, other = runtime.wire.decode(b'{"kind":"note","text":"a"}'), note(runtime)
    one.extra["x"] = 1
    assert (one.extra, other.extra) == ({"x": 1}, {})
    one.extra = {"y": 2}
    assert (one.extra, one) == ({"y": 2}, note(runtime, extra={"y": 2}))


def test_records_are_matched_by_class_and_attributes(runtime: Any) -> None:
    model = runtime.model
    for message, expected in [
        (note(runtime, count=1), "note 1"),
        (model.Ask(id="7", request=model.Look(at="here")), "look here"),
        (runtime.unknowns.UnknownLine(raw={"kind": "new"}), "unknown new"),
    ]:
        match message:
            case model.Note(count=int(count)):
                found = f"note {count}"
            case model.Ask(request=model.Look(at=at)):
                found = f"look {at}"
            case runtime.unknowns.UnknownLine(kind=kind):
                found = f"unknown {kind}"
            case _:
                found = ""
        assert found == expected
    assert model.Note.__match_args__ == ()  # the order of fields is not guaranteed


# --- subclasses ------------------------------------------------------------------------------------------------


def test_a_subclass_without_fields_is_a_class_of_its_own(runtime: Any) -> None:
    base: Any = runtime.model.Note

    class Mine(base):  # type: ignore[misc]  # a value to type checkers
        def shout(self) -> str:
            return f"{self.text}!"

    one = Mine(text="a")
    assert (one.shout(), one == Mine(text="a"), one == note(runtime)) == ("a!", True, False)
    assert [field.name for field in dataclasses.fields(Mine)] == FIELDS
    assert repr(one).endswith("Mine(text='a')")
    assert dataclasses.replace(one, text="b") == Mine(text="b")
    assert type(copy.deepcopy(one)) is Mine


def test_a_subclass_may_have_fields_of_its_own(runtime: Any) -> None:
    base: Any = runtime.model.Note

    class Mine(base):  # type: ignore[misc]  # a value to type checkers
        mine: int
        other: str = "x"

    one = Mine(text="a", mine=1)
    assert (one.mine, one.other, one.text, one.extra) == (1, "x", "a", {})
    assert one == Mine(text="a", mine=1)
    assert one != Mine(text="a", mine=2)
    assert repr(one).endswith("Mine(text='a', mine=1)")
    assert [field.name for field in dataclasses.fields(Mine)] == [*FIELDS[:-1], "mine", "other", "extra"]
    assert dataclasses.replace(one, mine=3).mine == 3
    with pytest.raises(TypeError, match="'mine'"):
        Mine(text="a")


@pytest.mark.parametrize("options", [{}, {"kw_only": True}, {"repr": False}, {"slots": True}])
def test_a_subclass_may_be_decorated(runtime: Any, options: Any) -> None:
    base: Any = runtime.model.Note

    @dataclass(**options)
    class Mine(base):  # type: ignore[misc]  # a value to type checkers
        mine: int = 0

    one = Mine(text="a", mine=1)
    assert (one.mine, one.text, one.extra) == (1, "a", {})
    assert one == Mine(text="a", mine=1)
    assert one != Mine(text="a", mine=2)
    assert {field.name for field in dataclasses.fields(Mine)} == {*FIELDS, "mine"}
    assert dataclasses.replace(one, mine=3) == Mine(text="a", mine=3)
    assert dataclasses.asdict(one)["mine"] == 1
    assert "mine=1" in repr(one)


def test_a_subclass_with_slots_keeps_extra_where_nothing_else_is_declared(runtime: Any) -> None:
    base: Any = runtime.model.Forget

    @dataclass(slots=True)
    class Mine(base):  # type: ignore[misc]  # a value to type checkers
        mine: int = 0

    assert (Mine(mine=1).extra, hasattr(Mine(), "__dict__")) == ({}, False)
    assert Mine(extra={"a": 1}).extra == {"a": 1}


def test_a_subclass_may_look_at_what_it_is_made_of(runtime: Any) -> None:
    base: Any = runtime.model.Note

    class Loud(base):  # type: ignore[misc]  # a value to type checkers
        text: str
        loud: bool = True

        def __post_init__(self) -> None:
            if not self.text:
                raise ValueError("nothing to say")
            self.text = self.text.upper()

    assert Loud(text="a").text == "A"
    with pytest.raises(ValueError, match="nothing to say"):
        Loud(text="")


def test_a_subclass_may_have_an_init_or_slots(runtime: Any) -> None:
    base: Any = runtime.model.Note

    class Short(base):  # type: ignore[misc]  # a value to type checkers
        __slots__ = ("more",)

        def __init__(self, text: str) -> None:
            super().__init__(text=text)
            self.more = 1

    one = Short("a")
    assert (one.text, one.more, hasattr(one, "__dict__")) == ("a", 1, False)
    assert runtime.wire.encode(one) == b'{"kind":"note","text":"a"}'


def test_a_record_of_a_program_is_a_dataclass_too(runtime: Any) -> None:
    record: Any = runtime.base.Record

    class Own(record):  # type: ignore[misc]  # a value to type checkers
        a: int
        b: str = "x"

    one = Own(a=1, extra={"c": 2})
    assert repr(one).endswith("Own(a=1, extra={'c': 2})")
    assert [field.name for field in dataclasses.fields(Own)] == ["a", "b", "extra"]
    assert not hasattr(one, "__dict__")
    with pytest.raises(runtime.base.EncodeError, match="wrong_type"):
        runtime.wire.encode(one)


# --- types -----------------------------------------------------------------------------------------------------


def test_unions_hold_their_variants_and_their_unknown(runtime: Any) -> None:
    model, unknowns = runtime.model, runtime.unknowns
    line, event = unknowns.UnknownLine(raw={}), unknowns.UnknownEvent(raw={})
    assert isinstance(note(runtime), model.Line)
    assert isinstance(model.Start(cwd=""), model.Line)
    assert isinstance(model.Start(cwd=""), model.Event)
    assert not isinstance(note(runtime), model.Event)
    assert isinstance(line, model.Line)
    assert not isinstance(line, model.Event)  # an unknown line is not an event
    assert isinstance(event, model.Event)
    assert isinstance(event, model.Line)
    assert not isinstance(line, model.Request)


def test_enums_are_literals(runtime: Any) -> None:
    from typing import Literal, get_args

    model = runtime.model
    assert get_args(model.Color) == (Literal["red", "blue"], str)
    assert get_args(model.Size) == (Literal[1, -2], int)
    assert (get_args(model.Level), get_args(model.Code)) == (("low", "high"), (1, -2))
    assert runtime.model.Points == list[float]


def test_an_alias_is_one_object(runtime: Any) -> None:
    assert runtime.model.Line is runtime.model.Line
    with pytest.raises(AttributeError, match="has no attribute 'Missing'"):
        _ = runtime.model.Missing


def test_what_records_share_is_a_class_to_ask_for(runtime: Any) -> None:
    model = runtime.model
    has: Any = model.HasKind
    ask = model.Ask(id="", request=model.Forget())

    class Mine(model.Ask):  # type: ignore[misc, name-defined]  # a value to type checkers
        pass

    class Ask:
        id = ""

    assert isinstance(ask, has)
    assert isinstance(Mine(id="", request=ask.request), has)
    assert issubclass(model.Answer, has)
    assert not isinstance(note(runtime), has)
    assert not isinstance(runtime.unknowns.UnknownLine(raw={}), has)
    assert not isinstance(Ask(), has)
    match ask:
        case has():
            pass
        case _:
            pytest.fail("it has no kind")


def test_unset_is_one_object_that_is_false(runtime: Any) -> None:
    unset = runtime.base.UNSET
    assert pickle.loads(pickle.dumps(unset)) is copy.deepcopy(unset) is unset  # noqa: S301 - our own data
    assert (bool(unset), repr(unset)) == (False, "UNSET")


def test_known_values_are_those_of_their_type(runtime: Any) -> None:
    values, sizes = runtime.model.ColorValue, runtime.model.SizeValue
    assert runtime.base.known_values(values) == ("red", "blue")
    assert runtime.base.is_known("blue", values)
    assert not runtime.base.is_known("green", values)
    assert not runtime.base.is_known(1, values)
    assert runtime.base.known_values(sizes) == (1, -2)
    assert runtime.base.is_known(1, sizes)
    assert not runtime.base.is_known(True, sizes)
    assert runtime.base.UnknownText("green") == "green"


def test_errors_are_compared_and_pickled_by_what_they_say(runtime: Any) -> None:
    base = runtime.base
    one = base.DecodeError("wrong_type", "/a", "expected string")
    assert str(one) == "wrong_type at /a: expected string"
    assert str(base.EncodeError("too_deep")) == "too_deep: "
    assert one == base.DecodeError("wrong_type", "/a", "expected string") != base.EncodeError(*one.args)
    assert len({one, base.DecodeError(*one.args)}) == 1
    assert pickle.loads(pickle.dumps(one)) == copy.copy(one) == one  # noqa: S301 - our own data


def test_what_examine_finds_shows_itself(runtime: Any) -> None:
    found = runtime.wire.examine('{"kind":"note","text":"a","x":1}')
    assert repr(found) == ("Examined(value=Note(text='a', extra={'x': 1}), variant='Note', unknown=('/x',))")
