"""Tables of lines: rows, values that do not fit, and files that cannot be read. The description is written by hand."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from polywire_runtime import _tables, _tables_command
from polywire_runtime._tables import MissingArrowError, Tables
from ways import limit_of_digits


def column(type_: str, at: str | None, of: str = "line", **more: Any) -> dict[str, Any]:
    """A column at a pointer, whose keys have alternatives between `|`."""
    steps = [] if not at else [each.split("|") for each in at.split("/")]
    return {"type": type_, "list": False, "of": of, "at": steps, **more}


LINE = {
    "by": "type",
    "base": "string",
    "cases": [
        ["call", "Call"],
        [
            "log",
            {
                "by": "again", "base": "boolean", "cases": [[True, "Again"]], "prefixes": [], "patterns": [],
                "absent": "Log", "otherwise": "unknown_variant",
            },
        ],
        [
            "level",
            {
                "by": "n", "base": "integer", "cases": [[1, "One"]], "prefixes": [], "patterns": [["*", "Many"]],
                "absent": None, "otherwise": None,
            },
        ],
    ],
    "prefixes": [["sys-", "System"]],
    "patterns": [["error_*", "Error"]],
    "absent": None,
    "otherwise": None,
}  # fmt: skip
BLOCK = {
    "by": "kind", "base": "string", "cases": [["tool", "Tool"]], "prefixes": [], "patterns": [], "absent": None,
    "otherwise": "unknown_variant",
}  # fmt: skip
SHAPE = {"keys": [{"has": ["a"], "lacks": ["b"], "then": "A"}], "otherwise": "no_variant"}
KNOWN = ["Call", "Log", "Again", "One", "Many", "System", "Error"]
DESCRIPTION: dict[str, Any] = {
    "layout": 1,
    "roots": {"Line": LINE, "Shape": SHAPE},
    "values": {"Block": BLOCK, "Line": LINE},
    "problems": {
        **{name: {"type": "string"} for name in ("file", "line", "table", "column", "path", "code", "text")},
        "line": {"type": "integer"},
    },
    "tables": {
        "lines": {
            "root": "Line", "lines": KNOWN, "unknowns": True, "rows": [], "unique": [],
            "columns": {
                "kind": column("string", "type"),
                "id": column("string", "id|key"),
                "n": column("integer", "n"),
                "x": column("number", "x"),
                "ok": column("boolean", "ok"),
                "at": column("timestamp", "at"),
                "more": column("json", "more/deep"),
                "names": {**column("string", "names"), "list": True},
                "text": column("string", "text", allows=["array"]),
                "day": column("timestamp", "day", allows=["string"]),
                "raw": column("json", None),
            },
        },
        "tools": {
            "root": "Line", "lines": ["Call"], "unknowns": False, "rows": [["blocks"], "*"], "unique": [],
            "is": {"values": ["Block"], "types": ["Tool"]},
            "columns": {
                "at": column("timestamp", "at"),
                "key": {"type": "integer", "list": False, "of": "key"},
                "name": column("string", "name", "row"),
                "block": column("json", None, "row"),
            },
        },
        "logs": {
            "root": "Line", "lines": KNOWN, "unknowns": True, "rows": [], "unique": [],
            "is": {"values": ["Line"], "types": ["Log"]},
            "columns": {"n": column("integer", "n")},
        },
        "costs": {
            "root": "Line", "lines": ["Call"], "unknowns": False, "rows": [["costs"], "*"], "unique": [],
            "columns": {
                "model": {"type": "string", "list": False, "of": "key"},
                "cost": column("number", "usd", "row"),
            },
        },
        "shapes": {
            "root": "Shape", "lines": ["A"], "unknowns": False, "rows": [], "unique": [],
            "columns": {"a": column("integer", "a")},
        },
    },
}  # fmt: skip
TABLES = Tables(DESCRIPTION, "package")


def found(
    tmp_path: Path, *lines: object, tables: tuple[str, ...] = TABLES.names, root: str | None = None
) -> dict[str, Any]:
    """The rows of tables without their files, as dictionaries, and the problems as tuples."""
    file = tmp_path / "lines.jsonl"
    raw = (each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines)
    file.write_bytes(b"\n".join(raw))
    rows: dict[str, Any] = {}
    for name, row in TABLES.rows(tables, [str(file)], root):
        assert row[0] == str(file)
        if name == "problems":
            rows.setdefault(name, []).append(row[1:])
        else:
            columns = ("line", "row", *DESCRIPTION["tables"][name]["columns"])
            rows.setdefault(name, []).append(dict(zip(columns, row[1:], strict=True)))
    return rows


def one(tmp_path: Path, **members: object) -> dict[str, Any]:
    """The row of `lines` of a line with some members."""
    (row,) = found(tmp_path, {"type": "call", **members})["lines"]
    return dict(row)


def problem(tmp_path: Path, **members: object) -> tuple[Any, ...]:
    (found_,) = found(tmp_path, {"type": "call", **members})["problems"]
    return tuple(found_[1:])


# --- lines -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ({"type": "call"}, "call"),
        ({"type": "unheard"}, "unheard"),
        ({"type": "log"}, "log"),
        ({"type": "log", "again": False}, "log"),
        ({"type": "level", "n": 1.0}, "level"),
        ({"type": "level", "n": 7}, "level"),
        ({"type": "sys-x"}, "sys-x"),
        ({"type": "error_x"}, "error_x"),
    ],
)
def test_a_line_is_a_row_whatever_its_tag_is(tmp_path: Path, line: object, kind: str) -> None:
    rows = found(tmp_path, line)
    assert [row["kind"] for row in rows["lines"]] == [kind]
    assert "problems" not in rows


@pytest.mark.parametrize(
    ("line", "code", "path"),
    [
        (b"{", "invalid_json", ""),
        (b"[1]", "wrong_type", ""),
        (b"null", "wrong_type", ""),
        (b'{"type":"call","x":"\xff"}', "invalid_utf8", ""),
        (b'{"a":' + b"[" * 128 + b"]" * 128 + b"}", "too_deep", ""),
        (b'{"type":"call","n":' + b"1" * 4301 + b"}", "out_of_range", ""),
        ({}, "missing_field", "/type"),
        ({"type": 1}, "wrong_type", "/type"),
        ({"type": "log", "again": "x"}, "wrong_type", "/again"),
        ({"type": "level"}, "missing_field", "/n"),
        ({"type": "level", "n": 1.5}, "out_of_range", "/n"),
        ({"type": "level", "n": 2**53}, "out_of_range", "/n"),
    ],
)
def test_a_line_that_cannot_be_told_is_a_problem(tmp_path: Path, line: object, code: str, path: str) -> None:
    rows = found(tmp_path, line, {"type": "call"})
    assert [row["line"] for row in rows["lines"]] == [2]
    raw = line if isinstance(line, bytes) else json.dumps(line).encode()
    text = raw[:1024].decode(errors="replace")
    assert rows["problems"] == [(1, None, None, path, code, text)]


def test_a_closed_decision_refuses_other_objects(tmp_path: Path) -> None:
    rows = found(tmp_path, {"a": 1}, {"a": 2, "b": 0}, root="Shape")
    assert [row["a"] for row in rows["shapes"]] == [1]
    assert [each[:5] for each in rows["problems"]] == [(2, None, None, "", "no_variant")]


def test_lines_are_counted_with_blank_ones_and_end_at_line_feeds_only(tmp_path: Path) -> None:
    lines = (b"", b' {"type":"call"}\r', b" \t\r", '{"type":"a\u2028b"}'.encode(), b'{"type":"c"}')
    assert [(row["line"], row["kind"]) for row in found(tmp_path, *lines)["lines"]] == [
        (2, "call"),
        (4, "a\u2028b"),
        (5, "c"),
    ]


def test_a_truncated_last_line_is_a_problem_and_a_complete_one_a_row(tmp_path: Path) -> None:
    rows = found(tmp_path, {"type": "call"}, b'{"type":"call","id":"a')
    assert (len(rows["lines"]), rows["problems"][0][4:]) == (1, ("invalid_json", '{"type":"call","id":"a'))


def test_a_line_that_is_too_long_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tables, "MAX_LINE", 2000)
    fits = b'{"type":"call","id":"' + b"x" * 1977 + b'"}'
    rows = found(tmp_path, fits, fits + b"\r", fits + b" ", b"y" * 9000, {"type": "call"})
    assert [row["line"] for row in rows["lines"]] == [1, 2, 5]
    assert [(each[0], each[4], len(each[5])) for each in rows["problems"]] == [
        (3, "too_long", 1024),
        (4, "too_long", 1024),
    ]


def test_the_last_of_equal_keys_counts(tmp_path: Path) -> None:
    assert found(tmp_path, b'{"type":"x","type":"call","id":1,"id":"a"}')["lines"][0]["id"] == "a"


def test_a_text_of_a_problem_is_whole_characters_of_one_kib_at_most(tmp_path: Path) -> None:
    rows = found(tmp_path, ("é" * 600).encode(), b"a" + "é".encode() * 600, b"\xff" * 2000)
    assert [len(each[5].encode()) for each in rows["problems"]] == [1024, 1023, 1023]
    assert rows["problems"][2][5] == "\ufffd" * 341
    rows = found(tmp_path, b"a" * 1021 + b"\xf0\x9f\x98b", b"a" * 1021 + "\U0001f600".encode())
    assert [each[5][1021:] for each in rows["problems"]] == ["\ufffd", ""]


# --- values ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("id", "a", "a"),
        ("id", "\ud800b", "\ufffdb"),
        ("n", 2**53 - 1, 2**53 - 1),
        ("n", 2.0, 2),
        ("x", 1, 1.0),
        ("x", 2**60, float(2**60)),
        ("ok", False, False),
        ("names", ["a", None, "b"], ["a", None, "b"]),
        ("names", [], []),
        ("at", "1970-01-01T00:00:00Z", 0),
        ("at", "1970-01-01T00:00:00.1234569Z", 123456),
        ("at", "1969-12-31T23:59:59.9999999Z", -1),
        ("at", "1970-01-01T01:00:00+01:00", 0),
        ("at", "1969-12-31T22:59:00-01:01", 0),
        ("at", "2000-02-29T00:00:00Z", 951782400000000),
        ("at", "0000-01-01T00:00:00Z", -62167219200000000),
        ("at", "9999-12-31T23:59:59Z", 253402300799000000),
    ],
)
def test_a_value_that_fits_is_the_value_of_the_column(tmp_path: Path, name: str, given: object, value: object) -> None:
    row = one(tmp_path, **{name: given})
    assert (row[name], type(row[name])) == (value, type(value))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"b": 1, "a": [1.0, 1e22, 1e-05, None]}, '{"b":1,"a":[1.0,1e+22,1e-05,null]}'),
        ("é\n\u0001", '"é\\n\\u0001"'),
        ("\ud800", '"\\ud800"'),
        (10**30, "1" + "0" * 30),
    ],
)
def test_json_is_compact_text(tmp_path: Path, given: object, text: str) -> None:
    assert one(tmp_path, more={"deep": given})["more"] == text


def test_the_line_itself_is_its_original_text(tmp_path: Path) -> None:
    line = b'{ "type" : "call", "n":1.50 }\r'
    assert found(tmp_path, line)["lines"][0]["raw"] == line.decode()[:-1]


def test_json_has_the_same_text_if_the_process_converts_fewer_digits(tmp_path: Path) -> None:
    line = json.dumps({"type": "call", "more": {"deep": {"é": int("1" * 1000), "b": ["\x7f\ud800", True, None, 1e16]}}})
    with limit_of_digits(640):
        rows = found(tmp_path, line.encode())
    assert rows["lines"][0]["more"] == f'{{"é":{"1" * 1000},"b":["\x7f\\ud800",true,null,1e+16]}}'


def test_a_member_is_read_under_its_newest_name_first(tmp_path: Path) -> None:
    assert [one(tmp_path, **each)["id"] for each in ({"key": "b", "id": "a"}, {"key": "b", "id": None}, {})] == [
        "a",
        "b",
        None,
    ]


@pytest.mark.parametrize("value", [None, 1, "x", [], {"other": 1}, {"deep": None}])
def test_nothing_is_there_beside_the_way(tmp_path: Path, value: object) -> None:
    rows = found(tmp_path, {"type": "call", "more": value})
    assert (rows["lines"][0]["more"], "problems" in rows) == (None, False)


@pytest.mark.parametrize(
    ("name", "given", "path", "code", "text"),
    [
        ("id", 1, "/id", "wrong_type", "1"),
        ("key", {"a": "é"}, "/key", "wrong_type", '{"a":"é"}'),
        ("n", "1", "/n", "wrong_type", '"1"'),
        ("n", True, "/n", "wrong_type", "true"),
        ("n", 0.5, "/n", "out_of_range", "0.5"),
        ("n", 2**53, "/n", "out_of_range", str(2**53)),
        ("x", "1", "/x", "wrong_type", '"1"'),
        ("x", 10**400, "/x", "out_of_range", "1" + "0" * 400),
        ("ok", 0, "/ok", "wrong_type", "0"),
        ("at", 0, "/at", "wrong_type", "0"),
        ("at", "yesterday", "/at", "bad_format", '"yesterday"'),
        ("at", "2025-02-29T00:00:00Z", "/at", "bad_format", '"2025-02-29T00:00:00Z"'),
        ("at", "2025-01-01T24:00:00Z", "/at", "bad_format", '"2025-01-01T24:00:00Z"'),
        ("at", "2025-01-01T00:00:60Z", "/at", "bad_format", '"2025-01-01T00:00:60Z"'),
        ("at", "2025-01-01T00:00:00+24:00", "/at", "bad_format", '"2025-01-01T00:00:00+24:00"'),
        ("names", "a", "/names", "wrong_type", '"a"'),
        ("names", ["a", 1], "/names/1", "wrong_type", "1"),
        ("text", 1, "/text", "wrong_type", "1"),
        ("day", "2025-02-29T00:00:00Z", "/day", "bad_format", '"2025-02-29T00:00:00Z"'),
    ],
)
def test_a_value_that_does_not_fit_is_null_and_a_problem(
    tmp_path: Path, name: str, given: object, path: str, code: str, text: str
) -> None:
    of = "id" if name == "key" else name
    row = one(tmp_path, **{name: given})
    assert row[of] is None or of == "names"
    assert problem(tmp_path, **{name: given}) == ("lines", of, path, code, text)


def test_a_number_that_overflows_has_no_text(tmp_path: Path) -> None:
    lines = (b'{"type":"call","x":1e400}', b'{"type":"call","more":{"deep":[{"a/b":-1e400}]}}')
    assert [each[1:] for each in found(tmp_path, *lines)["problems"]] == [
        ("lines", "x", "/x", "out_of_range", None),
        ("lines", "more", "/more/deep/0/a~1b", "out_of_range", None),
    ]


def test_a_value_that_the_spec_allows_is_null_without_a_problem_except_in_an_unknown(tmp_path: Path) -> None:
    assert "problems" not in found(tmp_path, {"type": "call", "text": ["a"], "day": "monday"})
    unknown = found(tmp_path, {"type": "unheard", "text": ["a"], "day": "monday"})
    assert [each[2:5] for each in unknown["problems"]] == [
        ("text", "/text", "wrong_type"),
        ("day", "/day", "bad_format"),
    ]


# --- rows ------------------------------------------------------------------------------------------------------


def test_a_line_is_a_row_if_it_is_one_of_the_types(tmp_path: Path) -> None:
    rows = found(tmp_path, {"type": "call", "n": 1}, {"type": "other"}, {"type": "log", "n": "x"}, {"type": "log"})
    assert rows["logs"] == [{"line": 3, "row": 0, "n": None}, {"line": 4, "row": 0, "n": None}]
    assert [row for row in rows["problems"] if row[1] == "logs"] == [(3, "logs", "n", "/n", "wrong_type", '"x"')]


def test_a_row_is_a_value_of_one_of_the_types(tmp_path: Path) -> None:
    blocks = [{"kind": "tool", "name": "a"}, {"kind": "text"}, {}, None, "x", {"kind": "tool", "name": "b"}]
    rows = found(tmp_path, {"type": "call", "at": "1970-01-01T00:00:01Z", "blocks": blocks})["tools"]
    assert [(row["row"], row["key"], row["name"], row["at"]) for row in rows] == [
        (0, 0, "a", 10**6),
        (1, 5, "b", 10**6),
    ]
    assert rows[1]["block"] == '{"kind":"tool","name":"b"}'


@pytest.mark.parametrize("blocks", [None, "x", {}, 1])
def test_there_is_no_row_where_no_list_is(tmp_path: Path, blocks: object) -> None:
    rows = found(tmp_path, {"type": "call", "blocks": blocks})
    assert "tools" not in rows
    assert "problems" not in rows


def test_the_entries_of_a_map_are_rows_with_their_keys(tmp_path: Path) -> None:
    rows = found(tmp_path, {"type": "call", "costs": {"b": {"usd": 1}, "a": {}, "c": None}})["costs"]
    assert [(row["model"], row["cost"]) for row in rows] == [("b", 1.0), ("a", None)]


def test_what_all_rows_have_from_the_line_is_one_problem(tmp_path: Path) -> None:
    blocks = [{"kind": "tool", "name": 1}, {"kind": "tool", "name": 2}]
    problems = found(tmp_path, {"type": "call", "at": 0, "blocks": blocks})["problems"]
    assert [each[1:4] for each in problems] == [
        ("lines", "at", "/at"),
        ("tools", "at", "/at"),
        ("tools", "name", "/blocks/0/name"),
        ("tools", "name", "/blocks/1/name"),
    ]


def test_only_the_tables_of_a_root_are_read(tmp_path: Path) -> None:
    assert {*found(tmp_path, {"type": "call", "a": 1})} == {"lines"}
    assert {*found(tmp_path, {"type": "call", "a": 1}, root="Shape")} == {"shapes"}
    with pytest.raises(ValueError, match="'Other' is no root with tables; expected one of Line, Shape"):
        found(tmp_path, root="Other")


def test_problems_are_those_of_all_tables_and_other_tables_have_none(tmp_path: Path) -> None:
    line = {"type": "call", "id": 1, "blocks": [{"kind": "tool", "name": 1}]}
    assert len(found(tmp_path, line, tables=("problems",))["problems"]) == 2
    assert {*found(tmp_path, line, tables=("tools",))} == {"tools"}


# --- files -----------------------------------------------------------------------------------------------------


def test_files_that_cannot_be_read_are_problems_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"type":"call"}\n')
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 4)
    files: list[Any] = [tmp_path, tmp_path / "none", "zero\0byte", tmp_path / "binary", tmp_path / "a.jsonl"]
    rows = [*TABLES.rows(TABLES.names, files)]
    problems = [row for name, row in rows if name == "problems"]
    assert [row[5] for row in problems[:3]] == ["unreadable"] * 3
    assert [row[1:5] for row in problems[:3]] == [(None, None, None, "")] * 3
    assert "No such file" in problems[1][6]
    assert {row[5] for row in problems[3:]} == {"invalid_utf8", "invalid_json"} or len(problems) > 3
    assert [row[0] for name, row in rows if name == "lines"] == [str(tmp_path / "a.jsonl")]


def test_a_file_that_grows_is_read_as_far_as_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"type":"call"}\n')
    rows = TABLES.rows(("lines",), [file])
    next(rows)
    with file.open("a") as more:
        more.write('{"type":"call"}\n')
    assert len([*rows]) == 1


def test_many_files_are_open_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(300):
        (tmp_path / f"{at}.jsonl").write_text('{"type":"call"}\n')
    files, opened = sorted(tmp_path.iterdir()), list[Any]()

    def opens(*given: Any, **more: Any) -> Any:
        assert all(each.closed for each in opened)
        opened.append(open(*given, **more))  # noqa: PTH123, SIM115 - in place of `open`; the reader closes it
        return opened[-1]

    monkeypatch.setattr(_tables, "open", opens, raising=False)
    assert [row[0] for _, row in TABLES.rows(("lines",), files)] == [str(file) for file in files]
    assert len(opened) == 300


def test_files_are_found_by_paths_patterns_and_folders(tmp_path: Path) -> None:
    for name in ("b/2.jsonl", "b/1.ndjson", "b/c/3.jsonl", "b/notes.txt", "a.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).touch()
    given = [str(tmp_path / "a.jsonl"), str(tmp_path / "*.jsonl"), str(tmp_path / "b"), str(tmp_path / "none*")]
    files = [os.path.relpath(file, tmp_path) for file in _tables_command.files_in(given)]
    assert files == ["a.jsonl", "b/1.ndjson", "b/2.jsonl", "b/c/3.jsonl", "none*"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_read_only_if_it_is_given_itself(tmp_path: Path) -> None:
    """A pipe that nobody writes to would never end."""
    (tmp_path / "a.jsonl").touch()
    os.mkfifo(tmp_path / "b.jsonl")
    (tmp_path / "c.jsonl").symlink_to("nowhere")
    for given in (tmp_path, tmp_path / "*.jsonl"):
        files = [os.path.relpath(file, tmp_path) for file in _tables_command.files_in([str(given)])]
        assert files == ["a.jsonl", "c.jsonl"]
    assert [*_tables_command.files_in([str(tmp_path / "b.jsonl")])] == [str(tmp_path / "b.jsonl")]


def test_a_pattern_finds_the_files_in_folders(tmp_path: Path) -> None:
    for name in ("b[1]/2.jsonl", "b[1]/c/3.jsonl", "b[1]/notes.txt", "b2.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).touch()
    (tmp_path / "b4").symlink_to("nowhere")
    files = [os.path.relpath(file, tmp_path) for file in _tables_command.files_in([str(tmp_path / "b*")])]
    assert files == ["b2.jsonl", "b4", "b[1]/2.jsonl", "b[1]/c/3.jsonl"]


def test_links_that_lead_in_circles_are_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b/1.jsonl", "b/c/2.jsonl", "b/.d/3.jsonl", "d/4.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).touch()
    for link, to in {"b/one": ".", "b/two": ".", "b/c/up": "..", "b/other": "../d"}.items():
        (tmp_path / link).symlink_to(to)
    monkeypatch.chdir(tmp_path)
    below = ["b/1.jsonl", "b/c/2.jsonl"]
    for given, files in {
        "b/**/*.jsonl": below,
        "b/**/c/**/*.jsonl": below[1:],
        "**/*.jsonl": [*below, "d/4.jsonl"],
        "*/**/2.jsonl": below[1:],
        f"{tmp_path}/**/[12].jsonl": [f"{tmp_path}/{each}" for each in below],
        "b": ["b/.d/3.jsonl", *below],
        "b/other": ["b/other/4.jsonl"],
        "b/one": ["b/one/.d/3.jsonl", "b/one/1.jsonl", "b/one/c/2.jsonl"],
    }.items():
        assert list(_tables_command.files_in([given])) == files, given
    once = _tables_command.files_in(["b/c/../1.jsonl", "b/*.jsonl", "b/one", "b/**"])
    assert list(once) == ["b/c/../1.jsonl", "b/one/.d/3.jsonl", "b/one/c/2.jsonl", "b/other/4.jsonl"]


# --- without and with Arrow ------------------------------------------------------------------------------------


def test_without_arrow_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (lambda: TABLES.schema("lines"), lambda: TABLES.read("lines", []), lambda: TABLES.read_all([])):
        with pytest.raises(MissingArrowError, match=r"install the extra package\[arrow\]"):
            call()


def test_names_of_tables_are_checked() -> None:
    with pytest.raises(
        ValueError, match="'line' is no table; expected one of lines, tools, logs, costs, shapes, problems"
    ):
        TABLES.ddl("line")
    with pytest.raises(ValueError, match="the table shapes belongs to the root Shape, not to Line"):
        TABLES.read("shapes", [], "Line")


def test_columns_in_the_notation_of_spark() -> None:
    assert (
        TABLES.ddl("tools")
        == "`file` STRING, `line` BIGINT, `row` BIGINT, `at` TIMESTAMP, `key` BIGINT, `name` STRING, `block` STRING"
    )
    assert TABLES.ddl("lines").split(", ")[10] == "`names` ARRAY<STRING>"


def test_the_command_reports_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    status = _tables_command.run(TABLES, "python -m package.tables", ["lines", "x", "--out", str(tmp_path / "x")])
    assert (status, capsys.readouterr().err) == (
        2,
        "python -m package.tables: tables are Arrow batches, which need pyarrow: install the extra package[arrow]\n",
    )
    with pytest.raises(SystemExit):
        _tables_command.run(TABLES, "p", ["line", "x", "--out", "x"])
    assert "invalid choice: 'line'" in capsys.readouterr().err
