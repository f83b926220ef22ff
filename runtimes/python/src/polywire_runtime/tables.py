"""The values in files of lines as tables, in Arrow record batches. They need the extra `arrow`.

`python -m polywire_runtime.tables TABLE FILES --out TABLE.parquet` writes a table to a file.
"""

from __future__ import annotations

from json import loads

from ._description import DESCRIPTION, DISTRIBUTION
from ._native import EXTENSION
from ._tables import MissingArrowError, Tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike
    from typing import Any

__all__ = ["NAMES", "MissingArrowError", "ddl", "read", "read_all", "schema"]

_TABLES = Tables({part: loads(text) for part, text in DESCRIPTION.items()}, DISTRIBUTION, EXTENSION)

NAMES: tuple[str, ...] = _TABLES.names
"""The tables; the last one has what could not be read."""


def schema(name: str) -> Any:
    """The Arrow schema of a table."""
    return _TABLES.schema(name)


def ddl(name: str) -> str:
    """The columns of a table in Spark's notation."""
    return _TABLES.ddl(name)


def read(name: str, files: Iterable[str | PathLike[str]], root: str | None = None) -> Iterator[Any]:
    """Yield the rows of a table in files of lines, as Arrow record batches.

    What cannot be read is in the table `problems`, for all tables of a root, which is the type of the lines. The
    default is the first root that has tables. A batch has at most 8,192 rows or 16 MiB. Besides that, one line is in
    memory.
    """
    return _TABLES.read(name, files, root)


def read_all(files: Iterable[str | PathLike[str]], root: str | None = None) -> Iterator[tuple[str, Any]]:
    """Yield the rows of all tables of a root, as names of tables and Arrow record batches; it parses each line once.

    The default is the first root that has tables.
    """
    return _TABLES.read_all(files, root)


if __name__ == "__main__":
    from ._tables_command import run

    raise SystemExit(run(_TABLES, f"python -m {__package__}.tables"))
