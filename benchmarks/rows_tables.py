"""Rows about tables of stored sessions: time against code by hand and DuckDB, memory, and several processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from statistics import median

import peers
from corpus import HERE
from measure import Cost, Figure, cost, whole_runs
from rows import row

PROGRAM = HERE / "tables_peer.py"
SESSIONS = sorted((HERE.parent / "tests" / "captures" / "sessions").glob("*/*.ndjson"))
MEGABYTES = 500
FILES = 1000
ROUNDS = 3
PART = 200
"""Megabytes that fill several batches of each table, after which the heap no longer grows."""

LONG = 64 << 20


def sessions(megabytes: int = MEGABYTES, files: int = FILES) -> Path:
    """Return a folder with files of captured sessions, which repeat until they are as long as stated."""
    folder = peers.scratch() / f"sessions-{megabytes}"
    if not folder.exists():
        folder.mkdir()
        captured = cycle(path.read_bytes() for path in SESSIONS)
        for number in range(files):
            with (folder / f"{number:04}.jsonl").open("wb") as file:
                while file.tell() < megabytes * 1_000_000 / files:
                    file.write(next(captured))
    return folder


def command(way: str, folder: Path, *part: int) -> list[str | Path]:
    """Return the command that reads the sessions of a folder, or each so many of its files."""
    return [sys.executable, PROGRAM, way, folder, *map(str, part)]


def rows_of(way: str) -> int:
    """Return how many rows a way finds in a small folder."""
    found = subprocess.run(command(way, sessions(10, 10)), check=True, capture_output=True, text=True)
    return int(found.stdout)


def against(ours: str, peer: str) -> Figure:
    """Compare two ways of reading all sessions."""
    folder = sessions()
    figure = whole_runs(
        lambda: cost(command(ours, folder)).seconds, lambda: cost(command(peer, folder)).seconds, ROUNDS
    )
    return replace(figure, remark=f"{rows_of(ours):,} and {rows_of(peer):,} rows of each 10 MB")


@row("Python tables of 500 MB of sessions", "json.loads and extraction by hand", must=1.2)
def tables_pure() -> Figure:
    """Compare CPU seconds, with the start of Python and Arrow."""
    return against("pure", "hand")


@row("Python tables of 500 MB of sessions, native", "json.loads and extraction by hand", must=0.35)
def tables_native() -> Figure:
    """Likewise."""
    return against("native", "hand")


@row("Python tables of 500 MB of sessions, native", "DuckDB's read_json, one table of inferred columns", must=1.0)
def tables_duckdb() -> Figure:
    """DuckDB reads the lines without their columns of blocks: it has one row for each."""
    return against("native", "duckdb")


def peak(way: str, folder: Path) -> Cost:
    """Return the cost of reading a folder."""
    return cost(command(way, folder))


def flat(way: str) -> Figure:
    """Compare the memory for all sessions with that for a part of them."""
    part, whole = sessions(PART, FILES * PART // MEGABYTES), sessions()
    peaks = [(peak(way, whole).megabytes, peak(way, part).megabytes) for _ in range(ROUNDS)]
    large, small = map(median, zip(*peaks, strict=True))
    remark = f"{large:.0f} MB in {MEGABYTES} MB of sessions, {small:.0f} MB in {PART} MB"
    return Figure([of / over for of, over in peaks], remark)


def long_line(way: str) -> Figure:
    """Compare what a line of 64 MiB needs in addition with the line."""
    folder = peers.scratch() / "long"
    if not folder.exists():
        folder.mkdir()
        (folder / "a.jsonl").write_bytes(b"".join(long_entry()))
    more = peak(way, folder).megabytes - peak(way, sessions(1, 1)).megabytes
    return Figure([more * 1e6 / LONG], f"{more:.0f} MB")


def long_entry() -> Iterator[bytes]:
    """Yield the parts of a result of a tool that is as long as a line may be."""
    head = b'{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":'
    tail = b"}]}}"
    words = json.dumps("for each line of the log, print it\n").encode()[1:-1]
    yield head
    yield b'"'
    yield words * ((LONG - len(head) - len(tail) - 2) // len(words))
    yield b'"'
    yield tail


for _way in ("pure", "native"):
    row(
        f"Python tables, {_way}: memory for 500 MB of sessions",
        f"{PART} MB of them",
        must=1.1,
        name=f"tables_{_way}_memory",
    )(lambda way=_way: flat(way))
    row(
        f"Python tables, {_way}: memory for a line of 64 MiB",
        "the line",
        must=12,
        unit="× the line",
        name=f"tables_{_way}_long_line",
    )(lambda way=_way: long_line(way))


@row("Python tables of a thousand files by two processes, CPU", "one process", must=1.1)
def tables_processes() -> Figure:
    """Each process reads half of the files."""
    folder = sessions()

    def two() -> float:
        return sum(cost(command("pure", folder, part, 2)).seconds for part in range(2))

    return whole_runs(two, lambda: cost(command("pure", folder)).seconds, ROUNDS)
