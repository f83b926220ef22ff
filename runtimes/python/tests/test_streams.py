"""Lines cut anywhere → messages and bad lines; messages → lines. Nothing is lost or repeated, whatever happens."""

from __future__ import annotations

import asyncio
import copy
import io
import os
import pickle
import sys
import threading
import tracemalloc
from collections.abc import Callable, Coroutine, Generator, Iterator
from random import Random
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

LINE = b'{"kind":"note","text":"a\xe2\x86\x92"}'
DATA = LINE + b"\r\n\n \t\noops\n" + LINE + b"\r\r\n" + b'{"kind":"note"}\n' + LINE
LIMIT = 60


def note(number: int) -> bytes:
    return b'{"kind":"note","text":"\xe2\x86\x92%d"}' % number


def messages(runtime: Any, numbers: range) -> list[Any]:
    return [runtime.model.Note(text=f"→{number}") for number in numbers]


def shown(runtime: Any, items: list[Any]) -> list[Any]:
    bad = runtime.streams.BadLine
    return [(each.line, each.raw, each.error.code) if isinstance(each, bad) else each for each in items]


def expected(runtime: Any) -> list[Any]:
    message = runtime.model.Note(text="a→")
    missing = (6, b'{"kind":"note"}', "missing_field")
    return [message, (4, b"oops", "invalid_json"), message, missing, message]


def reference(runtime: Any, data: bytes, limit: int = LIMIT) -> list[tuple[int, Any]]:
    """Each item with the number of its line, from all of the data at once."""
    found: list[tuple[int, Any]] = []
    for line, text in enumerate(data.split(b"\n"), 1):
        raw = text.removesuffix(b"\r")
        if len(raw) > limit:
            found.append((line, (line, raw[:1024], "too_long")))
        elif raw.strip(b" \t\r"):
            try:
                found.append((line, runtime.wire.decode(raw)))
            except runtime.base.DecodeError as error:
                found.append((line, (line, raw, error.code)))
    return found


# --- strategies ------------------------------------------------------------------------------------

TEXTS = st.one_of(
    st.integers(0, 10**6).map(note),
    st.sampled_from([b"", b" \t", b"\r", b"oops", b'{"kind":"note"}', b"x" * LIMIT, b"x" * (LIMIT + 1), b"y" * 2000]),
)


@st.composite
def lines_of_data(draw: st.DrawFn) -> bytes:
    """Valid, bad, blank and long lines, with and without carriage returns; the last one may have no end."""
    lines = draw(st.lists(st.tuples(TEXTS, st.sampled_from([b"\n", b"\r\n"])), max_size=12))
    return b"".join(text + end for text, end in lines) + draw(st.one_of(st.just(b""), TEXTS))


@st.composite
def chunks_of_data(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    """Data, and the same data cut anywhere."""
    data = draw(lines_of_data())
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=15)))
    parts = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    return data, [part for part in parts if part]


TROUBLE: tuple[Callable[[], Any], ...] = (
    lambda: None,
    lambda: OSError("passing"),
    TimeoutError,
    KeyboardInterrupt,
    lambda: BlockingIOError(11, "later"),
)
"""The outcomes of a read other than data: no data yet, or an exception."""


@st.composite
def schedules(draw: st.DrawFn) -> tuple[bytes, list[Any]]:
    """Data, and the outcome of each read: a chunk, None or an exception."""
    data, chunks = draw(chunks_of_data())
    answers: list[Any] = list(chunks)
    for at, make in draw(st.lists(st.tuples(st.integers(0, 20), st.sampled_from(TROUBLE)), max_size=8)):
        answers.insert(min(at, len(answers)), make())
    return data, answers


class Scripted:
    """A stream whose reads have scripted outcomes, followed by the end."""

    def __init__(self, answers: list[Any]) -> None:
        self.answers = list(answers)
        self.reads = 0

    def read(self, size: int, /) -> Any:
        self.reads += 1
        assert size > 0
        answer = self.answers.pop(0) if self.answers else b""
        if isinstance(answer, BaseException):
            raise answer
        return answer


class Scripted1(Scripted):
    """The same, with a `read1`; its `read` would wait for all requested bytes."""

    def read1(self, size: int, /) -> Any:
        return super().read(size)

    def read(self, size: int, /) -> Any:
        raise AssertionError(size)


def taken(reader: Any, breaks: list[int], runtime: Any) -> list[tuple[int, Any]]:
    """All items, read in loops that are left after the given numbers of items; exceptions are ignored."""
    found: list[tuple[int, Any]] = []
    breaks = list(breaks)
    while True:
        left = breaks.pop(0) if breaks else -1
        try:
            for item in reader:
                found.append((reader.line, *shown(runtime, [item])))
                left -= 1
                if left == 0:
                    break
            else:
                return found
        except (OSError, KeyboardInterrupt):
            pass


# --- the line decoder ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_chunks_may_be_cut_anywhere(runtime: Any, seed: int) -> None:
    random, lines, items, at = Random(seed), runtime.streams.LineDecoder(), [], 0  # noqa: S311 - not for security
    while at < len(DATA):
        size = random.choice((1, 1, 2, 7, 40))
        items += lines.feed(memoryview(DATA)[at : at + size])
        at += size
    assert shown(runtime, items + list(lines.finish())) == expected(runtime)
    assert lines.line == 7


@given(st.data())
def test_a_decoder_gives_every_line_once_whatever_is_fed_and_asked_for(runtime: Any, data: st.DataObject) -> None:
    text, chunks = data.draw(chunks_of_data())
    lines = runtime.streams.LineDecoder(limit=LIMIT)
    found: list[tuple[int, Any]] = []
    for chunk in chunks:
        wanted = data.draw(st.integers(0, 3))
        for item in lines.feed(chunk) if wanted else ():
            found.append((lines.line, *shown(runtime, [item])))
            wanted -= 1
            if not wanted:
                break
        else:
            if wanted == 0:
                lines.feed(chunk)
    found += [(lines.line, *shown(runtime, [item])) for item in lines.finish()]
    assert found == reference(runtime, text)
    assert list(lines) == []


def test_lines_are_decoded_as_they_are_asked_for(runtime: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[bytes] = []

    def decode(raw: bytes, *_: object) -> bytes:
        decoded.append(raw)
        return raw

    monkeypatch.setattr(runtime.streams, "decode", decode)
    lines = runtime.streams.LineDecoder().feed(b"1\n2\n3\n")
    assert decoded == []
    assert (next(lines), decoded, lines.line) == (b"1", [b"1"], 1)
    assert (next(lines), decoded, lines.line) == (b"2", [b"1", b"2"], 2)


def test_a_loop_that_is_left_leaves_the_rest_to_the_next(runtime: Any) -> None:
    lines = runtime.streams.LineDecoder()
    for _ in lines.feed(note(1) + b"\n" + note(2) + b"\n" + note(3)):
        break
    assert list(lines.feed(b"\n" + note(4))) == messages(runtime, range(2, 4))
    assert list(lines.finish()) == messages(runtime, range(4, 5))


def test_bytes_are_copied_if_they_are_kept(runtime: Any) -> None:
    data = bytearray(note(1)[:5])
    lines = runtime.streams.LineDecoder().feed(data)
    data[:] = b"xxxxx"
    assert list(lines.feed(memoryview(note(1)[5:] + b"\n"))) == messages(runtime, range(1, 2))


def test_a_last_line_needs_no_end_and_comes_once(runtime: Any) -> None:
    lines = runtime.streams.LineDecoder()
    assert list(lines.feed(LINE)) == []
    assert list(lines.finish()) == [runtime.model.Note(text="a→")]
    assert list(lines.finish()) == []
    with pytest.raises(ValueError, match="make a new LineDecoder"):
        lines.feed(LINE)


@pytest.mark.parametrize(
    ("data", "message"),
    [("text", "got text"), (5, "got int"), (0, "got int"), ([1], "got list"), (None, "got NoneType")],
)
def test_only_bytes_can_be_fed(runtime: Any, data: Any, message: str) -> None:
    lines = runtime.streams.LineDecoder().feed(note(1))
    with pytest.raises(TypeError, match=message):
        lines.feed(data)
    assert list(lines.finish()) == messages(runtime, range(1, 2))


@pytest.mark.parametrize("size", [1, 100, 5000])
def test_a_line_over_the_limit_is_skipped_and_shown_by_its_first_kilobyte(runtime: Any, size: int) -> None:
    data, items = b"x" * 3000 + b"\r\n" + LINE + b"\n", []
    lines = runtime.streams.LineDecoder(limit=len(LINE))
    for at in range(0, len(data), size):
        items += lines.feed(data[at : at + size])
    assert shown(runtime, items) == [(1, b"x" * 1024, "too_long"), runtime.model.Note(text="a→")]


@pytest.mark.parametrize("size", [1, 5000])
@pytest.mark.parametrize("limit", [5, 1023, 1024, 1500])
@pytest.mark.parametrize("over", [-1, 0, 1])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_the_limit_does_not_count_the_end_of_the_line(
    runtime: Any, size: int, limit: int, over: int, end: bytes
) -> None:
    raw = b"x" * (limit + over)
    data = raw + end
    lines, items = runtime.streams.LineDecoder(limit=limit), []
    for at in range(0, len(data), size):
        items += lines.feed(data[at : at + size])
    items += lines.finish()
    assert shown(runtime, items) == [(1, raw[:1024], "too_long") if over > 0 else (1, raw, "invalid_json")]


def test_of_a_line_over_the_limit_little_is_held(runtime: Any) -> None:
    lines, chunk = runtime.streams.LineDecoder(limit=100_000), b"x" * 10_000
    tracemalloc.start()
    try:
        for _ in range(1000):
            assert list(lines.feed(chunk)) == []
        assert tracemalloc.get_traced_memory()[0] < 10_000
        assert tracemalloc.get_traced_memory()[1] < 300_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_of_a_chunk_over_the_limit_little_is_copied(runtime: Any, end: bytes) -> None:
    chunk = b"x" * 1_000_000 + end
    lines = runtime.streams.LineDecoder(limit=1000)
    tracemalloc.start()
    try:
        items = list(lines.feed(chunk).finish())
        assert tracemalloc.get_traced_memory()[1] < 50_000
    finally:
        tracemalloc.stop()
    assert shown(runtime, items) == [(1, b"x" * 1024, "too_long")]


@pytest.mark.parametrize("size", [1, 1000])
def test_no_more_than_a_line_is_held(runtime: Any, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(runtime.streams, "decode", lambda raw, *_: len(raw))
    lines, items = runtime.streams.LineDecoder(), []
    parts = [b"x" * size] * (50_000 // size)
    tracemalloc.start()
    try:
        for _ in range(3):
            for part in parts:
                items += lines.feed(part)
            items += lines.feed(b"\n")
        assert tracemalloc.get_traced_memory()[1] < 2.5 * 50_000
    finally:
        tracemalloc.stop()
    assert items == [50_000] * 3


def test_many_lines_in_a_chunk_are_not_copied_again_for_each(runtime: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime.streams, "decode", lambda raw, *_: raw)
    lines = runtime.streams.LineDecoder().feed(b"12345678\n" * 20_000)
    next(lines)
    tracemalloc.start()
    try:
        assert sum(map(len, lines)) == 8 * 19_999
        assert tracemalloc.get_traced_memory()[1] < 10_000
    finally:
        tracemalloc.stop()


def test_a_long_integer_is_one_bad_line(runtime: Any) -> None:
    long = b'{"kind":"new","n":' + b"1" * 4301 + b"}"
    items = list(runtime.streams.LineDecoder().feed(long + b"\n" + LINE + b"\n"))
    assert shown(runtime, items) == [(1, long, "out_of_range"), runtime.model.Note(text="a→")]
    assert items[0].error.path == ""


def test_a_stream_may_be_strict_and_of_one_type(runtime: Any) -> None:
    lines = runtime.streams.LineDecoder(runtime.model.Sight, strict=True)
    items = list(lines.feed(b'{"items":[]}\n{"items":[],"x":1}\n'))
    assert shown(runtime, items) == [runtime.model.Sight(items=[]), (2, b'{"items":[],"x":1}', "unknown_field")]


def test_what_reads_takes_type_arguments(runtime: Any) -> None:
    for each in (runtime.streams.LineDecoder, runtime.streams.Reader, runtime.streams.AsyncReader):
        assert each[runtime.model.Note].__args__ == (runtime.model.Note,)
    stream = io.BytesIO(LINE)
    assert list(runtime.streams.Reader[runtime.model.Note](stream)) == [runtime.model.Note(text="a→")]


# --- bad lines -------------------------------------------------------------------------------------


def bad_line(runtime: Any, line: int = 3, raw: bytes = b"oops", code: str = "invalid_json") -> Any:
    return runtime.streams.BadLine(line, raw, runtime.base.DecodeError(code, "/a", "expected a value"))


def test_bad_lines_are_compared_by_what_they_have(runtime: Any) -> None:
    bad = bad_line(runtime)
    assert bad == bad_line(runtime)
    assert len({bad, bad_line(runtime)}) == 1
    others = [bad_line(runtime, line=4), bad_line(runtime, raw=b"x"), bad_line(runtime, code="too_deep"), "oops"]
    assert [bad == other for other in others] == [False] * 4
    (first,), (second,) = (list(runtime.streams.LineDecoder().feed(b"oops\n")) for _ in range(2))
    assert first == second


def test_bad_lines_can_be_pickled_copied_and_matched(runtime: Any) -> None:
    bad = bad_line(runtime)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(bad, protocol)) == bad  # noqa: S301 - our own data
    assert copy.deepcopy(bad) == bad
    match bad:
        case runtime.streams.BadLine(line, raw, error):
            assert (line, raw, error.code) == (3, b"oops", "invalid_json")
        case _:
            raise AssertionError


def test_the_representation_of_a_bad_line_is_short(runtime: Any) -> None:
    assert repr(bad_line(runtime)) == (
        "BadLine(line=3, raw=b'oops', error=DecodeError('invalid_json', '/a', 'expected a value'))"
    )
    long = runtime.base.DecodeError("missing_field", "/x" * 10_000, "")
    text = repr(runtime.streams.BadLine(1, b"x" * 100_000, long))
    assert "... (100000 bytes)" in text
    assert len(text) < 500


def test_faults_are_compared_by_what_they_say(runtime: Any) -> None:
    error = runtime.base.DecodeError("wrong_type", "/a", "expected string, got integer")
    assert error == runtime.base.DecodeError("wrong_type", "/a", "expected string, got integer")
    assert hash(error) == hash(copy.copy(error))
    assert error != runtime.base.DecodeError("wrong_type", "/b", "expected string, got integer")
    assert error != runtime.base.EncodeError("wrong_type", "/a", "expected string, got integer")
    assert error != ValueError("wrong_type", "/a", "expected string, got integer")
    assert pickle.loads(pickle.dumps(error)) == error  # noqa: S301 - our own data


# --- the blocking reader ---------------------------------------------------------------------------


@given(schedules(), st.lists(st.integers(1, 3), max_size=8), st.booleans())
def test_a_reader_loses_nothing_and_gives_nothing_twice(
    runtime: Any, schedule: tuple[bytes, list[Any]], breaks: list[int], has_read1: bool
) -> None:
    data, answers = schedule
    stream = (Scripted1 if has_read1 else Scripted)(answers)
    reader = runtime.streams.Reader(stream, limit=LIMIT)
    assert taken(reader, breaks, runtime) == reference(runtime, data)


def test_every_reader_gives_the_same_items(runtime: Any) -> None:
    async def collect() -> list[Any]:
        stream = asyncio.StreamReader()
        stream.feed_data(DATA)
        stream.feed_eof()
        return [item async for item in runtime.streams.AsyncReader(stream)]

    assert shown(runtime, list(runtime.streams.Reader(io.BytesIO(DATA)))) == expected(runtime)
    assert shown(runtime, asyncio.run(collect())) == expected(runtime)


def test_a_break_loses_nothing(runtime: Any) -> None:
    reader = runtime.streams.Reader(io.BytesIO(b"".join(note(each) + b"\n" for each in range(5))))
    for item in reader:
        assert item.text == "→0"
        break
    assert list(reader) == messages(runtime, range(1, 5))
    assert reader.line == 5


def test_none_is_not_the_end(runtime: Any) -> None:
    reader = runtime.streams.Reader(Scripted([note(1)[:9], None, note(1)[9:] + b"\n", None, note(2)]))
    with pytest.raises(BlockingIOError, match="nothing to read yet"):
        next(reader)
    assert next(reader) == messages(runtime, range(1, 2))[0]
    with pytest.raises(BlockingIOError):
        next(reader)
    assert list(reader) == messages(runtime, range(2, 3))


@pytest.mark.parametrize("buffering", [0, -1])
def test_a_pipe_without_data_is_not_the_end(runtime: Any, buffering: int) -> None:
    receiver, sender = os.pipe()
    os.set_blocking(receiver, False)
    with os.fdopen(receiver, "rb", buffering=buffering) as stream, os.fdopen(sender, "wb", buffering=0) as out:
        reader = runtime.streams.Reader(stream)
        for number in range(3):
            out.write(note(number)[:7])
            with pytest.raises(BlockingIOError):
                next(reader)
            out.write(note(number)[7:] + b"\n")
            assert next(reader) == messages(runtime, range(number, number + 1))[0]
        out.write(note(3))
        out.close()
        assert list(reader) == messages(runtime, range(3, 4))


def test_the_end_is_final(runtime: Any) -> None:
    stream = Scripted([note(1), b"", note(2)])
    reader = runtime.streams.Reader(stream)
    assert list(reader) == messages(runtime, range(1, 2))
    assert list(reader) == []
    assert stream.reads == 2


def test_a_line_comes_before_more_is_read(runtime: Any) -> None:
    stream = Scripted([note(1) + b"\n" + note(2) + b"\n" + note(3)])
    reader = runtime.streams.Reader(stream)
    assert [next(reader), next(reader)] == messages(runtime, range(1, 3))
    assert stream.reads == 1


def test_a_stream_with_a_read1_of_the_base_class_is_read_by_read(runtime: Any) -> None:
    answers = [b"", DATA]

    class Minimal(io.BufferedIOBase):
        def read(self, _: int | None = -1, /) -> bytes:
            return answers.pop()

    assert shown(runtime, list(runtime.streams.Reader(Minimal()))) == expected(runtime)


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_a_stream_may_give_any_bytes(runtime: Any, kind: Any) -> None:
    assert shown(runtime, list(runtime.streams.Reader(Scripted([kind(DATA)])))) == expected(runtime)


def test_streams_of_text_are_refused_at_once(runtime: Any) -> None:
    for stream in (io.StringIO("{}"), io.TextIOWrapper(io.BytesIO(b"{}"))):
        with pytest.raises(TypeError, match=r"sys\.stdin\.buffer"):
            runtime.streams.Reader(stream)
        with pytest.raises(TypeError, match="use Reader"):
            runtime.streams.AsyncReader(stream)
        with pytest.raises(TypeError, match=r"sys\.stdout\.buffer"):
            runtime.streams.Writer(stream)
        with pytest.raises(TypeError, match="use Writer"):
            runtime.streams.AsyncWriter(stream)
    with pytest.raises(TypeError, match=r"Scripted\.read\(\): expected bytes, got text.*sys\.stdin\.buffer"):
        next(runtime.streams.Reader(Scripted(["{}"])))
    with pytest.raises(TypeError, match=r"Scripted\.read\(\): expected bytes, got list"):
        next(runtime.streams.Reader(Scripted([[1]])))


@pytest.mark.parametrize("stream", [None, 7, b"data", [b"data"], "path"])
def test_what_is_no_stream_is_refused_at_once(runtime: Any, stream: Any) -> None:
    for each in ("Reader", "AsyncReader", "Writer", "AsyncWriter"):
        with pytest.raises(TypeError, match=f"{each} needs .* got {type(stream).__name__}"):
            getattr(runtime.streams, each)(stream)


@pytest.mark.filterwarnings("error")
def test_streams_of_the_other_kind_are_refused(runtime: Any) -> None:
    async def attempt() -> None:
        with pytest.raises(TypeError, match="use AsyncReader"):
            next(runtime.streams.Reader(asyncio.StreamReader()))
        with pytest.raises(TypeError, match="use Reader"):
            await anext(runtime.streams.AsyncReader(Scripted([DATA])))
        with pytest.raises(TypeError, match="use Reader"):
            runtime.streams.AsyncReader(io.BytesIO())
        with pytest.raises(TypeError, match="use AsyncWriter"):
            runtime.streams.Writer(Sink([]))
        with pytest.raises(TypeError, match="use Writer"):
            runtime.streams.AsyncWriter(io.BytesIO())

    asyncio.run(attempt())


def test_a_reader_that_is_read_from_within_its_stream_says_so(runtime: Any) -> None:
    class Nested(Scripted):
        def read(self, size: int, /) -> Any:
            with pytest.raises(RuntimeError, match="being read from already"):
                next(reader)
            return super().read(size)

    reader = runtime.streams.Reader(Nested([DATA]))
    assert shown(runtime, list(reader)) == expected(runtime)


# --- asynchronous exceptions -----------------------------------------------------------------------


class Interrupting:
    """Raises KeyboardInterrupt at the n-th place where a signal handler can run in the modules under test."""

    def __init__(self, runtime: Any, at: int) -> None:
        framing = runtime.framing.Framing
        self.files = {sys.modules[each.__module__].__file__ for each in (*framing.__mro__[:2], runtime.streams.Reader)}
        self.left = at
        self.raised = False

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        if frame.f_code.co_filename not in self.files:
            return
        # A loop always receives the result of `__next__`: no handler runs in between.
        if event == "return" and frame.f_code.co_name == "__next__":
            return
        self.left -= 1
        if self.left < 0:
            self.raised = True
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        sys.setprofile(self)

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)


@pytest.mark.parametrize("kind", ["read", "read1", "feed"])
def test_a_reader_may_be_interrupted_anywhere(runtime: Any, kind: str) -> None:
    data = b"\n".join([note(1), b"oops", b"", note(2) + b"\r", b"x" * 100, note(3)])
    assert interrupted_anywhere(runtime, kind, data, reference(runtime, data)) > 50


@pytest.mark.parametrize("kind", ["read", "read1", "feed"])
def test_a_reader_of_any_framing_may_be_interrupted_anywhere(framed: Any, kind: str) -> None:
    data = b"".join(map(framed.framing.frame, [note(1), b"oops", b"", note(2), b"x" * 100, note(3)]))
    lines = reference(framed, b"\n".join([note(1), b"oops", b"", note(2), b"x" * 100, note(3)]))
    assert interrupted_anywhere(framed, kind, data, lines) > 50


def interrupted_anywhere(runtime: Any, kind: str, data: bytes, wanted: list[tuple[int, Any]]) -> int:
    """Read a stream, interrupted once at each place after the other; the number of places."""
    chunks = [data[:30], data[30:31], data[31:90], data[90:120], data[120:]]
    at = 0
    while True:
        if kind == "feed":
            reader = runtime.streams.LineDecoder(limit=LIMIT)
            for chunk in chunks:
                reader.feed(chunk)
            reader.finish()
        else:
            reader = runtime.streams.Reader((Scripted if kind == "read" else Scripted1)(chunks), limit=LIMIT)
        interrupting = Interrupting(runtime, at)
        found: list[tuple[int, Any]] = []
        ended = False
        while not ended:
            try:
                with interrupting:
                    for item in reader:
                        sys.setprofile(None)
                        found.append((reader.line, *shown(runtime, [item])))
                        break
                    else:
                        ended = True
            except KeyboardInterrupt:
                interrupting.left = 10**6
        assert found == wanted, at
        if not interrupting.raised:
            return at
        at += 1


def test_an_interrupt_before_a_pipe_is_known_to_be_empty_is_not_the_end(
    runtime: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Pipe:
        chunks = iter([note(1)[:9], b"", note(1)[9:]])

        def read1(self, _: int) -> bytes:
            return next(self.chunks)

        def read(self, _: int) -> bytes:
            return b"\n"

    def interrupt(_: object) -> bool:
        raise KeyboardInterrupt

    reader = runtime.streams.Reader(Pipe())
    monkeypatch.setattr(runtime.streams, "_blocks", interrupt)
    with pytest.raises(KeyboardInterrupt):
        next(reader)
    monkeypatch.setattr(runtime.streams, "_blocks", lambda _: True)
    Pipe.chunks = iter([note(1)[9:] + b"\n", b""])
    assert list(reader) == messages(runtime, range(1, 2))


def test_a_writer_may_be_interrupted_anywhere(runtime: Any) -> None:
    sent, at = [runtime.model.Note(text=text * 3) for text in ("a", "b" * 9, "c")], 0
    while True:
        out = Raw([5, 100, 7, 100, 100])
        writer = runtime.streams.Writer(out)
        interrupting = Interrupting(runtime, at)
        for message in sent:
            line = lines_of(runtime, [message])
            try:
                with interrupting:
                    writer.write(message)
            except KeyboardInterrupt:
                interrupting.left = 10**6
            sys.setprofile(None)
            if line not in writer._lines and line not in out.getvalue():
                writer.write(message)  # it was interrupted before the writer had taken the message
        writer.flush()
        assert out.getvalue() == lines_of(runtime, sent), at
        if not interrupting.raised:
            break
        at += 1
    assert at > 20


def deep(left: int, call: Callable[[], Any]) -> Any:
    """Call with `left` frames left until the recursion limit."""
    return call() if _frames() >= sys.getrecursionlimit() - left else deep(left, call)


def _frames() -> int:
    frame, count = sys._getframe(), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1  # type: ignore[assignment]  # until there is none
    return count


def test_a_deep_stack_of_the_caller_loses_no_line(runtime: Any) -> None:
    nested = b'{"kind":"note","text":"deep","data":' + b"[" * 100 + b"]" * 100 + b"}"
    too_deep = b'{"kind":"note","text":"deep","data":' + b"[" * 128 + b"]" * 128 + b"}"
    data = b"\n".join([nested, b"oops", note(1), too_deep])
    wanted = [item for _, item in reference(runtime, data, 1000)]
    messages_came = 0
    for left in range(4, 120, 3):
        reader = runtime.streams.Reader(io.BytesIO(data))
        found: list[Any] = []
        try:
            found.append(deep(left, lambda: next(reader)))  # noqa: B023 - called immediately
            messages_came += 1
        except RecursionError:
            pass
        assert shown(runtime, [*found, *reader]) == wanted
    assert messages_came > 25


def test_without_threads_a_deep_stack_is_an_error_that_keeps_the_line(
    runtime: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [RecursionError(), MemoryError()]

    def decode(raw: bytes, *_: object) -> bytes:
        if failures:
            raise failures.pop(0)
        return raw

    def start(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(runtime.streams, "decode", decode)
    monkeypatch.setattr(runtime.wire, "start_new_thread", start)
    lines = runtime.streams.LineDecoder().feed(b"1\n2\n")
    with pytest.raises(RecursionError):
        next(lines)
    with pytest.raises(MemoryError):
        next(lines)
    assert list(lines) == [b"1", b"2"]


# --- the asynchronous reader -----------------------------------------------------------------------


class Pause:
    """An awaitable that suspends once."""

    def __await__(self) -> Generator[None, None, None]:
        yield


class Waiting(Scripted):
    """An asynchronous stream that waits before every answer."""

    async def read(self, size: int, /) -> Any:
        await Pause()
        return super().read(size)


@given(schedules(), st.lists(st.booleans(), max_size=30))
def test_an_asynchronous_reader_loses_nothing(
    runtime: Any, schedule: tuple[bytes, list[Any]], cancellations: list[bool]
) -> None:
    """The test acts as the event loop: each wait either completes or is cancelled."""
    data, answers = schedule
    reader = runtime.streams.AsyncReader(Waiting(answers), limit=LIMIT)
    found: list[tuple[int, Any]] = []
    while True:
        call: Coroutine[Any, Any, Any] = reader.__anext__()
        try:
            call.send(None)
            while cancellations:
                if cancellations.pop():
                    call.throw(asyncio.CancelledError())
                call.send(None)
            while True:
                call.send(None)
        except StopIteration as done:
            found.append((reader.line, *shown(runtime, [done.value])))
        except StopAsyncIteration:
            break
        except (asyncio.CancelledError, OSError, KeyboardInterrupt):
            pass
    assert found == reference(runtime, data)


def test_a_timeout_loses_nothing(runtime: Any) -> None:
    async def session() -> list[Any]:
        stream = asyncio.StreamReader()
        reader = runtime.streams.AsyncReader(stream)
        found = []
        for number in range(3):
            for part in (note(number)[:9], note(number)[9:], b"\n" + note(9)[:4]):
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(anext(reader), 0)
                stream.feed_data(part)
                if part[:1] != b"\n":
                    await turns(3)
            found.append(await anext(reader))
            stream.feed_data(note(9)[4:] + b"\n")
            found.append(await anext(reader))
        stream.feed_eof()
        assert [item async for item in reader] == []
        return found

    nine = messages(runtime, range(9, 10))[0]
    wanted = [each for message in messages(runtime, range(3)) for each in (message, nine)]
    assert asyncio.run(session()) == wanted


def test_a_task_that_was_just_cancelled_is_in_nobodys_way(runtime: Any) -> None:
    async def session() -> list[Any]:
        stream = asyncio.StreamReader()
        reader = runtime.streams.AsyncReader(stream)
        task = asyncio.create_task(anext(reader))
        await turns(2)
        task.cancel()
        stream.feed_data(note(1) + b"\n" + note(2))
        stream.feed_eof()
        return [item async for item in reader]

    assert asyncio.run(session()) == messages(runtime, range(1, 3))


async def turns(count: int) -> None:
    """Let the event loop run `count` times."""
    for _ in range(count):
        await asyncio.sleep(0)


async def outcomes(tasks: list[asyncio.Task[None]]) -> list[Any]:
    """The outcomes of tasks, each of which has succeeded or was cancelled."""
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(each) for each in found} <= {type(None), asyncio.CancelledError}
    return found


def test_a_task_that_waited_for_another_to_read_reads_no_more_than_it_has_to(runtime: Any) -> None:
    async def session() -> list[Any]:
        stream = Waiting([note(1) + b"\n" + note(2) + b"\n", note(3) + b"\n"])
        reader = runtime.streams.AsyncReader(stream)
        found = list(await asyncio.gather(anext(reader), anext(reader)))
        assert stream.reads == 1
        return [*found, *[item async for item in reader]]

    assert asyncio.run(session()) == messages(runtime, range(1, 4))


@given(chunks_of_data(), st.lists(st.sampled_from(["feed", "take", "cancel", "run"]), max_size=60))
def test_tasks_that_share_a_reader_get_each_line_once(
    runtime: Any, cut: tuple[bytes, list[bytes]], steps: list[str]
) -> None:
    async def session() -> list[tuple[int, Any]]:
        _, chunks = cut
        stream = asyncio.StreamReader()
        reader = runtime.streams.AsyncReader(stream, limit=LIMIT)
        found: list[tuple[int, Any]] = []

        async def take() -> None:
            item = await anext(reader, None)
            if item is not None:
                found.append((reader.line, *shown(runtime, [item])))

        tasks: list[asyncio.Task[None]] = []
        left = list(chunks)
        for step in steps:
            if step == "feed" and left:
                stream.feed_data(left.pop(0))
            elif step == "take":
                tasks.append(asyncio.create_task(take()))
            elif step == "cancel" and tasks:
                tasks[len(left) % len(tasks)].cancel()
            elif step == "run":
                await turns(1)
        stream.feed_data(b"".join(left))
        stream.feed_eof()
        await outcomes(tasks)
        found += [(reader.line, *shown(runtime, [item])) async for item in reader]
        return found

    assert asyncio.run(session()) == reference(runtime, cut[0])


def test_the_limit_of_a_stream_reader_for_lines_does_not_apply(runtime: Any) -> None:
    async def session() -> list[Any]:
        stream = asyncio.StreamReader(limit=10)
        stream.feed_data(b'{"kind":"note","text":"' + b"a" * 200_000 + b'"}')
        stream.feed_eof()
        return [item async for item in runtime.streams.AsyncReader(stream)]

    assert asyncio.run(session()) == [runtime.model.Note(text="a" * 200_000)]


# --- writers ---------------------------------------------------------------------------------------


class Raw(io.RawIOBase):
    """A raw stream whose writes have scripted outcomes, and which then accepts everything."""

    def __init__(self, answers: list[Any]) -> None:
        self.answers = list(answers)
        self.out = bytearray()

    def writable(self) -> bool:
        return True

    def getvalue(self) -> bytes:
        return bytes(self.out)

    def write(self, data: Any, /) -> int | None:
        data = bytes(data)
        answer = self.answers.pop(0) if self.answers else len(data)
        if isinstance(answer, BlockingIOError):
            answer.characters_written = min(answer.characters_written, len(data))
            self.out += data[: answer.characters_written]
        if isinstance(answer, BaseException):
            raise answer
        if answer is None:
            return None
        count = min(answer, len(data))
        self.out += data[:count]
        return count


ANSWERS = st.one_of(
    st.integers(0, 200),
    st.sampled_from(TROUBLE[:-1]).map(lambda make: make()),
    st.integers(0, 50).map(lambda count: BlockingIOError(11, "later", count)),
)
BUFFERED_ANSWERS = st.one_of(st.integers(1, 6000), st.sampled_from(TROUBLE[:-1]).map(lambda make: make()))


def raises(call: Callable[[], None]) -> bool:
    """Whether a call raises an exception that a stream may raise."""
    try:
        call()
    except (OSError, KeyboardInterrupt):
        return True
    return False


def deliver(writer: Any, sent: list[Any], flushes: Iterator[bool]) -> None:
    """Write everything; after an exception, flush a few times or continue with the next message."""
    for message in sent:
        if raises(lambda: writer.write(message)):  # noqa: B023 - called immediately
            while next(flushes, False) and raises(writer.flush):
                pass
    while raises(writer.flush):
        pass


def lines_of(runtime: Any, sent: list[Any]) -> bytes:
    return b"".join(runtime.wire.encode(message) + b"\n" for message in sent)


@given(st.lists(st.integers(0, 10**6), max_size=8), st.lists(ANSWERS, max_size=20), st.lists(st.booleans()))
def test_a_writer_loses_nothing_and_writes_nothing_twice(
    runtime: Any, numbers: list[int], answers: list[Any], flushes: list[bool]
) -> None:
    out = Raw(answers)
    writer = runtime.streams.Writer(out)
    sent = [runtime.model.Note(text=f"→{number}") for number in numbers]
    deliver(writer, sent, iter(flushes))
    assert out.getvalue() == lines_of(runtime, sent)
    assert writer.pending == 0


@given(st.lists(st.integers(0, 30_000), max_size=5), st.lists(BUFFERED_ANSWERS, max_size=30), st.lists(st.booleans()))
def test_a_writer_to_a_buffered_stream_loses_nothing(
    runtime: Any, sizes: list[int], answers: list[Any], flushes: list[bool]
) -> None:
    raw = Raw(answers)
    writer = runtime.streams.Writer(io.BufferedWriter(raw, 4096))
    sent = [runtime.model.Note(text="x" * size) for size in sizes]
    deliver(writer, sent, iter(flushes))
    assert raw.getvalue() == lines_of(runtime, sent)


def test_a_line_is_written_as_its_message_is(framed: Any) -> None:
    note = framed.model.Note(text="→")
    written = [io.BytesIO(), io.BytesIO()]
    for stream, write in zip(written, ("write", "write_line"), strict=True):
        writer = framed.streams.Writer(stream)
        getattr(writer, write)(note if write == "write" else framed.wire.encode(note))
    assert written[0].getvalue() == written[1].getvalue() != b""
    assert list(framed.streams.Reader(io.BytesIO(written[0].getvalue()))) == [note]


def test_a_short_write_is_completed(runtime: Any) -> None:
    out = Raw([10])
    runtime.streams.Writer(out).write(runtime.model.Note(text="x" * 126))
    assert out.getvalue() == b'{"kind":"note","text":"' + b"x" * 126 + b'"}\n'


@pytest.mark.parametrize("answer", [None, 0])
def test_a_stream_that_takes_nothing_is_an_error_and_the_line_is_kept(runtime: Any, answer: int | None) -> None:
    out = Raw([10, answer, answer])
    writer = runtime.streams.Writer(out)
    with pytest.raises(BlockingIOError, match=r"Raw\.write\(\) took nothing; call flush"):
        writer.write(runtime.model.Note(text="→1"))
    assert writer.pending == len(lines_of(runtime, messages(runtime, range(1, 2)))) - 10
    with pytest.raises(BlockingIOError):
        writer.flush()
    writer.write(runtime.model.Note(text="→2"))
    assert out.getvalue() == lines_of(runtime, messages(runtime, range(1, 3)))
    assert writer.pending == 0


@pytest.mark.parametrize("answer", [-1, 1000, "10", 1.5])
def test_a_stream_that_says_nonsense_is_an_error(runtime: Any, answer: Any) -> None:
    class Lying(Raw):
        def write(self, _: Any, /) -> Any:
            return answer

    with pytest.raises(OSError, match=r"Lying\.write\(\) returned .*, expected a number up to"):
        runtime.streams.Writer(Lying([])).write(runtime.model.Note(text="x"))


@pytest.mark.parametrize("buffering", [0, -1])
def test_a_full_pipe_tears_no_line(runtime: Any, buffering: int) -> None:
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    os.set_blocking(receiver, False)
    message, received, sent, blocked = runtime.model.Note(text="x" * 20_000), bytearray(), 0, 0
    with os.fdopen(receiver, "rb", buffering=0) as stream, os.fdopen(sender, "wb", buffering=buffering) as out:
        writer = runtime.streams.Writer(out)
        for _ in range(30):
            sent += 1
            try:
                writer.write(message)
            except BlockingIOError:
                blocked += 1
                while (part := stream.read(10_000)) is not None:
                    received += part
        while True:
            try:
                writer.flush()
                break
            except BlockingIOError:
                while (part := stream.read(10_000)) is not None:
                    received += part
        out.close()
        while part := stream.read(10_000):
            received += part
    assert blocked > 2
    assert received == (runtime.wire.encode(message) + b"\n") * sent


def test_every_line_is_flushed(runtime: Any) -> None:
    raw = Raw([])
    writer = runtime.streams.Writer(io.BufferedWriter(raw))
    writer.write(runtime.model.Note(text="→1"))
    assert raw.getvalue() == lines_of(runtime, messages(runtime, range(1, 2)))
    writer.write(runtime.model.Note(text="→2"))
    assert raw.getvalue() == lines_of(runtime, messages(runtime, range(1, 3)))


def test_a_writer_writes_whole_lines_and_nothing_of_a_bad_one(runtime: Any) -> None:
    out = io.BytesIO()
    writer = runtime.streams.Writer(out)
    writer.write(runtime.model.Note(text="a"))
    with pytest.raises(runtime.base.EncodeError):
        writer.write(runtime.model.Note(text=1))
    assert out.getvalue() == b'{"kind":"note","text":"a"}\n'
    assert writer.pending == 0


def test_the_error_of_a_closed_stream_comes_through(runtime: Any) -> None:
    out = io.BytesIO()
    out.close()
    with pytest.raises(ValueError, match="closed file"):
        runtime.streams.Writer(out).write(runtime.model.Note(text="a"))
    closed = io.BytesIO()
    closed.close()
    with pytest.raises(ValueError, match="closed file"):
        next(runtime.streams.Reader(closed))


def test_threads_may_share_a_writer(runtime: Any) -> None:
    out = Raw([3, 50, 1] * 1000)
    writer = runtime.streams.Writer(out)
    start = threading.Barrier(4)

    def work(first: int) -> None:
        start.wait()
        for message in messages(runtime, range(first, first + 100)):
            writer.write(message)
            if lines_of(runtime, [message]) not in out.getvalue():
                late.append(message)

    late: list[Any] = []
    threads = [threading.Thread(target=work, args=(first,)) for first in range(0, 400, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert late == []
    lines = out.getvalue().splitlines(keepends=True)
    sent = [lines_of(runtime, [message]) for message in messages(runtime, range(400))]
    assert sorted(lines) == sorted(sent)
    for first in range(0, 400, 100):  # the messages of a thread are in its order
        own = sent[first : first + 100]
        assert [line for line in lines if line in own] == own


def test_a_writer_keeps_other_threads_out_until_the_line_is_flushed(runtime: Any) -> None:
    free: list[bool] = []

    class Watched(Raw):
        def write(self, data: Any, /) -> int | None:
            attempt()
            return super().write(data)

        def flush(self) -> None:
            attempt()

    def attempt() -> None:
        other = threading.Thread(target=lambda: free.append(writer._lock.acquire(blocking=False)))
        other.start()
        other.join()

    writer = runtime.streams.Writer(Watched([5]))
    writer.write(runtime.model.Note(text="→1"))
    assert free == [False, False, False]


@pytest.mark.parametrize("where", ["write", "flush"])
def test_a_handler_may_write_in_the_middle_of_a_line(runtime: Any, where: str) -> None:
    class Calling(Raw):
        calls = 0

        def write(self, data: Any, /) -> int | None:
            count = super().write(data)
            if where == "write":
                self.handle()
            return count

        def flush(self) -> None:
            if where == "flush":
                self.handle()

        def handle(self) -> None:
            self.calls += 1
            if self.calls == 1:
                writer.write(runtime.model.Note(text="→2"))

    out = Calling([5])
    writer = runtime.streams.Writer(out)
    writer.write(runtime.model.Note(text="→1"))
    assert out.getvalue() == lines_of(runtime, messages(runtime, range(1, 3)))
    assert writer.pending == 0


class Sink:
    """An asynchronous stream to write to; each wait takes a number of turns, or ends in an exception."""

    def __init__(self, waits: list[Any]) -> None:
        self.waits = list(waits)
        self.out = bytearray()
        self.draining = 0

    def write(self, data: bytes) -> None:
        self.out += data

    async def drain(self) -> None:
        assert not self.draining, "before 3.11, a StreamWriter fails when two tasks wait for it"
        self.draining += 1
        try:
            wait = self.waits.pop(0) if self.waits else 0
            if isinstance(wait, BaseException):
                raise wait
            await turns(wait)
        finally:
            self.draining -= 1


@given(
    st.lists(st.integers(0, 4), max_size=10),
    st.lists(st.sampled_from(["write", "cancel", "run"]), max_size=40),
)
def test_tasks_that_share_a_writer_tear_no_line(runtime: Any, waits: list[int], steps: list[str]) -> None:
    async def session() -> None:
        stream = Sink(waits)
        writer = runtime.streams.AsyncWriter(stream)
        tasks: list[asyncio.Task[None]] = []
        for step in steps:
            if step == "write":
                tasks.append(asyncio.create_task(writer.write(runtime.model.Note(text=f"→{len(tasks)}"))))
                await turns(1)
            elif step == "cancel" and tasks:
                tasks[len(tasks) // 2].cancel()
            elif step == "run":
                await turns(1)
        await outcomes(tasks)
        assert bytes(stream.out) == lines_of(runtime, messages(runtime, range(len(tasks))))

    asyncio.run(session())


def test_an_asynchronous_writer_waits_and_a_cancellation_tears_nothing(runtime: Any) -> None:
    async def session() -> bytes:
        done: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        async def serve(reader: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
            await go.wait()
            done.set_result(await reader.read())
            back.close()

        go = asyncio.Event()
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            _, stream = await asyncio.open_connection(*server.sockets[0].getsockname())
            stream.transport.set_write_buffer_limits(0)
            writer = runtime.streams.AsyncWriter(stream)
            tasks: list[asyncio.Task[None]] = []
            while not tasks or tasks[-1].done():  # until the buffers of the system are full and the task has to wait
                tasks.append(asyncio.create_task(writer.write(big)))
                await turns(2)
            tasks.append(asyncio.create_task(writer.write(big)))
            await turns(2)
            tasks[-2].cancel()
            go.set()
            assert [type(each) for each in (await outcomes(tasks))[-2:]] == [asyncio.CancelledError, type(None)]
            stream.close()
            received = await done
            with pytest.raises(BrokenPipeError, match="StreamWriter is closing"):
                await writer.write(big)
            assert received == (runtime.wire.encode(big) + b"\n") * len(tasks)
            return received

    big = runtime.model.Note(text="x" * 300_000)
    assert asyncio.run(session()).count(b"\n") > 1


def test_an_asynchronous_writer_writes_nothing_of_a_bad_message_and_passes_errors_on(runtime: Any) -> None:
    async def session() -> bytes:
        stream = Sink([ConnectionResetError("gone"), 0])
        writer = runtime.streams.AsyncWriter(stream)
        with pytest.raises(runtime.base.EncodeError):
            await writer.write(runtime.model.Note(text=1))
        with pytest.raises(ConnectionResetError, match="gone"):
            await writer.write(runtime.model.Note(text="→1"))
        await writer.write(runtime.model.Note(text="→2"))
        return bytes(stream.out)

    assert asyncio.run(session()) == lines_of(runtime, messages(runtime, range(1, 3)))
