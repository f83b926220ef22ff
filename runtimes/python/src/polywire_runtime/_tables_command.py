# pyright: basic
"""`python -m PACKAGE.tables TABLE FILE… --out TABLE.parquet`: a table of files of lines, as a Parquet file.

Until all files are read, their rows are in parts, Parquet files in the folder `OUT.parts`. The name of a part tells
which files it has, so that the same command continues where it was interrupted, and files that have changed are read
again.
"""

from __future__ import annotations

import glob
import os
import re
import stat
import sys
from argparse import ArgumentParser
from contextlib import suppress
from errno import EISDIR
from hashlib import sha256
from importlib import import_module

from ._tables import PROBLEMS, MissingArrowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from ._tables import Tables

__all__ = ["files_in", "run"]

_ENDINGS = (".jsonl", ".ndjson")

_PART = 16 << 20
"""The number of bytes with which a part is complete. As many and a file are read again after an interruption."""

_BAR = 24
"""The number of characters of a full bar."""


def run(tables: Tables, program: str, arguments: Sequence[str] | None = None) -> int:
    """Write a table to a file. Returns the exit status."""
    given = _parser(tables, program).parse_args(arguments)
    files = [*files_in(given.files)]
    try:
        count = _write(tables, given.table, files, given.root, given.out)
    except (MissingArrowError, ValueError, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{program}: interrupted; the same command continues from {given.out}.parts", file=sys.stderr)
        return 130
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
    """Yield the files that paths, patterns and folders stand for, each once, also if links lead to it.

    What does not exist is yielded as it is, and so is a folder that cannot be read, so that it becomes a problem.
    """
    seen = set()
    for path in given:
        for file in _files(path):
            whole = os.path.realpath(file)
            if whole not in seen:
                seen.add(whole)
                yield file


def _files(path: str) -> Iterator[str]:
    if os.path.isdir(path):
        unreadable: list[OSError] = []
        found = []
        for folder, folders, names in os.walk(path, onerror=unreadable.append):
            folders.sort()
            found += [os.path.join(folder, name) for name in names if name.endswith(_ENDINGS)]
        yield from sorted([*filter(_is_stored, found), *(str(error.filename) for error in unreadable)])
    elif os.path.exists(path) or not glob.has_magic(path):
        yield path
    else:
        for each in sorted(_matching(path)) or [path]:
            yield from _files(each) if os.path.isdir(each) else filter(_is_stored, [each])


def _is_stored(path: str) -> bool:
    """Whether a path may be that of a file: a pipe may never end, and is read only if it is given itself."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return True  # a problem


_SEPARATOR = f"[{re.escape(os.sep + (os.altsep or ''))}]"
_DEEP = re.compile(f"(^|{_SEPARATOR})\\*\\*({_SEPARATOR}|$)")


def _matching(pattern: str) -> Iterator[str]:
    """Yield what a pattern finds, as `glob` does, except that `**` follows no links, which may lead in circles."""
    deep = _DEEP.search(pattern)
    if deep is None:
        yield from glob.glob(pattern)
        return
    top, rest = pattern[: deep.end(1)], pattern[deep.end() :] or "*"
    for each in glob.glob(top) if top else [""]:
        for folder, folders, _ in os.walk(each or os.curdir):
            folders[:] = [name for name in folders if not name.startswith(".")]
            place = folder if each else folder[len(os.curdir + os.sep) :]
            yield from _matching(os.path.join(glob.escape(place), rest))


def _write(tables: Tables, table: str, files: Sequence[str], root: str | None, out: str) -> int:
    """Write the rows to a file that replaces `out` when it is complete. Returns their number."""
    schema = tables.schema(table)
    tables.read(table, (), root)  # checks the root before anything is written
    parquet: Any = import_module("pyarrow.parquet")
    if os.path.isdir(out) or not os.path.basename(out):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), out)
    folder, count, parts = f"{out}.parts", 0, list[str]()
    os.makedirs(folder, exist_ok=True)
    progress = _Progress(files)
    for group, key in _groups(files, f"{tables.fingerprint} {table} {root}"):
        part = os.path.join(folder, f"{key}.parquet")
        parts.append(part)
        if not os.path.exists(part):
            new = f"{part}.new"
            # Arrow gets files only: it takes some names for those of a service, such as `s3:a`.
            with open(new, "wb") as file, parquet.ParquetWriter(file, schema) as writer:
                for batch in tables.read(table, progress.shown(group), root):
                    writer.write_batch(batch)
            os.replace(new, part)
    progress.end()
    whole = f"{out}.part"
    file = open(whole, "xb")  # noqa: SIM115 - closed below; nobody else's file is written to, nor what a link leads to
    try:
        with file, parquet.ParquetWriter(file, schema) as writer:
            for part in parts:
                with open(part, "rb") as rows:
                    for batch in parquet.ParquetFile(rows).iter_batches():
                        writer.write_batch(batch)
                        count += batch.num_rows
        os.replace(whole, out)
    except BaseException:
        os.remove(whole)
        raise
    _remove(folder)
    return count


_A_PART = re.compile("[0-9a-f]{64}[.]parquet([.]new)?")


def _remove(folder: str) -> None:
    """Remove the parts, also those of interrupted commands, and the folder, unless there are files of others in it."""
    for name in os.listdir(folder):
        if _A_PART.fullmatch(name):
            os.remove(os.path.join(folder, name))
    with suppress(OSError):
        os.rmdir(folder)


def _groups(files: Sequence[str], of: str) -> Iterator[tuple[list[str], str]]:
    """Yield the files of each part, and a key that depends on their names, sizes and times."""
    group, length, key = list[str](), 0, sha256(of.encode())
    for file in files:
        size, *times = _state(file)
        group.append(file)
        key.update(f"\0{os.path.abspath(file)}\0{size} {times}".encode(errors="surrogatepass"))
        length += size
        if length >= _PART:
            yield group, key.hexdigest()
            group, length, key = [], 0, sha256(of.encode())
    yield group, key.hexdigest()


def _state(file: str) -> tuple[int, int, int]:
    """The size of a file, and when its contents and its permissions were changed; zeros if there is no such file."""
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return 0, 0, 0
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns


class _Progress:
    """A bar on a terminal that shows how much of the files was read."""

    def __init__(self, files: Sequence[str]) -> None:
        self._numbers = {file: number for number, file in enumerate(files, 1)}
        self._is_shown = sys.stderr.isatty()
        self._sizes = {file: _state(file)[0] for file in files} if self._is_shown else {}
        self._total = sum(self._sizes.values()) or 1
        self._read = 0

    def shown(self, files: Iterable[str]) -> Iterator[str]:
        """Yield files, and show each before it is read."""
        for file in files:
            if self._is_shown:
                self._show(file)
            yield file
            self._read += self._sizes.get(file, 0)

    def _show(self, file: str) -> None:
        share = self._read / self._total
        bar = "#" * int(share * _BAR)
        number, count = self._numbers[file], len(self._numbers)
        name = "".join(each if each.isprintable() else "\ufffd" for each in file[-40:])
        text = f"[{bar:<{_BAR}}] {share:4.0%} {number:,} of {count:,} files: {name}"
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._is_shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
