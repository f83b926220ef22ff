"""Sources written by a test → specs imported from them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polywire.checks import check
from polywire.model.nodes import Model, Struct, Union
from polywire.model.walk import spell
from polywire.source.report import Faults
from polywire.source.tree import Node, Table, read
from polywire_import.run import Imported, run

ROOT = Path(__file__).resolve().parents[2]
OVERRIDES = Path(__file__).parent / "overrides"


def schema(folder: Path, definitions: Mapping[str, Any], name: str = "schema.json", **more: Any) -> Path:
    """Write a file with a schema of some definitions; return its path."""
    path = folder / name
    path.write_text(json.dumps({"$defs": definitions, **more}), encoding="utf-8")
    return path


def imported(
    folder: Path, definitions: Mapping[str, Any], overrides: str | None = None, *, roots: tuple[str, ...] = ("Root",),
    docs: bool = False,
) -> Imported:  # fmt: skip
    """Import a schema into the folder `spec` below a folder."""
    path = None
    if overrides is not None:
        path = folder / "overrides.yaml"
        path.write_text(overrides, encoding="utf-8")
    return run("json-schema", [schema(folder, definitions)], folder / "spec", path, roots=roots, docs=docs)


def model(folder: Path) -> Model:
    """Return the model of the spec below a folder, for which lint has no findings."""
    report = check(folder / "spec", strict=True)
    assert [f"{each.place} {each.rule} {each.message}" for each in report.findings] == []
    assert report.model is not None
    return report.model


def fields(model: Model, name: str) -> dict[str, str]:
    """Return the fields of a type as written in a spec."""
    struct = model.declarations[name]
    assert isinstance(struct, Struct)
    return {
        f"{each.name}{'' if each.required else '?'}": f"{spell(each.type)}{' | null' if each.nullable else ''}"
        for each in struct.fields
    }


def variants(model: Model, name: str) -> tuple[str, bool, list[str]]:
    """Return the discriminator of a union, whether it is open, and its variants."""
    union = model.declarations[name]
    assert isinstance(union, Union)
    return union.by, union.open, [each.name for each in union.variants]


def text(folder: Path) -> str:
    """Return the text of all files of the spec below a folder."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((folder / "spec").glob("*.yaml")))


def an_object(properties: Mapping[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    """Return the schema of an object."""
    return {"type": "object", "properties": dict(properties), "required": list(required), **more}


def const(value: object) -> dict[str, Any]:
    """Return the schema of a constant."""
    return {"const": value}


def ref(name: str) -> dict[str, str]:
    """Return a reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


TEXT = {"type": "string"}


def written(folder: Path) -> dict[tuple[str, str], Node]:
    """Return every entry of the spec below a folder, by section and name, regardless of its file."""
    found: dict[tuple[str, str], Node] = {}
    for path in sorted((folder / "spec").glob("*.yaml")):
        faults = Faults()
        root = read(path.read_bytes(), path.name, faults)
        assert (faults.found, isinstance(root, Table)) == ((), True)
        assert isinstance(root, Table)
        for section in root:
            if isinstance(section.value, Table) and section.key.text not in {"protocol", "packages"}:
                found |= {(section.key.text, each.key.text): each.value for each in section.value}
            elif section.key.text == "protocol":
                found["", "protocol"] = section.value
    return found
