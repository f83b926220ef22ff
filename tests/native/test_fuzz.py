"""Fuzzes the native extension, for a number of documents instead of a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import sampling
from native import fuzz_extension
from native.fuzz_extension import Comparison, FoundError, Input
from toolchain import Toolchain

pytest.importorskip("polywire_native", reason="`make .venv/native.stamp` says why it is missing")

DOCUMENTS = sampling.number(800, 50_000)


@pytest.mark.full
@pytest.mark.xdist_group("cargo")
def test_the_extension_and_the_package_agree_on_whatever_is_made_up(rust: Toolchain) -> None:
    report, errors = fuzz_extension.run(*fuzz_extension.build(rust), documents=DOCUMENTS, seed=sampling.SEED)
    assert not errors, errors[-4000:]
    found = json.loads(report)
    assert found["documents"] == DOCUMENTS
    assert found["edges"] > 1000
    assert found["kept"] > 50  # the fuzzer is guided by coverage


KEEP_ALIVE = Input("StdoutMessage", strict=False, data='{"type":"keep_alive","a":[1]}')


@pytest.fixture
def comparison(package: Any) -> Comparison:
    """A comparison whose extension tests replace."""
    made = Comparison(package)
    made.compare(KEEP_ALIVE, Random(0))  # noqa: S311 - cases, not secrets
    return made


class Changed:
    """The functions of the extension, some of which are replaced."""

    def __init__(self, native: Any, **functions: Callable[..., Any]) -> None:
        self._native, self._functions = native, functions

    def __getattr__(self, name: str) -> Any:
        return self._functions[name] if name in self._functions else getattr(self._native, name)


def test_a_comparison_reports_each_difference(comparison: Comparison) -> None:
    native = comparison.native
    other = native.decode('{"type":"keep_alive","a":[1.0]}', None, False)
    differences: dict[str, tuple[Input, dict[str, Callable[..., Any]]]] = {
        "the extension gives": (KEEP_ALIVE, {"decode": lambda *_: other}),
        "the extension accepts": (Input("StdoutMessage", strict=False, data="{}"), {"decode": lambda *_: other}),
        "the extension writes": (KEEP_ALIVE, {"encode": lambda *_: b"{}"}),
    }
    for message, (given, functions) in differences.items():
        comparison.native = Changed(native, **functions)
        with pytest.raises(FoundError, match=message):
            comparison.compare(given, Random(0))  # noqa: S311


def test_a_comparison_reports_references_and_objects_that_are_kept(comparison: Comparison) -> None:
    native, kept = comparison.native, list[Any]()
    comparison.count([KEEP_ALIVE])
    for what, message in ((lambda: None, "references to None"), (object, "objects are kept")):

        def decode(*arguments: Any, what: Callable[[], object] = what) -> Any:
            kept.extend(what() for _ in range(3))  # more than what else may be freed meanwhile
            return native.decode(*arguments)

        comparison.native = Changed(native, decode=decode)
        with pytest.raises(FoundError, match=message):
            comparison.count([KEEP_ALIVE])
