"""Node on PATH, and a working folder with the TypeScript compiler that the tests install."""

from __future__ import annotations

import os

import pytest

from toolchain import NODE_PACKAGES, Toolchain


@pytest.fixture
def compiler(node: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{node.folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(NODE_PACKAGES)
