"""Trees of entries, for decoded objects of the sample protocol, Unknowns and plain JSON."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from typing import Any

import pytest


@pytest.fixture(scope="module")
def forest(runtime: Any) -> type[Any]:
    """A class of trees."""

    class Forest(runtime.tree.Tree):  # type: ignore[misc]
        __slots__ = ()
        IDS = {  # noqa: RUF012 - as in packages
            "id": (("text", "name"),),
            "parent": (("reply_to",),),
            "attached": (("host", "data"), ("id",)),
            "previous": (("before",),),
        }

    return Forest


def entry(id_: object, parent: object = None, host: object = None, before: object = None) -> dict[str, Any]:
    """An entry as plain JSON."""
    return {"text": id_, "reply_to": parent, "host": {"id": host}, "before": before}


def grown(tree: Any, entries: Iterable[object]) -> Any:
    """The tree after entries are added."""
    for each in entries:
        tree.add(each)
    return tree


def ids(entries: list[dict[str, Any]]) -> list[object]:
    return [each["text"] for each in entries]


def results(tree: Any) -> list[list[object]]:
    """Everything that a tree tells about itself."""
    known = range(8)
    lists = [tree.path(), tree.path(history=True), tree.leaves(), tree.children()]
    lists += [found for id_ in known for found in (tree.path(id_), tree.path(id_, history=True), tree.children(id_))]
    return [[id(each) for each in found] for found in lists]


def test_decoded_objects_unknowns_and_json_are_entries_of_one_tree(runtime: Any, forest: Any) -> None:
    note = runtime.model.Note(text="a")
    unknown = runtime.wire.decode(b'{"kind":"new","text":"b","reply_to":"a"}')
    assert type(unknown) is runtime.unknowns.UnknownLine
    plain = {"name": "c", "reply_to": "b"}
    tree = grown(forest(), [note, unknown, plain])
    assert tree.path() == [note, unknown, plain]
    assert tree.children("a") == [unknown]
    assert tree.children() == [note]
    assert tree.leaves() == [plain]


def test_an_object_has_undeclared_members_too_and_null_is_none(runtime: Any, forest: Any) -> None:
    note = runtime.model.Note(text="a", reply_to=None, data=None, extra={"before": "z", "host": None})
    last = runtime.model.Note(text="b", reply_to="a", data={"id": "a"})
    tree = grown(forest(), [{"text": "z"}, note, last])
    assert tree.path() == [note, last]
    assert tree.path(history=True) == [{"text": "z"}, note, last]
    assert tree.leaves() == [{"text": "z"}, note]


def test_members_of_flattened_values_are_those_of_the_object(runtime: Any, forest: Any) -> None:
    class Flat(forest):  # type: ignore[misc]
        IDS = {"id": (("id",),), "parent": (("p",),)}  # noqa: RUF012

    outer = [
        runtime.wire.decode(f'{{"type":"o","id":"{id_}","form":"box","p":"{p}"}}', "Outer") for id_, p in ("ab", "ba")
    ]
    assert grown(Flat(), outer).path() == outer
    sack = runtime.wire.decode('{"id":"c","p":"b"}', "Sack")
    tree = grown(Flat(), [*outer, sack])
    assert tree.path("c") == [*outer, sack]


def test_an_extended_class_is_read_like_its_own(runtime: Any, forest: Any) -> None:
    class Mine(runtime.model.Note):  # type: ignore[misc]
        """A class of a user."""

    tree = grown(forest(), [{"text": "a"}])
    assert tree.add(Mine(text="b", reply_to="a"))
    assert tree.path() == [{"text": "a"}, Mine(text="b", reply_to="a")]


@pytest.mark.parametrize("value", [None, True, 1.5, 2**53, float("nan"), float("inf"), [], {}, b"a", object()])
def test_anything_but_a_string_or_an_integer_is_no_id(forest: Any, value: object) -> None:
    tree = forest()
    assert not tree.add(entry(value))
    assert not tree.add(value)
    assert tree.path() == tree.leaves() == tree.children() == []
    assert tree.add(entry("a", value, value, value))
    assert tree.path(history=True) == tree.children() == [entry("a", value, value, value)]
    assert value is None or tree.path(value) == tree.children(value) == []


def test_one_and_its_digits_differ_and_one_is_one_however_it_is_written(forest: Any) -> None:
    tree = grown(forest(), [entry(1), entry("1"), entry(2.0, 1.0), entry("b", "1")])
    assert ids(tree.children(1)) == [2.0]
    assert ids(tree.children("1")) == ["b"]
    assert ids(tree.path(2)) == [1, 2.0]


def test_an_entry_of_a_repeated_id_takes_the_place_of_the_first(forest: Any) -> None:
    tree = grown(forest(), [entry("a"), entry("b", "a"), entry("c", "a")])
    assert ids(tree.children("a")) == ["b", "c"]
    assert tree.add(entry("b"))
    assert ids(tree.children()) == ["a", "b"]
    assert ids(tree.children("a")) == ["c"]
    assert ids(tree.path()) == ["a", "c"]


def test_after_each_entry_a_tree_is_like_a_new_one(forest: Any) -> None:
    draw = random.Random(7)  # noqa: S311
    for _ in range(300):
        tree, added = forest(), []
        for _ in range(draw.randint(1, 15)):
            added.append(entry(*(draw.choice([None, *range(8)]) for _ in range(4))))
            assert tree.add(added[-1]) is (added[-1]["text"] is not None)
            if draw.random() < 0.7:  # whether or not anything was asked in between
                assert results(tree) == results(grown(forest(), added))
        assert results(tree) == results(grown(forest(), added))


def test_long_branches_and_many_children_take_no_recursion_and_linear_time(forest: Any) -> None:
    count = 20_000
    assert sys.getrecursionlimit() < count
    tree = grown(forest(), (entry(n, n - 1, n - 2) for n in range(count)))
    assert ids(tree.path()) == [*range(count)]
    backwards = grown(forest(), (entry(n, n - 1) for n in reversed(range(count))))
    assert ids(backwards.path()) == [*range(count)]
    # Each attached entry was added before its host, which makes a search from the host on take quadratic time.
    late = [entry(f"late {n}", None, n) for n in range(1, count)]
    assert len(grown(forest(), [*reversed(late), *(entry(n, n - 1) for n in range(count))]).path()) == 2 * count - 1
    first = [*(entry(n, n - 1) for n in range(count)), *late]
    assert ids(grown(forest(), first).path(count - 1))[count:] == [f"late {n}" for n in range(1, count)]
    wide = grown(forest(), [entry("root"), *(entry(n, "root", "root") for n in range(count))])
    assert len(wide.children("root")) == count
    assert ids(wide.leaves()) == ["root"]
    assert len(wide.path()) == count + 1
    ring = grown(forest(), (entry(n, (n + 1) % count) for n in range(count)))
    assert len(ring.path()) == count
    assert ring.leaves() == []


def test_adding_takes_no_longer_for_a_larger_tree(forest: Any) -> None:
    calls = 0

    def counted(*_: object) -> None:
        nonlocal calls
        calls += 1

    def steps(count: int) -> int:
        nonlocal calls
        tree = grown(forest(), (entry(n, n // 2) for n in range(count)))
        calls = 0
        sys.setprofile(counted)
        tree.add(entry(count, 0))
        tree.add(entry(0, 1))
        sys.setprofile(None)
        return calls

    assert steps(10) == steps(10_000)
