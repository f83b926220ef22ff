"""Schemas of JSON-RPC in the usual forms, which are imported without overrides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from importing.imports import TEXT, an_object, fields, imported, model, ref, schema, text
from polywire.model.nodes import Model
from polywire.model.walk import spell
from polywire_import.run import run

VERSION = {"jsonrpc": {"const": "2.0"}}
ID = {"id": ref("Id")}
BASE: dict[str, Any] = {
    "Id": {"type": ["string", "integer"]},
    "Reply": an_object({**VERSION, **ID, "result": ref("Empty")}, "jsonrpc", "id", "result"),
    "Empty": an_object({"meta": TEXT}),
}


def a_call(method: str, params: Any = None, **more: Any) -> dict[str, Any]:
    """Return an object with a constant method."""
    properties = {**VERSION, "method": {"const": method}, **({} if params is None else {"params": params}), **more}
    return an_object(properties, *properties)


def any_of(*names: str) -> dict[str, Any]:
    return {"anyOf": [ref(name) for name in names]}


UNIONS: dict[str, Any] = {
    **BASE,
    "ShipRequest": any_of("DockRequest", "PingRequest"),
    "TowerRequest": any_of("PingRequest"),
    "TowerNotification": any_of("FogNotification", "DroppedNotification"),
    "ShipNotification": ref("DroppedNotification"),
    "DockRequest": a_call("dock", an_object({"berth": TEXT}, "berth"), **ID),
    "DockResult": an_object({"until": TEXT}, "until"),
    "PingRequest": a_call("ping", **ID),
    "FogNotification": a_call("fog", an_object({"since": TEXT})),
    "DroppedNotification": a_call("request/cancelled", an_object({"which": ref("Id")}, "which")),
}


def calls(made: Model) -> dict[str, tuple[str, str | None]]:
    """Return the sender and the result of each call; None for a notification."""
    return {
        each.key: (each.origin, None if each.is_notification else spell(each.response) if each.response else "none")
        for each in made.controls
    }


def messages(done: Any, kind: str = "guessed") -> list[str]:
    return [f"{note.place}: {note.message}" for note in done.notes if note.kind == kind]


def test_unions_named_after_peers_are_what_these_send(tmp_path: Path) -> None:
    done = imported(tmp_path, UNIONS, roots=())
    made = model(tmp_path)
    assert made.protocol.peers == ("ship", "tower")
    assert made.protocol.roots == ("JSONRPCMessage",)
    assert calls(made) == {
        "dock": ("ship", "DockResult"),
        "ping": ("both", "Empty"),
        "fog": ("tower", None),
        "request/cancelled": ("both", None),
    }
    assert fields(made, "DockRequest") == {"params": "DockParams"}
    assert messages(done)[:2] == [
        "/$defs/DockRequest: the result is that of DockResult, as its name says",
        "/$defs/PingRequest: no result is known; Empty, which every response has, is taken",
    ]
    assert any(each.startswith(": it is JSON-RPC 2.0, with 2 requests and 2 notifications") for each in messages(done))


def test_a_notification_with_the_id_of_a_request_cancels_it(tmp_path: Path) -> None:
    done = imported(tmp_path, UNIONS, roots=())
    assert "cancel: {notify: request/cancelled, id: /params/which, answered: true}" in text(tmp_path)
    cancels = "'request/cancelled' cancels the request `/params/which`, which is still answered"
    assert f"/$defs/DroppedNotification: {cancels}" in messages(done)


def test_what_overrides_state_is_not_guessed(tmp_path: Path) -> None:
    overrides = """
    jsonrpc:
      results: {PingRequest: none}
      cancel: {notify: request/cancelled, id: /params/which, answered: false}
    """
    done = imported(tmp_path, UNIONS, overrides, roots=())
    assert calls(model(tmp_path))["ping"] == ("both", "none")
    assert "answered: false" in text(tmp_path)
    assert [each for each in messages(done) if "PingRequest" in each or "cancels" in each] == []


def test_a_root_is_imported_as_it_is(tmp_path: Path) -> None:
    imported(tmp_path, UNIONS, roots=("ShipRequest",))
    made = model(tmp_path)
    assert (made.protocol.roots, made.controls) == (("ShipRequest",), ())


def test_calls_without_an_id_in_the_source_are_told_by_their_names(tmp_path: Path) -> None:
    bare = {
        **BASE,
        "ClientRequest": any_of("DockRequest"),
        "ServerNotification": any_of("FogNotification"),
        "DockRequest": an_object({"method": {"const": "dock"}}, "method"),
        "FogNotification": an_object({"method": {"const": "fog"}}, "method"),
    }
    imported(tmp_path, bare, roots=())
    assert calls(model(tmp_path)) == {"dock": ("client", "Empty"), "fog": ("server", None)}


def test_single_objects_are_calls_of_both_peers(tmp_path: Path) -> None:
    single = {
        **{name: BASE[name] for name in ("Id", "Empty")},
        "Dock": a_call("dock", **ID),
        "DockResponse": any_of("DockSuccess", "Failure"),
        "DockSuccess": an_object({**VERSION, **ID, "result": TEXT}, "jsonrpc", "id", "result"),
        "Failure": an_object({**VERSION, **ID, "error": ref("Fault")}, "jsonrpc", "id", "error"),
        "Fault": an_object({"code": {"type": "integer"}, "message": TEXT}, "code", "message"),
        "Fog": a_call("fog"),
    }
    imported(tmp_path, single, roots=())
    made = model(tmp_path)
    assert made.protocol.peers == ("client", "server")
    assert calls(made) == {"dock": ("both", "string"), "fog": ("both", None)}
    assert fields(made, "JSONRPCFailure")["error"] == "Fault"


def test_calls_inside_of_messages_are_no_calls(tmp_path: Path) -> None:
    nested = {
        **UNIONS,
        "DockResult": an_object({"ask": {"type": "object", "additionalProperties": ref("InputRequest")}}, "ask"),
        "InputRequest": any_of("AskRequest", "TellRequest"),
        "AskRequest": an_object({"method": {"const": "ask"}, "params": an_object({"what": TEXT})}, "method"),
        "TellRequest": an_object({"method": {"const": "tell"}}, "method"),
    }
    imported(tmp_path, nested, roots=())
    made = model(tmp_path)
    assert (made.protocol.peers, "ask" in calls(made)) == (("ship", "tower"), False)
    assert "AskRequest" in made.declarations


def test_errors_with_a_constant_code_have_typed_data(tmp_path: Path) -> None:
    fault = an_object({"code": {"type": "integer"}, "message": TEXT, "data": {}}, "code", "message")
    full = an_object({"code": {"const": -32001}, "data": an_object({"free": TEXT}, "free")}, "code", "data")
    errors = {
        **UNIONS,
        "Fault": fault,
        "FullError": an_object({**ID, "error": {"allOf": [ref("Fault"), full]}}, "error"),
        "Failure": an_object({**ID, "error": ref("Fault")}, "error"),
    }
    imported(tmp_path, errors, roots=())
    assert "types: {-32001: FullData}" in text(tmp_path)
    assert fields(model(tmp_path), "JSONRPCFailure")["error"] == "Fault"


def annotated(name: str, *params: str) -> dict[str, Any]:
    """Return an object whose `params` are one of several declarations."""
    properties = {"method": TEXT, "params": {"anyOf": [any_of(*params), {"type": "null"}]}}
    return an_object({**(ID if name.endswith("Request") else {}), **properties}, "method")


def test_annotated_parameters_pair_requests_and_results(tmp_path: Path) -> None:
    def of(method: str, side: str = "tower") -> dict[str, Any]:
        return {**an_object({"at": TEXT}, "at"), "x-method": method, "x-side": side}

    definitions = {
        **BASE,
        "ShipRequest": annotated("ShipRequest", "Docking", "Leaving"),
        "TowerRequest": annotated("TowerRequest", "Docking"),
        "ShipNotification": annotated("ShipNotification", "Left"),
        "Docking": of("dock"),
        "DockAnswer": of("dock"),
        "Leaving": of("leave"),
        "Left": of("leave"),
        "LeavingReply": an_object({"ok": {"type": "boolean"}}, "ok"),
    }
    done = imported(tmp_path, definitions, roots=())
    made = model(tmp_path)
    assert calls(made) == {
        "dock": ("both", "DockAnswer"),
        "leave": ("ship", "LeavingReply"),
        "LeaveNotification": ("ship", None),
    }
    assert "    tag: leave\n" in text(tmp_path)
    assert [each for each in messages(done) if "DockAnswer" in each] == []


def test_an_object_without_a_name_stands_for_calls_of_both(tmp_path: Path) -> None:
    stop = {**an_object({"requestId": ref("Id")}, "requestId"), "x-method": "$/stop"}
    dock = {**an_object({"at": TEXT}), "x-method": "dock"}
    definitions = {**BASE, "Stop": stop, "Dock": dock, "ShipRequest": annotated("ShipRequest", "Dock")}
    source = schema(tmp_path, definitions, anyOf=[ref("ShipRequest"), annotated("", "Stop")])
    done = run("json-schema", [source], tmp_path / "spec")
    made = model(tmp_path)
    assert calls(made) == {"$/stop": ("both", None), "dock": ("both", "Empty")}
    assert made.protocol.peers == ("client", "server")
    assert any(note.place == "" and "JSON-RPC" in note.message for note in done.notes)


def test_batches_are_lost(tmp_path: Path) -> None:
    definitions = {**UNIONS, "Batch": {"type": "array", "items": any_of("DockRequest", "FogNotification")}}
    done = imported(tmp_path, definitions, roots=())
    assert messages(done, "lost") == [": batches of messages are not read: /$defs/Batch"]


@pytest.mark.parametrize(
    "definitions",
    [
        {"Root": an_object({"method": {"const": "GET"}, "params": TEXT}, "method")},
        {"Root": an_object({"jsonrpc": {"const": "2.0"}, "result": TEXT}, "jsonrpc")},
        {"Root": an_object({"jsonrpc": TEXT, "method": {"const": "dock"}}, "method")},
        {"Root": a_call("fog", an_object({"since": TEXT}))},
    ],
)
def test_what_is_no_json_rpc_is_imported_as_it_is(tmp_path: Path, definitions: dict[str, Any]) -> None:
    done = imported(tmp_path, definitions, roots=())
    assert (model(tmp_path).protocol.roots, messages(done)) == (("Root",), [])
