"""The examples of the pages: valid in strict mode, plausible, and the same in every run."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest

from polywire import checks
from polywire.model.nodes import Model
from polywire.oracle import reference
from polywire.oracle.reference.text import read
from polywire.reading.docs.examples import LONGEST, examples
from polywire.reading.docs.plausible import number, text, words

ROOT = Path(__file__).resolve().parents[2]
SPECS = ROOT / "tests" / "specs"
FOLDERS = {path.parent.relative_to(SPECS).as_posix(): path.parent for path in sorted(SPECS.rglob("protocol.yaml"))}


def model_of(folder: Path) -> Model:
    found = checks.check(folder).model
    assert found is not None
    return found


def derived(model: Model) -> dict[str, Any]:
    """Return the JSON of the examples that the spec does not give."""
    return {name: html.unescape(each[0].text) for name, each in examples(model).items() if each[0].is_derived}


@pytest.mark.parametrize("folder", [*FOLDERS.values(), ROOT / "spec"], ids=[*FOLDERS, "spec"])
def test_every_declaration_has_an_example_and_strict_mode_accepts_it(folder: Path) -> None:
    model = model_of(folder)
    rules = reference.rules(model)
    for name, given in examples(model).items():
        assert given, name
        shown = html.unescape(given[0].text)
        if given[0].is_derived:
            outcomes = rules.outcomes(name, read(shown), strict=True)
            assert outcomes.accepted, (name, shown)
            assert not outcomes.faults, (name, shown)
            assert len(shown) <= LONGEST


def test_no_example_has_text_that_is_there_to_break_readers() -> None:
    for folder in (SPECS / "desk", SPECS / "jsonrpc", ROOT / "spec"):
        for name, shown in derived(model_of(folder)).items():
            assert shown.isascii(), (name, shown)
            assert "\\u" not in shown, (name, shown)


def test_examples_are_the_same_every_time() -> None:
    model = model_of(SPECS / "parcel")
    assert derived(model) == derived(model)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("session_id", "session-1"),
        ("toolUseID", "tool-use-1"),
        ("id", "item-1"),
        ("parent_ids", "parent-1"),
        ("createdAt", "2025-03-14T09:26:53Z"),
        ("transcript_path", "/home/ada/project/notes.md"),
        ("cwd", "/home/ada/project"),
        ("baseUrl", "https://example.org/notes"),
        ("protocolVersion", "1.4.2"),
        ("file_name", "notes.md"),
        ("display_name", "Notes"),
        ("access_token", "c2FtcGxl"),
        ("prompt", "Read the notes and list what is open."),
        ("error_message", "The file was not found."),
        ("zzz", "example"),
        ("", "example"),
        ("\u017c", "example"),
    ],
)
def test_a_text_suits_the_name_of_its_member(name: str, told: str) -> None:
    assert text(name) == told


@pytest.mark.parametrize(
    ("name", "told", "whole"),
    [
        ("input_tokens", 1280, 1280),
        ("durationMs", 1500, 1500),
        ("timeout_seconds", 30, 30),
        ("total_cost_usd", 0.25, 3),
        ("numTurns", 3, 3),
        ("index", 0, 0),
        ("resets_at", 1741944413, 1741944413),
        ("zzz", 1, 1),
    ],
)
def test_a_number_suits_it_too(name: str, told: float, whole: int) -> None:
    assert (number(name, whole=False), number(name, whole=True)) == (told, whole)


def test_names_are_cut_into_words_however_they_are_spelt() -> None:
    assert words("sessionId") == words("session_id") == words("SESSION-ID") == ["session", "id"]
    assert words("HTTPServer2Port") == ["http", "server", "port"]


SPEC = """
polywire: 1
protocol: {name: x, title: X, version: 1.0, framing: ndjson, peers: [a, b], roots: [Line]}
messages:
  Line:
    doc: A line.
    from: a
    fields:
      user_id: string(20..24)
      title: string(..3)
      port?: integer(0..80)
      is_error?: boolean
      enabled?: boolean
      when?: Moment
      uuid?: uuid
      old?: {type: string, deprecated: Use `title`.}
      notes?: string[]
      sizes?: map<integer>
      either?: string | integer
aliases: {Moment: {doc: A time., type: timestamp}}
"""


def test_an_example_keeps_bounds_and_leaves_out_what_is_deprecated(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(SPEC, encoding="utf-8")
    assert json.loads(derived(model_of(tmp_path))["Line"]) == {
        "user_id": "user-1 user-1 user-1",
        "title": "Not",
        "port": 80,
        "is_error": False,
        "enabled": True,
        "when": "2025-03-14T09:26:53Z",
        "uuid": "d3f3792b-bc28-5656-bb23-49687e0cc825",
        "notes": ["Two items are open."],
        "sizes": {"first": 2048},
        "either": "example",
    }
