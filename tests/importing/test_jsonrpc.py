"""Requests, notifications, responses and envelopes of JSON-RPC, as named by overrides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from importing.imports import TEXT, an_object, fields, imported, model, ref, text
from polywire_import.shapes import ImportingError

METHODS: dict[str, Any] = {
    "Asked": {"anyOf": [ref("ReadRequest"), ref("PingRequest")]},
    "Told": {"anyOf": [ref("Moved"), ref("Dropped")]},
    "ReadRequest": an_object(
        {"jsonrpc": {"const": "2.0"}, "id": ref("Id"), "method": {"const": "files/read"}, "params": ref("ReadParams")},
        "jsonrpc", "id", "method", "params",
    ),
    "ReadParams": an_object({"path": TEXT}, "path"),
    "ReadResult": an_object({"text": TEXT}, "text"),
    "PingRequest": an_object({"method": {"const": "ping"}}, "method"),
    "Empty": an_object({"meta": TEXT}),
    "Moved": an_object({"method": {"const": "moved"}, "params": an_object({"to": TEXT}, "to")}, "method"),
    "Dropped": an_object({"method": {"const": "dropped"}, "params": an_object({"request": ref("Id")})}, "method"),
    "Id": {"type": ["string", "integer", "null"]},
    "Quota": an_object({"code": {"const": -32001}, "message": TEXT, "data": ref("QuotaData")}, "code", "data"),
    "QuotaData": an_object({"left": {"type": "integer"}}, "left"),
}  # fmt: skip

OVERRIDES = """
protocol: {name: files, framing: content-length}
jsonrpc:
  requests: {client: Asked, server: Asked}
  notifications: {server: Told}
  results: {"*Request": "*Result", "*": Empty}
  errors: [Quota]
  cancel: {notify: dropped, id: /params/request, answered: false}
"""


def test_methods_that_are_constants_are_requests_and_notifications(tmp_path: Path) -> None:
    imported(tmp_path, METHODS, OVERRIDES, roots=())
    made = model(tmp_path)
    assert (made.protocol.peers, made.protocol.framing) == (("client", "server"), "content-length")
    assert made.protocol.roots == ("JSONRPCMessage",)
    assert {each.key: each.origin for each in made.controls} == {
        "files/read": "both", "ping": "both", "moved": "server", "dropped": "server"
    }  # fmt: skip
    assert fields(made, "ReadRequest") == {"params": "ReadParams"}
    said = text(tmp_path)
    assert "    request: {params: ReadParams}\n    response: ReadResult\n" in said
    assert "    name: PingRequest\n    request: {}\n    response: Empty\n" in said
    assert "    name: Moved\n    notify:\n      params?: MovedParams\n" in said


def test_the_block_that_pairs_requests_and_answers_is_written(tmp_path: Path) -> None:
    done = imported(tmp_path, METHODS, OVERRIDES, roots=())
    said = text(tmp_path)
    assert 'request: {envelope: JSONRPCRequest, id: /id, payload: "", by: method}' in said
    assert "types: {-32001: QuotaData}" in said
    assert "cancel: {notify: dropped, id: /params/request, answered: false}" in said
    assert fields(model(tmp_path), "JSONRPCRequest")["id"] == "Id"
    assert "type: string | integer\n" in said
    notes = [note.place for note in done.notes if "null is only an id" in note.message]
    assert notes == ["/$defs/Id"]


def test_parameters_that_are_annotated_with_their_method_are_requests(tmp_path: Path) -> None:
    annotated = {name: {**METHODS[name], "x-method": method} for name, method in (("ReadParams", "read"),)}
    asked = an_object({"id": ref("Id"), "method": TEXT, "params": {"anyOf": [ref("ReadParams"), {"type": "null"}]}})
    definitions = {"Asked": asked, "Id": METHODS["Id"], "ReadResult": METHODS["ReadResult"], **annotated}
    overrides = """
    annotations: {method: x-method}
    jsonrpc: {requests: {editor: Asked}, results: {"*Params": "*Result"}}
    """
    imported(tmp_path, definitions, overrides, roots=())
    made = model(tmp_path)
    assert made.protocol.peers == ("editor",)
    assert [(each.key, each.origin) for each in made.controls] == [("read", "editor")]
    assert fields(made, "ReadRequest") == {"params?": "ReadParams | null"}


def test_names_of_calls_keep_clear_of_the_types_of_the_source(tmp_path: Path) -> None:
    params = {**an_object({"path": TEXT}), "x-method": "read"}
    definitions = {"Asked": an_object({"params": {"anyOf": [ref("ReadRequest")]}}), "ReadRequest": params}
    overrides = "{annotations: {method: x-method}, jsonrpc: {requests: {client: Asked}}}"
    done = imported(tmp_path, definitions, overrides, roots=())
    assert "    name: ReadCall\n" in text(tmp_path)
    assert "no result is known; any is taken" in [note.message for note in done.notes]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ("jsonrpc: {requests: {client: Askd}}", "the source declares no 'Askd'; did you mean 'Asked'?"),
        ("jsonrpc: {requests: {client: Empty}}", "Empty is neither a union of objects with a constant `method`"),
        ("jsonrpc: {requests: {client: Asked}, results: {Pin: Empty}}", "Pin applies to no request"),
        ("jsonrpc: {requests: {client: Asked}, results: {PingRequest: Emty}}", "the source declares no 'Emty'"),
        ("jsonrpc: {requests: [Asked]}", "`requests` is a mapping of names"),
        ("jsonrpc: {requests: {client: Asked}, errors: [Empty]}", "Empty has no constant `code` next to `data`"),
        ("{protocol: {peers: [a, b]}, jsonrpc: {requests: {c: Asked}}}", "'c' is not a peer"),
        ("jsonrpc: {request: {client: Asked}}", "`jsonrpc` has no 'request'; did you mean 'requests'?"),
    ],
)
def test_a_mapping_that_leads_nowhere_is_an_error(tmp_path: Path, overrides: str, message: str) -> None:
    with pytest.raises(ImportingError) as raised:
        imported(tmp_path, METHODS, overrides, roots=())
    assert message in str(raised.value)


def test_a_method_with_two_meanings_accepts_both(tmp_path: Path) -> None:
    other = an_object({"method": {"const": "ping"}, "params": an_object({"at": TEXT}, "at")}, "method", "params")
    overrides = "jsonrpc: {requests: {client: Asked, server: Other}, results: {PingRequest: Empty, Ping2: ReadResult}}"
    definitions = {**METHODS, "Other": {"anyOf": [ref("Ping2")]}, "Ping2": other}
    done = imported(tmp_path, definitions, overrides, roots=())
    made = model(tmp_path)
    assert {each.key: each.origin for each in made.controls} == {"files/read": "client", "ping": "both"}
    assert fields(made, "PingRequest") == {"params?": "PingParams"}
    assert "    response: PingResult\n" in text(tmp_path)
    assert "'ping' has two meanings; it accepts what either does" in [note.message for note in done.notes]
