"""Readers that give only some types of messages."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

NOTE, UNKNOWN = "Note", "UnknownLine"

LINES: list[tuple[bytes, str | None, bool]] = [
    (b'{"kind":"note","text":"a"}', NOTE, False),
    (b'{"kind":"n\\u006fte","text":"a"}', NOTE, False),
    (b'{"text":"note","kind":"note"}', NOTE, False),
    (b'{"kind":"note"}', NOTE, True),
    (b'{"kind":"new","text":"note"}', UNKNOWN, False),
    (b'{"kind":"new"}', UNKNOWN, False),
    (b'{"kind":"new","a":"\\u0000"}', UNKNOWN, False),
    (b'{"kind":"answer","id":"a"}', "Answer", False),
    (b'{"kind":"answer","id":"note"}', "Answer", False),
    (b'{"kind":"answer","id":1,"x":"note"}', "Answer", True),
    (b'{"kind":"answer","id":1,"x":"note","a":[' + b"[]," * 130 + b"[]]}", "Answer", True),
    (b'{"kind":"answer"', None, True),
    (b'{"kind":"note"', None, True),
    (b'{"kind":1,"x":"note"}', None, True),
    (b'["note"]', None, True),
    (b'{"kind":"answer","id":"note","a":' + b"[" * 130 + b"]" * 130 + b"}", None, True),
]
"""Lines, each with the type that is chosen for it, if any, and whether it has a fault."""


def is_read(line: bytes, only: tuple[str, ...]) -> bool:
    return UNKNOWN in only or b'"note"' in line or b"\\u" in line


@given(
    st.lists(st.sampled_from([*LINES, (b" \t", None, False)]), max_size=12),
    st.sampled_from([(NOTE,), (UNKNOWN,), (UNKNOWN, NOTE)]),
)
def test_what_is_read_is_given_if_it_is_wanted_or_faulty(
    runtime: Any, lines: list[tuple[bytes, str | None, bool]], only: tuple[str, ...]
) -> None:
    wanted = [runtime.rows.class_of(each) for each in only]
    reader = runtime.streams.Reader(io.BytesIO(b"".join(line + b"\n" for line, _, _ in lines)), only=wanted)
    found = [(type(item).__name__, reader.line) for item in reader]
    expected, skipped = [], 0
    for number, (line, chosen, is_faulty) in enumerate(lines, 1):
        if not line.strip():
            continue
        if is_read(line, only) and (chosen is None or chosen in only):
            expected.append(("BadLine" if is_faulty else chosen, number))
        else:
            skipped += 1
    assert (found, reader.skipped, reader.line) == (expected, skipped, len(lines))


def test_every_reader_can_be_filtered(runtime: Any) -> None:
    streams, model = runtime.streams, runtime.model
    data = b'{"kind":"answer","id":"a"}\n{"kind":"note","text":"a"}'
    decoder = streams.LineDecoder(only=[model.Note])
    assert [*decoder.feed(data), *decoder.finish()] == [model.Note(text="a")]
    assert (decoder.skipped, decoder.line) == (1, 2)

    async def read() -> Any:
        stream = asyncio.StreamReader()
        stream.feed_data(data)
        stream.feed_eof()
        reader = streams.AsyncReader(stream, only=[model.Note])
        return [each async for each in reader], reader.skipped

    assert asyncio.run(read()) == ([model.Note(text="a")], 1)


def test_a_union_stands_for_what_it_has_in_the_type_that_is_read(runtime: Any) -> None:
    lines = b'{"kind":"note","text":"a"}\n{"kind":"new"}\n'
    for only, count in ((["Line"], 2), (["Note", "Line"], 2), (["Note"], 1)):
        assert len([*runtime.streams.Reader(io.BytesIO(lines), only=only)]) == count


def test_types_that_no_line_can_have_are_refused(runtime: Any) -> None:
    def refused(only: Any, type_: Any = None) -> str:
        with pytest.raises((TypeError, ValueError)) as raised:
            runtime.streams.LineDecoder(type_, only=only)
        return str(raised.value)

    assert refused([]) == "expected at least one type in `only`"
    assert refused([runtime.model.Sight]) == "Line has no Sight"
    assert refused(["Color"]) == "Line has no Color"
    assert refused([runtime.unknowns.UnknownEvent]) == "Line has no UnknownEvent"
    assert refused([runtime.model.Note], runtime.model.Note) == "only types of a union can be chosen, and Note is none"
    assert "is not a type of this package" in refused([int])


def test_a_line_that_is_too_long_is_reported_whatever_it_has(runtime: Any) -> None:
    line = b'{"kind":"answer","id":"' + b"a" * 99 + b'"}\n'
    reader = runtime.streams.Reader(io.BytesIO(line * 2), limit=50, only=[runtime.model.Note])
    assert [each.error.code for each in reader] == ["too_long", "too_long"]
    assert reader.skipped == 0


def test_unions_by_keys_and_by_prefixes_are_read_line_by_line(runtime: Any) -> None:
    lines = b'{"method":"a"}\n{"x":1}\n'
    reader = runtime.streams.Reader(io.BytesIO(lines), "Call", only=["Notify"])
    assert [type(each).__name__ for each in reader] == ["Notify"]
    assert reader.skipped == 1


class Places(list[int]):
    """Places that count the searches, each of which sets one."""

    searches = 0

    def __setitem__(self, at: Any, place: Any) -> None:
        self.searches += 1
        super().__setitem__(at, place)


def test_no_part_of_a_chunk_is_searched_twice_for_a_text(runtime: Any) -> None:
    line = b'{"kind":"answer","id":"a"}\n'
    decoder = runtime.streams.LineDecoder(only=[runtime.rows.class_of(NOTE), runtime.rows.class_of("Answer")])
    chunk, places = line * 100, Places()
    for start in range(0, len(chunk), len(line)):
        assert decoder._lines.filter.first(chunk, start, places) <= start + len(line)
    assert places.searches == 100 + 2  # the tag that each line has, and two texts that none has


def test_lines_of_a_chunk_are_looked_at_together_once(runtime: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    skipped = b'{"kind":"answer","id":"a"}\n'
    decoder = runtime.streams.LineDecoder(only=[runtime.rows.class_of(NOTE)])
    kind = type(decoder._lines.filter)
    starts, first = [], kind.first

    def counted(self: Any, data: bytes, start: int, places: list[int]) -> Any:
        starts.append(start)
        return first(self, data, start, places)

    monkeypatch.setattr(kind, "first", counted)
    assert [*decoder.feed(skipped * 50 + b" x\n" + skipped * 50)] == []
    assert (decoder.skipped, decoder.line) == (101, 101)
    assert len(starts) < 5


def test_the_same_bytes_can_be_fed_again(runtime: Any) -> None:
    chunk = b'{"kind":"answer","id":"a"}\n{"kind":"note","text":"a"}\n{"kind":"answer","id":"b"}\n'
    for data in (chunk, chunk + b'{"kind":'):
        decoder = runtime.streams.LineDecoder(only=[runtime.rows.class_of(NOTE)])
        count = sum(len([*decoder.feed(data)]) for _ in range(3))
        assert (count, decoder.line) == (3, 9)
