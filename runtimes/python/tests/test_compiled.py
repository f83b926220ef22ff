"""Functions are compiled from rows when a type is first used, and never from data that a peer sends."""

from __future__ import annotations

import contextlib
import json
import linecache
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ways import NOTE, UUID, fault, refused

DOCUMENTS: list[tuple[str, Any]] = [
    ("Line", NOTE),
    ("Line", {"kind": "ask", "id": "", "request": {"what": "look", "at": UUID}}),
    ("Line", {"kind": "event", "what": "error_x", "n": 1}),
    ("Line", {"kind": "card", "isCopy": True}),
    ("Line", {"kind": "new", "x": [1]}),
    ("Kit", {"id": UUID, "sizes": {"x": 1}, "levels": {"low": 1.5}, "choice": 1, "rows": [["a"]], "code": 1}),
    ("Suit", {"k": "x", "m": "error_a"}),
    ("Tree", {"kids": [{"left": {}}]}),
    ("Nest", [["a"], {"b": "c"}]),
    ("Outer", {"type": "o", "id": "", "form": "box", "p": "", "inner": {"type": "o", "id": "", "form": "x"}}),
    ("Call", {"method": "m"}),
]


def compiled(runtime: Any) -> list[Any]:
    """The functions that have been compiled so far, in all modes."""
    made = [*runtime.wire._WAYS.values(), runtime.wire._encoders, runtime.wire._careful_encoders]
    values = [value for each in made for value in each._scope.values()]
    values += [value for each in made for value in vars(each).get("_readers", vars(each).get("_writers")).values()]
    codes = {id(value.__code__): value for value in values if hasattr(value, "__code__")}
    return [value for value in codes.values() if value.__code__.co_filename.startswith("<polywire_runtime")]


def use_all(runtime: Any) -> None:
    for type_, document in DOCUMENTS:
        text = json.dumps(document)
        value = runtime.wire.decode(text, type_)
        runtime.wire.examine(text, type_)
        runtime.wire.from_dict(document, type_)
        runtime.wire.encode(value, type_)
        fault(runtime, 1, type_)
        fault(runtime, 1, type_, strict=True)
        refused(runtime, 1, type_)


def test_nothing_is_compiled_before_it_is_used(fresh: Any) -> None:
    assert compiled(fresh) == []
    fresh.wire.decode(json.dumps(NOTE))
    assert len(compiled(fresh)) == 1


def test_nothing_is_compiled_from_what_a_peer_sends(fresh: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    use_all(fresh)
    before = len(compiled(fresh))
    files = len(linecache.cache)
    monkeypatch.setattr(fresh.rows.Source, "compile", lambda *_: pytest.fail("something was compiled"))
    for number in range(300):
        for document in (
            {"kind": "note", "text": str(number), f"new{number}": number, "data": {f"k{number}": [number]}},
            {"kind": f"new{number}", f"member{number}": number},
            {"kind": "event", "what": f"error_{number}", "n": number},
        ):
            text = json.dumps(document)
            assert fresh.wire.to_dict(fresh.wire.decode(text)) == document
            fresh.wire.examine(text)
            fresh.wire.from_dict(document)
    assert (len(compiled(fresh)), len(linecache.cache)) == (before, files)


def test_every_function_has_a_source_of_its_own(fresh: Any) -> None:
    use_all(fresh)
    functions = compiled(fresh)
    assert len({function.__code__.co_filename for function in functions}) == len(functions)
    for function in functions:
        code = function.__code__
        assert linecache.getline(code.co_filename, code.co_firstlineno).startswith(f"def {code.co_name}(")
        linecache.checkcache(code.co_filename)
        assert linecache.getlines(code.co_filename)


def test_tracebacks_show_the_source_of_compiled_functions(fresh: Any) -> None:
    with pytest.raises(fresh.json.Fault) as caught:
        fresh.wire._decoders(strict=False).reader("Note")({"kind": "note", "text": 1})
    shown = traceback.format_exception(caught.type, caught.value, caught.tb)
    assert any("wrong_type(\"string\", v1, 'text')" in line for line in shown)
    assert any('File "<polywire_runtime read_Note, lenient>"' in line for line in shown)


def test_threads_that_use_a_type_at_once_find_it_whole(fresh: Any) -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    ways: list[Callable[[str, Any], Any]] = [
        lambda type_, document: fresh.wire.decode(json.dumps(document), type_),
        lambda type_, document: fresh.wire.examine(json.dumps(document), type_).value,
        lambda type_, document: fresh.wire.from_dict(document, type_),
        lambda type_, document: fresh.wire.decode(
            fresh.wire.encode(fresh.wire.from_dict(document, type_), type_), type_
        ),
    ]
    results: list[Any] = []
    barrier = threading.Barrier(8)

    def run(number: int) -> None:
        try:
            barrier.wait()
            documents = DOCUMENTS[number % 3 :] + DOCUMENTS[: number % 3]
            found = {type_ + str(document): ways[number % 4](type_, document) for type_, document in documents}
            results.append(repr(sorted((name, repr(value)) for name, value in found.items())))
        except BaseException as error:  # noqa: BLE001 - shown by the assertion
            results.append(repr(error))

    try:
        threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len(results) == 8
    assert set(results) == {results[0]}
    assert "Note(text='a')" in results[0]


# --- callers with a nearly exhausted stack ----------------------------------------------------------------------


def with_room(frames: int, call: Callable[[], Any]) -> Any:
    """The result or exception of a call that has `frames` frames left."""

    def deeper(left: int) -> Any:
        return call() if left <= 0 else deeper(left - 1)

    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    try:
        return deeper(sys.getrecursionlimit() - depth - frames)
    except RecursionError:
        raise
    except Exception as error:  # noqa: BLE001 - compared with the expected outcome
        return repr(error)


def tree(levels: int) -> str:
    return '{"left":' * (levels - 1) + '{"data":[[{"a":[1]}]]}' + "}" * (levels - 1)


PLAIN, DEEP = json.loads(tree(100)), json.loads(tree(200))
CALLS: list[Callable[[Any], Any]] = [
    lambda runtime: runtime.wire.decode(tree(100), "Tree"),
    lambda runtime: runtime.wire.decode(tree(100), "Tree", strict=True),
    lambda runtime: runtime.wire.decode(tree(200), "Tree"),
    lambda runtime: runtime.wire.decode('{"kind":"x","a":' + "[" * 127 + "]" * 127 + "}"),
    lambda runtime: runtime.wire.decode('{"kind":"x","a":' + "[" * 128 + "]" * 128 + "}"),
    lambda runtime: runtime.wire.decode("[" * 100_000 + "]" * 100_000),
    lambda runtime: runtime.wire.decode("[" * 100_000),
    lambda runtime: runtime.wire.decode('{"kind":"note","text":1}'),
    lambda runtime: runtime.wire.decode(json.dumps(NOTE)),
    lambda runtime: runtime.wire.examine(tree(100), "Tree").value,
    lambda runtime: runtime.wire.examine(tree(200), "Tree").value,
    lambda runtime: runtime.wire.from_dict(PLAIN, "Tree"),
    lambda runtime: runtime.wire.from_dict(DEEP, "Tree"),
    lambda runtime: runtime.wire.from_dict({"kind": "note", "text": ("a",)}),
    lambda runtime: runtime.wire.from_dict({"kind": "note", "text": "a", "data": ("a",)}),
]


@pytest.mark.parametrize("frames", [30, 31, 32, 33, 35, 40, 45, 50, 60, 80, 120, 200])
@pytest.mark.parametrize("number", range(len(CALLS)))
def test_a_stack_that_is_nearly_used_up_changes_no_outcome(runtime: Any, number: int, frames: int) -> None:
    call = lambda: CALLS[number](runtime)  # noqa: E731 - counted as one frame
    expected = with_room(600, call)
    assert repr(with_room(frames, call))[:200] == repr(expected)[:200]
    assert with_room(frames, call) == expected


@pytest.mark.parametrize("frames", [30, 31, 33, 36, 40, 50, 60, 80, 120])
def test_writing_needs_no_more_of_the_stack(runtime: Any, frames: int) -> None:
    value = runtime.wire.decode(tree(128 - 4), "Tree")
    line = runtime.wire.encode(value)
    assert with_room(frames, lambda: runtime.wire.encode(value)) == line
    assert with_room(frames, lambda: runtime.wire.to_dict(value)) == json.loads(line)
    bad = runtime.model.Tree(kids=[runtime.model.Tree(name=1)])
    error = runtime.base.EncodeError("wrong_type", "/kids/0/name", "expected string, got integer")
    assert with_room(frames, lambda: runtime.wire.encode(bad)) == repr(error)


@pytest.mark.parametrize("frames", range(30, 60))
def test_a_type_that_is_first_used_with_little_of_the_stack_is_whole(fresh: Any, frames: int) -> None:
    for type_, document in DOCUMENTS:
        text = json.dumps(document)
        value = with_room(frames, lambda: fresh.wire.decode(text, type_))  # noqa: B023 - called immediately
        assert type(value).__name__ != "str" or type_ == "Color"
        assert with_room(frames, lambda: fresh.wire.encode(value, type_)) == fresh.wire.encode(value, type_)  # noqa: B023
        assert fresh.wire.from_dict(document, type_) == value == fresh.wire.decode(text, type_)


SHOWN = {
    "Note": "a constant, and fields: required, optional, nullable, any JSON",
    "Fixed": "constants of every kind, and constants that may be absent",
    "Suit": "tags that vary",
    "Presence": "required and optional members that may be null",
    "Original": "a field whose value belongs to a sibling variant if it is true",
    "Outer": "a flattened union",
    "Bag": "undeclared members of a type",
    "Sight": "a list with bounds",
    "Kit": "every kind of type: scalars with a format, enums, lists, maps, a choice by kind",
}
"""Type of the sample → what its members show."""

PAGE = Path(__file__).parents[1] / "src" / "polywire_runtime" / "_decoder.compiled.txt"


def test_a_file_beside_the_decoder_shows_what_it_compiles(fresh: Any) -> None:
    parts = [
        "What `_decoder.py` compiles from rows of the sample protocol of its tests: below each row, the function that",
        "reads a parsed object in lenient mode. A test renews this file.",
    ]
    for type_, what in SHOWN.items():
        with contextlib.suppress(fresh.json.Fault):
            fresh.wire._decoders().reader(type_)({})  # compiles it
        file = next(name for name in linecache.cache if name.endswith(f"read_{type_}, lenient>"))
        parts.append(f"# {type_}: {what}\n# {fresh.table.ROWS[type_]}\n\n{''.join(linecache.getlines(file))}")
    text = "\n".join(parts[:2]) + "\n\n" + "\n\n".join(parts[2:])
    was = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    PAGE.write_text(text, encoding="utf-8")
    assert text == was, f"{PAGE.name} was renewed: look at what is different"
