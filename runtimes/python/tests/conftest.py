"""The runtime with the tables of the sample protocol in place of generated ones, under either parser."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

MODULES = ("base", "codec", "control", "engine", "model", "repeats", "slow", "streams", "support", "tools", "wire")


@pytest.fixture(scope="module", params=["stdlib", "orjson"])
def runtime(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The modules of the package by name, imported anew for each parser."""
    if request.param == "orjson":
        pytest.importorskip("orjson")
    loaded = {name for name in sys.modules if name.split(".")[0] in {"orjson", "polywire_runtime"}}
    before = {name: sys.modules.pop(name) for name in loaded}
    if request.param == "stdlib":
        sys.modules["orjson"] = None  # type: ignore[assignment]  # makes the import fail
    try:
        parts = {name: importlib.import_module(f"polywire_runtime.{_file(name)}") for name in MODULES}
        assert (parts["support"].loads is None) == (request.param == "stdlib")
        yield SimpleNamespace(**parts)
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] in {"orjson", "polywire_runtime"}]:
            del sys.modules[name]
        sys.modules.update(before)


def _file(name: str) -> str:
    return name if name == "model" else f"_{name}"
