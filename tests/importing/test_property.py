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

from importing.imports import written
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
        lambda properties, required, extra: {
            "type": "object",
            "properties": properties,
            "required": [key for key in properties if required[len(key) % len(required)]],
            **({} if extra is None else {"additionalProperties": extra}),
        },
        st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
        st.lists(st.booleans(), min_size=1, max_size=3),
        st.one_of(st.none(), st.booleans(), inner),
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


@pytest.mark.full
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


@pytest.mark.full
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


@pytest.mark.full
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


OTHERS = (None, True, False, 0, 1, 3, 0.5, 1.5, "one", "two", "other")
"""Values of each kind in place of a constant."""


class Drawing:
    """Documents that a schema accepts, or almost accepts."""

    def __init__(self, definitions: dict[str, Any], random: Random) -> None:
        self._definitions = definitions
        self._random = random

    def document(self, schema: Any, depth: int = 0) -> Any:
        """Draw a value by the keywords of a schema, one of them at a time."""
        pick = self._random
        if depth > 6 or not isinstance(schema, dict) or pick.random() < 0.04:
            return pick.choice(
                [None, True, 1, 0.5, "one", "", [], {}, "three words", -1, False, 0, ["one"], {"kind": "one"}]
            )
        if "const" in schema or "enum" in schema:
            value = pick.choice(schema.get("enum", [schema.get("const")]))
            return pick.choice([each for each in OTHERS if type(each) is type(value)]) if pick.random() < 0.1 else value
        parts = []
        if "$ref" in schema:
            parts.append(self.document(self._definitions[schema["$ref"].rpartition("/")[2]], depth + 1))
        parts.extend(self.document(each, depth + 1) for each in schema.get("allOf", []))
        parts.extend(self.document(pick.choice(schema[key]), depth + 1) for key in ("anyOf", "oneOf") if key in schema)
        if (
            schema.keys() & {"type", "properties", "items", "prefixItems", "required", "minLength", "minimum"}
            or not parts
        ):
            parts.append(self._typed(schema, depth))
        if all(isinstance(each, dict) for each in parts):
            return {key: value for each in parts for key, value in each.items()}
        return pick.choice(parts)

    def _typed(self, schema: dict[str, Any], depth: int) -> Any:
        pick = self._random
        named = schema.get("type")
        guess = "object" if "properties" in schema else "array" if "items" in schema else "string"
        match pick.choice(named) if isinstance(named, list) else named or guess:
            case "string":
                return pick.choice(["one", "two", "", "日本", "a", "abcd"])
            case "integer":
                return pick.choice([0, 1, 2, -1, 3.0, 7])
            case "number":
                return pick.choice([0, 1.5, -2, 1])
            case "boolean":
                return pick.choice([True, False])
            case "array":
                if "prefixItems" in schema:
                    return [self.document(each, depth + 1) for each in schema["prefixItems"]]
                return [self.document(schema.get("items", {}), depth + 1) for _ in range(pick.randint(0, 2))]
            case "object":
                return self._object(schema, depth)
        return None

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        pick = self._random
        made = {
            key: self.document(each, depth + 1)
            for key, each in schema.get("properties", {}).items()
            if key in schema.get("required", ()) or pick.random() < 0.5
        }
        extra = schema.get("additionalProperties", True)
        if extra is not False and pick.random() < 0.2:
            made[pick.choice(["other", *KEYS])] = self.document(extra, depth + 1)
        if made and pick.random() < 0.1:
            del made[pick.choice([*made])]
        return made


_OF_KIND = {"type", "required", "const", "enum"}


def is_wrong_kind(validator: Any, document: Any) -> bool:
    """Return whether a document is refused for kind, presence or a constant, and for nothing else."""
    stack, found = list(validator.iter_errors(document)), False
    while stack:
        error = stack.pop()
        if error.validator in {"anyOf", "oneOf"} and error.context:
            stack.extend(error.context)
        elif error.validator not in _OF_KIND:
            return False
        found = True
    return found


def verdict(model: Any, document: Any, *, strict: bool) -> str | None:
    try:
        reference.decode(model, "Alpha", json.dumps(document).encode(), strict=strict)
    except reference.Fault as fault:
        return f"{fault.code} at {fault.path!r}"
    return None


@pytest.mark.full
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
        drawing = Drawing(definitions, random)
        for document in [drawing.document(definitions["Alpha"]) for _ in range(20)]:
            try:
                accepted = validator.is_valid(document)
            except RecursionError:
                return
            if accepted:
                assert (document, verdict(model, document, strict=False)) == (document, None)
            elif is_wrong_kind(validator, document):
                assert (document, verdict(model, document, strict=True)) != (document, None)
