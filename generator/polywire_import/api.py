"""The names of the package, for importers of others."""

from __future__ import annotations

from polywire_import.command import report_of
from polywire_import.envelopes import add_envelopes
from polywire_import.overrides import Overrides
from polywire_import.overrides import load as load_overrides
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
