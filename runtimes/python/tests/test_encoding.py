"""Objects → JSON text: every value is checked, and an invalid one is never written."""

from __future__ import annotations

import enum
import json
import math
import sys
from collections.abc import Callable
from types import FrameType, GenericAlias
from typing import Any

import pytest

from ways import UUID, limit_of_digits, refused


class Hue(str, enum.Enum):
    RED = "red"


class Text(str):
    __slots__ = ()


class Rank(enum.IntEnum):
    ONE = 1


def written(runtime: Any, value: Any, type_: Any = None) -> Any:
    """The JSON value of the line that is written for an object."""
    line = runtime.wire.encode(value, type_)
    assert line.isascii()
    assert b"\n" not in line
    return json.loads(line)


def kit(runtime: Any, **members: Any) -> Any:
    return runtime.model.Kit(id=UUID, **members)


def test_members_are_written_in_declared_order_and_extra_last(runtime: Any) -> None:
    note = runtime.model.Note(text="ä<&\u2028", count=2, reply_to=None, extra={"new": [True], "a": "x"})
    assert runtime.wire.encode(note) == (
        rb'{"kind":"note","text":"\u00e4<&\u2028","reply_to":null,"count":2,"new":[true],"a":"x"}'
    )


def test_objects_without_a_member_are_empty(runtime: Any) -> None:
    model = runtime.model
    for of in (model.Tree, model.Bag, model.Crate):
        assert runtime.wire.encode(of()) == b"{}"
    assert runtime.wire.encode(model.Crate(body={})) == b"{}"
    assert runtime.wire.encode(model.Tree(left=model.Tree(), kids=[model.Tree()])) == b'{"kids":[{}],"left":{}}'
    assert runtime.wire.encode(model.Tree(extra={"a": 1})) == b'{"a":1}'
    assert runtime.wire.encode(model.Crate(extra={"a": 1})) == b'{"a":1}'


GOOD: list[tuple[str, Any, Any]] = [
    ("flag", True, True),
    ("ratio", 1.5, 1.5),
    ("ratio", 2, 2.0),
    ("ratio", Rank.ONE, 1.0),
    ("none", None, None),
    ("any", {"a": (1, [Text("x")], {Text("k"): None})}, {"a": [1, ["x"], {"k": None}]}),
    ("any", None, None),
    ("obj", {"a": 1}, {"a": 1}),
    ("level", "low", "low"),
    ("size", 7, 7),
    ("size", 1.0, 1),
    ("size", Rank.ONE, 1),
    ("code", -2, -2),
    ("pair", (1, 2.0), [1, 2]),
    ("pair", [Rank.ONE], [1]),
    ("many", ("a", Text("b")), ["a", "b"]),
    ("many", [Hue.RED], ["red"]),
    ("rows", [[], [Hue.RED, "new"]], [[], ["red", "new"]]),
    ("sizes", {"red": 1, "new": 2}, {"red": 1, "new": 2}),
    ("sizes", {Hue.RED: 1}, {"red": 1}),
    ("levels", {"low": 1}, {"low": 1.0}),
    ("levels", {Text("low"): 1}, {"low": 1.0}),
    ("choice", "x", "x"),
    ("choice", 1, 1),
    ("choice", ("a",), ["a"]),
    ("choice", None, None),
    ("points", [1, 2.5], [1.0, 2.5]),
    ("anys", [1, "a", None, {"b": []}], [1, "a", None, {"b": []}]),
    ("class_", Text("x"), "x"),
    ("at", "any text", "any text"),
]


@pytest.mark.parametrize(("member", "value", "expected"), GOOD)
def test_a_value_that_fits_is_written(runtime: Any, member: str, value: Any, expected: Any) -> None:
    found = written(runtime, kit(runtime, **{member: value}))
    assert repr(found) == repr({"id": UUID, member.replace("class_", "class"): expected})


BAD: list[tuple[str, Any, str, str]] = [
    ("id", 1, "wrong_type", "/id"),
    ("id", None, "wrong_type", "/id"),
    ("id", b"x", "wrong_type", "/id"),
    ("at", 1, "wrong_type", "/at"),
    ("flag", 1, "wrong_type", "/flag"),
    ("flag", "true", "wrong_type", "/flag"),
    ("flag", [], "wrong_type", "/flag"),
    ("ratio", math.nan, "out_of_range", "/ratio"),
    ("ratio", math.inf, "out_of_range", "/ratio"),
    ("ratio", 10**400, "out_of_range", "/ratio"),
    ("ratio", True, "wrong_type", "/ratio"),
    ("ratio", "1", "wrong_type", "/ratio"),
    ("none", 0, "wrong_type", "/none"),
    ("any", math.nan, "out_of_range", "/any"),
    ("any", [1, {"a": -math.inf}], "out_of_range", "/any/1/a"),
    ("any", [object()], "wrong_type", "/any/0"),
    ("any", {"a": {1}}, "wrong_type", "/any/a"),
    ("any", {1: 2}, "wrong_type", "/any"),
    ("any", [{None: 2}], "wrong_type", "/any/0"),
    ("any", {("a",): 2}, "wrong_type", "/any"),
    ("obj", [], "wrong_type", "/obj"),
    ("obj", {"a": b""}, "wrong_type", "/obj/a"),
    ("level", "new", "unknown_value", "/level"),
    ("level", 1, "wrong_type", "/level"),
    ("level", ["low"], "wrong_type", "/level"),
    ("size", True, "wrong_type", "/size"),
    ("size", 1.5, "out_of_range", "/size"),
    ("size", 2**53, "out_of_range", "/size"),
    ("code", 7, "unknown_value", "/code"),
    ("code", "1", "wrong_type", "/code"),
    ("code", [], "wrong_type", "/code"),
    ("pair", [1, True], "wrong_type", "/pair/1"),
    ("pair", [1, 0.5], "out_of_range", "/pair/1"),
    ("pair", [-(2**53)], "out_of_range", "/pair/0"),
    ("pair", 1, "wrong_type", "/pair"),
    ("pair", "ab", "wrong_type", "/pair"),
    ("pair", {1}, "wrong_type", "/pair"),
    ("many", ["a", 1], "wrong_type", "/many/1"),
    ("many", "ab", "wrong_type", "/many"),
    ("rows", [["red"], ["red", None]], "wrong_type", "/rows/1/1"),
    ("sizes", {"red": "1"}, "wrong_type", "/sizes/red"),
    ("sizes", {1: 1}, "wrong_type", "/sizes"),
    ("sizes", [("red", 1)], "wrong_type", "/sizes"),
    ("levels", {"new": 1.0}, "unknown_value", "/levels/new"),
    ("levels", {"low": None}, "wrong_type", "/levels/low"),
    ("by_name", {"a/b": {"p": ""}}, "wrong_type", "/byName/a~1b"),
    ("choice", True, "wrong_type", "/choice"),
    ("choice", 0.5, "out_of_range", "/choice"),
    ("choice", {}, "wrong_type", "/choice"),
    ("choice", [1], "wrong_type", "/choice/0"),
    ("points", [math.inf], "out_of_range", "/points/0"),
    ("points", [None], "wrong_type", "/points/0"),
    ("anys", [object()], "wrong_type", "/anys/0"),
    ("class_", 1, "wrong_type", "/class"),
    ("extra", {"x": math.inf}, "out_of_range", "/x"),
    ("extra", {"x/": [b""]}, "wrong_type", "/x~1/0"),
    ("extra", {1: 2}, "wrong_type", ""),
    ("extra", [1], "wrong_type", ""),
    ("extra", "ab", "wrong_type", ""),
]


@pytest.mark.parametrize(("member", "value", "code", "path"), BAD)
def test_a_value_that_does_not_fit_is_not_written(runtime: Any, member: str, value: Any, code: str, path: str) -> None:
    one = kit(runtime)
    setattr(one, member, value)
    assert refused(runtime, one) == (code, path)
    assert refused(runtime, one, "Kit") == (code, path)
    with pytest.raises(runtime.base.EncodeError):
        runtime.wire.to_dict(one)


def test_a_place_within_other_objects_is_found(runtime: Any) -> None:
    model = runtime.model
    bad = model.Note(text="a", data=[math.nan])
    assert refused(runtime, model.Sight(items=[model.Note(text="a"), bad])) == ("out_of_range", "/items/1/data/0")
    bad.data = bad.text = None
    assert refused(runtime, model.Sight(items=[model.Note(text="a"), bad])) == ("wrong_type", "/items/1/text")
    assert refused(runtime, model.Ask(id="1", request=model.Look(at=1))) == ("wrong_type", "/request/at")
    tree = model.Tree(kids=[model.Tree(), model.Tree(left=model.Tree(name=1))])
    assert refused(runtime, tree) == ("wrong_type", "/kids/1/left/name")
    outer = model.Outer(id="", body=model.Box(p=1))
    assert refused(runtime, outer) == ("wrong_type", "/p")
    assert refused(runtime, {"a": ["b", {"c": 1}]}, "Nest") == ("wrong_type", "/a/1/c")


def test_a_required_member_that_was_taken_away_is_a_mistake_of_the_program(runtime: Any) -> None:
    note = runtime.model.Note(text="a")
    del note.text
    with pytest.raises(AttributeError, match="text"):
        runtime.wire.encode(note)


def test_an_object_of_another_class_is_refused(runtime: Any) -> None:
    model = runtime.model
    for place in (model.Sight(items=[model.Look(at="")]), model.Sight(items=[{"kind": "note", "text": ""}])):
        assert refused(runtime, place) == ("wrong_type", "/items/0")
    for request in (model.Note(text=""), {"what": "forget"}, None, "look", model.Look):
        assert refused(runtime, model.Ask(id="", request=request)) == ("wrong_type", "/request")
    for value in ({}, [], "a", None, object(), model.Note, 1):
        assert refused(runtime, value) == ("wrong_type", "")
        assert refused(runtime, value, "Line") == ("wrong_type", "")
    assert refused(runtime, model.Look(at=""), "Line") == ("wrong_type", "")
    assert refused(runtime, model.Note(text=""), "Tree") == ("wrong_type", "")


def test_a_class_of_the_same_name_is_another_class(runtime: Any) -> None:
    class Note:
        text = "a"

    assert refused(runtime, Note()) == ("wrong_type", "")


@pytest.mark.parametrize(
    ("member", "value", "code"),
    [
        ("type", "x", "wrong_constant"),
        ("type", 1, "wrong_type"),
        ("quiet", True, "wrong_constant"),
        ("quiet", 0, "wrong_type"),
    ],
)
def test_an_optional_constant_has_one_value(runtime: Any, member: str, value: Any, code: str) -> None:
    assert written(runtime, runtime.model.Fixed(type="stdio", quiet=False))["quiet"] is False
    assert written(runtime, runtime.model.Fixed(type=Text("stdio")))["type"] == "stdio"
    assert refused(runtime, runtime.model.Fixed(**{member: value})) == (code, f"/{member}")


def test_constants_are_written_whatever_is_set(runtime: Any) -> None:
    assert written(runtime, runtime.model.Fixed()) == {"role": "r", "on": True, "version": 2, "ratio": 1.5}
    with pytest.raises(AttributeError):
        runtime.model.Note(text="").kind = "x"


def test_a_tag_that_varies_has_one_of_its_values(runtime: Any) -> None:
    model = runtime.model
    bad: list[tuple[Any, dict[str, Any], str]] = [
        (model.Suit, {"k": "z"}, "unknown_value"),
        (model.Suit, {"k": 1}, "wrong_type"),
        (model.Suit, {"k": ["x"]}, "wrong_type"),
        (model.Failure, {"what": "start", "n": 1}, "unknown_value"),
        (model.Failure, {"what": None, "n": 1}, "wrong_type"),
    ]
    for of, value, code in bad:
        assert refused(runtime, of(**value)) == (code, f"/{next(iter(value))}")
    assert refused(runtime, model.Suit(k="x", m="other")) == ("unknown_value", "/m")
    assert written(runtime, model.Failure(what="error_new", n=1))["what"] == "error_new"
    assert written(runtime, model.Suit(k=Text("x"), m="error_a")) == {"k": "x", "m": "error_a"}


def test_a_claimed_value_belongs_to_another_variant(runtime: Any) -> None:
    assert written(runtime, runtime.model.Original(is_copy=False)) == {"kind": "card", "isCopy": False}
    assert refused(runtime, runtime.model.Original(is_copy=True)) == ("wrong_constant", "/isCopy")


# --- extra -----------------------------------------------------------------------------------------------------


def test_a_declared_member_that_is_set_wins_over_extra(runtime: Any) -> None:
    note = runtime.model.Note(text="a", count=2, extra={"text": "no", "kind": "no", "count": "no", "x": 1})
    assert written(runtime, note) == {"kind": "note", "text": "a", "count": 2, "x": 1}
    assert written(runtime, runtime.model.Bag(a="x", extra={"a": 1, "b": 2})) == {"a": "x", "b": 2}


def test_extra_may_hold_a_declared_member_that_is_not_set_if_it_fits(runtime: Any) -> None:
    model = runtime.model
    extra: dict[str, Any] = {"count": None, "reply_to": None, "color": "red", "data": [1]}
    assert written(runtime, model.Note(text="a", extra=extra)) == {"kind": "note", "text": "a", **extra}
    bad: list[tuple[Any, str, str]] = [
        ({"count": "2"}, "wrong_type", "/count"),
        ({"count": 0.5}, "out_of_range", "/count"),
        ({"color": 1}, "wrong_type", "/color"),
        ({"reply_to": []}, "wrong_type", "/reply_to"),
        ({"data": math.nan}, "out_of_range", "/data"),
    ]
    for extra, code, path in bad:
        assert refused(runtime, model.Note(text="a", extra=extra)) == (code, path)
    assert refused(runtime, model.Original(extra={"isCopy": True})) == ("wrong_constant", "/isCopy")
    assert refused(runtime, model.Fixed(extra={"type": "x"})) == ("wrong_constant", "/type")
    assert refused(runtime, model.Fixed(extra={"type": None})) == ("wrong_type", "/type")
    assert refused(runtime, model.Suit(k="x", extra={"m": "y"})) == ("unknown_value", "/m")
    assert written(runtime, model.Fixed(extra={"type": "stdio"}))["type"] == "stdio"
    assert refused(runtime, model.Kit(id="", extra={"byName": {"a": {"p": 1}}})) == ("wrong_type", "/byName/a/p")
    assert written(runtime, model.Kit(id="", extra={"pair": (1,)}))["pair"] == [1]


def test_typed_extra_members_are_judged(runtime: Any) -> None:
    bag = runtime.model.Bag
    assert written(runtime, bag(extra={"b": 2.0, "a": None})) == {"b": 2, "a": None}
    assert refused(runtime, bag(extra={"b": "2"})) == ("wrong_type", "/b")
    assert refused(runtime, bag(extra={1: 2})) == ("wrong_type", "")
    assert refused(runtime, bag(extra={"a": 1})) == ("wrong_type", "/a")
    assert written(runtime, bag(extra={"a": "x"})) == {"a": "x"}
    assert written(runtime, bag(extra={Text("b"): 1})) == {"b": 1}


def test_keys_of_a_subclass_are_the_texts_that_they_are(runtime: Any) -> None:
    note = runtime.model.Note(text="", extra={Text("b"): 1, Hue.RED: [10**30]})
    assert written(runtime, note) == {"kind": "note", "text": "", "b": 1, "red": [10**30]}
    note.text = Text("x")
    assert written(runtime, note)["text"] == "x"


# --- flattened members -----------------------------------------------------------------------------------------


def test_flattened_members_stand_beside_those_of_the_owner(runtime: Any) -> None:
    model = runtime.model
    box = model.Box(p="1", extra={"x": {"y": [1.50, 10**30]}, "z": "é"})
    outer = model.Outer(id="i", body=box, last="l", extra={"w": 1})
    expected = {"type": "o", "id": "i", "last": "l", "form": "box", "p": "1", **box.extra, "w": 1}
    assert written(runtime, outer) == expected


def test_no_key_is_written_twice(runtime: Any) -> None:
    model = runtime.model
    box = model.Box(p="1", extra={"id": "inner", "x": 1, "last": "inner"})
    line = runtime.wire.encode(model.Outer(id="i", body=box, extra={"p": 2, "x": 2, "y": 3}))
    pairs = json.loads(line, object_pairs_hook=list)
    assert sorted(key for key, _ in pairs) == sorted({key for key, _ in pairs})
    assert dict(pairs) == {"type": "o", "id": "i", "form": "box", "p": "1", "x": 1, "last": "inner", "y": 3}
    sack = model.Sack(id="i", body={"id": 2, "z": 1}, extra={"z": 2, "w": 3})
    assert runtime.wire.encode(sack) == b'{"id":"i","z":1,"w":3}'


@pytest.mark.parametrize("limit", [0, 640])
def test_flattened_members_keep_their_numbers(runtime: Any, limit: int) -> None:
    text = '{"id":"i","a":[1.50,%s,-0.0,1e22]}' % ("7" * 4300)
    with limit_of_digits(limit):
        sack = runtime.wire.decode(text, "Sack")
        assert runtime.wire.encode(sack).decode() == text.replace("1.50", "1.5").replace("1e22", "1e+22")


def test_an_optional_flattened_member_may_be_absent(runtime: Any) -> None:
    loose = runtime.model.Loose
    assert written(runtime, loose(id="i", extra={"x": 1})) == {"id": "i", "x": 1}
    assert written(runtime, loose(id="i", body=runtime.model.Draft(p="1"))) == {"id": "i", "p": "1"}
    assert refused(runtime, runtime.model.Sack(id="i", body=None)) == ("wrong_type", "")


def test_strict_encoding_refuses_what_a_strict_reader_would(runtime: Any) -> None:
    model, unknowns, encode = runtime.model, runtime.unknowns, runtime.wire.encode
    note = model.Note(text="x")
    assert encode(note, strict=True) == encode(note)
    for value, type_, code, path in (
        (model.Note(text="x", extra={"new": 1}), None, "unknown_field", "/new"),
        ([note, model.Note(text="x", extra={"a/b": 1})], GenericAlias(list, model.Note), "unknown_field", "/1/a~1b"),
        (unknowns.UnknownLine(raw={"kind": "x"}), None, "unknown_variant", "/kind"),
        (unknowns.UnknownLine(raw={"type": "x"}), None, "unknown_variant", "/type"),
        (unknowns.UnknownLine(raw={"kind": "x"}), "Line", "unknown_variant", "/kind"),
        (unknowns.UnknownEvent(raw={"kind": "x", "what": "new"}), None, "unknown_variant", "/what"),
        (model.Note(text=1), None, "wrong_type", "/text"),
    ):
        with pytest.raises(runtime.base.EncodeError) as caught:
            encode(value, type_, strict=True)
        assert (caught.value.code, caught.value.path) == (code, path)


# --- Unknowns --------------------------------------------------------------------------------------------------


def test_an_unknown_is_written_as_it_came_if_its_union_takes_it(runtime: Any) -> None:
    unknown = runtime.unknowns.UnknownLine
    raw: Any = {"kind": "new", "a": [1.5, {"b": None}]}
    assert written(runtime, unknown(raw=raw)) == raw
    assert written(runtime, unknown(raw={"type": "new"})) == {"type": "new"}  # from the other union that it belongs to
    assert written(runtime, unknown(raw={"type": "new"}), "Fitting") == {"type": "new"}
    assert refused(runtime, unknown(raw={"type": "new"}), "Line") == ("missing_field", "/kind")
    bad: list[tuple[Any, str, str]] = [
        ({}, "missing_field", "/kind"),
        ({"kind": 1}, "wrong_type", "/kind"),
        ({"kind": "note"}, "missing_field", "/text"),
        ({"kind": "note", "text": 1}, "wrong_type", "/text"),
        ({"kind": "new", "a": math.nan}, "out_of_range", "/a"),
        ({"kind": "new", "a": [b""]}, "wrong_type", "/a/0"),
        ({"kind": "new", 1: 2}, "wrong_type", ""),
        ([], "wrong_type", ""),
        (None, "wrong_type", ""),
    ]
    for raw, code, path in bad:
        assert refused(runtime, unknown(raw=raw)) == (code, path)


def test_an_unknown_in_a_member_is_written_as_its_union_takes_it(runtime: Any) -> None:
    model, unknowns = runtime.model, runtime.unknowns
    event = unknowns.UnknownEvent(raw={"kind": "x", "what": "new"})
    assert written(runtime, model.Original(event=event)) == {"kind": "card", "event": event.raw}
    event.raw = {"what": "start"}
    assert refused(runtime, model.Original(event=event)) == ("missing_field", "/event/kind")
    body = unknowns.UnknownBody(raw={"form": "new", "z": 1, "id": 2})
    assert written(runtime, model.Outer(id="i", body=body)) == {"type": "o", "id": "i", "form": "new", "z": 1}


# --- whole documents -------------------------------------------------------------------------------------------


def test_values_that_do_not_tell_what_they_are_need_a_type(runtime: Any) -> None:
    wire, model = runtime.wire, runtime.model
    assert wire.encode(["a", {"b": []}], "Nest") == b'["a",{"b":[]}]'
    assert wire.encode([1, 2], model.Points) == b"[1.0,2.0]"
    assert wire.encode("red", model.Color) == b'"red"'
    assert refused(runtime, ["a"]) == ("wrong_type", "")


def test_an_object_of_a_subclass_is_written_as_its_class(runtime: Any) -> None:
    model = runtime.model

    class Mine(model.Note):  # type: ignore[misc, name-defined]  # the module is one of several copies
        mine = 0

    one = Mine(text="a")
    one.mine = 3
    assert runtime.wire.encode(one) == runtime.wire.encode(one, "Line") == b'{"kind":"note","text":"a"}'
    assert written(runtime, model.Sight(items=[one])) == {"items": [{"kind": "note", "text": "a"}]}


def test_a_subclass_that_adds_fields_is_refused_wherever_it_is(runtime: Any) -> None:
    model = runtime.model

    class Mine(model.Note):  # type: ignore[misc, name-defined]  # the module is one of several copies
        mine: int = 0

    class Strange(runtime.unknowns.UnknownLine):  # type: ignore[misc]
        mine: int = 0

    one = Mine(text="a", mine=3)
    for _ in range(2):
        assert refused(runtime, one) == refused(runtime, one, "Line") == ("unknown_field", "")
        assert refused(runtime, model.Sight(items=[one])) == ("unknown_field", "/items/0")
        assert refused(runtime, Strange(raw={"kind": "new"})) == ("unknown_field", "")
    with pytest.raises(runtime.base.EncodeError, match="Note has no members for the fields that Mine adds: mine; "):
        runtime.wire.encode(one)


def test_an_object_within_itself_is_too_deep(runtime: Any) -> None:
    model = runtime.model
    data: list[Any] = []
    data.append(data)
    tree = model.Tree()
    tree.left = tree
    kids = model.Tree(kids=[])
    kids.kids.append(kids)
    outer = model.Outer(id="", body=model.Box(p=""))
    outer.body.inner = outer
    nest: list[Any] = []
    nest.append(nest)
    for value in (model.Note(text="", data=data), tree, kids, outer, model.Note(text="", extra={"x": data})):
        assert refused(runtime, value) == ("too_deep", "")
    assert refused(runtime, nest, "Nest") == ("too_deep", "")
    assert refused(runtime, runtime.unknowns.UnknownLine(raw={"kind": "x", "a": data})) == ("too_deep", "")


def test_what_is_too_deep_is_not_written(runtime: Any) -> None:
    model = runtime.model

    def nested(levels: int) -> Any:
        value: Any = 1
        for _ in range(levels):
            value = [value]
        return value

    def tree(levels: int) -> Any:
        value = model.Tree()
        for _ in range(levels - 1):
            value = model.Tree(left=value)
        return value

    runtime.wire.encode(model.Note(text="", data=nested(127)))
    runtime.wire.encode(model.Note(text="", extra={"x": nested(127)}))
    runtime.wire.encode(tree(128))
    for value in (
        model.Note(text="", data=nested(128)),
        model.Note(text="", extra={"x": nested(128)}),
        model.Sack(id="", body={"x": nested(128)}),
        tree(129),
        tree(2000),
    ):
        assert refused(runtime, value) == ("too_deep", "")


@pytest.mark.parametrize("limit", [0, 640, 4300])
def test_a_long_integer_is_not_written(runtime: Any, limit: int) -> None:
    with limit_of_digits(limit):
        assert refused(runtime, runtime.model.Note(text="a", data=[0, 10**4300])) == ("out_of_range", "/data/1")
        assert refused(runtime, runtime.model.Note(text="a", count=10**4300)) == ("out_of_range", "/count")
        assert refused(runtime, kit(runtime, ratio=10**4300)) == ("out_of_range", "/ratio")
        assert refused(runtime, runtime.unknowns.UnknownLine(raw={"kind": "x", "a": 10**4300})) == (
            "out_of_range",
            "/a",
        )


def copied(function: Callable[..., object], *arguments: object) -> int:
    """The characters of all texts that the lines of a call make, counted whenever a variable gets another text."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        known = {name: len(value) for name, value in frame.f_locals.items() if type(value) is str}

        def line(frame: FrameType, _event: str, _value: object) -> Any:
            nonlocal count
            for name, value in frame.f_locals.items():
                if type(value) is str and known.get(name) != len(value):
                    known[name] = len(value)
                    count += len(value)
            return line

        return line if event == "call" else None

    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize(
    ("name", "members"),
    [
        pytest.param("Note", {"text": "a"}, id="texts beside declared members"),
        pytest.param("Bag", {}, id="members of a declared type"),
        pytest.param("Outer", {"id": "a"}, id="members beside a flattened one"),
        pytest.param("Sack", {"id": "a"}, id="a flattened object"),
    ],
)
def test_the_work_of_writing_undeclared_members_is_linear(runtime: Any, name: str, members: dict[str, Any]) -> None:
    def record(count: int) -> Any:
        more: Any = {f"k{number:05}": 1 if name == "Bag" else "a" for number in range(count)}
        if name == "Sack":
            return runtime.model.Sack(**members, body=more)
        if name == "Outer":
            return runtime.model.Outer(**members, body=runtime.model.Box(p="a"), extra=more)
        return getattr(runtime.model, name)(**members, extra=more)

    runtime.wire.encode(record(1))
    few, many = (copied(runtime.wire.encode, record(count)) for count in (200, 800))
    assert many <= 5 * few  # the extension copies none in Python
