"""Fixture files and captures are read strictly; anything that could make a case pass vacuously is rejected."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from polywire.conformance.case import Case, CaseError, Expect, Outcome, load
from polywire.conformance.protocols import Protocols

ROOT = Path(__file__).resolve().parents[2]
PROTOCOLS = Protocols(ROOT / "tests" / "specs" / "parcel")

SOUND: dict[str, Any] = {"doc": "why", "type": "Named", "input": {"name": "a"}, "expect": {"variant": "Named"}}
WRONG_NAME = {"error": {"code": "wrong_type", "path": "/name"}}


def one(tmp_path: Path, entry: object) -> Case:
    """Load the only case of a fixture file."""
    file = tmp_path / "one.json"
    file.write_text(json.dumps(entry))
    (case,) = load([file], PROTOCOLS)
    return case


def test_a_case_says_what_goes_in_and_what_must_come_out(tmp_path: Path) -> None:
    case = one(tmp_path, SOUND | {"mode": "strict"})
    assert case.request() == {"op": "decode", "type": "Named", "mode": "strict", "json": '{"name":"a"}'}
    assert case.expect == Expect((Outcome(variant="Named", output='{"name":"a"}', unknown=()),))


def test_lenient_is_the_mode_and_the_type_asked_for_the_variant_when_nothing_is_said(tmp_path: Path) -> None:
    case = one(tmp_path, {"type": "Named", "input": {"name": "a", "x": 1}, "expect": {"unknown": ["/x"]}})
    assert case.mode == "lenient"
    assert case.expect == Expect((Outcome(variant="Named", output='{"name":"a","x":1}', unknown=("/x",)),))


def test_raw_text_goes_in_as_it_is_spelled(tmp_path: Path) -> None:
    case = one(tmp_path, {"type": "Reply", "raw": " 1.0 ", "expect": {"text": "1"}})
    assert (case.json, case.expect) == (" 1.0 ", Expect((Outcome(variant="Reply", text="1", unknown=()),)))


def test_bytes_and_streams_go_in_as_base64(tmp_path: Path) -> None:
    error = {"error": {"code": "invalid_utf8", "path": ""}}
    assert one(tmp_path, {"type": "Named", "bytes": "/w==", "expect": error}).request()["bytes"] == "/w=="
    item = {"line": 1, **error}
    stream = {"type": "Named", "stream": {"chunks": ["/w=="], "limit": 10}, "expect": {"items": [item]}}
    case = one(tmp_path, stream)
    assert case.request() == {"op": "stream", "type": "Named", "mode": "lenient", "chunks": ["/w=="], "limit": 10}
    assert case.expect == (Expect((Outcome(error=("invalid_utf8", "")),), line=1),)


def test_a_file_may_hold_several_cases(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text(json.dumps([SOUND, SOUND]))
    names = [case.name for case in load([tmp_path], PROTOCOLS, root=tmp_path)]
    assert names == ["list#1", "list#2"]


def test_folders_are_searched_and_their_names_are_the_groups(tmp_path: Path) -> None:
    for name in ("b/two.json", "a/one.json", "a/deep/three.json"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(SOUND))
    found = [(case.group, case.name) for case in load([tmp_path], PROTOCOLS, root=tmp_path)]
    assert found == [("a/deep", "a/deep/three"), ("a", "a/one"), ("b", "b/two")]


def test_a_folder_may_say_the_spec_and_dialect_of_its_cases(tmp_path: Path) -> None:
    spec = tmp_path / "specs" / "parcel"
    spec.parent.mkdir()
    spec.symlink_to(ROOT / "tests" / "specs" / "parcel")
    fixtures = tmp_path / "fixtures"
    fixtures.mkdir()
    (fixtures / "_defaults.json").write_text('{"spec": "specs/parcel", "dialect": "terse", "type": "Named"}')
    (fixtures / "one.json").write_text(json.dumps({k: v for k, v in SOUND.items() if k != "type"}))
    (case,) = load([fixtures], Protocols(ROOT / "spec"))
    assert (case.type, case.protocol.dialect, case.protocol.model.protocol.name) == ("Named", "terse", "parcel")


def test_every_line_of_a_capture_is_a_case_of_the_first_root(tmp_path: Path) -> None:
    capture = tmp_path / "traffic.ndjson"
    capture.write_bytes('{"type":"hello"}\r\n\n  \n{"type":"note","text":"\u2028"}'.encode())
    found = load([capture], PROTOCOLS, root=tmp_path)
    assert [(c.name, c.type, c.json) for c in found] == [
        ("traffic.ndjson:1", "Line", '{"type":"hello"}'),
        ("traffic.ndjson:4", "Line", '{"type":"note","text":"\u2028"}'),
    ]
    assert found[0].expect == Expect((Outcome(output='{"type":"hello"}'),))


REFUSED: dict[str, tuple[object, str]] = {
    "an unknown key": (SOUND | {"expects": {}}, "a case has unknown key 'expects'"),
    "no expectation": ({k: v for k, v in SOUND.items() if k != "expect"}, "the case asserts nothing"),
    "an empty expectation": (SOUND | {"expect": {}}, "the case asserts nothing"),
    "an unknown key of expect": (SOUND | {"expect": {"variants": "Named"}}, "unknown key 'variants'"),
    "an unknown type": (SOUND | {"type": "Nobody"}, "type 'Nobody' is not declared in parcel"),
    "an unknown variant": (SOUND | {"expect": {"variant": "Nobody"}}, "variant 'Nobody' is not declared"),
    "an unknown mode": (SOUND | {"mode": "loose"}, "mode 'loose'; expected lenient or strict"),
    "no input": ({k: v for k, v in SOUND.items() if k != "input"}, "found none of input, raw, bytes, stream"),
    "two inputs": (SOUND | {"raw": "{}"}, "found input and raw of"),
    "a union without a variant": (
        {"type": "Line", "input": {"type": "hello"}, "expect": {"unknown": []}},
        "no variant, and Line is a union",
    ),
    "an unknown code": (SOUND | {"expect": {"error": {"code": "bad", "path": ""}}}, "error code 'bad'"),
    "an error without a path": (SOUND | {"expect": {"error": {"code": "wrong_type"}}}, "error path None"),
    "a path that is not a pointer": (
        SOUND | {"expect": {"error": {"code": "wrong_type", "path": "name"}}},
        "error path 'name'; expected a JSON Pointer",
    ),
    "an error with another outcome": (
        SOUND | {"expect": {"error": {"code": "wrong_type", "path": ""}, "variant": "Named"}},
        "an error has no other outcome beside it",
    ),
    "one outcome as several": (
        SOUND | {"expect": {"any": [{"variant": "Named"}]}},
        "any must be a list of two outcomes",
    ),
    "several outcomes and one": (
        SOUND | {"expect": {"any": [{"variant": "Named"}, WRONG_NAME], "unknown": []}},
        "any must be a list of two outcomes or more, with nothing beside it",
    ),
    "an outcome twice": (SOUND | {"expect": {"any": [WRONG_NAME, WRONG_NAME]}}, "an outcome is listed twice"),
    "an outcome that is none": (SOUND | {"expect": {"any": [WRONG_NAME, {"line": 1}]}}, "an outcome has unknown key"),
    "a raw line of no error": (
        {"type": "Named", "stream": {"chunks": ["e30="]}, "expect": {"items": [{"line": 1, "raw": "e30="}]}},
        "expect is empty",
    ),
    "pointers out of order": (SOUND | {"expect": {"unknown": ["/b", "/a"]}}, "unknown must be sorted"),
    "raw text that is no output": (
        {"type": "Named", "raw": '{"name":1,"name":"a"}', "expect": {"variant": "Named"}},
        "the input cannot be used as the output (key 'name' twice in one object)",
    ),
    "bytes without an output": (
        {"type": "Named", "bytes": "e30=", "expect": {"variant": "Named"}},
        "the output of bytes must be given",
    ),
    "bytes that are not base64": (
        {"type": "Named", "bytes": "%%", "expect": {"error": {"code": "invalid_json", "path": ""}}},
        "bytes must be base64 text",
    ),
    "a deviation with a limit that there is not": (
        SOUND | {"deviations": {"python": {"reason": "r", "limit": "depth", "expect": {"variant": "Named"}}}},
        "limit 'depth' of the deviation of python; expected one of indices, integers, surrogates",
    ),
    "a deviation without a reason": (
        SOUND | {"deviations": {"python": {"expect": {"variant": "Named"}}}},
        "deviation of python needs a reason",
    ),
    "a line that the stream lacks": (
        {"type": "Named", "stream": {"chunks": []}, "expect": {"items": [{"line": 1, "variant": "Named"}]}},
        "an item's line is 1; the stream has 0 messages",
    ),
    "another framing": (
        {"type": "Named", "stream": {"chunks": [], "framing": "sse"}, "expect": {"items": []}},
        "the stream's framing is 'sse', and that of parcel is 'ndjson': state this one",
    ),
    "an empty list": ([], "an empty list"),
    "no object": (3, "a case must be an object"),
    "a dialect that is not there": (SOUND | {"dialect": "nonsense"}, "nonsense"),
    "a spec that is not there": (SOUND | {"spec": "no/such"}, "spec 'no/such' is not a folder"),
}


def test_a_case_may_have_several_outcomes(tmp_path: Path) -> None:
    case = one(tmp_path, SOUND | {"expect": {"any": [{"variant": "Named"}, WRONG_NAME]}})
    taken = Outcome(variant="Named", output=case.json, unknown=())
    refused = Outcome(error=("wrong_type", "/name"))
    assert case.expect == Expect((taken, refused))
    assert not case.expect.accepts
    assert not case.expect.refuses


def test_an_item_of_a_stream_may_have_several_outcomes(tmp_path: Path) -> None:
    line = base64.b64encode(b'{"name":"a"}').decode()
    item = {"line": 1, "any": [{"variant": "Named"}, WRONG_NAME], "raw": line}
    case = one(tmp_path, {"type": "Named", "stream": {"chunks": [line]}, "expect": {"items": [item]}})
    taken = Outcome(variant="Named", output='{"name":"a"}', unknown=())
    assert case.expect == (Expect((taken, Outcome(error=("wrong_type", "/name"))), line=1, raw=line),)


@pytest.mark.parametrize("what", REFUSED)
def test_what_asserts_nothing_or_is_misspelt_is_refused(tmp_path: Path, what: str) -> None:
    entry, message = REFUSED[what]
    with pytest.raises(CaseError) as caught:
        one(tmp_path, entry)
    assert message in str(caught.value)
    assert "one.json" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty", None, "no cases in it"),
        ("a.json", '{"type": 1, "type": 2}', "key 'type' twice in one object"),
        ("a.json", "{", "Expecting property name"),
        ("a.ndjson", "", "no cases in it"),
        ("a.ndjson", "{}\nnonsense\n", "a.ndjson:2: a line that is not JSON"),
        ("a.txt", "", "neither a .json fixture nor a .ndjson capture"),
    ],
)
def test_a_corpus_that_cannot_be_read_or_is_empty_is_refused(
    tmp_path: Path, name: str, content: str | None, message: str
) -> None:
    path = tmp_path / name
    if content is None:
        path.mkdir()
    else:
        path.write_text(content)
    with pytest.raises(CaseError) as caught:
        load([path], PROTOCOLS)
    assert message in str(caught.value)


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="no such file or folder"):
        load([tmp_path / "nothing"], PROTOCOLS)
