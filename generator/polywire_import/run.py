"""An import from start to finish: sources → catalog → description → files → folder, and a lint of the result."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polywire import checks
from polywire_import import folder
from polywire_import.collisions import resolve
from polywire_import.describe import describe
from polywire_import.jsonrpc import add_calls
from polywire_import.meeting import meet
from polywire_import.merging import Change
from polywire_import.overrides import Overrides, load_overrides
from polywire_import.shapes import Catalog, ImportingError, Note, walk


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: `sections` counts declarations."""

    notes: tuple[Note, ...]
    changes: tuple[Change, ...]
    sections: Mapping[str, int]
    overrides: int
    written: tuple[str, ...]
    report: checks.Report


def run(
    kind: str,
    sources: Sequence[Path],
    out: Path,
    overrides: Path | None = None,
    *,
    roots: Sequence[str] = (),
    docs: bool | None = None,
    compiler: Path | None = None,
) -> Imported:
    """Import sources of a kind into a folder; `compiler` is for TypeScript. Raises `ImportingError`."""
    before = folder.recorded(out)
    arguments = dict(before.arguments) if before is not None else {}
    if overrides is not None:
        arguments["overrides"] = os.path.relpath(overrides, out)
    elif arguments.get("overrides"):
        overrides = out / str(arguments["overrides"])
        if not overrides.exists():
            raise ImportingError(f"{overrides}: the last import took its overrides from there; name them with"
                                 " --overrides")  # fmt: skip
    if docs is None:
        docs = arguments.get("docs") is True
    chosen = load_overrides(overrides) if overrides is not None else Overrides()
    roots = roots or [str(each) for each in _listed(arguments.get("roots"))]
    catalog = _read(kind, sources, chosen, roots, docs=docs, compiler=compiler)
    arguments |= {"from": kind, "docs": docs, "roots": list(roots)}
    return import_catalog(catalog, out, chosen, arguments)


_ENDS = {
    ".json": "json-schema",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
}


def kind_of(source: Path) -> str:
    """Return the kind of a source by its file extension, or by its keys. Raises `ImportingError`."""
    suffix = source.suffix.lower()
    kind = _ENDS.get(suffix)
    if suffix in {".json", ".yaml", ".yml"}:
        from polywire_import.interfaces import kind_in

        kind = kind_in(source) or kind
    if kind is None:
        raise ImportingError(
            f"{source}: cannot tell its kind from its name ({', '.join(_ENDS)}); state"
            f" it with `polywire import --from KIND`"
        )
    return kind


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _read(
    kind: str, sources: Sequence[Path], chosen: Overrides, roots: Sequence[str], *, docs: bool, compiler: Path | None
) -> Catalog:
    match kind:
        case "json-schema":
            from polywire_import import schema

            annotations = {str(key): str(value) for key, value in chosen.all("annotations").items()}
            catalog = schema.read(sources, schema.Annotations(**annotations), docs=docs)
        case "openapi" | "asyncapi":
            from polywire_import import interfaces

            catalog = interfaces.read(kind, sources, docs=docs)
        case "ndjson":
            from polywire_import import ndjson

            catalog = ndjson.read(sources)
        case "typescript":
            from polywire_import import typescript

            return typescript.read(sources, roots, docs=docs, compiler=compiler)
        case _:
            raise ImportingError(f"there is no importer for {kind!r}")
    if roots:
        catalog.roots = list(roots)
    return catalog


def import_catalog(
    catalog: Catalog, out: Path, overrides: Overrides | None = None, arguments: Mapping[str, object] | None = None
) -> Imported:
    """Import a catalog into a folder; importers of other sources call this. Raises `ImportingError`."""
    chosen, stated = overrides or Overrides(), arguments or {}
    is_schema = stated.get("from") == "json-schema"
    try:
        meet(catalog)
        add_calls(catalog, chosen, unaided=is_schema and not stated.get("roots") and not chosen.all("roots"))
        description = describe(catalog, chosen)
    except RecursionError as error:
        raise ImportingError("declarations of the source are nested too deeply") from error
    chosen.refuse_unused(iter([*catalog.declarations, *_places(catalog)]))
    description = resolve(description, catalog, out, folder.fresh)
    result = folder.files(description, out, stated)
    written = folder.write(result, out)
    report = checks.check_all(out)
    counts = Counter(each.section for each in description.entries)
    return Imported(tuple(dict.fromkeys(catalog.notes)), result.changes, counts, chosen.count, tuple(written), report)


def _places(catalog: Catalog) -> list[str]:
    places = [declared.place for declared in catalog.declarations.values()]
    for declared in catalog.declarations.values():
        for shape in walk(declared.shape):
            places.extend(each.place for each in getattr(shape, "members", ()) if getattr(each, "place", ""))
    return places
