"""The calls of a catalog → the envelopes of JSON-RPC 2.0, and the `control` block that pairs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polywire_import.lookup import Lookup
from polywire_import.shapes import Anything, Catalog, Declared, Member, Null, Object, OneOf, Ref, Scalar, Shape, Written

MESSAGE = "JSONRPCMessage"
"""The name of the union of all messages."""
CODES = {"refused": -32603, "unknown": -32601}


def add_envelopes(
    catalog: Catalog,
    peers: Sequence[str],
    identifier: Shape | None = None,
    error: Shape | None = None,
    errors: Mapping[str, object] | None = None,
    cancel: object = None,
) -> None:
    """Add the envelopes of JSON-RPC 2.0 for a catalog's calls, some of them requests, and the `control` block.

    `error` is the type of `error` in a response; `errors` has `codes` and `types` as in the block.
    """
    identifier = identifier or OneOf((Scalar("string"), Scalar("integer")))
    error = error or _plain_error(catalog)
    both = {"from": "both", "const": {"jsonrpc": "2.0"}}
    payload = _payload(catalog, "RequestPayload", "The method of a request with its parameters.")
    doc = "A request, which is answered under its id."
    _write(catalog, "JSONRPCRequest", "messages", doc, **both, fields={"id": identifier, "payload": payload})
    doc = "The answer to a request."
    _write(catalog, "JSONRPCResponse", "messages", doc, **both, fields={"id": identifier, "result": Anything()})
    fields = {"id?": OneOf((identifier, Null())), "error": error}
    _write(catalog, "JSONRPCFailure", "messages", "The answer to a request that failed.", **both, fields=fields)
    variants: list[object] = [
        {"name": Ref("JSONRPCRequest"), "when": {"has": ["id", "method"]}},
        {"name": Ref("JSONRPCResponse"), "when": {"has": ["result"], "lacks": ["method"]}},
        {"name": Ref("JSONRPCFailure"), "when": {"has": ["error"], "lacks": ["method", "result"]}},
    ]
    members = Lookup(catalog).members_of(error)
    places: dict[str, object] = {key: f"/error/{key}" for key in ("message", "code", "data") if key in members}
    control: dict[str, object] = {
        "ids": {"draw": "counter"},
        "request": {"envelope": Ref("JSONRPCRequest"), "id": "/id", "payload": "", "by": "method"},
        "response": {"envelope": Ref("JSONRPCResponse"), "id": "/id", "result": "/result", "none": {}},
        "error": {"envelope": Ref("JSONRPCFailure"), "id": "/id", **places, "codes": CODES, **(errors or {})},
    }
    if any(not call.answered for call in catalog.calls):
        payload = _payload(catalog, "NotificationPayload", "The method of a notification with its parameters.")
        doc = "A message that is not answered."
        _write(catalog, "JSONRPCNotification", "messages", doc, **both, fields={"payload": payload})
        variants.insert(1, {"name": Ref("JSONRPCNotification"), "when": {"has": ["method"], "lacks": ["id"]}})
        control["notify"] = {"envelope": Ref("JSONRPCNotification"), "payload": "", "by": "method"}
    if cancel is not None:
        control["cancel"] = cancel
    _write(catalog, MESSAGE, "unions", "A line of the protocol.", open=True, by="keys", variants=variants)
    order = ("ids", "request", "notify", "response", "error", "cancel")
    catalog.header["control"] = {key: control[key] for key in order if key in control}
    catalog.header["peers"] = [*peers]
    catalog.roots[:] = [MESSAGE]


def _payload(catalog: Catalog, name: str, doc: str) -> dict[str, object]:
    """Add a union for calls, and return the field that has it as its type."""
    _write(catalog, name, "unions", doc, open=True, by="method", variants=[])
    return {"type": Ref(name), "flatten": True}


def _write(catalog: Catalog, name: str, section: str, doc: str, **body: object) -> None:
    if name in catalog.declarations:
        place = catalog.declarations[name].place
        catalog.note("guessed", place, f"{name} is replaced by the envelope of that name")
    catalog.declarations[name] = Declared(name, Written(name, section, body), "JSON-RPC 2.0", doc)


def _plain_error(catalog: Catalog) -> Shape:
    name = "JSONRPCFault"
    members = (
        Member("code", Scalar("integer")),
        Member("message", Scalar("string")),
        Member("data", Anything(), required=False),
    )
    catalog.declarations[name] = Declared(name, Object(members), "JSON-RPC 2.0", "Why a request failed.")
    return Ref(name)
