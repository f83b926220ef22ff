"""Lines that repeat earlier ones are read without the parser, and come out the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

HEAD = b'{"kind":"note","count":1,"data":{"a_member_that_fills_the_head_of_the_line_up_to_where_texts_vary":null},'


pytestmark = pytest.mark.parametrize("runtime", ["stdlib"], indirect=True)  # orjson needs no such help


@pytest.fixture
def wire(runtime: Any) -> Iterator[Any]:
    """The reader with nothing learned."""
    wire = runtime.wire
    wire._readers.clear()
    wire._learner, wire._learning = None, True
    yield wire
    wire._readers.clear()


def test_the_third_line_needs_no_parser(wire: Any, runtime: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (b"one", b"two"):
        wire.decode(HEAD + b'"text":"' + text + b'"}')
    monkeypatch.setattr(wire, "_scan", lambda *_: pytest.fail("the parser was asked"))
    message = wire.decode(HEAD + rb'"text":"\u00e4\n"}')
    data = {"a_member_that_fills_the_head_of_the_line_up_to_where_texts_vary": None}
    assert message == runtime.model.Note(text="ä\n", count=1, data=data)


def test_a_line_with_a_fault_is_read_the_ordinary_way(wire: Any, runtime: Any) -> None:
    for text in (b"one", b"two"):
        wire.decode(HEAD + b'"text":"' + text + b'"}')
    assert len(wire._readers) == 1
    for end in (b'"text":1}', b'"text":"a"', b'"text":"\n"}', b'"text":"\xff"}'):
        with pytest.raises(runtime.base.DecodeError):
            wire.decode(HEAD + end)
    assert wire.decode(HEAD + b'"text":"a","b":1}').extra == {"b": 1}
