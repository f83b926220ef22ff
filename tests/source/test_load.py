"""Reading a spec's folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from polywire.source import bundled, load
from written import HEADER, found, write


def test_parts_are_read_in_the_order_in_which_they_are_named(tmp_path: Path) -> None:
    write(tmp_path, "parts: [b.yaml, a/c.yaml]", **{"b.yaml": "types: {}", "a/c.yaml": "enums: {}"})
    source = load(tmp_path)
    assert [part.file for part in source.parts] == ["protocol.yaml", "b.yaml", "a/c.yaml"]
    assert list(source.texts) == ["protocol.yaml", "b.yaml", "a/c.yaml"]
    assert source.complete
    assert source.findings == ()


@pytest.mark.parametrize(
    "path", ["../x.yaml", "/etc/passwd", "a/../../x.yaml", "C:x.yaml", ".", "link/x.yaml", "out.yaml"]
)
def test_a_path_that_leaves_the_folder_is_refused_unread(tmp_path: Path, path: str) -> None:
    (tmp_path / "x.yaml").write_text("secret: 1\n")
    spec = tmp_path / "spec"
    spec.mkdir()
    (spec / "link").symlink_to(tmp_path)
    (spec / "out.yaml").symlink_to(tmp_path / "x.yaml")
    assert found(spec, f"parts: ['{path}']") == ["protocol.yaml:1:9 bad-path"]
    assert list(load(spec).texts) == ["protocol.yaml"]


def test_a_link_inside_the_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").symlink_to(tmp_path / "more/c.yaml")
    assert found(tmp_path, "parts: [b.yaml]", **{"more/c.yaml": "types: {}\n"}) == []


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe"])
def test_a_part_that_is_no_file_is_told_where_it_is_named(tmp_path: Path, kind: str) -> None:
    {"missing": lambda _: None, "folder": os.mkdir, "pipe": os.mkfifo}[kind](tmp_path / "b.yaml")
    assert found(tmp_path, "parts: [b.yaml]") == ["protocol.yaml:1:9 missing-file"]


def test_a_part_named_twice_is_read_once(tmp_path: Path) -> None:
    parts = {"b.yaml": "types: {A: {doc: A.}}"}
    assert found(tmp_path, "parts: [b.yaml, ./b.yaml, protocol.yaml]", **parts) == [
        "protocol.yaml:1:17 duplicate-name",
        "protocol.yaml:1:27 duplicate-name",
    ]


def test_a_folder_without_an_entry_has_one_finding_and_no_model(tmp_path: Path) -> None:
    source = load(tmp_path)
    assert [(f.rule, str(f.place)) for f in source.findings] == [("missing-file", "protocol.yaml:1:1")]
    assert source.entry is None


def test_a_file_that_is_not_there_brings_up_the_one_that_may_be_meant(tmp_path: Path) -> None:
    write(tmp_path, "parts: [tool.yaml, folder.yaml]", **{"tools.yaml": "types: {}\n"})
    (tmp_path / "folder.yaml").mkdir()
    hints = [f.hint for f in load(tmp_path).findings if f.rule == "missing-file"]
    assert hints == ["did you mean `tools.yaml`?", None]
    assert [f.hint for f in load(tmp_path / "nowhere").findings] == ["a spec is a folder with a protocol.yaml"]


@pytest.mark.parametrize("text", ["", "# nothing\n", "--- \n...\n", "just a text", "- 1\n"])
def test_an_entry_that_is_no_mapping_has_one_finding(tmp_path: Path, text: str) -> None:
    assert len(found(tmp_path, "", header=text)) == 1


def test_names_that_a_half_read_spec_may_declare_are_not_called_unknown(tmp_path: Path) -> None:
    body = "parts: [b.yaml]\ntypes: {A: {doc: A., fields: {b: B, c: '|'}}}"
    assert found(tmp_path, body, **{"b.yaml": "types: {B: {doc: B."}) == [
        "protocol.yaml:2:41 bad-type",
        "b.yaml:1:20 yaml-syntax",
    ]


def test_a_dialect_is_read_from_its_folder(tmp_path: Path) -> None:
    write(tmp_path, "types: {}", "add: {types: {A: {doc: A.}}}")
    source = load(tmp_path, "d")
    assert [overlay.file for overlay in source.overlays] == ["dialects/d.yaml"]


@pytest.mark.parametrize("name", ["../d", "a/b", "", ".", "a\0b"])
def test_the_name_of_a_dialect_is_no_path(tmp_path: Path, name: str) -> None:
    write(tmp_path, "types: {}")
    assert [f.rule for f in load(tmp_path, name).findings] == ["bad-path"]


def test_a_dialect_says_its_file_s_name(tmp_path: Path) -> None:
    write(tmp_path, "types: {}", **{"dialects/e.yaml": "dialect: d\n"})
    assert [(f.rule, str(f.place)) for f in load(tmp_path, "e").findings] == [("bad-name", "dialects/e.yaml:1:10")]


def test_the_hash_depends_on_contents_and_names_and_on_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hash_of(folder: str, parts: str, **files: str) -> str:
        write(tmp_path / folder, f"parts: {parts}", header=HEADER.replace("roots: []", "roots: [A]"), **files)
        return load(Path(folder)).spec_hash

    monkeypatch.chdir(tmp_path)
    files = {"b.yaml": "types: {A: {doc: A.}}\n", "c.yaml": "enums: {}\n"}
    first = hash_of("one", "[b.yaml, c.yaml]", **files)
    assert first == hash_of("two", "[b.yaml, c.yaml]", **dict(reversed(files.items())))
    assert first == load(tmp_path / "one").spec_hash
    assert first != hash_of("three", "[b.yaml, c.yaml]", **{**files, "c.yaml": "enums: {} # x\n"})
    assert first != hash_of("four", "[b.yaml, d.yaml]", **{"b.yaml": files["b.yaml"], "d.yaml": files["c.yaml"]})
    assert len(first) == 64


def test_the_hash_covers_the_overlay_and_examples_in_files(tmp_path: Path) -> None:
    write(tmp_path, "types: {A: {doc: A., examples: [{file: a.json}]}}", "roots: [A]", **{"a.json": "{}"})
    base, overlaid = load(tmp_path).spec_hash, load(tmp_path, "d").spec_hash
    assert base != overlaid
    (tmp_path / "a.json").write_text("{ }")
    assert load(tmp_path).spec_hash != base


def test_data_that_looks_like_a_reference_is_not_followed(tmp_path: Path) -> None:
    body = """\
        types:
          A:
            doc: A.
            examples:
              - {"file": nowhere.json}
              - {value: {examples: [{file: nowhere.json}]}, doc: Inside.}
        """
    assert found(tmp_path, body) == []


def test_a_file_of_examples_holds_one_value_or_one_a_line(tmp_path: Path) -> None:
    body = "types: {A: {doc: A., examples: [{file: a.json}, {file: b.ndjson}]}}"
    write(tmp_path, body, **{"a.json": '{\n  "x": 1.0\n}\n', "b.ndjson": '{"y": 1}\n\n{"z": 2}\n'})
    samples = load(tmp_path).samples
    assert [(s.text, str(s.place)) for s in samples["a.json"]] == [('{"x":1.0}', "a.json:1:1")]
    assert [(s.text, s.place.line) for s in samples["b.ndjson"]] == [('{"y":1}', 1), ('{"z":2}', 3)]


def test_a_file_of_examples_that_is_no_json_is_a_finding(tmp_path: Path) -> None:
    body = "types: {A: {doc: A., examples: [{file: a.json}, {file: b.ndjson}, {file: ../c.json}, {file: d.json}]}}"
    assert found(tmp_path, body, **{"a.json": "{", "b.ndjson": "1\n2 3\n", "d.json": '{\n  "a": 1,\n  "b": x\n}'}) == [
        "protocol.yaml:1:74 bad-path",
        "a.json:1:2 bad-json",
        "b.ndjson:2:3 bad-json",
        "d.json:3:8 bad-json",
    ]


def test_the_spec_that_comes_with_polywire_is_looked_for_in_it_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, checkout = tmp_path / "_spec", tmp_path / "spec"
    monkeypatch.setitem(bundled.__globals__, "_BUNDLED", (inside, checkout))
    with pytest.raises(FileNotFoundError, match="reinstall polywire"):
        bundled()
    for folder in (checkout, inside):
        folder.mkdir()
        (folder / "protocol.yaml").touch()
        assert bundled() == folder
