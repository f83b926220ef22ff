"""How much of what repeats with many inputs this run tests: a sample chosen by `SEED`, or all of it.

`make test-nightly` tests everything, the other commands samples. `.ci/run` derives the seed from the commit: successive
commits test different inputs, and the same commit always tests the same ones.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

SEED = int(os.environ.get("SEED", "0"))
"""The seed of whatever is drawn at random in this run; set it as in `make test SEED=7`."""

NIGHTLY = os.environ.get("NIGHTLY") == "true"
"""Whether this run tests everything."""


def number(sampled: int, whole: int) -> int:
    """Return how many inputs to draw: `whole` in `make test-nightly`, `sampled` in the other commands."""
    return whole if NIGHTLY else sampled


def sample(items: Sequence[T], size: int, of: str = "") -> list[T]:
    """Return `size` of the items, chosen by `SEED`, in their order; all of them in `make test-nightly`.

    Samples with different names `of` are independent of each other.
    """
    if NIGHTLY or size >= len(items):
        return [*items]
    chosen = Random(f"sample {of} {SEED}").sample(range(len(items)), size)  # noqa: S311 - tests, not secrets
    return [items[at] for at in sorted(chosen)]


def sample_each(items: Sequence[T], size: int, family: Callable[[T], Hashable], of: str = "") -> list[T]:
    """Return at most `size` items of each family, chosen by `SEED`, in their order; all in `make test-nightly`."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for at, item in enumerate(items):
        places[family(item)].append(at)
    return [items[at] for at in sorted(at for own in places.values() for at in sample(own, size, of))]


TURNS = (
    *("Go with an int of 32 bits", "linter of Go", "race detector of Go"),
    *("documentation of Rust", "features of serde_json", "fuzz of the Rust crate", "linter of Rust", "oldest Rust"),
    *("serde in Rust", "releases in Rust", "Rust on the pages", "stored sessions in Rust", "what Cargo keeps"),
    *("crates of dialects", "parts of the crate", "faults in the runtime of Rust", "faults in sessions of Go"),
    *("other versions of Python", "type checkers of Python", "type checkers of flavours"),
    *("bundles", "lint of many declarations", "types of older releases", "validators of the real protocol"),
    *("a large release followed", "page of releases"),
    *("SDK 0.2.33", "SDK 0.3.333", "SDK of Python", "ports by others"),
    *("tables in Spark", "tables in Ray", "tables in Go", "Node of the wheel", "faults of a vendored folder"),
    *("coverage of the spec", "edits of packages", "edits of the spec", "packages twice", "page of flavours"),
)
"""Checks that take half a minute or more each, and that few changes can break."""

AT_ONCE = 3
"""How many of them `make test-all` makes."""

FREQUENT = (
    *("distributions", "wheel of polywire", "the spec that comes with polywire", "flavours", "ports with a fault"),
    *("page on one's own protocol", "page on vendoring", "published schemas", "instances of the real protocol"),
    *("examples in Rust", "functions in Rust", "other protocols in Rust", "own protocol in Rust"),
    *("documentation in a browser", "reports in a browser", "other hosts of JavaScript", "types in TypeScript"),
    *("introspection of Python", "other protocols in Pyright", "Python's runtime with each parser"),
    *("fuzz of the native extension", "other protocols in Go", "layout of other protocols"),
    *("constructors in Go and Rust", "mistakes in Rust", "programs in Rust"),
    *("code that a change breaks", "linter of Rust's runtime", "packages for JSON-RPC in Rust", "worked examples"),
    *("clients that install packages", "faults in sessions", "programs in Go", "starters in compiled languages"),
    *("Pyright on the package", "code for the SDK in TypeScript", "projections of releases"),
    *("packages of releases", "packages of imported specs", "values of the published types", "a spec twice as large"),
)
"""Checks of ten seconds or more that more changes can break: `make test-all` makes a third of them."""


ALL_TURNS = os.environ.get("TURNS") == "all"
"""Whether `make test-all` makes all of these checks; `make test-all TURNS=all`."""


def turn(name: str, among: Collection[str] = TURNS, at_once: int = AT_ONCE) -> pytest.MarkDecorator:
    """Mark a check among others: `make test-all` makes some of them, chosen by `SEED`, and `make test-nightly` all."""
    assert name in among
    chosen = ALL_TURNS or name in sample(sorted(among), at_once, "turns")
    return pytest.mark.full if chosen else pytest.mark.nightly


def third(name: str) -> pytest.MarkDecorator:
    """Mark a check that is one of `FREQUENT`."""
    return turn(name, FREQUENT, -(-len(FREQUENT) // 3))


def in_turns(programs: Sequence[Path | str], mark: pytest.MarkDecorator) -> list[Any]:
    """Return programs, or their suffixes, as parameters of a test; those in Rust have the mark."""
    return [pytest.param(each, marks=mark) if str(each).endswith(".rs") else each for each in programs]
