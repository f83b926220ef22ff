"""The specs that `polywire import --from json-schema` generates from schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from importing.imports import TEXT, an_object, const, fields, imported, model, ref, schema, text, variants
from polywire.model.nodes import Alias, Enum, Struct
from polywire.model.walk import spell
from polywire_import.run import run
from polywire_import.shapes import ImportingError


def notes(done: Any, kind: str) -> list[tuple[str, str]]:
    return [(note.place, note.message) for note in done.notes if note.kind == kind]


def test_a_type_of_several_kinds_that_contains_itself_or_null_keeps_its_name(tmp_path: Path) -> None:
    inner = {"anyOf": [ref("Tree"), {"type": "null"}]}
    tree = {"anyOf": [TEXT, {"type": "object", "additionalProperties": inner}]}
    imported(tmp_path, {"Root": an_object({"tree": inner}, "tree"), "Tree": tree})
    made = model(tmp_path)
    assert fields(made, "Root") == {"tree": "Tree | null"}
    assert isinstance(made.declarations["Tree"], Alias)
    assert spell(made.declarations["Tree"].type) == "string | map<Tree | null>"


# --- discriminators --------------------------------------------------------------------------------------------


def test_alternatives_with_a_constant_are_a_union_by_it(tmp_path: Path) -> None:
    imported(
        tmp_path,
        {
            "Root": {"oneOf": [ref("Cat"), ref("Dog")]},
            "Cat": an_object({"kind": const("cat"), "lives": {"type": "integer"}}, "kind", "lives"),
            "Dog": an_object({"kind": const("dog"), "name": TEXT}, "kind"),
        },
    )
    made = model(tmp_path)
    assert variants(made, "Root") == ("kind", True, ["Cat", "Dog"])
    assert fields(made, "Cat") == {"lives": "integer"}
    assert fields(made, "Dog") == {"name?": "string"}


def test_an_alternative_without_the_constant_is_taken_where_it_is_absent(tmp_path: Path) -> None:
    done = imported(
        tmp_path,
        {
            "Root": {"anyOf": [ref("Remote"), ref("Local")]},
            "Remote": an_object({"type": const("http"), "url": TEXT}, "type", "url"),
            "Local": an_object({"command": TEXT}, "command"),
        },
    )
    made = model(tmp_path)
    assert variants(made, "Root") == ("type", True, ["Remote", "Local"])
    assert fields(made, "Local") == {"type?": "string", "command": "string"}
    assert notes(done, "guessed") == [("/$defs/Root", "Local is taken without `type`")]


def test_a_constant_that_may_be_missing_is_an_optional_tag(tmp_path: Path) -> None:
    imported(
        tmp_path,
        {
            "Root": {"anyOf": [ref("Form"), ref("Link")]},
            "Form": an_object({"mode": const("form"), "text": TEXT}, "text"),
            "Link": an_object({"mode": const("link")}, "mode"),
        },
    )
    made = model(tmp_path)
    assert variants(made, "Root") == ("mode", True, ["Form", "Link"])
    form = made.declarations["Form"]
    assert isinstance(form, Struct)
    assert [(tag.key, tag.constant, tag.optional) for tag in form.tags] == [("mode", "form", True)]


def test_a_list_of_constants_is_a_tag_with_a_list(tmp_path: Path) -> None:
    imported(
        tmp_path,
        {
            "Root": {"oneOf": [ref("Number"), ref("Text")]},
            "Number": an_object({"type": {"enum": ["integer", "number"]}}, "type"),
            "Text": an_object({"type": const("string")}, "type"),
        },
    )
    made = model(tmp_path)
    assert variants(made, "Root") == ("type", True, ["Number", "Text"])
    number = made.declarations["Number"]
    assert isinstance(number, Struct)
    assert [(tag.key, tag.enum) for tag in number.tags] == [("type", "NumberType2")]


@pytest.mark.parametrize(
    ("values", "by"), [(["a", "b"], "on"), ([1, 2], "on"), ([True], "on"), ([False, True], "keys"), ([1, True], "keys")]
)
def test_a_list_that_a_tag_cannot_have_distinguishes_by_its_presence(
    tmp_path: Path, values: list[Any], by: str
) -> None:
    imported(
        tmp_path,
        {
            "Root": {"anyOf": [ref("Lamp"), ref("Key")]},
            "Lamp": an_object({"on": {"enum": values}}, "on"),
            "Key": an_object({"name": TEXT}),
        },
    )
    assert variants(model(tmp_path), "Root") == (by, True, ["Lamp", "Key"])


@pytest.mark.parametrize(
    ("keywords", "expected", "notes"),
    [
        ({"patternProperties": {".*": TEXT}}, "map<string>", 0),
        ({"patternProperties": {"": TEXT}, "additionalProperties": True}, "map<string>", 0),
        ({"patternProperties": {"^x": TEXT}}, "object", 1),
        ({"patternProperties": {".*": TEXT}, "properties": {"a": {}}}, "RootByKey", 1),
        ({"patternProperties": {"^x": TEXT}, "additionalProperties": False}, "map<string>", 1),
    ],
)
def test_a_pattern_that_every_key_matches_is_a_map(
    tmp_path: Path, keywords: dict[str, Any], expected: str, notes: int
) -> None:
    done = imported(tmp_path, {"Root": an_object({"by_key": {"type": "object", **keywords}}, "by_key")})
    assert fields(model(tmp_path), "Root") == {"by_key": expected}
    assert len(done.notes) == notes


@pytest.mark.parametrize("empty", [{"maxItems": 0}, {"items": False}, {"prefixItems": [], "items": False}])
def test_a_list_that_can_have_no_items_is_empty(tmp_path: Path, empty: dict[str, Any]) -> None:
    done = imported(tmp_path, {"Root": an_object({"none": {"type": "array", **empty}}, "none")})
    assert fields(model(tmp_path), "Root") == {"none": "json[0..0]"}
    assert done.notes == ()


@pytest.mark.parametrize(
    "impossible", [{"minItems": 2, "maxItems": 1}, {"items": False, "minItems": 1}, {"minItems": 10**15}]
)
def test_numbers_of_items_that_no_list_has_are_reported(tmp_path: Path, impossible: dict[str, Any]) -> None:
    done = imported(tmp_path, {"Root": an_object({"none": {"type": "array", **impossible}}, "none")})
    assert fields(model(tmp_path), "Root") == {"none": "json[]"}
    assert notes(done, "lost") == [("/$defs/Root/properties/none", "the numbers of items cannot be expressed")]


def test_alternatives_with_one_constant_are_told_apart_by_a_second_one(tmp_path: Path) -> None:
    event = {"type": const("event")}
    imported(
        tmp_path,
        {
            "Root": {"oneOf": [ref("Open"), ref("Close"), ref("Note")]},
            "Open": an_object({**event, "what": const("open"), "who": TEXT}, "type", "what", "who"),
            "Close": an_object({**event, "what": const("close")}, "type", "what"),
            "Note": an_object({"type": const("note"), "what": const("note")}, "type"),
        },
        "by: {Root: type}",
    )
    made = model(tmp_path)
    assert variants(made, "Root") == ("type", True, ["RootEvent", "Note"])
    assert variants(made, "RootEvent") == ("what", True, ["Open", "Close"])


def test_alternatives_are_told_apart_by_the_constants_of_most_and_have_no_names_of_absences(tmp_path: Path) -> None:
    many = [an_object({"name": const(f"event-{each}"), "mode": {"enum": ["a", "b"]}}, "name") for each in range(9)]
    named = an_object({"name": TEXT, "event": const("named")}, "name", "event")
    moded = an_object({"mode": const("c"), "event": const("moded")}, "mode", "event")
    odd = an_object({"mode": const("d")}, "mode")
    imported(tmp_path, {"Root": {"oneOf": [*many, named, moded, odd]}})
    made = model(tmp_path)
    assert variants(made, "RootPlain") == ("name", True, [*(f"RootEvent{each}" for each in range(9)), "RootD"])
    assert variants(made, "Root") == ("event", True, ["RootPlain", "RootNamed", "RootModed"])


def test_alternatives_without_constants_are_told_apart_by_what_they_must_have(tmp_path: Path) -> None:
    done = imported(
        tmp_path,
        {
            "Root": {"anyOf": [ref("Text"), ref("Blob")]},
            "Text": an_object({"text": TEXT, "uri": TEXT}, "text"),
            "Blob": an_object({"blob": TEXT, "uri": TEXT}, "blob"),
        },
    )
    assert variants(model(tmp_path), "Root") == ("keys", True, ["Text", "Blob"])
    assert "- {name: Blob, when: {has: [blob], lacks: [text]}}" in text(tmp_path)
    assert len(notes(done, "guessed")) == 1


def test_alternatives_that_nothing_tells_apart_are_one_type(tmp_path: Path) -> None:
    done = imported(
        tmp_path,
        {
            "Root": {"anyOf": [ref("One"), ref("Two")]},
            "One": an_object({"a": TEXT, "b": TEXT}),
            "Two": an_object({"a": {"type": "integer"}, "c": TEXT}),
        },
    )
    assert fields(model(tmp_path), "Root") == {"a?": "string | integer", "b?": "string", "c?": "string"}
    assert notes(done, "fallback") == [("/$defs/Root", "One, Two have no discriminator; one type accepts all of them")]


def test_an_alternative_that_another_takes_is_left_out(tmp_path: Path) -> None:
    done = imported(
        tmp_path,
        {
            "Root": an_object({"item": {"anyOf": [ref("Old"), ref("New")]}}),
            "Old": an_object({"a": TEXT}, "a"),
            "New": an_object({"a": TEXT, "b": TEXT}, "a"),
        },
    )
    made = model(tmp_path)
    assert fields(made, "RootItem" if "RootItem" in made.declarations else "New") == {"a": "string", "b?": "string"}
    assert notes(done, "lost") == [("/$defs/Root/properties/item", "Old is read as New, which takes all that it takes")]


def test_what_is_none_of_the_others_opens_a_union(tmp_path: Path) -> None:
    other = {
        "title": "other",
        **an_object({"type": TEXT}, "type"),
        "not": {"anyOf": [an_object({"type": const("a")}, "type"), an_object({"type": const("b")}, "type")]},
    }
    tagged = [{**an_object({"type": const(value)}, "type"), "allOf": [ref(value.upper())]} for value in "ab"]
    imported(tmp_path, {"Root": {"anyOf": [*tagged, other]}, "A": an_object({"x": TEXT}), "B": an_object({"y": TEXT})})
    made = model(tmp_path)
    assert variants(made, "Root") == ("type", True, ["A", "B"])
    assert fields(made, "A") == {"x?": "string"}


def test_a_base_with_other_uses_is_included_in_the_variant(tmp_path: Path) -> None:
    tagged = [{**an_object({"type": const(value)}, "type"), "allOf": [ref("Chunk")]} for value in ("in", "out")]
    imported(tmp_path, {"Root": {"oneOf": tagged}, "Chunk": an_object({"text": TEXT}, "text")})
    made = model(tmp_path)
    assert variants(made, "Root") == ("type", True, ["RootIn", "RootOut"])
    struct = made.declarations["RootIn"]
    assert isinstance(struct, Struct)
    assert (struct.include, fields(made, "RootIn")) == (("Chunk",), {"text": "string"})


# --- objects ---------------------------------------------------------------------------------------------------


def test_all_of_includes_and_the_three_states_of_null_are_kept(tmp_path: Path) -> None:
    nullable = {"type": ["string", "null"]}
    imported(
        tmp_path,
        {
            "Root": {"allOf": [ref("Base"), an_object({"a": nullable, "b": nullable, "c": TEXT}, "a")]},
            "Base": an_object({"id": TEXT}, "id"),
        },
    )
    made = model(tmp_path)
    root = made.declarations["Root"]
    assert isinstance(root, Struct)
    assert root.include == ("Base",)
    assert fields(made, "Root") == {"id": "string", "a": "string | null", "b?": "string | null", "c?": "string"}


def test_alternatives_beside_members_are_flattened(tmp_path: Path) -> None:
    variants_ = [an_object({"type": const("on"), "at": TEXT}, "type"), an_object({"type": const("off")}, "type")]
    imported(tmp_path, {"Root": {**an_object({"id": TEXT}, "id"), "oneOf": variants_}})
    made = model(tmp_path)
    root = made.declarations["Root"]
    assert isinstance(root, Struct)
    assert [(each.name, each.flatten) for each in root.fields] == [("id", False), ("variant", True)]
    assert variants(made, "RootVariant") == ("type", True, ["RootVariantOn", "RootVariantOff"])


def test_objects_without_members_are_maps_or_objects(tmp_path: Path) -> None:
    imported(
        tmp_path,
        {
            "Root": an_object(
                {
                    "any": {"type": "object"},
                    "map": {"type": "object", "additionalProperties": {"type": "integer"}},
                    "value": {},
                    "extended": {"type": "object", "properties": {"a": TEXT}, "additionalProperties": TEXT},
                }
            )
        },
    )
    made = model(tmp_path)
    assert fields(made, "Root") == {
        "any?": "object",
        "map?": "map<integer>",
        "value?": "json | null",
        "extended?": "RootExtended",
    }
    extended = made.declarations["RootExtended"]
    assert isinstance(extended, Struct)
    assert extended.extra is not None


def test_a_few_texts_are_an_enum_which_another_text_opens(tmp_path: Path) -> None:
    imported(
        tmp_path,
        {
            "Root": an_object({"closed": {"enum": ["a", "b"]}, "open": {"anyOf": [const("a"), const("b"), TEXT]}}),
        },
    )
    made = model(tmp_path)
    closed, opened = made.declarations["RootClosed"], made.declarations["RootOpen"]
    assert isinstance(closed, Enum)
    assert isinstance(opened, Enum)
    assert (closed.open, opened.open) == (True, True)


def test_numbers_with_titles_are_an_enum_of_integers(tmp_path: Path) -> None:
    codes = [{"const": -32700, "title": "Parse error"}, {"const": 7}, {"type": "integer"}]
    imported(tmp_path, {"Root": an_object({"code": {"anyOf": codes}}, "code")})
    made = model(tmp_path)
    code = made.declarations["RootCode"]
    assert isinstance(code, Enum)
    assert (code.open, [(each.name, each.wire) for each in code.values]) == (
        True,
        [("parse_error", -32700), ("value_7", 7)],
    )


def test_shapes_alike_under_one_key_share_a_name(tmp_path: Path) -> None:
    meta = an_object({"token": TEXT})
    imported(
        tmp_path,
        {
            "Root": an_object({"one": ref("One"), "two": ref("Two")}),
            "One": an_object({"meta": meta}),
            "Two": an_object({"meta": meta}),
        },
    )
    made = model(tmp_path)
    assert fields(made, "One") == fields(made, "Two") == {"meta?": "Meta"}


def test_tolerance_that_annotations_prescribe_is_said(tmp_path: Path) -> None:
    tolerant = {"x-default": True}
    imported(
        tmp_path,
        {
            "Root": an_object(
                {
                    "a": {**TEXT, **tolerant},
                    "b": {"type": "array", "items": TEXT, **tolerant, "x-skip": True},
                    "c": {**TEXT, **tolerant, "default": "none"},
                },
                "c",
            )
        },
        "annotations: {default_on_error: x-default, skip_invalid_items: x-skip}",
    )
    said = text(tmp_path)
    assert "a?: {type: string, on_error: absent}" in said
    assert 'b?: {type: "string[]", on_error: [skip, absent]}' in said
    assert "c: {type: string, on_error: none}" in said


def test_what_the_language_cannot_say_is_reported_by_place(tmp_path: Path) -> None:
    done = imported(tmp_path, {"Root": an_object({"a": {**TEXT, "pattern": "^a"}, "b": {"if": {}, **TEXT}})})
    assert notes(done, "lost") == [
        ("/$defs/Root/properties/a", "`pattern` is not checked"),
        ("/$defs/Root/properties/b", "`if` is not checked"),
    ]


def test_a_constant_that_no_type_expresses_is_reported(tmp_path: Path) -> None:
    members = {"a": const(True), "b": {"enum": [False]}, "c": const(1.5), "d": {"type": "array", "items": const(True)}}
    done = imported(tmp_path, {"Root": an_object(members)})
    assert [message for _, message in notes(done, "lost")] == [
        "that it is true is not checked",
        "that it is false is not checked",
        "that it is 1.5 is not checked",
        "that it is true is not checked",
    ]


def test_descriptions_are_copied_only_if_asked_for(tmp_path: Path) -> None:
    definitions = {"Root": {**an_object({"a": {**TEXT, "description": "First."}}), "description": "Their words."}}
    imported(tmp_path, definitions)
    made = model(tmp_path).declarations["Root"]
    assert (made.about.doc, made.about.source) == ("Root.", "/$defs/Root")
    imported(tmp_path, definitions, docs=True)
    made = model(tmp_path).declarations["Root"]
    assert isinstance(made, Struct)
    assert (made.about.doc, made.fields[0].about.doc) == ("Their words.", "First.")


# --- overrides -------------------------------------------------------------------------------------------------


def test_overrides_name_and_choose(tmp_path: Path) -> None:
    imported(
        tmp_path,
        {
            "Root": an_object({"at": TEXT, "role": ref("role-type"), "meta": an_object({"a": TEXT})}, "at"),
            "role-type": {"enum": ["a", "b"]},
        },
        """
        protocol: {name: chat, title: Chat, version: 1.0}
        names: {role-type: Role, /$defs/Root/properties/meta: Metadata}
        types: {/$defs/Root/properties/at: timestamp}
        closed: [Role]
        docs: {Role: Who speaks.}
        """,
    )
    made = model(tmp_path)
    assert (made.protocol.name, made.protocol.title, made.protocol.version) == ("chat", "Chat", "1.0")
    assert fields(made, "Root") == {"at": "timestamp", "role?": "Role", "meta?": "Metadata"}
    role = made.declarations["Role"]
    assert isinstance(role, Enum)
    assert (role.open, role.about.doc) == (False, "Who speaks.")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ("names: {Rot: Better}", "names: Rot; did you mean 'Root'?"),
        ("types: {/$defs/Root/properties/b: string}", "did you mean '/$defs/Root/properties/a'?"),
        ("closed: [Nothing]", "closed: Nothing"),
        ("nams: {Root: Better}", "no section 'nams'; did you mean 'names'?"),
        ("protocol: {titel: Better}", "`protocol` has no 'titel'; did you mean 'title'?"),
        ("types: {/$defs/Root/properties/a: '('}", "expected a type"),
        ("names: [", "overrides.yaml:1:9"),
    ],
)
def test_an_override_that_is_of_no_use_is_an_error(tmp_path: Path, overrides: str, message: str) -> None:
    with pytest.raises(ImportingError) as raised:
        imported(tmp_path, {"Root": an_object({"a": TEXT})}, overrides)
    assert message in str(raised.value)
    assert not (tmp_path / "spec").exists()


def test_the_next_import_takes_the_overrides_of_the_last(tmp_path: Path) -> None:
    definitions = {"Root": an_object({"a": TEXT})}
    imported(tmp_path, definitions, "protocol: {name: chat}")
    again = run("json-schema", [schema(tmp_path, definitions)], tmp_path / "spec")
    assert (again.overrides, again.written, model(tmp_path).protocol.name) == (1, (), "chat")
    (tmp_path / "overrides.yaml").unlink()
    with pytest.raises(ImportingError, match="name them with --overrides"):
        run("json-schema", [schema(tmp_path, definitions)], tmp_path / "spec")


@pytest.mark.parametrize(
    "uri",
    [
        "http://json-schema.org/draft-04/schema#/properties/title",
        "https://json-schema.org/draft/2020-12/schema",
        "https://spec.openapis.org/oas/3.1/dialect/base",
    ],
)
def test_a_schema_as_a_value_is_any_value_and_noted(tmp_path: Path, uri: str) -> None:
    done = imported(tmp_path, {"Root": an_object({"input": {"$ref": uri}}, "input")}, roots=["Root"])
    assert fields(model(tmp_path), "Root") == {"input": "json | null"}
    assert [(each.kind, each.place) for each in done.notes] == [("fallback", "/$defs/Root/properties/input")]


# --- hostile and malformed sources -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("definitions", "message"),
    [
        ({"Root": {"$ref": "https://example.com/other.json#/$defs/A"}}, "nothing is fetched"),
        ({"Root": {"$ref": "../../etc/passwd"}}, "outside of the folder of the document"),
        ({"Root": {"$ref": "#/$defs/Missing"}}, "/$defs/Missing: a reference leads here, and there is nothing"),
        ({"Root": {"$ref": "#missing"}}, "no schema has the anchor 'missing'"),
        ({"Root": {"$ref": 7}}, "`$ref` is not a text"),
        ({"Root": {"type": "text"}}, "which JSON Schema does not know"),
        ({"Root": {"anyOf": []}}, "expected a list of schemas"),
        ({"Root": {"enum": []}}, "`enum` is not a list of values"),
        ({"Root": 7}, "expected a schema"),
        ({"Other": {"type": "string"}}, "the source declares no 'Root'; nothing refers to Other"),
    ],
)
def test_a_schema_that_cannot_be_read_is_an_error_with_a_place(
    tmp_path: Path, definitions: dict[str, Any], message: str
) -> None:
    with pytest.raises(ImportingError) as raised:
        imported(tmp_path, definitions)
    assert message in str(raised.value)
    assert not (tmp_path / "spec").exists()


@pytest.mark.parametrize("data", ["[" * 100_000, "{", "[]", '"a"', '{"$defs": 7}'])
def test_a_file_that_is_no_schema_is_an_error(tmp_path: Path, data: str) -> None:
    path = tmp_path / "schema.json"
    path.write_text(data, encoding="utf-8")
    with pytest.raises(ImportingError, match=r"schema\.json|/\$defs"):
        run("json-schema", [path], tmp_path / "spec", roots=["Root"])


def test_schemas_nested_without_end_are_an_error(tmp_path: Path) -> None:
    nested: dict[str, Any] = TEXT
    for _ in range(300):
        nested = {"type": "array", "items": nested}
    with pytest.raises(ImportingError, match="nested more than 50 levels deep"):
        imported(tmp_path, {"Root": nested})


def test_long_chains_of_references_are_followed(tmp_path: Path) -> None:
    chain = {f"T{n}": an_object({"next": ref(f"T{n + 1}")}) for n in range(3000)}
    imported(tmp_path, {"Root": an_object({"first": ref("T0")}), **chain, "T3000": an_object({"end": TEXT})})
    assert len(json.loads((tmp_path / "spec/import.json").read_text())["entries"]) == 3003


def test_unions_nested_without_end_are_an_error(tmp_path: Path) -> None:
    tagged = {f"T{n}": an_object({"kind": const(f"k{n}")}, "kind") for n in range(3000)}
    nested = {f"U{n}": {"oneOf": [ref(f"T{n}"), ref(f"U{n + 1}")]} for n in range(2999)}
    definitions = {"Root": ref("U0"), **tagged, **nested, "U2999": ref("T2999")}
    with pytest.raises(ImportingError, match=r"nested too deeply|more than 1000 alternatives"):
        imported(tmp_path, definitions)


def test_many_alternatives_in_one_place_are_an_error(tmp_path: Path) -> None:
    each = {f"T{n}": an_object({f"a{n}": TEXT}, f"a{n}") for n in range(1500)}
    with pytest.raises(ImportingError, match="more than 1000 alternatives"):
        imported(tmp_path, {"Root": {"anyOf": [ref(name) for name in each]}, **each})


@pytest.mark.parametrize(
    "definitions",
    [
        {"Root": ref("Root")},
        {"Root": ref("A"), "A": ref("B"), "B": ref("A")},
        {"Root": {"anyOf": [ref("Root"), TEXT]}},
        {"Root": {"oneOf": [ref("A"), ref("B")]}, "A": {"oneOf": [ref("B"), ref("Root")]}, "B": an_object({"a": TEXT})},
        {"Root": {"allOf": [ref("A"), an_object({"a": TEXT})]}, "A": {"allOf": [ref("Root"), an_object({"b": TEXT})]}},
        {"Root": {"allOf": [ref("Root"), an_object({"a": TEXT})]}},
    ],
)
def test_rings_of_references_end(tmp_path: Path, definitions: dict[str, Any]) -> None:
    imported(tmp_path, definitions)
    model(tmp_path)


def test_names_are_changed_by_one_rule(tmp_path: Path) -> None:
    hostile = ["../../up", "a b", "A-B", "名", "string", "7up", "x" * 200, "None", "Null", "a/b~c"]
    properties = {f"p{number}": {"$ref": f"#/$defs/{name.replace('~', '~0').replace('/', '~1')}"}
                  for number, name in enumerate(hostile)}  # fmt: skip
    definitions = {"Root": an_object(properties), **{name: an_object({"a": TEXT}) for name in hostile}}
    done = imported(tmp_path, definitions)
    assert fields(model(tmp_path), "Root") == {
        "p0?": "Up", "p1?": "AB", "p2?": "AB2", "p3?": "Type", "p4?": "String", "p5?": "Type7up",
        "p6?": "X" + "x" * 79, "p7?": "None", "p8?": "NullValue", "p9?": "ABC",
    }  # fmt: skip
    assert ("/$defs/~7up".replace("~", ""), "'7up' is called Type7up") in notes(done, "renamed")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["schema.json", "spec"]


def test_texts_of_a_source_stay_texts(tmp_path: Path) -> None:
    odd = ["true", "null", "1.5", "- a", "a: b", "a # b", "{x}", "[x]", "'", '"', "\\", "\u2028", "é", "*a", "&a", "!t"]
    done = imported(tmp_path, {"Root": an_object({key: {"enum": [*odd, "~"]} for key in odd})})
    assert done.report.model is not None
    root = done.report.model.declarations["Root"]
    assert isinstance(root, Struct)
    assert [each.name for each in root.fields] == odd
    enums = [each for each in done.report.model.declarations.values() if isinstance(each, Enum)]
    assert all([value.wire for value in each.values] == [*odd, "~"] for each in enums)
    assert enums


@pytest.mark.parametrize("name", ["default", "examples", "enum", "const", "properties", "$defs", "$id", "$ref"])
def test_members_may_have_the_names_of_keywords(tmp_path: Path, name: str) -> None:
    definitions = {
        "Root": an_object({name: {"anyOf": [ref("Part"), {"type": "null"}]}}, name),
        "Part": an_object({"a": TEXT}, "a"),
    }
    done = imported(tmp_path, definitions)
    assert [note for note in done.notes if note.kind != "renamed"] == []
    assert fields(model(tmp_path), "Root") == {name: "Part | null"}


def test_a_reference_may_lead_into_what_looks_like_a_value(tmp_path: Path) -> None:
    definitions = {"Root": an_object({"a": {"$ref": "#/x-kept/default"}}, "a"), "Part": an_object({"b": TEXT}, "b")}
    source = schema(tmp_path, definitions, **{"x-kept": {"default": an_object({"c": ref("Part")}, "c")}})
    run("json-schema", [source], tmp_path / "spec", roots=["Root"])
    assert fields(model(tmp_path), "Default") == {"c": "Part"}


def test_references_lead_into_the_other_documents_that_are_given(tmp_path: Path) -> None:
    other = schema(tmp_path, {"Note": an_object({"text": TEXT}, "text")}, "other.json", **{"$id": "https://x.test/o"})
    first = schema(
        tmp_path,
        {"Root": an_object({"a": {"$ref": "other.json#/$defs/Note"}, "b": {"$ref": "https://x.test/o#/$defs/Note"}})},
    )
    run("json-schema", [first, other], tmp_path / "spec", roots=["Root"])
    assert fields(model(tmp_path), "Root") == {"a?": "Note", "b?": "Note"}
