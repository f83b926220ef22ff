"""Rows of the command line: how long people wait for commands that do little, as multiples of a bare Python start."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from measure import COMPILED, Figure, cpu_seconds, whole_runs
from rows import row

BARE = "python -c pass"
ROUNDS = 9

POLYWIRE = (sys.executable, Path(sys.executable).with_name("polywire"))


def start(folder: Path, *arguments: str, **environment: str) -> float:
    """The CPU seconds of a command in a folder."""
    return cpu_seconds([*POLYWIRE, *arguments], cwd=folder, env=COMPILED | environment)


def bare(folder: Path) -> float:
    """The CPU seconds of an interpreter that does nothing."""
    return cpu_seconds([sys.executable, "-c", "pass"], cwd=folder, env=COMPILED)


@contextlib.contextmanager
def starter() -> Iterator[Path]:
    """A folder with the spec that `polywire init` begins with, and the packages of it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        start(folder, "init", "--starter", "tagged", "--target", "python")
        start(folder, "generate")
        yield folder


@row("polywire --help", BARE, must=5)
def help_start() -> Figure:
    """No command is imported for the list of commands."""
    with starter() as folder:
        return whole_runs(partial(start, folder, "--help"), partial(bare, folder), rounds=ROUNDS)


@row("polywire lint of a spec of 92 lines", BARE, must=12)
def lint_start() -> Figure:
    """Nearly all of it is importing; classes are made by `polywire.records`, which compiles what is called."""
    with starter() as folder:
        return whole_runs(partial(start, folder, "lint"), partial(bare, folder), rounds=ROUNDS)


@row("polywire check where nothing may be cached", "the same with caches", must=1.1)
def check_uncached() -> Figure:
    """Compiled modules and templates are there, and none may be written."""
    with starter() as folder:
        uncached = partial(start, folder, "check", PYTHONDONTWRITEBYTECODE="1")
        return whole_runs(uncached, partial(start, folder, "check"), rounds=ROUNDS)
