"""OpenAPI and AsyncAPI documents → specs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from importing.imports import fields, model, variants
from polywire.model.nodes import Struct, Union
from polywire_import.run import Imported, kind_of, run
from polywire_import.shapes import ImportingError

LINK: dict[str, Any] = {"$ref": "#/channels/room"}


def a_message(kind: str, **members: Any) -> dict[str, Any]:
    properties = {"type": {"const": kind}, **members}
    return {"payload": {"type": "object", "required": [*properties], "properties": properties}}


def chat(**more: Any) -> dict[str, Any]:
    """An AsyncAPI document with two messages in a channel, of which each peer sends one."""
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Chat", "version": "1.0.0"},
        "channels": {
            "room": {"messages": {"said": {"$ref": "#/components/messages/Said"}, "left": a_message("left")}},
        },
        "operations": {
            "tell": {"action": "send", "channel": LINK, "messages": [{"$ref": "#/channels/room/messages/left"}]},
            "hear": {"action": "receive", "channel": LINK, "messages": [{"$ref": "#/channels/room/messages/said"}]},
        },
        "components": {
            "messages": {"Said": {"payload": {"$ref": "#/components/schemas/Said"}}},
            "schemas": {
                "Said": {
                    "type": "object",
                    "required": ["type", "default"],
                    "properties": {"type": {"const": "said"}, "default": {"$ref": "#/components/schemas/Mood"}},
                },
                "Mood": {"enum": ["calm", "angry"]},
            },
        },
        **more,
    }


def said(payload: str) -> dict[str, Any]:
    """The same document; the payload of one message is a reference."""
    document = chat()
    document["components"]["messages"]["Said"]["payload"] = {"$ref": payload}
    return document


def pets(version: str = "3.0.3", **more: Any) -> dict[str, Any]:
    """An OpenAPI document with a discriminator, a `nullable`, and operations."""
    bodies = {"application/json; charset=utf-8": {"schema": {"$ref": "#/components/schemas/Pet"}}, "text/plain": {}}
    listed = {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}
    return {
        "openapi": version,
        "info": {"title": "Pets", "version": "1"},
        "paths": {
            "/pets": {
                "get": {
                    "operationId": "listPets",
                    "responses": {
                        "200": {"content": {"application/json": listed}},
                        "default": {"$ref": "#/components/responses/Bad"},
                    },
                },
                "post": {"requestBody": {"content": bodies}},
            }
        },
        "components": {
            "responses": {
                "Bad": {"content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
            },
            "schemas": {
                "Pet": {
                    "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
                    "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat"}},
                },
                "Cat": {
                    "type": "object",
                    "required": ["kind", "lives"],
                    "properties": {"kind": {"type": "string"}, "lives": {"type": "integer", "nullable": True}},
                },
                "Dog": {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}},
                "Error": {"type": "object", "properties": {"message": {"type": "string"}}},
            },
        },
        **more,
    }


def imported(folder: Path, document: dict[str, Any], kind: str = "", name: str = "api.json") -> Imported:
    source = folder / name
    source.write_text(json.dumps(document), encoding="utf-8")
    return run(kind or kind_of(source), [source], folder / "spec")


def test_messages_are_a_union_and_sent_by_the_peer_whose_operations_send_them(tmp_path: Path) -> None:
    done = imported(tmp_path, chat())
    assert [each for each in done.notes if each.kind != "renamed"] == []
    made = model(tmp_path)
    assert variants(made, "Message") == ("type", True, ["Left", "Said"])
    assert {each.name: each.origin for each in made.structs if each.origin} == {"Left": "application", "Said": "client"}
    assert made.protocol.peers == ("application", "client")
    assert fields(made, "Said") == {"default": "Mood"}


def test_a_document_may_be_yaml(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder, name in ((one, "api.json"), (two, "api.yaml")):  # JSON is YAML
        folder.mkdir()
        imported(folder, chat(), name=name)
    assert (one / "spec/messages.yaml").read_text() == (two / "spec/messages.yaml").read_text()


@pytest.mark.parametrize("reference", ["below/said%20it.json#/$defs/Said", "below/again.json#/$defs/Said", "said.json"])
def test_a_payload_may_be_in_a_file_beside_the_document(tmp_path: Path, reference: str) -> None:
    told = {"type": "object", "required": ["type"], "properties": {"type": {"const": "said"}, "then": {"$ref": "#"}}}
    whole = {"title": "Unused", "type": "string", "$defs": {"Other": {"type": "string"}, "Said": told}}
    (tmp_path / "below").mkdir()
    (tmp_path / "below/said it.json").write_text(json.dumps(whole), encoding="utf-8")
    again = {"$defs": {"Said": {"$ref": "said%20it.json#/$defs/Said"}}}
    (tmp_path / "below/again.json").write_text(json.dumps(again), encoding="utf-8")
    (tmp_path / "said.json").write_text(json.dumps({"title": "Said", **told}), encoding="utf-8")
    imported(tmp_path, said(reference))
    made = model(tmp_path)
    assert variants(made, "Message") == ("type", True, ["Left", "Said"])
    assert made.struct("Said").origin == "client"
    assert fields(made, "Said") == {"then?": "Said" if reference == "said.json" else "Unused"}
    assert made.protocol.roots == ("Message",)
    assert "Other" not in made.declarations


def test_a_reference_is_a_uri(tmp_path: Path) -> None:
    document = chat(components={})
    document["channels"] = {"a b/c~%": {"messages": {"said it": a_message("said")}}}
    channel = "#/channels/a%20b~1c~0%25"
    sent = {"action": "send", "channel": {"$ref": channel}, "messages": [{"$ref": f"{channel}/messages/said%20it"}]}
    imported(tmp_path, document | {"operations": {"tell": sent}})
    assert model(tmp_path).struct("SaidIt").origin == "application"


def test_what_is_no_line_of_a_stream_is_reported(tmp_path: Path) -> None:
    document = chat()
    document["components"]["messages"]["Said"]["headers"] = {"type": "object"}
    document["components"]["messages"] |= {
        "Avro": {"payload": {"schemaFormat": "application/vnd.apache.avro;version=1.9.0", "schema": {}}},
        "Bare": {},
        "Multi": {"payload": {"schemaFormat": "application/schema+json;version=draft-07", **a_message("multi")}},
    }
    document["components"]["messages"]["Multi"]["payload"]["schema"] = a_message("multi")["payload"]
    document["operations"]["hear"]["reply"] = {"channel": LINK, "messages": [{"$ref": "#/components/messages/Multi"}]}
    done = imported(tmp_path, document)
    assert [(each.place, each.message) for each in done.notes if each.kind == "lost"] == [
        ("/operations/hear", "the reply is not paired with the request"),
        ("/components/messages/Said", "headers are not part of a line"),
        (
            "/components/messages/Avro",
            "the payload is described as 'application/vnd.apache.avro;version=1.9.0', which is not JSON Schema",
        ),
        ("/components/messages/Bare", "it has no payload that a schema describes"),
    ]
    made = model(tmp_path)
    assert made.struct("Multi").origin == "application"


def test_a_message_that_both_sides_send_is_of_both(tmp_path: Path) -> None:
    document = chat()
    document["operations"]["tell"].pop("messages")  # all in the channel
    imported(tmp_path, document)
    assert model(tmp_path).struct("Said").origin == "both"


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0"])
def test_bodies_of_operations_are_roots_and_operations_are_lost(tmp_path: Path, version: str) -> None:
    done = imported(tmp_path, pets(version))
    assert ("lost", "/paths") in {(each.kind, each.place) for each in done.notes}
    made = model(tmp_path)
    assert {*made.protocol.roots} == {"ListPetsResponse200", "Error", "Pet"}
    assert isinstance(made.declarations["Pet"], Union)
    cat = made.declarations["Cat"]
    assert isinstance(cat, Struct)
    assert [(each.name, each.nullable) for each in cat.wire_fields if each.name == "lives"] == [("lives", True)]


def test_a_webhook_has_a_root_and_is_no_call(tmp_path: Path) -> None:
    hook = {
        "post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Dog"}}}}}
    }
    done = imported(tmp_path, pets("3.1.0", paths={}, webhooks={"bark": hook}))
    assert "lost" not in {each.kind for each in done.notes}
    assert "Dog" in model(tmp_path).protocol.roots


def test_operations_of_asyncapi_2_say_what_clients_do(tmp_path: Path) -> None:
    avro = {"schemaFormat": "application/vnd.apache.avro;version=1.9.0", "payload": {"type": "record"}}
    document = {
        "asyncapi": "2.6.0",
        "info": {"title": "Chat", "version": "1.0.0"},
        "channels": {
            "room": {
                "publish": {"message": {"$ref": "#/components/messages/Said"}},
                "subscribe": {"message": {"oneOf": [{"$ref": "#/components/messages/Left"}, a_message("kicked")]}},
            },
            "room/{name}": {
                "subscribe": {"message": {**a_message("moved"), "name": "Moved"}},
                "publish": {"operationId": "heard", "message": a_message("heard")},
            },
            "binary": {"publish": {"message": avro}},
            "quiet": {"publish": {}},
        },
        "components": {
            "messages": {"Said": a_message("said"), "Left": a_message("left"), "Unused": a_message("unused")}
        },
    }
    done = imported(tmp_path, document)
    made = model(tmp_path)
    assert {each.name: each.origin for each in made.structs} == {
        "Said": "client",
        "Left": "application",
        "RoomSubscribe1": "application",
        "Moved": "application",
        "RoomNamePublish": "client",
        "Unused": "both",
    }
    by, is_open, names = variants(made, "Message")
    assert (by, is_open, len(names)) == ("type", True, 6)
    assert [each.place for each in done.notes if each.kind == "lost"] == ["/channels/binary/publish/message"]


def test_an_identifier_used_as_a_name_moves_no_references(tmp_path: Path) -> None:
    document = chat()
    schemas = document["components"]["schemas"]
    schemas["Said"]["$id"] = "SaidPayload"
    schemas["Said"]["properties"]["tone"] = {"$ref": "#/$defs/Tone"}
    schemas["Said"]["$defs"] = {"Tone": {"enum": ["low", "high"]}}
    imported(tmp_path, document)
    assert fields(model(tmp_path), "Said") == {"default": "Mood", "tone?": "Tone"}


def test_a_discriminator_adds_no_values_to_a_union_whose_alternatives_state_them(tmp_path: Path) -> None:
    effects = {"none": ["None"], "blur": ["Blur"], "grain": ["Noise"], "dots": ["Noise"]}
    stated = {"required": ["type"], "properties": {"type": {"enum": ["blur"]}}}
    blurs = {
        name: {
            "type": "object",
            "required": ["how"],
            "allOf": [stated],
            "properties": {"how": {"const": name}},
        }
        for name in ("Normal", "Growing")
    }
    noises = {
        name: {"type": "object", "required": ["of"], "properties": {"of": {"const": name}}}
        for name in ("Mono", "Multi")
    }
    place = "#/components/schemas/"
    document = {
        "openapi": "3.0.3",
        "components": {
            "schemas": {
                "Root": {"required": ["effect"], "properties": {"effect": {"$ref": f"{place}Effect"}}},
                "Effect": {
                    "oneOf": [{"$ref": f"{place}{name}"} for name in ("None", "Blur", "Noise")],
                    "discriminator": {
                        "propertyName": "type",
                        "mapping": {value: f"{place}{name}" for value, [name] in effects.items()},
                    },
                },
                "None": {"type": "object", "properties": {"type": {"type": "string"}}},
                "Blur": {"oneOf": [{"$ref": f"{place}{name}"} for name in blurs]},
                "Noise": {"anyOf": [{"$ref": f"{place}{name}"} for name in noises]},
                **blurs,
                **noises,
            }
        },
    }
    done = imported(tmp_path, document)
    made = model(tmp_path)
    assert variants(made, "Effect")[:2] == ("type", True)
    guessed = [each.message.split(" of ")[1].split()[0] for each in done.notes if "discriminator" in each.message]
    assert guessed == ["None", "Noise"]


@pytest.mark.parametrize(
    ("kind", "document", "message"),
    [
        ("openapi", {"openapi": "2.0"}, r"version 2\.0; only openapi 3\.x is read"),
        ("asyncapi", {"asyncapi": "1.2.0"}, r"version 1\.2\.0; only asyncapi 2\.x or 3\.x is read"),
        ("openapi", {"swagger": "2.0"}, "no version: the key `openapi` is missing"),
        ("asyncapi", {"asyncapi": "3.0.0"}, "no message has a payload"),
        ("asyncapi", chat(operations={"a": {"$ref": "#/none"}}), "/none: a reference leads here, and there is nothing"),
        ("asyncapi", chat(operations={"a": {"$ref": "b.yaml#/x"}}), "bundle the document into one file"),
        ("asyncapi", said("../b.json"), "/components/messages/Said/payload: .* outside of the folder of the document"),
        ("asyncapi", said("http://example.com/b.json"), "/components/messages/Said/payload: .*nothing is fetched"),
        ("asyncapi", said("b.json"), "/components/messages/Said/payload: .*nothing is fetched"),
        ("asyncapi", said("#/none"), "/none: a reference leads here, and there is nothing"),
        ("asyncapi", chat(channels={"a": {"$ref": "#/channels/a"}}, operations={}), ""),
        ("openapi", pets(components={"schemas": []}, paths={}), "expected an object of schemas"),
        ("openapi", pets(paths={"/": {"get": {"requestBody": 5, "responses": [1]}}}), "the source has no root"),
        ("openapi", {"openapi": "3.0.3", "paths": {}}, "the source has no root: .*; it declares no types"),
    ],
)
def test_faults_of_documents_are_messages(tmp_path: Path, kind: str, document: Any, message: str) -> None:
    if not message:
        imported(tmp_path, document, kind)  # it says nothing, and nothing fails
        return
    with pytest.raises(ImportingError, match=message):
        imported(tmp_path, document, kind)


def test_yaml_with_faults_is_reported_with_their_places(tmp_path: Path) -> None:
    source = tmp_path / "api.yaml"
    source.write_text("openapi: 3.0.3\npaths: {a: 1, a: 2}\n", encoding="utf-8")
    with pytest.raises(ImportingError, match=r"api\.yaml:2:15"):
        run("openapi", [source], tmp_path / "spec")


def test_aliases_in_yaml_are_what_they_stand_for(tmp_path: Path) -> None:
    source = tmp_path / "api.yaml"
    source.write_text(
        """
openapi: 3.0.3
components:
  schemas:
    Root:
      properties: {first: &ref_0 {type: object, properties: {at: &ref_1 {type: integer}}}, second: *ref_0}
    Other: {type: object, properties: {at: *ref_1}}
""",
        encoding="utf-8",
    )
    run("openapi", [source], tmp_path / "spec", roots=["Root", "Other"])
    made = model(tmp_path)
    assert fields(made, "Other") == {"at?": "integer"}
    assert [fields(made, name) for name in ("RootFirst", "RootSecond")] == [{"at?": "integer"}] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: &a [*a]\n", "yaml:1:8: no anchor `&a` comes before this alias"),
        ("a: *b\nc: &b 1\n", "yaml:1:4: no anchor `&b` comes before this alias"),
        (
            "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
            + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)),
            "yaml:6:45: aliases make more than 1,000,000 nodes",
        ),
        (
            f"a0: &a0 {'[' * 150}{']' * 150}\n"
            + "".join(f"a{n}: &a{n} {'[' * 150}*a{n - 1}{']' * 150}\n" for n in range(1, 12)),
            "yaml:2:159: nested more than 200 levels deep",
        ),
    ],
)
def test_aliases_neither_nest_in_themselves_nor_grow_without_bound(tmp_path: Path, text: str, message: str) -> None:
    source = tmp_path / "api.yaml"
    source.write_text(text, encoding="utf-8")
    with pytest.raises(ImportingError, match=message):
        run("openapi", [source], tmp_path / "spec")
