"""A document is reduced as far as possible while it still shows the problem."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire.conformance.documents import Content, Document, Stream
from polywire.conformance.minimise import minimise, reductions


def document(content: Content) -> Document:
    return Document(0, "Named", "lenient", content)


def smallest(content: Content, shows: Callable[[Content], bool]) -> Content:
    def those(documents: Sequence[Document]) -> list[bool]:
        return [shows(each.content) for each in documents]

    return minimise(document(content), those).content


def joined(content: Content) -> str | bytes:
    return b"".join(content.chunks) if isinstance(content, Stream) else content


def is_json(content: str | bytes | Stream) -> bool:
    try:
        json.loads(joined(content))
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("content", "marks", "left"),
    [
        ('{"a":{"b":[1,2,{"MARK":3}]},"c":"long text"}', ["MARK"], '{"MARK":3}'),
        ('{"a":{"b":[1,2,{"c":"xMARKx"}]},"d":[null]}', ["MARK", '{"a":'], '{"a":"MARK"}'),
        ('[1, 2, "MARK", 3, 4, 5, 6, 7]', ["MARK", "["], '["MARK"]'),
        ('{"\\u0061":"MARK"}', ["MARK", "{"], '{"":"MARK"}'),
        ("{{{{not json MARK }}}", ["MARK", "{"], "{MARK"),
        ("1234567890.5e10", ["9"], "9"),
        (b"\xff\xfe MARK \xff", ["\xff"], b"\xff"),
        (b'{"a":"MARK"}', ["MARK"], '"MARK"'),
    ],
)
def test_what_does_not_matter_goes(content: Content, marks: list[str], left: Content) -> None:
    def shows(each: Content) -> bool:
        assert not isinstance(each, Stream)
        text = each.decode("latin-1") if isinstance(each, bytes) else each
        return is_json(each) == is_json(content) and all(mark in text for mark in marks)

    assert smallest(content, shows) == left


def test_a_stream_loses_chunks_lines_and_its_limit() -> None:
    stream = Stream((b'{"na', b'me":"a"}\n{"name', b'":"MARK"}\r\n', b"\n{}", b""), 50)
    assert smallest(stream, lambda each: b"MARK" in joined(each)) == Stream((b"MARK",))


def test_a_limit_shrinks_with_the_line_that_is_over_it() -> None:
    stream = Stream((b"x" * 40, b"y" * 11), 50)

    def over(each: Content) -> bool:
        return isinstance(each, Stream) and each.limit is not None and len(joined(each)) == each.limit + 1

    assert smallest(stream, over) == Stream((b"xx",), 1) or smallest(stream, over) == Stream((b"yy",), 1)


def test_a_limit_never_becomes_less_than_a_case_may_have() -> None:
    found = [each.limit for each in reductions(Stream((b"xx", b"\n"), 2)) if isinstance(each, Stream)]
    assert set(found) == {None, 1, 2}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
        max_leaves=8,
    ),
    st.sampled_from(['"', "[", "{", "1", ":", ",", "null", "a"]),
)
def test_what_is_left_still_shows_it_and_none_of_its_reductions_does(value: object, mark: str) -> None:
    text = json.dumps(value)

    def shows(content: Content) -> bool:
        return isinstance(content, str) and content.count(mark) >= min(2, text.count(mark)) > 0

    if not shows(text):
        return
    found = smallest(text, shows)
    assert shows(found)
    assert len(joined(found)) <= len(text)
    assert not any(map(shows, reductions(found)))


@given(
    st.binary(max_size=30)
    | st.text(max_size=30)
    | st.lists(st.binary(max_size=8), max_size=4).map(lambda c: Stream(tuple(c), 3))
)
def test_reductions_are_each_another_and_none_is_larger(content: Content) -> None:
    found = list(reductions(content))
    assert len(set(found)) == len(found)
    assert content not in found
    assert all(len(joined(each)) <= len(joined(content)) for each in found)


def test_no_more_documents_are_tried_than_allowed() -> None:
    asked: list[int] = []

    def shows(documents: Sequence[Document]) -> list[bool]:
        asked.append(len(documents))
        return [False] * len(documents)

    minimise(document('{"a":[' + "1," * 200 + "1]}"), shows, at_once=7, most=50)
    assert sum(asked) == 50
    assert max(asked) == 7
