"""Lines cut anywhere → messages and bad lines; messages → lines."""

from __future__ import annotations

import asyncio
import io
from random import Random
from typing import Any

import pytest

LINE = b'{"kind":"note","text":"a\xe2\x86\x92"}'
DATA = LINE + b"\r\n\n \t\noops\n" + LINE + b"\r\r\n" + b'{"kind":"note"}\n' + LINE


def shown(runtime: Any, items: list[Any]) -> list[Any]:
    bad = runtime.streams.BadLine
    return [(each.line, each.raw, each.error.code) if isinstance(each, bad) else each for each in items]


def expected(runtime: Any) -> list[Any]:
    note = runtime.model.Note(text="a→")
    missing = (6, b'{"kind":"note"}', "missing_field")
    return [note, (4, b"oops", "invalid_json"), note, missing, note]


@pytest.mark.parametrize("seed", range(20))
def test_chunks_may_be_cut_anywhere(runtime: Any, seed: int) -> None:
    random, lines, items, at = Random(seed), runtime.streams.LineDecoder(), [], 0  # noqa: S311 - no secret
    while at < len(DATA):
        size = random.choice((1, 1, 2, 7, 40))
        items += lines.feed(memoryview(DATA)[at : at + size])
        at += size
    assert shown(runtime, items + lines.finish()) == expected(runtime)
    assert lines.line == 7


def test_every_reader_gives_the_same_items(runtime: Any) -> None:
    async def collect() -> list[Any]:
        stream = asyncio.StreamReader()
        stream.feed_data(DATA)
        stream.feed_eof()
        return [item async for item in runtime.streams.aread(stream)]

    assert shown(runtime, list(runtime.streams.read(io.BytesIO(DATA)))) == expected(runtime)
    assert shown(runtime, asyncio.run(collect())) == expected(runtime)


def test_a_last_line_needs_no_end_and_comes_once(runtime: Any) -> None:
    lines = runtime.streams.LineDecoder()
    assert lines.feed(LINE) == []
    assert lines.finish() == [runtime.model.Note(text="a→")]
    assert lines.finish() == []


@pytest.mark.parametrize("size", [1, 100, 5000])
def test_a_line_over_the_limit_is_skipped_and_shown_by_its_first_kilobyte(runtime: Any, size: int) -> None:
    data, items = b"x" * 3000 + b"\r\n" + LINE + b"\n", []
    lines = runtime.streams.LineDecoder(limit=len(LINE))
    for at in range(0, len(data), size):
        items += lines.feed(data[at : at + size])
    assert shown(runtime, items) == [(1, b"x" * 1024, "too_long"), runtime.model.Note(text="a→")]


def test_a_long_integer_is_one_bad_line(runtime: Any) -> None:
    long = b'{"kind":"new","n":' + b"1" * 4301 + b"}"
    items = runtime.streams.LineDecoder().feed(long + b"\n" + LINE + b"\n")
    assert shown(runtime, items) == [(1, long, "out_of_range"), runtime.model.Note(text="a→")]
    assert items[0].error.path == ""


def test_a_stream_may_be_strict_and_of_one_type(runtime: Any) -> None:
    lines = runtime.streams.LineDecoder(runtime.model.Sight, strict=True)
    items = lines.feed(b'{"items":[]}\n{"items":[],"x":1}\n')
    assert shown(runtime, items) == [runtime.model.Sight(items=[]), (2, b'{"items":[],"x":1}', "unknown_field")]


def test_a_writer_writes_whole_lines_and_nothing_of_a_bad_one(runtime: Any) -> None:
    out = io.BytesIO()
    writer = runtime.streams.Writer(out)
    writer.write(runtime.model.Note(text="a"))
    with pytest.raises(runtime.base.EncodeError):
        writer.write(runtime.model.Note(text=1))
    assert out.getvalue() == b'{"kind":"note","text":"a"}\n'
