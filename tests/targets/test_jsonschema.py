"""The two schemas give the verdicts of the two modes, in two independent validators."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import handmade
from polywire.ground.engine import Fault
from polywire.model.build import build
from polywire.model.nodes import (
    About,
    Alias,
    Enum,
    EnumValue,
    Example,
    Field,
    Leaf,
    Model,
    Struct,
    Switch,
    Tag,
    Union,
    Variant,
)
from polywire.oracle.instances import Instance, derive
from polywire.oracle.reference import rules
from polywire.oracle.reference.text import read
from polywire.plan import make_plan
from polywire.source import load
from polywire.source.types import Ref, Scalar
from polywire.targets.common.header import header, is_marked
from polywire.targets.jsonschema import DRAFT, TARGET, document
from polywire.writing import render
from sampling import sample, turn

ROOT = Path(__file__).parents[2]
SPECS = {
    "parcel": (ROOT / "tests/specs/parcel", None),
    "terse": (ROOT / "tests/specs/parcel", "terse"),
    "forms": (ROOT / "tests/specs/forms", None),
}
REAL = (ROOT / "spec", None)


@cache
def model(spec: str) -> Model:
    folder, dialect = SPECS.get(spec, REAL)
    built = build(load(folder, dialect))
    assert built.model is not None, built.findings
    return built.model


@cache
def schema(spec: str, *, strict: bool) -> dict[str, Any]:
    return {"$schema": DRAFT, **document(model(spec), strict=strict)}


@cache
def validators(spec: str, type_name: str, *, strict: bool) -> tuple[Any, Any]:
    asked = {**schema(spec, strict=strict), "$ref": f"#/$defs/{type_name}"}
    return jsonschema.Draft202012Validator(asked), jsonschema_rs.Draft202012Validator(asked)


def verdict(spec: str, type_name: str, value: object, *, strict: bool) -> bool:
    """The verdict of both validators, which must agree."""
    one, other = (each.is_valid(value) for each in validators(spec, type_name, strict=strict))
    assert one is other, f"jsonschema says {one}, jsonschema-rs {other}: {type_name}, {value!r}"
    return bool(one)


def decodes(spec: str, type_name: str, value: object, *, strict: bool) -> bool:
    try:
        rules(model(spec)).decode(type_name, value, strict=strict)
    except Fault:
        return False
    return True


def has_overflow(value: object) -> bool:
    match value:
        case float():
            return value in (float("inf"), float("-inf"))
        case list():
            return any(map(has_overflow, value))
        case dict():
            return any(map(has_overflow, value.values()))
    return False


# --- the documents ---------------------------------------------------------------------------------------------

BOTH = pytest.mark.parametrize("strict", [False, True])
EVERY_SPEC = pytest.mark.parametrize("spec", ["parcel", "terse", "forms", pytest.param("real", marks=pytest.mark.full)])


@BOTH
@EVERY_SPEC
def test_the_schema_is_valid_against_the_metaschema(spec: str, strict: bool) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(spec, strict=strict))
    assert jsonschema_rs.meta.is_valid(schema(spec, strict=strict))


@BOTH
@EVERY_SPEC
def test_every_declaration_is_an_entry_with_its_title_and_description(spec: str, strict: bool) -> None:
    entries = schema(spec, strict=strict)["$defs"]
    for name, declared in model(spec).declarations.items():
        assert entries[name]["title"] == name
        assert entries[name]["description"].startswith((declared.about.doc or "").strip())
    assert schema(spec, strict=strict)["$ref"] == f"#/$defs/{model(spec).protocol.roots[0]}"


@BOTH
@EVERY_SPEC
def test_every_reference_leads_to_an_entry_and_every_entry_is_used(spec: str, strict: bool) -> None:
    whole = schema(spec, strict=strict)
    entries = {f"#/$defs/{name}" for name in whole["$defs"]}
    used = {member["$ref"] for member in schemas(whole) if "$ref" in member}
    assert used <= entries
    made = entries - {f"#/$defs/{name}" for name in model(spec).declarations}
    assert made <= used


def schemas(node: object) -> Iterator[dict[str, Any]]:
    """Every object in a document that is not an example, and so every schema."""
    if isinstance(node, dict):
        yield node
        for key, member in node.items():
            if key != "examples":
                yield from schemas(member)
    elif isinstance(node, list):
        for item in node:
            yield from schemas(item)


@BOTH
@EVERY_SPEC
def test_patterns_need_nothing_that_only_some_regular_expressions_have(spec: str, strict: bool) -> None:
    patterns = {
        each["pattern"] for each in schemas(schema(spec, strict=strict)) if isinstance(each.get("pattern"), str)
    }
    for pattern in patterns:
        re.compile(pattern)
        assert "(?" not in pattern
        assert not re.search(r"\\[dwsbAZz](?![^\[]*\])", pattern.replace(r"[\s\S]", ""))


@BOTH
@EVERY_SPEC
def test_where_a_variant_is_narrowed_strict_readers_see_that_objects_are_meant(spec: str, strict: bool) -> None:
    narrowed = [each["not"] for each in schemas(schema(spec, strict=strict)) if each.keys() == {"$ref", "not"}]
    assert narrowed or (spec, strict) in {("real", True), ("forms", True)}
    assert all(each["type"] == "object" for each in narrowed)


@BOTH
def test_tags_are_constants_with_their_type(strict: bool) -> None:
    entry = schema("parcel", strict=strict)["$defs"]["NoteAgain"]
    assert entry["properties"]["type"] == {"const": "note", "type": "string"}
    assert entry["properties"]["again"] == {"const": True, "type": "boolean"}
    assert entry["required"] == ["type", "again", "text", "uuid"]


def test_formats_are_asserted_by_pattern_in_the_strict_schema_and_by_format_in_none() -> None:
    opened, strict = (schema("parcel", strict=mode)["$defs"]["Label"]["properties"]["id"] for mode in (False, True))
    assert opened == {"type": "string"}
    assert strict["pattern"] == "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
    assert not any("format" in each for mode in (False, True) for each in schemas(schema("parcel", strict=mode)))


def test_options_that_do_not_travel_are_not_in_the_schema() -> None:
    assert schema("parcel", strict=True)["$defs"]["Settings"]["properties"].keys() == {
        "name",
        "speed",
        "strict",
        "tree",
    }


def test_the_files_say_what_they_are() -> None:
    files = render.render(TARGET, make_plan(model("parcel")))
    assert list(files) == ["parcel.schema.json", "parcel.strict.schema.json", "parcel.asyncapi.json"]
    said = header(model("parcel"))
    remarks = (("$comment", said.lines), ("$comment", said.stamped), ("x-comment", said.lines))
    for contents, (key, lines) in zip(files.values(), remarks, strict=True):
        read = json.loads(contents)
        assert list(read)[1] == key
        assert read[key] == " ".join(lines)
        assert is_marked(contents)
        assert contents.endswith(b"}\n")
        assert b"\r" not in contents


def test_prose_history_and_examples_are_carried_over() -> None:
    about = About(doc="A size.", deprecated="Use Weight.", since="1.1", observed=True)
    size = Enum(
        "Size",
        "string",
        open=True,
        about=about,
        examples=(Example('"small"'),),
        values=(EnumValue("small", "small", About(doc="Fits\nanywhere.")), EnumValue("large", "large")),
    )  # fmt: skip  (a record)
    entry = document(handmade.model(size), strict=True)["$defs"]["Size"]
    assert entry == {
        "title": "Size",
        "description": "A size.\n\nDeprecated: Use Weight.\n\n- `small`: Fits anywhere.\n- `large`",
        "$comment": "Since 1.1. Seen on the wire, though not declared upstream.",
        "deprecated": True,
        "type": "string",
        "enum": ["small", "large"],
        "examples": ["small"],
    }


def test_exceptions_of_the_spec_give_entries_their_names() -> None:
    both = {"jsonschema": {"name": "Third"}}
    made = handmade.model(
        Alias("First", Ref("Second"), About(name="Stem")),
        Alias("Second", Scalar("string"), About(name="Other", targets=both)),
    )
    assert list(document(made, strict=True)["$defs"]) == ["Stem", "Third"]
    assert document(made, strict=True)["$defs"]["Stem"]["$ref"] == "#/$defs/Third"
    assert [(name.name, name.default, name.overridden) for name in TARGET.names(made)] == [
        ("Stem", "Stem", False),
        ("Third", "Other", True),
    ]


def test_unions_that_share_the_name_of_their_unknown_have_entries_of_their_own() -> None:
    def one(tag: str) -> Struct:
        return Struct(tag.title(), "types", tags=(Tag("t", tag),))

    def union(name: str, tag: str) -> Union:
        switch = Switch(name, "t", ((tag, Leaf(tag.title())),))
        return Union(name, open=True, by="t", variants=(Variant(tag.title()),), unknown="Unknown", dispatch=switch)

    made = handmade.model(union("X", "a"), union("Y", "b"), one("a"), one("b"))
    entries = document(made, strict=False)["$defs"]
    assert {"Unknown-X", "Unknown-Y"} < entries.keys()
    assert "Unknown" not in entries
    assert {"Unknown-X", "Unknown-Y"} == {name.name for name in TARGET.names(made)} - {"X", "Y", "A", "B"}


@pytest.mark.parametrize(
    ("name", "stem"),
    [("agentlines", "agentlines"), ("../../etc/x", "etc-x"), ("a b/c", "a-b-c"), ("..", "protocol"), ("é", "protocol")],
)
def test_no_name_leads_out_of_the_folder(name: str, stem: str) -> None:
    files = TARGET.files(make_plan(handmade.model(Alias("A", Scalar("string")), name=name)))
    assert [file.path for file in files] == [f"{stem}.schema.json", f"{stem}.strict.schema.json"]


def test_names_that_references_must_escape_are_escaped() -> None:
    made = handmade.model(Alias("A", Ref("a/b~c d%é")), Alias("a/b~c d%é", Scalar("boolean")))
    whole = {"$schema": DRAFT, **document(made, strict=True)}
    for validator in (jsonschema.Draft202012Validator(whole), jsonschema_rs.Draft202012Validator(whole)):
        assert validator.is_valid(True)
        assert not validator.is_valid(1)


# --- written verdicts ------------------------------------------------------------------------------------------

UUID = "123e4567-e89b-12d3-a456-426614174000"

VERDICTS: list[tuple[str, str, str, bool, bool]] = [
    # type, what is tested, JSON, open, strict
    ("Point", "all there is", '{"x": 1, "y": 2.5}', True, True),
    ("Point", "a missing field", '{"x": 1}', False, False),
    ("Point", "a boolean is not a number", '{"x": true, "y": 1}', False, False),
    ("Point", "null where it may be absent", '{"x": 1, "y": 1, "z": null}', True, False),
    ("Point", "null where it is required", '{"x": null, "y": 1}', False, False),
    ("Point", "an unknown field", '{"x": 1, "y": 1, "w": 1}', True, False),
    ("Point", "another kind", "[]", False, False),
    ("Point", "a number that overflows", '{"x": 1e400, "y": 1}', False, False),
    ("Named", "null where null may be", '{"name": "n", "nickname": null}', True, True),
    ("Settings", "1.0 counts as an integer", '{"speed": 1.0}', True, True),
    ("Settings", "a fraction", '{"speed": 1.5}', False, False),
    ("Settings", "the largest integer", '{"speed": 9007199254740991}', True, True),
    ("Settings", "one more", '{"speed": 9007199254740992}', False, False),
    ("Settings", "one less than the smallest", '{"speed": -9007199254740992}', False, False),
    ("Settings", "a callback does not travel", '{"speed": 1, "on_arrival": 1}', True, False),
    ("Settings", "a closed union by keys", '{"speed": 1, "strict": {"number": "1", "address": "a"}}', True, True),
    ("Settings", "a union's conditions decide", '{"speed": 1, "strict": {"number": 1, "address": "a"}}', False, False),
    ("Settings", "no condition holds", '{"speed": 1, "strict": {}}', False, False),
    ("Hello", "a form", f'{{"type": "hello", "id": "{UUID}"}}', True, True),
    ("Hello", "a form in capitals", f'{{"type": "hello", "id": "{UUID.upper()}"}}', True, True),
    ("Hello", "a form and a newline", f'{{"type": "hello", "id": "{UUID}\\n"}}', True, False),
    ("Hello", "digits of another script", f'{{"type": "hello", "id": "{UUID.replace("1", "١")}"}}', True, False),
    ("Arrived", "a time", '{"type":"parcel","event":"arrived","at":"2025-01-02T03:04:05.678+09:00"}', True, True),
    (
        "Arrived",
        "a time and a newline",
        '{"type":"parcel","event":"arrived","at":"2025-01-02T03:04:05Z\\n"}',
        True,
        False,
    ),
    ("Arrived", "lower case", '{"type":"parcel","event":"arrived","at":"2025-01-02t03:04:05z"}', True, False),
    ("Weight", "a known number", "1", True, True),
    ("Weight", "the same number", "1.0", True, True),
    ("Weight", "an unknown one", "2", True, False),
    ("Weight", "a fraction", "2.5", False, False),
    ("Weight", "true is not 1", "true", False, False),
    ("Floor", "a closed enum", "0", True, True),
    ("Floor", "an unknown value of a closed enum", "1", False, False),
    ("Size", "an open enum", '"huge"', True, False),
    ("Size", "another kind", "1", False, False),
    ("Sizes", "a known key", '{"small": 1}', True, True),
    ("Sizes", "an unknown key", '{"huge": 1}', True, False),
    ("Sizes", "a wrong value under an unknown key", '{"huge": "1"}', False, False),
    ("Reply", "null among the kinds", "null", True, True),
    ("Reply", "no kind of it", "true", False, False),
    ("Free", "extra content", '{"kept": "k", "a": 1}', True, True),
    ("Free", "extra content of another type", '{"kept": "k", "a": "1"}', False, False),
    ("Free", "null is extra content of another type", '{"kept": "k", "a": null}', False, False),
    ("Free", "a null that is repaired is none", '{"kept": "k", "gone": null}', True, False),
    ("Box", "a flattened field", '{"mark": "m", "x": 1, "y": 1, "after": "a"}', True, True),
    ("Box", "a flattened field with a fault", '{"mark": "m", "x": 1, "y": "1"}', False, False),
    ("Box", "an unknown field beside it", '{"mark": "m", "x": 1, "y": 1, "w": 1}', True, False),
    ("Maybe", "a flattened field that is absent", '{"mark": "m"}', True, True),
    ("Maybe", "a flattened field that is begun", '{"mark": "m", "x": 1}', False, False),
    ("Maybe", "an unknown field begins it too", '{"mark": "m", "w": 1}', False, False),
    ("Wrap", "a flattened union", '{"wrapped": true, "kind": "letter", "pages": 1}', True, True),
    ("Wrap", "an unknown variant of it", '{"wrapped": true, "kind": "box"}', True, False),
    ("Wrap", "no discriminator", '{"wrapped": true}', False, False),
    ("Wrap", "an unknown field of a variant", '{"wrapped": true, "kind": "letter", "pages": 1, "w": 1}', True, False),
    ("Bag", "anything flattened", '{"mark": "m", "w": 1}', True, True),
    ("Item", "a variant", '{"kind": "letter", "pages": 1}', True, True),
    ("Item", "a tag that has several values", '{"kind": "roll", "length": 1}', True, True),
    ("Item", "a known tag with another body", '{"kind": "letter"}', False, False),
    ("Item", "an unknown tag", '{"kind": "box", "pages": []}', True, False),
    ("Item", "no tag", '{"pages": 1}', False, False),
    ("Item", "a tag of another kind", '{"kind": 1}', False, False),
    ("Item", "null for a tag", '{"kind": null}', False, False),
    ("Item", "no object", '"letter"', False, False),
    ("Shape", "a tag that may be absent", '{"radius": 1}', True, True),
    ("Shape", "and may be there", '{"form": "circle", "radius": 1}', True, True),
    ("Shape", "but not null", '{"form": null, "radius": 1}', False, False),
    ("Shape", "an unknown tag of a closed union", '{"form": "star"}', False, False),
    ("Gift", "a boolean discriminator", '{"isWrapped": true, "of": "o", "paper": "p"}', True, True),
    ("Gift", "absent", '{"of": "o"}', True, True),
    ("Gift", "not claimed", '{"isWrapped": false, "of": "o"}', True, True),
    ("Gift", "claimed by a sibling that does not fit", '{"isWrapped": true, "of": "o"}', False, False),
    ("Gift", "null", '{"isWrapped": null, "of": "o"}', False, False),
    ("PlainGift", "null, where no union asks", '{"isWrapped": null, "of": "o"}', True, False),
    ("PlainGift", "claimed by a sibling, where no union asks", '{"isWrapped": true, "of": "o"}', False, False),
    ("Reach", "by keys", '{"number": "1"}', True, True),
    ("Reach", "a key that must not be there, whatever its value", '{"number": "1", "why": null}', True, False),
    ("Reach", "a variant that does not fit", '{"number": 1}', False, False),
    ("Reach", "no condition holds", '{"a": 1}', True, False),
    ("Failed", "a catch-all", '{"type":"parcel","event":"error_new","reasons":[],"retry":true}', True, False),
    (
        "Failed",
        "a value that it does not catch",
        '{"type":"parcel","event":"new","reasons":[],"retry":true}',
        False,
        False,
    ),
    ("Line", "a catch-all", '{"type":"parcel","event":"error_new","reasons":[],"retry":true}', True, False),
    ("Line", "what it catches need not fit", '{"type":"parcel","event":"error_new","reasons":1}', True, False),
    ("Line", "but what it knows must", '{"type":"parcel","event":"error_lost","reasons":1}', False, False),
    ("Line", "unknown to the nested union", '{"type":"parcel","event":"new"}', True, False),
    ("Line", "no tag of the nested union", '{"type":"parcel"}', False, False),
    ("Line", "unknown to the outer union", '{"type":"telegram"}', True, False),
    ("Line", "a tag of another kind in the nested union", '{"type":"parcel","event":1}', False, False),
    ("Label", "too many for the bounds", "pair:3", True, False),
    ("Label", "too few for the bounds", "pair:0", True, False),
    ("Label", "within the bounds", "pair:1", True, True),
]  # fmt: skip  (a table)


def _label(pairs: int) -> object:
    """A complete Label with this number of points in its `pair`."""
    full = next(each for each in instances("parcel") if each.type == "Label" and each.strict.ok)
    return {**json.loads(full.text), "pair": [{"x": 0, "y": 0}] * pairs}


@pytest.mark.parametrize(
    ("type_name", "text", "opened", "strict"),
    [pytest.param(t, text, o, s, id=f"{t}: {why}") for t, why, text, o, s in VERDICTS],
)
def test_verdicts(type_name: str, text: str, opened: bool, strict: bool) -> None:
    value = _label(int(text[-1])) if text.startswith("pair:") else json.loads(text)
    assert verdict("parcel", type_name, value, strict=False) is opened
    assert verdict("parcel", type_name, value, strict=True) is strict
    assert decodes("parcel", type_name, value, strict=False) is opened
    assert decodes("parcel", type_name, value, strict=True) is strict


def test_a_request_flattened_into_its_envelope_is_closed_as_a_whole() -> None:
    known = {"type": "ask", "ask_id": "1", "what": next(iter(model("terse").controls)).key}
    for strict in (False, True):
        assert verdict("terse", "Line", known, strict=strict) is decodes("terse", "Line", known, strict=strict)
        assert not verdict("terse", "Line", {"type": "ask", "ask_id": "1"}, strict=strict)
    assert verdict("terse", "Line", {**known, "what": "unheard of"}, strict=False)
    assert not verdict("terse", "Line", {**known, "what": "unheard of"}, strict=True)


# --- verdicts compared with the reference ----------------------------------------------------------------------


@cache
def instances(spec: str) -> list[Instance]:
    return derive(model(spec))


def values(found: list[Instance]) -> Iterator[tuple[Instance, Any]]:
    """The instances that a validator can check; an overflow in untouched JSON is only visible to a parser."""
    for instance in found:
        text = read(instance.text)
        if not text.faults and not has_overflow(text.value):
            yield instance, text.value


@pytest.mark.full
@BOTH
@pytest.mark.parametrize("spec", ["parcel", "terse"])
def test_derived_instances_have_the_verdicts_that_they_were_made_to_have(spec: str, strict: bool) -> None:
    seen = {True: 0, False: 0}
    for instance, value in values(instances(spec)):
        wanted = (instance.strict if strict else instance.lenient).ok
        assert verdict(spec, instance.type, value, strict=strict) is wanted, (instance.type, instance.note)
        seen[wanted] += 1
    assert min(seen.values()) > 300


@turn("validators of the real protocol")
@pytest.mark.parametrize("strict", sample([False, True], 1))
def test_derived_instances_of_the_real_protocol_too(strict: bool) -> None:
    chance = random.Random(strict)  # noqa: S311  (a sample for the slow one of the two)
    count = 0
    for instance, value in values(sample(instances("real"), 1_000, f"{strict}")):
        wanted = (instance.strict if strict else instance.lenient).ok
        slow, quick = validators("real", instance.type, strict=strict)
        assert quick.is_valid(value) is wanted, (instance.type, instance.note)
        if chance.random() < 0.05:
            assert slow.is_valid(value) is wanted, (instance.type, instance.note)
        count += 1
    assert count > 750


def test_captured_lines_are_valid_where_they_decode() -> None:
    root = model("real").protocol.roots[0]
    count = 0
    for file in sorted((ROOT / "tests/captures").rglob("*.ndjson")):
        for line in file.read_bytes().splitlines():
            text = read(line)
            if text.faults:
                continue
            value = text.value
            for strict in (False, True):
                _, quick = validators("real", root, strict=strict)
                assert quick.is_valid(value) is decodes("real", root, value, strict=strict), line[:200]
            count += 1
    assert count > 500


JSON_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(-1e300, 1e300) | JSON_TEXT | st.just(UUID),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(JSON_TEXT, inner, max_size=2),
    max_leaves=4,
)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, Any]:
    """A derived instance with up to three random changes."""
    types = sorted(model("parcel").declarations)
    type_name = draw(st.sampled_from(types))
    sound = [value for instance, value in parcels() if instance.type == type_name]
    value = json.loads(json.dumps(draw(st.sampled_from(sound))))
    for _ in range(draw(st.integers(1, 3))):
        value = changed(draw, value)
    return type_name, value


@cache
def parcels() -> list[tuple[Instance, Any]]:
    return list(values(instances("parcel")))


def changed(draw: st.DrawFn, value: Any) -> Any:
    if isinstance(value, dict) and value and draw(st.booleans()):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: changed(draw, value[key])}
    if isinstance(value, list) and value and draw(st.booleans()):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], changed(draw, value[at]), *value[at + 1 :]]
    if isinstance(value, dict) and value and draw(st.booleans()):
        gone = draw(st.sampled_from(sorted(value)))
        return {key: member for key, member in value.items() if key != gone}
    if isinstance(value, dict) and draw(st.booleans()):
        keys = sorted({key for _, each in parcels() if isinstance(each, dict) for key in each})
        return {**value, draw(st.sampled_from(keys)): draw(JSON_VALUES)}
    _, other = draw(st.sampled_from(parcels()))
    return draw(JSON_VALUES) if draw(st.booleans()) else other


@pytest.mark.full
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(damaged())
def test_whatever_is_done_to_an_instance_schemas_and_reference_agree(case: tuple[str, Any]) -> None:
    type_name, value = case
    for strict in (False, True):
        assert verdict("parcel", type_name, value, strict=strict) is decodes("parcel", type_name, value, strict=strict)


# --- forms of dispatch that the other specs do not have ------------------------------------------------------------


def struct(name: str, *tags: Tag, fields: tuple[Field, ...] = ()) -> Struct:
    return Struct(name, "types", tags=tags, fields=fields)


def union(name: str, dispatch: Switch, *, opened: bool) -> Union:
    variants = tuple(Variant(str(value)) for value, _ in dispatch.cases)
    return Union(name, opened, dispatch.key, variants, f"Unknown{name}", dispatch)


OTHER = Enum("Other", "string", open=True, values=(EnumValue("e1", "e1"),))


def nested(*, outer: bool, inner: bool, absent: bool = False) -> Model:
    """A union in a union, each open or closed; the inner catch-all would also match the value of a sibling."""
    catch = Tag("b", enum="Other", others="*")
    below = Switch(
        "Inner",
        "b",
        (("x", Leaf("X")), ("e1", Leaf("E"))),
        others=(("*", "E"),),
        absent=Leaf("None") if absent else None,
    )
    none = struct("None", Tag("a", "one"), fields=(Field("b", Scalar("string"), required=False, claimed=("x", "e1")),))
    return handmade.model(
        union("Outer", Switch("Outer", "a", (("one", below), ("two", Leaf("Two")))), opened=outer),
        union("Inner", below, opened=inner),
        struct("X", Tag("a", "one"), Tag("b", "x"), fields=(Field("n", Scalar("integer")),)),
        struct("E", Tag("a", "one"), catch, fields=(Field("b", Ref("Other"), tag=catch),)),
        struct("Two", Tag("a", "two")),
        none,
        OTHER,
    )


@pytest.mark.full
@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("outer", [False, True])
@BOTH
def test_open_and_closed_unions_in_each_other_agree_with_the_reference(
    strict: bool, outer: bool, inner: bool, absent: bool
) -> None:
    made = nested(outer=outer, inner=inner, absent=absent)
    whole = {"$schema": DRAFT, **document(made, strict=strict)}
    tags = [None, 1, True, "one", "two", "x", "e1", "new"]
    for root in ("Outer", "Inner", "X", "E", "None"):
        asked = {**whole, "$ref": f"#/$defs/{root}"}
        one, other = jsonschema.Draft202012Validator(asked), jsonschema_rs.Draft202012Validator(asked)
        for a in [..., *tags]:
            for b in [..., *tags]:
                for n in (..., 1, "1"):
                    value = {key: each for key, each in (("a", a), ("b", b), ("n", n)) if each is not ...}
                    try:
                        rules(made).decode(root, value, strict=strict)
                        wanted = True
                    except Fault:
                        wanted = False
                    assert (one.is_valid(value), other.is_valid(value)) == (wanted, wanted), (root, value)
