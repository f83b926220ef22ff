"""The specs that `polywire import --from ndjson` infers from lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from importing.imports import ROOT, fields, model, text, variants
from polywire.model.nodes import Enum
from polywire.oracle import reference
from polywire_import.infer import discriminator, infer
from polywire_import.run import Imported, run
from polywire_import.shapes import Anything, Array, ImportingError, Literal, Map, Null, Object, OneOf, Scalar


def capture(folder: Path, *lines: Any, name: str = "session.ndjson") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def imported(folder: Path, *lines: Any) -> Imported:
    return run("ndjson", [capture(folder, *lines)], folder / "spec")


CHAT = [
    {"type": "hello", "name": "a", "caps": {"x": 1}},
    {"type": "event", "event": "open", "id": 1, "who": "a"},
    {"type": "event", "event": "close", "id": 2, "code": 4, "why": "done"},
    {"type": "event", "event": "open", "id": 3, "who": "b"},
    {"type": "event", "event": "close", "id": 4, "code": 5, "why": "gone"},
    {"type": "text", "text": "hello there", "level": "info"},
    {"type": "text", "text": "and more", "level": "warn"},
    {"type": "text", "text": "still more", "level": "info"},
    {"type": "text", "text": "a lot more", "level": "info"},
    {"type": "text", "text": "the rest", "level": "warn"},
    {"type": "text", "text": "the end", "level": "info", "note": None},
]


def test_discriminators_inside_discriminators_are_found(tmp_path: Path) -> None:
    imported(tmp_path, *CHAT)
    made = model(tmp_path)
    assert variants(made, "Message") == ("type", True, ["MessageHello", "MessageEvent", "MessageText"])
    assert variants(made, "MessageEvent") == ("event", True, ["MessageEventOpen", "MessageEventClose"])
    assert fields(made, "MessageEventClose") == {"id": "integer", "code": "integer", "why": "string"}


def test_texts_that_repeat_are_an_open_enum(tmp_path: Path) -> None:
    imported(tmp_path, *CHAT)
    level = model(tmp_path).declarations["MessageTextLevel"]
    assert isinstance(level, Enum)
    assert (level.open, [each.wire for each in level.values]) == (True, ["info", "warn"])


def test_counts_of_samples_are_kept_as_sources(tmp_path: Path) -> None:
    imported(tmp_path, *CHAT)
    assert 'source: "[type=text] (6 samples)"' in text(tmp_path)
    assert "note?: {type: json, source: in 1 of 6}" in text(tmp_path)


def test_json_rpc_is_read_by_its_rules(tmp_path: Path) -> None:
    version = {"jsonrpc": "2.0"}
    done = imported(
        tmp_path,
        {**version, "id": 1, "method": "files/read", "params": {"path": "a"}},
        {**version, "id": 2, "method": "files/read", "params": {"path": "b", "line": 7}},
        {**version, "id": 2, "result": {"text": "b"}},
        {**version, "id": 1, "result": {"text": "a", "more": True}},
        {**version, "id": 3, "method": "ping"},
        {**version, "id": 3, "error": {"code": -32000, "message": "no"}},
        {**version, "method": "log", "params": {"text": "x"}},
    )
    made = model(tmp_path)
    assert {each.key: each.origin for each in made.controls} == {"files/read": "both", "ping": "both", "log": "both"}
    assert fields(made, "FilesReadRequest") == {"params": "FilesReadParams"}
    assert fields(made, "FilesReadParams") == {"path": "string", "line?": "integer"}
    assert fields(made, "FilesReadResult") == {"text": "string", "more?": "boolean"}
    assert ("guessed", "ping", "no answer was seen; any is taken") in [
        (note.kind, note.place, note.message) for note in done.notes
    ]


def test_notifications_alone_are_lines_as_any_others(tmp_path: Path) -> None:
    lines = [{"jsonrpc": "2.0", "method": "log", "params": {"text": text}} for text in ("a b", "c", "d e")]
    imported(tmp_path, *lines)
    made = model(tmp_path)
    assert (made.controls, made.protocol.roots) == ((), ("Message",))


def test_requests_and_answers_in_envelopes_are_paired_by_their_ids(tmp_path: Path) -> None:
    lines = []
    for number in range(6):
        what = {"op": "read", "path": "a"} if number % 2 else {"op": "stat", "size": number, "deep": True}
        answer = {"text": "a"} if number % 2 else {"bytes": 1}
        lines.append({"kind": "query", "id": f"r{number}", "what": what})
        lines.append({"kind": "outcome", "to": {"id": f"r{number}", "state": "ok", "body": answer}})
    lines.append({"kind": "hello", "name": "x"})
    imported(tmp_path, *lines)
    said = text(tmp_path)
    assert "request: {envelope: Query, id: /id, payload: /what, by: op}" in said
    assert "response: {envelope: Outcome, id: /to/id, result: /to/body}" in said
    made = model(tmp_path)
    assert [each.key for each in made.controls] == ["stat", "read"]
    assert fields(made, "ReadResult") == {"text": "string"}
    assert fields(made, "StatRequest") == {"size": "integer", "deep": "boolean"}


def test_both_sides_of_a_conversation_are_one(tmp_path: Path) -> None:
    asks = [{"kind": "query", "id": f"r{n}", "what": {"op": "stat", "n": n}} for n in range(3)]
    replies = [{"kind": "outcome", "to": {"id": f"r{n}", "body": {"bytes": n}}} for n in range(3)]
    sources = [capture(tmp_path, *asks, name="s.in.ndjson"), capture(tmp_path, *replies, name="s.out.ndjson")]
    run("ndjson", sources, tmp_path / "spec")
    assert [each.key for each in model(tmp_path).controls] == ["stat"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no line is JSON"),
        (b"{}\n[]\n", ":2: expected an object a line"),
        (b"{}\n{\n", ":2: the line is not JSON"),
        (b"\xff\n", ":1: the line is not JSON"),
        (b'{"a": NaN}\n', "NaN is not a JSON value"),
        (b"[" * 100_000, ":1: the line is not JSON"),
    ],
)
def test_a_capture_that_cannot_be_read_is_an_error_with_a_line(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "session.ndjson"
    path.write_bytes(data)
    with pytest.raises(ImportingError) as raised:
        run("ndjson", [path], tmp_path / "spec")
    assert message in str(raised.value)


@pytest.mark.parametrize("release", ["0.2.37", "0.3.330"])
def test_every_captured_line_is_known_to_the_spec_inferred_from_all(tmp_path: Path, release: str) -> None:
    captures = sorted((ROOT / "tests/captures" / release).glob("*.ndjson"))
    assert len(captures) > 20
    made = run("ndjson", captures, tmp_path / "spec").report.model
    assert made is not None
    lines = [line for path in captures for line in path.read_bytes().splitlines() if line.strip()]
    passed = [place for line in lines for place in reference.decode(made, "Message", line, strict=True).passed]
    assert passed == []
    assert len({control.key for control in made.controls}) > 5


# --- inference -------------------------------------------------------------------------------------------------


def test_ids_are_no_discriminator() -> None:
    assert discriminator([{"id": f"a{n}", "x": n, f"y{n}": 1} for n in range(20)]) is None


def test_a_word_that_says_nothing_about_the_rest_is_no_discriminator() -> None:
    assert discriminator([{"level": level, "text": "x"} for level in ("info", "warn", "info", "warn")]) is None


def test_kinds_are_kept_apart_and_null_beside_them() -> None:
    shape = infer([1, "a b", None, [1.5], [2]])
    assert shape == OneOf((Scalar("integer"), Scalar("string"), Array(Scalar("number")), Null()))
    assert isinstance(infer([{"a b": 1}, {"c d": 2}]), Map)
    assert infer(["2024-01-02T03:04:05Z", "2025-01-02T03:04:05Z"]) == Scalar("timestamp")


@pytest.mark.parametrize(("values", "shape"), [([1, 2.0], "integer"), ([2**53], "number"), ([1, 10**400], None)])
def test_numbers_are_integers_or_doubles_if_they_can_be(values: list[float], shape: str | None) -> None:
    assert infer(values) == (Anything() if shape is None else Scalar(shape))


def test_members_that_are_missing_somewhere_are_optional() -> None:
    shape = infer([{"a": 1, "b": True}, {"a": 2}])
    assert isinstance(shape, Object)
    assert [(each.name, each.required, each.remark) for each in shape.members] == [
        ("a", True, None),
        ("b", False, "in 1 of 2"),
    ]


def test_a_flag_is_a_discriminator_if_it_splits_the_members() -> None:
    values = [{"ok": True, "value": 1}, {"ok": True, "value": 2}, {"ok": False, "error": "a", "code": 1}] * 3
    shape = infer(values)
    assert isinstance(shape, OneOf)
    assert shape.by == "ok"
    tags = [member.shape for each in shape.members if isinstance(each, Object) for member in each.members[:1]]
    assert tags == [Literal(value=True), Literal(value=False)]


def test_values_nested_deeply_are_anything_below() -> None:
    value: Any = 1
    for _ in range(500):
        value = {"a": [value]}
    assert isinstance(infer([value]), Object)


def accepted(folder: Path, lines: list[Any]) -> None:
    made = model(folder)
    for line in lines:
        reference.decode(made, "Message", json.dumps(line).encode())


def chat(**more: Any) -> list[dict[str, Any]]:
    """Return questions, and texts of which some refer to one; `more` goes into every second text."""
    lines: list[dict[str, Any]] = []
    for number in range(6):
        lines.append({"type": "ask", "uuid": f"u{number}", "message": {"role": "asker"}, "run": f"r{number}"})
        lines.append({"type": "say", "uuid": f"s{number}", "message": {"n": number}, **(more if number % 2 else {})})
        if number % 3:
            lines[-1]["about"] = f"u{number}"
    return lines


@pytest.mark.parametrize(
    "more", [{}, {"todos": [], "isMeta": True}, {"kind": "long", "pages": 3}, {"message": "text", "flag": True}]
)
def test_lines_of_which_some_refer_to_others_are_no_answers(tmp_path: Path, more: dict[str, Any]) -> None:
    lines = chat(**more)
    done = imported(tmp_path, *lines)
    assert [f"{each.rule}: {each.message}" for each in done.report.findings] == []
    assert "control" not in text(tmp_path)
    accepted(tmp_path, lines)


@pytest.mark.parametrize(
    "reply",
    [
        lambda n: {"ok": True, "value": n} if n % 2 else {"ok": False, "error": "no", "code": n},
        lambda n: {"body": {"n": n}} if n % 2 else {"body": {"text": "a", "long": True}, "note": "x"},
        lambda n: {"body": {"n": n}} if n % 2 else {"failed": True, "reason": "none"},
    ],
)
def test_a_guessed_answer_has_the_members_that_it_points_to(tmp_path: Path, reply: Any) -> None:
    lines: list[Any] = []
    for number in range(8):
        what = {"op": "read", "path": "a"} if number % 2 else {"op": "stat", "size": number, "deep": True}
        lines.append({"kind": "query", "id": f"r{number}", "what": what})
        lines.append({"kind": "outcome", "id": f"r{number}", **reply(number)})
    lines.append({"kind": "hello", "name": "x"})
    done = imported(tmp_path, *lines)
    assert [f"{each.rule}: {each.message}" for each in done.report.findings] == []
    accepted(tmp_path, lines)


def test_numbers_that_further_kinds_of_lines_share_are_no_ids(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = []
    for row in range(6):
        fix = {"safety": "safe", "edits": [f"e{row}"]}
        lines.append({"rule": "unused", "row": row, "fix": fix, "symbol": f"s{row}"})
        lines.append({"rule": "raised", "row": row, "end": {"column": f"c{row}"}})
        lines.append({"rule": "long", "row": row, "length": 100 + row})
    imported(tmp_path, *lines)
    assert "control" not in text(tmp_path)
    accepted(tmp_path, lines)


def test_ids_that_are_numbers_are_counted(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = []
    for number in range(4):
        lines.append({"kind": "query", "id": number, "what": {"op": "stat", "path": "a"}})
        lines.append({"kind": "outcome", "id": number, "body": {"bytes": number}})
    imported(tmp_path, *lines)
    assert "ids: {draw: counter}" in text(tmp_path)
    accepted(tmp_path, lines)
