"""The JSON schema for editors accepts every spec that the reader accepts, and rejects specs of the wrong form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from checks.fixtures_support import FIXTURES, cases, materialise, rule_of
from polywire.source import load, schema
from polywire.source.grammar import DIALECT, ENTRY, PART, Record
from polywire.source.report import Faults
from polywire.source.tree import Node, read
from yaml_values import as_yaml

OF_FORM = {"unknown-key", "missing-key", "open-missing", "wrong-kind", "null-value"}
"""The rules whose violations the schema can detect if the reader reports them for a tree."""


@pytest.fixture(scope="module")
def validator() -> Draft7Validator:
    Draft7Validator.check_schema(json.loads(schema.emit()))
    return Draft7Validator(json.loads(schema.emit()))


def trees(folder: Path) -> list[Node | None]:
    files = sorted(path for path in folder.rglob("*.yaml") if path.stat().st_size < 1 << 20)
    return [read(path.read_bytes(), path.name, Faults()) for path in files]


def complaints(folder: Path, validator: Draft7Validator) -> list[str]:
    found = (error for tree in trees(folder) for error in validator.iter_errors(as_yaml(tree)))
    return [f"{error.json_path}: {error.message}" for error in found]


def test_the_checked_in_schema_is_what_the_grammar_says_today(root: Path) -> None:
    assert (root / "spec" / schema.NAME).read_bytes() == schema.emit()


def test_the_schema_is_the_same_every_time() -> None:
    assert schema.emit() == schema.emit()


@pytest.mark.parametrize("record", [ENTRY, PART, DIALECT], ids=lambda record: record.name)
def test_every_key_of_the_grammar_stands_in_the_schema_with_its_doc(record: Record) -> None:
    definition = json.loads(schema.emit())["definitions"][record.name]
    assert {key: said["description"] for key, said in definition["properties"].items()} == {
        key: said.doc for key, said in record.keys.items()
    }
    assert definition.get("required", []) == [key for key, said in record.keys.items() if said.required]


@pytest.mark.parametrize("spec", ["spec", "tests/specs/parcel", "tests/specs/forms"])
def test_specs_that_are_fine_are_fine_for_an_editor(root: Path, spec: str, validator: Draft7Validator) -> None:
    assert complaints(root / spec, validator) == []


@pytest.mark.parametrize("case", cases(), ids=lambda case: str(case.relative_to(FIXTURES)))
def test_an_editor_refuses_no_spec_that_the_reader_reads(
    case: Path, tmp_path: Path, validator: Draft7Validator
) -> None:
    folder, dialect = materialise(case, tmp_path / "spec")
    if not load(folder, dialect).findings:
        assert complaints(folder, validator) == []


@pytest.mark.parametrize(
    "case", [case for case in cases() if rule_of(case) in OF_FORM], ids=lambda case: str(case.relative_to(FIXTURES))
)
def test_an_editor_refuses_what_is_of_the_wrong_form(case: Path, tmp_path: Path, validator: Draft7Validator) -> None:
    folder, dialect = materialise(case, tmp_path / "spec")
    of_form = {finding.rule for finding in load(folder, dialect).findings} & OF_FORM
    assert bool(complaints(folder, validator)) is bool(of_form)
