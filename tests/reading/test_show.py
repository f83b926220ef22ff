"""The output of `polywire show` for a declaration."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from polywire import source
from polywire.model.build import build
from polywire.model.nodes import Model
from polywire.reading.show import NoSuchName, render, show

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def model(root: Path) -> Model:
    built = build(source.load(root / "tests/specs/parcel"))
    assert built.model is not None
    return built.model


def test_a_struct_shows_its_tags_constants_and_members_with_the_mixin_they_are_from(model: Model) -> None:
    shown = show(model, "Label")
    rows = {row.name: row for row in shown.rows}
    assert list(rows)[:5] == ["version", "printed", "form", "name", "nickname?"]
    assert (rows["version"].type, rows["version"].notes) == ("2", ("constant",))
    assert (rows["nickname?"].type, rows["nickname?"].notes) == ("string | null", ("from Named",))
    assert rows["pair"].type == "Point[1..2]"
    assert rows["grid"].type == "(integer | null)[][]"
    assert rows["sides"].type == "map<Side, Point>"
    assert rows["any"].type == "json"
    assert rows["reply"].type == "Reply | null"
    assert (shown.place.file, shown.what) == ("parts.yaml", "type")


def test_tags_show_what_they_may_be(model: Model) -> None:
    assert [(row.name, row.type) for row in show(model, "Sent").rows][:2] == [("type", '"parcel"'), ("event", '"sent"')]
    event = show(model, "Failed").rows[1]
    assert (event.name, event.type, event.notes) == ("event", "Outcome", ("tag", "also unknown values like error_*"))
    assert show(model, "Tube").rows[0].type == '"tube" | "roll"'
    assert show(model, "Circle").rows[0].name == "form?"
    assert "not true, which a sibling claims" in show(model, "PlainGift").rows[0].notes


def test_a_union_shows_its_decisions_as_they_are_taken(model: Model) -> None:
    shown = show(model, "Line")
    assert shown.what == "open union by type"
    decisions = [(row.name, row.type) for row in shown.rows]
    at = decisions.index(('type = "parcel"', "Parcel"))
    assert decisions[at + 1 : at + 6] == [
        ('  event = "sent"', "Sent"),
        ('  event = "arrived"', "Arrived"),
        ('  event = "error_lost"', "Failed"),
        ('  event = "error_broken"', "Failed"),
        ("  event like error_*", "Failed"),
    ]
    assert ("  without again", "Note") in decisions
    assert decisions[-1] == ("otherwise", "UnknownLine")
    assert [(row.name, row.type) for row in show(model, "Strict").rows] == [
        ("has number, lacks address", "Phone"),
        ("has address", "Mail"),
    ]


def test_enums_aliases_and_options_show_what_they_hold(model: Model) -> None:
    assert [(row.name, row.notes) for row in show(model, "Weight").rows] == [("1", ("light",)), ("10", ("heavy",))]
    assert show(model, "Weight").what == "open enum of integers"
    assert [(row.name, row.type) for row in show(model, "Sizes").rows] == [("=", "map<Size, integer>")]
    options = {row.name: row for row in show(model, "Settings").rows}
    assert (options["on_arrival?"].type, options["on_arrival?"].notes) == ("(item: Item) → boolean", ("never travels",))
    assert options["speed"].notes == ("constructors demand it",)
    assert show(model, "Box").rows[1].notes == ("flattened",)
    assert show(model, "Free").rows[-1].type == "integer"


def test_uses_are_fields_unions_controls_and_options_with_their_places(model: Model) -> None:
    uses = {use.how: use.place.file for use in show(model, "Point").uses}
    assert uses["field maybe of Label"] == "parts.yaml"
    assert uses["field where of StopRequest"] == "lines.yaml"
    assert uses["response of control turn"] == "lines.yaml"
    assert "variant of Parcel" in {use.how for use in show(model, "Sent").uses}
    assert "included by Label" in {use.how for use in show(model, "Named").uses}
    assert "tag event of Failed" in {use.how for use in show(model, "Outcome").uses}
    assert "option on_arrival of Settings" in {use.how for use in show(model, "Item").uses}
    assert {use.how for use in show(model, "Ask").uses} == {"variant of Line", "envelope of requests"}


def test_the_way_from_each_root_is_the_shortest(model: Model) -> None:
    ways = set(show(model, "Point").reached)
    assert ("Label", "Point") in ways
    assert ("Line", "Hello", "Label", "Point") in ways
    assert ("Envelope", "Box", "Point") in ways
    assert ("Weight",) in show(model, "Weight").reached


def test_a_control_is_found_by_its_key_and_names_its_answer(model: Model) -> None:
    assert show(model, "turn").name == "TurnRequest"
    assert show(model, "turn").what == "control request from both, answered with Point or nothing".replace(
        "both", "depot"
    )
    assert show(model, "stop").what == "control request from depot, answered with nothing"


def test_a_tree_shows_its_pointers_and_its_lines_show_the_tree(root: Path) -> None:
    forest = build(source.load(root / "tests/specs/forest")).model
    assert forest is not None
    for tree in forest.trees:
        shown = show(forest, tree.name)
        assert {row.name for row in shown.rows} == {*tree.pointers}
        assert render(shown).startswith(f"{tree.name}  (tree of the lines {tree.lines})")
        assert f"lines of tree {tree.name}" in {use.how for use in show(forest, tree.lines).uses}


def test_an_unknown_name_is_met_with_names_like_it(model: Model) -> None:
    with pytest.raises(NoSuchName, match="nothing is declared as labl; did you mean Label") as caught:
        show(model, "labl")
    assert caught.value.near[0] == "Label"
    with pytest.raises(NoSuchName, match=r"declared as qqqqqq$"):
        show(model, "qqqqqq")


def test_every_declaration_can_be_shown_as_text(model: Model) -> None:
    for name in model.declarations:
        text = render(show(model, name))
        assert text.startswith(f"{name}  (")
        assert "\nUsed by\n" in text
        assert "\nReached from\n" in text
        assert all(line == line.rstrip() for line in text.splitlines())


def test_text_has_the_doc_the_table_the_uses_and_the_ways(model: Model) -> None:
    shown = show(model, "Side")
    assert render(replace(shown, uses=shown.uses[:1], reached=(("Line", "Side"), ("Side",)))) == (
        "Side  (closed enum)  parts.yaml:9:3\n"
        "\n"
        "  A side of the street; there are two.\n"
        "\n"
        '  "left"   The left one.\n'
        '  "right"  The right one.\n'
        "\n"
        "Used by\n"
        f"  {shown.uses[0].how}  {shown.uses[0].place}\n"
        "\n"
        "Reached from\n"
        "  Line → Side\n"
        "  Side\n"
    )
