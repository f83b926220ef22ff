"""Arbitrary schemas and lines are imported into specs without findings, or rejected with a message."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from importing.documents import Drawing, is_wrong_kind, verdict
from importing.imports import an_object, const, fields, imported, model, ref, written
from polywire.oracle import reference
from polywire_import.run import run
from polywire_import.shapes import ImportingError
from sampling import SEED, number

DRAFT = "https://json-schema.org/draft/2020-12/schema"
NAMES = ["Alpha", "Beta", "Gamma", "delta-four", "Epsilon"]
KEYS = ["kind", "alpha", "beta", "note_text", "x y", "Ω", "é", "on", "null", "a/b", "~"]
WORDS = ["one", "two", "three words", "true", "Cap", "", "#", "日本"]
EXPECTED = {
    "hidden-character",
    "infinite-type",  # the source has an object that must contain another of the same type
}


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda properties, required, extra, patterns: {
            "type": "object",
            "properties": properties,
            "required": [key for key in properties if required[len(key) % len(required)]],
            **({} if extra is None else {"additionalProperties": extra}),
            **({} if not patterns else {"patternProperties": patterns}),
        },
        st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
        st.lists(st.booleans(), min_size=1, max_size=3),
        st.one_of(st.none(), st.booleans(), inner),
        st.one_of(st.none(), st.dictionaries(st.sampled_from(["", ".*", "^k"]), inner, max_size=1)),
    )


def tuples(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, min_size=1, max_size=3).map(
        lambda items: {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
    )


def tagged(members: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Return alternatives with a constant member."""
    return {
        "anyOf": [
            {
                **each,
                "properties": {**each["properties"], "kind": {"const": word}},
                "required": [*each["required"], "kind"],
            }
            for word, each in members
        ]
    }


def schemas() -> st.SearchStrategy[Any]:
    bounds = st.fixed_dictionaries(
        {},
        optional={
            "minLength": st.integers(0, 2), "maxLength": st.integers(2, 4), "minimum": st.integers(-2, 1),
            "maximum": st.integers(2, 9), "minItems": st.integers(0, 1), "maxItems": st.integers(2, 3),
        },
    )  # fmt: skip
    kinds = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])
    leaves = st.one_of(
        bounds,
        st.builds(lambda each, name: {**each, "type": name}, bounds, kinds),
        st.builds(
            lambda each, names: {**each, "type": names}, bounds, st.lists(kinds, min_size=1, max_size=3, unique=True)
        ),
        st.lists(st.sampled_from(["one", 1, True, False, None, 0, 1.5]), min_size=1, max_size=4).map(
            lambda values: {"enum": values}
        ),
        st.sampled_from(
            [{"type": name} for name in ("string", "integer", "number", "boolean", "null", "object", "array")]
        ),
        st.sampled_from(NAMES).map(lambda name: {"$ref": f"#/$defs/{name}"}),
        st.sampled_from([*WORDS[:5], 1, 2, True, None, 1.5]).map(lambda value: {"const": value}),
        st.lists(st.sampled_from([word for word in WORDS if word]), min_size=1, max_size=4, unique=True).map(
            lambda values: {"enum": values}
        ),
        st.just({}),
        st.booleans(),
        st.just({"type": ["string", "null"]}),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            objects(inner),
            inner.map(lambda item: {"type": "array", "items": item}),
            st.lists(inner, min_size=1, max_size=4).map(lambda members: {"anyOf": members}),
            st.lists(inner, min_size=1, max_size=3).map(lambda members: {"allOf": members}),
            st.builds(lambda around, members: {**around, "oneOf": members}, objects(inner),
                      st.lists(inner, min_size=1, max_size=3)),
            st.builds(lambda one, other: {**one, **other} if isinstance(one, dict) and isinstance(other, dict) else one,
                      inner, inner),
            tuples(inner),
            st.lists(st.tuples(st.sampled_from(WORDS[:3]), objects(inner)), min_size=1, max_size=3).map(tagged),
            objects(inner).map(lambda each: {key: value for key, value in each.items() if key != "type"}),
        ),
        max_leaves=12,
    )  # fmt: skip


@settings(max_examples=number(60, 300), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@seed(SEED)
@given(st.fixed_dictionaries({name: schemas() for name in NAMES}))
def test_any_schema_gives_a_sound_spec_or_a_message(definitions: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "schema.json"
        source.write_text(json.dumps({"$defs": definitions}), encoding="utf-8")
        try:
            done = run("json-schema", [source], Path(name) / "spec", roots=NAMES)
        except ImportingError:
            return
        findings = [each for each in done.report.findings if each.rule not in EXPECTED]
        assert [f"{each.place} {each.rule}: {each.message}" for each in findings] == []
        again = run("json-schema", [source], Path(name) / "spec")
        assert (again.written, again.changes) == ((), ())


@settings(max_examples=number(60, 200), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@seed(SEED)
@given(*[st.fixed_dictionaries({name: schemas() for name in NAMES})] * 2)
def test_importing_over_an_import_comes_to_the_same_as_importing_alone(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        one, two = Path(name) / "one", Path(name) / "two"
        for folder, definitions in ((one, first), (one, second), (two, second)):
            folder.mkdir(exist_ok=True)
            source = folder / "schema.json"
            source.write_text(json.dumps({"$defs": definitions}), encoding="utf-8")
            try:
                run("json-schema", [source], folder / "spec", roots=NAMES)
            except ImportingError:
                return
        assert written(one) == written(two)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(-5, 5), st.sampled_from(["a", "b", "c d", ""])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(KEYS[:5]), inner, max_size=4),
    ),
    max_leaves=8,
)
LINES = st.dictionaries(st.sampled_from(["kind", "id", "body", "op"]), VALUES, max_size=4)


@settings(max_examples=number(60, 300), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@seed(SEED)
@given(st.lists(LINES, min_size=1, max_size=12))
def test_any_lines_are_read_by_the_spec_inferred_from_them(lines: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "session.ndjson"
        source.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        done = run("ndjson", [source], Path(name) / "spec")
        findings = [each for each in done.report.findings if each.rule not in EXPECTED]
        assert [f"{each.place} {each.rule}: {each.message}" for each in findings] == []
        model = done.report.model
        assert model is not None
        for line in lines:
            reference.decode(model, "Message", json.dumps(line).encode())


# --- verdicts --------------------------------------------------------------------------------------------------


@settings(max_examples=number(150, 1000), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@seed(SEED)
@given(st.fixed_dictionaries({name: schemas() for name in NAMES}), st.randoms(use_true_random=False))
def test_what_a_validator_says_the_imported_spec_says_unless_the_report_names_the_place(
    definitions: dict[str, Any], random: Random
) -> None:
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "schema.json"
        source.write_text(json.dumps({"$defs": definitions}), encoding="utf-8")
        try:
            done = run("json-schema", [source], Path(name) / "spec", roots=["Alpha"])
        except ImportingError:
            return
        model = done.report.model
        if model is None or any(note.kind != "renamed" for note in done.notes):
            return
        whole = {"$schema": DRAFT, "$ref": "#/$defs/Alpha", "$defs": definitions}
        validator = Draft202012Validator(whole)
        drawing = Drawing(whole, random, KEYS)
        for document in [drawing.document(definitions["Alpha"]) for _ in range(20)]:
            try:
                accepted = validator.is_valid(document)
            except RecursionError:
                return
            if accepted:
                assert (document, verdict(model, "Alpha", document)) == (document, None)
            elif is_wrong_kind(validator, document):
                assert (document, verdict(model, "Alpha", document, strict=True)) != (document, None)


# --- other ways to write the same ------------------------------------------------------------------------------

COMMON = {
    "Alpha": an_object({"kind": const("alpha"), "size": {"type": "integer"}}, "kind"),
    "Beta": an_object({"kind": const("beta")}, "kind"),
    "Either": {"oneOf": [ref("Alpha"), ref("Beta")]},
    "Tone": {"enum": ["soft", "loud"]},
}
ATOMS = [
    *({"type": name} for name in ("string", "integer", "number", "boolean", "null")),
    *(const("word"), const(7), ref("Alpha"), ref("Tone"), ref("Either"), {}),
]
LISTS = [["a", "b"], ["x", "y", "z"], [1, 2]]


def kind_of(value: object) -> str:
    return "string" if isinstance(value, str) else "integer"


def drawn_ways(random: Random, depth: int = 2) -> tuple[Any, Any]:
    """Return a schema as it is written plainly, and in another way."""
    kind = random.choice(["atom", "atom", "list", "map", "nullable", "enum"] if depth else ["atom"])
    if kind == "atom":
        plain = random.choice(ATOMS)
        ways = [plain, *({word: [plain]} for word in ("allOf", "anyOf", "oneOf"))]
        if "const" in plain:
            value = plain["const"]
            ways += [{"enum": [value]}, {"type": kind_of(value), **plain}, {"type": kind_of(value), "enum": [value]}]
        return plain, random.choice(ways if plain else [{}, True, {"description": "Any value."}])
    if kind == "nullable":
        one = random.choice(["string", "integer", "boolean"])
        null = random.choice([{"type": "null"}, {"const": None}, {"enum": [None]}])
        ways = [{"type": ["null", one]}, {"anyOf": [{"type": one}, null]}, {"oneOf": [null, {"type": one}]}]
        return {"type": [one, "null"]}, random.choice(ways)
    if kind == "enum":
        values = random.choice(LISTS)
        consts = [{"type": kind_of(value), "const": value} for value in values]
        ways = [{"type": kind_of(values[0]), "enum": values}, {"anyOf": consts}, {"oneOf": [*map(const, values)]}]
        return {"enum": values}, random.choice(ways)
    plain, other = drawn_ways(random, depth - 1)
    if kind == "list":
        items = {"type": "array", "items": other}
        return {"type": "array", "items": plain}, random.choice(
            [items, {"allOf": [items]}, {**items, "type": ["array"]}]
        )
    maps = [{"additionalProperties": other}, {"patternProperties": {random.choice(["", "^", ".*"]): other}}]
    return {"type": "object", "additionalProperties": plain}, {"type": "object", **random.choice(maps)}


@pytest.mark.parametrize("turn", range(number(4, 100)))
def test_another_way_to_write_a_schema_changes_nothing(turn: int, tmp_path: Path) -> None:
    random = Random(f"ways {SEED} {turn}")  # noqa: S311 (a repeatable choice)
    ways = {f"m{at}": drawn_ways(random) for at in range(40)}
    required = [key for key in ways if random.random() < 0.5]
    made: list[dict[str, str]] = []
    for at, name in enumerate(("plain", "other")):
        folder = tmp_path / name
        folder.mkdir()
        root = an_object({key: each[at] for key, each in ways.items()}, *required)
        imported(folder, {**COMMON, "Root": root})
        made.append(fields(model(folder), "Root"))
    assert made[0] == made[1]
