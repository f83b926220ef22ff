"""Observations in captured lines that declarations do not contain."""

from __future__ import annotations

from pathlib import Path

from polywire_upstream.observe import Seen, observe, read

TABLE = {
    "Line": {"any of": ["#Hello", "#Bye"]},
    "Hello": {
        "fields": {
            "type": {"is": "hello"},
            "count": "number",
            "cost": "number",
            "mode?": {"enum": ["fast", "slow"]},
            "parts": [{"any of": ["string", {"fields": {"text": "string"}}]}],
            "by": {"map": {"fields": {"n": "number"}}},
            "free": "any",
        }
    },
    "Bye": {"fields": {"type": {"is": "bye"}, "next?": "#Line"}, "rest": "number"},
}


def seen(*lines: object) -> Seen:
    found = Seen()
    observe(found, lines, TABLE, ["Line"], {})
    return found


HELLO = {"type": "hello", "count": 1, "cost": 2, "parts": [], "by": {}, "free": {"any": 1}}


def test_lines_that_fit_say_nothing_but_what_numbers_were() -> None:
    found = seen(HELLO)
    assert (found.undeclared, found.unknown, found.absent, found.values) == ({}, {}, {}, {})
    assert found.whole == {"Hello/count": True, "Hello/cost": True}
    assert found.lines == 1


def test_a_fraction_anywhere_makes_a_number_one() -> None:
    assert seen(HELLO, {**HELLO, "cost": 0.5}, HELLO).whole == {"Hello/count": True, "Hello/cost": False}


def test_members_that_no_declaration_has_are_counted_at_any_depth() -> None:
    line = {**HELLO, "extra": 1, "parts": [{"text": "", "more": 1}], "by": {"a": {"n": 1, "m": 2}}}
    assert seen(line, {"type": "bye", "next": line}).undeclared == {
        "Hello/extra": 2,
        "Hello/parts/[]/more": 2,
        "Hello/by/*/m": 2,
    }


def test_required_members_that_are_absent_are_counted() -> None:
    assert seen({"type": "hello", "parts": [], "by": {}, "free": None, "count": 1}).absent == {"Hello/cost": 1}


def test_lines_and_values_that_are_not_declared_are_told() -> None:
    found = seen({"type": "news"}, {**HELLO, "mode": "idle"})
    assert found.unknown == {"/<type=news>": 1}
    assert found.values == {"Hello/mode/=idle": 1}


def test_members_under_undeclared_keys_have_the_declared_type() -> None:
    found = seen({"type": "bye", "x": 1.5})
    assert found.undeclared == {}
    assert found.whole == {"Bye/*": False}


def test_deep_lines_end() -> None:
    line: dict[str, object] = {"type": "bye"}
    for _ in range(5000):
        line = {"type": "bye", "next": line}
    assert seen(line).undeclared == {}


def test_files_are_read_line_by_line_and_bad_lines_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.ndjson").write_text('{"a": 1}\nno json\n[1]\n\n', encoding="utf-8")
    (tmp_path / "b.txt").write_text('{"b": 1}\n', encoding="utf-8")
    assert list(read([tmp_path], stored=False)) == [{"a": 1}]
    assert list(read([tmp_path / "b.txt"], stored=False)) == [{"b": 1}]


def test_stored_lines_are_read_apart_from_captured_ones(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"a": 1}\n', encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"b": 1}\n', encoding="utf-8")
    for paths in ([tmp_path], [tmp_path / "a.ndjson", tmp_path / "b.jsonl"]):
        assert list(read(paths, stored=False)) == [{"a": 1}]
        assert list(read(paths, stored=True)) == [{"b": 1}]
