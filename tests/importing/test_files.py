"""References to other files: those in the folder of the given document are read, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from importing.imports import TEXT, an_object, fields, model
from polywire_import.run import Imported, run
from polywire_import.shapes import ImportingError

BASE = "https://example.com/schemas/"


def imported(folder: Path, files: dict[str, Any], name: str = "main.json") -> Imported:
    for path, schema in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(schema), encoding="utf-8")
    return run("json-schema", [folder / name], folder / "spec", roots=("Main",))


def main(reference: str, **more: Any) -> dict[str, Any]:
    return {"title": "Main", **an_object({"other": {"$ref": reference}}, "other"), **more}


def other(**more: Any) -> dict[str, Any]:
    return {"title": "Other", **an_object({"text": TEXT}, "text"), **more}


@pytest.mark.parametrize(
    ("reference", "path", "more", "identifier"),
    [
        ("other.json", "other.json", {}, {}),
        ("./below/an%20other.json", "below/an other.json", {}, {}),
        ("other.json#/$defs/Other", "other.json", {}, {}),
        ("other.json", "other.json", {"$id": BASE + "main.json"}, {"$id": BASE + "other.json"}),
        (BASE + "below/other.json", "below/other.json", {"$id": BASE + "main.json"}, {}),
        (BASE + "other", "other.json", {}, {"$id": BASE + "other"}),
        ("http://example.com/other#", "other.json", {}, {"$id": "https://example.com/other#"}),
    ],
)
def test_a_file_in_the_folder_is_read(
    tmp_path: Path, reference: str, path: str, more: dict[str, Any], identifier: dict[str, Any]
) -> None:
    inner = {"$defs": {"Other": other()}} if "$defs" in reference else other()
    imported(tmp_path, {"main.json": main(reference, **more), path: {**inner, **identifier}})
    made = model(tmp_path)
    assert (fields(made, "Main"), fields(made, "Other")) == ({"other": "Other"}, {"text": "string"})


def test_files_refer_to_each_other_from_where_they_are(tmp_path: Path) -> None:
    files = {
        "main.json": main("below/other.json"),
        "below/other.json": other(properties={"back": {"$ref": "../main.json"}, "next": {"$ref": "third.json#named"}}),
        "below/third.json": {"$defs": {"Third": {"$anchor": "named", "type": "string", "pattern": "x"}}},
    }
    done = imported(tmp_path, files)
    made = model(tmp_path)
    assert fields(made, "Other") == {"back?": "Main", "next?": "Third", "text": "json | null"}
    assert [note.place for note in done.notes if "`pattern`" in note.message] == ["below/third.json#/$defs/Third"]


@pytest.mark.parametrize(
    "reference",
    ["../outside.json", "below/../../outside.json", "/outside.json", "..%2Foutside.json", "..\\outside.json"],
)
def test_a_file_outside_of_the_folder_is_refused(tmp_path: Path, reference: str) -> None:
    (tmp_path / "outside.json").write_text(json.dumps(other()), encoding="utf-8")
    (tmp_path / "inside").mkdir()
    with pytest.raises(ImportingError, match="outside of the folder of the document"):
        imported(tmp_path / "inside", {"main.json": main(reference)})


@pytest.mark.parametrize("link", ["other.json", "below"])
def test_a_link_is_refused(tmp_path: Path, link: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "other.json").write_text(json.dumps(other()), encoding="utf-8")
    (tmp_path / "inside").mkdir()
    is_folder = link == "below"
    (tmp_path / "inside" / link).symlink_to(tmp_path / "outside" if is_folder else tmp_path / "outside" / "other.json")
    with pytest.raises(ImportingError, match="links are not followed"):
        imported(tmp_path / "inside", {"main.json": main("below/other.json" if is_folder else "other.json")})


@pytest.mark.parametrize("reference", ["missing.json", BASE + "other.json", "file:///etc/hosts", "other.json/x"])
def test_what_is_not_there_is_not_fetched(tmp_path: Path, reference: str) -> None:
    with pytest.raises(ImportingError, match="nothing is fetched"):
        imported(tmp_path, {"main.json": main(reference), "other.json": other()})


def test_what_is_no_schema_is_reported_with_the_reference(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("[]", encoding="utf-8")
    with pytest.raises(
        ImportingError, match=r"(?s)/properties/other: .*other\.json: expected an object, a JSON Schema"
    ):
        imported(tmp_path, {"main.json": main("other.json")})


def test_files_of_two_folders_with_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder, name in (("a", "Main"), ("b", "Second")):
        (tmp_path / folder).mkdir()
        source = {"title": name, **an_object({"other": {"$ref": "other.json"}})}
        (tmp_path / folder / f"{name}.json").write_text(json.dumps(source), encoding="utf-8")
        (tmp_path / folder / "other.json").write_text(json.dumps(other()), encoding="utf-8")
    sources = [tmp_path / "a" / "Main.json", tmp_path / "b" / "Second.json"]
    with pytest.raises(ImportingError, match=r"two files called 'other\.json', in different folders"):
        run("json-schema", sources, tmp_path / "spec")
