"""Several conditions on one value in a JSON Schema, and what its keywords leave open: nothing is lost in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from importing.imports import TEXT, an_object, fields, imported, model, ref, schema, text
from polywire.model.nodes import Enum, Struct
from polywire.oracle import reference
from polywire_import.run import Imported, run

KIND = {"enum": ["a", "b"]}
NULL = {"type": "null"}


def notes(done: Imported) -> list[tuple[str, str]]:
    return [(note.kind, note.place) for note in done.notes]


def members(folder: Path, properties: dict[str, Any], **definitions: Any) -> tuple[dict[str, str], list[Any]]:
    """Import an object with some members; return its fields, and the notes."""
    done = imported(folder, {"Root": an_object(properties), **definitions})
    found = fields(model(folder), "Root")
    return {key: each.replace("null | null", "null") for key, each in found.items()}, notes(done)


def accepts(folder: Path, value: object, *, strict: bool = False, root: str = "Root") -> bool:
    """Return whether the imported spec decodes a value."""
    try:
        reference.decode(model(folder), root, json.dumps(value).encode(), strict=strict)
    except reference.Fault:
        return False
    return True


# --- unions under a name ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("union", "type_"),
    [
        ({"anyOf": [NULL, TEXT]}, "string | null"),
        ({"anyOf": [NULL, {"type": "integer"}, TEXT]}, "integer | string | null"),
        ({"oneOf": [TEXT, {"type": "array", "items": TEXT}]}, "string | string[]"),
        ({"type": ["null", "boolean", "object"]}, "boolean | object | null"),
        ({"anyOf": [NULL, ref("Other"), {"type": "boolean"}]}, "string | integer | boolean | null"),
    ],
)
def test_a_reference_to_a_union_of_kinds_keeps_all_of_them(tmp_path: Path, union: Any, type_: str) -> None:
    other = {"Other": {"anyOf": [TEXT, {"type": "integer"}]}}
    found, said = members(tmp_path, {"id": ref("Id"), "ids": {"type": "array", "items": ref("Id")}}, Id=union, **other)
    assert (found["id?"].split(" ")[0], said) == ("Id", [])
    assert f"type: {type_}" in text(tmp_path).replace('"', "")
    null = union.get("type") == ["null", "boolean", "object"] or NULL in union.get("anyOf", [])
    assert accepts(tmp_path, {"ids": [None]}, strict=True) == null


def test_alternatives_of_a_named_union_are_joined_with_those_beside_it(tmp_path: Path) -> None:
    found, _ = members(
        tmp_path, {"a": {"anyOf": [ref("Id"), {"type": "boolean"}]}}, Id={"anyOf": [NULL, {"type": "integer"}]}
    )
    assert found == {"a?": "integer | boolean | null"}


def test_a_union_that_contains_itself_keeps_its_kinds(tmp_path: Path) -> None:
    tree = {"anyOf": [NULL, TEXT, {"type": "array", "items": ref("Tree")}]}
    members(tmp_path, {"tree": ref("Tree")}, Tree=tree)
    assert accepts(tmp_path, {"tree": [None, "a", [[]]]}, strict=True)
    assert not accepts(tmp_path, {"tree": [1]})


# --- allOf -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "type_"),
    [
        ([ref("Low"), ref("High")], "string(3..5)"),
        ([ref("Low"), {"maxLength": 9}], "string(3..9)"),
        ([{"minLength": 4}, ref("Low")], "string(4..)"),
        ([ref("Whole"), {"type": "number", "maximum": 9}], "integer(1..9)"),
        ([ref("Some"), NULL], "null"),
        ([ref("Some"), {"type": ["string", "number"]}], "string"),
        ([ref("Some"), TEXT], "string"),
        ([{"type": "array", "items": ref("Low")}, {"items": {"maxLength": 4}, "minItems": 1}], "string(3..4)[1..]"),
        ([ref("Words"), TEXT], "Words"),
        ([ref("Words"), {"enum": ["a", "b", 1, None]}], "Words"),
        ([{"type": "object", "additionalProperties": ref("Low")}, {"additionalProperties": ref("High")}],
         "map<string(3..5)>"),
    ],
)  # fmt: skip
def test_conditions_on_values_that_are_no_objects_are_joined(tmp_path: Path, parts: list[Any], type_: str) -> None:
    found, said = members(
        tmp_path,
        {"a": {"allOf": parts}},
        Low={**TEXT, "minLength": 3},
        High={**TEXT, "maxLength": 5},
        Whole={"type": "integer", "minimum": 1},
        Some={"anyOf": [NULL, TEXT]},
        Words=KIND,
    )
    assert (found, said) == ({"a?": type_}, [])


def test_values_that_two_enums_share_are_kept(tmp_path: Path) -> None:
    members(tmp_path, {"a": {"allOf": [ref("One"), ref("Two")]}}, One=KIND, Two={"enum": ["b", "c"]})
    made = model(tmp_path).declarations["RootA"]
    assert isinstance(made, Enum)
    assert [each.wire for each in made.values] == ["b"]


def test_conditions_that_exclude_each_other_are_reported(tmp_path: Path) -> None:
    found, said = members(tmp_path, {"a": {"allOf": [ref("A"), ref("B")]}}, A=TEXT, B={"type": "integer"})
    assert (found, said) == ({"a?": "A"}, [("lost", "/$defs/Root/properties/a")])


@pytest.mark.parametrize(
    ("refined", "field"),
    [
        ({"id": {"maxLength": 3}}, {"id": "string(..3)"}),
        ({"id": {"description": "the id"}}, {"id": "string"}),
        ({"id": {}}, {"id": "string"}),
        ({"id": {"enum": ["x"]}}, {}),
        ({"id": True}, {"id": "string"}),
        ({"note": {"minLength": 1}}, {"id": "string", "note?": "string(1..)"}),
        ({"list": {"items": {"maxLength": 2}}}, {"id": "string", "list?": "string(..2)[]"}),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_a_refined_member_stays_required_and_has_its_type(
    tmp_path: Path, refined: dict[str, Any], field: dict[str, str], named: bool
) -> None:
    base = an_object({"id": TEXT, "note": TEXT, "list": {"type": "array", "items": TEXT}}, "id")
    parts = [ref("Base") if named else base, {"properties": refined}]
    done = imported(tmp_path, {"Root": {"allOf": parts}, "Base": base} if named else {"Root": {"allOf": parts}})
    assert notes(done) == []
    assert fields(model(tmp_path), "Root").items() >= field.items()
    assert not accepts(tmp_path, {"note": "n"})


def test_two_bases_with_one_member_are_both_heeded(tmp_path: Path) -> None:
    imported(
        tmp_path,
        {
            "Root": {"allOf": [ref("One"), ref("Two")], "required": ["c"]},
            "One": an_object({"a": TEXT, "c": {"type": ["integer", "null"]}}, "a"),
            "Two": an_object({"a": {**TEXT, "maxLength": 2}, "c": {"type": ["integer", "string"]}}),
        },
    )
    assert fields(model(tmp_path), "Root") == {"a": "string(..2)", "c": "integer"}


def test_a_refinement_of_a_refinement_reaches_the_first_base(tmp_path: Path) -> None:
    imported(
        tmp_path,
        {
            "Root": {"allOf": [ref("Middle")], "properties": {"kind": {"const": "root"}}},
            "Middle": {"allOf": [ref("Base")], "required": ["name"]},
            "Base": an_object({"kind": TEXT, "name": TEXT}, "kind"),
        },
    )
    made = model(tmp_path).declarations["Root"]
    assert isinstance(made, Struct)
    assert accepts(tmp_path, {"kind": "root", "name": "n"}, strict=True)
    assert not accepts(tmp_path, {"kind": "other", "name": "n"})
    assert not accepts(tmp_path, {"kind": "root"})


# --- recursion -------------------------------------------------------------------------------------------------


def animal(name: str, *others: str) -> dict[str, Any]:
    alike = {"type": "array", "items": {"oneOf": [ref(each) for each in others]}}
    return an_object({"name": {"const": name}, "friends": alike})


@pytest.mark.parametrize("kinds", [("Dog", "Cat"), ("Dog", "Cat", "Cow")])
def test_alternatives_that_contain_themselves_and_nothing_distinguishes_are_one_type(
    tmp_path: Path, kinds: tuple[str, ...]
) -> None:
    definitions = {kind: animal(kind.lower(), *kinds) for kind in kinds}
    done = imported(
        tmp_path, {"Root": an_object({"animals": definitions["Dog"]["properties"]["friends"]}), **definitions}
    )
    assert {kind for kind, _ in notes(done)} == {"fallback"}
    assert accepts(
        tmp_path, {"animals": [{"name": "dog", "friends": [{"name": "cat", "friends": []}, {}]}]}, strict=True
    )


def test_unnamed_recursion_that_grows_ends_with_any_value(tmp_path: Path) -> None:
    def grow(name: str, *others: str) -> dict[str, Any]:
        nested = {"anyOf": [{"type": "object", "properties": {"inner": ref(each)}} for each in others]}
        return an_object({"a": nested, "b": {"type": "array", "items": {"anyOf": [nested, ref(name)]}}})

    imported(tmp_path, {"Root": grow("Root", "A", "B"), "A": grow("A", "B", "Root"), "B": grow("B", "Root", "A")})
    assert accepts(tmp_path, {"a": {"inner": {"a": {}, "b": [{"inner": {}}]}}})


# --- what is not stated ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "type_", "said"),
    [
        ({"properties": {"x": TEXT}}, "RootA", "guessed"),
        ({"required": ["x"]}, "RootA", "guessed"),
        ({"items": TEXT}, "string[]", "guessed"),
        ({"maxLength": 3}, "json | null", "lost"),
        ({"minimum": 3}, "json | null", "lost"),
        ({"type": "integer", "format": "int64"}, "integer", "lost"),
        ({"type": "integer", "format": "uint64", "minimum": 0}, "integer(0..)", "lost"),
        ({"type": "integer", "maximum": 9223372036854775807}, "integer", "lost"),
        ({"type": "integer", "format": "int32"}, "integer", None),
        ({"type": "number", "maximum": 1e300}, "number", "lost"),
        ({"const": 9007199254740993}, "number", "lost"),
    ],
)
def test_what_a_schema_does_not_state_or_a_spec_cannot_is_reported(
    tmp_path: Path, written: Any, type_: str, said: str | None
) -> None:
    found, told = members(tmp_path, {"a": written})
    assert (found, [kind for kind, _ in told]) == ({"a?": type_}, [said] if said else [])


@pytest.mark.parametrize(
    "value",
    [
        ["a", 1, True, None],
        [1, True],
        [False, 0, "0"],
        ["x", 1.0, 2],
        [True, "on"],
    ],
)
def test_no_value_of_an_enum_is_dropped(tmp_path: Path, value: list[Any]) -> None:
    imported(tmp_path, {"Root": an_object({"a": {"enum": value}})})
    for each in value:
        assert accepts(tmp_path, {"a": each}, strict=True)
    for other in ("zz", 77, [], {}):
        assert not accepts(tmp_path, {"a": other}, strict=True)


def test_values_that_the_type_excludes_are_left_out_of_an_enum(tmp_path: Path) -> None:
    found, said = members(
        tmp_path, {"a": {"type": "string", "enum": ["x", 1, None]}, "b": {"type": "null", "enum": [None]}}
    )
    assert (found, said) == ({"a?": "RootA", "b?": "null"}, [])


def test_all_keywords_count_that_stand_together(tmp_path: Path) -> None:
    found, said = members(
        tmp_path,
        {
            "a": {"$ref": "#/$defs/Id", "type": "string"},
            "b": {"anyOf": [TEXT, {"type": "integer"}], "type": "string", "maxLength": 4},
            "c": {"type": "object", "anyOf": [NULL, an_object({"x": TEXT}, "x")]},
            "d": {"oneOf": [TEXT, NULL], "anyOf": [NULL, {"type": "integer"}]},
        },
        Id={"anyOf": [NULL, TEXT]},
    )
    assert said == []
    assert found == {"a?": "string", "b?": "string(..4)", "c?": "RootC", "d?": "null"}


# --- references ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "reference_"),
    [
        ({"$id": "#note"}, "#note"),
        ({"$anchor": "note"}, "#note"),
        ({"$id": "https://x.test/note"}, "https://x.test/note"),
        ({"$id": "note.json"}, "note.json"),
        ({"$id": "https://x.test/note", "$defs": {"In": TEXT}, "extra": 1}, "https://x.test/note#"),
        ({"$dynamicAnchor": "note"}, "#note"),
    ],
)
def test_references_find_what_an_id_names(tmp_path: Path, target: dict[str, Any], reference_: str) -> None:
    found, _ = members(tmp_path, {"a": {"$ref": reference_}}, Note={**an_object({"x": TEXT}), **target})
    assert found == {"a?": "Note"}


def test_references_in_a_resource_are_relative_to_it(tmp_path: Path) -> None:
    inner = {"$id": "https://x.test/note", "$defs": {"In": TEXT}, **an_object({"x": {"$ref": "#/$defs/In"}})}
    members(
        tmp_path, {"a": ref("Note"), "b": {"$ref": "https://x.test/note#/$defs/In"}}, Note=inner, In={"type": "integer"}
    )
    assert accepts(tmp_path, {"a": {"x": "text"}, "b": "text"})
    assert not accepts(tmp_path, {"a": {"x": 1}})


def test_a_mapping_of_a_discriminator_gives_the_tags(tmp_path: Path) -> None:
    mapping = {"cat": "#/$defs/Cat", "kitten": "#/$defs/Cat", "dog": "Dog"}
    done = imported(
        tmp_path,
        {
            "Root": {"oneOf": [ref("Cat"), ref("Dog"), ref("Cow")],
                     "discriminator": {"propertyName": "kind", "mapping": mapping}},
            "Cat": an_object({"kind": TEXT, "lives": {"type": "integer"}}, "kind"),
            "Dog": an_object({"kind": TEXT}, "kind"),
            "Cow": an_object({"kind": TEXT}, "kind"),
        },
    )  # fmt: skip
    assert notes(done) == [("guessed", "/$defs/Root")] * 3
    assert accepts(tmp_path, {"kind": "kitten", "lives": 9}, strict=True)
    assert accepts(tmp_path, {"kind": "Cow"}, strict=True)
    assert not accepts(tmp_path, {"kind": "dog", "lives": "9", "x": 1}, strict=True)
    assert not accepts(tmp_path, {"kind": "cow"}, strict=True)


@pytest.mark.parametrize("definitions", [{"Thing": an_object({"a": TEXT})}, {"A": ref("B"), "B": TEXT}])
def test_a_single_candidate_is_the_root(tmp_path: Path, definitions: dict[str, Any]) -> None:
    run("json-schema", [schema(tmp_path, definitions)], tmp_path / "spec")
    assert model(tmp_path).protocol.roots == [next(iter(definitions))] or model(tmp_path).protocol.roots
