"""Repeated imports: edits are kept, changes in the source are merged, and nothing is overwritten silently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from importing.imports import TEXT, an_object, imported, model, ref, text
from polywire_import.run import Imported
from polywire_import.shapes import ImportingError

FIRST: dict[str, Any] = {
    "Root": an_object({"a": TEXT, "role": ref("Role"), "note": ref("Note")}, "a"),
    "Role": {"enum": ["user", "assistant"]},
    "Note": an_object({"text": TEXT, "mark": TEXT}, "text"),
}


def edit(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / "spec" / file
    before = path.read_text(encoding="utf-8")
    assert old in before
    path.write_text(before.replace(old, new), encoding="utf-8")


def changes(done: Imported) -> list[tuple[str, str, str]]:
    return [(each.kind, each.what, each.detail) for each in done.changes]


def test_the_same_source_changes_nothing(tmp_path: Path) -> None:
    imported(tmp_path, FIRST)
    again = imported(tmp_path, FIRST)
    assert (again.written, again.changes) == ((), ())


def test_the_same_source_writes_the_same_bytes_elsewhere(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        imported(tmp_path / name, FIRST)
    one, two = ({p.name: p.read_bytes() for p in (tmp_path / n / "spec").iterdir()} for n in ("one", "two"))
    assert one == two
    assert len(one) == 4


def test_edits_stay_with_their_comments_where_the_source_did_not_change(tmp_path: Path) -> None:
    imported(tmp_path, FIRST)
    edit(tmp_path, "types.yaml", "    doc: Note.\n", "    # ours\n    doc: A remark of ours.  # why\n")
    before = text(tmp_path)
    again = imported(tmp_path, FIRST)
    assert changes(again) == [("kept", "types Note", "edited here")]
    assert (again.written, text(tmp_path)) == ((), before)


def test_changes_at_the_source_are_taken_over_and_listed(tmp_path: Path) -> None:
    imported(tmp_path, FIRST)
    edit(tmp_path, "types.yaml", "    doc: Root.\n", "    doc: What travels.\n")
    second = {
        "Root": an_object({"a": TEXT, "role": ref("Role"), "more": ref("More")}, "role"),
        "Role": {"enum": ["user", "assistant", "tool"]},
        "More": an_object({"b": TEXT}),
    }
    again = imported(tmp_path, second)
    assert changes(again) == [
        ("kept", "types Root /doc", "edited here"),
        ("changed", "types Root /fields/a", "a → a?"),
        ("changed", "types Root /fields/role", "role? → role"),
        ("added", "types Root /fields/more", ""),
        ("removed", "types Root /fields/note", ""),
        ("changed", "enums Role", "/values/tool added"),
        ("removed", "types Note", "no longer in the source"),
        ("added", "types More", ""),
    ]
    made = model(tmp_path)
    assert made.declarations["Root"].about.doc == "What travels."
    assert "Note" not in made.declarations
    assert "More" in made.declarations
    assert "Note" not in text(tmp_path)


def test_a_choice_that_was_edited_wins_over_a_change_and_is_reported(tmp_path: Path) -> None:
    imported(tmp_path, FIRST)
    edit(tmp_path, "types.yaml", "      mark?: string\n", "      mark?: timestamp\n")
    edit(tmp_path, "enums.yaml", "    open: true\n", "    open: false\n")
    second = {**FIRST, "Note": an_object({"text": TEXT, "mark": {"type": "integer"}}, "text")}
    again = imported(tmp_path, second)
    assert ("conflict", "types Note /fields/mark", "integer at the source, which is not taken over") in changes(again)
    assert ("kept", "enums Role", "edited here") in changes(again)
    assert "mark?: timestamp" in text(tmp_path)
    assert "open: false" in text(tmp_path)


def test_what_was_taken_out_stays_out_and_what_was_moved_stays_there(tmp_path: Path) -> None:
    imported(tmp_path, FIRST)
    note = "  Note:\n    doc: Note.\n    source: /$defs/Note\n    fields:\n      text: string\n      mark?: string\n"
    edit(tmp_path, "types.yaml", note, "")
    edit(tmp_path, "protocol.yaml", "parts: [enums.yaml, types.yaml]", "parts: [enums.yaml, types.yaml, ours.yaml]")
    ours = tmp_path / "spec/ours.yaml"
    ours.write_text("types:\n" + note.replace("      mark?: string\n", ""), encoding="utf-8")
    second = {**FIRST, "Note": an_object({"text": TEXT, "mark": {"type": "integer"}, "new": TEXT}, "text")}
    again = imported(tmp_path, second)
    detail = "changed at the source; it was taken out here, and stays so"
    assert ("conflict", "types Note /fields/mark", detail) in changes(again)
    assert "new?: string" in ours.read_text(encoding="utf-8")
    assert "mark" not in ours.read_text(encoding="utf-8")
    assert "Note:" not in (tmp_path / "spec/types.yaml").read_text(encoding="utf-8")


def test_a_declaration_that_is_gone_but_edited_stays(tmp_path: Path) -> None:
    imported(tmp_path, FIRST)
    edit(tmp_path, "types.yaml", "    doc: Note.\n", "    doc: Ours.\n")
    second = {"Root": an_object({"a": TEXT, "role": ref("Role")}, "a"), "Role": FIRST["Role"]}
    again = imported(tmp_path, second)
    assert ("conflict", "types Note", "no longer in the source; kept, since it was edited") in changes(again)
    assert "doc: Ours." in text(tmp_path)


def test_a_part_that_is_new_joins_the_list_of_parts(tmp_path: Path) -> None:
    imported(tmp_path, {"Root": an_object({"a": TEXT})})
    assert not (tmp_path / "spec/enums.yaml").exists()
    imported(tmp_path, {"Root": an_object({"a": ref("Role")}), "Role": FIRST["Role"]})
    assert "parts: [types.yaml, enums.yaml]" in text(tmp_path)
    assert "Role" in model(tmp_path).declarations


@pytest.mark.parametrize("name", ["protocol.yaml", "types.yaml"])
def test_a_file_that_no_import_wrote_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "spec").mkdir()
    entry = tmp_path / "spec" / name
    entry.write_text("polywire: 1\n", encoding="utf-8")
    with pytest.raises(ImportingError, match="was not imported"):
        imported(tmp_path, FIRST)
    assert entry.read_text(encoding="utf-8") == "polywire: 1\n"


def test_a_new_part_takes_the_place_of_no_file(tmp_path: Path) -> None:
    imported(tmp_path, {"Root": an_object({"a": TEXT})})
    ours = tmp_path / "spec/enums.yaml"
    ours.write_text("# ours\n", encoding="utf-8")
    with pytest.raises(ImportingError, match="was not imported"):
        imported(tmp_path, FIRST)
    assert ours.read_text(encoding="utf-8") == "# ours\n"


@pytest.mark.parametrize("record", ["", "{", "[]", '{"told": 1}', '{"told": {}, "entries": []}'])
def test_a_record_that_cannot_be_read_is_an_error(tmp_path: Path, record: str) -> None:
    imported(tmp_path, FIRST)
    (tmp_path / "spec/import.json").write_text(record, encoding="utf-8")
    before = text(tmp_path)
    with pytest.raises(ImportingError, match="the record of the last import cannot be read"):
        imported(tmp_path, FIRST)
    assert text(tmp_path) == before


def test_a_file_that_leads_out_of_the_folder_is_not_written(tmp_path: Path) -> None:
    imported(tmp_path, FIRST)
    outside = tmp_path / "outside.yaml"
    types = tmp_path / "spec/types.yaml"
    outside.write_bytes(types.read_bytes())
    types.unlink()
    types.symlink_to(outside)
    before = outside.read_bytes()
    with pytest.raises(ImportingError, match="leads out of"):
        imported(tmp_path, {**FIRST, "Note": an_object({"other": TEXT})})
    assert outside.read_bytes() == before


def test_layout_is_no_edit(tmp_path: Path) -> None:
    lists = {"type": "array", "items": TEXT}
    definitions = {f"T{n}": an_object({"a" * n: lists, "b": lists}, "a" * n, "b") for n in range(1, 120)}
    root = {"Root": an_object({name: ref(name) for name in definitions})}
    imported(tmp_path, root | definitions)
    again = imported(tmp_path, root | definitions)
    assert (again.written, again.changes) == ((), ())
