"""Specs from other descriptions of a protocol: schemas, declarations, traffic, and whatever an importer of yours reads.

An importer fills a `Catalog`: declarations by the names that they have in the source, each a shape with its place
there; `calls` for requests and notifications; `roots`, which are decoded. `import_catalog` does the rest: it finds out
what tells alternatives apart, names what has no name, writes the folder, merges it with what was edited there, and
lints it.

    catalog = Catalog()
    catalog.declarations["Point"] = Declared("Point", Object((Member("x", Scalar("number")),)), place="/Point")
    catalog.roots = ["Point"]
    print(report_of(import_catalog(catalog, Path("spec"))))

Shapes may be nested, and say more than a spec can; what the language cannot say, or had to guess, is in the report. A
`Ref` names a declaration of the catalog. For JSON-RPC, `add_envelopes` adds what carries the calls.
`examples/importers/` has an importer made of these names alone.
"""

from __future__ import annotations

from polywire.importing.command import report_of
from polywire.importing.jsonrpc import add_envelopes
from polywire.importing.overrides import Overrides
from polywire.importing.overrides import load as load_overrides
from polywire.importing.run import Imported, import_catalog
from polywire.importing.shapes import (
    AnyObject,
    Anything,
    Array,
    Call,
    Catalog,
    Declared,
    ImportingError,
    Literal,
    Map,
    Member,
    Note,
    Null,
    Object,
    OneOf,
    Ref,
    Scalar,
    Shape,
    Tuple,
    Written,
)

__all__ = [
    "AnyObject",
    "Anything",
    "Array",
    "Call",
    "Catalog",
    "Declared",
    "Imported",
    "ImportingError",
    "Literal",
    "Map",
    "Member",
    "Note",
    "Null",
    "Object",
    "OneOf",
    "Overrides",
    "Ref",
    "Scalar",
    "Shape",
    "Tuple",
    "Written",
    "add_envelopes",
    "import_catalog",
    "load_overrides",
    "report_of",
]
