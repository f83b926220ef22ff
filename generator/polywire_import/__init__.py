"""Specs from other descriptions of a protocol: schemas, declarations, traffic, and the sources of your own importers.

An importer fills a `Catalog`: declarations by their names in the source, each a shape with its place there; `calls` for
requests and notifications; `roots`, which are decoded. `import_catalog` does the rest: it finds out how to distinguish
alternatives, names what has no name, writes the folder, merges it with edits made there, and lints it.

    catalog = Catalog()
    catalog.declarations["Point"] = Declared("Point", Object((Member("x", Scalar("number")),)), place="/Point")
    catalog.roots = ["Point"]
    print(report_of(import_catalog(catalog, Path("spec"))))

Shapes may be nested, and can express more than a spec; the report lists everything that could not be expressed or had
to be guessed. A `Ref` names a declaration of the catalog. For JSON-RPC, `add_envelopes` adds the envelopes of the
calls. `examples/importers/` has an importer that uses only these names.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polywire_import.command import report_of
    from polywire_import.envelopes import add_envelopes
    from polywire_import.overrides import Overrides, load_overrides
    from polywire_import.run import Imported, import_catalog
    from polywire_import.shapes import (
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


def __getattr__(name: str) -> object:
    """Load the modules when a name is used: the commands of this package are loaded to list them in any help text."""
    if name in __all__:
        for module in ("shapes", "overrides", "envelopes", "run", "command"):
            found = vars(import_module(f"{__name__}.{module}"))
            if name in found:
                return found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
