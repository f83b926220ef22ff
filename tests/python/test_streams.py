"""Streams of the generated package: lines cut anywhere → messages and BadLines, and messages → lines.

The tests of the runtime (`runtimes/python/tests/test_streams.py`) cover interruptions and cancellations; these tests
cover what users do.
"""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import agentlines as al
import pytest
from hypothesis import given
from hypothesis import strategies as st

LINE = b'{"type":"keep_alive"}'
ALIVE = al.KeepAliveMessage()


def shown(items: list[Any]) -> list[Any]:
    return [(item.line, item.raw, item.error.code) if isinstance(item, al.BadLine) else item for item in items]


def test_a_bad_line_stands_in_its_place() -> None:
    lines = al.LineDecoder()
    items = list(lines.feed(LINE + b"\noops\r\n\n \t\n" + LINE + b"\n"))
    assert shown(items) == [ALIVE, (2, b"oops", "invalid_json"), ALIVE]
    assert lines.line == 5


def test_a_last_line_needs_no_end() -> None:
    lines = al.LineDecoder()
    assert list(lines.feed(LINE)) == []
    assert list(lines.finish()) == [ALIVE]
    assert list(lines.finish()) == []


def test_only_a_line_feed_ends_a_line() -> None:
    line = '{"type":"x","text":"a\u2028b\u2029c\u0085"}'.encode()
    (item,) = al.LineDecoder().feed(line + b"\n")
    assert isinstance(item, al.UnknownMessage)
    assert item.raw["text"] == "a\u2028b\u2029c\u0085"


@given(st.lists(st.integers(1, 7), min_size=1))
def test_chunks_may_be_cut_anywhere(sizes: list[int]) -> None:
    data = '{"type":"x","t":"ä€𝄞"}\r\n\nbad\n{"type":"keep_alive"}'.encode()
    expected = shown(list(al.LineDecoder().feed(data).finish()))
    lines, items, at = al.LineDecoder(), [], 0
    while at < len(data):
        size = sizes[at % len(sizes)]
        items += lines.feed(data[at : at + size])
        at += size
    assert shown(items + list(lines.finish())) == expected
    assert shown(list(al.Reader(io.BytesIO(data)))) == expected


@pytest.mark.parametrize("size", [1, 7, 4096, 100_000])
def test_a_line_over_the_limit_is_skipped_with_its_beginning(size: int) -> None:
    data = b"x" * 5000 + b"\r\n" + LINE + b"\n"
    lines, items = al.LineDecoder(limit=100), []
    for at in range(0, len(data), size):
        items += lines.feed(data[at : at + size])
    assert shown(items) == [(1, b"x" * 1024, "too_long"), ALIVE]


def test_the_limit_is_without_the_line_end() -> None:
    exact = len(LINE)
    assert list(al.LineDecoder(limit=exact).feed(LINE + b"\r\n")) == [ALIVE]
    assert shown(list(al.LineDecoder(limit=exact - 1).feed(LINE + b"\r\n"))) == [(1, LINE, "too_long")]


def test_a_reader_gives_each_line_as_soon_as_it_is_there() -> None:
    receiver, sender = os.pipe()
    with os.fdopen(receiver, "rb") as stream, os.fdopen(sender, "wb", buffering=0) as out:
        out.write(LINE + b"\n" + LINE[:5])
        messages = al.Reader(stream)
        assert next(messages) == ALIVE
        out.write(LINE[5:] + b"\n")
        assert next(messages) == ALIVE
        out.close()
        assert list(messages) == []


def test_a_reader_takes_raw_and_memory_streams() -> None:
    assert list(al.Reader(io.BytesIO(LINE + b"\n" + LINE))) == [ALIVE, ALIVE]
    delta = io.BytesIO(b'{"type":"text_delta","text":"a"}')
    assert list(al.Reader(delta, al.ContentBlockDelta)) == [al.TextDelta(text="a")]


def test_a_loop_over_a_reader_may_be_left_and_begun_again() -> None:
    reader = al.Reader(io.BytesIO((LINE + b"\n") * 3))
    for item in reader:
        assert item == ALIVE
        break
    assert list(reader) == [ALIVE, ALIVE]


def test_the_text_stream_of_standard_input_is_refused_with_what_to_use() -> None:
    code = "import sys, agentlines; agentlines.Reader(sys.stdin)"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False)
    assert "use its buffer, such as sys.stdin.buffer" in done.stderr


def test_standard_streams_carry_a_session() -> None:
    code = """
import sys, agentlines as al
out = al.Writer(sys.stdout.buffer)
for item in al.Reader(sys.stdin.buffer):
    out.write(item)
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment(), input=LINE + b"\n" + LINE, capture_output=True, check=True)
    assert done.stdout == (LINE + b"\n") * 2


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(Path(al.__file__).parents[1])}


def test_the_asynchronous_reader_has_no_limit_of_64_kib() -> None:
    async def collect() -> list[Any]:
        stream = asyncio.StreamReader()
        stream.feed_data(b'{"type":"x","t":"' + b"a" * 200_000 + b'"}\n' + LINE + b"\nbad")
        stream.feed_eof()
        return [item async for item in al.AsyncReader(stream)]

    items = asyncio.run(collect())
    assert len(items[0].raw["t"]) == 200_000
    assert shown(items[1:]) == [ALIVE, (3, b"bad", "invalid_json")]


def test_a_timeout_of_the_asynchronous_reader_loses_nothing() -> None:
    async def collect() -> list[Any]:
        stream = asyncio.StreamReader()
        reader = al.AsyncReader(stream)
        stream.feed_data(LINE[:9])
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(anext(reader), 0)
        stream.feed_data(LINE[9:] + b"\n")
        stream.feed_eof()
        return [item async for item in reader]

    assert asyncio.run(collect()) == [ALIVE]


def test_a_child_process_is_talked_to_with_asyncio() -> None:
    async def session() -> list[Any]:
        pipe = asyncio.subprocess.PIPE
        child = await asyncio.create_subprocess_exec("cat", stdin=pipe, stdout=pipe)
        assert child.stdin is not None
        assert child.stdout is not None
        writer, reader = al.AsyncWriter(child.stdin), al.AsyncReader(child.stdout)
        found = []
        for _ in range(3):
            await writer.write(ALIVE)
            found.append(await anext(reader))
        child.stdin.close()
        assert [item async for item in reader] == []
        await child.wait()
        return found

    assert asyncio.run(session()) == [ALIVE] * 3


class Counting(io.BytesIO):
    """A stream that counts its flushes."""

    flushed = 0

    def flush(self) -> None:
        self.flushed += 1


def test_a_writer_writes_whole_lines_and_flushes() -> None:
    out = Counting()
    writer = al.Writer(out)
    threads = [threading.Thread(target=lambda: [writer.write(ALIVE) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert out.getvalue() == (LINE + b"\n") * 200
    assert out.flushed == 200


def test_a_writer_writes_nothing_of_a_message_that_does_not_fit() -> None:
    out = io.BytesIO()
    with pytest.raises(al.EncodeError):
        al.Writer(out).write(al.ControlCancelRequest(request_id=7))  # type: ignore[arg-type]  # what the test is about
    assert out.getvalue() == b""
