"""Fuzzes the native extension, for a number of documents instead of a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import sampling
from native import fuzz_extension
from native.fuzz_extension import Comparison, FoundError, Input
from sampling import third
from toolchain import Toolchain

pytest.importorskip("polywire_native", reason="`make .venv/native.stamp` says why it is missing")

DOCUMENTS = sampling.number(800, 50_000)


@third("fuzz of the native extension")
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


LEAKS = {"references to None": "None", "objects are kept": "object()"}
"""What is reported of an extension that keeps a value at each call, by an expression for the value."""

LEAKING = """
import agentlines
from native.fuzz_extension import Comparison
from native.test_fuzz import KEEP_ALIVE, Changed

comparison, kept = Comparison(agentlines), []
comparison.count([KEEP_ALIVE])

def decode(*arguments, native=comparison.native):
    kept.extend([VALUE for _ in range(3)])
    return native.decode(*arguments)

comparison.native = Changed(comparison.native, decode=decode)
comparison.count([KEEP_ALIVE])
"""


@pytest.mark.parametrize("message", LEAKS)
def test_references_and_objects_that_are_kept_are_reported(message: str) -> None:
    """A process of its own counts them: other tests leave threads and objects, which come and go meanwhile."""
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "POLYWIRE_NATIVE": "1"}
    command = [sys.executable, "-c", LEAKING.replace("VALUE", LEAKS[message])]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("native.fuzz_extension.FoundError")
    assert message in last
