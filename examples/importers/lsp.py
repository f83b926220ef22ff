"""Imports the meta model of the Language Server Protocol.

    python lsp.py metaModel.json spec/ [overrides.yaml]

An importer for a format that polywire does not know, made of the names that `polywire_import` offers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from polywire_import import (
    Anything,
    Array,
    Call,
    Catalog,
    Declared,
    Imported,
    ImportingError,
    Literal,
    Map,
    Member,
    Null,
    Object,
    OneOf,
    Overrides,
    Ref,
    Scalar,
    Shape,
    Tuple,
    add_envelopes,
    import_catalog,
    load_overrides,
    report_of,
)

BASE: dict[str, Shape] = {
    "string": Scalar("string"),
    "DocumentUri": Scalar("string"),
    "URI": Scalar("string"),
    "RegExp": Scalar("string"),
    "boolean": Scalar("boolean"),
    "integer": Scalar("integer"),
    "uinteger": Scalar("integer", 0),
    "decimal": Scalar("number"),
    "null": Null(),
}
PEERS = {"clientToServer": "client", "serverToClient": "server", "both": "both"}


def shape(node: dict[str, Any], place: str) -> Shape:
    """A type of the meta model."""
    match node["kind"]:
        case "base":
            return BASE[node["name"]]
        case "reference":
            return Anything() if node["name"] == "LSPAny" else Ref(node["name"])
        case "array":
            return Array(shape(node["element"], place))
        case "or":
            return OneOf(tuple(shape(each, place) for each in node["items"]), place=place)
        case "and":
            return Object((), tuple(shape(each, place) for each in node["items"]), place=place)
        case "tuple":
            return Tuple(tuple(shape(each, place) for each in node["items"]))
        case "map":
            return Map(shape(node["value"], place))
        case "literal":
            return Object(members(node["value"]["properties"], place), place=place)
        case "stringLiteral" | "integerLiteral" | "booleanLiteral":
            return Literal(node["value"])
    raise ImportingError(f"{place}: a type of kind {node['kind']!r}, which this importer does not know")


def members(properties: list[dict[str, Any]], place: str) -> tuple[Member, ...]:
    return tuple(
        Member(
            each["name"],
            shape(each["type"], f"{place}/{each['name']}"),
            required=not each.get("optional", False),
            deprecated="deprecated" in each,
            place=f"{place}/{each['name']}",
        )
        for each in properties
    )


def read(path: Path) -> Catalog:
    """The catalog of a meta model."""
    model = json.loads(path.read_text(encoding="utf-8"))
    catalog = Catalog()
    for each in model["structures"]:
        bases = tuple(Ref(base["name"]) for base in (*each.get("extends", ()), *each.get("mixins", ())))
        place = f"/structures/{each['name']}"
        body = Object(members(each["properties"], place), bases, place=place)
        catalog.declarations[each["name"]] = Declared(each["name"], body, place, deprecated="deprecated" in each)
    for each in model["enumerations"]:
        values = tuple(Literal(value["value"], title=value["name"]) for value in each["values"])
        place = f"/enumerations/{each['name']}"
        custom = each.get("supportsCustomValues", False)
        catalog.declarations[each["name"]] = Declared(each["name"], OneOf(values, open=custom, place=place), place)
    for each in model["typeAliases"]:
        place = f"/typeAliases/{each['name']}"
        body_of = Anything() if each["name"] == "LSPAny" else shape(each["type"], place)
        catalog.declarations[each["name"]] = Declared(each["name"], body_of, place)
    for each in model["requests"]:
        catalog.calls.append(call(each, "/requests", answered=True))
    for each in model["notifications"]:
        catalog.calls.append(call(each, "/notifications", answered=False))
    catalog.header |= {"name": "lsp", "title": "Language Server Protocol", "version": model["metaData"]["version"]}
    catalog.header["framing"] = "content-length"
    cancel = {"notify": "$/cancelRequest", "id": "/params/id", "answered": True}
    add_envelopes(catalog, ["client", "server"], OneOf((Scalar("integer"), Scalar("string"))), cancel=cancel)
    return catalog


def call(each: dict[str, Any], section: str, *, answered: bool) -> Call:
    """A request or a notification."""
    place = f"{section}/{each['method']}"
    params = (Member("params", shape(each["params"], place), place=place),) if "params" in each else ()
    return Call(
        each["method"],
        PEERS[each["messageDirection"]],
        params,
        answered,
        shape(each["result"], place) if answered else None,
        error=shape(each["errorData"], place) if "errorData" in each else None,
        place=place,
        name=each["typeName"],
    )


def main(source: str, out: str, overrides: str | None = None) -> Imported:
    said = load_overrides(Path(overrides)) if overrides else Overrides()
    return import_catalog(read(Path(source)), Path(out), said)


if __name__ == "__main__":
    try:
        imported = main(*sys.argv[1:])
    except ImportingError as error:
        sys.exit(f"Error: {error}")
    sys.stdout.write(report_of(imported))
    sys.exit(1 if imported.report.failed else 0)
