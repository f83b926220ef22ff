"""Rows about the command line: how long commands that do little take, as multiples of the start of any such program."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from measure import COMPILED, Figure, cpu_seconds, whole_runs
from rows import row

BASE = "a program of click with add-ons"
PROGRAM = "import click, importlib.metadata as of\nof.entry_points(group='polywire.commands')"
"""What a command line with commands of other packages cannot do without; a bare interpreter takes a fifth of it."""

ROUNDS = 9

POLYWIRE = (sys.executable, Path(sys.executable).with_name("polywire"))


def start(folder: Path, *arguments: str, **environment: str) -> float:
    """Return the CPU seconds of a command in a folder."""
    return cpu_seconds([*POLYWIRE, *arguments], cwd=folder, env=COMPILED | environment)


def base(folder: Path) -> float:
    """Return the CPU seconds of a program that does nothing else."""
    return cpu_seconds([sys.executable, "-c", PROGRAM], cwd=folder, env=COMPILED)


@contextlib.contextmanager
def starter() -> Iterator[Path]:
    """Yield a folder with the starter spec of `polywire init` and the packages generated from it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        start(folder, "init", "--starter", "tagged", "--target", "python")
        start(folder, "generate")
        yield folder


@row("polywire --help", BASE, must=1.3)
def help_start() -> Figure:
    """The list of commands must not import what a command needs to run."""
    with starter() as folder:
        return whole_runs(partial(start, folder, "--help"), partial(base, folder), rounds=ROUNDS)


@row("polywire lint of a spec of 92 lines", BASE, must=4)
def lint_start() -> Figure:
    """Nearly all of the time is spent on imports, among them the classes that `dataclasses` compiles."""
    with starter() as folder:
        return whole_runs(partial(start, folder, "lint"), partial(base, folder), rounds=ROUNDS)


@row("polywire check where nothing may be cached", "the same with caches", must=1.1)
def check_uncached() -> Figure:
    """Compiled modules and templates exist, and no new ones may be written."""
    with starter() as folder:
        uncached = partial(start, folder, "check", PYTHONDONTWRITEBYTECODE="1")
        return whole_runs(uncached, partial(start, folder, "check"), rounds=ROUNDS)
