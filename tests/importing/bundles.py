"""A generated package of schemas → whether its AsyncAPI document is imported with the types of its open schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from importing.imports import written
from polywire.source.tree import Listing, Node, Table, Text
from polywire_import.run import Imported, run
from polywire_import.shapes import ImportingError


def bundle(files: Mapping[str, bytes]) -> tuple[str, Any]:
    """Return the name of the AsyncAPI document of a package, and its contents; ("", None) if there is none."""
    found = ((path, json.loads(text)) for path, text in files.items() if path.endswith(".asyncapi.json"))
    return next(found, ("", None))


def imported(files: Mapping[str, bytes], folder: Path) -> Imported:
    """Import the AsyncAPI document of a package into the folder `spec` below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        (folder / path).write_bytes(text)
    return run("asyncapi", [folder / bundle(files)[0]], folder / "spec")


def difference(files: Mapping[str, bytes], folder: Path) -> str:
    """Return how an import of the document differs from one of the schema, by which a line is any of the messages."""
    name, document = bundle(files)
    schema = name.replace(".asyncapi.", ".schema.")
    one, other = folder / "bundle", folder / "schema"
    try:
        imported(files, one)
        other.mkdir()
        (other / schema).write_bytes(files[schema])
        names = (each["$ref"].split("/")[-1] for way in document["operations"].values() for each in way["messages"])
        references = [{"$ref": f"{schema}#/$defs/{name}"} for name in dict.fromkeys(names)]
        (other / "line.json").write_text(json.dumps({"title": root(one), "anyOf": references}), encoding="utf-8")
        run("json-schema", [other / "line.json"], other / "spec", roots=[root(one)])
    except ImportingError as error:
        return str(error)
    ours, theirs = types(one), types(other)
    return next((f"{key}: {ours.get(key)}\nis not {theirs.get(key)}" for key in sorted(ours.keys() | theirs.keys())
                 if ours.get(key) != theirs.get(key)), "")  # fmt: skip


def root(folder: Path) -> str:
    """Return the root of the spec below a folder, whose name depends on those of the messages."""
    header = written(folder)["", "protocol"]
    assert isinstance(header, Table)
    roots = header.get("roots")
    assert isinstance(roots, Listing)
    (name,) = roots.items
    assert isinstance(name, Text)
    return name.text


def types(folder: Path) -> dict[str, dict[str, Node]]:
    """Return the types of the spec below a folder, by name, without what depends on the kind of the source."""
    return {
        name: {each.key.text: each.value for each in body if each.key.text not in {"doc", "source", "from"}}
        for (section, name), body in written(folder).items()
        if section and isinstance(body, Table)
    }
