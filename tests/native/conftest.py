"""The package with the native extension."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest

PACKAGE = "agentlines"


@pytest.fixture(scope="module")
def package() -> Iterator[Any]:
    """Another copy of the package, which uses the extension."""
    before = {name: sys.modules.pop(name) for name in loaded()}
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("POLYWIRE_NATIVE", raising=False)
        yield importlib.import_module(PACKAGE)
    for name in loaded():
        del sys.modules[name]
    sys.modules.update(before)


def loaded() -> list[str]:
    return [name for name in sys.modules if name.split(".")[0] == PACKAGE]
