"""The AsyncAPI document that the target of JSON Schema generates: it is valid, and imported with what it describes."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

import handmade
from importing.bundles import bundle, difference, imported
from polywire.model.build import build
from polywire.model.nodes import Field, Model, Struct, Tag
from polywire.plan import make_plan
from polywire.source import load
from polywire.source.types import Scalar
from polywire.targets.jsonschema import TARGET
from polywire.writing.render import render

ROOT = Path(__file__).resolve().parents[2]
OFFICIAL = Path(__file__).parent / "schemas" / "node_modules" / "@asyncapi" / "specs" / "schemas" / "3.0.0.json"
SPECS = {path.parent.name: path.parent for path in sorted((ROOT / "tests" / "specs").glob("*/protocol.yaml"))}


@cache
def model(folder: Path) -> Model:
    found = build(load(folder, None)).model
    assert found is not None
    return found


def package(made: Model) -> dict[str, bytes]:
    return dict(render(TARGET, make_plan(made)))


def message(name: str, origin: str) -> Struct:
    return Struct(name, "messages", tags=(Tag("type", name),), fields=(Field("text", Scalar("string")),), origin=origin)


def operations(document: Any) -> dict[str, list[str]]:
    """Return the names of the messages of each operation; each must be in the channel."""
    found = {}
    for name, operation in document["operations"].items():
        assert (operation["action"], operation["channel"]) == (name, {"$ref": "#/channels/stream"})
        steps = [each["$ref"].rpartition("/") for each in operation["messages"]]
        assert {start for start, _, _ in steps} == {"#/channels/stream/messages"}
        found[name] = [step for _, _, step in steps]
    return found


def test_messages_are_listed_by_direction_as_the_first_peer_sees_them() -> None:
    made = handmade.model(message("Mine", "one"), message("Theirs", "other"), message("Ours", "both"))
    name, document = bundle(package(made))
    assert name == "parcel.asyncapi.json"
    assert operations(document) == {"send": ["Mine", "Ours"], "receive": ["Theirs", "Ours"]}
    assert document["info"]["description"] == "parcel 1.2.0, as `one` sends and receives it."
    assert document["channels"]["stream"]["messages"]["Ours"]["payload"] == {
        "schemaFormat": "application/schema+json;version=draft-2020-12",
        "schema": {"$ref": "parcel.schema.json#/$defs/Ours"},
    }


def test_a_direction_without_messages_has_no_operation() -> None:
    _, document = bundle(package(handmade.model(message("Theirs", "other"))))
    assert operations(document) == {"receive": ["Theirs"]}


def test_a_spec_without_messages_has_no_document() -> None:
    assert bundle(package(handmade.model(Struct("Alone", "types")))) == ("", None)


@pytest.mark.parametrize("name", ["a/b~c d%é", '"}, "x": {"', "{{ x }}", "#/x", "__proto__"])
def test_names_are_escaped(name: str, tmp_path: Path) -> None:
    made = handmade.model(message(name, "both"), message("Other", name), name=name, title=name, peers=("one", name))
    files = package(made)
    done = imported(files, tmp_path)
    found = done.report.model
    assert found is not None
    assert {each.origin for each in found.structs if each.tags} == {"both", "client"}
    _, document = bundle(files)
    assert [*document["channels"]["stream"]["messages"]] == [name, "Other"]


def described() -> dict[str, Path]:
    """Return the specs with messages."""
    return {name: folder for name, folder in SPECS.items() if bundle(package(model(folder)))[1] is not None}


DESCRIBED = described()


@pytest.mark.parametrize("name", DESCRIBED)
def test_an_import_has_the_types_of_the_schema(name: str, tmp_path: Path) -> None:
    assert difference(package(model(DESCRIBED[name])), tmp_path) == ""


def test_a_message_may_have_the_name_of_the_imported_root(tmp_path: Path) -> None:
    made = handmade.model(message("Message", "one"), message("Other", "other"))
    assert difference(package(made), tmp_path) == ""


@pytest.mark.parametrize("name", DESCRIBED)
def test_an_import_has_the_messages_and_their_senders(name: str, tmp_path: Path) -> None:
    made = model(DESCRIBED[name])
    found = imported(package(made), tmp_path).report.model
    assert found is not None
    senders = {made.protocol.peers[0]: "application", "both": "both"}
    wanted = {
        each.name: senders.get(each.origin or "", "client")
        for each in made.structs
        if each.section == "messages" and each.name in found.declarations  # those with one tag are imported as one
    }
    assert len(wanted) > 1
    assert {each.name: each.origin for each in found.structs if each.origin} == wanted


@pytest.mark.parametrize("folder", [pytest.param(ROOT / "spec", id="agentlines"), *DESCRIBED.values()], ids=str)
def test_the_document_is_valid_by_the_official_schema(folder: Path) -> None:
    _, document = bundle(package(model(folder)))
    official = json.loads(OFFICIAL.read_bytes())
    jsonschema_rs.validator_for(official).validate(document)
    assert not jsonschema.Draft7Validator(official).is_valid(document | {"channel": {}})
