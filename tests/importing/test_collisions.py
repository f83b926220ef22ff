"""Names of a source that are the same in some language: the import gives one of them another name and says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from importing.imports import TEXT, an_object, imported, model, ref, text
from polywire_import.names import names_apart

DEFINITIONS: dict[str, dict[str, Any]] = {
    "cases": {"Root": an_object({"Next": TEXT, "next": TEXT, "NEXT": TEXT}, "next")},
    "separators": {"Root": an_object({"a-b": TEXT, "a_b": TEXT, "a b": TEXT, "aB": TEXT})},
    "signs": {"Root": an_object({"$id": TEXT, "id": TEXT, "@id": TEXT, "#": TEXT, "##": TEXT, "日": TEXT, "本": TEXT})},
    "numbered": {"Root": an_object({"x": TEXT, "X": TEXT, "x_2": TEXT, "x2": TEXT})},
    "values": {"Root": an_object({"a": {"enum": ["a-b", "a_b", "A_B", "a b", "+", "-", "1", "+1", "-1"]}})},
    "numbers": {"Root": an_object({"a": {"enum": [1, -1, 10, 2]}})},
    "mixin": {
        "Root": {"allOf": [ref("Base"), an_object({"Id": TEXT})]},
        "Base": an_object({"id": TEXT}),
    },
    "both in a mixin": {
        "Root": {"oneOf": [ref("A"), ref("B")]},
        "A": {"allOf": [ref("Base")], **an_object({"t": {"const": "a"}}, "t")},
        "B": {"allOf": [ref("Base")], **an_object({"t": {"const": "b"}}, "t")},
        "Base": an_object({"id": TEXT, "ID": TEXT}, "id", "ID"),
    },
    "tag": {
        "Root": {"oneOf": [ref("A"), ref("B")]},
        "A": an_object({"t": {"const": "a"}, "T": TEXT}, "T"),
        "B": an_object({"t": {"const": "b"}, "T": TEXT}, "t"),
    },
    "absent tag": {
        "Root": {"oneOf": [ref("A"), ref("B"), ref("C")]},
        "A": an_object({"e.name": {"const": "a"}}, "e.name"),
        "B": an_object({"e.name": {"const": "b"}}, "e.name"),
        "C": an_object({"eName": {"const": "c"}, "e.name": TEXT}, "eName", "e.name"),
    },
    "types": {
        "Root": an_object({"a": ref("note"), "b": ref("Note"), "c": ref("NOTE"), "d": ref("NoteRequired")}),
        **{name: an_object({"x": TEXT}, "x") for name in ("note", "Note", "NOTE", "NoteRequired")},
    },
    "variants": {
        "Root": {"oneOf": [ref("one"), ref("One"), ref("ONE")]},
        **{name: an_object({"t": {"const": name}}, "t") for name in ("one", "One", "ONE")},
    },
    "setters": {"Root": an_object({"x": TEXT, "with_x": TEXT, "X": TEXT})},
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_lint_accepts_what_import_writes(tmp_path: Path, name: str) -> None:
    done = imported(tmp_path, DEFINITIONS[name])
    assert [f"{each.rule}: {each.message}" for each in done.report.findings] == []
    model(tmp_path)
    again = imported(tmp_path, DEFINITIONS[name])
    assert (again.written, again.changes, again.notes) == ((), (), done.notes)


def test_each_new_name_is_reported_with_its_place(tmp_path: Path) -> None:
    done = imported(tmp_path, DEFINITIONS["cases"])
    assert [(note.kind, note.place) for note in done.notes] == [("renamed", "/$defs/Root")] * 2
    assert done.notes[0].message == (
        "'next' of Root is called next_2 in packages: in go, field Next of Root has the same name"
    )
    said = text(tmp_path)
    assert "next: {type: string, name: next_2}" in said
    assert "name: NEXT_" in said


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["a-b", "a_b", "AB"], {"a_b": "a_b2", "AB": "AB3"}),
        (["in-memory", "inMemory", "IN_MEMORY"], {"inMemory": "inMemory2", "IN_MEMORY": "IN_MEMORY3"}),
        (["red", "r\u00e9d", "re\u00e9d"], {"re\u00e9d": "re_d2"}),
        (["1", "\uff11"], {"\uff11": "value_2"}),
        (["", "*", "/"], {}),
    ],
)
def test_names_that_some_language_cannot_tell_apart_get_a_number(texts: list[str], names: dict[str, str]) -> None:
    assert names_apart(texts) == names
