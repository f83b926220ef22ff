"""The runtime with the tables of the sample protocol instead of generated ones, under each parser."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# No test fails because it is slow on a busy machine.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

MODULES = {
    name.removeprefix("_"): name
    for name in (
        *(
            "_aliases",
            "_async_process",
            "_base",
            "_control",
            "_decoder",
            "_encoder",
            "_filter",
            "_framing",
            "_functions",
            "_json",
            "_launch",
            "_native",
            "_pairs",
            "_process",
            "_rows",
            "_session",
            "_streams",
            "_table",
            "_thread_process",
            "_tools",
            "_tree",
        ),
        *("_wire", "model", "unknowns"),
    )
}
PARSERS = ("stdlib", "orjson", "native")
"""Who parses; `native` stands for the extension, which also decodes and writes."""


@pytest.fixture(scope="module", params=PARSERS)
def runtime(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The modules of the package by name, imported again for each parser."""
    with imported(request.param) as modules:
        yield modules


@pytest.fixture(scope="module")
def either() -> Iterator[tuple[Any, Any]]:
    """The package with the standard library's parser, and with orjson."""
    with imported("stdlib") as slow, imported("orjson") as fast:
        yield slow, fast


@pytest.fixture
def fresh() -> Iterator[Any]:
    """A newly imported package, with nothing compiled yet."""
    with imported("stdlib") as modules:
        yield modules


@pytest.fixture(params=["content_length", "sse"])
def framed(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The modules of a package whose messages are not lines."""
    with imported("stdlib", request.param) as modules:
        yield modules


@contextmanager
def imported(parser: str, framing: str = "ndjson") -> Iterator[Any]:
    """The modules of the package by name, imported again."""
    before = {name: sys.modules.pop(name) for name in ours()}
    try:
        if parser != "stdlib":
            pytest.importorskip("orjson" if parser == "orjson" else "polywire_native")
        with pytest.MonkeyPatch.context() as switch:
            if parser != "orjson":
                switch.setitem(sys.modules, "orjson", None)  # makes the import fail
            switch.setenv("POLYWIRE_NATIVE", "1" if parser == "native" else "0")
            sys.modules["polywire_runtime._framing"] = importlib.import_module(f"polywire_runtime._{framing}")
            parts = {name: importlib.import_module(f"polywire_runtime.{file}") for name, file in MODULES.items()}
        assert (parts["json"].fast_loads is None) == (parser != "orjson")
        assert (parts["native"].NATIVE is not None) == (parser == "native")
        for name in parts["table"].AREAS:  # later imports must not find the modules of another copy
            if name in parts["table"].UNKNOWNS or parts["table"].ROWS.get(name, "").startswith('["struct"'):
                parts["rows"].class_of(name)
        yield SimpleNamespace(**parts)
    finally:
        for name in ours():
            del sys.modules[name]
        sys.modules.update(before)


def ours() -> list[str]:
    return [name for name in sys.modules if name.split(".")[0] == "polywire_runtime"]
