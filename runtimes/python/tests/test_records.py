"""Objects of a package are dataclasses in every way that shows."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any

import pytest

is_dataclass: Any = dataclasses.is_dataclass  # which would narrow to a type that has no fields


def test_a_record_is_a_dataclass_with_slots(runtime: Any) -> None:
    note = runtime.model.Note(text="a", count=1)
    assert is_dataclass(note)
    assert [field.name for field in dataclasses.fields(note)] == [
        *("text", "color", "reply_to", "count", "data", "extra"),
    ]
    assert dataclasses.replace(note, text="b") == runtime.model.Note(text="b", count=1)
    assert dataclasses.asdict(note)["count"] == 1
    assert not hasattr(note, "__dict__")
    assert next(iter(inspect.signature(runtime.model.Note).parameters)) == "text"
    assert repr(note) == "Note(text='a', color=None, reply_to=UNSET, count=1, data=UNSET, extra={})"


def test_records_are_compared_and_copied_with_what_is_extra(runtime: Any) -> None:
    note = runtime.model.Note(text="a", extra={"x": [1]})
    assert note != runtime.model.Note(text="a")
    assert runtime.model.Note(text="a", extra={}) == runtime.model.Note(text="a")
    assert pickle.loads(pickle.dumps(note)) == copy.copy(note) == note  # noqa: S301 - our own bytes
    deep = copy.deepcopy(note)
    deep.extra["x"].append(2)
    assert note.extra == {"x": [1]}
    with pytest.raises(TypeError, match="unhashable"):
        hash(note)


def test_extra_is_a_dict_of_its_own_at_any_time(runtime: Any) -> None:
    one, other = runtime.wire.decode(b'{"kind":"note","text":"a"}'), runtime.model.Note(text="a")
    one.extra["x"] = 1
    assert (one.extra, other.extra) == ({"x": 1}, {})


def test_unset_is_one_object_that_is_false(runtime: Any) -> None:
    unset = runtime.base.UNSET
    assert pickle.loads(pickle.dumps(unset)) is copy.deepcopy(unset) is unset  # noqa: S301 - our own bytes
    assert (bool(unset), repr(unset)) == (False, "UNSET")


def test_known_values_are_those_of_their_type(runtime: Any) -> None:
    values = runtime.model.ColorValue
    assert runtime.base.known_values(values) == ("red", "blue")
    assert runtime.base.is_known("blue", values)
    assert not runtime.base.is_known("green", values)
    assert not runtime.base.is_known(1, values)
