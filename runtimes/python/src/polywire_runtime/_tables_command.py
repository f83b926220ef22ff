# pyright: basic
"""`python -m PACKAGE.tables TABLE FILE… --out TABLE.parquet`: a table of files of lines, as a Parquet file."""

from __future__ import annotations

import glob
import os
import sys
from argparse import ArgumentParser
from importlib import import_module

from ._tables import PROBLEMS, MissingArrowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from ._tables import Tables

__all__ = ["files_in", "run"]

_ENDINGS = (".jsonl", ".ndjson")


def run(tables: Tables, program: str, arguments: Sequence[str] | None = None) -> int:
    """Write a table to a file. Returns the exit status."""
    given = _parser(tables, program).parse_args(arguments)
    files = [*files_in(given.files)]
    try:
        count = _write(tables, given.table, files, given.root, given.out)
    except (MissingArrowError, ValueError, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    rows = "row" if count == 1 else "rows"
    print(f"{given.out}: {count:,} {rows} of {given.table}", file=sys.stderr)
    return 0


def _parser(tables: Tables, program: str) -> ArgumentParser:
    parser = ArgumentParser(
        program,
        description="Write a table of files of lines as a Parquet file.",
        epilog=f"What cannot be read is in the table {PROBLEMS}.",
    )
    parser.add_argument("table", choices=tables.names, help=f"one of {', '.join(tables.names)}", metavar="TABLE")
    message = f"a file, a pattern such as 'logs/**/*.jsonl', or a folder, of which {' and '.join(_ENDINGS)} are read"
    parser.add_argument("files", nargs="+", help=message, metavar="FILE")
    parser.add_argument("--out", required=True, help="the file to write", metavar="FILE")
    parser.add_argument("--root", help=f"for {PROBLEMS}: the root whose lines are read", metavar="ROOT")
    return parser


def files_in(given: Iterable[str]) -> Iterator[str]:
    """Yield the files that paths, patterns and folders stand for, each once.

    What does not exist is yielded as it is, and so is a folder that cannot be read, so that it becomes a problem.
    """
    seen = set()
    for path in given:
        for file in _files(path):
            if file not in seen:
                seen.add(file)
                yield file


def _files(path: str) -> Iterator[str]:
    if os.path.isdir(path):
        unreadable: list[OSError] = []
        found = []
        for folder, folders, names in os.walk(path, onerror=unreadable.append):
            folders.sort()
            found += [os.path.join(folder, name) for name in names if name.endswith(_ENDINGS)]
        yield from sorted([*found, *(str(error.filename) for error in unreadable)])
    elif os.path.exists(path) or not glob.has_magic(path):
        yield path
    else:
        yield from sorted(glob.glob(path, recursive=True)) or [path]


def _write(tables: Tables, table: str, files: Sequence[str], root: str | None, out: str) -> int:
    """Write the rows to a file that replaces `out` when it is complete. Returns their number."""
    batches = tables.read(table, _shown(files), root)
    parquet: Any = import_module("pyarrow.parquet")
    count, part = 0, f"{out}.part"
    file = open(part, "xb")  # noqa: SIM115 - closed below; nobody else's file is written to, nor what a link leads to
    try:
        with file, parquet.ParquetWriter(file, tables.schema(table)) as writer:
            for batch in batches:
                writer.write_batch(batch)
                count += batch.num_rows
        os.replace(part, out)
    except BaseException:
        os.remove(part)
        raise
    return count


def _shown(files: Sequence[str]) -> Iterator[str]:
    """Yield the files, and show on a terminal how many were begun."""
    for at, file in enumerate(files, 1):
        if sys.stderr.isatty():
            print(f"\r\033[K{at:,} of {len(files):,} files: {file[-60:]}", end="", file=sys.stderr, flush=True)
        yield file
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
